"""A dry run says what a run takes: its calls are a bound, its tokens are near."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from halubot import Plan, aask, acheck, acorrect, rehearse
from halubot.correction.corrector import Hints
from halubot.dry_run import Work
from halubot.errors import SettingError
from halubot.methods import get
from halubot.methods.registry import method_names
from halubot.models.budget import Budget
from halubot.models.limits import Limits, Retry
from halubot.models.model import Listed
from halubot.models.panel import Panel
from halubot.models.token_count import prompt_tokens
from halubot.testing import ScriptedModel
from tests.judge import Judge

MESSAGE = (
    "The Orrin Light is a lighthouse on the north cape of the island of Skarra. It was designed by"
    " the engineer Ada Holm and built between 1868 and 1871. The tower of grey granite is 31 metres"
    " tall. The lamp burned oil until 1924, when it was changed to electric light. Since 1983 the"
    " light has worked by itself, and the last keeper moved to the village of Osby."
)
SHORT = "The Orrin Light was built in 1871."
QUESTION = "What is the Orrin Light?"
SAMPLES = tuple(
    f"{MESSAGE} A painting of {1900 + number} shows it.".replace("31 metres", f"{27 + number} feet")
    for number in range(20)
)
GUESSED = 0.3
MERGED = 0.2
"""How far the tokens of a run may be from those told, as a share of these."""


def judge(**changes: Any) -> Judge:
    return Judge(answer=MESSAGE, samples=SAMPLES, question=QUESTION, **changes)


def panel(model: ScriptedModel, *, max_calls: int | None = None) -> Panel:
    async def at_once(seconds: float) -> None:
        """Sleeps for no time at all."""

    limits = Limits(retry=Retry(jitter=lambda: 0.0), sleep=at_once)
    return Panel(answer=model, judge=model, limits=limits, budget=Budget(max_calls=max_calls))


def run(model: ScriptedModel, work: Work = "check", **options: Any) -> None:
    """The real work, kept in no store."""
    works: dict[Work, Callable[..., Any]] = {"check": acheck, "correct": acorrect, "ask": aask}
    text = QUESTION if work == "ask" else MESSAGE
    asyncio.run(works[work](text, panel=panel(model), **options))


def planned(work: Work = "check", **options: Any) -> Plan:
    text = QUESTION if work == "ask" else MESSAGE
    return rehearse(text, work=work, model=ScriptedModel(name="openai/tiny"), **options)


def read(model: ScriptedModel) -> int:
    return sum(map(prompt_tokens, model.requests))


@pytest.mark.slow
@pytest.mark.parametrize("as_published", [False, True], ids=["merged", "published"])
@pytest.mark.parametrize("method", method_names())
def test_a_check_takes_what_was_told(method: str, as_published: bool) -> None:
    few = 2 if as_published else 4
    options: dict[str, Any] = {"method": method, "n_samples": few}
    if "model" in get(method).needs:
        options["as_published"] = as_published
    plan = planned(**options)
    model = ScriptedModel(judge())
    run(model, **options)
    assert plan.method == method
    assert model.calls <= plan.most_calls
    assert plan.calls <= plan.most_calls
    # What GCA asks depends on what the rules find equal in the answers: a rehearsal guesses it.
    rel = GUESSED if (method, as_published) == ("gca", True) else MERGED
    assert read(model) == pytest.approx(plan.prompt_tokens, rel=rel)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"n_samples": 20}, {"question": QUESTION}])
def test_the_default_takes_what_was_told(options: dict[str, Any]) -> None:
    plan = planned(**options)
    model = ScriptedModel(judge())
    run(model, **options)
    assert model.calls == plan.calls
    assert read(model) == pytest.approx(plan.prompt_tokens, rel=MERGED)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cascade", "consensus", "fsc-text"])
def test_an_answer_is_counted_in(method: str) -> None:
    plan = planned("ask", method=method, n_samples=5)
    model = ScriptedModel(judge())
    run(model, "ask", method=method, n_samples=5)
    assert plan.samples == 5
    assert plan.calls <= model.calls <= plan.most_calls


@pytest.mark.slow
@pytest.mark.parametrize("hints", get_args(Hints))
def test_a_correction_is_counted_in(hints: Hints) -> None:
    plan = rehearse(MESSAGE, work="correct", hints=hints, model=ScriptedModel())
    checked = planned()
    model = ScriptedModel(
        judge(
            stance=lambda fact, source: "contradicts" if "31" in fact else "supports",
            rewrite=lambda sentence, told: ("changed", sentence.replace("31", "29")),
        )
    )
    run(model, "correct", hints=hints)
    assert checked.calls < plan.calls
    assert model.calls <= plan.most_calls


class TestNothingHappens:
    def test_no_model_is_called_and_no_socket_opened(
        self, monkeypatch: pytest.MonkeyPatch, nobody: Path
    ) -> None:
        opened: list[object] = []
        monkeypatch.setattr(socket.socket, "connect", lambda *args: opened.append(args))
        model = ScriptedModel()
        rehearse(SHORT, model=model, judge_model="openai/gpt-4o")
        rehearse(SHORT, model="openai/gpt-4o", store=nobody / "store")
        assert (model.calls, opened) == (0, [])
        assert not list(nobody.rglob("*"))

    def test_without_a_model_it_takes_nothing(self) -> None:
        assert rehearse(SHORT, samples=SAMPLES) == Plan(method="consensus")

    def test_a_replay_takes_nothing(self, tmp_path: Path) -> None:
        plan = rehearse(SHORT, replay=tmp_path / "all.jsonl", as_published=True)
        assert plan == Plan(method="cascade")


def test_asking_needs_a_model() -> None:
    with pytest.raises(SettingError, match="asking needs a model"):
        rehearse(QUESTION, work="ask")


class TestTheCost:
    def test_is_that_of_what_is_read_and_written(self) -> None:
        model = ScriptedModel(listed=Listed(0.001, 0.002))
        plan = rehearse(SHORT, model=model)
        expected = 0.001 * plan.prompt_tokens + 0.002 * plan.completion_tokens
        assert plan.cost_usd == pytest.approx(expected)

    def test_is_not_known_where_a_price_is_not(self) -> None:
        priced = ScriptedModel(listed=Listed(0.001, 0.002))
        plan = rehearse(SHORT, model=priced, judge_model=ScriptedModel())
        assert plan.cost_usd is None

    def test_plans_add_up(self) -> None:
        a, b = Plan("cascade", 1, 2, 3, 4, 5, 6, 0.5), Plan("cascade", 1, 1, 1, 1, 1, 1, None)
        assert a + a == Plan("cascade", 2, 4, 6, 8, 10, 12, 1.0)
        assert (a + b).cost_usd is None
