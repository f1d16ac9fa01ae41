"""Text of a model made harmless to show: it commands no terminal and turns no line around."""

from __future__ import annotations

import re

_LINES = re.compile("\r\n|[\r\x85\u2028\u2029]")
_STYLES = re.compile("(\x1b\\[[0-9;]*m)")
_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    # explicit directions would reach beyond the text into what stands around it
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}


def inert(text: str) -> str:
    """The text with every line end as a line feed and every other control character as a
    visible sign (ESC as ␛). Printable text, marks and emoji stay as they are."""
    return _LINES.sub("\n", text).translate(_PICTURES)


def inert_but_styled(text: str) -> str:
    """Return a text that rich has drawn made inert as by `inert`, with its colours."""
    pieces = _STYLES.split(text)
    return "".join(piece if place % 2 else inert(piece) for place, piece in enumerate(pieces))


def one_line(text: str) -> str:
    """The same on one line, with single spaces between the words; "" for a blank text."""
    return " ".join(inert(text).split())


def crop(text: str, longest: int, around: str | None = None) -> str:
    """At most ``longest`` code points (3 at least) of a text on one line, with an ellipsis
    if something was left out; ``around`` stays in sight if it is in the text."""
    if len(text) <= longest:
        return text
    place = text.casefold().find(around.casefold()) if around else 0
    centre = max(place, 0) + len(around or "") // 2
    start = min(max(0, centre - longest // 2), len(text) - longest)
    end = start + longest
    head = "…" if start else ""
    tail = "…" if end < len(text) else ""
    return head + text[start + len(head) : end - len(tail)].strip() + tail
