"""What a command is given: the message, and what to compare it with."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

import click

from halubot import evidence
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
    stream = standard_input()
    if stream is None or (file is None and stream.isatty()):
        raise click.UsageError(
            "no text: name a FILE, or pipe one in", click.get_current_context(silent=True)
        )
    return decode(stream.buffer.read(), "standard input")


def standard_input() -> TextIO | None:
    """Standard input; None where it is closed."""
    return sys.stdin


@contextmanager
def comparing(
    *,
    question: str | None,
    subject: str | None,
    sample: Sequence[Path],
    samples: Path | None,
    n_samples: int | None,
    reference: Sequence[Path],
    method: str | None,
    threshold: float | None,
    deadline: float | None,
    offline: bool,
) -> Iterator[Options]:
    """The options of a check, with the files of samples read; with ``offline`` the network is
    refused inside.

    Raises UnreadableError, BrokenLineError and InputError for the files.
    """
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
        yield Options(
            question=question,
            subject=subject,
            samples=answers[:n_samples],
            references=[path.expanduser() for path in reference],
            method=method,
            threshold=threshold,
            deadline=deadline,
        )
