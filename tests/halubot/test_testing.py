"""The scripted model that users build their tests on."""

from __future__ import annotations

import asyncio

import pytest

from halubot.models.model import Completion, LanguageModel, Listed, Message, Request, TokenUsage
from halubot.models.model_errors import ModelError
from halubot.testing import ScriptedModel

ASKED = Request((Message("user", "one two three"),))


def test_it_is_a_language_model() -> None:
    assert isinstance(ScriptedModel(), LanguageModel)


def test_a_script_is_used_up_line_by_line() -> None:
    model = ScriptedModel(["a b", Completion("c"), "d"])
    both = asyncio.run(model.complete(Request(ASKED.messages, n=2)))
    assert [one.text for one in both] == ["a b", "c"]
    assert both[0].usage == TokenUsage(3, 2)
    asyncio.run(model.complete(ASKED))
    assert model.calls == 2
    assert model.messages == [ASKED.messages] * 2
    with pytest.raises(AssertionError, match="no line for 'one two three'"):
        asyncio.run(model.complete(ASKED))


def test_a_function_answers_each_sample() -> None:
    model = ScriptedModel(lambda request: f"number {request.first}")
    answers = asyncio.run(model.complete(Request(ASKED.messages, n=3, first=2)))
    assert [one.text for one in answers] == ["number 2", "number 3", "number 4"]


def test_it_fails_on_demand() -> None:
    broken = ValueError("broken")
    model = ScriptedModel(["a", broken, "b"])
    model.fail()
    with pytest.raises(ModelError, match="scripted at a script: refused; ask again"):
        asyncio.run(model.complete(ASKED))
    assert asyncio.run(model.complete(ASKED))[0].text == "a"
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(model.complete(ASKED))


def test_it_streams_and_embeds() -> None:
    async def pieces(model: ScriptedModel) -> list[str | Completion]:
        return [piece async for piece in model.stream(ASKED)]

    *words, last = asyncio.run(pieces(ScriptedModel(["a  b c "])))
    assert isinstance(last, Completion)
    assert "".join(map(str, words)) == last.text
    model = ScriptedModel(vectors=lambda text: [len(text)])
    assert asyncio.run(model.embed(["a", "bc"])) == ((1.0,), (2.0,))
    assert model.embedded == [("a", "bc")]


def test_it_may_ignore_n_and_have_a_price() -> None:
    model = ScriptedModel(["a b"], honours_n=False, listed=Listed(0.5, 2.0))
    (only,) = asyncio.run(model.complete(Request(ASKED.messages, n=5)))
    assert only.cost == 3 * 0.5 + 2 * 2.0
