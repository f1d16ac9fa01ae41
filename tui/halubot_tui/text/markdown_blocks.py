"""A message as Markdown for the screen, every character of which knows where it stands.

Marks are places in the message, so they find their words on the screen
(`halubot_tui.text.line_layout`). Text of a message is never markup of the screen: it only ever
becomes plain text with styles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from halubot_tui.text import markdown_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markdown_it.token import Token

STRONG: Final = "bold"
EMPHASIS: Final = "italic"
CODE: Final = "$text-accent on $panel"
HEADING: Final = "bold $primary"
LINK: Final = "underline $text-primary"
QUIET: Final = "$secondary"

_INLINE: Final[Mapping[str, str]] = {
    "strong": STRONG,
    "em": EMPHASIS,
    "link": LINK,
    "s": "strike",
}
_TAB: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A paragraph, a heading, an item, a line of code or a row of a table: ``text`` with the place
    of each of its characters in the message (-1: it stands nowhere there), its styles, and how it
    is set: ``first`` before its first line, ``rest`` before each other one, ``above`` blank lines.
    ``wraps`` is False of what breaks at the margin, not between words."""

    text: str
    places: Sequence[int]
    styles: tuple[tuple[int, int, str], ...] = ()
    first: str = ""
    rest: str = ""
    above: int = 0
    wraps: bool = True


@lru_cache(maxsize=4)
def blocks(text: str) -> tuple[Block, ...]:
    """The message as blocks, in order. Any text will do; an empty one has none. What Markdown does
    not know stays as it is written."""
    from halubot_tui.text.markdown_parser import parser

    clean, places = markdown_source.clean_source(text)
    return tuple(_Layout(clean, places).blocks(parser().parse(clean)))


class _Layout:
    """One message on its way from tokens to blocks."""

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self._places = places
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        """Yield the blocks of parsed tokens."""
        inside, left = _Inside(), iter(tokens)
        for token in left:
            yield from self._blocks(token, left, inside)

    def _blocks(self, token: Token, left: Iterator[Token], inside: _Inside) -> Iterator[Block]:
        match token.type:
            case "inline":
                yield self._paragraph(token, inside)
            case "fence" | "code_block" | "html_block":
                is_code = token.type != "html_block"
                row = (token.map[0] if token.map else 0) + (token.type == "fence")
                lines = token.content.rstrip("\n").split("\n")
                yield from self._verbatim(lines, row, inside, is_code=is_code)
            case "hr":
                yield Block("─" * 24, (-1,) * 24, ((0, 24, QUIET),), above=1)
            case "table_open":
                next(one for one in left if one.type == "table_close")
                first, last = token.map or (0, 0)
                lines = [one.lstrip(" >") for one in self._lines[first:last]]
                yield from self._verbatim(lines, first, inside)
            case _:
                inside.pass_by(token)

    def _paragraph(self, token: Token, inside: _Inside) -> Block:
        """A paragraph, a heading, or the first words of an item."""
        lead = inside.item or ("  " if inside.lists else "")
        close = inside.tight and inside.lists and not inside.apart
        indent, inside.item, inside.apart = inside.indent, None, False
        first, last = token.map or (0, 1)
        lines = [(self._starts[row], self._lines[row]) for row in range(first, last)]
        text, places, styles = self._inline(token, markdown_source.of_lines(token.content, lines))
        if inside.heading:
            styles = [(0, len(text), HEADING), *styles]
        return Block(
            text,
            places,
            tuple(styles),
            first=indent + lead,
            rest=indent + " " * len(lead),
            above=0 if close else 1,
        )

    def _inline(
        self, token: Token, where: Sequence[int]
    ) -> tuple[str, list[int], list[tuple[int, int, str]]]:
        """The text of an inline token, where each character stands, and its styles; ``where`` is
        the place of each character of its content."""
        shown: list[str] = []
        places: list[int] = []
        styles: list[tuple[int, int, str]] = []
        open_: list[tuple[str, int]] = []
        for child in token.children or ():
            name = child.type.removesuffix("_open").removesuffix("_close")
            start = len(places)
            match child.type:
                case "text" | "text_special" | "html_inline" | "code_inline" | "image":
                    words = child.content.replace("\n", " ")
                    shown.append(words.replace("\t", " "))
                    places += self._message(markdown_source.of_token(child, token.content, where))
                    if child.type == "code_inline":
                        styles.append((start, len(places), CODE))
                case "softbreak" | "hardbreak":
                    shown.append(" " if child.type == "softbreak" else "\n")
                    places.append(-1)
                case _ if child.nesting == 1 and name in _INLINE:
                    open_.append((name, start))
                case _ if child.nesting == -1 and open_:
                    kind, begun = open_.pop()
                    styles.append((begun, start, _INLINE[kind]))
                case _:
                    continue
        return "".join(shown), places, styles

    def _message(self, places: Sequence[int]) -> list[int]:
        """Places in the clean text as places in the message."""
        return [-1 if at < 0 else self._places[at] for at in places]

    def _verbatim(
        self, lines: Sequence[str], row: int, inside: _Inside, *, is_code: bool = False
    ) -> Iterator[Block]:
        """Code, tables and HTML as they are written from a row on, a block a line; code is set off
        by a bar."""
        lead = inside.indent + ("▏ " if is_code else "")
        for number, line in enumerate(lines):
            source = self._lines[row + number] if row + number < len(self._lines) else ""
            known = source.endswith(line)
            start = self._starts[row + number] + len(source) - len(line) if known else 0
            shown, at = _replace_tabs(line)
            places = [start + one if known and one >= 0 else -1 for one in at]
            yield Block(
                shown,
                self._message(places),
                ((0, len(shown), "$text-accent"),) if is_code else (),
                first=lead,
                rest=lead,
                above=0 if number else 1,
                wraps=not is_code,
            )


def _replace_tabs(line: str) -> tuple[str, list[int]]:
    """A line of code with spaces in place of tabs, and where in it each character stands."""
    if "\t" not in line:
        return line, list(range(len(line)))
    shown: list[str] = []
    at: list[int] = []
    for number, character in enumerate(line):
        wide = _TAB - len(at) % _TAB if character == "\t" else 1
        shown.append(" " * wide if character == "\t" else character)
        at += [number, *[-1] * (wide - 1)]
    return "".join(shown), at


@dataclass(slots=True)
class _Inside:
    """The blocks around a paragraph: lists (the number of the next item, None of bullets), quotes,
    a heading; the mark of the ``item`` that it begins; and whether it stands apart from what is
    before: a list begins or has ended."""

    lists: list[int | None] = field(default_factory=list)
    quotes: int = 0
    heading: bool = False
    tight: bool = False
    item: str | None = None
    apart: bool = False

    @property
    def indent(self) -> str:
        """Return what stands before each line here."""
        return "  " * max(0, len(self.lists) - 1) + "│ " * self.quotes

    def pass_by(self, token: Token) -> None:
        """Goes on after one more token that opens or closes something."""
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self.apart = self.apart or not self.lists
                ordered = token.type == "ordered_list_open"
                self.lists.append(int(token.attrGet("start") or 1) if ordered else None)
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
