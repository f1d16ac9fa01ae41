"""A run again from its record: the same answers, no call."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from halubot.models.model import Completion, Drawn, LanguageModel, Message, Request, Schema, draw
from halubot.models.model_errors import NotRecordedError
from halubot.models.stored import Pair, StoredModel, open_replay
from halubot.testing import ScriptedModel
from halubot_cache import RecordError, Store

ASKED = Request((Message("user", "Who was Ada Lovelace?"),))
BOUND = Request((Message("user", "List facts."),), schema=Schema.of("Facts", {"type": "object"}))


def samples(model: LanguageModel, n: int) -> list[Drawn]:
    async def work() -> list[Drawn]:
        found = [one async for one in draw(model, replace(ASKED, n=n, temperature=1.0))]
        return sorted(found, key=lambda one: one.index)

    return asyncio.run(work())


async def whole(model: LanguageModel, request: Request = ASKED) -> list[str | Completion]:
    return [piece async for piece in model.stream(request)]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of a run of two models: a verdict, an answer and three samples; the
    store held other things too."""
    path = tmp_path / "run.jsonl"
    used: dict[Pair, None] = {}
    with Store.open(tmp_path / "store") as store:
        judge = StoredModel(ScriptedModel(["{}"], name="judge", endpoint="a"), store, used=used)
        script = ["Ada was a poet.", *(f"sample {index}" for index in range(3))]
        writer = StoredModel(ScriptedModel(script, name="writer", endpoint="b"), store, used=used)
        asyncio.run(judge.complete(BOUND))
        asyncio.run(whole(writer))
        samples(writer, 3)
        asyncio.run(StoredModel(ScriptedModel(["x"]), store).complete(ASKED))
        assert judge.used is writer.used
        assert store.record(path, judge.used) == 5
    return path


def test_a_record_answers_what_it_was_asked(record: Path) -> None:
    opened, model, judge = open_replay(record)
    with closing(opened):
        assert isinstance(model, LanguageModel)
        assert (model.name, judge.name) == ("writer", "judge")
        text, answer = asyncio.run(whole(model))
        assert isinstance(answer, Completion)
        assert (text, answer.text, answer.model) == ("Ada was a poet.", "Ada was a poet.", "writer")
        (verdict,) = asyncio.run(model.complete(BOUND))
        assert (verdict.text, verdict.model, verdict.cached) == ("{}", "judge", True)
        assert asyncio.run(judge.complete(BOUND)) == (verdict,)
        assert model.cached == 2


def test_what_is_not_recorded_is_an_error_that_says_so(record: Path) -> None:
    opened, model, _ = open_replay(record)
    with closing(opened):
        with pytest.raises(NotRecordedError) as caught:
            asyncio.run(model.complete(replace(ASKED, max_tokens=5)))
        assert str(caught.value) == (
            f"writer at {record}: the record holds no answer to this; record it again with the"
            " same options"
        )
        assert not caught.value.transient
        with pytest.raises(NotRecordedError):
            asyncio.run(whole(model, replace(BOUND, first=1)))


@pytest.mark.parametrize(
    ("content", "said"),
    [("", "it holds no completion"), ("{}\n", "line 1: "), ("\n\nword\n", "line 3: not a JSON")],
)
def test_a_file_that_is_no_record(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "run.jsonl").write_text(content)
    with pytest.raises(RecordError, match=said):
        open_replay(tmp_path / "run.jsonl")
    with pytest.raises(RecordError, match="no such file"):
        open_replay(tmp_path / "none.jsonl")
