"""The judgement on a text by what was looked up: by each of two forms of knowledge, how probable
that verdict is, and one verdict of both.

The base holds, unless it is inconclusive, or less sure than d1 while the supplement is surer than
d2.

Source: KnowHalu (anonymous, under review), section 3.2 d and e, algorithm 1 and appendix E.3.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from halubot.concurrency import every
from halubot.methods.calls.session import Fields, ModelSession, one_line
from halubot.methods.calls.verification import Judgement
from halubot.methods.knowhalu.lookup import Chain, Form
from halubot.models.model import Completion
from halubot.models.structured import Answers
from halubot.report import Span
from halubot_prompts import Plain

Conclusion = Literal["CORRECT", "INCORRECT", "INCONCLUSIVE"]
Part = Literal["base", "supplement"]

SILENCE: Final = 0.5
"""How sure it is that a text is wrong of which a complete source says nothing at all."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision by one form of knowledge, how sure it is in [0, 1], and how that is known.

    ``by`` is "log-probabilities", those of the verdict's own letters; "repeats", the share of
    repeated judgements that say the same; or "no knowledge" if there was nothing to judge by.
    A decision without knowledge abstains: nobody judged, so its confidence says nothing.
    """

    verdict: Conclusion
    confidence: float
    by: Literal["log-probabilities", "repeats", "no knowledge"] = "log-probabilities"
    reason: str = ""

    @property
    def score(self) -> float | None:
        """Return how wrong the text is, in [0, 1]: above 0.5 by half the confidence if it is
        INCORRECT, below by as much if it is CORRECT; None if neither is known."""
        match self.verdict:
            case "INCORRECT":
                return 0.5 + self.confidence / 2
            case "CORRECT":
                return 0.5 - self.confidence / 2
            case "INCONCLUSIVE":
                return None

    @property
    def as_closed(self) -> Decision:
        """The same if the sources hold all there is to know: what they leave open is wrong. One
        that abstains is then half sure: the silence of the sources is the only reason."""
        if self.verdict != "INCONCLUSIVE":
            return self
        confidence = SILENCE if self.abstains else self.confidence
        return replace(self, verdict="INCORRECT", confidence=confidence)

    def details(self, segment: int, form: Form) -> dict[str, Any]:
        """The decision as a report holds it."""
        judged = {"verdict": self.verdict, "confidence": round(self.confidence, 9), "by": self.by}
        return {"segment": segment, "form": form, **judged, "reason": self.reason}

    @property
    def abstains(self) -> bool:
        """Return True if there was nothing to judge by."""
        return self.by == "no knowledge"


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule by which two decisions become one. ``fitted_on`` names what the numbers were found
    on."""

    base: Form
    d1: float
    d2: float
    fitted_on: str

    @property
    def supplement(self) -> Form:
        return "triplets" if self.base == "text" else "text"

    def details(self) -> dict[str, Any]:
        """The rule as a report holds it."""
        known = {"base": self.base, "supplement": self.supplement, "d1": self.d1, "d2": self.d2}
        return {**known, "fitted_on": self.fitted_on}

    def choose_part(self, decisions: Mapping[Form, Decision]) -> Part | None:
        """Which decision holds (algorithm 1); the other if one is missing, None if both
        are. A decision that abstains counts as missing, unless there is no other."""
        # Nobody judged by a form without knowledge, so it does not override the other.
        known = {form: one for form, one in decisions.items() if not one.abstains} or decisions
        base, supplement = known.get(self.base), known.get(self.supplement)
        if base is None:
            return None if supplement is None else "supplement"
        if supplement is None:
            return "base"
        unsure = base.confidence < self.d1 and supplement.confidence > self.d2
        return "supplement" if base.verdict == "INCONCLUSIVE" or unsure else "base"

    def decide(self, decisions: Mapping[Form, Decision]) -> Decision | None:
        part = self.choose_part(decisions)
        if part is None:
            return None
        return decisions[self.base if part == "base" else self.supplement]


def decide_whole(segments: Sequence[Decision | None]) -> Decision | None:
    """The decision on a whole by those on its segments, at least one. One that is INCORRECT
    condemns it, the surest of several; else one that is not decided leaves it so, and one that is
    INCONCLUSIVE leaves it open. If all are CORRECT, the least sure of them stands for it."""
    known = [one for one in segments if one is not None]
    wrong = [one for one in known if one.verdict == "INCORRECT"]
    left = [one for one in known if one.verdict == "INCONCLUSIVE"]
    if wrong:
        # Section 4.3: one bad segment condemns the summary.
        return max(wrong, key=lambda one: one.confidence)
    if len(known) < len(segments):
        return None
    return left[0] if left else min(known, key=lambda one: one.confidence)


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
            repeat=turn,
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
    """Return the places of the words that an object by index has under ``key``."""
    # A quote behind a backslash stands inside a string.
    mark = re.compile(rf'(?<!\\)"(?:(\d{{1,6}})"\s*:\s*\{{|{key}"\s*:\s*"(\w+)")')
    found: dict[int, Span] = {}
    index = None
    # A thought may hold JSON of its own.
    for one in mark.finditer(text, text.rfind("</think>") + 1):
        if one[1]:
            index = int(one[1])
        elif index is not None:
            found[index] = one.span(2)
    return found
