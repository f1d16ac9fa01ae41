"""Who receives texts: every model, endpoint and base that is in force, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot_bots.recipients import receivers
from halubot_bots.settings import OwnerLimits, ServerSettings


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HALUBOT_KNOWLEDGE_FOLDER", str(tmp_path))


def test_without_a_model_and_knowledge_nobody_does() -> None:
    (line,) = receivers(ServerSettings(), OwnerLimits())
    assert line.startswith("nobody: halubot checks them")


def test_the_model_of_this_server_its_judge_and_their_endpoint_are_named() -> None:
    owner = OwnerLimits(
        models=("openai/a", "mistral/b"), judge_model="groq/c", api_base="http://10.0.0.1:11434"
    )
    drawing, judging = receivers(ServerSettings(model="mistral/b"), owner)
    assert "mistral/b" in drawing
    assert "groq/c, the model that judges" in judging
    assert all("http://10.0.0.1:11434" in line for line in (drawing, judging))
    assert not any("openai/a" in line for line in (drawing, judging))


def test_a_model_that_the_owner_does_not_allow_is_not_in_force() -> None:
    (line,) = receivers(ServerSettings(model="evil/x"), OwnerLimits(models=("openai/a",)))
    assert line.startswith("openai/a, the model that draws other answers and judges")


def test_knowledge_is_named_by_where_it_is_asked() -> None:
    owner = OwnerLimits(knowledge=("wikipedia", "wikipedia:de", "lives", "/srv/big.zim"))
    found = {name: receivers(ServerSettings(knowledge=name), owner)[0] for name in owner.knowledge}
    assert "en.wikipedia.org" in found["wikipedia"]
    assert "de.wikipedia.org" in found["wikipedia:de"]
    assert "the knowledge base lives" in found["lives"]
    assert "/srv" not in found["/srv/big.zim"]
    assert "big.zim" in found["/srv/big.zim"]
    assert "nobody" in receivers(ServerSettings(knowledge="other"), owner)[0]


def test_the_model_that_searches_a_base_receives_texts_too(tmp_path: Path) -> None:
    (tmp_path / "lives").mkdir()
    (tmp_path / "lives" / "base.json").write_text(
        '{"format": 1, "embedding_model": "openai/e", "api_base": "http://h", "paths": []}'
    )
    owner = OwnerLimits(knowledge=("lives",))
    _, line = receivers(ServerSettings(knowledge="lives"), owner)
    assert "openai/e" in line
    assert "http://h" in line
