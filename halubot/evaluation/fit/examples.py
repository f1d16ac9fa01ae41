"""What a report says of what people labelled: one example a label.

A label stands on a fact, a sentence, or the whole message. A message is wrong where any of its
sentences is: its example has the scores of them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from halubot.evaluation.checked import align_facts
from halubot.evaluation.rows import Row
from halubot.events import Event, SentenceJudged
from halubot.report import Report


@dataclass(frozen=True, slots=True)
class Example:
    """A label with what the method says there; scores run from 0 to 1.

    ``parts`` are the scores that a probability comes from: one, or those of a message's sentences.
    ``decisive`` is the score that the verdict hangs on: doubted where it reaches the threshold.
    ``group`` is never parted into what is fitted on and what is measured on.
    """

    group: str
    wrong: bool
    parts: tuple[float, ...]
    decisive: float


@dataclass(frozen=True, slots=True)
class Found:
    """The examples of a row, and how many of its labels have none because nothing was scored
    there; ``unmatched`` of them are facts that the report does not have."""

    examples: tuple[Example, ...]
    unscored: int = 0
    unmatched: int = 0


def read(row: Row, report: Report, events: Iterable[Event], group: str) -> Found:
    """The examples of a checked row; ``events`` are those of its check."""
    own = {
        event.index: event.own
        for event in events
        if isinstance(event, SentenceJudged) and event.own is not None
    }
    if row.labelled:
        facts = align_facts(row.labelled, report.facts)
        pairs = [(label.wrong, fact.score) for label, fact in zip(row.labelled, facts, strict=True)]
        found = tuple(_one(group, wrong, score) for wrong, score in pairs if score is not None)
        lost = sum(not fact.found for fact in facts)
        return Found(found, unscored=len(pairs) - len(found), unmatched=lost)
    sentences = _sentences(report, own)
    if row.sentences is not None:
        judged = [
            Example(group, gold > 0, (said[0],), said[1])
            for gold, said in zip(row.gold, sentences, strict=True)
            if said is not None
        ]
        return Found(tuple(judged), unscored=len(row.gold) - len(judged))
    said_of = [said for said in sentences if said is not None]
    facts_of = [fact.score for fact in report.facts if fact.score is not None]
    if not said_of and report.score is not None:
        said_of = [(report.score, report.score)]
    whole = tuple(
        Example(
            group,
            gold > 0,
            tuple(by_itself for by_itself, _ in said_of),
            max([decisive for _, decisive in said_of] + facts_of),
        )
        for gold in row.gold
        if said_of
    )
    return Found(whole, unscored=len(row.gold) - len(whole))


def _one(group: str, wrong: bool, score: float) -> Example:
    return Example(group, wrong, (score,), score)


def _sentences(report: Report, own: dict[int, float]) -> Sequence[tuple[float, float] | None]:
    """For each sentence the score of its own evidence, and the one that decides: where a fact can
    overrule it, that of its most doubtful fact. None where it has no score."""
    found: list[tuple[float, float] | None] = []
    for sentence in report.sentences:
        if sentence.score is None:
            found.append(None)
        elif sentence.index in own:
            by_itself = own[sentence.index]
            held = [report.facts[fact].score for fact in sentence.facts]
            found.append((by_itself, max([by_itself, *(s for s in held if s is not None)])))
        else:
            found.append((sentence.score, sentence.score))
    return found
