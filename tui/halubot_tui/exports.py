"""Texts, reports and sessions as files: plain text, Markdown, HTML, JSON."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self

from halubot.errors import HalubotError, InputError
from halubot.render.inert import one_line
from halubot.report import Correction, Edit, Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot_tui.text_check import TextCheck

What = Literal["text", "report", "session"]
Format = Literal["plain", "markdown", "html", "json"]

SUFFIXES: Final[Mapping[Format, str]] = {
    "plain": ".txt",
    "markdown": ".md",
    "html": ".html",
    "json": ".json",
}


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

    asked: str
    text: str
    corrected: str
    report: Report | None = None
    failure: str | None = None

    @classmethod
    def of(cls, check: TextCheck) -> Self:
        """A check as it stands now."""
        return cls(
            asked=check.question,
            text=check.text,
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
    of their session, in Markdown."""
    if session is None:
        report = messages[0].report
        if report is None:
            raise InputError("nothing is known of this text yet: check it first")
        return _one(format, report)
    return "\n".join(_markdown(messages, session))


def _one(format: Format, report: Report) -> str:
    match format:
        case "markdown":
            from halubot.render.markdown_report import to_markdown

            return to_markdown(report)
        case "html":
            from halubot.render.html import page

            return page(report)
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
