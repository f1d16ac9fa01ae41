"""Texts in a chat message: made inert if they are somebody else's, and cut to the size allowed."""

from __future__ import annotations

import re
from typing import Final

from halubot.render.inert import crop, one_line
from halubot.render.inert import inert as show_controls
from halubot.text import read


def length(text: str) -> int:
    """Return the length of a text for a chat service, in UTF-16 code units."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def split_to(text: str, most: int) -> list[str]:
    """Return a text in parts that fit into ``most`` each, cut at the end of a paragraph, a line, a
    sentence or a word, whichever comes near the end. Nothing is lost but white space where it is
    cut; a blank text has no parts."""
    parts, rest = [], text.strip("\n")
    while rest.strip():
        # A letter takes two units at most, so that half as many always fit.
        fits = max(most // 2, most - length(rest[:most]) + len(rest[:most]))
        # A cut in the first half would send twice as many messages.
        found = ((rest.rfind(mark, fits // 2, fits), mark) for mark in ("\n\n", "\n", ". ", " "))
        cuts = (at + len(mark.rstrip(" \n")) for at, mark in found if at > 0)
        end = next(cuts, fits) if fits < len(rest) else len(rest)
        parts.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return parts


_INVISIBLE: Final = re.compile(
    "[\u00ad\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f]|(?<=[A-Za-z])[\u200c\u200d](?=[A-Za-z])"
)


def clean(text: str) -> str:
    """Return the words of somebody without what is not seen: control characters are made visible,
    and what has no width and would part a word goes."""
    return _INVISIBLE.sub("", show_controls(text))


def bare(text: str) -> str:
    """Return words of somebody on one line, without their Markdown."""
    document = read(text)
    both = zip(document.text, document.plain, strict=True)
    return one_line("".join(one for one, plain in both if one == plain))


BREAK: Final = "\u200b"
"""A character without width that parts what would become a mention, a link or an invite."""

_MARKS: Final = re.compile(r"([\\*_~|`>#\[\]()<{}+-])")

_MENTION: Final = re.compile(r"[@#&<](?=\S)")

_ADDRESS: Final = re.compile(r"(?i)\b(https?|ftp|mailto|discord|javascript|data):(?=\S)")

_DOTTED: Final = re.compile(r"(?i)\b(www|discord|discordapp|dsc)\.(?=\w)")

_OVER: Final = r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"

# Marks above and below a letter, of which more than three cover the lines around it.
_STACKED: Final = re.compile(rf"({_OVER}{{3}}){_OVER}+")

_EMOJI: Final = re.compile(r":(?=[\w~+-]{1,64}:)")

_LIST: Final = re.compile(r"(?m)^(\s*\d+)\.(?=\s)")

_PATH: Final = re.compile(
    r"(?<![\w.:/\\])(?:[A-Za-z]:|~)?[\\/][^\s:;,'\"\\/]+(?:[\\/][^\s:;,'\"\\/]+)+[\\/]?"
)

_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

_SPACE: Final = re.compile(r"\s+")


def inert(text: str) -> str:
    """The text so that nothing in it is markup, a mention, a link, an invite or an emoji. At most
    three times as long; an empty text stays empty."""
    text = _MENTION.sub(lambda found: f"{found[0]}{BREAK}", _STACKED.sub(r"\1", text))
    text = _ADDRESS.sub(rf"\1{BREAK}:", text)
    text = _DOTTED.sub(rf"\1{BREAK}.", text)
    text = _EMOJI.sub(f":{BREAK}", text)
    # The steps above look for signs that are not escaped yet; the last one adds a backslash that
    # must not be escaped itself. The ")" of "2)" is among the marks.
    return _LIST.sub(r"\1\\.", _MARKS.sub(r"\\\1", text))


def inert_line(text: str, longest: int | None = None) -> str:
    """The same on one line without control characters, cut to ``longest`` characters of the text
    with an ellipsis."""
    return inert(crop(one_line(text), longest or len(text)))


def first_words(text: str, most: int) -> str:
    """Return the first whole words of a text, with an ellipsis at the last for what is left out."""
    if len(text) <= most:
        return text
    return f"{text[: most + 1].rpartition(' ')[0]}\u00a0…"


def bold_in(text: str, span: tuple[int, int], most: int) -> str:
    """Return the words of a text around a span, which is in bold (an empty one is not), on one line
    of about ``most`` characters, made inert."""
    start, end = span
    before, bold, after = (
        _SPACE.sub(" ", show_controls(one)) for one in (text[:start], text[start:end], text[end:])
    )
    if len(bold) > most:
        bold, after = first_words(bold, most) if " " in bold[:most] else crop(bold, most), ""
    room = max(0, most - len(bold)) // 2
    before = first_words(before[::-1], room)[::-1]
    after = first_words(after, max(1, room, most - len(bold) - len(before)))
    return f"{inert(before)}{f'**{inert(bold)}**' if bold else ''}{inert(after)}"


def plain(text: str) -> str:
    """Return a text without paths of the host, and without the parts of it that name options."""
    # Options of a command line do not help a member of a chat.
    parts = re.split(r"(?<=[:;.]) ", _PATH.sub("…", text))
    kept = [part for part in parts if not _OPTION.search(part)]
    return " ".join(kept).rstrip(" :;")
