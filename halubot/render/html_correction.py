"""The correction of a report as HTML: its text with the changes, and what became of each entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from halubot.render import captions
from halubot.render.difference import Stretch, correction_stretches, in_context
from halubot.render.items import Entry, causes
from halubot.render.markup import Html, join, tag
from halubot.report import Edit, Report


def section(report: Report, entries: Sequence[Entry]) -> Html | None:
    """The text with its changes, what no entry tells of, and both results; None without one."""
    correction = report.correction
    if correction is None:
        return None
    rows = captions.before_and_after(report)
    stretches = correction_stretches(report)
    abouts = causes(correction.edits, entries)
    pairs = zip(correction.edits, abouts, strict=True)
    alone = [tag("li", edit_paragraph(edit, report)) for edit, about in pairs if not about]
    plain = tag(
        "details",
        tag("summary", "Corrected text without the marks"),
        tag("div", correction.text, class_="text", dir="auto"),
    )
    return tag(
        "section",
        tag("h2", f"Correction: {captions.changes(correction)}"),
        tag("div", *_differing(stretches), class_="text", dir="auto"),
        tag("p", *_legend(stretches), class_="note")
        if any(one.sign for one in stretches)
        else None,
        tag("ul", *alone) if alone else None,
        plain if correction.text != report.text else None,
        _figures(rows) if rows else None,
    )


def by_entry(report: Report, entries: Sequence[Entry]) -> dict[int, list[Edit]]:
    """The edits about each entry, by its number."""
    edits = report.correction.edits if report.correction else ()
    found: dict[int, list[Edit]] = {}
    for edit, about in zip(edits, causes(edits, entries), strict=True):
        for entry in about:
            found.setdefault(entry.number, []).append(edit)
    return found


def edit_paragraph(edit: Edit, report: Report) -> Html:
    """What an edit did, in a paragraph."""
    change = tag("span", *_differing(in_context(report, edit)), dir="auto")
    refusal = captions.refusal(edit)
    why = join(" ", tag("bdi", refusal)) if refusal else None
    return tag("p", f"{captions.ACTIONS[edit.action].capitalize()}: ", change, why, class_="edit")


def _legend(stretches: Iterable[Stretch]) -> Iterator[str]:
    """How what was done is marked in the text: the signs that are there."""
    signs = {one.sign for one in stretches}
    if signs & {"−", "→"}:
        yield tag("del", "taken out")
        yield " "
    if signs & {"+", "→"}:
        yield tag("ins", "put in")
        yield " "
    for sign, left in (("=", "kept"), ("!", "refused")):
        if sign in signs:
            yield tag("span", f"[{sign} {captions.CHANGES[sign]}]", class_=f"left {left}")
            yield " "


def _differing(stretches: Iterable[Stretch]) -> Iterator[str]:
    for one in stretches:
        if one.left:
            yield tag("span", f"[{one.sign} ", one.before, "]", class_=f"left {one.left}")
            continue
        if not one.changed:
            yield one.before
            continue
        if one.before:
            yield tag("del", one.before)
        if one.before and one.after:
            yield " "
        if one.after:
            yield tag("ins", one.after)


def _figures(rows: Sequence[tuple[str, str, str]]) -> Html:
    head = (tag("th", name, scope="col") for name in ("", "before", "after"))
    lines = (
        tag("tr", tag("th", what, scope="row"), tag("td", before), tag("td", after))
        for what, before, after in rows
    )
    return tag(
        "table",
        tag("thead", tag("tr", *head)),
        tag("tbody", *lines),
        class_="figures",
    )
