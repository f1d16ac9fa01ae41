"""What a check is made with: evidence that moderators switched on, and the budgets that pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


def budgets_of(
    settings: ServerSettings, owner: OwnerLimits, place: Place, person: int = 0
) -> dict[str, Quota]:
    """Return the budgets that a check with a model in a place needs, by key: of all, of its server,
    its channel, and the person who asks (0: nobody, a comparison of answers)."""
    found = {"all": owner.day}
    # Direct messages and those who installed it for themselves share what a server has: strangers
    # without a server must not use up the day of all.
    whose = "direct:0" if place.server is None else f"server:{place.server}"
    found[whose] = owner.day.share(owner.server_share)
    if place.server is not None:
        found[f"channel:{place.channel}"] = Quota(checks=settings.of_channel)
    if person:
        found[f"person:{person}"] = Quota(checks=settings.of_person)
    return found
