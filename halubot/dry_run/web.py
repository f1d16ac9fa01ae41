"""What a check would ask of the web: queries, receivers, registries, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from halubot.claims import extract, read_message
from halubot.evidence.web.queries import write_queries
from halubot.inputs import Options, names_models, web_settings

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


def plan_web(text: str, options: Options, work: Work) -> WebPlan | None:
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
