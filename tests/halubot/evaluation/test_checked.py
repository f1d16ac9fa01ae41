"""What a report says of the units that people labelled."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from halubot.evaluation.checked import (
    ALIKE,
    ScoredFact,
    Unit,
    align_facts,
    pair_triples,
    scored_row,
    units,
)
from halubot.evaluation.rows import LabelledFact, Row
from halubot.report import Fact, Report, Sentence, Span, Threshold, Triple

TEXT = "Ada wrote notes. She sang."


def fact(index: int, *triple: str, span: Span, score: float | None = 0.25) -> Fact:
    return Fact(
        index=index,
        triple=Triple(*triple),
        sentences=(0,),
        spans=(span,),
        score=score,
        rank=None if score is None else score / 2,
        reason="a test",
    )


def labelled(*triple: str, span: Span, wrong: bool = True) -> LabelledFact:
    return LabelledFact(Triple(*triple), (span,), wrong)


def report(*facts: Fact) -> Report:
    sentences = (
        Sentence(index=0, start=0, end=16, score=0.5, rank=0.4),
        Sentence(index=1, start=17, end=26, score=None, rank=None),
    )
    return Report(
        text=TEXT,
        method="words",
        engine="0",
        threshold=Threshold(value=0.5),
        score=0.75,
        sentences=sentences,
        facts=facts,
    )


def test_a_message_its_sentences_or_its_facts_are_the_units() -> None:
    whole = Row("1", TEXT, gold=(1.0,))
    assert units(scored_row(whole, report())) == (Unit(True, 0.75, 0.4),)
    halves = Row("2", TEXT, gold=(0.0, 1.0), sentences=("Ada wrote notes.", "She sang."))
    assert units(scored_row(halves, report())) == (Unit(False, 0.5, 0.4), Unit(True, None, None))
    wanted = (labelled("Ada", "wrote", "notes", span=(0, 15), wrong=False),)
    facts = scored_row(
        Row("3", TEXT, labelled=wanted), report(fact(0, "Ada", "wrote", "notes", span=(0, 15)))
    )
    assert units(facts) == (Unit(False, 0.25, 0.125),)
    assert units(scored_row(Row("4", TEXT), report())) == ()


def test_the_rank_of_a_message_is_the_mean_of_its_sentences() -> None:
    sentences = tuple(
        Sentence(index=i, start=i, end=i + 1, rank=rank) for i, rank in enumerate((0.2, 0.7, None))
    )
    ranked = report().model_copy(update={"sentences": sentences})
    assert scored_row(Row("1", TEXT), ranked).rank == (0.2 + 0.7) / 2
    unranked = report().model_copy(update={"sentences": sentences[2:]})
    assert scored_row(Row("1", TEXT), unranked).rank == 0.75


def test_a_fact_is_found_by_its_triple_and_its_place() -> None:
    wanted = [labelled("Ada", "wrote", "notes", span=(0, 15))]
    elsewhere = fact(0, "Ada", "wrote", "notes", span=(17, 25))
    other = fact(1, "Ada", "was", "a countess of some sort", span=(0, 15))
    assert align_facts(wanted, [elsewhere, other]) == (ScoredFact(found=False),)
    near = fact(2, "ada", "wrote", "the notes", span=(10, 15), score=0.5)
    assert align_facts(wanted, [elsewhere, other, near]) == (ScoredFact(True, 0.5, 0.25),)


def test_no_fact_is_taken_twice_and_the_most_alike_goes_first() -> None:
    wanted = [
        labelled("Ada", "wrote", "many notes", span=(0, 15)),
        labelled("Ada", "wrote", "notes", span=(0, 15)),
    ]
    only = fact(0, "Ada", "wrote", "notes", span=(0, 15))
    assert [one.found for one in align_facts(wanted, [only])] == [False, True]


def test_a_fact_that_was_not_judged_is_found_without_a_score() -> None:
    unjudged = fact(0, "Ada", "wrote", "notes", span=(0, 15), score=None)
    wanted = [labelled("Ada", "wrote", "notes", span=(0, 15))]
    assert align_facts(wanted, [unjudged]) == (ScoredFact(found=True),)


WORDS = st.sampled_from(["Ada", "ada", "Byron", "was born in", "London", "London 1815"])


TRIPLES = st.lists(st.builds(Triple, WORDS, WORDS, WORDS), max_size=5)


def test_case_and_word_order_do_not_matter() -> None:
    assert pair_triples([Triple("ADA", "met", "Byron")], [Triple("byron", "met", "Ada")]) == (True,)


def test_the_most_alike_pair_first() -> None:
    given = [Triple("Ada Byron", "was born in", "London")]
    near = Triple("Ada", "was born in", "London")
    assert pair_triples([near, *given], given) == (False, True)


def test_what_differs_too_much_does_not_pair() -> None:
    found = [Triple("Ada", "wrote", "notes")]
    assert pair_triples(found, [Triple("Babbage", "built", "an engine")]) == (False,)


def test_nothing_to_pair() -> None:
    triple = Triple("a", "b", "c")
    assert pair_triples([], [triple]) == ()
    assert pair_triples([triple], []) == (False,)


def plainly(found: list[Triple], given: list[Triple]) -> int:
    """How many pairs there are, written down as slowly as it is said."""

    def alike(pair: tuple[int, int]) -> float:
        left, right = found[pair[0]], given[pair[1]]
        return fuzz.token_sort_ratio(" ".join(left).casefold(), " ".join(right).casefold())

    pairs: list[tuple[int, int]] = []
    everything = itertools.product(range(len(found)), range(len(given)))
    for i, j in sorted(everything, key=alike, reverse=True):
        free = all(i != a and j != b for a, b in pairs)
        if free and alike((i, j)) >= ALIKE:
            pairs.append((i, j))
    return len(pairs)


@given(TRIPLES, TRIPLES)
def test_as_many_pairs_as_the_plain_way(found: list[Triple], given: list[Triple]) -> None:
    flags = pair_triples(found, given)
    assert len(flags) == len(found)
    assert sum(flags) == plainly(found, given)
