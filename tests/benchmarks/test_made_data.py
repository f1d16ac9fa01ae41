"""The figures of the match of triples."""

from __future__ import annotations

import json
from pathlib import Path

from halubot.report import Triple


def test_frequencies_rank_what_other_answers_hold() -> None:
    from benchmarks.triples import Labelled, frequencies  # scikit-learn takes seconds

    held = Labelled(Triple("The bridge", "was opened in", "1931"), True)
    alone = Labelled(Triple("The bridge", "was designed by", "Bo Lind"), False)
    for way in ("exact", "fuzzy", None):
        units = list(frequencies([[[held, alone], [held], [held]]], way))
        assert [unit.wrong for unit in units] == [False, True, False, False]
        scores = [unit.score or 0.0 for unit in units]
        assert scores[0] < 0.01
        assert scores[1] > 0.3


def test_pairs_are_counted(tmp_path: Path) -> None:
    from benchmarks.triples import DEVELOPMENT, TESTS, precision_and_recall

    same, other = ["Ada", "was born in", "Ulm"], ["Ada", "was born in", "Bern"]
    path = tmp_path / "pairs.jsonl"
    pairs = [{"same": True, "a": same, "b": same}, {"same": True, "a": same, "b": other}]
    path.write_text("".join(json.dumps(one) + "\n" for one in pairs))
    assert precision_and_recall(path, "exact") == (1.0, 0.5)
    assert all(path.is_file() for path in (*DEVELOPMENT.values(), *TESTS.values()))
