"""Blocks of a message laid out at a width, with its marks; a line becomes content when it is shown.

Laying out finds the ends of lines and no more, so that a long message costs little until it is
read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from itertools import accumulate, count
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import cell_len, get_character_cell_size
from textual.content import Content
from textual.content import Span as Styled
from textual.style import Style

from halubot_tui.text.markdown_blocks import QUIET, Block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot.report import Span

ENTRY: Final = "entry"
"""Under this name the style of a mark holds the key of its entry."""

_NARROWEST: Final = 4
_PLAIN = str.maketrans({"─": "-", "│": "|", "┼": "+", "▏": "|", "•": "*"})


class Mark(NamedTuple):
    """A stretch of the message to be marked: its style, what a click on it means (``entry``, None
    for nothing), and the sign that stands behind it ("" for none)."""

    start: int
    end: int
    style: str
    entry: str | None = None
    sign: str = ""
    sign_style: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A block at a width: its text with the signs of its marks, its styles, and ``lines``: where
    in the text each of its lines begins and ends."""

    block: Block
    text: str
    styles: Sequence[Styled]
    lines: Sequence[Span]
    first: str = ""
    rest: str = ""
    serial: int = field(default_factory=count().__next__)
    """A number that no other has."""

    def line(self, number: int) -> Content:
        """One line of it as it is shown."""
        start, end = self.lines[number]
        lead = self.rest if number else self.first
        shift = len(lead) - start
        styles = [Styled(0, len(lead), QUIET)] if lead else []
        styles += [
            Styled(max(begin, start) + shift, min(stop, end) + shift, style)
            for begin, stop, style in self.styles
            if begin < end and stop > start
        ]
        return Content(lead + self.text[start:end], styles)

    def line_of(self, entry: str) -> int | None:
        """The line on which the marks of an entry begin."""
        for start, _, style in self.styles:
            if isinstance(style, Style) and style.meta.get(ENTRY) == entry:
                return max(0, bisect_right(self.lines, (start, len(self.text) + 1)) - 1)
        return None


class Marks:
    """The marks of a message in order, of which those near a block are found without a look at all
    others."""

    def __init__(self, marks: Sequence[Mark]) -> None:
        self._marks = marks
        self._starts = [mark.start for mark in marks]
        self._ends = list(accumulate((mark.end for mark in marks), max))

    def near(self, block: Block) -> Sequence[Mark]:
        """The marks that may be in a block, and maybe some more."""
        known = _known_names(block)
        if not known:
            return ()
        first = bisect_right(self._ends, known[0])
        return self._marks[first : bisect_right(self._starts, known[-1])]


def marks_of(block: Block, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """The marks that may be in a block, of marks in order."""
    known = _known_names(block) if marks else ()
    if not known:
        return ()
    return tuple(mark for mark in marks if mark.start <= known[-1] and mark.end > known[0])


def _known_names(block: Block) -> Sequence[int]:
    """Places in the message that a block shows, the first and the last among them."""
    known = [place for place in (*block.places[:1], *block.places[-1:]) if place >= 0]
    return known if len(known) == 2 else [place for place in block.places if place >= 0]


def lay(
    given: Block,
    marks: Sequence[Mark],
    width: int,
    selected: str | None = None,
    *,
    ascii: bool = False,
) -> Laid:
    """A block at a width in cells with its marks, those of the ``selected`` entry so that they
    stand out. With ``ascii`` what is drawn around the words is in plain signs."""
    block = _plain(given) if ascii else given
    text, styles = _with_sign(block, marks, selected)
    room = max(_NARROWEST, width - cell_len(block.rest))
    lines = wrap_lines(text, room, words=block.wraps)
    return Laid(given, text, styles, lines, block.first, block.rest)


def wrap_lines(text: str, width: int, *, words: bool = True) -> list[Span]:
    """Return the start and end of each line of a text at a width in cells (2 at least); spaces at
    which a line ends belong to none. There is one line at least. Between ``words`` if it can be."""
    lines: list[Span] = []
    start = 0
    for part in text.split("\n"):
        # Most texts are ASCII, where a cell is a character: no width has to be looked up.
        narrow = part.isascii()
        lines += (_even if narrow else _uneven)(text, start, start + len(part), width, words)
        start += len(part) + 1
    return lines


def _even(text: str, start: int, end: int, width: int, words: bool) -> Iterator[Span]:
    """Lines of characters that are one cell wide."""
    while end - start > width:
        cut = text.rfind(" ", start, start + width + 1) if words else -1
        if cut <= start or not text[start:cut].strip():
            cut = start + width
        yield start, _trim(text, start, cut)
        start = _beyond(text, cut, end) if words else cut
    yield start, _trim(text, start, end)


def _uneven(text: str, start: int, end: int, width: int, words: bool) -> Iterator[Span]:
    """Lines of characters of any width. Wide ones may be parted, combined ones never are."""
    used, cut = 0, start
    at = start
    while at < end:
        character = text[at]
        # U+FE0F makes the character before it an emoji, which terminals draw two cells wide.
        cells = 1 if character == "\ufe0f" else get_character_cell_size(character)
        if used + cells > width and at > start:
            if cut <= start:
                cut = at
            yield start, _trim(text, start, cut)
            start = at = _beyond(text, cut, end) if words else cut
            used, cut = 0, start
            continue
        used += cells
        at += 1
        joined = at < end and not get_character_cell_size(text[at])
        if (character == " " or cells == 2 or not words) and not joined:
            cut = at
    yield start, _trim(text, start, end)


def _plain(block: Block) -> Block:
    """The block with plain signs around its words; the words stay as they are."""
    text = block.text
    if -1 in block.places and not text.isascii():
        drawn = zip(text, block.places, strict=True)
        text = "".join(one.translate(_PLAIN) if at < 0 else one for one, at in drawn)
    return replace(
        block,
        text=text,
        first=block.first.translate(_PLAIN),
        rest=block.rest.translate(_PLAIN),
    )


def _trim(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def _beyond(text: str, at: int, end: int) -> int:
    while at < end and text[at] == " ":
        at += 1
    return at


def _with_sign(
    block: Block, marks: Sequence[Mark], selected: str | None
) -> tuple[str, Sequence[Styled]]:
    """The text of a block with the signs behind its marks, and the styles of it all."""
    styles = [Styled(start, end, style) for start, end, style in block.styles]
    if not marks:
        return block.text, styles
    # Characters that are drawn but stand in no message (list marks, borders) have no place.
    ats = [at for at, place in enumerate(block.places) if place >= 0]
    places = [block.places[at] for at in ats]
    signs: list[tuple[int, Mark]] = []
    for mark in marks:
        first, last = bisect_left(places, mark.start), bisect_left(places, mark.end)
        if first >= last:
            continue
        start, end = ats[first], ats[last - 1] + 1
        chosen = mark.entry is not None and mark.entry == selected
        if mark.style or chosen:
            # Words that are marked lightly are underlined: reversed, they would outshine the value.
            style = (
                (f"{mark.style} reverse" if mark.style else "underline") if chosen else mark.style
            )
            styles.append(Styled(start, end, style))
        if mark.entry is not None:
            styles.append(Styled(start, end, Style.from_meta({ENTRY: mark.entry})))
        if mark.sign:
            signs.append((end, mark))
    if not signs:
        return block.text, styles
    return _with_signs(block, styles, sorted(signs, key=lambda one: one[0]))


def _with_signs(
    block: Block, styles: Sequence[Styled], signs: Sequence[tuple[int, Mark]]
) -> tuple[str, Sequence[Styled]]:
    """Puts signs into the text of a block, in their order, and moves the styles behind them."""
    text = block.text
    ends = [end for end, _ in signs]
    grown = [0]
    pieces: list[str] = []
    placed: list[Styled] = []
    done = length = 0
    for end, mark in signs:
        pieces += (text[done:end], mark.sign)
        begin = length + max(0, end - done)
        length = begin + len(mark.sign)
        placed.append(Styled(begin, length, mark.sign_style))
        if mark.entry is not None:
            placed.append(Styled(begin, length, Style.from_meta({ENTRY: mark.entry})))
        done = max(done, end)
        grown.append(grown[-1] + len(mark.sign))
    moved = [
        Styled(start + grown[bisect_right(ends, start)], end + grown[bisect_left(ends, end)], style)
        for start, end, style in styles
    ]
    return "".join([*pieces, text[done:]]), [*moved, *placed]
