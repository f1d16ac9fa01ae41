"""`halubot knowledge`: bases that texts are checked against, built, listed and searched."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halubot.cli import USAGE, output, tell
from halubot.cli.parameters import Group, list_format, own, shared
from halubot.errors import InputError
from halubot.options import FILE, SWITCH, whole
from halubot.render.captions import number

if TYPE_CHECKING:
    from halubot.evidence.knowledge.additions import Added
    from halubot.evidence.retrieval import Passage

SHOWN = 10
"""Lines of a kind that are printed before the rest is only counted."""

_NAME = click.Argument(["name"], metavar="NAME")
(_FOLDER,) = shared("knowledge_folder")


@click.group(cls=Group)
def command() -> None:
    """Build knowledge bases from your files, once, and check texts against them by
    --knowledge NAME."""


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

        def watch(done: int, of: int, passages: int) -> None:
            said = f"reading, {number(passages, 'passage')}"
            shown.update(task, description=said, completed=done, total=of)

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
        output.say_json([asdict(one) for one in found])
        return
    if not found:
        output.say(output.sentence(f"there is no base in {bases_folder(knowledge_folder)}"))
        return
    from halubot.render.inert import one_line

    rows = []
    for one in found:
        # A base that cannot be read has no counts.
        counts = ["?" if n is None else f"{n:,}" for n in (one.passages, one.files)]
        rows.append((one.name, *counts, output.size(one.bytes)))
    output.say(output.table(("base", "passages", "files", "size"), rows))
    for one in found:
        if one.paths:
            output.say(output.sentence(f"{one.name} from {', '.join(map(one_line, one.paths))}"))
        if one.problem:
            tell(one.problem)


@command.command(params=[_NAME, own("yes", "Do not ask.", SWITCH, default=False), _FOLDER])
def remove(name: str, yes: bool, knowledge_folder: Path | None) -> None:
    """Delete a base. The files that it was made from stay. Asks before."""
    from halubot.evidence.knowledge.bases import find_home

    there = find_home(name, knowledge_folder)
    if not yes:
        output.confirm(f"Delete the base {name}, {output.size(there.size())} in {there.folder}?")
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
    finally:
        knowledge.close()
    if format == "json":
        told = {"title", "place", "date", "location"}
        output.say_json(
            [
                {**one.source.model_dump(include=told), "text": one.text, "score": one.score}
                for one in found
            ]
        )
    elif found:
        output.say("\n\n".join(_format(place, one) for place, one in enumerate(found, 1)))
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
    held = f"{number(added.passages, 'passage')} of {number(added.files, 'file')}"
    for before, lines in (
        ("gone, and dropped: ", added.gone),
        ("left out: ", tuple(map(str, added.left_out))),
    ):
        for line in lines[:SHOWN]:
            tell(f"{before}{line}")
        if len(lines) > SHOWN:
            tell(f"{before}{len(lines) - SHOWN} more")
    output.say(output.sentence(f"{name}: {', '.join(counts) or 'nothing to read'}; {held}"))
    read = added.new + added.changed + added.unchanged
    # Nothing was read and nothing dropped: a wrong path must not pass for a base that is up to
    # date.
    return 0 if read or added.gone else USAGE


def _format(place: int, passage: Passage) -> str:
    from halubot.render.inert import inert, one_line

    source = passage.source
    head = ", ".join(filter(None, [source.title, source.place, source.date]))
    text = inert(passage.text).strip()
    return "\n".join(
        [
            output.wrap_paragraph(one_line(head), first=f"{place}. ", then="   "),
            f"   {one_line(source.location)}",
            *(
                output.wrap_paragraph(line, first="   ")
                for line in text.split("\n")
                if line.strip()
            ),
        ]
    )
