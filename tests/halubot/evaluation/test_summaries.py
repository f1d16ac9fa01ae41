"""Summaries beside their source: ordered by rank and by score, decided in halves, and counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from halubot.errors import BrokenLineError
from halubot.evaluation import measures, summaries
from halubot.evaluation.checked import Judged, JudgedFact, JudgedSentence, Scored
from halubot.evaluation.plan import Plan
from halubot.evaluation.rows import Row, read_rows
from halubot.evaluation.runner import run
from halubot.evaluation.summaries import SUMMARIES
from halubot.report import Verdict

QAGS = SUMMARIES[0]


def message(
    wrong: bool,
    score: float,
    rank: float | None = None,
    *,
    verdict: Verdict = "supported",
    group: str = "",
    domain: str = "news",
) -> Scored:
    row = Row("1", "x", (float(wrong),), group, strata={"domain": domain})
    judged = Judged((JudgedFact(((0, 1),), (0,), verdict),), (JudgedSentence((0, 1), verdict),))
    return Scored(row, score, score if rank is None else rank, judged=judged)


def figures(*rows: Scored, threshold: float | None = None) -> dict[str, float | None]:
    found = measures.of_dataset("qags", rows, threshold)
    return {name: metric.value for name, metric in found.items()}


def test_messages_by_rank_and_by_score() -> None:
    found = figures(message(True, 0.2, 0.9), message(False, 0.4, 0.1))
    assert (found["auroc"], found["auroc_score"]) == (1, 0)


def test_domains_apart() -> None:
    rows = [
        message(True, 0.9),
        message(False, 0.1),
        message(True, 0.1, domain="xsum"),
        message(False, 0.9, domain="xsum"),
    ]
    found = figures(*rows)
    assert (found["auroc: domain news"], found["auroc: domain xsum"]) == (1, 0)
    assert found["auroc"] == 0.5
    decided = figures(*rows, threshold=0.5)
    assert decided["balanced_accuracy_score: domain news"] == 1
    assert decided["balanced_accuracy_score: domain xsum"] == 0


def test_each_half_of_the_groups_is_decided_by_the_other() -> None:
    rows = [
        message(True, 0.8, group="a"),
        message(True, 0.6, group="b"),
        message(False, 0.3, group="c"),
        message(False, 0.1, group="d"),
    ]
    found = figures(*rows)
    # From 0.8 on, as b and d of the one half ask, a is doubted; from 0.6 on b is not: 0.6 < 0.8.
    assert found["balanced_accuracy"] == found["balanced_accuracy_score"] == 0.75
    assert figures(*rows[:2])["balanced_accuracy"] is None


def test_a_given_threshold_decides_scores_alone() -> None:
    rows = [message(True, 0.4, group="a"), message(False, 0.1, group="b")]
    found = figures(*rows, threshold=0.5)
    assert found["balanced_accuracy_score"] == 0.5
    assert found["balanced_accuracy"] is None


def test_the_worst_verdict_of_a_message_is_counted() -> None:
    rows = [
        message(True, 0.5, verdict="contradicted"),
        message(True, 0.5, verdict="not_checked"),
        message(False, 0.5, verdict="doubtful"),
        message(False, 0.5),
        message(False, 0.5),
        message(False, 0.5),
    ]
    found = figures(*rows)
    assert (found["contradicted_wrong"], found["unmarked_wrong"]) == (0.5, 0.5)
    assert (found["doubtful_right"], found["unmarked_right"]) == (0.25, 0.75)
    assert list(summaries.count_verdicts(rows)) == [
        "4 right messages: 0 contradicted, 1 doubtful, 3 unmarked",
        "2 wrong messages: 1 contradicted, 0 doubtful, 1 unmarked",
    ]


def test_from_the_file_to_the_figures_beside_the_baselines(tmp_path: Path) -> None:
    path = tmp_path / "qags.jsonl"
    source = "Ada was born in London in 1815. She wrote notes on the engine of Babbage."
    texts = {"She wrote notes on the engine.": "right", "Ada was born in 1816.": "hallucinated"}
    lines = [
        {"group": str(i), "domain": "cnndm", "text": text, "references": [source], "label": label}
        for i, (text, label) in enumerate(texts.items())
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    result = run(Plan("qags", path, "consensus"))
    assert result.metrics["contradicted_wrong"] == 1
    assert "1 wrong messages: 1 contradicted, 0 doubtful, 0 unmarked" in result.notes
    assert "threshold of each half of the groups found on the other half" in result.notes
    found = result.to_dict()["baselines"]
    assert found["unseen_bigrams"]["metrics"]["auroc: domain cnndm"] == 1
    assert "doubtful_wrong" not in found["unseen_bigrams"]["metrics"]
    assert set(found["unseen_values"]["metrics"]) == set(found["unseen_values"]["intervals"])


def test_a_summary_without_a_domain_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "qags.jsonl"
    path.write_text(json.dumps({"text": "x", "label": "right"}), encoding="utf-8")
    with pytest.raises(BrokenLineError, match="qags needs a field 'domain'"):
        read_rows(QAGS, path)
