"""The places of a message's characters in its Markdown source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.render.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

AT: Final = "at"
"""Under this name a token's ``meta`` says where in the words of its block it begins."""


def clean_source(text: str) -> tuple[str, Sequence[int]]:
    """The text with control characters made visible and all line ends alike, and where each of its
    characters stood; behind the last, if the text ended."""
    clean = inert(text)
    if len(clean) == len(text):
        return clean, range(len(text) + 1)
    places: list[int] = []
    at = 0
    for _ in clean:
        places.append(at)
        at += 2 if text[at : at + 2] == "\r\n" else 1
    places.append(len(text))
    return clean, places


def of_lines(content: str, lines: Sequence[tuple[int, str]]) -> list[int]:
    """Return the place of each character of a paragraph or heading, ``lines`` being the places and
    the texts of its lines; -1 of one that stands nowhere."""
    found: list[int] = []
    for number, given in enumerate(content.split("\n")):
        words = given.strip()
        start, line = lines[number] if number < len(lines) else (0, "")
        column = len(line.rstrip()) - len(words)
        if column < 0 or not line.startswith(words, column):
            column = line.rfind(words)
        if number:
            found.append(found[-1] + 1 if found and found[-1] >= 0 else -1)
        if column < 0:
            found.extend([-1] * len(given))
            continue
        begins = start + column - (len(given) - len(given.lstrip()))
        found.extend(range(begins, begins + len(given)))
    return found


def of_token(token: Token, content: str, places: Sequence[int]) -> list[int]:
    """Return the place of each character of an inline token, ``content`` being the words of its
    block and ``places`` theirs."""
    shown, at = token.content, token.meta.get(AT, -1)
    if at < 0:
        return [-1] * len(shown)
    behind = {"code_inline": len(token.markup), "image": 2}.get(token.type, 0)
    for begin in (at + behind, at + behind + 1):
        written = content[begin : begin + len(shown)]
        if written.replace("\n", " ") == shown.replace("\n", " "):
            return list(places[begin : begin + len(shown)])
    known = token.type == "text_special"
    return [places[at] if known else -1] * len(shown)
