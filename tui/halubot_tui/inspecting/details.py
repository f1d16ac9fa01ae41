"""The details of a check by its method, each built-in method in words of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render import captions
from halubot.render.inert import one_line
from halubot_tui import problems
from halubot_tui.inspecting.drawing import QUIET, cite, hung, stack_lines, strip_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from halubot.render.inert import crop
from halubot_tui.inspecting import judgements
from halubot_tui.inspecting.drawing import STANCE_STYLES, phrases, stance
from halubot_tui.inspecting.evidence import weigh_witnesses
from halubot_tui.inspecting.judgements import MOST, plain, row, rows, tree

if TYPE_CHECKING:
    from halubot.report import Fact, Stance


KNOWN: Final = frozenset(
    {
        "extraction", "contributions", "members", "steps", "endings", "judgements", "aggregation",
        "off_target", "segments", "comparisons", "triples", "facts", "well_supported", "votes",
        "verdicts", "reasons", "bias", "max_neg_log_p", "mean_neg_log_p",
    }
)  # fmt: skip
"""The details that have a view here."""


_STANCE_WORDS: Final[Mapping[Stance, str]] = {
    "supports": "supports it",
    "contradicts": "contradicts it",
    "silent": "is silent",
}


_TERMS: Final[Mapping[str, str]] = {
    "head": "subject asked for again",
    "relation": "relation asked for again",
    "tail": "value asked for again",
    "consistency": "other answers' graphs agree",
}


_PARTS: Final[Mapping[str, str]] = {"head": "subject", "tail": "value"}


def sections(
    report: Report, entry: Entry | None, width: int, signs: Signs
) -> Iterator[tuple[str, Sequence[Content]]]:
    """The sections that the details of a report fill, by their titles; last, as they are, the
    details that no view knows, and those whose shape is not the one it knows."""
    strange: set[str] = set()
    for title, names, section in _views(report, entry, width, signs):
        try:
            yield title, [*section]
        except (TypeError, ValueError, LookupError, AttributeError):
            strange.update(names)
    left = {
        key: value for key, value in report.details.items() if key not in KNOWN or key in strange
    }
    yield "More from the method", [*tree(left, width)]


def _views(
    report: Report, entry: Entry | None, width: int, signs: Signs
) -> Iterator[tuple[str, Sequence[str], Iterator[Content]]]:
    """Each section with its title and the names of the details that it is made of."""
    fact = entry.fact if entry is not None else None
    details = report.details
    if fact is not None:
        yield (
            "What moved its score",
            ("contributions",),
            weigh_witnesses(report, fact, width, signs),
        )
        examined = _show_examined(row(details.get("facts"), fact.index), width, signs)
        yield "This fact, part by part", ("facts",), examined
        compared = _compare(report, fact, width, signs)
        yield "This fact, triple by triple", ("comparisons", "triples"), compared
    yield "Members", ("members",), _members(details.get("members"), width, signs)
    answers = judgements.off_target(details.get("off_target"), width)
    yield "Does it answer its question?", ("off_target",), answers
    steps = rows(details.get("steps"))
    if steps and "passages" in steps[0]:
        yield "What was looked up", ("steps", "endings"), judgements.looked_up(report, width, signs)
        judged = judgements.judgements(report, width)
        yield "Judgements", ("judgements", "aggregation"), judged
    else:
        yield "Sentence by sentence", ("steps",), judgements.read(report, width, signs)
    yield "Votes", ("votes", "reasons"), judgements.votes(report, entry, width, signs)
    yield "Leaning of the judge", ("bias",), judgements.bias(details.get("bias"), width)
    known = _list_items(details.get("well_supported"), width)
    yield "Well supported by other answers", ("well_supported",), known
    yield "Rarest words", ("max_neg_log_p", "mean_neg_log_p"), _rarity(report, width)


def _compare(report: Report, fact: Fact, width: int, signs: Signs) -> Iterator[Content]:
    """Which triples of the references a judge held against a fact, and its reasons."""
    triples = rows(report.details.get("triples"))
    names = {source.id: cite(source, report) for source in report.sources}
    for comparison in rows(report.details.get("comparisons")):
        facts = comparison.get("facts")
        said = facts.get(str(fact.index)) if isinstance(facts, Mapping) else None
        if not isinstance(said, Mapping):
            continue
        stood: Stance = said["stance"] if said.get("stance") in _STANCE_WORDS else "silent"
        lead = Content(f"{stance(stood, signs)} ").stylize(STANCE_STYLES[stood])
        reasons = one_line(plain(said.get("reasons") or ""))
        judged = f"the judge finds it {_JUDGED[stood]}"
        yield from hung(Content(f"{judged}: {reasons}" if reasons else judged), width, lead)
        for key, kind in (("supporting", "supports"), ("contradicting", "contradicts")):
            for at in said.get(key) or ():
                if isinstance(at, int) and 0 <= at < len(triples):
                    triple = one_line(" ".join(map(str, triples[at].get("triple") or ())))
                    cited = names.get(str(triples[at].get("source")), "")
                    mark: Stance = "supports" if kind == "supports" else "contradicts"
                    sign = Content(f"  {stance(mark, signs)} ").stylize(STANCE_STYLES[mark])
                    yield from hung(
                        Content.assemble((triple, ""), (f" {signs.dash} {cited}", QUIET)),
                        width,
                        sign,
                    )


_JUDGED: Final[Mapping[Stance, str]] = {
    "supports": "supported",
    "contradicts": "contradicted",
    "silent": "neither supported nor contradicted",
}


def _show_examined(row: Any, width: int, signs: Signs) -> Iterator[Content]:
    """GCA's terms of a fact, and what was said when its parts were asked for again."""
    if not isinstance(row, Mapping):
        return
    terms = row.get("terms")
    for name, value in terms.items() if isinstance(terms, Mapping) else ():
        said = _TERMS.get(str(name), one_line(str(name)))
        if isinstance(value, int | float):
            full, rest = signs.bar(max(0.0, min(1.0, float(value))), 5)
            yield from hung(
                Content(f"{value:.2f} {said}"), width, Content.assemble(full, (rest, QUIET), " ")
            )
        else:
            yield from hung(Content(f"{said}: not known").stylize(QUIET), width, " " * 6)
    if question := row.get("question"):
        yield from hung(Content.assemble(("Asked: ", QUIET), one_line(str(question))), width)
    heard = row.get("said")
    for part, answers in heard.items() if isinstance(heard, Mapping) else ():
        if answers:
            name = f"As {_PARTS.get(str(part), one_line(str(part)))}: "
            yield from hung(Content.assemble((name, QUIET), one_line(plain(answers))), width)


def _members(members: Any, width: int, signs: Signs) -> Iterator[Content]:
    for name, said in members.items() if isinstance(members, Mapping) else ():
        if not isinstance(said, Mapping):
            continue
        score = said.get("score")
        parts = [Content(one_line(str(name))).stylize("bold")]
        if isinstance(score, int | float):
            full, rest = signs.bar(float(score), 5)
            parts.append(Content.assemble(full, (rest, QUIET), f" doubt {score:.2f}"))
        if said.get("label"):
            parts.append(Content(one_line(str(said["label"]))))
        fitted = said.get("calibrated_on")
        known = f"calibrated on {one_line(str(fitted))}" if fitted else "not calibrated"
        parts.append(Content(known).stylize(QUIET))
        yield from phrases(parts, width, signs)


def _list_items(lines: Any, width: int) -> Iterator[Content]:
    for line in lines[:MOST] if isinstance(lines, list) else ():
        yield from hung(Content(one_line(str(line))), width, "- ")


def _rarity(report: Report, width: int) -> Iterator[Content]:
    rows = report.details.get("max_neg_log_p")
    if isinstance(rows, list):
        yield from hung(Content("-log p of the rarest word of each sentence").stylize(QUIET), width)
        for sentence, value in islice(zip(report.sentences, rows, strict=False), MOST):
            text = crop(strip_marks(one_line(report.text[sentence.start : sentence.end])), 80)
            shown = f"{value:.1f}" if isinstance(value, int | float) else "none"
            yield from hung(Content.assemble((f"{shown} ", "bold"), text), width)


_LABELS: Final[Mapping[str, str]] = {
    "OFF-TARGET": "It does not answer its question, so what it says was not looked into.",
    "INCONCLUSIVE": "What was found decides neither for it nor against it.",
    "CORRECT": "What was found supports it.",
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
    *own, left = sections(report, entry, width, signs)
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
    about = _ABOUT.get(report.method)
    yield from pair("Method", f"{about} ({report.method})" if about else report.method, width)
    for name, model in report.models:
        if model:
            yield from pair(_ROLES.get(name, name), model, width)
    yield from pair("Compared with", captions.compared_with(report), width)
    begins = f"{report.threshold.value:.2f}"
    if report.threshold.fitted_on:
        begins += f", the usual value, chosen by tests with {report.threshold.fitted_on}"
    yield from pair("In doubt from", f"a score of {begins}", width)
    if report.calibration is not None:
        told = f"as often as in tests with {report.calibration.fitted_on}"
        yield from pair("How likely wrong", told, width)
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


_ABOUT: Final = {
    "consensus": "its words are compared with those of the sources",
    "cascade": "its words are compared, and a model judges what is left",
}
"""What the usual methods do, whose names tell a reader nothing."""
_ROLES: Final = {"answer": "Answers by", "sample": "Samples by", "judge": "Judged by"}


def _problems(report: Report, width: int) -> Iterator[Content]:
    for problem in problems.problems(report):
        yield from hung(Content(problem), width, Content("! ").stylize("bold $doubtful"))


def pair(name: str, said: Any, width: int) -> Iterator[Content]:
    """A name and what belongs to it, on one line or more."""
    yield from hung(Content.assemble((f"{name}: ", QUIET), one_line(str(said))), width)
