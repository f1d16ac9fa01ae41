"""What is searched for in an encyclopedia, and which passages of its articles are nearest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halubot.evidence.knowledge.articles import Article, Section, nearest, terms

LONG = " ".join(f"Sentence number {n} speaks of stones and of word{n}." for n in range(60))
ARTICLE = Article(
    "Ada Lovelace",
    "here",
    "2026-01-02",
    (
        Section("", "She was a mathematician."),
        Section("Death", "She died in Marylebone."),
        Section("Works", LONG),
    ),
)
OTHER = Article("Grace Hopper", "there", None, (Section("", "She died in Arlington."),))


def test_terms_are_the_words_that_mean_something_and_the_names() -> None:
    assert terms("When was Marie Curie, the wife of Pierre Curie's, born in Warsaw?") == (
        ("Marie", "Curie", "wife", "Pierre", "born", "Warsaw"),
        ("Marie Curie", "Pierre Curie", "Warsaw"),
    )
    assert terms("He said that George W. Bush won.").names == ("George W Bush",)
    assert terms("It lies in Paris. Berlin does not.").names == ("Paris", "Berlin")
    assert terms("who is it").words == ("who", "is", "it")
    assert terms(" ?! \n") == ((), ())


def test_an_article_on_the_subject_comes_before_one_that_shares_the_words() -> None:
    for query, text in (
        ("Where did Ada Lovelace die? She died in", "She died in Marylebone."),
        ("Where did Grace Hopper die? She died in", "She died in Arlington."),
    ):
        assert nearest([OTHER, ARTICLE], query, 1)[0].text == text
        assert nearest([ARTICLE, OTHER], query, 1)[0].text == text


def test_a_heading_helps_to_find_what_stands_below_it() -> None:
    best = nearest([ARTICLE], "death of Ada Lovelace", 1)[0]
    assert best.source.place == "section Death"


@given(st.lists(st.text(max_size=300), max_size=4), st.text(max_size=40), st.integers(1, 5))
def test_a_passage_is_its_sources_text(bodies: list[str], query: str, k: int) -> None:
    sections = tuple(Section(f"h{n}", body) for n, body in enumerate([*bodies, LONG]))
    best = nearest([Article("Title", "place", None, sections)], f"{query} stones word7", k)
    assert 0 < len(best) <= k
    assert [passage.score for passage in best] == sorted((p.score for p in best), reverse=True)
    for passage in best:
        assert passage.source.text == passage.text
        assert (passage.start, passage.end) == (0, len(passage.text))
        assert passage.text.strip()
        assert len(passage.text.split()) <= 120
