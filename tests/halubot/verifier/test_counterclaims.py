"""A source that gives another value or name in quite other words contradicts a fact."""

from __future__ import annotations

import pytest

from halubot import check


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
    ],
)
def test_another_value_in_other_words_is_a_contradiction(
    text: str, source: str, value: str
) -> None:
    facts = check(text, references=[source]).facts
    (evidence,) = (one for fact in facts if fact.verdict == "contradicted" for one in fact.evidence)
    assert evidence.value == value
    assert value in evidence.quote


def test_a_year_of_death_is_no_other_year_of_birth() -> None:
    report = check("Anna Berg was born in 1805.", references=["Anna Berg died in 1871 in Rome."])
    assert "contradicted" not in {fact.verdict for fact in report.facts}


def test_a_value_that_the_source_leaves_open_is_none() -> None:
    source = "The firm was bought in 1964 by a bank. Its founder was a carpenter from Kyoto."
    report = check("The company had 40 workers.", references=[source])
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
