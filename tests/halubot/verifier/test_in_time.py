"""A comparison that runs out of time says what it knows by then."""

from __future__ import annotations

from itertools import count

import pytest

from halubot import check
from halubot.claims import extract
from halubot.concurrency import Deadline, is_late, work_until
from halubot.events import Progress
from halubot.evidence import text_source
from halubot.methods.consensus.comparison import Comparison
from halubot.methods.consensus.consensus import TOO_MUCH, judge_all, judge_in_steps
from halubot.text import read

TEXT = "The bridge has two towers. The bridge has three lanes. The bridge has four gates."
SOURCE = (
    "The old bridge has two towers. The old bridge has three lanes. The old bridge has four gates."
)


@pytest.mark.parametrize("place", ["reading", "stances"])
def test_what_there_is_no_time_for_is_not_checked(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = count()
    monkeypatch.setattr(f"halubot.verifier.{place}.is_late", lambda: next(asked) >= 1)
    report = check(TEXT, references=[SOURCE], options={"verifier": "none"})
    late = {fact.sentences for fact in report.facts if fact.reason == TOO_MUCH}
    assert late == {(1,), (2,)}
    assert {one.verdict for one in report.sentences[1:]} == {"not_checked"}


def test_little_time_is_left_near_the_end_of_a_deadline() -> None:
    assert not is_late()
    deadline = Deadline(100)
    try:
        work_until(deadline)
        assert not is_late()
        deadline.at -= 80
        assert is_late()
    finally:
        work_until(None)


@pytest.mark.parametrize("samples", [0, 2])
def test_a_fact_is_judged_as_soon_as_all_sources_were_read_on_it(samples: int) -> None:
    """While the last source is read; and the verdicts are those of a comparison in one go."""
    message = read(TEXT)
    facts = extract(message)
    references = [text_source(SOURCE, "reference", 1), text_source("Six gates.", "reference", 2)]
    others = [text_source(SOURCE, "sample", n + 1) for n in range(samples)]
    steps = Comparison(message, facts, None, references, in_steps=True).steps(others)
    settled = [(step.done, [*step.settled]) for step in steps if step.settled]
    assert settled == [(2 + samples, [at]) for at in range(3)]
    whole = Comparison(message, facts, None, references)
    for one in others:
        whole.hear(one)
    stepwise = Comparison(message, facts, None, references, in_steps=True)
    events = [*judge_in_steps(stepwise, others, 0.5)]
    assert [one for one in events if not isinstance(one, Progress)] == [*judge_all(whole, 0.5)]
