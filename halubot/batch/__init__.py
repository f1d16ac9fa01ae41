"""Many messages: a JSON line in, a JSON line out, in the same order; resumable.

A line of the input is an object: ``text``, and if known ``id``, ``question``, ``context``,
``samples``, ``references``, ``sentences``, ``subject``. Samples and references are texts, as
strings or as ``{"text": ..., "title": ..., "location": ...}``; other names are ignored, and so are
blank lines.

A line of the output is ``{"id", "key", "report"}``, or ``{"id", "key", "brief"}`` for a short
report (`halubot.batch.message.brief`), or ``{"id", "key", "error"}`` for a line that could not be
checked. The id of a line without one is its number. ``key`` is a digest of the input line and of
the options: by it a second run finds the lines that are done, and refuses an output that was made
from another input or with other options.

``usage`` of a report is null there, so that the bytes do not depend on time or on repeated calls;
the totals are in a summary beside the output.

With a model, all lines share one budget, one store and one record. What was spent is kept beside
the output (`spending_path`), so that a budget holds over all runs that write to it. If no further
call can succeed - the budget is spent, the key is refused, no server answers - the work stops
before that line is written. The answers it has are in the store, and the same command continues
there.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack, ExitStack, aclosing, closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from halubot.api import acheck, run_to_end
from halubot.batch._files import (
    Spending,
    Summary,
    alone,
    count,
    count_written,
    is_same,
    open_lines,
    open_target,
    read_summary,
    spending_path,
    summary_path,
    write_summary,
)
from halubot.batch.message import (
    ERROR,
    Check,
    Checked,
    Detail,
    Line,
    Message,
    WorkersLostError,
    by_name,
    check_message,
    load_common,
    make_seal,
)
from halubot.concurrency import in_order
from halubot.errors import HalubotError, InputError, SettingError, explain
from halubot.events import add_usages
from halubot.inputs import Options, default_method, open_options
from halubot.methods import registry
from halubot.report import Report, Usage
from halubot.workers import WorkerGoneError, Workers

if TYPE_CHECKING:
    from halubot.batch._cluster import Cluster, Driver
    from halubot.dry_run import Plan
    from halubot.models.budget import Budget
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Panel
    from halubot.rate import Rate

__all__ = [
    "Detail",
    "Line",
    "Tally",
    "check_file",
    "count",
    "rehearse_file",
    "spending_path",
    "summary_path",
]

STANDARD_INPUT = "standard input"
STANDARD_OUTPUT = "standard output"
"""The names of streams in messages."""

CALLS_A_MESSAGE = 20
"""Calls that a message may take, about: it is not known before."""

TRIES = 5
"""How many processes a message may cost."""

_ID = b'{"id": '
_KEY = b', "key": "'


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of a batch, counted in lines.

    ``checked`` and ``errors`` were written by this run; ``kept`` by an earlier one, of which
    ``kept_errors`` are errors. ``left`` lines were not written, because ``stopped``, the failure of
    a model, ended the run; it is None if the run came to the end. ``usage`` is that of this run,
    with the lines that are left.
    """

    checked: int = 0
    errors: int = 0
    kept: int = 0
    kept_errors: int = 0
    left: int = 0
    stopped: ModelError | None = None
    usage: Usage = field(default=Usage(), compare=False)

    @property
    def lines(self) -> int:
        """The lines of the output."""
        return self.checked + self.errors + self.kept

    @property
    def all_errors(self) -> int:
        """Those of them that are errors."""
        return self.errors + self.kept_errors


def check_file(
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    *,
    options: Options | None = None,
    at_once: int | None = None,
    rate: Rate | None = None,
    report: Detail = "full",
    processes: int = 1,
    cluster: Cluster | None = None,
    watch: Callable[[Line], None] | None = None,
) -> Tally:
    """Check each message of ``source`` and append its line to ``target``.

    ``options`` are for every line; a line's own question and subject replace them, and its samples
    and references join the common ones. ``at_once`` messages are under way at the same time: by
    default one, and with a model as many as there may be calls at once, because most of them wait.
    At most ``rate`` calls begin to the provider of each model. Several ``processes`` of this
    machine, or those of a ``cluster``, do the work; calls to models are made by this one, or by
    those of the cluster. The output is the same in each case. With a ``report`` of "brief", lines
    hold a short form of the report. ``watch`` is called with each line that was written.

    Lines are written to the disk in their order, each before its slot goes to another message, so
    a run that is stopped loses at most the messages under way and those that wait for a slower one
    before them. A message that cannot be checked becomes an error line, and the work goes on.
    Source and target may be streams; lines written to a stream before are not found again. The
    usage of all lines is written beside a ``target`` that is a file, see `summary_path`.

    Raises UnreadableError if ``source`` cannot be read; InputError if ``target`` cannot be
    written, if another batch writes to it, or if it does not belong to ``source`` and these
    options; UnknownMethodError; SettingError for numbers below 1.
    """
    for what, number in (("messages at once", at_once), ("processes", processes)):
        if number is not None and number < 1:
            raise SettingError(f"{number} {what}: write 1 or more")
    common = load_common(options or Options())
    # Before anything is opened: an unknown method should not cost the start of workers.
    registry.get(common.get("method") or default_method(common))
    with ExitStack() as stack:
        common = open_options(common, stack, models=False)
        seal = make_seal(common, report)
        lines = stack.enter_context(open_lines(source))
        if isinstance(source, Path) and isinstance(target, Path) and is_same(source, target):
            raise InputError(f"the output would overwrite the input {source}: name another file")
        if isinstance(target, Path):
            read_summary(summary_path(target))
            stack.enter_context(alone(target))
        common = open_options(common, stack)
        panel = common.get("panel")
        concurrency = spending = None
        if panel is not None:
            from halubot.models.pace import CONCURRENCY

            concurrency = common.get("concurrency") or CONCURRENCY
        if panel is not None and options is not None and options.get("panel") is None:
            if isinstance(target, Path):
                spending = Spending(target, new=not target.exists())
                stack.callback(spending.close)
                panel = replace(panel, budget=_budget(panel.budget, spending))
            common["panel"] = panel
        driver: Driver | None = None
        if cluster is not None:
            from halubot.batch import _cluster

            driver = _cluster.Driver(
                stack.enter_context(closing(_cluster.Workers(cluster))),
                common,
                detail=report,
                concurrency=concurrency,
                rate=rate,
                spending=spending,
            )
        elif rate is not None and panel is not None:
            from halubot.models.limits import provider

            for endpoint in {panel.answer.endpoint, panel.judge.endpoint}:
                stack.enter_context(provider(endpoint).pace.limit(rate))
        try:
            with open_target(target) as out:
                batch = _Batch(
                    messages=enumerate(_messages(source, lines), start=1),
                    target=target if isinstance(target, Path) else None,
                    out=out,
                    seal=seal,
                    detail=report,
                    common=common,
                    panel=panel,
                    budget=None if panel is None else panel.budget.part(),
                    watch=watch,
                    driver=driver,
                )
                if at_once is None:
                    at_once = _under_way(concurrency, None if panel is None else panel.budget)
                return run_to_end(batch.check(at_once, processes))
        except BrokenPipeError:  # its reader has what it wanted
            raise
        except OSError as error:
            name = target if isinstance(target, Path) else STANDARD_OUTPUT
            raise InputError(f"cannot write {name}: {explain(error)}") from error


@dataclass
class _Batch:
    """One run of a batch: the input, the output, and what was counted so far. ``target`` is None
    if the output is a stream."""

    messages: Iterator[tuple[int, Message]]
    target: Path | None
    out: BinaryIO
    seal: bytes
    detail: Detail
    common: Options
    panel: Panel | None
    budget: Budget | None
    watch: Callable[[Line], None] | None
    driver: Driver | None
    checker: Check = acheck
    taken: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    async def check(self, at_once: int, processes: int) -> Tally:
        """Checks what the output does not hold yet."""
        began = time.perf_counter()
        stopped: ModelError | None = None
        try:
            rest = chain(self._skip_finished(), self._taking())
            async with AsyncExitStack() as stack:
                if self.driver is None and processes > 1:
                    at_once = max(at_once, processes)
                    self.common = by_name(self.common)
                    workers = Workers(processes, at_once=-(-at_once // processes))
                    stack.push_async_callback(workers.close)
                    self.checker = partial(_check_by, workers)
                if self.driver is not None:
                    found = self.driver.check(rest)
                else:
                    found = in_order(rest, self._check_item, at_once=at_once)
                results = await stack.enter_async_context(aclosing(found))
                async for checked in results:
                    if checked.line.report is not None:
                        self.usage = add_usages(self.usage, checked.line.report.usage)
                    # What comes after a failure is not written, even if it was checked: the output
                    # is in order, and the next run begins at its end.
                    stopped = stopped or checked.failure
                    if stopped is None:
                        await self._write(checked)
            if stopped is not None:
                # They are only counted, for the summary to say how many are left.
                for _ in self._taking(after_failure=True):
                    pass
        finally:
            seconds = round(time.perf_counter() - began, 6)
            spent = self.budget.usage if self.budget is not None else Usage()
            if self.driver is not None:
                spent = add_usages(spent, self.driver.spent)
            # The budget knows what was spent, and not what was stored.
            stored = self.usage.model_dump(include={"cached_calls", "stored_samples"})
            self.usage = spent.model_copy(update={"seconds": seconds, **stored})
            tally = self._make_tally(stopped)
            self._summarize(tally)
        return tally

    def _skip_finished(self) -> list[tuple[int, Message]]:
        """Passes over the messages whose lines are there, and returns the one after them, in a
        list; an empty one if there is none. Raises InputError for an output of something else."""
        if self.target is None:
            return []
        for place, message in self.messages:
            self.taken = place
            done = _next_row(self.out, message, self.seal, self.target, place)
            if done is None:
                return [(place, message)]
            self.counts["kept"] += 1
            self.counts["kept_errors"] += done == "error"
        if self.out.readline():
            raise _foreign(self.target, self.taken + 1)
        return []

    def _taking(self, *, after_failure: bool = False) -> Iterator[tuple[int, Message]]:
        """The messages that are left; none once no further call to a model can succeed, unless
        they are only counted."""
        while after_failure or self.budget is None or self.budget.failure is None:
            item = next(self.messages, None)
            if item is None:
                return
            self.taken = item[0]
            yield item

    async def _check_item(self, item: tuple[int, Message]) -> Checked:
        return await check_message(
            *item,
            self.common,
            panel=self.panel,
            budget=self.budget,
            detail=self.detail,
            check=self.checker,
        )

    async def _write(self, checked: Checked) -> None:
        self.out.write(checked.message.head(self.seal) + checked.body + b"\n")
        self.out.flush()
        if self.target is not None:
            # Aside: calls to models go on while a disk is slow.
            await asyncio.to_thread(os.fsync, self.out.fileno())
        line = checked.line
        self.counts["checked" if line.error is None else "errors"] += 1
        if self.watch is not None:
            self.watch(line)

    def _make_tally(self, stopped: ModelError | None) -> Tally:
        tally = Tally(**self.counts, stopped=stopped, usage=self.usage)
        return replace(tally, left=self.taken - tally.lines)

    def _summarize(self, tally: Tally) -> None:
        """Writes the totals beside the output, added to those of the runs before."""
        if self.target is None or not (tally.lines or tally.usage.calls):
            return
        path = summary_path(self.target)
        usage = read_summary(path).usage if tally.kept else Usage()
        if tally.lines > tally.kept or tally.usage.calls:
            usage = add_usages(usage, tally.usage)
        summary = Summary(lines=tally.lines, errors=tally.all_errors, left=tally.left, usage=usage)
        write_summary(path, summary)


async def _check_by(workers: Workers, text: str, **options: Any) -> Report:
    """Check a text as `halubot.acheck` does in another process, and in a next one if it dies: the
    calls that it had made go on here, and their answers are in the store when the next one asks.
    Raises WorkersLostError."""
    for _ in range(TRIES):
        with suppress(WorkerGoneError):
            return await workers.run("check", text, options, lambda _: None)
    raise WorkersLostError(
        f"the process that checks it died {TRIES} times; it may take more memory than there is"
    )


def rehearse_file(
    source: Path | BinaryIO, target: Path | BinaryIO, *, options: Options | None = None
) -> list[Plan]:
    """Estimate what it would take to check each message of ``source`` that ``target`` does not hold
    yet; broken lines are left out. Nothing is called or written. Raises UnreadableError."""
    from halubot.dry_run import rehearse

    common = load_common(options or Options())
    plans = []
    with ExitStack() as stack:
        common = open_options(common, stack, models=False)
        lines = stack.enter_context(open_lines(source))
        written = count_written(target) if isinstance(target, Path) else 0
        # The lines that are there are not compared, only counted: an estimate may be wrong by a
        # few.
        for message in islice(_messages(source, lines), written, None):
            with suppress(HalubotError):
                text, own = message.request(common)
                plans.append(rehearse(text, **own))
    return plans


def _budget(limits: Budget, spending: Spending) -> Budget:
    """Return a budget from which earlier runs have spent, too."""
    from halubot.models.budget import Budget

    return Budget(
        max_calls=limits.max_calls,
        max_cost=limits.max_cost,
        spent=spending.before,
        note=spending.note,
    )


def _under_way(concurrency: int | None, budget: Budget | None) -> int:
    """Return how many messages are under way at the same time: with a model as many as fill the
    calls at once, for most messages wait for one. A small budget would be spent on the beginnings
    of all of them, and no line be whole."""
    if concurrency is None or budget is None or budget.calls_left is None:
        return concurrency or 1
    return max(1, min(concurrency, budget.calls_left // CALLS_A_MESSAGE))


def _messages(source: Path | BinaryIO, lines: Iterable[bytes]) -> Iterator[Message]:
    name = source if isinstance(source, Path) else STANDARD_INPUT
    for number, raw in enumerate(lines, start=1):
        if raw.strip():
            yield Message(name, number, raw.strip())


def _next_row(
    out: BinaryIO, message: Message, seal: bytes, target: Path, place: int
) -> Literal["report", "error"] | None:
    """Return the kind of the next line of the output; None if there is no such line yet, after
    dropping one that was half written. Raises InputError for a line of another batch, known by its
    key, and for one that is not JSON any more."""
    start = out.tell()
    line = out.readline()
    if line.endswith(b"\n"):
        # Quotes inside an id are escaped, so the first match is the key itself.
        before, _, rest = line.partition(_KEY)
        key = message.key(seal).encode()
        if not before.startswith(_ID) or not rest.startswith(key + b'", '):
            raise _foreign(target, place)
        if not _is_whole(line):
            raise InputError(
                f"{target}, line {place}, is damaged: another program or the disk changed it; cut"
                " the file before this line, and run the batch again"
            )
        return "error" if rest.startswith(ERROR, len(key) + 1) else "report"
    head = message.head(seal)
    if not (line.startswith(head) or head.startswith(line)):
        raise _foreign(target, place)
    out.seek(start)
    out.truncate()
    return None


def _is_whole(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _foreign(target: Path, place: int) -> InputError:
    return InputError(
        f"{target}, line {place}, was not made from this input with these options:"
        " name another output, or remove this one to begin anew"
    )
