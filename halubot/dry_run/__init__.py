"""The cost of a check, estimated without a call: the real work is done with a model that costs
nothing (`halubot.dry_run.free_model`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Unpack, cast

from halubot.api import run_to_end
from halubot.claims import read_message
from halubot.correction.corrector import Hints
from halubot.dry_run.play import Imagined, Rehearsal, Work, published_entry, within_reach
from halubot.dry_run.web import WebPlan, plan_web
from halubot.errors import SettingError
from halubot.inputs import Options, open_bases, read_options, sources
from halubot.methods.driver import missing
from halubot.models import server_model
from halubot.models.budget import most_calls
from halubot.models.model import LanguageModel, TokenUsage
from halubot.models.published import price
from halubot.money import dollars

_NOT_ASKED = frozenset(
    [
        *("model", "judge_model", "api_base", "store", "record", "replay", "panel"),
        *("max_calls", "max_cost", "concurrency", "timeout", "deadline", "watch"),
        *("system", "reasoning_effort", "think", "num_ctx", "parameters"),
        *("web", "web_queries", "web_allow", "web_deny"),
    ]
)
"""Options that decide which model is called and how far, and not what it is asked."""


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
        unknown = self.cost_usd is None or other.cost_usd is None
        cost = None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
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
    asked = cast("Options", {k: v for k, v in options.items() if k not in _NOT_ASKED})
    asked["samples"] = sources(options.get("samples") or (), "sample")
    asked["references"] = sources(options.get("references") or (), "reference", [])
    web, bases = plan_web(text, options, work), open_bases(options)
    try:
        # Bases on this machine are really searched: what they find decides how many calls follow.
        known = [within_reach(base) for base in bases.bases] if bases is not None else []
        if web is not None:
            known.append(Imagined("the web"))
        if known:
            asked["knowledge"] = known
        plan = await _plan(text, work, hints, options, asked)
    finally:
        if bases is not None:
            bases.close()
    return plan if web is None else replace(plan, web=web, cost_usd=_sum(plan.cost_usd, web))


def _sum(cost: float | None, web: WebPlan) -> float | None:
    return None if cost is None or web.cost_usd is None else round(cost + web.cost_usd, 6)


async def _plan(text: str, work: Work, hints: Hints, options: Options, asked: Options) -> Plan:
    """Return the plan of some work, with the options ``asked`` and without those of models."""
    models = _models(options)
    if not models and not options.get("replay"):
        if work == "ask":
            raise SettingError("asking needs a model: name one with --model")
        return _without_model(text, asked)
    rehearsal = Rehearsal(text, work, hints, asked, models)
    # A text without a doubted fact needs no correction, and so would cost nothing.
    usual = await rehearsal.once(doubts=work == "correct")
    if options.get("replay"):
        return Plan(method=usual.method)
    if not usual.calls:
        return Plan(method=usual.method, notes=usual.notes)
    first = max(usual.calls, rehearsal.most_calls())
    limit, most_cost = _limits(options)
    most = most_calls(first) if limit is None else min(limit, most_calls(first))
    cost = await _cost(models, usual.taken)
    return Plan(
        method=usual.method,
        calls=min(usual.calls, most),
        most_calls=most,
        prompt_tokens=usual.tokens.prompt,
        # Calls that are made again are as long as the first ones.
        most_prompt_tokens=max(usual.tokens.prompt, -(-usual.tokens.prompt * most // usual.calls)),
        completion_tokens=usual.tokens.completion,
        samples=usual.samples,
        cost_usd=cost,
        notes=usual.notes + beyond(usual.calls, limit, cost, most_cost),
    )


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


def rehearse(
    text: str, *, work: Work = "check", hints: Hints = "facts", **options: Unpack[Options]
) -> Plan:
    """Return the cost of a check without calling a model: `arehearse` for callers that do not
    await. It also works inside a running event loop and blocks it meanwhile.

    >>> rehearse("Ada was born in 1816.", references=["Ada was born in 1815."]).calls
    0
    """
    return run_to_end(arehearse(text, work=work, hints=hints, **options))


def _models(options: Options) -> tuple[LanguageModel, ...]:
    """Return the model that answers and, if it is another, the one that judges; empty if none is
    named."""
    opened = options.get("panel")
    if opened is not None:
        return (opened.answer,) if opened.answer is opened.judge else (opened.answer, opened.judge)
    base = options.get("api_base")
    named = dict.fromkeys((options.get("model"), options.get("judge_model")))
    door = server_model.ServerModel
    return tuple(door(one, base) if isinstance(one, str) else one for one in named if one)


def _without_model(text: str, asked: Options) -> Plan:
    """Return the plan of a check that calls no model."""
    given = read_options(asked)
    why = missing(given.method, given.case(read_message(text)))
    return Plan(method=given.method.name, notes=(why,) if why else ())


def _limits(options: Options) -> tuple[int | None, float | None]:
    """Return the most calls and dollars that may be spent; None for no limit."""
    opened = options.get("panel")
    if opened is None:
        return options.get("max_calls"), options.get("max_cost")
    return opened.budget.max_calls, opened.budget.max_cost


async def _cost(models: Sequence[LanguageModel], taken: Sequence[TokenUsage]) -> float | None:
    """Return the dollars for what each model reads and writes; None if a price is not known."""
    total = 0.0
    for model, usage in zip(models, taken, strict=True):
        cost = price(await published_entry(model), usage)
        if cost is None:
            return None
        total += cost
    return round(total, 6)
