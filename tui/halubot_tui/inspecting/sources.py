"""The sources in full, one at a time, with what they say of the fact that is looked at marked."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from textual.containers import Vertical
from textual.content import Content
from textual.content import Span as Styled
from textual.strip import Strip

from halubot.render import items
from halubot_tui import layout, markdown_source, marked
from halubot_tui.inspecting.drawing import (
    QUIET,
    STANCE_STYLES,
    Chooser,
    Line,
    Lines,
    LineView,
    cite,
    hung,
    phrases,
    stack_lines,
    stance,
)
from halubot_tui.inspecting.evidence import telling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult
    from textual.selection import Selection
    from textual.widgets import OptionList

    from halubot.render.items import Entry
    from halubot.report import Report, Source, Span, Stance
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

EMPTY: Final = "The text was compared with nothing: no other answers, documents or passages."
_UNKEPT: Final = "The text of this source is not kept."
_READING: Final = "The text of this source is being read."
_BLANK: Final = "This source is empty."
_WRAPPED: Final = 60
"""Characters of a line from which it is taken for broken at a margin; shorter lines stay lines."""
_LONG: Final = 100_000
"""Characters beyond which a text is laid out aside."""


def order_sources(report: Report) -> list[Source]:
    """The sources of a report, those that are taken at their word first."""
    return sorted(report.sources, key=lambda source: source.kind == "sample")


class FullText(LineView):
    """A text of any length, laid out line by line, marked if its source speaks."""

    DEFAULT_CSS = """
    FullText { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(id="full-text")
        self._text = ""
        self._places: Sequence[int] = range(1)
        self._width = 0
        self._rows: list[Span] = []
        self._marks: list[Styled] = []
        self._first: int | None = None

    def show(self, text: str, marks: Sequence[tuple[int, int, str]], first: int | None) -> None:
        """Shows a text with marks (start, end, style), from where ``first`` is on."""
        clean, places, own = _plain(text, self._room)
        clean = clean.replace("\t", " ")
        self._marks = [
            *own,
            *(
                Styled(bisect_left(places, start), bisect_left(places, end), style)
                for start, end, style in marks
            ),
        ]
        moved = first != self._first or clean != self._text
        self._places, self._first = places, first
        if clean != self._text or self._width != self._room:
            self._text, moved = clean, True
            self._lay()
        if moved:
            self.call_after_refresh(self._go)
        self.refresh()

    @property
    def _room(self) -> int:
        return max(8, self.scrollable_content_region.width - 1)

    def on_resize(self) -> None:
        if self._width != self._room:
            self._lay()
            self.call_after_refresh(self._go)

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if row >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        start, end = self._rows[row]
        styles = [
            Styled(max(begin, start) - start, min(stop, end) - start, style)
            for begin, stop, style in self._marks
            if begin < end and stop > start
        ]
        return self.draw_line(Content(self._text[start:end], styles), row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return what is selected of the text, as it is laid out."""
        text = "\n".join(self._text[start:end] for start, end in self._rows)
        return selection.extract(text), "\n"

    def _lay(self) -> None:
        self._width = self._room
        if len(self._text) > _LONG:
            self._rows = []
            self.run_worker(self._lay_aside(), exclusive=True, group="lay", exit_on_error=False)
        else:
            self._lay_out(layout.wrap_lines(self._text, self._width))

    async def _lay_aside(self) -> None:
        self._lay_out(await asyncio.to_thread(layout.wrap_lines, self._text, self._width))
        self.call_after_refresh(self._go)

    def _lay_out(self, lines: list[Span]) -> None:
        self._rows = lines
        self.set_rows(len(lines))

    def _go(self) -> None:
        """Scrolls to the first mark, or to the beginning."""
        row = 0
        if self._first is not None:
            place = bisect_left(self._places, self._first)
            row = bisect_right(self._rows, (place, len(self._text) + 1)) - 1
        self.scroll_to(y=max(0, row - 2), animate=False, force=True)


def _plain(text: str, width: int) -> tuple[str, Sequence[int], list[Styled]]:
    """A text as it is read, without the marks of Markdown; where each of its characters stands in
    the source, in order; and its styles. Of a long text the marks stay."""
    if len(text) > _LONG:
        return (*markdown_source.clean_source(text), [])
    words: list[str] = []
    places: list[int] = []
    styles: list[Styled] = []
    length = at = 0
    for number, block in enumerate(layout.fitting(marked.blocks(text), width)):
        lead = "\n" * (block.above + 1 if number else 0) + block.first
        length += len(lead)
        places += [at] * len(lead)
        styles += [
            Styled(start + length, end + length, style) for start, end, style in block.styles
        ]
        shown = list(block.text)
        for number_of, place in enumerate(block.places):
            ends = place < 0 and text[at + 1 : at + 2] == "\n" and shown[number_of] == " "
            if ends and at - text.rfind("\n", 0, at + 1) < _WRAPPED:
                shown[number_of] = "\n"
            at = max(at, place)
            places.append(at)
        words += (lead, *shown)
        length += len(block.text)
    return "".join(words), [*places, len(text)], styles


class Sources(Vertical):
    """The list of sources, each with the sign of what it says, and below it one in full."""

    DEFAULT_CSS = """
    Sources OptionList { height: auto; max-height: 40%; }
    Sources #about { height: auto; border-top: solid $rule; padding: 0; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="sources")
        self._signs = signs
        self._turn: Turn | None = None
        self._entry: Entry | None = None
        self._chosen: str | None = None
        self._width = 0

    def compose(self) -> ComposeResult:
        yield Chooser(self._signs, id="source-list")
        yield Lines("about")
        yield FullText()

    def show(self, turn: Turn, entry: Entry | None, width: int) -> None:
        """Draws the sources of a message, their names at a width; shown is the one chosen before,
        else the one that tells most of the entry that is looked at."""
        if turn is not self._turn or entry is not self._entry:
            kept = (
                self._chosen if turn is self._turn and self._speaks(self._chosen, entry) else None
            )
            self._chosen = kept or self._foremost(turn, entry)
        self._turn, self._entry, self._width = turn, entry, width
        self._list()
        self._read()

    def open(self, id: str) -> None:
        """Shows the source with this id."""
        self._chosen = id
        if self._turn is not None:
            self._list()
            self._read()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id is not None:
            self.open(event.option_id)

    def _speaks(self, id: str | None, entry: Entry | None) -> bool:
        if entry is None or entry.fact is None:
            return True
        return any(e.source == id and e.stance != "silent" for e in entry.fact.evidence)

    def _foremost(self, turn: Turn, entry: Entry | None) -> str | None:
        sources = turn.report.sources if turn.report is not None else ()
        order = ("contradicts", "supports", "silent")
        if entry is not None and entry.fact is not None and entry.fact.evidence:
            kinds = {source.id: source.kind for source in sources}
            best = min(
                entry.fact.evidence,
                key=lambda e: (
                    not e.quote,
                    kinds.get(e.source) == "sample",
                    order.index(e.stance),
                ),
            )
            return best.source
        return sources[0].id if sources else None

    def _list(self) -> None:
        shown = self.query_one("#source-list", Chooser)
        report = self._turn.report if self._turn is not None else None
        shown.display = report is not None and bool(report.sources)
        if report is not None:

            def make() -> Iterator[Line]:
                for source in order_sources(report):
                    yield source.id, self._option(source, report, self._width - 1)

            entries = self._turn.entries if self._turn is not None else ()
            of = (entries, len(report.sources), self._entry, self._width, self._signs.ascii)
            shown.fill(of, make, self._chosen)

    def _option(self, source: Source, report: Report, width: int) -> Content:
        said = self._stance_of(source)
        sign = stance(said, self._signs) if said else " "
        lead = Content(f"{sign} ").stylize(STANCE_STYLES[said] if said else QUIET)
        parts = [Content(cite(source, report))]
        if source.title.strip() and source.kind not in source.title:
            parts.append(Content(source.kind).stylize(QUIET))
        first, *rest = phrases(parts, width - 2, self._signs)
        return stack_lines([lead + first, *(Content("  ") + line for line in rest)])

    def _stance_of(self, source: Source) -> Stance | None:
        fact = self._entry.fact if self._entry is not None else None
        if fact is None:
            return None
        return next((item.stance for item in fact.evidence if item.source == source.id), None)

    def _read(self) -> None:
        """Shows the chosen source."""
        report = self._turn.report if self._turn is not None else None
        about, text = self.query_one(Lines), self.query_one(FullText)
        sources = report.sources if report is not None else ()
        source = next((one for one in sources if one.id == self._chosen), None)
        width = self._width
        if source is None or report is None or self._turn is None:
            about.put_text(stack_lines([*hung(Content(EMPTY).stylize(QUIET), width)]))
            text.show("", (), None)
            return
        lines = [*hung(Content(cite(source, report)).stylize("bold $primary"), width)]
        if where := items.location(source):
            lines += hung(Content(where).stylize(QUIET), width)
        why = ""
        if source.text is None:
            why = _READING if self._turn.outlined else _UNKEPT
        elif not source.text.strip():
            why = _BLANK
        if why:
            lines += hung(Content(why).stylize(QUIET), width)
        about.put_text(stack_lines(lines))
        marks = list(self._marks(source, report))
        own = [start for start, _, style in marks if "reverse" in style]
        text.show(source.text or "", marks, min(own, default=None))

    def _marks(self, source: Source, report: Report) -> Iterator[tuple[int, int, str]]:
        """Yield what the source says of any fact, and stronger what it says of the one looked
        at."""
        chosen = self._entry.fact if self._entry is not None else None
        for fact in report.facts:
            for item in fact.evidence:
                if item.source == source.id and item.stance == "contradicts" and fact is not chosen:
                    yield item.start, item.end, "underline $contradicted"
        for item in chosen.evidence if chosen is not None else ():
            if chosen is None or item.source != source.id or item.stance == "silent":
                continue
            style = STANCE_STYLES[item.stance]
            yield item.start, item.end, f"{style} reverse"
            for start, end in telling(item.stance, item.quote, chosen, item.value):
                yield item.start + start, item.start + end, "bold underline"
