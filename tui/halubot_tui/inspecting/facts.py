"""The list of facts: each with the bar of its score, its verdict, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.render.inert import cropped, one_line
from halubot.render.words import VERDICTS
from halubot_tui.inspecting.chooser import Chooser, Line
from halubot_tui.inspecting.drawing import QUIET, hung, ink, ordered, phrases, stacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from halubot.facts import Fact, Report, SourceKind
    from halubot.render.listing import Entry
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

_CELLS: Final = 5
_TIGHT: Final = 40
_LONGEST_NOTE: Final = 120
_NOUNS: Final[Mapping[SourceKind, tuple[str, str]]] = {
    "sample": ("sample", "samples"),
    "reference": ("reference", "references"),
    "knowledge": ("passage", "passages"),
}


class FactList(Chooser):
    """The entries of a message. An option's id is the number of its entry."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(signs, id="facts")
        self._made: dict[int, tuple[tuple[object, ...], Content]] = {}

    def show(self, turn: Turn, entry: Entry | None, width: int, *, by_place: bool) -> None:
        """Draws the entries of a message at a width."""
        kinds = _kinds(turn.report)

        def make() -> Iterator[Line]:
            before, self._made = self._made, {}
            for one in ordered(turn, by_place=by_place):
                made = (one, kinds, width, self.signs.ascii, turn.running)
                kept = before.get(one.number)
                text = (
                    kept[1]
                    if kept is not None and kept[0] == made
                    else self._option(one, kinds, width, turn)
                )
                self._made[one.number] = made, text
                yield str(one.number), text

        of = (turn.entries, by_place, width, self.signs.ascii, turn.running)
        self.fill(of, make, None if entry is None else str(entry.number))

    def _option(
        self, entry: Entry, kinds: Mapping[str, SourceKind], width: int, turn: Turn
    ) -> Content:
        sign = self.signs.key(entry.verdict, entry.number)
        lead = Content(f"{sign} ").stylize(ink(entry.verdict))
        pad = " " * lead.cell_length
        return stacked(
            [
                *hung(Content(entry.reading), width, lead),
                *phrases(self._told(entry, kinds, turn, width), width, self.signs, pad),
            ]
        )

    def _told(
        self, entry: Entry, kinds: Mapping[str, SourceKind], turn: Turn, width: int
    ) -> Iterator[Content]:
        style = ink(entry.verdict)
        if entry.score is not None:
            full, rest = self.signs.bar(entry.score, _CELLS)
            word = f" {VERDICTS[entry.verdict]}"
            yield Content.assemble((full, style), (rest, QUIET), (word, style))
        elif turn.running and entry.verdict == "not_checked":
            yield Content(f"{self.signs.busy} being checked").stylize(QUIET)
        else:
            yield Content(VERDICTS[entry.verdict]).stylize(style)
        tight = width < _TIGHT
        if entry.probability is not None and not tight:  # the evidence says it in any case
            yield Content(likely(entry.probability)).stylize(QUIET)
        if entry.fact is not None:
            if "person" in entry.fact.basis:
                note = entry.fact.feedback.note if entry.fact.feedback else ""
                said = f"you said so: {cropped(one_line(note), _LONGEST_NOTE)}"
                yield Content(said if note else "you said so").stylize("bold")
            counted = [*tally(entry.fact, kinds, tight=tight)]
            together = f" {self.signs.dash} ".join(counted)
            fits = len(together) <= width - 6
            for told in [together] if counted and fits else counted:
                yield Content(told).stylize(QUIET)


def tally(fact: Fact, kinds: Mapping[str, SourceKind], *, tight: bool = False) -> Iterator[str]:
    """How many sources of each kind say so: "2 / 20 samples"; ``kinds`` by the ids of sources."""
    for kind in ("reference", "knowledge", "sample"):
        asked = [item for item in fact.evidence if kinds.get(item.source, "sample") == kind]
        if asked:
            agree = sum(item.stance == "supports" for item in asked)
            one, many = _NOUNS[kind]
            of = "/" if tight else " / "
            yield f"{agree}{of}{len(asked)} {one if len(asked) == 1 else many}"


def likely(probability: float) -> str:
    """A probability of being wrong in words."""
    percent = round(100 * probability)
    share = "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"{percent} %"
    return f"{share} likely wrong"


def _kinds(report: Report | None) -> Mapping[str, SourceKind]:
    return {source.id: source.kind for source in report.sources} if report is not None else {}
