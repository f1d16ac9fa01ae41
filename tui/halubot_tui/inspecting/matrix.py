"""The matrix: what each source says of each fact, one sign a cell; the cell one is at in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable

from halubot.render.inert import crop, one_line
from halubot_tui.inspecting import sources
from halubot_tui.inspecting.drawing import (
    QUIET,
    STANCE_STYLES,
    Lines,
    cite,
    hung,
    ink,
    order_entries,
    phrases,
    stack_lines,
    stance,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from halubot.render.items import Entry
    from halubot.report import Report, Source, SourceKind, Stance
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

EMPTY: Final = "There are no sources that facts were compared with one by one."
_SPEAKS: Final[Mapping[Stance, str]] = {
    "supports": "says so",
    "contradicts": "contradicts it",
    "silent": "does not say so",
}
_KINDS: Final[Mapping[SourceKind, str]] = {
    "sample": "other answer",
    "reference": "document",
    "knowledge": "passage",
}
"""What the letters above the columns stand for."""
_WIDEST: Final = 60
_SLIMMEST: Final = 18
_READABLE: Final = 32
"""Cells that facts have at least beside columns that are scrolled anyway, if half of the room
allows: by fewer they cannot be told apart."""
_LEAD: Final = 8
"""Cells for the sign of a fact, and the gap after its words."""
_MOST_COLUMNS: Final = 100
_MOST_ROWS: Final = 200
_MOST_CELLS: Final = 2000
"""What is drawn at once, and what can be drawn between two keys: of longer matrices the stretch
around the fact that is looked at."""
_VOTES: Final[Mapping[str, Stance]] = {"yes": "supports", "no": "contradicts"}


class Chosen(Message):
    """A fact of the matrix was gone to."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Opened(Message):
    """A source of the matrix is to be read."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source


class Matrix(Vertical):
    """Facts below each other, sources side by side; what the cell one is at means stands below."""

    DEFAULT_CSS = """
    Matrix DataTable, Matrix DataTable:focus {
        height: 1fr; background: $background; color: $foreground;
        background-tint: $foreground 0%; scrollbar-size-horizontal: 1;
    }
    Matrix DataTable > .datatable--header { background: $background; color: $primary; }
    Matrix DataTable > .datatable--fixed { background: $background; color: $foreground; }
    Matrix DataTable > .datatable--cursor { background: $panel; text-style: bold reverse; }
    Matrix DataTable > .datatable--fixed-cursor { background: $panel; color: $foreground; }
    Matrix DataTable > .datatable--header-cursor { background: $panel; color: $primary; }
    Matrix #cell { height: auto; max-height: 50%; border-top: solid $rule; padding: 0; }
    Matrix #cell.-alone { border-top: none; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="matrix")
        self._signs = signs
        self._turn: Turn | None = None
        self._all: list[Entry] = []
        self._rows: Sequence[Entry] = ()
        self._sources = 0
        self._width = 0
        self._columns: list[Source] = []
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        table: DataTable[Text] = DataTable(
            id="cells", cursor_type="cell", cell_padding=0, fixed_columns=1, show_row_labels=False
        )
        yield table
        yield Lines("cell")

    @property
    def _table(self) -> DataTable[Text]:
        return self.query_one("#cells", DataTable)

    def show(self, turn: Turn, entry: Entry | None, width: int, *, by_doubt: bool) -> None:
        """Draws the matrix of a message at a width, the row of the entry that is looked at
        first."""
        self._width = width
        drawn = (
            turn.id,
            turn.entries,
            by_doubt,
            width,
            self._signs.ascii,
            self.app.theme,
        )
        with self.prevent(DataTable.CellHighlighted):
            if self._drawn != drawn:
                self._drawn = drawn
                self._turn = turn
                self._fill(turn, entry, by_doubt=by_doubt)
            table = self._table
            at = _place(entry, self._rows)
            if at is None and _place(entry, self._all) is not None:
                self._fill(turn, entry, by_doubt=by_doubt)
                at = _place(entry, self._rows)
            if at is not None and table.cursor_row != at:
                table.move_cursor(row=at, column=max(1, table.cursor_column))
        self._tell()

    def on_data_table_cell_highlighted(self, event: DataTable.CellHighlighted) -> None:
        event.stop()
        self._tell()
        row = event.coordinate.row
        if row < len(self._rows):
            self.post_message(Chosen(self._rows[row].number))

    def on_data_table_cell_selected(self, event: DataTable.CellSelected) -> None:
        event.stop()
        at = event.coordinate.column - 1
        if 0 <= at < len(self._columns):
            self.post_message(Opened(self._columns[at].id))

    def _fill(self, turn: Turn, looked_at: Entry | None, *, by_doubt: bool) -> None:
        table = self._table
        where = table.cursor_coordinate
        table.clear(columns=True)
        report = turn.report
        entries = order_entries(turn, by_doubt=by_doubt)
        self._all, columns = _cast(report, entries)
        self._columns, self._sources = columns[:_MOST_COLUMNS], len(columns)
        most = min(_MOST_ROWS, _MOST_CELLS // max(1, len(self._columns)))
        at = _place(looked_at, self._all) or 0
        self._rows = self._all[at - at % most :][:most]
        table.display = bool(self._rows)
        if report is None or not self._rows:
            return
        cells = {
            said: Text(stance(said, self._signs), self._style(STANCE_STYLES[said]))
            for said in STANCE_STYLES
        }
        none = Text(" ")
        room = self._width - 2 * len(self._columns)
        longest = max(cell_len(one.reading) for one in self._rows) + _LEAD
        least = max(_SLIMMEST, min(_READABLE, self._width // 2))
        width = min(longest, _WIDEST, max(least, room))
        table.header_height = max(len(source.id) for source in self._columns)
        table.add_column(Text("fact", self._style("$primary")), width=width, key="fact")
        for source in self._columns:
            table.add_column(Text("\n".join(source.id)), width=2, key=source.id)
        for entry in self._rows:
            said = _stances(entry, report)
            row = [cells[one] if (one := said.get(s.id)) else none for s in self._columns]
            table.add_row(self._label(entry, width - 1), *row, key=str(entry.number))
        table.move_cursor(row=where.row, column=max(1, where.column))

    def _label(self, entry: Entry, width: int) -> Text:
        sign = self._signs.key(entry.verdict, entry.number)
        label = Text(no_wrap=True)
        label.append(f"{sign} ", self._style(ink(entry.verdict)))
        label.append(entry.reading, self._style("$foreground"))
        label.truncate(width, overflow="crop" if self._signs.ascii else "ellipsis")
        return label

    def _style(self, style: str) -> str:
        """A style with the colours of the theme in place of their names; rich knows no names."""
        colours = self.app.theme_variables
        return " ".join(
            colours.get(word[1:], "") if word.startswith("$") else word for word in style.split()
        )

    def _tell(self) -> None:
        """Says in words what the cell one is at means; what the signs mean if there is none."""
        shown = self.query_one(Lines)
        shown.set_class(not self._rows, "-alone")
        width = self._width
        report = self._turn.report if self._turn is not None else None
        at = self._table.cursor_coordinate
        if report is None or not self._rows:
            shown.put_text(stack_lines([*hung(Content(EMPTY).stylize(QUIET), width)]))
            return
        lines: list[Content] = []
        if at.row < len(self._rows) and 0 < at.column <= len(self._columns):
            entry, source = self._rows[at.row], self._columns[at.column - 1]
            lines += self._cell(entry, source, report, width)
        legend = (
            Content.assemble((stance(said, self._signs), STANCE_STYLES[said]), (f" {meant}", QUIET))
            for said, meant in _SPEAKS.items()
        )
        kinds = {source.id[:1]: source.kind for source in self._columns}
        heads = (
            Content(f"{letter} {_KINDS[kind]}").stylize(QUIET) for letter, kind in kinds.items()
        )
        lines += phrases([*legend, *heads], width, self._signs, between="  ")
        if len(self._rows) < len(self._all) or len(self._columns) < self._sources:
            shares = [
                f"{len(self._rows)} of {len(self._all)} facts",
                f"{len(self._columns)} of {self._sources} sources",
            ]
            bounds = f"Shown here: {', '.join(shares)}. Go to another fact in the list of facts."
            lines += hung(Content(bounds).stylize(QUIET), width)
        shown.put_text(stack_lines(lines))

    def _cell(self, entry: Entry, source: Source, report: Report, width: int) -> Sequence[Content]:
        said = _stances(entry, report).get(source.id)
        name = cite(source, report)
        item = (
            next((e for e in entry.fact.evidence if e.source == source.id), None)
            if entry.fact
            else None
        )
        meant = _SPEAKS[said] if said else "was not asked"
        sign = stance(said, self._signs) if said else " "
        style = STANCE_STYLES[said] if said else QUIET
        lines = [*hung(Content(crop(entry.reading, 120)).stylize("bold"), width)]
        whole = Content.assemble((f"{name} {meant}", style))
        if item is not None and item.quote.strip():
            quote = self._signs.plain(crop(one_line(item.quote), 140, item.value))
            whole += Content(f": {self._signs.quote(quote)}")
        return [*lines, *hung(whole, width, Content(f"{sign} ").stylize(style))]


def _place(entry: Entry | None, among: Sequence[Entry]) -> int | None:
    """Return the place of an entry among others."""
    return next((at for at, one in enumerate(among) if one is entry), None)


def _cast(report: Report | None, entries: Sequence[Entry]) -> tuple[list[Entry], list[Source]]:
    """The entries of which sources said something, and these sources: references first."""
    if report is None:
        return [], []
    said = [(entry, _stances(entry, report)) for entry in entries]
    rows = [entry for entry, held in said if held]
    named = {id for _, held in said for id in held}
    return rows, [source for source in sources.order_sources(report) if source.id in named]


def _stances(entry: Entry, report: Report) -> Mapping[str, Stance]:
    """Return what each source says of an entry: of a fact by its evidence, of a sentence by the
    votes of methods that judge sentences by each sample."""
    if entry.fact is not None:
        return {item.source: item.stance for item in entry.fact.evidence}
    votes = report.details.get("votes")
    if entry.sentence is None or not isinstance(votes, Mapping):
        return {}
    found: dict[str, Stance] = {}
    for id, row in votes.items():
        if isinstance(row, list) and entry.sentence.index < len(row):
            vote = _VOTES.get(str(row[entry.sentence.index]))
            if vote is not None:
                found[str(id)] = vote
    return found
