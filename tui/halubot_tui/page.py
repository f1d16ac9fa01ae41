"""One message laid out at a width: its head, its text with what to doubt marked, line by line."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.cache import LRUCache
from textual.content import Content

from halubot_tui import heads, layout, marked
from halubot_tui.layout import Laid, Mark
from halubot_tui.looks import STYLES, Signs
from halubot_tui.marked import Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.strip import Strip

    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.turns import Turn

_KEPT_STRIPS: Final = 300
_MOST_DOUBTS: Final = 8
"""Facts that are named below a corrected text."""
NEW: Final = "bold underline $supported"
"""How words are written that a correction put in."""


class Place(NamedTuple):
    """A place in a message that a line of it shows, whatever its width: a character of a block, or
    a line of the head if ``block`` is -1."""

    block: int
    at: int


class Line(NamedTuple):
    """The content of a line of the conversation: a line of a message (-1: of none that is laid
    out), what it is made of (`Page.key`), and whether its message is the one looked at."""

    turn: int
    within: int
    key: tuple[int, int] | None
    chosen: bool


class Page:
    """The lines of one message, the last of them empty. What did not change since it was laid out
    before is kept."""

    def __init__(self, turn: Turn, signs: Signs) -> None:
        self.turn = turn
        self.stale = True
        self.strips: LRUCache[tuple[Line, int, int], Strip] = LRUCache(_KEPT_STRIPS)
        """Lines as they were drawn last, in this row and at this width."""
        self._signs = signs
        self._growing = marked.Growing()
        self._text: tuple[str, bool] | None = None
        self._blocks: tuple[Block | marked.Table, ...] = ()
        self._width = 0
        self._head: list[Content] = []
        self._foot: list[Content] = []
        self._around = 0
        self._laid: list[Laid] = []
        self._how: list[tuple[tuple[Mark, ...], int | None]] = []
        self._tops: list[int] = [0]
        self._marks_of: tuple[object, ...] | None = None
        self._all = layout.Marks(())
        self._corrected: tuple[str, str, bool, bool] | None = None
        self._below: tuple[Block | marked.Table, ...] = ()
        self._new = layout.Marks(())

    @property
    def height(self) -> int:
        """Return how many lines it has."""
        return len(self._head) + self._tops[-1] + len(self._foot)

    def lay(self, width: int, selected: int | None, elapsed: float | None) -> None:
        """Lays the message out as it stands now."""
        self.stale = False
        question = heads.question_head(self.turn, self._signs)
        head = heads.head(self.turn, self._signs, width, elapsed)
        before = self._head, self._foot
        self._head = [line for one in (question, head) if one for line in one.wrap(max(2, width))]
        foot = heads.unfinished_note(self.turn, self._signs)
        self._foot = [*([Content(""), *foot.wrap(max(2, width))] if foot else []), Content("")]
        if not _same(before[0], self._head) or not _same(before[1], self._foot):
            self._around += 1
        self._read()
        self._lay_text(width, selected)

    def key(self, row: int) -> tuple[int, int]:
        """Return what a line is made of: while this stays the same, so does the line."""
        inner = row - len(self._head)
        if not 0 <= inner < self._tops[-1]:
            return -1 - self._around, row
        number = bisect_right(self._tops, inner) - 1
        return self._laid[number].serial, inner - self._tops[number]

    def line(self, row: int) -> Content:
        """One line of it; empty below the last."""
        if row < len(self._head):
            return self._head[row]
        row -= len(self._head)
        if row >= self._tops[-1]:
            row -= self._tops[-1]
            return self._foot[row] if row < len(self._foot) else Content("")
        number = bisect_right(self._tops, row) - 1
        laid = self._laid[number]
        within = row - self._tops[number] - laid.block.above
        return laid.line(within) if within >= 0 else Content("")

    def place(self, row: int) -> Place:
        """Return what a line shows."""
        inner = row - len(self._head)
        if inner < 0 or not self._laid:
            return Place(-1, row)
        number = min(bisect_right(self._tops, inner), len(self._laid)) - 1
        laid = self._laid[number]
        within = min(max(0, inner - self._tops[number] - laid.block.above), len(laid.lines) - 1)
        return Place(number, laid.lines[within][0])

    def row(self, place: Place) -> int:
        """The line that shows a place."""
        if place.block < 0 or not self._laid:
            return min(max(0, place.at), self.height - 1)
        number = min(place.block, len(self._laid) - 1)
        laid = self._laid[number]
        within = max(0, bisect_right(laid.lines, (place.at, len(laid.text) + 1)) - 1)
        return len(self._head) + self._tops[number] + laid.block.above + within

    def row_of(self, entry: int) -> int | None:
        """The line on which the mark of an entry begins; None if it is nowhere."""
        for number, laid in enumerate(self._laid):
            line = laid.line_of(entry)
            if line is not None:
                return len(self._head) + self._tops[number] + laid.block.above + line
        return None

    def _read(self) -> None:
        """Reads the text of the message, if it is another than before."""
        text, streaming = self.turn.answer, self.turn.streaming
        if self._text != (text, streaming):
            self._text = (text, streaming)
            self._blocks = self._growing.read(text) if streaming else marked.blocks(text)
        self._read_corrected()

    def _read_corrected(self) -> None:
        """Reads the text as it was corrected, which stands below the one that was checked, the new
        words marked."""
        made = None if self.turn.running else self.turn.corrected_text
        now = None
        if made is not None:
            now = made.text, made.standing, made.doubted is None, self._signs.ascii
        if now == self._corrected:
            return
        self._corrected, self._below, self._new = now, (), layout.Marks(())
        if made is None:
            return
        head = heads.corrected_head(made, self._signs)
        style = ((0, len(head), "bold $primary"),)
        self._below = (Block(head, (-1,) * len(head), style, above=1),)
        if len(made.text) <= marked.LONG:
            self._below += marked.blocks(made.text)
            marks = [Mark(*place, NEW) for place in made.new_words(self.turn.answer)]
            if (found := made.find_doubts()) is not None:
                marks += _find_marks(*found, self._signs, numbered=False, listed=False)
                self._below += (*_list_doubts(found[1], self._signs),)
            self._new = layout.Marks(sorted(marks, key=lambda one: one[:2]))

    def _all_blocks(self, width: int) -> Iterator[tuple[Block, layout.Marks]]:
        """The blocks of the text, and of the corrected one, each with the marks of its text."""
        marks = self._all_marks()
        yield from ((block, marks) for block in layout.fitting(self._blocks, width))
        yield from ((block, self._new) for block in layout.fitting(self._below, width))

    def _lay_text(self, width: int, selected: int | None) -> None:
        """Lays out those blocks whose words or marks changed."""
        before = self._laid if width == self._width else []
        self._width = width
        found: list[Laid] = []
        how: list[tuple[tuple[Mark, ...], int | None]] = []
        tops = [0]
        for number, (block, marks) in enumerate(self._all_blocks(width)):
            own = layout.marks_of(block, marks.near(block))
            chosen = selected if any(mark.entry == selected for mark in own) else None
            old = before[number] if number < len(before) else None
            if old is None or old.block is not block or self._how[number] != (own, chosen):
                old = layout.lay(block, own, width, chosen, ascii=self._signs.ascii)
            found.append(old)
            how.append((own, chosen))
            tops.append(tops[-1] + block.above + len(old.lines))
        self._laid, self._how, self._tops = found, how, tops

    def _all_marks(self) -> layout.Marks:
        """All marks; they are found out anew only if the entries are others."""
        of = (self.turn.entries, self.turn.running, self.turn.streaming, self._signs.ascii)
        if self._marks_of is None or self._marks_of != of:
            self._marks_of, self._all = of, layout.Marks(sorted(self._marks()))
        return self._all

    def _marks(self) -> Iterator[Mark]:
        """Yield what is to be marked: doubted entries; and those that could not be checked, once
        the check has ended."""
        turn = self.turn
        report = turn.report
        if report is None or turn.streaming:
            return
        wanted = [
            entry
            for entry in turn.entries
            if entry.is_doubted or (entry.verdict == "not_checked" and not turn.running)
        ]
        if not wanted:
            return
        yield from _find_marks(report, wanted, self._signs, numbered=not turn.running)


def _find_marks(
    report: Report, wanted: Sequence[Entry], signs: Signs, *, numbered: bool, listed: bool = True
) -> Iterator[Mark]:
    """Yield the marks of these entries: with their numbers if they are ``numbered``; without a way
    to the list if they are not ``listed``."""
    from halubot.render.items import pieces

    for piece in pieces(report, wanted):
        if piece.verdict is None:
            continue
        style = STYLES[piece.verdict] if piece.strong else ""
        number = piece.entries[0].number if piece.entries and listed else None
        yield Mark(piece.start, piece.end, style, number)
        before: Entry | None = None
        for entry in piece.closing:
            sign = signs.key(entry.verdict, entry.number if numbered else None)
            if before is not None and before.verdict == entry.verdict:
                # one sign for several of a kind; the numbers stay, they can be gone to
                rest = sign.removeprefix(signs.verdict(entry.verdict))
                sign = f",{rest}" if rest else ""
            before = entry
            look = STYLES[entry.verdict].replace("underline ", "")
            number = entry.number if listed else None
            yield Mark(piece.end - 1, piece.end, "", number, sign, look)


def _list_doubts(doubts: Sequence[Entry], signs: Signs) -> Iterator[Block]:
    """Yield the lines below a corrected text that name what is in doubt still."""
    for place, line in enumerate(heads.name_doubts(doubts, _MOST_DOUBTS, signs)):
        styles = tuple((span.start, span.end, str(span.style)) for span in line.spans)
        text = line.plain
        yield Block(text, (-1,) * len(text), styles, rest="  ", above=int(not place))


def estimate_lines(turn: Turn, width: int) -> int:
    """About how many lines a message will have."""
    text = turn.answer
    if not text and turn.inputs.kind == "ask":
        return 8
    return 5 + text.count("\n") + len(text) // max(8, width)


def _same(before: Sequence[Content], now: Sequence[Content]) -> bool:
    """Return whether lines show the same."""
    return len(before) == len(now) and all(map(Content.is_same, before, now))
