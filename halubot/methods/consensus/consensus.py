"""`consensus`, the embedded engine: from a comparison to verdicts, without model or network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Final

from halubot.events import Event, FactJudged, Progress, SentenceJudged
from halubot.methods.consensus.comparison import Comparison
from halubot.methods.consensus.log_odds import (
    SILENCE,
    THRESHOLD,
    Heard,
    Unit,
    Voices,
    logistic,
    raise_score,
    settle_stance,
)
from halubot.methods.driver import NOTHING_DRAWN, by_rules, leave_unjudged
from halubot.methods.quotes import quote
from halubot.methods.registry import Case, Size
from halubot.report import DOUBTED, Basis, Evidence, Fact, Source, Span, Stance, Verdict
from halubot.verdicts import SEVERITY, UNDECIDED, UNSPOKEN
from halubot.verifier.alignment import whole_name
from halubot.verifier.encoder import VERIFIER, choose_verifier
from halubot.verifier.stances import Finding

DIVIDED: Final = "the references disagree with each other"
SPLIT: Final = "as many other answers say otherwise as say so"
OUTVOTED: Final = "other answers say otherwise; the references do not speak of it"
UNSEEN: Final = "no source has this value or name, though they speak of the matter"
TOO_MUCH: Final = "the text and its sources are too long to compare all of it"
NO_FACT: Final = "no fact could be read in this sentence"

NOT_NAMED: Final = "no passage that was found names what this is about"
"""Why a fact is not checked that knowledge says nothing of."""


def judge_all(
    comparison: Comparison,
    threshold: float,
    voices: Voices = SILENCE,
    unjudged: Mapping[int, str] | None = None,
) -> Iterator[Event]:
    """The verdict on each fact, on each sentence, then the ranks. ``unjudged`` are facts that
    the model should have judged and did not, and why: they are not checked, and neither is a
    sentence of which a part was not read, unless it is doubted. Nothing is if there is nothing
    to compare with."""
    if not comparison.sources:
        yield from leave_unjudged(comparison.message, comparison.facts, NOTHING_DRAWN)
        return
    verdicts = _Verdicts(comparison, threshold, voices, unjudged or {})
    for fact in comparison.facts:
        yield verdicts.judge(fact)
    yield from verdicts.judge_rest()


def judge_in_steps(
    comparison: Comparison, samples: Sequence[Source], threshold: float
) -> Iterator[Event]:
    """Compare with the references and with samples; yield the verdict on each fact as soon as all
    sources were heard on it, then on each sentence, then the ranks."""
    verdicts = _Verdicts(comparison, threshold, SILENCE, {})
    # A person waits for minutes on a slow machine: it counts sentences, and not more often than a
    # bar shows it.
    a_source = max(1, len(comparison.message.sentences))
    source = at = told = 0
    for step in comparison.steps(samples):
        source, at = (source, min(at + 1, a_source)) if step.done == source else (step.done, 1)
        done, of = (source - 1) * a_source + at, step.of * a_source
        if told < 100 * done // of:
            told = 100 * done // of
            yield Progress(what="comparing sentences", done=done, of=of)
        yield from (verdicts.judge(comparison.facts[index]) for index in step.settled)
    if comparison.sources:
        yield from verdicts.judge_rest()
    else:
        yield from leave_unjudged(comparison.message, comparison.facts, NOTHING_DRAWN)


class _Verdicts:
    """The verdicts on a message: on its facts, each once all sources were heard on it, then on the
    rest. ``lost`` are the facts not checked, and why, ``denied`` those that quotes contradict,
    whatever a model says, ``said`` those that a reference says in full."""

    def __init__(
        self,
        comparison: Comparison,
        threshold: float,
        voices: Voices,
        unjudged: Mapping[int, str],
    ) -> None:
        self._comparison = comparison
        self._threshold = threshold
        self._voices = voices
        self.said: set[int] = set()
        self.denied: set[int] = set()
        self._heard: list[Heard] = []
        self._units: list[Unit] = []
        self.lost = dict(unjudged)
        self._judged: dict[int, FactJudged] = {}
        if not voices:
            return
        self._heard, self._units = comparison.hear_sources(voices), comparison.of_facts(voices)
        own = [verdict_of(one)[0] for one in comparison.hear_sources(SILENCE)]
        self.said = {fact for fact in comparison.said_in_full() if own[fact] == "supported"}
        # "hypoglycemia" and "hyperglycemia" are alike in letters: a judge that earned its weight
        # may say so.
        backed, refuted = _unanimous(comparison, voices, self.said)
        self.denied = {fact for fact, verdict in enumerate(own) if verdict == "contradicted"}
        # A quote that contradicts is never outvoted.
        self.said |= backed - self.denied
        self.denied |= refuted

    def judge(self, fact: Fact) -> FactJudged:
        comparison, index = self._comparison, fact.index
        if self._voices:
            said, odds = self._heard[index], self._units[index].log_odds
        else:
            said = comparison.hear_on(index)
            odds = comparison.odds_of(fact, said)
        spoken = said.references["supports"] or said.references["contradicts"]
        # With samples there is something else to compare with.
        if not (comparison.samples or comparison.named[index] or spoken):
            self.lost.setdefault(index, NOT_NAMED)
        self._judged[index] = self._judge(fact, said, odds)
        return self._judged[index]

    def _judge(self, fact: Fact, said: Heard, odds: float) -> FactJudged:
        score = logistic(odds)
        if self._voices:
            if fact.index in self.said:
                score = _below(score, self._threshold)
            proven = fact.index in self.denied
            score = raise_score(score, self._threshold, proven)
            denied = proven or self._is_denied(fact.index, said)
            verdict = _verdict(score, self._threshold, denied)
            reason = DIVIDED if said.is_divided else None
        else:
            verdict, reason = verdict_of(said, score=score, threshold=self._threshold)
            if verdict == "supported":
                score = _below(score, self._threshold)
            score = raise_score(score, self._threshold, verdict in DOUBTED)
            if verdict == "not_checked" and self._comparison.cut.intersection(fact.sentences):
                reason = TOO_MUCH
        found, lost = self._comparison.findings, self.lost.get(fact.index)
        return FactJudged(
            index=fact.index,
            score=None if lost and self._voices else score,
            verdict="not_checked" if lost else verdict,
            basis=self._basis(fact.index),
            reason=lost or reason,
            evidence=_evidence_on(fact, self._comparison.sources, found, self._voices),
            nearest=(
                self._comparison.nearest(fact.index)
                if verdict == "not_checked" and not lost
                else None
            ),
            # A model judges a fact as a whole, and names no words of it.
            spans=None if self._voices else self._doubted_words(fact.index, verdict),
        )

    def judge_rest(self) -> Iterator[Event]:
        """The verdicts on sentences, then the ranks, once all facts are judged."""
        comparison, voices = self._comparison, self._voices
        odds = [unit.log_odds for unit in comparison.of_sentences(voices)]
        judge = self._sentence_by_votes if voices else self._sentence_by_words
        for index, own in enumerate(odds):
            yield self._with_unread(judge(index, logistic(own)))
        of_facts = [unit.log_odds for unit in comparison.of_facts(voices)]
        ranked = comparison.rank(odds, of_facts, voices)
        # A score for a message of which nothing was judged would look like a result.
        nothing = self.lost and len(self.lost) == len(comparison.facts)
        yield ranked.model_copy(update={"score": None}) if nothing else ranked

    def _with_unread(self, judged: SentenceJudged) -> SentenceJudged:
        """Return a verdict with what was not read of the sentence taken into account."""
        comparison, index = self._comparison, judged.index
        if index not in comparison.unread:
            return judged
        why = comparison.unread[index]
        wordless = index in comparison.wordless and not comparison.held[index]
        if wordless and not self._voices.sentences:
            return SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
        # What was read is enough to doubt it: a part that was not read excuses no error.
        if judged.verdict in DOUBTED:
            return judged
        return judged.model_copy(update={"verdict": "not_checked", "reason": why})

    def _sentence_by_votes(self, index: int, own: float) -> SentenceJudged:
        """The verdict on a sentence by its score, which doubts of its facts raise."""
        held = self._comparison.held[index]
        verdicts = {self._judged[fact].verdict for fact in held}
        doubted = not DOUBTED.isdisjoint(verdicts)
        if not doubted and (why := self._why_lost(held)) is not None:
            return SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
        proven = any(fact in self.denied for fact in held)
        # Votes on the sentence itself are not overruled by what words say of a fact in it.
        overruled = not self._voices.sentences
        score = raise_score(own, self._threshold, proven or (doubted and overruled))
        # What a reference says in full stays supported, whatever the votes on the sentence.
        if held and not doubted and all(fact in self.said for fact in held):
            score = _below(score, self._threshold)
        return SentenceJudged(
            index=index,
            score=score,
            own=own if overruled or proven else None,
            verdict=_verdict(score, self._threshold, "contradicted" in verdicts),
        )

    def _sentence_by_words(self, index: int, own: float) -> SentenceJudged:
        """The verdict on a sentence: that of its worst fact, `supported` only if all facts are."""
        comparison, held = self._comparison, self._comparison.held[index]
        other = comparison.other_value(index)
        judged = [self._judged[fact] for fact in held]
        verdicts = [one.verdict for one in judged] or ["not_checked"]
        worst = min(verdicts, key=SEVERITY.index)
        if other is not None and worst not in DOUBTED:
            worst = "contradicted"
        if worst not in DOUBTED and (why := self._why_lost(held)) is not None:
            return SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
        reason = other if worst in DOUBTED else None
        if worst == "supported" and not comparison.says_all(index):
            worst, reason = "not_checked", UNDECIDED
        elif worst == "not_checked":
            open_facts = (one.reason for one in judged if one.verdict == "not_checked")
            reason = next(open_facts, NO_FACT)
        return SentenceJudged(
            index=index,
            score=raise_score(own, self._threshold, worst in DOUBTED),
            own=own,
            verdict=worst,
            reason=reason,
        )

    def _why_lost(self, facts: Sequence[int]) -> str | None:
        """Return why one of these facts is not checked; None if none is lost."""
        return next((self.lost[fact] for fact in facts if fact in self.lost), None)

    def _doubted_words(self, fact: int, verdict: Verdict) -> tuple[Span, ...] | None:
        """The words of a fact that most sources contradict, or that none of them has."""
        if verdict not in DOUBTED:
            return None
        count, heard = len(self._comparison.samples), self._comparison.findings
        samples, references = heard[:count], heard[count:]
        # What a reference contradicts is more certain than what samples do.
        for group in (references, samples):
            own = [found[fact] for found in group if found[fact].stance == "contradicts"]
            places = [one.claim for one in own if one.claim is not None]
            if places:
                return (self._whole(max(places, key=places.count)),)
        missed = [found[fact].absent for found in heard]
        known = [place for place in missed if place is not None]
        return (self._whole(max(known, key=known.count)),) if known else None

    def _whole(self, place: Span) -> Span:
        return whole_name(self._comparison.message.plain, place)

    def _is_denied(self, fact: int, said: Heard) -> bool:
        """Return True if doubt of a fact rests on contradiction: a reference's, or that of more of
        the samples that the model read than support it; if it read none, of all samples."""
        voices = self._voices
        known = [
            settle_stance(sample, found[fact], voices.of(sample, fact))
            for sample, found in zip(
                self._comparison.samples, self._comparison.findings, strict=False
            )
            if voices.of(sample, fact) is not None
        ]
        if said.by_references or not known:
            return said.is_denied
        against = known.count("contradicts")
        # Two of the samples that were read, since one may be the wrong one; of a single one, that
        # one.
        return against > known.count("supports") and against >= min(2, len(known))

    def _basis(self, fact: int) -> tuple[Basis, ...]:
        sources = self._comparison.sources
        there: dict[Basis, bool] = {
            "samples": bool(self._comparison.samples),
            "references": bool(self._comparison.references),
            "model": any(self._voices.of(source, fact) is not None for source in sources),
        }
        return tuple(basis for basis, given in there.items() if given)


def _unanimous(
    comparison: Comparison, voices: Voices, settled_facts: Set[int]
) -> tuple[set[int], set[int]]:
    """The facts that all samples support, and those that all contradict, as a model reads them that
    earned its weight: words that are alike do not overrule it. None that a reference says."""
    of_one_mind: dict[Stance, set[int]] = {"supports": set(), "contradicts": set(), "silent": set()}
    if voices.stances and voices.judge.has_earned_trust:
        for fact in {*range(len(comparison.facts))} - settled_facts:
            said = [voices.of(sample, fact) for sample in comparison.samples]
            known = [stance for stance in said if stance is not None]
            if len(known) >= UNANIMOUS and len({*known}) == 1:
                of_one_mind[known[0]].add(fact)
    return of_one_mind["supports"], of_one_mind["contradicts"]


UNANIMOUS: Final = 5
"""Samples, a round of them, that must be of one mind to stand against likeness of words."""


def verdict_of(
    said: Heard, *, score: float = 0.0, threshold: float = 1.0
) -> tuple[Verdict, str | None]:
    """Return the verdict on a fact by the stances of its sources, and its reason.

    A reference that supports or contradicts the fact decides alone. Samples contradict it if at
    least two of them do, and more than support it, and if these are most of them or all together
    make it likely to be wrong. So many must support it, unless there is but one, or one if all make
    it hardly likely to be wrong. Beside references that are silent samples make it doubtful at
    most; what these say of the matter counts in what is likely. A value that no source has is in
    doubt from a ``score`` on: of many sources from the ``threshold``, of few from `CERTAIN`, if
    they have another date or measure.
    """
    if said.is_divided:
        return "doubtful", DIVIDED
    if said.by_references:
        return ("contradicted" if said.by_references > 0 else "supported"), None
    against, backing = said.samples["contradicts"], said.samples["supports"]
    referred = bool(sum(said.references.values()))
    most = 2 * against > sum(said.samples.values())
    if (said.refuted or most) and against >= ENOUGH and against > backing:
        return ("doubtful", OUTVOTED) if referred else ("contradicted", None)
    if against >= ENOUGH and against == backing and not referred:
        return "doubtful", SPLIT
    if said.refuted and against:
        return "doubtful", SPLIT if backing else None
    enough = min(ENOUGH, sum(said.samples.values()))
    if (backing and said.borne_out) or (backing >= max(enough, 1) and not against):
        return "supported", None
    certain = score >= max(CERTAIN, threshold)
    displaced = max(enough, 1) <= said.spoken == said.displaced
    if (displaced and certain) or (said.unseen and score >= threshold):
        return "doubtful", UNSEEN
    return "not_checked", UNDECIDED if said.near else UNSPOKEN


ENOUGH: Final = 2
"""Samples that must contradict a fact, or support it, since one alone may be wrong itself or seem
to say what it does not. Of 193 facts of 136 answers (`everyday_8` to `_14`, `everyday`) that one of
five or six samples supported twelve were wrong; of 42 of `everyday_11` to `_15` that all of them
bore out besides, none."""

CERTAIN: Final = 0.9
"""The score from which a date or measure is in doubt that no source has while each that speaks of
the matter has another: of 20 such facts of 140 answers 18 were wrong, from .75 on 28 of 35."""


def _evidence_on(
    fact: Fact,
    sources: Sequence[Source],
    found: Sequence[Sequence[Finding]],
    voices: Voices,
) -> tuple[Evidence, ...]:
    """Return the evidence of each source on a fact, in the order of the sources, but that which
    supports it by the fullest and shortest quote first: a reader looks at one or two. ``found``
    holds what the comparison found of each source on all facts; a model's stance mostly comes
    before it."""
    findings = [of_source[fact.index] for of_source in found]
    evidence: list[Evidence] = []
    for source, finding in zip(sources, findings, strict=True):
        said = settle_stance(source, finding, voices.of(source, fact.index))
        if said == "silent":
            evidence.append(_silence(source.id))
        elif said == finding.stance:
            evidence.append(
                Evidence(
                    source=source.id,
                    stance=said,
                    start=finding.start,
                    end=finding.end,
                    quote=(source.text or "")[finding.start : finding.end],
                    note=finding.note,
                    value=finding.value,
                )
            )
        else:
            cited = voices.quotes.get(source.id, {}).get(fact.index)
            note = f"the judge: {said}"
            evidence.append(quote(source, said, fact.triple, cited=cited, note=note))

    def fullness(at: int) -> tuple[float, int]:
        same = findings[at].stance == "supports"
        return (-findings[at].strength if same else 0.0, len(evidence[at].quote))

    backing = [at for at, one in enumerate(evidence) if one.stance == "supports"]
    best = dict(zip(backing, sorted(backing, key=fullness), strict=True))
    return tuple(evidence[best.get(at, at)] for at in range(len(evidence)))


# What is silent is the same for all facts: there may be half a million pairs of both.
@lru_cache(maxsize=1 << 14)
def _silence(source: str) -> Evidence:
    return Evidence(source=source, stance="silent")


def _below(score: float, threshold: float) -> float:
    """Return a score that is shown as below the threshold, in two figures."""
    return min(score, max(threshold - 0.01, 0.0))


def _verdict(score: float, threshold: float, denied: bool) -> Verdict:
    if score < threshold:
        return "supported"
    return "contradicted" if denied else "doubtful"


class Consensus:
    name = "consensus"
    summary = "facts by rules, compared with samples and references; no model needed"
    needs: tuple[str, ...] = ("samples", "references")
    needs_all = False
    source = "halubot's own"
    default_threshold = THRESHOLD

    def calls(self, size: Size) -> int:
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """Facts, then the verdict on each fact as it is known, on each sentence, then the ranks.

        Raises LocalModelError for a verifier that cannot be used.
        """
        verifier = choose_verifier(case.options.get(VERIFIER))
        taken = by_rules(case)
        yield taken
        comparison = Comparison(
            case.message,
            taken.facts,
            case.subject,
            case.references,
            samples=case.samples,
            verifier=verifier,
            in_steps=True,
        )
        yield from judge_in_steps(comparison, case.samples, case.threshold)


METHOD: Final = Consensus()
