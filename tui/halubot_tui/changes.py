"""The look of changes of a text: removed words struck through, new words underlined, and
both stand in brackets, since not every terminal strikes through."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.render.difference import Stretch, difference, in_context
from halubot.render.inert import inert, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halubot_tui.looks import Signs
    from halubot_tui.revision import Piece, Revision

    Part = tuple[str, str]

_MARKUP: Final = re.compile(
    r"(?m)^#{1,6} +|\*\*|`|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)"
    r"|(?<![\w*])[*_](?=\w)|(?<=\w)[*_](?![\w*])"
)
"""Marks of Markdown around words. They are left out where changes are drawn, not in the text."""
GONE: Final = "strike $contradicted"
COME: Final = "bold underline $supported"


def change(revision: Revision, index: int, signs: Signs) -> Content:
    """Return what an edit changes, with the words around it."""
    edit, decision = revision.edits[index], revision.decisions.get(index)
    if isinstance(decision, str):
        before, _ = revision.words_of(index)
        return _draw(_differing([Stretch(one_line(before), one_line(decision) or "")], signs))
    return _draw(_differing(in_context(revision.report, edit), signs))


def whole(revision: Revision, at: int | None, signs: Signs) -> Content:
    """The whole text as it becomes; what is open with both sides, and the edit that is looked at,
    if any, reversed."""
    return _draw(part for piece in revision.pieces() for part in _piece(piece, revision, at, signs))


def _draw(parts: Iterable[Part]) -> Content:
    shown = ((_MARKUP.sub("", inert(text)), style) for text, style in parts)
    return Content.assemble(*(part for part in shown if part[0]))


def _differing(stretches: Iterable[Stretch], signs: Signs) -> Iterator[Part]:
    for one in stretches:
        if one.left:
            yield signs.plain(f"[{one.sign} {one.before}]"), "italic"
        elif not one.is_changed:
            yield signs.plain(one.before), ""
        else:
            lead, before, after, trail = one.trim()
            yield lead, ""
            yield from _brackets(before, after, signs)
            yield trail, ""


def _brackets(before: str, after: str, signs: Signs) -> Iterator[Part]:
    sign = signs.plain(" → ") if before and after else ""
    yield "[" if sign else signs.plain("[− " if before else "[+ "), "bold"
    yield before, GONE
    yield sign, "bold"
    yield after, COME
    yield "]", "bold"


def _piece(piece: Piece, revision: Revision, at: int | None, signs: Signs) -> Iterator[Part]:
    looked = " reverse" if piece.edit is not None and piece.edit == at else ""
    if piece.edit is None or piece.state is None:
        yield piece.before, ""
    elif piece.state == "kept":
        sign = "=" if revision.edits[piece.edit].action == "kept" else "!"
        yield f"[{sign} {piece.before}]", "italic" + looked
    elif piece.state == "left" or piece.before == piece.after:
        yield piece.before, looked.strip()
    else:
        if piece.state == "open":  # the same words as in the list, and no others
            for one in difference(piece.before, piece.after):
                yield from _open(one, looked, signs)
            return
        lead, _, after, trail = Stretch(piece.before, piece.after).trim()
        if after:
            yield f"{lead}{after}", COME + looked
            yield trail, ""
        else:
            yield signs.plain("[−]"), "bold $supported" + looked


def _open(one: Stretch, looked: str, signs: Signs) -> Iterator[Part]:
    if not one.is_changed:
        yield one.before, looked.strip()
        return
    lead, before, after, trail = one.trim()
    yield lead, ""
    for text, style in _brackets(before, after, signs):
        yield text, style + looked
    yield trail, ""
