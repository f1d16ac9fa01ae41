"""Triples pair one to one, the most alike first."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from halubot.evaluation.checked import ALIKE
from halubot.evaluation.triple_pairs import pair_triples
from halubot.report import Triple

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
