"""The commands of the palette: everything that can be done, with its key if it has one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.command import Hits

    from halubot_tui.app import HalubotApp


class Command(NamedTuple):
    """A command: its name, what it does, the action that does it, and its key, "" for none."""

    name: str
    about: str
    action: str
    key: str = ""


COMMANDS: Final = (
    Command("Check again", "the corrected text, or the same text once more", "check_again", "c"),
    Command("Use the proposed value", "of the fact that is looked at", "use", "Enter"),
    Command("Edit the sentence", "beside the words of the sources", "edit", "e"),
    Command("Keep as it stands", "the fact that is looked at", "keep", "k"),
    Command("Right or wrong", "say of the fact which it is", "own_verdict", "w"),
    Command("Undo", "the last change", "undo", "u"),
    Command("Save", "the corrected text, or a report", "save", "s"),
    Command("Sources", "what the text is compared with; search the web", "sources", "+"),
    Command("Sessions", "search, open, rename or delete", "sessions", "Ctrl+R"),
    Command("New session", "begin with an empty screen", "new", "Ctrl+N"),
    Command("Earlier check", "of this session", "app.show_neighbour(-1)"),
    Command("Later check", "of this session", "app.show_neighbour(1)"),
    Command("Ask or check", "whether what is written is a question or a text", "switch_kind"),
    Command("Settings", "model, judge, samples, budget, theme", "app.settings"),
    Command("Example", "open a text with planted errors", "example"),
    Command("Help", "the keys and the signs", "app.help", "?"),
    Command("Quit", "everything is stored", "app.quit", "Ctrl+Q"),
)


class Commands(Provider):
    """The commands that can be given now."""

    @property
    def _halubot(self) -> HalubotApp:
        from halubot_tui.app import HalubotApp

        assert isinstance(self.app, HalubotApp)  # noqa: S101 - no other app has these commands
        return self.app

    def _available(self) -> Iterator[Command]:
        main = self._halubot.main
        for command in COMMANDS:
            name, _, _ = command.action.partition("(")
            if name.startswith("app.") or main.check_action(name, ()) is not False:
                yield command

    def _run(self, command: Command) -> None:
        app = self._halubot
        app.run_worker(
            app.run_action(command.action, app.main), group="commands", exit_on_error=False
        )

    async def discover(self) -> Hits:
        for command in self._available():
            display = _display(Content(command.name), command)
            yield DiscoveryHit(display, partial(self._run, command), command.name, command.about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in self._available():
            score = max(matcher.match(command.name), matcher.match(command.about) / 2)
            if score > 0:
                display = _display(matcher.highlight(command.name), command)
                run = partial(self._run, command)
                yield Hit(score, display, run, command.name, command.about)


def _display(name: Content, command: Command) -> Content:
    """The name of a command, and its key at the end."""
    return Content.assemble(name, (f"   {command.key}", "bold $primary")) if command.key else name
