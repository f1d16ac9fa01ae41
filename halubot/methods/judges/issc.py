"""`issc`, `issc-cot`: does each other answer support each sentence, as a model reads them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field

from halubot.concurrency import aside
from halubot.events import Emit, Labelled, Note
from halubot.llm_calls.canaries import EACH, plant
from halubot.llm_calls.citation import draw_form
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import Ask, Asking, Judgement, Judging, apart
from halubot.methods.judges import jury
from halubot.methods.judges.judges import SOURCE, role_of
from halubot.methods.judges.jury import share
from halubot.methods.registry import Case
from halubot.methods.selfcheckgpt.prompt import SentencesBySamples
from halubot.models.structured import ATTEMPTS
from halubot.report import Source
from halubot_prompts import Plain

T = TypeVar("T", bound=BaseModel)


BARE: Final = "issc"


WITH_REASONS: Final = "issc-cot"


class Contrast(NamedTuple):
    """The stance of an answer on a sentence: ``mark`` is 0 if it supports it, else 1; None if
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
    """Return what one answer says of each of some sentences, by their indexes. One call; more, at
    once, for a long answer or many sentences: one part that supports is enough. No sentences, no
    call. As published an answer that cannot be used is not asked for again, and its mark is None.
    Raises SettingError for a prompt that is broken."""
    about: Fields = {"role": Plain(role)}
    if reasons:
        reasoned = Asking(talk, HeldWithReasons, sentences, 1 if as_published else ATTEMPTS, _holds)
        # Reasons are long: one canary a call, where sentences without reasons have three.
        ask = _ask(reasoned, WITH_REASONS, about, most=1, as_published=as_published)
        return await _judging(ask, _reason, as_published).of(text, sentences)
    bare = Asking(talk, Held, sentences, 1 if as_published else ATTEMPTS, _holds)
    about = {**about, "form": Plain(draw_form(("yes", "no"), sentences.values()))}
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


class SentencesAgainstSamples(SentencesBySamples[Contrast]):
    """A method object. Its option is ``role``, whose part the judge takes ("medical expert")."""

    source = SOURCE
    differs = (
        "prompts are in our words, and answers are bound to a schema",
        "a call that failed leaves the mean",
    )

    def __init__(self, name: str, summary: str, *, reasons: bool) -> None:
        self.name = name
        self.summary = summary
        self.canary_prompt = WITH_REASONS if reasons else BARE
        self._reasons = reasons

    def read_options(self, case: Case) -> None:
        """Refuses options that do not exist, and a role that is not a short single line."""
        case.refuse_options(self.name, "role")
        role_of(case)

    async def hear_sample(
        self, case: Case, talk: Talk, text: str, sentences: Mapping[int, str]
    ) -> Judgement[Contrast]:
        """Yes or no, with reasons."""
        return await contrasts(
            talk,
            text,
            sentences,
            reasons=self._reasons,
            role=role_of(case),
            as_published=case.as_published,
        )

    def mark(self, said: Contrast) -> int | None:
        """0 or 1; None for words that cannot be used, which count 0.5 as published."""
        return said.mark

    async def conclude(
        self,
        case: Case,
        rows: Sequence[Sequence[int | None]],
        samples: Sequence[Source],
        heard: Sequence[Judgement[Contrast]],
        emit: Emit,
    ) -> None:
        """Tell the word of each sample, and whether the judge may be biased."""
        said = [[bool(mark) for mark in row if mark is not None] for row in rows]
        told = jury.leaning(said)
        rules = await aside(partial(jury.by_rules, case, samples)) if told.side else []
        doubt = jury.doubt_of_message(told, [share(row) for row in said], rules)
        details = {**_votes(samples, heard, len(rows)), "bias": told.details(doubt is not None)}
        emit(Labelled(details=details))
        if doubt is not None:
            emit(Note(what=jury.SUSPECT, why=doubt))


def _votes(
    samples: Sequence[Source], heard: Sequence[Judgement[Contrast]], sentences: int
) -> dict[str, Any]:
    """Return what each sample that was judged says of each sentence, "yes", "no" or None, by its
    id; and the reasons, if there are any."""
    rows = {
        sample.id: [said.found.get(index) for index in range(sentences)]
        for sample, said in zip(samples, heard, strict=bool(heard))
    }
    words = {
        id: [None if one is None or one.mark is None else _WORDS[one.mark] for one in row]
        for id, row in rows.items()
    }
    reasons = {id: [one.reasons if one else "" for one in row] for id, row in rows.items()}
    told = any(any(row) for row in reasons.values())
    return {"votes": words, "reasons": reasons} if told else {"votes": words}


_WORDS: Final = ("yes", "no")
"""The words of the marks 0 and 1."""

ISSC: Final = SentencesAgainstSamples(
    "issc", "whether other answers support each sentence, yes or no, by a model", reasons=False
)
ISSC_COT: Final = SentencesAgainstSamples(
    "issc-cot", "the same, with the model's reasons before each verdict", reasons=True
)
