"""`halubot doctor`: whether all that halubot stands on is well."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from halubot import settings as config
from halubot.cli import output
from halubot.cli.parameters import (
    Command,
    list_format,
    make_context,
    name_origin,
    read_settings,
)
from halubot.errors import HalubotError
from halubot.version import __version__

LOOSEST_PYTHON = (3, 11)

STORE = "store of answers"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``ok`` is None if there is nothing to be right or
    wrong about, such as an extra that is not installed."""

    what: str
    ok: bool | None
    found: str


@click.command(cls=Command, params=[list_format()])
def command(format: str) -> int:
    """Check the installation: Python, dependencies, settings, folders, prompts, models, the
    engine. Servers of models are looked for on this machine; no model is called.

    Ends with 0 if all is well, with 1 if something is wrong.
    """
    settings, values = _settings()
    token = bool(os.environ.get("HALUBOT_DISCORD_TOKEN", "").strip())
    findings = [
        *_python(),
        *_dependencies(),
        settings,
        *_folders(values),
        _look("prompts", _prompts),
        *_models(values),
        _look("engine", _engine),
        _look("documents", _documents),
        # It is never shown, nor tried.
        Finding(
            "Discord bot",
            None,
            "its token is set: halubot discord --check tries it" if token else "no token is set",
        ),
    ]
    well = all(finding.ok is not False for finding in findings)
    if format == "json":
        output.say_json({"ok": well, "findings": [asdict(finding) for finding in findings]})
    else:
        signs = {True: "ok", False: "WRONG", None: "-"}
        rows = [(signs[one.ok], one.what, one.found) for one in findings]
        output.say(output.table(("", "what", "found"), rows))
        output.say("all is well" if well else "something is wrong: see the lines marked WRONG")
    return 0 if well else 1


def _look(what: str, look: Callable[[], tuple[bool, str]]) -> Finding:
    """Look at something: whatever fails is the finding."""
    try:
        return Finding(what, *look())
    except HalubotError as error:
        return Finding(what, False, str(error))
    except Exception as error:  # noqa: BLE001
        return Finding(what, False, f"{type(error).__name__}: {error}")


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", sys.version_info >= LOOSEST_PYTHON, f"{version} at {sys.executable}")
    yield Finding("halubot", True, __version__)


def _dependencies() -> Iterator[Finding]:
    """The packages that halubot asks for; those of an extra may be absent."""
    for requirement in metadata.requires("halubot") or ():
        # By expressions: `packaging`, which parses requirements, is none of our dependencies.
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)", requirement)
        if name is None or name[0] == "halubot":
            continue
        what = f"{name[0]} (extra {extra[1]})" if extra else name[0]
        try:
            yield Finding(what, True, metadata.version(name[0]))
        except metadata.PackageNotFoundError:
            yield Finding(what, None if extra else False, "not installed")


def _settings() -> tuple[Finding, dict[str, Any]]:
    """The settings file, and the values that hold; none if they cannot be read."""
    try:
        values = read_settings()
        effective = make_context(values).params
    except HalubotError as error:
        return Finding("settings", False, str(error)), {}
    except click.BadParameter as error:
        where = error.ctx and error.param and name_origin(error.ctx, error.param)
        found = f"{error.format_message().rstrip('.')}{where or ''}"
        return Finding("settings", False, found), {}
    there = config.path().exists()
    found = f"{config.path()}: {len(values)} set" if there else f"{config.path()}: not there"
    return Finding("settings", True, found), effective


def _folders(values: Mapping[str, Any]) -> Iterator[Finding]:
    from platformdirs import user_cache_path, user_data_path

    for what, folder in (
        ("cache folder", user_cache_path("halubot", appauthor=False)),
        ("data folder", user_data_path("halubot", appauthor=False)),
        (STORE, values.get("store") or config.store_folder()),
    ):
        # A folder that is not there yet is made at first use: what counts is whether the one above
        # lets it.
        nearest = next(place for place in (folder, *folder.parents) if place.exists())
        if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
            yield Finding(what, False, f"{folder}: not writable")
        elif what == STORE:
            yield _look(what, partial(_store, folder))
        else:
            yield Finding(what, True, f"{folder}")


def _store(folder: Path) -> tuple[bool, str]:
    """The store, whose answers are all read; nothing is changed."""
    from halubot_cache import examine, find_asides

    fault = examine(folder)
    if fault is not None:
        saved = ": the next check saves what can be read" if "damaged" in fault else ""
        return False, f"{folder}: {fault}{saved}"
    # No fault any more: their answers were saved when they were set aside.
    asides = ", ".join(one.name for one in find_asides(folder))
    return True, f"{folder}{f': damaged ones were set aside: {asides}' if asides else ''}"


def _prompts() -> tuple[bool, str]:
    """The prompts, and which of them a person has replaced."""
    from halubot_prompts import Library

    folder = config.path().parent / "prompts"
    own, bundled = Library(folder), Library()
    replaced = [name for name in own.names() if own.get(name).version != bundled.get(name).version]
    told = f"replaced: {', '.join(replaced)}" if replaced else "none replaced"
    return True, f"{folder}: {told}"


def _models(values: Mapping[str, Any]) -> Iterator[Finding]:
    """The models that are named, and those of servers on this machine."""
    from halubot.models.reachable import reachable

    named = dict.fromkeys(filter(None, (values.get("model"), values.get("judge_model"))))
    models, problems = reachable(
        dict.fromkeys(named, "option"),
        values.get("api_base"),
        offline=bool(values.get("offline")),
    )
    if not named:
        yield Finding("model", None, "none is named: see halubot models")
    offered = 0
    for one in models:
        if one.name not in named:
            offered += 1
            continue
        where = f"{one.name} at {one.endpoint}, {'on this machine' if one.local else 'hosted'}"
        lacking = f": {one.missing_key} is not set" if one.missing_key else ""
        yield Finding("model", not lacking, f"{where}{lacking}")
    for problem in problems:
        # No fault: a server that nobody named may be down, or be something else.
        yield Finding("model server", None, problem)
    yield Finding("models on this machine", None, f"{offered or 'none'} offered by servers")


def _engine() -> tuple[bool, str]:
    """The demonstration, checked: the engine must doubt something in it, and not everything."""
    from halubot import check, demo

    given = demo.load()
    report = check(given.text, samples=given.samples, references=given.references)
    doubted = len(report.doubted())
    # Both ends are wrong: the demo holds planted errors beside facts that are right.
    return 0 < doubted < len(report.facts), (
        f"{report.method}: {doubted} of {len(report.facts)} facts of the demo in doubt,"
        f" in {report.usage.seconds * 1000:.0f} ms"
    )


def _documents() -> tuple[bool, str]:
    """Read a page in the process that reads documents, and say which limits hold for it: whether a
    sandbox can start is only known by starting it."""
    from halubot.text.files import Limits
    from halubot.text.files.reader import is_memory_limited, read_document

    read = read_document(b"<p>Ada wrote.</p>", "html", "a page").text == "Ada wrote."
    memory = f"{Limits().memory >> 20} MiB of memory"
    if not is_memory_limited():
        memory = "no limit of memory: this platform enforces none"
    return read, f"read in a process of their own, with {memory}"
