"""`--fail-on`: the mildest finding that ends a check with a status other than 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot.cli.check_run import status
from halubot.options import FailOn
from halubot.report import Fact, Report, Sentence, Threshold, Triple, Verdict
from tests.halubot.cli.calling import Halubot

STATUS: dict[FailOn, dict[Verdict, int]] = {
    "not-checked": {"supported": 0, "not_checked": 3, "doubtful": 1, "contradicted": 1},
    "doubtful": {"supported": 0, "not_checked": 0, "doubtful": 1, "contradicted": 1},
    "contradicted": {"supported": 0, "not_checked": 0, "doubtful": 0, "contradicted": 1},
}


def report(*facts: Verdict, sentence: Verdict = "supported") -> Report:
    return Report(
        text="Ada wrote.",
        method="consensus",
        engine="0",
        threshold=Threshold(value=0.5),
        sentences=(Sentence(index=0, start=0, end=10, verdict=sentence),),
        facts=tuple(
            Fact(
                index=index,
                triple=Triple("Ada", "wrote", ""),
                sentences=(0,),
                spans=((0, 9),),
                verdict=verdict,
                reason="a test",
            )
            for index, verdict in enumerate(facts)
        ),
    )


@pytest.mark.parametrize("fail_on", STATUS)
@pytest.mark.parametrize("verdict", ["supported", "not_checked", "doubtful", "contradicted"])
def test_the_status_of_each_verdict(fail_on: FailOn, verdict: Verdict) -> None:
    wanted = STATUS[fail_on][verdict]
    assert status(report(verdict), fail_on) == wanted
    assert status(report("supported", verdict, "supported"), fail_on) == wanted
    assert status(report(sentence=verdict), fail_on) == wanted


@pytest.mark.parametrize("command", ["check", "correct"])
def test_the_option_decides_the_exit_status(halubot: Halubot, files: Path, command: str) -> None:
    assert halubot(command, "wrong.txt").status == 3
    for fail_on in ("doubtful", "contradicted"):
        assert halubot(command, "wrong.txt", "--fail-on", fail_on).status == 0
        wrong = (command, "wrong.txt", "--reference", "reference.md", "--fail-on", fail_on)
        assert halubot(*wrong).status == 1


def test_the_variable_and_what_is_no_finding(
    halubot: Halubot, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALUBOT_FAIL_ON", "doubtful")
    assert halubot("check", "right.txt").status == 0
    assert halubot("check", "right.txt", "--fail-on", "not-checked").status == 3
    ended = halubot("check", "right.txt", "--fail-on", "supported")
    assert ended.status == 2
    assert "--fail-on" in ended.err
