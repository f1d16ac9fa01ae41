"""From the name of a base to its passages."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from halubot.errors import KnowledgeError, SettingError
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import VARIABLE, home
from halubot.evidence.knowledge.named_bases import Knowledge, open_knowledge
from halubot.evidence.retrieval import Passage


def built(folder: Path, name: str, *texts: str) -> None:
    """A base of these texts, each a file."""
    docs = folder / f"docs of {name}"
    docs.mkdir(parents=True)
    for number, text in enumerate(texts):
        (docs / f"{number:03}.txt").write_text(text)
    add(home(name, folder), [docs])


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
