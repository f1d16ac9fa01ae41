"""A list in which one entry is chosen, or several are marked, by signs that need no colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

if TYPE_CHECKING:
    from textual.binding import BindingType


@dataclass(frozen=True, slots=True)
class Pick:
    """An entry: its name, what it is called, whether it can be chosen, and whether it is the
    ``heading`` of those after it."""

    name: str
    label: Content | str
    able: bool = True
    heading: bool = False


class Picks(OptionList):
    """Entries with ``(x)`` before the one that is chosen, which moving the cursor changes; with
    ``many``, with ``[x]`` before each that is marked, which the space bar changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Mark", show=False),
    ]
    DEFAULT_CSS = """
    Picks, Picks:focus {
        height: auto; max-height: 20; border: none; padding: 0; background: $surface;
        background-tint: $surface 0%; scrollbar-size-vertical: 1;
    }
    Picks > .option-list--option-highlighted {
        background: $surface; color: $foreground; text-style: none;
    }
    Picks:focus > .option-list--option-highlighted {
        background: $primary 12%; color: $foreground; text-style: bold;
    }
    Picks > .option-list--option-disabled { color: $text-muted; }
    """

    class Changed(Message):
        """Another entry is chosen, or others are marked."""

        def __init__(self, picks: Picks) -> None:
            super().__init__()
            self.picks = picks

        @property
        def control(self) -> Picks:
            """The list."""
            return self.picks

    def __init__(
        self, picks: Iterable[Pick] = (), *, id: str, chosen: str = "", many: bool = False
    ) -> None:
        super().__init__(id=id, markup=False)
        self._many = many
        self._picks: list[Pick] = []
        self._marked: set[str] = {chosen} if chosen else set()
        self.put_picks(picks)

    @property
    def marked_names(self) -> tuple[str, ...]:
        """The names of what is marked, in the order of the list."""
        return tuple(pick.name for pick in self._picks if pick.name in self._marked)

    @property
    def value(self) -> str:
        """The name of what is chosen, "" if nothing is."""
        return next(iter(self.marked_names), "")

    def mark(self, names: Iterable[str]) -> None:
        """Marks these, listed or not yet, and no others."""
        self._marked = set(names)

    def put_picks(self, picks: Iterable[Pick]) -> None:
        """Lists these entries."""
        self._picks = list(picks)
        self.clear_options()
        self.add_options(Option(self._line(p), id=p.name, disabled=not p.able) for p in self._picks)
        names = [pick.name for pick in self._picks]
        able = (at for at, pick in enumerate(self._picks) if pick.able)
        self.highlighted = names.index(self.value) if self.value in names else next(able, None)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if not self._many and event.option_id and event.option_id != self.value:
            self._mark({event.option_id})

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_id:
            self._mark(self._marked ^ {event.option_id} if self._many else {event.option_id})

    def _mark(self, names: set[str]) -> None:
        self._marked = names
        for place, pick in enumerate(self._picks):
            self.replace_option_prompt_at_index(place, self._line(pick))
        self.post_message(self.Changed(self))

    def _line(self, pick: Pick) -> Content:
        if pick.heading:
            return Content.assemble((str(pick.label), "bold"))
        sign = "x" if pick.name in self._marked else " "
        box = f"[{sign}] " if self._many else f"({sign}) "
        return Content.assemble((box, "bold" if sign == "x" else ""), pick.label)
