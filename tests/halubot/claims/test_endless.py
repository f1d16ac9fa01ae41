"""A sentence that is too long to be compared."""

from __future__ import annotations

from halubot import check
from halubot.claims import LONGEST_SENTENCE


def test_a_sentence_without_an_end_is_not_checked_and_says_so() -> None:
    endless = "She wrote " + "and wrote " * (LONGEST_SENTENCE // 10) + "in 1816."
    text = f"Ada was born in 1815. {endless} She died in 1852."
    report = check(text, references=["Ada was born in 1815. She died in 1852."])
    first, second, third = report.sentences
    assert (first.verdict, third.verdict) == ("supported", "supported")
    assert text[second.start : second.end] == endless
    assert second.verdict == "not_checked"
    assert second.reason is not None
    assert "3,000 characters" in second.reason
