"""A report for a terminal, as something rich prints, and the layout of its blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from halubot.render import captions
from halubot.render.difference import Stretch, correction_stretches, in_context
from halubot.render.inert import inert, one_line
from halubot.render.items import (
    Entry,
    Quote,
    explain_edits,
    listing,
    pieces,
    quotes,
    read_beside,
    unchecked,
)
from halubot.report import Edit, Report, Verdict
from halubot.verdicts import SEVERITY

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult


WIDEST = 100
"""Columns after which lines get hard to read; wider terminals keep the rest empty."""


_TO_ASCII = str.maketrans({"“": '"', "”": '"', "…": "...", "→": "->", "—": "-", "·": "|", "−": "-"})


@dataclass(frozen=True, slots=True)
class Look:
    """The look of the output: in ASCII signs, with styles or none, in an encoding that holds ASCII
    only."""

    ascii: bool
    styled: bool
    poor: bool
    width: int

    def text(self, content: str, style: str = "") -> Text:
        """Words of a message or source, every line of them."""
        shown = inert(content)
        if self.poor:
            # A terminal of such an encoding would raise an error in the middle of a report.
            shown = shown.encode("ascii", "backslashreplace").decode()
        return Text(overflow="fold").append(shown, style)

    def own(self, content: str, style: str = "") -> Text:
        """halubot's own words, with what they quote."""
        return self.text(content.translate(_TO_ASCII) if self.ascii else content, style)


@dataclass(frozen=True, slots=True)
class Shown:
    """Lays its blocks out when their place on the page is known."""

    blocks: Callable[[Look], Iterable[RenderableType]]
    width: int | None
    ascii: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, min(options.max_width, self.width or WIDEST))
        look = Look(
            ascii=self.ascii or options.ascii_only,
            styled=console.color_system is not None,
            poor=options.ascii_only,
            width=width,
        )
        narrowed = options.update(width=width, height=None)
        for block in self.blocks(look):
            # Not padded: spaces up to the edge would be copied along, and wrap if the window gets
            # narrower.
            for line in console.render_lines(block, narrowed, pad=False):
                yield from _trim(line)
                yield Segment.line()


def _row(sign: Text, body: RenderableType) -> RenderableType:
    """A body beside its sign, under which the column stays empty."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(sign, body)
    return grid


def _trim(line: Sequence[Segment]) -> list[Segment]:
    """The line without the spaces at its end, which a style would make visible."""
    kept = list(line)
    while kept and not (text := kept[-1].text.rstrip(" ")):
        kept.pop()
    if kept:
        kept[-1] = kept[-1]._replace(text=text)
    return kept


_BAR_NEEDS = 40

_SIGNS: Mapping[Verdict, str] = {
    # red and magenta alone are legible on dark and on light backgrounds in common palettes
    "contradicted": "bold red",
    "doubtful": "bold magenta",
    "not_checked": "bold",
    "supported": "green",
}
_STRONG: Mapping[Verdict, str] = {
    "contradicted": "bold underline red",
    "doubtful": "bold underline magenta",
    "not_checked": "italic",
    "supported": "",
}
_LEFT = "bold magenta"
_GONE, _COME = "strike red", "bold underline green"


def render(
    report: Report, *, width: int | None = None, ascii: bool = False, verbose: bool = False
) -> RenderableType:
    """The result in one line, the marked text, and what is doubted or not checked and why.

    ``width`` is in columns (default: the terminal's, at most 100). ``ascii`` draws signs and
    bars in ASCII; the text itself stays as it is. ``verbose`` adds supported facts and all
    evidence. The correction is not shown: `render_correction` does that.
    """

    def blocks(look: Look) -> Iterator[RenderableType]:
        entries = [e for e in listing(report) if verbose or e.is_shown]
        yield look.own(captions.summary(report), "bold")
        if report.label:
            yield look.own(one_line(report.label))
        yield look.own(" · ".join(captions.method(report)), "dim")
        yield Text()
        if report.question:
            asked = f"{captions.question(report)}: {one_line(report.question.text)}"
            yield look.own(asked, "italic")
            yield Text()
        yield _mark(report, [e for e in entries if e.is_shown], look)
        if present := {entry.verdict for entry in entries}:
            glyphs = {v: captions.glyph(v, ascii=look.ascii) for v in SEVERITY if v in present}
            yield Text()
            yield _legend(
                (look.text(sign, _SIGNS[v]), captions.VERDICTS[v]) for v, sign in glyphs.items()
            )
        doubted = [entry for entry in entries if entry.is_doubted]
        yield from _entries(doubted, report, look, verbose=verbose)
        open_ = unchecked(entries)
        for reason, group in open_.items():
            yield Text()
            yield look.own(f"{captions.heading('not_checked')}: {reason or 'no reason given'}")
            yield from _brief(group, report, look)
        supported = [entry for entry in entries if entry.verdict == "supported"]
        yield from _entries(supported, report, look, verbose=verbose)
        left_out = sum(not entry.is_shown for entry in listing(report))
        if left_out and not verbose:
            yield Text()
            yield look.own(
                f"{captions.heading('supported')}, and not marked above:"
                f" {captions.number(left_out, 'fact')}. --verbose"
                " shows their quotes."
            )
        problems = captions.problems(report, {reason or "" for reason in open_})
        if problems:
            yield Text()
        for problem in problems:
            yield _row(look.own("!", "bold"), look.own(problem))

    return Shown(blocks, width, ascii)


def render_correction(
    report: Report, *, width: int | None = None, ascii: bool = False, verbose: bool = False
) -> RenderableType:
    """Show what was changed and why, both results side by side, and last the corrected text.

    Shows "No correction was made" for a report without one. ``verbose`` shows the report of
    the corrected text in full.
    """

    def blocks(look: Look) -> Iterator[RenderableType]:
        correction = report.correction
        if correction is None:
            yield look.own("No correction was made.")
            return
        stretches = correction_stretches(report)
        yield look.own(f"Correction: {captions.changes(correction)}", "bold")
        yield Text()
        yield _differing(stretches, look, look.text)
        signs = {one.sign for one in stretches}
        if any(signs):
            changes = {sign: said for sign, said in captions.CHANGES.items() if sign in signs}
            yield Text()
            yield _legend((look.own(f"[{sign}]", "bold"), said) for sign, said in changes.items())
        explained = explain_edits(report, listing(report))
        numbers = (str(entry.number) for _, about in explained for entry in about)
        digits = max(map(len, numbers), default=1)
        for edit, about in explained:
            yield Text()
            yield _edit(report, edit, about, look, digits=digits)
        rows = captions.before_and_after(report)
        if rows:
            yield Text()
            yield _figures(rows, look)
        if verbose and correction.report is not None:
            yield Text()
            yield render(correction.report, width=width, ascii=ascii, verbose=True)
        if correction.text != report.text:
            yield Text()
            yield look.own("Corrected text", "bold")
            yield Text()
            yield look.text(correction.text)

    return Shown(blocks, width, ascii)


def _mark(report: Report, entries: Sequence[Entry], look: Look) -> Text:
    shown = Text(overflow="fold")
    within = False
    for piece in pieces(report, entries):
        text = report.text[piece.start : piece.end]
        # Without colours brackets stand for the mark: a pipe or a file has no styles.
        if within and not piece.strong and not look.styled:
            shown.append("]")
        if piece.strong and not within:
            # An underlined space at the beginning of a line looks like a fault.
            bare = text.lstrip()
            shown.append_text(look.text(text[: len(text) - len(bare)]))
            text = bare
            if not look.styled:
                shown.append("[")
        style = _STRONG[piece.verdict] if piece.verdict and piece.strong else ""
        shown.append_text(look.text(text, style))
        if piece.strong and piece.closing and not look.styled:
            shown.append("]")
        for entry in piece.closing:
            sign = captions.key(entry.verdict, entry.number, ascii=look.ascii)
            shown.append_text(look.text(sign, _SIGNS[entry.verdict]))
        within = piece.strong and not piece.closing
    shown.rstrip()
    return shown


def _legend(rows: Iterable[tuple[Text, str]]) -> Text:
    """What signs say, on one line."""
    shown = Text(overflow="fold")
    for sign, said in rows:
        shown.append_text(sign).append(f" {said}   ")
    shown.rstrip()
    return shown


def _sign(entry: Entry, look: Look, *, digits: int = 1) -> Text:
    sign = captions.glyph(entry.verdict, ascii=look.ascii)
    return look.text(f"{sign} {entry.number:>{digits}}", _SIGNS[entry.verdict])


def _entries(
    entries: Sequence[Entry], report: Report, look: Look, *, verbose: bool
) -> Iterator[RenderableType]:
    """The entries, those with quotes set apart by empty lines."""
    roomy = True
    digits = len(str(entries[-1].number)) if entries else 1
    for entry in entries:
        told = quotes(entry.fact, report, most=None if verbose else 3) if entry.fact else ()
        if roomy or told:
            yield Text()
        roomy = bool(told)
        lines: list[RenderableType] = [look.own(entry.reading, "bold"), _level(entry, look)]
        lines += [Padding(_quote(quote, look), (0, 0, 0, 2)) for quote in told]
        yield _row(_sign(entry, look, digits=digits), Group(*lines))


def _level(entry: Entry, look: Look) -> Text:
    shown = Text(overflow="fold")
    if entry.score is not None and look.width >= _BAR_NEEDS:
        full, rest = captions.bar(entry.score, ascii=look.ascii)
        shown.append(full, _SIGNS[entry.verdict]).append(rest, "dim").append(" ")
    if entry.score is not None:
        shown.append(f"{captions.level(entry.score, entry.probability)}, ")
    shown.append(entry.verdict_words, _SIGNS[entry.verdict])
    for line in (entry.word, entry.said, entry.reason):
        shown.append_text(look.own(f". {line[:1].upper()}{line[1:]}" if line else ""))
    return shown


def _quote(quote: Quote, look: Look) -> Text:
    shown = look.own(f"“{quote.text}”")
    if quote.value:
        # In the text as it is shown, since ASCII signs may be longer than those they stand for.
        place = shown.plain.casefold().find(quote.value.casefold())
        if place >= 0:
            shown.stylize("bold underline", place, place + len(quote.value))
    cited = f"{quote.name}, {quote.location}" if quote.location else quote.name
    shown.append_text(look.own(f" — {cited}", "dim"))
    return shown


def _brief(group: Sequence[Entry], report: Report, look: Look) -> Iterator[RenderableType]:
    digits = len(str(group[-1].number))
    for entry, beside in zip(group, read_beside(group, report), strict=True):
        shown = [Padding(_quote(quote, look), (0, 0, 0, 2)) for quote in beside]
        yield _row(_sign(entry, look, digits=digits), Group(look.own(entry.reading), *shown))


def _differing(stretches: Iterable[Stretch], look: Look, write: Callable[[str], Text]) -> Text:
    """The text with every change in brackets, since not every terminal strikes through."""
    shown = Text(overflow="fold")
    for one in stretches:
        if one.left:
            shown.append_text(look.own(f"[{one.sign} ", _LEFT))
            shown.append_text(write(one.before)).append("]", _LEFT)
            continue
        if not one.is_changed:
            shown.append_text(write(one.before))
            continue
        lead, before, after, trail = one.trim()
        sign = " → " if before and after else ""
        shown.append_text(look.own(f"{lead}[" + ("" if sign else "− " if before else "+ ")))
        shown.append_text(look.text(before, _GONE)).append_text(look.own(sign))
        shown.append_text(look.text(after, _COME)).append_text(look.text(f"]{trail}"))
    return shown


def _edit(
    report: Report, edit: Edit, about: Sequence[Entry], look: Look, *, digits: int
) -> RenderableType:
    """A change beside the sign of its first cause; each further cause in a row of its own."""
    change = _differing(in_context(report, edit), look, look.own)
    change.append(f"  ({captions.ACTIONS[edit.action]})")
    refusal = captions.refusal(edit)
    first: list[RenderableType] = [change, look.own(refusal)] if refusal else [change]
    if not about:
        return _row(look.own("-"), Group(*first))
    alone = len(about) == 1
    rows = [
        (_sign(entry, look, digits=digits), look.own(entry.why(alone=alone))) for entry in about
    ]
    (sign, said), *rest = rows
    return Group(_row(sign, Group(*first, said)), *(_row(*row) for row in rest))


def _figures(rows: Iterable[tuple[str, str, str]], look: Look) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("", overflow="fold")
    table.add_column("before", justify="right", overflow="fold")
    table.add_column("after", justify="right", overflow="fold")
    for row in rows:
        table.add_row(*(look.own(cell) for cell in row))
    return table
