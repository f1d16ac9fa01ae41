"""What goes wrong with a judge of whole answers, or of sentences against samples: over HTTP,
through litellm."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import halubot
from halubot.events import Event, Progress
from halubot.models.limits import Limits
from halubot.models.pace import Retry
from halubot.models.panel import Panel, open_panel
from halubot.models.server_model import ServerModel
from halubot.report import Report
from halubot_cache import Store
from tests.judge import Judge, received
from tests.loopback import Body, Loopback, Reply, loopback

# litellm switches these warnings of pydantic off as it is imported, and pytest on again.

RIGHT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine in 1843."
WRONG = RIGHT.replace("1815", "1816")
SAMPLES = [f"{RIGHT} So says book {number}." for number in range(5)]
WHOLE = ["bcv", "bcv-cot", "sca"]
SAMPLED = ["issc", "issc-cot"]
SECONDS = 0.3

FAULTS = {
    "500": (Reply(status=500), "the server failed"),
    "401": (Reply(status=401), "the key was refused"),
    "hang": (Reply(hang=True), f"no answer within {SECONDS} s"),
    "half a body": (Reply(raw=b'{"choices": [{"ind'), "the answer is not a completion"),
    "hung up": (Reply(cut=40), "the connection broke"),
    "prose": (Reply(texts=("Yes, it contains a hallucination.",)), "prose, not JSON"),
    "half a JSON": (Reply(texts=('{"reasons": "So it',)), ""),
    "another shape": (Reply(texts=('{"verdict": "yes"}',)), ""),
    "another word": (Reply(texts=('{"reasons": "", "hallucination": "maybe"}',)), ""),
}
"""What a server does, and the reason that a report gives ("" where that hangs on the method)."""


@pytest.fixture
def server(litellm: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A server that judges as it should."""
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    with loopback() as server:
        server.answer(Judge().reply)
        yield server


@pytest.fixture
def panel(server: Loopback, tmp_path: Path) -> Iterator[Panel]:
    """A panel that asks the server, and waits for nothing but an answer."""

    async def sleep(seconds: float) -> None:
        """No time passes."""

    door = ServerModel("openai/tiny", server.url)
    limits = Limits(call_seconds=90, retry=Retry(attempts=2), sleep=sleep)
    with Panel(door, door, limits=limits, store=Store.open(tmp_path / "store")) as panel:
        yield panel


def check(panel: Panel, method: str, text: str = WRONG, **options: Any) -> Report:
    """A check with what the method compares with."""
    given: dict[str, Any] = {"samples": SAMPLES} if method in SAMPLED else {"references": [RIGHT]}
    return halubot.check(text, method=method, panel=panel, **(given | options))


def impatient(panel: Panel) -> Panel:
    """The panel with little time for a call."""
    limits = Limits(call_seconds=SECONDS, retry=panel.limits.retry, sleep=panel.limits.sleep)
    return Panel(panel.answer, panel.judge, limits=limits, store=panel.store)


def failing(server: Loopback, reply: Reply, when: Callable[[Body], bool]) -> None:
    """Makes the server fail for some requests."""
    judge = Judge()
    server.answer(lambda body: reply if when(body) else judge.reply(body))


def said(report: Report) -> str:
    """All that the report says went wrong."""
    return "\n".join(f"{problem.what}: {problem.why}" for problem in report.problems)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "method"),
    [
        *((fault, method) for fault in FAULTS for method in ("bcv-cot", "sca", "issc-cot")),
        *(("prose", method) for method in ("bcv", "issc")),
    ],
)
def test_what_no_call_judges_is_not_checked(
    server: Loopback, panel: Panel, fault: str, method: str
) -> None:
    reply, reason = FAULTS[fault]
    failing(server, reply, lambda body: True)
    report = check(impatient(panel) if fault == "hang" else panel, method)
    assert [sentence.verdict for sentence in report.sentences] == ["not_checked"] * 2
    assert all(reason in str(sentence.reason) for sentence in report.sentences)
    assert all(sentence.reason and sentence.score is None for sentence in report.sentences)
    assert (report.score, report.label) == (None, None)
    assert "5 of 5 repeats brought no verdict" in said(report) or method in SAMPLED
    assert report.usage.calls <= 5 * 3


@pytest.mark.parametrize("method", WHOLE)
@pytest.mark.parametrize("fault", ["prose", "half a JSON", "another shape"])
def test_one_repeat_that_fails_leaves_the_others(
    server: Loopback, panel: Panel, fault: str, method: str
) -> None:
    reply, _ = FAULTS[fault]
    first = iter([True])

    def again(body: Body) -> bool:
        asked_again = "could not be used" in body["messages"][-1]["content"]
        return asked_again or next(first, False)

    failing(server, reply, again)
    report = check(panel, method)
    assert report.details["votes"] == {"yes": 4, "no": 0, "lost": 1}
    assert report.score == 1.0
    assert report.sentences[0].verdict == "doubtful"
    assert "1 of 5 repeats brought no verdict" in said(report)
    assert report.usage.calls == 4 + 3


@pytest.mark.parametrize("method", ["sca", *SAMPLED])
def test_one_sentence_that_is_left_out_leaves_the_others(
    server: Loopback, panel: Panel, method: str
) -> None:
    judge = Judge()

    def answer(body: Body) -> Reply:
        words = json.loads(judge.reply(body).texts[0])
        for key, sentence in received(body).fields["sentences"].items():
            if sentence.endswith("in 1843."):
                words.pop(key, None)
        return Reply(texts=(json.dumps(words),))

    server.answer(answer)
    report = check(panel, method)
    assert [sentence.verdict for sentence in report.sentences] == ["doubtful", "not_checked"]
    assert "left it out" in str(report.sentences[1].reason)


def test_a_last_word_that_never_comes_loses_no_sentence(server: Loopback, panel: Panel) -> None:
    judge = Judge()

    def answer(body: Body) -> Reply:
        words = json.loads(judge.reply(body).texts[0])
        return Reply(texts=(json.dumps({k: v for k, v in words.items() if k.isdigit()}),))

    server.answer(answer)
    wrong = check(panel, "sca")
    assert [sentence.verdict for sentence in wrong.sentences] == ["doubtful", "supported"]
    assert wrong.label == "CONTAINS HALLUCINATION"
    right = check(panel, "sca", RIGHT)
    assert [sentence.verdict for sentence in right.sentences] == ["supported"] * 2
    assert right.label is None
    assert "5 of 5 repeats brought no verdict" in said(right)


@pytest.mark.parametrize("method", [*WHOLE, *SAMPLED])
def test_a_check_that_is_stopped_keeps_what_was_said_by_then(
    server: Loopback, panel: Panel, method: str
) -> None:
    quick = iter([True, True])
    judge = Judge()
    server.answer(lambda body: judge.reply(body) if next(quick, False) else Reply(hang=True))
    given: dict[str, Any] = {"samples": SAMPLES} if method in SAMPLED else {"references": [RIGHT]}

    async def stopped() -> Report:
        two = asyncio.Event()

        def watch(event: Event) -> None:
            if isinstance(event, Progress) and event.done == 2:
                two.set()

        run = halubot.start(WRONG, method=method, panel=panel, watch=watch, **given)
        await two.wait()
        await asyncio.to_thread(server.wait_for, 3)
        run.cancel()
        return await run.wait()

    report = asyncio.run(stopped())
    assert "the check was cancelled" in said(report)
    if method in SAMPLED:
        assert {sentence.verdict for sentence in report.sentences} == {"not_checked"}
    else:
        assert report.score == 1.0
        assert report.sentences[0].verdict == "doubtful"
    server.wait_for_hanging_up()


@pytest.mark.parametrize("method", ["bcv-cot", "sca"])
@pytest.mark.parametrize(
    ("references", "shown"),
    [
        (["Ada Lovelace wurde 1815 in London geboren."], ["wurde 1815"]),
        (["Ada was born in 1815.", "Ada was born in 1816."], ["1815", "1816"]),
        (["Wool and salt. " * 5_000 + RIGHT], ["born in 1815"]),
        (["Άδα Λάβλεϊς. " * 5_000], ["Άδα Λάβλεϊς"]),
    ],
)
def test_references_of_any_kind_are_shown(
    server: Loopback, panel: Panel, method: str, references: list[str], shown: list[str]
) -> None:
    report = check(panel, method, references=references)
    assert {sentence.verdict for sentence in report.sentences} <= {"supported", "doubtful"}
    context = received(server.bodies[0]).fields["context"]
    assert all(words in context for words in shown)
    assert len(context) >= sum(map(len, references))


FACTS = " ".join(f"The pillar {number} was built in {1900 + number}." for number in range(8))


@pytest.mark.parametrize(
    ("method", "as_published"),
    [*((method, False) for method in (*WHOLE, *SAMPLED)), ("sca", True), ("issc-cot", True)],
)
def test_a_run_that_was_recorded_is_replayed(
    server: Loopback, tmp_path: Path, method: str, as_published: bool
) -> None:
    record = tmp_path / "record.jsonl"
    store = tmp_path / "kept"
    with open_panel("openai/tiny", api_base=server.url, store=store, record=record) as panel:
        first = check(panel, method, as_published=as_published)
        again = check(panel, method, as_published=as_published)
    asked = len(server.received)
    assert first.usage.calls == asked == (10 if as_published and method in SAMPLED else 5)
    assert again.usage.calls == 0
    with open_panel(replay=record) as replayed:
        last = check(replayed, method, as_published=as_published)
    assert len(server.received) == asked
    usage = first.usage
    assert first.score == 1.0 or method in SAMPLED
    for other in (again, last):
        assert other.model_copy(update={"usage": usage}) == first
