"""Whether another answer supports sentences, with the judge's reasons or without (ISSC, ISSC-CoT).

Merged, one call holds all sentences against one answer; as published, one call one of them.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import Asking, Judgement, Judging, apart
from halubot.models.structured import ATTEMPTS
from halubot_prompts import Plain


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
    attempts = 1 if as_published else ATTEMPTS
    useless = _useless if as_published else None
    if reasons:
        asking = Asking(talk, HeldWithReasons, sentences, attempts)
        told = asking.together("issc-cot", "sentences", about)
        ask = apart(told) if as_published else told
        return await Judging(ask, _reason, _rank, useless=useless).of(text, sentences)
    bare = Asking(talk, Held, sentences, attempts).together("issc", "sentences", about)
    each = apart(bare) if as_published else bare
    return await Judging(each, _bare, _rank, useless=useless).of(text, sentences)


def _useless() -> Contrast:
    return Contrast(None)


def _bare(said: Held) -> Contrast:
    return Contrast(int(said.supported == "no"))


def _reason(said: HeldWithReasons) -> Contrast:
    return Contrast(int(said.supported == "no"), said.reasons)


def _rank(contrast: Contrast) -> int:
    return 2 if contrast.mark is None else contrast.mark
