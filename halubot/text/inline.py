"""Blanks the marks inside a block of Markdown: emphasis, links, code ticks, footnote marks,
citation marks, web addresses, formulas, HTML tags; writes entities of signs as those. The length
never changes.

A chain of substitutions rather than a parser: each pattern is bounded, so the time is linear in the
text, and prose with a stray mark stays as it is.
"""

from __future__ import annotations

import re
from html import unescape

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
    """``block`` with its inline marks as spaces; the very same object where it has none."""
    if not _ANY_MARK.search(block):
        return block
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
    """What is shown in place of an image is read as text is."""
    return "  " + match[1] + " " + blank(match[2])


def _decode(match: re.Match[str]) -> str:
    """A sign that is written as an entity, at the length of the entity. Letters and digits stay
    spelt out: their words would stand at other places than in the text, so that of a message is
    changed before (`halubot.text.entities`)."""
    sign = unescape(match[0])
    shown = len(sign) == 1 and not sign.isalnum() and sign.isprintable()
    if sign == "\u00a0" or shown:
        return sign.replace("\u00a0", " ").ljust(len(match[0]))
    return match[0]


def _keep_inside(match: re.Match[str]) -> str:
    gap = " " * len(match[2])
    return gap + match[3] + gap


def _blank_address(match: re.Match[str]) -> str:
    """Blanks a web address, but not the punctuation of the sentence after it."""
    address = match[0]
    end = len(address)
    while end and address[end - 1] in _AFTER_ADDRESS:
        if address[end - 1] == ")" and address.count("(", 0, end) >= address.count(")", 0, end):
            break
        end -= 1
    return blank(address[:end]) + address[end:]
