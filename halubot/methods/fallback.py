"""The verdicts of the comparison of words, if a model brought nothing.

`cascade` and `ensemble`, which judge by words and a model together, leave facts and sentences
unjudged if the model fails, answers prose, or runs out of time or money. `consensus` then judges
these by the sources there are, and its verdicts say so. What the model did judge stays. Methods
that are published ask a model for all they say, and say nothing without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from halubot.events import (
    NOT_YET,
    UNFINISHED,
    Event,
    FactJudged,
    FactsExtracted,
    Labelled,
    Note,
    Ranked,
    SentenceJudged,
)
from halubot.methods.consensus.consensus import METHOD as CONSENSUS
from halubot.methods.registry import Case
from halubot.report import Fact, Report, Sentence, Source
from halubot.text import read

BY_WORDS: Final = "by words alone; the model failed"
"""What a verdict says that was made without the model that should have made it."""

BESIDE: Final = frozenset({"cascade", "ensemble"})
"""The methods that judge by words and a model together."""


def judge_by_words(report: Report) -> Iterator[Event]:
    """Yield the verdicts by words on what a report leaves unjudged; nothing if it leaves nothing,
    or words decide nothing either."""
    finished = [one for one in report.sentences if one.reason != UNFINISHED]
    open_sentences = {one.index for one in finished if _is_open(one)}
    open_facts = {fact.index for fact in report.facts if _is_open(fact)}
    # Without facts nothing was judged, unless sentences were by themselves.
    if not (open_facts if report.facts else len(open_sentences) == len(finished)):
        return
    case = _case(report)
    if not case.message.sentences or not (case.samples or case.references):
        return
    events = list(CONSENSUS.judge(case))
    facts = [event for event in events if isinstance(event, FactJudged)]
    if not report.facts:
        open_facts = {one.index for one in facts}
    judged = sum(one.verdict != "not_checked" for one in facts if one.index in open_facts)
    # Words decide nothing either, so the model's own reasons stay.
    if not judged:
        return
    if not report.facts:
        yield from (event for event in events if isinstance(event, FactsExtracted))
    whys = {fact.index: fact.reason for fact in report.facts}
    yield from (
        _label_verdict(one, whys.get(one.index)) for one in facts if one.index in open_facts
    )
    for event in events:
        if isinstance(event, SentenceJudged) and event.index in open_sentences:
            yield _label_verdict(event, report.sentences[event.index].reason)
        elif isinstance(event, Ranked) and report.score is None:
            yield event
    yield Labelled(label=report.label)
    what = f"{judged} of {len(facts)} facts were judged by words alone"
    yield Note(what=what, why="the model brought no verdict on them")


def _is_open(one: Fact | Sentence) -> bool:
    return one.verdict == "not_checked" and one.score is None


def _label_verdict(
    event: FactJudged | SentenceJudged, why: str | None
) -> FactJudged | SentenceJudged:
    """The verdict with what it rests on, and ``why`` the model brought none."""
    label = f"{BY_WORDS} ({why})" if why and why != NOT_YET else BY_WORDS
    reason = f"{event.reason}; {label}" if event.reason else label
    return event.model_copy(update={"reason": reason})


def _case(report: Report) -> Case:
    def of(kind: bool) -> tuple[Source, ...]:
        return tuple(one for one in report.sources if (one.kind == "sample") == kind)

    # The sentences of the report, and not new ones: their indexes must stay.
    cut = [report.text[one.start : one.end] for one in report.sentences]
    return Case(
        message=read(report.text, sentences=cut),
        samples=of(True),
        references=of(False),
        question=report.question.text if report.question else None,
        threshold=report.threshold.value,
        facts=report.facts or None,
    )
