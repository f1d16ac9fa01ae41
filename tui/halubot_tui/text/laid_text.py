"""A checked text with its marks, laid out at a width.

A `LaidText` never changes, so a long text can be laid out on another thread while the old layout is
still shown. Blocks whose words and marks are the same are taken over from the layout before.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot_tui.corrections import changed_words, entry_key
from halubot_tui.text.line_layout import Laid, Mark, Marks, lay, marks_of
from halubot_tui.text.markdown_blocks import blocks
from halubot_tui.theme import NEW, OLD, STYLES, Signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot.render.items import Entry
    from halubot.report import Report, Span
    from halubot_tui.corrections import Change

_EMPTY: Final = Content("")


@dataclass(frozen=True, slots=True)
class Shown:
    """What is to be shown of a check: its text, the entries to mark (numbered if the check has
    ended), the changes made in it, and the words that are new since the version before. Of a text
    that is ``streaming`` each entry is a sentence that was compared already."""

    text: str
    report: Report | None = None
    entries: Sequence[Entry] = ()
    running: bool = False
    streaming: bool = False
    changes: Sequence[Change] = ()
    places: Mapping[str, Span | None] = field(default_factory=dict)
    """The words of entries that an edit begins with, by their keys: these are marked."""
    kept: Set[str] = frozenset()
    new: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LaidText:
    """The lines of a text at a width. ``tops`` has the first line of each block, and the end."""

    width: int = 0
    laid: Sequence[Laid] = ()
    given: Sequence[tuple[tuple[Mark, ...], str | None]] = ()
    tops: Sequence[int] = (0,)

    @property
    def height(self) -> int:
        """The number of lines."""
        return self.tops[-1]

    def line(self, row: int) -> Content:
        """One line; empty above and below the text."""
        if not 0 <= row < self.tops[-1]:
            return _EMPTY
        number = bisect_right(self.tops, row) - 1
        laid = self.laid[number]
        within = row - self.tops[number] - self._above(number)
        return laid.line(within) if within >= 0 else _EMPTY

    def key(self, row: int) -> tuple[int, int]:
        """What a line is made of: while this stays the same, so does the line."""
        if not 0 <= row < self.tops[-1]:
            return -1, -1
        number = bisect_right(self.tops, row) - 1
        return self.laid[number].serial, row - self.tops[number]

    def row_of(self, entry: str) -> int | None:
        """The line on which the mark of an entry begins; None if it has none."""
        for number, laid in enumerate(self.laid):
            line = laid.line_of(entry)
            if line is not None:
                return self.tops[number] + self._above(number) + line
        return None

    def _above(self, number: int) -> int:
        return self.laid[number].block.above if number else 0


def lay_text(
    shown: Shown, width: int, selected: str | None, signs: Signs, before: LaidText | None = None
) -> LaidText:
    """Lay a text out at a width in cells with its marks, those of the ``selected`` entry so that
    they stand out."""
    marks = Marks(sorted(_marks(shown, signs), key=lambda mark: (mark.start, mark.end)))
    old = before if before is not None and before.width == width else LaidText()
    found: list[Laid] = []
    given: list[tuple[tuple[Mark, ...], str | None]] = []
    tops = [0]
    for number, block in enumerate(blocks(shown.text)):
        own = marks_of(block, marks.near(block))
        chosen = selected if any(mark.entry == selected for mark in own) else None
        laid = old.laid[number] if number < len(old.laid) else None
        if laid is None or laid.block is not block or old.given[number] != (own, chosen):
            laid = lay(block, own, width, chosen, ascii=signs.ascii)
        found.append(laid)
        given.append((own, chosen))
        tops.append(tops[-1] + len(laid.lines) + (block.above if number else 0))
    return LaidText(width, found, given, tops)


def _marks(shown: Shown, signs: Signs) -> Iterator[Mark]:
    """Yield the marks of doubted entries, of undecided ones once the check has ended, and of
    changes."""
    for start, end in shown.new:
        yield Mark(start, end, NEW)
    changed: list[tuple[int, int]] = []
    for change in shown.changes:
        facts = {f"f{one}" for one in change.facts}
        key = next((it for e in shown.entries if (it := entry_key(e)) in facts), None)
        for start, end, after in changed_words(change):
            changed.append((start, end))
            if start == end > 0:  # nothing goes: the new words stand behind the character before
                yield Mark(start - 1, end, "", key, after, NEW)
                continue
            arrow = signs.plain("→") if after.strip() else ""
            again = "" if end else shown.text[:1]  # there is none before the text
            yield Mark(start, max(1, end), OLD, key, f"{arrow}{after}{again}", NEW)
    if shown.report is None:
        return
    wanted = [
        entry
        for entry in shown.entries
        if entry_key(entry) not in shown.kept
        and (entry.is_doubted or (entry.verdict == "not_checked" and not shown.running))
    ]
    if wanted:
        yield from _entry_marks(shown, wanted, changed, signs)
    for entry in shown.entries if shown.streaming else ():
        if not entry.is_doubted and entry.spans:
            end, look = entry.spans[-1][1], STYLES[entry.verdict]
            yield Mark(end - 1, end, "", entry_key(entry), signs.verdict(entry.verdict), look)


def _entry_marks(
    shown: Shown, wanted: Sequence[Entry], changed: Sequence[tuple[int, int]], signs: Signs
) -> Iterator[Mark]:
    from halubot.render.items import pieces

    assert shown.report is not None  # noqa: S101 - the caller has looked
    # Most of a text may be undecided: its facts have no look of their own, and one sign a sentence.
    last: dict[tuple[int, ...], int] = {}
    for one in wanted:
        if one.verdict == "not_checked" and one.fact is not None and one.spans:
            own = one.fact.sentences
            last[own] = max(last.get(own, 0), one.spans[-1][1])

    def is_free(span: Span) -> bool:
        return not any(start < span[1] and span[0] < end for start, end in changed)

    for one in reversed(wanted):  # the most doubted last, above the others
        place = shown.places.get(entry_key(one))
        if place is not None and is_free(place):
            # Undecided words stand out once they are looked at.
            style = STYLES[one.verdict] if one.is_doubted else "$foreground"
            yield Mark(*place, style, entry_key(one))
    for piece in pieces(shown.report, wanted):
        if piece.verdict is None:
            continue
        inside = not is_free((piece.start, piece.end))
        if piece.entries and not inside:
            yield Mark(piece.start, piece.end, "", entry_key(piece.entries[0]))
        before: Entry | None = None
        for entry in () if inside else piece.closing:
            own = entry.fact.sentences if entry.fact is not None else ()
            if entry.verdict == "not_checked" and entry.spans[-1][1] < last.get(own, 0):
                continue
            numbered = entry.is_doubted and not shown.running
            sign = signs.key(entry.verdict, entry.number if numbered else None)
            if before is not None and before.verdict == entry.verdict:
                # one sign for several of a kind; the numbers stay, they can be gone to
                rest = sign.removeprefix(signs.verdict(entry.verdict))
                sign = f",{rest}" if rest else ""
            before = entry
            look = STYLES[entry.verdict].replace("underline ", "")
            place = shown.places.get(entry_key(entry)) if entry.is_doubted else None
            end = max(piece.end, place[1] if place else 0)
            yield Mark(end - 1, end, "", entry_key(entry), sign, look)
