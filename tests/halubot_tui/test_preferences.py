"""Settings reach the app as the command line declares them, and jobs as the core wants them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import halubot_tui
from halubot import options, settings
from halubot.cli import main
from halubot.errors import SettingError
from halubot.inputs import Options
from halubot_tui.preferences import (
    Preferences,
    help_of,
    parse_setting,
    preference_value,
    split_words,
)
from halubot_tui.theme import THEMES

Ran = dict[str, Any]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """What the app is started with by the commands; there is a terminal."""
    found: Ran = {}

    def run(**given: Any) -> int:
        found.update(given)
        return 0

    monkeypatch.setattr(halubot_tui, "run", run)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return found


def test_a_terminal_that_cannot_move_its_cursor_is_told_what_to_use(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert main(["tui"]) == 2
    assert not ran
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "TERM is dumb: use halubot check" in " ".join(printed.err.split())


@pytest.mark.parametrize("command", [[], ["tui"]])
def test_file_variables_and_options_reach_the_app(
    ran: Ran, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.change(
        {"method": "consensus", "n_samples": 7, "theme": "halubot-clear", "motion": False}
    )
    monkeypatch.setenv("HALUBOT_N_SAMPLES", "9")
    assert main(command) == 0
    preferences = Preferences.of(ran["settings"], ran["origins"])
    assert (preferences.method, preferences.n_samples) == ("consensus", 9)
    assert (preferences.theme, preferences.motion) == ("halubot-clear", False)
    assert preferences.ascii is None
    assert preferences.origins["method"] == "file"
    assert preferences.origins["n_samples"] == "HALUBOT_N_SAMPLES"
    assert preferences.origins["threshold"] == "default"


def test_options_of_the_start_stand_above(ran: Ran) -> None:
    settings.change({"threshold": 0.2})
    assert main(["tui", "--threshold", "0.7", "--ascii", "--knowledge", "wikipedia"]) == 0
    preferences = Preferences.of(ran["settings"], ran["origins"])
    assert (preferences.threshold, preferences.ascii) == (0.7, True)
    assert preferences.knowledge == ("wikipedia",)
    assert preferences.origins["threshold"] == "option"


@pytest.mark.parametrize("command", [[], ["tui"]])
def test_with_a_wrong_setting_the_app_does_not_open(ran: Ran, command: list[str]) -> None:
    settings.change({"threshold": 7})
    assert main(command) == 2
    assert not ran


def test_the_options_of_the_app_are_its_preferences(
    ran: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER")
    assert main(["tui"]) == 0
    assert ran["settings"].keys() == set(options.names_for("app")) - {"set"}
    assert Preferences.of(ran["settings"]).options() == Preferences().options() == {}
    with pytest.raises(SettingError, match="format"):
        Preferences.of({"format": "json"})


def test_a_job_is_given_what_the_core_takes(tmp_path: Path) -> None:
    preferences = Preferences.of(
        {
            "model": "ollama_chat/x",
            "judge_model": "",
            "threshold": 0.4,
            "n_samples": 3,
            "max_calls": 0,
            "knowledge": ["wikipedia"],
            "knowledge_folder": tmp_path / "bases",
            "store": tmp_path,
            "as_published": True,
            "role": "expert",
            "repeats": 2,
            "match": None,
        }
    )
    found = preferences.options({"method": "bcv"})
    assert found.keys() <= Options.__annotations__.keys()
    assert found == {
        "model": "ollama_chat/x",
        "threshold": 0.4,
        "n_samples": 3,
        "max_calls": 0,
        "knowledge": ("wikipedia",),
        "knowledge_folder": tmp_path / "bases",
        "store": tmp_path,
        "method": "bcv",
        "as_published": True,
        "options": {"role": "expert", "repeats": 2},
    }
    # settings that another method does not take are put aside, as on the command line
    assert "options" not in preferences.options({"method": "consensus"})
    assert "as_published" not in preferences.options({"method": "consensus"})


def test_what_is_kept_with_a_message_holds_no_password() -> None:
    preferences = Preferences(model="openai/x", api_base="http://me:secret@127.0.0.1:1/v1")
    assert "secret" in str(preferences.options())
    assert "secret" not in str(preferences.plain_values())
    assert "secret" not in preferences.who


@pytest.mark.parametrize(
    ("preferences", "said"),
    [
        (Preferences(), "no model"),
        (Preferences(model="ollama_chat/x"), "ollama_chat/x \u00b7 local"),
        (Preferences(model="openai/gpt-4o"), "openai receives the text"),
        (Preferences(model="ollama_chat/x", judge_model="openai/gpt-4o"), "openai receives"),
        (Preferences(judge_model="openai/gpt-4o"), "openai receives"),
    ],
)
def test_who_receives_the_text_is_said(preferences: Preferences, said: str) -> None:
    assert said in preferences.who


def test_every_theme_can_be_set() -> None:
    theme = options.OPTIONS["theme"]
    assert [*theme.kind.words] == [one.name for one in THEMES]
    assert Preferences().theme == theme.default


def test_what_is_written_is_read_as_on_the_command_line() -> None:
    assert parse_setting("threshold", "0.5") == 0.5
    assert parse_setting("ascii", "false") is False
    for name, value in (("threshold", "2"), ("n_samples", "0"), ("api_base", "x"), ("theme", "x")):
        with pytest.raises(SettingError):
            parse_setting(name, value)
    with pytest.raises(SettingError, match="'many' is not a valid whole number"):
        parse_setting("n_samples", "many")
    with pytest.raises(SettingError, match="'much' is not a valid number"):
        parse_setting("max_cost", "much")
    assert "[default" not in help_of("n_samples")


def test_a_name_with_spaces_stands_in_quotes() -> None:
    assert split_words("wikipedia '/a b/c.zim' notes") == ["wikipedia", "/a b/c.zim", "notes"]
    assert split_words("it's open") == ["it's", "open"]


def test_what_is_saved_is_read_again(ran: Ran) -> None:
    chosen: Ran = {"model": "ollama_chat/x", "motion": False}
    settings.change({name: preference_value(name, value) for name, value in chosen.items()})
    assert main(["tui"]) == 0
    found = Preferences.of(ran["settings"])
    assert {name: getattr(found, name) for name in chosen} == chosen
    settings.change({name: preference_value(name, getattr(Preferences(), name)) for name in chosen})
    assert settings.read(options.NAMES) == {}
