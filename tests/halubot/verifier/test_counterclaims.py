"""A source that gives another value or name in quite other words contradicts a fact."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.claims import read_message
from halubot.compare.tokens import tokens, with_tokens
from halubot.verifier.alignment import name_runs, other_names
from halubot.verifier.reading import SourceText


@pytest.fixture(autouse=True)
def _shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER")


@pytest.mark.parametrize(
    ("text", "source", "value"),
    [
        (
            "Fusajiro Yamauchi founded the company in 1929.",
            "The firm is older than electronic games by far: Fusajiro Yamauchi established it at"
            " Kyoto in 1889, to begin with as a maker of cards.",
            "1889",
        ),
        (
            "Linus Torvalds was then studying at the University of Oslo.",
            "Its author, Linus Torvalds, was enrolled at Helsinki when in 1991 he set out to write"
            " something like Unix for his own machine.",
            "Helsinki",
        ),
        (
            "The canal opened on 17 November 1879 after ten years of work.",
            "After a decade of labour the festive inauguration took place on 17 November 1869. In"
            " July 1956 Gamal Abdel Nasser, the president, takes the canal into state ownership.",
            "17 November 1869",
        ),
        (
            "When you collect it for the first time, you pay a deposit of 150 pounds.",
            "| Item | Price |\n| --- | --- |\n| Deposit, returned when you quit | £50 |",
            "£50",
        ),
    ],
)
def test_another_value_in_other_words_is_a_contradiction(
    text: str, source: str, value: str
) -> None:
    facts = check(text, references=[source]).facts
    (evidence,) = (one for fact in facts if fact.verdict == "contradicted" for one in fact.evidence)
    assert evidence.value == value
    assert value in evidence.quote


def test_the_same_number_with_another_unit_is_a_contradiction_without_a_word_in_common() -> None:
    source = "A distance of about 15 cm is kept within the row. Each clove is set upright."
    (fact,) = check("Leave about 15 millimetres between cloves.", references=[source]).facts
    assert fact.verdict == "contradicted"
    assert fact.evidence[0].value == "15 cm"


def test_nothing_is_supported_by_a_quote_that_hardly_entails_it() -> None:
    text = "The nearest town is Ollantaytambo, which lies in the valley right below the ruins."
    source = (
        "The settlement closest to it is Aguas Calientes, at the foot of the mountain."
        " Ollantaytambo lies further up the valley and is a station on the railway line."
    )
    assert "supported" not in {fact.verdict for fact in check(text, references=[source]).facts}


def test_a_year_of_death_is_no_other_year_of_birth() -> None:
    report = check("Anna Berg was born in 1805.", references=["Anna Berg died in 1871 in Rome."])
    assert "contradicted" not in {fact.verdict for fact in report.facts}


def test_a_value_that_the_source_leaves_open_is_none() -> None:
    source = "The firm was bought in 1964 by a bank. Its founder was a carpenter from Kyoto."
    report = check("The company had 40 workers.", references=[source])
    assert {fact.verdict for fact in report.facts} == {"not_checked"}


@pytest.mark.parametrize(
    ("text", "source", "name", "others"),
    [
        (
            "The crew were Neil Armstrong, Buzz Aldrin and Jim Lovell.",
            'Armstrong, Edwin "Buzz" Aldrin and Michael Collins flew.',
            "Jim Lovell",
            ["Michael Collins"],
        ),
        (
            "The bill was signed by President Truman.",
            "President Eisenhower put his name to the bill.",
            "Truman",
            ["Eisenhower"],
        ),
        (
            "It was made at the University of Cambridge.",
            "The Bank of England paid the University of Oxford.",
            "Cambridge",
            ["Bank of England", "Oxford"],
        ),
    ],
)
def test_a_part_of_a_name_is_no_other_name(
    text: str, source: str, name: str, others: list[str]
) -> None:
    start = text.index(name)
    there = SourceText(with_tokens(read_message(source)))
    place = (start, start + len(name))
    found = other_names(text, tokens(text, 0, len(text)), place, there, 0)
    assert [source[slice(*one)] for one in found] == others


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It was Alexander von Humboldt.", ["Alexander von Humboldt"]),
        ("The work of Brandt & Sons.", ["Brandt & Sons"]),
        ("A song by Ada and Ben.", ["Ada", "Ben"]),
    ],
)
def test_the_words_of_a_name_are_one_run(text: str, names: list[str]) -> None:
    found = [one for one in tokens(text, 0, len(text)) if one.kind == "name"]
    runs = name_runs(text, found)
    assert [text[run[0].start : run[-1].end] for run in runs] == names


def test_what_two_samples_say_and_none_denies_is_supported() -> None:
    text = "The railway runs for 46 kilometres between Orsa and Vettan."
    samples = [
        "The train travels 46 km from Orsa up to Vettan. It takes an hour.",
        "Trains need an hour for the 46 kilometres from Orsa to Vettan.",
        "From Orsa the line climbs for 46 kilometres until it reaches Vettan.",
    ]
    report = check(text, samples=samples)
    assert {fact.verdict for fact in report.facts} == {"supported"}
