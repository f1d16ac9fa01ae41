"""`selfcheck-prompt`: is each sentence supported by other answers, as a model reads them?

The model says of each sentence and each sample whether the sample supports it: yes counts 0, no 1,
unclear 0.5, and the score is their mean. Sentences alone are judged: there are no facts. Merged,
one call judges all sentences by one sample, with canaries among them; as published, one call judges
one sentence by one, and an answer that is neither yes nor no is not asked for again and counts 0.5
too.

Source: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), section 5.5, arXiv:2303.08896.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Generic, TypeVar

from halubot.errors import SettingError
from halubot.events import Emit, Event, Note, Ranked, Spent
from halubot.methods.calls.portions import ITEMS, main_reason, sentence_text
from halubot.methods.calls.session import ModelSession
from halubot.methods.calls.verification import BY_SENTENCE, Judgement, sentence_stances, unheard
from halubot.methods.driver import NOTHING_DRAWN, draw_samples, every_in_sight, stream_events
from halubot.methods.registry import SET_BY_HAND, Case, Size, recorded_verdicts, role_of
from halubot.methods.sample_verdicts import hear_if_fit, mean
from halubot.methods.sentence_scores import Scored
from halubot.report import Source, Usage

V = TypeVar("V")

OTHER_QUESTION: Final = "another question than the recorded verdicts answer"

UNCLEAR: Final = 0.5
"""What an answer counts that is neither yes nor no."""


class SentencesBySamples(ABC, Generic[V]):
    """The common part of methods that have a model hold each sentence against each sample: all but
    how it is asked.

    ``rank`` is ``score``: the mean over the samples that were judged. A message's score is the mean
    over its sentences, as published; None if none was judged.
    """

    name: str
    summary: str
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    takes_verdicts = False
    source: str
    default_threshold = SET_BY_HAND
    options: tuple[str, ...] = ()
    """The options that the method knows."""
    canary_prompt: str
    """The prompt of merged calls, which has canaries among the sentences."""

    def calls(self, size: Size) -> int:
        """One a sample; more if the sentences are more than a call takes."""
        return size.samples * math.ceil(size.sentences / ITEMS)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The verdict on each sentence once all samples are judged, then the ranks.

        Verdicts recorded elsewhere (``case.verdicts``) are taken as they are, without a model, and
        count as the calls that they stand for, merged or as published: what is neither yes nor no
        counts 0.5 in both. A sample that was not judged leaves the mean, with a note. Raises
        SettingError for an option that it does not know, and for recorded verdicts that do not fit
        the message or that answer another question.
        """
        case.refuse_options(self.name, *self.options)
        role_of(case)
        if recorded_verdicts(case) is not None and not self.takes_verdicts:
            raise SettingError(f"{self.name} asks {OTHER_QUESTION}: leave them out")
        return stream_events(partial(self._work, case))

    @abstractmethod
    async def hear_sample(
        self, case: Case, session: ModelSession, text: str, sentences: Mapping[int, str]
    ) -> Judgement[V]:
        """Return the verdicts on the sentences by one sample."""

    @abstractmethod
    def mark(self, said: V) -> int | None:
        """0 for a sentence that is supported, 1 for one that is not, None for neither."""

    async def conclude(
        self,
        case: Case,
        rows: Sequence[Sequence[int | None]],
        samples: Sequence[Source],
        heard: Sequence[Judgement[V]],
        emit: Emit,
    ) -> None:
        """Says what else there is to say, of the marks of each sentence and of what each sample
        said (none if verdicts were recorded)."""

    async def _work(self, case: Case, emit: Emit) -> None:
        samples: Sequence[Source] = case.samples
        heard: Sequence[Judgement[V]] = ()
        if case.verdicts is not None:
            # Each stands for a call that somebody made, so it counts as one that was answered from
            # a store.
            rows: Sequence[Sequence[int | None]] = case.verdicts
            reasons = ["no verdict was recorded for it"] * len(rows)
            # As published each verdict was a call; merged, one call judged all sentences by one
            # sample.
            asked = sum(map(len, rows)) if case.as_published else max(map(len, rows), default=0)
            emit(Spent(usage=Usage(cached_calls=asked)))
        elif case.session is not None:
            samples = await draw_samples(case)
            heard = await self._ask_samples(case, case.session, samples, emit)
            if not case.as_published:
                # As published there are no canaries, so nothing is known against the judge.
                heard = hear_if_fit(case.session, self.canary_prompt, heard, emit)
            count = len(case.message.sentences)
            rows = [self._marks(index, heard) for index in range(count)]
            reasons = [_reason(index, heard) for index in range(count)]
        else:
            raise SettingError(f"{self.name} needs a model: name one with --model")
        if case.as_published and (useless := [mark for row in rows for mark in row].count(None)):
            what = f"{useless} of {sum(map(len, rows))} verdicts are neither yes nor no"
            emit(Note(what=what, why=f"each counts {UNCLEAR}, as published"))
        scores: list[float | None] = []
        for index, (marks, reason) in enumerate(zip(rows, reasons, strict=True)):
            judged = _score(marks, reason).judged(index, case.limit(self.default_threshold))
            scores.append(judged.score)
            emit(judged)
        await self.conclude(case, rows, samples, heard, emit)
        emit(Ranked(score=mean(scores), facts=(), sentences=tuple(scores)))

    async def _ask_samples(
        self, case: Case, session: ModelSession, samples: Sequence[Source], emit: Emit
    ) -> list[Judgement[V]]:
        """Return what each sample says, all samples at once."""
        count = len(case.message.sentences)
        sentences = {index: sentence_text(case.message, index) for index in range(count)}
        asking = [self.hear_sample(case, session, one.text or "", sentences) for one in samples]
        heard = await every_in_sight(asking, "judging samples", emit)
        for note in unheard(zip(samples, heard, strict=True), "sentences"):
            emit(note)
        return heard

    def _marks(self, index: int, heard: Sequence[Judgement[V]]) -> list[int | None]:
        return [self.mark(one.found[index]) for one in heard if index in one.found]


class SelfCheckPrompt(SentencesBySamples[int | None]):
    """The method object of `selfcheck-prompt`."""

    name = "selfcheck-prompt"
    summary = "whether a model finds each sentence supported by other answers"
    takes_verdicts = True
    canary_prompt = BY_SENTENCE
    source = "SelfCheckGPT prompt, arXiv:2303.08896"
    differs = (
        'the prompt is in our words, may be answered with "unclear", and is bound to a schema',
        "a call that failed leaves the mean",
    )

    async def hear_sample(
        self, case: Case, session: ModelSession, text: str, sentences: Mapping[int, str]
    ) -> Judgement[int | None]:
        """Yes, no or unclear."""
        return await sentence_stances(session, text, sentences, as_published=case.as_published)

    def mark(self, said: int | None) -> int | None:
        """As it is."""
        return said


def _reason(index: int, heard: Sequence[Judgement[Any]]) -> str:
    """Why there is no mark on a sentence."""
    lost = [one.missing[index] for one in heard if index in one.missing]
    return main_reason(lost) if lost else NOTHING_DRAWN


def _score(marks: Sequence[int | None], why: str) -> Scored:
    if not marks:
        return Scored(None, why)
    score = math.fsum(UNCLEAR if mark is None else mark for mark in marks) / len(marks)
    return Scored(score, f"{marks.count(0)} of {len(marks)} other answers support it")


METHOD: Final = SelfCheckPrompt()
