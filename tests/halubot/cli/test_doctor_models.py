"""`halubot doctor` on models, the store and prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot_cache import Request, Store
from tests.halubot.cli.calling import Halubot
from tests.kept import take


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, and settings that no other test sees."""
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config").mkdir()
    monkeypatch.setenv("HALUBOT_CONFIG", str(tmp_path / "config" / "settings.toml"))


def findings(halubot: Halubot) -> dict[str, tuple[bool | None, str]]:
    found = json.loads(halubot("doctor", "--format", "json").out)["findings"]
    return {one["what"]: (one["ok"], one["found"]) for one in found}


def test_it_says_where_answers_and_prompts_lie(halubot: Halubot, tmp_path: Path) -> None:
    found = findings(halubot)
    assert found["store of answers"][1].endswith("store")
    assert found["prompts"] == (True, f"{tmp_path}/config/prompts: none replaced")
    assert found["model"] == (None, "none is named: see halubot models")


@pytest.mark.slow
def test_a_damaged_store_is_found_until_it_is_mended(
    halubot: Halubot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    monkeypatch.setenv("HALUBOT_STORE", str(folder))
    request = Request.of(endpoint="http://a", model="m", messages=[], parameters={})
    with Store.open(folder) as store:
        for index in range(50):
            store.put(request, index, {"text": "an answer " * 99})
    file = folder / "cache.db"
    content = bytearray(file.read_bytes())
    content[4096 * 8 : 4096 * 9] = b"\xa5" * 4096
    file.write_bytes(content)
    for _ in range(2):  # looking at it changes nothing
        ok, said = findings(halubot)["store of answers"]
        assert ok is False
        assert "damaged" in said
    assert file.read_bytes() == content
    Store.open(folder).close()
    with Store.open(folder) as store:
        assert len(take(store, request)) < store.stats().completions < 50
    ok, said = findings(halubot)["store of answers"]
    assert ok
    assert "damaged ones were set aside: damaged-" in said


@pytest.mark.slow
def test_replaced_prompts_are_named_and_broken_ones_wrong(halubot: Halubot, tmp_path: Path) -> None:
    folder = tmp_path / "config" / "prompts"
    folder.mkdir()
    own = folder / "question.md"
    own.write_text("---\nfields: text\n---\n\n# user\n\nWhat does this answer?\n\n{text}\n")
    assert findings(halubot)["prompts"] == (True, f"{folder}: replaced: question")
    own.write_text("oops")
    ok, said = findings(halubot)["prompts"]
    assert (ok, str(own) in said) == (False, True)


@pytest.mark.slow
def test_a_named_model_is_told_with_who_receives_the_text(
    halubot: Halubot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALUBOT_MODEL", "openai/gpt-4o")
    assert findings(halubot)["model"] == (
        False,
        "openai/gpt-4o at openai, hosted: OPENAI_API_KEY is not set",
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    ok, said = findings(halubot)["model"]
    assert (ok, said) == (True, "openai/gpt-4o at openai, hosted")
    monkeypatch.setenv("HALUBOT_API_BASE", "http://127.0.0.1:9/v1")
    assert findings(halubot)["model"] == (
        True,
        "openai/gpt-4o at http://127.0.0.1:9/v1, on this machine",
    )
