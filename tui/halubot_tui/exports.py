"""Texts, reports and sessions as files: plain text, Markdown, HTML, JSON, SVG."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from halubot.errors import HalubotError, InputError
from halubot.render import captions
from halubot.render.inert import inert, one_line
from halubot.report import Correction, Edit, Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.terminal_theme import TerminalTheme

    from halubot_tui.text_check import TextCheck

What = Literal["text", "report", "session"]
Format = Literal["plain", "markdown", "html", "json", "svg"]

SUFFIXES: Final[Mapping[Format, str]] = {
    "plain": ".txt",
    "markdown": ".md",
    "html": ".html",
    "json": ".json",
    "svg": ".svg",
}
WIDTH: Final = 100
"""Columns of a picture."""

_FONTS: Final = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_NO_XML: Final = dict.fromkeys((0xFFFE, 0xFFFF), 0xFFFD)


class ExistsError(InputError):
    """The file is there already."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be saved where; to ``replace`` is to overwrite a file that is there."""

    what: What
    format: Format
    path: Path
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Saved:
    """A check as it is written to a file. ``asked`` is its question, "" for none; ``report`` None
    if nothing is known of it; ``failure`` why it failed; ``corrected`` the text with the changes
    that were made."""

    kind: str
    asked: str
    text: str
    state: str
    corrected: str
    report: Report | None = None
    failure: str | None = None

    @classmethod
    def of(cls, check: TextCheck) -> Self:
        """A check as it stands now."""
        return cls(
            kind=check.inputs.kind,
            asked=check.question,
            text=check.text,
            state=check.state,
            corrected=check.corrected,
            report=with_correction(check),
            failure=check.failure,
        )


def with_correction(check: TextCheck) -> Report | None:
    """The report of a check with the changes that were made as its correction; None if nothing is
    known."""
    report = check.report
    if report is None or not check.corrections.changes:
        return report
    edits = tuple(
        Edit(
            sentence=_sentence_of(report, change.start),
            start=change.start,
            end=change.end,
            before=change.before,
            after=change.after,
            facts=change.facts,
            action="changed" if change.after.strip() else "removed",
        )
        for change in check.corrections.changes
    )
    correction = Correction(text=check.corrected, edits=edits)
    return report.model_copy(update={"correction": correction})


def _sentence_of(report: Report, place: int) -> int:
    return next((one.index for one in report.sentences if one.start <= place < one.end), 0)


def default_path(check: TextCheck, what: What, format: Format, session: str) -> Path:
    """The path that is proposed: beside the file that the text was read from, else in the folder
    that halubot was started in."""
    suffix = SUFFIXES[format]
    if what == "session":
        return Path(f"{_slug(session) or 'session'}{suffix}")
    source = Path(check.inputs.file) if check.inputs.file else None
    name = source.stem if source is not None else _slug(check.inputs.title) or "text"
    ending = "corrected" if what == "text" else "report"
    if what == "text" and source is not None and source.suffix in (".md", ".txt", ".markdown"):
        suffix = source.suffix
    name = f"{name.removesuffix('-corrected')}-{ending}{suffix}"
    return Path(name) if source is None else source.with_name(name)


def find_whole_path(path: Path) -> Path:
    """Return the path of a file from the root on; without a folder it is in the one that halubot
    was started in."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:  # the home of somebody that this machine does not know
        return path.absolute()


def write_export(wanted: Wanted, checks: Sequence[Saved], session: str) -> Path:
    """Write the file, whole or not at all, and return its path. Raises ExistsError, InputError for
    checks of which nothing is known, and HalubotError if it cannot be written."""
    path = find_whole_path(wanted.path)
    if path.exists() and not wanted.replace:
        raise ExistsError(f"{path} is there already")
    if wanted.what == "text":
        text = checks[0].corrected.rstrip("\n") + "\n"
    else:
        name = session if wanted.what == "session" else None
        text = as_text(wanted.format, checks, name)
    _write(path, text)
    return path


def as_text(format: Format, messages: Sequence[Saved], session: str | None) -> str:
    """Checks in a format: one alone as its report if ``session`` is None, else all under the name
    of their session."""
    if session is None:
        report = messages[0].report
        if report is None:
            raise InputError("nothing is known of this text yet: check it first")
        return _one(format, report, messages[0])
    match format:
        case "markdown":
            return "\n".join(_markdown(messages, session))
        case "html":
            return _html(messages, session)
        case "svg":
            return _svg(messages, session or "halubot")
        case _:
            return _json(messages, session)


def _one(format: Format, report: Report, message: Saved) -> str:
    match format:
        case "markdown":
            from halubot.render.markdown_report import to_markdown

            return to_markdown(report)
        case "html":
            from halubot.render.html import page

            return page(report)
        case "svg":
            return _svg([message], one_line(captions.summary(report)))
        case _:
            return report.to_json() + "\n"


def _markdown(messages: Iterable[Saved], session: str) -> Iterator[str]:
    from halubot.render.markdown_report import escape, to_markdown

    yield f"# {escape(one_line(session)) or 'halubot'}\n"
    for number, message in enumerate(messages, start=1):
        about = escape(one_line(message.asked)) or "A text"
        yield f"## {number}. {about}\n"
        if message.report is not None:
            yield to_markdown(message.report)
        elif message.text:
            yield "> " + escape(message.text).replace("\n", "\n> ") + "\n"
        if message.failure:
            yield f"**It failed:** {escape(one_line(message.failure))}\n"


def _html(messages: Iterable[Saved], session: str) -> str:
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
            parts.append(Html(fragment(message.report)))
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


def _json(messages: Iterable[Saved], session: str) -> str:
    def describe(message: Saved) -> dict[str, Any]:
        return {
            "kind": message.kind,
            "question": message.asked or None,
            "text": message.text,
            "state": message.state,
            "failure": message.failure,
            "report": _dump(message.report),
            "corrected": message.corrected,
        }

    data = {"schema": 1, "session": session, "messages": [describe(one) for one in messages]}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _dump(report: Report | None) -> dict[str, Any] | None:
    return None if report is None else report.model_dump(mode="json", by_alias=True)


def _svg(messages: Iterable[Saved], title: str) -> str:
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
            console.print(render(message.report, width=WIDTH))
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
