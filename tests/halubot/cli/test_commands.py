"""The commands as a whole: help, names, variables, settings, faults, interruption."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from halubot import cli, options
from halubot.cli import COMMANDS, MOVED
from halubot.options import FORMATS
from tests.halubot.cli.calling import Halubot


def command(name: str) -> click.Command:
    found = cli.group.get_command(click.Context(cli.group), name)
    assert found is not None
    return found


def test_without_a_command_the_help_is_printed(halubot: Halubot) -> None:
    ended = halubot()
    assert ended == halubot("--help") == halubot("-h")
    assert ended.status == 0
    assert all(f"  {name} " in ended.out for name in COMMANDS)


def test_the_version(halubot: Halubot) -> None:
    assert halubot("--version") == (0, "halubot 0.1.0\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(halubot: Halubot, name: str) -> None:
    ended = halubot(name, "--help")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: halubot {name}")


@pytest.mark.slow
def test_commands_load_without_the_libraries_of_extras() -> None:
    """A plain installation shows the help of each command."""
    absent = ["numpy", "sklearn", "mammoth", "libzim", "textual_serve"]
    absent += [
        "distributed",
        "starlette",
        "uvicorn",
        "mcp",
        "onnxruntime",
    ]
    script = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
import click
from halubot.cli import COMMANDS, group
for name in COMMANDS:
    group.get_command(click.Context(group), name).get_help(click.Context(group))
"""
    done = subprocess.run([sys.executable, "-c", script, *absent], capture_output=True, check=False)
    assert done.stderr == b""


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_its_variable(name: str) -> None:
    def all_of(one: click.Command) -> list[click.Parameter]:
        below = one.commands.values() if isinstance(one, click.Group) else ()
        return [*one.params, *(param for inner in below for param in all_of(inner))]

    for param in all_of(command(name)):
        # HALUBOT_WEB names the search providers of a check.
        if isinstance(param, click.Option) and param.name != "on_web":
            assert param.envvar == f"HALUBOT_{param.opts[0][2:].replace('-', '_').upper()}"


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("chekc", "did you mean 'check'?"), ("qqqq", "see halubot --help")],
)
def test_an_unknown_command(halubot: Halubot, wrong: str, hint: str) -> None:
    assert halubot(wrong) == (2, "", f"halubot: there is no command {wrong!r}: {hint}\n")


class TestSettings:
    """An option beats its variable, which beats the file, which beats the default."""

    @pytest.fixture
    def file(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        path = tmp_path / "settings.toml"
        monkeypatch.setenv("HALUBOT_CONFIG", str(path))
        return path

    def threshold(self, halubot: Halubot, files: Path, *more: str) -> float:
        ended = halubot(
            *("check", "right.txt", "--samples", "samples.jsonl", "--format", "json", *more)
        )
        value: float = json.loads(ended.out)["threshold"]["value"]
        return value

    def test_their_order(
        self, halubot: Halubot, files: Path, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file.write_text("threshold = 0.25\n")
        assert self.threshold(halubot, files) == 0.25
        monkeypatch.setenv("HALUBOT_THRESHOLD", "0.5")
        assert self.threshold(halubot, files) == 0.5
        assert self.threshold(halubot, files, "--threshold", "0.75") == 0.75

    def test_a_wrong_value_is_answered_with_where_it_stands(
        self, halubot: Halubot, files: Path, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file.write_text("threshold = 'high'\n")
        ended = halubot("check", "right.txt")
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert f"in {file}" in ended.err
        monkeypatch.setenv("HALUBOT_THRESHOLD", "low")
        assert "in the variable HALUBOT_THRESHOLD" in halubot("check", "right.txt").err

    def test_an_unknown_setting_names_file_and_nearest(
        self, halubot: Halubot, files: Path, file: Path
    ) -> None:
        file.write_text("treshold = 0.5\n")
        ended = halubot("check", "right.txt")
        assert ended.status == 2
        assert ended.err == (
            f"halubot: there is no setting 'treshold' (in {file}): did you mean 'threshold'?\n"
        )

    def test_show_tells_value_and_origin(
        self, halubot: Halubot, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file.write_text("threshold = 0.25\n")
        monkeypatch.setenv("HALUBOT_METHOD", "consensus")
        found = json.loads(halubot("config", "show", "--format", "json").out)
        assert found["path"] == str(file)
        assert set(found["settings"]) == set(options.NAMES)
        assert found["settings"]["threshold"] == {"value": 0.25, "from": "file"}
        assert found["settings"]["method"] == {
            "value": "consensus",
            "from": "variable HALUBOT_METHOD",
        }
        assert found["settings"]["timeout"] == {"value": None, "from": "default", "default": "60"}
        assert re.search(r"^n_samples +20 +\(default\)$", halubot("config").out, re.MULTILINE)
        assert found["settings"]["on_doubt"] == {"value": "mark", "from": "default"}
        assert re.search(r"^threshold +0\.25 +\(file\)$", halubot("config").out, re.MULTILINE)
        assert halubot("config", "path").out == f"{file}\n"

    @pytest.mark.parametrize("password", ["secret", "sec/ret", "sec@ret"])
    def test_nobody_reads_a_password(self, halubot: Halubot, file: Path, password: str) -> None:
        said = halubot("config", "set", "api_base", f"http://me:{password}@host/v1?key=secret").err
        assert f"me:{password}@host" in file.read_text()
        assert 'api_base = "http://***@host/v1?key=***"' in said
        shown = halubot("config").out + halubot("config", "show", "--format", "json").out
        assert shown.count("http://***@host/v1?key=***") == 2
        assert not any(word in said + shown for word in ("secret", "sec", "ret@"))
        refused = halubot("config", "set", "api_base", f"me:{password}@host")
        assert refused.status == 2
        assert "sec" not in refused.err

    def test_set_and_unset(self, halubot: Halubot, file: Path, tmp_path: Path) -> None:
        assert halubot("config", "set", "threshold", "0.5").status == 0
        assert halubot("config", "set", "reference", "a.md", "b.md").status == 0
        assert halubot("config", "set", "offline", "yes").status == 0
        assert file.read_text() == (
            f'threshold = 0.5\nreference = ["{tmp_path}/a.md", "{tmp_path}/b.md"]\noffline = true\n'
        )
        assert halubot("config", "unset", "reference").status == 0
        assert "reference" not in file.read_text()

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            (["treshold", "1"], "did you mean 'threshold'?"),
            (["threshold", "7"], "threshold"),
            (["format", "xml"], "'xml' is not one of"),
            (["method", "a", "b"], "method: takes one value, not 2"),
            (["method"], "VALUES"),
        ],
    )
    def test_set_refuses_what_would_not_work(
        self, halubot: Halubot, file: Path, args: list[str], said: str
    ) -> None:
        ended = halubot("config", "set", *args)
        assert (ended.status, ended.err.count("\n"), file.exists()) == (2, 1, False)
        assert said in ended.err


def test_a_service_for_other_machines_needs_a_token(halubot: Halubot) -> None:
    ended = halubot("serve", "--host", "0.0.0.0")  # noqa: S104 - it is refused
    assert ended.status == 2
    assert "name a --token-file" in ended.err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_takes_two_screens(halubot: Halubot, name: str) -> None:
    """A screen has 80 columns and 40 lines."""
    lines = halubot(name, "--help").out.splitlines()
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 80


def test_a_method_says_its_settings(halubot: Halubot) -> None:
    assert "--set match=verified|fuzzy|exact" in halubot("methods", "fsc-frequency").out
    found = json.loads(halubot("methods", "gca", "--format", "json").out)
    assert set(found["settings"]) == {"repeats", "weights"}
    assert "takes no settings" in halubot("methods", "selfcheck-ngram").out
    ended = halubot("check", "--role", "nurse", "x.txt")
    assert ended.err == "halubot: --role is set by --set role=VALUE (halubot methods NAME)\n"


def test_methods_as_a_table_and_as_json(halubot: Halubot) -> None:
    found = json.loads(halubot("methods", "--format", "json").out)
    assert {"consensus", "selfcheck-ngram"} <= {method["name"] for method in found}
    assert all({"name", "summary", "needs", "calls", "source"} <= set(method) for method in found)
    assert "selfcheck-ngram" in halubot("methods").out


@pytest.mark.slow
def test_the_doctor_finds_all_well_here(halubot: Halubot) -> None:
    found = json.loads(halubot("doctor", "--format", "json").out)
    assert found["ok"] is True
    assert {"Python", "settings", "engine", "cache folder", "data folder"} <= {
        finding["what"] for finding in found["findings"]
    }
    assert halubot("doctor").out.endswith("all is well\n")


@pytest.mark.slow
def test_the_doctor_names_what_is_wrong(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text("methd = 'consensus'\n")
    monkeypatch.setenv("HALUBOT_CONFIG", str(tmp_path / "settings.toml"))
    ended = halubot("doctor")
    assert ended.status == 1
    assert "WRONG" in ended.out
    wrong = [
        finding
        for finding in json.loads(halubot("doctor", "--format", "json").out)["findings"]
        if finding["ok"] is False
    ]
    assert [finding["what"] for finding in wrong] == ["settings"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_are_given_a_completion_script(shell: str) -> None:
    env = {**os.environ, "_HALUBOT_COMPLETE": f"{shell}_source"}
    command = [sys.executable, "-m", "halubot"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "_HALUBOT_COMPLETE" in done.stdout


@pytest.mark.parametrize("name", MOVED)
def test_a_command_of_an_earlier_version_says_where_it_is_now(halubot: Halubot, name: str) -> None:
    for ended in (halubot(name), halubot(name, "--data", "x.jsonl"), halubot(name, "--help")):
        assert (ended.status, ended.out) == (2, "")
        assert ended.err == f"halubot: {MOVED[name]}\n"


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_the_demo_ends_with_0(halubot: Halubot, format: str) -> None:
    ended = halubot("demo", "--format", format)
    assert (ended.status, ended.err) == (0, "")
    assert "Eiffel" in ended.out


def test_a_fault_is_one_line_and_the_variable_shows_where(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("halubot.methods.registry.method_names", broken)
    assert halubot("methods") == (
        70,
        "",
        "halubot: a fault of halubot's own: ZeroDivisionError: by nothing"
        " (HALUBOT_DEBUG=1 shows where)\n",
    )
    monkeypatch.setenv("HALUBOT_DEBUG", "1")
    assert "in broken" in halubot("methods").err


def test_ctrl_c_ends_with_130(halubot: Halubot, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("halubot.methods.registry.method_names", stopped)
    ended = halubot("methods")
    assert (ended.status, ended.err.strip()) == (130, "halubot: interrupted")
