"""The analysis of a sentence: terms, names, clauses, denials, operators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.analysis import Analysis, analyse
from halubot.compare.tokens import with_tokens
from halubot.text import read
from tests.halubot.compare.sentences import analysed


def denied(found: Analysis) -> set[str]:
    return {term.text for i, term in enumerate(found.terms) if found.is_denied(i)}


def test_terms_are_values_names_and_words_in_order() -> None:
    found = analysed("In 1931 the Kellan Bridge was opened by Ada Weir with 5 kg of flour.")
    assert [(term.kind, term.text) for term in found.terms] == [
        ("value", "1931"),
        ("name", "Kellan"),
        ("name", "Bridge"),
        ("word", "opened"),
        ("name", "Ada"),
        ("name", "Weir"),
        ("value", "5 kg"),
        ("word", "flour"),
    ]
    names = {term.run: term.name for term in found.terms if term.run >= 0}
    assert list(names.values()) == ["Kellan Bridge", "Ada Weir"]


def test_a_word_has_its_base_forms_and_what_means_the_same() -> None:
    (term,) = (one for one in analysed("She bought it.").terms if one.text == "bought")
    assert "buy" in term.bases
    assert {"buy", "purchase"} <= term.wide


def test_a_verb_group_opens_before_its_term() -> None:
    # The number begins inside a token, after an accent that stands alone.
    found = analysed("She e\u0301five wrote the letter.")
    assert [term.text for term in found.terms] == ["five", "wrote", "letter"]
    assert all(found.opening(i) <= term.start for i, term in enumerate(found.terms))


def test_function_words_are_no_terms() -> None:
    assert analysed("It is also very much of the and to it.").terms == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The shop is not open.", {"open"}),
        ("The shop is open.", set()),
        ("The shop was not built in 1900, but it opened in Rome.", {"built", "1900"}),
    ],
)
def test_a_denial_ends_with_its_clause(text: str, words: set[str]) -> None:
    assert denied(analysed(text)) == words


def test_clauses_are_counted() -> None:
    found = analysed("The shop closed because the roof leaked, and he left when it rained.")
    clauses = {term.text: term.clause for term in found.terms}
    assert clauses["closed"] < clauses["roof"] == clauses["leaked"] < clauses["left"]
    assert clauses["left"] < clauses["rained"]


def test_an_operator_governs_the_term_after_it() -> None:
    found = analysed("Guests must leave before noon.")
    governed = [(one.sense, found.terms[one.target].text) for one in found.operators]
    assert governed == [(("modal", "must"), "leave"), (("link", "before"), "noon")]


def test_a_may_that_is_denied_is_a_cannot() -> None:
    (operator,) = analysed("Guests may not smoke.").operators
    assert operator.sense == ("modal", "cannot")


def test_a_pronoun_that_opens_a_sentence_takes_up_the_name_that_opens_the_last_one() -> None:
    found = analysed("The Kellan Bridge is long. It was opened in Rome.")
    assert [term.name for term in found.terms[:2]] == ["Kellan Bridge"] * 2
    assert {term.start for term in found.terms[:2]} == {27}


def test_a_condition_is_known_by_its_word() -> None:
    found = analysed("Call a doctor if the pain stays.")
    conditional = {t.text for i, t in enumerate(found.terms) if found.is_conditional(i)}
    assert conditional == {"pain", "stays"}


@pytest.mark.parametrize(
    ("text", "word", "slot"),
    [
        ("She lives in the old town of Lund.", "Lund", "of"),
        ("He works for the Kellan Bank.", "Kellan", "for"),
        ("They saw Ada's house.", "Ada's", "'s"),
    ],
)
def test_the_slot_of_a_term_is_the_word_that_leads_to_it(text: str, word: str, slot: str) -> None:
    found = analysed(text)
    (at,) = (i for i, term in enumerate(found.terms) if term.text == word)
    assert found.slot(at) == slot


PIECES = [
    "Ada Weir",
    "the Kellan Bridge",
    "was not",
    "no more than",
    ", but ",
    ". ",
    ": ",
    "all of",
]
PIECES += ["5 kg", "never", "must", "1931", "in", "before", "if", "without", "he", "It", "opened"]
PIECES += ["\n\n", "`x -f`", "(", "’s", "“", "%", "3,7", "€", "٣", "東京", "ß", "-", "—", "**"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join) | st.text(max_size=80))
def test_every_place_lies_in_its_sentence_and_holds_what_it_says(text: str) -> None:
    document = read(text)
    before: Analysis | None = None
    for span, found in zip(document.sentences, with_tokens(document).tokens, strict=True):
        before = analyse(document, span, found, before)
        assert before.span == span
        last = span[0]
        for term in before.terms:
            assert last <= term.start < term.end <= span[1]
            taken_up = term.text != document.plain[term.start : term.end]
            assert not taken_up or document.plain[term.start : term.end].lower() in (
                {"he", "she", "it", "they"}
            )
            last = term.start
        for operator in before.operators:
            assert span[0] <= operator.start < operator.end <= span[1]
            assert -1 <= operator.target < len(before.terms)
            if operator.target >= 0:
                assert before.terms[operator.target].start >= operator.end
        assert all(
            span[0] <= one.cue <= one.start <= one.end <= span[1] for one in before.negations
        )


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join) | st.text(max_size=80))
def test_sentences_lose_nothing_but_blanks_and_marks(text: str) -> None:
    document = read(text)
    end = 0
    for start, stop in document.sentences:
        assert end <= start < stop
        assert not any(map(str.isalnum, document.plain[end:start]))
        end = stop
    assert not any(map(str.isalnum, document.plain[end:]))
