"""What is done to a text at the door, never changing its length in code points."""

from __future__ import annotations

import re

_BAD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_BREAK = re.compile(r"[\x0b\x0c\x85]")
_OTHER_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without lone surrogates (each becomes U+FFFD) and without control characters
    (form feed, vertical tab and next line become a line break, the rest a space; tab, line
    feed and carriage return stay), and a note for each kind that was met. Cleaning twice changes
    nothing more."""
    if not _BAD.search(text):
        return text, ()
    notes = []
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    if surrogates:
        notes.append(f"{_count(surrogates, 'lone surrogate')} replaced by U+FFFD")
    text, breaks = _LINE_BREAK.subn("\n", text)
    text, others = _OTHER_CONTROL.subn(" ", text)
    if breaks + others:
        notes.append(f"{_count(breaks + others, 'control character')} blanked")
    return text, tuple(notes)


_TO_UNIFY = re.compile("[\r\u2028\u2029\ufeff]")
_UNIFIED = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n", "\ufeff": " "})


def unify(text: str) -> str:
    """The text with every line break written ``\\n``, at the same length: ``\\r\\n`` becomes a
    space and ``\\n``, byte-order marks become spaces."""
    if "\r" in text:
        text = text.replace("\r\n", " \n")
    return text.translate(_UNIFIED) if _TO_UNIFY.search(text) else text


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
