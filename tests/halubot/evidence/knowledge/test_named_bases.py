"""From the name of a base to its passages: by words, and by vectors where it has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from halubot.errors import KnowledgeError, SettingError
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import VARIABLE, home
from halubot.evidence.knowledge.index import PassageIndex
from halubot.evidence.knowledge.local import (
    LocalBase,
    embedder,
    open_local,
)
from halubot.evidence.knowledge.named_bases import Knowledge, open_knowledge
from halubot.evidence.retrieval import Passage
from halubot.models.model_errors import UnreachableError
from halubot.testing import ScriptedModel

DIRECTIONS = {"ship": (1.0, 0.0), "boat": (0.9, 0.1), "tree": (0.0, 1.0)}


def direction(text: str) -> Sequence[float]:
    return next((made for word, made in DIRECTIONS.items() if word in text), (0.5, 0.5))


def built(folder: Path, name: str, *texts: str, model: ScriptedModel | None = None) -> None:
    """A base of these texts, each a file."""
    docs = folder / f"docs of {name}"
    docs.mkdir(parents=True)
    for number, text in enumerate(texts):
        (docs / f"{number:03}.txt").write_text(text)
    if model is None:
        add(home(name, folder), [docs])
    else:
        made = embedder(model)
        add(
            home(name, folder),
            [docs],
            embedding_model="ollama/nearest",
            open_embedder=lambda *_: made,
        )


def search(knowledge: Knowledge, query: str, k: int = 3) -> tuple[Passage, ...]:
    return asyncio.run(knowledge.search(query, k))


def test_a_base_is_opened_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path, "notes", "Varn is a town.", "Osby is a village.")
    knowledge = open_knowledge("notes", folder=tmp_path)
    assert isinstance(knowledge, Knowledge)
    assert (knowledge.name, knowledge.online) == ("notes", False)
    (passage,) = search(knowledge, "Which towns are there?")
    assert passage.text == "Varn is a town."
    assert passage.score > 0
    assert search(knowledge, "volcano") == ()
    knowledge.close()
    knowledge.close()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert search(open_knowledge("notes"), "Osby")[0].text == "Osby is a village."


def test_an_unknown_name_names_the_nearest_and_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="no knowledge base 'x': none is built yet; build"):
        open_knowledge("x", folder=tmp_path)
    built(tmp_path, "bridges", "A bridge.")
    built(tmp_path, "trees", "A tree.")
    with pytest.raises(SettingError, match=r"did you mean 'bridges'\? \(there are bridges, trees,"):
        open_knowledge("brigdes", folder=tmp_path)
    with pytest.raises(SettingError, match="did you mean 'wikipedia'"):
        open_knowledge("wikpedia", folder=tmp_path)


@pytest.mark.parametrize("name", ["wikipedia", "wikipedia:de", "Wikipedia"])
def test_wikipedia_is_refused_offline(name: str) -> None:
    with pytest.raises(SettingError, match="looked up online, and --offline lets nothing out"):
        open_knowledge(name, offline=True)


def test_a_base_without_passages_says_how_to_fill_it(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(KnowledgeError, match="holds nothing yet: halubot knowledge add notes PATH"):
        open_knowledge("notes", folder=tmp_path)


def test_vectors_have_a_say_among_what_shares_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel(vectors=direction, name="ollama/nearest")
    built(tmp_path, "notes", "An old tree.", "An old and big ship.", "A stone.", model=model)
    assert model.embedded == [("An old tree.",), ("An old and big ship.",), ("A stone.",)]
    there = home("notes", tmp_path)
    index = PassageIndex.open(there.index, "notes")
    by_words = [one.text for one in search(LocalBase(there, index), "an old boat")]
    assert by_words == ["An old tree.", "An old and big ship."]
    knowledge = LocalBase(there, index, model)
    both = search(knowledge, "an old boat")
    assert {one.text for one in both} == set(by_words)
    assert both[0].score == pytest.approx(1 / 61 + 1 / 62)
    knowledge = LocalBase(there, index, ScriptedModel(vectors=lambda _: (1.0, 2.0, 3.0)))
    assert [one.text for one in search(knowledge, "an old boat")] == by_words


def test_a_model_that_is_out_of_reach_leaves_the_words_and_a_note(tmp_path: Path) -> None:
    def none(_: str) -> Sequence[float]:
        raise UnreachableError("nobody answers", "start it", model="nearest", endpoint="here")

    built(tmp_path, "notes", "An old ship.", model=ScriptedModel(vectors=direction))
    there = home("notes", tmp_path)
    index = PassageIndex.open(there.index, "notes")
    knowledge = LocalBase(there, index, ScriptedModel(vectors=none))
    for _ in range(2):
        assert [one.text for one in search(knowledge, "ships")] == ["An old ship."]
    assert knowledge.notes == [
        "notes was searched by words alone: nearest at here: nobody answers; start it"
    ]


def test_a_hosted_model_is_not_asked_offline(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("An old ship.")
    made = embedder(ScriptedModel(vectors=direction))
    there = home("notes", tmp_path)
    add(there, [docs], embedding_model="openai/x", open_embedder=lambda *_: made)
    online = open_local(there)
    assert (online.online, online.notes) == (True, [])
    offline = open_local(there, offline=True)
    assert not offline.online
    assert "searched by words alone: openai/x" in offline.notes[0]
    assert search(offline, "ship")[0].text == "An old ship."


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        (lambda _: (0.0, 0.0), "without direction"),
        (lambda _: (float("nan"), 1.0), "without direction"),
    ],
)
def test_vectors_that_are_no_use_are_refused(
    vectors: Callable[[str], Sequence[float]], said: str
) -> None:
    with pytest.raises(KnowledgeError, match=said):
        embedder(ScriptedModel(vectors=vectors))(["text"])
