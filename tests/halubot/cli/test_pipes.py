"""What is piped in, and what is piped on, by a real shell."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.halubot.cli.calling import RIGHT, WRONG, Halubot

BASH = shutil.which("bash")
HALUBOT = f"'{sys.executable}' -m halubot"


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    assert BASH is not None
    script = script.replace("halubot ", f"{HALUBOT} ")
    return subprocess.run(
        [BASH, "-c", script], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


needs_bash = pytest.mark.skipif(BASH is None, reason="there is no bash")


@pytest.mark.slow
@needs_bash
@pytest.mark.parametrize(
    "script",
    [
        "halubot check <(cat wrong.txt) --reference <(cat right.txt) --format json",
        "halubot check wrong.txt --sample <(cat right.txt) --sample <(cat right.txt) --format json",
        "halubot check wrong.txt --samples <(cat samples.jsonl) --format json",
        "cat samples.jsonl | halubot check wrong.txt --samples - --format json",
        "cat right.txt | halubot check wrong.txt --sample - --sample right.txt --format json",
        "cat right.txt | halubot check wrong.txt --reference /dev/stdin --format json",
    ],
)
def test_what_the_shell_opens_is_read(files: Path, script: str) -> None:
    done = shell(script, files)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["sources"]


LINE = json.dumps({"text": WRONG, "references": [RIGHT]})


def test_a_batch_from_and_to_a_pipe(halubot: Halubot) -> None:
    ended = halubot("batch", "-", "-", stdin=f"{LINE}\nnonsense\n{LINE}\n".encode())
    assert ended.status == 0
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [("report" in line, line["id"]) for line in lines] == [(True, 1), (False, 2), (True, 3)]
    assert "standard input, line 2" in ended.err
    assert "3 lines in standard output: 2 checked now, 0 there before; 1 error" in ended.err


@pytest.mark.slow
@needs_bash
def test_a_batch_between_real_pipes(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(f"{LINE}\n" * 3)
    done = shell("cat in.jsonl | halubot batch - - | head -n 1", tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["id"] == 1
    assert "fault" not in done.stderr
    done = shell("halubot batch <(cat in.jsonl) out.jsonl", tmp_path)
    assert done.returncode == 0, done.stderr
    # The same lines from a pipe, to a file: what is done is found again.
    done = shell("cat in.jsonl | halubot batch - out.jsonl", tmp_path)
    assert "0 checked now, 3 there before" in done.stdout
