"""`selfcheck-prompt`, `issc` and `issc-cot`: do other answers support each sentence, as a model
reads them?

The model says of each sentence and each sample whether the sample supports it, in `issc-cot` after
its reasons: yes counts 0, no 1, anything else 0.5, and the score is their mean. Sentences alone are
judged: there are no facts. Merged, one call judges all sentences by one sample, with canaries among
them; as published, one call judges one sentence by one, and an answer that cannot be used is not
asked for again and counts 0.5 too.

Sources: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), section 5.5, arXiv:2303.08896. Díaz de
Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito médico" (2024),
section 7.2 and appendix B.2.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, Field

from halubot.errors import SettingError
from halubot.events import Emit, Event, Labelled, Note, Ranked, Spent
from halubot.methods.calls.canaries import EACH
from halubot.methods.calls.citation import Citation, draw_form
from halubot.methods.calls.portions import ITEMS, main_reason, sentence_text
from halubot.methods.calls.session import ModelSession
from halubot.methods.calls.verification import Judgement, Judging, unheard
from halubot.methods.driver import NOTHING_DRAWN, draw_samples, every_in_sight, stream_events
from halubot.methods.judges import SOURCE
from halubot.methods.registry import SET_BY_HAND, Case, Size, recorded_verdicts
from halubot.methods.sample_verdicts import hear_if_fit, judge_sentence, mean
from halubot.report import Source, Usage
from halubot_prompts import Plain

UNCLEAR: Final = 0.5
"""What an answer counts that is neither yes nor no."""

BY_SENTENCE: Final = "verify-sentences"

_MARKS: Final[Mapping[str, int | None]] = {"yes": 0, "no": 1, "unclear": None}


class Mark(NamedTuple):
    """What one sample says of a sentence: 0 if it supports it, 1 if not, None if the judge cannot
    tell, or its words cannot be used."""

    value: int | None
    reasons: str = ""


class Supported(BaseModel):
    """Whether the source supports the sentence."""

    supported: Literal["yes", "no", "unclear"] = Field(
        description="yes: the source states all of it; no: something is missing or different;"
        " unclear: the sentence states nothing"
    )


class Held(BaseModel):
    """Whether the other answer supports the sentence."""

    supported: Literal["yes", "no"]


class _Reasons(BaseModel):
    reasons: str = Field(max_length=600)


class HeldWithReasons(Held, _Reasons):
    """Reasons, and then whether the other answer supports the sentence."""


SENTENCE: Final = Citation(Supported, ("yes",), ("no", "unclear"))
"""What is said of a sentence with the sign of a sentence of the source."""


def _read(said: Supported | Held) -> Mark:
    reasons = said.reasons if isinstance(said, HeldWithReasons) else ""
    return Mark(_MARKS[said.supported], reasons)


def _rank(mark: Mark) -> int:
    return 2 if mark.value is None else mark.value


def _unusable() -> Mark:
    return Mark(None)


async def sentence_marks(
    session: ModelSession, text: str, sentences: Mapping[int, str], *, as_published: bool = False
) -> Judgement[Mark]:
    """Return what a text says of some sentences, by their indexes, asked as SelfCheckGPT does. One
    call, with canaries among the sentences; more, at once, for a long text or many sentences: one
    part that supports is enough. No sentences, no call. As published one sentence a call, without
    canaries. Raises SettingError for a prompt that is broken."""
    judging = Judging(
        *(session, BY_SENTENCE, "sentences", Supported, sentences, _read, _rank),
        canaries=EACH,
        citation=SENTENCE,
    )
    if as_published:
        judging = replace(
            judging,
            prompt="verify-sentence",
            name="sentence",
            calls="single",
            canaries=0,
            citation=None,
            once=True,
            useless=_unusable,
        )
    return await judging.by(text)


async def _contrast(
    case: Case, session: ModelSession, text: str, sentences: Mapping[int, str], *, reasons: bool
) -> Judgement[Mark]:
    about: dict[str, Any] = {"role": Plain(case.options.get("role", ""))}
    if not reasons:
        about["form"] = Plain(draw_form(("yes", "no"), sentences.values()))
    shape = HeldWithReasons if reasons else Held
    judging = Judging(
        *(session, "issc-cot" if reasons else "issc", "sentences", shape, sentences, _read, _rank),
        about=lambda _: about,
        # Reasons are long: one canary a call, where sentences without reasons have three.
        canaries=1 if reasons else EACH,
    )
    if case.as_published:
        judging = replace(judging, calls="apart", canaries=0, once=True, useless=_unusable)
    return await judging.by(text)


@dataclass(frozen=True)
class SentencesBySamples:
    """A method object.

    ``rank`` is ``score``: the mean over the samples that were judged. A message's score is the mean
    over its sentences, as published; None if none was judged. The option ``role`` of `issc` and
    `issc-cot` says whose part the judge takes ("medical expert").
    """

    name: str
    summary: str
    source: str
    differs: tuple[str, ...]
    takes_verdicts: bool = False
    needs: tuple[str, ...] = ("samples", "model")
    needs_all = True
    default_threshold = SET_BY_HAND

    def calls(self, size: Size) -> int:
        """One a sample; more if the sentences are more than a call takes."""
        return size.samples * math.ceil(size.sentences / ITEMS)

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The verdict on each sentence once all samples are judged, then the ranks.

        Verdicts recorded elsewhere (``case.verdicts``) are taken as they are, without a model, and
        count as the calls that they stand for, merged or as published: what is neither yes nor no
        counts 0.5 in both. A sample that was not judged leaves the mean, with a note. Raises
        SettingError for recorded verdicts that do not fit the message or that answer another
        question.
        """
        if recorded_verdicts(case) is not None and not self.takes_verdicts:
            other = "another question than the recorded verdicts answer"
            raise SettingError(f"{self.name} asks {other}: leave them out")
        return stream_events(partial(self._work, case))

    async def _work(self, case: Case, emit: Emit) -> None:
        count = len(case.message.sentences)
        if case.verdicts is not None:
            rows: Sequence[Sequence[int | None]] = case.verdicts
            reasons = ["no verdict was recorded for it"] * count
            # Each stands for a call that somebody made, so it counts as one that was answered from
            # a store. As published each verdict was a call; merged, one call judged all sentences
            # by one sample.
            asked = sum(map(len, rows)) if case.as_published else max(map(len, rows), default=0)
            emit(Spent(usage=Usage(cached_calls=asked)))
        else:
            samples = await draw_samples(case)
            heard = await self._ask_samples(case, samples, emit)
            rows = [
                [one.found[index].value for one in heard if index in one.found]
                for index in range(count)
            ]
            reasons = [_why_unjudged(index, heard) for index in range(count)]
        if case.as_published and (useless := [mark for row in rows for mark in row].count(None)):
            what = f"{useless} of {sum(map(len, rows))} verdicts are neither yes nor no"
            emit(Note(what=what, why=f"each counts {UNCLEAR}, as published"))
        scores = [mean(UNCLEAR if mark is None else mark for mark in row) for row in rows]
        for index, (score, row, why) in enumerate(zip(scores, rows, reasons, strict=True)):
            said = f"{row.count(0)} of {len(row)} other answers support it" if row else why
            emit(judge_sentence(index, score, case.threshold, said))
        if case.verdicts is None and self.source == SOURCE:
            emit(Labelled(details=_votes(samples, heard, count)))
        emit(Ranked(score=mean(scores), facts=(), sentences=tuple(scores)))

    async def _ask_samples(
        self, case: Case, samples: Sequence[Source], emit: Emit
    ) -> list[Judgement[Mark]]:
        """Return what each sample says, all samples at once."""
        session, message = case.require_session(), case.message
        sentences = {at: sentence_text(message, at) for at in range(len(message.sentences))}
        prompt = self.name
        if self.name == "selfcheck-prompt":
            prompt = BY_SENTENCE
            ask = partial(sentence_marks, session, as_published=case.as_published)
        else:
            ask = partial(_contrast, case, session, reasons=self.name == "issc-cot")
        asking = [ask(one.text or "", sentences) for one in samples]
        heard = await every_in_sight(asking, "judging samples", emit)
        for note in unheard(zip(samples, heard, strict=True), "sentences"):
            emit(note)
        # As published there are no canaries, so nothing is known against the judge.
        return heard if case.as_published else hear_if_fit(session, prompt, heard, emit)


def _why_unjudged(index: int, heard: Sequence[Judgement[Mark]]) -> str:
    """Why no sample was judged on a sentence, if none was."""
    lost = [one.missing[index] for one in heard if index in one.missing]
    return main_reason(lost) if lost else NOTHING_DRAWN


def _votes(
    samples: Sequence[Source], heard: Sequence[Judgement[Mark]], sentences: int
) -> dict[str, Any]:
    """Return what each sample that was judged says of each sentence, "yes", "no" or None, by its
    id; and the reasons, if there are any."""
    nothing = Mark(None)
    rows = {
        sample.id: [said.found.get(index, nothing) for index in range(sentences)]
        for sample, said in zip(samples, heard, strict=True)
    }
    words = {0: "yes", 1: "no", None: None}
    details = {"votes": {id: [words[one.value] for one in row] for id, row in rows.items()}}
    if any(one.reasons for row in rows.values() for one in row):
        details["reasons"] = {id: [one.reasons for one in row] for id, row in rows.items()}
    return details


METHOD: Final = SentencesBySamples(
    "selfcheck-prompt",
    "whether a model finds each sentence supported by other answers",
    source="SelfCheckGPT prompt, arXiv:2303.08896",
    takes_verdicts=True,
    differs=(
        'the prompt is in our words, may be answered with "unclear", and is bound to a schema',
        "a call that failed leaves the mean",
    ),
)

_OF_THESIS: Final[Mapping[str, Any]] = {
    "source": SOURCE,
    "differs": (
        "prompts are in our words, and answers are bound to a schema",
        "the judge is told to go by the other answer alone; the thesis does not say so",
        "a call that failed leaves the mean",
    ),
}
ISSC: Final = SentencesBySamples(
    "issc", "whether other answers support each sentence, yes or no, by a model", **_OF_THESIS
)
ISSC_COT: Final = SentencesBySamples(
    "issc-cot", "the same, with the model's reasons before each verdict", **_OF_THESIS
)
