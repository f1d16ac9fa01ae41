"""Parts of the inspector's views: hanging lines, signs, lists to choose from, broken lines."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual.content import Content

from halubot_tui import layout
from halubot_tui.looks import STYLES, Signs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Report, Source, Stance, Verdict
    from halubot_tui.turns import Turn

import sys
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.selection import Selection

QUIET: Final = "$secondary"
SOURCE: Final = "source"
"""Under this name the style of a quote holds the id of its source."""
NOTHING: Final = "Nothing is selected."
STANCE_STYLES: Final[Mapping[Stance, str]] = {
    "contradicts": "bold $contradicted",
    "supports": "$supported",
    "silent": "$unchecked",
}
"""How what a source says is written."""

_ASCII_STANCES: Final[Mapping[Stance, str]] = {"contradicts": "x", "supports": "+", "silent": "."}
_STANCES: Final[Mapping[Stance, str]] = {"contradicts": "✗", "supports": "✓", "silent": "·"}
_NARROWEST: Final = 8
_MARKUP: Final = re.compile(r"[*_`~\[]")
_AROUND: Final = re.compile(r"[*_`~!\[]*(?:\](?:\(.*\)|\[.*\])?)?[*_`~]*", re.DOTALL)
"""Marks around words: emphasis, code, and both ends of a link."""
_SAMPLE: Final = re.compile(r"^(?:other )?(?:sample|answer) (?=\d+$)")


def stance(said: Stance, signs: Signs) -> str:
    """The sign of what a source says, one cell wide."""
    return (_ASCII_STANCES if signs.ascii else _STANCES)[said]


def name_source(name: str) -> str:
    """The name of a source as a person knows it: they gave answers, and no samples."""
    return _SAMPLE.sub("other answer ", name)


def cite(source: Source, report: Report) -> str:
    """The name of a source with the place in it and its date, if they are known."""
    from halubot.render.items import citation

    return name_source(citation(source, report))


def ink(verdict: Verdict) -> str:
    """Return how words about a verdict are written; marks in a text are underlined as well."""
    return STYLES[verdict].replace("underline ", "")


def order_entries(turn: Turn, *, by_doubt: bool) -> list[Entry]:
    """The entries of a message in the order of the text, or the most doubted first: those before
    what could not be checked, that before what is supported."""
    if not by_doubt:
        return list(turn.entries)
    return sorted(turn.entries, key=_doubt)


def _doubt(entry: Entry) -> tuple[int, float, int]:
    """The place of an entry among others by its doubt."""
    judged = entry.fact or entry.sentence
    rank = judged.rank if judged is not None and judged.rank is not None else entry.score or 0.0
    if entry.is_doubted:
        return 0, -rank, entry.number
    return 1 if entry.verdict == "not_checked" else 2, 0.0, entry.number


def hung(content: Content, width: int, lead: Content | str = "") -> Iterator[Content]:
    """A text as lines at a width, the first behind ``lead``, the others set in as far."""
    before = Content(lead) if isinstance(lead, str) else lead
    indent = before.cell_length
    for start, end in layout.wrap_lines(content.plain, max(_NARROWEST, width - indent)):
        yield before + content[start:end]
        before = Content(" " * indent)


def strip_marks(text: str) -> str:
    """Words on one line without the marks of Markdown: emphasis, code, and the targets of links."""
    if not _MARKUP.search(text):
        return text
    from halubot.text import read  # not before the first frame

    found = read(text)
    words, at = [], 0
    pairs = zip(found.text, found.plain, strict=True)
    for blanked, run in groupby(pairs, lambda pair: pair[0] != pair[1]):
        end = at + len([*run])
        gone = blanked and _AROUND.fullmatch(found.text, at, end)  # marks that part no words
        words.append("" if gone else found.plain[at:end])
        at = end
    return " ".join("".join(words).split()) or text


def phrases(
    parts: Iterable[Content], width: int, signs: Signs, lead: str = "", between: str = ""
) -> Iterator[Content]:
    """Short phrases one after the other, parted by a dash or what else is ``between``; a line ends
    between two of them."""
    gap = Content(between or f" {signs.dash} ").stylize(QUIET)
    room = max(_NARROWEST, width - cell_len(lead))
    line: Content | None = None
    for part in parts:
        longer = part if line is None else line + gap + part
        if line is not None and longer.cell_length > room:
            yield Content(lead) + line
            longer = part
        *full, line = hung(longer, room)
        yield from (Content(lead) + one for one in full)
    if line is not None:
        yield Content(lead) + line


def stack_lines(lines: Sequence[Content]) -> Content:
    """The lines as one text."""
    return Content("\n").join(lines)


Line = tuple["str | None", "Content"]
"""An option: its id, None of one that cannot be gone to, and its text."""


class Chooser(OptionList):
    """Entries of any height. It says nothing if its entries or the one looked at are set, only
    if a person goes to one."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """Textual would lay out the whole screen whenever it changes."""

    def __init__(self, signs: Signs, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.signs = signs
        self._drawn: list[Line] = []
        self._drawn_of: object = None

    def fill(self, of: object, make: Callable[[], Iterable[Line]], chosen: str | None) -> None:
        """Shows the entries that ``make`` makes, if they are of something else than before, and
        the one with the id ``chosen`` as looked at. What did not change stays as it is drawn."""
        with self.prevent(OptionList.OptionHighlighted):
            if of != self._drawn_of:
                self._drawn_of = of
                self._replace(list(make()))
            ids = [id for id, _ in self._drawn]
            self.highlighted = ids.index(chosen) if chosen in ids and chosen is not None else None

    def watch_virtual_size(self, before: Size, after: Size) -> None:
        """Lays out the screen only if this list gets higher or lower by it."""
        if self.styles.height is None or not self.styles.height.is_auto:
            return
        most = self.size.height if before.height > self.size.height else sys.maxsize
        if min(before.height, most) != min(after.height, most):
            self.refresh(layout=True)

    def render_line(self, y: int) -> Strip:
        line = super().render_line(y)
        first = next(iter(line), None)
        base = (first.style if first is not None else None) or Style()
        here = self.highlighted is not None and base.meta.get("option") == self.highlighted
        bar = ("|" if self.signs.ascii else "▌") if here else " "
        ink = Style(color=self.app.theme_variables["primary"], bold=True)
        return Strip([Segment(bar, base + ink), *line], line.cell_length + 1)

    def _get_left_gutter_width(self) -> int:
        return 1

    def _replace(self, lines: list[Line]) -> None:
        if [id for id, _ in lines] == [id for id, _ in self._drawn]:
            for at, ((_, new), (_, old)) in enumerate(zip(lines, self._drawn, strict=True)):
                if new is not old and not new.is_same(old):
                    self.replace_option_prompt_at_index(at, new)
        else:
            offset = self.scroll_offset.y
            self.clear_options()
            self.add_options(Option(text, id=id, disabled=id is None) for id, text in lines)
            self.scroll_to(y=offset, animate=False)
        self._drawn = lines


class Lines(Static):
    """A text as high as its lines are many; the screen is laid out anew only if their number
    changes. (A height that is found out goes wrong if a text is set twice at once.)"""

    DEFAULT_CSS = """
    Lines { box-sizing: content-box; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._put = Content("")

    def put_text(self, content: Content) -> None:
        """Shows this text."""
        before, self._put = self._put, content
        if not content.is_same(before):
            self.update(content, layout=False)
        self.styles.height = content.plain.count("\n") + 1


class LineView(ScrollView, can_focus=True):
    """Lines that are scrolled and drawn one by one. Other lines are drawn, and nothing is laid out
    for them: to lay out the screen takes as long as ten keys."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """Textual would lay out the whole screen whenever it changes."""
    DEFAULT_CSS = """
    LineView { background: $background; overflow-x: hidden; overflow-y: scroll; }
    """

    def set_rows(self, rows: int) -> None:
        """There are so many lines now."""
        size = Size(self.scrollable_content_region.width, rows)
        if size != self.virtual_size:
            self.virtual_size = size
            self._scroll_update(size)
        self.refresh()

    def draw_line(self, line: Content, row: int) -> Strip:
        """A line as it is shown, what is selected with the mouse marked."""
        width = self.scrollable_content_region.width
        span = self.text_selection.get_span(row) if self.text_selection is not None else None
        if span is not None:
            look = self.screen.get_visual_style("screen--selection")
            line = line.stylize(look, span[0], len(line) if span[1] == -1 else span[1])
        base = self.visual_style
        drawn = line.render(base, end="", parse_style=self.app.stylesheet.parse_style)
        segments = [Segment(words, (base + style).rich_style) for words, style in drawn]
        strip = Strip(segments, line.cell_length).crop_extend(0, width, self.rich_style)
        return strip.apply_offsets(0, row)

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()


class Reading(LineView):
    """A text whose lines are broken already; a click on a quote opens its source. Its upper edge
    says how to read on if there is more than is in sight."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._lines: Sequence[Content] = ()
        self.content = Content("")

    def put_text(self, content: Content) -> None:
        """Shows this text, which is broken into lines."""
        if not content.is_same(self.content):
            self.content = content
            self._lines = content.split("\n", allow_blank=True)
            self.set_rows(len(self._lines))
            self._say_more()

    def on_resize(self) -> None:
        self._say_more()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self._say_more()

    def _say_more(self) -> None:
        more = len(self._lines) > self.scrollable_content_region.height > 0
        how = "Down reads on, Tab goes back" if self.has_focus else "more: Enter, then Down"
        said = how if more else ""
        if self.border_title != (said or None):
            self.border_title = said

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        if row >= len(self._lines):
            return Strip.blank(self.scrollable_content_region.width, self.rich_style)
        return self.draw_line(self._lines[row], row)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return what is selected of the text."""
        return selection.extract(self.content.plain), "\n"
