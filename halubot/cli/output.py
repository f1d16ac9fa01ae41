"""Writing to standard output and to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import silence, tell
from halubot.cli.parameters import files_to_read
from halubot.errors import SettingError, UnreadableError, explain
from halubot.render.inert import inert, inert_but_styled
from halubot.work_file import write_whole

if TYPE_CHECKING:
    from rich.console import Console

    from halubot.events import SentenceMarked
    from halubot.report import Report

WIDEST = 100
"""Columns after which lines get hard to read."""
UNKNOWN = 80
"""Columns of a terminal that does not say how wide it is."""
MARGIN = 20
"""Columns below which words are not cut into lines any more."""
PLAIN = "plain"
"""The format of a corrected text alone."""


def say(text: str, format: str = "text") -> None:
    """Prints to standard output; quietly ends printing if its reader is gone (``| head``).
    Characters that its encoding lacks are written as ``format`` knows to write them. In text for
    people, nothing but colours commands the terminal: names of files hold what their makers like.
    """
    if format == "text":
        text = inert_but_styled(text)
    _write(text, format, "" if format == PLAIN else "\n")


def _write(text: str, format: str = "text", end: str = "") -> None:
    try:
        try:
            sys.stdout.write(text + end)
        except UnicodeEncodeError:
            # Only after it failed: most terminals have every character, and nothing is replaced
            # there.
            sys.stdout.write(_spell(text, format, sys.stdout.encoding) + end)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def say_json(value: object) -> None:
    """Print a value as JSON."""
    say(json.dumps(value, indent=2, ensure_ascii=False), "json")


def say_line(text: str) -> None:
    """Print a line that names files, or holds words of a text, and has no colours of its own."""
    say(inert(text))


class Live:
    """Text of a model, printed as it comes if a person at a terminal reads along."""

    def __init__(self) -> None:
        self._held = ""
        self._whole = ""
        self._open = False

    def write(self, piece: str) -> None:
        """Prints a piece; whatever it holds, it commands no terminal."""
        self._whole += piece
        text = self._held + piece
        self._held = "\r" if text.endswith("\r") else ""  # its line feed may come next
        self._print(inert(text.removesuffix(self._held)))

    def mark(self, event: SentenceMarked) -> None:
        """Prints a first verdict on a sentence of what was printed, on a line of its own."""
        from halubot.render.captions import glyph, verdict
        from halubot.render.inert import one_line
        from halubot.text import clean

        said = one_line(clean(self._whole)[0][event.start : event.end])
        why = f"; {one_line(event.quote)}" if event.quote else ""
        words = verdict(event.verdict, event.error)
        self._print(inert(f"\n  {glyph(event.verdict)} “{said}” {words}{why}\n"))

    def end(self) -> None:
        """Ends the last line, and leaves one free below it; nothing if nothing was printed."""
        if self._open:
            self._print("\n\n")
        self._open = False

    def _print(self, text: str) -> None:
        self._open = self._open or bool(text)
        _write(text)


def live(format: str, output: Path | None) -> Live | None:
    """Return the display on which a text can be read while it comes: on a terminal that no report
    is read from by programs, else nowhere."""
    return Live() if format == "text" and output is None and sys.stdout.isatty() else None


def _spell(text: str, format: str, encoding: str) -> str:
    """The text in characters that the encoding has."""
    if format == "json":
        # Escapes are the one way to write JSON in ASCII without a change of its meaning.
        return json.dumps(json.loads(text), indent=2)
    errors = "xmlcharrefreplace" if format == "html" else "replace"
    return text.encode(encoding, errors).decode(encoding)


def console(*, stderr: bool = False, plain: bool = False) -> Console:
    """A console that obeys NO_COLOR, COLUMNS and pipes; ``plain`` has no styles at all."""
    from rich.console import Console

    made = Console(
        stderr=stderr,
        color_system=None if plain else "auto",
        highlight=False,
        markup=False,
        emoji=False,
    )
    if made.width < 1:  # COLUMNS=0: it is not known
        made.width = UNKNOWN
    return made


def wrap_paragraph(text: str, *, first: str = "", then: str | None = None) -> str:
    """A paragraph in lines no longer than the terminal, cut between words; ``first`` stands before
    the first, ``then`` (by default the same) before the others."""
    from textwrap import fill

    return fill(
        text,
        max(MARGIN, min(console().width, WIDEST)),
        initial_indent=first,
        subsequent_indent=first if then is None else then,
        break_long_words=False,
        break_on_hyphens=False,
    )


def size(count: int) -> str:
    """Return a number of bytes in words."""
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def confirm(question: str) -> None:
    """Ask before something is deleted for good or downloaded; raises what ends the command if the
    answer is no, or there is no terminal to ask on."""
    # A script that meets a question would hang; a yes that nobody gave must not delete anything.
    if sys.stdin is None or not sys.stdin.isatty():
        context = click.get_current_context()
        raise click.UsageError("no terminal to ask on: pass --yes", context)
    # On standard error: standard output may be a file.
    click.confirm(question, abort=True, err=True)


def sentence(text: str) -> str:
    """A line, cut between words if it is printed at a terminal."""
    text = inert(text)
    return wrap_paragraph(text, then="  ") if sys.stdout.isatty() else text


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for people, as wide as the terminal at most."""
    from rich.table import Table

    made = Table(*head, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows:
        made.add_row(*map(inert, row))
    out = console()
    with out.capture() as captured:
        out.print(made)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def show(report: Report, *, format: str, verbose: bool, output: Path | None) -> None:
    """Prints a report, or writes it into a file. Its problems are told on standard error too,
    unless a person at a terminal reads them in the report.

    Raises SettingError if the file cannot be written.
    """
    # In a file or a pipe nobody sees the problems, and a program that reads JSON may not look for
    # them.
    if format != "text" or output is not None or not sys.stdout.isatty():
        from halubot.render.captions import problems

        for problem in problems(report):
            tell(problem)
    match format:
        case "json":
            text = report.to_json()
        case "markdown":
            from halubot.render.markdown_report import to_markdown

            text = to_markdown(report, verbose=verbose)
        case "html":
            from halubot.render.html import page

            text = page(report, verbose=verbose)
        case "plain":
            text = report.correction.text if report.correction else report.text
            doubted = len(report.doubted())
            if doubted and text == report.text:
                tell(f"nothing was changed, {doubted} in doubt; --format text shows what and why")
            if output is None and sys.stdout.isatty():
                text = inert(text)  # into a pipe it goes byte for byte
        case _:
            from halubot.render.terminal import render, render_correction

            out = console(plain=output is not None)
            with out.capture() as captured:
                out.print(render(report, verbose=verbose))
                if report.correction is not None:
                    out.print()
                    out.print(render_correction(report, verbose=verbose))
            text = captured.get().rstrip("\n")
    deliver(text, format, output)


def deliver(text: str, format: str, output: Path | None) -> None:
    """Prints a text, or writes it into a file. Raises SettingError if that cannot be written."""
    if output is None:
        say(text, format)
        return
    if format != PLAIN:
        text = text.rstrip("\n") + "\n"
    try:
        # Whole or not at all: a full disk must not cost the report that was there before.
        write_whole(output.expanduser(), text)
    except OSError as error:
        raise SettingError(f"cannot write {output}: {explain(error)}") from error


def require_files(given: Mapping[str, Any], output: Path | None, text: Path | None = None) -> None:
    """Raise before any work, and before the engine is loaded: UnreadableError if a file that is to
    be read is not there, and as `require_writable` for the output and the record."""
    read = [*filter(None, [text]), *files_to_read(given)]
    for path in read:
        if str(path) == "-":
            continue
        try:
            os.stat(os.path.expanduser(path))
        except (OSError, ValueError) as error:
            raise UnreadableError(path, explain(error)) from error
    # An answer that was paid for and cannot be written is lost.
    require_writable(output, *read)
    require_writable(given["record"], output, *read)


def require_writable(output: Path | None, *inputs: Path | None) -> None:
    """Raises SettingError before any work if a file could not be written after it, or is one
    of those that are read."""
    if output is None:
        return
    path = output.expanduser()
    try:
        for given in inputs:
            read = given and given.expanduser()
            if read and path.exists() and read.exists() and path.samefile(read):
                raise SettingError(f"{output} is read too: name another file to write")
        if not path.parent.exists():
            raise SettingError(f"cannot write {output}: there is no folder {output.parent}")
        # To open a pipe waits for its reader, and a device such as /dev/null needs no test.
        if not (path.is_fifo() or path.is_char_device()):
            # For appending, which leaves what is in it.
            path.open("ab").close()
    except (OSError, ValueError) as error:
        raise SettingError(f"cannot write {output}: {explain(error)}") from error
