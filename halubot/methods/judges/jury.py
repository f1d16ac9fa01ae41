"""Several repeats of one judge put together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from halubot.events import SentenceJudged
from halubot.methods.calls.portions import main_reason
from halubot.methods.judges.judge_calls import Reading, join_verdicts
from halubot.methods.sample_verdicts import mean
from halubot.report import Verdict

UNREAD: Final = 0.5
"""What a repeat without a usable answer counts as published."""

GUILTY: Final = "CONTAINS HALLUCINATION"
INNOCENT: Final = "NO HALLUCINATION FOUND"

NO_WORD: Final = "the sentence has no word"


@dataclass(frozen=True)
class Jury:
    """``rows`` are the sentences that were judged together, ``readings`` of each repeat what the
    judge said of each row. ``unread`` are the sentences that were too long, and why. With
    ``by_sentence`` the judge spoke of each sentence."""

    count: int
    rows: Sequence[Sequence[int]]
    readings: Sequence[Sequence[Reading]]
    unread: Mapping[int, str]
    by_sentence: bool = False
    as_published: bool = False

    @cached_property
    def wholes(self) -> list[Reading]:
        """Return the verdict of each repeat on the whole message."""
        return [join_verdicts(of_rows) for of_rows in self.readings]

    @cached_property
    def verdicts(self) -> list[bool | None]:
        """Return the verdict of each repeat on the message, True for a hallucination; None of a
        repeat that was lost."""
        return [self._verdict(reading) for reading in self.wholes]

    @property
    def failures(self) -> list[str]:
        """Why repeats were lost."""
        pairs = zip(self.wholes, self.verdicts, strict=True)
        return [whole.lost for whole, verdict in pairs if verdict is None]

    @property
    def score(self) -> float | None:
        """The share of repeats that found a hallucination; None if all were lost."""
        return mean([self._mark(reading) for reading in self.wholes])

    def label(self, threshold: float) -> str | None:
        """The verdict on the message in words; None if there is none."""
        if self.score is None:
            return None
        return GUILTY if self.score >= threshold else INNOCENT

    def said_of(self, index: int) -> list[bool]:
        """Return the verdicts of the repeats on a sentence, if they judged each one."""
        words = [whole.sentences.get(index) for whole in self.wholes]
        return [word.hallucinated == "yes" for word in words if word is not None]

    def ranks(self) -> tuple[float | None, ...]:
        """The share of each sentence by itself; None if nobody spoke of it."""
        if self.by_sentence:
            return tuple(mean(self.said_of(index)) for index in range(self.count))
        return tuple(self._of_row(index)[0] for index in range(self.count))

    def sentences(self, threshold: float) -> Iterator[SentenceJudged]:
        """The verdict on each sentence."""
        ranks = self.ranks()
        if not self.by_sentence:
            for index, score in enumerate(ranks):
                yield _judge(index, score, threshold, self._of_row(index)[1])
            return
        # Judges forget in their last word what they said of sentences, and blame different ones.
        blamed = self._find_blamed(ranks, threshold)
        for index, score in enumerate(ranks):
            if index in blamed:
                why = _together("whole message", self.verdicts)
                yield _judge(index, self.score, threshold, why)
            else:
                yield _judge(index, score, threshold, self._why(index))

    def _find_blamed(self, shares: Sequence[float | None], threshold: float) -> set[int]:
        """The sentences that share the score of the message, which is doubted though no sentence
        is by itself: those that any repeat doubted, or else all."""
        known = {index: own for index, own in enumerate(shares) if own is not None}
        if self.score is None or self.score < threshold:
            return set()
        if any(own >= threshold for own in known.values()):
            return set()
        return {index for index, own in known.items() if own > 0} or set(known)

    def _why(self, index: int) -> str:
        said = self.said_of(index)
        if not said:
            missing = [whole.missing[index] for whole in self.wholes if index in whole.missing]
            return self.unread.get(index) or (main_reason(missing) if missing else NO_WORD)
        counted = f"called hallucinated in {sum(said)} of {len(said)} repeats"
        words = (whole.sentences.get(index) for whole in self.wholes)
        own = next((w.why for w in words if w is not None and w.hallucinated == "yes"), "")
        return f"{counted}: {own}" if own else counted

    def _of_row(self, index: int) -> tuple[float | None, str]:
        """The share of the row that a sentence stands in, and why it is that; one without a word
        stands in the row before it."""
        if index in self.unread:
            return None, self.unread[index]
        if not self.rows:
            return None, NO_WORD
        # Rows leave out sentences without a word, so a sentence is not found by its place among
        # them.
        at = max(0, bisect_right([row[0] for row in self.rows], index) - 1)
        readings = [of_rows[at] for of_rows in self.readings]
        score = mean([self._mark(reading) for reading in readings])
        if score is None:
            return None, main_reason(reading.lost for reading in readings)
        what = "whole message" if len(self.rows) == 1 else "text around it"
        return score, _together(what, [self._verdict(reading) for reading in readings])

    def _verdict(self, reading: Reading) -> bool | None:
        return reading.verdict if self.as_published else reading.is_hallucination

    def _mark(self, reading: Reading) -> float | None:
        """Return what a repeat counts: 1 for a hallucination, 0 for none; without a verdict
        nothing, but as published 0.5 if an answer came."""
        verdict = self._verdict(reading)
        if verdict is None:
            # The thesis counts an answer that cannot be parsed 0.5; a call that failed brought no
            # answer.
            return UNREAD if self.as_published and not reading.failed else None
        return float(verdict)

    def details(self) -> dict[str, Any]:
        """The votes, for the report: of each repeat "yes", "no", or None if it was lost; its
        reasons, or its words on each sentence with the place of the passage."""
        found = [None if v is None else _word(v) for v in self.verdicts]
        details: dict[str, Any] = {
            "votes": {
                "yes": found.count("yes"),
                "no": found.count("no"),
                "lost": found.count(None),
            },
            "verdicts": found,
        }
        if any(whole.reasons for whole in self.wholes):
            details["reasons"] = [whole.reasons for whole in self.wholes]
        if self.by_sentence:
            details["steps"] = [_steps(whole) for whole in self.wholes]
        return details


def _together(what: str, verdicts: Sequence[bool | None]) -> str:
    known = [verdict for verdict in verdicts if verdict is not None]
    if not known:
        return f"judged with the {what}: no repeat brought a verdict, which counts {UNREAD}"
    return f"judged with the {what}: a hallucination in {sum(known)} of {len(known)} repeats"


def _judge(index: int, score: float | None, threshold: float, why: str) -> SentenceJudged:
    verdict: Verdict = "not_checked"
    if score is not None:
        verdict = "doubtful" if score >= threshold else "supported"
    return SentenceJudged(index=index, score=score, verdict=verdict, reason=why)


def _steps(whole: Reading) -> dict[str, Any]:
    sentences = {}
    for index, word in sorted(whole.sentences.items()):
        place = whole.context.find(word.passage)
        sentences[str(index)] = {
            **word.model_dump(),
            "source": place.source.id if place else None,
            "start": place.start if place else 0,
            "end": place.end if place else 0,
        }
    return {
        "sentences": sentences,
        "answers_question": None if whole.on_question is None else _word(whole.on_question),
        "hallucination": None if whole.verdict is None else _word(whole.verdict),
    }


def _word(verdict: bool) -> str:
    return "yes" if verdict else "no"
