"""Where checks are asked for: allowed or refused, paid for from a quota, made, remembered.

The same for every chat service. Whatever fails, what was reserved is settled to what was spent.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from halubot.errors import HalubotError
from halubot.events import Event, Spent
from halubot_bots.policy import Ask, Refused, decide
from halubot_bots.quotas import Amount, QuotaError, Quotas
from halubot_bots.settings import OwnerLimits, ServerSettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from halubot.facts import Report, Source
    from halubot_bots.checking import Checks, Progress
    from halubot_bots.remembering import Memory
    from halubot_bots.settings import Quota


class DeclinedError(HalubotError):
    """A check that is not made; ``who`` can change it: "owner", "manager", "user", or nobody."""

    def __init__(self, why: str, who: str = "") -> None:
        self.who = who
        super().__init__(why)


class UsedUpError(DeclinedError):
    """A quota of today is used up."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a text is checked against, and what it answers."""

    question: str = ""
    context: str = ""
    samples: tuple[str, ...] = ()
    references: tuple[Source | str, ...] = ()
    modelless: bool = False
    """Whether no model is asked, whatever is set: the embedded engine compares."""

    def options(self, usual: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a check, beside those that are usual where it is made."""
        kept = _LOCAL if self.modelless else usual.keys()
        return {
            **{name: value for name, value in usual.items() if name in kept},
            **({"method": "consensus"} if self.modelless else {}),
            "question": self.question or None,
            "context": self.context or None,
            "samples": list(self.samples),
            "references": list(self.references),
        }


USUAL_DOLLARS: Final = 0.10
"""What a check may cost where money is limited and the owner set no price of a check."""

_LOCAL: Final = frozenset({"deadline", "threshold"})
"""The usual options of a check without a model."""


@dataclass(slots=True)
class _Meter:
    """What was spent by now, heard from the events of a check."""

    calls: int = 0
    dollars: float = 0.0
    onward: Progress | None = None

    def hear(self, event: Event) -> None:
        if isinstance(event, Spent):
            self.calls += event.usage.calls
            self.dollars += event.usage.cost_usd or 0.0
        if self.onward is not None:
            self.onward(event)


@dataclass(slots=True)
class Desk:
    """Takes wishes for checks. ``memory`` and ``quotas`` are of one base."""

    owner: OwnerLimits
    memory: Memory
    quotas: Quotas
    checks: Checks
    _servers: dict[int, ServerSettings] = field(default_factory=dict)

    @classmethod
    def opened(cls, owner: OwnerLimits, memory: Memory, checks: Checks) -> Desk:
        """A desk whose quotas lie in the base of its memory."""
        return cls(owner, memory, Quotas(memory.base), checks)

    async def settings(self, server: int | None) -> ServerSettings:
        """The settings of a server; those of a direct message are the usual ones."""
        if server is None:
            return ServerSettings()
        if server not in self._servers:
            self._servers[server] = await asyncio.to_thread(self.memory.server, server)
        return self._servers[server]

    async def set(self, server: int, settings: ServerSettings) -> None:
        """Keeps the settings of a server."""
        await asyncio.to_thread(self.memory.set_server, server, settings)
        self._servers[server] = settings

    async def leave(self, server: int) -> None:
        """Forgets a server that the bot was removed from."""
        self._servers.pop(server, None)
        await asyncio.to_thread(self.memory.leave, server)

    async def check(
        self, ask: Ask, text: str, given: Given, *, progress: Progress | None = None
    ) -> Report:
        """Checks a text. Raises DeclinedError where that is not allowed or a quota is used up, and
        what the check raises."""

        async def made(options: dict[str, Any], hear: Progress) -> Report:
            return await self.checks.check(
                text, given.options(options), person=ask.user, progress=hear
            )

        return await self._paid(ask, made, progress, modelless=given.modelless)

    async def answer(
        self, ask: Ask, question: str, context: str, *, progress: Progress | None = None
    ) -> Report:
        """Answers a question and checks the answer. Raises as `check`."""

        async def made(options: dict[str, Any], hear: Progress) -> Report:
            return await self.checks.ask(
                question, {**options, "context": context or None}, person=ask.user, progress=hear
            )

        return await self._paid(ask, made, progress)

    async def correct(
        self, ask: Ask, report: Report, *, progress: Progress | None = None
    ) -> Report:
        """Corrects what a report doubts, and checks again. Raises as `check`."""

        async def made(options: dict[str, Any], hear: Progress) -> Report:
            options = {name: value for name, value in options.items() if name != "method"}
            return await self.checks.correct(report, options, person=ask.user, progress=hear)

        return await self._paid(ask, made, progress)

    async def compare(
        self, ask: Ask, text: str, given: Given, methods: Sequence[str]
    ) -> list[tuple[str, Report | str]]:
        """The text by several methods, each paid for by itself; why not, of one that failed."""
        found: list[tuple[str, Report | str]] = []
        for method in methods:

            async def made(options: dict[str, Any], hear: Progress, method: str = method) -> Report:
                named = {**given.options(options), "method": method}
                return await self.checks.check(text, named, person=ask.user, progress=hear)

            try:
                found.append((method, await self._paid(ask, made, None)))
            except HalubotError as error:
                found.append((method, str(error)))
        return found

    async def forget(self, person: int) -> int:
        """Deletes what a person wrote, asked for, or had models answer; how many reports. What is
        being checked for them is stopped."""
        count = await asyncio.to_thread(self.memory.forget, person)
        await self.checks.forget(person)
        return count

    async def _paid(
        self,
        ask: Ask,
        made: Callable[[dict[str, Any], Progress], Awaitable[Report]],
        progress: Progress | None,
        *,
        modelless: bool = False,
    ) -> Report:
        """What ``made`` makes, allowed and paid for; no calls of one that is ``modelless``."""
        found = decide(ask, await self.settings(ask.server), self.owner)
        if isinstance(found, Refused):
            raise DeclinedError(found.why, found.who)
        if await asyncio.to_thread(self.memory.opted_out, ask.user):
            raise DeclinedError(
                "you asked halubot to leave you out: /privacy lets you back in", "user"
            )
        options = dict(found.options)
        most = Amount() if modelless else self._most(options, found.limits)
        try:
            held = await asyncio.to_thread(self.quotas.reserve, found.limits, most)
        except QuotaError as error:
            raise UsedUpError(_used_up(error), _whose(error.whose)) from error
        meter, counted = _Meter(onward=progress), False
        try:
            report = await made(options, meter.hear)
            counted = bool(report.text.strip())  # an answer that did not come is no check
            return report
        finally:
            spent = Amount(meter.calls, meter.dollars)
            settled = asyncio.to_thread(self.quotas.settle, held, spent, counted=counted)
            await asyncio.shield(settled)

    def _most(self, options: dict[str, Any], limits: Mapping[str, Quota]) -> Amount:
        """What a check with these options may take at most; the limit is put among them. It is
        never more than the least quota of a day, and money is limited where a quota of it is."""
        if not options.get("model"):
            return Amount()
        calls = min(
            self.owner.calls_a_check,
            *(limit.calls for limit in limits.values() if limit.calls is not None),
            self.owner.calls_a_check,
        )
        options["max_calls"] = calls
        dear = [limit.dollars for limit in limits.values() if limit.dollars is not None]
        dollars = self.owner.dollars_a_check
        if dollars is None and dear:
            dollars = USUAL_DOLLARS
        if dollars is None:
            return Amount(calls)
        options["max_cost"] = dollars = min(dollars, *dear, dollars)
        return Amount(calls, dollars)


def _used_up(error: QuotaError) -> str:
    whose: Mapping[str, str] = {
        "user": "your",
        "installed": "your",
        "channel": "this channel's",
        "server": "this server's",
        "owner": "this server's",
        "all": "the bot's",
    }
    limit = f"${error.limit:.2f}" if error.what == "dollars" else f"{error.limit:g} {error.what}"
    owner = whose.get(error.whose.partition(":")[0], "the")
    return f"{owner} quota of {limit} a day is used up: it begins anew at 0:00 UTC"


def _whose(key: str) -> str:
    kind = key.partition(":")[0]
    return {"user": "manager", "channel": "manager", "server": "manager"}.get(kind, "owner")
