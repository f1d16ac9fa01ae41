"""The word of a judge on an answer as a whole: one verdict (BCV), the same after its reasons
(BCV-CoT), or sentence by sentence and then one verdict (SCA).

An answer that cannot be used is asked for again and is then missing, with its reason: no verdict is
made up. As published it is not asked for again. If context and answer do not fit the model, the
context is cut smaller, then the answer.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.evidence.context import NO_CONTEXT, Context, Contexts
from halubot.methods.calls.portions import (
    SMALLEST,
    main_reason,
    sentence_text,
    split_in_half,
    surroundings,
)
from halubot.methods.calls.session import Fields, ModelSession, value_or_reason
from halubot.models.model_errors import ContextTooLongError, ModelError
from halubot.models.structured import ATTEMPTS
from halubot.text import Document
from halubot_prompts import Plain

Word = Literal["yes", "no"]
Way = Literal["bcv", "bcv-cot", "sca"]
"""How the judge is asked: the name of the prompt."""

TEMPERATURE: Final = 1.0
"""Of a verdict that is asked for several times: their share is then the model's own probability."""

NO_VERDICT: Final = "the judge gave no verdict"


class Bare(BaseModel):
    """What BCV asks for."""

    hallucination: Word


class _Reasons(BaseModel):
    reasons: str = Field(max_length=4000)


class Reasoned(Bare, _Reasons):
    """What BCV-CoT asks for: the reasons first."""


class SentenceWord(BaseModel):
    """What SCA asks of each sentence."""

    passage: str = Field(max_length=800)
    hallucinated: Word
    why: str = Field(max_length=400)


class Closing(BaseModel):
    """What SCA asks of the whole answer, after its sentences."""

    answers_question: Word
    hallucination: Word


@dataclass(frozen=True)
class Reading:
    """The judge's word on some sentences in a row, in one repeat.

    ``verdict`` is its last word on them, whether there is a hallucination; None if none came
    that was any use, and ``lost`` says why, ``failed`` that no answer came at all. ``reasons`` are
    its own. Of SCA each sentence is in ``sentences`` or, with the reason, in ``missing``;
    ``on_question`` is None if it did not say whether the question was answered. ``context`` is what
    it was shown, ``shown`` how many characters of the references.
    """

    verdict: bool | None
    lost: str = ""
    failed: bool = False
    reasons: str = ""
    sentences: Mapping[int, SentenceWord] = field(default_factory=dict)
    missing: Mapping[int, str] = field(default_factory=dict)
    on_question: bool | None = None
    context: Context = NO_CONTEXT
    shown: int = 0

    @property
    def is_hallucination(self) -> bool | None:
        """Return the verdict by all it said, True for a hallucination: judges forget in their last
        word what they said of a sentence. None if nothing tells."""
        condemned = any(_yes(one.hallucinated) for one in self.sentences.values())
        return True if condemned or self.on_question is False else self.verdict


@dataclass(frozen=True)
class Hearing:
    """One message before a judge: ``question`` and ``role`` may be empty. ``longest`` is how many
    characters of the context are shown at most."""

    session: ModelSession
    way: Way
    message: Document
    contexts: Contexts
    question: str
    role: str
    temperature: float
    longest: int
    as_published: bool

    async def reading(
        self, sentences: Sequence[int], repeat: int, *, longest: int | None = None
    ) -> Reading:
        """Return the judge's word on these sentences, which are in a row, in the repeat of that
        number (from 0). Raises SettingError for a prompt that is broken."""
        longest = self.longest if longest is None else longest
        wanted = [sentence_text(self.message, index) for index in sentences]
        asked = [self.question, *wanted] if self.question else wanted
        context = await aside(partial(self.contexts.of, asked, longest))
        said, error = await self._ask(sentences, repeat, context)
        shown = sum(end - start for _, start, end in dict.fromkeys(context.parts))
        reading = replace(said, failed=error is not None, context=context, shown=shown)
        if not isinstance(error, ContextTooLongError):
            return reading
        # Half of what was shown, and not of the limit, which may be more than there is.
        smaller = min(longest, len(context.text)) // 2
        if smaller >= SMALLEST:
            return await self.reading(sentences, repeat, longest=smaller)
        if len(sentences) == 1:
            return reading
        halves = split_in_half(sentences)
        return join_verdicts(
            await every(self.reading(half, repeat, longest=longest) for half in halves)
        )

    async def _ask(
        self, sentences: Sequence[int], repeat: int, context: Context
    ) -> tuple[Reading, ModelError | None]:
        fields: Fields = {
            "role": Plain(self.role),
            "context": context.text,
            "question": self.question,
            "answer": surroundings(self.message, sentences),
        }
        # What is asked again counts on from here, and must not meet another repeat.
        first, attempts = repeat * ATTEMPTS, 1 if self.as_published else ATTEMPTS
        if self.way != "sca":
            shape = Bare if self.way == "bcv" else Reasoned
            answer = await self.session.ask(
                *(self.way, shape, fields),
                temperature=self.temperature,
                first=first,
                attempts=attempts,
            )
            told = value_or_reason(answer)
            if isinstance(told, str):
                return Reading(None, told), answer.error
            reasons = told.reasons if isinstance(told, Reasoned) else ""
            return Reading(_yes(told.hallucination), reasons=reasons), None

        def of(wanted: Sequence[int]) -> Fields:
            asked = {index: sentence_text(self.message, index) for index in wanted}
            return {**fields, "sentences": asked}

        answers = await self.session.ask_each(
            *("sca", SentenceWord, sentences, of),
            # After the sentences, so that the verdict on the whole can rest on them.
            ending=Closing,
            # The whole answer is judged at its end, so `reading` cuts what is shown and not the
            # list.
            halve=False,
            temperature=self.temperature,
            first=first,
            attempts=attempts,
        )
        closing = answers.ending if isinstance(answers.ending, Closing) else None
        whys = [*answers.missing.values(), answers.error.why if answers.error else ""]
        lost = main_reason(filter(None, whys)) if any(whys) else NO_VERDICT
        reading = Reading(
            verdict=None if closing is None else _yes(closing.hallucination),
            lost="" if closing is not None else lost,
            sentences=answers.found,
            missing=answers.missing,
            on_question=None if closing is None else _yes(closing.answers_question),
        )
        return reading, answers.error


def join_verdicts(readings: Sequence[Reading]) -> Reading:
    """Return the readings of several stretches in one repeat as one: one with a hallucination is
    enough, and one that answers the question. Of none it is nothing."""
    if len(readings) == 1:
        return readings[0]
    verdicts = [one.verdict for one in readings]
    heard = [one.on_question for one in readings]
    return Reading(
        # A stretch without a verdict may hold the hallucination that the others lack.
        verdict=True if True in verdicts else None if None in verdicts else False,
        lost=next((one.lost for one in readings if one.lost), ""),
        failed=any(one.failed for one in readings),
        reasons="\n".join(one.reasons for one in readings if one.reasons),
        sentences={index: word for one in readings for index, word in one.sentences.items()},
        missing={index: why for one in readings for index, why in one.missing.items()},
        on_question=True if True in heard else None if None in heard else False,
        context=Context("", tuple(part for one in readings for part in one.context.parts)),
        shown=min((one.shown for one in readings), default=0),
    )


def _yes(word: Word) -> bool:
    return word == "yes"
