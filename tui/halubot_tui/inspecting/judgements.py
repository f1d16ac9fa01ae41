"""Judgements and lookups of methods as lines: votes, reasons, queries; other details as they
are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from halubot.render.inert import crop, one_line
from halubot_tui.inspecting.drawing import QUIET, STANCE_STYLES, cite, hung, stance, strip_marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot.report import Report, Stance
    from halubot_tui.looks import Signs

from itertools import islice
from typing import TYPE_CHECKING

from halubot.render import captions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halubot.render.items import Entry


MOST: Final = 200
"""Items of one list that are shown."""


LONGEST: Final = 400
"""Characters of one value that are shown."""


_DEEPEST: Final = 6


def tree(value: Any, width: int, depth: int = 0) -> Iterator[Content]:
    """Any details as lines, what lies within others set in."""
    pad = "  " * min(depth, 4)
    items: list[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        items = [(f"{one_line(str(key))}: ", inner) for key, inner in islice(value.items(), MOST)]
    elif isinstance(value, list | tuple):
        items = [("", inner) for inner in value[:MOST]]
    for name, inner in items:
        nested = isinstance(inner, Mapping) or (
            isinstance(inner, list | tuple)
            and any(isinstance(one, Mapping | list | tuple) for one in inner)
        )
        if nested and inner and depth < _DEEPEST:
            if name:
                yield from hung(Content(name.rstrip()).stylize(QUIET), width, pad)
            yield from tree(inner, width, depth + 1)
        else:
            said = crop(one_line(plain(inner)), LONGEST)
            yield from hung(Content.assemble((name, QUIET), said), width, pad)
    if isinstance(value, Mapping | list | tuple) and len(value) > MOST:
        yield from hung(Content(f"and {len(value) - MOST} more").stylize(QUIET), width, pad)


def rows(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def row(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, list) and 0 <= index < len(value) else None


def plain(value: Any) -> str:
    """A value in words."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {plain(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value))
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return f"{value:.3g}" if isinstance(value, float) else str(value)


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
    names = {source.id: cite(source, report) for source in report.sources}
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
            about_detail = Content.assemble(("of ", QUIET), signs.quote(one_line(str(detail))))
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
            told = Content.assemble(signs.quote(quote), " ", (cited, QUIET))
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
            Content(f"Rule: {rule}; chosen by tests with {fitted or 'no data'}").stylize(QUIET),
            width,
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


_VOTES: Final[Mapping[str, tuple[Stance, str]]] = {
    "yes": ("contradicts", "finds it made up"),
    "no": ("supports", "finds it supported"),
}


def read(report: Report, width: int, signs: Signs) -> Iterator[Content]:
    """Yield what a judge said of each sentence, in each of its repeats, and by which passage."""
    names = {source.id: cite(source, report) for source in report.sources}
    repeats = rows(report.details.get("steps"))
    for sentence in report.sentences[:MOST] if repeats else ():
        passages: set[str] = set()
        text = crop(strip_marks(one_line(report.text[sentence.start : sentence.end])), LONGEST)
        yield from hung(Content(text).stylize("bold"), width, f"{sentence.index + 1}. ")
        for whole in repeats:
            said = whole.get("sentences")
            word = said.get(str(sentence.index)) if isinstance(said, Mapping) else None
            if isinstance(word, Mapping):
                yield from _word(word, names, passages, width, signs)


def _word(
    word: Mapping[str, Any],
    names: Mapping[str, str],
    passages: set[str],
    width: int,
    signs: Signs,
) -> Iterator[Content]:
    """One word of a judge on a sentence: its vote, why, and the passage that it named, if it is
    not among the ``passages`` shown before."""
    vote = _VOTES.get(str(word.get("hallucinated")))
    sign = Content("  ")
    parts = [crop(one_line(plain(word.get("why") or "")), LONGEST)]
    if vote is not None:
        sign = Content(f"{stance(vote[0], signs)} ").stylize(STANCE_STYLES[vote[0]])
        parts.insert(0, vote[1])
    said = Content(": ".join(part for part in parts if part))
    yield from hung(said, width, Content("   ") + sign)
    passage = crop(one_line(plain(word.get("passage") or "")), LONGEST)
    if passage and passage not in passages:
        passages.add(passage)
        source = names.get(str(word.get("source")), "found in no source")
        cited = Content.assemble(signs.quote(passage), " ", (source, QUIET))
        yield from hung(cited, width, "     ")


def votes(report: Report, entry: Entry | None, width: int, signs: Signs) -> Iterator[Content]:
    """Yield how the repeats of a judge voted, and its reasons; of one that judges by each sample,
    its reasons on the sentences that are looked at."""
    counted, reasons = report.details.get("votes"), report.details.get("reasons")
    if isinstance(counted, Mapping):
        for name, meant in _OUTCOMES.items():
            count = counted.get(name)
            if isinstance(count, int) and count:
                yield from hung(Content(f"{captions.number(count, 'repeat')} {meant}"), width)
        if any(isinstance(one, list) for one in counted.values()):
            told = "What each other answer says stands in the table (2)."
            yield from hung(Content(told).stylize(QUIET), width)
    if isinstance(reasons, list):
        for repeat, reason in enumerate(reasons[:MOST], start=1):
            if reason:
                text = crop(one_line(plain(reason)), LONGEST)
                yield from hung(Content(text), width, f"{repeat}. ")
    if isinstance(reasons, Mapping):
        yield from _by_sample(report, reasons, entry, width)


_OUTCOMES: Final[Mapping[str, str]] = {
    "yes": "found a hallucination",
    "no": "found none",
    "lost": "gave no answer",
}


def _by_sample(
    report: Report, reasons: Mapping[str, Any], entry: Entry | None, width: int
) -> Iterator[Content]:
    names = {source.id: cite(source, report) for source in report.sources}
    chosen: tuple[int, ...] = tuple(range(len(report.sentences)))
    if entry is not None and entry.sentence is not None:
        chosen = (entry.sentence.index,)
    elif entry is not None and entry.fact is not None:
        chosen = entry.fact.sentences
    for index in chosen[:MOST]:
        sentence = report.sentences[index]
        text = crop(strip_marks(one_line(report.text[sentence.start : sentence.end])), LONGEST)
        yield from hung(Content(text).stylize("bold"), width, f"{index + 1}. ")
        for id, said in reasons.items():
            reason = row(said, index)
            if reason:
                by = f"{names.get(id, one_line(id))}: "
                why = crop(one_line(plain(reason)), LONGEST)
                yield from hung(Content.assemble((by, QUIET), why), width, "   ")


def bias(bias: Any, width: int) -> Iterator[Content]:
    if isinstance(bias, Mapping) and isinstance(share := bias.get("yes_share"), int | float):
        said = f"{100 * share:.0f} % of {bias.get('verdicts')} verdicts found a hallucination"
        yield from hung(Content(said), width)
        if bias.get("suspect"):
            said = "So one-sided that its verdicts tell little."
            yield from hung(Content(said), width, Content("! ").stylize("bold $doubtful"))
