"""Texts of others in a message of ours: shown as they were written, and doing nothing.

Markdown, code fences, mentions, links and invites in them stay words. What is shown can still be
read and copied; only characters without width are put in between.
"""

from __future__ import annotations

import re
from typing import Final

from halubot.render.inert import one_line

BREAK: Final = "\u200b"
"""A character without width that parts what would become a mention, a link or an invite."""

_MARKS: Final = re.compile(r"([\\*_~|`>#\[\]()<{}+-])")
_MENTION: Final = re.compile(r"[@#&<](?=\S)")
_ADDRESS: Final = re.compile(r"(?i)\b(https?|ftp|mailto|discord|javascript|data):(?=\S)")
_DOTTED: Final = re.compile(r"(?i)\b(www|discord|discordapp|dsc)\.(?=\w)")
_INVITE: Final = re.compile(
    r"(?i)\b(discord(?:\.gg|app\.com/invite|\.com/invite|\.me|\.io)|dsc\.gg)(?=/)"
)
_EMOJI: Final = re.compile(r":(?=[\w~+-]{1,64}:)")
_LIST: Final = re.compile(r"(?m)^(\s*\d+)([.)])(?=\s)")

_PATH: Final = re.compile(
    r"(?<![\w.:/\\])(?:[A-Za-z]:|~)?[\\/][^\s:;,'\"\\/]+(?:[\\/][^\s:;,'\"\\/]+)+[\\/]?"
)
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_CODE: Final = re.compile(r"(```.+?```|``.+?``|`[^`\n]+`)", re.DOTALL)


def inert(text: str) -> str:
    """The text so that nothing in it is markup, a mention, a link, an invite or an emoji. At most
    three times as long; an empty text stays empty."""
    text = _MENTION.sub(lambda found: f"{found[0]}{BREAK}", text)
    text = _ADDRESS.sub(rf"\1{BREAK}:", text)
    text = _DOTTED.sub(rf"\1{BREAK}.", text)
    text = _EMOJI.sub(f":{BREAK}", text)
    text = _LIST.sub(r"\1\\\2", text)
    return _MARKS.sub(r"\\\1", text)


def tame(text: str) -> str:
    """An answer of our own whose Markdown is kept: no mention, no invite, and no link whose words
    hide where it leads. Code stays as it is, to be copied: nothing in it is a mention or a link."""
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
    parts = re.split(r"(?<=[:;.]) ", _PATH.sub("…", text))
    kept = [part for part in parts if not _OPTION.search(part)]
    return " ".join(kept).rstrip(" :;")
