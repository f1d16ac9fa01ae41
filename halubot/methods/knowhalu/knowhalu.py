"""`knowhalu`: the details of an answer looked up one by one, then judged twice.

First it is asked whether the answer says what the question asks for: one that does not is
OFF-TARGET, one that declines to answer is no hallucination. Then its details are looked up query by
query, in references and in knowledge; what is found is written down as a sentence and as triplets,
and by each of the two forms the answer is judged CORRECT, INCORRECT or INCONCLUSIVE; of both one
verdict is made (`halubot.methods.knowhalu.aggregation`).

A summary is judged in segments, against its document as all there is to know: one bad segment
condemns it, and what the document leaves open is INCORRECT.

Merged, a check takes 3 calls and one a query: the extraction comes in one call with the first
query, each query's knowledge with the next query, in both forms and for several segments, and both
judgements are asked for at once. As published, all is asked for one by one, each form by itself,
and a thought comes before each query; references for an answer are shown whole, without retrieval;
the segments of a summary are packed to 30 words, and judged CORRECT or INCORRECT.

`docs/methods.md` has a table of every step, ours and as published.

Source: KnowHalu (anonymous, under review), sections 3 and 4, algorithm 1 and table 21.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar

from halubot.errors import SettingError
from halubot.events import Emit, Event
from halubot.methods.driver import stream_events, unjudged_events
from halubot.methods.knowhalu.aggregation import FORMS, Form, Rule
from halubot.methods.knowhalu.inquiry import Settings, Task, look_into
from halubot.methods.knowhalu.judgement import REPEATS
from halubot.methods.knowhalu.lookup import MOST_STEPS, NEAREST, is_document
from halubot.methods.knowhalu.queries import QueryForm
from halubot.methods.registry import Case, Size
from halubot.report import Threshold

T = TypeVar("T", bound=str)
FormsOption = Literal["both", "text", "triplets"]
OffTarget = Literal["check", "skip"]
Knowledge = Literal["given", "searched"]


class Published(NamedTuple):
    """A row of table 21: the rule of one model, and the form of queries that it was found with."""

    rule: Rule
    query_form: QueryForm


def _row(on: str, query_form: QueryForm, base: Form, d1: float, d2: float) -> Published:
    return Published(Rule(base, d1, d2, f"HaluEval {on}, by its paper"), query_form)


_STARLING: Final = "Starling-7B"
_MODELS: Final = {"mistral-7b": "Mistral-7B", "gpt-3.5": "GPT-3.5"}
"""By what a judge's name holds, the model of the paper that it is."""

TABLE_21: Final[Mapping[tuple[Task, Knowledge], Mapping[str, Published]]] = {
    ("answer", "given"): {
        _STARLING: _row("QA with Starling-7B", "general", "text", 0.986236, 0.995475),
        "Mistral-7B": _row("QA with Mistral-7B", "general", "text", 0.995717, 0.958954),
        "GPT-3.5": _row("QA with GPT-3.5", "both", "triplets", 0.999978, 0.999994),
    },
    ("answer", "searched"): {
        _STARLING: _row("QA with Wikipedia and Starling-7B", "both", "text", 0.999455, 0.999241),
        "Mistral-7B": _row("QA with Wikipedia and Mistral-7B", "both", "text", 0.997418, 0.999343),
        "GPT-3.5": _row("QA with Wikipedia and GPT-3.5", "both", "triplets", 0.999884, 0.999934),
    },
    ("summary", "given"): {
        _STARLING: _row("summaries with Starling-7B", "both", "text", 0.999103, 0.999436),
        "GPT-3.5": _row("summaries with GPT-3.5", "both", "triplets", 0.999881, 0.999915),
    },
}
"""How two judgements become one if nothing else is said. Other models are otherwise sure: find
numbers of your own on labelled rows."""


def published_thresholds(task: Task, knowledge: Knowledge, model: str) -> Published:
    """The row of table 21 for a judge of that name: that of Starling-7B for a model that the paper
    does not have."""
    rows = TABLE_21[task, "given" if task == "summary" else knowledge]
    named = next((name for part, name in _MODELS.items() if part in model.casefold()), _STARLING)
    # 12 of the 16 thresholds lie above .997 and mean nothing for another judge (docs/methods.md);
    # some row has to be taken.
    return rows.get(named, rows[_STARLING])


OF_RULE: Final = frozenset({"base", "d1", "d2"})
OPTIONS: Final = (
    *("task", "repeats", "forms", "query_form", "passages", "off_target", "base", "d1", "d2"),
    "embeddings",
)

YOURS: Final = "no data (given by hand)"
"""What a rule was fitted on whose numbers were given as options."""


class KnowHalu:
    """The method object.

    Its options:

    ``task``        "answer" or "summary"; by default a summary if no question is known and one
                    reference is given, and an answer else
    ``repeats``     how often a judgement is asked for if no log-probabilities come (5)
    ``forms``       the forms of knowledge to judge by: "both", "text" or "triplets"
    ``query_form``  "both", "specific" or "general" (both; as published that of table 21)
    ``passages``    how many are retrieved for each form of a query, or "all" for each reference as
                    a whole (3 of one document, else 2; as published "all" for an answer)
    ``off_target``  "check" or "skip" whether the answer says what the question asks for
    ``embeddings``  who makes vectors by which passages of references are found, beside their words:
                    ``local:MODEL``, or a name as litellm knows it (nobody)
    ``base``, ``d1``, ``d2``  the rule that makes one verdict of two: "text" or "triplets", and 0
                    to 1 each (those of table 21)

    A message's score is above 0.5 by half the confidence if it is INCORRECT, below by as much
    if it is CORRECT, 1 for OFF-TARGET, 0 for a refusal, and None if it is INCONCLUSIVE; a
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
        segments, and if no log-probabilities come."""
        return 3 + MOST_STEPS

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The facts by rules; what is looked up, under details; the verdicts, the ranks, the label.
        Raises SettingError for an option that does not exist or cannot have that value."""
        return stream_events(partial(self._work, case, self.read_options(case)))

    def read_options(self, case: Case) -> Settings:
        """The options of a case, with what holds if they are not given. Raises SettingError."""
        case.refuse_options(self.name, *OPTIONS)
        alone = not case.question and is_document(case)
        task: Task = _one_of(case, "task", ("answer", "summary"), "summary" if alone else "answer")
        repeats = case.options.get("repeats", REPEATS)
        if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 1:
            raise SettingError(f"repeats is {repeats!r}, not a whole number from 1")
        forms: FormsOption = _one_of(case, "forms", ("both", "text", "triplets"), "both")
        searched: Knowledge = "given" if case.knowledge is None else "searched"
        judge = "" if case.talk is None else case.talk.judge.name
        row = published_thresholds(task, searched, judge)
        usual: QueryForm = row.query_form if case.as_published else "both"
        rule = _rule(case, row.rule)
        # The paper shows given knowledge whole, and retrieves only from documents and Wikipedia.
        whole = case.as_published and task == "answer" and bool(case.references)
        checks: OffTarget = _one_of(case, "off_target", ("check", "skip"), "check")
        return Settings(
            task,
            repeats,
            # Of a single form nothing is left to supplement.
            rule if forms == "both" else replace(rule, base=forms),
            case.limit(self.default_threshold),
            FORMS if forms == "both" else (forms,),
            _one_of(case, "query_form", ("both", "specific", "general"), usual),
            _passages(case, None if whole else NEAREST[is_document(case)]),
            checks == "check",
        )

    async def _work(self, case: Case, settings: Settings, emit: Emit) -> None:
        if case.talk is None:
            for event in unjudged_events(case, f"{self.name} needs a model: name one with --model"):
                emit(event)
            return
        await look_into(case, case.talk, settings, emit)


def _one_of(case: Case, name: str, known: tuple[T, ...], usual: T) -> T:
    """An option that is one of some words. Raises SettingError for others."""
    value = case.options.get(name, usual)
    found = next((one for one in known if one == value), None)
    if found is None:
        words = [repr(one) for one in known]
        raise SettingError(f"{name} is {value!r}, not {', '.join(words[:-1])} or {words[-1]}")
    return found


def _passages(case: Case, usual: int | None) -> int | None:
    """Return how many passages are retrieved; None for each reference as a whole. Raises
    SettingError."""
    value = case.options.get("passages", usual)
    if value is None or value == "all":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SettingError(f"passages is {value!r}, not 'all' or a whole number from 1")
    return value


def _rule(case: Case, default: Rule) -> Rule:
    """The rule: what the options say of it, else the default. Raises SettingError."""
    given = {name: case.options[name] for name in OF_RULE if name in case.options}
    if given.get("base", "text") not in FORMS:
        raise SettingError(f"base is {given['base']!r}, not 'text' or 'triplets'")
    for name in given.keys() - {"base"}:
        if not isinstance(given[name], int | float) or not 0 <= given[name] <= 1:
            raise SettingError(f"{name} is {given[name]!r}, not between 0 and 1")
    # Part of a rule by hand makes all of it unmeasured.
    if given:
        return replace(default, **given, fitted_on=YOURS)
    return default


METHOD: Final = KnowHalu()
