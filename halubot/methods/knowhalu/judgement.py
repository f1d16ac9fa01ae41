"""Whether texts are right, by what was looked up of them in one form, and how sure the judge is.

How sure it is, is the probability of its verdict. Where the provider sends no log-probabilities,
the judgement is repeated, and it is the share that says the same.

Source: KnowHalu (anonymous, under review), section 3.2 d and appendix A.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel, Field

from halubot.concurrency import every
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import Judgement
from halubot.methods.knowhalu.aggregation import Conclusion, Decision, Form
from halubot.methods.knowhalu.confidence import probabilities
from halubot.methods.knowhalu.queries import Chain, one_line
from halubot.models.structured import ATTEMPTS, Answers
from halubot_prompts import Plain

REPEATS: Final = 5
"""Judgements in all, the first among them, where no log-probabilities come."""

TEMPERATURE: Final = 1.0
"""Of the repeated judgements: else they would be one and the same."""

KNOWLEDGE: Final[Mapping[Form, str]] = {
    "text": "sentences",
    "triplets": "triplets, each as head | relation | tail",
}
"""What the knowledge is, in the words of the prompt."""

_KEY: Final = "verdict"


class Judged(BaseModel):
    """What is asked of each text: the reasons first, for the verdict to rest on them."""

    reason: str = Field(max_length=2000)
    verdict: Conclusion


class JudgedOfTwo(Judged):
    """The same where sources hold all there is to know, as published: nothing is left open."""

    verdict: Literal["CORRECT", "INCORRECT"]


async def decisions(
    talk: Talk,
    form: Form,
    texts: Mapping[int, str],
    chains: Mapping[int, Chain],
    around: Fields,
    *,
    repeats: int = REPEATS,
    ask_in_vain: bool = False,
    of_two: bool = False,
) -> Judgement[Decision]:
    """The decision on each text that was looked up, by one call; ``repeats - 1`` more, all at once,
    for those that came without log-probabilities.

    Of a text of which nothing is known in that form nothing can be said: the decision abstains, and
    the judge is not asked, unless ``ask_in_vain``: it might answer what it believes itself.
    ``around`` are the fields "question" and "whole" of the prompt. With ``of_two`` the judge has
    two verdicts to choose from.
    """
    wanted = [index for index in texts if ask_in_vain or chains[index].knows(form)]
    found = {
        index: Decision("INCONCLUSIVE", 0.0, "no knowledge", "the sources say nothing of it")
        for index in texts
        if index not in wanted
    }

    def fields(indexes: Sequence[int]) -> Fields:
        known = {index: [step.shown(form) for step in chains[index].steps] for index in indexes}
        shown = {index: texts[index] for index in indexes}
        kind = Plain(KNOWLEDGE[form])
        return dict(around) | {"texts": shown, "form": kind, "knowledge": known}

    async def ask(indexes: Sequence[int], turn: int) -> Answers[Judged]:
        return await talk.ask_each(
            "knowhalu-judge-summary" if of_two else "knowhalu-judge",
            JudgedOfTwo if of_two else Judged,
            indexes,
            fields,
            temperature=TEMPERATURE if turn else 0.0,
            first=turn * ATTEMPTS,
            logprobs=not turn,
        )

    answers = await ask(wanted, 0)
    unsure: list[int] = []
    for index, judged in answers.found.items():
        confidence = _confidence(answers, index, judged.verdict)
        if confidence is None:
            unsure.append(index)
        else:
            reason = one_line(judged.reason)
            found[index] = Decision(judged.verdict, confidence, reason=reason)
    if unsure:
        more = await every(ask(unsure, turn) for turn in range(1, repeats))
        for index in unsure:
            said = [one.found[index] for one in (answers, *more) if index in one.found]
            found[index] = _repeat(said)
    return Judgement(dict(sorted(found.items())), dict(answers.missing))


def _confidence(answers: Answers[Judged], index: int, verdict: Conclusion) -> float | None:
    """The probability of the verdict, in the last answer that gave it; None where it is not
    known."""
    for completion in reversed(answers.completions):
        word, probability = probabilities(completion, _KEY).get(index, ("", 0.0))
        if word == verdict:
            return probability
    return None


def _repeat(said: Sequence[Judged]) -> Decision:
    """The verdict given most often, of equals the one given first, with its share."""
    counted = Counter(judged.verdict for judged in said)
    verdict, times = counted.most_common(1)[0]
    reason = next(judged.reason for judged in said if judged.verdict == verdict)
    return Decision(verdict, times / len(said), "repeats", one_line(reason))
