"""The look of halubot: its themes, the signs of verdicts, and the styles of marks.

Nothing is told by colour alone: each verdict has a sign, a word and an underline of its own. The
hues of `halubot-clear` are told apart by the colour-blind (Okabe and Ito, 2008); there nothing but
verdicts has one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from textual.theme import Theme

from halubot.render import captions
from halubot.verdicts import DOUBTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot.verdicts import Verdict


_NAMES: Final = ("halubot-dark", "halubot-light", "halubot-clear")
_COLOURS: Final[Mapping[str, tuple[str, str, str]]] = {
    "primary": ("#8fb8de", "#1f4f7d", "#cfd8e3"),
    "secondary": ("#8b99ad", "#566273", "#8f99a6"),
    "accent": ("#9ecbc0", "#1d5f55", "#cfd8e3"),
    "foreground": ("#dcdfe4", "#23272e", "#f0f0f0"),
    "background": ("#15181d", "#fbfaf7", "#0d0f12"),
    "surface": ("#1b1f26", "#f3f1ec", "#15181d"),
    "panel": ("#232831", "#e9e6df", "#20252c"),
    "contradicted": ("#ff8a80", "#a8201a", "#ff9a4d"),
    "doubtful": ("#f0b95b", "#7d5200", "#f0e442"),
    "supported": ("#84c99a", "#1e6b3c", "#56b4e9"),
    "unchecked": ("#a3acba", "#5a6472", "#b8bfc9"),
    "rule": ("#39414d", "#cbc6bb", "#48515d"),
    "chosen": ("#1d2b45", "#e5e9eb", "#262626"),
}
"""Each colour in each of the themes."""
_OWN: Final = ("contradicted", "doubtful", "supported", "unchecked", "rule", "chosen")
"""The colours that Textual has no name for: they are variables of the themes."""


def _theme(at: int) -> Theme:
    """The theme in a column of the colours."""
    colours: dict[str, Any] = {name: columns[at] for name, columns in _COLOURS.items()}
    own = {name: colours.pop(name) for name in _OWN}
    return Theme(
        name=_NAMES[at],
        dark=at != 1,
        success=own["supported"],
        warning=own["doubtful"],
        error=own["contradicted"],
        variables=own,
        **colours,
    )


THEMES: Final = (_theme(0), _theme(1), _theme(2))
DARK: Final = THEMES[0]


def themes(environ: Mapping[str, str] = os.environ, *, few: bool = False) -> list[Theme]:
    """The themes; without colours (NO_COLOR) those in which words in doubt are as far from the
    background as can be: their hues would be duller greys than the text. With ``few`` colours, 16,
    the chosen row has the background of all, for nothing could be read on the grey next to it."""
    if not environ.get("NO_COLOR"):
        plain = [{"chosen": one.background or ""} if few else {} for one in THEMES]
        found = zip(THEMES, plain, strict=True)
        return [replace(one, variables={**one.variables, **own}) for one, own in found]
    told = {True: "#ffffff", False: "#000000"}
    return [
        replace(one, variables={**one.variables, **dict.fromkeys(DOUBTED, told[one.dark])})
        for one in THEMES
    ]


MEANINGS: Final[Mapping[Verdict, str]] = {
    **captions.MEANINGS,
    "not_checked": "halubot cannot tell: read it yourself",
}
STYLES: Final[Mapping[Verdict, str]] = {
    "contradicted": "bold underline $contradicted",
    "doubtful": "bold underline $doubtful",
    "not_checked": "$unchecked",
    "supported": "$supported",
}
"""How a verdict is written and its place in a message marked."""


NEW: Final = "bold underline $supported"
"""How words are written that a correction put in."""
OLD: Final = "strike $unchecked"
"""How words are written that a correction took out."""


@dataclass(slots=True)
class Signs:
    """The signs that are drawn, plain ones if the terminal needs them; all widgets share one."""

    ascii: bool = False

    def verdict(self, verdict: Verdict) -> str:
        """The sign of a verdict, one cell wide."""
        return captions.glyph(verdict, ascii=self.ascii)

    def key(self, verdict: Verdict, number: int | None) -> str:
        """The sign behind a mark, with the number of its entry."""
        return captions.key(verdict, number, ascii=self.ascii)

    def fold(self, *, opened: bool) -> str:
        """The sign of a group that is open or folded."""
        return self.plain("▾" if opened else "▸")

    @property
    def dash(self) -> str:
        """The sign between two phrases of a line."""
        return self.plain("·")

    def quote(self, text: str) -> str:
        """Words of a source in quotation marks."""
        return f'"{text}"' if self.ascii else f"“{text}”"

    def plain(self, text: str) -> str:
        """A sign, or words of halubot with signs in them, as they are drawn."""
        return text.translate(_PLAIN) if self.ascii else text


_LONGER: Final = {"→": "->", "…": "...", "⏎": "Enter", "☑": "[x]", "☐": "[ ]"}
_ONE_CELL: Final = dict(zip("−–—·“”✗✓×●▾▸▌›⚠", '----""x+x*v>>>!', strict=True))
_PLAIN: Final = str.maketrans({**_LONGER, **_ONE_CELL})


def wants_ascii(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal can only show ASCII: its locale is not UTF-8, or it is a plain
    one."""
    if environ.get("TERM") in ("linux", "dumb"):
        return True
    spoken = next(
        (environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), ""
    )
    return bool(spoken) and "utf" not in spoken.lower()
