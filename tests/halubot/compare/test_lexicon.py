"""Tests of the lexical knowledge of English."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare import lexicon

_DATA = Path(lexicon.__file__).parent / "data"


@cache
def _tables() -> dict[str, str]:
    tables: dict[str, str] = tomllib.loads((_DATA / "english.toml").read_text(encoding="utf-8"))
    return tables


def _rows(table: str) -> list[list[str]]:
    """Return the words of each row of a hand-written table, whatever stands between them."""
    return [
        [word.strip() for word in row.replace("/", ",").split(",")]
        for row in _tables()[table].splitlines()
        if row.strip() and not row.startswith("#")
    ]


_LINKED = ("opposites", "converses", "synonyms", "derivations", "alternatives")
_WORDS = sorted({word for table in _LINKED for row in _rows(table) for word in row})


@pytest.mark.parametrize(
    ("word", "bases"),
    [
        ("running", {"run", "running"}),
        ("bigger", {"big"}),
        ("studies", {"study"}),
        ("left", {"left", "leave"}),
        ("better", {"better", "good", "well"}),
        ("was", {"be"}),
        ("wolves", {"wolf"}),
        ("children", {"child"}),
        ("wrote", {"write"}),
        ("stopping", {"stop", "stopping"}),
        ("hoped", {"hope"}),
        ("hopped", {"hop"}),
        ("rated", {"rate"}),
        ("gases", {"gas"}),
        ("panicked", {"panic", "panicked"}),
        ("happiest", {"happy"}),
        ("later", {"late", "later"}),
        ("analyses", {"analyse", "analysis"}),
        ("company's", {"company"}),
        ("dogs'", {"dog"}),
    ],
)
def test_lemmas_are_all_base_forms(word: str, bases: set[str]) -> None:
    found = lexicon.lemmas(word)
    assert bases <= found
    assert found <= bases | {word}


@pytest.mark.parametrize(
    "word", ["number", "offer", "liver", "evening", "seed", "news", "species", "gas", "his", "us"]
)
def test_an_ending_may_belong_to_the_word(word: str) -> None:
    assert lexicon.lemmas(word) == {word}


def test_an_unknown_word_gives_itself_and_a_guess() -> None:
    assert not lexicon.is_known("retweet")
    assert lexicon.lemmas("retweeted") == {"retweeted", "retweet"}
    assert lexicon.lemmas("vlogging") == {"vlogging", "vlog"}
    assert lexicon.lemmas("zorbs") == {"zorbs", "zorb"}


def test_lemmas_take_the_curly_apostrophe() -> None:
    assert lexicon.lemmas("company’s") == lexicon.lemmas("company's")


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("develop", "development"),
        ("develop", "developer"),
        ("strong", "strength"),
        ("strong", "strongly"),
        ("poland", "polish"),
        ("italy", "italian"),
        ("decide", "decision"),
        ("long", "length"),
        ("choose", "choice"),
        ("heart", "cardiac"),
    ],
)
def test_derived_words_meet(word: str, other: str) -> None:
    assert other in lexicon.related_words(word)
    assert other not in lexicon.synonyms(word)


@pytest.mark.parametrize(("word", "other"), [("colony", "postcolonial"), ("skin", "subcutaneous")])
def test_a_prefix_makes_another_meaning(word: str, other: str) -> None:
    assert other not in lexicon.related_words(word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("buy", "purchase"),
        ("begin", "start"),
        ("physician", "doctor"),
        ("refund", "reimburse"),
        ("child", "kid"),
        ("colour", "color"),
        ("organise", "organize"),
        ("roughly", "about"),
        ("carry out", "perform"),
    ],
)
def test_synonyms(word: str, other: str) -> None:
    assert other in lexicon.synonyms(word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("hypoglycemia", "hyperglycemia"),
        ("hypotension", "hypertension"),
        ("prednisone", "prednisolone"),
        ("car", "machine"),
        ("democracy", "republic"),
        ("license", "certify"),
        ("indiana", "in"),
        ("lend", "contribute"),
    ],
)
def test_words_that_only_look_or_seldom_mean_alike_are_no_synonyms(word: str, other: str) -> None:
    assert other not in lexicon.synonyms(word)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("hot", "cold"),
        ("increase", "decrease"),
        ("up", "down"),
        ("clockwise", "anticlockwise"),
        ("allow", "ban"),
        ("upstairs", "downstairs"),
        ("majority", "minority"),
        ("hypoglycemia", "hyperglycemia"),
        ("hypertension", "hypotension"),
        ("at least", "at most"),
        ("sealed", "unsealed"),
    ],
)
def test_antonyms(word: str, other: str) -> None:
    assert other in lexicon.antonyms(word)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("violin", "trumpet"),
        ("malaria", "measles"),
        ("baker", "butcher"),
        ("copper", "zinc"),
        ("salmonella", "listeria"),
        ("paris", "london"),
        ("monday", "friday"),
        ("prednisone", "prednisolone"),
        ("red", "blue"),
    ],
)
def test_alternatives(one: str, other: str) -> None:
    assert lexicon.are_alternatives(one, other)
    assert lexicon.are_alternatives(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("dog", "animal"),  # a kind of it
        ("dog", "dog"),
        ("doctor", "physician"),  # synonyms
        ("england", "britain"),  # a part of it
        ("singer", "actor"),  # one person may be both
        ("nose", "nasal"),  # derived from it
        ("violin", "copper"),  # nothing in common
    ],
)
def test_no_alternatives(one: str, other: str) -> None:
    assert not lexicon.are_alternatives(one, other)


def test_kinds_and_parts() -> None:
    assert lexicon.is_kind_of("dog", "animal")
    assert lexicon.is_kind_of("sofa", "furniture")
    assert not lexicon.is_kind_of("animal", "dog")
    assert not lexicon.is_kind_of("dog", "dog")
    assert lexicon.is_part_of("finger", "hand")
    assert lexicon.is_part_of("paris", "france")
    assert not lexicon.is_part_of("hand", "finger")


def test_parts_of_speech() -> None:
    assert lexicon.parts_of_speech("run") == {"n", "v"}
    assert lexicon.parts_of_speech("quickly") == {"r"}
    assert lexicon.parts_of_speech("zorb") == frozenset()


def test_quantifiers_stand_on_a_scale() -> None:
    scale = ["none", "few", "some", "several", "half", "many", "most", "all"]
    shares = [lexicon.quantifier(word) for word in scale]
    assert None not in shares
    assert shares == sorted(shares, key=lambda share: share or 0.0)
    assert lexicon.quantifier("house") is None
    assert lexicon.quantifiers()["every"] == 1.0


def test_frequencies_stand_on_a_scale() -> None:
    scale = ["never", "rarely", "sometimes", "often", "usually", "always"]
    assert [lexicon.frequencies()[word] for word in scale] == sorted(
        lexicon.frequencies()[word] for word in scale
    )
    assert lexicon.frequency("house") is None


@pytest.mark.parametrize(
    ("words", "class_"),
    [
        ("have to", "must"),
        ("ought to", "should"),
        ("allowed to", "may"),
        ("must not", "cannot"),
        ("need not", "need not"),
        ("house", None),
    ],
)
def test_modals(words: str, class_: str | None) -> None:
    assert lexicon.modal(words) == class_
    assert lexicon.modal_phrases().get(words) == class_


def test_fillers_and_limits_are_apart() -> None:
    assert lexicon.is_empty("very")
    assert {"only", "usually"} <= lexicon.limits().keys()
    assert "house" not in lexicon.limits()
    assert not any(map(lexicon.is_empty, lexicon.limits()))
    assert not any(map(lexicon.is_empty, lexicon.quantifiers()))


def test_converses_swap_roles() -> None:
    assert "sell" in lexicon.converses("buy")
    assert "landlord" in lexicon.converses("tenant")
    assert lexicon.converses("house") == frozenset()


@given(st.sampled_from(_WORDS))
@pytest.mark.parametrize(
    "relation",
    [
        lexicon.synonyms,
        lexicon.antonyms,
        lexicon.related_words,
        lexicon.converses,
    ],
)
def test_relations_are_symmetric_and_never_hold_of_a_word_with_itself(
    relation: Callable[[str], frozenset[str]], word: str
) -> None:
    others = relation(word)
    assert word not in others
    for other in others:
        assert word in relation(other)
        for another in relation(other):
            assert other in relation(another)


@given(st.sampled_from(_WORDS), st.sampled_from(_WORDS))
def test_alternatives_are_symmetric_and_exclude_what_says_the_same(one: str, other: str) -> None:
    assert lexicon.are_alternatives(one, other) == lexicon.are_alternatives(other, one)
    if lexicon.are_alternatives(one, other):
        assert other not in lexicon.synonyms(one) | lexicon.related_words(one)
        assert not lexicon.is_kind_of(one, other)


@given(st.sampled_from(_WORDS))
def test_a_synonym_is_never_an_opposite(word: str) -> None:
    assert lexicon.synonyms(word).isdisjoint(lexicon.antonyms(word))
    assert lexicon.related_words(word).isdisjoint(lexicon.antonyms(word))


@given(st.text(max_size=30))
def test_any_text_has_a_base_form(text: str) -> None:
    assert lexicon.lemmas(text)
    assert not lexicon.are_alternatives(text, text)
    assert isinstance(lexicon.is_known(text), bool)


@pytest.mark.parametrize("table", _LINKED)
def test_hand_written_words_can_be_found(table: str) -> None:
    """A word that is no base form of itself would never be looked up."""
    lost = [
        word
        for row in _rows(table)
        for word in row
        if " " not in word and word not in lexicon.lemmas(word)
    ]
    assert lost == []


def test_hand_written_synonyms_and_opposites_are_apart() -> None:
    same = {frozenset((a, b)) for row in _rows("synonyms") for a in row for b in row if a != b}
    clashes = []
    for row in _tables()["opposites"].splitlines():
        left, _, right = row.partition("/")
        for one in left.split(","):
            for other in right.split(","):
                if frozenset((one.strip(), other.strip())) in same:
                    clashes.append((one.strip(), other.strip()))
    assert clashes == []


def test_the_licence_of_wordnet_comes_with_its_data() -> None:
    licence = (_DATA / "WORDNET-LICENSE.txt").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in licence
