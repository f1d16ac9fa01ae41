"""A plain OpenAI-compatible server is called without litellm; and what litellm is loaded into."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.loopback import Loopback, Reply, loopback

CALLED: Final = """
import asyncio, json, sys
from halubot.models.server_model import ServerModel
from halubot.models.model import Message, Request, Schema
from halubot.models.model_errors import ModelError

model = ServerModel(sys.argv[2], sys.argv[1])
asked = Request((Message("user", "Who was Ada?"),), n=2, schema=Schema.of("V", {"type": "object"}))

async def main():
    said = []
    try:
        said.append([(one.text, one.usage.completion) for one in await model.complete(asked)])
        pieces = [piece async for piece in model.stream(asked)]
        said.append([one if isinstance(one, str) else one.text for one in pieces])
    except ModelError as error:
        said.append(type(error).__name__)
    print(json.dumps([said, "litellm" in sys.modules]))

asyncio.run(main())
"""


def called(server: Loopback, model: str = "hosted_vllm/test") -> list[Any]:
    """What came of two calls in a process of their own, and whether litellm was loaded."""
    command = [sys.executable, "-c", CALLED, server.url, model]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=500), "ServerFaultError"),
        (Reply(raw=b"x" * (9 << 20)), "UnfitAnswerError"),
        (Reply(raw=b"[" * 100_000), "UnfitAnswerError"),
        (Reply(raw=b'{"choices": [{"message": {"content": 7}}]}'), "MalformedAnswerError"),
    ],
    ids=["fault", "large", "deep", "shape"],
)
def test_a_failed_call_is_made_once_and_without_litellm(reply: Reply, error: str) -> None:
    with loopback(reply) as server:
        said, loaded = called(server)
        assert said == [error]
        assert not loaded
        assert len(server.received) == 1


@pytest.mark.slow
def test_nothing_is_sent_to_where_a_server_points() -> None:
    with loopback() as elsewhere:
        moved = Reply(status=307, headers={"Location": f"{elsewhere.url}/chat/completions"})
        with loopback(moved, moved) as server:
            said, _ = called(server)
            assert said[0].endswith("Error")
            assert elsewhere.received == []


LIBRARY: Final = """
import gc, logging, pathlib, sys, warnings
import litellm
import numpy  # which adds filters of its own
from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, HTTPHandler
from litellm.llms.openai.common_utils import BaseOpenAILLM
from litellm.litellm_core_utils import secret_redaction
from litellm.utils import ProviderConfigManager

def state():
    classes = (AsyncHTTPHandler, HTTPHandler, BaseOpenAILLM, ProviderConfigManager)
    plain = {
        name: value for name, value in vars(litellm).items()
        if type(value) in (bool, int) and not name.startswith("_")
    }
    return (
        [{k: v for k, v in vars(one).items() if callable(getattr(one, k))} for one in classes],
        litellm.OllamaConfig.get_model_info,
        secret_redaction._SECRET_RE, plain, warnings.warn, list(warnings.filters),
        gc.isenabled(), gc.get_freeze_count(), gc.get_threshold(),
        [(one.disabled, list(one.filters)) for one in map(logging.getLogger, ("LiteLLM", "httpx"))],
    )

before = state()
import halubot
for model in sys.argv[2:]:
    report = halubot.check(
        "Ada was born in 1816.", question="Who was Ada?", model=model, api_base=sys.argv[1],
        max_calls=3, store=pathlib.Path("store"),
    )
for number, (one, other) in enumerate(zip(before, state(), strict=True)):
    assert one == other, number
"""


@pytest.mark.slow
def test_a_program_that_imports_halubot_keeps_its_litellm_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its classes, its switches, the warnings and the collector, after calls of both ways."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with loopback(Reply(texts=("Ada was born in 1815.",))) as server:
        done = subprocess.run(
            [sys.executable, "-c", LIBRARY, server.url, "hosted_vllm/tiny", "openai/gpt-4o"],
            check=False, capture_output=True, text=True, cwd=tmp_path, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert {one.body["model"] for one in server.received} == {"tiny", "gpt-4o"}
