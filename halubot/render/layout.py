"""How halubot lays its blocks out in a terminal: as wide as can be read, in signs that the
terminal has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text

from halubot.render.inert import inert

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

WIDEST = 100
"""Columns after which lines get hard to read; wider terminals keep the rest empty."""
_BODY_NEEDS = 10
_TO_ASCII = str.maketrans({"“": '"', "”": '"', "…": "...", "→": "->", "—": "-", "·": "|", "−": "-"})


@dataclass(frozen=True, slots=True)
class Look:
    """How to show: in ASCII signs, with styles or none, in an encoding that holds ASCII only."""

    ascii: bool
    styled: bool
    poor: bool
    width: int

    def text(self, content: str, style: str = "") -> Text:
        """Words of a message or source, every line of them."""
        shown = inert(content)
        if self.poor:
            shown = shown.encode("ascii", "backslashreplace").decode()
        return Text(overflow="fold").append(shown, style)

    def own(self, content: str, style: str = "") -> Text:
        """halubot's own words, with what they quote."""
        return self.text(content.translate(_TO_ASCII) if self.ascii else content, style)


@dataclass(frozen=True, slots=True)
class Shown:
    """Lays its blocks out when it is known where they are printed."""

    blocks: Callable[[Look], Iterable[RenderableType]]
    width: int | None
    ascii: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, min(options.max_width, self.width or WIDEST))
        look = Look(
            ascii=self.ascii or options.ascii_only,
            styled=console.color_system is not None,
            poor=options.ascii_only,
            width=width,
        )
        narrowed = options.update(width=width, height=None)
        for block in self.blocks(look):
            for line in console.render_lines(block, narrowed, pad=False):
                yield from _trim(line)
                yield Segment.line()


@dataclass(frozen=True, slots=True)
class Row:
    """A body beside its sign, under which it leaves the column empty."""

    sign: Text
    body: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        sign = self.sign.copy()
        sign.append(" ")
        room = options.max_width - sign.cell_len
        if room < _BODY_NEEDS:
            yield sign
            yield self.body
            return
        margin = Segment(" " * sign.cell_len)
        lines = console.render_lines(self.body, options.update(width=room), pad=False)
        for count, line in enumerate(lines):
            yield from [margin] if count else sign.render(console)
            yield from line
            yield Segment.line()


def _trim(line: Sequence[Segment]) -> list[Segment]:
    """The line without the spaces at its end, which a style would make visible."""
    kept = list(line)
    while kept and not (text := kept[-1].text.rstrip(" ")):
        kept.pop()
    if kept:
        kept[-1] = kept[-1]._replace(text=text)
    return kept
