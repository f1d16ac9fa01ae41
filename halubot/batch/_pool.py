"""A batch on several processes of this machine: they compute, and this one asks the models.

They are reached by pipes, so no port is opened. A message whose process dies goes to another one;
the calls that it had made go on here, and their answers are in the store when it asks again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from halubot.batch.message import Checked, Detail, Message, check_message
from halubot.errors import HalubotError, SettingError
from halubot.inputs import Options, open_options, web_settings
from halubot.workers import WorkerGoneError, Workers

if TYPE_CHECKING:
    from halubot.models.budget import Budget
    from halubot.models.panel import Panel

TRIES: Final = 5
"""How many processes a message may cost."""

Item = tuple[int, Message]


class WorkersLostError(HalubotError):
    """Processes died over and over; the same command goes on there."""


_common: list[tuple[Options, Detail]] = []
"""What all messages have in common, in a process that checks them."""


@asynccontextmanager
async def open_pool(
    count: int,
    options: Options,
    panel: Panel | None,
    budget: Budget | None,
    *,
    detail: Detail,
    at_once: int,
) -> AsyncIterator[Callable[[Item], Awaitable[Checked]]]:
    """Give what checks a message in one of ``count`` processes. They end with the ``async with``.
    Raises SettingError for options that other processes cannot have, and, where a message is
    checked, WorkersLostError."""
    if panel is not None and budget is not None:
        panel = replace(panel, budget=budget)
    workers = Workers(
        count,
        at_once=-(-at_once // count) if panel is not None else 1,
        begin=partial(_begin, sendable(options, models=False), detail),
    )

    async def check(item: Item) -> Checked:
        for _ in range(TRIES):
            try:
                found: Checked = await workers.do(check_item, item, panel)
            except WorkerGoneError:
                continue
            return found
        raise WorkersLostError(
            f"message {item[0]}: the process that checks it died {TRIES} times; it may take more"
            " memory than there is"
        )

    try:
        yield check
    finally:
        await workers.close()


def _begin(options: Options, detail: Detail) -> None:
    """Open what all messages share, in a process that checks them."""
    # Never closed: the process ends with the batch.
    _common[:] = [(open_options(options, ExitStack(), models=False), detail)]


async def check_item(item: Item, given: Mapping[str, Any]) -> Checked:
    """Check a message, in a process that was begun."""
    ((options, detail),) = _common
    panel: Panel | None = given.get("panel")
    budget = None if panel is None else panel.budget
    return await check_message(*item, options, panel=panel, budget=budget, detail=detail)


def sendable(options: Options, *, models: bool) -> Options:
    """Return the options as another process can have them: knowledge, and ``models`` if it is to
    open them, by their names. Raises SettingError."""
    sent = options.copy()
    sent.pop("panel", None)
    sent.pop("watch", None)
    for name in ("model", "judge_model"):
        if not models:
            sent.pop(name, None)  # type: ignore[misc]  # a name of Options, though not written out
        elif not isinstance(options.get(name) or "", str):
            raise SettingError(f"a cluster takes the name of a model, not an object ({name})")
    if not models:
        for name in ("replay", "record", "max_calls", "max_cost"):
            sent.pop(name, None)  # type: ignore[misc]
    web = web_settings(options)
    if web is not None:
        if options.get("max_cost") is not None and web.cost_usd:
            raise SettingError("--max-cost counts paid searches in one process: leave one out")
        sent["web"] = web.names
    bases = options.get("knowledge")
    if bases:
        sent["knowledge"] = [base if isinstance(base, str) else base.name for base in bases]
    return sent
