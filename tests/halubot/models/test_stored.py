"""What is stored is not asked again, and what is asked is stored once."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import os
import tempfile
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from halubot.models.model import (
    Capabilities,
    Completion,
    Drawn,
    LanguageModel,
    Message,
    Request,
    Schema,
    TokenLogprob,
    TokenUsage,
    draw,
)
from halubot.models.model_errors import ModelError
from halubot.models.stored import StoredModel, asked_for
from halubot.testing import ScriptedModel
from halubot_cache import Request as Asked
from halubot_cache import Store
from tests.kept import take

MEMORY = Path("/dev/shm")  # noqa: S108
ASKED = Request((Message("system", "Be brief."), Message("user", "Who was Ada Lovelace?")))
OTHER = Request((Message("user", "Who was Charles Babbage?"),))

_names = (f"space{number}" for number in count())


@pytest.fixture(scope="module")
def shelf() -> Iterator[Path]:
    """One folder for all tests of this file, each of which has a namespace of its own."""
    fast = MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(dir=MEMORY if fast else None) as away:
        yield Path(away) / "store"


@pytest.fixture
def store(shelf: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(shelf, namespace=next(_names)) as opened:
        yield opened


def by_index(request: Request) -> str:
    return f"sample {request.first}"


def complete(model: LanguageModel, request: Request = ASKED) -> tuple[Completion, ...]:
    return asyncio.run(model.complete(request))


def drawn(model: LanguageModel, n: int) -> dict[int, Drawn]:
    async def work() -> list[Drawn]:
        return [one async for one in draw(model, replace(ASKED, n=n))]

    found = asyncio.run(work())
    assert sorted(one.index for one in found) == list(range(n))
    return {one.index: one for one in found}


def pieces(model: LanguageModel, request: Request = ASKED) -> list[str | Completion]:
    async def work() -> list[str | Completion]:
        return [piece async for piece in model.stream(request)]

    return asyncio.run(work())


def fill(store: Store, indexes: set[int]) -> None:
    for index in indexes:
        model = StoredModel(ScriptedModel(by_index), store)
        complete(model, replace(ASKED, first=index))


def test_the_same_again_takes_no_call_and_is_the_same(store: Store) -> None:
    whole = Completion(
        'half a pair \ud83d, {"password": "x"} and \x00',
        "length",
        (TokenLogprob("password", -math.inf), TokenLogprob("x", 0.0)),
        TokenUsage(12, 34),
        0.25,
        "m",
        "http://127.0.0.1:8000/v1",
    )
    request = replace(ASKED, logprobs=True)
    assert complete(StoredModel(ScriptedModel([whole]), store), request) == (whole,)
    model = StoredModel(ScriptedModel(), store)
    assert complete(model, request) == (replace(whole, cached=True),)
    assert model.cached == 1


@pytest.mark.parametrize(
    "other",
    [
        OTHER,
        replace(ASKED, messages=ASKED.messages[1:]),
        replace(ASKED, first=1),
        replace(ASKED, temperature=0.0),
        replace(ASKED, seed=0),
        replace(ASKED, max_tokens=4096),
        replace(ASKED, logprobs=True),
        replace(ASKED, schema=Schema.of("Verdict", {"type": "object"})),
    ],
)
def test_what_is_told_apart(store: Store, other: Request) -> None:
    inner = ScriptedModel(["one", "two"])
    model = StoredModel(inner, store)
    assert complete(model)[0].text == "one"
    assert complete(model, other)[0].text == "two"
    assert complete(model)[0].text == "one"
    assert inner.calls == 2


@pytest.mark.parametrize("where", [{"name": "other"}, {"endpoint": "http://127.0.0.1:1/v1"}])
def test_models_and_servers_are_told_apart(store: Store, where: Mapping[str, str]) -> None:
    complete(StoredModel(ScriptedModel(["one"]), store))
    other = StoredModel(ScriptedModel(["two"], name=where.get("name", "scripted")), store)
    if "endpoint" in where:
        other = StoredModel(ScriptedModel(["two"], endpoint=where["endpoint"]), store)
    assert complete(other)[0].text == "two"


@pytest.mark.parametrize("honours", [True, False])
def test_of_twenty_with_twelve_stored_eight_are_drawn(store: Store, honours: bool) -> None:
    fill(store, set(range(12)))
    inner = ScriptedModel(by_index, honours_n=honours, capabilities=Capabilities())
    model = StoredModel(inner, store)
    found = drawn(model, 20)
    assert all(one.completion and one.completion.text == f"sample {i}" for i, one in found.items())
    assert [i for i, one in found.items() if one.completion and one.completion.cached] == [
        *range(12)
    ]
    assert (inner.requests[0].first, inner.requests[0].n) == (12, 8)
    assert inner.calls == (1 if honours else 8)
    assert model.cached == 12
    again = ScriptedModel()
    assert len(drawn(StoredModel(again, store), 20)) == 20
    assert again.calls == 0


def test_a_failure_costs_only_what_is_missing_and_is_not_kept(store: Store) -> None:
    fill(store, {0, 1, 2})
    inner = ScriptedModel(by_index)
    inner.fail()
    found = drawn(StoredModel(inner, store), 5)
    assert [one.error is None for one in found.values()] == [True, True, True, False, False]
    assert drawn(StoredModel(inner, store), 5)[4].completion == replace(
        complete(StoredModel(ScriptedModel(), store), replace(ASKED, first=4))[0], cached=False
    )


def test_a_stream_is_kept_when_it_is_whole(store: Store) -> None:
    class Breaking(ScriptedModel):
        async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
            async for piece in super().stream(request):
                if isinstance(piece, Completion):
                    raise ModelError("broke", "ask again", model="m", endpoint="e")
                yield piece

    model = StoredModel(Breaking(["one two"]), store)
    with pytest.raises(ModelError):
        pieces(model)
    assert not model.used
    model = StoredModel(ScriptedModel(["one two"]), store)
    *words, whole = pieces(model)
    assert words == ["one", " two"]
    assert isinstance(whole, Completion)
    assert (whole.text, whole.cached, model.cached, len(model.used)) == ("one two", False, 0, 1)
    model = StoredModel(ScriptedModel(), store)
    assert pieces(model) == ["one two", replace(whole, cached=True)]
    assert complete(model) == (replace(whole, cached=True),)
    assert (model.cached, len(model.used)) == (2, 1)


class Waiting:
    """A store that keeps nothing before it is told to."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.folder, self.namespace = store.folder, store.namespace
        self.begun = threading.Event()
        self.may = threading.Event()

    def get(self, asked: Asked, index: int) -> dict[str, object] | None:
        return self.store.get(asked, index)

    def put(self, asked: Asked, index: int, completion: Mapping[str, object]) -> bool:
        self.begun.set()
        assert self.may.wait(30)
        return self.store.put(asked, index, completion)


def test_what_is_paid_for_is_kept_even_if_its_run_is_cancelled(store: Store) -> None:
    waiting = Waiting(store)
    model = StoredModel(ScriptedModel(by_index), waiting)  # type: ignore[arg-type]

    async def work() -> None:
        task = asyncio.create_task(model.complete(replace(ASKED, n=3)))
        await asyncio.to_thread(waiting.begun.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        waiting.may.set()

    asyncio.run(work())
    assert len(take(store, asked_for(ASKED, model="scripted", endpoint="a script"), 9)) == 3


# The thread that finds the damage cannot close the connections of others.
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
def test_a_damaged_file_is_told_once_and_costs_no_answer(tmp_path: Path) -> None:
    inner = ScriptedModel(by_index)
    with Store.open(tmp_path / "store") as store:
        model = StoredModel(inner, store)
        complete(model)
        for name in ("cache.db", "cache.db-wal"):
            (tmp_path / "store" / name).write_bytes(b"junk" * 5000)
        assert [complete(model, replace(ASKED, first=i))[0].text for i in range(3)] == [
            *("sample 0", "sample 1", "sample 2")
        ]
        (problem,) = store.problems
        assert "damaged" in problem.why
        assert complete(model)[0].cached
    gc.collect()


def test_no_secret_is_in_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from halubot.models.server_model import ServerModel

    monkeypatch.setenv("OPENAI_API_KEY", "sk-in-the-variable")
    for base in (
        "http://me:hunter2@127.0.0.1:9/v1?api_key=hunter2&key=hunter2",
        "me:hunter2@127.0.0.1:9/v1",
    ):
        door = ServerModel("openai/tiny", base)
        assert "hunter2" not in door.endpoint

        class Answering(ScriptedModel):
            async def complete(self, request: Request) -> tuple[Completion, ...]:
                found = await super().complete(request)
                return tuple(replace(one, endpoint=door.endpoint) for one in found)  # noqa: B023

        with Store.open(tmp_path / "store") as store:
            model = StoredModel(Answering(["fine"], name=door.name, endpoint=door.endpoint), store)
            complete(model)
            assert store.record(tmp_path / "record.jsonl", model.used) == 1
        kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert b"fine" in kept
        assert b"hunter2" not in kept
        assert b"sk-in-the-variable" not in kept
        assert json.loads((tmp_path / "record.jsonl").read_text())["model"] == "openai/tiny"
