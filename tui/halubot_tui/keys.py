"""The keys: those a person chose, their names, and the footer that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.screen import Screen

from typing import TYPE_CHECKING

from halubot_tui.actions import ACTIONS, Action

if TYPE_CHECKING:
    from collections.abc import Mapping


_SAID: Final = {
    "escape": "Esc",
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "enter": "Enter",
    "delete": "Del",
    "tab": "Tab",
    "up": "Up",
    "down": "Down",
}


def key_names(keys: str) -> str:
    """Keys as people call them: "f1,question_mark" is "F1 or ?"."""
    return " or ".join(_key(key.strip()) for key in keys.split(",") if key.strip())


def _key(key: str) -> str:
    *held, last = key.split("+")
    if last in _SAID:
        last = _SAID[last]
    elif not held and len(last) == 1:
        return last
    else:
        last = last.upper() if len(last) <= 3 else last.capitalize()
    return "+".join([*(one.capitalize() for one in held), last])


def keymap(chosen: Sequence[str]) -> tuple[Mapping[str, str], Sequence[str]]:
    """The keys that a person chose, each as ``action=key,key``, and what is wrong with the others:
    an unknown action, no key, or a key that is taken in the same place."""
    known = {action.id: action for action in ACTIONS}
    found: dict[str, str] = {}
    wrong: list[str] = []
    for item in chosen:
        name, _, keys = (part.strip() for part in item.partition("="))
        if name not in known:
            wrong.append(f"there is no action {name!r}")
        elif not keys:
            wrong.append(f"{name} has no key: write {name}=KEY")
        else:
            found[name] = keys
    for name in list(found):
        taken = _take(known[name], found)
        if taken is not None:
            wrong.append(
                f"{found.pop(name)} is the key of {taken} already, so {name} keeps its own"
            )
    return found, wrong


def _take(action: Action, found: Mapping[str, str]) -> str | None:
    """Another action with one of this one's new keys if both can be pressed."""
    wanted = set(found[action.id].split(","))
    for other in ACTIONS:
        together = other.place in (action.place, "app") or action.place == "app"
        keys = set(found.get(other.id, other.keys).split(","))
        if other is not action and together and wanted & keys:
            return other.id
    return None


FIRST: Final = (
    *("stop", "stop_correcting", "stop_comparing", "check_now", "accept", "reject", "edit"),
    *("app.export", "app.copy", "back", "next_left", "accept_all"),
    *("app.help", "help", "check_text", "finish", "inspect"),
    *("correct", "next_fact", "copy", "export", "disagree"),
)
"""What is named first if there is no room for all; the palette has the rest."""
LAST: Final = ("back", "app.settings", "settings", "app.help", "help", "quit")
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
    def label_shown(self) -> str:
        """Return what the line says of it."""
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
        self.screen.bindings_updated_signal.subscribe(self, self._note_change)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    @property
    def shown_keys(self) -> Sequence[Key]:
        """The keys that there is room for, in the order of the line."""
        room = self.app.size.width - 2
        fit: set[str] = set()
        for key in sorted(self._all, key=self._rank):
            wide = Content(key.label_shown).cell_length + _GAP
            if wide <= room:
                fit.add(key.action)
                room -= wide
        shown = [key for key in self._all if key.action in fit]
        return sorted(shown, key=lambda key: key.action in LAST)

    def render(self) -> Content:
        """The line."""
        palette = self.app.COMMAND_PALETTE_BINDING
        named = self.shown_keys
        left = [self._draw_key(key) for key in named if key.pressed != palette]
        right = [self._draw_key(key) for key in named if key.pressed == palette]
        keys = Content(" " * _GAP).join(left)
        end = Content(" ").join(right)
        return Content.assemble(
            " ", keys, " " * (self.size.width - keys.cell_length - end.cell_length - 2), end
        )

    def on_mouse_move(self, event: events.MouseMove) -> None:
        under = event.style.meta.get(PRESSED)
        if under != self._under:
            self._under = under
            key = self._find_key(under)
            self.tooltip = key.about if key is not None else None
            self.refresh()

    def on_leave(self) -> None:
        if self._under is not None:
            self._under, self.tooltip = None, None
            self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        key = self._find_key(event.style.meta.get(PRESSED))
        if key is None:
            return
        if key.enabled:
            self.app.simulate_key(key.pressed)
        else:
            self.app.bell()

    def _note_change(self, screen: Screen[object]) -> None:
        """Other things can be done than before, perhaps."""
        if not self.app.app_focus or screen is not self.screen:
            return
        now = tuple(_keys(screen))
        if now != self._all:
            self._all = now
            self.refresh()

    def _find_key(self, pressed: object) -> Key | None:
        return next((key for key in self._all if key.pressed == pressed), None)

    def _rank(self, key: Key) -> int:
        if key.pressed == self.app.COMMAND_PALETTE_BINDING:
            return -1
        return FIRST.index(key.action) if key.action in FIRST else len(FIRST)

    def _draw_key(self, key: Key) -> Content:
        name, _, label = key.label_shown.partition(" ")
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
    quiet = getattr(screen, "quiet_actions", ())
    for pressed, (_, binding, enabled, tooltip) in screen.active_bindings.items():
        if binding.action in quiet:
            continue
        wanted = binding.show or (pressed == palette and screen.app.ENABLE_COMMAND_PALETTE)
        if wanted and binding.action not in done:
            done.add(binding.action)
            about = tooltip or binding.description
            yield Key(pressed, binding.action, binding.description, about, enabled)
