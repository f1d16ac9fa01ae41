"""The words of litellm stay off the screen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.loopback import Reply, loopback

CALLED = """
import asyncio, logging, sys, threading
def audit(event, args):
    if event == "import" and args[0] == "litellm":
        print("imported by", threading.current_thread().name)
sys.addaudithook(audit)
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from halubot import own_process
own_process.claim()
from halubot.models.limits import LimitedModel
from halubot.models.model import Message, Request
from halubot.models.server_model import ServerModel
async def work():
    model = LimitedModel(ServerModel("openai/gpt-4o", sys.argv[1]))
    request = Request((Message("user", "hello"),))
    await model.complete(request)
    async for _ in model.stream(request):
        pass
asyncio.run(work())
from inspect import signature
from litellm.llms.openai.openai import OpenAIChatCompletion
for kind in ("acompletion", "async_streaming"):  # cancelled before they are sent
    begun = getattr(OpenAIChatCompletion, kind)
    begun(*(None for _ in signature(begun).parameters))
"""


@pytest.mark.slow
def test_calls_print_nothing_log_no_key_and_end_cleanly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-never-shown-0123456789"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with loopback(Reply()) as server:
        ended = subprocess.run(
            [sys.executable, "-c", CALLED, server.url],
            capture_output=True,
            check=True,
            cwd=tmp_path,
            text=True,
            timeout=300,
        )
        assert len(server.received) == 2
    assert not ended.stderr
    _, first, *_ = ended.stdout.split("imported by ")
    assert first.startswith("halubot loads litellm\n")
    assert key not in ended.stdout
