"""The line of keys at the bottom: what the keys do where one is.

Textual's own footer mounts a widget for each key anew with every change, and its memory grows with
every check; this one draws a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.binding import Binding
from textual.content import Content
from textual.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.dom import DOMNode
    from textual.screen import Screen

PRESSED: Final = "pressed"
"""Under this name the style of a key holds the key that a click presses."""
ORDER: Final = (
    *("submit", "cancel", "take", "mark_word", "help", "quit", "interrupt", "select", "use"),
    *("empty", "review", "check_again", "edit", "keep", "save", "step(1)", "undo", "close"),
    *("app.command_palette", "command_palette", "", "app.focus_next"),
)
"""Actions in the order in which they get a place on the line; "" stands for all others."""
NAMES: Final = {
    "enter": "⏎",
    "question_mark": "?",
    "slash": "/",
    "escape": "Esc",
    "delete": "Del",
    "tab": "Tab",
    "shift+tab": "Shift+Tab",
    "plus": "+",
    "space": "Space",
}
_GAP: Final = 2


class KeyBar(Widget):
    """The keys of the focused part first, then those of the screen; a click presses one."""

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[tuple[str, str, str], ...] = ()

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._note_change)
        self._note_change(self.screen)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _note_change(self, screen: Screen[object]) -> None:
        now = tuple(_shown_keys(screen))
        if now != self._keys:
            self._keys = now
            self.refresh()

    def render(self) -> Content:
        """The keys that there is room for."""
        room = self.size.width - 2
        chosen: list[tuple[int, Content]] = []
        ranked = sorted(enumerate(self._keys), key=lambda one: (_rank(one[1][1]), one[0]))
        for place, (pressed, _, label) in ranked:
            name = self._key_name(pressed)
            drawn = Content.assemble((name, "bold $primary"), f" {label}")
            wide = drawn.cell_length + _GAP
            if wide <= room + _GAP:
                room -= wide
                style = Style.from_meta({PRESSED: pressed})
                chosen.append((place, drawn.stylize(style)))
        return Content(" ") + Content(" " * _GAP).join(one for _, one in sorted(chosen))

    def _key_name(self, pressed: str) -> str:
        first = pressed.split(",", maxsplit=1)[0]
        if first.startswith("ctrl+"):
            return f"^{first.removeprefix('ctrl+').upper()}"
        name = NAMES.get(first, first)
        return "Enter" if name == "⏎" and self.app.has_class("-ascii") else name

    def on_click(self, event: events.Click) -> None:
        pressed = event.style.meta.get(PRESSED)
        if isinstance(pressed, str):
            self.app.simulate_key(pressed.split("/")[0])


def _rank(action: str) -> int:
    name = action.removeprefix("screen.")
    return ORDER.index(name if name in ORDER else "")


def _place(node: DOMNode, binding: Binding) -> int:
    """The place of a binding among those that the class of its node has itself, before others."""
    own = [one.action for one in type(node).BINDINGS if isinstance(one, Binding)]
    return own.index(binding.action) if binding.action in own else len(own)


def _shown_keys(screen: Screen[object]) -> Iterator[tuple[str, str, str]]:
    """Yield the key, the action and the label of what can be done, once an action. A widget may
    tell the label of a key itself by a method ``key_label``; "" leaves the key out."""
    done: set[str] = set()
    found = [*screen.active_bindings.items()]
    nodes = [one[0] for _, one in found]
    # What a class binds anew would stand where its base class has it.
    found.sort(key=lambda it: (nodes.index(it[1][0]), _place(*it[1][:2])))
    for pressed, (node, binding, enabled, _) in found:
        label = binding.description
        if (own := getattr(node, "key_label", None)) is not None:
            label = own(binding.action, label)
        if binding.show and enabled and label and binding.action not in done:
            done.add(binding.action)
            yield binding.key_display or pressed, binding.action, label
