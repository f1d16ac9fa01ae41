"""Answers of a fixed shape: nothing guessed, nothing lost."""

from __future__ import annotations

import asyncio
import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from halubot.models import answer_text
from halubot.models.model import Completion, Message, Request
from halubot.models.structured import Answer, Answers, ask, ask_each, schema_of, schema_of_each
from halubot.testing import ScriptedModel


class Verdict(BaseModel):
    """What is asked of each fact here."""

    model_config = ConfigDict(extra="forbid")
    verdict: Literal["supported", "contradicted", "silent"]
    why: str = Field(default="", max_length=80)


class Facts(BaseModel):
    """What is asked of a text here."""

    facts: list[str]
    verdict: Verdict | None = None


GOOD = {"verdict": "supported", "why": "it says so"}


def again(reason: str, schema: str) -> str:
    return f"{reason}\n{schema}"


def request_for(indexes: tuple[int, ...]) -> Request:
    return Request((Message("system", "Judge."), Message("user", f"Judge {list(indexes)}")))


def each(model: ScriptedModel, *indexes: int) -> Answers[Verdict]:
    return asyncio.run(ask_each(model, request_for, Verdict, indexes, note=again))


def one(model: ScriptedModel) -> Answer[Facts]:
    return asyncio.run(ask(model, Request((Message("user", "Facts?"),)), Facts, note=again))


def test_all_verdicts_in_one_call() -> None:
    model = ScriptedModel([json.dumps({"0": GOOD, "4": {"verdict": "silent", "why": ""}})])
    answers = each(model, 0, 4)
    assert {index: item.verdict for index, item in answers.found.items()} == {
        0: "supported",
        4: "silent",
    }
    assert not answers.missing
    assert model.calls == 1
    (request,) = model.requests
    assert request.schema == schema_of_each(Verdict, (0, 4))


def test_only_what_is_missing_is_asked_again() -> None:
    model = ScriptedModel(
        [
            json.dumps({"0": GOOD, "1": {"verdict": "maybe", "why": ""}}),
            json.dumps({"1": GOOD, "7": GOOD}),
            json.dumps({"2": GOOD}),
        ]
    )
    answers = each(model, 0, 1, 2)
    assert sorted(answers.found) == [0, 1, 2]
    asked = [request.messages[-1].content.partition("\n")[0] for request in model.requests]
    assert asked == ["Judge [0, 1, 2]", "Judge [1, 2]", "Judge [2]"]
    assert [request.first for request in model.requests] == [0, 1, 2]
    assert not answers.completions  # a check has hundreds of them
    assert "1: verdict: input should be " in model.messages[1][-1].content


def test_what_a_preface_asks_for_is_written_first_or_the_answer_is_no_use() -> None:
    class Notes(BaseModel):
        notes: list[Verdict]

    bare, noted = {"0": GOOD}, {"notes": [GOOD], "0": GOOD}
    model = ScriptedModel([json.dumps(bare), json.dumps(noted)])
    answers = asyncio.run(ask_each(model, request_for, Verdict, (0,), preface=Notes, note=again))
    assert answers.found[0].verdict == "supported"
    assert "notes: field required" in model.requests[1].messages[-1].content
    schema = schema_of_each(Verdict, (0,), Notes).value
    assert list(schema["properties"]) == schema["required"] == ["notes", "0"]
    assert schema["$defs"].keys() == {"Verdict"}


def test_what_an_ending_asks_for_is_written_last_and_asked_again_alone() -> None:
    class Closing(BaseModel):
        whole: Literal["yes", "no"]

    ended = {"0": GOOD, "whole": "perhaps"}
    model = ScriptedModel([json.dumps(ended), json.dumps({"whole": "no"})])
    answers = asyncio.run(ask_each(model, request_for, Verdict, (0,), ending=Closing, note=again))
    assert answers.ending == Closing(whole="no")
    assert answers.found[0].verdict == "supported"
    assert not answers.missing
    schemas = [request.schema.value for request in model.requests if request.schema]
    assert [schema["required"] for schema in schemas] == [["0", "whole"], ["whole"]]
    assert "whole: input should be 'yes' or 'no'" in model.messages[1][-1].content

    cut = json.dumps(ended)[:-1] + ', "more": "x'
    model = ScriptedModel([cut, refused := json.dumps({"0": GOOD}), refused])
    answers = asyncio.run(ask_each(model, request_for, Verdict, (0,), ending=Closing, note=again))
    assert answers.ending is None
    assert list(answers.found) == [0]
    assert model.calls == 3


def test_after_two_more_tries_it_is_missing_with_its_reason() -> None:
    model = ScriptedModel(lambda _: json.dumps({"0": GOOD}))
    answers = each(model, 0, 1)
    assert list(answers.found) == [0]
    assert answers.missing == {1: "the answer left it out"}
    assert model.calls == 3


@pytest.mark.parametrize(
    "text",
    [
        "Both facts are supported.",
        "yes",
        "",
        '"supported"',
        "[]",
        'The text says {"0": {"verdict": "supported", "why": ""}}, so yes.',
        json.dumps([GOOD]),
        json.dumps({"verdicts": {"0": GOOD}}),
        json.dumps({"0": "supported"}),
        json.dumps({"0": {"verdict": "SUPPORTED", "why": ""}}),
        json.dumps({"0": {"verdict": ["supported"], "why": ""}}),
        json.dumps({"0": {**GOOD, "also": 1}}),
        '{"0": {"verdict": "supported", "why": ""}, "0": {"verdict": "silent", "why": ""}}',
        '{"0": {"verdict": "supported", "why": ""}}\n{"0": {"verdict": "silent", "why": ""}}',
        '{"0": {"verdict": "supported", "why": "cut of',
        '{"0": ' * 5000,
        '{"0": {"verdict": "supported", "why": "\\ud800"}}',
    ],
)
def test_no_verdict_out_of_anything_else(text: str) -> None:
    answers = each(ScriptedModel(lambda _: text), 0)
    assert not answers.found
    assert answers.missing[0]
    assert "\n" not in answers.missing[0]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"0": GOOD}),
        f"```json\n{json.dumps({'0': GOOD})}\n```",
        f"Here it is:\n\n{json.dumps({'0': GOOD}, indent=2)}\n\nAnything else?",
        "{'0': {'verdict': 'supported', 'why': 'single quotes',},}",
        '{"0": {"verdict": "supported", "why": "a "quoted" word"}}',
        '<think>{"0": {"verdict": "silent"}}?</think>\n{"0": {"verdict": "supported", "why": ""}}',
    ],
)
def test_syntax_is_mended(text: str) -> None:
    answers = each(ScriptedModel([text]), 0)
    assert answers.found[0].verdict == "supported"


def test_the_last_item_of_an_answer_cut_off_is_asked_again() -> None:
    cut = '{"0": {"verdict": "supported", "why": "x"}, "1": {"verdict": "silent", "why": "it d'
    model = ScriptedModel([cut, json.dumps({"1": GOOD})])
    answers = each(model, 0, 1)
    assert answers.found[1].verdict == "supported"
    assert model.calls == 2
    assert "1: the answer was cut off" in model.messages[1][-1].content


def test_an_answer_the_server_stopped_between_two_brackets_is_not_whole() -> None:
    cut = Completion('{"facts": ["a", {"b": 1}', finish_reason="length")
    assert not answer_text.read_json(cut.text, cut=True).whole
    cut = Completion('{"0": {"verdict": "supported", "why": ""}', finish_reason="length")
    model = ScriptedModel([cut, json.dumps({"0": GOOD})])
    answers = each(model, 0)
    assert answers.missing == {0: "the answer was cut off"}
    assert model.calls == 1  # the same answer would be cut again


def test_what_an_answer_that_was_cut_left_out_is_asked_for_in_halves() -> None:
    text = json.dumps({"0": GOOD, "1": GOOD})[:-20]
    cut = Completion(text, finish_reason="length")
    model = ScriptedModel([cut, json.dumps({"1": GOOD, "2": GOOD}), json.dumps({"3": GOOD})])
    answers = each(model, 0, 1, 2, 3)
    assert sorted(answers.found) == [0, 1, 2, 3]
    assert [set(one.schema.value["properties"]) for one in model.requests if one.schema] == [
        {"0", "1", "2", "3"},
        {"1", "2"},
        {"3"},
    ]
    assert [one.again for one in model.requests] == [False, True, True]


def test_a_failed_call_leaves_the_others_their_verdicts() -> None:
    class Failing(ScriptedModel):
        async def complete(self, request: Request) -> tuple[Completion, ...]:
            if self.calls:
                self.fail()
            return await super().complete(request)

    answers = each(Failing([json.dumps({"0": GOOD})]), 0, 1)
    assert list(answers.found) == [0]
    assert answers.missing == {1: "refused"}
    assert answers.error is not None


def test_one_value_asked_again_and_given_up() -> None:
    model = ScriptedModel(lambda _: "I cannot say.")
    answer = one(model)
    assert answer.value is None
    assert answer.reason == "the answer was prose, not JSON"
    assert model.calls == 3
    assert schema_of(Facts).json in model.messages[1][-1].content
    assert len(model.messages[1]) == len(model.messages[0])


def test_schemas_are_closed_and_bare() -> None:
    schema = schema_of(Facts).value
    assert schema["required"] == ["facts", "verdict"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Verdict"]["required"] == ["verdict", "why"]
    assert schema["$defs"]["Verdict"]["properties"]["why"] == {"type": "string", "maxLength": 80}


def test_the_schema_of_each_fixes_the_keys() -> None:
    schema = schema_of_each(Verdict, (3, 5)).value
    assert list(schema["properties"]) == schema["required"] == ["3", "5"]
    assert schema["additionalProperties"] is False
    assert schema_of_each(Facts, (1,)).value["$defs"].keys() == {"Facts", "Verdict"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(alphabet='{}[]":,0ab \n`', max_size=60))
def test_anything_else_is_read_or_refused(text: str) -> None:
    try:
        read = answer_text.read_json(text)
    except ValueError:
        return
    assert isinstance(read.value, dict | list)


@given(st.integers(0, 200))
def test_an_answer_cut_off_anywhere_gives_only_what_it_held(length: int) -> None:
    full = {str(n): {"verdict": "supported", "why": f"reason {n}"} for n in range(4)}
    text = json.dumps(full)
    answers = each(ScriptedModel(lambda _: text[: min(length, len(text))]), 0, 1, 2, 3)
    assert sorted([*answers.found, *answers.missing]) == [0, 1, 2, 3]
    for index, item in answers.found.items():
        assert item.why == f"reason {index}"


class Kinds(BaseModel):
    """Every kind of field that shapes of answers have."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=2, max_length=4)
    side: Literal["yes", "no"] = "yes"
    count: int = Field(default=1, ge=1, le=9)
    share: float = Field(default=0.5, gt=0, lt=1)
    sure: bool = True
    parts: list[str] = Field(default=[], max_length=2)
    inner: list[Kinds] = []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "the answer: input should be an object"),
        ({}, "name: field required"),
        ({"name": "xxxxx"}, "name: string should have at most 4 characters"),
        ({"name": "xx", "side": "?"}, "side: input should be 'yes' or 'no'"),
        ({"name": "xx", "parts": ["a", 1]}, "parts: item 2: input should be a valid string"),
        ({"name": "xx", "inner": [{"name": "xx"}, {}]}, "inner, item 2: name: field required"),
        ({"name": "xx", "more": 1}, "more: extra inputs are not permitted"),
    ],
)
def test_what_is_wrong_is_said_in_words(value: object, said: str) -> None:
    model = ScriptedModel([json.dumps(value)] * 3)
    answer = asyncio.run(ask(model, request_for((0,)), Kinds, note=again))
    assert (answer.value, answer.reason) == (None, said)


class Word(BaseModel):
    """Where the source stands."""

    stance: Literal["supports", "contradicts", "silent"]


def test_one_field_for_each_index_is_a_flat_map() -> None:
    schema = schema_of_each(Word, (0, 3)).value
    assert schema["properties"]["3"] == {"$ref": "#/$defs/Word"}
    assert schema["$defs"]["Word"]["enum"] == ["supports", "contradicts", "silent"]
    assert schema["$defs"]["Word"]["description"] == "Where the source stands."
    flat = ScriptedModel(['{"0":"silent","3":"supports"}'])
    answers = asyncio.run(ask_each(flat, request_for, Word, (0, 3), note=again))
    assert {index: one.stance for index, one in answers.found.items()} == {
        0: "silent",
        3: "supports",
    }


def test_what_a_model_repeats_is_the_text_that_was_given_not_the_one_that_was_sent() -> None:
    """Tokens of chat templates are sent with a dot in them: no quote with it would be found."""
    model = ScriptedModel(['{"facts": ["Ada <·|im_end|>", "<\\u00b7/s>", "[··INST] a · b"]}'])
    found = one(model).value
    assert found is not None
    assert found.facts == ["Ada <|im_end|>", "</s>", "[·INST] a · b"]
