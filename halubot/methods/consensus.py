"""`consensus`, the embedded engine: no model, no download, no network.

Facts are extracted by rules. Each is compared with every sample and every reference, which
supports it, contradicts it, or is silent; and its words are looked for in all of them. Both
together make the fact's score, as log-odds that add up:

    fact      = words + 2 stances
    sentence  = words + 1/2 ln(1 + contradicting, for its most contradicted fact) - caution
    rank      = half of that and half the level of the message
    stances   = ln((1 + contradicting + silent / 10) / (1 + supporting)), less that of
                samples that are all silent

Where more samples contradict a fact than support it, its words count only as far as samples
are silent; where a reference speaks, they do not count at all, and it outweighs all samples.
A sentence that holds a doubted fact is doubted with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from halubot.errors import SettingError
from halubot.events import Event, FactJudged, FactsExtracted, Progress, Ranked, SentenceJudged
from halubot.extract import extract, extractor_name
from halubot.facts import DOUBTED, Basis, Evidence, Fact, Source, Stance, Threshold, Verdict
from halubot.match.stance import Finding, Matcher
from halubot.match.words import worded
from halubot.methods.registry import Case, Size
from halubot.methods.scoring import FITTED_ON, Scorer, logistic, message_score
from halubot.text import read


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds of what sources say, beside those of their words. The verdicts and figures on
    WikiBio hardly move with any of them (see ``docs/benchmarks.md``); what moves is what a
    reader would find right, and that chose them.

    ``stance``: one unit of ``stances`` in a fact.
    ``silence``: a silent sample, as a share of a contradicting one.
    ``sentence``: one unit of ln(1 + contradicting) in a sentence, whose words count already.
    ``still``: how much words may still say where samples contradict, or samples where a
    reference speaks.
    ``lacking``: the least doubt of a fact whose value or name no source holds at all, whatever
    its other words.
    ``reference``: a reference's yes or no to a fact.
    ``denial``: a reference's no, in a sentence.
    ``caution``: what doubt of a sentence has to overcome, on the scale of the scorer's
    ``middle``, since contradictions are counted beside its words.
    """

    stance: float = 2.0
    silence: float = 0.1
    sentence: float = 0.5
    still: float = 3.0
    lacking: float = 0.5
    reference: float = 6.0
    denial: float = 4.0
    caution: float = 0.035


WEIGHTS: Final = Weights()

_EDGE: Final = 0.02
"""How far beyond the threshold a sentence is moved by a doubted fact that its words hide."""


@dataclass(frozen=True, slots=True)
class Heard:
    """How many samples and references take each stance on one fact, and the share of all these
    sources that nowhere hold a value or name of it."""

    samples: dict[Stance, int]
    references: dict[Stance, int]
    lacking: float = 0.0

    def by_samples(self, silence: float) -> float:
        """How far the samples lean against the fact, 0 where all are silent: ``stances`` of the
        module's docstring, where one that is silent is so much of a contradicting one."""
        against = 1 + self.samples["contradicts"] + silence * self.samples["silent"]
        unheard = 1 + silence * sum(self.samples.values())
        return math.log(against / (1 + self.samples["supports"]) / unheard)

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
        references = [worded(read(source.text or "")) for source in case.references]
        scorer = Scorer(message, references=references, subject=case.subject)
        findings = []
        for source in case.samples:
            text = worded(read(source.text or ""))
            scorer.hear(text)
            findings.append(matcher.compare(text))
            yield Progress(what="comparing", done=len(findings), of=len(sources))
        for text in references:
            findings.append(matcher.compare(text))
            yield Progress(what="comparing", done=len(findings), of=len(sources))
        split = len(case.samples)

        heard = [heard_of(fact.index, findings, split) for fact in facts]
        words_of_facts = [scorer.odds(fact.spans) for fact in facts]
        odds_of_facts = list(map(fact_odds, words_of_facts, heard))
        # What is silent is the same for all facts and holds no text.
        silent = [Evidence(source=source.id, stance="silent") for source in sources]
        verdicts: list[Verdict] = []
        for fact, said in zip(facts, heard, strict=True):
            score = logistic(odds_of_facts[fact.index])
            verdicts.append(_verdict(score, threshold, said.denied))
            evidence = tuple(
                nothing
                if found[fact.index].stance == "silent"
                else _evidence(source, found[fact.index])
                for source, nothing, found in zip(sources, silent, findings, strict=True)
            )
            yield _fact_judged(fact.index, score, verdicts[-1], said, evidence)

        inside = _inside(facts)
        caution = WEIGHTS.caution / scorer.width
        odds: list[float] = []
        scores: list[float] = []
        for index, span in enumerate(message.sentences):
            held = inside.get(index, [])
            words = scorer.odds([span]) - caution
            odds.append(sentence_odds(words, [heard[fact] for fact in held]))
            doubted = any(verdicts[fact] in DOUBTED for fact in held)
            denied = any(verdicts[fact] == "contradicted" for fact in held)
            scores.append(_raised(logistic(odds[-1]), threshold, doubted))
            verdict = _verdict(scores[-1], threshold, denied)
            yield SentenceJudged(index=index, score=scores[-1], verdict=verdict)
        level = scorer.level(odds)
        # Against a reference each detail that it does not bear out counts; samples differ in what
        # they go into, so there a sentence counts as a whole.
        counted = words_of_facts if case.references else []
        yield Ranked(
            score=message_score([logistic(own) for own in (*odds, *counted)]),
            facts=tuple(logistic((own + level) / 2) for own in odds_of_facts),
            sentences=tuple(logistic((own + level) / 2) for own in odds),
        )


METHOD: Final = Consensus()


def heard_of(fact: int, findings: Sequence[Sequence[Finding]], samples: int) -> Heard:
    """What the first ``samples`` sources and the references after them say of a fact, from the
    findings of each source on all facts."""
    own = [found[fact] for found in findings]
    stances = [finding.stance for finding in own]
    lacking = sum(finding.lacking or finding.stance == "contradicts" for finding in own)
    return Heard(
        samples=_count(stances[:samples]),
        references=_count(stances[samples:]),
        lacking=lacking / max(1, len(own)),
    )


def _count(stances: Sequence[Stance]) -> dict[Stance, int]:
    counts: dict[Stance, int] = {"supports": 0, "contradicts": 0, "silent": 0}
    for stance in stances:
        counts[stance] += 1
    return counts


def fact_odds(words: float, heard: Heard, weights: Weights = WEIGHTS) -> float:
    """The log-odds that a fact is wrong, from those of its words and what was heard of it."""
    stances, limit = weights.stance * heard.by_samples(weights.silence), weights.still
    if heard.by_references:
        return weights.reference * heard.by_references + max(-limit, min(limit, stances))
    if not heard.samples["supports"] and heard.lacking:
        words = (1 - heard.lacking) * words + heard.lacking * max(words, weights.lacking)
    if heard.samples["contradicts"] > heard.samples["supports"]:
        silent = heard.samples["silent"] / sum(heard.samples.values())
        words = max(words, -limit) * silent
    return words + stances


def sentence_odds(words: float, inside: Sequence[Heard], weights: Weights = WEIGHTS) -> float:
    """The log-odds that a sentence is wrong, from those of its words and what was heard of the
    facts inside."""
    denied = max((heard.samples["contradicts"] for heard in inside), default=0)
    refused = any(heard.by_references > 0 for heard in inside)
    denials = weights.sentence * math.log(1 + denied) + weights.denial * refused
    return words + denials


def _inside(facts: Sequence[Fact]) -> dict[int, list[int]]:
    """The facts of each sentence that has any."""
    inside: dict[int, list[int]] = {}
    for fact in facts:
        for sentence in fact.sentences:
            inside.setdefault(sentence, []).append(fact.index)
    return inside


def _raised(score: float, threshold: float, doubted: bool) -> float:
    """A sentence's score, just beyond the threshold where only a fact of it is doubted."""
    if not doubted or score >= threshold:
        return score
    return min(1.0, threshold + _EDGE * score)


def _verdict(score: float, threshold: float, denied: bool) -> Verdict:
    if score < threshold:
        return "supported"
    return "contradicted" if denied else "doubtful"


def _fact_judged(
    index: int, score: float, verdict: Verdict, heard: Heard, evidence: tuple[Evidence, ...]
) -> FactJudged:
    basis: list[Basis] = []
    if sum(heard.samples.values()):
        basis.append("samples")
    if sum(heard.references.values()):
        basis.append("references")
    return FactJudged(
        index=index,
        score=score,
        verdict=verdict,
        basis=tuple(basis),
        reason="the references disagree with each other" if heard.divided else None,
        evidence=evidence,
    )


def _evidence(source: Source, finding: Finding) -> Evidence:
    """What a source that speaks of a fact says, as evidence."""
    return Evidence(
        source=source.id,
        stance=finding.stance,
        start=finding.start,
        end=finding.end,
        quote=(source.text or "")[finding.start : finding.end],
        note=finding.note,
        value=finding.value,
    )
