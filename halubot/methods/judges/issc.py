"""`issc` and `issc-cot`: each other answer is read beside each sentence, and the judge says if it
supports the sentence, in `issc-cot` after its reasons.

Merged, one call judges all sentences by one sample, with canaries among them; as published, one
call judges one sentence by one.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, Field

from halubot.events import Emit, Labelled
from halubot.methods.calls.canaries import EACH
from halubot.methods.calls.citation import draw_form
from halubot.methods.calls.session import Fields, ModelSession
from halubot.methods.calls.verification import Judgement, Judging
from halubot.methods.judges.judges import SOURCE
from halubot.methods.registry import Case, role_of
from halubot.methods.selfcheck_prompt import SentencesBySamples
from halubot.report import Source
from halubot_prompts import Plain


class Contrast(NamedTuple):
    """The stance of an answer on a sentence: ``mark`` is 0 if it supports it, else 1; None if
    the judge's words cannot be used."""

    mark: int | None
    reasons: str = ""


class Held(BaseModel):
    """Whether the other answer supports the sentence."""

    supported: Literal["yes", "no"]


class _Reasons(BaseModel):
    reasons: str = Field(max_length=600)


class HeldWithReasons(Held, _Reasons):
    """Reasons, and then whether the other answer supports the sentence."""


def _read(said: Held) -> Contrast:
    reasons = said.reasons if isinstance(said, HeldWithReasons) else ""
    return Contrast(int(said.supported == "no"), reasons)


def _useless() -> Contrast:
    return Contrast(None)


def _rank(contrast: Contrast) -> int:
    return 2 if contrast.mark is None else contrast.mark


class SentencesAgainstSamples(SentencesBySamples[Contrast]):
    """A method object. Its option is ``role``, whose part the judge takes ("medical expert")."""

    source = SOURCE
    options = ("role",)
    differs = (
        "prompts are in our words, and answers are bound to a schema",
        "the judge is told to go by the other answer alone; the thesis does not say so",
        "a call that failed leaves the mean",
    )

    def __init__(self, name: str, summary: str, *, reasons: bool) -> None:
        self.name = name
        self.summary = summary
        self.canary_prompt = name
        self._reasons = reasons
        self._shape: type[Held] = HeldWithReasons if reasons else Held

    async def hear_sample(
        self, case: Case, session: ModelSession, text: str, sentences: Mapping[int, str]
    ) -> Judgement[Contrast]:
        """Return the stance of one answer on each sentence. One call; more, at once, for a long
        answer or many sentences: one part that supports is enough. As published an answer that
        cannot be used is not asked for again, and its mark is None."""
        about: Fields = {"role": Plain(role_of(case))}
        if not self._reasons:
            about = {**about, "form": Plain(draw_form(("yes", "no"), sentences.values()))}
        judging = Judging(
            *(session, self.name, "sentences", self._shape, sentences, _read, _rank),
            about=lambda _: about,
        )
        if case.as_published:
            judging = replace(judging, calls="apart", attempts=1, useless=_useless)
        else:
            # Reasons are long: one canary a call, where sentences without reasons have three.
            judging = replace(judging, canaries=1 if self._reasons else EACH)
        return await judging.by(text)

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
        """Tell the word of each sample."""
        emit(Labelled(details=_votes(samples, heard, len(rows))))


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
