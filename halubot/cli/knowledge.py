"""`halubot knowledge`: bases that texts are checked against, built, listed and searched."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halubot.cli import USAGE, output, tell
from halubot.cli.parameters import Group, list_format, own, shared
from halubot.cli.store import confirm
from halubot.errors import InputError
from halubot.options import FILE, SWITCH, whole

if TYPE_CHECKING:
    from halubot.evidence.knowledge.additions import Added, Step
    from halubot.evidence.retrieval import Passage

SHOWN = 10
"""Lines of a kind that are printed before the rest is only counted."""

_NAME = click.Argument(["name"], metavar="NAME")
(_FOLDER,) = shared("knowledge_folder")


@click.group(cls=Group)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Build knowledge bases from your files, once, and check texts against them by
    --knowledge NAME."""
    ctx.default_map = dict.fromkeys(command.commands, ctx.default_map)


@command.command(
    params=[
        _NAME,
        click.Argument(["paths"], nargs=-1, required=True, type=FILE, metavar="PATH..."),
        _FOLDER,
    ]
)
def add(*, name: str, paths: tuple[Path, ...], knowledge_folder: Path | None) -> int:
    """Read files, and folders with all below them, into a base.

    Text, Markdown, HTML, PDF and DOCX. Once more, it reads what is new and what has changed, and
    drops what is gone. What is read lasts, even if this is stopped: the same command goes on.
    """
    from halubot.cli.screen import bar
    from halubot.evidence.knowledge.additions import add as read_into
    from halubot.evidence.knowledge.bases import home

    there = home(name, knowledge_folder)
    with bar() as shown:
        task = shown.add_task("reading", total=None)

        def watch(step: Step) -> None:
            said = f"reading, {_count(step.passages, 'passage')}"
            shown.update(task, description=said, completed=step.done, total=step.of)

        try:
            added = read_into(there, paths, watch=watch)
        except KeyboardInterrupt:
            tell("what was read so far is kept: the same command goes on")
            raise
    return _tell_added(name, added)


@command.command("list", params=[list_format(), _FOLDER])
def list_(format: str, knowledge_folder: Path | None) -> None:
    """Say which bases there are, what they hold, and what they were made from."""
    from halubot.evidence.knowledge.bases import bases_folder
    from halubot.evidence.knowledge.local import holdings

    found = holdings(knowledge_folder)
    if format == "json":
        listed = [asdict(one) for one in found]
        output.say(json.dumps(listed, indent=2, ensure_ascii=False), "json")
        return
    if not found:
        there = bases_folder(knowledge_folder)
        output.say(output.sentence(f"there is no base in {there}"))
        return
    from halubot.render.inert import one_line

    rows = [
        (one.name, _number(one.passages), _number(one.files), f"{one.bytes / 1e6:.1f} MB")
        for one in found
    ]
    output.say(output.table(("base", "passages", "files", "size"), rows))
    for one in found:
        made = [f"{one.name} from {', '.join(map(one_line, one.paths))}"] if one.paths else []
        if made:
            output.say(output.sentence(made[0]))
        if one.problem:
            tell(one.problem)


@command.command(params=[_NAME, own("yes", "Do not ask.", SWITCH, default=False), _FOLDER])
def remove(name: str, yes: bool, knowledge_folder: Path | None) -> None:
    """Delete a base. The files that it was made from stay. Asks before."""
    from halubot.evidence.knowledge.bases import find_home

    there = find_home(name, knowledge_folder)
    if not yes:
        confirm(f"Delete the base {name}, {there.size() / 1e6:.1f} MB in {there.folder}?")
    there.remove()
    output.say_line(f"{name} deleted")


@command.command(
    params=[
        _NAME,
        click.Argument(["query"], metavar="QUERY"),
        own("most", "How many passages.", whole(1, 1000), default=5),
        *shared("offline"),
        list_format(),
        _FOLDER,
    ]
)
def search(
    *,
    name: str,
    query: str,
    most: int,
    offline: bool,
    format: str,
    knowledge_folder: Path | None,
) -> None:
    """Show the passages that are nearest to a query.

    In a base, in a ZIM file by its path, or online in wikipedia (wikipedia:de is the German one).
    """
    import asyncio

    from halubot.evidence.knowledge.named_bases import open_knowledge

    # An index finds nothing for such a query, and Wikipedia would be asked for it.
    if not any(letter.isalnum() for letter in query):
        raise InputError("the query holds no word: say what to look for")
    knowledge = open_knowledge(name, offline=offline, folder=knowledge_folder)
    try:
        found = asyncio.run(knowledge.search(query, most))
        # Known only after the search.
        for note in getattr(knowledge, "notes", ()):
            tell(note)
    finally:
        knowledge.close()
    if format == "json":
        shown = [_as_json(passage) for passage in found]
        output.say(json.dumps(shown, indent=2, ensure_ascii=False), "json")
    elif found:
        output.say("\n\n".join(_format(number, one) for number, one in enumerate(found, 1)))
    else:
        output.say_line(f"no passage of {name} shares a word with that")


def _tell_added(name: str, added: Added) -> int:
    """Says what came of adding; the exit status."""
    counts = [
        f"{count} {said}"
        for count, said in (
            (added.new, "new"),
            (added.changed, "changed"),
            (added.unchanged, "unchanged"),
            (len(added.gone), "gone"),
            (len(added.left_out), "left out"),
        )
        if count
    ]
    held = f"{_count(added.passages, 'passage')} of {_count(added.files, 'file')}"
    _tell_some(added.gone, "gone, and dropped: ")
    _tell_some(map(str, added.left_out), "left out: ")
    output.say(output.sentence(f"{name}: {', '.join(counts) or 'nothing to read'}; {held}"))
    read = added.new + added.changed + added.unchanged
    # Nothing was read and nothing dropped: a wrong path must not pass for a base that is up to
    # date.
    return 0 if read or added.gone else USAGE


def _tell_some(things: Iterable[str], before: str) -> None:
    lines = list(things)
    for line in lines[:SHOWN]:
        tell(f"{before}{line}")
    if len(lines) > SHOWN:
        tell(f"{before}{len(lines) - SHOWN} more")


def _as_json(passage: Passage) -> dict[str, object]:
    source = passage.source
    return {
        "title": source.title,
        "place": source.place,
        "date": source.date,
        "location": source.location,
        "text": passage.text,
        "score": passage.score,
    }


def _format(number: int, passage: Passage) -> str:
    from halubot.render.inert import inert, one_line

    source = passage.source
    head = ", ".join(filter(None, [source.title, source.place, source.date]))
    text = inert(passage.text).strip()
    return "\n".join(
        [
            output.wrap_paragraph(one_line(head), first=f"{number}. ", then="   "),
            f"   {one_line(source.location)}",
            *(
                output.wrap_paragraph(line, first="   ")
                for line in text.split("\n")
                if line.strip()
            ),
        ]
    )


def _number(count: int | None) -> str:
    return "?" if count is None else f"{count:,}"


def _count(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
