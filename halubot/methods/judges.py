"""`bcv`, `bcv-cot`, `sca`: the medical judges.

A judge reads the answer, beside a context, and says whether it contains
a hallucination.

    bcv       one verdict on the whole message
    bcv-cot   the same, after its reasons
    sca       sentence by sentence, with the passage of the context, and then one verdict

The context is the references; without any the judge goes by what it knows. If context and answer
do not fit the model, the context is cut smaller, then the answer. It is asked k times at
T > 0, and the score is the share of repeats that found a hallucination. If ours differs from the
paper: a repeat without a usable answer is left out and noted, not counted 0.5; the verdict on a
sentence comes by its number, so that no sentence is copied, and on every sentence; and in `sca` a
repeat found a hallucination also if only its word on a sentence or on the question says so, for
judges contradict themselves in their last word. As published an answer that cannot be used is not
asked for again and counts 0.5, and in `sca` the last word alone counts. The context is shown whole,
unless the option ``windows`` cuts it or it does not fit the model, which a note says.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.events import Emit, Event, Labelled, Note, Ranked, SentenceJudged
from halubot.evidence.context import LONGEST, NO_CONTEXT, Context, Contexts
from halubot.methods.calls.portions import (
    SENTENCES,
    SMALLEST,
    main_reason,
    sentence_text,
    split_in_half,
    stretches,
    surroundings,
)
from halubot.methods.calls.session import Fields, ModelSession, value_or_reason
from halubot.methods.driver import every_in_sight, stream_events
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.methods.sample_verdicts import judge_sentence, mean
from halubot.models.model_errors import ContextTooLongError, ModelError
from halubot_prompts import Plain

REPEATS: Final = 5
"""How often the judge is asked, as published."""

SOURCE: Final = "Díaz de Rábago 2024 (ICAI Comillas)"

IN_PART: Final = "the references were read in part"
"""What is noted if the judge was not shown all of them."""

_OF_SCA: Final = (
    "sentences come by number and none is left out; in the thesis the judge copies them"
)

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
    """One message before a judge."""

    session: ModelSession
    way: Way
    case: Case
    contexts: Contexts
    temperature: float

    async def reading(self, sentences: Sequence[int], repeat: int, longest: int) -> Reading:
        """Return the judge's word on these sentences, which are in a row, in the repeat of that
        number (from 0), beside ``longest`` characters of the context at most. Raises SettingError
        for a prompt that is broken."""
        wanted = [sentence_text(self.case.message, index) for index in sentences]
        asked = [self.case.question, *wanted] if self.case.question else wanted
        context = await aside(partial(self.contexts.of, asked, longest))
        said, error = await self._ask(sentences, repeat, context)
        shown = sum(end - start for _, start, end in dict.fromkeys(context.parts))
        reading = replace(said, failed=error is not None, context=context, shown=shown)
        if not isinstance(error, ContextTooLongError):
            return reading
        # Half of what was shown, and not of the limit, which may be more than there is.
        smaller = min(longest, len(context.text)) // 2
        if smaller >= SMALLEST:
            return await self.reading(sentences, repeat, smaller)
        if len(sentences) == 1:
            return reading
        halves = split_in_half(sentences)
        return join_verdicts(await every(self.reading(half, repeat, longest) for half in halves))

    async def _ask(
        self, sentences: Sequence[int], repeat: int, context: Context
    ) -> tuple[Reading, ModelError | None]:
        fields: Fields = {
            "role": Plain(self.case.options.get("role", "")),
            "context": context.text,
            "question": self.case.question or "",
            "answer": surroundings(self.case.message, sentences),
        }
        once = self.case.as_published
        if self.way != "sca":
            shape = Bare if self.way == "bcv" else Reasoned
            answer = await self.session.ask(
                *(self.way, shape, fields),
                temperature=self.temperature,
                repeat=repeat,
                once=once,
            )
            told = value_or_reason(answer)
            if isinstance(told, str):
                return Reading(None, told), answer.error
            reasons = told.reasons if isinstance(told, Reasoned) else ""
            return Reading(_yes(told.hallucination), reasons=reasons), None

        def of(wanted: Sequence[int]) -> Fields:
            asked = {index: sentence_text(self.case.message, index) for index in wanted}
            return {**fields, "sentences": asked}

        answers = await self.session.ask_each(
            *("sca", SentenceWord, sentences, of),
            # After the sentences, so that the verdict on the whole can rest on them.
            ending=Closing,
            # The whole answer is judged at its end, so `reading` cuts what is shown and not the
            # list.
            halve=False,
            temperature=self.temperature,
            repeat=repeat,
            once=once,
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
        if self.score is None:
            return None
        return GUILTY if self.score >= threshold else INNOCENT

    def ranks(self) -> tuple[float | None, ...]:
        """The share of each sentence by itself, or of the message; None if nobody spoke of it."""
        return tuple(self._share(index) for index in range(self.count))

    def sentences(self, threshold: float) -> Iterator[SentenceJudged]:
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
            yield judge_sentence(index, score, threshold, why)

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
    """What SCA said in one repeat, as a report holds it."""
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


class ContextJudge:
    """A method object. Its options are ``role``, whose part the judge takes ("medical expert"),
    ``repeats``, how often it is asked (5; once is at T = 0), and ``windows``, how many `LONGEST`
    characters of the context it is shown ("all").

    There are no facts. The message's score is the share of repeats that found a hallucination, and
    makes the label; None if every repeat was lost. In `bcv` and `bcv-cot` each sentence has the
    message's score and verdict, and the reason says so. In `sca` a sentence has the share of the
    repeats that spoke of it which called it hallucinated; if the message is doubted and no sentence
    by itself, those that any repeat doubted share its score, or else all. ``rank`` is a sentence's
    own share.
    """

    needs: tuple[str, ...] = ("model",)
    needs_all = False
    source = SOURCE
    differs: tuple[str, ...] = (
        "prompts are in our words, and answers are bound to a schema",
        "prompts show an example or two; those of the thesis show none",
        "the temperature is 1, which the thesis does not name",
        "a call that failed leaves the mean",
        "the threshold is set by hand; that of the thesis is the best on its test data",
    )
    default_threshold = SET_BY_HAND

    def __init__(self, way: Way, summary: str) -> None:
        self.name = str(way)
        self.summary = summary
        self._way = way
        if way == "sca":
            self.differs = (*self.differs, _OF_SCA)

    def calls(self, size: Size) -> int:
        """One a repeat; in `sca` more if the sentences are more than a call takes."""
        return REPEATS * math.ceil(size.sentences / self._together(size.sentences))

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The verdicts, the ranks, the label and the details once all repeats are in."""
        return stream_events(partial(self._work, case))

    async def _work(self, case: Case, emit: Emit) -> None:
        session, repeats = case.require_session(), case.options.get("repeats", REPEATS)
        if not case.references:
            why = "no reference was given, so the judge goes by what it knows"
            emit(Note(what="there is no context to judge by", why=why))
        count = len(case.message.sentences)
        unread, rows = stretches(case.message, self._together(count))
        contexts = Contexts(case.references)
        temperature = TEMPERATURE if repeats > 1 else 0.0
        hearing = Hearing(session, self._way, case, contexts, temperature)
        windows = case.options.get("windows", "all")
        longest = contexts.length if windows == "all" else windows * LONGEST

        async def ask(repeat: int) -> Reading:
            return join_verdicts(await every(hearing.reading(row, repeat, longest) for row in rows))

        asking = [ask(repeat) for repeat in range(repeats if rows else 0)]
        readings = await every_in_sight(asking, "asking the judge", emit)
        by_sentence = self._way == "sca"
        jury = Jury(count, readings, unread, by_sentence, as_published=case.as_published)
        details = await aside(jury.details)
        for event in jury.sentences(case.threshold):
            emit(event)
        emit(Ranked(score=jury.score, facts=(), sentences=jury.ranks()))
        if case.references:
            shown = min((one.shown for one in readings), default=0)
            details["context"] = {"shown": shown, "of": contexts.length}
            if readings and shown < contexts.length:
                why = f"of {contexts.length:,} characters the {shown:,} nearest to it were shown"
                emit(Note(what=IN_PART, why=why))
        emit(Labelled(label=jury.label(case.threshold), details=details))
        if jury.failures:
            what = f"{len(jury.failures)} of {repeats} repeats brought no verdict"
            emit(Note(what=what, why=main_reason(jury.failures)))

    def _together(self, sentences: int) -> int:
        """Return how many sentences are judged in one call at most."""
        return SENTENCES if self._way == "sca" else max(1, sentences)


BCV: Final = ContextJudge("bcv", "a model's verdict on the whole message, by references if any")
BCV_COT: Final = ContextJudge("bcv-cot", "the same, with the model's reasons before each verdict")
SCA: Final = ContextJudge("sca", "a model's verdict on each sentence, with a passage of references")
