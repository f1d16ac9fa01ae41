"""Reverse verification: does the judge find a part of a fact again that was taken out of it?

Each of the three parts (`halubot.methods.gca.exam_questions`) is asked for several times at T > 0,
since the
repeats at T = 0 would be one answer. Merged, a call asks for one part of many facts; as published,
of one fact, with the facts that are known beside it, and a further call says whether a relation
that was given means the same. Merged no known fact is shown: it would give away the parts of those
that are asked for beside it. An answer that cannot be used is asked for again, and then left out;
as published it counts as no match. A call that fails brings no answer, and is always left out.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, TypeVar, get_args

from pydantic import BaseModel, Field

from halubot.compare import lexical
from halubot.compare.names import is_name, same_name
from halubot.compare.negation import is_negative
from halubot.compare.triples import same_fact
from halubot.concurrency import every
from halubot.llm_calls.extraction import Name
from halubot.llm_calls.portions import main_reason
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import state_triple
from halubot.methods.gca.exam_questions import OTHERS, Part, Posed, beside
from halubot.methods.gca.graphs import RELATION, cosine
from halubot.models.structured import ATTEMPTS, Answers
from halubot.report import Triple

T = TypeVar("T", bound=BaseModel)

TEMPERATURE: Final = 1.0
"""Of an answer that is asked for several times."""

PARTS: Final[tuple[Part, ...]] = get_args(Part)

MASK: Final = "?"
"""What stands in place of a part that was taken out."""

Letter = Literal["A", "B", "C", "D", "E", "F"]
LETTERS: Final[tuple[Letter, ...]] = get_args(Letter)


class Named(BaseModel):
    """The answer to a question for a head."""

    answer: Name


class Predicted(BaseModel):
    """The relation that was masked."""

    relation: Name


class Chosen(BaseModel):
    """The tails that make a true fact."""

    true: list[Letter] = Field(max_length=OTHERS + 1)


class Same(BaseModel):
    """Whether two facts mean the same."""

    same: Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class Word:
    """What the judge ``said`` of one part in one repeat, and whether it ``held``; or, with neither,
    why nothing came. ``unusable`` says why an answer that counts as wrong could not be used."""

    said: str = ""
    held: bool = False
    lost: str | None = None
    unusable: str | None = None


@dataclass(frozen=True)
class Trials:
    """What came of asking for one part of a fact, repeat by repeat."""

    words: tuple[Word, ...]

    @property
    def said(self) -> list[str]:
        """What the judge said, of the repeats that brought an answer."""
        return [word.said for word in self.words if word.lost is None]

    @property
    def lost(self) -> list[str]:
        """Why the others brought none."""
        return [word.lost for word in self.words if word.lost is not None]

    @property
    def unusable(self) -> list[str]:
        """Why answers that count as wrong could not be used."""
        return [word.unusable for word in self.words if word.unusable is not None]

    @property
    def share(self) -> float | None:
        """The share of answers that held, from 0 to 1; None where there was no answer."""
        held = [word.held for word in self.words if word.lost is None]
        return sum(held) / len(held) if held else None

    @property
    def reason(self) -> str | None:
        """Why there is no share; None where there is."""
        return main_reason(self.lost) if self.share is None and self.lost else None


@dataclass(frozen=True)
class Examination:
    """Facts that are asked for part by part. ``question`` is what the message answers, "" where
    that is not known; ``known`` are facts that are well supported, shown as published alone.
    ``heard`` is called after each part of each repeat."""

    talk: Talk
    posed: Mapping[int, Posed]
    repeats: int
    question: str = ""
    known: Sequence[Triple] = ()
    as_published: bool = False
    heard: Callable[[], None] = lambda: None

    async def trials(self) -> dict[int, dict[Part, Trials]]:
        """The trials of each part of each fact, by the facts' indexes; three calls a repeat, all at
        once. Raises SettingError for a prompt that is broken."""
        asked = [(part, repeat) for repeat in range(self.repeats) for part in PARTS]
        rounds = await every(self._round(part, repeat) for part, repeat in asked)
        return {
            index: {
                part: Trials(
                    tuple(
                        words[index]
                        for (of, _), words in zip(asked, rounds, strict=True)
                        if of == part
                    )
                )
                for part in PARTS
            }
            for index in self.posed
        }

    async def _round(self, part: Part, repeat: int) -> dict[int, Word]:
        """One part of all facts, once."""
        ask = {"head": self._head, "relation": self._relation, "tail": self._tail}[part]
        words = {
            index: Word(lost=posed.lost[part])
            for index, posed in self.posed.items()
            if part in posed.lost
        }
        wanted = tuple(index for index in self.posed if index not in words)
        groups = [(index,) for index in wanted] if self.as_published else [wanted]
        for said in await every(ask(group, repeat) for group in groups if group):
            words |= said
        self.heard()
        return words

    async def _head(self, indexes: Sequence[int], repeat: int) -> dict[int, Word]:
        def fields(wanted: Sequence[int]) -> Fields:
            return {"questions": {index: self.posed[index].question for index in wanted}}

        answers = await self._asked("gca-heads", Named, indexes, fields, repeat)
        words = self._without(answers)
        for index, named in answers.found.items():
            head = self.posed[index].fact.head
            words[index] = Word(named.answer, same_thing(named.answer, head))
        return words

    async def _relation(self, indexes: Sequence[int], repeat: int) -> dict[int, Word]:
        def fields(wanted: Sequence[int]) -> Fields:
            facts = {index: _mask(self.posed[index].fact, "relation") for index in wanted}
            return {**self._around(wanted), "facts": facts}

        answers = await self._asked("gca-relations", Predicted, indexes, fields, repeat)
        words = self._without(answers)
        for index, predicted in answers.found.items():
            if self.as_published:
                words[index] = await self._compared(index, predicted.relation, repeat)
                continue
            posed = self.posed[index]
            wordings = (posed.fact.relation, *posed.wordings)
            held = any(same_relation(predicted.relation, one) for one in wordings)
            words[index] = Word(predicted.relation, held)
        return words

    async def _compared(self, index: int, relation: str, repeat: int) -> Word:
        """Whether a relation that was given makes the same fact, as the judge sees it."""
        fact = self.posed[index].fact
        fields: Fields = {
            "first": state_triple(fact._replace(relation=relation)),
            "second": state_triple(fact),
        }
        answer = await self.talk.ask("gca-same", Same, fields, first=repeat * ATTEMPTS)
        if answer.value is None or answer.reason is not None:
            why = answer.reason or "the judge gave no answer"
            return Word(lost=why) if answer.error else Word(relation, unusable=why)
        return Word(relation, answer.value.same == "yes")

    async def _tail(self, indexes: Sequence[int], repeat: int) -> dict[int, Word]:
        offered = {index: options(self.posed[index], repeat) for index in indexes}

        def fields(wanted: Sequence[int]) -> Fields:
            facts = {
                index: {"fact": _mask(self.posed[index].fact, "tail"), **offered[index]}
                for index in wanted
            }
            return {**self._around(wanted), "facts": facts}

        answers = await self._asked("gca-choices", Chosen, indexes, fields, repeat)
        words = self._without(answers)
        for index, chosen in answers.found.items():
            picked = [offered[index][one] for one in chosen.true if one in offered[index]]
            words[index] = Word("; ".join(picked), self.posed[index].fact.tail in picked)
        return words

    def _without(self, answers: Answers[T]) -> dict[int, Word]:
        """The words of those that have no usable answer."""
        if self.as_published and answers.error is None:
            return {index: Word(unusable=why) for index, why in answers.missing.items()}
        return {index: Word(lost=why) for index, why in answers.missing.items()}

    def _around(self, wanted: Sequence[int]) -> Fields:
        """What is shown beside masked facts."""
        known = beside(self.known, self.posed[wanted[0]].fact) if self.as_published else []
        return {"question": "" if self.as_published else self.question, "known": known}

    async def _asked(
        self,
        prompt: str,
        shape: type[T],
        indexes: Sequence[int],
        fields: Callable[[tuple[int, ...]], Fields],
        repeat: int,
    ) -> Answers[T]:
        # What is asked again counts on from here, and must not meet another repeat.
        return await self.talk.ask_each(
            prompt,
            shape,
            tuple(indexes),
            fields,
            temperature=TEMPERATURE if self.repeats > 1 else 0.0,
            first=repeat * ATTEMPTS,
        )


def same_thing(answer: str, head: str) -> bool:
    """Whether an answer names the head of a fact: as names are compared, or else in words that are
    nearly the same."""
    if not answer.strip():
        return False
    if same_name(answer, head):
        return True
    if is_name(answer) and is_name(head):
        return False  # one letter may tell two names apart
    return same_fact(Triple("", "", answer), Triple("", "", head))


def same_relation(given: str, wording: str) -> bool:
    """Whether two relations mean the same, by their words; neither or both deny."""
    if is_negative(given) != is_negative(wording):
        return False
    return cosine(lexical.vector(given), lexical.vector(wording)) > RELATION


def options(posed: Posed, repeat: int) -> dict[str, str]:
    """The tails that are offered in one repeat, by their letters, in an order that hangs on what
    they say and on the repeat, so that it is the same in every run and tells nothing."""

    def order(tail: str) -> str:
        return sha256("\n".join((*posed.fact, str(repeat), tail)).encode()).hexdigest()

    tails = sorted((posed.fact.tail, *posed.tails), key=order)
    return dict(zip(LETTERS, tails, strict=False))


def _mask(fact: Triple, part: Part) -> str:
    return state_triple(fact._replace(**{part: MASK}))
