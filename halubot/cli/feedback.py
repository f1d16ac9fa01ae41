"""`halubot feedback`: what you say of verdicts, kept and applied to later reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from halubot.cli import output as printing
from halubot.cli.parameters import Group, file_argument, list_format, own, shared
from halubot.errors import InputError
from halubot.options import choice, whole

if TYPE_CHECKING:
    from halubot.feedback import Word
    from halubot.report import Fact, Report

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
        raise InputError(_no_fact(fact, numbered))
    with Feedback.open(state) as feedback:
        word = feedback.add(report, chosen.index, says, note=note)
    printing.say(printing.sentence(f"{word.id}  {reading(word.fact)}: {word.says}"))


@command.command("list", params=[*shared("state"), list_format()])
def list_(state: Path | None, format: str) -> None:
    """List what you said, oldest first."""
    words = _words(state)
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
    except ValidationError as error:
        raise InputError(_no_report(file)) from error
    count = len(report.facts)
    held = (fact for sentence in report.sentences for fact in sentence.facts)
    # A file of any origin may fit the schema and still point beyond its own lists.
    if any(fact.index != place for place, fact in enumerate(report.facts)) or any(
        not 0 <= fact < count for fact in held
    ):
        raise InputError(_no_report(file))
    return report


def _no_report(file: Path) -> str:
    return f"{file} holds no report: give what halubot check --format json printed"


def _no_fact(number: int, numbered: Mapping[int, Fact | None]) -> str:
    if not any(numbered.values()):
        return "the report has no facts to say anything of"
    what = "a sentence as a whole, no fact" if number in numbered else "no number of the report"
    return f"{number} is {what}: without --fact its facts are listed"


def _words(state: Path | None) -> tuple[Word, ...]:
    """All words; none if nothing is kept yet."""
    from halubot.feedback import Feedback, place

    if not place(state).exists():
        return ()
    with Feedback.open(state) as feedback:
        return feedback.words()


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
