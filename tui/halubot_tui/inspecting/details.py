"""What a method tells of its own, in words: steps with their citations, labels, votes, terms; and
how a result came about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render import captions
from halubot.render.inert import one_line
from halubot_tui import problems
from halubot_tui.inspecting import methods
from halubot_tui.inspecting.drawing import QUIET, hung, stack_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

_LABELS: Final[Mapping[str, str]] = {
    "OFF-TARGET": "It does not answer its question, so what it says was not looked into.",
    "INCONCLUSIVE": "What was found decides neither for it nor against it.",
    "CORRECT": "What was found bears it out.",
    "INCORRECT": "What was found speaks against it.",
}


def message_details(turn: Turn, entry: Entry | None, width: int, signs: Signs) -> Content:
    """The details of a message, what concerns the entry that is looked at first."""
    report = turn.report
    if report is None:
        said = turn.doing if turn.running else "Nothing is known yet."
        if turn.failure:
            said = problems.failure(turn.failure)
        return stack_lines([*hung(Content(said).stylize(QUIET), width)])
    lines: list[Content] = []
    for title, body in _sections(report, entry, width, signs):
        if body:
            lines += [*([Content("")] if lines else []), heading(title), *body]
    return stack_lines(lines)


def heading(title: str) -> Content:
    """The title of a section."""
    return Content(title).stylize("bold $primary")


def _sections(
    report: Report, entry: Entry | None, width: int, signs: Signs
) -> Iterator[tuple[str, Sequence[Content]]]:
    yield "Result", [*_result(report, width, signs)]
    if report.problems:
        yield "What went less well", [*_problems(report, width)]
    *own, left = methods.sections(report, entry, width, signs)
    yield from own
    yield "How it came about", [*_way(report, width)]
    yield left


def _result(report: Report, width: int, signs: Signs) -> Iterator[Content]:
    yield from hung(Content(captions.summary(report)).stylize("bold"), width)
    if report.label:
        label = one_line(report.label)
        style = {"INCORRECT": "bold $contradicted", "CORRECT": "$supported"}.get(label, "bold")
        yield from hung(Content(label).stylize(style), width)
        if label in _LABELS:
            yield from hung(Content(_LABELS[label]), width)
    if report.score is not None:
        full, rest = signs.bar(report.score)
        yield Content.assemble(full, (rest, QUIET), f" doubt {report.score:.2f} as a whole")


def _way(report: Report, width: int) -> Iterator[Content]:
    if report.question is not None:
        written = (
            "Question, written by the model" if report.question.origin == "written" else "Question"
        )
        yield from pair(written, report.question.text, width)
    yield from pair("Method", report.method, width)
    for name, model in report.models:
        if model:
            yield from pair(_ROLES.get(name, name), model, width)
    yield from pair("Compared with", captions.compared_with(report), width)
    yield from pair("Threshold", captions.threshold(report.threshold), width)
    if report.calibration is not None:
        yield from pair("Probabilities", f"fitted on {report.calibration.fitted_on}", width)
    if extraction := report.details.get("extraction"):
        yield from pair("Facts found", str(extraction), width)
    yield from pair("Took", captions.took(report), width)
    usage = report.usage
    if usage.prompt_tokens or usage.completion_tokens:
        said = f"{usage.prompt_tokens:,} read, {usage.completion_tokens:,} written"
        yield from pair("Tokens", said, width)
    yield from pair("Engine", f"halubot {report.engine}", width)
    if report.prompts:
        yield from pair("Prompts", ", ".join(report.prompts), width)


_ROLES: Final = {"answer": "Answers by", "sample": "Samples by", "judge": "Judged by"}


def _problems(report: Report, width: int) -> Iterator[Content]:
    for problem in problems.problems(report):
        yield from hung(Content(problem), width, Content("! ").stylize("bold $doubtful"))


def pair(name: str, said: Any, width: int) -> Iterator[Content]:
    """A name and what belongs to it, on one line or more."""
    yield from hung(Content.assemble((f"{name}: ", QUIET), one_line(str(said))), width)
