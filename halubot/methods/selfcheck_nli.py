"""`selfcheck-nli`: how far other answers contradict each sentence, by the verifier (SelfCheckGPT).

    S(i) = (1/N) * sum over n of P(contradict | sentence i, sample n),
    P(contradict) = e^c / (e^e + e^c)

with the verifier's logits c of contradiction and e of entailment; what is neutral is left out, as
published. The published model reads whole samples of up to 512 tokens; the verifier reads short
texts, so that a sample is read where it is most like the sentence. A baseline beside `consensus`.

Source: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), section 5.4, arXiv:2303.08896.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from halubot.events import Event, Labelled, Note, Ranked, SentenceJudged
from halubot.methods.calls.portions import sentence_text
from halubot.methods.registry import Case, Size
from halubot.methods.sample_verdicts import mean
from halubot.methods.sentence_quotes import stretch
from halubot.report import Threshold, Triple
from halubot.verifier import judge


class SelfCheckNli:
    """The method object. ``rank`` is ``score``, a message's score the mean over its sentences."""

    name = "selfcheck-nli"
    summary = "how far other answers contradict each sentence, by the verifier; no model"
    needs: tuple[str, ...] = ("samples",)
    needs_all = True
    source = "SelfCheckGPT NLI, arXiv:2303.08896"
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def calls(self, size: Size) -> int:
        """Always 0."""
        return 0

    def judge(self, case: Case) -> Iterator[Event]:
        """The verdict on each sentence, then the ranks; no facts.

        Raises SettingError for any option, and LocalModelError if the verifier cannot be loaded.
        """
        case.refuse_options(self.name)
        if case.references:
            why = f"{self.name} compares with samples only"
            yield Note(what="references were left out", why=why)
        threshold = case.limit(self.default_threshold)
        rows: list[list[float]] = []
        for index in range(len(case.message.sentences)):
            said = sentence_text(case.message, index)
            pairs = [(stretch(one.text or "", Triple("", "", said)), said) for one in case.samples]
            rows.append([contradiction(one.contradiction, one.entailment) for one in judge(pairs)])
            score = math.fsum(rows[-1]) / len(rows[-1])
            against = sum(one > EVEN for one in rows[-1])
            yield SentenceJudged(
                index=index,
                score=score,
                verdict="doubtful" if score >= threshold else "supported",
                reason=f"{against} of {len(rows[-1])} other answers rather contradict it",
            )
        yield Labelled(details={"contradicts": [[round(p, 4) for p in row] for row in rows]})
        scores = tuple(math.fsum(row) / len(row) for row in rows)
        yield Ranked(score=mean(scores), facts=(), sentences=scores)


EVEN: Final = 0.5
"""The probability of a contradiction that is as likely as not."""


def contradiction(contradicts: float, entails: float) -> float:
    """Return P(contradict) without the neutral class; 0.5 if neither class has any probability."""
    both = contradicts + entails
    return contradicts / both if both else EVEN


METHOD: Final = SelfCheckNli()
