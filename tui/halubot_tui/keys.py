"""The line below a screen that names its keys: as many as there is room for, and none cut off.

It is one line of text and not one widget a key, so that nothing is laid out anew when what can be
done changes, as it does while an answer comes in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from halubot_tui.keymaps import key_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.screen import Screen

FIRST: Final = (
    *("stop", "stop_correcting", "stop_comparing", "check_now", "back", "app.help", "help"),
    *("check_text", "finish", "inspect", "correct", "next_fact", "copy", "disagree"),
)
"""What is named first where there is no room for all; the palette has the rest."""
LAST: Final = ("back", "app.settings", "settings", "app.help", "help")
"""What is named behind all others: what a screen is for stands first."""
PRESSED: Final = "pressed"
"""The name under which a cell of the line knows its key."""

_GAP: Final = 2


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the line: what is pressed, what it does in a word and in a sentence."""

    pressed: str
    action: str
    label: str
    about: str
    enabled: bool

    @property
    def said(self) -> str:
        """What the line says of it."""
        return f"{key_names(self.pressed).replace('Ctrl+', '^')} {self.label}"


class Keys(Widget):
    """The keys of what one is at, those that matter most in any case; a click presses one. The key
    of the palette stands at the right."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Keys {
        dock: bottom; height: 1; text-wrap: nowrap;
        color: $footer-foreground; background: $footer-background;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._all: Sequence[Key] = ()
        self._under: str | None = None

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    @property
    def named(self) -> Sequence[Key]:
        """The keys that there is room for, in the order of the line."""
        room = self.app.size.width - 2
        fit: set[str] = set()
        for key in sorted(self._all, key=self._rank):
            wide = Content(key.said).cell_length + _GAP
            if wide <= room:
                fit.add(key.action)
                room -= wide
        shown = [key for key in self._all if key.action in fit]
        return sorted(shown, key=lambda key: key.action in LAST)

    def render(self) -> Content:
        """The line."""
        palette = self.app.COMMAND_PALETTE_BINDING
        named = self.named
        left = [self._drawn(key) for key in named if key.pressed != palette]
        right = [self._drawn(key) for key in named if key.pressed == palette]
        keys = Content(" " * _GAP).join(left)
        end = Content(" ").join(right)
        return Content.assemble(
            " ", keys, " " * (self.size.width - keys.cell_length - end.cell_length - 2), end
        )

    def on_mouse_move(self, event: events.MouseMove) -> None:
        under = event.style.meta.get(PRESSED)
        if under != self._under:
            self._under = under
            key = self._found(under)
            self.tooltip = key.about if key is not None else None
            self.refresh()

    def on_leave(self) -> None:
        if self._under is not None:
            self._under, self.tooltip = None, None
            self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        key = self._found(event.style.meta.get(PRESSED))
        if key is None:
            return
        if key.enabled:
            self.app.simulate_key(key.pressed)
        else:
            self.app.bell()

    def _changed(self, screen: Screen[object]) -> None:
        """Other things can be done than before, perhaps."""
        if not self.app.app_focus or screen is not self.screen:
            return
        now = tuple(_keys(screen))
        if now != self._all:
            self._all = now
            self.refresh()

    def _found(self, pressed: object) -> Key | None:
        return next((key for key in self._all if key.pressed == pressed), None)

    def _rank(self, key: Key) -> int:
        if key.pressed == self.app.COMMAND_PALETTE_BINDING:
            return -1
        return FIRST.index(key.action) if key.action in FIRST else len(FIRST)

    def _drawn(self, key: Key) -> Content:
        name, _, label = key.said.partition(" ")
        content = Content.assemble((name, "bold $footer-key-foreground"), f" {label}")
        if not key.enabled:
            content = content.stylize("dim")
        elif key.pressed == self._under:
            content = content.stylize("on $block-hover-background")
        return content.stylize(Style.from_meta({PRESSED: key.pressed}))


def _keys(screen: Screen[object]) -> Iterator[Key]:
    """The keys that the line of a screen may name, one an action."""
    palette = screen.app.COMMAND_PALETTE_BINDING
    done: set[str] = set()
    for pressed, (_, binding, enabled, tooltip) in screen.active_bindings.items():
        wanted = binding.show or (pressed == palette and screen.app.ENABLE_COMMAND_PALETTE)
        if wanted and binding.action not in done:
            done.add(binding.action)
            about = tooltip or binding.description
            yield Key(pressed, binding.action, binding.description, about, enabled)
