"""The list of facts: each with how many sources speak against it, are silent, and speak for it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Final, Self

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding
from textual.cache import LRUCache
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from halubot.render.captions import VERDICTS
from halubot.render.inert import crop, one_line
from halubot_tui.inspecting.drawing import QUIET, LineView, hung, ink, order_entries, strip_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.report import Fact
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

_CELLS: Final = 6
_LINE: Final = 42
"""Cells of the line of a fact with its sign, its bar and numbers of two digits."""
_LONGEST_NOTE: Final = 40
_KEPT: Final = 200
"""Entries that stay laid out."""
_INKS: Final = ("$contradicted", QUIET, "$supported")


class FactList(LineView):
    """The entries of a message, of which only those in sight are laid out: a long text has
    thousands. It says nothing when its entries or the one looked at are set, only when a person
    goes to one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1)", "Up", show=False),
        Binding("down", "go(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "first", "First", show=False),
        Binding("end", "last", "Last", show=False),
        Binding("enter", "open", "Evidence", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"facts--chosen"}
    DEFAULT_CSS = """
    FactList { height: 1fr; }
    FactList > .facts--chosen { background: $surface; }
    FactList:focus > .facts--chosen { background: $panel; }
    """

    class Gone(Message):
        """A person went to the entry with this number; to ``open`` it is to read its evidence."""

        def __init__(self, number: int, *, open: bool = False) -> None:
            super().__init__()
            self.number = number
            self.open = open

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="facts")
        self.signs = signs
        self._shown_of: object = None
        self._check_runs = False
        self._width = 0
        self._entries: Sequence[Entry] = ()
        self._tops: list[int] = [0]
        self._at: int | None = None
        self._from_top = True
        self._laid: LRUCache[int, list[Content]] = LRUCache(_KEPT)

    @property
    def numbers(self) -> Sequence[int]:
        """The numbers of the entries, as they are listed."""
        return [entry.number for entry in self._entries]

    @property
    def rows(self) -> int:
        """Return how many lines all entries take."""
        return self._tops[-1]

    @property
    def chosen_number(self) -> int | None:
        """The number of the entry that is looked at."""
        return None if self._at is None else self._entries[self._at].number

    def show(self, turn: Turn, entry: Entry | None, width: int, *, by_doubt: bool) -> None:
        """Lists the entries of a message at a width."""
        of = (turn.entries, by_doubt, width, self.signs.ascii, turn.running)
        if of != self._shown_of:
            self._shown_of, self._width, self._check_runs = of, width, turn.running
            self._entries = order_entries(turn, by_doubt=by_doubt)
            self._tops = [0, *accumulate(map(self._height, self._entries))]
            self._laid.clear()
            self._at = None
            self._from_top = True
            self._fill_up()
        at = next((n for n, one in enumerate(self._entries) if one is entry), None)
        if at != self._at:
            self._from_top = self._from_top and self._at is None
            self._at = at
            self._bring()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if row >= self.rows:
            return Strip.blank(width, self.rich_style)
        at = bisect_right(self._tops, row) - 1
        lines = self._laid.get(at)
        if lines is None:
            lines = self._laid[at] = self._lines(self._entries[at])
        here = at == self._at
        base = self.get_visual_style("facts--chosen") if here else self.visual_style
        bar = ("|" if self.signs.ascii else "▌") if here else " "
        line = Content(bar).stylize("bold $primary") + lines[row - self._tops[at]]
        drawn = line.render(base, end="", parse_style=self.app.stylesheet.parse_style)
        segments = [Segment(text, (base + style).rich_style) for text, style in drawn]
        return Strip(segments, line.cell_length).crop_extend(0, width, base.rich_style)

    def notify_style_update(self) -> None:
        """Colours changed."""
        self._laid.clear()
        super().notify_style_update()

    def action_go(self, by: int) -> None:
        self._choose((-1 if self._at is None else self._at) + by)

    def action_page(self, by: int) -> None:
        row = self._tops[self._at or 0] + by * max(1, self.size.height - 1)
        self._choose(bisect_right(self._tops, max(0, row)) - 1)

    def action_first(self) -> None:
        self._choose(0)

    def action_last(self) -> None:
        self._choose(len(self._entries) - 1)

    def action_open(self) -> None:
        if self.chosen_number is not None:
            self.post_message(self.Gone(self.chosen_number, open=True))

    def on_click(self, event: events.Click) -> None:
        inside = event.get_content_offset(self)
        if inside is not None and inside.y + self.scroll_offset.y < self.rows:
            self._choose(bisect_right(self._tops, inside.y + self.scroll_offset.y) - 1)

    def _choose(self, at: int) -> None:
        """Goes to an entry by its place, the nearest if there is none."""
        at = min(max(0, at), len(self._entries) - 1)
        self._from_top = False
        if self._entries and at != self._at:
            self._at = at
            self._bring()
            self.refresh()
            self.post_message(self.Gone(self._entries[at].number))

    def _bring(self) -> None:
        """Scrolls so far that the entry that is looked at is in sight: as long as nobody went
        anywhere from the top, whatever the height was before."""
        if self._at is None:
            return
        top, view = self.scroll_offset.y, self.scrollable_content_region.height
        if self._from_top and view:
            top = 0
            self.scroll_to(y=0, animate=False, force=True)
        begin, end = self._tops[self._at], self._tops[self._at + 1]
        if begin < top or view <= end - begin:
            self.scroll_to(y=begin, animate=False, force=True)
        elif end > top + view:
            self.scroll_to(y=self._whole_from(end - view), animate=False, force=True)

    def _whole_from(self, row: int) -> int:
        """The first line from this one on with which an entry begins: the upper edge cuts none in
        two."""
        return self._tops[bisect_left(self._tops, row)]

    def _fill_up(self) -> None:
        """Leaves so many blank lines below the last entry that the upper edge cuts none in two
        there."""
        view = self.scrollable_content_region.height
        rest = self.rows - view
        self.set_rows(self._whole_from(rest) + view if view and rest > 0 else self.rows)

    def on_resize(self) -> None:
        self._fill_up()
        self._bring()

    def _height(self, entry: Entry) -> int:
        """The lines of an entry."""
        room = self._width - cell_len(self.signs.key(entry.verdict, entry.number)) - 1
        if entry.reading.isascii() and len(entry.reading) <= room:
            return 2
        return 1 + len([*hung(Content(strip_marks(entry.reading)), room)])

    def _lines(self, entry: Entry) -> list[Content]:
        """An entry: what it says, and below that who says what of it."""
        sign = self.signs.key(entry.verdict, entry.number)
        lead = Content(f"{sign} ").stylize(ink(entry.verdict))
        pad = Content(" " * lead.cell_length)
        gap = Content(f" {self.signs.dash} ").stylize(QUIET)
        line, *more = self._draw_entry(entry)
        for part in more:  # one line, so that its height is known before it is laid out
            longer = line + gap + part
            line = longer if longer.cell_length + pad.cell_length <= self._width else line
        return [*hung(Content(strip_marks(entry.reading)), self._width, lead), pad + line]

    @property
    def _has_room_for_verdicts(self) -> bool:
        """Return whether the longest verdict fits behind the numbers: what only some entries name
        would seem to say something of the others."""
        return self._width >= _LINE + max(map(len, VERDICTS.values()))

    def _draw_entry(self, entry: Entry) -> Iterator[Content]:
        style = ink(entry.verdict)
        counts = Stances.of(entry.fact) if entry.fact is not None else Stances()
        if not counts.asked_count:
            if self._check_runs and entry.verdict == "not_checked":
                yield Content(f"{self.signs.busy} being checked").stylize(QUIET)
            else:
                yield Content(VERDICTS[entry.verdict]).stylize(style)
        else:
            yield counts.bar(self.signs) + " " + counts.in_words()
        if entry.fact is not None and "person" in entry.fact.basis:
            note = entry.fact.feedback.note if entry.fact.feedback else ""
            said = f"you said so: {crop(one_line(note), _LONGEST_NOTE)}" if note else "you said so"
            yield Content(said).stylize("bold")
        if counts.asked_count and self._has_room_for_verdicts:
            yield Content(VERDICTS[entry.verdict]).stylize(style)
        if entry.probability is not None:
            yield Content(likely(entry.probability)).stylize(QUIET)


@dataclass(frozen=True, slots=True)
class Stances:
    """The number of sources against a fact, silent about it, and for it."""

    against: int = 0
    silent: int = 0
    for_it: int = 0

    @classmethod
    def of(cls, fact: Fact) -> Self:
        """Those of a fact: each source counts once."""
        said = Counter(item.stance for item in fact.evidence)
        return cls(said["contradicts"], said["silent"], said["supports"])

    @property
    def asked_count(self) -> int:
        """Return how many sources were asked."""
        return self.against + self.silent + self.for_it

    def in_words(self) -> Content:
        """The numbers in words."""
        parts = (
            (f"{self.against} against", "$contradicted" if self.against else QUIET),
            (f"{self.silent} silent", QUIET),
            (f"{self.for_it} for", "$supported" if self.for_it else QUIET),
        )
        return Content(", ").stylize(QUIET).join([Content.assemble(one) for one in parts])

    def bar(self, signs: Signs, cells: int = _CELLS) -> Content:
        """The same as a bar of so many cells in three parts. Each has a sign of its own, and one
        cell at least if it is not empty."""
        counts = (self.against, self.silent, self.for_it)
        lengths = [
            max(1, cells * count // max(1, self.asked_count)) if count else 0 for count in counts
        ]
        lengths[lengths.index(max(lengths))] += cells - sum(lengths)
        parts = zip(signs.parts, _INKS, lengths, strict=True)
        return Content.assemble(*((sign * length, ink) for sign, ink, length in parts if length))


def likely(probability: float) -> str:
    """A probability of being wrong in words."""
    percent = round(100 * probability)
    share = "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"{percent} %"
    return f"{share} likely wrong"
