"""Changes by rule: places, seeds, and that nothing else moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.evaluation.synthesis.text_changes import (
    KINDS,
    NUMBERS,
    SPELT,
    Edit,
    apply_planted,
    change_text,
    changed_value,
    kind_of,
    places,
)

TEXT = (
    "Ada Lovelace, born in London on 10 December 1815, was the daughter of Lord Byron and met"
    " Charles Babbage in June of 1833. She did not write twenty papers; 2.5 percent of 1,200"
    " letters are known. About forty-five rooms were opened."
)
SEEDS = st.integers(0, 10_000)


def drawn(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - the same texts again and again


@given(st.text(max_size=60), st.lists(st.tuples(SEEDS, SEEDS, st.text(max_size=5)), max_size=6))
def test_edits_change_their_places_and_nothing_else(
    text: str, wanted: list[tuple[int, int, str]]
) -> None:
    edits = []
    for first, second, instead in wanted:
        start, end = sorted((first % (len(text) + 1), second % (len(text) + 1)))
        edits.append(Edit("any", start, end, instead))
    made = apply_planted(text, edits)
    back, at = [], 0
    for _, before, after, (start, end) in made.changes:
        assert made.text[start:end] == after != before
        back += [made.text[at:start], before]
        at = end
    assert "".join([*back, made.text[at:]]) == text


@given(SEEDS, st.sets(st.sampled_from(KINDS), min_size=1), st.integers(1, 6))
def test_changes_are_of_the_kinds_asked_for(seed: int, kinds: set[str], most: int) -> None:
    made = change_text(TEXT, drawn(seed), kinds=kinds, most=most)
    assert made is not None
    assert 1 <= len(made.changes) <= most
    assert {change.kind for change in made.changes} <= kinds
    assert made == change_text(TEXT, drawn(seed), kinds=kinds, most=most)
    assert made.text != TEXT


@given(SEEDS)
def test_all_kinds_are_taken_in_turn(seed: int) -> None:
    made = change_text(TEXT, drawn(seed), most=4)
    assert made is not None
    assert sorted(change.kind for change in made.changes) == sorted(KINDS)


@given(SEEDS)
def test_a_new_value_stands_nowhere_in_the_text(seed: int) -> None:
    random = drawn(seed)
    place = random.choice(places(TEXT))
    edit = changed_value(TEXT, place, random, besides="11 12 13")
    assert edit is not None
    assert not re.search(rf"(?<![\w.]){re.escape(edit.instead)}(?!\w)", f"{TEXT} 11 12 13")
    assert edit.kind == kind_of(place)


@given(SEEDS)
def test_no_share_is_above_all_and_no_plural_is_one(seed: int) -> None:
    text = "In 2 groups 98 percent were cured."
    for place in places(text):
        edit = changed_value(text, place, drawn(seed))
        assert edit is None or edit.instead not in ("0", "1")
        assert edit is None or place.group() != "98" or float(edit.instead) < 100


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("On 10 December 1815 she had twenty-two of 1,200 letters, 2.5 each.",
         ["10", "December", "1815", "twenty-two", "1,200", "2.5"]),
        ("CD4 cells, IL-6, version 1.2.3, HUNT 2, type 2 and 10:30 are no numbers.", []),
        ("One of them.", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_is_part_of_a_name_or_a_code_is_no_number(text: str, found: Sequence[str]) -> None:
    assert [place.group() for place in places(text)] == list(found)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("It was open.", "It was not open."),
        ("It was not open.", "It was open."),
        ("It did not open.", None),
        ("Was it open?", None),
        ("It was never open.", None),
    ],
)
def test_negations_come_and_go(text: str, made: str | None) -> None:
    found = change_text(text, drawn(0), kinds=["negation"])
    assert (found.text if found else None) == made


def test_a_name_becomes_another_of_the_text_and_no_part_of_one() -> None:
    text = "She met Charles Babbage in Lund, and later Ada Holm wrote to him from Osby."
    for seed in range(20):
        made = change_text(text, drawn(seed), kinds=["name"])
        assert made is not None
        (change,) = made.changes
        assert change.before in ("Charles Babbage", "Lund", "Ada Holm", "Osby")
        others = {"Charles Babbage": "Ada Holm", "Lund": "Osby"}
        others |= {name: one for one, name in others.items()}
        assert change.after == others[change.before]


def test_numbers_have_one_word_each() -> None:
    assert len(NUMBERS) == len(SPELT) == 100
    assert SPELT[45] == "forty-five"
