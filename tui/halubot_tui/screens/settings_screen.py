"""The settings on one screen, each with its default and where its value comes from.

What each means and which values it may have is declared by the options of the command line.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Select, Static
from textual.widgets.option_list import Option

from halubot import settings
from halubot.defaults import SAMPLES
from halubot.errors import HalubotError, SettingError
from halubot.money import dollars
from halubot.render.inert import crop, one_line
from halubot_tui.model_offers import find_offers, matching
from halubot_tui.orders import TryModel
from halubot_tui.preferences import (
    Preferences,
    help_of,
    parse_setting,
    preference_value,
    split_words,
    write_preference,
)
from halubot_tui.problems import in_app_words
from halubot_tui.screens.dialogs import ConfirmDialog
from halubot_tui.theme import THEMES, Signs
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot_tui.checker import Checker
    from halubot_tui.model_offers import Offer

SHOWN: Final[Mapping[str, tuple[str, str]]] = {
    "model": ("Model", "none"),
    "api_base": ("Server", "the provider's"),
    "judge_model": ("Judge", "the model"),
    "n_samples": ("Samples", str(SAMPLES)),
    "knowledge": ("Knowledge", "none"),
    "web": ("Web", "none"),
    "max_calls": ("Most calls", "no limit"),
    "max_cost": ("Most dollars", "no limit"),
    "deadline": ("Most seconds", "no limit"),
    "theme": ("Theme", THEMES[0].name),
}
"""The settings that are shown: what each is called, and its default."""
MANY: Final = ("knowledge", "web")
"""Settings with several values, parted by spaces."""
TRY_SECONDS: Final = 60.0
"""How long a test call may take."""


class SettingsScreen(ModalScreen[Preferences]):
    """All settings with their values; dismissed with those that were saved. ``checker`` makes the
    test call."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "save", "save", priority=True),
        Binding("ctrl+t", "test_model", "test call"),
        Binding("tab", "app.focus_next", "next"),
        Binding("escape", "leave", "cancel"),
    ]

    def __init__(self, preferences: Preferences, checker: Checker, signs: Signs) -> None:
        super().__init__()
        self._preferences = preferences
        self._checker = checker
        self._signs = signs
        self._offers: list[Offer] = []
        self._looked = False
        self._complaints: dict[str, str] = {}
        self._before = {name: write_preference(getattr(preferences, name)) for name in SHOWN}

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="settings"):
            with VerticalScroll(id="fields"):
                for name, (label, _) in SHOWN.items():
                    with Horizontal(classes="row"):
                        yield Label(label, classes="label")
                        yield self._field(name)
                        yield Static(self._origin(name), classes="origin", markup=False)
            yield Static(id="about", markup=False)
            yield OptionList(id="offers", markup=False)
            yield KeyBar()

    def _field(self, name: str) -> Input | Select[str]:
        if name == "theme":
            themes = [(one.name, one.name) for one in THEMES]
            value = self._before[name]
            known = value if value in dict(themes) else THEMES[0].name
            self._before[name] = known
            return Select(themes, value=known, allow_blank=False, id=name, compact=True)
        return Input(self._before[name], placeholder=SHOWN[name][1], id=name, compact=True)

    def on_mount(self) -> None:
        self.query_one("#settings").border_title = "Settings"
        self.query_one("#model").focus()
        self._find_models()

    def _origin(self, name: str) -> Content:
        """The default of a setting, and where its value comes from."""
        origin = self._preferences.origins.get(name, "default")
        said = f"default: {SHOWN[name][1]}"
        if origin != "default":
            known = {"file": "settings file", "option": "this start"}
            said = f"{known.get(origin, origin)} {self._signs.dash} {said}"
        return Content(said).stylize("$secondary")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        name = event.widget.id or ""
        if name in self._complaints:
            self._say(self._complaints[name], "bold $contradicted")
        elif name in SHOWN:
            self._say(crop(help_of(name), 240), "$secondary")
        self._list_offers()

    def _say(self, words: str, look: str = "") -> None:
        self.query_one("#about", Static).update(Content(words).stylize(look))

    # Models.

    @work(exclusive=True, group="offers", exit_on_error=False)
    async def _find_models(self) -> None:
        """Look for models on local servers and by the keys that are set."""
        self._offers = await asyncio.to_thread(find_offers, self._preferences)
        self._looked = True
        self._list_offers()

    def _list_offers(self) -> None:
        """List the models that can be reached, below the field of the model."""
        listed = self.query_one("#offers", OptionList)
        at_model = self.focused is not None and self.focused.id in ("model", "offers")
        listed.display = at_model
        if not at_model or listed.has_focus:
            return
        found = matching(self._offers, self.query_one("#model", Input).value)
        listed.clear_options()
        for one in found:
            listed.add_option(Option(Content.assemble(one.name, (f"  {one.about}", "$secondary"))))
        if not found:
            none = "No model found: start a local server or set a key."
            words = none if self._looked else "Looking for models"
            listed.add_option(Option(Content(words).stylize("$secondary"), disabled=True))

    def on_input_changed(self, event: Input.Changed) -> None:
        self._complaints.pop(event.input.id or "", None)
        if event.input.id == "model":
            self._list_offers()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter saves from a field; in a list it chooses."""
        if action == "save":
            return isinstance(self.focused, Input)
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        """Down goes from the model's field into the list of models."""
        if event.key == "down" and self.focused is not None and self.focused.id == "model":
            event.stop()
            offers = self.query_one("#offers", OptionList)
            offers.focus()
            offers.action_first()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        found = matching(self._offers, self.query_one("#model", Input).value)
        if event.option_index < len(found):
            offer = found[event.option_index]
            self.query_one("#model", Input).value = offer.name
            self.query_one("#api_base", Input).value = offer.api_base or ""
        self.query_one("#model").focus()

    @work(exclusive=True, group="test", exit_on_error=False)
    async def action_test_model(self) -> None:
        """Have the model answer once, and say how long it took."""
        written = self._read_fields()
        if not written["model"]:
            self._say("Name a model first, or choose one below.", "$doubtful")
            return
        self._say(f"Asking {one_line(written['model'])}")
        try:
            base = parse_setting("api_base", written["api_base"]) if written["api_base"] else None
            order = TryModel(written["model"], base, self._preferences.timeout or TRY_SECONDS)
            tried = await self._checker.carry_out(order, lambda _: None)
        except HalubotError as error:
            self._say(f"The test call failed. {in_app_words(str(error))}", "$contradicted")
            return
        answer = crop(one_line(tried.answer).strip(), 60) or "(an empty answer)"
        cost = f", {dollars(tried.cost)}" if tried.cost else ""
        self._say(f"It answered in {tried.seconds:.1f} s{cost}: {answer}", "$supported")

    # Saving and leaving.

    def _read_fields(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in SHOWN:
            field = self.query_one(f"#{name}")
            value = field.value if isinstance(field, (Input, Select)) else ""
            found[name] = str(value).strip()
        return found

    @property
    def _changed(self) -> dict[str, str]:
        written = self._read_fields()
        return {name: text for name, text in written.items() if text != self._before[name]}

    def action_save(self) -> None:
        self._save()

    @work(exclusive=True, group="save", exit_on_error=False)
    async def _save(self) -> None:
        """Save what was changed, or say what is wrong with it."""
        values: dict[str, Any] = {}
        for name, text in self._changed.items():
            try:
                values[name] = self._parse(name, text)
            except SettingError as error:
                words = self._complaints[name] = f"{SHOWN[name][0]}: {one_line(str(error))}"
                self._say(words, "bold $contradicted")
                self.query_one(f"#{name}").focus()
                return
        if not values:
            self.dismiss(self._preferences)
            return
        stored = {name: preference_value(name, value) for name, value in values.items()}
        try:
            path = await asyncio.to_thread(settings.change, stored)
        except SettingError as error:
            self._say(one_line(str(error)), "bold $contradicted")
            return
        self.app.notify(f"Saved in {path}", markup=False, timeout=4)
        self.dismiss(self._preferences.with_values(**values))

    @staticmethod
    def _parse(name: str, text: str) -> Any:
        if not text:
            return () if name in MANY else None
        value = parse_setting(name, split_words(text) if name in MANY else text)
        if name == "web":
            from halubot.evidence.web.providers import read_web

            read_web(value)
        return value

    def action_leave(self) -> None:
        """Close; ask first if something was changed."""
        if not self._changed:
            self.dismiss(None)
            return

        def answer(yes: bool | None) -> None:
            if yes:
                self.dismiss(None)

        self.app.push_screen(ConfirmDialog("Leave without saving the changes?"), answer)
