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
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from halubot.methods.registry import Case
from halubot.methods.sample_verdicts import Scored, SentenceScores
from halubot.verifier import judge

FEWEST: Final = 2
"""Samples that it takes at least."""


def _score(case: Case, details: dict[str, Any]) -> Iterator[Scored]:
    """The entropy of the clusters over the largest that there could be, for every sentence. With a
    question the verifier reads each answer after it, as published."""
    count = len(case.samples)
    found: Scored = (None, f"semantic-entropy needs {FEWEST} other answers")
    if count >= FEWEST:
        texts = [f"{case.question or ''} {one.text or ''}".strip() for one in case.samples]
        clusters = cluster(texts, entails)
        whole = entropy([*Counter(clusters).values()])
        kinds = len({*clusters})
        meanings = "one meaning" if kinds == 1 else f"{kinds} meanings"
        reason = f"of the message as a whole: {count} other answers have {meanings}"
        found = whole / math.log(count), reason
        pairs = zip(case.samples, clusters, strict=True)
        details["semantic_entropy"] = round(whole, 6)
        details["meanings"] = {sample.id: number for sample, number in pairs}
    for _ in case.message.sentences:
        yield found


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


METHOD: Final = SentenceScores(
    "semantic-entropy",
    "how many meanings other answers have, by the verifier; no model; short answers",
    source="semantic entropy, discrete (Farquhar et al., Nature 2024)",
    scored=_score,
)
