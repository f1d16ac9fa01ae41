"""The blocks of a text, Markdown or not, with everything that is not prose blanked.

markdown-it-py finds the blocks; its inline tokens carry no places, so the marks inside a block are
blanked here. If no line looks like Markdown the blocks are the paragraphs.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_INK = re.compile(r"[^\s]")
_ANY_MARK = re.compile(r"[\\`*_\[<~$【]|&[#\w]{1,9};|https?://|www\.")

# Marks that stand for themselves (escaped, or inside code) wait as control characters, of which
# a cleaned text has none, until all marks are blanked.
_MARKS = "\\`*_[]()<>~$!:./"
_PARKED = [chr(code) for code in (*range(1, 9), *range(14, 32))]
_PARK = str.maketrans(dict(zip(_MARKS, _PARKED, strict=False)))
_UNPARK = str.maketrans(dict(zip(_PARKED, _MARKS, strict=False)))

_BLOCK_NAMES = (
    "p|div|br|hr|li|ul|ol|dl|dt|dd|table|thead|tbody|tr|h[1-6]|blockquote|section|article|details|"
    "summary|pre|figure|figcaption|center"
)
_INLINE_NAMES = (
    "a|abbr|b|big|cite|code|del|dfn|em|font|i|img|input|ins|kbd|mark|q|s|samp|small|span|strike|"
    "strong|sub|sup|td|textarea|th|tt|u|var|wbr"
)
# The repetitions of these marks are bounded, and exclude what opens the mark again: one that is
# never closed is not looked for to the end of the text from each of its places.
_ATTRIBUTES = (
    r"(?:\s+[\w:-]{1,50}\s{0,5}=\s{0,5}(?:\"[^\"<>]{0,2000}\"|'[^'<>]{0,2000}'|[^\s\"'<>]{1,2000}))"
    r"{0,20}(?:\s+open)?\s{0,5}/?>"
)
BLOCK_TAG = re.compile(rf"</?(?:{_BLOCK_NAMES}){_ATTRIBUTES}", re.IGNORECASE)
"""A known HTML tag that ends a line of prose."""

_SHIELDED = re.compile(
    r"(?<!`)(?P<tick>`{1,3})(?!`)(?P<code>.{1,2000}?)(?<!`)(?P=tick)(?!`)"
    r"|(?P<formula>\$\$[^$]{1,2000}\$\$"
    r"|\\\((?:[^\\]|\\(?![()\[\]])){1,2000}\\\)"
    r"|\\\[(?:[^\\]|\\(?![()\[\]])){1,2000}\\\]"
    r"|\$(?=[^\s$\d])(?=[^$\n]{0,200}[\\^_={}]|\w\$)[^$\n]{1,200}(?<!\s)\$(?!\w))"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<markup><(?:https?://|mailto:|ftp://)[^<>\s]{1,2000}>"
    r"|<[\w.+-]{1,64}@[\w.-]{1,255}>"
    r"|<!--(?:[^<]|<(?!!--)){0,5000}?-->"
    r"|<(?P<element>script|style)\b[^<>]{0,500}>(?:[^<]|<(?!script|style)){0,5000}?</(?P=element)\s{0,5}>"
    rf"|</?(?:{_BLOCK_NAMES}|{_INLINE_NAMES}){_ATTRIBUTES})",
    re.DOTALL | re.IGNORECASE,
)
_ALT = re.compile(r"<img\b.*?\salt\s*=\s*(?P<quote>[\"'])(?P<words>.*?)(?P=quote)", re.S | re.I)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_DEFINITION = re.compile(
    r"^[ \t]{0,3}\[[^\[\]\n]{1,200}\]:[ \t]{0,9}<?(?:https?://|www\.|mailto:|[/#.])[^\n]{0,2000}$",
    re.MULTILINE,
)
_TARGET = (
    r"\(\s{0,9}(?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,500}\)){0,2000})"
    r"(?:\s{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?\s{0,9}\)"
)
_IMAGE = re.compile(rf"!\[([^\[\]]{{0,1000}})\]({_TARGET}|\[[^\[\]]{{0,100}}\])")
_LINK = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]{{0,100}}\]){{1,1000}})\]({_TARGET})")
_CITATION = re.compile(
    r"\[\^[^\[\]\s]{1,50}\]:?"
    r"|\[(?:notes? |nb )?[1-9]\d{0,2}(?:\s?[,;–-]\s?\d{1,3}){0,20}\]"
    r"|\[citation needed\]"
    r"|【\d[^【】]{0,60}】"
    r"|^\s{0,9}\[[ xX]\](?=\s)"
)
_REFERENCE = re.compile(r"(?<!\w)\[([^\[\]]{1,500})\](\[[^\[\]]{0,100}\])")
_ADDRESS = re.compile(r"(?:https?://|\bwww\.)[^\s<>\"“”„«»、。，；：！？「」『』（）【】]{1,2000}")
_AFTER_ADDRESS = ".,;:!?'’*_~)]}"
_EMPHASIS = (
    re.compile(r"(\*\*\*)(?=\S)([^*]{1,2000})(?<=\S)\*\*\*"),
    re.compile(r"(?<!\d)(\*\*)(?=[^\s*])((?:[^*]|\*(?!\*)){1,2000})(?<=\S)\*\*"),
    re.compile(r"(?<![\w*])(\*)(?=[^\s*])([^*]{1,2000})(?<=\S)\*(?![\w*])"),
    re.compile(
        r"(?<![\w_])(_{1,3})(?=[^\s_])((?:[^_]|(?<=\w)_(?=\w)){1,2000})(?<=[^\s_])\1(?![\w_])"
    ),
    re.compile(r"(~~)(?=[^\s~])([^~]{1,2000})(?<=\S)~~"),
)


def blank(text: str) -> str:
    """Spaces in place of everything but white space."""
    return _INK.sub(" ", text)


def blank_marks(block: str) -> str:
    """``block`` with its inline marks as spaces; the very same object if it has none."""
    if not _ANY_MARK.search(block):
        return block
    # In this order: code and escapes hold marks that are none, links hold addresses, and addresses
    # hold signs of emphasis.
    text = _SHIELDED.sub(_shield, block)
    if "&" in text:
        text = _ENTITY.sub(_decode, text)
    if "[" in text:
        text = _DEFINITION.sub(_blank_match, text)
        text = _IMAGE.sub(_keep_words, text)
        text = _LINK.sub(_keep_words, text)
        text = _CITATION.sub(_blank_match, text)
        text = _REFERENCE.sub(_keep_words, text)
    text = _ADDRESS.sub(_blank_address, text)
    for pattern in _EMPHASIS:
        text = pattern.sub(_keep_inside, text)
    return text.translate(_UNPARK)


def _shield(match: re.Match[str]) -> str:
    """Ticks, backslashes, tags and formulas go; what they protect waits parked."""
    if match["code"] is not None:
        gap = " " * len(match["tick"])
        return gap + match["code"].translate(_PARK) + gap
    if match["escaped"] is not None:
        return " " + match["escaped"].translate(_PARK)
    described = _ALT.match(match[0])
    if described is not None:  # what is shown in place of an image is read as text is
        start, end = described.span("words")
        words = described["words"].translate(_PARK)
        return blank(match[0][:start]) + words + blank(match[0][end:])
    return blank(match[0])


def _blank_match(match: re.Match[str]) -> str:
    return blank(match[0])


def _keep_words(match: re.Match[str]) -> str:
    """Blank a link but for its words, or an image but for its description."""
    return " " * (match.start(1) - match.start()) + match[1] + " " + blank(match[2])


def _decode(match: re.Match[str]) -> str:
    """A sign that is written as an entity, at the length of the entity. Letters and digits stay
    spelt out: their words would stand at other places than in the text, so that of a message is
    changed before (`blank_marks`)."""
    sign = unescape(match[0])
    shown = len(sign) == 1 and not sign.isalnum() and sign.isprintable()
    if sign == "\u00a0" or shown:
        return sign.replace("\u00a0", " ").ljust(len(match[0]))
    return match[0]


def _keep_inside(match: re.Match[str]) -> str:
    gap = " " * len(match[1])
    return gap + match[2] + gap


def _blank_address(match: re.Match[str]) -> str:
    """Blank a web address, but not the punctuation of the sentence after it."""
    address = match[0]
    end = len(address)
    while end and address[end - 1] in _AFTER_ADDRESS:
        # Wikipedia's addresses end with parentheses of their own: ".../Mercury_(planet)".
        if address[end - 1] == ")" and address.count("(", 0, end) >= address.count(")", 0, end):
            break
        end -= 1
    return blank(address[:end]) + address[end:]


COMMENT: Final = "it stands in a comment, which readers do not see"
FRONT: Final = "it stands in the front matter, which readers do not see"
ASIDE: Final = "it stands in a title or label of a link or tag, which is not read"
CODE: Final = "it stands in code or a formula, which is not read"


class Unread(NamedTuple):
    """A stretch of a text that says something and is not read, and why."""

    start: int
    end: int
    why: str


_GAP: Final = re.compile(r"\s{8,}")
# Bounded, and nothing of it is given back: a row of dashes is a word, too, and begins at each.
_WORD: Final = r"[\w'’-]{1,60}+"
# In code four words in a row are a sentence if they begin with a capital letter, or as a comment
# or a string does: "for x in range" is none.
_HIDDEN: Final = re.compile(
    r"<!--(?P<comment>.*?)(?:-->|\Z)"
    r"|\b(?:title|alt|label|aria-[a-z]{1,20}|placeholder|content|summary|value)\s{0,5}=\s{0,5}"
    r"(?P<quote>[\"'])(?P<attribute>.{0,2000}?)(?P=quote)"
    r"|\(\s{0,9}[^\s()]{0,2000}\s{1,9}(?P<mark>[\"'])(?P<title>.{0,500}?)(?P=mark)\s{0,9}\)"
    r"|\[(?P<definition>(?P<label>[^\[\]\n]{1,200})\]:[^\S\n]{0,9}+\S{0,2000}+(?P<behind>[^\n]{0,2000}))"
    r"|(?:(?:[#*;%\"'“]|//|--)\s{0,3}|(?<![\w.])(?=[A-Z][a-z'’]{0,30}\b))"
    rf"(?P<code>{_WORD}(?:[ ,]{{1,2}}{_WORD}){{3,}}[.!?]?)",
    re.DOTALL,
)
_KINDS: Final = {
    "comment": COMMENT,
    "attribute": ASIDE,
    "title": ASIDE,
    "definition": ASIDE,
    "code": CODE,
}
_TWO_WORDS: Final = re.compile(
    r"[^\W\d_]{2}[^\w\n]{1,20}[^\W_]{2}|[^\W_]{2}[^\w\n]{1,20}[^\W\d_]{2}"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}"
)
FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\n(?=[A-Za-z_][\w-]{0,60}:)(?:(?!---|\.\.\.)[^\n]{0,2000}\n){1,200}"
    r"(?:---|\.\.\.)[ \t]*(?=\n|\Z)"
)
"""The lines between two rules at the beginning of a text that begin with a key."""
# Tables and records that a reader reads as statements; a program in another language is none.
_DATA: Final = re.compile(
    r"^[ \t>]{0,20}(?P<fence>`{3,}+|~{3,}+)[ \t]*"
    r"(?:csv|tsv|ya?ml|toml|ini|json|json5|jsonl|xml)\b[^\n]*\n"
    r"(?P<data>.*?)(?:^[ \t>]{0,20}(?P=fence)|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


def find_unread(text: str, plain: str) -> Iterator[Unread]:
    """Yield the stretches of a text that say something and are blank in ``plain``, in order, each
    without what is around its words. Linear in the length of the text."""
    front = FRONT_MATTER.match(text)
    if front is not None:
        yield _trim(text, 3, front.end() - 3, FRONT)
    for gap in _GAP.finditer(plain, front.end() if front else 0):
        piece = text[gap.start() : gap.end()]
        if len(piece.strip()) < 8:
            continue
        data = [found.span("data") for found in _DATA.finditer(piece) if _holds_data(found)]
        for first, last in data:
            yield _trim(text, gap.start() + first, gap.start() + last, CODE)
        for found in _HIDDEN.finditer(piece):
            kind = next(one for one in _KINDS if found[one] is not None)
            # Of a definition the label is shown nowhere, nor is the title behind the address.
            said = ("label", "behind") if kind == "definition" else (kind,)
            start, end = found.span(kind)
            if any(_TWO_WORDS.search(found[one]) for one in said) and not is_inside(start, data):
                yield _trim(text, gap.start() + start, gap.start() + end, _KINDS[kind])


def is_inside(at: int, places: Sequence[tuple[int, int]]) -> bool:
    """Return True if ``at`` lies in one of the places, which are in order and apart."""
    number = bisect_right(places, at, key=itemgetter(0)) - 1
    return number >= 0 and at < places[number][1]


def _holds_data(found: re.Match[str]) -> bool:
    """Return True for data with words and numbers: "born: 1816"."""
    return bool(re.search(r"\d", found["data"]) and re.search(r"[^\W\d_]{2}", found["data"]))


def _trim(text: str, start: int, end: int, why: str) -> Unread:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return Unread(start, start + len(words.strip()), why)


_ANY_ENTITY: Final = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
# Code shows an entity as it is written, and so does what is escaped.
_SHOWN: Final = re.compile(
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|(?<!`)(?P<tick>`{1,3})(?!`).{1,2000}?(?<!`)(?P=tick)(?!`)"
    r"|^(?: {4}|\t)[^\n]*"
    r"|\\&"
    rf"|(?P<entity>{_ANY_ENTITY})",
    re.DOTALL | re.MULTILINE,
)


def decode_letters(text: str) -> tuple[str, int]:
    """Return the text with every entity outside code that stands for a letter, a digit or an unseen
    sign written as that, and how many there were. Linear in the length of the text."""
    if not re.search(_ANY_ENTITY, text):
        return text, 0
    count = 0

    def decode(match: re.Match[str]) -> str:
        nonlocal count
        entity = match["entity"]
        if entity is None:
            return match[0]
        sign = unescape(entity)
        unseen = ("Cf", "Mn", "Mc", "Me")
        words = all(one.isalnum() or unicodedata.category(one) in unseen for one in sign)
        if sign == entity or not words:
            return match[0]
        count += 1
        return sign

    return _SHOWN.sub(decode, text), count


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


def _parse(text: str) -> tuple[str, list[Place]]:
    """The text with the marks of its blocks blanked, and the blocks of prose."""
    out: list[str] = []
    places: list[Place] = []
    position = 0
    for lines, whole in _blocks_of(text):
        pieces = [line for line in lines if line[0] < line[1]]
        for first, last in pieces:
            out.append(blank(text[position:first]))
            kept = text[first:last]
            # A tab keeps the cells of a row apart.
            out.append(_PIPE.sub("\t", kept) if whole else kept)
            position = last
        if pieces:
            places.append(Place(pieces[0][0], pieces[-1][1], whole))
    out.append(blank(text[position:]))
    return "".join(out), places


_Block = tuple[list[tuple[int, int]], bool]
"""The places of the lines of a block that are prose, and whether it is the row of a table."""


def _blocks_of(text: str) -> Iterator[_Block]:
    """The prose blocks of a text, which is parsed in parts: the last block of a part may go on
    behind it, and begins the next one."""
    start, width = 0, _CHUNK
    while start < len(text):
        end = start + width
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or text.find("\n", end) + 1 or len(text)
        part = _Part(text[start:end], start)
        tokens = part.tokens
        if end < len(text):
            tops = [(at, one.map[0]) for at, one in enumerate(tokens) if one.level == 0 and one.map]
            last, first = tops[-1] if tops else (0, len(part.lines) - 1)
            if first:
                end, tokens = part.starts[first], tokens[:last]
            elif width < 4 * _CHUNK:
                width *= 2
                continue
        yield from part.blocks(tokens)
        start, width = end, _CHUNK


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Definitions of links would vanish without a token; inline tokens carry no places. Both are
    # left to `blank_marks`.
    parser = MarkdownIt("commonmark").enable("table").disable("reference")
    parser.core.ruler.enableOnly(["block"])
    return parser


class _Part:
    """A part of a text, which begins at ``offset``: its lines, where they start in the text, and
    its tokens."""

    def __init__(self, source: str, offset: int) -> None:
        self.lines = source.split("\n")
        self.starts = [offset]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.end = offset + len(source)
        self.tokens = _parser().parse(source)

    def blocks(self, tokens: Sequence[Token]) -> Iterator[_Block]:
        """The prose blocks of some tokens."""
        lines, starts = self.lines, self.starts
        numbered = _prose_numbers(tokens)
        in_table = False
        for number, token in enumerate(tokens):
            if token.map is None:
                in_table = in_table and token.type != "table_close"
                continue
            first, last = token.map
            if token.type == "inline" and not in_table:
                yield self._paragraph(token, first, number in numbered), False
            elif token.type == "table_open":
                in_table = True
            elif token.type == "tr_open":
                line = lines[first].rstrip()
                prefix = _ROW_PREFIX.match(line)
                begin = prefix.end() if prefix else 0
                length = len(line) - (line.endswith("|") and not line.endswith("\\|"))
                yield [(starts[first] + begin, starts[first] + length)], True
            elif token.type == "list_item_open" and number + 2 in numbered:
                # The whole item is a number ("1809."): the answer to a question, maybe.
                if tokens[number + 1].type == "list_item_close":
                    marker = len(lines[first]) - len(lines[first].lstrip(" \t>"))
                    end = starts[first] + len(lines[first].rstrip())
                    yield [(starts[first] + marker, end)], False
            elif token.type == "html_block":
                # One that never ends may hold the rest of the text.
                coded = _CODE_ELEMENT.match(token.content) and _CODE_END.search(token.content)
                shown = _PREFORMATTED.search(token.content)
                if not coded or (shown and _is_plain_text(shown[1])):
                    yield [(starts[first], min(starts[last], self.end))], False
            elif token.type in ("code_block", "fence") and _holds_prose(token):
                yield from self._paragraphs_of_code(token, first + (token.type == "fence"))

    def _paragraph(self, token: Token, row: int, marker: bool) -> list[tuple[int, int]]:
        """The lines of a paragraph or heading, the first in ``row``, without quote marks, list
        marks and indentation; with ``marker`` the number before the first line is kept."""
        pieces: list[tuple[int, int]] = []
        for number, content in enumerate(token.content.split("\n"), row):
            words = content.strip()
            line = self.lines[number]
            column = line.rfind(words)
            if column < 0:  # a tab that was part indentation: keep what follows the marks
                column = len(line) - len(line.lstrip(" \t>"))
                words = line[column:].rstrip()
            start, end = column, column + len(words)
            if marker and number == row and (found := _MARKER.search(line[:column])):
                start = found.start()
            pieces.append((self.starts[number] + start, self.starts[number] + end))
        return pieces

    def _paragraphs_of_code(self, token: Token, row: int) -> Iterator[_Block]:
        """The paragraphs of code that is prose, the first line of which is in ``row``, without
        quote marks and indentation."""
        pieces: list[tuple[int, int]] = []
        for number, content in enumerate(token.content.split("\n"), row):
            words = content.strip()
            column = self.lines[number].rfind(words) if words and number < len(self.lines) else -1
            if column >= 0:
                start = self.starts[number] + column
                pieces.append((start, start + len(words)))
            elif pieces:
                yield pieces, False
                pieces = []
        if pieces:
            yield pieces, False


def _prose_numbers(tokens: Sequence[Token]) -> set[int]:
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
    is: an answer, or a part of it, is often fenced. An indented block may be a paragraph."""
    content = token.content.strip()
    if token.type == "fence" and token.info.strip().lower() in _TEXTS:
        return _is_plain_text(content)
    return bool(_PROSE_END.search(content)) and not _is_odd(content)


_TEXTS = frozenset({"", "text", "txt", "plain", "plaintext", "markdown", "md"})
# It begins at the beginning of a word and gives nothing back: one long word is read once.
_WORDS = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:[ ,]++[\w’'-]++){3}")
_PREFORMATTED = re.compile(r"^\s*<(?:pre|textarea)\b[^<>]*>([^<]*)", re.IGNORECASE)


def _is_plain_text(content: str) -> bool:
    return bool(_WORDS.search(content)) and not _is_odd(content)


def _is_odd(content: str) -> bool:
    """Return True if a text has many signs that prose has seldom."""
    return len(_NOT_PROSE.findall(content)) * 50 > len(content)
