"""Models that think, refuse, call tools or are cut off, over HTTP: each is told apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import halubot
from halubot.events import UNFINISHED, WAS_CUT, AnswerToken
from halubot.models import answer_text
from halubot.report import Report
from tests.judge import Judge, received
from tests.loopback import Body, Loopback, Reply, loopback

ANSWER = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."
THOUGHTS = {
    "tags": "<think>Who was she?\nLet me see.</think>\n\n",
    "closing tag": "Who was she?\nLet me see.</think>\n\n",
    "harmony": "<|channel|>analysis<|message|>Who was she?<|end|><|start|>assistant"
    "<|channel|>final<|message|>",
}


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as server:
        yield server


def asked(server: Loopback, folder: Path, **options: Any) -> Report:
    options.setdefault("n_samples", 2)
    return halubot.ask(
        "Who was Ada Lovelace?",
        model="openai/tiny",
        api_base=server.url,
        store=folder / "store",
        **options,
    )


@pytest.mark.parametrize("kind", THOUGHTS)
def test_thoughts_are_no_part_of_answers_samples_and_verdicts(
    server: Loopback, tmp_path: Path, kind: str
) -> None:
    judge = Judge(answer=ANSWER, samples=(ANSWER,))

    def thinking(body: Body) -> Reply:
        reply = judge.reply(body)
        return replace(reply, texts=tuple(THOUGHTS[kind] + text for text in reply.texts))

    server.answer(thinking)
    tokens: list[str] = []
    report = asked(
        server,
        tmp_path,
        watch=lambda event: tokens.append(event.text) if isinstance(event, AnswerToken) else None,
    )
    assert report.text == ANSWER
    assert [source.text for source in report.sources] == [ANSWER, ANSWER]
    assert {fact.verdict for fact in report.facts} == {"supported"}
    assert report.problems == ()
    assert "".join(tokens).endswith(ANSWER)
    if kind != "closing tag":  # nothing tells that text to come is thought
        assert "".join(tokens) == ANSWER


ENDS: dict[str, tuple[Body, str | None, str]] = {
    "refusal": ({"content": None, "refusal": "I cannot."}, "stop", answer_text.REFUSED),
    "filter": ({"content": ""}, "content_filter", answer_text.FILTERED),
    "thought alone": ({"content": "<think>hm"}, "length", answer_text.IN_THOUGHT),
    "tool": (
        {
            "content": None,
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        "tool_calls",
        answer_text.TOOL,
    ),
}


@pytest.mark.parametrize("end", ENDS)
def test_each_end_without_an_answer_has_its_own_message(
    server: Loopback, tmp_path: Path, end: str
) -> None:
    message, reason, why = ENDS[end]
    judge = Judge(answer=ANSWER, samples=(ANSWER, f"{ANSWER} She died in 1852."))

    def ending(body: Body) -> Reply:
        if not received(body).prompt.startswith("verify"):
            return judge.reply(body)
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
        whole = {"id": "t", "object": "chat.completion", "created": 0, "model": "tiny"}
        return Reply(raw=json.dumps({**whole, "choices": [choice]}).encode())

    server.answer(ending)
    report = asked(server, tmp_path)
    verifying = [one for one in server.bodies if received(one).prompt.startswith("verify")]
    assert len(verifying) == 2  # one a sample: nothing of this is mended by asking again
    assert any(why in problem.why for problem in report.problems)
    assert all(why in (fact.reason or "") for fact in report.facts)


def test_a_cut_answer_is_reported_and_its_last_sentence_not_judged(
    server: Loopback, tmp_path: Path
) -> None:
    judge = Judge(samples=(ANSWER,))
    cut = Reply(texts=(f"{ANSWER} She died in",), finish="length")
    server.answer(lambda body: cut if body.get("stream") else judge.reply(body))
    report = asked(server, tmp_path)
    assert WAS_CUT in {problem.what for problem in report.problems}
    assert [one.verdict for one in report.sentences] == ["supported", "supported", "not_checked"]
    assert report.sentences[-1].reason == UNFINISHED
    assert report.sentences[-1].rank is None


def test_what_a_user_asks_of_the_server_is_sent_and_part_of_the_key(
    server: Loopback, tmp_path: Path
) -> None:
    server.answer(Judge(answer=ANSWER, samples=(ANSWER,)).reply)
    asked(
        server,
        tmp_path,
        reasoning_effort="low",
        think=False,
        parameters={"top_k": 40},
    )
    for body in server.bodies:
        assert body["reasoning_effort"] == "low"
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
        assert body["top_k"] == 40
    calls = len(server.received)
    asked(server, tmp_path, reasoning_effort="low", think=False, parameters={"top_k": 40})
    assert len(server.received) == calls
    asked(server, tmp_path, reasoning_effort="high", think=False, parameters={"top_k": 40})
    assert len(server.received) > calls
