"""The words of the settings panel: what is set, and who changed what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halubot_bots.catalogue import phrase
from halubot_bots.discord.annotation import SETTLED_SECONDS
from halubot_bots.inert import inert_line
from halubot_bots.settings import Quota

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halubot_bots.settings import OwnerLimits, ServerSettings
    from halubot_bots.store import Change

LONGEST = 200
"""Characters of a change that are shown."""


def describe_page(page: str, now: ServerSettings, owner: OwnerLimits, place: int) -> Iterator[str]:
    """The texts of a page of the panel: what is set there."""
    if page == "annotation":
        yield _state(now)
        language = f"language.{now.language}" if now.language else "settings.server_language"
        yield phrase(
            "settings.switches",
            commands=_switch(now.commands),
            answers=_switch(now.answers),
            language=phrase(language),
        )
    elif page == "checks":
        yield _checks(now.in_channel(place) if place else now, owner)
        if not place and now.apart:
            yield phrase("settings.apart", channels=_mentions("#", now.apart))
    elif page == "people":
        roles = {
            name: _mentions("@&", ids) or phrase("settings.everybody")
            for name, ids in (
                ("check", now.checkers),
                ("ask", now.askers),
                ("correct", now.correctors),
            )
        }
        yield phrase("settings.roles", **roles)
    elif page == "limits":
        yield phrase(
            "settings.quotas",
            user=describe_quota(now.of_user),
            channel=describe_quota(now.of_channel),
            server=describe_quota(now.of_server),
        )
        yield phrase("settings.cooldown", seconds=f"{now.cooldown:g}")


def describe_quota(quota: Quota) -> str:
    """Return a quota in words."""
    parts = [
        phrase(f"quota.{name}", count=limit)
        for name, limit in (("checks", quota.checks), ("calls", quota.calls))
        if limit is not None
    ]
    parts += [f"${quota.dollars:.2f}"] if quota.dollars is not None else []
    return ", ".join(parts) or phrase("quota.none")


def describe_change(change: Change) -> str:
    """Return a change of the settings as a line of the log."""
    who = f"<@{change.person}>" if change.person else phrase("panel.log_somebody")
    told = (f"{_name(name)} = {_value(name, value)}" for name, value in change.what.items())
    what = inert_line(", ".join(told), LONGEST)
    return phrase("panel.log_line", at=f"<t:{int(change.at)}:f>", who=who, what=what)


def _state(now: ServerSettings) -> str:
    """Whether and where annotation is on, and what is missing."""
    authors = now.authors | now.webhooks
    lacks = [
        phrase(f"settings.lack_{name}")
        for name, there in (("on", now.on), ("channels", now.channels), ("authors", authors))
        if not there
    ]
    if not lacks:
        head = phrase("settings.state_on", style=phrase(f"settings.{now.style}"))
    elif len(lacks) < 3:
        head = phrase("settings.lacking", lacks=", ".join(lacks))
    else:
        head = phrase("settings.state_off")
    where = _mentions("#", now.channels) or phrase("settings.nowhere")
    whom = _mentions("@", authors) or phrase("settings.nobody")
    where, whom = phrase("settings.where", channels=where), phrase("settings.whom", authors=whom)
    return f"{head}\n{where}\n{whom}"


def _checks(now: ServerSettings, owner: OwnerLimits) -> str:
    """How checks are made."""
    usual = phrase("settings.usual_number")
    settled = SETTLED_SECONDS if now.settled is None else now.settled
    return phrase(
        "settings.checks",
        method=inert_line(now.method) or phrase("settings.usual"),
        model=inert_line(owner.model(now.model)) or phrase("settings.no_model"),
        samples=now.samples or usual,
        threshold=phrase("settings.fitted") if now.threshold is None else f"{now.threshold:g}",
        knowledge=inert_line(now.knowledge) or phrase("settings.none"),
        settled=phrase("settings.seconds", seconds=f"{settled:g}"),
    )


def _switch(on: bool) -> str:
    return phrase("settings.on" if on else "settings.off")


def _mentions(sign: str, ids: Iterable[int]) -> str:
    return ", ".join(f"<{sign}{id}>" for id in sorted(ids))


def _name(setting: str) -> str:
    """The word for a setting."""
    return phrase(f"setting.{setting}")


def _value(name: str, value: Any) -> str:
    """A setting in words."""
    if isinstance(value, bool):
        return _switch(value)
    if name == "apart":
        return phrase("panel.log_set_apart", count=len(value))
    if isinstance(value, dict):
        return describe_quota(Quota.model_validate(value))
    if isinstance(value, list):
        return phrase("panel.log_chosen", count=len(value))
    if value in (None, ""):
        return phrase("settings.usual")
    return phrase("settings.seconds", seconds=f"{value:g}") if name == "cooldown" else str(value)
