"""Why a fact has its verdict: what stands near it, what can be done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halubot.correction.suggestions import Beside
from halubot.events import fold
from halubot.evidence import text_source
from halubot.render.captions import VERDICTS
from halubot.render.items import listing
from halubot.report import Edit
from halubot_tui.corrections import entry_key
from halubot_tui.explanation import near_quotes, offer, speaks_of_nothing, title
from halubot_tui.text_check import Folded, Inputs, TextCheck
from tests.halubot_tui.canned import ANSWER, TEXT, events_of

SAMPLES = [text_source(ANSWER, "sample", n) for n in (1, 2, 3)]


def test_the_nearest_sentences_are_named_by_their_sources() -> None:
    report = fold(events_of(TEXT, SAMPLES))
    entry = listing(report)[0]
    near = {entry_key(entry): Beside((("s2", "Ada was a countess."), ("gone", "Nobody.")))}
    assert near_quotes(entry, near, report) == [("Ada was a countess.", "answer 2")]
    assert near_quotes(entry, {}, report) == []


def test_the_heading_has_the_words_that_all_front_ends_have() -> None:
    entry = listing(fold(events_of(TEXT, SAMPLES)))[0]
    assert title(entry) == f"Why {entry.number} is {VERDICTS[entry.verdict]}"
    unread = replace(entry, verdict="not_checked")
    assert title(unread) == f"Why it is {VERDICTS['not_checked']}"
    assert title(unread, unread) == f"Why these 2 are {VERDICTS['not_checked']}"
    twins = [replace(entry, number=number) for number in (2, 3, 4)]
    assert title(*twins) == f"Why 2-4 are {VERDICTS[entry.verdict]}"
    assert title(*twins[::2]) == f"Why 2, 4 are {VERDICTS[entry.verdict]}"
    assert title(unread, compared=False) == "Why it was not checked"


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


def test_doubts_about_the_same_words_are_one_stop_and_one_change() -> None:
    report = fold(events_of(TEXT, SAMPLES))
    twin = report.facts[0].model_copy(update={"index": len(report.facts)})
    check = TextCheck("x", Inputs(kind="check", text=TEXT), state="done")
    check.take(Folded.of(report.model_copy(update={"facts": (*report.facts, twin)})))
    check.corrections.propose_values(report)
    first, *others = check.stops
    assert [len(one) for one in (first, *others)] == [2, 1, 1, 1]
    assert check.corrections.take(first[0], twins=first)
    assert check.stops == others
    assert {check.handling(one) for one in first} == {"changed"}
