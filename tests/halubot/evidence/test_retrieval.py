"""The passages nearest to a query: any language, any query, exact places."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot.evidence import text_source
from halubot.evidence.retrieval import Index, Passage
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


def test_operators_are_words() -> None:
    index = Index(references("Rock and roll is loud.", "Not here.", "Near the river."))
    assert found(index, "AND") == ["Rock and roll is loud."]
    assert found(index, "NOT") == ["Not here."]
    assert found(index, 'NEAR("river')[0] == "Near the river."


TEXTS = st.text(st.sampled_from("aAbé ß東京都กม.1.\n\t-\"'*#|\0\ud800\u0301😀"), max_size=200)


@pytest.mark.slow
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


@given(
    st.lists(st.sampled_from(["osby", "Värn", "1931", "東京都", "naïve"]), min_size=1, max_size=9)
)
def test_a_text_is_found_by_any_word_of_it(words: list[str]) -> None:
    index = Index(references("Something else.", " ".join(words)))
    for word in words:
        assert [passage.source.id for passage in index.search(word.upper(), 3)] == ["r2"]
