"""`halubot models`: what is listed, what is said where nothing is, and what is not loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot.models import reachable as module
from halubot.models.capabilities import remember
from halubot.models.model import Capabilities
from halubot.verifier.encoder import FOLDER
from tests import tiny_encoders
from tests.halubot.cli.calling import Halubot
from tests.hub import COMMIT, Hub, hub

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens at the usual ports, and no key is set."""
    monkeypatch.setattr(module, "PORTS", ())
    monkeypatch.setenv("OLLAMA_API_BASE", NOBODY)
    for name in ("OLLAMA_HOST", "OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_where_there_is_none_three_ways_to_get_one(halubot: Halubot) -> None:
    ended = halubot("models")
    assert (ended.status, ended.err) == (0, "")
    first, *ways = ended.out.splitlines()
    assert "No model is named" in first
    assert [line[2:11].strip() for line in ways if line[2] != " "] == ["here", "a server", "hosted"]
    assert json.loads(halubot("models", "--format", "json").out) == []


def test_named_models_with_what_is_known_of_them(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text('judge_model = "ollama_chat/judge"\n')
    monkeypatch.setenv("HALUBOT_CONFIG", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("HALUBOT_MODEL", "openai/gpt-5")
    remember("openai/gpt-5", "openai", Capabilities(n=True, logprobs=False))
    ended = halubot("models", "--format", "json")
    assert ended.status == 0
    assert ended.err == f"halubot: {NOBODY}: nobody answers there\n"
    found = json.loads(ended.out)
    assert found == [
        {
            "name": "openai/gpt-5",
            "api_base": None,
            "provider": "openai",
            "local": False,
            "origin": "variable",
            "n": True,
            "schema": None,
            "logprobs": False,
            "missing_key": "OPENAI_API_KEY",
        },
        {
            "name": "ollama_chat/judge",
            "api_base": None,
            "provider": "ollama_chat",
            "local": True,
            "origin": "file",
            "n": None,
            "schema": None,
            "logprobs": None,
            "missing_key": None,
        },
    ]
    lines = halubot("models").out.splitlines()
    assert lines[:6] == [
        "--model openai/gpt-5",
        "    named by variable; openai receives the text; OPENAI_API_KEY is not set",
        "    n: yes; logprobs: no; schema: not tried",
        "--model ollama_chat/judge",
        "    named in the settings file; the text stays here",
        "    n, schema, logprobs: not tried",
    ]


def test_an_address_is_shown_without_its_password(halubot: Halubot) -> None:
    base = "http://me:hunter2@127.0.0.1:9/v1?key=hunter2"
    ended = halubot("models", "--model", "openai/tiny", "--api-base", base)
    assert ended.out.startswith(f"--model openai/tiny --api-base {NOBODY}/v1\n    named by option;")
    assert ended.err == f"halubot: {NOBODY}/v1: nobody answers there\n"
    assert "hunter2" not in ended.out + ended.err


def test_litellm_is_not_loaded(tmp_path: Path) -> None:
    code = (
        "import sys; from halubot.cli import main;"
        " main(['models', '--model', 'openai/gpt-5', '--format', 'json']);"
        " print([name for name in ('litellm', 'openai', 'httpx') if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, cwd=tmp_path
    )
    assert ended.stdout.splitlines()[-1] == "[]"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a tiny verifier."""
    tiny_encoders.require()
    folder = tiny_encoders.build(tmp_path / "origin", {"born": {"entailment": 6.0}})
    monkeypatch.setenv(FOLDER, str(tmp_path / "models"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with hub("somebody/tiny", folder) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.address)
        yield one


@pytest.mark.slow
def test_a_verifier_is_pulled_listed_and_removed(
    halubot: Halubot, served: Hub, tmp_path: Path
) -> None:
    ended = halubot("models", "pull", "somebody/tiny", "--yes")
    assert (ended.status, ended.err) == (0, "")
    for said in (COMMIT, "apache-2.0", "model.onnx", "SHA-256", str(tmp_path / "models"), "kB"):
        assert said in ended.out
    assert "here already" in halubot("models", "pull", "somebody/tiny", "--yes").out
    (listed,) = json.loads(halubot("models", "--format", "json", "--offline").out)
    assert (listed["name"], listed["revision"]) == ("somebody/tiny", COMMIT)
    assert (listed["local"], listed["licence"]) == (True, "apache-2.0")
    assert "--verifier somebody/tiny" in halubot("models", "--offline").out
    assert halubot("models", "remove", "somebody/tiny").status == 0
    assert halubot("models", "remove", "somebody/tiny").status == 2
    assert json.loads(halubot("models", "--format", "json", "--offline").out) == []


def test_nothing_is_fetched_without_consent(halubot: Halubot, served: Hub) -> None:
    ended = halubot("models", "pull", "somebody/tiny")
    assert ended.status == 2
    assert "pass --yes" in ended.err
    for offline in (("pull", "somebody/tiny", "--offline"), ("--offline", "pull", "somebody/tiny")):
        ended = halubot("models", *offline)
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert "--offline" in ended.err
    assert not [path for _, path, _ in served.asked if "/resolve/" in path]
