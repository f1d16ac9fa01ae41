"""From the name of a base to its passages: by words, and by vectors where it has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.errors import KnowledgeError, SettingError
from halubot.events import Event, Note
from halubot.evidence import text_source
from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import VARIABLE, bases_folder, home, homes
from halubot.evidence.knowledge.index import PassageIndex
from halubot.evidence.knowledge.local import (
    LocalBase,
    cosine,
    embedder,
    fuse_orders,
    open_local,
    pack_vector,
    unpack_vector,
)
from halubot.evidence.knowledge.named_bases import Joined, Knowledge, open_knowledge
from halubot.evidence.retrieval import Index, Passage
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


def test_bases_lie_in_the_folder_for_data_unless_it_is_said(nobody: Path) -> None:
    assert nobody in bases_folder().parents
    assert bases_folder().name == "knowledge"
    assert homes() == []


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


def test_wikipedia_is_opened_in_its_language() -> None:
    for name in ("wikipedia", "wikipedia:de"):
        knowledge = open_knowledge(name)
        assert (knowledge.name, knowledge.online) == (name, True)
        knowledge.close()


def test_a_zim_file_that_is_missing_is_no_base_of_that_name(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"none\.zim"):
        open_knowledge(str(tmp_path / "none.zim"), folder=tmp_path)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a b", "a:b", "wikipedia", "x.zim", "-x", "x" * 65, "\0"]
)
def test_names_that_no_base_can_have_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="a base cannot be called"):
        home(name, tmp_path)


def test_a_base_without_passages_says_how_to_fill_it(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(KnowledgeError, match="holds nothing yet: halubot knowledge add notes PATH"):
        open_knowledge("notes", folder=tmp_path)


def test_counts_below_one_are_refused(tmp_path: Path) -> None:
    built(tmp_path, "notes", "Varn.")
    with pytest.raises(ValueError, match="k must be at least 1"):
        search(open_knowledge("notes", folder=tmp_path), "Varn", 0)


TEXTS = (
    "Die Straße in Köln wurde 1900 gebaut.", "El niño nació en Mérida.", "Тверь стоит на Волге.",
    "東京は日本の首都です。", "湖是蓝色的。", "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย",
    "हिन्दी भारत की भाषा है।", "القاهرة عاصمة مصر.", "Ｆｕｌｌｗｉｄｔｈ １９３１",
    "Η Αθήνα είναι πόλη.",
    "She invented two machines.", "The ferryman of Varn was Joss Arlin.", "京都は古い。",
)  # fmt: skip
QUERIES = (
    "STRASSE KOLN", "nino nacio", "волге", "首都はどこですか", "湖", "เมืองหลวง", "हिन्दी", "عاصمة",
    "fullwidth 1931", "αθηνα", "machine inventing", "Who was the ferryman?", "京都", "naïve", "",
    '"', "AND", "words:a*", "-a (b", "\0", "\ud800", "AND " * 5000, "x" * 100_000, "die in 1900",
)  # fmt: skip


def test_it_finds_what_the_passages_of_references_are_found_by(tmp_path: Path) -> None:
    built(tmp_path, "notes", *TEXTS)
    knowledge = open_knowledge("notes", folder=tmp_path)
    sources = [text_source(text, "reference", at) for at, text in enumerate(TEXTS, 1)]
    plain = Index(sources)
    for query in QUERIES:
        there = {passage.text for passage in plain.search(query, 50)}
        assert {passage.text for passage in search(knowledge, query, 50)} == there, query
    assert len({search(knowledge, query, 1)[0].text for query in QUERIES[:13]}) == 13


def test_in_a_large_base_the_rarest_words_of_a_query_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(tmp_path, "notes", *["The town has a church."] * 6, "A lighthouse.", "The town, the town")
    knowledge = open_knowledge("notes", folder=tmp_path)
    whole = [one.text for one in search(knowledge, "the town lighthouse", 8)]
    monkeypatch.setattr("halubot.evidence.knowledge.index.PLACES", 3)
    (first,) = search(knowledge, "the town lighthouse", 1)
    assert first.text == "A lighthouse."
    # Where those find too little, all count.
    assert [one.text for one in search(knowledge, "the town lighthouse", 8)] == whole
    assert len(search(knowledge, "town the", 4)) == 4


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


def test_a_check_hears_once_that_words_alone_decided(tmp_path: Path) -> None:
    def none(_: str) -> Sequence[float]:
        raise UnreachableError("nobody answers", "start it", model="nearest", endpoint="here")

    built(tmp_path, "notes", "An old ship.", model=ScriptedModel(vectors=direction))
    index = PassageIndex.open(home("notes", tmp_path).index, "notes")
    base = LocalBase(home("notes", tmp_path), index, ScriptedModel(vectors=none))
    heard: list[Event] = []
    joined = Joined([base], emit=heard.append)
    for _ in range(2):
        assert len(search(joined, "ship")) == 1
    assert heard == [
        Note(
            what="notes was searched by words alone",
            why="nearest at here: nobody answers; start it",
        )
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


@given(st.lists(st.none() | st.floats(-1, 1), max_size=12))
def test_ranks_are_fused_as_their_authors_say(nearness: list[float | None]) -> None:
    def rank(at: int) -> int:
        mine = nearness[at]
        assert mine is not None
        before = [
            other
            for other, near in enumerate(nearness)
            if near is not None and (near > mine or (near == mine and other < at))
        ]
        return len(before) + 1

    expected = {
        at: 1 / (60 + at + 1) + (1 / (60 + rank(at)) if near is not None else 0)
        for at, near in enumerate(nearness)
    }
    found = fuse_orders(nearness)
    assert dict(found) == pytest.approx(expected)
    assert [score for _, score in found] == sorted(expected.values(), reverse=True)


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=2, max_size=9))
def test_packed_vectors_keep_their_direction(vector: list[float]) -> None:
    vector[0] += 2e3
    made = unpack_vector(pack_vector(vector))
    assert cosine(made, made) == pytest.approx(1, abs=1e-5)
    assert cosine(made, made[:-1]) is None
    length = sum(number * number for number in vector) ** 0.5
    assert list(made) == pytest.approx([number / length for number in vector], abs=1e-5)
