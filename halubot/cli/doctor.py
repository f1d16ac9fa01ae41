"""`halubot doctor`: whether all that halubot stands on is well."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata

import click

from halubot import __version__, config
from halubot.cli import options, printing
from halubot.errors import HalubotError

LOOSEST_PYTHON = (3, 11)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. ``ok`` is None where there is nothing to be right or
    wrong about, such as an extra that is not installed."""

    what: str
    ok: bool | None
    found: str


@click.command(params=[options.LIST_FORMAT])
def command(format: str) -> int:
    """Say whether all is well here: Python, dependencies, settings, folders, the engine.

    Ends with 0 if so, with 1 if something is wrong.
    """
    findings = [*_python(), *_dependencies(), _settings(), *_folders(), _engine()]
    well = all(finding.ok is not False for finding in findings)
    if format == "json":
        found = {"ok": well, "findings": [asdict(finding) for finding in findings]}
        printing.say(json.dumps(found, indent=2))
    else:
        signs = {True: "ok", False: "WRONG", None: "-"}
        rows = [(signs[one.ok], one.what, one.found) for one in findings]
        printing.say(printing.table(("", "what", "found"), rows))
        printing.say("all is well" if well else "something is wrong: see the lines marked WRONG")
    return 0 if well else 1


def _python() -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("Python", sys.version_info >= LOOSEST_PYTHON, f"{version} at {sys.executable}")
    yield Finding("halubot", True, __version__)


def _dependencies() -> Iterator[Finding]:
    """The packages that halubot asks for; those of an extra may be absent."""
    for requirement in metadata.requires("halubot") or ():
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)", requirement)
        if name is None or name[0] == "halubot":
            continue
        what = f"{name[0]} (extra {extra[1]})" if extra else name[0]
        try:
            yield Finding(what, True, metadata.version(name[0]))
        except metadata.PackageNotFoundError:
            yield Finding(what, None if extra else False, "not installed")


def _settings() -> Finding:
    try:
        values = options.settings()
        options.effective(values)
    except HalubotError as error:
        return Finding("settings", False, str(error))
    except click.BadParameter as error:
        where = error.ctx and error.param and options.origin(error.ctx, error.param)
        return Finding("settings", False, f"{error.format_message().rstrip('.')}{where or ''}")
    there = config.path().exists()
    found = f"{config.path()}: {len(values)} set" if there else f"{config.path()}: not there"
    return Finding("settings", True, found)


def _folders() -> Iterator[Finding]:
    from platformdirs import user_cache_path, user_data_path

    for what, folder in (
        ("cache folder", user_cache_path("halubot", appauthor=False)),
        ("data folder", user_data_path("halubot", appauthor=False)),
    ):
        nearest = next(place for place in (folder, *folder.parents) if place.exists())
        writable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
        yield Finding(what, writable, f"{folder}{'' if writable else ': not writable'}")


def _engine() -> Finding:
    """The demonstration, checked: the engine must doubt something in it, and not everything."""
    try:
        from halubot import check, demo

        given = demo.load()
        report = check(given.text, samples=given.samples, references=given.references)
    except Exception as error:  # noqa: BLE001 - whatever fails here is the finding
        return Finding("engine", False, f"{type(error).__name__}: {error}")
    doubted = len(report.doubted())
    found = (
        f"{report.method}: {doubted} of {len(report.facts)} facts of the demo in doubt,"
        f" in {report.usage.seconds * 1000:.0f} ms"
    )
    return Finding("engine", 0 < doubted < len(report.facts), found)
