"""The desk of a bot, which takes requests for checks: allowed or refused, paid for from a quota,
made, remembered.

The same for every chat service. Whatever fails, what was reserved is settled to what was spent.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from halubot.errors import HalubotError, InputError
from halubot.events import Event, Spent
from halubot_bots.catalogue import money, phrase
from halubot_bots.checks import StoppedError, namespace_of
from halubot_bots.entries import Key, Quoted
from halubot_bots.health import Activity, Outcome
from halubot_bots.policy import Ask, Refused, decide
from halubot_bots.quotas import Amount, QuotaError, Quotas, Reservation
from halubot_bots.settings import OwnerLimits, ServerSettings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from halubot.events import Emit
    from halubot.report import Report, Source
    from halubot_bots.checks import Checks, Paying, Progress, Work
    from halubot_bots.entries import Forgotten
    from halubot_bots.settings import Quota
    from halubot_bots.store import Memory


class DeclinedError(HalubotError):
    """A check that is not made; ``who`` can change it: "owner", "manager", "user", or nobody."""

    def __init__(self, why: str, who: str = "") -> None:
        self.who = who
        super().__init__(why)


class UsedUpError(DeclinedError):
    """A quota of today is used up."""


class BusyError(DeclinedError):
    """The rest of a quota is held by running checks: it may be free again in a moment."""


class GoneError(DeclinedError):
    """Somebody whose words are needed was forgotten meanwhile, or their message was deleted."""

    def __init__(self) -> None:
        super().__init__(phrase("declined.gone"))


@dataclass(frozen=True, slots=True)
class Given:
    """The material that a text is checked against, and the question that it answers."""

    question: str = ""
    context: str = ""
    samples: tuple[str, ...] = ()
    references: tuple[Source | str, ...] = ()
    modelless: bool = False
    """Whether no model is asked, whatever is set: the embedded engine compares."""
    quoted: tuple[Quoted, ...] = ()
    """The messages that all this is from."""

    def options(self, usual: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a check, beside those that are usual if it is made."""
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
"""The most that a check may cost if money is limited and the owner set no price of a check."""

_LOCAL: Final = frozenset({"deadline", "threshold"})
"""The usual options of a check without a model."""


@dataclass(frozen=True, slots=True)
class About:
    """The record of a check: the key of its report, the message's author, and the number of
    `Memory.forgettings` before anything was read."""

    key: Key
    author: int
    begun: int


@dataclass(slots=True)
class _Till:
    """Pays for one check, on the thread on which it runs: reserves when its turn has come, notes
    what it spends, and settles however it ends."""

    quotas: Quotas
    limits: Mapping[str, Quota]
    most: Amount
    calls: int = 0
    dollars: float = 0.0

    async def pay(self, work: Work, emit: Emit) -> Report:
        """Do the work between reserving and settling. Raises UsedUpError and BusyError."""
        held = await self._reserve()
        noting: set[asyncio.Task[None]] = set()

        def hear(event: Event) -> None:
            if isinstance(event, Spent):
                self.calls += event.usage.calls
                self.dollars += event.usage.cost_usd or 0.0
                # Noted as it is spent, so that after a crash the quota knows what the check had
                # cost.
                noted = asyncio.to_thread(self.quotas.note, held, self._total_spent)
                task = asyncio.ensure_future(noted)
                noting.add(task)
                task.add_done_callback(noting.discard)
            emit(event)

        counted = False
        try:
            report = await work(hear)
            counted = bool(report.text.strip())  # an answer that did not come is no check
            return report
        finally:
            settled = asyncio.to_thread(
                self.quotas.settle, held, self._total_spent, counted=counted
            )
            # A cancelled check must settle too, or its reservation would count until a restart.
            await asyncio.shield(settled)

    async def _reserve(self) -> Reservation:
        reserving = asyncio.ensure_future(
            asyncio.to_thread(self.quotas.reserve, self.limits, self.most)
        )
        try:
            return await asyncio.shield(reserving)
        except QuotaError as error:
            kind = BusyError if error.busy else UsedUpError
            raise kind(_used_up(error), "" if error.busy else _whose(error.whose)) from error
        except asyncio.CancelledError:
            # The thread reserves all the same: what nobody settles would count until a restart.
            with suppress(HalubotError):
                await asyncio.to_thread(
                    self.quotas.settle, await reserving, Amount(), counted=False
                )
            raise

    @property
    def _total_spent(self) -> Amount:
        return Amount(self.calls, self.dollars)


@dataclass(slots=True)
class Desk:
    """Takes wishes for checks. ``memory`` and ``quotas`` are of one base."""

    owner: OwnerLimits
    memory: Memory
    quotas: Quotas
    checks: Checks
    activity: Activity = field(default_factory=Activity)
    _servers: dict[int, ServerSettings] = field(default_factory=dict)

    @classmethod
    def opened(cls, owner: OwnerLimits, memory: Memory, checks: Checks) -> Desk:
        """A desk whose quotas lie in the base of its memory."""
        return cls(owner, memory, Quotas(memory.base), checks)

    async def settings(self, server: int | None) -> ServerSettings:
        """The settings of a server; those of a direct message are the usual ones."""
        if server is None:
            return ServerSettings()
        # Cached for good: all events of a server come to one process, so nobody else changes them.
        if server not in self._servers:
            self._servers[server] = await asyncio.to_thread(self.memory.server, server)
        return self._servers[server]

    def known_settings(self, server: int | None) -> ServerSettings:
        """The settings of a server that were looked at before; else the usual ones."""
        return ServerSettings() if server is None else self._servers.get(server, ServerSettings())

    async def set(self, server: int, settings: ServerSettings, *, person: int = 0) -> None:
        """Keep the settings of a server, and what ``person`` changed of them."""
        before = (await self.settings(server)).model_dump(mode="json")
        now = settings.model_dump(mode="json")
        changed = {name: value for name, value in now.items() if value != before[name]}
        await asyncio.to_thread(self.memory.set_server, server, settings, changed, person)
        self._servers[server] = settings

    async def leave(self, server: int) -> Forgotten:
        """Forget a server that the bot was removed from."""
        self._servers.pop(server, None)
        found = await asyncio.to_thread(self.memory.leave, server)
        await self.checks.stop({server}, "declined.server")
        keys = [f"{kind}:{server}" for kind in ("server", "owner")]
        # "*" matches every user and channel of the server (SQLite's GLOB).
        keys += [f"{kind}:{server}:*" for kind in ("user", "channel")]
        await asyncio.to_thread(self.quotas.forget, *keys)
        await self._forget_elsewhere(found)
        return found

    async def check(
        self,
        ask: Ask,
        text: str,
        given: Given,
        *,
        progress: Progress | None = None,
        about: About | None = None,
        counted: bool = True,
    ) -> Report:
        """Check a text; ``about`` is what its report will be kept as. One that is not ``counted``
        takes nothing from any quota: nobody is paid for it. Raises DeclinedError if that is not
        allowed or a quota is used up, and what the check raises."""
        ids = await self._note_words(ask, given.quoted, about)

        async def make(options: dict[str, Any], paying: Paying) -> Report:
            return await self.checks.check(
                text,
                given.options(options),
                person=ask.user,
                progress=progress,
                paying=paying if counted else None,
                about=ids,
            )

        return await self._run_paid(ask, make, modelless=given.modelless)

    async def answer(
        self,
        ask: Ask,
        question: str,
        context: str,
        *,
        progress: Progress | None = None,
        quoted: tuple[Quoted, ...] = (),
        about: About | None = None,
    ) -> Report:
        """Answer a question and check the answer; ``quoted`` is what the question and the context
        are from. Raises as `check`."""
        ids = await self._note_words(ask, quoted, about)

        async def make(options: dict[str, Any], paying: Paying) -> Report:
            return await self.checks.ask(
                question,
                {**options, "context": context or None},
                person=ask.user,
                progress=progress,
                paying=paying,
                about=ids,
            )

        return await self._run_paid(ask, make)

    async def correct(
        self,
        ask: Ask,
        report: Report,
        *,
        progress: Progress | None = None,
        quoted: tuple[Quoted, ...] = (),
        about: About | None = None,
    ) -> Report:
        """Correct what a report doubts, and check again. Raises as `check`."""
        ids = await self._note_words(ask, quoted, about)

        async def make(options: dict[str, Any], paying: Paying) -> Report:
            # The report names its method: the corrected text is checked in the same way.
            options = {name: value for name, value in options.items() if name != "method"}
            return await self.checks.correct(
                report, options, person=ask.user, progress=progress, paying=paying, about=ids
            )

        return await self._run_paid(ask, make)

    async def compare(
        self, ask: Ask, text: str, given: Given, methods: Sequence[str]
    ) -> list[tuple[str, Report | str]]:
        """The text by several methods, each paid for by itself; why not, of one that failed. Raises
        StoppedError if one was stopped."""
        ids = await self._note_words(ask, given.quoted, None)
        found: list[tuple[str, Report | str]] = []
        for method in methods:

            async def make(options: dict[str, Any], paying: Paying, method: str = method) -> Report:
                named = {**given.options(options), "method": method}
                return await self.checks.check(
                    text, named, person=ask.user, paying=paying, about=ids
                )

            try:
                found.append((method, await self._run_paid(ask, make)))
            except StoppedError:
                # Of a person or a server that was forgotten the next method would keep answers.
                raise
            except HalubotError as error:
                # One method that fails, for want of a model or of quota, is no reason to lose the
                # others.
                found.append((method, str(error)))
        return found

    async def forget(self, person: int) -> Forgotten:
        """Delete what a person wrote, asked for, said, or had models answer, and all reports that
        quote them. What is being checked for or with them is stopped."""
        found = await asyncio.to_thread(self.memory.forget, person)
        await self.checks.stop({person}, "declined.forgotten")
        # What finished in the moment between is found now.
        late = await asyncio.to_thread(self.memory.forget, person)
        found = replace(
            found,
            shown=found.shown + late.shown,
            asked_by=found.asked_by | late.asked_by | {person},
            words=found.words + late.words,
        )
        keys = (f"user:{person}", f"user:*:{person}", f"installed:{person}")
        await asyncio.to_thread(self.quotas.forget, *keys)
        await self._forget_elsewhere(found, person)
        return found

    async def drop(self, *messages: int) -> Forgotten:
        """Forget messages that were deleted, and all reports that quote them."""
        found = await asyncio.to_thread(self.memory.drop, *messages)
        await self.checks.stop(messages, "declined.forgotten")
        await self._forget_elsewhere(found)
        return found

    async def looks_elsewhere(
        self, server: int | None, channel: int = 0, parent: int | None = None
    ) -> bool:
        """Return True if checks there have a model, or a base in which facts are looked up."""
        settings = (await self.settings(server)).in_channel(channel, parent)
        return bool(self.owner.model(settings.model) or settings.knowledge in self.owner.knowledge)

    async def _forget_elsewhere(self, found: Forgotten, person: int | None = None) -> None:
        """Delete answers of models for these people, and words on verdicts with their texts."""
        from halubot.feedback import Feedback

        def words_forgotten() -> None:
            with Feedback.open() as feedback:
                for word, owner in found.words:
                    with suppress(InputError):  # taken back already
                        feedback.remove(word, owner=namespace_of(owner))
                if person is not None:
                    feedback.forget(namespace_of(person))

        if found.asked_by:
            await self.checks.forget(found.asked_by)
        if found.words or person is not None:
            await asyncio.to_thread(words_forgotten)

    async def _note_words(
        self, ask: Ask, quoted: tuple[Quoted, ...], about: About | None
    ) -> frozenset[int]:
        """Note whose words a report will hold, before its check begins. Return their ids. Raises
        GoneError if one of them was forgotten meanwhile."""
        here = frozenset({ask.server} if ask.server is not None else ())
        if about is None:
            return here | {id for one in quoted for id in one}
        named = {Quoted(about.key.message, about.author), *quoted}
        noted = await asyncio.to_thread(
            partial(
                self.memory.quote,
                about.key,
                named,
                asked_by=ask.user,
                channel=ask.channel,
                server=ask.server,
                begun=about.begun,
            )
        )
        if not noted:
            raise GoneError
        return here | {id for one in named for id in one}

    async def _run_paid(
        self,
        ask: Ask,
        made: Callable[[dict[str, Any], Paying], Awaitable[Report]],
        *,
        modelless: bool = False,
    ) -> Report:
        """Return the report that ``made`` makes, allowed and paid for; one that is ``modelless``
        reserves no calls."""
        begun = time.monotonic()
        outcome: Outcome = "stopped"
        report: Report | None = None
        try:
            report = await self._run_allowed(ask, made, modelless=modelless)
            outcome = "finished"
        except DeclinedError:
            outcome = "declined"
            raise
        except Exception:
            outcome = "failed"
            raise
        finally:
            # In a finally, because a cancelled check was asked for and took time, too.
            self.activity.note(ask, outcome, time.monotonic() - begun, report)
        return report

    async def _run_allowed(
        self,
        ask: Ask,
        made: Callable[[dict[str, Any], Paying], Awaitable[Report]],
        *,
        modelless: bool,
    ) -> Report:
        found = decide(ask, await self.settings(ask.server), self.owner)
        if isinstance(found, Refused):
            raise DeclinedError(found.why, found.who)
        if await asyncio.to_thread(self.memory.opted_out, ask.user):
            raise DeclinedError(phrase("declined.opted_out"), "user")
        options = dict(found.options)
        most = Amount() if modelless else self._most(options, found.limits)
        return await made(options, _Till(self.quotas, found.limits, most).pay)

    def _most(self, options: dict[str, Any], limits: Mapping[str, Quota]) -> Amount:
        """Return the most that a check with these options may take; the limit is put among them. It
        is never more than the least quota of a day, and money is limited if a quota of it is."""
        if not options.get("model"):
            return Amount()
        call_limits = [limit.calls for limit in limits.values() if limit.calls is not None]
        calls = min([self.owner.calls_a_check, *call_limits])
        options["max_calls"] = calls
        dollar_limits = [limit.dollars for limit in limits.values() if limit.dollars is not None]
        dollars = self.owner.dollars_a_check
        # Money can only be reserved as an amount; without one, checks that run side by side could
        # spend more than is left.
        if dollars is None and dollar_limits:
            dollars = USUAL_DOLLARS
        if dollars is None:
            return Amount(calls)
        options["max_cost"] = dollars = min([dollars, *dollar_limits])
        return Amount(calls, dollars)


def _used_up(error: QuotaError) -> str:
    whose = phrase(f"quota.whose.{error.whose.partition(':')[0]}")
    if error.busy:
        return phrase("quota.busy", whose=whose)
    if error.what != "dollars":
        limit = phrase(f"quota.{error.what}", count=int(error.limit))
        return phrase("quota.used_up", whose=whose, limit=limit)
    limit = money(error.limit)
    if error.spent < error.limit:
        left = money(error.limit - error.spent, 4)
        return phrase("quota.little", left=left, whose=whose, limit=limit)
    return phrase("quota.used_up", whose=whose, limit=limit)


def _whose(key: str) -> str:
    kind = key.partition(":")[0]
    return {"user": "manager", "channel": "manager", "server": "manager"}.get(kind, "owner")
