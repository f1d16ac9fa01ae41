"""A judge that says nearly always the same is told from a message that is simply all right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from halubot.evidence import text_source
from halubot.methods.judges.bias import (
    Leaning,
    by_rules,
    doubt_of_benchmark,
    doubt_of_message,
    from_details,
    leaning,
)
from halubot.methods.registry import Case
from halubot.report import Verdict
from halubot.text import read

ALL_YES = Leaning(yes=40, verdicts=40, units=8)
ALL_NO = Leaning(yes=0, verdicts=40, units=8)
MIXED = Leaning(yes=20, verdicts=40, units=8)


def test_verdicts_are_counted_by_unit() -> None:
    told = leaning([[True, True, False], [], [False]])
    assert told == Leaning(yes=2, verdicts=4, units=2)
    assert told + Leaning(1, 1, 1) == Leaning(3, 5, 3)


@pytest.mark.parametrize(
    ("told", "side"),
    [
        (ALL_YES, "yes"),
        (ALL_NO, "no"),
        (MIXED, None),
        (Leaning(38, 40, 8), "yes"),
        (Leaning(37, 40, 8), None),
        (Leaning(2, 40, 8), "no"),
        (Leaning(3, 40, 8), None),
        (Leaning(19, 19, 8), None),
        (Leaning(20, 20, 5), "yes"),
        (Leaning(20, 20, 4), None),
        (Leaning(), None),
    ],
)
def test_a_side_needs_verdicts_units_and_nearly_all_alike(told: Leaning, side: str | None) -> None:
    assert told.side == side


@pytest.mark.parametrize("told", [ALL_YES, ALL_NO, MIXED, Leaning(1, 3, 1), Leaning()])
def test_what_a_report_says_is_read_again(told: Leaning) -> None:
    assert from_details({"bias": told.details(False)}) == told
    assert from_details({"votes": 3}) == Leaning()
    assert from_details({"bias": "much"}) == Leaning()


@pytest.mark.parametrize(
    ("told", "shares", "rules", "doubt"),
    [
        (ALL_YES, [1.0, 1.0], ["supported", "doubtful"], "rules find 1 of 2 sentences borne out"),
        (ALL_YES, [1.0, 1.0], ["doubtful", "contradicted"], None),
        (ALL_YES, [1.0, 1.0], [], "and there is nothing to compare them with"),
        (ALL_YES, [0.4, 1.0], ["supported", "doubtful"], None),
        (ALL_NO, [0.0, 0.0], ["supported", "doubtful"], None),
        (ALL_NO, [0.0, 0.0], ["supported", "contradicted"], "1 of 2 sentences contradicted"),
        (ALL_NO, [0.0, 1.0], ["supported", "contradicted"], None),
        (ALL_NO, [0.0, None], ["supported", "contradicted"], None),
        (ALL_NO, [0.0] * 11, ["contradicted", *["supported"] * 10], None),
        (ALL_NO, [0.0] * 10, ["contradicted", *["supported"] * 9], "1 of 10 sentences"),
        (ALL_NO, [0.0, 0.0], [], None),
        (MIXED, [0.0, 1.0], ["contradicted", "supported"], None),
    ],
)
def test_one_message(
    told: Leaning, shares: Sequence[float | None], rules: Sequence[Verdict], doubt: str | None
) -> None:
    found = doubt_of_message(told, shares, rules)
    if doubt is None or found is None:
        assert found == doubt
        return
    assert doubt in found
    assert f"in {told.yes} of 40 verdicts" in found


@pytest.mark.parametrize(
    ("told", "right", "wrong", "suspect"),
    [
        (ALL_YES, 50, 50, True),
        (ALL_NO, 50, 50, True),
        (MIXED, 50, 50, False),
        (ALL_YES, 5, 95, False),
        (ALL_YES, 10, 90, True),
        (ALL_NO, 95, 5, False),
        (ALL_YES, 0, 100, False),
        (Leaning(5, 5, 1), 50, 50, False),
    ],
)
def test_a_benchmark(told: Leaning, right: int, wrong: int, suspect: bool) -> None:
    doubt = doubt_of_benchmark(told, right, wrong)
    assert (doubt is not None) == suspect
    if doubt is not None:
        assert f"{right} of {right + wrong} labels are right" in doubt


def test_rules_read_what_the_judge_read() -> None:
    case = Case(
        message=read("Ada was born in 1815. Ada died in 1860."),
        samples=(text_source("Ada died in 1860.", "sample", 1),),
        options={"role": "clerk"},
        threshold=0.9,
    )
    reference = text_source("Ada was born in 1815. Ada died in 1852.", "reference", 1)
    assert by_rules(case, [reference]) == ["supported", "contradicted"]
    assert by_rules(case, case.samples)[1] == "supported"
    assert by_rules(case, []) == []
