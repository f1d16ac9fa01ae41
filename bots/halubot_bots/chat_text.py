"""Texts in a chat message: made inert if they are somebody else's, and cut to the size allowed."""

from __future__ import annotations

import re
from typing import Final

from halubot.render.inert import one_line

MESSAGE: Final = 2_000
"""Characters of a plain message."""

CARD: Final = 4_000
"""Characters of all texts of a card together."""

_FENCE: Final = re.compile(r"(?m)^[ \t]{0,3}(`{3,}|~{3,})([^\n`]*)$")
_SHORTEST: Final = 40


def length(text: str) -> int:
    """Return the length of a text for a chat service, in UTF-16 code units."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def cut_to(text: str, most: int) -> str:
    """The beginning of a text that fits into ``most``, with an ellipsis if something is left
    out; cut between words if one is near."""
    if length(text) <= most:
        return text
    if most <= 1:
        return "…"[:most]
    end = _fitting(text, most - 1)
    if length(text[:end]) > most - 1:  # a single character of two units
        return "…"
    space = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end))
    return f"{text[: space if space > end - 60 and space > 0 else end].rstrip()}…"


def split_to(text: str, most: int = MESSAGE) -> list[str]:
    """A text in parts that fit into ``most`` (at least 40) each, cut at the end of a paragraph, a
    line, a sentence or a word, whichever comes near the end. A code fence that is cut is closed,
    and opened again in the next part. Nothing is lost but white space if it is cut; a blank text
    has no parts. Raises ValueError for a smaller ``most``."""
    if most < _SHORTEST:
        raise ValueError(f"a part of {most} characters is too short: at least {_SHORTEST}")
    parts: list[str] = []
    rest, opened = text.strip("\n"), ""
    while rest.strip():
        head = f"{opened}\n" if opened else ""
        if length(head) + length(rest) <= most and not _open_at_end(head + rest):
            parts.append(head + rest)
            break
        room = most - length(head)
        end = _end(rest, min(_fitting(rest, room), len(rest)))
        fence = _open_at_end(head + rest[:end])
        if fence:
            # The line that closes the fence needs room, and the shorter cut may lie before the
            # fence.
            close = f"\n{_ticks(fence)}"
            end = _end(rest, _fitting(rest, room - length(close)))
            fence = _open_at_end(head + rest[:end])
        part = head + rest[:end].rstrip("\n" if fence else None)
        parts.append(part + (f"\n{_ticks(fence)}" if fence else ""))
        opened = fence
        rest = rest[end:].removeprefix("\n") if fence else rest[end:].lstrip()
        # What stands behind the ticks may be as long as a part: repeated, it would leave no room.
        if len(opened) > _SHORTEST // 2:
            opened = _ticks(opened)
    return [part for part in parts if part.strip()]


def _fitting(text: str, most: int) -> int:
    """Return the number of characters from the beginning that fit into ``most``; at least 1 of a
    text."""
    # It fits even if each character takes two units; this saves counting.
    if len(text) <= most // 2:
        return len(text)
    used = 0
    for at, letter in enumerate(text):
        used += 1 + (letter > "\uffff")
        if used > most:
            return max(1, at)
    return len(text)


def _end(text: str, most: int) -> int:
    """Return the place to cut a text that goes on beyond ``most``."""
    if most >= len(text):
        return len(text)
    # A cut in the first half would send twice as many messages.
    least = most // 2
    for mark in ("\n\n", "\n", ". ", " "):
        found = text.rfind(mark, least, most)
        if found > 0:
            return found + len(mark.rstrip(" \n")) or found
    return most


def _open_at_end(text: str) -> str:
    """The line that opened a code fence which is not closed; "" if none is open."""
    opened = ""
    for found in _FENCE.finditer(text):
        ticks = found[1]
        if not opened:
            opened = found[0].strip()
        elif ticks[0] == opened[0] and len(ticks) >= len(_ticks(opened)) and not found[2].strip():
            opened = ""
    return opened


def _ticks(fence: str) -> str:
    """The marks of a line that opens a fence."""
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]


BREAK: Final = "\u200b"
"""A character without width that parts what would become a mention, a link or an invite."""

_MARKS: Final = re.compile(r"([\\*_~|`>#\[\]()<{}+-])")

_MENTION: Final = re.compile(r"[@#&<](?=\S)")

_ADDRESS: Final = re.compile(r"(?i)\b(https?|ftp|mailto|discord|javascript|data):(?=\S)")

_DOTTED: Final = re.compile(r"(?i)\b(www|discord|discordapp|dsc)\.(?=\w)")

_INVITE: Final = re.compile(
    r"(?i)\b(discord(?:\.gg|app\.com/invite|\.com/invite|\.me|\.io)|dsc\.gg)(?=/)"
)

_OVER: Final = r"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"

# Marks above and below a letter, of which more than three cover the lines around it.
_STACKED: Final = re.compile(rf"({_OVER}{{3}}){_OVER}+")

_EMOJI: Final = re.compile(r":(?=[\w~+-]{1,64}:)")

_LIST: Final = re.compile(r"(?m)^(\s*\d+)\.(?=\s)")

_PATH: Final = re.compile(
    r"(?<![\w.:/\\])(?:[A-Za-z]:|~)?[\\/][^\s:;,'\"\\/]+(?:[\\/][^\s:;,'\"\\/]+)+[\\/]?"
)

_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

_CODE: Final = re.compile(r"(```.+?```|``.+?``|`[^`\n]+`)", re.DOTALL)


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


def tame(text: str) -> str:
    """An answer of our own whose Markdown is kept: no mention, no invite, and no link whose words
    hide if it leads. Code stays as it is, to be copied: nothing in it is a mention or a link."""
    parts = _CODE.split(text)
    return "".join(part if at % 2 else _tame(part) for at, part in enumerate(parts))


def _tame(text: str) -> str:
    text = re.sub(r"@(?=everyone|here)|<(?=[@#])", lambda found: f"{found[0]}{BREAK}", text)
    text = _INVITE.sub(rf"\1{BREAK}", text)
    return text.replace("](", f"]{BREAK}(")


def inert_line(text: str, longest: int | None = None) -> str:
    """The same on one line without control characters, cut to ``longest`` characters of the text
    with an ellipsis."""
    line = one_line(text)
    if longest is not None and len(line) > longest:
        line = f"{line[: max(0, longest - 1)].rstrip()}…"
    return inert(line)


def plain(text: str) -> str:
    """Return a text without paths of the host, and without the parts of it that name options."""
    # Options of a command line do not help a member of a chat.
    parts = re.split(r"(?<=[:;.]) ", _PATH.sub("…", text))
    kept = [part for part in parts if not _OPTION.search(part)]
    return " ".join(kept).rstrip(" :;")
