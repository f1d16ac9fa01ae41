"""Everyday errors that an earlier engine passed: `consensus`, with a reference and with samples."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.report import Report

OTHERS = [
    ("Take no more than 8 g in 24 hours.", "Take no more than 4 g in 24 hours."),
    ("The bridge was opened in May 1941.", "The bridge was opened in May 1931."),
    ("Hydrochloric acid is a weak acid.", "Hydrochloric acid is a strong acid."),
    ("The shop sells bread in Leeds.", "The shop sells bread in York."),
]
"""Another value, name or opposite: words alone show it."""

ERRORS = [
    ("Take the tablet before meals.", "Take the tablet after meals."),
    ("All of the students passed the exam.", "Some of the students passed the exam."),
    ("Guests must leave the key at the desk.", "Guests may leave the key at the desk."),
    ("Edison sued Tesla over the patent.", "Tesla sued Edison over the patent."),
    ("In 2019 Nortek acquired Velar's unit.", "In 2019 Velar acquired Nortek's unit."),
    ("The tablets treat hypotension well.", "The tablets treat hypertension well."),
    ("The doctor prescribed prednisone.", "The doctor prescribed prednisolone."),
    ("She plays the violin in the town orchestra.", "She plays the trumpet in the orchestra."),
    ("No drivers would lose their jobs.", "Drivers would lose their jobs."),
    ("Water boils at 100 degrees Celsius.", "Water boils at 90 degrees Celsius."),
    ("The river flows into the Black Sea.", "The river flows into the Baltic Sea."),
    ("Hepatitis A is caused by a virus.", "Hepatitis B is caused by a virus."),
    ("He was the former mayor of Oslo.", "He was the mayor of Bergen."),
    ("He is the mayor of Oslo.", "He is the former mayor of Oslo."),
    ("It has Type 2 seals.", "It has Type 1 seals."),
    ("Dogs are allowed in the park.", "Dogs are banned in the park."),
    *OTHERS,
]


def verdicts(report: Report) -> list[str]:
    return [one.verdict for one in report.sentences]


@pytest.mark.parametrize(("wrong", "right"), ERRORS)
def test_nearly_the_same_words_of_another_sense_are_no_support(wrong: str, right: str) -> None:
    for text, other in ((wrong, right), (right, wrong)):
        assert "supported" not in verdicts(check(text, references=[other]))
        assert "supported" not in verdicts(check(text, samples=[other] * 4))
        assert verdicts(check(text, references=[text])) == ["supported"]


@pytest.mark.parametrize(("wrong", "right"), OTHERS)
def test_a_reference_or_most_samples_contradict_it_with_their_own_words(
    wrong: str, right: str
) -> None:
    by_reference, by_samples = check(wrong, references=[right]), check(wrong, samples=[right] * 4)
    for report in (by_reference, by_samples):
        assert verdicts(report) == ["contradicted"]
        against = [
            item for fact in report.facts for item in fact.evidence if item.stance == "contradicts"
        ]
        assert {item.quote for item in against} == {right}


@pytest.mark.parametrize(
    "text",
    [
        "Store the batteries in a dry place.",
        "If the light blinks, press the red button.",
        "**Dose**: Take two tablets a day.",
        "- **Storage**: Keep it below 25 °C.",
        "Run `pip install halubot` to install it.",
        "Use the flag `--force` with care.",
        "1. Open the lid.\n2. Pour in the milk.",
        'The manual says, "Never open the lid."',
        "| Metal | Melts at |\n| --- | --- |\n| Iron | 1538 °C |",
        "A monad is a monoid in the category of endofunctors.",
    ],
)
def test_what_no_source_speaks_of_is_not_supported(text: str) -> None:
    silent = check(text, references=["Water the plants in the evening. The shop sells bread."])
    assert silent.sentences
    assert set(verdicts(silent)) == {"not_checked"}
    assert set(verdicts(check(text, references=[text]))) == {"supported"}
