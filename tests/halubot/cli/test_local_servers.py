"""The servers that a person has on their own machine, by the names the README gives them: Ollama in
its own way of speaking, and OpenAI-compatible ones at every shape of address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot import Report
from halubot.models import capabilities
from halubot.models import reachable as reaching
from halubot.models.server_model import ServerModel
from tests.halubot.cli.calling import RIGHT, WRONG, Halubot
from tests.judge import Judge
from tests.loopback import loopback
from tests.ollama import Ollama, ollama

QUESTION = "Who was Ada Lovelace?"
KEY = "sk-secret-0123456789"
LLAMA = ("--model", "ollama_chat/llama3.2", "--n-samples", "3")


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model was ever called, no server listens at a usual port, and a key is set."""
    monkeypatch.setattr(capabilities, "_learnt", {})
    monkeypatch.setattr(reaching, "PORTS", ())
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OLLAMA_HOST", "OLLAMA_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def sensible() -> Judge:
    """Answers wrongly, samples rightly, and corrects what it is told."""
    return Judge(
        answer=WRONG,
        samples=[f"{RIGHT} So says book {n}." for n in range(3)],
        rewrite=lambda sentence, _: ("changed", sentence.replace("1816", "1815")),
    )


@pytest.fixture
def llama(sensible: Judge, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ollama]:
    """Ollama where halubot looks for it."""
    with ollama(sensible.reply) as server:
        monkeypatch.setenv("OLLAMA_API_BASE", server.url)
        yield server


def test_ask_with_ollama(halubot: Halubot, llama: Ollama) -> None:
    ended = halubot("ask", QUESTION, *LLAMA, "--format", "json")
    report = Report.model_validate_json(ended.out)
    assert (ended.status, ended.err, report.text) == (1, "", WRONG)
    assert report.problems == ()
    assert len(report.sources) == 3
    assert report.usage.calls == len(llama.bodies)
    assert report.usage.cost_usd == 0
    drawn = [body for body in llama.bodies if "temperature" in body["options"]]
    assert len([body for body in drawn if "format" not in body]) == 3
    assert not any("n" in body or "n" in body["options"] for body in llama.bodies)
    assert all(body["truncate"] is False for body in llama.bodies)


@pytest.mark.slow
def test_check_and_correct_with_ollama(halubot: Halubot, files: Path, llama: Ollama) -> None:
    checked = halubot("check", "wrong.txt", *LLAMA, "--format", "json")
    assert (checked.status, checked.err) == (1, "")
    assert any(body.get("format", {}).get("properties") for body in llama.bodies)
    corrected = halubot("correct", "wrong.txt", *LLAMA, "--format", "json")
    correction = Report.model_validate_json(corrected.out).correction
    assert correction is not None
    assert correction.text == RIGHT


@pytest.mark.parametrize(
    ("provider", "slash"),
    [("hosted_vllm", ""), ("llamafile", "/"), ("lm_studio", ""), ("openai", "/"), ("openai", "")],
)
def test_openai_compatible_servers(
    halubot: Halubot, files: Path, sensible: Judge, provider: str, slash: str
) -> None:
    with loopback() as server:
        server.answer(sensible.reply)
        ended = halubot(
            *("check", "wrong.txt", "--model", f"{provider}/tiny", "--n-samples", "3"),
            *("--api-base", f"{server.url}{slash}", "--offline", "--format", "json"),
        )
        assert (ended.status, ended.err) == (1, "")
        assert {one.path for one in server.received} == {"/v1/chat/completions"}
        assert {one.body["model"] for one in server.received} == {"tiny"}
        sent = str([one.headers for one in server.received])
        assert (KEY in sent) is (provider == "openai")


@pytest.mark.parametrize("provider", ["hosted_vllm", "litellm_proxy", "lm_studio", "xinference"])
def test_a_server_of_ones_own_without_an_address_is_on_this_machine(
    halubot: Halubot, files: Path, provider: str
) -> None:
    """litellm takes such a name to OpenAI: `no_network` fails this test where it is asked."""
    assert ServerModel(f"{provider}/tiny").endpoint.startswith("http://127.0.0.1:")
    ended = halubot("ask", QUESTION, "--model", f"{provider}/tiny", "--offline")
    assert ended.status == 2
    assert "nobody answers there" in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("provider", ["cerebras", "litellm_proxy", "perplexity"])
def test_the_key_of_openai_goes_to_openai_alone(
    halubot: Halubot, sensible: Judge, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """litellm's client takes OPENAI_API_KEY for every provider that has no key of its own."""
    with loopback() as server:
        server.answer(sensible.reply)
        asked = ("ask", QUESTION, "--model", f"{provider}/tiny", "--api-base", server.url)
        assert halubot(*asked).status == 1
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "its-own-key")
        first = len(server.received)
        assert halubot(*asked, "--store", "other").status == 1
        headers = [str(one.headers) for one in server.received]
        assert not any(KEY in one for one in headers)
        assert all("its-own-key" in one for one in headers[first:])
