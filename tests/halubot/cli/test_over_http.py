"""Commands with a model over real sockets: a server that does well, and servers that do not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot import Report
from halubot.models import capabilities
from halubot.models.limits import Retry
from tests.halubot.cli.calling import RIGHT, WRONG, Halubot
from tests.judge import Judge
from tests.loopback import Loopback, Reply, loopback

QUESTION = "Who was Ada Lovelace?"
KEY = "sk-secret-0123456789"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A server that the settings name, asked with a key."""
    wait = Retry.wait
    # A call that fails is made again as ever, without the pause before it.
    monkeypatch.setattr(Retry, "wait", lambda *call: wait(*call) and 0.0)
    monkeypatch.setattr(capabilities, "_learnt", {})
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback() as server:
        monkeypatch.setenv("HALUBOT_MODEL", "openai/tiny")
        monkeypatch.setenv("HALUBOT_API_BASE", server.url)
        monkeypatch.setenv("HALUBOT_N_SAMPLES", "3")
        yield server


@pytest.fixture
def sensible(server: Loopback) -> Judge:
    judge = Judge(answer=WRONG, samples=[f"{RIGHT} So says book {n}." for n in range(3)])
    server.answer(judge.reply)
    return judge


@pytest.mark.slow
def test_ask_check_and_correct(
    halubot: Halubot, files: Path, server: Loopback, sensible: Judge
) -> None:
    answered = halubot("ask", QUESTION, "--format", "json")
    report = Report.model_validate_json(answered.out)
    assert (answered.status, answered.err, report.text) == (1, "", WRONG)
    assert report.usage.calls == len(server.received)
    assert len(report.sources) == 3
    sensible.rewrite = lambda sentence, hints: ("changed", sentence.replace("1816", "1815"))
    corrected = halubot("correct", "wrong.txt", "--question", QUESTION, "--format", "json")
    correction = Report.model_validate_json(corrected.out).correction
    assert correction is not None
    assert correction.text == RIGHT
    calls = len(server.received)
    again = halubot("correct", "wrong.txt", "--question", QUESTION, "--format", "json")
    assert len(server.received) == calls
    assert json.loads(again.out)["usage"]["calls"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_a_dry_run_is_kept_to(
    halubot: Halubot, files: Path, server: Loopback, sensible: Judge, stream: bool
) -> None:
    args = ("ask", QUESTION) if stream else ("check", "wrong.txt", "--question", QUESTION)
    plan = json.loads(halubot(*args, "--dry-run", "--format", "json").out)
    assert not server.received
    halubot(*args)
    assert 0 < len(server.received) <= plan["most_calls"]
    assert len(server.received) <= plan["calls"] + 2


@pytest.mark.slow
def test_a_model_that_did_not_answer_by_the_deadline_is_no_pass(
    halubot: Halubot, files: Path, server: Loopback
) -> None:
    """Words judge what is left, and support all of it."""
    server.answer(lambda body: Reply(hang=True))
    args = ("right.txt", "--reference", "right.txt", "--deadline", "1")
    for command in ("check", "correct"):
        ended = halubot(command, *args, "--format", "json")
        report = Report.model_validate_json(ended.out)
        assert {fact.verdict for fact in report.facts} == {"supported"}
        assert ended.status == 3
        assert "the deadline of 1 s passed" in ended.err


FAULTS = {
    "401": (Reply(status=401, error=f"bad key {KEY}"), "the key was refused"),
    "404": (Reply(status=404, error="no model tiny"), "there is no such model"),
}


@pytest.mark.parametrize(("reply", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_a_check_that_gets_no_answer_still_says_what_it_can(
    halubot: Halubot, files: Path, server: Loopback, reply: Reply, said: str
) -> None:
    server.replies(reply)
    ended = halubot("check", "wrong.txt", "--samples", "samples.jsonl", "--format", "json")
    report = Report.model_validate_json(ended.out)
    assert ended.status in (1, 3)
    assert KEY not in ended.out + ended.err
    assert report.problems
    assert len(report.facts) == 2
    assert all(fact.reason for fact in report.facts if fact.verdict == "not_checked")


@pytest.mark.parametrize("command", ["check", "correct", "ask"])
def test_no_such_provider(halubot: Halubot, files: Path, command: str) -> None:
    ended = halubot(command, "wrong.txt", "--model", "nosuch[/tiny", "--timeout", "60")
    assert ended.status == 2
    assert "there is no provider 'nosuch['" in ended.err


@pytest.mark.parametrize("command", ["check", "correct", "ask", "batch"])
@pytest.mark.parametrize("base", ["http://127.0.0.1:9/v1", None])
def test_a_model_that_cannot_be_reached_is_found_before_other_work(
    halubot: Halubot, files: Path, monkeypatch: pytest.MonkeyPatch, command: str, base: str | None
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (files / "in.jsonl").write_text(json.dumps({"text": RIGHT}) + "\n")
    given = {"ask": [QUESTION], "batch": ["in.jsonl", "out.jsonl"]}.get(command, ["wrong.txt"])
    where = ["--api-base", base] if base else []
    monkeypatch.setattr(Retry, "wait", lambda *_: pytest.fail("a call was made"))
    ended = halubot(
        command, *given, "--model", "openai/tiny", *where, "--reference", "reference.md"
    )
    assert (ended.status, ended.out) == (2, "")
    assert ("nobody answers there" if base else "set OPENAI_API_KEY") in ended.err
    assert not (files / "out.jsonl").exists()


ORDER = """
import sys
from halubot.cli import main
args = ["wrong.txt", "--reference", "reference.md", "--model", *sys.argv[1:]]
status = main(["check", *args])
print(status, "litellm" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        ["openai/tiny"],
        ["openai/tiny", "--api-base", "http://127.0.0.1:9/v1"],
        ["openai/tiny", "--api-base", "http://no-such-host.invalid/v1"],
        ["openai/tiny", "--api-base", "nonsense"],
        ["opnai/tiny"],
    ],
    ids=["key", "nobody", "name", "address", "misspelt provider"],
)
def test_what_no_call_would_reach_is_found_before_litellm_is_loaded(
    files: Path, monkeypatch: pytest.MonkeyPatch, model: list[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ended = subprocess.run(
        [sys.executable, "-c", ORDER, *model],
        capture_output=True,
        text=True,
        check=True,
        cwd=files,
    )
    assert ended.stdout.split() == ["2", "False"], ended.stderr


def test_what_rules_know_remains_where_a_model_fails(
    halubot: Halubot, files: Path, server: Loopback
) -> None:
    server.replies(Reply(status=500))
    for file, status in (("wrong.txt", 1), ("right.txt", 3)):
        ended = halubot("check", file, "--reference", "reference.md", "--format", "json")
        report = Report.model_validate_json(ended.out)
        assert ended.status == status
        assert any("the server failed" in problem.why for problem in report.problems)


def test_a_stream_that_breaks_off_is_checked_as_far_as_it_came(
    halubot: Halubot, files: Path, server: Loopback, sensible: Judge
) -> None:
    def breaking(body: dict[str, object]) -> Reply:
        reply = sensible.reply(body)
        return Reply(texts=reply.texts, cut=6) if body.get("stream") else reply

    server.answer(breaking)
    ended = halubot("ask", QUESTION, "--format", "json")
    report = Report.model_validate_json(ended.out)
    assert report.text
    assert WRONG.startswith(report.text)
    assert "the answer broke off" in ended.err
    assert ended.status in (0, 1, 3)


def test_a_batch_stops_where_the_key_is_refused_and_goes_on_there(
    halubot: Halubot, files: Path, server: Loopback, sensible: Judge
) -> None:
    lines = [{"id": n, "text": RIGHT, "question": f"{QUESTION} {n}"} for n in range(3)]
    (files / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    good = sensible.reply

    def refusing(body: dict[str, object]) -> Reply:
        second = "? 1" in json.dumps(body)
        return Reply(status=401, error="no") if second else good(body)

    server.answer(refusing)
    ended = halubot("batch", "in.jsonl", "out.jsonl")
    assert ended.status == 2
    assert "stopped with 2 lines left" in ended.err
    assert "the key was refused" in ended.err
    assert len((files / "out.jsonl").read_text().splitlines()) == 1
    server.answer(good)
    ended = halubot("batch", "in.jsonl", "out.jsonl", "--format", "json")
    assert json.loads(ended.out) == {"lines": 3, "checked": 2, "kept": 1, "errors": 0}


@pytest.mark.parametrize("reply", [Reply(status=500), Reply(texts=("[" * 20_000,))])
def test_a_batch_whose_model_fails_on_every_line(
    halubot: Halubot, files: Path, server: Loopback, reply: Reply
) -> None:
    server.replies(reply)
    (files / "in.jsonl").write_text('{"text": "Ada Lovelace was born in 1815."}\n' * 2)
    ended = halubot("batch", "in.jsonl", "out.jsonl", "--method", "cascade", "--question", "Who?")
    assert ended.status == 3
    assert "a fault of halubot's own" not in ended.err


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cascade", "fsc-text", "gca", "triplet-check", "knowhalu"])
@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, '{"a":' * 100_000, "[" * 9_000, "[" * 900 + "]" * 900, "<think>" * 20_000],
    ids=["lists", "objects", "few lists", "closed lists", "thoughts"],
)
def test_no_answer_ends_a_check_with_a_fault(
    halubot: Halubot, files: Path, server: Loopback, method: str, text: str
) -> None:
    server.replies(Reply(texts=(text,)))
    check = ("check", "wrong.txt", "--method", method, "--question", "Who?", "--n-samples", "2")
    assert halubot(*check).status in (1, 3)
    calls = len(server.received)
    assert halubot(*check).status in (1, 3)
    assert len(server.received) == calls  # what was paid for was stored before it was read
