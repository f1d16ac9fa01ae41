"""A batch with a model: one budget and one store for all lines, and where it stops."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest

from halubot import Report
from halubot.batch import Line as BatchLine
from halubot.batch import Tally, check_file
from halubot.errors import InputError
from halubot.inputs import Options
from halubot.models.limits import provider
from halubot.models.model import Completion, Request
from halubot.models.model_errors import (
    BudgetSpentError,
    ModelError,
    RefusedKeyError,
    ServerFaultError,
    UnknownModelError,
    UnreachableError,
)
from halubot.models.pace import Pace
from halubot.rate import Rate
from halubot.testing import Line, ScriptedModel
from tests.judge import ANSWER, Judge

TEXTS = [f"{ANSWER} She was number {number}." for number in range(4)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    lines = [{"text": text, "question": f"Who was {n}?"} for n, text in enumerate(TEXTS)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def options(model: ScriptedModel, store: Path, **more: Any) -> Options:
    return cast("Options", {"model": model, "store": store, "n_samples": 3, **more})


def reports(target: Path) -> list[Report]:
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    return [Report.model_validate(line["report"]) for line in lines]


def test_each_line_is_checked_with_its_own_question(
    source: Path, target: Path, store: Path
) -> None:
    judge = Judge()
    assert check_file(source, target, options=options(ScriptedModel(judge), store)) == Tally(4)
    questions = [report.question.text for report in reports(target) if report.question]
    assert questions == [f"Who was {n}?" for n in range(4)]
    assert {one.words for one in judge.asked if one.prompt == "answer"} == set(questions)
    assert {len(report.sources) for report in reports(target)} == {3}


def test_what_two_lines_ask_alike_is_asked_once(source: Path, target: Path, store: Path) -> None:
    line = json.dumps({"text": TEXTS[0], "question": "Who?"})
    source.write_text(f'{line}\n{{"id": "twin", {line[1:]}\n')
    model = ScriptedModel(Judge())
    seen: list[int] = []

    def watch(line: BatchLine) -> None:
        assert line.report is not None
        seen.append(line.report.usage.calls)

    check_file(source, target, options=options(model, store), watch=watch)
    assert sum(seen) == model.calls
    alone = ScriptedModel(Judge())
    source.write_text(f"{line}\n")
    check_file(source, target.with_name("alone.jsonl"), options=options(alone, store.parent / "b"))
    assert model.calls == alone.calls


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [2, 3, 16])
def test_messages_at_once_change_no_byte(
    source: Path, target: Path, store: Path, at_once: int
) -> None:
    check_file(source, target, options=options(ScriptedModel(Judge()), store))
    other, fresh = target.with_name("other.jsonl"), store.with_name("fresh")
    model = ScriptedModel(Judge())
    seen: list[int] = []
    tally = check_file(
        source,
        other,
        options=options(model, fresh),
        at_once=at_once,
        watch=lambda line: seen.append(line.place),
    )
    assert tally == Tally(checked=4)
    assert seen == [1, 2, 3, 4]
    assert other.read_bytes() == target.read_bytes()


@pytest.mark.parametrize("at_once", [1, 4])
def test_no_more_calls_begin_than_the_rate_allows(
    source: Path, target: Path, store: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    now = 0.0
    begun: list[float] = []

    class Timed(ScriptedModel):
        async def complete(self, request: Request) -> tuple[Completion, ...]:
            begun.append(now)
            return await super().complete(request)

    async def sleep(seconds: float) -> None:
        nonlocal now
        until = now + seconds
        for _ in range(50):  # what may begin begins before time passes
            await asyncio.sleep(0)
        now = max(now, until)

    model = Timed(Judge())
    pace = Pace(clock=lambda: now, sleep=sleep)
    monkeypatch.setattr(provider(model.endpoint), "pace", pace)
    given = options(model, store)
    tally = check_file(source, target, options=given, at_once=at_once, rate=Rate(3, 60.0))
    assert tally.checked == 4
    assert len(begun) > 6
    assert all(later - sooner >= 60 for sooner, later in zip(begun, begun[3:], strict=False))


def test_what_was_spent_is_summed_up_beside_the_output(
    source: Path, target: Path, store: Path
) -> None:
    model = ScriptedModel(Judge(samples=[f"{ANSWER} So says book {n}." for n in range(3)]))
    summary = target.with_name("out.summary.json")
    tally = check_file(source, target, options=options(model, store, max_calls=7))
    first = json.loads(summary.read_text())
    assert (first["lines"], first["errors"], first["left"]) == (1, 0, 3)
    assert first["usage"]["calls"] == tally.usage.calls == model.calls == 7
    assert isinstance(tally.stopped, BudgetSpentError)
    tally = check_file(source, target, options=options(model, store))
    second = json.loads(summary.read_text())
    assert (second["lines"], second["left"]) == (4, 0)
    assert second["usage"]["calls"] == model.calls == 7 + tally.usage.calls
    assert second["usage"]["seconds"] > first["usage"]["seconds"]
    assert not any(fact.verdict == "not_checked" for one in reports(target) for fact in one.facts)
    before = summary.read_bytes()
    check_file(source, target, options=options(model, store))
    assert summary.read_bytes() == before


@pytest.mark.parametrize("kind", [RefusedKeyError, UnknownModelError, UnreachableError])
def test_what_more_calls_would_not_mend_stops_it(
    source: Path, target: Path, store: Path, kind: type[ModelError]
) -> None:
    judge = Judge()
    broken = {"now": True}

    def line(request: Request) -> Line:
        if broken["now"] and "2?" in request.messages[-1].content:
            return kind("no", "mend it", model="scripted", endpoint="a script")
        return judge(request)

    model = ScriptedModel(line)
    tally = check_file(source, target, options=options(model, store))
    assert (tally.checked, tally.left) == (2, 2)
    assert isinstance(tally.stopped, kind)
    broken["now"] = False
    assert check_file(source, target, options=options(model, store)) == Tally(checked=2, kept=2)


def test_a_passing_fault_costs_its_line_alone(source: Path, target: Path, store: Path) -> None:
    judge = Judge()

    def line(request: Request) -> Line:
        if "number 1" in request.messages[-1].content and request.schema is not None:
            error = ServerFaultError("no", "mend it", model="scripted", endpoint="a script")
            error.transient = False
            return error
        return judge(request)

    tally = check_file(source, target, options=options(ScriptedModel(line), store))
    assert tally == Tally(checked=4)
    assert [bool(report.problems) for report in reports(target)] == [False, True, False, False]


def test_a_record_of_all_lines_replays_them(
    source: Path, target: Path, store: Path, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    check_file(source, target, options=options(ScriptedModel(Judge()), store, record=record))
    again = tmp_path / "again.jsonl"
    check_file(source, again, options=Options(replay=record, n_samples=3))
    assert [one.facts for one in reports(again)] == [one.facts for one in reports(target)]
    assert {one.usage.calls for one in reports(again)} == {0}


def test_an_output_of_other_models_is_refused(source: Path, target: Path, store: Path) -> None:
    model = ScriptedModel(Judge())
    check_file(source, target, options=options(model, store))
    others = ({"n_samples": 2}, {"as_published": True}, {"judge_model": ScriptedModel(name="b")})
    for other in others:
        with pytest.raises(InputError, match="was not made from this input with these options"):
            check_file(source, target, options=options(model, store, **other))
