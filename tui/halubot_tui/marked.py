"""A message for the screen: its Markdown laid out, its doubtful places marked.

Every character shown knows where in the message it stands, so that marks, which are places in the
message, find their words in the layout. Text of a message is never markup of the screen: it only
ever becomes plain text with styles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from markdown_it import MarkdownIt
from textual.content import Content
from textual.content import Span as Styled
from textual.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it.token import Token

STRONG: Final = "bold"
EMPHASIS: Final = "italic"
CODE: Final = "$text-accent on $panel"
HEADING: Final = "bold $primary"
LINK: Final = "underline $text-primary"
QUIET: Final = "$text-muted"

_INLINE: Final[Mapping[str, str]] = {
    "strong": STRONG,
    "em": EMPHASIS,
    "link": LINK,
    "s": "strike",
}


class Mark(NamedTuple):
    """A stretch of the message to be marked: its style, what a click on it means (``entry``, None
    for nothing), and the sign that stands behind it ("" for none)."""

    start: int
    end: int
    style: str
    entry: int | None = None
    sign: str = ""
    sign_style: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, an item, a line of code or a row of a table: ``text`` with the place
    of each of its characters in the message (-1: it stands nowhere there), its styles, and how it
    is set: ``first`` before its first line, ``rest`` before each other one, ``above`` blank lines.
    ``wraps`` is False of what keeps its line breaks and is cut at the margin instead."""

    text: str
    places: tuple[int, ...]
    styles: tuple[tuple[int, int, str], ...] = ()
    first: str = ""
    rest: str = ""
    above: int = 0
    wraps: bool = True


def blocks(text: str) -> tuple[Block, ...]:
    """The message as blocks, in order. Any text will do; an empty one has none. What Markdown does
    not know stays as it is written."""
    lines = _line_starts(text)
    return tuple(_Layout(text, lines).blocks(_parser().parse(text)))


def lay_out(
    blocks: Sequence[Block], marks: Sequence[Mark], width: int, *, selected: int | None = None
) -> Content:
    """The blocks at a width in cells (at least 1), one line a line, with their marks. The marks of
    the ``selected`` entry stand out."""
    lines: list[Content] = []
    wide = max(1, width)
    for number, block in enumerate(blocks):
        lines.extend(Content("") for _ in range(block.above if number else 0))
        content = _marked(block, marks, selected)
        room = max(1, wide - len(block.rest))
        pieces = content.wrap(room) if block.wraps else content.fold(room)
        for at, piece in enumerate(pieces or [Content("")]):
            lead = block.rest if at else block.first
            lines.append(
                Content.assemble((lead, QUIET), piece.rstrip()) if lead else piece.rstrip()
            )
    return Content("\n").join(lines)


def _marked(block: Block, marks: Sequence[Mark], selected: int | None) -> Content:
    """The text of a block with its styles, its marks, and the signs behind them."""
    found = [(span, mark) for mark in marks if (span := _shown(block.places, mark))]
    spans = [Styled(start, end, style) for start, end, style in block.styles]
    for (start, end), mark in found:
        style = (
            f"{mark.style} reverse"
            if mark.entry is not None and mark.entry == selected
            else mark.style
        )
        if style:
            spans.append(Styled(start, end, style))
        if mark.entry is not None:
            spans.append(Styled(start, end, Style.from_meta({"entry": mark.entry})))
    content = Content(block.text, spans)
    signs = sorted(((end, mark) for (_, end), mark in found if mark.sign), key=lambda one: one[0])
    pieces: list[Content] = []
    done = 0
    for end, mark in signs:
        pieces.append(content[done:end])
        sign = Content(mark.sign, [Styled(0, len(mark.sign), mark.sign_style)])
        if mark.entry is not None:
            sign = sign.stylize(Style.from_meta({"entry": mark.entry}))
        pieces.append(sign)
        done = end
    return Content("").join([*pieces, content[done:]]) if pieces else content


def _shown(places: Sequence[int], mark: Mark) -> tuple[int, int] | None:
    """Where in a block a mark's stretch is shown; None where it is not."""
    known = [place for place in (*places[:1], *places[-1:]) if place >= 0]
    if len(known) == 2 and (known[1] < mark.start or known[0] >= mark.end):
        return None
    inside = [at for at, place in enumerate(places) if mark.start <= place < mark.end]
    return (inside[0], inside[-1] + 1) if inside else None


class _Layout:
    """One message on its way from tokens to blocks."""

    def __init__(self, text: str, lines: Sequence[int]) -> None:
        self._text = text
        self._lines = lines
        self._at = 0
        """How far inline text was found in the message."""

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """The blocks of parsed tokens."""
        inside = _Inside()
        left = iter(tokens)
        for token in left:
            match token.type:
                case "inline":
                    yield self._paragraph(token, inside)
                case "fence" | "code_block":
                    yield from self._code(token)
                case "html_block":
                    yield from self._plain(token)
                case "hr":
                    yield Block("─" * 24, (-1,) * 24, ((0, 24, QUIET),), above=1)
                case "table_open":
                    yield from self._rows(_table(left))
                case _:
                    inside.pass_by(token)

    def _paragraph(self, token: Token, inside: _Inside) -> Block:
        """A paragraph, a heading, or the first words of an item."""
        indent = "  " * max(0, len(inside.lists) - 1) + "│ " * inside.quotes
        lead = inside.item or ("  " if inside.lists else "")
        close = inside.tight and inside.lists and not inside.apart
        inside.item, inside.apart = None, False
        text, places, styles = self._inline(token)
        if inside.heading:
            styles = [(0, len(text), HEADING), *styles]
        return Block(
            text,
            tuple(places),
            tuple(styles),
            first=indent + lead,
            rest=indent + " " * len(lead),
            above=0 if close else 1,
        )

    def _inline(self, token: Token) -> tuple[str, list[int], list[tuple[int, int, str]]]:
        """The text of an inline token, where each character stands, and its styles."""
        if token.map:
            self._at = max(self._at, self._lines[token.map[0]])
        shown: list[str] = []
        places: list[int] = []
        styles: list[tuple[int, int, str]] = []
        open_: list[tuple[str, int]] = []

        def put(text: str) -> None:
            start = self._text.find(text, self._at)
            if start >= 0 and text:
                places.extend(range(start, start + len(text)))
                self._at = start + len(text)
            else:
                places.extend([-1] * len(text))
            shown.append(text)

        for child in token.children or ():
            name = child.type.removesuffix("_open").removesuffix("_close")
            match child.type:
                case "text" | "html_inline":
                    put(child.content)
                case "code_inline":
                    start = len(places)
                    put(child.content)
                    styles.append((start, len(places), CODE))
                case "softbreak":
                    put(" ") if self._text[self._at : self._at + 1] == " " else self._silent(
                        " ", shown, places
                    )
                case "hardbreak":
                    self._silent("\n", shown, places)
                case "image":
                    put(child.content)
                case _ if child.nesting == 1 and name in _INLINE:
                    open_.append((name, len(places)))
                case _ if child.nesting == -1 and open_:
                    kind, start = open_.pop()
                    styles.append((start, len(places), _INLINE[kind]))
                case _:
                    continue
        return "".join(shown), places, styles

    @staticmethod
    def _silent(text: str, shown: list[str], places: list[int]) -> None:
        """Puts what does not stand in the message."""
        shown.append(text)
        places.extend([-1] * len(text))

    def _code(self, token: Token) -> Iterator[Block]:
        """A line of code a block, set off by a bar."""
        start = self._lines[token.map[0]] if token.map else self._at
        for number, line in enumerate(token.content.rstrip("\n").split("\n")):
            found = self._text.find(line, start) if line else -1
            places = range(found, found + len(line)) if found >= 0 else [-1] * len(line)
            start = found + len(line) if found >= 0 else start
            yield Block(
                line,
                tuple(places),
                ((0, len(line), "$text-accent"),),
                first="▏ ",
                rest="▏ ",
                above=0 if number else 1,
                wraps=False,
            )
        self._at = start

    def _plain(self, token: Token) -> Iterator[Block]:
        """HTML as it is written."""
        start = self._lines[token.map[0]] if token.map else self._at
        text = token.content.rstrip("\n")
        found = self._text.find(text, start)
        places = range(found, found + len(text)) if found >= 0 else [-1] * len(text)
        yield Block(text, tuple(places), above=1)

    def _rows(self, rows: Sequence[Sequence[Token]]) -> Iterator[Block]:
        """The rows of a table, their cells one under the other."""
        cells = [[self._inline(cell) for cell in row] for row in rows]
        columns = max(map(len, cells), default=0)
        widths = [
            max((len(row[at][0]) for row in cells if at < len(row)), default=0)
            for at in range(columns)
        ]
        for number, row in enumerate(cells):
            shown: list[str] = []
            places: list[int] = []
            styles: list[tuple[int, int, str]] = []
            for at, (text, where, inner) in enumerate(row):
                if at:
                    self._silent(" │ ", shown, places)
                start = len(places)
                shown.append(text)
                places.extend(where)
                styles += [(start + a, start + b, style) for a, b, style in inner]
                if not number:
                    styles.append((start, len(places), STRONG))
                self._silent(" " * (widths[at] - len(text)), shown, places)
            text = "".join(shown)
            yield Block(text, tuple(places), tuple(styles), above=0 if number else 1, wraps=False)
            if not number:
                rule = "─┼─".join("─" * width for width in widths)
                yield Block(rule, (-1,) * len(rule), ((0, len(rule), QUIET),), wraps=False)


@dataclass(slots=True)
class _Inside:
    """What a paragraph stands in: lists (the number of the next item, None of bullets), quotes, a
    heading; the mark of the ``item`` that it begins; and whether a list ended before it."""

    lists: list[int | None] = field(default_factory=list)
    quotes: int = 0
    heading: bool = False
    tight: bool = False
    item: str | None = None
    apart: bool = False

    def pass_by(self, token: Token) -> None:
        """Goes on after one more token that opens or closes something."""
        match token.type:
            case "bullet_list_open":
                self.lists.append(None)
            case "ordered_list_open":
                self.lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
                self.apart = not self.lists
            case "list_item_open":
                number = self.lists[-1]
                self.item = "• " if number is None else f"{number}. "
                self.lists[-1] = None if number is None else number + 1
            case "blockquote_open" | "blockquote_close":
                self.quotes += token.nesting
            case "heading_open" | "heading_close":
                self.heading = token.nesting > 0
            case "paragraph_open":
                self.tight = bool(token.hidden)


def _table(left: Iterator[Token]) -> list[list[Token]]:
    """The cells of a table whose opening token was passed, row by row."""
    rows: list[list[Token]] = []
    for token in left:
        match token.type:
            case "tr_open":
                rows.append([])
            case "inline":
                rows[-1].append(token)
            case "table_close":
                break
    return rows


def _line_starts(text: str) -> list[int]:
    """Where each line begins, and the end of the text for the line after the last."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])
