"""Programs that share a store through their models, are killed, and answer without litellm."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot.models.model import Message, Request
from halubot.models.stored import StoredModel
from halubot.testing import ScriptedModel
from halubot_cache import Store

MEMORY = Path("/dev/shm")  # noqa: S108

DRAWING = """
import asyncio, sys
from halubot.models.model import draw
from halubot.models.model import Message, Request
from halubot.models.stored import StoredModel
from halubot.testing import ScriptedModel
from halubot_cache import Store
folder, who, prompts, size = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
inner = ScriptedModel(lambda request: f"{who} {request.first} " * size)
async def work(store):
    model = StoredModel(inner, store)
    for number in range(prompts):
        own = number % 2
        message = f"prompt {number}" + (f" of {who}" if own else "")
        request = Request((Message("user", message),), n=3)
        texts = [one.completion.text async for one in draw(model, request)]
        assert len(texts) == 3
        print(message, flush=True)
print("ready", flush=True)
sys.stdin.readline()
with Store.open(folder) as store:
    asyncio.run(work(store))
    assert store.problems == (), store.problems
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where a store may be made, in memory if the platform has such."""
    fast = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(dir=MEMORY if fast else None) as away:
        yield Path(away) / "store"


def drawing(folder: Path, who: str, prompts: int, size: int) -> subprocess.Popen[str]:
    """A process that is ready to draw, and waits for a line to begin."""
    return subprocess.Popen(
        [sys.executable, "-c", DRAWING, str(folder), who, str(prompts), str(size)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def begin(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def again(store: Store, message: str) -> list[str]:
    """The three samples of a prompt, none of which may be asked for."""
    model = StoredModel(ScriptedModel(), store)
    request = Request((Message("user", message),), n=3)
    return [one.text for one in asyncio.run(model.complete(request))]


@pytest.mark.slow
def test_eight_processes_share_a_store_and_nothing_is_lost(folder: Path) -> None:
    names = [f"p{number}" for number in range(8)]
    processes = [drawing(folder, who, 20, 50) for who in names]
    begin(*processes)
    for process in processes:
        _, err = process.communicate()
        assert process.returncode == 0, err
    with Store.open(folder) as store:
        for number in range(0, 20, 2):
            shared = again(store, f"prompt {number}")
            assert [text.split()[1] for text in shared] == ["0", "1", "2"]
        for who in names:
            for number in range(1, 20, 2):
                own = again(store, f"prompt {number} of {who}")
                assert own == [f"{who} {index} " * 50 for index in range(3)]
        assert store.stats().completions == 3 * (10 + 8 * 10)
        assert store.stats().damaged == 0
