"""What a check is made with: evidence that moderators switched on, who pays, who receives texts."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from halubot.evidence.knowledge.bases import WIKIPEDIA
from halubot_bots.catalogue import phrase
from halubot_bots.settings import Quota

if TYPE_CHECKING:
    from halubot_bots.records import Place
    from halubot_bots.settings import OwnerLimits, ServerSettings


def evidence_options(settings: ServerSettings, owner: OwnerLimits) -> dict[str, Any]:
    """Return the options of a check for what moderators switched on and the owner allows: a model,
    a knowledge base, the web; empty if nothing is."""
    found: dict[str, Any] = {}
    if model := owner.model(settings.model):
        found["model"] = model
    if settings.knowledge in owner.knowledge:
        found["knowledge"] = [settings.knowledge]
    if settings.web and owner.web:
        found["web"] = [owner.web]
    return found


def budgets_of(owner: OwnerLimits, place: Place, person: int = 0) -> dict[str, Quota]:
    """Return the budgets that a check with a model in a place needs, by key: of all, of its server,
    its channel, and the person who asks for it (0: nobody)."""
    found = {"all": owner.day}
    # Direct messages and those who installed it for themselves share what a server has: strangers
    # without a server must not use up the day of all.
    whose = "direct:0" if place.server is None else f"server:{place.server}"
    found[whose] = owner.day.share(owner.server_share)
    if place.server is not None:
        found[f"channel:{place.channel}"] = Quota(checks=owner.channel_checks)
    if person:
        found[f"person:{person}"] = Quota(checks=owner.person_checks)
    return found


def budgets_unasked(owner: OwnerLimits, place: Place, asker: int) -> dict[str, Quota]:
    """Return the budgets of what the bot checks of itself, answers to a question of ``asker``: half
    of each, and of a person nothing that is for what they ask for themselves."""
    found = budgets_of(owner, place)
    halves = {f"unasked:{key}": quota.share(0.5) for key, quota in found.items()}
    # By who asks, or one member could use up the day of all.
    return found | halves | {f"unasked:person:{asker}": Quota(checks=owner.person_checks)}


def receivers(settings: ServerSettings, owner: OwnerLimits) -> tuple[str, ...]:
    """Return a line for every model, knowledge base and search that receives texts with these
    settings; at least one."""
    options, found = evidence_options(settings, owner), []
    if model := options.get("model"):
        # Members need not know names within the owner's network.
        at = phrase("receiver.at_own" if owner.api_base else "receiver.at_provider")
        judge = owner.judge_model or model
        found += [phrase("receiver.model", model=name, at=at) for name in {model: 0, judge: 0}]
    for base in options.get("knowledge", ()):
        kind, _, language = base.partition(":")
        if kind == WIKIPEDIA:
            found.append(phrase("receiver.wikipedia", language=language or "en"))
        else:
            found.append(phrase("receiver.base", name=PurePath(base).name))
    found += [phrase("receiver.web", name=name) for name in options.get("web", ())]
    return tuple(found) or (phrase("receiver.nobody"),)
