"""The input of a command: the message, and what to compare it with, from files or an editor."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

import click

from halubot.cli import hosted
from halubot.cli.parameters import is_typed, require_taken
from halubot.concurrency import Deadline, working_until
from halubot.errors import InputError, SettingError, UnreadableError
from halubot.evidence import files, text_source
from halubot.inputs import Options, default_method, names_models
from halubot.interrupt import tell_deadline
from halubot.offline import network_refused
from halubot.options import OF_METHODS
from halubot.report import Source
from halubot.run import FALLBACK_SECONDS
from halubot.text.files.encodings import LARGEST, decode, read_bytes

STANDARD_INPUT = "standard input"
"""What it is called in messages."""


def message(file: Path | None) -> str:
    """The text of a file (text, Markdown, HTML, PDF, DOCX), or of standard input for "-" and if
    no file is named and something is piped in.

    Raises UnreadableError and InputError for what holds no text, UsageError if a person at a
    terminal named no file.
    """
    if file is not None and str(file) != "-":
        path = file.expanduser()
        return files.contents_of(read_bytes(path), path)[0]
    return _piped(file is not None, "no text: name a FILE, or pipe one in")


def question(words: Sequence[str]) -> str:
    """The words of a command line as one question; that of standard input for "-" and if there
    are none and something is piped in. Raises UsageError and UnreadableError."""
    if words and words != ("-",):
        return " ".join(words)
    return _piped(bool(words), "no QUESTION: write one, or pipe one in").strip()


def _sample(path: Path) -> Path | Source:
    """A sample as it was named; what standard input holds for "-"."""
    if str(path) != "-":
        return path.expanduser()
    data = read_input("no sample: pipe one in")
    return files.source_of(data, STANDARD_INPUT, kind="sample")


def _reference(path: Path | str, dry_run: bool, seconds: float | None) -> Path | Source:
    """A reference as it was named; what standard input holds for "-", and what is fetched."""
    if isinstance(path, str):
        from halubot.evidence.download import download

        if dry_run:
            raise SettingError(f"--dry-run makes no request for {path}: save it, and name the file")
        return download(path, seconds=seconds)
    if str(path) != "-":
        return path.expanduser()
    return files.source_of(read_input("no reference: pipe one in"), STANDARD_INPUT)


def _samples(path: Path, question: str, text: str) -> list[Source]:
    """The samples of a file, or of standard input for "-": one a line, or an exported chat."""
    piped = str(path) == "-"
    if not piped and path.suffix.lower() in (".txt", ".md"):
        raise SettingError(f"--samples takes one answer a line, as JSON: give {path} with --sample")
    data = read_input("no samples: pipe them in") if piped else read_bytes(path.expanduser())
    name: str | Path = STANDARD_INPUT if piped else path.expanduser()
    # No line of samples begins so, and every export does.
    exported = data.lstrip().startswith(b"[") if piped else path.suffix.lower() == ".json"
    if exported:
        return files.chats_of(data, name, question=question, message=text)
    return files.samples_of(data, name)


def _piped(asked: bool, nothing: str) -> str:
    """The text of standard input, if it is meant."""
    stream = standard_input()
    # A person at a terminal who named nothing would sit before a program that waits in silence.
    if not asked and (stream is None or stream.isatty()):
        raise click.UsageError(nothing, click.get_current_context(silent=True))
    return decode(read_input(nothing), STANDARD_INPUT)


def read_input(nothing: str) -> bytes:
    """Return all of standard input. Raises UnreadableError if that is more than a file may hold."""
    # One byte more than is allowed tells a file that is too large from one that just fits.
    data = open_input(nothing).read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UnreadableError(STANDARD_INPUT, f"it is larger than {LARGEST >> 20} MiB")
    return data


def open_input(nothing: str) -> BinaryIO:
    """Return standard input, which can be read once in a command. Raises UsageError, with
    ``nothing`` if it is closed."""
    stream, ctx = standard_input(), click.get_current_context(silent=True)
    if stream is None:
        raise click.UsageError(nothing, ctx)
    if ctx is not None:
        if STANDARD_INPUT in ctx.meta:
            raise click.UsageError(
                "standard input can be one thing: name a file for the other", ctx
            )
        # Read by the first who asks; the second would get an empty text and check nothing.
        ctx.meta[STANDARD_INPUT] = True
    return stream.buffer


def standard_input() -> TextIO | None:
    """Standard input; None if it is closed."""
    return sys.stdin


@contextmanager
def comparing(
    *,
    text: str = "",
    asked: str = "",
    once: bool = False,
    paste: bool = False,
    sample: Sequence[Path],
    samples: Path | None,
    reference: Sequence[Path | str],
    knowledge: Sequence[str],
    knowledge_folder: Path | None,
    offline: bool,
    dry_run: bool = False,
    **plain: Any,
) -> Iterator[Options]:
    """The options of a check, with the files of samples and standard input read, and the bases of
    knowledge open inside; ``plain`` are those that are passed on as they are. With ``offline`` the
    network is refused inside. ``text`` is the message and ``asked`` the question of
    `ask`, by which answers are found in an exported chat; with ``paste`` others are asked for in an
    editor. With ``once`` all is for one check, whose deadline begins when the references are read:
    nobody has to type or paste in a hurry. Says who receives the text, unless nobody does in a dry
    run.

    Raises UnreadableError, BrokenLineError and InputError for the files, SettingError for options
    that do not go together and for knowledge that is not there, KnowledgeError for a base that
    cannot be opened, ModelError for a model that cannot be reached.
    """
    for name in ("store", "record", "replay"):
        plain[name] = plain[name] and plain[name].expanduser()
    own = {name: plain.pop(name) for name in OF_METHODS}
    options = cast("Options", plain)
    method = options.get("method") or default_method(options)
    if given := require_taken(method, own):
        options["options"] = given
    options["as_published"] = _wants_published(method, options)
    # Before the files are read and people are asked to paste: a key that is not set is found in no
    # time.
    web = hosted.require_usable(options, offline=offline and not dry_run, calls=not dry_run)
    deadline: Deadline | None = None
    with ExitStack() as stack:
        if offline:
            stack.enter_context(network_refused())
        answers: list[Path | Source] = [_sample(path) for path in sample]
        if samples is not None:
            answers += _samples(samples, plain.get("question") or asked, text)
        if paste:
            answers += paste_answers(text, len(answers))
        options["samples"] = answers
        seconds = plain.get("deadline")
        if once and seconds is not None:
            options["deadline"] = deadline = Deadline(seconds)
            stack.enter_context(working_until(deadline))
            # Words are compared after the deadline if a model brought nothing.
            tell_deadline(deadline.at + (FALLBACK_SECONDS if names_models(options) else 0.0))
        options["references"] = [
            _reference(path, dry_run, deadline.left if deadline else seconds) for path in reference
        ]
        if knowledge:
            from halubot.evidence.knowledge.named_bases import join

            bases = join(knowledge, offline=offline and not dry_run, folder=knowledge_folder)
            if bases is not None:
                options["knowledge"] = [stack.enter_context(closing(bases))]
                options["knowledge_folder"] = knowledge_folder
        if not dry_run:
            hosted.say_who_receives(options, web)
        yield options


def _wants_published(method: str, options: Options) -> bool:
    """Return True if the published steps are to be made: not if that was asked for all runs, and
    this one calls no model.

    Raises SettingError if the command line asks for steps that the method has not.
    """
    if not options.get("as_published"):
        return False
    from halubot.methods import registry

    if method in registry.method_names() and "model" not in registry.get(method).needs:
        if is_typed("as_published"):
            raise SettingError(
                f"--as-published makes a model's calls one by one, and {method} makes none"
            )
        return False
    # For all runs it means: where there is a model. Typed, it must not be passed over in silence.
    return names_models(options) or is_typed("as_published")


# No line of an answer: Markdown underlines a heading with = alone.
_SEPARATOR = re.compile(r"^=+ [^=\n]{0,80} =+[ \t]*$", re.MULTILINE)
_SHOWN = 2_000
_HEAD = """Paste other answers to the same question below, one below each line of equals signs.
Write more such lines for more answers; empty ones are left out. Then save, and leave the editor.
What stands above the first line is not read. The message that is checked:

{}

"""


def paste_answers(message: str, before: int = 0) -> list[Source]:
    """Open an editor and return what was pasted into it, as samples numbered after ``before``.

    Raises SettingError if there is no editor or no terminal for one, InputError if nothing was
    pasted.
    """
    chosen = any(os.environ.get(name) for name in ("VISUAL", "EDITOR"))
    # An editor that was named may be a script that needs no terminal.
    if not chosen and not sys.stdin.isatty():
        raise SettingError("--paste opens an editor, and there is no terminal for one")
    shown = message if len(message) <= _SHOWN else f"{message[:_SHOWN]} ..."
    # A line of the message must not begin a section.
    head = _HEAD.format(_SEPARATOR.sub("", shown).strip())
    sections = (f"====== answer {number} ======\n\n\n" for number in (1, 2, 3))
    try:
        written = click.edit(head + "\n".join(sections), extension=".md")
    except (click.ClickException, OSError) as error:
        raise SettingError(f"--paste cannot open an editor: {error}: set EDITOR") from error
    parts = _SEPARATOR.split(written or "")[1:]
    answers = [part.strip() for part in parts if part.strip()]
    if not answers:
        raise InputError("nothing was pasted: save the answers before you leave the editor")
    return [
        text_source(answer, "sample", number, title=f"pasted answer {number - before}")
        for number, answer in enumerate(answers, before + 1)
    ]
