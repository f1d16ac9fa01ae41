"""Soft labels: the mean of what the teachers say, as logits."""

import math
from typing import cast

import pytest

from halubot.verifier import Judgement, Verifier
from training.teach import Judges, taught


class Teacher:
    def __init__(self, contradiction: float) -> None:
        self.contradiction = contradiction

    def judge(self, pairs: list[tuple[str, str]]) -> list[Judgement]:
        return [Judgement(self.contradiction, 0.0, 1 - self.contradiction) for _ in pairs]


def test_teachers_are_averaged_and_the_rest_of_a_row_stays() -> None:
    rows = [{"p": "a", "h": "b", "y": 0, "s": "x", "m": [[0, 1]]}, {"p": "c", "h": "d", "y": 2}]
    teachers = [cast("Verifier", Teacher(0.9)), cast("Verifier", Teacher(0.5))]
    found = list(taught(rows, Judges(teachers)))

    assert [{k: v for k, v in row.items() if k != "t"} for row in found] == rows
    contradicted, left_open, entailed = map(math.exp, found[0]["t"])
    assert contradicted == pytest.approx(0.7, abs=0.01)
    assert entailed == pytest.approx(0.3, abs=0.01)
    assert left_open < 0.001
