"""`issc` and `issc-cot`: each sentence held against each sample."""

from __future__ import annotations

from typing import Any

import pytest

from halubot import check
from halubot.models.panel import Panel
from halubot.report import Report
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import Scripted
from tests.judge import Asked, Judge

NAMES = ["issc", "issc-cot"]
TEXT = "Ada sang. Ada wrote. Ada slept."
SENTENCES = ["Ada sang.", "Ada wrote.", "Ada slept."]
SAMPLES = ["First.", "Second.", "Third.", "Fourth."]
SAID = {
    "First.": ["yes", "no", "no"],
    "Second.": ["yes", "no", "no"],
    "Third.": ["yes", "yes", "no"],
    "Fourth.": ["no", "no", "no"],
}
SCORES = [1 / 4, 3 / 4, 1.0]


def supported(sentence: str, source: str) -> str:
    return SAID[source][SENTENCES.index(sentence)]


def checked(judge: Scripted, name: str, text: str = TEXT, **options: Any) -> Report:
    model = ScriptedModel(judge)
    options.setdefault("samples", SAMPLES)
    return check(text, method=name, panel=Panel(answer=model, judge=model), **options)


@pytest.mark.parametrize(("as_published", "calls"), [(False, 4), (True, 12)])
@pytest.mark.parametrize("name", NAMES)
def test_by_hand(name: str, as_published: bool, calls: int) -> None:
    judge = Scripted(Judge(supported=supported))
    report = checked(judge, name, as_published=as_published, options={"role": "medical expert"})
    assert judge.prompts() == [name] * calls
    assert report.usage.calls == calls
    assert [sentence.score for sentence in report.sentences] == SCORES
    assert [sentence.rank for sentence in report.sentences] == SCORES
    verdicts = [sentence.verdict for sentence in report.sentences]
    assert verdicts == ["supported", "doubtful", "doubtful"]
    assert report.sentences[1].reason == "1 of 4 other answers support it"
    assert report.score == pytest.approx(sum(SCORES) / 3)
    assert report.details["votes"] == {
        f"s{number}": SAID[sample] for number, sample in enumerate(SAMPLES, 1)
    }
    told = [["it says so"] * 3] * 4
    assert [*report.details.get("reasons", {}).values()] == (told if name == "issc-cot" else [])
    asked_of = {tuple(asked.fields["sentences"].values()) for asked in judge.asked}
    assert asked_of == ({(one,) for one in SENTENCES} if as_published else {(*SENTENCES,)})
    assert {len(asked.canaries) for asked in judge.asked} == {0 if as_published else 1}


@pytest.mark.parametrize("as_published", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_of_no_use_leaves_the_mean_or_counts_half_as_published(
    name: str, as_published: bool
) -> None:
    def fails(asked: Asked) -> str | None:
        wanted = asked.fields["sentences"]
        if asked.fields["source"] != "First." or SENTENCES[1] not in wanted.values():
            return None
        more = '"reasons": "Hm.", ' if name == "issc-cot" else ""
        words = dict(zip(SENTENCES, ("yes", "perhaps", "no"), strict=True))
        said = {key: words[wanted[key]] if key in asked.own else "no" for key in asked.numbers}
        each = (f'"{key}": {{{more}"supported": "{word}"}}' for key, word in said.items())
        return f"{{{', '.join(each)}}}"

    judge = Scripted(Judge(supported=supported), fails=fails)
    report = checked(judge, name, as_published=as_published)
    second = (0.5 + 2) / 4 if as_published else 2 / 3
    assert [sentence.score for sentence in report.sentences] == [1 / 4, second, 1.0]
    assert report.details["votes"]["s1"] == ["yes", None, "no"]
    lost = "sample 1: 1 of 3 sentences were not judged"
    half = "1 of 12 verdicts are neither yes nor no"
    assert [p.what for p in report.problems] == [half if as_published else lost]
    # As published nothing is asked again.
    assert len(judge.asked) == (12 if as_published else 4 + 2)
