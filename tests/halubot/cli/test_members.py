"""`--members` on the command line: check, dry run, benchmark, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.halubot.cli.calling import RIGHT, Halubot
from tests.judge import Judge

ENSEMBLE = ("--method", "ensemble", "--set")
NO_MODEL = (*ENSEMBLE, "members=consensus,selfcheck-ngram")
SAMPLES = ("--samples", "samples.jsonl")


def test_an_ensemble_needs_no_model_where_its_members_need_none(
    halubot: Halubot, files: Path
) -> None:
    ended = halubot("check", "wrong.txt", *SAMPLES, *NO_MODEL, "--format", "json")
    assert (ended.status, ended.err) == (1, "")
    report = json.loads(ended.out)
    rows = report["details"]["contributions"]
    assert len(rows) == len(report["facts"])
    assert [set(row) for row in rows] == [{"consensus", "selfcheck-ngram"}] * len(rows)
    assert "log-odds: consensus" in halubot(
        "check", "wrong.txt", *SAMPLES, *NO_MODEL, "--verbose"
    ).out.replace("\n    ", " ")


def test_it_says_who_could_take_no_part(halubot: Halubot, files: Path) -> None:
    ended = halubot("check", "wrong.txt", *SAMPLES, *ENSEMBLE, "members=consensus,triplet-check")
    assert ended.status == 1
    assert "triplet-check took no part" in ended.out


def test_a_dry_run_counts_what_all_members_take(
    halubot: Halubot, files: Path, judge: Judge
) -> None:
    others = (json.dumps(f"{RIGHT} So says book {n}.") for n in range(3))
    (files / "samples.jsonl").write_text("\n".join(others))
    asking = (*SAMPLES, *ENSEMBLE, "members=consensus,fsc-text,bcv", "--model", "openai/x")
    ended = halubot("check", "wrong.txt", *asking, "--dry-run", "--format", "json")
    assert ended.status == 0
    assert judge.asked == []
    planned = json.loads(ended.out)["calls"]
    report = json.loads(halubot("check", "wrong.txt", *asking, "--format", "json").out)
    assert report["usage"]["calls"] == len(judge.asked) == planned


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--set", "members=consensus"), "members is a setting of ensemble"),
        ((*ENSEMBLE, "members=consensus,nope"), "there is no method 'nope'"),
        ((*ENSEMBLE, "members=ensemble"), "cannot be a member of itself"),
        ((*NO_MODEL, "--as-published", "--model", "openai/x"), "ensemble makes none"),
    ],
)
def test_what_cannot_be_is_refused(
    halubot: Halubot, files: Path, judge: Judge, options: tuple[str, ...], told: str
) -> None:
    ended = halubot("check", "wrong.txt", *SAMPLES, *options)
    assert ended.status == 2
    assert told in ended.err
    assert judge.asked == []
