"""How far sources bear a sentence out, by its words alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.tokens import Worded, tokens, with_tokens
from halubot.methods.consensus.word_support import Sources, Surface
from halubot.text import read


def documents(*texts: str) -> list[Worded]:
    return [with_tokens(read(text)) for text in texts]


def sources(*texts: str, without: frozenset[str] = frozenset(), prefix: int = 0) -> Sources:
    index = Sources(without=without, prefix=prefix)
    for document in documents(*texts):
        index.add([document])
    return index


def shares(index: Sources, sentence: str) -> tuple[float, ...]:
    return index.support(index.words(tokens(sentence, 0, len(sentence)))).shares


def test_a_sentence_said_is_borne_out_and_one_unsaid_is_not() -> None:
    index = sources("Ada painted mosses in Ghent.", "She sold maps in Turin.")
    assert shares(index, "Ada painted mosses in Ghent.") == pytest.approx((1.0, 0.0))


def test_words_together_count_more_than_words_scattered() -> None:
    together = sources("Ada painted old mosses. She met a friend of rivers.")
    scattered = sources("Ada met a friend. She painted rivers. There were old mosses.")
    sentence = "Ada painted old mosses."
    assert shares(together, sentence)[0] > shares(scattered, sentence)[0] > 0


def test_joining_two_sentences_is_borne_out_by_both() -> None:
    index = sources("Ada painted mosses. She taught weavers.", "Ada painted mosses.")
    both, one = shares(index, "Ada painted mosses and taught weavers.")
    assert both > one


def test_a_changed_number_costs_more_than_a_changed_word() -> None:
    index = sources("Ada painted 12 mosses in Ghent.")
    number = shares(index, "Ada painted 13 mosses in Ghent.")
    word = shares(index, "Ada painted 12 maps in Ghent.")
    assert number < word


def test_names_of_the_subject_do_not_count() -> None:
    index = sources("Ada Venn painted.", without=frozenset({"ada", "venn"}))
    assert list(index.words(tokens("Ada Venn painted.", 0, 17))) == ["paint"]


def test_a_prefix_lets_related_words_meet_but_not_names_or_numbers() -> None:
    rough = sources("the composer met Bernard in 1828", prefix=4)
    exact = sources("the composer met Bernard in 1828")
    assert shares(rough, "she composed")[0] == pytest.approx(1)
    assert shares(exact, "she composed")[0] == 0
    assert shares(rough, "she met Bernadette")[0] < 1
    assert rough.holders("1829") == 0
    assert rough.holders("1828") == 1


def test_documents_of_a_group_are_one_source_and_blank_ones_none() -> None:
    index = Sources(without=frozenset(), prefix=0)
    for group in (("Ada painted.", "Ada wove."), ("", "..."), ("Hm?",)):
        index.add(documents(*group))
    assert index.count == 2
    assert index.holders("ada") == 1


def test_agreement_is_of_others_and_silence_has_none() -> None:
    alike = sources(*["Ada painted mosses."] * 3)
    apart = sources("Ada painted mosses.", "Bertil wove carpets.", "Wanda sold clocks.")
    sentence = tokens("Ada painted mosses.", 0, 19)
    assert alike.agreement_on(alike.support(alike.words(sentence))) == pytest.approx(1)
    assert apart.agreement_on(apart.support(apart.words(sentence))) == 0
    unsaid = alike.words(tokens("Bertil wove carpets.", 0, 20))
    assert alike.agreement_on(alike.support(unsaid)) == 0


def test_words_in_very_many_sentences_still_count() -> None:
    index = sources(" ".join(f"Maps were drawn {n} times." for n in range(1000, 1200)))
    assert shares(index, "Maps were drawn 1150 times.")[0] == pytest.approx(1)
    assert shares(index, "Maps were drawn.")[0] == pytest.approx(1)


TEXT = "The old bridge was opened in 1894. It has two towers."
(SOURCE,) = documents(TEXT)


def unseen_pairs(message: str, others: Sequence[Worded]) -> float:
    return Surface(others).unseen_pairs(with_tokens(read(message)).tokens)


@pytest.mark.parametrize(
    ("message", "pairs"),
    [
        ("The old bridge was opened in 1894.", 0),
        ("Old bridge opened 1894", 0),
        ("The old bridge was, they say, opened.", 2 / 3),
        ("The old opened.", 0),
        ("The old 1894.", 1),
        ("The bridge is old.", 1),
        ("In 1894 it has two towers.", 1 / 2),
        ("The bridge has towers.", 1),
        ("1894. Two towers.", 0),
        ("It was.", 0),
    ],
)
def test_pairs_of_content_words_near_each_other(message: str, pairs: float) -> None:
    assert unseen_pairs(message, [SOURCE]) == pytest.approx(pairs)


def test_pairs_do_not_cross_from_one_source_to_the_next() -> None:
    others = [*documents("The bridge collapsed.", "Two spans."), SOURCE]
    assert unseen_pairs("Two spans collapsed.", others) == 1 / 2


def test_without_sources_every_pair_is_unseen() -> None:
    assert unseen_pairs(TEXT, []) == 1


def test_markup_is_no_word() -> None:
    assert unseen_pairs("The **old** [bridge](https://a.example)", [SOURCE]) == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_text_is_seen_in_itself_and_more_sources_never_unsee(message: str, other: str) -> None:
    document, source = documents(message, other)
    assert unseen_pairs(message, [document]) == 0
    assert unseen_pairs(message, [source, document]) == 0
    assert 0 <= unseen_pairs(message, [source]) <= 1
