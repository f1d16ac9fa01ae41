"""Every fault of a server, seen from a check and from asking: over HTTP.

What could be judged is, the rest is judged by words and says why; or there is one clear error.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import halubot
from halubot.concurrency import Deadline
from halubot.events import Event, Spent
from halubot.methods.fallback import BY_WORDS
from halubot.models.limits import Limits, Retry, provider
from halubot.models.model_errors import ModelError
from halubot.models.pace import Pace
from halubot.models.panel import Panel, open_panel
from halubot.models.server_model import ServerModel
from halubot.report import Report
from halubot_cache import Store
from tests.judge import Judge, received
from tests.loopback import Body, Loopback, Reply, loopback

KEY = "sk-test-never-shown-0123456789"
TEXT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine in 1843."
SAMPLES = (
    f"{TEXT} She liked maths.",
    "Ada Lovelace was born in 1815 in London. She wrote poems about a loom in 1850.",
    f"{TEXT} She died young.",
)
QUESTION = "Who was Ada Lovelace?"
METHODS = ("cascade", "fsc-text")
SECONDS = 1
"""What a call may take where the server hangs."""


@dataclass(frozen=True)
class Fault:
    """What a server does (None: nobody is there), the reason a report gives, and what an error
    tells to do; "" where the call itself brought an answer."""

    reply: Reply | None
    reason: str
    remedy: str = ""


CALLS = {
    "refused": Fault(None, "nobody answers there", "--api-base"),
    "401": Fault(Reply(status=401), "the key was refused", "check OPENAI_API_KEY"),
    "404": Fault(Reply(status=404), "there is no such model", "check its name"),
    "429": Fault(Reply(status=429), "too many requests", "ask for less at once"),
    "429 for long": Fault(
        Reply(status=429, headers={"retry-after": "7"}), "too many requests", "ask for less"
    ),
    "500": Fault(Reply(status=500), "the server failed", "try again later"),
    "hang": Fault(Reply(hang=True), f"no answer within {SECONDS} s", "--timeout"),
    "half": Fault(
        Reply(raw=b'{"choices": [{"ind'), "the answer is not a completion", "OpenAI-compatible"
    ),
    "no choice": Fault(Reply(choices=0), "the answer is empty", "OpenAI-compatible"),
    "cut": Fault(Reply(cut=40), "the connection broke", "try again"),
}
"""Faults of a call."""
ANSWERS = {
    "prose": Fault(Reply(texts=("Well, all of it is supported.",)), "prose, not JSON"),
    "half a JSON": Fault(Reply(texts=('{"0": {"stance": "supp',)), "the answer was cut off"),
    "schema ignored": Fault(Reply(texts=('{"supported": true}',)), "the answer left it out"),
    "90 kB of prose": Fault(Reply(texts=("supported " * 9_000,)), "prose, not JSON"),
    "80 kB of JSON": Fault(
        Reply(texts=(json.dumps({str(number): "x" * 10_000 for number in range(8)}),)),
        "stance is not -, nor the sign of a sentence",
    ),
    "320 kB of JSON": Fault(Reply(texts=('{"0": "' + "x" * 320_000 + '"}',)), "too long to read"),
    "1 MB of JSON": Fault(Reply(texts=('{"0": "' + "x" * 1_000_000 + '"}',)), "too long to read"),
    "brackets": Fault(Reply(texts=("[" * 90_000,)), "too long to mend"),
    "deep JSON": Fault(Reply(texts=("[" * 9_000,)), "nested too deep"),
}
"""Faults of an answer."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A server that judges as it should; a key is set."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with loopback() as server:
        server.answer(Judge(answer=TEXT, samples=SAMPLES).reply)
        yield server


@pytest.fixture
def panel(server: Loopback, tmp_path: Path) -> Iterator[Panel]:
    """A panel that asks the server, and that waits for nothing but an answer."""
    passed = [0.0]

    async def sleep(seconds: float) -> None:
        passed[0] += seconds

    provider(server.url).pace = Pace(clock=lambda: passed[0], sleep=sleep)
    door = ServerModel("openai/tiny", server.url)
    limits = Limits(call_seconds=90, retry=Retry(attempts=2), sleep=sleep)
    with Panel(door, door, limits=limits, store=Store.open(tmp_path / "store")) as panel:
        yield panel


def impatient(panel: Panel) -> Panel:
    """The panel with little time for a call."""
    limits = Limits(call_seconds=SECONDS, retry=panel.limits.retry, sleep=panel.limits.sleep)
    return Panel(panel.answer, panel.judge, limits=limits, store=panel.store)


def failing(server: Loopback, fault: Fault, when: Callable[[str, Body], bool]) -> Judge:
    """Makes the server fail for some requests, told by the name of their prompt."""
    judge = Judge(answer=TEXT, samples=SAMPLES)
    if fault.reply is None:
        server.close()
    reply = fault.reply or Reply()

    def answer(body: Body) -> Reply:
        return reply if when(received(body).prompt, body) else judge.reply(body)

    server.answer(answer)
    return judge


def verifying(prompt: str, body: Body) -> bool:
    """Where facts are compared with a text."""
    return prompt.startswith("verify")


def assert_by_words(report: Report, samples: Sequence[str], why: str = "") -> None:
    """The verdicts are those that words alone give, and say so and ``why``."""
    alone = halubot.check(report.text, samples=samples, method="consensus")
    assert [fact.verdict for fact in report.facts] == [fact.verdict for fact in alone.facts]
    assert [one.verdict for one in report.sentences] == [one.verdict for one in alone.sentences]
    assert all(BY_WORDS in (fact.reason or "") for fact in report.facts)
    assert all(why in (fact.reason or "") for fact in report.facts[:1])
    assert all(BY_WORDS in (sentence.reason or "") for sentence in report.sentences)


def assert_not_checked(report: Report, why: str) -> None:
    """Nothing is judged, and everything says ``why``."""
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert all(why in (fact.reason or "") for fact in report.facts[:1])
    assert all(fact.reason and fact.score is None for fact in report.facts)
    assert {sentence.verdict for sentence in report.sentences} == {"not_checked"}
    assert all(sentence.reason for sentence in report.sentences)
    assert report.score is None


def said(report: Report) -> str:
    """All that the report says went wrong."""
    return "\n".join(f"{problem.what}: {problem.why}" for problem in report.problems)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*CALLS, *ANSWERS])
def test_what_the_model_cannot_judge_is_judged_by_words(
    server: Loopback, panel: Panel, name: str, method: str
) -> None:
    fault = (CALLS | ANSWERS)[name]
    failing(server, fault, verifying)
    within = impatient(panel) if name == "hang" else panel
    report = halubot.check(TEXT, samples=SAMPLES[:2], method=method, panel=within)
    assert len(report.facts) == 4
    if method == "cascade":
        assert_by_words(report, SAMPLES[:2], fault.reason)
    else:
        assert_not_checked(report, fault.reason)
    assert f"facts were not judged: {fault.reason}" in said(report) or fault.remedy == ""
    if fault.remedy:
        assert f"openai/tiny at {server.url}: " in said(report)
        assert fault.remedy in said(report)
    assert report.usage.calls <= 7


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in CALLS | ANSWERS if name != "refused"])
def test_one_failing_call_costs_one_sample(server: Loopback, panel: Panel, name: str) -> None:
    fault = (CALLS | ANSWERS)[name]
    failing(server, fault, lambda prompt, body: verifying(prompt, body) and "loom" in str(body))
    within = impatient(panel) if name == "hang" else panel
    method = METHODS[len(name) % 2]
    report = halubot.check(TEXT, samples=SAMPLES, method=method, panel=within)
    assert [fact.verdict for fact in report.facts] == ["supported"] * 4
    assert "sample 2: 4 of 4 facts were not judged" in said(report)
    assert "sample 1" not in said(report)


@pytest.mark.parametrize("method", METHODS)
def test_a_fault_that_passes_leaves_no_trace(server: Loopback, panel: Panel, method: str) -> None:
    judge = Judge()
    faults = [Reply(status=500), Reply(texts=("Let me think.",)), Reply(cut=40)]

    def answer(body: Body) -> Reply:
        return faults.pop() if faults else judge.reply(body)

    server.answer(answer)
    report = halubot.check(TEXT, samples=SAMPLES, method=method, panel=panel)
    assert [fact.verdict for fact in report.facts] == ["supported"] * 4
    assert report.problems == ()


def test_a_schema_that_is_turned_down_is_left_out(server: Loopback, panel: Panel) -> None:
    judge = Judge()

    def answer(body: Body) -> Reply:
        if "response_format" in body:
            return Reply(status=400, error="response_format is not supported")
        return judge.reply(body)

    server.answer(answer)
    report = halubot.check(TEXT, samples=SAMPLES, panel=panel)
    assert {fact.verdict for fact in report.facts} == {"supported"}


@pytest.mark.slow
def test_the_deadline_ends_a_check_and_a_hanging_call(server: Loopback, panel: Panel) -> None:
    failing(server, CALLS["hang"], verifying)
    report = halubot.check(TEXT, samples=SAMPLES, panel=panel, deadline=1)
    assert_by_words(report, SAMPLES)
    assert "the deadline of 1 s passed" in said(report)
    server.wait_for_hanging_up()


@pytest.mark.slow
def test_the_deadline_ends_a_correction_that_hangs(server: Loopback, panel: Panel) -> None:
    """The check is done; the model hangs when it is to rewrite."""
    report = halubot.check(TEXT, samples=SAMPLES, panel=panel)
    failing(server, CALLS["hang"], lambda prompt, body: prompt == "correct")
    corrected = halubot.correct(report, hints="none", panel=panel, deadline=1)
    assert corrected.correction is not None
    assert (corrected.correction.text, corrected.correction.report) == (TEXT, None)
    assert "the time for all was over" in said(corrected)
    server.wait_for_hanging_up()


def test_the_check_of_a_corrected_text_has_the_time_that_is_left(
    server: Loopback, panel: Panel
) -> None:
    report = halubot.check(TEXT, samples=SAMPLES, panel=panel)
    judge = failing(server, CALLS["hang"], lambda prompt, body: False)
    judge.rewrite = lambda sentence, hints: ("changed", sentence.replace("She wrote", "Ada wrote"))
    deadline = Deadline(3600)

    def end_deadline(event: Event) -> None:
        if isinstance(event, Spent):  # of the rewriting
            deadline.at = time.monotonic()

    corrected = halubot.correct(
        report, hints="none", panel=panel, deadline=deadline, watch=end_deadline
    )
    assert corrected.correction is not None
    assert corrected.correction.report is not None
    assert "the deadline of 3600 s passed" in said(corrected.correction.report)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_an_answer_that_does_not_come_is_one_clear_error(
    server: Loopback, panel: Panel, name: str
) -> None:
    fault = CALLS[name]
    failing(server, fault, lambda prompt, body: bool(body.get("stream")))
    if name == "cut":
        server.replies(Reply(cut=0))
    with pytest.raises(ModelError) as caught:
        halubot.ask(QUESTION, n_samples=2, panel=impatient(panel) if name == "hang" else panel)
    assert str(caught.value).startswith(f"openai/tiny at {server.url}: ")
    assert fault.remedy in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_answer_that_breaks_off_is_checked_as_far_as_it_came(
    server: Loopback, panel: Panel
) -> None:
    judge = Judge(samples=SAMPLES)
    server.answer(
        lambda body: Reply(texts=(TEXT,), cut=10) if body.get("stream") else judge.reply(body)
    )
    report = halubot.ask(QUESTION, n_samples=2, method="fsc-text", panel=panel)
    assert report.text == "Ada Lovelace was born in 1815 in London. She wrote"
    assert report.facts[0].verdict == "supported"
    broken = f"openai/tiny at {server.url}: the connection broke before the answer was whole"
    assert f"the answer broke off: {broken}" in said(report)


def test_no_key_is_shown_or_kept(
    server: Loopback, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    leaky = Reply(status=400, error=f"Incorrect API key provided: {KEY}. Bearer {KEY}")
    failing(server, Fault(leaky, ""), verifying)
    events: list[object] = []
    store, record = tmp_path / "store", tmp_path / "record.jsonl"
    with open_panel("openai/tiny", api_base=server.url, store=store, record=record) as panel:
        report = halubot.ask(QUESTION, n_samples=2, panel=panel, watch=events.append)
        assert "Incorrect API key provided: ***" in said(report)
        assert KEY not in report.to_json() + repr(events) + repr(panel)
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert record in kept
    assert not [file for file in kept if KEY.encode() in file.read_bytes()]
    assert KEY not in caplog.text
    assert any(KEY in str(request.headers) for request in server.received)  # it was sent


@pytest.mark.usefixtures("litellm")
def test_no_password_of_an_address_is_shown_or_kept(
    server: Loopback, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    base = server.url.replace("//", f"//me:{KEY}@")
    with pytest.raises(ModelError, match="the address holds a password; take it out") as caught:
        halubot.ask(QUESTION, model="openai/tiny", api_base=base, store=tmp_path)
    assert KEY not in f"{caught.value!r} {vars(caught.value)}"
    assert KEY not in caplog.text
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not [file for file in files if KEY.encode() in file.read_bytes()]
