"""What is loaded when: the heavy libraries only when they are needed, and no network ever."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from halubot import ask, check
from halubot.testing import ScriptedModel
from tests.judge import Judge

HEAVY = {"litellm", "textual", "discord", "openai", "tokenizers"}

WATCHED = """
import json, sys
sockets = []
def audit(event, args):
    if event == "socket.__new__" and args[1] != getattr(__import__("socket"), "AF_UNIX", None):
        sockets.append(str(args[1]))
    elif event in ("socket.connect", "socket.getaddrinfo"):
        sockets.append(str(args))
sys.addaudithook(audit)
sys.argv = ["halubot", *{args!r}]
{code}
tops = sorted({{name.partition(".")[0] for name in sys.modules}})
found = {{"tops": tops, "all": sorted(sys.modules), "sockets": sockets}}
print(json.dumps(found), file=sys.stderr)
"""
COMMAND = "from halubot.cli import main\nmain()"


class Loaded:
    """What a fresh Python had loaded, and which sockets it made, after running ``code``."""

    def __init__(self, code: str, *args: str, folder: Path) -> None:
        ended = subprocess.run(
            [sys.executable, "-c", WATCHED.format(code=code, args=list(args))],
            capture_output=True,
            check=True,
            cwd=folder,
            text=True,
        )
        found = json.loads(ended.stderr.splitlines()[-1])
        self.out = ended.stdout
        self.tops: set[str] = set(found["tops"])
        self.modules: set[str] = set(found["all"])
        self.sockets: list[str] = found["sockets"]


def test_importing_halubot_loads_nothing_else(tmp_path: Path) -> None:
    loaded = Loaded("import halubot", folder=tmp_path)
    assert not loaded.tops & {*HEAVY, "pydantic", "click", "rich", "asyncio"}
    assert {name for name in loaded.modules if name.startswith("halubot")} == {"halubot"}


@pytest.mark.parametrize("args", [["--help"], [], ["--version"]])
def test_help_loads_click_alone(tmp_path: Path, args: list[str]) -> None:
    loaded = Loaded(COMMAND, *args, folder=tmp_path)
    assert "halubot" in loaded.out
    assert not loaded.tops & {*HEAVY, "pydantic", "rich", "asyncio", "rapidfuzz"}
    assert {name for name in loaded.modules if name.startswith("halubot")} == {
        "halubot",
        "halubot.cli",
        "halubot.interrupt",
        "halubot.own_process",
        *(["halubot.version"] if "--version" in args else []),
    }


def test_help_of_a_command_defines_no_model(tmp_path: Path) -> None:
    code = "for name in ('check', 'ask', 'batch'):\n    main([name, '--help'])"
    loaded = Loaded(f"from halubot.cli import main\n{code}", folder=tmp_path)
    assert loaded.out.count("\n  --samples ") == 3
    assert not loaded.tops & {*HEAVY, "pydantic"}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "correct"])
def test_a_check_loads_no_model_and_opens_no_socket(tmp_path: Path, command: str) -> None:
    (tmp_path / "message.txt").write_text("Ada was born in 1816.")
    (tmp_path / "right.txt").write_text("Ada was born in 1815.")
    loaded = Loaded(
        COMMAND,
        *(command, "message.txt", "--sample", "right.txt", "--reference", "right.txt"),
        "--offline",
        folder=tmp_path,
    )
    assert "1815" in loaded.out
    assert "pydantic" in loaded.tops
    assert not loaded.tops & {*HEAVY, "diskcache", "halubot_prompts", "halubot_cache"}
    assert not loaded.modules & {"halubot.models.panel", "halubot.models", "halubot.dry_run"}
    assert loaded.sockets == []


MODEL = ("--model", "openai/tiny", "--api-base", "http://127.0.0.1:9/v1", "--store", "kept")


@pytest.mark.slow
def test_a_dry_run_loads_no_litellm_and_opens_no_socket(tmp_path: Path) -> None:
    (tmp_path / "message.txt").write_text("Ada was born in 1816.")
    loaded = Loaded(COMMAND, "check", "message.txt", *MODEL, "--dry-run", folder=tmp_path)
    assert "cascade" in loaded.out
    assert not loaded.tops & HEAVY
    assert loaded.sockets == []
    assert not (tmp_path / "kept").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "ask"])
def test_a_second_check_with_a_model_loads_no_litellm_and_opens_no_socket(
    tmp_path: Path, command: str
) -> None:
    text = "Who was Ada?" if command == "ask" else "Ada was born in 1816."
    first = ask if command == "ask" else check
    model = ScriptedModel(Judge(), name="openai/tiny", endpoint="http://127.0.0.1:9/v1")
    first(text, model=model, store=tmp_path / "kept")
    assert model.calls
    (tmp_path / "message.txt").write_text(text)
    given = text if command == "ask" else "message.txt"
    loaded = Loaded(COMMAND, command, given, *MODEL, "--format", "json", folder=tmp_path)
    usage = json.loads(loaded.out)["usage"]
    assert usage["calls"] == 0
    assert usage["cached_calls"] >= model.calls
    assert not loaded.tops & HEAVY
    assert loaded.sockets == []
