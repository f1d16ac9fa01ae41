"""Several repeats of one judge put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from halubot.events import SentenceJudged
from halubot.methods.calls.portions import main_reason
from halubot.methods.judges.judge_calls import Reading
from halubot.methods.sample_verdicts import mean
from halubot.methods.sentence_scores import Scored

UNREAD: Final = 0.5
"""What a repeat without a usable answer counts as published."""

GUILTY: Final = "CONTAINS HALLUCINATION"
INNOCENT: Final = "NO HALLUCINATION FOUND"

NO_WORD: Final = "the sentence has no word"


@dataclass(frozen=True)
class Jury:
    """``readings`` are what the judge said of the message in each repeat, which has ``count``
    sentences. ``unread`` are those that were too long, and why. With ``by_sentence`` the judge
    spoke of each sentence."""

    count: int
    readings: Sequence[Reading]
    unread: Mapping[int, str]
    by_sentence: bool = False
    as_published: bool = False

    @cached_property
    def verdicts(self) -> list[bool | None]:
        """Return the verdict of each repeat on the message, True for a hallucination; None of a
        repeat that was lost."""
        own = self.as_published
        return [one.verdict if own else one.is_hallucination for one in self.readings]

    @property
    def failures(self) -> list[str]:
        """Why repeats were lost."""
        pairs = zip(self.readings, self.verdicts, strict=True)
        return [reading.lost for reading, verdict in pairs if verdict is None]

    @cached_property
    def score(self) -> float | None:
        """The share of repeats that found a hallucination; None if all were lost. One without a
        verdict counts nothing, but as published 0.5 if an answer came."""
        marks: list[float | None] = []
        for reading, verdict in zip(self.readings, self.verdicts, strict=True):
            # The thesis counts an answer that cannot be parsed 0.5; a call that failed brought no
            # answer.
            unread = UNREAD if self.as_published and not reading.failed else None
            marks.append(unread if verdict is None else float(verdict))
        return mean(marks)

    def label(self, threshold: float) -> str | None:
        """The verdict on the message in words; None if there is none."""
        if self.score is None:
            return None
        return GUILTY if self.score >= threshold else INNOCENT

    def ranks(self) -> tuple[float | None, ...]:
        """The share of each sentence by itself, or of the message; None if nobody spoke of it."""
        return tuple(self._share(index) for index in range(self.count))

    def sentences(self, threshold: float) -> Iterator[SentenceJudged]:
        """The verdict on each sentence."""
        ranks = self.ranks()
        known = {index: own for index, own in enumerate(ranks) if own is not None}
        blamed: set[int] = set()
        # Judges forget in their last word what they said of sentences, and blame different ones: if
        # the message is doubted and no sentence by itself, those that any repeat doubted share the
        # message's score, or else all.
        whole = self.score is not None and self.score >= threshold
        if self.by_sentence and whole and max(known.values(), default=0.0) < threshold:
            blamed = {index for index, own in known.items() if own > 0} or set(known)
        for index, own in enumerate(ranks):
            score = self.score if index in blamed else own
            why = self._why(index, own, together=index in blamed or not self.by_sentence)
            yield Scored(score, why).judged(index, threshold)

    def details(self) -> dict[str, Any]:
        """The votes, for the report: of each repeat "yes", "no", or None if it was lost; its
        reasons, or its words on each sentence with the place of the passage."""
        found = [_word(verdict) for verdict in self.verdicts]
        votes = {"yes": found.count("yes"), "no": found.count("no"), "lost": found.count(None)}
        details: dict[str, Any] = {"votes": votes, "verdicts": found}
        if any(one.reasons for one in self.readings):
            details["reasons"] = [one.reasons for one in self.readings]
        if self.by_sentence:
            details["steps"] = [_steps(one) for one in self.readings]
        return details

    def _share(self, index: int) -> float | None:
        if not self.by_sentence:
            return None if index in self.unread else self.score
        words = (one.sentences[index] for one in self.readings if index in one.sentences)
        return mean(float(word.hallucinated == "yes") for word in words)

    def _why(self, index: int, share: float | None, *, together: bool) -> str:
        if share is None:
            missing = [one.missing[index] for one in self.readings if index in one.missing]
            lost = [*missing, *self.failures]
            return self.unread.get(index) or (main_reason(lost) if lost else NO_WORD)
        if together:
            known = [verdict for verdict in self.verdicts if verdict is not None]
            said = f"a hallucination in {sum(known)} of {len(known)} repeats"
            if not known:
                said = f"no repeat brought a verdict, which counts {UNREAD}"
            return f"judged with the whole message: {said}"
        words = [one.sentences[index] for one in self.readings if index in one.sentences]
        against = [word for word in words if word.hallucinated == "yes"]
        counted = f"called hallucinated in {len(against)} of {len(words)} repeats"
        return f"{counted}: {against[0].why}" if against and against[0].why else counted


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
        "answers_question": _word(whole.on_question),
        "hallucination": _word(whole.verdict),
    }


def _word(verdict: bool | None) -> str | None:
    return None if verdict is None else "yes" if verdict else "no"
