"""`halubot check`, `halubot correct` and `halubot ask`: what to doubt in a text, and why."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import output as printing
from halubot.cli.parameters import TEXT_FILE, Command, Parameter, shown_by
from halubot.options import FORMATS, OPTIONS, choice

if TYPE_CHECKING:
    from halubot.dry_run import Work
    from halubot.events import Emit
    from halubot.report import Report

_PLAIN_TOO = Parameter(
    replace(
        OPTIONS["format"],
        help="text, json, markdown, html, or plain: the corrected text alone.",
        kind=choice(*FORMATS, printing.PLAIN, metavar="FORMAT"),
    )
)
_CORRECTING = shown_by("checks", "reports", "corrects", also=("question", "paste"))


@click.command(
    cls=Command,
    example="answer.txt --samples others.jsonl --reference notes/",
    params=[TEXT_FILE, *shown_by("checks", "reports", also=("question", "paste"))],
)
def command(file: Path | None, **given: Any) -> int:
    """Check a text and say what to doubt, and why.

    \b
    Ends with 0   nothing doubted, everything checked
              1   something doubted or contradicted
              3   nothing doubted, but something not checked, or no fact found
              2   wrong usage or unreadable input

    With --fail-on doubtful, what was not checked does not count; with --fail-on contradicted,
    doubtful facts do not count either.
    """
    return _run("check", given, file=file)


@click.command(
    cls=Command,
    example="answer.txt --samples others.jsonl --reference notes/",
    params=[TEXT_FILE, *(_PLAIN_TOO if one.name == "format" else one for one in _CORRECTING)],
)
def correct(file: Path | None, **given: Any) -> int:
    """Check a text, correct what is doubted, and check the corrected text again.

    A doubted value that most samples, or a reference, replace by one other value is replaced by
    it; --on-doubt says what becomes of other doubted statements. With a model, the model rewrites
    what is doubted, and --hints says what it is told. The exit status is that of halubot check for
    the text as it was given.
    """
    return _run("correct", given, file=file)


@click.command(
    cls=Command,
    example='"Who was Ada Lovelace?" --model ollama_chat/llama3.2',
    params=[
        click.Argument(["words"], nargs=-1, metavar="[QUESTION|-]"),
        *shown_by("checks", "reports"),
    ],
)
def ask(words: tuple[str, ...], **given: Any) -> int:
    """Ask a model, and say what to doubt in its answer, and why.

    At a terminal the answer can be read while it is written; the report follows. Other answers to
    compare with are drawn meanwhile, unless some are given. Ends like halubot check.
    """
    return _run("ask", given, words=words)


def _run(
    work: Work, given: dict[str, Any], *, file: Path | None = None, words: Sequence[str] = ()
) -> int:
    """Do the work of a command on the text of a file or the words of a question, print its report
    or its plan, and return the exit status."""
    output, format, state = given.pop("output"), given.pop("format"), given.pop("state")
    verbose, fail_on = given.pop("verbose"), given.pop("fail_on")
    heeds_feedback = not given.pop("no_feedback")
    correcting = {name: given.pop(name) for name in ("on_doubt", "hints") if name in given}
    printing.require_files(given, output, file)
    from halubot.cli import check_run, hosted, input_files
    from halubot.feedback import with_own_words
    from halubot.inputs import Options

    asks = work == "ask"
    text = input_files.question(words) if asks else input_files.message(file)
    about: dict[str, Any] = {"asked": text} if asks else {"text": text}
    with input_files.comparing(**about, once=True, **given) as comparing:
        if given["dry_run"]:
            from halubot.dry_run import rehearse

            correcting.pop("on_doubt", None)
            plan = rehearse(text, work=work, **correcting, **comparing)
            return check_run.show(plan, work=work, format=format, output=output)

        def begin(watch: Emit) -> Coroutine[Any, Any, Report]:
            options = comparing | Options(watch=watch)
            if work == "correct":
                from halubot.correction_api import acorrect

                # Between the check and the correction, so that a fact that the person called right
                # is not corrected.
                heed = partial(with_own_words, folder=state) if heeds_feedback else None
                return acorrect(text, **correcting, heed=heed, **options)
            from halubot.api import aask, acheck

            return aask(text, **options) if asks else acheck(text, **options)

        if asks:
            hosted.load_library(comparing)
        # An answer is printed as it comes only at a terminal: in a pipe it would stand there twice,
        # streamed and in the report.
        live = printing.live(format, output) if asks else None
        report, interrupted = check_run.run(begin, once=work == "check", live=live)
    if heeds_feedback:
        # Last, on the finished report: a person's word decides what they see, and not what is
        # stored or learnt.
        report = with_own_words(report, state)
    printing.show(report, format=format, verbose=verbose, output=output)
    return check_run.exit_status(report, interrupted, fail_on)
