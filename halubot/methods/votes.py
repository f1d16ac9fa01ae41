"""A model's votes beside the comparison of `consensus`: what `ensemble` and `cascade` share.

Extraction takes one call; a sample is judged in one call, on all facts asked about at once; so is
a window of each reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from halubot.concurrency import aside, both, every
from halubot.errors import SettingError
from halubot.events import Emit, Event, FactsExtracted, Labelled, Note, Progress, Spent
from halubot.evidence.context import Contexts
from halubot.methods.calls.answer import ROUND
from halubot.methods.calls.extraction import extract_with_judge
from halubot.methods.calls.verification import (
    ANSWER,
    BY_TEXT,
    Stances,
    fact_stances,
    unheard,
)
from halubot.methods.consensus.comparison import Comparison
from halubot.methods.consensus.consensus import judge_all
from halubot.methods.consensus.log_odds import SILENCE, Unit, Voices, nearest_first
from halubot.methods.driver import by_rules, draw_samples
from halubot.methods.quotes import speaker
from halubot.methods.registry import Case, Verdicts, recorded_verdicts
from halubot.reliability import CANNOT_JUDGE, TRUSTED, Reliability
from halubot.report import Fact, Source, Span, Stance, Usage

REFERENCE = "a reference"
"""What a reference is, in the words of the prompts."""

PASSAGES = "passages of references, each headed by its title"
"""What passages of knowledge are, in the words of the prompts."""

MOST_REFERENCES = 20
"""How many references a model reads at most: those whose words say most of the facts."""


class Ballot:
    """The comparison of one message and the votes on it so far; asks the model for more.

    Units are facts; with recorded verdicts, sentences.
    """

    def __init__(self, case: Case, comparison: Comparison, emit: Emit) -> None:
        self.case = case
        self.comparison = comparison
        self.emit = emit
        self.judged: set[str] = set()
        """The ids of the samples that the model was asked about."""
        self._stances: dict[str, dict[int, Stance]] = {}
        self._quotes: dict[str, dict[int, str]] = {}
        self._recorded: list[list[int | None]] = []
        self._failures: dict[int, str] = {}

    @property
    def judge(self) -> Reliability:
        """The reliability of the model, by its answers so far. Recorded verdicts are trusted."""
        session = self.case.session
        if self.case.verdicts is not None or session is None:
            return TRUSTED
        return session.reliability(BY_TEXT)

    @property
    def voices(self) -> Voices:
        """The model's stances so far; none if it cannot be trusted."""
        judge = self.judge
        return (
            SILENCE
            if judge.is_ignored
            else Voices(self._stances, self._recorded, judge, self._quotes)
        )

    @cached_property
    def places(self) -> Sequence[tuple[Span, ...]]:
        if self.case.verdicts is not None:
            return [(span,) for span in self.case.message.sentences]
        return [fact.spans for fact in self.comparison.facts]

    def units(self) -> list[Unit]:
        """The units as they stand: facts; with recorded verdicts, sentences."""
        if self.case.verdicts is not None:
            return self.comparison.of_sentences(self.voices)
        return self.comparison.of_facts(self.voices)

    def nearest(self, units: Sequence[int]) -> list[Source]:
        """The samples not judged yet, those first that bear most of these units out."""
        comparison = self.comparison
        order = nearest_first([comparison.support(self.places[unit]) for unit in units])
        samples = [comparison.samples[at] for at in order] or comparison.samples
        return [sample for sample in samples if sample.id not in self.judged]

    def count_left(self, most: int) -> int:
        """Return the number of samples that may still be judged, with those not drawn yet."""
        return min(self._samples(), most) - len(self.judged)

    @property
    def unjudged_reasons(self) -> dict[int, str]:
        """The facts that the model was asked about and said nothing of, and why; those aside of
        which the comparison found by itself what a reference says."""
        if not self._failures:
            return {}
        said = {fact for stances in self._stances.values() for fact in stances}
        # What a reference says by itself needs no vote, so a vote that is missing is no loss.
        units = self.comparison.of_facts(self.voices)
        return {
            fact: why
            for fact, why in self._failures.items()
            if fact not in said and not units[fact].settled
        }

    async def draw(self, count: int) -> bool:
        """Draws and compares up to ``count`` samples more; whether there were any."""
        before = len(self.comparison.samples)
        if self.case.draws is not None:
            asked = self.case.draws.asked_count
            await self.hear(await self.case.draws.until(asked + count))
        return len(self.comparison.samples) > before

    async def hear(self, samples: Iterable[Source]) -> None:
        for piece in self.hearing(samples):
            await aside(piece)

    def hearing(self, samples: Iterable[Source]) -> Iterator[Callable[[], None]]:
        """The comparison of samples that were not compared yet, one by one."""
        known = {sample.id for sample in self.comparison.samples}
        for sample in samples:
            if sample.id not in known:
                yield partial(self.comparison.hear, sample)

    async def ask(self, samples: Sequence[Source], units: Sequence[int]) -> None:
        if not units:
            return
        self.judged |= {sample.id for sample in samples}
        if self.case.verdicts is not None:
            for sample in samples:
                self._look_up(sample, units, self.case.verdicts)
            # Counted as answers from the store: they are what a model would have been asked.
            self.emit(Spent(usage=Usage(cached_calls=len(samples))))
            return
        facts = [self.comparison.facts[unit] for unit in units]
        await every(self._judge(one, one.text or "", facts) for one in samples)
        of = max(len(self.judged), self._samples())
        self.emit(Progress(what="judging samples", done=len(self.judged), of=of))

    async def ask_references(self) -> None:
        """Has the references judged on all facts, those that say most of them; passages of
        knowledge all in one call."""
        comparison = self.comparison
        passages = [one for one in comparison.references if one.kind == "knowledge"]
        references = [one for one in comparison.references if one.kind != "knowledge"]
        if self.case.session is None or not comparison.facts:
            return
        wanted = [" ".join(fact.triple) for fact in comparison.facts]
        contexts = [Contexts([source]) for source in references]
        shares = await aside(lambda: [context.share(wanted) for context in contexts])
        # Each reference is a call, so the most telling ones come first.
        order = sorted(range(len(references)), key=lambda at: -shares[at])
        for at in order[MOST_REFERENCES:]:
            what = f"the model did not read {references[at].title}"
            self.emit(Note(what=what, why=f"it reads {MOST_REFERENCES} at most"))
        read = [at for at in order[:MOST_REFERENCES] if shares[at]]
        texts = await aside(lambda: [contexts[at].of(wanted).text for at in read])
        whole = (
            self._judge(references[at], text, comparison.facts)
            for at, text in zip(read, texts, strict=True)
        )
        await every([*whole, self._judge_passages(passages)])

    async def _judge(self, source: Source, text: str, facts: Sequence[Fact]) -> None:
        kind = ANSWER if source.kind == "sample" else REFERENCE
        stances = await self._ask_stances(source, text, facts, kind)
        self._stances.setdefault(source.id, {}).update(stances.found)
        self._quotes.setdefault(source.id, {}).update(stances.quotes)

    async def _judge_passages(self, passages: Sequence[Source]) -> None:
        """Has passages judged as one text, each headed by its title. What that says of a fact is
        said by the passage that holds most of it; the others are silent."""
        if not passages:
            return
        # One call for all passages: there may be 24 of a few lines each.
        text = "\n\n".join(f"{one.title}\n{one.text or ''}".strip() for one in passages)
        whole = Source(id="", kind="knowledge", title=f"{len(passages)} passages")
        facts = self.comparison.facts
        stances = await self._ask_stances(whole, text, facts, PASSAGES)
        said = [fact for fact in facts if fact.index in stances.found]
        texts = [one.text or "" for one in passages]
        speakers = await aside(lambda: [speaker(texts, fact.triple) for fact in said])
        for number, source in enumerate(passages):
            self._stances[source.id] = {
                fact.index: stances.found[fact.index] if number == speaking else "silent"
                for fact, speaking in zip(said, speakers, strict=True)
            }

    async def _ask_stances(
        self, source: Source, text: str, facts: Sequence[Fact], kind: str
    ) -> Stances:
        """Have the judge say where a text stands; what it did not say is noted."""
        session = self.case.require_session()
        stances = await fact_stances(session, text, facts, kind=kind)
        self._failures |= stances.missing
        for note in unheard([(source, stances)], "facts"):
            self.emit(note)
        return stances

    def _look_up(self, sample: Source, units: Sequence[int], verdicts: Verdicts) -> None:
        place = self.comparison.samples.index(sample)
        self._recorded = self._recorded or [[] for _ in verdicts]
        for unit, said in enumerate(self._recorded):
            # Left out as a model would not have been asked: votes weigh by what else a sample was
            # asked of.
            said.append(verdicts[unit][place] if unit in units else None)

    def _samples(self) -> int:
        draws, known = self.case.draws, len(self.comparison.samples)
        return known if draws is None else known + draws.most - draws.asked_count

    async def close(self, threshold: float) -> None:
        """Judges by all votes, and says how many samples the model read."""

        def decide() -> list[Event]:
            return [*judge_all(self.comparison, threshold, self.voices, self.unjudged_reasons)]

        for event in await aside(decide):
            self.emit(event)
        judge = self.judge
        details: dict[str, Any] = {"judged_samples": len(self.judged)}
        if judge != TRUSTED:
            details["judge"] = judge.details()
        self.emit(Labelled(details=details))
        if judge.is_ignored:
            self.emit(Note(what=CANNOT_JUDGE, why=judge.why))


async def open_ballot(
    case: Case, emit: Emit, *, first: int | None = ROUND
) -> tuple[Ballot, Sequence[Source]]:
    """The ballot of a case, its facts extracted while the ``first`` samples are drawn; and these,
    not compared yet. With recorded verdicts facts are extracted by rules. Raises SettingError for
    verdicts that do not fit the message or its samples."""
    session, verdicts = case.session, recorded_verdicts(case)
    if any(len(row) < len(case.samples) for row in verdicts or ()):
        raise SettingError(f"each sentence needs a verdict for each of {len(case.samples)} samples")
    if verdicts is not None or session is None:
        taken = by_rules(case)
        samples = await draw_samples(case, first)
    else:
        # Neither needs the other, and the first samples are there when the facts are.
        extraction, samples = await both(
            extract_with_judge(session, case), draw_samples(case, first)
        )
        taken = FactsExtracted(facts=extraction.facts, how=extraction.how)
    emit(taken)
    facts = taken.facts
    comparison = await aside(
        lambda: Comparison(
            case.message, facts, case.subject, case.references, samples=case.samples or samples
        )
    )
    return Ballot(case, comparison, emit), samples
