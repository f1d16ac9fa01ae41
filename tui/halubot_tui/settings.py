"""The settings: who answers and judges, how, for how much, and how halubot looks.

What each means and which values it may have is declared once, by the options of the command line.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import work
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, OptionList, Select, Static, Tab, Tabs
from textual.widgets.option_list import Option

from halubot import settings
from halubot.errors import HalubotError, SettingError
from halubot.money import dollars
from halubot.render.inert import crop, one_line
from halubot_tui import actions, keys
from halubot_tui.checker import Here
from halubot_tui.form import Fields, Form, hint, label, wrong
from halubot_tui.forms import method_choices
from halubot_tui.inspecting.drawing import stack_lines
from halubot_tui.keys import Keys
from halubot_tui.looks import STYLES, THEMES
from halubot_tui.offers import describe_plan, find_offers, matching
from halubot_tui.orders import Estimate, TryModel
from halubot_tui.preferences import (
    Preferences,
    help_of,
    parse_setting,
    preference_value,
    split_words,
    write_preference,
)
from halubot_tui.problems import failure
from halubot_tui.welcome import ways

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.verdicts import Verdict
    from halubot_tui.checker import Checker
    from halubot_tui.offers import Offer

SUITS: Final = (Content("what suits: words, then a model if there is one"), "")
NO_MODEL: Final = (
    "No server on this machine offers a model, and no provider's key is set. To get one:"
)
CHOOSE: Final = "Enter chooses one of these; what is typed above narrows them down:"
LABELS: Final[Mapping[str, str]] = {
    "model": "Model",
    "judge_model": "Judge",
    "api_base": "Address of the server",
    "reasoning_effort": "Effort of reasoning",
    "think": "Thoughts",
    "num_ctx": "Tokens of context",
    "parameters": "More parameters",
    "method": "Method",
    "n_samples": "Samples",
    "threshold": "Threshold",
    "knowledge": "Knowledge",
    "on_doubt": "What stays in doubt",
    "max_calls": "Most calls a message",
    "max_cost": "Most dollars a message",
    "timeout": "Seconds a call",
    "deadline": "Seconds a check",
    "theme": "Theme",
    "ascii": "Plain signs",
    "motion": "Motion",
    "keys": "Keys",
}
"""The settings that are shown, and what they are called."""
TABS: Final[Mapping[str, Sequence[str]]] = {
    "Models": ("model", "judge_model", "api_base"),
    "Checking": ("method", "n_samples", "threshold", "knowledge", "on_doubt"),
    "Budget": ("max_calls", "max_cost", "timeout", "deadline"),
    "Server": ("reasoning_effort", "think", "num_ctx", "parameters"),
    "Look": ("theme", "ascii", "motion", "keys"),
}
"""Which settings stand on which tab."""
SAMPLE: Final[Sequence[tuple[str, Verdict | None]]] = (
    ("Ada was born in ", None),
    ("1816", "contradicted"),
    (" in London, ", None),
    ("wrote four books", "doubtful"),
    (" and ", None),
    ("liked cats", "not_checked"),
    (".", None),
)
"""What a theme is shown by."""
TYPED_SECONDS: Final = 0.3
"""How long nothing is typed before the cost is estimated."""
TRY_SECONDS: Final = 60.0
"""How long a test call may take."""
CHOICES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "on_doubt": (("leave it", "mark"), ("remove it", "remove"), ("hedge it", "hedge")),
    "theme": tuple((theme.name, theme.name) for theme in THEMES),
    "ascii": (("where the terminal needs them", ""), ("always", "true"), ("never", "false")),
    "motion": (("yes", "true"), ("no", "false")),
    "think": (("as the model is set", ""), ("on", "true"), ("off", "false")),
}
MANY: Final = ("knowledge", "keys", "parameters")
"""Settings with several values, parted by spaces."""
USUAL: Final[Mapping[str, str]] = {
    "model": "none",
    "judge_model": "the same model",
    "api_base": "the provider's own",
    "reasoning_effort": "the model's own",
    "num_ctx": "the server's own",
    "parameters": "none",
    "n_samples": "20",
    "threshold": "the method's",
    "knowledge": "none",
    "max_calls": "no limit",
    "max_cost": "no limit",
    "timeout": "60",
    "deadline": "no limit",
    "keys": "as F1 lists them",
}
"""What holds if nothing is written."""


class SettingsScreen(Form[Preferences]):
    """All settings with what holds now, each with its default and its origin; dismissed
    with those that were saved. ``checker`` makes test calls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("save").binding(),
        actions.find_action("next-tab").binding(),
        actions.find_action("test-model").binding(),
        actions.find_action("find-setting").binding(),
    ]
    DEFAULT_CSS = """
    SettingsScreen .setting, SettingsScreen .row { height: auto; }
    SettingsScreen .row .label { width: 28; }
    SettingsScreen.-small .row { layout: vertical; }
    SettingsScreen.-small .row .label { width: 1fr; }
    SettingsScreen Input, SettingsScreen SelectCurrent {
        border: none !important; padding: 0 1 !important; height: 1 !important;
    }
    SettingsScreen Input:focus, SettingsScreen Select:focus > SelectCurrent {
        background: $primary 12%;
    }
    SettingsScreen .hint { padding: 0 1 1 28; }
    SettingsScreen .wrong, SettingsScreen #looking { padding: 0 1 0 28; }
    SettingsScreen.-small .hint, SettingsScreen.-small .wrong { padding: 0 1; }
    SettingsScreen #reachable {
        height: auto; max-height: 9; margin: 0 0 1 28; background: $surface; border: none;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    SettingsScreen.-small #reachable { margin: 0 0 1 0; max-height: 6; }
    SettingsScreen #search { margin-bottom: 1; }
    SettingsScreen.-small #search { margin-bottom: 0; }
    SettingsScreen Tabs { height: 1; }
    SettingsScreen Tabs Tab { height: 1; padding: 0 1; color: $secondary; }
    SettingsScreen Tabs Tab.-active { text-style: bold reverse; color: $primary; }
    SettingsScreen Tabs:focus Tab.-active { background: $surface; }
    SettingsScreen Tabs Underline { display: none; }
    SettingsScreen.-finding Tabs { visibility: hidden; }
    SettingsScreen #none { display: none; color: $text-muted; }
    SettingsScreen #cost, SettingsScreen #tried { color: $accent; }
    SettingsScreen #looking.-last { padding-bottom: 1; }
    SettingsScreen.-small #looking { padding: 0 1; }
    """

    def __init__(self, preferences: Preferences, checker: Checker | None = None) -> None:
        super().__init__()
        self._preferences = preferences
        self._checker = checker or Here()
        self._before = {name: self._current_value(name) for name in LABELS}
        self._asked = 0
        self._offers: list[Offer] = []
        self._problems: list[str] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Settings"
            panel.border_subtitle = Content(one_line(str(settings.path())))
            yield Input(id="search", placeholder="Find a setting (Ctrl+F)", compact=True)
            yield Tabs(*(Tab(name, id=name.lower()) for name in TABS))
            with Fields():
                for name in LABELS:
                    with Vertical(classes="setting", id=f"setting-{name}"):
                        yield from self._setting(name)
                yield Static("No setting has these words.", id="none", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Test call", id="test", compact=True)
                yield Button("Back", id="back", compact=True)
                yield Button("Save", id="save", variant="primary", compact=True)
        yield Keys()

    def _setting(self, name: str) -> ComposeResult:
        with Horizontal(classes="row"):
            yield label(LABELS[name])
            yield self._field(name)
        yield wrong(name)
        yield hint(f"{ABOUT.get(name) or help_of(name)} {self._origin(name)}")
        if name == "theme":
            yield Static(id="preview", classes="hint", markup=False)
        if name == "model":
            yield Static(id="cost", classes="hint", markup=False)
            yield Static(id="tried", classes="hint", markup=False)
            yield Static("looking for models", id="looking", classes="hint", markup=False)
            yield OptionList(id="reachable", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        for name in ("#cost", "#tried", "#reachable"):
            self.query_one(name).display = False
        self._show_settings()
        self.query_one("#model").focus()
        self._preview()
        self.run_worker(self._list_methods(), exit_on_error=False)
        self.run_worker(self._look(), exit_on_error=False)

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        match event.button.id:
            case "save":
                self.action_save()
            case "test":
                self.action_test_model()
            case _:
                self.action_back()

    def on_tabs_tab_activated(self) -> None:
        self._show_settings()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.id == "search":
            self._show_settings()
        elif event.input.id == "model":
            self._list_offers()
        if event.input.id in ("model", "api_base", "n_samples"):
            self._estimate()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input.id == "search":
            self.focus_next()

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id == "theme":
            self._preview()
        elif event.select.id == "method":
            self._estimate()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A model that can be reached is chosen, with its address."""
        found = matching(self._offers, self.query_one("#model", Input).value)
        offer = found[event.option_index]
        self.query_one("#model", Input).value = offer.name
        self.query_one("#api_base", Input).value = offer.api_base or ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A test call is offered if models are."""
        if action == "test_model":
            return self.is_mounted and self._tab == "Models"
        return super().check_action(action, parameters)

    def action_find_setting(self) -> None:
        self.query_one("#search").focus()

    def action_next_tab(self) -> None:
        self.query_one("#search", Input).value = ""
        self.query_one(Tabs).action_next_tab()
        self.query_one(f"#{TABS[self._tab][0]}").focus()

    @property
    def _tab(self) -> str:
        return next(
            (name for name in TABS if name.lower() == self.query_one(Tabs).active), "Models"
        )

    def _show_settings(self) -> None:
        """Shows the settings of the tab; of all tabs those that have the words that are typed."""
        words = self.query_one("#search", Input).value.casefold().split()
        self.set_class(bool(words), "-finding")
        for name, named in LABELS.items():
            about = f"{named} {name} {ABOUT.get(name) or help_of(name)}".casefold()
            shown = all(word in about for word in words) if words else name in TABS[self._tab]
            self.query_one(f"#setting-{name}").display = shown
        displayed = (self.query_one(f"#setting-{name}").display for name in LABELS)
        self.query_one("#none").display = not any(displayed)
        self.query_one("#test").display = self._tab == "Models"
        self.query_one("#fields").scroll_to(y=0, animate=False)
        self.refresh_bindings()

    def _preview(self) -> None:
        """Shows marks in a text as the chosen theme draws them."""
        chosen = self.query_one("#theme", Select).value
        theme = next((one for one in THEMES if one.name == chosen), THEMES[0])
        parts = []
        for text, verdict in SAMPLE:
            back = f"on {theme.background}"
            ink = theme.foreground if verdict is None else _ink_of(verdict, theme.variables)
            parts.append((text, f"{ink} {back}"))
        self.query_one("#preview", Static).update(Content.assemble(*parts))

    @work(group="cost", exit_on_error=False)
    async def _estimate(self) -> None:
        """Tells what a message takes with what is written; nothing while that is wrong."""
        self._asked = asked = self._asked + 1
        await asyncio.sleep(TYPED_SECONDS)
        if asked != self._asked or not self.is_attached:  # more was typed meanwhile
            return
        shown = self.query_one("#cost", Static)
        typed_ = self._read_fields()
        said = ""
        if typed_["model"]:
            try:
                changed = {n: self._read(n, typed_[n]) for n in ("model", "api_base", "n_samples")}
                wanted = self._preferences.with_values(**changed, method=typed_["method"] or None)
                order = Estimate({**wanted.options(), "panel": None, "knowledge": []})
                plan = await self._checker.carry_out(order, lambda _: None)
                said = describe_plan(plan, local=wanted.is_local)
            except HalubotError as error:
                said = failure(str(error))
        if asked != self._asked:
            return
        shown.update(said)
        shown.display = bool(said)

    def action_test_model(self) -> None:
        self.run_worker(self._try(), exclusive=True, group="test", exit_on_error=False)

    async def _try(self) -> None:
        """Has the model answer once, and says how long it took."""
        shown = self.query_one("#tried", Static)
        shown.display = True
        typed_ = self._read_fields()
        if not typed_["model"]:
            shown.update("Name a model first, or choose one below.")
            return
        shown.update(f"asking {one_line(typed_['model'])}")
        self.complain("api_base", "")
        try:
            base = self._read("api_base", typed_["api_base"])
            besides = {name: self._read(name, typed_[name]) for name in TABS["Server"]}
            seconds = self._preferences.timeout or TRY_SECONDS
            order = TryModel(typed_["model"], base, seconds, besides)
            tried = await self._checker.carry_out(order, lambda _: None)
        except HalubotError as error:
            shown.update(f"The test call failed. {failure(str(error))}")
            return
        said = crop(one_line(tried.answer).strip(), 60) or "(an empty answer)"
        cost = f", {dollars(tried.cost)}" if tried.cost else ""
        shown.update(f"It answered in {tried.seconds:.1f} s{cost}: {said}")

    def action_save(self) -> None:
        self.run_worker(self._save(), exclusive=True, group="save", exit_on_error=False)

    def _field(self, name: str) -> Input | Select[str]:
        value = self._before[name]
        if name == "method":
            return Select([SUITS], allow_blank=False, id=name, compact=True)
        if name in CHOICES:
            return Select(CHOICES[name], value=value, allow_blank=False, id=name, compact=True)
        return Input(value, placeholder=USUAL.get(name, ""), id=name, compact=True)

    def _current_value(self, name: str) -> str:
        """Return what holds now, as it is written."""
        return write_preference(getattr(self._preferences, name))

    def _origin(self, name: str) -> str:
        """The default of a setting, and where what holds now comes from."""
        origin = self._preferences.origins.get(name, "default")
        said = f"Default: {self._default(name)}."
        match origin:
            case "default":
                return said
            case "file":
                return f"{said} Set in the settings file."
            case "option":
                from_ = "an option of this start"
            case _:
                from_ = f"the variable {origin}"
        return f"{said} Set by {from_}, which stands above what is saved."

    @staticmethod
    def _default(name: str) -> str:
        if name in CHOICES:
            value = getattr(Preferences(), name)
            spelled = (
                "" if value is None else str(value).lower() if value in (True, False) else value
            )
            return next((said for said, one in CHOICES[name] if one == spelled), spelled)
        return USUAL.get(name) or str(SUITS[0])

    def _read_fields(self) -> dict[str, str]:
        """Return what is written in each field."""
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
        for name, text in self._read_fields().items():
            self.complain(name, "")
            if text == self._before[name]:
                continue
            try:
                changed[name] = self._read(name, text)
            except SettingError as error:
                if right:
                    self._bring(name)
                self.complain(name, str(error), first=right)
                right = False
        if not right:
            return
        try:
            file = await asyncio.to_thread(
                settings.change,
                {name: preference_value(name, value) for name, value in changed.items()},
            )
        except SettingError as error:
            self.notify(one_line(str(error)), title="Not saved", severity="error", markup=False)
            return
        if changed:
            self.notify(f"saved in {one_line(str(file))}", markup=False)
        self.dismiss(self._preferences.with_values(**changed))

    def _bring(self, name: str) -> None:
        """Goes to a setting, on whichever tab it stands."""
        self.query_one("#search", Input).value = ""
        self.query_one(Tabs).active = next(tab for tab in TABS if name in TABS[tab]).lower()
        self._show_settings()  # now: what is scrolled to must have its place
        self.query_one(f"#{name}").focus(scroll_visible=False)

    def _read(self, name: str, text: str) -> Any:
        """The value of a setting as it is written. Raises SettingError."""
        if not text:
            return getattr(Preferences(), name)
        value = parse_setting(name, split_words(text) if name in MANY else text)
        if name == "keys" and (faults := keys.keymap(value)[1]):
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
        self._offers, self._problems = await asyncio.to_thread(find_offers, self._preferences)
        self._list_offers()

    def _list_offers(self) -> None:
        shown = self.query_one("#looking", Static)
        listed = self.query_one("#reachable", OptionList)
        found = matching(self._offers, self.query_one("#model", Input).value)
        listed.clear_options()
        listed.add_options(Option(_line(one)) for one in found)
        listed.display = bool(found)
        shown.set_class(not found, "-last")
        listed.highlighted = 0 if found else None
        lines = [Content(one_line(problem)) for problem in self._problems]
        if self._offers:
            lines.append(Content(CHOOSE if found else "None of the models found has this name."))
        else:
            lines += [Content(NO_MODEL), *ways((shown.content_size.width or self.size.width) - 2)]
        shown.update(stack_lines(lines))


ABOUT: Final[Mapping[str, str]] = {
    "method": "How to judge.",
    "max_calls": "Calls to the model for one message; a stored answer counts as none.",
    "deadline": "When a check or a correction stops; what is known by then is shown.",
    "knowledge": "Look up what the text says there: bases of halubot knowledge, ZIM files,"
    " wikipedia or wikipedia:LANGUAGE; parted by spaces.",
    "parameters": "More parameters for the model's server, such as top_k=40, parted by spaces.",
    "keys": "Other keys for actions, such as check-text=f12, parted by spaces: / tells the names of"
    " actions, F1 their keys.",
}
"""What is said of a setting here in other words than on the command line."""


def _line(offer: Offer) -> Content:
    about = f"  {one_line(offer.about)}"
    return Content.assemble((one_line(offer.name), "bold"), (about, "$secondary"))


def _ink_of(verdict: Verdict, colours: Mapping[str, str]) -> str:
    """The style of a verdict with the colours of a theme in place of their names."""
    words = STYLES[verdict].split()
    return " ".join(colours[word[1:]] if word.startswith("$") else word for word in words)
