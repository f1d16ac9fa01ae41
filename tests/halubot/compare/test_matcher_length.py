"""The time that a comparison takes, by the number of pairs it looks at."""

from __future__ import annotations

from halubot.compare.source_text import LONGEST, Text
from halubot.compare.tokens import with_tokens
from halubot.text import read


def test_a_long_sentence_of_a_source_is_compared_in_pieces() -> None:
    plain = " ".join(f"word{number}" for number in range(3 * LONGEST)) + "."
    text = Text(with_tokens(read(plain)))
    pieces = [text.sentence(number).span for number in range(3)]
    assert "".join(plain[start:end] for start, end in pieces) == plain
    assert all(len(text.sentence(number).lows) == LONGEST for number in range(3))


def test_a_short_sentence_stays_whole() -> None:
    plain = "The tower is 120 metres tall."
    assert Text(with_tokens(read(plain))).sentence(0).span == (0, len(plain))
