"""Reverse verification: questions on each part of a fact, and does the judge find that part
again?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Final, Literal, TypeVar, get_args

from pydantic import BaseModel, Field

from halubot.compare import support
from halubot.compare.names import fold, is_name, same_name
from halubot.compare.operators import is_negative
from halubot.compare.triples import same_fact
from halubot.concurrency import both, every
from halubot.llm_calls.extraction import Name, state_triple
from halubot.llm_calls.portions import main_reason, too_long
from halubot.llm_calls.talk import Fields, Talk
from halubot.methods.gca.graphs import RELATION, cosine
from halubot.models.structured import ATTEMPTS, Answers
from halubot.report import Triple
from halubot.text import clean

Part = Literal["head", "relation", "tail"]


OTHERS: Final = 5
"""Other tails that are offered beside the right one, at most."""


Ending = Annotated[str, Field(max_length=400)]


class Question(BaseModel):
    """What is asked for the head of a fact."""

    question: str = Field(max_length=1000)


class Tails(BaseModel):
    """What is offered beside the tail of a fact."""

    tails: list[Ending] = Field(max_length=OTHERS)


class Prepared(Question, Tails):
    """All that is asked for of one fact at once."""

    relations: list[Name] = Field(max_length=OTHERS)


@dataclass(frozen=True)
class Posed:
    """One fact as it is asked for. ``lost`` are the parts that cannot be, and why."""

    fact: Triple
    question: str = ""
    tails: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    lost: Mapping[Part, str] = field(default_factory=dict)

    @property
    def unfit(self) -> bool:
        """Return True if nothing of it can be asked for."""
        # Head, relation and tail: all that could be asked for.
        return len(self.lost) == 3


async def pose_questions(
    talk: Talk,
    facts: Mapping[int, Triple],
    known: Sequence[Triple] = (),
    *,
    as_published: bool = False,
) -> dict[int, Posed]:
    """The facts as they are asked for, by their indexes, with the facts that are ``known``. One
    call; as published two a fact, all at once. A fact that lacks a part, or is too long, is asked
    for in none. Raises SettingError for a prompt that is broken."""
    unfit = {index: why for index, triple in facts.items() if (why := _unfit(triple))}
    fit = {index: triple for index, triple in facts.items() if index not in unfit}
    pose = _one_by_one if as_published else _together
    found = await pose(talk, fit, known)
    for index, why in unfit.items():
        # The fact stays in the list with its reason: none vanishes.
        lost: dict[Part, str] = {"head": why, "relation": why, "tail": why}
        found[index] = Posed(facts[index], lost=lost)
    return dict(sorted(found.items()))


def beside(known: Sequence[Triple], fact: Triple) -> list[str]:
    """The facts that are known, other than this one, as prompts show them."""
    return [state_triple(triple) for triple in known if triple != fact]


async def _together(
    talk: Talk, facts: Mapping[int, Triple], known: Sequence[Triple]
) -> dict[int, Posed]:
    def fields(wanted: Sequence[int]) -> Fields:
        shown = {index: state_triple(facts[index]) for index in wanted}
        return {"known": [state_triple(triple) for triple in known], "facts": shown}

    answers = await talk.ask_each("gca-prepare", Prepared, tuple(facts), fields)
    found = {}
    for index, fact in facts.items():
        prepared = answers.found.get(index)
        why = answers.missing.get(index)
        found[index] = _pose(
            fact,
            (prepared.question if prepared else None, why),
            (prepared.tails if prepared else None, why),
            prepared.relations if prepared else (),
        )
    return found


async def _one_by_one(
    talk: Talk, facts: Mapping[int, Triple], known: Sequence[Triple]
) -> dict[int, Posed]:
    async def one(index: int) -> tuple[int, Posed]:
        fact = facts[index]
        question, tails = await both(
            talk.ask(
                "gca-question", Question, {"known": beside(known, fact), "fact": state_triple(fact)}
            ),
            talk.ask("gca-tails", Tails, {"fact": state_triple(fact)}),
        )
        asked = question.value.question if question.value and not question.reason else None
        offered = tails.value.tails if tails.value and not tails.reason else None
        told = (asked, question.reason), (offered, tails.reason)
        return index, _pose(fact, *told, telling=True)

    return dict(await every(one(index) for index in facts))


def _pose(
    fact: Triple,
    question: tuple[str | None, str | None],
    tails: tuple[Sequence[str] | None, str | None],
    wordings: Sequence[str] = (),
    *,
    telling: bool = False,
) -> Posed:
    """A fact with what was written for it, if that is of use; else why it is not. With
    ``telling`` a question may give the head away, which nobody checks as published."""
    asked, offered = _line(question[0] or ""), _others(fact, tails[0] or ())
    lost: dict[Part, str] = {}
    if not asked:
        lost["head"] = question[1] or "no question was written"
    # Whoever reads the question could answer it without knowing the fact.
    elif not telling and fold(fact.head) and f" {fold(fact.head)} " in f" {fold(asked)} ":
        lost["head"] = "the question gives the head away"
    if not offered:
        lost["tail"] = tails[1] or "no other tail was written"
    kept = tuple(dict.fromkeys(filter(None, map(_line, wordings))))
    return Posed(fact, asked, offered, kept, lost)


def _others(fact: Triple, tails: Sequence[str]) -> tuple[str, ...]:
    """The tails that are not the fact's own, each once."""
    own = fold(fact.tail) or fact.tail
    lines = filter(None, map(_line, tails))
    return tuple(
        {fold(tail) or tail: tail for tail in lines if (fold(tail) or tail) != own}.values()
    )


def _line(text: str) -> str:
    """A text on one line, with nothing in it that no text may hold."""
    return " ".join(clean(text)[0].split())


def _unfit(triple: Triple) -> str | None:
    """Why a fact cannot be asked for; None if it can."""
    if not all(any(letter.isalnum() for letter in part) for part in triple):
        return "it has no head, relation and tail that could be asked for"
    return too_long(state_triple(triple))


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
    """The results of asking for one part of a fact, repeat by repeat."""

    words: tuple[Word, ...]

    @property
    def answers(self) -> list[str]:
        """Return the judge's answers, of the repeats that brought one."""
        return [word.said for word in self.words if word.lost is None]

    @property
    def failures(self) -> list[str]:
        """Why the others brought none."""
        return [word.lost for word in self.words if word.lost is not None]

    @property
    def unusable(self) -> list[str]:
        """Why answers that count as wrong could not be used."""
        return [word.unusable for word in self.words if word.unusable is not None]

    @property
    def share(self) -> float | None:
        """The share of answers that held, from 0 to 1; None if there was no answer."""
        held = [word.held for word in self.words if word.lost is None]
        return sum(held) / len(held) if held else None

    @property
    def reason(self) -> str | None:
        """Why there is no share; None if there is."""
        return main_reason(self.failures) if self.share is None and self.failures else None


@dataclass(frozen=True)
class Examination:
    """Facts that are asked for part by part. ``question`` is what the message answers, "" if
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
        # One call for all facts, since they share nothing but the prompt; as published one each.
        groups = [(index,) for index in wanted] if self.as_published else [wanted]
        for said in await every(ask(group, repeat) for group in groups if group):
            words |= said
        self.heard()
        return words

    async def _head(self, indexes: Sequence[int], repeat: int) -> dict[int, Word]:
        def fields(wanted: Sequence[int]) -> Fields:
            return {"questions": {index: self.posed[index].question for index in wanted}}

        answers = await self._ask("gca-heads", Named, indexes, fields, repeat)
        words = self._without(answers)
        for index, named in answers.found.items():
            head = self.posed[index].fact.head
            words[index] = Word(named.answer, same_thing(named.answer, head))
        return words

    async def _relation(self, indexes: Sequence[int], repeat: int) -> dict[int, Word]:
        def fields(wanted: Sequence[int]) -> Fields:
            facts = {index: _mask(self.posed[index].fact, "relation") for index in wanted}
            return {**self._around(wanted), "facts": facts}

        answers = await self._ask("gca-relations", Predicted, indexes, fields, repeat)
        words = self._without(answers)
        for index, predicted in answers.found.items():
            if self.as_published:
                words[index] = await self._compare_relation(index, predicted.relation, repeat)
                continue
            posed = self.posed[index]
            wordings = (posed.fact.relation, *posed.wordings)
            held = any(same_relation(predicted.relation, one) for one in wordings)
            words[index] = Word(predicted.relation, held)
        return words

    async def _compare_relation(self, index: int, relation: str, repeat: int) -> Word:
        """Return the judge's word on whether a relation that was given makes the same fact."""
        fact = self.posed[index].fact
        fields: Fields = {
            "first": state_triple(fact._replace(relation=relation)),
            "second": state_triple(fact),
        }
        # Numbered as in `_ask`: else the store would answer each repeat with the first one's words.
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

        answers = await self._ask("gca-choices", Chosen, indexes, fields, repeat)
        words = self._without(answers)
        for index, chosen in answers.found.items():
            picked = [offered[index][one] for one in chosen.true if one in offered[index]]
            words[index] = Word("; ".join(picked), self.posed[index].fact.tail in picked)
        return words

    def _without(self, answers: Answers[T]) -> dict[int, Word]:
        """The words of those that have no usable answer."""
        # As published an answer of no use is no match, and a call that failed leaves the share.
        if self.as_published and answers.error is None:
            return {index: Word(unusable=why) for index, why in answers.missing.items()}
        return {index: Word(lost=why) for index, why in answers.missing.items()}

    def _around(self, wanted: Sequence[int]) -> Fields:
        """Return what is shown beside masked facts."""
        # Merged, known facts beside masked ones would give away each other's parts.
        known = beside(self.known, self.posed[wanted[0]].fact) if self.as_published else []
        return {"question": "" if self.as_published else self.question, "known": known}

    async def _ask(
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
    """Return True if an answer names the head of a fact: as names are compared, or else in words
    that are nearly the same."""
    if not answer.strip():
        return False
    if same_name(answer, head):
        return True
    if is_name(answer) and is_name(head):
        return False  # one letter may tell two names apart
    return same_fact(Triple("", "", answer), Triple("", "", head))


def same_relation(given: str, wording: str) -> bool:
    """Return True if two relations mean the same, by their words; neither or both deny."""
    if is_negative(given) != is_negative(wording):
        return False
    return cosine(support.vector(given), support.vector(wording)) > RELATION


def options(posed: Posed, repeat: int) -> dict[str, str]:
    """The tails that are offered in one repeat, by their letters, in an order that hangs on what
    they say and on the repeat, so that it is the same in every run and tells nothing."""

    def order(tail: str) -> str:
        return sha256("\n".join((*posed.fact, str(repeat), tail)).encode()).hexdigest()

    tails = sorted((posed.fact.tail, *posed.tails), key=order)
    return dict(zip(LETTERS, tails, strict=False))


def _mask(fact: Triple, part: Part) -> str:
    return state_triple(fact._replace(**{part: MASK}))
