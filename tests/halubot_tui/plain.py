"""A screen in plain form, to be compared exactly: its lines, then the styles of each line by the
names that the theme has for their colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.color import Color
    from rich.style import Style
    from textual.app import App

_ATTRIBUTES: Final = ("bold", "italic", "underline", "reverse", "strike", "dim", "blink")
_FIRST: Final = (
    *("foreground", "background", "surface", "panel", "primary", "secondary", "accent"),
    *("contradicted", "doubtful", "supported", "unchecked", "rule"),
)
"""The names that count where several have the same colour."""


def plain(app: App[Any]) -> str:
    """What is on the screen now. A line of styles is the number of its line and, parted by
    semicolons, the cells from and to (exclusive) and how they are drawn; cells that are drawn as
    most are, foreground on background, are left out."""
    names = _names(app.get_css_variables())
    lines, styles = [], []
    for number, strip in enumerate(app.screen._compositor.render_strips(), start=1):
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
        if runs:
            told = "; ".join(f"{start}-{end} {how}" for start, end, how in runs)
            styles.append(f"{number:2} {told}")
    return "\n".join([*lines, "", *styles, ""])


def _names(variables: Mapping[str, str]) -> dict[str, str]:
    order = [*sorted(variables, reverse=True), *reversed(_FIRST)]
    return {variables[name].lower(): name for name in order if name in variables}


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
