"""A file of data made from a file of records; resumable, with an estimate of what it takes."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from halubot.api import run_to_end
from halubot.dry_run.free_model import ANSWER, RehearsingModel
from halubot.errors import InputError, SettingError, explain
from halubot.evaluation.synthesis.makers import (
    BY_RULES,
    WITH_MODEL,
    NotMadeError,
    Record,
    Row,
    by_rules,
    kind_of,
    records,
)
from halubot.events import Event
from halubot.llm_calls.extraction import extract_with_judge
from halubot.llm_calls.talk import Talk
from halubot.models.budget import most_calls
from halubot.models.model import LanguageModel, TokenUsage
from halubot.models.model_errors import ModelError
from halubot.models.panel import Panel, library
from halubot.models.published import listed_of, price
from halubot.text import read
from halubot.work_file import open_work_file

_BEGINS = b'{"id": '
"""How each row begins."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe for rows: the kind, for changes by rule the seed and how many a text, and how many
    questions are made of a record at most."""

    kind: str
    seed: int = 0
    most: int = 1
    questions: int = 1


@dataclass(frozen=True, slots=True)
class Made:
    """The result of a record: how many rows, or why there are none."""

    place: int
    record: Record
    rows: int = 0
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome in numbers. ``made`` and ``failed`` count records of this run, ``kept`` those of
    earlier ones, ``rows`` all rows in the file. ``left`` were not begun or not finished because of
    ``stopped``, the failure of a model."""

    made: int = 0
    failed: int = 0
    kept: int = 0
    rows: int = 0
    left: int = 0
    stopped: ModelError | None = None


def make_file(
    source: Path,
    target: Path,
    recipe: Recipe,
    *,
    panel: Panel | None = None,
    watch: Callable[[Made], None] | None = None,
) -> Tally:
    """Makes the rows of each record of ``source`` and appends them to ``target``.

    The rows of a record are on the disk before the next is begun. A record of which nothing can be
    made is told to ``watch`` and left out; a later run tries it again. If a model can be asked
    no more, the work stops.

    Raises UnreadableError and BrokenLineError, before any work, for ``source``; InputError if
    ``target`` cannot be written or holds something else; SettingError if the kind needs a model
    and there is none.
    """
    if recipe.kind != BY_RULES and panel is None:
        raise SettingError(f"{recipe.kind} needs a model: name one with --model")
    # All lines first: a broken one at the end should be found before the first call is paid for.
    found = tuple(records(source))
    seal = _seal(recipe, panel)
    before = panel.budget.failure if panel is not None else None
    tally: Counter[str] = Counter()
    stopped: ModelError | None = None
    try:
        with open_work_file(target) as out:
            # The records of the file have to be among those of the input: rows of another recipe
            # would mix with these unseen.
            done = _find_done(out, target, {record.key(seal) for record in found})
            tally["rows"] = sum(done.values())
            for place, record in enumerate(found, start=1):
                key = record.key(seal)
                if key in done:
                    tally["kept"] += 1
                    continue
                # Counted to the end, since the rest is what a later run has to do.
                if stopped is not None:
                    tally["left"] += 1
                    continue
                made, rows = _make_rows(place, record, recipe, panel)
                if panel is not None and panel.budget.failure is not before:
                    stopped = panel.budget.failure
                    tally["left"] += 1
                    continue
                _append(out, rows, recipe.kind, key)
                tally["rows"] += len(rows)
                tally["failed" if made.why else "made"] += 1
                if watch is not None:
                    watch(made)
    except OSError as error:
        raise InputError(f"cannot write {target}: {explain(error)}") from error
    return Tally(**tally, stopped=stopped)


def _seal(recipe: Recipe, panel: Panel | None) -> bytes:
    """A digest of all that decides what is made, the record itself left out."""
    decisive: list[str | int] = [recipe.kind]
    if recipe.kind == BY_RULES:
        decisive += [recipe.seed, recipe.most]
    elif panel is not None:
        decisive.append(panel.judge.name)
        # Left out for one question, so that files that were begun before the option existed go on.
        decisive += [recipe.questions] * (recipe.questions > 1)
    return sha256(json.dumps(decisive).encode()).digest()


def _make_rows(
    place: int, record: Record, recipe: Recipe, panel: Panel | None
) -> tuple[Made, list[Row]]:
    try:
        if panel is None or recipe.kind == BY_RULES:
            rows = by_rules(record, seed=recipe.seed, most=recipe.most)
        else:
            rows = run_to_end(_ask(record, recipe, Talk(panel, _ignore)))
    except NotMadeError as error:
        return Made(place, record, why=str(error)), []
    return Made(place, record, len(rows)), rows


async def _ask(record: Record, recipe: Recipe, talk: Talk) -> list[Row]:
    return await kind_of(recipe.kind, recipe.questions).make(record, talk)


def _ignore(_: Event) -> None:
    """Drop the events of a run: only the rows are kept."""


def _find_done(out: BinaryIO, target: Path, known: set[str]) -> Counter[str]:
    """Count the rows that the file has of each record, by key; those of its last record are cut
    off."""
    done: Counter[str] = Counter()
    begins: dict[str, int] = {}
    at = 0
    for number, line in enumerate(out, start=1):
        if not line.endswith(b"\n"):
            if not begins and not line.startswith(_BEGINS):
                raise _foreign(target, number)
            break
        key = _key(line)
        if key not in known:
            raise _foreign(target, number)
        begins.setdefault(key, at)
        done[key] += 1
        at += len(line)
    # A record has several rows, which are written in one go: of the last record some may be
    # missing, and nobody can tell. It is made again.
    last = list(begins)[-1:]
    cut = begins[last[0]] if last else 0
    for key in last:
        del done[key]
    out.seek(cut)
    out.truncate()
    return done


def _foreign(target: Path, line: int) -> InputError:
    return InputError(
        f"{target}, line {line}, was not made from this input in this way:"
        " name another output, or remove this one to begin anew"
    )


def _key(line: bytes) -> str:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    key = fields.get("key") if isinstance(fields, dict) else None
    return key if isinstance(key, str) else ""


def _append(out: BinaryIO, rows: list[Row], kind: str, key: str) -> None:
    made = {"maker": kind, "key": key}
    lines = (json.dumps(row | made, ensure_ascii=False) + "\n" for row in rows)
    out.write("".join(lines).encode())
    out.flush()
    os.fsync(out.fileno())


@dataclass(frozen=True, slots=True)
class Plan:
    """The cost of so many ``records`` if nothing of them is stored: calls, usually and at most,
    estimated tokens, and dollars, None if the price is not known."""

    kind: str
    records: int
    calls: int
    most_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


def rehearse(kind: str, records: Iterable[Record], model: LanguageModel) -> Plan:
    """The plan of making data of that kind, which needs a model, from these records."""
    rehearsing = RehearsingModel(model.name, ANSWER)
    panel = Panel(answer=rehearsing, judge=rehearsing, prompts=library(), rehearsing=True)
    count = calls = 0
    for record in records:
        count += 1
        calls += WITH_MODEL[kind].calls(record)
        run_to_end(_play(kind, record, Talk(panel, _ignore)))
    taken: TokenUsage = rehearsing.taken
    return Plan(
        kind=kind,
        records=count,
        calls=calls,
        most_calls=most_calls(calls) if calls else 0,
        prompt_tokens=taken.prompt,
        completion_tokens=taken.completion,
        cost_usd=price(listed_of(model.name), taken),
    )


async def _play(kind: str, record: Record, talk: Talk) -> None:
    """The record's calls; the rehearsing model quotes nothing of a text, so what is asked of a
    changed copy is asked of the text itself."""
    with suppress(NotMadeError):
        await WITH_MODEL[kind].make(record, talk)
    if kind == "hallucinated":
        await extract_with_judge(talk, read(record.text or ANSWER), subject=record.subject or None)
