"""`--web`: what is told before the first query, and what happens without a network."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from halubot.offline import network_refused
from tests.halubot.cli.calling import Halubot

TEXT = "GPT-4 was released by OpenAI in March 2023 (doi:10.1000/xyz)."


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halubot.evidence.json_api._late", [-99.0])


@pytest.fixture
def answer(tmp_path: Path) -> str:
    path = tmp_path / "answer.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def test_without_a_network_it_ends_and_says_so(
    halubot: Halubot, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nowhere(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("socket.getaddrinfo", nowhere)
    ended = halubot("check", answer, "--web", "duckduckgo")
    assert ended.status == 3
    assert "DuckDuckGo cannot be reached" in ended.out
    assert "Crossref cannot be reached" in " ".join(ended.out.split())
    assert "DuckDuckGo receives up to 6 queries" in ended.err
    assert "the text itself is not sent" in ended.err


def test_a_network_that_hangs_is_given_up_at_once(
    halubot: Halubot, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = threading.Event()
    asked: list[object] = []

    def hang(host: object, *_: object, **__: object) -> None:
        asked.append(host)
        hanging.wait(60)
        raise OSError("no network")

    monkeypatch.setattr("halubot.evidence.json_api.REACH_SECONDS", 0.05)
    monkeypatch.setattr("socket.getaddrinfo", hang)
    ended = halubot("check", answer, "--web", "duckduckgo")
    hanging.set()
    assert ended.status == 3
    # Once one name was not found in time, no other is looked for.
    assert len(asked) == 1
    assert "names were not found in time" in " ".join(ended.out.split())


def test_a_dry_run_shows_queries_receivers_and_costs(
    halubot: Halubot, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "k")
    with network_refused():
        ended = halubot("check", answer, "--web", "duckduckgo,tavily", "--dry-run")
        as_json = halubot("check", answer, "--web", "tavily", "--dry-run", "--format", "json")
    assert ended.status == 0
    assert "to Tavily: GPT-4 released OpenAI March 2023" in ended.out
    assert "to DuckDuckGo: GPT-4" in ended.out
    assert "Crossref" in ended.out
    plan = json.loads(as_json.out)
    assert plan["web"]["cost_usd"] == plan["cost_usd"] == pytest.approx(0.048)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--web", "duckduckgo", "--offline"], "--offline"),
        (["--web", "gogle"], "did you mean 'google'?"),
        (["--web", "tavily"], "set the variable TAVILY_API_KEY"),
        (["--web", "searxng"], "--web searxng:https://"),
        (["--web", "duckduckgo", "--web-queries", "99"], "30"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    halubot: Halubot, answer: str, words: list[str], told: str
) -> None:
    with network_refused():
        ended = halubot("check", answer, *words)
    assert ended.status == 2
    assert told in ended.err


def test_a_price_that_is_not_known_holds_no_budget(
    halubot: Halubot, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "k")
    ended = halubot("check", answer, "--web", "brave", "--max-cost", "1")
    assert ended.status == 2
    assert "price of Brave Search is not known" in ended.err


@pytest.mark.slow
def test_the_demonstration_needs_no_network(halubot: Halubot) -> None:
    with network_refused():
        ended = halubot("demo", "--web", "--format", "json")
    found = json.loads(ended.out)
    assert ended.status == 0
    assert found["found"] >= 20
    assert found["false_alarms"] <= 3


def test_a_service_does_not_promise_what_paid_searches_cost(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of its processes would count for itself."""
    monkeypatch.setenv("TAVILY_API_KEY", "k")
    ended = halubot("serve", "--port", "0", "--web", "tavily", "--max-cost", "1")
    assert (ended.status, ended.out) == (2, "")
    assert "--max-cost counts paid searches in one process" in ended.err
