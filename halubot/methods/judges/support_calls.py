"""Whether another answer supports sentences, with the judge's reasons or without (ISSC, ISSC-CoT).

Merged, one call holds all sentences against one answer, with canaries among them; as published, one
call one of them.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field

from halubot.llm_calls.canaries import EACH, plant
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import Ask, Asking, Judgement, Judging, apart
from halubot.models.structured import ATTEMPTS
from halubot_prompts import Plain

T = TypeVar("T", bound=BaseModel)

BARE: Final = "issc"
WITH_REASONS: Final = "issc-cot"


class Contrast(NamedTuple):
    """What an answer says of a sentence: ``mark`` is 0 where it supports it, else 1; None where
    the judge's words cannot be used."""

    mark: int | None
    reasons: str = ""


class Held(BaseModel):
    """Whether the other answer supports the sentence."""

    supported: Literal["yes", "no"]


class HeldWithReasons(BaseModel):
    """Reasons, and then whether the other answer supports the sentence."""

    reasons: str = Field(max_length=600)
    supported: Literal["yes", "no"]


async def contrasts(
    talk: Talk,
    text: str,
    sentences: Mapping[int, str],
    *,
    reasons: bool = False,
    role: str = "",
    as_published: bool = False,
) -> Judgement[Contrast]:
    """What one answer says of each of some sentences, by their indexes. One call; more, at once,
    for a long answer or many sentences: one part that supports is enough. No sentences, no call.
    As published an answer that cannot be used is not asked for again, and its mark is None. Raises
    SettingError for a prompt that is broken."""
    about: Fields = {"role": Plain(role)}
    if reasons:
        reasoned = Asking(talk, HeldWithReasons, sentences, 1 if as_published else ATTEMPTS, _holds)
        # Reasons are long: one canary a call, where sentences without reasons have three.
        ask = _ask(reasoned, WITH_REASONS, about, most=1, as_published=as_published)
        return await _judging(ask, _reason, as_published).of(text, sentences)
    bare = Asking(talk, Held, sentences, 1 if as_published else ATTEMPTS, _holds)
    each = _ask(bare, BARE, about, most=EACH, as_published=as_published)
    return await _judging(each, _bare, as_published).of(text, sentences)


def _ask(asking: Asking[T], prompt: str, about: Fields, *, most: int, as_published: bool) -> Ask[T]:
    """Merged, all sentences in a call among canaries; as published one by one, without any."""
    if as_published:
        return apart(asking.together(prompt, "sentences", about))
    planting = partial(plant, sentences=True, most=most)
    return asking.among_canaries(prompt, "sentences", lambda _: about, plant=planting)


def _judging(
    ask: Ask[T], read: Callable[[T], Contrast], as_published: bool
) -> Judging[T, Contrast]:
    return Judging(ask, read, _rank, useless=_useless if as_published else None)


def _holds(said: Held | HeldWithReasons) -> bool:
    return said.supported == "yes"


def _useless() -> Contrast:
    return Contrast(None)


def _bare(said: Held) -> Contrast:
    return Contrast(int(said.supported == "no"))


def _reason(said: HeldWithReasons) -> Contrast:
    return Contrast(int(said.supported == "no"), said.reasons)


def _rank(contrast: Contrast) -> int:
    return 2 if contrast.mark is None else contrast.mark
