"""A quote confirms a change if it says nearly all of the sentence."""

from __future__ import annotations

import pytest

from halubot.correction.confirmation import says_nearly

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
