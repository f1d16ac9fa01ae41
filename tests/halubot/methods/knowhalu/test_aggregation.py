"""Two judgements become one: algorithm 1 of KnowHalu, and its quantiles, computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot.methods.knowhalu.aggregation import (
    CONCLUSIONS,
    FORMS,
    QUANTILES,
    Conclusion,
    Decision,
    Form,
    Known,
    Rule,
    average_accuracy,
    decide_whole,
    fit_quantiles,
    quantile,
)

RULE = Rule("text", 0.8, 0.9, "by hand")
RIGHT: Conclusion = "CORRECT"
WRONG: Conclusion = "INCORRECT"
OPEN: Conclusion = "INCONCLUSIVE"


def pair(
    text: tuple[Conclusion, float] | None, triplets: tuple[Conclusion, float] | None
) -> dict[Form, Decision]:
    found: dict[Form, Decision] = {}
    if text is not None:
        found["text"] = Decision(*text)
    if triplets is not None:
        found["triplets"] = Decision(*triplets)
    return found


@pytest.mark.parametrize(
    ("text", "triplets", "taken"),
    [
        pytest.param((OPEN, 0.99), (RIGHT, 0.3), "supplement", id="the base is inconclusive"),
        pytest.param((RIGHT, 0.7), (WRONG, 0.95), "supplement", id="unsure, and the other sure"),
        pytest.param((RIGHT, 0.8), (WRONG, 0.95), "base", id="not below d1"),
        pytest.param((RIGHT, 0.7), (WRONG, 0.9), "base", id="the other not above d2"),
        pytest.param((RIGHT, 0.7), (OPEN, 0.95), "supplement", id="as published, even if open"),
        pytest.param((WRONG, 0.99), (RIGHT, 0.99), "base", id="both sure"),
        pytest.param(None, (WRONG, 0.1), "supplement", id="no base"),
        pytest.param((WRONG, 0.1), None, "base", id="no supplement"),
        pytest.param(None, None, None, id="neither"),
    ],
)
def test_which_of_two_holds(
    text: tuple[Conclusion, float] | None,
    triplets: tuple[Conclusion, float] | None,
    taken: str | None,
) -> None:
    decisions = pair(text, triplets)
    assert RULE.choose_part(decisions) == taken
    held = {"base": text, "supplement": triplets, None: None}[taken]
    decided = RULE.decide(decisions)
    assert (decided and (decided.verdict, decided.confidence)) == held


SILENT = Decision(OPEN, 0.0, "no knowledge")


def test_a_form_without_knowledge_never_overrides() -> None:
    sure, unsure = Decision(WRONG, 0.99), Decision(RIGHT, 0.1)
    assert RULE.choose_part({"text": unsure, "triplets": SILENT}) == "base"
    assert RULE.choose_part({"text": unsure, "triplets": replace(SILENT, confidence=1.0)}) == "base"
    assert RULE.choose_part({"text": SILENT, "triplets": unsure}) == "supplement"
    assert RULE.choose_part({"text": SILENT, "triplets": SILENT}) == "supplement"
    assert RULE.decide({"text": SILENT, "triplets": sure}) == sure
    assert RULE.decide({"text": SILENT}) == SILENT


def test_the_base_can_be_the_triplets() -> None:
    rule = Rule("triplets", 0.8, 0.9, "by hand")
    decided = rule.decide(pair((WRONG, 0.95), (RIGHT, 0.7)))
    assert decided == Decision(WRONG, 0.95)


@pytest.mark.parametrize(
    ("verdict", "confidence", "score"),
    [(WRONG, 1.0, 1.0), (WRONG, 0.6, 0.8), (RIGHT, 0.6, 0.2), (RIGHT, 1.0, 0.0), (OPEN, 1.0, None)],
)
def test_scores(verdict: Conclusion, confidence: float, score: float | None) -> None:
    assert Decision(verdict, confidence).score == pytest.approx(score)


def test_what_a_document_leaves_open_is_wrong() -> None:
    assert Decision(OPEN, 0.7).as_closed == Decision(WRONG, 0.7)
    assert Decision(RIGHT, 0.7).as_closed == Decision(RIGHT, 0.7)
    assert SILENT.as_closed == Decision(WRONG, 0.5, "no knowledge")


@pytest.mark.parametrize(
    ("segments", "whole"),
    [
        ([(RIGHT, 0.9), (RIGHT, 0.7)], (RIGHT, 0.7)),
        ([(RIGHT, 0.9), (WRONG, 0.6), (WRONG, 0.8)], (WRONG, 0.8)),
        ([(OPEN, 0.9), None, (WRONG, 0.6)], (WRONG, 0.6)),
        ([(RIGHT, 0.9), (OPEN, 0.6)], (OPEN, 0.6)),
        ([(OPEN, 0.9), None], None),
    ],
)
def test_one_bad_segment_condemns_the_whole(
    segments: list[tuple[Conclusion, float] | None], whole: tuple[Conclusion, float] | None
) -> None:
    decided = decide_whole([Decision(*one) if one else None for one in segments])
    assert decided == (Decision(*whole) if whole else None)


def test_quantiles_lie_between_neighbours() -> None:
    values = (0.99, 0.6, 0.95, 0.9)
    assert quantile(values, 0.05) == pytest.approx(0.6 + 0.15 * 0.3)
    assert quantile(values, 0.5) == pytest.approx(0.925)
    assert quantile(values, 0.95) == pytest.approx(0.95 + 0.85 * 0.04)
    assert quantile([0.7], 0.35) == 0.7
    assert QUANTILES[0] == 0.05
    assert QUANTILES[-1] == 0.95
    assert len(QUANTILES) == 19


def test_average_accuracy_is_the_mean_of_both_shares() -> None:
    decided = [
        (Decision(WRONG, 1.0), True),
        (Decision(OPEN, 1.0), True),
        (None, True),
        (Decision(RIGHT, 1.0), False),
    ]
    assert average_accuracy(decided) == pytest.approx((1 / 3 + 1) / 2)
    assert average_accuracy(decided[:3]) == pytest.approx(1 / 3)
    assert average_accuracy([]) == 0.0


def test_fitting_takes_the_lowest_quantiles_that_are_best() -> None:
    # By text 1 of 2 wrong ones and both right ones are found: 0.75; by triplets half of each.
    # Text is as sure as .60, .90, .95, .99, triplets as .50, .70, .80, .97. At 0.05, 0.15 of the
    # way from the first to the second, only the second text is below d1, and made right.
    cases = [
        Known([pair((WRONG, 0.99), (RIGHT, 0.70))], wrong=True),
        Known([pair((RIGHT, 0.60), (WRONG, 0.97))], wrong=True),
        Known([pair((RIGHT, 0.95), (WRONG, 0.50))], wrong=False),
        Known([pair((RIGHT, 0.90), (RIGHT, 0.80))], wrong=False),
    ]
    fitted = fit_quantiles(cases, "four texts")
    assert (fitted.rule.base, fitted.q1, fitted.q2, fitted.accuracy) == ("text", 0.05, 0.05, 1.0)
    assert fitted.rule.d1 == pytest.approx(0.645)
    assert fitted.rule.d2 == pytest.approx(0.53)
    assert fitted.rule.fitted_on == "four texts"


def test_fitting_goes_up_until_the_unsure_are_told_apart() -> None:
    # Both forms find 3 of 4, so text is the base. It is as sure as .50, .55, .90, .90: its mistake
    # (.55) is below d1 only from 0.35 on, 1.05 steps: .55 + .05 * .35. There d2 is .70 + .05 * .10.
    cases = [
        Known([pair((RIGHT, 0.55), (WRONG, 0.90))], wrong=True),
        Known([pair((RIGHT, 0.50), (WRONG, 0.60))], wrong=False),
        Known([pair((WRONG, 0.90), (WRONG, 0.80))], wrong=True),
        Known([pair((RIGHT, 0.90), (RIGHT, 0.70))], wrong=False),
    ]
    fitted = fit_quantiles(cases, "four texts")
    assert (fitted.rule.base, fitted.q1, fitted.q2, fitted.accuracy) == ("text", 0.35, 0.35, 1.0)
    assert fitted.rule.d1 == pytest.approx(0.5675)
    assert fitted.rule.d2 == pytest.approx(0.705)


def test_what_abstains_stays_out_of_the_quantiles() -> None:
    cases = [
        Known([pair((RIGHT, 0.55), (WRONG, 0.90))], wrong=True),
        Known([pair((RIGHT, 0.50), (WRONG, 0.60))], wrong=False),
        Known([pair((WRONG, 0.90), (WRONG, 0.80))], wrong=True),
        Known([pair((RIGHT, 0.90), (RIGHT, 0.70))], wrong=False),
    ]
    more = [Known([{**pair((RIGHT, 0.90), None), "triplets": SILENT}], wrong=False)] * 2
    fitted = fit_quantiles([*cases, *more], "six texts")
    # Text is as sure as .50, .55, .90 four times, triplets as .60, .70, .80, .90 alone.
    assert fitted.rule.d2 == pytest.approx(quantile((0.6, 0.7, 0.8, 0.9), fitted.q2))
    lone = [Known([{**pair((RIGHT, 0.90), None), "triplets": SILENT}], wrong=False)]
    with pytest.raises(ValueError, match="nothing was decided by triplets"):
        fit_quantiles(lone, "one text")


def test_the_better_form_is_the_base() -> None:
    cases = [
        Known([pair((RIGHT, 0.9), (WRONG, 0.9))], wrong=True),
        Known([pair((RIGHT, 0.8), (RIGHT, 0.8))], wrong=False),
    ]
    assert fit_quantiles(cases, "two texts").rule.base == "triplets"


def test_of_summaries_the_whole_counts() -> None:
    # By text the first is condemned by its second segment, by triplets both are right. The one
    # mistake of text (.60) is the least sure of .60, .90, .90, .90: below d1 from 0.05 on.
    cases = [
        Known(
            [pair((RIGHT, 0.90), (RIGHT, 0.50)), pair((WRONG, 0.60), (RIGHT, 0.90))], wrong=False
        ),
        Known([pair((RIGHT, 0.90), (RIGHT, 0.50)), pair((WRONG, 0.90), (RIGHT, 0.90))], wrong=True),
    ]
    fitted = fit_quantiles(cases, "two summaries")
    assert (fitted.rule.base, fitted.q1, fitted.q2, fitted.accuracy) == ("text", 0.05, 0.05, 1.0)
    assert fitted.rule.d1 == pytest.approx(0.6 + 0.15 * 0.3)
    assert fitted.rule.d2 == pytest.approx(0.5)


def test_there_is_nothing_to_fit_without_decisions() -> None:
    with pytest.raises(ValueError, match="nothing was decided by triplets"):
        fit_quantiles([Known([pair((RIGHT, 0.9), None)], wrong=False)], "one text")


# Plain implementations, written from the paper.

CONFIDENCES = st.sampled_from([0.0, 0.2, 0.5, 0.6, 0.9, 0.95, 0.99, 1.0])
VERDICTS: st.SearchStrategy[Conclusion] = st.sampled_from(CONCLUSIONS)
JUDGEMENTS = st.tuples(VERDICTS, CONFIDENCES)


def algorithm_1(
    base: tuple[Conclusion, float], supplement: tuple[Conclusion, float], d1: float, d2: float
) -> tuple[Conclusion, float]:
    """Algorithm 1, line by line."""
    if base[0] == "INCONCLUSIVE":
        return supplement
    if base[1] < d1 and supplement[1] > d2:
        return supplement
    return base


@given(JUDGEMENTS, JUDGEMENTS, CONFIDENCES, CONFIDENCES, st.sampled_from(FORMS))
def test_it_is_algorithm_1(
    text: tuple[Conclusion, float],
    triplets: tuple[Conclusion, float],
    d1: float,
    d2: float,
    base: Form,
) -> None:
    decided = Rule(base, d1, d2, "").decide(pair(text, triplets))
    first, second = (text, triplets) if base == "text" else (triplets, text)
    assert decided is not None
    assert (decided.verdict, decided.confidence) == algorithm_1(first, second, d1, d2)


def accuracy(said: Sequence[str], wrong: Sequence[bool]) -> float:
    """Avg Acc: the mean of TPR and TNR (4.1); of one where a class is missing."""
    rates = [
        np.mean([one == right for one, truth in zip(said, wrong, strict=True) if truth is kind])
        for kind, right in ((True, "INCORRECT"), (False, "CORRECT"))
        if kind in wrong
    ]
    return float(np.mean(rates))


def appendix_e3(
    answers: Sequence[tuple[tuple[Conclusion, float], tuple[Conclusion, float]]],
    wrong: Sequence[bool],
) -> tuple[str, float, float, float]:
    """The base, d1, d2 and the average accuracy, by trying all quantiles (E.3)."""
    columns = [[text for text, _ in answers], [triplets for _, triplets in answers]]
    alone = [accuracy([verdict for verdict, _ in column], wrong) for column in columns]
    base = 1 if alone[1] > alone[0] else 0
    first, second = columns[base], columns[1 - base]
    best: tuple[float, float, float] | None = None
    for q1 in range(1, 20):
        for q2 in range(q1, 20):
            # Not numpy's: in the last place it rounds otherwise, where a comparison may turn.
            d1 = quantile([sure for _, sure in first], q1 / 20)
            d2 = quantile([sure for _, sure in second], q2 / 20)
            pairs = zip(first, second, strict=True)
            said = [algorithm_1(one, other, d1, d2)[0] for one, other in pairs]
            right = accuracy(said, wrong)
            if best is None or right > best[2] + 1e-12:
                best = d1, d2, right
    assert best is not None
    return FORMS[base], *best


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(JUDGEMENTS, JUDGEMENTS, st.booleans()), min_size=1, max_size=8))
def test_the_fit_is_that_of_appendix_e3(
    told: list[tuple[tuple[Conclusion, float], tuple[Conclusion, float], bool]],
) -> None:
    wrong = [one[2] for one in told]
    cases = [Known([pair(text, triplets)], wrong=kind) for text, triplets, kind in told]
    fitted = fit_quantiles(cases, "some texts")
    base, d1, d2, right = appendix_e3([(text, triplets) for text, triplets, _ in told], wrong)
    assert fitted.rule.base == base
    assert fitted.accuracy == pytest.approx(right)
    assert [fitted.rule.d1, fitted.rule.d2] == pytest.approx([d1, d2])


@given(st.lists(CONFIDENCES, min_size=1, max_size=9), st.integers(0, 20))
def test_quantiles_are_those_of_numpy(values: list[float], step: int) -> None:
    assert quantile(values, step / 20) == pytest.approx(float(np.quantile(values, step / 20)))


@given(st.lists(JUDGEMENTS, min_size=1, max_size=6))
def test_a_summary_is_wrong_if_any_segment_is(segments: list[tuple[Conclusion, float]]) -> None:
    decided = decide_whole([Decision(*one).as_closed for one in segments])
    verdicts = {verdict for verdict, _ in segments}
    assert decided is not None
    assert (decided.verdict == "INCORRECT") == bool(verdicts & {"INCORRECT", "INCONCLUSIVE"})
