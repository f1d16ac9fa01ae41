"""Corrected texts and reports as files: plain text, Markdown, HTML, JSON."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from halubot.errors import HalubotError, InputError
from halubot.render.inert import one_line
from halubot.report import Correction, Edit, Report
from halubot.work_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot_tui.text_check import TextCheck

Format = Literal["text", "markdown", "html", "json"]

SUFFIXES: Final[Mapping[Format, str]] = {
    "text": ".txt",
    "markdown": ".md",
    "html": ".html",
    "json": ".json",
}


class ExistsError(InputError):
    """The file is there already."""


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


def default_path(check: TextCheck, format: Format) -> Path:
    """The path that is proposed: beside the file that the text was read from, else in the folder
    that halubot was started in."""
    suffix = SUFFIXES[format]
    source = Path(check.inputs.file) if check.inputs.file else None
    words = re.findall(r"\w+", one_line(check.inputs.title).lower())[:6]
    slug = "-".join(words).encode()[:60].decode(errors="ignore").strip("-")
    name = source.stem if source is not None else slug or "text"
    ending = "report" if format != "text" else "corrected" if is_corrected(check) else "copy"
    if format == "text" and source is not None and source.suffix in (".md", ".txt", ".markdown"):
        suffix = source.suffix
    name = f"{name.removesuffix('-corrected')}-{ending}{suffix}"
    return Path(name) if source is None else source.with_name(name)


def is_corrected(check: TextCheck) -> bool:
    """Whether a text was changed, in this version or one before."""
    return bool(check.corrections.changes or check.inputs.version_of)


def find_whole_path(path: Path) -> Path:
    """Return the path of a file from the root on; without a folder it is in the one that halubot
    was started in."""
    try:
        return path.expanduser().absolute()
    except RuntimeError:  # the home of somebody that this machine does not know
        return path.absolute()


def write_export(check: TextCheck, format: Format, path: Path, *, replace: bool = False) -> Path:
    """Write the corrected text of a check or its report, whole or not at all, and return the path.
    Raises ExistsError for a file that is there and not to be replaced, InputError for a check of
    which nothing is known, and HalubotError if it cannot be written."""
    path = find_whole_path(path)
    if path.exists() and not replace:
        raise ExistsError(f"{path} is there already")
    try:
        write_whole(path, as_text(check, format).encode(errors="replace").decode())
    except OSError as error:
        why = error.strerror or str(error)
        raise HalubotError(f"cannot write {path}: {why}; choose another place") from error
    return path


def as_text(check: TextCheck, format: Format) -> str:
    """The corrected text of a check, or its report in a format."""
    report = with_correction(check)
    if format == "text":
        return check.corrected.rstrip("\n") + "\n"
    if report is None:
        raise InputError("nothing is known of this text yet: check it first")
    match format:
        case "markdown":
            from halubot.render.markdown_report import to_markdown

            return to_markdown(report)
        case "html":
            from halubot.render.html import page

            return page(report)
        case "json":
            return report.to_json() + "\n"
