"""Models to choose from: those of servers on this machine, and those of providers whose key is in
the environment; and what one takes: the time to load its library, the calls and the money."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from halubot.errors import HalubotError
from halubot.money import dollars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halubot.dry_run import Plan
    from halubot.models.reachable import Reachable
    from halubot_tui.app import HalubotApp
    from halubot_tui.preferences import Preferences

_AT_ONCE: Final = 0.1
"""Seconds of which nobody needs to be told."""
MOST: Final = 100
"""Models that are listed; what is typed in the field of the model narrows them down."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model by the name that halubot is given, the address that goes with it, and what is to be
    known of it in a few words."""

    name: str
    api_base: str | None
    about: str


def find_offers(preferences: Preferences) -> tuple[list[Offer], list[str]]:
    """The models that can be reached, those named and those of this machine first, and what is to
    be said of servers that sent no list. Takes two seconds at most; no other machine is asked."""
    from halubot.models.published import chat_models
    from halubot.models.reachable import Named, keys_set, reachable

    named = [Named(preferences.model, "file")] if preferences.model else []
    found, problems = reachable(named, preferences.api_base, offline=preferences.offline)
    offers = [Offer(one.name, one.api_base, _where(one)) for one in found]
    known = {one.name for one in found}
    for provider, key in () if preferences.offline else keys_set().items():
        where = f"{provider} receives the text; {key} is set"
        for name in chat_models(provider):
            if name not in known:
                offers.append(Offer(name, None, where))
    return offers, problems


def matching(offers: Iterable[Offer], typed: str) -> list[Offer]:
    """The offers whose name has what is typed in it; all of them if what is typed is the whole name
    of one, or nothing."""
    offers = list(offers)
    word = typed.strip().casefold()
    if any(one.name.casefold() == word for one in offers):
        word = ""
    return [one for one in offers if word in one.name.casefold()][:MOST]


def describe_plan(plan: Plan, *, local: bool) -> str:
    """Return what a message takes, in words."""
    calls = f"about {plan.calls} calls" if plan.calls != 1 else "1 call"
    said = f"A question with its check by {plan.method} takes {calls}"
    if local:
        return f"{said}, all on this machine."
    if plan.cost_usd is None:
        return f"{said}; the price of this model is not known."
    return f"{said} and costs about {dollars(plan.cost_usd)}."


def _where(one: Reachable) -> str:
    where = "the text stays here" if one.local else f"{one.endpoint} receives the text"
    return f"{where}; {one.missing_key} is not set" if one.missing_key else where


async def load_library(app: HalubotApp, model: str, api_base: str | None) -> None:
    """Loads the library of models, which takes seconds, before a first call needs it. Who waits
    for it sees it in the composer."""
    from halubot_tui import checker

    loading = asyncio.ensure_future(checker.load_library(app.checker, model, api_base))
    try:
        await asyncio.wait([loading], timeout=_AT_ONCE)
        app.main.composer.load(loading=not loading.done())
        await loading
    finally:
        if app.main.stands:
            app.main.composer.load(loading=False)


async def say_price(app: HalubotApp, preferences: Preferences) -> None:
    """Says beside who receives the text about how much a message costs, before one does."""
    from halubot_tui.orders import Estimate

    await app.opened.wait()
    options = {**preferences.options(), "knowledge": []}
    try:
        plan = await app.checker.carry_out(Estimate(options), lambda _: None)
    except HalubotError:
        return  # what is wrong with the settings is told when they are used
    cost = "price not known" if plan.cost_usd is None else f"about {dollars(plan.cost_usd)}"
    if app.main.stands and preferences is app.preferences:
        app.main.composer.price(f"{cost} a message")
