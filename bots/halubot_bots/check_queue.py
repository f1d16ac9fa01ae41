"""A queue of checks: fair turns between servers and people, and budgets for models."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from halubot.errors import HalubotError
from halubot.events import Emit, Event, Spent
from halubot.models.model_errors import ModelError
from halubot.models.panel import open_panel
from halubot.render.inert import crop, one_line
from halubot_bots.budgets import Amount, BudgetError, Budgets
from halubot_bots.model_failures import FAILED, NOT_ASKED, split_failures

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from halubot.report import Report
    from halubot.workers.pool import Kind
    from halubot_bots.settings import OwnerLimits, Quota

LOG: Final = logging.getLogger("halubot.discord")


class StoppedError(HalubotError):
    """A check was stopped: something it needs was deleted, or the bot stops."""


@dataclass(frozen=True, slots=True)
class Request:
    """A check that is wanted: ``kind`` and ``subject`` as `halubot.workers` take them, with the
    ``options`` of the check.

    ``server`` and ``person`` share turns fairly (0: nobody in particular, a comparison of answers).
    ``budgets`` are those that pay for its model, by key; empty without a model. One that is
    ``optional`` is left out if a budget is used up or it fails. ``ids`` are the messages and people
    whose words it holds, by which `CheckQueue.stop` finds it.
    """

    kind: Kind
    subject: str | Report
    options: Mapping[str, Any]
    server: int = 0
    person: int = 0
    budgets: Mapping[str, Quota] = field(default_factory=dict)
    optional: bool = False
    ids: frozenset[int] = frozenset()


Run = Callable[["Kind", "str | Report", dict[str, Any], Emit], Awaitable["Report"]]
"""What carries out a check: `halubot.workers.Workers.run`."""


class CheckQueue:
    """Runs checks side by side, at most ``at_once``, of which one place is kept for checks without
    a model. ``run`` carries them out; ``store`` is where answers of models are kept (default: the
    platform's folder).

    All methods belong to one event loop. Cancelling who awaits a check stops it.
    """

    def __init__(
        self, owner: OwnerLimits, budgets: Budgets, run: Run, *, store: Path | None = None
    ) -> None:
        self._owner = owner
        self._budgets = budgets
        self._carry_out = run
        self._store = store
        self._waiting: dict[asyncio.Future[None], Request] = {}
        self._running: Counter[tuple[str, int]] = Counter()
        self._served: dict[tuple[str, int], int] = {}
        self._numbers = itertools.count(1)
        self._tasks: dict[asyncio.Task[Report], Request] = {}
        self._closed = False
        self._why_failed = ""
        self.model_failed: float | None = None
        """When the model failed last, as `time.time` has it; None if it answered since."""

    @property
    def waiting(self) -> int:
        """The number of checks that wait for their turn."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """The number of checks under way."""
        return self._running[("all", 0)]

    async def run(self, request: Request) -> Report:
        """Return the report of a check when its turn has come. Raises BudgetError if a budget is
        used up, StoppedError, and what the check raises."""
        if self._closed:
            raise StoppedError("halubot is stopping")
        task = asyncio.ensure_future(self._run(request))
        self._tasks[task] = request
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                task.cancel()
                raise
            raise StoppedError("it was stopped: something that it needs was deleted") from None
        finally:
            del self._tasks[task]

    async def stop(self, ids: Iterable[int]) -> None:
        """Stop the checks that hold words of these people or messages, or were asked for by these
        people, and wait until they have ended."""
        wanted = frozenset(ids)
        found = [
            task
            for task, request in self._tasks.items()
            if request.person in wanted or not wanted.isdisjoint(request.ids)
        ]
        for task in found:
            task.cancel()
        if found:
            await asyncio.wait(found)

    async def forget_answers(self, person: int) -> None:
        """Delete what models answered for a person."""
        from halubot import settings
        from halubot_cache import Store

        def forget() -> None:
            with Store.open(self._store or settings.store_folder()) as store:
                store.forget(_namespace(person))

        await asyncio.to_thread(forget)

    async def close(self) -> None:
        """Stop all checks."""
        self._closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    async def _run(self, request: Request) -> Report:
        await self._take_turn(request)
        try:
            options, problems = {**request.options, "deadline": self._owner.deadline}, []
            if "model" in request.options:
                try:
                    return await self._run_paid(request)
                except HalubotError as error:
                    if not request.optional:
                        raise
                    problems = [NOT_ASKED if isinstance(error, BudgetError) else FAILED]
                    del options["model"]
            report = await self._carry_out(request.kind, request.subject, options, lambda _: None)
            return report.model_copy(update={"problems": (*problems, *report.problems)})
        finally:
            self._end_turn(request)

    async def _run_paid(self, request: Request) -> Report:
        """Run a check with a model within its budgets."""
        quotas = request.budgets.values()
        calls = [q.calls for q in quotas if q.calls is not None]
        dollars = [q.dollars for q in quotas if q.dollars is not None]
        most = Amount(
            1,
            min([self._owner.calls_a_check, *calls]),
            min([self._owner.dollars_a_check, *dollars]),
        )
        reserving = asyncio.ensure_future(
            asyncio.to_thread(self._budgets.reserve, request.budgets, most)
        )
        try:
            held = await asyncio.shield(reserving)
        except asyncio.CancelledError:
            with suppress(HalubotError):  # the thread reserves all the same
                await self._settle(await reserving, Amount())
            raise
        spending = _Spending(self._budgets, held)
        options = {**request.options, "deadline": self._owner.deadline}
        # Opened here, so that answers are kept under the person's name.
        opening = partial(
            open_panel,
            options.pop("model"),
            **self._owner.model_settings,
            max_calls=most.calls,
            max_cost=most.dollars,
            store=self._store,
            namespace=_namespace(request.person or request.server),
        )
        try:
            with await asyncio.to_thread(opening) as panel:
                options["panel"] = panel
                report = await self._carry_out(
                    request.kind, request.subject, options, spending.hear
                )
        except ModelError as error:
            self._note_failure(str(error))
            raise
        finally:
            await self._settle(held, spending.spent)
        report, failures = split_failures(report)
        self._note_failure("; ".join(failures))
        return report

    def _note_failure(self, why: str) -> None:
        """Note why a model failed, "" if it did not; the log has each reason once in a row."""
        self.model_failed = time.time() if why else None
        if why and why != self._why_failed:
            LOG.warning("the model failed: %s", crop(one_line(why), 500))
        self._why_failed = why

    async def _settle(self, held: str, spent: Amount) -> None:
        # A cancelled check must settle too, or its reservation would count until a restart.
        await asyncio.shield(asyncio.to_thread(self._budgets.settle, held, spent))

    async def _take_turn(self, request: Request) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting[turn] = request
        self._give_turns()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._end_turn(request)
            raise
        finally:
            self._waiting.pop(turn, None)

    def _give_turns(self) -> None:
        """Let as many begin as there are places for: of all that wait, one of the server that has
        the fewest under way and waited longest since its last turn, and so of its people."""
        while self.running < self._owner.at_once:
            free = self._owner.at_once - self.running > 1 or self._owner.at_once == 1
            able = {
                turn: request
                for turn, request in self._waiting.items()
                if not turn.done() and (free or "model" not in request.options)
            }
            if not able:
                return
            turn, request = min(able.items(), key=lambda one: self._rank(one[1]))
            for key in _keys(request):
                self._running[key] += 1
                self._served[key] = next(self._numbers)
            del self._waiting[turn]
            turn.set_result(None)

    def _rank(self, request: Request) -> tuple[int, ...]:
        _, *keys = _keys(request)
        return tuple(n for key in keys for n in (self._running[key], self._served.get(key, 0)))

    def _end_turn(self, request: Request) -> None:
        for key in _keys(request):
            self._running[key] -= 1
            if not self._running[key]:
                del self._running[key]
        if not self._waiting:
            self._served.clear()
        self._give_turns()


def _keys(request: Request) -> tuple[tuple[str, int], ...]:
    return ("all", 0), ("server", request.server), ("person", request.person)


def _namespace(person: int) -> str:
    """Return the name under which answers of models for a person are kept."""
    return f"discord-{person}"


class _Spending:
    """Counts what a check spends and notes it in the store as it goes."""

    def __init__(self, budgets: Budgets, held: str) -> None:
        self._budgets = budgets
        self._held = held
        self.spent = Amount(1)

    def hear(self, event: Event) -> None:
        if isinstance(event, Spent):
            calls = self.spent.calls + event.usage.calls
            self.spent = Amount(1, calls, self.spent.dollars + (event.usage.cost_usd or 0.0))
            # Noted at once, so that after a kill the budget knows what the check had cost.
            note = asyncio.to_thread(self._budgets.note, self._held, self.spent)
            noting = asyncio.ensure_future(note)
            # What was settled meanwhile need not be noted.
            noting.add_done_callback(lambda done: done.cancelled() or done.exception())
