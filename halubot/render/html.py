"""A report as HTML, its correction included: a page of its own, or a fragment for a notebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from importlib.resources import files
from zlib import crc32

from halubot.render import captions
from halubot.render.difference import Stretch, correction_stretches, in_context
from halubot.render.inert import POLICY, Html, join, one_line, tag
from halubot.render.items import (
    Entry,
    Piece,
    Quote,
    citation,
    explain_edits,
    listing,
    pieces,
    quotes,
    read_beside,
    unchecked,
    web_address,
)
from halubot.report import Edit, Report, Source, Verdict
from halubot.verdicts import SEVERITY


def _correction(report: Report, entries: Sequence[Entry]) -> Html | None:
    """The text with its changes, what no entry tells of, and both results; None without one."""
    correction = report.correction
    if correction is None:
        return None
    rows = captions.before_and_after(report)
    stretches = correction_stretches(report)
    signs = {one.sign for one in stretches}
    explained = explain_edits(report, entries)
    alone = [tag("li", _edit(edit, report)) for edit, about in explained if not about]
    plain = tag(
        "details",
        tag("summary", "Corrected text without the marks"),
        tag("div", correction.text, class_="text", dir="auto"),
    )
    return tag(
        "section",
        tag("h2", f"Correction: {captions.changes(correction)}"),
        tag("div", *_differing(stretches), class_="text", dir="auto"),
        tag("p", *_legend(signs), class_="note") if any(signs) else None,
        tag("ul", *alone) if alone else None,
        plain if correction.text != report.text else None,
        _figures(rows) if rows else None,
    )


def _edit(edit: Edit, report: Report) -> Html:
    """Return a paragraph about the change that an edit made."""
    change = tag("span", *_differing(in_context(report, edit)), dir="auto")
    refusal = captions.refusal(edit)
    why = join(" ", tag("bdi", refusal)) if refusal else None
    return tag("p", f"{captions.ACTIONS[edit.action].capitalize()}: ", change, why, class_="edit")


def _legend(signs: Set[str]) -> Iterator[str]:
    """Yield how what was done is marked in the text: the signs that are there."""
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
        if not one.is_changed:
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
    return tag("table", tag("thead", tag("tr", *head)), tag("tbody", *lines), class_="figures")


_LONGEST_SOURCE = 5_000
_PAGE_STYLE = Html(
    "html{color-scheme:light dark}body{margin:0;background:#fff}"
    "@media(prefers-color-scheme:dark){body{background:#17181b}}"
    ".halubot{max-width:78rem;margin:0 auto;padding:clamp(1rem,4vw,3.5rem)!important}"
)


def page(report: Report, *, verbose: bool = False) -> str:
    """The report as one file for a browser or a printer. ``verbose`` opens all evidence."""
    head = join(
        Html('<meta charset="utf-8">'),
        # Before anything of the report: a policy holds from its place in the head on.
        POLICY,
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", f"halubot: {captions.summary(report)}"),
        tag("style", _style(), _PAGE_STYLE),
    )
    body = tag("body", tag("main", _article(report, verbose=verbose)))
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n{body}\n</html>\n'


def fragment(report: Report, *, verbose: bool = False) -> str:
    """The report as an element with its style, to stand in somebody else's page."""
    # No policy and no head here: the page belongs to somebody else, and every rule of the style
    # begins with its own class.
    return join(tag("style", _style()), _article(report, verbose=verbose))


@cache
def _style() -> Html:
    return Html(files(__package__).joinpath("report.css").read_text(encoding="utf-8"))


def _article(report: Report, *, verbose: bool) -> Html:
    entries = listing(report)
    # reports that share a page must not share the targets of their links
    prefix = f"h{crc32(report.text.encode(errors='replace')):08x}-"
    return tag(
        "article",
        _head(report),
        tag(
            "div",
            tag("div", _message(report, entries, prefix), _correction(report, entries)),
            _facts(report, entries, prefix, verbose=verbose),
            class_="columns",
        ),
        _sources(report),
        class_="halubot",
    )


def _head(report: Report) -> Html:
    judged = report.facts or report.sentences
    counted = {v: sum(one.verdict == v for one in judged) for v in SEVERITY}
    tally = [
        tag("li", _sign(verdict), f" {counted[verdict]} {captions.VERDICTS[verdict]}")
        for verdict in SEVERITY
        if counted[verdict]
    ]
    return tag(
        "header",
        tag("h1", captions.summary(report)),
        tag("p", " · ".join(captions.method(report)), class_="meta"),
        tag("p", one_line(report.label), class_="meta") if report.label else None,
        tag("ul", *tally, class_="tally") if tally else None,
    )


def _sign(verdict: Verdict, number: int | None = None) -> Html:
    shown = captions.GLYPHS[verdict] if number is None else f"{captions.GLYPHS[verdict]} {number}"
    return tag("span", shown, class_=f"sign {verdict}")


def _message(report: Report, entries: Sequence[Entry], prefix: str) -> Html:
    question = None
    if report.question:
        asked = f"{captions.question(report)}: {report.question.text}"
        question = tag("p", asked, class_="question", dir="auto")
    shown = [entry for entry in entries if entry.is_shown]
    text = [part for piece in pieces(report, shown) for part in _mark(report, piece, prefix)]
    return tag(
        "section", tag("h2", "Message"), question, tag("div", *text, class_="text", dir="auto")
    )


def _mark(report: Report, piece: Piece, prefix: str) -> Iterator[str]:
    text = report.text[piece.start : piece.end]
    if piece.verdict is None:
        yield text
    else:
        told = "; ".join(_describe(entry) for entry in piece.entries)
        strength = "strong" if piece.strong else "light"
        yield tag("mark", text, class_=f"{strength} {piece.verdict}", title=told)
    for entry in piece.closing:
        yield tag(
            "a",
            captions.GLYPHS[entry.verdict] + str(entry.number),
            class_=f"key {entry.verdict}",
            href=f"#{prefix}{entry.number}",
            # A screen reader would read the sign as "ballot x".
            aria_label=f"{entry.number}, {captions.VERDICTS[entry.verdict]}",
        )


def _describe(entry: Entry) -> str:
    open_ = entry.verdict == "not_checked"
    why = entry.word or (open_ and entry.reason) or entry.said or entry.reason
    verdict = f"{entry.number}, {captions.VERDICTS[entry.verdict]}"
    return f"{verdict}: {why}" if why else verdict


def _facts(report: Report, entries: Sequence[Entry], prefix: str, *, verbose: bool) -> Html:
    doubted = [entry for entry in entries if entry.is_doubted]
    believed = [entry for entry in entries if entry.verdict == "supported" and entry.word]
    supported = [entry for entry in entries if not entry.is_shown]
    edits: defaultdict[int, list[Edit]] = defaultdict(list)
    for edit, about in explain_edits(report, entries):
        for entry in about:
            edits[entry.number].append(edit)

    def full(shown: Iterable[Entry]) -> Html:
        return tag("ol", *(_entry(e, report, prefix, edits[e.number], verbose) for e in shown))

    parts: list[Html] = []
    for title, shown in (("In doubt", doubted), ("Right by your word", believed)):
        if shown:
            parts.append(tag("section", tag("h2", title), full(shown)))
    groups: list[Html] = []
    for reason, group in unchecked(entries).items():
        beside = zip(group, read_beside(group, report), strict=True)
        why = tag("p", reason or "no reason given", class_="note")
        listed = [
            _item(entry, prefix, *map(_quote, told), class_=f"entry brief {entry.verdict}")
            for entry, told in beside
        ]
        groups.append(tag("div", why, tag("ol", *listed), class_="group"))
    if groups:
        parts.append(tag("section", tag("h2", captions.heading("not_checked")), *groups))
    if supported:
        words = captions.heading("supported")
        opener = tag("summary", f"{words} by what others say: {len(supported)}")
        parts.append(tag("section", tag("details", opener, full(supported), open=verbose)))
    if report.problems:
        items = (tag("li", problem) for problem in captions.problems(report))
        parts.append(tag("section", tag("h2", "Problems"), tag("ul", *items)))
    return tag("div", *parts)


def _item(entry: Entry, prefix: str, *content: Html | None, class_: str) -> Html:
    body = tag("div", tag("h3", entry.reading, dir="auto"), *content)
    sign = _sign(entry.verdict, entry.number)
    return tag("li", sign, body, class_=class_, id=f"{prefix}{entry.number}")


def _entry(entry: Entry, report: Report, prefix: str, edits: Sequence[Edit], verbose: bool) -> Html:
    found = quotes(entry.fact, report, most=None) if entry.fact else ()
    # One quote is enough to follow most verdicts; the others wait folded.
    best, rest = found[:1], found[1:]
    more = None
    if rest:
        opener = tag("summary", f"{len(rest)} more {'quote' if len(rest) == 1 else 'quotes'}")
        more = tag("details", opener, *map(_quote, rest), open=verbose)
    return _item(
        entry,
        prefix,
        _level(entry),
        *(tag("p", said) for said in (entry.word, entry.said, entry.reason) if said),
        *(_edit(edit, report) for edit in edits),
        *map(_quote, best),
        more,
        class_=f"entry {entry.verdict}",
    )


def _level(entry: Entry) -> Html:
    bar, figure = None, None
    if entry.score is not None:
        # Markup by hand, since it holds a number of ours and nothing of the report.
        filled = Html(f'<i style="width:{entry.score * 100:.0f}%"></i>')
        bar = tag("span", filled, class_="bar", aria_hidden="true")
        figure = captions.level(entry.score, entry.probability)
    return tag("p", bar, figure, tag("b", entry.verdict_words), class_="level")


def _quote(quote: Quote) -> Html:
    text = [quote.text]
    place = quote.text.casefold().find(quote.value.casefold()) if quote.value else -1
    if quote.value and place >= 0:
        end = place + len(quote.value)
        text = [quote.text[:place], tag("strong", quote.text[place:end]), quote.text[end:]]
    note = f" ({one_line(quote.evidence.note)})" if quote.evidence.note and not quote.value else ""
    located = join(", ", _link(quote.location)) if quote.location else None
    cited = tag("bdi", tag("cite", quote.name, located, note))
    return tag("blockquote", "“", *text, "” ", cited, dir="auto")


def _link(location: str) -> Html:
    """A location, which can be followed if it is a plain address."""
    address = web_address(location)
    # Only a plain address becomes a link: a location comes from a knowledge base and could be
    # "javascript:". noreferrer, so that the page is not told where its reader came from.
    return tag("a", location, href=address, rel="noreferrer") if address else join(location)


def _sources(report: Report) -> Html | None:
    if not report.sources:
        return None
    items = (tag("li", _source(source, report)) for source in report.sources)
    opener = tag("summary", f"Compared with {captions.compared_with(report)}")
    return tag("section", tag("details", opener, tag("ul", *items)))


def _source(source: Source, report: Report) -> Html:
    name, location = citation(source, report), one_line(source.location)
    told = _link(location) if source.kind == "knowledge" else location
    place = tag("span", " ", told, class_="note") if location else None
    if not source.text:
        return join(name, place)
    text = source.text.strip()
    # A page with twenty whole documents would be too heavy to open.
    shown = text if len(text) <= _LONGEST_SOURCE else text[:_LONGEST_SOURCE] + "…"
    return tag("details", tag("summary", name, place), tag("blockquote", shown, dir="auto"))
