"""`knowhalu`: the details of an answer looked up one by one, then judged twice.

First it is asked whether the answer says what the question asks for: one that does not is
OFF-TARGET, one that declines to answer is no hallucination. Then its details are looked up query by
query, in references and in knowledge; what is found is written down as a sentence and as triplets,
and by each of the two forms the answer is judged CORRECT, INCORRECT or INCONCLUSIVE; of both one
verdict is made (`halubot.methods.aggregating`).

A summary is judged in segments, against its document as all there is to know: one bad segment
condemns it, and what the document leaves open is INCORRECT.

Merged, a check takes 3 calls and one a query: the extraction comes in one call with the first
query, each query's knowledge with the next query, in both forms and for several segments, and both
judgements are asked for at once. As published, all is asked for one by one, each form by itself.

Source: KnowHalu (anonymous, under review), sections 3 and 4, algorithm 1 and table 21.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from halubot.errors import SettingError
from halubot.events import Emit, Event
from halubot.facts import Threshold
from halubot.methods.aggregating import FORMS, Rule
from halubot.methods.driving import streamed, unjudged
from halubot.methods.inquiry import Settings, Task, look_into
from halubot.methods.registry import Case, Size
from halubot.steps.deciding import REPEATS
from halubot.steps.looking_up import MOST_STEPS

RULES: Final[Mapping[Task, Rule]] = {
    "answer": Rule("text", 0.986236, 0.995475, "HaluEval QA with Starling-7B, by its paper"),
    "summary": Rule(
        "text", 0.999103, 0.999436, "HaluEval summaries with Starling-7B, by its paper"
    ),
}
"""How two judgements become one where nothing else is said: table 21, with the knowledge given.
Other models are otherwise sure: `fit_quantiles` finds their numbers."""

YOURS: Final = "no data (given by hand)"
"""What a rule was fitted on whose numbers were given as options."""


class KnowHalu:
    """The method object.

    Its options: ``task`` "answer" or "summary", by default a summary where no question is known and
    one reference is given, and an answer else; ``repeats``, a whole number from 1, how often a
    judgement is asked for where no log-probabilities come; and ``base`` ("text" or "triplets"),
    ``d1`` and ``d2`` (0 to 1) of the rule that makes one verdict of two.

    A message's score is above 0.5 by half the confidence where it is INCORRECT, below by as much
    where it is CORRECT, 1 for OFF-TARGET, 0 for a refusal, and None where it is INCONCLUSIVE; a
    summary's is that of its worst segment. ``rank`` is ``score``.
    """

    name = "knowhalu"
    summary = "details looked up in references one by one by a model, then judged in two forms"
    looks_up = True
    needs: tuple[str, ...] = ("references", "model")
    needs_all = True
    source = "KnowHalu"
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def calls(self, size: Size) -> int:
        """Three, and one a query, of which there are 9 at most; more for a summary of more than 10
        segments, and where no log-probabilities come."""
        return 3 + MOST_STEPS

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The facts by rules; what is looked up, under details; the verdicts, the ranks, the label.
        Raises SettingError for an option that does not exist or cannot have that value."""
        return streamed(partial(self._work, case, self.read_options(case)))

    def read_options(self, case: Case) -> Settings:
        """The options of a case, with what holds where they are not given. Raises SettingError."""
        case.refuse_options(self.name, "task", "repeats", "base", "d1", "d2")
        alone = not case.question and len(case.references) == 1 and case.knowledge is None
        named = case.options.get("task", "summary" if alone else "answer")
        task = next((task for task in RULES if task == named), None)
        if task is None:
            raise SettingError(f"{self.name} checks an 'answer' or a 'summary', not {named!r}")
        repeats = case.options.get("repeats", REPEATS)
        if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
            raise SettingError(f"repeats is {repeats!r}, not a whole number from 1")
        rule = _rule(RULES[task], case.options)
        return Settings(task, repeats, rule, case.limit(self.default_threshold))

    async def _work(self, case: Case, settings: Settings, emit: Emit) -> None:
        if case.talk is None:
            for event in unjudged(case, f"{self.name} needs a model: name one with --model"):
                emit(event)
            return
        await look_into(case, case.talk, settings, emit)


def _rule(default: Rule, options: Mapping[str, Any]) -> Rule:
    """The rule with what the options change of it. Raises SettingError."""
    given = {name: options[name] for name in ("base", "d1", "d2") if name in options}
    if given.get("base", "text") not in FORMS:
        raise SettingError(f"base is {given['base']!r}, not 'text' or 'triplets'")
    for name in given.keys() - {"base"}:
        if not isinstance(given[name], int | float) or not 0 <= given[name] <= 1:
            raise SettingError(f"{name} is {given[name]!r}, not between 0 and 1")
    return replace(default, **given, fitted_on=YOURS) if given else default


METHOD: Final = KnowHalu()
