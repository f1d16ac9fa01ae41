"""Inline Markdown: marks blanked, entities decoded, and words that are not read."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from operator import itemgetter
from typing import Final, NamedTuple

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
    re.compile(r"()(\*\*\*)(?=\S)([^*]{1,2000})(?<=\S)\*\*\*"),
    re.compile(r"(?<!\d)()(\*\*)(?=[^\s*])((?:[^*]|\*(?!\*)){1,2000})(?<=\S)\*\*"),
    re.compile(r"(?<![\w*])()(\*)(?=[^\s*])([^*]{1,2000})(?<=\S)\*(?![\w*])"),
    re.compile(
        r"(?<![\w_])()(_{1,3})(?=[^\s_])((?:[^_]|(?<=\w)_(?=\w)){1,2000})(?<=[^\s_])\2(?![\w_])"
    ),
    re.compile(r"()(~~)(?=[^\s~])([^~]{1,2000})(?<=\S)~~"),
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
        text = _IMAGE.sub(_keep_description, text)
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
    return " " + match[1] + " " + blank(match[2])


def _keep_description(match: re.Match[str]) -> str:
    """Blank an image but for its description, which is read as text is."""
    return "  " + match[1] + " " + blank(match[2])


def _decode(match: re.Match[str]) -> str:
    """A sign that is written as an entity, at the length of the entity. Letters and digits stay
    spelt out: their words would stand at other places than in the text, so that of a message is
    changed before (`halubot.text.inline`)."""
    sign = unescape(match[0])
    shown = len(sign) == 1 and not sign.isalnum() and sign.isprintable()
    if sign == "\u00a0" or shown:
        return sign.replace("\u00a0", " ").ljust(len(match[0]))
    return match[0]


def _keep_inside(match: re.Match[str]) -> str:
    gap = " " * len(match[2])
    return gap + match[3] + gap


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


ADDRESS: Final = "it stands in a web address, which is not read"


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
    r"|\[(?P<label>[^\[\]\n]{1,200})\]:(?P<definition>[^\n]{0,2000})"
    r"|(?:(?:[#*;%\"'“]|//|--)\s{0,3}|(?<![\w.])(?=[A-Z][a-z'’]{0,30}\b))"
    rf"(?P<code>{_WORD}(?:[ ,]{{1,2}}{_WORD}){{3,}}[.!?]?)",
    re.DOTALL,
)


# Readers see an address in the text, not the one behind the words of a link; of an address to
# write to they see what the letter will say.
_WEB: Final = re.compile(r"(?<![\w(\"'=])(?:https?://|www\.|(?P<mail>mailto:))[^\s<>]{1,2000}")
_LETTER: Final = re.compile(r"(?<=[?&])(?:subject|body)=[^&]*", re.IGNORECASE)


_SLUG: Final = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]{1,30}+|\d{1,4}+)(?:(?:[-_+]|%20)(?:[^\W\d_]{1,30}+|\d{1,4}+)){3,60}+"
    r"(?![^\W_])"
)


_STATED: Final = re.compile(
    r"(?<![^\W_])(?:\d{1,4}|is|are|was|were|be|has|had|have|did|does|not|never|no)(?![^\W_])", re.I
)


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


_WHY: Final = {"comment": COMMENT, "code": CODE}


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
        for web in _WEB.finditer(piece):
            pattern = _LETTER if web["mail"] else _SLUG
            slug = next(filter(_states, pattern.finditer(web[0])), None)
            if slug is not None:
                start = gap.start() + web.start()
                yield _trim(text, start + slug.start(), start + slug.end(), ADDRESS)
        for found in _HIDDEN.finditer(piece):
            kind = found.lastgroup or ""
            if kind == "definition":
                kind = "label"  # the label is shown nowhere, nor is the title behind the address
                says = _TWO_WORDS.search(found["label"]) or _TWO_WORDS.search(
                    _DESTINATION.sub("", found["definition"])
                )
                start, end = found.start("label"), found.end()
            else:
                kind = next(one for one in _KINDS if found[one] is not None)
                says = _TWO_WORDS.search(found[kind])
                start, end = found.span(kind)
            if says and not is_inside(start, data):
                why = _WHY.get(kind, ASIDE)
                yield _trim(text, gap.start() + start, gap.start() + end, why)


def is_inside(at: int, places: Sequence[tuple[int, int]]) -> bool:
    """Return True if ``at`` lies in one of the places, which are in order and apart."""
    number = bisect_right(places, at, key=itemgetter(0)) - 1
    return number >= 0 and at < places[number][1]


def _holds_data(found: re.Match[str]) -> bool:
    """Return True for data with words and numbers: "born: 1816"."""
    return bool(re.search(r"\d", found["data"]) and re.search(r"[^\W\d_]{2}", found["data"]))


def _states(slug: re.Match[str]) -> bool:
    """Return True for words in an address that state something, as titles seldom do."""
    return bool(_STATED.search(slug[0].replace("%20", " ")))


_KINDS: Final = ("comment", "attribute", "title", "code")


_DESTINATION: Final = re.compile(r"^\s*\S+")


def _trim(text: str, start: int, end: int, why: str) -> Unread:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return Unread(start, start + len(words.strip()), why)


_ANY_ENTITY: Final = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"


_ANY: Final = re.compile(_ANY_ENTITY)


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
    if not _ANY.search(text):
        return text, 0
    count = 0

    def decode(match: re.Match[str]) -> str:
        nonlocal count
        entity = match["entity"]
        if entity is None:
            return match[0]
        sign = unescape(entity)
        if sign == entity or not all(_belongs_to_words(one) for one in sign):
            return match[0]
        count += 1
        return sign

    return _SHOWN.sub(decode, text), count


def _belongs_to_words(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign) in ("Cf", "Mn", "Mc", "Me")
