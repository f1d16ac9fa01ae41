"""A list of which one entry is looked at: a bar stands before it, for no colour alone tells it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widgets import OptionList
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.content import Content

    from halubot_tui.looks import Signs

Line = tuple["str | None", "Content"]
"""An option: its id, None of one that cannot be gone to, and its text."""


class Chooser(OptionList):
    """Entries of any height. It says nothing where its entries or the one looked at are set, only
    where a person goes to one."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """Textual would lay out the whole screen whenever it changes."""

    def __init__(self, signs: Signs, id: str) -> None:
        super().__init__(id=id, markup=False)
        self.signs = signs
        self._drawn: list[Line] = []
        self._drawn_of: object = None

    def fill(self, of: object, make: Callable[[], Iterable[Line]], chosen: str | None) -> None:
        """Shows the entries that ``make`` makes, where they are of something else than before, and
        the one with the id ``chosen`` as looked at. What did not change stays as it is drawn."""
        with self.prevent(OptionList.OptionHighlighted):
            if of != self._drawn_of:
                self._drawn_of = of
                self._replace(list(make()))
            ids = [id for id, _ in self._drawn]
            self.highlighted = ids.index(chosen) if chosen in ids and chosen is not None else None

    def watch_virtual_size(self, before: Size, after: Size) -> None:
        """Lays out the screen only where this list gets higher or lower by it."""
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
