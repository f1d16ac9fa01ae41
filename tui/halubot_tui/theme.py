"""The look of halubot: its themes, the signs of verdicts, and the styles of marks.

Nothing is told by colour alone: each verdict has a sign, a word and an underline of its own. The
hues of `halubot-clear` are told apart by the colour-blind (Okabe and Ito, 2008); there nothing but
verdicts has one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from textual.theme import Theme

from halubot.render import captions
from halubot.verdicts import DOUBTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot.verdicts import Verdict


def _theme(name: str, *, dark: bool, colours: Mapping[str, str]) -> Theme:
    """A theme of these colours; those of verdicts become its variables."""
    own = {verdict: colours[verdict] for verdict in ("contradicted", "doubtful", "supported")}
    return Theme(
        name=name,
        dark=dark,
        primary=colours["primary"],
        secondary=colours["secondary"],
        accent=colours["accent"],
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["panel"],
        success=colours["supported"],
        warning=colours["doubtful"],
        error=colours["contradicted"],
        variables={**own, **{one: colours[one] for one in ("unchecked", "rule", "chosen")}},
    )


DARK: Final = _theme(
    "halubot-dark",
    dark=True,
    colours={
        "primary": "#8fb8de",
        "secondary": "#8b99ad",
        "accent": "#9ecbc0",
        "foreground": "#dcdfe4",
        "background": "#15181d",
        "surface": "#1b1f26",
        "panel": "#232831",
        "contradicted": "#ff8a80",
        "doubtful": "#f0b95b",
        "supported": "#84c99a",
        "unchecked": "#a3acba",
        "rule": "#39414d",
        "chosen": "#1d2b45",
    },
)
LIGHT: Final = _theme(
    "halubot-light",
    dark=False,
    colours={
        "primary": "#1f4f7d",
        "secondary": "#566273",
        "accent": "#1d5f55",
        "foreground": "#23272e",
        "background": "#fbfaf7",
        "surface": "#f3f1ec",
        "panel": "#e9e6df",
        "contradicted": "#a8201a",
        "doubtful": "#7d5200",
        "supported": "#1e6b3c",
        "unchecked": "#5a6472",
        "rule": "#cbc6bb",
        "chosen": "#e5e9eb",
    },
)
CLEAR: Final = _theme(
    "halubot-clear",
    dark=True,
    colours={
        "primary": "#cfd8e3",
        "secondary": "#8f99a6",
        "accent": "#cfd8e3",
        "foreground": "#f0f0f0",
        "background": "#0d0f12",
        "surface": "#15181d",
        "panel": "#20252c",
        "contradicted": "#ff9a4d",
        "doubtful": "#f0e442",
        "supported": "#56b4e9",
        "unchecked": "#b8bfc9",
        "rule": "#48515d",
        "chosen": "#262626",
    },
)
THEMES: Final = (DARK, LIGHT, CLEAR)


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


WORDS: Final[Mapping[Verdict, str]] = {**captions.VERDICTS, "not_checked": "undecided"}
"""The verdicts in the words of the app, wherever something was compared."""
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

    @property
    def arrow(self) -> str:
        """The sign between words and those in their place."""
        return "->" if self.ascii else "→"

    def fold(self, *, opened: bool) -> str:
        """The sign of a group that is open or folded."""
        return ("v" if opened else ">") if self.ascii else ("▾" if opened else "▸")

    @property
    def busy(self) -> str:
        """The sign of work under way."""
        return "*" if self.ascii else "●"

    @property
    def dash(self) -> str:
        """The sign between two phrases of a line."""
        return "-" if self.ascii else "·"

    def quote(self, text: str) -> str:
        """Words of a source in quotation marks."""
        return f'"{text}"' if self.ascii else f"“{text}”"

    def plain(self, text: str) -> str:
        """Words of halubot with the signs in them as they are drawn."""
        return text.translate(_PLAIN) if self.ascii else text


_PLAIN: Final = str.maketrans(
    {"→": "->", "−": "-", "–": "-", "—": "-", "…": "...", "·": "-", "“": '"', "”": '"', "✓": "+"}
)


def wants_ascii(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether the terminal can only show ASCII: its locale is not UTF-8, or it is a plain
    one."""
    if environ.get("TERM") in ("linux", "dumb"):
        return True
    spoken = next(
        (environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), ""
    )
    return bool(spoken) and "utf" not in spoken.lower()
