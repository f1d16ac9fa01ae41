"""`halubot feedback`: what you say of verdicts, kept and applied to later reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from halubot.cli import output as printing
from halubot.cli.parameters import Group, file_argument, list_format, own, shared
from halubot.errors import InputError
from halubot.options import choice, whole

if TYPE_CHECKING:
    from halubot.feedback import Word
    from halubot.report import Report

# SQLite's largest integer: a larger number would raise OverflowError in Python.
MOST = 2**63 - 1
"""The highest number that feedback may have."""


@click.group(cls=Group)
def command() -> None:
    """Say of facts whether they are right or wrong, whatever the verdict.

    Your word wins in the reports that you see of the same text.
    """


@command.command(
    params=[
        file_argument("file", "REPORT.json|-"),
        own(
            "fact",
            "The number that the report shows before the fact; without it the facts are listed.",
            whole(1),
        ),
        own("is", "What you say of it.", choice("right", "wrong")),
        own("note", "Why; shown with the fact.", default=""),
        *shared("state"),
    ]
)
@click.pass_context
def add(
    ctx: click.Context,
    /,
    *,
    file: Path,
    fact: int | None,
    note: str,
    state: Path | None,
    **given: Literal["right", "wrong"] | None,
) -> None:
    """Say that a fact is right, or wrong.

    REPORT.json is what halubot check --format json printed. Facts have the numbers that the same
    report has for people, with the most doubted first; their index in the JSON is another. A later
    word on the same fact of the same text takes the place of the one before.
    """
    from halubot.feedback import Feedback
    from halubot.render.captions import VERDICTS, reading
    from halubot.render.items import listing

    report, says = _report(file), given["is"]
    # The numbers that a person sees, most doubted first; the index in the JSON goes by the text.
    numbered = {one.number: one.fact for one in listing(report)}
    if fact is None:
        for number, one in numbered.items():
            if one is not None:
                printing.say_line(f"{number}  {reading(one)} ({VERDICTS[one.verdict]})")
        raise click.UsageError("say which fact, by its number: --fact N --is right|wrong", ctx)
    if says is None:
        raise click.UsageError("say what it is: --is right, or --is wrong", ctx)
    chosen = numbered.get(fact)
    if chosen is None:
        if not any(numbered.values()):
            raise InputError("the report has no facts to say anything of")
        what = "a sentence as a whole, no fact" if fact in numbered else "no number of the report"
        raise InputError(f"{fact} is {what}: without --fact its facts are listed")
    with Feedback.open(state) as feedback:
        word = feedback.add(report, chosen.index, says, note=note)
    printing.say(printing.sentence(f"{word.id}  {reading(word.fact)}: {word.says}"))


@command.command("list", params=[*shared("state"), list_format()])
def list_(state: Path | None, format: str) -> None:
    """List what you said, oldest first."""
    from halubot.feedback import Feedback, place

    words: tuple[Word, ...] = ()
    if place(state).exists():
        with Feedback.open(state) as feedback:
            words = feedback.words()
    if format == "json":
        printing.say_json([word.model_dump(mode="json") for word in words])
        return
    if not words:
        printing.say("nothing has been said of any fact yet")
        return
    rows = [_describe(word) for word in words]
    printing.say(printing.table(("number", "fact", "you said", "it was", "note"), rows))


@command.command(
    params=[
        click.Argument(
            ["numbers"],
            type=whole(1, MOST),
            nargs=-1,
            required=True,
            metavar="NUMBER...",
        ),
        *shared("state"),
    ]
)
def remove(numbers: tuple[int, ...], state: Path | None) -> None:
    """Take back what you said, by its number in the list."""
    from halubot.feedback import Feedback

    with Feedback.open(state) as feedback:
        for number in numbers:
            feedback.remove(number)
            printing.say_line(f"{number} taken back")


def _report(file: Path) -> Report:
    """The report in a file or on standard input. Raises InputError for anything else."""
    from pydantic import ValidationError

    from halubot.cli import input_files
    from halubot.report import Report

    text = input_files.message(file)
    try:
        report = Report.model_validate_json(text)
    except ValidationError:
        report = None
    count = len(report.facts) if report else 0
    # A file of any origin may fit the schema and still point beyond its own lists.
    if (
        report is None
        or [fact.index for fact in report.facts] != [*range(count)]
        or not {fact for one in report.sentences for fact in one.facts} <= {*range(count)}
    ):
        raise InputError(f"{file} holds no report: give what halubot check --format json printed")
    return report


def _describe(word: Word) -> tuple[str, ...]:
    from halubot.render.captions import VERDICTS, reading
    from halubot.render.inert import crop, one_line

    return (
        str(word.id),
        crop(reading(word.fact), 80),
        f"{word.says}, {word.at.astimezone().date().isoformat()}",
        VERDICTS[word.fact.verdict],
        crop(one_line(word.note), 80),
    )
