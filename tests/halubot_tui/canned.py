"""Checks without an engine: a checker whose verdicts follow from a few planted values at once."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from halubot.changed_text import CheckChanged
from halubot.errors import InputError
from halubot.events import (
    Answered,
    AnswerToken,
    Done,
    Event,
    FactJudged,
    FactsExtracted,
    Note,
    Ranked,
    SampleDrawn,
    SentenceMarked,
    Started,
)
from halubot.evidence import text_source
from halubot.report import (
    Correction,
    Edit,
    Evidence,
    Fact,
    Parts,
    Report,
    Source,
    Threshold,
    Triple,
)
from halubot.text import read
from halubot.verdicts import UNDECIDED
from halubot_tui.orders import Check, Propose

if TYPE_CHECKING:
    from halubot.events import Emit
    from halubot.state.recorder import Recording

WRONG: Final[Mapping[str, str]] = {
    "1816": "1815",
    "1872": "1871",
    "1853": "1843",
    "raised": "lowered",
}
"""Values that are wrong in texts, and what sources say in their place."""
UNCLEAR: Final = ("raised", "skies")
"""Words of facts that are undecided, whatever sources say."""
REFUSED: Final = "Domesday"
"""A word with which a text is refused."""
DOUBTFUL: Final = ("Paris", "paths")
"""Words that no source has."""
PHRASE: Final = "freely"
"""A word that is in doubt with all behind it."""

TEXT: Final = (
    "Ada Lovelace was born in 1816 in London. Her notes were printed in 1853. She died in Paris."
    " Her father was Lord Byron. Babbage died in 1872."
)
ANSWER: Final = (
    "Ada Lovelace was born in 1815 in London. Her notes were printed in 1843."
    " Her father was Lord Byron. Babbage died in 1871."
)


class CannedChecker:
    """Carries out orders in this process. Facts are judged one by one as ``gate`` allows it; an
    order waits for ``gate`` before its first fact if one is set."""

    def __init__(self, gate: asyncio.Event | None = None) -> None:
        self.gate = gate
        self.orders: list[Any] = []
        self._recording: Recording | None = None
        self.notes: Sequence[tuple[str, str]] = ()
        self.edits: Sequence[Edit] | None = None
        """What a model would propose; None for what the sources give."""

    async def carry_out(self, order: Any, emit: Emit, recording: Recording | None = None) -> Any:
        """Return what came of an order."""
        self.orders.append(order)
        self._recording = recording

        def hear(event: Event) -> None:
            if recording is not None:
                recording.hear(event)
            emit(event)

        match order:
            case Check():
                await self._check(order, hear)
            case CheckChanged():
                hear_all = [*events_of(order.text, order.before.sources)]
                await self._tell(hear_all, hear)
            case Propose():
                edits = propose(order.report) if self.edits is None else self.edits
                correction = Correction(text=order.report.text, edits=tuple(edits))
                return order.report.model_copy(update={"correction": correction})
            case _:
                return await order(emit)
        return None

    def warm_up(self) -> None:
        """Nothing is to be done."""

    def close(self) -> None:
        """Nothing is to be done."""

    async def _check(self, order: Check, hear: Any) -> None:
        if REFUSED in order.text:
            raise InputError(f"{REFUSED} is too long: cut it into parts")
        options = order.options
        given = [*_sources(options.get("samples", ()), "sample")]
        given += _sources(options.get("references", ()), "reference")
        text = order.text
        if order.kind == "ask":
            text = TEXT
            hear(_started("", given, order.text))
            for word in re.findall(r"\S+\s*", text):
                hear(AnswerToken(text=word))
            (first, _, _, fourth, _) = read(text).sentences
            hear(SentenceMarked(start=first[0], end=first[1], verdict="contradicted", quote=ANSWER))
            hear(SentenceMarked(start=fourth[0], end=fourth[1], verdict="supported"))
            if self.gate is not None:
                await self.gate.wait()
            for number in (1, 2, 3):
                drawn = text_source(ANSWER, "sample", number)
                given.append(drawn)
                hear(SampleDrawn(source=drawn, of=3))
            hear(Answered(text=text, sentences=read(text).sentences))
            await self._tell([*events_of(text, given)][1:], hear)
            return
        await self._tell([*events_of(text, given, options.get("question") or "")], hear)

    async def _tell(self, events: list[Event], hear: Any) -> None:
        for what, why in self.notes:
            events.insert(1, Note(what=what, why=why))
        for event in events:
            if self.gate is not None and isinstance(event, FactJudged):
                await self.gate.wait()
            hear(event)
        if self._recording is not None:
            await asyncio.to_thread(self._recording.flush)


def _sources(given: Any, kind: Any) -> list[Source]:
    found: list[Source] = []
    for number, one in enumerate(given, start=1):
        if isinstance(one, Source):
            found.append(one)
        else:
            text = one.read_text(encoding="utf-8") if isinstance(one, Path) else one
            found.append(text_source(text, kind, number))
    return found


def _started(text: str, sources: Sequence[Source], question: str = "") -> Started:
    asked: Any = {"text": question, "origin": "given"} if question else None
    return Started(
        text=text,
        sentences=read(text).sentences if text else (),
        question=asked,
        method="consensus",
        engine="test",
        threshold=Threshold(value=0.5, fitted_on="a test"),
        sources=tuple(sources),
    )


def events_of(text: str, sources: Sequence[Source], question: str = "") -> list[Event]:
    """The events of a check of a text in which each sentence is a fact, or each of its parts
    between semicolons."""
    started = _started(text, sources, question)
    parts = [
        (n, a + one.start(), a + one.end())
        for n, (a, b) in enumerate(started.sentences)
        for one in re.finditer(r"[^; ][^;]*", text[a:b])
    ]
    facts = [_fact(text, at, *part) for at, part in enumerate(parts)]
    events: list[Event] = [started, FactsExtracted(facts=tuple(facts), how="rules")]
    scores: list[float | None] = []
    for fact, (_, start, end) in zip(facts, parts, strict=True):
        judged = _judge(fact, text[start:end], sources)
        scores.append(judged.score)
        events.append(judged)
    ranks = [scores[[n for n, _, _ in parts].index(at)] for at in range(len(started.sentences))]
    ranked = Ranked(score=None, facts=tuple(scores), sentences=tuple(ranks))
    return [*events, ranked, Done(seconds=0.1)]


def _fact(text: str, index: int, sentence: int, start: int, end: int) -> Fact:
    words = text[start:end].rstrip(".").split()
    tail = words[-1]
    for word in words:
        if word in WRONG or word in WRONG.values():
            tail = word
    at = text.index(tail, start)
    head = text[start:at].strip() or words[0]
    phrase = text.find(PHRASE, start, at)
    return Fact(
        index=index,
        triple=Triple("", head, tail),
        sentences=(sentence,),
        spans=((start, at + len(tail)),),
        parts=Parts(
            tail=(at, at + len(tail)),
            relation=(phrase, phrase + len(PHRASE)) if phrase >= 0 else None,
        ),
        reason="not judged yet",
    )


def _judge(fact: Fact, sentence: str, sources: Sequence[Source]) -> FactJudged:
    evidence: list[Evidence] = []
    tail = fact.triple.tail
    right = WRONG.get(tail)
    for source in sources:
        whole = source.text or ""
        other = sentence.replace(tail, right) if right else sentence
        at = whole.find(other)
        if at < 0:
            evidence.append(Evidence(source=source.id, stance="silent"))
        else:
            stance: Any = "contradicts" if right else "supports"
            quote = whole[at : at + len(other)]
            evidence.append(
                Evidence(
                    source=source.id,
                    stance=stance,
                    start=at,
                    end=at + len(other),
                    quote=quote,
                    value=right,
                )
            )
    verdict: Any = "not_checked"
    reason: str | None = "halubot found no sentence of the sources on it"
    if any(one in sentence for one in UNCLEAR):
        reason = UNDECIDED
    elif any(one.stance == "contradicts" for one in evidence):
        verdict, reason = "contradicted", None
    elif any(one.stance == "supports" for one in evidence):
        verdict, reason = "supported", None
    elif tail in DOUBTFUL and sources:
        verdict, reason = "doubtful", "no source has this value"
    score = {"contradicted": 0.9, "doubtful": 0.6, "supported": 0.1}.get(verdict)
    return FactJudged(
        index=fact.index,
        score=score,
        verdict=verdict,
        reason=reason,
        evidence=tuple(evidence),
        basis=("samples",) if evidence else (),
    )


def propose(report: Report) -> list[Edit]:
    """The values that the sources give in place of contradicted ones."""
    found = []
    for fact in report.facts:
        tail = fact.parts.tail
        right = WRONG.get(fact.triple.tail)
        if fact.verdict == "contradicted" and tail is not None and right is not None:
            found.append(
                Edit(
                    sentence=fact.sentences[0],
                    start=tail[0],
                    end=tail[1],
                    before=report.text[tail[0] : tail[1]],
                    after=right,
                    facts=(fact.index,),
                    action="changed",
                )
            )
    return found
