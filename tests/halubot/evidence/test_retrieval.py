"""The passages nearest to a query: any language, any query, exact places."""

import gc
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from halubot.errors import HalubotError
from halubot.evidence import text_source
from halubot.evidence.retrieval import TERMS, Index, Passage
from halubot.report import Source

BRIDGE = """# The Kellan Bridge

The Kellan Bridge is an arch bridge of granite. It was opened on 4 June 1931 between Osby and Varn.

Before it, a ferry carried people and goods. The ferryman was Joss Arlin. He lived in Varn.

The tolls were given up in 1958. Since then crossings are free of charge.
"""


def references(*texts: str) -> list[Source]:
    return [text_source(text, "reference", index) for index, text in enumerate(texts, 1)]


def found(index: Index, query: str, k: int = 3) -> list[str]:
    return [passage.text for passage in index.search(query, k)]


def test_the_nearest_passage_comes_first_with_its_place() -> None:
    (source,) = references(BRIDGE)
    index = Index([source], words=12)
    first, *_ = index.search("who was the ferryman?", 3)
    assert first.text == "The ferryman was Joss Arlin. He lived in Varn."
    assert first.source is source
    assert source.text is not None
    assert source.text[first.start : first.end] == first.text
    scores = [passage.score for passage in index.search("the bridge of Varn in 1958", 9)]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_no_more_than_asked_for_and_only_what_shares_a_word() -> None:
    index = Index(references(BRIDGE), words=12)
    assert len(index.search("the", 2)) == 2
    assert len(index.search("ferryman", 99)) == 1
    assert index.search("ferryman", 10**30) == index.search("ferryman", 99)
    assert index.search("volcano", 3) == ()


def test_sources_are_told_apart_and_equals_keep_their_order() -> None:
    sources = references("Osby is a town.", "Varn is a town.", "Osby is a town.")
    index = Index(sources)
    assert [passage.source.id for passage in index.search("Osby", 3)] == ["r1", "r3"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Straße in Köln wurde 1900 gebaut.", "STRASSE KOLN"),
        ("El niño nació en Mérida.", "nino nacio"),
        ("Тверь стоит на Волге.", "волге"),
        ("東京は日本の首都です。", "首都はどこですか"),
        ("湖是蓝色的。", "湖"),
        ("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย", "เมืองหลวง"),
        ("हिन्दी भारत की भाषा है।", "हिन्दी"),
        ("القاهرة عاصمة مصر.", "عاصمة"),
        ("Ｆｕｌｌｗｉｄｔｈ １９３１", "fullwidth 1931"),
        ("She invented two machines.", "machine inventing"),
    ],
)
def test_any_language_is_searched(text: str, query: str) -> None:
    index = Index(references("Nothing of that is here.", text))
    assert found(index, query) == [text]


def test_halves_of_other_words_of_unparted_scripts_are_not_found() -> None:
    assert found(Index(references("東京は大きい。")), "京都") == []


def test_what_cannot_be_told_by_single_words_is_told_by_how_rare_they_are() -> None:
    sources = references(*["The town has a church."] * 9, "The town has a lighthouse.")
    (first, *_) = Index(sources).search("the town lighthouse", 3)
    assert first.source.id == "r10"


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", '"', '""', "AND", "OR NOT", "NEAR(a b, 3)", "a*", "words:a", "^a", "a + b", "-a",
        "(", ")", "{a b}: c", "\0", "a\0b", "'; DROP TABLE passages; --", "\ud800", "😀", "́",
        "%", "?1", "\\", "a\nb", "AND " * 5000, '"' * 9999, "x" * 100_000,
    ],
)  # fmt: skip
def test_no_query_is_a_mistake(query: str) -> None:
    index = Index(references(BRIDGE, "a AND b OR NOT near: words a*b (c) \"d\" 'e'"))
    for passage in index.search(query, 5):
        assert passage.source.text is not None
        assert passage.source.text[passage.start : passage.end] == passage.text


def test_operators_are_words() -> None:
    index = Index(references("Rock and roll is loud.", "Not here.", "Near the river."))
    assert found(index, "AND") == ["Rock and roll is loud."]
    assert found(index, "NOT") == ["Not here."]
    assert found(index, 'NEAR("river')[0] == "Near the river."


def test_of_a_long_query_the_first_words_count() -> None:
    index = Index(references("Alpha stands here.", "Omega stands here."))
    filler = " ".join(f"w{number}" for number in range(TERMS - 1))
    assert found(index, f"alpha {filler} omega") == ["Alpha stands here."]


def test_nothing_to_search_is_no_mistake() -> None:
    silent = Source(id="r1", kind="reference")
    for sources in ([], [silent], references(""), references(" \n\t ", "```\ncode\n```")):
        index = Index(sources)
        assert len(index) == 0
        assert index.search("anything", 3) == ()


def test_without_a_length_each_source_is_one_passage() -> None:
    long = " ".join(f"Sentence {n} speaks of stones." for n in range(99))
    index = Index(references(long, " \n", "    *An* apple."), words=None)
    assert len(index) == 2
    assert sorted(found(index, "apple stones")) == ["    *An* apple.", long]
    assert found(index, "an") == ["    *An* apple."]


def test_counts_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="k must be at least 1"):
        Index([]).search("a", 0)
    with pytest.raises(ValueError, match="words must be at least 1"):
        Index(references("A text."), words=0)


def test_an_index_is_made_on_one_thread_and_searched_on_others() -> None:
    with ThreadPoolExecutor(4) as threads:
        index = threads.submit(Index, references(BRIDGE), 12).result()
        queries = ["ferryman", "tolls", "granite", "Varn"] * 25
        answers = list(threads.map(lambda query: index.search(query, 2), queries))
    assert answers == [index.search(query, 2) for query in queries]


def test_what_an_index_held_is_given_back() -> None:
    index = Index(references(BRIDGE))
    table = index._table
    del index
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError):
        table.execute("SELECT 1")


def test_sqlite_without_full_text_search_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("halubot.evidence.retrieval._TABLE", "CREATE VIRTUAL TABLE t USING gone(x)")
    with pytest.raises(HalubotError, match="built without FTS5; use a Python") as caught:
        Index([])
    assert "\n" not in str(caught.value)


TEXTS = st.text(st.sampled_from("aAbé ß東京都กม.1.\n\t-\"'*#|\0\ud800\u0301😀"), max_size=200)


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(st.lists(TEXTS, max_size=4), TEXTS, st.integers(1, 5), st.integers(1, 9))
@example(['a "b" a'], '"a', 1, 1)
def test_every_passage_is_where_it_says(texts: list[str], query: str, k: int, words: int) -> None:
    sources = references(*texts)
    index = Index(sources, words=words)
    passages = index.search(query, k)
    assert len(passages) <= min(k, len(index))
    assert len(set(places(passages))) == len(passages)
    for passage in passages:
        assert passage.source in sources
        assert passage.source.text is not None
        assert passage.source.text[passage.start : passage.end] == passage.text
        assert passage.text.strip()
        assert passage.score > 0
    assert index.search(query, k) == passages


def places(passages: tuple[Passage, ...]) -> list[tuple[str, int]]:
    return [(passage.source.id, passage.start) for passage in passages]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(["osby", "Värn", "1931", "東京都", "naïve"]), min_size=1, max_size=9)
)
def test_a_text_is_found_by_any_word_of_it(words: list[str]) -> None:
    index = Index(references("Something else.", " ".join(words)))
    for word in words:
        assert [passage.source.id for passage in index.search(word.upper(), 3)] == ["r2"]
