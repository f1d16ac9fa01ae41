"""What KnowHalu asked and found: whether the question was answered, each query with its passages
and what they say, the judgements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render import citations
from halubot.render.inert import crop, one_line
from halubot_tui.inspecting.drawing import QUIET, STANCE_STYLES, hung, stance
from halubot_tui.inspecting.plainly import MOST, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.report import Report, Stance
    from halubot_tui.looks import Signs

_FINDINGS: Final[Mapping[str, tuple[Stance, str]]] = {
    "agrees": ("supports", "agrees"),
    "contradicts": ("contradicts", "contradicts"),
    "nothing": ("silent", "says nothing of it"),
}


def looked_up(report: Report, width: int, signs: Signs) -> Iterator[Content]:
    """KnowHalu's queries, each with the passages that were found and what they say."""
    steps = rows(report.details.get("steps"))
    ends = {
        (end.get("segment"), end.get("form")): end for end in rows(report.details.get("endings"))
    }
    several = len({step.get("segment") for step in steps}) > 1
    names = {source.id: citations.citation(source, report) for source in report.sources}
    for number, step in enumerate(steps[:MOST], start=1):
        form = step.get("form")
        about = [
            *([f"part {step.get('segment', 0) + 1}"] if several else []),
            *([f"by {one_line(str(form))}"] if form else []),
        ]
        remark = f" ({', '.join(about)})" if about else ""
        query = one_line(str(step.get("specific") or step.get("general") or ""))
        yield from hung(Content.assemble((query, "bold"), (remark, QUIET)), width, f"{number}. ")
        if detail := step.get("detail"):
            about_detail = Content.assemble(("of ", QUIET), signs.quoted(one_line(str(detail))))
            yield from hung(about_detail, width, "   ")
        said, meant = _FINDINGS.get(str(step.get("finding")), ("silent", ""))
        found = one_line(str(step.get("sentence") or ""))
        triplets = "; ".join(
            one_line(" ".join(map(str, one))) for one in step.get("triplets") or () if one
        )
        lead = Content(f"   {stance(said, signs)} ").stylize(STANCE_STYLES[said])
        told = Content.assemble((f"{meant}: " if found or triplets else meant, STANCE_STYLES[said]))
        yield from hung(told + Content(found or triplets), width, lead)
        for passage in rows(step.get("passages")):
            quote = crop(one_line(str(passage.get("quote", ""))), 160)
            cited = names.get(str(passage.get("source")), one_line(str(passage.get("title", ""))))
            told = Content.assemble(signs.quoted(quote), " ", (cited, QUIET))
            yield from hung(told, width, "     ")
    for (segment, form), end in ends.items():
        why = one_line(str(end.get("reason") or end.get("ended") or ""))
        about_form = f" by {form}" if form else ""
        part = (
            f"part {segment + 1}{about_form}" if several and isinstance(segment, int) else "Ended"
        )
        yield from hung(Content.assemble((f"{part}: ", QUIET), why), width)
    if len(steps) > MOST:
        yield Content(f"and {len(steps) - MOST} more").stylize(QUIET)


def judgements(report: Report, width: int) -> Iterator[Content]:
    aggregation = report.details.get("aggregation")
    judged = rows(report.details.get("judgements"))
    several = len({one.get("segment") for one in judged}) > 1
    for one in judged[:MOST]:
        segment = one.get("segment")
        part = f"part {segment + 1}, " if several and isinstance(segment, int) else ""
        confidence = one.get("confidence")
        sure = f", confidence {confidence:.2f}" if isinstance(confidence, int | float) else ""
        name = f"{part}by {one_line(str(one.get('form')))}: "
        verdict = one_line(str(one.get("verdict")))
        yield from hung(Content.assemble((name, QUIET), (verdict, "bold"), sure), width)
        if reason := one.get("reason"):
            yield from hung(Content(one_line(str(reason))), width, "  ")
    if isinstance(aggregation, Mapping):
        for one in rows(aggregation.get("taken"))[:MOST]:
            segment = one.get("segment")
            part = f"of part {segment + 1} " if several and isinstance(segment, int) else ""
            taken = one_line(str(one.get("taken")))
            if form := aggregation.get(taken):
                taken = f"by {one_line(str(form))}"
            yield from hung(
                Content.assemble((f"Taken {part}: ".replace(" :", ":"), QUIET), taken), width
            )
        fitted = aggregation.get("fitted_on")
        rule = ", ".join(
            f"{key} {one_line(str(aggregation[key]))}"
            for key in ("base", "supplement", "d1", "d2")
            if aggregation.get(key) is not None
        )
        yield from hung(
            Content(f"Rule: {rule}; fitted on {fitted or 'no data'}").stylize(QUIET), width
        )


def off_target(said: Any, width: int) -> Iterator[Content]:
    if not isinstance(said, Mapping):
        return
    if skipped := said.get("skipped"):
        yield from hung(Content(f"Not asked: {one_line(str(skipped))}"), width)
        return
    for key, name in (("asked", "Asked for"), ("extracted", "Given"), ("outcome", "Outcome")):
        if said.get(key):
            value = "nothing that answers it" if said[key] == "none" else one_line(str(said[key]))
            yield from hung(Content.assemble((f"{name}: ", QUIET), value), width)
