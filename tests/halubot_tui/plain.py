"""A screen in plain form, to be compared exactly: its lines, then the styles of each line by the
names that the theme has for their colours."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from textual.color import Color as Shade

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.color import Color
    from rich.style import Style
    from textual.app import App

_ATTRIBUTES: Final = ("bold", "italic", "underline", "reverse", "strike", "dim", "blink")
_FIRST: Final = (
    *("foreground", "background", "surface", "panel", "primary", "secondary", "accent"),
    *("contradicted", "doubtful", "supported", "unchecked", "rule"),
)
"""The names that count where several have the same colour."""


@dataclass(frozen=True, slots=True)
class Plain:
    """What is on a screen: its lines, and of each how it is drawn: parted by semicolons, the cells
    from and to (exclusive) and their style. Cells that are drawn as most are, foreground on
    background, are left out."""

    lines: Sequence[str]
    styles: Sequence[str]

    def __str__(self) -> str:
        """The lines, then the styles of those that have any, each behind its number."""
        styled = (f"{at:2} {how}" for at, how in enumerate(self.styles, start=1) if how)
        return "\n".join([*self.lines, "", *styled, ""])

    def beside(self, other: Plain) -> str:
        """What is otherwise than on ``other``, by the numbers of lines: words behind a bar, styles
        behind a space; nothing of screens that are equal."""
        found = [
            *(f"{at:2}|{now}" for at, now in _changed(other.lines, self.lines)),
            *(f"{at:2} {now}" for at, now in _changed(other.styles, self.styles)),
        ]
        return "".join(f"{line}\n" for line in found)


def plain(app: App[Any]) -> Plain:
    """What is on the screen now. Without colours, what is drawn in the grey of a colour goes by the
    name of that colour."""
    names = _names(app.get_css_variables(), grey=app.no_color)
    lines, styles = [], []
    for strip in app.screen._compositor.render_strips():
        lines.append(strip.text.rstrip())
        runs: list[tuple[int, int, str]] = []
        at = 0
        for text, style, _ in strip:
            length = len(text)
            how = _named(style, names) if style else ""
            if not text.strip():
                how = " ".join(word for word in how.split() if word.startswith("on:"))
            if runs and runs[-1][1:] == (at, how):
                runs[-1] = (runs[-1][0], at + length, how)
            elif how:
                runs.append((at, at + length, how))
            at += length
        styles.append("; ".join(f"{start}-{end} {how}" for start, end, how in runs))
    return Plain(lines, styles)


def together(looks: Mapping[str, Plain]) -> str:
    """A screen in several looks: the first in full, of each other what is otherwise there."""
    (_, first), *others = looks.items()
    return str(first) + "".join(f"== {name}\n{one.beside(first)}" for name, one in others)


def _changed(before: Sequence[str], now: Sequence[str]) -> Iterator[tuple[int, str]]:
    pairs = zip_longest(before, now, fillvalue="")
    return ((at, new) for at, (old, new) in enumerate(pairs, start=1) if new != old)


def _names(variables: Mapping[str, str], *, grey: bool) -> dict[str, str]:
    order = [*sorted(variables, reverse=True), *reversed(_FIRST)]
    known = [(variables[name].lower(), name) for name in order if name in variables]
    if grey:
        hues = [(Shade.parse(hex), name) for hex, name in known if hex.startswith("#")]
        known = [(hue.monochrome.hex.lower(), name) for hue, name in hues]
    return dict(known)


def _named(style: Style, names: Mapping[str, str]) -> str:
    return " ".join(_words(style, names))


def _words(style: Style, names: Mapping[str, str]) -> Iterator[str]:
    yield from (name for name in _ATTRIBUTES if getattr(style, name))
    colour = _colour(style.color, names)
    if colour not in ("", "foreground"):
        yield colour
    ground = _colour(style.bgcolor, names)
    if ground not in ("", "background"):
        yield f"on:{ground}"


def _colour(colour: Color | None, names: Mapping[str, str]) -> str:
    if colour is None or colour.is_default:
        return ""
    hex = (colour.triplet or colour.get_truecolor()).hex
    return names.get(hex, hex)
