"""What a command is given: the message, and what to compare it with."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

import click

from halubot import evidence
from halubot.cli import hosted
from halubot.evidence.reading import decode
from halubot.given import Options
from halubot.offline import network_refused


def message(file: Path | None) -> str:
    """The text of a file (text, Markdown, HTML, PDF), or of standard input for "-" and where
    no file is named and something is piped in.

    Raises UnreadableError and InputError for what holds no text, UsageError where a person at a
    terminal named no file.
    """
    if file is not None and str(file) != "-":
        return evidence.contents(file.expanduser())[0]
    return _piped(file is not None, "no text: name a FILE, or pipe one in")


def question(words: Sequence[str]) -> str:
    """The words of a command line as one question; that of standard input for "-" and where there
    are none and something is piped in. Raises UsageError and UnreadableError."""
    if words and words != ("-",):
        return " ".join(words)
    return _piped(bool(words), "no QUESTION: write one, or pipe one in").strip()


def _piped(asked: bool, nothing: str) -> str:
    stream = standard_input()
    if stream is None or (not asked and stream.isatty()):
        raise click.UsageError(nothing, click.get_current_context(silent=True))
    return decode(stream.buffer.read(), "standard input")


def standard_input() -> TextIO | None:
    """Standard input; None where it is closed."""
    return sys.stdin


@contextmanager
def comparing(
    *,
    sample: Sequence[Path],
    samples: Path | None,
    reference: Sequence[Path],
    match: str | None,
    offline: bool,
    dry_run: bool,
    **plain: Any,
) -> Iterator[Options]:
    """The options of a check, with the files of samples read; ``plain`` are those that are passed
    on as they are. With ``offline`` the network is refused inside. Says who receives the text,
    unless nobody does in a dry run.

    Raises UnreadableError, BrokenLineError and InputError for the files, SettingError for options
    that do not go together.
    """
    for name in ("store", "record", "replay"):
        plain[name] = plain[name] and plain[name].expanduser()
    options = cast("Options", plain)
    hosted.require_sense(options, offline=offline and not dry_run)
    with ExitStack() as stack:
        if offline:
            stack.enter_context(network_refused())
        answers = [
            source
            for path in sample
            for source in evidence.load_all(path.expanduser(), kind="sample")
        ]
        if samples is not None:
            answers += evidence.load_samples(samples.expanduser())
        options["samples"] = answers
        options["references"] = [path.expanduser() for path in reference]
        if match is not None:
            options["options"] = {"match": match}
        if not dry_run:
            hosted.say_who_receives(options)
        yield options
