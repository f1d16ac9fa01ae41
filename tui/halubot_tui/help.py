"""The help and the command palette: every action of the registry, its keys, and the signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from halubot.render import captions
from halubot_tui import actions
from halubot_tui import keys as keymaps
from halubot_tui.form import Form
from halubot_tui.keys import Keys
from halubot_tui.looks import STYLES, Signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.screen import Screen

from functools import partial
from typing import TYPE_CHECKING

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

if TYPE_CHECKING:
    from collections.abc import Callable

HERE: dict[actions.Place, str] = {
    "composer": "Where you write",
    "conversation": "The conversation",
    "inspector": "The inspector",
    "correction": "The correction",
    "compare": "The comparison",
    "list": "The sessions",
    "form": "This form",
}
"""What the help calls the places."""

START = (
    "Paste a text, press Tab, paste what to compare it with. F2 checks it, F4 corrects it, F9 saves"
    " it, Ctrl+Q leaves. Everything is kept."
)

BEGIN = (
    "An answer, or a text of yours, is cut into facts. Each is compared with other answers to the"
    " same question (samples) and with documents that you trust (references). What they do not"
    " support is marked in the text, with a sign and the number that it has in the inspector."
)

DOUBT = (
    "Doubt is a number from 0 to 1, drawn as a bar: the higher it is, the more speaks against a"
    " fact, or the less for it. Facts at or above the threshold (F8) are in doubt: contradicted if"
    " a source says otherwise, else doubtful. A fact is not checked if the sources say too little"
    " of it. The bar in the list of facts counts the sources against it, silent and for it."
)

MORE = "Down or Page down: more"

OTHERWISE = (
    "Where a terminal keeps a key for itself, / and the name of the action do the same where you"
    " write, and Tab goes to the buttons of a form."
)


class HelpScreen(Form[None]):
    """First what can be done in ``place``, if the person is, on the screen of ``asking``, then
    everything else."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1,question_mark", "back", "Back", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
    ]
    DEFAULT_CSS = """
    HelpScreen .group { color: $primary; text-style: bold; padding-top: 1; }
    HelpScreen .hint { padding: 1 0 0 0; }
    HelpScreen Static { height: auto; }
    """

    def __init__(
        self,
        signs: Signs,
        chosen: Sequence[str],
        place: actions.Place | None,
        asking: Screen[Any] | None = None,
    ) -> None:
        super().__init__()
        self._asking = asking
        self._signs = signs
        self._keys, _ = keymaps.keymap(chosen)
        self._place = place

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Help"
            panel.border_subtitle = MORE
            with VerticalScroll(id="fields"):
                yield Static(START, markup=False)
                yield Static(Content(BEGIN), markup=False, classes="hint")
                yield Static(self._legend(), markup=False, classes="hint")
                yield Static(DOUBT, markup=False, classes="hint")
                for title, found in self._groups():
                    yield Static(title, classes="group", markup=False)
                    yield Static(self._table(found), markup=False)
                yield Static(OTHERWISE, markup=False, classes="hint")
        yield Keys()

    def on_mount(self) -> None:
        fields = self.query_one("#fields")
        fields.focus()
        self.watch(fields, "scroll_y", self._say_more, init=False)

    def _say_more(self) -> None:
        fields = self.query_one("#fields")
        self.query_one("#panel").border_subtitle = MORE if not fields.is_vertical_scroll_end else ""

    def action_scroll(self, by: int) -> None:
        self.query_one("#fields").scroll_relative(y=by)

    def _legend(self) -> Content:
        return Content("   " if self.app.size.width >= 80 else "\n").join(
            Content.assemble(
                (self._signs.verdict(verdict), STYLES[verdict].replace("underline ", "")),
                f" {captions.VERDICTS[verdict]}",
            )
            for verdict in captions.SEVERITY
        )

    def _groups(self) -> Iterator[tuple[str, list[actions.Action]]]:
        here = [one for one in actions.ACTIONS if one.place == self._place and self._has(one)]
        if here and self._place is not None:
            yield HERE.get(self._place, "Here"), here
        left = [one for one in actions.ACTIONS if one not in here and one.place != "form"]
        for group in dict.fromkeys(one.group for one in left):
            yield group, [one for one in left if one.group == group]

    def _has(self, action: actions.Action) -> bool:
        """Return whether the form that is asked about can do an action of forms."""
        if self._asking is None or action.place != "form":
            return True
        nodes = (self._asking, *self._asking.walk_children())
        return any(
            hasattr(node, f"action_{action.method}") and node.check_action(action.method, ())
            for node in nodes
        )

    def _table(self, found: Sequence[actions.Action]) -> Table:
        table = Table.grid(padding=(0, 2, 0, 0), expand=True)
        table.add_column(width=14 if self.app.size.width < 80 else 24)
        table.add_column(ratio=1)
        for one in found:
            keys = keymaps.key_names(self._keys.get(one.id, one.keys)) or f"/{one.id}"
            table.add_row(Text(keys, style="bold"), Text(f"{one.label}: {one.about}"))
        return table


def place_of(node: DOMNode | None) -> actions.Place | None:
    """The place of the registry that a widget belongs to."""
    while node is not None:
        match node.id:
            case "composer" | "conversation" | "inspector" | "list":
                return node.id
            case _ if isinstance(node, Form):
                return node.PLACE
        node = node.parent
    return None


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
    Commands CommandInput > .input--placeholder { color: $secondary; }
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
        for action, do in self._find_actions():
            yield DiscoveryHit(action.label, do, help=_help(action))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for action, do in self._find_actions():
            score = max(matcher.match(action.label), matcher.match(action.about) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(action.label), do, help=_help(action))

    def _find_actions(self) -> Iterator[tuple[actions.Action, Callable[[], Any]]]:
        for action in actions.commands():
            doer = actions.doer(self.screen, action)
            if doer is not None:
                yield action, partial(self.app.run_action, action.method, doer)


def _help(action: actions.Action) -> str:
    keys = keymaps.key_names(action.keys)
    return f"{action.about} ({keys})" if keys else action.about
