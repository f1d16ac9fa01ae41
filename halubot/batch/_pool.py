"""A batch on several processes of this machine: they compute, and this one asks the models.

They are reached by pipes, so no port is opened. A message whose process dies goes to another one;
the calls that it had made go on here, and their answers are in the store when it asks again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from halubot.batch.message import Check, WorkersLostError
from halubot.errors import SettingError
from halubot.inputs import Options, web_settings
from halubot.report import Report
from halubot.workers import WorkerGoneError, Workers

TRIES: Final = 5
"""How many processes a message may cost."""


@asynccontextmanager
async def open_pool(count: int, at_once: int) -> AsyncIterator[Check]:
    """Give what checks a text as `halubot.acheck` does in one of ``count`` processes, ``at_once``
    texts at the same time. They end with the ``async with``. Raises WorkersLostError where a text
    is checked."""
    workers = Workers(count, at_once=-(-at_once // count))

    async def check(text: str, **options: Any) -> Report:
        for _ in range(TRIES):
            with suppress(WorkerGoneError):
                return await workers.run("check", text, options, lambda _: None)
        raise WorkersLostError(
            f"the process that checks it died {TRIES} times; it may take more memory than there is"
        )

    try:
        yield check
    finally:
        await workers.close()


def by_name(options: Options) -> Options:
    """Return the options as another process can have them: the web and knowledge by their names.
    Raises SettingError."""
    named = options.copy()
    named.pop("watch", None)
    web = web_settings(options)
    if web is not None:
        if options.get("max_cost") is not None and web.cost_usd:
            raise SettingError("--max-cost counts paid searches in one process: leave one out")
        named["web"] = web.names
    bases = options.get("knowledge")
    if bases:
        named["knowledge"] = [base if isinstance(base, str) else base.name for base in bases]
    return named
