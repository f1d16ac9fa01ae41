"""Requests are told apart by content alone, and carry no secret."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot_cache import Request, UnstorableError
from halubot_cache.request import Key, canonical

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # lone surrogates too, as models give them
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def of(**changes: Any) -> Request:
    given = {
        "endpoint": "http://localhost:8000/v1",
        "model": "small",
        "messages": [{"role": "user", "content": "Who?"}],
        "parameters": {"temperature": 0.7, "seed": 3},
    }
    return Request.of(**{**given, **changes})


def reordered(value: object) -> object:
    match value:
        case dict():
            return {key: reordered(value[key]) for key in reversed(value)}
        case list():
            return tuple(reordered(item) for item in value)
        case _:
            return value


@given(JSON)
def test_the_order_of_keys_and_the_kind_of_list_make_no_difference(value: object) -> None:
    assert canonical(reordered(value)) == canonical(value)


@given(JSON)
def test_the_one_spelling_says_the_same_and_is_a_fixed_point(value: object) -> None:
    assert json.loads(canonical(value)) == value
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(st.text(), st.text(), st.text(), st.integers(0))
def test_a_key_is_read_as_it_was_written(a: str, b: str, c: str, place: int) -> None:
    key = Key(a, b, c, "0" * 64, place)
    assert Key.read(key.text) == key


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": "http://localhost:8001/v1"},
        {"endpoint": "https://localhost:8000/v1"},
        {"model": "large"},
        {"messages": [{"role": "user", "content": "Who"}]},
        {"messages": []},
        {"parameters": {"temperature": 0.7}},
        {"parameters": {"temperature": 0.70001, "seed": 3}},
        {"parameters": {"temperature": 0.7, "seed": "3"}},
    ],
)
def test_what_decides_an_answer_tells_requests_apart(change: dict[str, Any]) -> None:
    assert of(**change).digest != of().digest


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": "http://localhost:8000/v1/"},
        {"endpoint": "http://LOCALHOST:8000/v1"},
        {"endpoint": "http://user:hunter2@localhost:8000/v1?api_key=hunter2"},
        {"parameters": {"seed": 3.0, "temperature": 0.7}},
        {"parameters": {"seed": 3, "temperature": 0.7, "top_p": None}},
        {"parameters": {"seed": 3, "temperature": 0.7, "api_key": "hunter2"}},
    ],
)
def test_what_does_not_decide_it_makes_no_difference(change: dict[str, Any]) -> None:
    assert of(**change) == of()


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "API-Key",
        "x-api-key",
        "openai_api_key",
        "authorization",
        "Proxy-Authorization",
        "aws_secret_access_key",
        "aws_access_key_id",
        "aws_session_token",
        "azure_ad_token",
        "client_secret",
        "password",
        "vertex_credentials",
        "extra_headers",
        "default_headers",
    ],
)
def test_no_parameter_is_kept_that_may_hold_a_key(name: str) -> None:
    secret = {"X": "hunter2"} if name.endswith("headers") else "hunter2"
    found = of(parameters={name: secret, f"set {name}": "hunter2", "seed": 3})
    assert "hunter2" not in repr(found)
    assert found == of(parameters={"seed": 3})


@pytest.mark.parametrize(
    ("endpoint", "kept"),
    [
        ("", ""),
        ("openai", "openai"),
        ("me:hunter2@gpu-box:8000/v1", "gpu-box:8000/v1"),
        (
            "https://api.example/v1?api-version=2&key=hunter2",
            "https://api.example/v1?api-version=2",
        ),
    ],
)
def test_an_address_is_kept_without_its_secrets(endpoint: str, kept: str) -> None:
    assert of(endpoint=endpoint).endpoint == kept


@pytest.mark.parametrize(
    "parameters",
    [
        {"a": object()},
        {"a": {1: 2}},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": b"bytes"},
        {"a": 10**5000},
    ],
)
def test_what_is_not_json_is_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(UnstorableError):
        of(parameters=parameters)


def test_a_broken_address_is_refused_without_being_repeated() -> None:
    with pytest.raises(UnstorableError) as refused:
        of(endpoint="http://me:hunter2@[::1/v1")
    assert "hunter2" not in str(refused.value)
