"""The judgement on a text by what was looked up in one form, and the probability of the verdict."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

from pydantic import BaseModel, Field

from halubot.concurrency import every
from halubot.methods.calls.session import Fields, ModelSession, one_line
from halubot.methods.calls.verification import Judgement
from halubot.methods.knowhalu.aggregation import Conclusion, Decision, Form
from halubot.methods.knowhalu.lookup import Chain
from halubot.models.model import Completion
from halubot.models.structured import ATTEMPTS, Answers
from halubot.report import Span
from halubot_prompts import Plain


def probabilities(completion: Completion, key: str) -> dict[int, tuple[str, float]]:
    """The word that stands under ``key`` at each index of an answer by index, and the probability
    of its tokens, all together, in [0, 1].

    Models spell one word in several tokens, and two words may begin alike, so every token that
    holds a letter of the word counts. Empty if the answer came without log-probabilities, or
    with such as do not spell it.
    """
    logprobs = completion.logprobs or ()
    # Log-probabilities may begin with thoughts or marks that the text does not have.
    begin = "".join(one.token for one in logprobs).find(completion.text)
    if not logprobs or begin < 0:
        return {}
    found: dict[int, tuple[str, float]] = {}
    edges = list(accumulate((len(one.token) for one in logprobs), initial=-begin))
    for index, (start, end) in _places(completion.text, key).items():
        first = bisect_right(edges, start, lo=1) - 1
        # A token may hold letters of the word and a quotation mark; it counts all the same.
        last = bisect_left(edges, end, lo=first)
        total = sum(one.logprob for one in logprobs[first:last])
        found[index] = completion.text[start:end], min(1.0, math.exp(total))
    return found


def _places(text: str, key: str) -> dict[int, Span]:
    """Return the places of the strings that an object by index has under ``key``, their quotes left
    out."""
    # Possessive: else each quote in a string without an end is tried anew.
    string = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
    entry = re.compile(
        rf'"(\d{{1,6}})"\s*:\s*\{{\s*(?:{string}\s*[:,]\s*)*?"{key}"\s*:\s*({string})', re.DOTALL
    )
    # A thought may hold JSON of its own.
    found = entry.finditer(text, text.rfind(_THOUGHT) + 1)
    return {int(one[1]): (one.start(2) + 1, one.end(2) - 1) for one in found}


_THOUGHT: Final = "</think>"

REPEATS: Final = 5
"""Judgements in all, the first among them, if no log-probabilities come."""

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


async def decisions(
    session: ModelSession,
    form: Form,
    texts: Mapping[int, str],
    chains: Mapping[int, Chain],
    around: Fields,
    *,
    repeats: int = REPEATS,
) -> Judgement[Decision]:
    """The decision on each text that was looked up, by one call; ``repeats - 1`` more, all at once,
    for those that came without log-probabilities.

    Of a text of which nothing is known in that form nothing can be said: the decision abstains, and
    the judge is not asked: it might answer what it believes itself. ``around`` are the fields
    "question" and "whole" of the prompt.
    """
    wanted = [index for index in texts if chains[index].knows(form)]
    found = {
        index: Decision("INCONCLUSIVE", 0.0, "no knowledge", "the sources say nothing of it")
        for index in texts
        if index not in wanted
    }

    def fields(indexes: Sequence[int]) -> Fields:
        known = {index: [step.as_shown(form) for step in chains[index].steps] for index in indexes}
        shown = {index: texts[index] for index in indexes}
        kind = Plain(KNOWLEDGE[form])
        return dict(around) | {"texts": shown, "form": kind, "knowledge": known}

    async def ask(indexes: Sequence[int], turn: int) -> Answers[Judged]:
        return await session.ask_each(
            "knowhalu-judge",
            Judged,
            indexes,
            fields,
            temperature=TEMPERATURE if turn else 0.0,
            first=turn * ATTEMPTS,
            # Repeats are made because none came.
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
            found[index] = _commonest(said)
    return Judgement(dict(sorted(found.items())), dict(answers.missing))


def _confidence(answers: Answers[Judged], index: int, verdict: Conclusion) -> float | None:
    """The probability of the verdict, in the last answer that gave it; None if it is not
    known."""
    # An answer that was asked for again may have come in a later completion.
    for completion in reversed(answers.completions):
        word, probability = probabilities(completion, _KEY).get(index, ("", 0.0))
        if word == verdict:
            return probability
    return None


def _commonest(said: Sequence[Judged]) -> Decision:
    """The verdict given most often, of equals the one given first, with its share."""
    counted = Counter(judged.verdict for judged in said)
    verdict, times = counted.most_common(1)[0]
    reason = next(judged.reason for judged in said if judged.verdict == verdict)
    return Decision(verdict, times / len(said), "repeats", one_line(reason))
