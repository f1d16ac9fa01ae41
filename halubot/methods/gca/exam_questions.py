"""Facts made into the questions of an examination: each of its three parts is asked for in turn.

    head      a question that the head answers, built with facts that are well supported
    relation  the fact with its relation masked, and other wordings that would be right as well
    tail      the fact among up to five others, each with another tail of the same kind

Merged, one call writes all of it for many facts. As published a call writes the question of one
fact and another its tails; there are no wordings, for a call compares each answer.

Source: Fang et al., "Zero-resource Hallucination Detection for Text Generation via Graph-based
Contextual Knowledge Triples Modeling" (AAAI 2025), section 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from halubot.compare.names import fold
from halubot.concurrency import both, every
from halubot.llm_calls.extraction import Name
from halubot.llm_calls.portions import too_long
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import state_triple
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
        """Whether nothing of it can be asked for."""
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
    """A fact with what was written for it, where that is of use; else why it is not. With
    ``telling`` a question may give the head away, which nobody checks as published."""
    asked, offered = _line(question[0] or ""), _others(fact, tails[0] or ())
    lost: dict[Part, str] = {}
    if not asked:
        lost["head"] = question[1] or "no question was written"
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
    """Why a fact cannot be asked for; None where it can."""
    if not all(any(letter.isalnum() for letter in part) for part in triple):
        return "it has no head, relation and tail that could be asked for"
    return too_long(state_triple(triple))
