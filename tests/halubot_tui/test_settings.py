"""The settings on one screen, a test call, and saving files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Input

from halubot import options, settings
from halubot_tui.orders import Tried
from halubot_tui.preferences import Preferences
from halubot_tui.screens import settings_screen
from halubot_tui.screens.save_screen import SaveScreen
from halubot_tui.screens.settings_screen import SHOWN, SettingsScreen
from tests.halubot_tui.canned import TEXT, CannedChecker
from tests.halubot_tui.driving import check_text, driven, opened, settled, shown

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for servers."""
    from halubot_tui.model_offers import Offer

    offers = [Offer("ollama_chat/qwen3", None, "the text stays here")]
    monkeypatch.setattr(settings_screen, "find_offers", lambda _: offers)


ORIGINS = {"model": "HALUBOT_MODEL", "n_samples": "file", "max_cost": "option"}


@driven
async def test_every_setting_is_in_sight_with_its_default_and_origin(tmp_path: Path) -> None:
    preferences = Preferences(model="ollama_chat/x", n_samples=7, max_cost=2.0, origins=ORIGINS)
    app = opened(tmp_path, preferences=preferences)
    wide = ("settings file · default: 20", "this start · default: no", "Esc cancel")
    async with app.run_test(size=(60, 20)) as pilot:
        await app.opened.wait()
        await app.run_action("app.settings")
        await settled(pilot, lambda: isinstance(app.screen, SettingsScreen))
        for size, more in (((60, 20), ()), ((80, 24), wide), ((120, 40), wide)):
            await pilot.resize_terminal(*size)
            words = (*(label for label, _ in SHOWN.values()), "HALUBOT_MODEL", *more)
            await settled(pilot, lambda all_of=words: all(one in shown(app) for one in all_of))  # type: ignore[misc]
            assert app.size == size


@pytest.mark.slow
@driven
async def test_what_is_changed_is_saved_and_esc_asks(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await app.run_action("app.settings")
        await settled(pilot, lambda: "ollama_chat/qwen3" in shown(app))
        await pilot.press("escape")
        await settled(pilot, lambda: app.screen is app.main)
        await app.run_action("app.settings")
        await settled(pilot, lambda: "ollama_chat/qwen3" in shown(app))
        await pilot.press("down", "enter")
        await settled(
            pilot, lambda: app.screen.query_one("#model", Input).value == "ollama_chat/qwen3"
        )
        await pilot.press("escape")
        await settled(pilot, lambda: "Leave without saving" in shown(app))
        await pilot.press("escape")
        await settled(pilot, lambda: isinstance(app.screen, SettingsScreen))
        app.screen.query_one("#n_samples", Input).value = "many"
        await pilot.press("enter")
        await settled(pilot, lambda: "Samples: 'many' is not a valid whole number" in shown(app))
        app.screen.query_one("#n_samples", Input).value = "5"
        await pilot.press("enter")
        await settled(pilot, lambda: app.screen is app.main)
        assert (app.preferences.model, app.preferences.n_samples) == ("ollama_chat/qwen3", 5)
        saved = settings.read(options.NAMES)
        assert (saved["model"], saved["n_samples"]) == ("ollama_chat/qwen3", 5)
        await settled(pilot, lambda: "ollama_chat/qwen3" in shown(app).split("\n")[0])


@pytest.mark.slow
@driven
async def test_a_test_call_says_how_long_it_took(tmp_path: Path) -> None:
    class Answering(CannedChecker):
        async def carry_out(self, order: Any, emit: Any, recording: Any = None) -> Any:
            return Tried(1.25, "ready", 0.01)

    app = opened(tmp_path, Answering())
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        await app.run_action("app.settings")
        await settled(pilot, lambda: "ollama_chat/qwen3" in shown(app))
        await pilot.press("ctrl+t")
        await settled(pilot, lambda: "Name a model first" in shown(app))
        await pilot.press(*"x/y", "ctrl+t")
        await settled(pilot, lambda: "It answered in 1.2 s, $0.0100: ready" in shown(app))


@pytest.mark.slow
@driven
async def test_a_text_is_saved_by_two_keys_and_replaced_by_one_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = opened(tmp_path / "state")
    async with app.run_test(size=(100, 30)) as pilot:
        await check_text(pilot)
        await pilot.press("enter", "s")
        await settled(pilot, lambda: isinstance(app.screen, SaveScreen))
        name = app.screen.query_one("#path", Input).value
        await settled(pilot, lambda: str(tmp_path / name)[:40] in shown(app))
        await pilot.press("ctrl+u", *name, "enter")
        await settled(pilot, lambda: app.screen is app.main)
        written = tmp_path / name
        assert written.read_text(encoding="utf-8") == TEXT.replace("1816", "1815") + "\n"
        await settled(pilot, lambda: "Saved:" in shown(app))
        await pilot.press("u", "s")
        await settled(pilot, lambda: isinstance(app.screen, SaveScreen))
        await pilot.press("ctrl+u", *name, "enter")
        await settled(pilot, lambda: "is there already" in shown(app))
        await pilot.press("enter")
        await settled(pilot, lambda: app.screen is app.main)
        assert written.read_text(encoding="utf-8") == TEXT + "\n"


@pytest.mark.slow
@driven
async def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        await check_text(pilot)
        await pilot.press("s")
        await settled(pilot, lambda: isinstance(app.screen, SaveScreen))
        app.screen.query_one("#path", Input).value = str(tmp_path / "gone" / "a.txt")
        await pilot.press("enter")
        await settled(pilot, lambda: "choose another place" in shown(app))
