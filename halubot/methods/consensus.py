"""`consensus`, the embedded engine: no model, no download, no network.

Facts are extracted by rules. Each is compared with every sample and every reference, which
supports it, contradicts it, or is silent; and its words are looked for in all of them. Both
together make the fact's score, as log-odds that add up:

    fact      = words + ln((1 + contradicting samples) / (1 + supporting samples))
                + what references say, which outweighs both
    sentence  = its own words + half the same logarithm for its most contradicted fact
                + the references' contradiction, if any
    rank      = half of that and half the level of the message

A sentence that holds a doubted fact is doubted with it. Ranks only order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.errors import SettingError
from halubot.events import Event, FactJudged, FactsExtracted, Progress, Ranked, SentenceJudged
from halubot.extract import extract, extractor_name
from halubot.facts import Basis, Evidence, Source, Stance, Threshold, Verdict
from halubot.match.stance import Finding, Matcher
from halubot.methods.registry import Case, Size
from halubot.methods.scoring import FITTED_ON, Scorer, logistic, message_score
from halubot.text import read


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds of what sources say, beside those of words. Fitted with `scoring.CONSTANTS`.

    ``stance``: one unit of ln((1 + contradicting) / (1 + supporting)) in a fact;
    ``sentence``: the same in a sentence, whose words have been counted already;
    ``reference``: one reference's yes or no to a fact, more than any number of samples;
    ``denial``: a reference's no, in a sentence;
    ``caution``: taken off a fact's odds: a sentence is wrong where any of its facts is, so one
    fact is wrong less often than a sentence with the same support.
    """

    stance: float = 1.0
    sentence: float = 0.5
    reference: float = 6.0
    denial: float = 4.0
    caution: float = 0.5


WEIGHTS: Final = Weights()

_EDGE: Final = 0.02
"""How far beyond the threshold a sentence is moved by a doubted fact that its words hide."""


@dataclass(frozen=True, slots=True)
class Heard:
    """How many samples and references take each stance on one fact."""

    samples: dict[Stance, int]
    references: dict[Stance, int]

    @property
    def by_samples(self) -> float:
        """ln((1 + contradicting) / (1 + supporting)) over the samples."""
        return math.log((1 + self.samples["contradicts"]) / (1 + self.samples["supports"]))

    @property
    def by_references(self) -> int:
        """1 where references contradict, -1 where they support, 0 where they do neither or both."""
        return bool(self.references["contradicts"]) - bool(self.references["supports"])

    @property
    def divided(self) -> bool:
        """Whether references say both."""
        return bool(self.references["contradicts"] and self.references["supports"])

    @property
    def denied(self) -> bool:
        """Whether doubt rests on contradiction: a reference's, or else that of more samples than
        support, and not of a single one among several."""
        if self.by_references:
            return self.by_references > 0
        against = self.samples["contradicts"]
        enough = min(2, sum(self.samples.values()))
        return against > self.samples["supports"] and against >= max(1, enough)


class Consensus:
    """The method object of `consensus`."""

    name = "consensus"
    summary = "facts by rules, compared with samples and references; no model needed"
    needs: tuple[str, ...] = ("samples", "references")
    needs_all = False
    source = "halubot's own"
    default_threshold = Threshold(value=0.5, fitted_on=FITTED_ON)

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """Facts, then the verdict on each fact and sentence, then the ranks.

        Raises SettingError for an option: it has none of its own.
        """
        if case.options:
            raise SettingError(f"consensus has no option {sorted(case.options)[0]!r}")
        message, sources = case.message, case.samples + case.references
        threshold = self.default_threshold.value if case.threshold is None else case.threshold
        facts = extract(message, subject=case.subject)
        yield FactsExtracted(facts=facts, how=extractor_name(message))
        matcher = Matcher(message, facts, case.subject)
        documents, findings = [], []
        for done, source in enumerate(sources, start=1):
            documents.append(read(source.text or ""))
            findings.append(matcher.compare(documents[-1]))
            yield Progress(what="comparing", done=done, of=len(sources))
        split = len(case.samples)
        scorer = Scorer(message, documents[:split], documents[split:], case.subject)

        heard = [_heard(fact.index, findings, split) for fact in facts]
        fact_odds: list[float] = []
        for fact in facts:
            own = _fact_odds(scorer.odds(fact.spans), heard[fact.index])
            fact_odds.append(own)
            evidence = tuple(map(_evidence, sources, (found[fact.index] for found in findings)))
            yield _fact_judged(fact.index, logistic(own), threshold, heard[fact.index], evidence)
        inside: dict[int, list[int]] = {}
        for fact in facts:
            for sentence in fact.sentences:
                inside.setdefault(sentence, []).append(fact.index)
        odds: list[float] = []
        for index, span in enumerate(message.sentences):
            held = inside.get(index, [])
            odds.append(_sentence_odds(scorer.odds([span]), [heard[fact] for fact in held]))
            worst = max((logistic(fact_odds[fact]) for fact in held), default=0.0)
            score = _raised(logistic(odds[-1]), worst, threshold)
            denied = any(
                _verdict(logistic(fact_odds[fact]), threshold, heard[fact]) == "contradicted"
                for fact in held
            )
            yield SentenceJudged(index=index, score=score, verdict=_doubt(score, threshold, denied))
        level = scorer.level(odds)
        yield Ranked(
            score=message_score([logistic(own) for own in odds]),
            facts=tuple(logistic((own + level) / 2) for own in fact_odds),
            sentences=tuple(logistic((own + level) / 2) for own in odds),
        )


METHOD: Final = Consensus()


def _heard(fact: int, findings: Sequence[Sequence[Finding]], samples: int) -> Heard:
    stances = [found[fact].stance for found in findings]
    return Heard(samples=_count(stances[:samples]), references=_count(stances[samples:]))


def _count(stances: Sequence[Stance]) -> dict[Stance, int]:
    counts: dict[Stance, int] = {"supports": 0, "contradicts": 0, "silent": 0}
    for stance in stances:
        counts[stance] += 1
    return counts


def _fact_odds(words: float, heard: Heard) -> float:
    """The log-odds that a fact is wrong. A reference that speaks is alone with its word."""
    if heard.by_references:
        return WEIGHTS.reference * heard.by_references + WEIGHTS.stance * heard.by_samples
    return words + WEIGHTS.stance * heard.by_samples - WEIGHTS.caution


def _sentence_odds(words: float, inside: Sequence[Heard]) -> float:
    denied = max((heard.samples["contradicts"] for heard in inside), default=0)
    refused = max((heard.by_references for heard in inside), default=0)
    return words + WEIGHTS.sentence * math.log(1 + denied) + WEIGHTS.denial * max(0, refused)


def _raised(score: float, worst: float, threshold: float) -> float:
    """A sentence's score, beyond the threshold where that of its worst fact is."""
    if worst < threshold or score >= threshold:
        return score
    return min(1.0, threshold + _EDGE * worst)


def _doubt(score: float, threshold: float, denied: bool) -> Verdict:
    if score < threshold:
        return "supported"
    return "contradicted" if denied else "doubtful"


def _verdict(score: float, threshold: float, heard: Heard) -> Verdict:
    return _doubt(score, threshold, heard.denied)


def _fact_judged(
    index: int, score: float, threshold: float, heard: Heard, evidence: tuple[Evidence, ...]
) -> FactJudged:
    basis: list[Basis] = []
    if sum(heard.samples.values()):
        basis.append("samples")
    if sum(heard.references.values()):
        basis.append("references")
    return FactJudged(
        index=index,
        score=score,
        verdict=_verdict(score, threshold, heard),
        basis=tuple(basis),
        reason="the references disagree with each other" if heard.divided else None,
        evidence=evidence,
    )


def _evidence(source: Source, finding: Finding) -> Evidence:
    """A finding as evidence. What is silent is the same for all facts and holds no text."""
    if finding.stance == "silent":
        return Evidence(source=source.id, stance="silent")
    return Evidence(
        source=source.id,
        stance=finding.stance,
        start=finding.start,
        end=finding.end,
        quote=(source.text or "")[finding.start : finding.end],
        note=finding.note,
        value=finding.value,
    )
