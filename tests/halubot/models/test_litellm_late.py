"""A plain OpenAI-compatible server is called before litellm is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

import pytest

from tests.loopback import Loopback, Reply, loopback

CALLED: Final = """
import asyncio, json, sys
from halubot.models import litellm_door
from halubot.models.server_model import ServerModel
from halubot.models.model import Message, Request, Schema
from halubot.models.model_errors import ModelError

litellm_door.load_soon = lambda seconds: None
model = ServerModel(sys.argv[2], sys.argv[1])
asked = Request((Message("user", "Who was Ada?"),), n=2, schema=Schema.of("V", {"type": "object"}))

async def main():
    await model.load()
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
def test_the_first_calls_need_no_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_KEY", "key")
    with loopback(Reply(texts=("one", "two")), Reply(texts=("Ada wrote.",))) as server:
        said, loaded = called(server)
        assert said == [[["one", 3], ["two", 2]], ["Ada", " wrote.", "Ada wrote."]]
        assert not loaded
        first, second = server.received
        assert first.headers["Authorization"] == "Bearer key"
        assert first.body["model"] == "test"
        assert first.body["n"] == 2
        assert first.body["response_format"]["type"] == "json_schema"
        assert second.body["stream"] is True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(status=401), "RefusedKeyError"),
        (Reply(status=500), "ServerFaultError"),
    ],
    ids=["key", "fault"],
)
def test_what_is_no_answer_is_left_to_litellm(reply: Reply, error: str) -> None:
    with loopback(reply, reply, reply, reply) as server:
        said, loaded = called(server)
        assert loaded
        assert said == [error]


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [Reply(raw=b"[" * 100_000), Reply(raw=b'{"choices": []}'), Reply(raw=b"no JSON")],
    ids=["deep", "empty", "junk"],
)
def test_an_answer_of_no_use_is_paid_for_once(reply: Reply) -> None:
    with loopback(reply, reply) as server:
        said, loaded = called(server)
        assert said == ["MalformedAnswerError"]
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


WARNED: Final = """
import sys, warnings

def audit(event, args):
    if event == "import" and args[0] == "litellm.utils":
        warnings.resetwarnings()
        warnings.simplefilter(sys.argv[1])

sys.addaudithook(audit)
from halubot.models.litellm_door import begin_loading
warn = warnings.warn
begin_loading().result()
assert warnings.warn is warn
assert "litellm.utils" in sys.modules
"""


@pytest.mark.slow
@pytest.mark.parametrize("action", ["error", "always"])
def test_no_warning_of_its_import_is_a_fault_or_printed(action: str) -> None:
    """Whatever filters another thread puts back meanwhile."""
    done = subprocess.run(
        [sys.executable, "-c", WARNED, action], check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
