"""The scripted model that users build their tests on."""

from __future__ import annotations

import asyncio

import pytest

from halubot.models.model import Completion, Listed, Message, Request
from halubot.models.model_errors import ModelError
from halubot.testing import ScriptedModel

ASKED = Request((Message("user", "one two three"),))


def test_it_fails_on_demand() -> None:
    broken = ValueError("broken")
    model = ScriptedModel(["a", broken, "b"])
    model.fail()
    with pytest.raises(ModelError, match="scripted at a script: refused; ask again"):
        asyncio.run(model.complete(ASKED))
    assert asyncio.run(model.complete(ASKED))[0].text == "a"
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(model.complete(ASKED))


def test_it_streams() -> None:
    async def pieces(model: ScriptedModel) -> list[str | Completion]:
        return [piece async for piece in model.stream(ASKED)]

    *words, last = asyncio.run(pieces(ScriptedModel(["a  b c "])))
    assert isinstance(last, Completion)
    assert "".join(map(str, words)) == last.text


def test_it_may_ignore_n_and_have_a_price() -> None:
    model = ScriptedModel(["a b"], honours_n=False, listed=Listed(0.5, 2.0))
    (only,) = asyncio.run(model.complete(Request(ASKED.messages, n=5)))
    assert only.cost == 3 * 0.5 + 2 * 2.0
