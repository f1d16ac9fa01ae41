"""The list of facts: doubted ones first, supported and unchecked ones folded."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from halubot_tui.corrections import changed_part, entry_key
from halubot_tui.theme import STYLES, Signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.verdicts import Verdict
    from halubot_tui.text_check import TextCheck

MOST: Final = 300
"""Facts of a group that are listed; of more there is a count."""
GROUPS: Final[tuple[Verdict, ...]] = ("not_checked", "supported")
"""The verdicts whose facts are folded."""
_NARROW: Final = 30
_TALL: Final = 30
"""Rows of the terminal from which there is room for a line that explains the signs."""
STANCES: Final = (
    ("contradicts", "✗", "x", "$contradicted", "against"),
    ("silent", "·", ".", "$secondary", "neither"),
    ("supports", "✓", "+", "$supported", "for"),
)
"""The stances: their signs, their look, and what they are called behind a number."""
GROUP: Final = "group "
"""How the ids of groups begin; those of facts are their keys."""


class FactList(OptionList):
    """The facts of a check. It draws what it is told to; the screen decides what is selected."""

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
        self.left: list[str] = []
        """The keys of the facts that are left to a person, in the order of the list."""

    def show(self, check: TextCheck | None, key: str | None) -> None:
        """Show the facts of a check with the cursor on one."""
        if self._check is not None and (check is None or check.id != self._check.id):
            self._opened.clear()
        moved = key != self._key or check is not self._check
        self._check, self._key = check, key
        entry = None if check is None else check.entry(key)
        if entry is not None and not entry.is_doubted and not (check and check.running):
            self._opened.add(entry.verdict)
        self._fill(moved=moved)

    def key_label(self, action: str, label: str) -> str:
        """What Enter does on the row under the cursor; "" for nothing."""
        if action != "select":
            return label
        at = self.highlighted
        name = "" if at is None else self.get_option_at_index(at).id or ""
        if name.startswith(GROUP):
            return "fold" if name.removeprefix(GROUP) in self._opened else "unfold"
        return label if self.screen.check_action("use", ()) else ""

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._columns:
            self._fill()

    @property
    def chosen(self) -> str | None:
        """The id of the row under the cursor."""
        at = self.highlighted
        return None if at is None else self.get_option_at_index(at).id

    def _fill(self, *, moved: bool = False) -> None:
        """Draw the rows anew; the cursor stays on its row unless another fact was gone to."""
        before = self._key if moved or self.chosen is None else self.chosen
        self._columns = self.scrollable_content_region.width
        check = self._check
        options = [] if check is None else [*self._list_of(check)]
        self.left = [] if check is None else [*map(entry_key, check.left)]
        at = None
        with self.prevent(OptionList.OptionHighlighted):
            self.clear_options()
            self.add_options(options)
            for place, option in enumerate(options):
                if option.id is not None and option.id == before:
                    at = place
            self.highlighted = at
        self.border_title = self._title(check)

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
            done = len(entries) - doubted - undecided - supported
            if undecided < len(entries):
                parts.append(f"{doubted} in doubt")
            parts += [f"{undecided} {check.word_of('not_checked')}"] if undecided else []
            parts += [f"{done} done"] if done else []
            parts += [f"{supported} supported"] if supported else []
            parts = parts or ["not checked"]
        dash = f" {self._signs.dash} "
        room = self._columns - len("Facts  ")
        while len(parts) > 2 and len(dash.join(parts)) > room:
            parts.pop()  # the groups below tell it too
        return Content.assemble("Facts  ", (dash.join(parts), "not bold"))

    def _list_of(self, check: TextCheck) -> Iterator[Option]:
        entries = check.listed
        doubted = [one for one in entries if one.is_doubted]
        for entry in doubted[:MOST]:
            yield Option(self._row(check, entry), id=entry_key(entry))
        if len(doubted) > MOST:
            yield Option(Content(f"  and {len(doubted) - MOST} more"), disabled=True)
        if check.running:
            group = [one for one in entries if one.verdict == "supported"]
            yield from self._group(check, "supported", group)
            left = check.progress.facts - len(check.progress.judged)
            if left > 0:
                yield Option(Content(f" {self._signs.busy} {left} being checked"), disabled=True)
            return
        groups = {one.verdict for one in entries}
        if len(groups) == 1:
            self._opened |= groups  # there is nothing else to look at
        for verdict in GROUPS:
            group = [one for one in entries if one.verdict == verdict]
            yield from self._group(check, verdict, group)
        yield from self._legend(entries)
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
        left = check.counts[verdict]
        done = f" {self._signs.dash} {len(group) - left} done" if left < len(group) else ""
        words = f"{left} {check.word_of(verdict)}"
        head = Content.assemble(f" {fold} ", (words, look), (done, "$secondary"))
        yield Option(head, id=f"{GROUP}{verdict}")
        for entry in group[:MOST] if opened else ():
            yield Option(self._row(check, entry), id=entry_key(entry))
        if opened and len(group) > MOST:
            yield Option(Content(f"  and {len(group) - MOST} more"), disabled=True)

    def _row(self, check: TextCheck, entry: Entry) -> Content:
        """One fact: its sign and number, its words, and how many sources say what."""
        signs, width = self._signs, max(10, self._columns)
        state = check.handling(entry)
        look = STYLES[entry.verdict].replace("underline ", "")
        sign = signs.verdict(entry.verdict)
        if state == "changed":
            sign, look = signs.arrow[-1], "bold $supported"
        elif state == "kept":
            sign, look = "=", "$secondary"
        # Numbers go by doubt, and change until the last fact is judged.
        number = "" if check.running else f"{entry.number} "
        mark = " " if entry_key(entry) != self._key else ">" if signs.ascii else "▌"
        lead = Content.assemble((mark, "$primary"), (f"{sign} {number}", look))
        counts = self._counts(entry) if width >= _NARROW else Content("")
        room = width - lead.cell_length - counts.cell_length - (1 if counts.plain else 0)
        text = self._fit(self._words(check, entry), room, self._own_value(check, entry))
        space = " " * max(1, width - lead.cell_length - text.cell_length - counts.cell_length)
        return Content.assemble(lead, text, space, counts) if counts.plain else lead + text

    def _fit(self, words: str, room: int, value: str) -> Content:
        """The words that there is room for: of a fact the beginning and the end rather than the
        middle, and the value that is doubted."""
        if Content(words).cell_length <= room:
            return Content(words)
        more = "..." if self._signs.ascii else "…"
        parts = words.split()
        less = [n for n in range(1, len(parts) - 1) if parts[n] not in value.split()]
        for n in sorted(less, key=lambda n: abs(2 * n - len(parts))):
            parts[n] = more
            cut = " ".join(one for one, _ in groupby(parts))
            if Content(cut).cell_length <= room:
                return Content(cut)
        return Content(words).truncate(max(0, room - len(more))) + Content(more)

    @staticmethod
    def _own_value(check: TextCheck, entry: Entry) -> str:
        """The words of a fact that are likely to be wrong, as far as they are known."""
        edit = check.corrections.proposal(entry)
        tail = entry.fact.parts.tail if entry.fact is not None else None
        return edit.before if edit is not None else check.text[slice(*tail)] if tail else ""

    @staticmethod
    def _words(check: TextCheck, entry: Entry) -> str:
        """The words of a fact, or those that were put in its place."""
        change = check.change_of(entry)
        if change is None:
            return entry.reading
        before, after = changed_part(change.before, change.after)
        return f"{after or 'removed'} (was {before})" if before else f"{after} (put in)"

    def _counts(self, entry: Entry) -> Content:
        if entry.fact is None or not entry.fact.evidence:
            return Content("")
        parts: list[tuple[str, str]] = []
        for stance, sign, plain, look, _ in STANCES:
            count = sum(one.stance == stance for one in entry.fact.evidence)
            if count:
                drawn = plain if self._signs.ascii else sign
                parts.append((f"{count}{drawn} ", look))
        return Content.assemble(*parts).rstrip()

    def _legend(self, entries: Sequence[Entry]) -> Iterator[Option]:
        """Yield a line that explains the signs behind facts, if they are there and have room."""
        counted = any(one.fact is not None and one.fact.evidence for one in entries)
        if counted and self._columns >= _NARROW and self.app.size.height >= _TALL:
            said = "  ".join(
                f"{plain if self._signs.ascii else sign} {word}"
                for _, sign, plain, _, word in STANCES
            )
            yield Option(Content(f" sources: {said}").stylize("$secondary"), disabled=True)

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
            self.highlighted = self.get_option_index(name)
        elif name:
            self.post_message(self.Used(name))
