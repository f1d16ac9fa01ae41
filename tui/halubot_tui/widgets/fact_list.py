"""The list of facts: doubted ones first, supported and unchecked ones folded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from rich.segment import Segment
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from halubot.render.captions import number
from halubot_tui.corrections import changed_part, entry_key
from halubot_tui.theme import STYLES, Signs
from halubot_tui.widgets.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from textual.binding import BindingType
    from textual.css.styles import RulesMap
    from textual.style import Style
    from textual.visual import RenderOptions

    from halubot.render.items import Entry
    from halubot.report import Stance
    from halubot.verdicts import Verdict
    from halubot_tui.text_check import TextCheck

MOST: Final = 300
"""Facts of a group that are listed; of more there is a count."""
GROUPS: Final[tuple[Verdict, ...]] = ("not_checked", "supported")
"""The verdicts whose facts are folded."""
TALL: Final = 30
"""Rows of the terminal from which there is room for what is not needed at each moment."""
STANCES: Final[Mapping[Stance, tuple[str, str]]] = {
    "contradicts": ("✗", "$contradicted"),
    "silent": ("·", "$secondary"),
    "supports": ("✓", "$supported"),
}
"""The stances, their signs and their look."""
GROUP: Final = "group "
"""How the ids of groups begin; those of facts are their keys."""


class Row(Visual):
    """A row that is worked out once it is in sight: of hundreds most never are."""

    def __init__(self, draw: Callable[[], Content]) -> None:
        self._draw = draw

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self._draw().render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


class FactList(OptionList, Pane):
    """The facts of a check. It draws what it is told to; the screen decides what is selected."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "use"),
        Binding("space", "select", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """The cursor was moved to a fact or a group, by its ``key``."""

        key: str

    @dataclass
    class Used(Message):
        """Enter was pressed on the fact of this ``key``."""

        key: str

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="facts", markup=False)
        self._signs = signs
        self._check: TextCheck | None = None
        self._opened: set[str] = set()
        self._key: str | None = None
        self._columns = 0
        self._entries: Sequence[Entry] = ()
        self._stamp: object = None
        """What the rows were drawn for."""

    def show(self, check: TextCheck | None, key: str | None) -> None:
        """Show the facts of a check with the cursor on one."""
        if self._check is not None and (check is None or check.id != self._check.id):
            self._opened.clear()
        moved = key != self._key or check is not self._check
        self._check, self._key = check, key
        if check is not None and not check.running and (entry := check.entry(key)) is not None:
            listed = entry.is_doubted or check.is_disputed(entry)
            self._opened |= set() if listed else {entry.verdict}
        self._fill(moved=moved)

    def key_label(self, action: str, label: str) -> str:
        """What Enter does on the row under the cursor; "" for nothing."""
        if action != "select":
            return label
        name = self.chosen or ""
        if name.startswith(GROUP):
            return "fold" if name.removeprefix(GROUP) in self._opened else "unfold"
        return str(getattr(self.screen, "use_label", label))

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._columns:
            self._fill()
        self.scroll_to_highlight()  # fewer rows may be in sight

    @property
    def chosen(self) -> str | None:
        """The id of the row under the cursor."""
        at = self.highlighted
        return None if at is None else self.get_option_at_index(at).id

    @property
    def _row_key(self) -> str:
        """The id of the row of what is selected."""
        key = self._key or ""
        return key if self._check is None else self._check.rows.get(key, key)

    def _fill(self, *, moved: bool = False) -> None:
        """Draw the rows anew that have changed; the cursor stays on its row unless another fact was
        gone to."""
        wanted = self._row_key if moved or self.chosen is None else self.chosen
        self._columns = self.scrollable_content_region.width
        check = self._check
        entries = () if check is None else check.entries
        stamp: tuple[object, ...] = self._columns, {*self._opened}
        if check is not None:
            stamp = *stamp, check.stamp, len(check.corrections.read), check.progress.facts
        with self.prevent(OptionList.OptionHighlighted):
            if check is None or entries is not self._entries or stamp != self._stamp:
                self._entries, self._stamp = entries, stamp
                self.clear_options()
                self.add_options([] if check is None else self._list_of(check))
            names = [one.id for one in self.options]
            self.highlighted = names.index(wanted) if wanted in names else None
        self.heading.show(self._title(check))

    def _title(self, check: TextCheck | None) -> Content:
        if check is None:
            return Content("Facts")
        parts: list[str] = []
        entries, counts = check.entries, check.counts
        if check.running:
            known = check.progress
            if known.facts:
                parts.append(f"{len(known.judged)}/{known.facts} judged")
        else:
            # In the order in which they may be missed.
            doubted = len(check.open_doubts)
            undecided, supported = counts["not_checked"], counts["supported"]
            done = check.count_done(entries)
            if undecided < len(entries):
                parts.append(f"{doubted} in doubt")
            parts += [f"{undecided} {check.word_of('not_checked')}"] if undecided else []
            parts += [f"{done} done"] if done else []
            parts += [f"{supported} supported"] if supported else []
            parts = parts or ["not checked"]
        dash = f" {self._signs.dash} "
        room = self._columns - len("Facts  ")
        while len(dash.join(parts)) > room and len(parts) > 1:
            parts.pop()  # the groups below tell it
        return Content.assemble("Facts", (f"  {dash.join(parts)}" if parts else "", "not bold"))

    def _list_of(self, check: TextCheck) -> Iterator[Option]:
        entries = check.listed
        doubted = [one for one in entries if one.is_doubted]
        yield from self._rows(check, doubted)
        if check.running:
            group = [one for one in entries if one.verdict == "supported"]
            yield from self._group(check, "supported", group)
            judged = len(check.progress.judged)
            if undecided := judged - len(doubted) - len(group):
                word = f"{undecided} {check.word_of('not_checked')}"
                yield Option(
                    Content(f" {self._signs.verdict('not_checked')} {word}"), disabled=True
                )
            left = check.progress.facts - judged
            if left > 0:
                yield Option(
                    Content(f" {self._signs.plain('●')} {left} being checked"), disabled=True
                )
            return
        groups, rows = {one.verdict for one in entries}, check.rows
        if len(groups) == 1:
            self._opened |= groups  # there is nothing else to look at
        disputed = [one for one in entries if check.is_disputed(one)]
        open_ = check.disputed_left
        if open_ or any(rows.get(key, key) == key for key in map(entry_key, disputed)):
            said = f"{len(open_)} undecided, to read first" if open_ else "done"
            if read := sum(map(check.is_read, open_)):
                said += f" {self._signs.dash} {read} read"
            yield Option(Content(f" {said}:").stylize("$unchecked"), disabled=True)
            yield from self._rows(check, disputed)
        for verdict in GROUPS:
            group = [it for it in entries if it.verdict == verdict and not check.is_disputed(it)]
            yield from self._group(check, verdict, group)
        if not entries:
            empty = check.report is not None and not check.failure
            words = "nothing found to check" if empty else "not checked"
            yield Option(Content(f" {words}").stylize("$secondary"), disabled=True)

    def _group(
        self, check: TextCheck, verdict: Verdict, group: Sequence[Entry]
    ) -> Iterator[Option]:
        if not group:
            return
        opened = verdict in self._opened
        fold = self._signs.fold(opened=opened)
        look = STYLES[verdict]
        undecided = verdict == "not_checked"
        first = len(check.disputed_left) if undecided else 0
        left = check.counts[verdict] - first
        done = check.count_done(group)
        if not left and not done:
            return  # what was done about them stands above
        told = {"read": sum(check.is_read(one) and check.handling(one) == "open" for one in group)}
        told["done"] = done
        rest = "".join(f" {self._signs.dash} {n} {what}" for what, n in told.items() if n)
        words = f"{left}{' more' if first else ''} {check.word_of(verdict)}"
        if undecided and left and not told["read"]:
            stops = [{*map(check.is_disputed, one)} for one in check.stops if not one[0].is_doubted]
            words += f" in {number(sum(False in one for one in stops), 'sentence')}"
        head = Content.assemble(f" {fold} ", (words, look), (rest, "$secondary"))
        yield Option(head, id=f"{GROUP}{verdict}")
        if opened:
            yield from self._rows(check, group)

    def _rows(self, check: TextCheck, entries: Sequence[Entry]) -> Iterator[Option]:
        rows = check.rows
        for entry in entries[:MOST]:
            key = entry_key(entry)
            if rows.get(key, key) == key:
                yield Option(Row(partial(self._row, check, entry)), id=key)
        if len(entries) > MOST:
            yield Option(Content(f"  and {len(entries) - MOST} more"), disabled=True)

    def _row(self, check: TextCheck, entry: Entry) -> Content:
        """One fact: its sign and number, its words, and how many sources say what."""
        signs, width = self._signs, max(10, self._columns)
        state, read = check.handling(entry), False
        look = STYLES[entry.verdict].replace("underline ", "")
        sign = signs.verdict(entry.verdict)
        if state == "changed":
            sign, look = signs.plain("→")[-1], "bold $supported"
        elif state == "kept":
            sign, look = "=", "$secondary"
        elif read := check.is_read(entry):
            sign, look = signs.dash, "$secondary"
        # Numbers are those in the text, and change until the last fact is judged.
        number = "" if check.running or not entry.is_doubted else f"{entry.number} "
        lead = Content.assemble(" ", (f"{sign} {number}", look))
        counts = stance_counts(entry, signs)
        room = width - lead.cell_length - counts.cell_length - (1 if counts.plain else 0)
        text = self._fit(*self._words(check, entry), room)
        text = text.stylize("$secondary") if read else text
        space = " " * max(1, width - lead.cell_length - text.cell_length - counts.cell_length)
        return Content.assemble(lead, text, space, counts) if counts.plain else lead + text

    def _fit(self, words: str, wanted: str, room: int) -> Content:
        """The words that there is room for: the last ones, which tell what is said, unless others
        are ``wanted`` to be seen."""
        more = self._signs.plain("…")
        parts = words.split()
        ends = [" ".join(parts[n:]) for n in range(len(parts))]
        last = max((n for n, end in enumerate(ends) if wanted in end), default=len(parts) - 1)
        for n, end in enumerate(ends[: last + 1]):
            cut = Content(f"{more if n else ''}{end}")
            if cut.cell_length <= room:
                return cut
        return cut.truncate(max(0, room - len(more))) + Content(more)

    @staticmethod
    def _words(check: TextCheck, entry: Entry) -> tuple[str, str]:
        """The words of a fact, or those that were put in its place, and the part of them that is to
        be seen: the new words, or what is in doubt."""
        change = check.change_of(entry)
        if change is None:
            place = check.place_of(entry)
            return entry.reading, check.text[slice(*place)] if place is not None else ""
        before, after = changed_part(change.before, change.after)
        after = after or "removed"
        return f"{after} (was {before})" if before else f"{after} (put in)", after

    def render_line(self, y: int) -> Strip:
        """A row; the one of what is selected begins with a bar."""
        strip, at = super().render_line(y), self.scroll_offset.y + y
        options = self.options
        if not at < len(options) or options[at].id != self._row_key:
            return strip
        bar = self.get_visual_style("bar").rich_style
        return Strip.join([Strip([Segment(self._signs.plain("▌"), bar)]), strip.crop(1)])

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id is not None:
            self.post_message(self.Chosen(event.option_id))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = event.option_id or ""
        if name.startswith(GROUP):
            self._opened ^= {name.removeprefix(GROUP)}
            self._fill()
            self.refresh_bindings()  # Enter does the opposite now
            self.highlighted = self.get_option_index(name)
            # What was unfolded at the edge would be below it.
            self.call_after_refresh(self.scroll_to_highlight, top=True)
        elif name:
            self.post_message(self.Used(name))


def stance_counts(entry: Entry, signs: Signs) -> Content:
    """How many sources speak for or against an entry, each with its sign; empty for none."""
    if entry.fact is None:
        return Content("")
    speaking = ((one, drawn) for one, drawn in STANCES.items() if one != "silent")
    told = ((entry.fact.count(stance), *drawn) for stance, drawn in speaking)
    return Content.assemble(*((f" {n}{signs.plain(sign)}", look) for n, sign, look in told if n))
