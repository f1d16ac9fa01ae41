"""Everyday errors that an earlier engine passed: `consensus`, with a reference and with samples."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.cli.check_run import status
from halubot.report import Report

ERRORS = [
    ("Hydrochloric acid is a weak acid.", "Hydrochloric acid is a strong acid."),
    (
        "The central bank raised its rate in March.",
        "The central bank lowered its rate in March.",
    ),
    ("Take the tablet before meals.", "Take the tablet after meals."),
    ("Rinse the rice before cooking it.", "Rinse the rice after cooking it."),
    ("All students passed the exam.", "Some students passed the exam."),
    ("All of the students passed the exam.", "Some of the students passed the exam."),
    ("Guests must leave the key at the desk.", "Guests may leave the key at the desk."),
    (
        "You must renew the passport before you travel.",
        "You may renew the passport before you travel.",
    ),
    ("Edison sued Tesla.", "Tesla sued Edison."),
    ("Edison sued Tesla over the patent.", "Tesla sued Edison over the patent."),
    ("Adobe acquired Figma's unit in 2019.", "Figma acquired Adobe's unit in 2019."),
    (
        "In 2019 Nortek acquired Velar's marine unit.",
        "In 2019 Velar acquired Nortek's marine unit.",
    ),
    ("The injection treats hypoglycemia.", "The injection treats hyperglycemia."),
    (
        "The treatment may lead to hypoglycemia in older patients.",
        "The treatment may lead to hyperglycemia in older patients.",
    ),
    ("The tablets treat hypotension.", "The tablets treat hypertension."),
    ("Hypotension makes patients dizzy.", "Hypertension makes patients dizzy."),
    (
        "The doctor prescribed prednisone for the rash.",
        "The doctor prescribed prednisolone for the rash.",
    ),
    (
        "She plays the violin in the town orchestra.",
        "She plays the trumpet in the town orchestra.",
    ),
    (
        "The mosquito spreads malaria in the region.",
        "The mosquito spreads measles in the region.",
    ),
    (
        "The company said that no drivers would lose their jobs.",
        "The company said that drivers would lose their jobs.",
    ),
]


def verdicts(report: Report) -> list[str]:
    return [one.verdict for one in report.sentences]


@pytest.mark.parametrize(("wrong", "right"), ERRORS)
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
    assert verdicts(check(wrong, references=[wrong])) == ["supported"]
    assert verdicts(check(right, references=[wrong])) == ["contradicted"]


def test_a_dose_and_a_warning_turned_round_are_both_marked() -> None:
    report = check(
        "Take no more than **8 g** in 24 hours."
        " You **can** take ibuprofen if you have had a stomach ulcer.",
        references=[
            "Take no more than 4 g in 24 hours."
            " Do not take ibuprofen if you have had a stomach ulcer."
        ],
    )
    assert verdicts(report) == ["contradicted", "contradicted"]
    assert status(report) == 1
    marked = {str(fact.triple) for fact in report.facts if fact.verdict == "contradicted"}
    assert marked == {"Take no more than 8 g", "You can take ibuprofen"}


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


@pytest.mark.parametrize("count", [1, 5, 20])
def test_samples_do_not_hide_what_a_reference_contradicts(count: int) -> None:
    wrong, right = "The bridge was opened in 1941.", "The bridge was opened in 1931."
    report = check(wrong, references=[right], samples=[wrong] * count)
    assert verdicts(report) == ["contradicted"]
