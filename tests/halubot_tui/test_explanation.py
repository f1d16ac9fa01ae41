"""Why a fact has its verdict: who says what, quotes counted, what can be done."""

from __future__ import annotations

from typing import Any

import pytest

from halubot.evidence import text_source
from halubot.fold import fold
from halubot.render.items import listing
from halubot.report import Edit, Evidence
from halubot_tui.explanation import offer, quotes, speaks_of_nothing, stances, who_says_what
from tests.halubot_tui.canned import ANSWER, TEXT, events_of

SAMPLES = [text_source(ANSWER, "sample", n) for n in (1, 2, 3)]


def told(*evidence: tuple[str, str, str | None], kind: Any = "sample") -> tuple[str, Any]:
    """What is said of a fact with this evidence: stance, quote, value."""
    sources = [text_source(f"{quote} {n}.", kind, n) for n, (_, quote, _) in enumerate(evidence, 1)]
    report = fold(events_of("Ada was born in 1816.", sources))
    found = tuple(
        Evidence.model_validate(
            {"source": one.id, "stance": stance, "quote": quote, "end": len(quote), "value": value}
        )
        for one, (stance, quote, value) in zip(sources, evidence, strict=True)
    )
    fact = report.facts[0].model_copy(update={"evidence": found})
    report = report.model_copy(update={"facts": (fact,)})
    entry = listing(report)[0]
    return who_says_what(entry, report), quotes(entry, report)


AGAINST = ("contradicts", "She was born in 1815.", "1815")
OTHER = ("contradicts", "It was in 1814.", "1814")
FOR = ("supports", "Ada was born in 1816.", None)
SILENT = ("silent", "", None)


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ([AGAINST] * 3, "3 other answers say 1815"),
        ([AGAINST, AGAINST, OTHER], "2 other answers say 1815, 1 says 1814"),
        (
            [AGAINST, FOR, SILENT],
            "1 other answer says 1815, 1 agrees with the text, 1 leaves it open",
        ),
        ([SILENT] * 2, "2 other answers leave it open"),
        ([FOR, SILENT], "1 other answer agrees with the text, 1 leaves it open"),
    ],
)
def test_equal_values_are_counted_together(evidence: list[Any], said: str) -> None:
    assert told(*evidence)[0].startswith(said)


def test_nobody_is_said_to_be_against_a_sentence_that_a_source_has() -> None:
    """`None says so` stood beside identical sentences."""
    said, found = told(FOR, SILENT, SILENT)
    assert "agrees with the text" in said
    assert "none" not in said.lower()
    assert [(one.stance, one.count) for one in found] == [("supports", 1)]


def test_equal_quotes_are_one_quote_with_a_count() -> None:
    report = fold(events_of(TEXT, SAMPLES))
    entry = listing(report)[0]
    (one,) = quotes(entry, report)
    assert (one.count, one.text) == (3, "Ada Lovelace was born in 1815 in London.")
    assert [stance for stance, _, _ in stances(entry, report)] == ["contradicts"] * 3


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("1816", "1815", "use 1815"),
        ("She liked tea.", "", "remove it"),
        (
            "Ada Lovelace, who was the daughter of Lord Byron and a friend, was born in 1816.",
            "Ada Lovelace, who was the daughter of Lord Byron and a friend, was born in 1815.",
            "use 1815",
        ),
    ],
)
def test_what_enter_does_is_said_in_a_few_words(before: str, after: str, said: str) -> None:
    edit = Edit(
        sentence=0, start=0, end=1, before=before, after=after, facts=(0,), action="changed"
    )
    assert offer(edit) == said


def test_sources_on_another_subject_are_told() -> None:
    report = fold(events_of(TEXT, [text_source("Tea grows in Assam.", "sample", 1)]))
    assert not speaks_of_nothing(report)  # one fact is doubtful
    plain = fold(events_of("Her father was Lord Byron.", [text_source("Tea grows.", "sample", 1)]))
    assert speaks_of_nothing(plain)
