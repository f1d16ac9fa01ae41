"""The command palette: every action of the registry by its name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

from halubot_tui import actions, keymaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Commands(CommandPalette):
    """The palette itself, drawn as the forms are."""

    SCOPED_CSS = False  # the class of plain signs is the app's
    DEFAULT_CSS = """
    Commands > Vertical { width: 90%; max-width: 110; margin-top: 2; background: $background 0%; }
    Commands SearchIcon { display: none; }
    Commands #--input, Commands #--input.--list-visible {
        border: round $primary; background: $surface; padding: 0 1;
    }
    Commands CommandInput, Commands CommandInput:focus { border: none; height: 1; }
    Commands CommandList, Commands CommandList.--populating {
        background: $surface; border: round $primary; padding: 0 1;
    }
    Commands * {
        scrollbar-size-vertical: 1; scrollbar-color: $rule; scrollbar-background: $surface;
        scrollbar-color-hover: $secondary; scrollbar-background-hover: $surface;
        scrollbar-color-active: $primary; scrollbar-background-active: $surface;
    }
    Commands CommandList > .option-list--option-highlighted {
        background: $primary 12%; color: $foreground;
    }
    .-ascii Commands #--input, .-ascii Commands #--input.--list-visible,
    .-ascii Commands CommandList, .-ascii Commands CommandList.--populating {
        border: ascii $primary;
    }
    """

    def __init__(self) -> None:
        super().__init__(placeholder="Search for an action", id="--command-palette")


class Palette(Provider):
    """Offers the actions that can be done on the screen that the palette was opened from."""

    async def discover(self) -> Hits:
        for action, do in self._found():
            yield DiscoveryHit(action.label, do, help=_help(action))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action, do in self._found():
            score = max(matcher.match(action.label), matcher.match(action.about) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(action.label), do, help=_help(action))

    def _found(self) -> Iterator[tuple[actions.Action, Callable[[], Any]]]:
        for action in actions.commands():
            doer = actions.doer(self.screen, action)
            if doer is not None:
                yield action, partial(self.app.run_action, action.method, doer)


def _help(action: actions.Action) -> str:
    keys = keymaps.key_names(action.keys)
    return f"{action.about} ({keys})" if keys else action.about
