"""The works that a message cites, as facts of its report: does each exist, does it agree, and does
it say what the sentence says that cites it?

Without the web only the form of numbers is checked; one of the right form is then not checked.
References in prose and links are read as any other words.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from halubot.concurrency import aside
from halubot.events import Emit, Event, FactJudged, FactsExtracted, Ranked, SentenceJudged
from halubot.evidence import text_source
from halubot.evidence.retrieval import Passage
from halubot.evidence.web.citations import Citation, find_citations, without_citations
from halubot.methods.driver import every_in_sight
from halubot.methods.registry import Case
from halubot.report import DOUBTED, Evidence, Fact, Source, Stance, Triple, Verdict
from halubot.verdicts import SEVERITY

if TYPE_CHECKING:
    from halubot.evidence.web.lookup import Web
    from halubot.evidence.web.registries import Found
    from halubot.methods.knowledge_passages import Cited

SAYS_SO: Final = "exists and says so"
OPEN: Final = "exists; what is known of it does not settle the sentence"
SAYS_OTHERWISE: Final = "exists, but says otherwise"
NOT_FOUND: Final = "no such work found"
UNASKED: Final = "its form is right; whether it exists is looked up on the web (--web)"

_NUMBERED: Final = frozenset({"doi", "arxiv", "pubmed", "isbn"})


@dataclass(frozen=True)
class _Looked:
    citation: Citation
    found: Found | None = None
    source: Source | None = None


async def drive_with_citations(
    case: Case, web: Web | None, emit: Emit, drive: Callable[[Case, Emit], Awaitable[None]]
) -> None:
    """Drive a method, and judge what the message cites beside its facts."""
    found = await aside(lambda: find_citations(case.message))
    if web is None:
        found = tuple(one for one in found if one.kind in _NUMBERED)
    if not found:
        await drive(case, emit)
        return
    looked = [_Looked(one) for one in found]
    if web is not None:
        looked = await _look_up(looked, web, case, emit)
    sources = [one.source for one in looked if one.source is not None]
    case = replace(
        case,
        message=without_citations(case.message, found),
        references=(*case.references, *sources),
    )
    judge = _Judge(case.message.plain, looked, emit)
    await drive(case, judge.hear)
    judge.end()


async def _look_up(looked: list[_Looked], web: Web, case: Case, emit: Emit) -> list[_Looked]:
    # Late: a check without the web loads none of this.
    from halubot.evidence.json_api import SearchError
    from halubot.evidence.web.registries import Found
    from halubot.methods.knowledge_passages import Cited

    registries = web.registries
    try:
        await registries.require_network()
    except SearchError as error:
        none = Found(failures=(str(error),))
        return [one if one.citation.fault() else replace(one, found=none) for one in looked]

    async def of(one: _Looked) -> _Looked:
        if one.citation.fault() is not None:
            return one
        return replace(one, found=await aside(lambda: registries.look_up(one.citation)))

    found = await every_in_sight([of(one) for one in looked], "looking up citations", emit)
    cited = Cited(case.references)
    return [replace(one, source=_source(one, cited, emit)) for one in found]


def _source(looked: _Looked, cited: Cited, emit: Emit) -> Source | None:
    if looked.found is None or looked.found.work is None:
        return None
    work = looked.found.work
    title = work.title or looked.citation.name
    made = text_source(work.text(), "knowledge", 1, title=title, location=work.location)
    text = made.text or ""
    if not text:
        return None
    made = made.model_copy(update={"place": f"recorded by {work.registry}"})
    (passage,) = cited.cite([Passage(made, 0, len(text), text, 1.0)], emit)
    return passage.source


class _Judge:
    """Hears the events of a method, adds the facts of the citations, and passes all on."""

    def __init__(self, text: str, looked: Sequence[_Looked], emit: Emit) -> None:
        self._text = text
        self._looked = looked
        self._emit = emit
        self._facts: tuple[Fact, ...] | None = None
        self._judged: dict[int, FactJudged] = {}
        self._held: list[SentenceJudged] = []
        self._own: list[FactJudged] = []

    def hear(self, event: Event) -> None:
        match event:
            case FactsExtracted():
                self._facts = tuple(map(self._beside, event.facts))
                own = tuple(self._fact(at) for at in range(len(self._looked)))
                self._emit(event.model_copy(update={"facts": self._facts + own}))
            case FactJudged():
                self._judged[event.index] = event
                self._emit(event)
            case SentenceJudged() if any(
                event.index == one.citation.sentence for one in self._looked
            ):
                self._held.append(event)
            case Ranked():
                self.end()
                ranks = tuple(one.score for one in self._own)
                self._emit(event.model_copy(update={"facts": event.facts + ranks}))
            case _:
                self._emit(event)

    def end(self) -> None:
        """Judge the citations, and the sentences that wait for them."""
        if self._own:
            return
        if self._facts is None:
            self.hear(FactsExtracted(facts=()))
        self._own = [self._judge(at, looked) for at, looked in enumerate(self._looked)]
        for event in self._own:
            self._emit(event)
        for sentence in self._held:
            pairs = zip(self._looked, self._own, strict=True)
            own = [event for one, event in pairs if one.citation.sentence == sentence.index]
            has_facts = bool(self._of_sentence(sentence.index))
            if has_facts:
                own = [event for event in own if event.reason != UNASKED]
            self._emit(_with_citations(sentence, own, has_facts) if own else sentence)

    def _of_sentence(self, index: int) -> list[FactJudged]:
        return [
            self._judged[fact.index]
            for fact in self._facts or ()
            if index in fact.sentences and fact.index in self._judged
        ]

    def _beside(self, fact: Fact) -> Fact:
        """Return a fact without the places of citations, which stand blank in its midst."""
        spans = fact.spans
        for one in self._looked:
            first, last = one.citation.span
            spans = tuple(
                piece
                for a, b in spans
                for piece in ((a, min(b, first)), (max(a, last), b))
                if any(map(str.isalnum, self._text[slice(*piece)]))
            )
        return fact.model_copy(update={"spans": spans})

    def _fact(self, at: int) -> Fact:
        citation = self._looked[at].citation
        return Fact(
            index=len(self._facts or ()) + at,
            triple=Triple("", "cites", citation.name),
            sentences=(citation.sentence,),
            spans=(citation.span,),
            reason="not judged yet",
        )

    def _judge(self, at: int, looked: _Looked) -> FactJudged:
        verdict, reason, evidence = self._verdict(looked)
        return FactJudged(
            index=len(self._facts or ()) + at,
            score={"supported": 0.0, "contradicted": 1.0, "doubtful": 1.0}.get(verdict),
            verdict=verdict,
            basis=("references",) if looked.found is not None and looked.found.work else (),
            reason=reason,
            evidence=evidence,
        )

    def _verdict(self, looked: _Looked) -> tuple[Verdict, str, tuple[Evidence, ...]]:
        if (fault := looked.citation.fault()) is not None:
            return "doubtful", fault, ()
        found, source = looked.found, looked.source
        if found is None:
            return "not_checked", UNASKED, ()
        if found.work is None:
            if found.missing:
                return "doubtful", f"{NOT_FOUND} ({', '.join(found.missing)})", ()
            return "not_checked", "; ".join(found.failures) or "no registry answered", ()
        if found.differs is not None:
            why = f"exists, but {found.differs}"
            return "contradicted", why, _quote(source, found.value, "contradicts", why)
        stances = [
            item.stance
            for event in self._of_sentence(looked.citation.sentence)
            for item in event.evidence
            if source is not None and item.source == source.id
        ]
        if "contradicts" in stances:
            return "contradicted", SAYS_OTHERWISE, ()
        note = SAYS_SO if "supports" in stances else OPEN
        return "supported", note, _quote(source, found.work.title, "supports", note)


def _quote(source: Source | None, words: str, stance: Stance, note: str) -> tuple[Evidence, ...]:
    text = (source.text or "") if source is not None else ""
    at = text.find(words) if words else -1
    if source is None or at < 0:
        return ()
    end = at + len(words)
    return (Evidence(source=source.id, stance=stance, note=note, start=at, end=end, quote=words),)


def _with_citations(
    sentence: SentenceJudged, own: Sequence[FactJudged], has_facts: bool
) -> SentenceJudged:
    """A sentence with the verdicts on what it cites: the worst of all."""
    worst = min(own, key=lambda event: SEVERITY.index(event.verdict))
    worse = SEVERITY.index(worst.verdict) < SEVERITY.index(sentence.verdict)
    score, reason = sentence.score, worst.reason
    # A sentence that only cites has the verdict of what it cites.
    if not has_facts and sentence.verdict == "not_checked":
        score, reason = worst.score, reason if worst.verdict == "not_checked" else None
    elif worst.verdict in DOUBTED and worse:
        score = max(sentence.score or 0.0, worst.score or 0.0)
    elif worst.verdict != "not_checked" or sentence.verdict != "supported":
        return sentence
    update = {"verdict": worst.verdict, "score": score, "reason": reason}
    return sentence.model_copy(update=update)
