"""The script with which anybody measures a model of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.volunteer import main
from tests import tiny_encoders

tiny_encoders.require()


@pytest.mark.slow
def test_a_judge_on_this_machine_has_its_table(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path / "tiny", {"": {"neutral": 1.0}})
    ended = CliRunner().invoke(main, ["--judge", f"nli:{folder}", "--limit", "2"])
    assert ended.exit_code == 0, ended.output
    table = [line for line in ended.output.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 6 for line in table)
    heads = [line.split("|")[1].strip() for line in table if line.split("|")[1].strip()]
    assert heads[2:] == ["sentence pairs", *(f"everyday messages {n}, reference" for n in (1, 2))]
    assert "judge: nli:tiny, model.onnx, SHA-256 " in ended.output
    assert "0 calls" in ended.output


def test_what_is_measured_is_named() -> None:
    for args in ([], ["--judge", "nli:x", "--model", "openai/x"]):
        ended = CliRunner().invoke(main, args)
        assert ended.exit_code == 1
        assert "only one of them" in ended.output
    ended = CliRunner().invoke(main, ["--judge", "nli:nobody"])
    assert "halubot models pull nobody" in ended.output
    assert "|" not in ended.output
