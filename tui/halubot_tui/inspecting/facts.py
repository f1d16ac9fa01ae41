"""The list of facts: each with the bar of its score, its verdict, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from halubot.render.words import VERDICTS
from halubot_tui.inspecting.drawing import QUIET, hung, ink, ordered, phrases, stacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from halubot.facts import Fact, Report, SourceKind
    from halubot.render.listing import Entry
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

_CELLS: Final = 5
_TIGHT: Final = 40
_NOUNS: Final[Mapping[SourceKind, tuple[str, str]]] = {
    "sample": ("sample", "samples"),
    "reference": ("reference", "references"),
    "knowledge": ("passage", "passages"),
}


class FactList(OptionList):
    """The entries of a message. An option's id is the number of its entry."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="facts", markup=False)
        self._signs = signs
        self._drawn: list[tuple[str, Content]] = []

    def show(self, turn: Turn, entry: Entry | None, *, by_place: bool) -> None:
        """Draws the entries; what did not change stays as it is, and what is in sight in sight."""
        entries = ordered(turn, by_place=by_place)
        kinds = _kinds(turn.report)
        width = max(12, self.scrollable_content_region.width - 2)
        lines = [
            (str(one.number), self._option(one, kinds, width, turn, chosen=one is entry))
            for one in entries
        ]
        with self.prevent(OptionList.OptionHighlighted):
            if [id for id, _ in lines] == [id for id, _ in self._drawn]:
                for at, (new, old) in enumerate(zip(lines, self._drawn, strict=True)):
                    if not new[1].is_same(old[1]):
                        self.replace_option_prompt_at_index(at, new[1])
            else:
                offset = self.scroll_offset.y
                self.clear_options()
                self.add_options(Option(content, id=id) for id, content in lines)
                self.scroll_to(y=offset, animate=False)
            self._drawn = lines
            number = None if entry is None else str(entry.number)
            ids = [id for id, _ in lines]
            self.highlighted = ids.index(number) if number in ids else None

    def _option(
        self,
        entry: Entry,
        kinds: Mapping[str, SourceKind],
        width: int,
        turn: Turn,
        *,
        chosen: bool,
    ) -> Content:
        style = ink(entry.verdict)
        sign = self._signs.key(entry.verdict, entry.number)
        here = self._signs.selected if chosen else " "
        lead = Content.assemble((here, "bold $primary"), (f"{sign} ", style))
        pad = " " * lead.cell_length
        return stacked(
            [
                *hung(Content(entry.reading), width, lead),
                *phrases(self._told(entry, kinds, turn, width), width, self._signs, pad),
            ]
        )

    def _told(
        self, entry: Entry, kinds: Mapping[str, SourceKind], turn: Turn, width: int
    ) -> Iterator[Content]:
        style = ink(entry.verdict)
        if entry.score is not None:
            full, rest = self._signs.bar(entry.score, _CELLS)
            word = f" {VERDICTS[entry.verdict]}"
            yield Content.assemble((full, style), (rest, QUIET), (word, style))
        elif turn.running and entry.verdict == "not_checked":
            yield Content(f"{self._signs.busy} being checked").stylize(QUIET)
        else:
            yield Content(VERDICTS[entry.verdict]).stylize(style)
        if entry.probability is not None:
            yield Content(likely(entry.probability)).stylize(QUIET)
        if entry.fact is not None:
            if "person" in entry.fact.basis:
                yield Content("you said so").stylize("bold")
            for counted in tally(entry.fact, kinds, tight=width < _TIGHT):
                yield Content(counted).stylize(QUIET)


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
