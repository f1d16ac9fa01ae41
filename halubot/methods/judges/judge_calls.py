"""The word of a judge on an answer as a whole: one verdict (BCV), the same after its reasons
(BCV-CoT), or sentence by sentence and then one verdict (SCA).

An answer that cannot be used is asked for again and is then missing, with its reason: no verdict is
made up. As published it is not asked for again, and in SCA the judge splits the answer itself,
copies each sentence, and may stop at the first that is hallucinated; what it copied is found again
by its words. If context and answer do not fit the model, the context is cut smaller, then the
answer.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, TypedDict

from pydantic import BaseModel, Field
from rapidfuzz import fuzz, process

from halubot.concurrency import aside, every
from halubot.evidence.context import NO_CONTEXT, Context, Contexts
from halubot.methods.answers import value_or_reason
from halubot.methods.calls.portions import (
    SMALLEST,
    main_reason,
    sentence_text,
    split_in_half,
    surroundings,
)
from halubot.methods.calls.session import Fields, ModelSession
from halubot.models.model_errors import ContextTooLongError, ModelError
from halubot.models.structured import ATTEMPTS
from halubot.text import Document
from halubot_prompts import Plain

Word = Literal["yes", "no"]
Way = Literal["bcv", "bcv-cot", "sca"]
"""How the judge is asked: the name of the prompt."""

TEMPERATURE: Final = 1.0
"""Of a verdict that is asked for several times: their share is then the model's own probability."""

STOPPED: Final = "the judge stopped at the first hallucination, before this sentence"
LEFT_OUT: Final = "the judge left this sentence out"
"""Why a sentence has no word of a judge that splits the answer itself."""
NO_VERDICT: Final = "the judge gave no verdict"

ALIKE: Final = 80.0
"""From which rapidfuzz `ratio` on a copy that is not word for word is that of a sentence."""

FEW: Final = 3
"""Words that a part of a sentence has at least, to be known by them."""

_WORDS = re.compile(r"\w+")


class _Asking(TypedDict):
    temperature: float
    first: int
    attempts: int


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


class _Copy(BaseModel):
    sentence: str = Field(max_length=2000)


class Copied(SentenceWord, _Copy):
    """What SCA asks of each sentence as published, which the judge copies first."""


class _Copies(BaseModel):
    sentences: list[Copied] = Field(max_length=200)
    answers_question: Word


class SplitUp(Bare, _Copies):
    """What SCA asks for as published: the sentences that the judge makes of the answer, up to the
    first that is hallucinated, and then of the whole."""


@dataclass(frozen=True)
class Reading:
    """The judge's word on some sentences in a row, in one repeat.

    ``verdict`` is its last word on them, whether there is a hallucination; None if none came
    that was any use, and ``lost`` says why, ``failed`` that no answer came at all. ``reasons`` are
    its own. Of SCA each sentence is in ``sentences`` or, with the reason, in ``missing``;
    ``strange`` are those that it copied as published and that are not in the text; ``on_question``
    is None if it did not say whether the question was answered. ``context`` is what it was
    shown.
    """

    verdict: bool | None
    lost: str = ""
    failed: bool = False
    reasons: str = ""
    sentences: Mapping[int, SentenceWord] = field(default_factory=dict)
    missing: Mapping[int, str] = field(default_factory=dict)
    strange: tuple[str, ...] = ()
    on_question: bool | None = None
    context: Context = NO_CONTEXT

    @property
    def is_hallucination(self) -> bool | None:
        """Return the verdict by all it said, True for a hallucination: judges forget in their last
        word what they said of a sentence. None if nothing tells."""
        condemned = any(_yes(one.hallucinated) for one in self.sentences.values())
        return True if condemned or self.on_question is False else self.verdict


@dataclass(frozen=True)
class Hearing:
    """One message before a judge: ``question`` and ``role`` may be empty. ``longest`` is how many
    characters of the context are shown at most, None for all of them."""

    session: ModelSession
    way: Way
    message: Document
    contexts: Contexts
    question: str = ""
    role: str = ""
    temperature: float = TEMPERATURE
    longest: int | None = None
    as_published: bool = False

    async def reading(
        self, sentences: Sequence[int], repeat: int, *, longest: int | None = None
    ) -> Reading:
        """Return the judge's word on these sentences, which are in a row, in the repeat of that
        number (from 0). Raises SettingError for a prompt that is broken."""
        wanted = [sentence_text(self.message, index) for index in sentences]
        if self.question:
            wanted.insert(0, self.question)
        if longest is None:
            longest = self.contexts.length if self.longest is None else self.longest
        context = await aside(partial(self.contexts.of, wanted, longest))
        reading, error = await self._ask(sentences, repeat, context)
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
        if self.way == "sca" and not self.as_published:
            return await self._sentence_by_sentence(sentences, fields, repeat, context)
        shapes: dict[Way, type[Bare]] = {"bcv": Bare, "bcv-cot": Reasoned, "sca": SplitUp}
        prompt = "sca-published" if self.way == "sca" else self.way
        answer = await self.session.ask(prompt, shapes[self.way], fields, **self._asking(repeat))
        told = value_or_reason(answer)
        texts = {index: sentence_text(self.message, index) for index in sentences}
        if isinstance(told, str):
            missing = dict.fromkeys(texts, told) if self.way == "sca" else {}
            failed = answer.error is not None
            return Reading(None, told, failed, missing=missing, context=context), answer.error
        reading = Reading(_yes(told.hallucination), context=context)
        match told:
            case Reasoned(reasons=reasons):
                return replace(reading, reasons=reasons), None
            case SplitUp(sentences=copied, answers_question=on_question):
                found, strange = place_words(copied, texts)
                # The published prompt lets the judge stop there: what follows was not left out by
                # mistake.
                stopped = any(_yes(one.hallucinated) for one in found.values())
                last = max(found, default=-1)
                missing = {
                    index: STOPPED if stopped and index > last else LEFT_OUT
                    for index in texts
                    if index not in found
                }
                own = replace(reading, sentences=found, missing=missing, strange=strange)
                return replace(own, on_question=_yes(on_question)), None
        return reading, None

    def _asking(self, repeat: int) -> _Asking:
        """How often and how a call of a repeat is made."""
        # What is asked again counts on from here, and must not meet another repeat.
        first, attempts = repeat * ATTEMPTS, 1 if self.as_published else ATTEMPTS
        return {"temperature": self.temperature, "first": first, "attempts": attempts}

    async def _sentence_by_sentence(
        self, sentences: Sequence[int], fields: Fields, repeat: int, context: Context
    ) -> tuple[Reading, ModelError | None]:
        def of(wanted: Sequence[int]) -> Fields:
            asked = {index: sentence_text(self.message, index) for index in wanted}
            return {**fields, "sentences": asked}

        answers = await self.session.ask_each(
            "sca",
            SentenceWord,
            sentences,
            of,
            # After the sentences, so that the verdict on the whole can rest on them.
            ending=Closing,
            # The whole answer is judged at its end, so `reading` cuts what is shown and not the
            # list.
            halve=False,
            **self._asking(repeat),
        )
        closing = answers.ending if isinstance(answers.ending, Closing) else None
        reasons = [*answers.missing.values(), answers.error.why if answers.error else ""]
        lost = main_reason(filter(None, reasons)) if any(reasons) else NO_VERDICT
        reading = Reading(
            verdict=None if closing is None else _yes(closing.hallucination),
            lost="" if closing is not None else lost,
            failed=answers.error is not None,
            sentences=answers.found,
            missing=answers.missing,
            on_question=None if closing is None else _yes(closing.answers_question),
            context=context,
        )
        return reading, answers.error


def place_words(
    copied: Sequence[Copied], texts: Mapping[int, str]
) -> tuple[dict[int, SentenceWord], tuple[str, ...]]:
    """Return the words of a judge on the sentences ``texts``, by number, if it has copied them
    itself, and the copies that are none of them.

    A copy belongs to the sentence with the same words; else to each that it holds, or that holds
    it, by `FEW` words at least; else to the one most like it, from a ratio of `ALIKE` on. A
    sentence of several copies is hallucinated if one of them is.
    """
    ours = {index: _plain(text) for index, text in texts.items()}
    found: dict[int, SentenceWord] = {}
    strange: list[str] = []
    for one in copied:
        words = _plain(one.sentence)
        held = [index for index, own in ours.items() if own == words]
        # Judges join and cut sentences when they copy them.
        held = held or [index for index, own in ours.items() if _holds(words, own)]
        if not held:
            best = process.extractOne(words, ours, scorer=fuzz.ratio, score_cutoff=ALIKE)
            held = [] if best is None else [best[2]]
        if not held:
            strange.append(one.sentence)
        for index in held:
            if index not in found or not _yes(found[index].hallucinated):
                found[index] = SentenceWord(**one.model_dump(exclude={"sentence"}))
    return dict(sorted(found.items())), tuple(strange)


def _holds(one: str, other: str) -> bool:
    """Return True if the longer of two plain texts has the words of the other, which are not too
    few."""
    short, long = sorted((one, other), key=len)
    return len(short.split()) >= FEW and short in long


def _plain(text: str) -> str:
    """A sentence with a blank at both ends and between its words, without case and signs."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


def join_verdicts(readings: Sequence[Reading]) -> Reading:
    """Return the readings of several stretches in one repeat as one: one with a hallucination is
    enough, and one that answers the question. Of none it is nothing."""
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
        strange=tuple(text for one in readings for text in one.strange),
        on_question=True if True in heard else None if None in heard else False,
        context=Context(
            "\n\n".join(one.context.text for one in readings),
            tuple(part for one in readings for part in one.context.parts),
        ),
    )


def _yes(word: Word) -> bool:
    return word == "yes"
