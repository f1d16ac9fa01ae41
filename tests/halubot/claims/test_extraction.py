"""What holds for any text: exact places, order, no failure; and other languages' clauses."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot.claims import clauses, extract, extractor_name
from halubot.claims.finite import BOUNDARIES
from halubot.claims.tagger import tag
from halubot.report import Fact
from halubot.text import Document, read

WORDS = (
    "the a he she it they was is are were born in on at by of from to and or , ( ) ; : . which"
    " who that not no never John Smith Paris 1828 May founded wrote writes play plays for there"
    " 's n't if when running red his her their \" ' - has had been able best first Bank \"Low\""
    " 5 % — was: | # * than more about most 22 May 1828 (1828–1896) said be being A. B. Mr."
    " U.S. where whose as"
)
WORD_LIST = WORDS.split(" ")

sentences = st.lists(st.sampled_from(WORD_LIST), max_size=25).map(" ".join)
anything = st.one_of(st.text(max_size=120), sentences)


def whole(plain: str, span: tuple[int, int]) -> str:
    return " ".join(plain[span[0] : span[1]].split())


def assert_sound(document: Document, found: tuple[Fact, ...]) -> None:
    for index, fact in enumerate(found):
        assert fact.index == index
        (sentence,) = fact.sentences
        position, end = document.sentences[sentence]
        for start, stop in fact.spans:
            assert position <= start < stop <= end
            position = stop
        if fact.parts.tail:
            assert whole(document.plain, fact.parts.tail) == fact.triple.tail
        if fact.parts.head:
            assert whole(document.plain, fact.parts.head) == fact.triple.head
        for part in (fact.parts.head, fact.parts.relation, fact.parts.tail):
            if part:
                assert any(start <= part[0] and part[1] <= stop for start, stop in fact.spans)
        assert any(fact.triple)
    # What no triple holds comes after all triples, in the order of the text too.
    places = [fact.sentences[0] for fact in found]
    assert sum(one > following for one, following in pairwise(places)) <= 1


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(anything, st.one_of(st.none(), st.sampled_from(["John Smith", "It", " ", "(", "A is B"])))
def test_facts_of_any_text_have_exact_places(text: str, subject: str | None) -> None:
    document = read(text)
    assert_sound(document, extract(document, subject=subject))


@settings(max_examples=150, deadline=None)
@given(anything)
def test_english_rules_hold_for_any_text(text: str) -> None:
    cut = read(text)
    document = Document(cut.text, cut.plain, cut.sentences, "en")
    assert_sound(document, extract(document))


@settings(max_examples=150, deadline=None)
@given(anything)
def test_clauses_of_any_text_have_exact_places(text: str) -> None:
    document = read(text)
    found = clauses(document)
    assert_sound(document, found)
    assert all(fact.triple[:2] == ("", "") for fact in found)


@settings(max_examples=150, deadline=None)
@given(anything)
def test_every_word_is_tagged_in_its_place(text: str) -> None:
    end = 0
    for word in tag(text, 0, len(text)):
        assert text[word.start : word.end] == word.text
        assert word.start >= end
        assert word.tag not in {"?", "ED", "AM"} or word.tag in text
        end = word.end


def test_the_same_text_gives_the_same_facts() -> None:
    document = read("Mira was born in Oslo. She wrote plays, poems and songs.")
    assert extract(document) == extract(document)


def test_a_fact_said_twice_in_one_sentence_is_one_with_both_places() -> None:
    text = "Mira wrote plays and Mira wrote plays."
    (fact,) = extract(read(text))
    assert tuple(fact.triple) == ("Mira", "wrote", "plays")
    assert [text[start:end] for start, end in fact.spans] == ["Mira wrote plays"] * 2


def test_a_resolved_description_before_its_name_keeps_exact_places() -> None:
    document = read("Low Tide is a rock band. Their best album, Dusk, sold well.")
    found = extract(document)
    assert_sound(document, found)
    assert ("Low Tide's best album", "is", "Dusk") in [fact.triple for fact in found]


def test_a_long_sentence_is_read_to_its_end() -> None:
    text = "Mira wrote plays; " * 300 + "Jan Vale sang in Rome."
    found = extract(read(text))
    assert tuple(found[-1].triple) == ("Jan Vale", "sang in", "Rome")


def test_deep_nesting_is_no_failure() -> None:
    document = read("Mira, " + "who saw Jan, " * 2000 + "left.")
    assert_sound(document, extract(document))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            "他出生于1828年，在北京长大。",
            "clauses (no rules for Chinese)",
            ["他出生于1828年", "在北京长大"],
        ),
        (
            "彼は1828年に生まれ、1896年に死んだ。",
            "clauses (no rules for Japanese)",
            ["彼は1828年に生まれ", "1896年に死んだ"],
        ),
        (
            "Mira wurde 1828 in Bergen geboren, und sie starb mit 1,5 Kronen.",
            "clauses (no rules for German)",
            ["Mira wurde 1828 in Bergen geboren", "und sie starb mit 1,5 Kronen"],
        ),
    ],
)
def test_languages_without_rules_give_clauses(text: str, name: str, expected: list[str]) -> None:
    document = read(text)
    found = extract(document)
    assert extractor_name(document) == name
    assert [fact.triple.tail for fact in found] == expected
    assert [text[slice(*fact.spans[0])] for fact in found] == expected


def test_english_says_so() -> None:
    assert extractor_name(read("Mira was born in the town of Oslo.")) == "English rules"


def test_a_clause_without_letters_is_none() -> None:
    document = read("1828, — , !")
    assert [fact.triple.tail for fact in clauses(document)] == ["1828"]


def test_boundaries_are_marks_and_tags() -> None:
    tags = {word.tag for word in tag("He sang, and she, who left, ran;", 0, 32)}
    assert {",", "CC", "RL", ";"} <= tags & BOUNDARIES
