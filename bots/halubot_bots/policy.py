"""The policy on checks, allowed or refused, and with what models: pure decisions, made before
anything is spent.

No bot sets another going for ever, and what a server set never goes beyond what the owner allows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from halubot_bots.catalogue import phrase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot_bots.settings import OwnerLimits, Quota, ServerSettings

Cause = Literal["command", "menu", "watch", "answer"]
"""The cause of a check: a command, a menu on a message, an author who is watched, an answer of
our own."""

MINUTE: Final = 60.0
"""Seconds over which the pace of a channel is counted."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One wish for a check. ``server`` is None in a direct message, and if the person who asks
    installed the bot for themselves (``installed``); ``parent`` is the channel of a thread."""

    cause: Cause
    user: int
    channel: int
    server: int | None = None
    parent: int | None = None
    installed: bool = False
    corrects: bool = False
    roles: frozenset[int] | None = None
    """The roles of who asks; None if nobody of a server asks, or if they manage it."""


@dataclass(frozen=True, slots=True)
class Written:
    """The author of a message that may be annotated by itself. ``ours`` is what we wrote,
    ``marked`` what another checker wrote as its annotation, ``to_us`` an answer to one of our
    messages."""

    author: int
    bot: bool
    webhook: bool = False
    ours: bool = False
    marked: bool = False
    to_us: bool = False


@dataclass(frozen=True, slots=True)
class Allowed:
    """A check may be made: with these options of `halubot.start`, and counted under these keys."""

    options: Mapping[str, Any]
    limits: Mapping[str, Quota]


@dataclass(frozen=True, slots=True)
class Refused:
    """No check: why, and who can change it ("" for nobody)."""

    why: str
    who: Literal["", "owner", "manager", "user"] = ""


def decide(ask: Ask, server: ServerSettings, owner: OwnerLimits) -> Allowed | Refused:
    """Return with what options a check may be made, or why not. Quotas are not looked at: they are
    reserved under the keys of ``limits``."""
    refused = _refusal(ask, server, owner)
    if refused is not None:
        return refused
    server = server.in_channel(ask.channel, ask.parent)
    model = owner.model(server.model)
    if ask.cause == "answer" and not model:
        return Refused(phrase("declined.model"), "owner")
    options: dict[str, Any] = {"deadline": owner.deadline}
    if model:
        options |= {"model": model}
        options |= {"judge_model": owner.judge_model} if owner.judge_model else {}
        options |= {"api_base": owner.api_base} if owner.api_base else {}
        options |= owner.model_settings
        options |= {"n_samples": server.samples} if server.samples else {}
    if server.method:
        options["method"] = server.method
    if server.threshold is not None:
        options["threshold"] = server.threshold
    if server.knowledge in owner.knowledge:
        options["knowledge"] = server.knowledge
    return Allowed(options, limits_of(ask, server, owner))


def _refusal(ask: Ask, server: ServerSettings, owner: OwnerLimits) -> Refused | None:
    """Return the reason why this person may not ask for this here; None if they may."""
    # The owner's refusals first: no manager can lift them.
    if not owner.serves(ask.server):
        return Refused(phrase("declined.server"), "owner")
    if ask.server is None and not owner.direct:
        return Refused(phrase("declined.direct"), "owner")
    if ask.installed and not owner.installs:
        return Refused(phrase("declined.installed"), "owner")
    if ask.server is not None and ask.cause in ("command", "menu") and not server.commands:
        return Refused(phrase("declined.commands"), "manager")
    # The author of a watched message asked for nothing, so roles do not count.
    needed = {"answer": server.askers, "watch": frozenset[int]()}.get(ask.cause, server.checkers)
    wanted = (needed, server.correctors if ask.corrects else frozenset[int]())
    if ask.roles is not None and any(one and not one & ask.roles for one in wanted):
        return Refused(phrase("declined.role"), "manager")
    return None


def annotates(written: Written, channel: int, parent: int | None, server: ServerSettings) -> bool:
    """Return True if a message is annotated by itself. Never what we wrote, what another checker
    marked, or what a bot says to us, so that no two bots answer each other."""
    if written.ours or written.marked or (written.to_us and (written.bot or written.webhook)):
        return False
    return server.watches(channel, written.author, parent)


def answers(written: Written, server: ServerSettings) -> bool:
    """Return True if halubot answers a message that mentions it or replies to it: people's
    alone."""
    return server.answers and not (written.ours or written.bot or written.webhook)


def limits_of(ask: Ask, server: ServerSettings, owner: OwnerLimits) -> dict[str, Quota]:
    """The quotas that a check counts under, the narrowest first. Who is watched asked for nothing:
    that counts for the channel and the server."""
    if ask.server is None:
        return {f"user:{ask.user}": owner.of_installed, "all": owner.in_all}
    if ask.installed:
        return {f"installed:{ask.user}": owner.of_installed, "all": owner.in_all}
    own = {} if ask.cause == "watch" else {f"user:{ask.server}:{ask.user}": server.of_user}
    return {
        **own,
        # A thread counts for its channel, or everybody could get another quota by opening a thread.
        f"channel:{ask.server}:{ask.parent or ask.channel}": server.of_channel,
        f"server:{ask.server}": server.of_server,
        f"owner:{ask.server}": owner.of_server,
        "all": owner.in_all,
    }


@dataclass(slots=True)
class Pace:
    """The pace of events in each channel: at most ``most`` times in a minute. What
    comes more often waits, at most ``longest`` seconds."""

    most: int
    longest: float = 600.0
    minute: float = MINUTE
    _times: dict[int, deque[float]] = field(default_factory=dict)

    def slot(self, channel: int, now: float) -> float | None:
        """The seconds to wait until it may happen there once more, which is counted; ``now`` is in
        seconds. None if it would have to wait too long: then it is not counted."""
        # Prune all channels, so that silent ones take no memory.
        for key, times in list(self._times.items()):
            while times and now - times[0] >= self.minute:
                times.popleft()
            if not times:
                del self._times[key]
        times = self._times.get(channel, deque())
        at = now if len(times) < self.most else max(now, times[-self.most] + self.minute)
        if at - now > self.longest:
            return None
        times.append(at)
        self._times[channel] = times
        return at - now
