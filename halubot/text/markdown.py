"""The blocks of a text, Markdown or not, with everything that is not prose blanked.

markdown-it-py finds the blocks; its inline tokens carry no places, so the marks inside a block are
blanked by `halubot.text.inline`. If no line looks like Markdown the blocks are the paragraphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from halubot.text.inline import BLOCK_TAG, FRONT_MATTER, blank, blank_marks, is_inside

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


class Place(NamedTuple):
    """A place of prose: cut into sentences, unless it is ``whole`` (the row of a table)."""

    start: int
    end: int
    whole: bool = False


# A line that could open a block other than a paragraph.
_BLOCK_MARK = re.compile(
    r"^[ \t]*(?:[-+*>|:=~<]|#{1,6}\s|`{3}|_{3}|\d{1,9}[.)](?:\s|$))|^(?: {4}|\t)", re.MULTILINE
)
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_SAFE_CUT = re.compile(r"\n[ \t]*\n(?=[^\s\d\-+*>|`~<])|\n(?=#{1,6} )")
_LINE_END = re.compile("\n")
_CHUNK = 200_000  # characters given to markdown-it at once, which keeps its tokens few

# Line breaks that part sentences: hard ones, after a bold line, between lines of "Label: value".
_LABEL = r"(?:\*\*|__)?[A-Z][^\n:.!?]{0,40}:(?:\*\*|__)?[ \t]"
_LINE_BREAK = re.compile(
    r"(?:(?<! ) {2,}|\\)\n(?![ \t]*[a-z])"
    r"|^\*\*[^*\n]{1,100}\*\*:?\n"
    rf"|^{_LABEL}[^\n]*\n(?={_LABEL})",
    re.MULTILINE,
)
_MARKER = re.compile(r"(\d{1,9})[.)][ \t]*$")
_ROW_PREFIX = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)?\|?")
_PIPE = re.compile(r"(?<!\\)\|")
_CODE_ELEMENT = re.compile(r"\s*<(?:script|style|pre|textarea|!|\?)", re.IGNORECASE)
_CODE_END = re.compile(r"</(?:script|style|pre|textarea)\s*>|[-?\]]>|>\s*$", re.IGNORECASE)
_PROSE_END = re.compile(r"[.!?…。！？।؟][\"'”’»)\]]*$")
_NOT_PROSE = re.compile(r"[^\w\s.,;:!?'’\"“”«»()\-–—…]|[_=]|\w\(")


def blocks(text: str, *, markdown: bool = True) -> tuple[str, list[Place]]:
    """``text`` with all but prose blanked, at the same length, and the blocks of prose in
    order. Line breaks must all be ``\\n``. Without ``markdown`` the text stays as it is."""
    if not markdown:
        return text, list(_paragraphs(text, 0, len(text)))
    if front := FRONT_MATTER.match(text):
        text = blank(front[0]) + text[front.end() :]
    # Most texts are plain paragraphs, and finding those needs no parser.
    if _BLOCK_MARK.search(text):
        text, places = _parse(text)
    else:
        places = list(_paragraphs(text, 0, len(text)))
    return _without_marks(text, places)


def _paragraphs(text: str, start: int, end: int) -> Iterator[Place]:
    """The paragraphs of ``text[start:end]``, parted by blank lines."""
    for match in _BLANK_LINES.finditer(text, start, end):
        if start < match.start():
            yield Place(start, match.start())
        start = match.end()
    if start < end:
        yield Place(start, end)


def _without_marks(text: str, places: list[Place]) -> tuple[str, list[Place]]:
    """Blank the inline marks of every place, and cut places at line breaks that part sentences
    and at HTML tags that break a line."""
    pieces: list[str] = []
    cuts: list[Place] = []
    position = 0
    for place in places:
        start, end, whole = place
        block = text[start:end]
        plain = blank_marks(block)
        if plain is not block:
            pieces += (text[position:start], plain)
            position = end
        breaks = [] if whole else [match.end() for match in _LINE_BREAK.finditer(block)]
        if "<" in block and not whole:
            breaks = sorted(breaks + [match.end() for match in BLOCK_TAG.finditer(block)])
        for at in breaks:
            if start < place.start + at < end:
                cuts.append(Place(start, place.start + at))
                start = place.start + at
        cuts.append(Place(start, end, whole))
    if not pieces:
        return text, cuts
    pieces.append(text[position:])
    return "".join(pieces), cuts


class _Block(NamedTuple):
    """A block as markdown-it found it: the pieces of its lines that are prose."""

    pieces: list[tuple[int, int]]
    whole: bool = False


def _parse(text: str) -> tuple[str, list[Place]]:
    """The text with the marks of its blocks blanked, and the blocks of prose."""
    out: list[str] = []
    places: list[Place] = []
    position = 0
    for start, end in _chunks(text):
        for block in _blocks_of(text[start:end], start):
            pieces = [piece for piece in block.pieces if piece[0] < piece[1]]
            for first, last in pieces:
                out.append(blank(text[position:first]))
                kept = text[first:last]
                # A tab keeps the cells of a row apart.
                out.append(_PIPE.sub("\t", kept) if block.whole else kept)
                position = last
            if pieces:
                places.append(Place(pieces[0][0], pieces[-1][1], block.whole))
    out.append(blank(text[position:]))
    return "".join(out), places


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a long text where a block surely ends, and never inside fenced code; if no such
    place is found for long, at any line break outside fenced code."""
    start = 0
    while len(text) - start > _CHUNK:
        # Inside a fence a cut would make prose of its second half.
        fences = _fences(text, start, min(len(text), start + 4 * _CHUNK))
        near = start + _CHUNK
        cuts = (
            match.end()
            for pattern in (_SAFE_CUT, _LINE_END)
            for match in pattern.finditer(text, near, start + 4 * _CHUNK)
            if not is_inside(match.start(), fences)
        )
        cut = next(cuts, None) or text.find("\n", start + 4 * _CHUNK) + 1 or len(text)
        yield start, cut
        start = cut
    if start < len(text):
        yield start, len(text)


def _fences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the places of fenced code in ``text[start:end]``."""
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text, start, end):
        if opened is None:
            opened = match.start(), match[1]
        elif match[1].startswith(opened[1]):
            found.append((opened[0], match.end()))
            opened = None
    if opened:
        found.append((opened[0], end))
    return found


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Definitions of links would vanish without a token; inline tokens carry no places. Both are
    # left to `halubot.text.inline`.
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["block"])
    return parser


def _blocks_of(source: str, offset: int) -> Iterator[_Block]:
    """The prose blocks of ``source``; their places are shifted by ``offset``."""
    lines = source.split("\n")
    starts = [offset]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    tokens = _parser().parse(source)
    numbered = _prose_numbers(tokens)
    in_table = False
    for number, token in enumerate(tokens):
        if token.map is None:
            in_table = in_table and token.type != "table_close"
            continue
        first, last = token.map
        if token.type == "inline" and not in_table:
            yield _paragraph(token, first, lines, starts, number in numbered)
        elif token.type == "table_open":
            in_table = True
        elif token.type == "tr_open":
            line = lines[first].rstrip()
            prefix = _ROW_PREFIX.match(line)
            begin = prefix.end() if prefix else 0
            length = len(line) - (line.endswith("|") and not line.endswith("\\|"))
            yield _Block([(starts[first] + begin, starts[first] + length)], whole=True)
        elif token.type == "list_item_open" and number + 2 in numbered:
            # The whole item is a number ("1809."): the answer to a question, maybe.
            if tokens[number + 1].type == "list_item_close":
                marker = len(lines[first]) - len(lines[first].lstrip(" \t>"))
                yield _Block([(starts[first] + marker, starts[first] + len(lines[first].rstrip()))])
        elif token.type == "html_block":
            content = token.content
            # One that never ends may hold the rest of the text.
            coded = _CODE_ELEMENT.match(content) and _CODE_END.search(content)
            if not coded or _is_plain_text(content):
                yield _Block([(starts[first], min(starts[last], offset + len(source)))])
        elif token.type in ("code_block", "fence") and _holds_prose(token):
            row = first + (token.type == "fence")
            yield from _paragraphs_of_code(token, row, lines, starts)


def _paragraph(token: Token, row: int, lines: list[str], starts: list[int], marker: bool) -> _Block:
    """The lines of a paragraph or heading, the first in ``row``, without quote marks, list marks
    and indentation; with ``marker`` the number before the first line is kept."""
    pieces: list[tuple[int, int]] = []
    for number, content in enumerate(token.content.split("\n")):
        words = content.strip()
        line = lines[row + number]
        column = line.rfind(words)
        if column < 0:  # a tab that was part indentation: keep what follows the marks
            column = len(line) - len(line.lstrip(" \t>"))
            words = line[column:].rstrip()
        if marker and not number:
            found = _MARKER.search(line[:column])
            if found:
                words = line[found.start() : column] + words
                column = found.start()
        pieces.append((starts[row + number] + column, starts[row + number] + column + len(words)))
    return _Block(pieces)


def _paragraphs_of_code(
    token: Token, row: int, lines: list[str], starts: list[int]
) -> Iterator[_Block]:
    """The paragraphs of code that is prose, the first line of which is in ``row``, without quote
    marks and indentation."""
    pieces: list[tuple[int, int]] = []
    for number, content in enumerate(token.content.split("\n"), row):
        words = content.strip()
        column = lines[number].rfind(words) if words and number < len(lines) else -1
        if column >= 0:
            pieces.append((starts[number] + column, starts[number] + column + len(words)))
        elif pieces:
            yield _Block(pieces)
            pieces = []
    if pieces:
        yield _Block(pieces)


def _prose_numbers(tokens: list[Token]) -> set[int]:
    """The first inline tokens of ordered items whose number is part of the prose ("1828. He died",
    "3. Mai war es"): a year, or the only item of a list that does not begin at 0 or 1."""
    found: set[int] = set()
    opened: list[list[int]] = []
    for number, token in enumerate(tokens):
        if token.type == "ordered_list_open":
            opened.append([])
        elif token.type == "list_item_open" and token.markup in {".", ")"}:
            opened[-1].append(number)
        elif token.type == "ordered_list_close":
            items = opened.pop()
            lonely = len(items) == 1 and tokens[items[0]].info not in {"0", "1"}
            found |= {item + 2 for item in items if lonely or len(tokens[item].info) >= 4}
    return found


def _holds_prose(token: Token) -> bool:
    """Return True if code is a text. In a fence that names no language, one that has words alone
    is: an answer, or a part of it, is often fenced."""
    content = token.content.strip()
    if token.type == "fence" and token.info.strip().lower() in _TEXTS:
        return bool(_WORDS.search(content)) and not _is_odd(content)
    return _reads_as_prose(content)


_TEXTS = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md"})
# It begins at the beginning of a word and gives nothing back: one long word is read once.
_WORDS = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:[ ,]++[\w’'-]++){3}")


def _is_plain_text(element: str) -> bool:
    """Return True if a preformatted element holds a text and no code."""
    found = _PREFORMATTED.search(element)
    return found is not None and bool(_WORDS.search(found[1])) and not _is_odd(found[1])


_PREFORMATTED = re.compile(r"^\s*<(?:pre|textarea)\b[^<>]*>([^<]*)", re.IGNORECASE)


def _reads_as_prose(content: str) -> bool:
    """Return True if an indented block is an indented paragraph and no code."""
    content = content.strip()
    return bool(_PROSE_END.search(content)) and not _is_odd(content)


def _is_odd(content: str) -> bool:
    """Return True if a text has many signs that prose has seldom."""
    return len(_NOT_PROSE.findall(content)) * 50 > len(content)
