"""The settings screen: what holds is shown, what is saved is heeded, what is wrong is said."""

from __future__ import annotations

from typing import Any

import pytest
from textual.widgets import Input, OptionList, Select, Static

from halubot import options, settings
from halubot.cli.parameters import make_context
from halubot.dry_run import Plan
from halubot.errors import HalubotError
from halubot.models import reachable as reaching
from halubot_tui.orders import Tried, TryModel
from halubot_tui.preferences import Preferences, parse_setting, split_words
from halubot_tui.settings import LABELS, TABS, SettingsScreen
from tests.halubot_tui.driving import Bare, driven, settled

ADDRESS = "http://127.0.0.1:9/v1"


class Host(Bare):
    """Opens the screen, and keeps what comes of it."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self.came: list[Preferences | None] = []
        self.settings = SettingsScreen(preferences)

    def on_mount(self) -> None:
        self.push_screen(self.settings, self.came.append)

    def field(self, name: str) -> Input:
        return self.settings.query_one(f"#{name}", Input)

    def wrong(self, name: str) -> str:
        return str(self.settings.query_one(f"#wrong-{name}", Static).render())

    def said(self) -> str:
        """All that the screen says, however it is broken into lines."""
        return " ".join(" ".join(str(one.render()) for one in self.settings.query(Static)).split())


@pytest.mark.slow
@driven
async def test_what_is_changed_is_saved_and_holds() -> None:
    settings.change({"method": "consensus", "threshold": 0.3})
    host = Host(Preferences(method="consensus", threshold=0.3))
    async with host.run_test(size=(100, 40)) as pilot:
        await settled(pilot, lambda: len(host.settings.query_one("#method", Select)._options) > 2)
        assert host.field("threshold").value == "0.3"
        host.field("n_samples").value = "5"
        host.field("threshold").value = ""
        host.field("max_cost").value = "0.25"
        host.field("knowledge").value = "wikipedia notes"
        host.field("keys").value = "check-text=f12"
        host.settings.query_one("#motion", Select).value = "false"
        host.settings.query_one("#theme", Select).value = "halubot-light"
        await pilot.press("f8")
        await settled(pilot, lambda: host.came)
    (came,) = host.came
    assert came is not None
    assert (came.n_samples, came.threshold, came.max_cost) == (5, None, 0.25)
    assert (came.knowledge, came.keys) == (("wikipedia", "notes"), ("check-text=f12",))
    assert (came.motion, came.theme, came.method) == (False, "halubot-light", "consensus")
    assert settings.read(options.NAMES) == {
        "method": "consensus",
        "n_samples": 5,
        "max_cost": 0.25,
        "knowledge": ["wikipedia", "notes"],
        "keys": ["check-text=f12"],
        "motion": False,
        "theme": "halubot-light",
    }


@pytest.mark.slow
@driven
async def test_wrong_values_are_told_at_their_fields_and_nothing_is_saved() -> None:
    host = Host(Preferences())
    async with host.run_test(size=(100, 40)) as pilot:
        wrong = {
            "threshold": "2",
            "n_samples": "[b]",
            "max_calls": "-1",
            "api_base": "nowhere",
            "keys": "fly=f12 help=f2",
        }
        for name, value in wrong.items():
            host.field(name).value = value
        await pilot.press("f8")
        await settled(pilot, lambda: all(host.wrong(name) for name in wrong))
        assert "'fly'" in host.wrong("keys")
        assert "check-text" in host.wrong("keys")
        assert not host.came
        assert not settings.path().exists()
        assert host.focused is not None
        assert host.focused.id == "api_base"


@pytest.mark.slow
@driven
async def test_a_variable_stands_above_and_passwords_are_not_shown() -> None:
    given = Preferences(
        model="openai/x",
        api_base="http://me:secret@127.0.0.1:9/v1",
        origins={"model": "HALUBOT_MODEL", "api_base": "file"},
    )
    host = Host(given)
    async with host.run_test(size=(100, 40)) as pilot:
        assert "HALUBOT_MODEL" in host.said()
        assert "secret" not in host.field("api_base").value
        host.field("n_samples").value = "4"
        await pilot.press("f8")
        await settled(pilot, lambda: host.came)
        assert host.came == [given.with_values(n_samples=4)]
        assert settings.read(options.NAMES) == {"n_samples": 4}


@pytest.mark.slow
@driven
async def test_models_that_a_server_offers_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "PORTS", ())
    monkeypatch.setattr(reaching, "_names", lambda _: ["small", "[b]large[/b]"])
    host = Host(Preferences(api_base=ADDRESS))
    async with host.run_test(size=(100, 40)) as pilot:
        listed = host.settings.query_one("#reachable", OptionList)
        await settled(pilot, lambda: listed.option_count)
        prompts = [str(one.prompt) for one in listed.options]
        assert any("openai/[b]large[/b]  the text stays here" in one for one in prompts)
        listed.focus()
        listed.highlighted = next(i for i, one in enumerate(prompts) if "openai/small" in one)
        await pilot.press("enter", "f8")
        await settled(pilot, lambda: host.came)
        (came,) = host.came
        assert came is not None
        assert (came.model, came.api_base) == ("openai/small", ADDRESS)


@pytest.mark.slow
@driven
async def test_hosted_models_are_offered_where_a_key_is_set_and_typing_narrows_them_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reaching, "_ask", lambda _: iter(()))
    monkeypatch.setenv("GROQ_API_KEY", "k")
    monkeypatch.setattr(
        "halubot.models.published.chat_models", lambda _: ("groq/big", "groq/small")
    )
    host = Host(Preferences())
    async with host.run_test(size=(100, 40)) as pilot:
        listed = host.settings.query_one("#reachable", OptionList)
        await settled(pilot, lambda: listed.option_count == 2)
        assert "groq receives the text; GROQ_API_KEY is set" in str(listed.options[0].prompt)
        host.field("model").value = "small"
        await settled(pilot, lambda: listed.option_count == 1)
        listed.focus()
        await pilot.press("enter")
        assert host.field("model").value == "groq/small"


@pytest.mark.slow
@driven
async def test_a_test_call_tells_its_time_and_a_message_its_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Scripted:
        async def carry_out(self, order: Any, emit: Any, recording: Any = None) -> Any:
            if isinstance(order, TryModel):
                if order.model == "groq/gone":
                    raise HalubotError("no answer in time")
                return Tried(0.84, "ready [b]", 0.0)
            return Plan(method="cascade", calls=9, cost_usd=0.0031)

        def warm_up(self) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setattr(reaching, "_ask", lambda _: iter(()))
    host = Host(Preferences())
    host.settings = SettingsScreen(Preferences(), Scripted())
    async with host.run_test(size=(100, 40)) as pilot:
        await pilot.press("f5")
        await settled(pilot, lambda: "Name a model first" in host.said())
        host.field("model").value = "groq/small"
        await settled(pilot, lambda: "takes about 9 calls and costs about $0.0031" in host.said())
        await pilot.press("f5")
        await settled(pilot, lambda: "It answered in 0.8 s: ready [b]" in host.said())
        host.field("model").value = "groq/gone"
        await pilot.press("f5")
        await settled(pilot, lambda: "The model did not answer in time" in host.said())


@pytest.mark.slow
@driven
async def test_tabs_and_search_lead_to_a_setting_with_its_default_and_origin() -> None:
    host = Host(Preferences(timeout=5, origins={"timeout": "file"}))

    def shown() -> list[str]:
        return [name for name in LABELS if host.settings.query_one(f"#setting-{name}").display]

    async with host.run_test(size=(100, 40)) as pilot:
        assert shown() == list(TABS["Models"])
        await pilot.press("f7", "f7")
        await settled(pilot, lambda: shown() == list(TABS["Budget"]))
        assert "Default: 60. Set in the settings file." in host.said()
        await pilot.press("ctrl+f", *"theme")
        await settled(pilot, lambda: shown() == ["theme"])
        await pilot.press(*"zzz")
        await settled(pilot, lambda: not shown())
        assert host.settings.query_one("#none").display
        await pilot.press("f7")
        await settled(pilot, lambda: shown() == list(TABS["Server"]))


@pytest.mark.slow
@driven
async def test_a_theme_is_shown_before_it_is_saved() -> None:
    host = Host(Preferences())
    async with host.run_test(size=(100, 40)) as pilot:
        preview = host.settings.query_one("#preview", Static)
        before = str(preview.content.spans)  # type: ignore[union-attr]
        host.settings.query_one("#theme", Select).value = "halubot-light"
        await settled(pilot, lambda: host.settings.query_one("#preview", Static).render() != before)
        await pilot.press("escape")
        await settled(pilot, lambda: host.came)
        assert host.came == [None]


def test_each_setting_stands_on_one_tab() -> None:
    assert sorted(name for names in TABS.values() for name in names) == sorted(LABELS)


@pytest.mark.slow
@driven
async def test_where_no_model_is_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "_ask", lambda _: iter(()))
    host = Host(Preferences())
    async with host.run_test(size=(100, 40)) as pilot:
        await settled(pilot, lambda: "ollama pull" in host.said())


@pytest.mark.slow
@driven
async def test_a_file_that_cannot_be_written_is_told_and_nothing_is_lost() -> None:
    settings.path().parent.mkdir(parents=True)
    settings.path().write_text("not toml at all [")
    host = Host(Preferences())
    async with host.run_test(size=(60, 20)) as pilot:
        host.field("n_samples").value = "5"
        await pilot.press("f8")
        await settled(pilot, lambda: host.told)
        assert "not TOML" in host.told[0]
        assert host.field("n_samples").value == "5"
        await pilot.press("escape")
        await pilot.pause()
        assert host.came == [None]


def test_each_setting_shown_is_one() -> None:
    assert set(LABELS) <= set(options.names_for("app"))


@pytest.mark.slow
@driven
async def test_what_is_asked_of_the_models_server_is_saved_and_holds() -> None:
    host = Host(Preferences())
    async with host.run_test(size=(100, 40)) as pilot:
        host.field("reasoning_effort").value = "low"
        host.field("num_ctx").value = "131072"
        host.field("parameters").value = "top_k=40 stop='[\".\"]'"
        host.settings.query_one("#think", Select).value = "false"
        await pilot.press("f8")
        await settled(pilot, lambda: host.came)
    (came,) = host.came
    assert came is not None
    asked = {"top_k": 40, "stop": ["."]}
    given = {"reasoning_effort": "low", "think": False, "num_ctx": 131072, "parameters": asked}
    started = came.with_values(model="openai/tiny").options()
    assert {name: started[name] for name in given} == given
    command = make_context(settings.read(options.NAMES))
    assert {name: command.params[name] for name in given} == given
    again = Host(came)
    async with again.run_test(size=(100, 40)):
        assert again.field("num_ctx").value == "131072"
        assert again.settings.query_one("#think", Select).value == "false"
        shown = again.field("parameters").value
    assert parse_setting("parameters", split_words(shown)) == asked


@pytest.mark.slow
@driven
async def test_a_parameter_that_cannot_be_is_told_on_its_tab() -> None:
    host = Host(Preferences())
    async with host.run_test(size=(100, 40)) as pilot:
        host.field("parameters").value = "top_k"
        await pilot.press("f8")
        await settled(pilot, lambda: host.wrong("parameters"))
        assert "NAME=VALUE" in host.wrong("parameters")
        assert host.settings._tab == "Server"
        assert not host.came
