"""Wrong claims whose words stand in the source, of something else."""

from __future__ import annotations

import random

import pytest

from training.borrowed import pairs_of

SOURCE = (
    "Ida Rosen built the mill in 1871 beside the river. Karl Lund bought it in 1902 and moved the"
    " wheel to the barn."
)


@pytest.mark.parametrize(
    ("claim", "kind", "wrong"),
    [
        ("The mill was built in 1871.", "b-value", "The mill was built in 1902."),
        ("The mill was built by Ida Rosen.", "b-name", "The mill was built by Karl Lund."),
    ],
)
def test_a_value_and_a_name_of_the_source_take_the_place_of_another(
    claim: str, kind: str, wrong: str
) -> None:
    row = {"p": SOURCE, "h": claim, "y": 2, "s": "own-en"}
    made, right = pairs_of([row], random.Random(1), 0)
    assert (made["h"], made["y"], made["s"]) == (wrong, 0, kind)
    ((start, end),) = made["m"]
    assert made["h"][start:end] in SOURCE
    assert made["h"][start:end] not in claim
    assert right == row


def test_a_noun_of_the_source_takes_the_place_of_another() -> None:
    row = {"p": SOURCE, "h": "She built the mill beside water.", "y": 2, "s": "own-en"}
    for seed in range(20):
        made, _ = pairs_of([row], random.Random(seed), 1)
        ((start, end),) = made["m"]
        assert made["s"] == "b-noun"
        assert made["h"][start:end] in {"river", "wheel", "barn"}


@pytest.mark.parametrize(
    ("source", "claim", "label"),
    [
        (SOURCE, "The mill was built in 1871.", 0),
        (SOURCE, "Built in 1871.", 2),
        ("The mill was built in 1871.", "The mill was built in 1871.", 2),
        ("Nothing that rivals it stands in this long sentence on mills.", "It is of 1871 then.", 2),
    ],
)
def test_nothing_is_made_where_nothing_stands_against_it(
    source: str, claim: str, label: int
) -> None:
    row = {"p": source, "h": claim, "y": label, "s": "own-en"}
    assert list(pairs_of([row], random.Random(1), 0)) == []
