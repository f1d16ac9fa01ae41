"""The common part of methods that score sentences without a model, and know no facts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

from halubot.events import Event, Labelled, Ranked, SentenceJudged
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.methods.sample_verdicts import mean
from halubot.report import Verdict


class Scored(NamedTuple):
    """One sentence: its score from 0 to 1, None if it was not checked, and why it has it. ``rank``
    is the score if it is None."""

    score: float | None
    reason: str
    rank: float | None = None

    def judged(self, index: int, threshold: float) -> SentenceJudged:
        """Return the verdict on the sentence of that index, doubtful from the threshold on."""
        verdict: Verdict = "not_checked"
        if self.score is not None:
            verdict = "doubtful" if self.score >= threshold else "supported"
        return SentenceJudged(index=index, score=self.score, verdict=verdict, reason=self.reason)


class SentenceScores(ABC):
    """A method object: all but the scores. A message's score is the mean over its sentences."""

    name: str
    summary: str
    needs: tuple[str, ...] = ("samples",)
    needs_all = True
    source: str
    default_threshold = SET_BY_HAND
    options: tuple[str, ...] = ()
    """The options that the method knows."""

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """The verdict on each sentence, the details, then the ranks; no facts.

        Raises SettingError for options that it does not know or cannot use, and LocalModelError if
        it asks the verifier, which cannot be loaded.
        """
        case.refuse_options(self.name, *self.options)
        threshold = case.limit(self.default_threshold)
        details: dict[str, Any] = {}
        found: list[Scored] = []
        for one in self.score(case, details):
            yield one.judged(len(found), threshold)
            found.append(one)
        if details:
            yield Labelled(details=details)
        ranks = tuple(one.score if one.rank is None else one.rank for one in found)
        yield Ranked(score=mean(one.score for one in found), facts=(), sentences=ranks)

    @abstractmethod
    def score(self, case: Case, details: dict[str, Any]) -> Iterator[Scored]:
        """Yield the score of each sentence, and add to the details of the report."""
