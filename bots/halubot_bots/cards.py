"""Cards: headings, lines, buttons and menus, apart from any chat service.

All text of a message, a source or a person in a card is inert already; a card fits into a message
of its service (`halubot_bots.chat_text`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from halubot.report import Frozen
from halubot_bots.catalogue import phrase
from halubot_bots.chat_text import length, split_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Tone = Literal["contradicted", "doubtful", "not_checked", "supported", "plain"]
"""The colour of a card by its meaning; its words say the same."""

PAGE: Final = 3_000
"""Characters of the blocks on one page."""

BLOCKS: Final = 12
"""Blocks on one page."""


class Choice(Frozen):
    """An entry of a select menu: its value, what stands on it, and a line below; both are cut to
    what the service takes."""

    value: str
    label: str
    about: str = ""


class Card(Frozen):
    """A card: a ``headline`` (large unless it is ``slim``), blocks of text below it, small print,
    ``buttons`` (what they do: the catalogue has their labels), and a select ``menu`` (the action of
    what is chosen) of ``choices``. ``page`` and ``pages`` count from 1."""

    tone: Tone = "plain"
    headline: str
    blocks: tuple[str, ...] = ()
    small: str = ""
    buttons: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    menu: str = ""
    slim: bool = False
    page: int = 1
    pages: int = 1


def paged(
    blocks: Iterable[str],
    *,
    headline: str,
    small: str = "",
    tone: Tone = "plain",
    buttons: tuple[str, ...] = (),
    menu: str = "",
    choices: Mapping[str, Choice] | None = None,
) -> tuple[Card, ...]:
    """Return the blocks on as many pages as they need, at least one; a block that is too long for a
    page goes on on the next. Nothing is left out. A page has the ``choices`` of its own blocks."""
    listed = list(blocks)
    own = {split_to(block, PAGE)[0]: one for block, one in (choices or {}).items()}
    pages = list(_gather(listed)) or [[]]
    named = headline
    made = []
    for at, page in enumerate(pages, start=1):
        if len(pages) > 1:
            named = phrase("card.page", headline=headline, page=at, pages=len(pages))
        made.append(
            Card(
                tone=tone,
                headline=named,
                blocks=tuple(page),
                small=small,
                buttons=buttons,
                menu=menu,
                choices=tuple(dict.fromkeys(own[block] for block in page if block in own)),
                page=at,
                pages=len(pages),
            )
        )
    return tuple(made)


def _gather(blocks: Iterable[str]) -> Iterator[list[str]]:
    page: list[str] = []
    size = 0
    for shown in (part for block in blocks for part in split_to(block, PAGE)):
        if page and (size + length(shown) > PAGE or len(page) >= BLOCKS):
            yield page
            page, size = [], 0
        page.append(shown)
        size += length(shown)
    if page:
        yield page
