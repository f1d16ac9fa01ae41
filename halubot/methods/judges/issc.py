"""`issc`, `issc-cot`: does each other answer support each sentence, as a model reads them?

The score of a sentence is the share of samples that do not support it, that of a message the mean
over its sentences, as published. `issc-cot` has the model write down its reasons first. Merged, one
call judges all sentences by one sample; as published, one call judges one sentence by one. Unlike
in `selfcheck-prompt` the answer is yes or no, nothing between, and a role can be given. An answer
that cannot be used leaves the mean; as published it counts 0.5.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from halubot.concurrency import aside
from halubot.events import Emit, Labelled, Note
from halubot.llm_calls.talk import Talk
from halubot.llm_calls.verification import Judgement
from halubot.methods.judges import bias
from halubot.methods.judges.judges import SOURCE, role_of
from halubot.methods.judges.jury import share
from halubot.methods.judges.support_calls import BARE, WITH_REASONS, Contrast, contrasts
from halubot.methods.registry import Case
from halubot.methods.selfcheckgpt.prompt import SentencesBySamples
from halubot.report import Source


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

    async def heard(
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
        """What each sample said, and whether the judge may be biased."""
        said = [[bool(mark) for mark in row if mark is not None] for row in rows]
        told = bias.leaning(said)
        rules = await aside(partial(bias.by_rules, case, samples)) if told.side else []
        doubt = bias.doubt_of_message(told, [share(row) for row in said], rules)
        details = {**_votes(samples, heard, len(rows)), "bias": told.details(doubt is not None)}
        emit(Labelled(details=details))
        if doubt is not None:
            emit(Note(what=bias.SUSPECT, why=doubt))


def _votes(
    samples: Sequence[Source], heard: Sequence[Judgement[Contrast]], sentences: int
) -> dict[str, Any]:
    """What each sample that was judged says of each sentence, "yes", "no" or None, by its id; and
    the reasons, where there are any."""
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
