"""The files that bring the service to where answers are made: the filter, and the workflow."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import textwrap
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from halubot.inputs import Options

if TYPE_CHECKING:
    from tests.halubot.service.conftest import Served

DEPLOY = Path(__file__).parents[3] / "deploy"
WRONG = "Ada Lovelace was born in 1816."
GIT, BASH = shutil.which("git") or "", shutil.which("bash") or ""
TOKEN = "t" * 20
RIGHT = "Ada Lovelace was born in 1815."


def chat(answer: str) -> dict[str, Any]:
    """A body as Open WebUI gives it to an outlet."""
    return {
        "model": "llama3",
        "messages": [
            {"id": "1", "role": "user", "content": "When was Ada Lovelace born?"},
            {"id": "2", "role": "assistant", "content": answer},
        ],
        "chat_id": "c",
        "session_id": "s",
    }


def filtered(address: str, body: dict[str, Any], token: str = "") -> tuple[str, list[Any]]:
    """The last message after the filter, and what it emitted."""
    spec = spec_from_file_location("open_webui_filter", DEPLOY / "open_webui_filter.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.Filter()
    made.valves = made.Valves(address=address, token=token)
    emitted: list[Any] = []

    async def emit(event: dict[str, Any]) -> None:
        emitted.append(event)

    after = asyncio.run(made.outlet(body, __event_emitter__=emit))
    return after["messages"][-1]["content"], emitted


def test_the_filter_notes_what_is_in_doubt(served: Served) -> None:
    client = served(Options(references=[RIGHT]))
    text, emitted = filtered(str(client.base_url), chat(WRONG))
    assert text.startswith(f"{WRONG}\n\n---\nhalubot: 1 of 1 fact in doubt")
    data = {"description": "halubot: 1 of 1 fact in doubt", "done": True}
    assert emitted == [{"type": "status", "data": data}]


def test_the_filter_leaves_what_is_supported(served: Served) -> None:
    client = served(Options(references=[RIGHT]), token=TOKEN)
    text, emitted = filtered(str(client.base_url), chat(RIGHT), token=TOKEN)
    assert text == RIGHT
    assert emitted[0]["data"]["description"] == "halubot: checked: nothing in doubt"


def test_the_filter_holds_nothing_back_if_the_service_is_gone(served: Served) -> None:
    client = served(token=TOKEN)
    text, emitted = filtered(str(client.base_url), chat(WRONG), token=TOKEN[1:])
    assert text == WRONG
    assert emitted[0]["data"]["description"].startswith("halubot: not checked: ")
    text, emitted = filtered("http://127.0.0.1:9", chat(WRONG))
    assert text == WRONG
    assert "not checked" in emitted[0]["data"]["description"]


@pytest.mark.slow
@pytest.mark.skipif(not (GIT and BASH), reason="git or bash is missing")
def test_the_workflow_checks_the_files_that_changed(tmp_path: Path) -> None:
    steps = (DEPLOY / "github-actions.yml").read_text()
    script = textwrap.dedent(steps.split("run: |\n")[1])
    command = tmp_path / "bin" / "halubot"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m halubot "$@"\n')
    command.chmod(0o700)
    work = tmp_path / "work"
    (work / "docs/facts").mkdir(parents=True)
    (work / "docs/facts/ada.md").write_text(RIGHT)
    (work / "same.md").write_text(WRONG)

    def git(*words: str) -> None:
        told = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run([GIT, *told, *words], cwd=work, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "before")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    (work / "a new note.md").write_text(WRONG)
    git("add", ".")
    git("commit", "-qm", "after")
    env = os.environ | {
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "GITHUB_BASE_REF": "main",
        "REFERENCE": "docs/facts",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    ended = subprocess.run([BASH, "-eo", "pipefail", "-c", script], cwd=work, env=env, check=False)
    assert ended.returncode == 1, "something is contradicted"
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count("### ") == 1
    assert "1816" in summary
