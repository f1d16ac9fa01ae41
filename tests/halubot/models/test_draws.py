"""Samples: each index once, in as few calls as the server allows."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from halubot.models.limits import LimitedModel
from halubot.models.model import (
    Capabilities,
    Drawn,
    LanguageModel,
    Message,
    Request,
    draw,
)
from halubot.models.model_errors import ModelError
from halubot.models.server_model import ServerModel
from halubot.testing import ScriptedModel
from tests.loopback import Reply, loopback

PROMPT = (Message("user", "Who was Ada Lovelace?"),)


def drawn(model: LanguageModel, n: int, first: int = 0) -> list[Drawn]:
    async def work() -> list[Drawn]:
        return [one async for one in draw(model, Request(PROMPT, n=n, first=first))]

    return asyncio.run(work())


def by_index(request: Request) -> str:
    return f"sample {request.first}"


def test_one_call_where_n_is_honoured() -> None:
    model = ScriptedModel(by_index)
    found = drawn(model, 20)
    assert [one.index for one in found] == list(range(20))
    assert all(one.completion and one.completion.text == f"sample {one.index}" for one in found)
    assert model.calls == 1


@given(st.integers(1, 12), st.integers(0, 5), st.booleans(), st.sampled_from([True, False, None]))
def test_every_index_comes_once(n: int, first: int, honours: bool, known: bool | None) -> None:
    model = ScriptedModel(by_index, honours_n=honours, capabilities=Capabilities(n=known))
    found = drawn(model, n, first)
    assert sorted(one.index for one in found) == list(range(first, first + n))
    assert all(one.completion and one.completion.text == f"sample {one.index}" for one in found)
    assert model.calls <= n


def test_a_sample_that_fails_does_not_stop_the_others() -> None:
    refused = ModelError("refused", "ask again", model="m", endpoint="e")

    def answer(request: Request) -> str:
        if request.first == 3:
            raise refused
        return "fine"

    model = ScriptedModel(answer, honours_n=False)
    found = {one.index: one for one in drawn(model, 6)}
    assert found[3] == Drawn(3, None, refused)
    assert sum(one.completion is not None for one in found.values()) == 5


def test_a_server_that_ignores_n_over_http(nothing_learnt: None) -> None:
    with loopback(Reply(ignore_n=True)) as server:
        model = LimitedModel(ServerModel("openai/tiny", server.url))
        assert len(drawn(model, 5)) == 5
        assert [body.get("n") for body in server.bodies] == [5, None, None, None, None]
        assert len(drawn(model, 3)) == 3
        assert [body.get("n") for body in server.bodies[5:]] == [None] * 3
        assert model.budget.usage.calls == 8
