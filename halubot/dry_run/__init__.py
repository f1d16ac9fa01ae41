"""The cost of a check, estimated without a call: the real work is done with a model that costs
nothing (`halubot.dry_run.free_model`), and without remote knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, Unpack, cast

from halubot.api import aask, acheck, run_to_end
from halubot.claims import extract, read_message
from halubot.correction.corrector import Hints
from halubot.correction_api import acorrect
from halubot.dry_run.free_model import ANSWER, RehearsingModel
from halubot.errors import SettingError
from halubot.events import Event, Note, SampleDrawn, Started
from halubot.evidence.retrieval import Passage
from halubot.evidence.web.queries import write_queries
from halubot.inputs import (
    Options,
    names_models,
    open_bases,
    read_options,
    sources,
    web_settings,
)
from halubot.methods.calls.portions import TOLD
from halubot.methods.driver import NOTHING_CHECKED, missing
from halubot.methods.knowledge_passages import IN_ALL
from halubot.methods.registry import Size
from halubot.models import server_model
from halubot.models.budget import most_calls
from halubot.models.model import LanguageModel, Listed
from halubot.models.panel import Panel, library
from halubot.models.published import listed_of, price
from halubot.money import dollars
from halubot.report import Source

_NOT_ASKED = frozenset(
    [
        *("model", "judge_model", "api_base", "store", "record", "replay", "panel"),
        *("max_calls", "max_cost", "concurrency", "timeout", "deadline", "watch"),
        *("system", "reasoning_effort", "think", "num_ctx", "parameters"),
        *("web", "web_queries", "web_allow", "web_deny"),
    ]
)
"""Options that decide which model is called and how far, and not what it is asked."""


Work = Literal["check", "ask", "correct"]


@dataclass(frozen=True, slots=True)
class WebPlan:
    """What would be asked of the web. ``queries`` are (receiver, query); a model that takes part
    writes others, and an answer that is still to be written has none yet. ``receives`` says who
    receives what, a line each. ``cost_usd`` is the most that the queries cost, None if a price is
    not known."""

    queries: tuple[tuple[str, str], ...]
    receives: tuple[str, ...]
    cost_usd: float | None

    def __add__(self, other: WebPlan | None) -> WebPlan:
        """Return the plan of several messages."""
        if other is None:
            return self
        receives = tuple(dict.fromkeys(self.receives + other.receives))
        cost = add_costs(self.cost_usd, other.cost_usd)
        return WebPlan(self.queries + other.queries, receives, cost)


def add_costs(*costs: float | None) -> float | None:
    """Return the sum of costs, None if one is not known."""
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None


@dataclass(frozen=True, slots=True)
class Plan:
    """The cost of a check if none of its answers is stored.

    ``calls``, ``prompt_tokens``, ``completion_tokens`` and ``samples`` (drawn) are the usual
    figures: the model agrees with most facts, and every call succeeds. ``most_calls`` is the
    method's own upper bound for as many facts as rules find in the message, however many calls
    fail. ``most_prompt_tokens`` is what those calls would read. Tokens are estimated
    (`halubot.models.token_count`). ``cost_usd`` is the price of ``calls`` in US dollars, None if a
    price is not known. ``notes`` say why less would be done than was asked for: something is
    missing, or the usual cost is above the budget. ``web`` is what would be asked of the web, None
    without it; ``cost_usd`` includes it.
    """

    method: str
    calls: int = 0
    most_calls: int = 0
    prompt_tokens: int = 0
    most_prompt_tokens: int = 0
    completion_tokens: int = 0
    samples: int = 0
    cost_usd: float | None = 0.0
    notes: tuple[str, ...] = ()
    web: WebPlan | None = None

    def __add__(self, other: Plan) -> Plan:
        """Return the sum of two plans, for several messages. The cost is None if either is."""
        a, b = asdict(self), asdict(other)
        summed = {
            name: a[name] + b[name] for name in a.keys() - {"method", "cost_usd", "notes", "web"}
        }
        notes = tuple(dict.fromkeys(self.notes + other.notes))
        web = other.web if self.web is None else self.web + other.web
        cost = add_costs(self.cost_usd, other.cost_usd)
        return Plan(method=self.method, cost_usd=cost, notes=notes, web=web, **summed)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary that JSON can hold."""
        return asdict(self)


async def arehearse(
    text: str, *, work: Work = "check", hints: Hints = "facts", **options: Unpack[Options]
) -> Plan:
    """Return the cost of checking a text, of correcting it, or of answering a question, without
    calling a model.

    ``work`` is "check", "correct" or "ask"; with "ask" the text is the question. Stored answers
    are not looked up, so a real check may cost less. Without a model the plan has no calls.
    Raises what the work itself raises for wrong options.
    """
    if panel := options.get("panel"):
        options["model"], options["judge_model"] = panel.answer, panel.judge
        options["max_calls"] = panel.budget.max_calls
        options["max_cost"] = panel.budget.max_cost
    asked = cast("Options", {k: v for k, v in options.items() if k not in _NOT_ASKED})
    asked["samples"] = sources(options.get("samples") or (), "sample")
    asked["references"] = sources(options.get("references") or (), "reference", [])
    web, bases = _plan_web(text, options, work), open_bases(options)
    try:
        # Bases on this machine are really searched: what they find decides how many calls follow.
        opened = bases.bases if bases is not None else ()
        known = [Imagined(one.name) if one.online else one for one in opened]
        if web is not None:
            known.append(Imagined("the web"))
        if known:
            asked["knowledge"] = known
        plan = await _plan(text, work, hints, options, asked)
    finally:
        if bases is not None:
            bases.close()
    return (
        plan
        if web is None
        else replace(plan, web=web, cost_usd=add_costs(plan.cost_usd, web.cost_usd))
    )


def rehearse(
    text: str, *, work: Work = "check", hints: Hints = "facts", **options: Unpack[Options]
) -> Plan:
    """Return the cost of a check without calling a model: `arehearse` for callers that do not
    await. It also works inside a running event loop and blocks it meanwhile.

    >>> rehearse("Ada was born in 1816.", references=["Ada was born in 1815."]).calls
    0
    """
    return run_to_end(arehearse(text, work=work, hints=hints, **options))


async def _plan(text: str, work: Work, hints: Hints, options: Options, asked: Options) -> Plan:
    """Return the plan of some work, with the options ``asked`` and without those of models."""
    models, replays = _models(options), bool(options.get("replay"))
    if not models and not replays:
        if work == "ask":
            raise SettingError("asking needs a model: name one with --model")
        given = read_options(asked)
        why = missing(given.method, given.case(read_message(text)))
        return Plan(method=given.method.name, notes=(why,) if why else ())
    answer = ANSWER if work == "ask" else text
    # A text without a doubted fact needs no correction, and so would cost nothing.
    parts = _parts(models, answer, doubts=work == "correct")
    panel = Panel(answer=parts[0], judge=parts[-1], prompts=library(), rehearsing=True)
    heard: list[Event] = []
    playing = asked | Options(panel=panel, watch=heard.append)
    match work:
        case "ask":
            await aask(text, **playing)
        case "correct":
            await acorrect(text, hints=hints, **playing)
        case "check":
            await acheck(text, **playing)
    plan = Plan(method=next(event.method for event in heard if isinstance(event, Started)))
    if replays:
        return plan
    notes = tuple(e.why for e in heard if isinstance(e, Note) and e.what == NOTHING_CHECKED)
    calls = panel.budget.usage.calls
    if not calls:
        return replace(plan, notes=notes)
    most = most_calls(max(calls, _most_calls(answer, work, asked)))
    limit = options.get("max_calls")
    most = most if limit is None else min(limit, most)
    cost = add_costs(
        *[price(await _listed(one), part.taken) for one, part in zip(models, parts, strict=True)]
    )
    prompt = sum(part.taken.prompt for part in parts)
    return replace(
        plan,
        calls=min(calls, most),
        most_calls=most,
        prompt_tokens=prompt,
        # Calls that are made again are as long as the first ones.
        most_prompt_tokens=max(prompt, -(-prompt * most // calls)),
        completion_tokens=sum(part.taken.completion for part in parts),
        samples=sum(isinstance(event, SampleDrawn) for event in heard),
        cost_usd=cost,
        notes=notes + beyond(calls, limit, cost, options.get("max_cost")),
    )


LENGTH: Final = 750
"""Characters of a passage of 120 words."""


class Imagined:
    """Stands for a base: each query finds as many passages as it asks for, which say what it says,
    each in other words enough to be a passage of its own."""

    online = False

    def __init__(self, name: str) -> None:
        self.name = name

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """``k`` passages made of the query; none for a blank one."""
        said = " ".join(query.split())
        if not said:
            return ()
        # In the words of the query, so that the passage counts as about it, and as long as a real
        # one.
        text = " ".join([said] * (LENGTH // (len(said) + 1) + 1))[:LENGTH]
        found = []
        for number in range(1, k + 1):
            one = f"{text} ({number})"
            source = Source(id="", kind="knowledge", title=f"passage {number}", text=one)
            found.append(Passage(source, 0, len(one), one, 1.0 / number))
        return tuple(found)

    def close(self) -> None:
        """Nothing is held."""


ONE_AT_A_TIME = frozenset(
    {"anthropic", "bedrock", "cohere", "cohere_chat", "groq", "mistral", "ollama", "ollama_chat"}
)
"""Providers that answer with one completion whatever is asked for."""

NO_LOGPROBS = frozenset({"anthropic", "bedrock", "cohere", "cohere_chat", "mistral"})
"""Providers that send no log-probabilities."""


def _parts(models: Sequence[LanguageModel], answer: str, *, doubts: bool) -> list[RehearsingModel]:
    """Return who plays the parts of the models: who answers and, if it is another, who judges. They
    agree with everything, or with ``doubts`` with all but a quarter."""
    return [
        RehearsingModel(
            one.name,
            answer,
            doubts=doubts,
            honours_n=_knows(one, one.capabilities.n, ONE_AT_A_TIME),
            logprobs=_knows(one, one.capabilities.logprobs, NO_LOGPROBS),
        )
        for one in models
    ] or [RehearsingModel("a record", answer, doubts=doubts)]


def _most_calls(text: str, work: Work, options: Options) -> int:
    """Return the most calls by the method's own word."""
    nobody = RehearsingModel("")
    given = read_options(
        options | Options(panel=Panel(answer=nobody, judge=nobody, rehearsing=True))
    )
    message = read_message(text)
    passages = max(IN_ALL, len(message.sentences) + 1) if given.knowledge is not None else 0
    size = Size(
        sentences=len(message.sentences),
        facts=len(extract(message, subject=given.base.subject)),
        samples=given.draw or len(given.base.samples),
        references=len(given.base.references) + -(-passages * 2 * LENGTH // TOLD),
    )
    # Two beside the checks cover an answer that is asked for, and the question that a model writes
    # to a text.
    return 2 + given.draw + (2 if work == "correct" else 1) * given.method.calls(size)


def _knows(model: LanguageModel, learnt: bool | None, without: frozenset[str]) -> bool:
    """Return True if a model can do something, by what was learnt or else by its provider."""
    return model.name.partition("/")[0] not in without if learnt is None else learnt


def beyond(
    calls: int, max_calls: int | None, cost: float | None, max_cost: float | None
) -> tuple[str, ...]:
    """Return notes for a usual cost above the budget; empty if the budget is enough."""
    notes = []
    if max_calls is not None and calls > max_calls:
        notes.append(f"usually {calls:,} calls are made, and {max_calls:,} are allowed")
    if max_cost is not None and cost is not None and cost > max_cost:
        notes.append(f"usually {dollars(cost)} is spent, and {dollars(max_cost)} is allowed")
    return tuple(f"{note}: the rest is not checked" for note in notes)


def _models(options: Options) -> tuple[LanguageModel, ...]:
    """Return the model that answers and, if it is another, the one that judges; empty if none is
    named."""
    base = options.get("api_base")
    named = dict.fromkeys((options.get("model"), options.get("judge_model")))
    door = server_model.ServerModel
    return tuple(door(one, base) if isinstance(one, str) else one for one in named if one)


async def _listed(model: LanguageModel) -> Listed:
    """Return the published prices of a model, without loading litellm."""
    by_table = isinstance(model, server_model.ServerModel)
    return listed_of(model.name) if by_table else await model.listed()


def _plan_web(text: str, options: Options, work: Work) -> WebPlan | None:
    """Return what a check would ask of the web; None if no provider is named. Nothing is asked.
    Raises SettingError for options that are wrong."""
    settings = web_settings(options)
    if settings is None:
        return None
    queries: tuple[tuple[str, str], ...] = ()
    if work != "ask":
        message = read_message(text)
        written = write_queries(
            message,
            extract(message, subject=options.get("subject")),
            settings.queries,
            question=options.get("question") or "",
            subject=options.get("subject") or "",
        )
        queries = tuple(
            (named.receiver, one)
            for named in settings.named
            for one in dict.fromkeys(query.for_provider(named) for query in written)
        )
    receives = settings.describe()
    if names_models(options) and queries:
        receives += ("the model writes queries of its own in place of these",)
    if work == "ask":
        receives += ("the queries are made of the answer, once it is written",)
    return WebPlan(queries, receives, settings.cost_usd)
