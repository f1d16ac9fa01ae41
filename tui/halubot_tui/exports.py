"""Messages and sessions as files: Markdown, HTML, JSON, SVG; and what a person said, as labels."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from halubot.errors import HalubotError, InputError
from halubot.render import captions
from halubot.render.inert import inert, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.terminal_theme import TerminalTheme

    from halubot.report import Report
    from halubot_tui.turns import Turn

What = Literal["text", "message", "session", "feedback"]
Format = Literal["plain", "markdown", "html", "json", "svg", "jsonl"]

SUFFIXES: Final[Mapping[Format, str]] = {
    "plain": ".txt",
    "markdown": ".md",
    "html": ".html",
    "json": ".json",
    "svg": ".svg",
    "jsonl": ".jsonl",
}
WIDTH: Final = 100
"""Columns of a picture."""

_FONTS: Final = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_NO_XML: Final = dict.fromkeys((0xFFFE, 0xFFFF), 0xFFFD)


class ExistsError(InputError):
    """The file is there already."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of an export; ``replace`` a file that is there. ``verbose`` adds what is
    supported and all evidence."""

    what: What
    format: Format
    path: Path
    replace: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A message as it is written to a file. ``asked`` is its question, "" if there is none;
    ``report`` None if nothing is known of it, ``failure`` why it failed, ``decided`` the text as a
    person decided on its correction, None without one."""

    kind: str
    asked: str
    text: str
    state: str
    report: Report | None = None
    failure: str | None = None
    compared: Mapping[str, Report] = field(default_factory=dict)
    decided: str | None = None

    @classmethod
    def of(cls, turn: Turn) -> Self:
        """A message as it stands now."""
        inputs = turn.inputs
        return cls(
            kind=inputs.kind,
            asked=inputs.text if inputs.kind == "ask" else inputs.question,
            text=turn.answer,
            state=turn.state,
            report=finish_report(turn),
            failure=turn.failure,
            compared=dict(turn.compared),
            decided=None if turn.revision is None else turn.revision.decided_text.text,
        )


def finish_report(turn: Turn) -> Report | None:
    """The report of a message with its correction: as it was decided on, checked again if it
    was; without one if nothing was decided. None if nothing is known."""
    revision, report = turn.revision, turn.report
    if report is None or revision is None:
        return report
    if revision.outcome is not None and revision.current:
        correction = revision.outcome.correction
    elif revision.decisions:
        correction = revision.decided_text
    else:
        return report
    return report.model_copy(update={"correction": correction})


def default_name(turn: Turn, session: str) -> Mapping[What, str]:
    """Names for files, without their suffix; of the text only if its correction was begun."""
    name = _slug(turn.inputs.text) or "message"
    revision, report = turn.revision, finish_report(turn)
    text: dict[What, str] = {}
    if revision is not None or (report is not None and report.correction is not None):
        changed = revision is None or revision.changes
        text = {"text": f"{name}-corrected" if changed else f"{name}-unchanged"}
    return {
        **text,
        "message": f"halubot-{name}",
        "session": f"halubot-{_slug(session) or 'session'}",
        "feedback": "halubot-feedback",
    }


def find_whole_path(path: Path) -> Path:
    """Return the path of a file from the root on; without a folder it is in the one that halubot
    was started in."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:  # the home of somebody that this machine does not know
        return path.absolute()


def write_export(
    wanted: Wanted, messages: Sequence[Kept], session: str, folder: Path | None = None
) -> Path:
    """Writes the file, whole or not at all, and returns its path. ``folder`` is the place at which
    a person's words are kept. Raises ExistsError, InputError for messages of which nothing is
    known, and HalubotError if it cannot be written."""
    path = find_whole_path(wanted.path)
    if path.exists() and not wanted.replace:
        raise ExistsError(f"{path} is there already")
    text = (
        "".join(_feedback(folder))
        if wanted.what == "feedback"
        else _text(wanted, messages, session)
    )
    _write(path, text)
    return path


def as_text(
    format: Format, messages: Sequence[Kept], session: str | None, *, verbose: bool = False
) -> str:
    """Messages in a format: one alone as its report if ``session`` is None, else all under the
    name of their session."""
    if session is None:
        report = messages[0].report
        if report is None:
            raise InputError("nothing is known of this text yet: check it first")
        return _one(format, report, messages[0], verbose=verbose)
    match format:
        case "markdown":
            return "\n".join(_markdown(messages, session, verbose=verbose))
        case "html":
            return _html(messages, session, verbose=verbose)
        case "svg":
            return _svg(messages, session or "halubot", verbose=verbose)
        case _:
            return _json(messages, session)


def _text(wanted: Wanted, messages: Sequence[Kept], session: str) -> str:
    if wanted.what == "text":
        report, text = messages[0].report, messages[0].decided
        if text is None and report is not None and report.correction is not None:
            text = report.correction.text
        if text is None:
            raise InputError("nothing of this text was corrected yet: F4 does")
        return text.rstrip("\n") + "\n"
    name = session if wanted.what == "session" else None
    return as_text(wanted.format, messages, name, verbose=wanted.verbose)


def _one(format: Format, report: Report, message: Kept, *, verbose: bool) -> str:
    match format:
        case "markdown":
            from halubot.render.markdown_report import to_markdown

            return to_markdown(report, verbose=verbose)
        case "html":
            from halubot.render.html import page

            return page(report, verbose=verbose)
        case "svg":
            return _svg([message], one_line(captions.summary(report)), verbose=verbose)
        case _:
            return report.to_json() + "\n"


def _markdown(messages: Iterable[Kept], session: str, *, verbose: bool) -> Iterator[str]:
    from halubot.render.markdown_report import escape, to_markdown

    yield f"# {escape(one_line(session)) or 'halubot'}\n"
    for number, message in enumerate(messages, start=1):
        about = escape(one_line(message.asked)) or "A text"
        yield f"## {number}. {about}\n"
        if message.report is not None:
            yield to_markdown(message.report, verbose=verbose)
        elif message.text:
            yield "> " + escape(message.text).replace("\n", "\n> ") + "\n"
        if message.failure:
            yield f"**It failed:** {escape(one_line(message.failure))}\n"


def _html(messages: Iterable[Kept], session: str, *, verbose: bool) -> str:
    from halubot.render.html import fragment
    from halubot.render.inert import POLICY, Html, join, tag

    style = Html(
        "html{color-scheme:light dark}body{margin:0 auto;max-width:78rem;padding:1rem;"
        "font-family:system-ui,sans-serif;background:#fff;color:#1c1d20}"
        "@media(prefers-color-scheme:dark){body{background:#17181b;color:#e6e6e8}}"
    )
    parts: list[str] = [tag("h1", one_line(session) or "halubot")]
    for number, message in enumerate(messages, start=1):
        parts.append(tag("h2", f"{number}. {one_line(message.asked) or 'A text'}", dir="auto"))
        if message.report is not None:
            parts.append(Html(fragment(message.report, verbose=verbose)))
        elif message.text:
            parts.append(tag("p", message.text, dir="auto"))
        if message.failure:
            parts.append(tag("p", f"It failed: {one_line(message.failure)}"))
    head = join(
        Html('<meta charset="utf-8">'),
        POLICY,
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"halubot: {one_line(session)}"),
        tag("style", style),
    )
    body = tag("body", *parts)
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n{body}\n</html>\n'


def _json(messages: Iterable[Kept], session: str) -> str:
    def describe(message: Kept) -> dict[str, Any]:
        return {
            "kind": message.kind,
            "question": message.asked or None,
            "text": message.text,
            "state": message.state,
            "failure": message.failure,
            "report": _dump(message.report),
            "compared": {name: _dump(report) for name, report in message.compared.items()},
        }

    data = {"schema": 1, "session": session, "messages": [describe(one) for one in messages]}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _dump(report: Report | None) -> dict[str, Any] | None:
    return None if report is None else report.model_dump(mode="json", by_alias=True)


def _svg(messages: Iterable[Kept], title: str, *, verbose: bool) -> str:
    """Return what a terminal of so many columns shows, as a picture that loads nothing."""
    from rich.console import Console
    from rich.text import Text

    from halubot.render.terminal import render, render_correction

    console = Console(
        record=True,
        width=WIDTH,
        file=StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        _environ={},
    )
    several = list(messages)
    for number, message in enumerate(several, start=1):
        if len(several) > 1:
            console.rule(Text(f"{number}. {one_line(message.asked) or 'A text'}"), align="left")
        if message.report is not None:
            console.print(render(message.report, width=WIDTH, verbose=verbose))
            if message.report.correction is not None:
                console.print()
                console.print(render_correction(message.report, width=WIDTH))
        elif message.text:
            console.print(Text(inert(message.text)))
        if message.failure:
            console.print(Text(f"It failed: {one_line(message.failure)}"))
    picture = console.export_svg(title=title, theme=_theme())
    return _FONTS.sub("", picture, count=2).translate(_NO_XML)


def _theme() -> TerminalTheme:
    """Colours of the dark theme, as a terminal has them."""
    from rich.color import Color
    from rich.terminal_theme import TerminalTheme

    def rgb(colour: str) -> tuple[int, int, int]:
        red, green, blue = Color.parse(colour).get_truecolor()
        return red, green, blue

    normal = [
        *("#15181d", "#ff8a80", "#84c99a", "#f0b95b"),
        *("#8fb8de", "#e3a3d8", "#9ecbc0", "#dcdfe4"),
    ]
    return TerminalTheme(rgb("#15181d"), rgb("#dcdfe4"), [rgb(one) for one in normal])


def _feedback(folder: Path | None) -> Iterator[str]:
    """Yield what the person said of facts, as labelled rows, a line a text."""
    from halubot.feedback import Feedback

    with Feedback.open(folder) as feedback:
        rows = list(feedback.rows())
    if not rows:
        raise InputError("you said nothing of any fact yet: d on a fact does")
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _write(path: Path, text: str) -> None:
    try:
        descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=".halubot-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            os.chmod(aside, 0o666 & ~_umask())
            os.replace(aside, path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    except OSError as error:
        why = error.strerror or str(error)
        raise HalubotError(f"cannot write {path}: {why}; choose another place") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _slug(text: str) -> str:
    """The first words of a text as a part of a file's name."""
    found = re.findall(r"\w+", one_line(text).lower())
    slug = "-".join(found[:6])
    return slug.encode()[:60].decode(errors="ignore").strip("-")
