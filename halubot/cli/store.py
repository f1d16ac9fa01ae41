"""`halubot store`: the store of the models' answers, looked at and cleared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halubot import settings
from halubot.cli import output, tell
from halubot.cli.parameters import Group, is_typed, list_format, own, shared
from halubot.errors import SettingError
from halubot.options import NAME, SWITCH
from halubot.options import number as number_from
from halubot.render.captions import number

if TYPE_CHECKING:
    from halubot_cache import Stats, Store


@click.group(cls=Group)
def command() -> None:
    """Look after the store of the models' answers, where each is kept as it came: what is stored
    is not paid for again."""


@command.command(params=[*shared("store"), list_format()])
def stats(store: Path | None, format: str) -> None:
    """Say what the store holds: answers by model and by namespace, and the size of it all."""
    folder = _folder(store)
    found = None
    if folder.exists():
        with _open(folder) as opened:
            found = opened.stats()
    if format == "json":
        from halubot_cache import Stats

        output.say_json({"folder": str(folder), **asdict(found or Stats(0, 0, 0, {}, {}))})
        return
    if found is None or not (found.completions or found.damaged):
        output.say(output.sentence(f"nothing is stored in {folder}"))
        return
    output.say(_describe(folder, found))


@command.command(
    params=[
        *shared("store"),
        own("model", "Only the answers of that model.", NAME),
        own("namespace", "Only that namespace and those beneath it.", NAME),
        own(
            "older_than",
            "Only what was stored so many days ago or before.",
            number_from(0, 100_000, metavar="DAYS"),
        ),
        own("yes", "Do not ask.", SWITCH, default=False),
    ]
)
def clear(
    *,
    store: Path | None,
    model: str | None,
    namespace: str | None,
    older_than: float | None,
    yes: bool,
) -> None:
    """Delete stored answers for good.

    All of them, or those that every option given fits. Asks before it does.
    """
    from datetime import timedelta

    if not is_typed("model"):
        model = None  # the variable and the setting name the model to ask, not one to forget
    folder = _folder(store)
    if not folder.exists():
        output.say_line(f"nothing is stored in {folder}")
        return
    which = f" of {model}" if model is not None else ""
    which += f" in the namespace {namespace}" if namespace is not None else ""
    which += f" stored {older_than:g} days ago or before" if older_than is not None else ""
    with _open(folder) as opened:
        if not yes:
            output.confirm(f"Delete {'the' if which else 'all'} answers{which} from {folder}?")
        age = None if older_than is None else timedelta(days=older_than)
        count = opened.clear(namespace=namespace, model=model, older_than=age)
        left = opened.stats().completions
    output.say_line(f"{number(count, 'answer')} deleted, {left} left in {folder}")


def _folder(store: Path | None) -> Path:
    return store.expanduser().absolute() if store else settings.store_folder()


@contextmanager
def _open(folder: Path) -> Iterator[Store]:
    """The store, whose troubles are told. Raises SettingError if it cannot be used."""
    from halubot_cache import Store, StoreError

    try:
        with Store.open(folder) as store:
            yield store
            for problem in store.problems:
                tell(f"{problem.what}: {problem.why}")
    except StoreError as error:
        raise SettingError(str(error)) from error
    except OSError as error:
        raise SettingError(
            f"cannot use the store in {folder}: {error.strerror or error}"
        ) from error


def _describe(folder: Path, found: Stats) -> str:
    from halubot.render.inert import one_line

    held = f"{number(found.completions, 'answer')} in {folder} ({output.size(found.bytes)})"
    lines = [output.sentence(held)]
    if found.damaged:
        lines.append(f"{found.damaged} damaged, which do not count")
    for what, counts in (("model", found.models), ("namespace", found.namespaces)):
        rows = [(one_line(name), str(count)) for name, count in sorted(counts.items())]
        lines += ["", output.table((what, "answers"), rows)]
    return "\n".join(lines)
