"""The command palette: every action of the registry by its name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from textual.command import DiscoveryHit, Hit, Hits, Provider

from halubot_tui import actions, keymaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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
    keys = keymaps.said(action.keys)
    return f"{action.about} ({keys})" if keys else action.about
