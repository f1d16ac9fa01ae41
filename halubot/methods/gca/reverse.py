"""Reverse verification: each part of a fact is asked for again, k times (GCA, section 3.4).

The head is the answer to a question, the relation is masked, and the tail is one of six. Merged,
one call prepares all facts and one asks for one part of all of them. As published each fact has
calls of its own, known facts stand beside it, the judge compares the relations, and an answer that
cannot be used is no match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel, Field
from rapidfuzz import fuzz

from halubot.concurrency import both, every
from halubot.methods.calls.extraction import Name, state_triple
from halubot.methods.calls.portions import too_long
from halubot.methods.calls.session import Fields, ModelSession, one_line, value_or_reason
from halubot.methods.driver import every_in_sight
from halubot.methods.relations import same_relation
from halubot.report import Triple
from halubot.values.names import fold, is_name, same_name

Part = Literal["head", "relation", "tail"]
Letter = Literal["A", "B", "C", "D", "E", "F"]

PARTS: Final[tuple[Part, ...]] = get_args(Part)
LETTERS: Final[tuple[Letter, ...]] = get_args(Letter)
OTHERS: Final = 5
"""Other tails that are offered beside the right one, at most."""
TEMPERATURE: Final = 1.0
"""The temperature of an answer that is asked for several times."""
MASK: Final = "?"
ALIKE: Final = 86.0
"""From which rapidfuzz `token_sort_ratio` on an answer is a head that is no name."""


class Question(BaseModel):
    """A question for the head of a fact."""

    question: str = Field(max_length=1000)


class Tails(BaseModel):
    """Other tails."""

    tails: list[Annotated[str, Field(max_length=400)]] = Field(max_length=OTHERS)


class Prepared(Question, Tails):
    """All that is needed to ask for the parts of one fact, with other wordings of its relation."""

    relations: list[Name] = Field(max_length=OTHERS)


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


_ASKED: Final[Mapping[Part, tuple[str, type[BaseModel]]]] = {
    "head": ("gca-heads", Named),
    "relation": ("gca-relations", Predicted),
    "tail": ("gca-choices", Chosen),
}


@dataclass(frozen=True, slots=True)
class Posed:
    """One fact as it is asked for. ``lost`` has the parts that cannot be asked for, and why."""

    fact: Triple
    lost: Mapping[Part, str]
    question: str = ""
    tails: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()

    @property
    def is_unfit(self) -> bool:
        """Return True if nothing of it can be asked for."""
        return len(self.lost) == len(PARTS)


class Trial(NamedTuple):
    """One answer, and whether it ``held``; None if no answer came. ``why`` says why none came, or
    why an answer that did not hold could not be used."""

    said: str = ""
    held: bool | None = None
    why: str = ""


Trials = Mapping[Part, Sequence[Trial]]


def share(trials: Sequence[Trial]) -> float | None:
    """Return the share of the answers that held; None without answers."""
    held = [trial.held for trial in trials if trial.held is not None]
    return sum(held) / len(held) if held else None


@dataclass(frozen=True)
class Examination:
    """Asks for the parts of facts, ``repeats`` times each. ``question`` is what the message
    answers, "" if that is not known; ``known`` are well supported facts."""

    session: ModelSession
    known: Sequence[Triple]
    repeats: int
    question: str
    as_published: bool

    async def pose(self, facts: Mapping[int, Triple]) -> dict[int, Posed]:
        """Return the facts as they are asked for, by their indexes. One call, as published two a
        fact. Raises SettingError for a prompt that is broken."""
        unfit = {index: why for index, fact in facts.items() if (why := _find_unfit(fact))}
        fit = [index for index in facts if index not in unfit]
        posed = {index: Posed(facts[index], dict.fromkeys(PARTS, unfit[index])) for index in unfit}
        if self.as_published:
            written = await every(self._write(facts[index]) for index in fit)
            return dict(sorted((posed | dict(zip(fit, written, strict=True))).items()))

        def fields(wanted: Sequence[int]) -> Fields:
            shown = {index: state_triple(facts[index]) for index in wanted}
            return {"known": [state_triple(triple) for triple in self.known], "facts": shown}

        answers = await self.session.ask_each("gca-prepare", Prepared, fit, fields)
        for index in fit:
            one = answers.found.get(index, answers.missing.get(index, ""))
            posed[index] = self._pose(facts[index], one, one)
        return dict(sorted(posed.items()))

    async def trials(self, posed: Mapping[int, Posed]) -> dict[int, Trials]:
        """Return the trials of each part of each fact. Three calls a repeat, all at once; as
        published as many a fact. Raises SettingError for a prompt that is broken."""
        asked = [(part, repeat) for part in PARTS for repeat in range(self.repeats)]
        asking = [self._round(part, repeat, posed) for part, repeat in asked]
        rounds = await every_in_sight(asking, "asking for parts of facts", self.session.emit)
        found: dict[int, dict[Part, list[Trial]]] = {
            index: {part: [] for part in PARTS} for index in posed
        }
        for (part, _), trials in zip(asked, rounds, strict=True):
            for index, trial in trials.items():
                found[index][part].append(trial)
        return dict(found)

    async def _write(self, fact: Triple) -> Posed:
        """As published: one call for the question and one for the tails."""
        stated = state_triple(fact)
        question, tails = await both(
            self.session.ask(
                "gca-question", Question, {"known": self._beside(fact), "fact": stated}
            ),
            self.session.ask("gca-tails", Tails, {"fact": stated}),
        )
        return self._pose(fact, value_or_reason(question), value_or_reason(tails))

    def _pose(self, fact: Triple, question: Question | str, tails: Tails | str) -> Posed:
        """Return the fact with what was written for it; a text says why nothing was."""
        lost: dict[Part, str] = {}
        asked = "" if isinstance(question, str) else one_line(question.question)
        offered = () if isinstance(tails, str) else _others(fact, tails.tails)
        head = fold(fact.head)
        if not asked:
            lost["head"] = question if isinstance(question, str) else "no question was written"
        # Whoever reads the question could answer it without knowing the fact.
        elif not self.as_published and head and f" {head} " in f" {fold(asked)} ":
            lost["head"] = "the question gives the head away"
        if not offered:
            lost["tail"] = tails if isinstance(tails, str) else "no other tail was written"
        relations = question.relations if isinstance(question, Prepared) else ()
        wordings = tuple(filter(None, map(one_line, relations)))
        return Posed(fact, lost, asked, offered, wordings)

    async def _round(self, part: Part, repeat: int, posed: Mapping[int, Posed]) -> dict[int, Trial]:
        trials = {i: Trial(why=one.lost[part]) for i, one in posed.items() if part in one.lost}
        wanted = {index: one for index, one in posed.items() if index not in trials}
        groups = [{i: one} for i, one in wanted.items()] if self.as_published else [wanted]
        for found in await every(self._ask(part, repeat, group) for group in groups if group):
            trials |= found
        return trials

    async def _ask(self, part: Part, repeat: int, posed: Mapping[int, Posed]) -> dict[int, Trial]:
        prompt, shape = _ASKED[part]
        offered = {index: offer(one, repeat) for index, one in posed.items()}

        def fields(wanted: Sequence[int]) -> Fields:
            if part == "head":
                return {"questions": {index: posed[index].question for index in wanted}}
            shown: dict[int, object] = {}
            for index in wanted:
                masked = state_triple(posed[index].fact._replace(**{part: MASK}))
                shown[index] = {"fact": masked, **offered[index]} if part == "tail" else masked
            # Merged, known facts would give away the parts of the others.
            known = self._beside(posed[wanted[0]].fact) if self.as_published else []
            question = "" if self.as_published else self.question
            return {"question": question, "known": known, "facts": shown}

        answers = await self.session.ask_each(
            prompt,
            shape,
            tuple(posed),
            fields,
            temperature=TEMPERATURE if self.repeats > 1 else 0.0,
            repeat=repeat,
        )
        # As published an answer that cannot be used is no match, and a failed call no trial.
        useless = False if self.as_published and answers.error is None else None
        trials = {index: Trial("", useless, why) for index, why in answers.missing.items()}
        for index, answer in answers.found.items():
            trials[index] = await self._hear(posed[index], answer, offered[index], repeat)
        return trials

    async def _hear(
        self, posed: Posed, answer: BaseModel, offered: Mapping[str, str], repeat: int
    ) -> Trial:
        match answer:
            case Named(answer=said):
                return Trial(said, names_head(said, posed.fact.head))
            case Chosen(true=letters):
                picked = [offered[letter] for letter in letters if letter in offered]
                return Trial("; ".join(picked), posed.fact.tail in picked)
            case Predicted(relation=said) if not self.as_published:
                wordings = (posed.fact.relation, *posed.wordings)
                return Trial(said, any(same_relation(said, one) for one in wordings))
            case Predicted(relation=said):
                first = state_triple(posed.fact._replace(relation=said))
                fields: Fields = {"first": first, "second": state_triple(posed.fact)}
                told = await self.session.ask("gca-same", Same, fields, repeat=repeat)
                same = value_or_reason(told)
                if isinstance(same, str):
                    return Trial(said, None if told.error else False, same)
                return Trial(said, same.same == "yes")
        raise AssertionError(answer)

    def _beside(self, fact: Triple) -> list[str]:
        """Return the known facts other than this one, as prompts show them."""
        return [state_triple(triple) for triple in self.known if triple != fact]


def names_head(answer: str, head: str) -> bool:
    """Return True if an answer names the head of a fact: as names are compared, or else in words
    that are nearly the same."""
    if not answer.strip():
        return False
    if same_name(answer, head):
        return True
    # One letter may tell two names apart.
    named = is_name(answer) and is_name(head)
    return not named and fuzz.token_sort_ratio(fold(answer), fold(head)) >= ALIKE


def offer(posed: Posed, repeat: int) -> dict[str, str]:
    """Return the tails that are offered in one repeat, by their letters, in an order that is the
    same in every run and gives nothing away."""

    def order(tail: str) -> str:
        return sha256("\n".join((*posed.fact, str(repeat), tail)).encode()).hexdigest()

    tails = sorted((posed.fact.tail, *posed.tails), key=order)
    return dict(zip(LETTERS, tails, strict=False))


def _others(fact: Triple, tails: Sequence[str]) -> tuple[str, ...]:
    """Return the tails that are not the fact's own, each once."""
    lines = {fold(line) or line: line for line in map(one_line, tails) if line}
    lines.pop(fold(fact.tail) or fact.tail, None)
    return tuple(lines.values())


def _find_unfit(fact: Triple) -> str | None:
    """Return why a fact cannot be asked for; None if it can."""
    if not all(any(letter.isalnum() for letter in part) for part in fact):
        return "it has no head, relation and tail that could be asked for"
    return too_long(state_triple(fact))
