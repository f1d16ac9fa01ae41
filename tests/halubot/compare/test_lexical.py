"""Vectors of words: the same everywhere, near for what is spelt alike, and exact for numbers."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from halubot.compare.lexical import DIMENSIONS, vector
from halubot.methods.gca.graphs import cosine


def alike(a: str, b: str) -> float:
    return cosine(vector(a), vector(b))


@pytest.mark.parametrize("text", ["Ada Weir", "was born in", "1828", "Größe", "東京は首都", "is"])
def test_it_has_length_1_and_nothing_counts_against_anything(text: str) -> None:
    assert len(vector(text)) == DIMENSIONS
    assert math.hypot(*vector(text)) == pytest.approx(1)
    assert min(vector(text)) >= 0
    assert alike(text, text) == pytest.approx(1)


@pytest.mark.parametrize("text", ["", "  ", "?!"])
def test_what_holds_no_letter_is_nothing(text: str) -> None:
    assert vector(text) == (0.0,) * DIMENSIONS
    assert alike(text, text) == 0
    assert alike(text, "Ada") == 0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("was born in", "born in"),
        ("is", "was"),
        ("ist", "war"),
        ("painted", "painting"),
        ("Reynolds'", "Reynolds"),
        ("ZÜRICH", "Zurich"),
        ("wurde geboren in", "geboren in"),
        ("nació en", "nacio en"),
    ],
)
def test_near(a: str, b: str) -> None:
    assert alike(a, b) > 0.7


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1911", "1912"),
        ("was born in", "died in"),
        ("wrote", "married"),
        ("Ulm", "Paris"),
        ("is", "in"),
    ],
)
def test_far(a: str, b: str) -> None:
    assert alike(a, b) < 0.3


def test_it_is_the_same_in_every_process() -> None:
    code = "from halubot.compare.lexical import vector; print(vector('Ada wrote 12 songs'))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert told == {f"{vector('Ada wrote 12 songs')}\n"}
