"""A comparison that runs out of time says what it knows by then."""

from __future__ import annotations

from itertools import count

import pytest

from halubot import check
from halubot.concurrency import Deadline, is_late, work_until
from halubot.methods.consensus.consensus import TOO_MUCH

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
