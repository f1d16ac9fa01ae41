"""Text of a model made harmless to show: it commands no terminal and turns no line around, and in
HTML made of elements whatever is not itself an element is escaped."""

from __future__ import annotations

import re
from html import escape

_LINES = re.compile("\r\n|[\r\x85\u2028\u2029]")
_STYLES = re.compile("(\x1b\\[[0-9;]*m)")
# Escape sequences could move the cursor, change the title or answer for the reader; each control
# character is shown by its picture in Unicode (U+2400 and on).
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


class Html(str):
    """Markup that may stand as it is: made by `tag` and `join` only."""

    __slots__ = ()


POLICY = Html(
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
    " style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"
)
"""The head of every page forbids scripts and everything from elsewhere. All text is escaped; this
holds if a place was forgotten. (Styles of elements draw the bars, and cannot load anything.)"""


def tag(name: str, *content: str | None, **attributes: str | bool | None) -> Html:
    """An element with its content. Text is escaped and its control characters made visible;
    None is left out. Of an attribute's name a last underscore is dropped and the others become
    hyphens; True stands alone, False and None are left out."""
    words = [name]
    for key, value in attributes.items():
        attribute = key.removesuffix("_").replace("_", "-")
        if value is True:
            words.append(attribute)
        elif isinstance(value, str):
            words.append(f'{attribute}="{escape(inert(value))}"')
    return Html(f"<{' '.join(words)}>{join(*content)}</{name}>")


def join(*content: str | None) -> Html:
    """Elements and texts one behind the other."""
    return Html(
        "".join(
            part if isinstance(part, Html) else escape(inert(part), quote=False)
            for part in content
            if part is not None
        )
    )
