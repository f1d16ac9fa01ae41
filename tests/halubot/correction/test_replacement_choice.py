"""Which other value the sources agree on, and how it is put in the old one's place."""

from __future__ import annotations

import pytest

from halubot.correction.replacement_choice import Agreed, find_agreed_value, fit_value, says_nearly
from halubot.report import Evidence, Fact, SourceKind, Stance, Triple


def fact(*evidence: tuple[str, Stance, str | None]) -> Fact:
    """A doubted fact about a year, with (source, stance, value) for each piece of evidence."""
    return Fact(
        index=0,
        triple=Triple("Ada", "was born in", "1816"),
        sentences=(0,),
        spans=((0, 20),),
        evidence=tuple(Evidence(source=s, stance=stance, value=v) for s, stance, v in evidence),
    )


KINDS: dict[str, SourceKind] = {
    **{f"s{n}": "sample" for n in range(1, 6)},
    **{f"r{n}": "reference" for n in range(1, 4)},
}


def test_most_samples_decide() -> None:
    doubted = fact(
        ("s1", "contradicts", "1815"),
        ("s2", "contradicts", "1815"),
        ("s3", "contradicts", "1812"),
        ("s4", "silent", None),
    )
    assert find_agreed_value(doubted, KINDS) == Agreed("1815", "samples", 2, 3)


def test_a_vaguer_value_speaks_for_the_exact_one() -> None:
    doubted = fact(
        ("s1", "contradicts", "1815"),
        ("s2", "contradicts", "10 December 1815"),
        ("s3", "contradicts", "December 1815"),
    )
    assert find_agreed_value(doubted, KINDS) == Agreed("10 December 1815", "samples", 3, 3)


@pytest.mark.parametrize(
    "evidence",
    [
        [("s1", "contradicts", "1815")],
        [("s1", "contradicts", "1815"), ("s2", "contradicts", "1812")],
        [
            ("s1", "contradicts", "1815"),
            ("s2", "contradicts", "1815"),
            ("s3", "supports", None),
            ("s4", "supports", None),
        ],
        [("s1", "contradicts", None), ("s2", "contradicts", None)],
        [("s1", "silent", None)],
        [],
    ],
    ids=["one alone", "no two agree", "half support", "no value", "silent", "nothing"],
)
def test_nothing_is_agreed_on(evidence: list[tuple[str, Stance, str | None]]) -> None:
    assert find_agreed_value(fact(*evidence), KINDS) is None


def test_a_reference_outweighs_all_samples() -> None:
    doubted = fact(
        *((f"s{n}", "contradicts", "1812") for n in range(1, 6)), ("r1", "contradicts", "1815")
    )
    assert find_agreed_value(doubted, KINDS) == Agreed("1815", "references", 1, 1)


def test_references_that_differ_decide_nothing_and_silence_the_samples() -> None:
    doubted = fact(
        ("s1", "contradicts", "1815"),
        ("s2", "contradicts", "1815"),
        ("r1", "contradicts", "1815"),
        ("r2", "contradicts", "1812"),
    )
    assert find_agreed_value(doubted, KINDS) is None


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("1829", "1828", "1828"),
        ("22 May 1829", "May 22, 1828", "22 May 1828"),
        ("May 22, 1829", "22 June 1828", "June 22, 1828"),
        ("1829", "22 May 1828", "1828"),
        ("January 1885", "28 January 1887", "January 1887"),
        ("the World's Fair of 1900", "1889", "the World's Fair of 1889"),
        ("9,500 tonnes", "7,300 tonnes", "7,300 tonnes"),
        ("9,500 tonnes", "7,300", "7,300 tonnes"),
        ("a height of 324 m", "330 metres", "a height of 330 metres"),
        ("Charles Garnier", "Stephen Sauvestre", "Stephen Sauvestre"),
        ("London", "Romsey, Hampshire", "Romsey, Hampshire"),
        ("three", "four", "four"),
        ("15 %", "85%", "85 %"),
        ("15%", "85 %", "85%"),
        ("40-minute", "30 minute", "30-minute"),
        ("June 21st", "26 June", "June 26th"),
        ("22nd May 1829", "May 11, 1828", "11th May 1828"),
    ],
)
def test_a_value_is_fitted_into_the_words_of_the_old_one(
    before: str, value: str, after: str
) -> None:
    assert fit_value(before, value) == after


TEXT = "It is so. A report by Forbes found that Varn moved $1.8 billion to funds in August. Well."


def place(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    ("words", "quote", "wanted"),
    [
        ("Forbes", "A report by Forbes found that Varn moved nearly $1.8 billion to funds.", True),
        ("Forbes", "Varn moved $1.8 billion to funds, a report by Holm found.", False),
        ("$1.8 billion", "A report by Forbes found that Varn moved $1.8 billion.", True),
        ("$1.8 billion", "Osby is worth $1.8 billion.", False),
        ("Forbes", "Nobody knows it.", False),
        ("Forbes", "", False),
    ],
)
def test_a_quote_confirms_what_it_says(words: str, quote: str, wanted: bool) -> None:
    assert says_nearly(TEXT, place(words), quote) is wanted


def test_both_ends_of_a_range_must_be_said() -> None:
    text = "On Monday Varn raised its bid from €44 to €49 per share."
    where = (text.index("€49"), text.index("€49") + 3)
    assert says_nearly(text, where, "Varn on Monday raised its bid to €49 a share from €44.")
    assert not says_nearly(text, where, "Varn on Monday raised its bid to €47 a share from €44.")


def test_a_place_outside_of_all_sentences_is_not_confirmed() -> None:
    assert not says_nearly("", (0, 0), "A quote.")
