"""The command line, called in this process."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from halubot.cli import main
from halubot.models.published import address
from halubot.testing import ScriptedModel
from tests.halubot.cli.calling import RIGHT, WRONG, Ended, Halubot
from tests.judge import Judge


@pytest.fixture
def halubot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Halubot:
    """Runs a command in an empty folder; ``stdin`` is what is piped in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("HALUBOT_DEBUG", raising=False)

    def run(*args: object, stdin: bytes = b"") -> Ended:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        status = main([str(arg) for arg in args])
        return Ended(status, *capsys.readouterr())

    return run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a right and a wrong message, and what to compare them with."""
    (tmp_path / "right.txt").write_text(RIGHT)
    (tmp_path / "wrong.txt").write_text(WRONG)
    (tmp_path / "samples.jsonl").write_text(f'"{RIGHT}"\n{{"text": "{RIGHT}"}}\n\n"{RIGHT}"\n' * 2)
    (tmp_path / "reference.md").write_text(f"# Ada\n\n{RIGHT}\n")
    return tmp_path


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Answers for every model that a command names; what was asked of it is kept."""
    judge = Judge(answer=WRONG, samples=[f"{RIGHT} So says book {n}." for n in range(20)])

    class Door(ScriptedModel):
        def __init__(self, name: str, api_base: str | None = None) -> None:
            provider = name.partition("/")[0] if "/" in name else ""
            super().__init__(judge, name=name, endpoint=address(provider, api_base))

    monkeypatch.setattr("halubot.models.server_model.ServerModel", Door)
    return judge
