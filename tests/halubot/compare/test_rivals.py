"""Most samples settle a value that none of them has."""

from __future__ import annotations

import pytest

from halubot import check, correct

COOL = "Hold the burnt hand under running water for 5 minutes."
COOLED = [
    "Cool it first: 20 minutes of tap water, not icy.",
    "Water, twenty minutes",
    "You should rinse a burnt hand with water for 20 minutes and cover it.",
]


def corrected(text: str, samples: list[str]) -> str:
    made = correct(text, samples=samples).correction
    assert made is not None
    return made.text


def test_what_most_samples_have_takes_the_place() -> None:
    assert corrected(COOL, COOLED) == COOL.replace("5", "20")
    report = check(COOL, samples=COOLED)
    (fact,) = [one for one in report.facts if one.verdict == "contradicted"]
    assert [item.value for item in fact.evidence] == ["20 minutes", "twenty minutes", "20 minutes"]
    for source, item in zip(report.sources, fact.evidence, strict=True):
        assert (source.text or "")[item.start : item.end] == item.quote
        assert item.value is not None
        assert item.value in item.quote


@pytest.mark.parametrize(
    "samples",
    [
        COOLED[:2],
        [*COOLED, "Run water over the hand for 5 minutes."],
        [COOLED[0], COOLED[1].replace("twenty", "thirty"), COOLED[2].replace("20", "40")],
        [one.replace("20", "15").replace("twenty", "two") for one in COOLED],
        [*COOLED, *(f"Answer {n} tells of plasters and creams." for n in range(7))],
        [f"Plasters should stay for {n} days." for n in (20, 20, 20)],
    ],
    ids=["two", "one has it", "three values", "no majority", "a third", "of other things"],
)
def test_what_few_samples_have_takes_no_place(samples: list[str]) -> None:
    assert corrected(COOL, samples) == COOL


def test_a_value_of_the_message_takes_no_other_place() -> None:
    text = "Rinse the hand with water for 5 minutes and rest for 20 minutes."
    assert corrected(text, COOLED) == text


def test_what_is_said_of_one_place_replaces_nothing_else() -> None:
    text = f"{COOL} It is worth doing even two hours after the accident with the water."
    assert corrected(text, COOLED) == text.replace("5", "20")


def test_a_name_needs_the_same_word_before_it() -> None:
    text = "The class will travel to Holmby in the spring."
    same = [
        "The class travels to Varnby.",
        "A trip to Varnby, the class said.",
        "To Varnby, class!",
    ]
    assert corrected(text, same) == text.replace("Holmby", "Varnby")
    other = [one.replace("to Varnby", "with Varnby").replace("To Varnby", "Varnby") for one in same]
    assert corrected(text, other) == text


def test_the_date_of_another_event_and_of_another_person_take_no_place() -> None:
    text = "The Panama Canal opened on 15 August 1914."
    samples = ["The treaty on the canal was signed on 18 November 1903."] * 4
    assert corrected(text, samples) == text
    text = "She knew Charles Dickens (1812-1870)."
    assert corrected(text, ["She knew Charles Babbage (1791-1871)."] * 3) == text


def test_the_date_of_a_name_that_shares_most_of_its_words_takes_the_place() -> None:
    text = "The marsh was declared a Nordic Nature Heritage Site in 1987."
    samples = [
        "The council added the marsh to the Nature Heritage List in 1996.",
        "It became a Nordic Nature Heritage Site in 1996, this marsh.",
        "The marsh has been a Nordic Nature Heritage Site since 1996.",
    ]
    assert corrected(text, samples) == text.replace("1987", "1996")


def test_the_first_word_of_a_name_takes_the_place_of_that_of_a_like_name() -> None:
    text = "The only outflow of the lake is the Lenna River near Holm."
    samples = [
        "The Varga River is the only outflow of the lake.",
        "Of all rivers only the Varga River leaves the lake, close to Holm.",
        "The lake is drained by a single river, the Varga, near Holm.",
    ]
    assert corrected(text, samples) == text.replace("Lenna", "Varga")
    other = [
        one.replace("Varga River", "Varga Dam").replace("river, the", "dam,") for one in samples
    ]
    assert corrected(text, other) == text
