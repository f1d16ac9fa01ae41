"""`selfcheck-nli`: how far other answers contradict each sentence, by the verifier (SelfCheckGPT).

    S(i) = (1/N) * sum over n of P(contradict | sentence i, sample n),
    P(contradict) = e^c / (e^e + e^c)

with the verifier's logits c of contradiction and e of entailment; what is neutral is left out, as
published. The published model reads whole samples of up to 512 tokens; the verifier reads short
texts, so that a sample is read where it is most like the sentence. A baseline beside `consensus`.

Source: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), section 5.4, arXiv:2303.08896.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from halubot.methods.calls.portions import sentence_text
from halubot.methods.quotes import stretch
from halubot.methods.registry import Case
from halubot.methods.sample_verdicts import Scored, SentenceScores, mean
from halubot.report import Triple
from halubot.verifier import Judgement, judge

EVEN: Final = 0.5
"""The probability of a contradiction that is as likely as not."""


def _score(case: Case, details: dict[str, Any]) -> Iterator[Scored]:
    """The mean probability of a contradiction over the samples."""
    details["contradicts"] = []
    for index in range(len(case.message.sentences)):
        said = sentence_text(case.message, index)
        pairs = [(stretch(one.text or "", Triple("", "", said)), said) for one in case.samples]
        row = [_contradiction(one) for one in judge(pairs)]
        details["contradicts"].append([round(one, 4) for one in row])
        against = sum(one > EVEN for one in row)
        yield mean(row), f"{against} of {len(row)} other answers rather contradict it"


def _contradiction(said: Judgement) -> float:
    """P(contradict) without the neutral class; 0.5 if neither class has any probability."""
    both = said.contradiction + said.entailment
    return said.contradiction / both if both else EVEN


METHOD: Final = SentenceScores(
    "selfcheck-nli",
    "how far other answers contradict each sentence, by the verifier; no model",
    source="SelfCheckGPT NLI, arXiv:2303.08896",
    scored=_score,
)
