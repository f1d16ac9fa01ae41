"""`semantic-entropy`: how many meanings other answers to the question have (discrete form).

    SE = - sum over clusters c of p(c) * ln p(c),   p(c) = |c| / N

Samples are put into clusters of one meaning, one by one, as published: a sample joins the first
cluster whose first member entails it and is entailed by it, by the verifier, else it opens a new
one. The score is SE / ln N, from 0 (all mean the same) to 1 (each means something else). It is one
score for the message: meant for short answers, since long ones never mean quite the same.

Source: Farquhar, Kossen, Kuhn, Gal, "Detecting hallucinations in large language models using
semantic entropy" (Nature 630, 2024), algorithm 1 and the discrete variant of its methods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from halubot.events import Event, Labelled, Note, Ranked, SentenceJudged
from halubot.methods.registry import Case, Size
from halubot.report import Threshold
from halubot.verifier import judge

FEWEST: Final = 2
"""Samples that it takes at least."""


class SemanticEntropy:
    """The method object. Every sentence has the score of the message, which is also its rank. With
    a question the verifier reads each answer after it, as published."""

    name = "semantic-entropy"
    summary = "how many meanings other answers have, by the verifier; no model; short answers"
    needs: tuple[str, ...] = ("samples",)
    needs_all = True
    source = "semantic entropy, discrete (Farquhar et al., Nature 2024)"
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """The same verdict on each sentence, the clusters, then the ranks; no facts.

        Raises SettingError for any option, and LocalModelError if the verifier cannot be loaded.
        """
        case.refuse_options(self.name)
        if case.references:
            why = f"{self.name} compares samples with each other"
            yield Note(what="references were left out", why=why)
        sentences = range(len(case.message.sentences))
        count = len(case.samples)
        if count < FEWEST:
            why = f"{self.name} needs {FEWEST} other answers"
            for index in sentences:
                yield SentenceJudged(index=index, score=None, verdict="not_checked", reason=why)
            return
        texts = [f"{case.question or ''} {one.text or ''}".strip() for one in case.samples]
        clusters = cluster(texts, entails)
        sizes = [clusters.count(number) for number in sorted(set(clusters))]
        score = entropy(sizes) / math.log(count)
        doubted = score >= case.limit(self.default_threshold)
        meanings = "one meaning" if len(sizes) == 1 else f"{len(sizes)} meanings"
        for index in sentences:
            yield SentenceJudged(
                index=index,
                score=score,
                verdict="doubtful" if doubted else "supported",
                reason=f"of the message as a whole: {count} other answers have {meanings}",
            )
        yield Labelled(
            details={
                "semantic_entropy": round(entropy(sizes), 6),
                "meanings": {
                    one.id: number for one, number in zip(case.samples, clusters, strict=True)
                },
            }
        )
        yield Ranked(score=score, facts=(), sentences=(score,) * len(sentences))


def cluster(texts: Sequence[str], entails: Callable[[str, str], bool]) -> list[int]:
    """Return the number of the cluster of each text, from 0 in the order in which they open."""
    firsts: list[str] = []
    found: list[int] = []
    for text in texts:
        same = (
            number
            for number, first in enumerate(firsts)
            if first == text or (entails(first, text) and entails(text, first))
        )
        number = next(same, len(firsts))
        if number == len(firsts):
            firsts.append(text)
        found.append(number)
    return found


def entropy(sizes: Sequence[int]) -> float:
    """Return the entropy of clusters of these sizes, in nats."""
    total = sum(sizes)
    return math.fsum(-size / total * math.log(size / total) for size in sizes if size)


def entails(text: str, other: str) -> bool:
    """Return True if entailment is what the verifier finds likeliest."""
    (said,) = judge([(text, other)])
    return said.entailment > max(said.neutral, said.contradiction)


METHOD: Final = SemanticEntropy()
