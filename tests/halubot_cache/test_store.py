"""What a store keeps, finds and deletes."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot_cache import Request, Store, UnstorableError
from tests.kept import take

TEXTS = st.text(st.characters(exclude_categories=[]))
OBJECTS = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


def other(request: Request, model: str) -> Request:
    return Request.of(endpoint=request.endpoint, model=model, messages=[])


def all_bytes(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_a_completion_comes_back_as_it_came(folder: Path, request_: Request) -> None:
    completion = {
        "text": "Ada Lovelace – 1843 \ud83d \x00 \u2028",
        "finish_reason": "stop",
        "logprobs": [{"token": " Ada", "logprob": -0.25, "top": {"password": -3.5}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 7},
        "raw": {"id": "x", "empty": None, "big": 2**70, "least": float("-inf")},
    }
    with Store.open(folder) as store:
        assert store.get(request_, 0) is None
        assert store.put(request_, 0, completion)
    with Store.open(folder) as store:
        assert store.get(request_, 0) == completion
        assert store.problems == ()


def test_whatever_json_says_comes_back(folder: Path) -> None:
    places = itertools.count()
    with Store.open(folder) as store:
        request = Request.of(endpoint="", model="m", messages=[])

        @given(OBJECTS)
        def round_trip(content: dict[str, object]) -> None:
            place = next(places)
            store.put(request, place, {"raw": content})
            assert store.get(request, place) == {"raw": content}

        round_trip()


def test_what_was_seen_once_is_seen_again(folder: Path, request_: Request) -> None:
    with Store.open(folder) as store:
        assert store.put(request_, 0, {"text": "first"})
        assert store.put(request_, 0, {"text": "second"})
        assert store.get(request_, 0) == {"text": "first"}


@pytest.mark.parametrize("content", [{"a": object()}, {"a": {1, 2}}, {"a": b"bytes"}])
def test_what_is_not_json_is_refused(
    folder: Path, request_: Request, content: dict[str, object]
) -> None:
    with Store.open(folder) as store:
        with pytest.raises(UnstorableError):
            store.put(request_, 0, content)
        assert store.stats().completions == 0
        assert store.put(request_, 0, {"text": "a"})


def test_no_key_reaches_the_disk(folder: Path) -> None:
    request = Request.of(
        endpoint="https://me:hunter2@api.example/v1?key=hunter2",
        model="m",
        messages=[{"role": "user", "content": "my password is hunter2"}],
        parameters={"api_key": "hunter2", "extra_headers": {"Authorization": "Bearer hunter2"}},
    )
    with Store.open(folder) as store:
        store.put(request, 0, {"text": "a"})
        store.record(folder.parent / "out.jsonl", [(request, 0)])
        assert b"hunter2" not in all_bytes(folder.parent)


def test_namespaces_share_nothing(folder: Path, request_: Request) -> None:
    with Store.open(folder) as store, Store.open(folder, namespace="discord:ann") as hers:
        store.put(request_, 0, {"text": "mine"})
        assert hers.get(request_, 0) is None
        hers.put(request_, 0, {"text": "hers"})
        assert hers.get(request_, 0) == {"text": "hers"}
        assert store.get(request_, 0) == {"text": "mine"}


def test_a_person_is_forgotten_down_to_the_bytes(folder: Path, request_: Request) -> None:
    with Store.open(folder) as store, Store.open(folder, namespace="discord:ann") as hers:
        for place in range(40):
            store.put(request_, place, {"text": "kept " * 300})
            hers.put(request_, place, {"text": "zanzibar " * 300})
        with Store.open(folder, namespace="discord:anna") as other:
            other.put(request_, 0, {"text": "another"})
        aside = folder / "damaged-0123"
        aside.mkdir()
        (aside / "cache.db").write_bytes(b"zanzibar")
        assert store.forget("discord:ann") == 40
        left = all_bytes(folder)
        assert b"zanzibar" not in left
        assert b'discord:ann"' not in left
        assert len(take(store, request_)) == 40
        assert store.stats().namespaces == {"default": 40, "discord:anna": 1}
        assert store.forget("discord:ann") == 0
        assert store.forget("discord") == 1


@pytest.mark.parametrize("name", ["", ":", "a:", ":a", "a::b", "a\nb", "\ud800"])
def test_a_bad_name_is_refused_everywhere(folder: Path, name: str) -> None:
    with pytest.raises(UnstorableError):
        Store.open(folder, namespace=name)
    assert not folder.exists()
    with Store.open(folder) as store:
        with pytest.raises(UnstorableError):
            store.forget(name)
        with pytest.raises(UnstorableError):
            store.clear(namespace=name)


def test_clearing_deletes_what_fits_all_conditions(folder: Path, request_: Request) -> None:
    with Store.open(folder) as store:
        for namespace in ("default", "bot:1", "bot:1:2", "bot:10"):
            with Store.open(folder, namespace=namespace) as view:
                view.put(request_, 0, {"text": "a"})
                view.put(other(request_, "large"), 0, {"text": "a"})
        assert store.clear(namespace="bot:1", model="large") == 2
        assert store.stats().namespaces == {"default": 2, "bot:1": 1, "bot:1:2": 1, "bot:10": 2}
        assert store.clear(model="large") == 2
        assert store.clear(namespace="bot:1") == 2
        assert store.clear() == 2
        assert store.stats().completions == 0


def test_nothing_is_evicted(folder: Path, request_: Request) -> None:
    with Store.open(folder) as store:
        for index in range(60):
            store.put(request_, index, {"text": "x" * 100_000})
        stats = store.stats()
        assert stats.completions == len(take(store, request_)) == 60
        assert stats.models == {"small": 60}
        assert stats.damaged == 0
        assert stats.bytes > 6_000_000
