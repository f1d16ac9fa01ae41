"""The settings: who answers and judges, how, for how much, and how halubot looks.

What each means and which values it may have is declared once, by the options of the command line.
"""

from __future__ import annotations

import asyncio
import shlex
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Select, Static
from textual.widgets.option_list import Option

from halubot import config
from halubot.errors import SettingError
from halubot.render.inert import one_line
from halubot_tui import actions, keymaps
from halubot_tui.form import Form, hint, label, wrong
from halubot_tui.forms import method_choices
from halubot_tui.inspecting.drawing import stacked
from halubot_tui.keys import Keys
from halubot_tui.looks import THEMES
from halubot_tui.preferences import Preferences, help_of, parted, typed, written
from halubot_tui.welcome import ways

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.models.reachable import Reachable

SUITS: Final = (Content("cascade with a model, consensus without"), "")
NO_MODEL: Final = "No server on this machine offers a model. To get one:"
LABELS: Final[Mapping[str, str]] = {
    "model": "Model",
    "judge_model": "Judge",
    "judge": "Judge on this machine",
    "api_base": "Address of the server",
    "method": "Method",
    "n_samples": "Samples",
    "threshold": "Threshold",
    "knowledge": "Knowledge",
    "max_calls": "Most calls a message",
    "max_cost": "Most dollars a message",
    "timeout": "Seconds a call",
    "deadline": "Seconds a check",
    "on_doubt": "What stays in doubt",
    "theme": "Theme",
    "ascii": "Plain signs",
    "motion": "Motion",
    "keys": "Keys",
}
"""The settings that are shown, and what they are called."""
SECTIONS: Final[Mapping[str, str]] = {
    "model": "Models",
    "method": "Checking",
    "max_calls": "Budget of one message",
    "on_doubt": "Correcting",
    "theme": "halubot",
}
"""Which settings begin a section."""
CHOICES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "on_doubt": (("leave it", "mark"), ("remove it", "remove"), ("hedge it", "hedge")),
    "theme": tuple((theme.name, theme.name) for theme in THEMES),
    "ascii": (("where the terminal needs them", ""), ("always", "true"), ("never", "false")),
    "motion": (("yes", "true"), ("no", "false")),
}
MANY: Final = ("knowledge", "keys")
"""Settings with several values, parted by spaces."""
USUAL: Final[Mapping[str, str]] = {
    "model": "none",
    "judge_model": "the same model",
    "judge": "none",
    "api_base": "the provider's own",
    "n_samples": "20",
    "threshold": "as calibrated",
    "knowledge": "none",
    "max_calls": "no limit",
    "max_cost": "no limit",
    "timeout": "60",
    "deadline": "no limit",
    "keys": "ACTION=KEY ACTION=KEY",
}
"""What holds where nothing is written."""


class SettingsScreen(Form[Preferences]):
    """All settings with what holds now; dismissed with those that were saved."""

    BINDINGS: ClassVar[list[BindingType]] = [actions.named("save").binding()]
    DEFAULT_CSS = """
    SettingsScreen .section { color: $accent; text-style: bold; padding-top: 1; height: auto; }
    SettingsScreen .section.-first { padding-top: 0; }
    SettingsScreen .row { height: auto; }
    SettingsScreen .row .label { width: 28; }
    SettingsScreen.-small .row { layout: vertical; }
    SettingsScreen.-small .row .label { width: 1fr; }
    SettingsScreen Input, SettingsScreen SelectCurrent {
        border: none !important; padding: 0 1 !important; height: 1 !important;
    }
    SettingsScreen Input:focus, SettingsScreen Select:focus > SelectCurrent {
        background: $primary 25%;
    }
    SettingsScreen .hint, SettingsScreen .wrong { padding: 0 1 0 28; }
    SettingsScreen.-small .hint, SettingsScreen.-small .wrong { padding: 0 1; }
    SettingsScreen #reachable {
        height: auto; max-height: 7; margin: 0 0 0 28; background: $surface; border: none;
    }
    SettingsScreen.-small #reachable { margin: 0; }
    """

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        self._before = {name: self._shown(name) for name in LABELS}
        self._models: dict[str, Reachable] = {}

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Settings"
            panel.border_subtitle = Content(one_line(str(config.path())))
            with VerticalScroll(id="fields", can_focus=False):
                for place, name in enumerate(LABELS):
                    if name in SECTIONS:
                        section = Static(SECTIONS[name], classes="section", markup=False)
                        yield section.set_class(not place, "-first")
                    with Horizontal(classes="row"):
                        yield label(LABELS[name])
                        yield self._field(name)
                    yield wrong(name)
                    yield hint(self._about(name))
                    if name == "api_base":
                        yield Static(
                            "looking for models", id="looking", classes="hint", markup=False
                        )
                        yield OptionList(id="reachable", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Back", id="back", compact=True)
                yield Button("Save", id="save", variant="primary", compact=True)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#model").focus()
        self.run_worker(self._list_methods(), exit_on_error=False)
        self.run_worker(self._look(), exit_on_error=False)

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "save":
            self.action_save()
        else:
            self.action_back()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A model that can be reached is chosen, with its address."""
        model = self._models[str(event.option_id)]
        self.query_one("#model", Input).value = model.name
        self.query_one("#api_base", Input).value = model.api_base or ""

    def action_save(self) -> None:
        self.run_worker(self._save(), exclusive=True, group="save", exit_on_error=False)

    def _field(self, name: str) -> Input | Select[str]:
        value = self._before[name]
        if name == "method":
            return Select([SUITS], allow_blank=False, id=name, compact=True)
        if name in CHOICES:
            return Select(CHOICES[name], value=value, allow_blank=False, id=name, compact=True)
        return Input(value, placeholder=USUAL.get(name, ""), id=name, compact=True)

    def _shown(self, name: str) -> str:
        """What holds now, as it is written; keys and passwords struck out."""
        from halubot.models.vendor_errors import without_keys

        value: Any = getattr(self._preferences, name)
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, tuple):
            return shlex.join(value)
        return without_keys(value) if isinstance(value, str) else f"{value:g}"

    def _about(self, name: str) -> str:
        about = ABOUT.get(name) or help_of(name)
        origin = self._preferences.origins.get(name, "default")
        if origin not in ("default", "file"):
            from_ = "an option of this start" if origin == "option" else f"the variable {origin}"
            about += f" This one is from {from_}, which stands above what is saved."
        return about

    def _typed(self) -> dict[str, str]:
        """What is written in each field."""
        found: dict[str, str] = {}
        for name in LABELS:
            field = self.query_one(f"#{name}")
            value = field.value if isinstance(field, (Input, Select)) else ""
            found[name] = str(value).strip()
        return found

    async def _save(self) -> None:
        """Saves what was changed, or says what cannot be."""
        changed: dict[str, Any] = {}
        right = True
        for name, text in self._typed().items():
            self.complain(name, "")
            if text == self._before[name]:
                continue
            try:
                changed[name] = self._read(name, text)
            except SettingError as error:
                self.complain(name, str(error))
                if right:
                    self.query_one(f"#{name}").focus()
                right = False
        if not right:
            return
        try:
            file = await asyncio.to_thread(
                config.change, {name: written(name, value) for name, value in changed.items()}
            )
        except SettingError as error:
            self.notify(one_line(str(error)), title="Not saved", severity="error", markup=False)
            return
        if changed:
            self.notify(f"saved in {one_line(str(file))}", markup=False)
        self.dismiss(self._preferences.changed(**changed))

    def _read(self, name: str, text: str) -> Any:
        """The value of a setting as it is written. Raises SettingError."""
        if not text:
            return getattr(Preferences(), name)
        value = typed(name, parted(text) if name in MANY else text)
        if name == "keys" and (faults := keymaps.keymap(value)[1]):
            raise SettingError("; ".join(faults))
        return value

    async def _list_methods(self) -> None:
        choices = [SUITS, *await asyncio.to_thread(method_choices)]
        field = self.query_one("#method", Select)
        field.set_options(choices)
        wanted = self._before["method"]
        field.value = wanted if any(name == wanted for _, name in choices) else ""

    async def _look(self) -> None:
        """Lists the models that can be reached, with who receives the text."""
        from halubot.models.reachable import Named, reachable

        preferences = self._preferences
        named = [Named(preferences.model, "file")] if preferences.model else []
        found, problems = await asyncio.to_thread(
            reachable, named, preferences.api_base, offline=preferences.offline
        )
        shown = self.query_one("#looking", Static)
        listed = self.query_one("#reachable", OptionList)
        for place, model in enumerate(found):
            self._models[str(place)] = model
            listed.add_option(Option(_line(model), id=str(place)))
        lines = [Content(one_line(problem)) for problem in problems]
        lines.append(Content("Enter chooses one of these:" if found else NO_MODEL))
        room = shown.content_size.width or self.size.width
        shown.update(stacked(lines if found else [*lines, *ways(room)]))
        listed.display = bool(found)


ABOUT: Final[Mapping[str, str]] = {
    "method": "How to judge.",
    "knowledge": "Look up what the text says there: bases of halubot knowledge, ZIM files,"
    " wikipedia or wikipedia:LANGUAGE; parted by spaces.",
    "keys": "Other keys for actions, such as check-text=f12, parted by spaces: / tells the names of"
    " actions, F1 their keys.",
}
"""What is said of a setting here in other words than on the command line."""


def _line(model: Reachable) -> Content:
    where = "the text stays here" if model.local else f"{model.endpoint} receives the text"
    if model.missing_key:
        where += f"; {model.missing_key} is not set"
    return Content.assemble((one_line(model.name), "bold"), (f"  {one_line(where)}", "$secondary"))
