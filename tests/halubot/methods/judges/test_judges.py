"""`bcv`, `bcv-cot` and `sca`: what the judge is asked, and the report that its words make."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from halubot import check
from halubot.methods.judges import Jury, Reading, SentenceWord
from halubot.models.model import Request
from halubot.models.model_errors import ContextTooLongError
from halubot.models.panel import Panel
from halubot.report import Report
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import heard
from tests.judge import Asked, Judge

CONTEXT = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."
TEXT = "Ada Lovelace was born in 1816. She wrote notes on the Analytical Engine."
WHOLE = ["bcv", "bcv-cot"]
ALL = [*WHOLE, "sca"]

Answering = Callable[[Asked, int], "str | Exception | None"]
"""What is answered to a request in the repeat of that number; None for what the judge says."""


class Bench:
    """A judge whose words a test dictates by repeat, and what it was asked."""

    def __init__(self, answer: Answering = lambda asked, repeat: None, **judge: Any) -> None:
        self.judge = Judge(**judge)
        self.asked: list[Asked] = []
        self._answer = answer
        self.model = ScriptedModel(self._said)

    def _said(self, request: Request) -> str | Exception:
        asked = heard(request)
        self.asked.append(asked)
        said = self._answer(asked, request.first // 3)
        return self.judge(request) if said is None else said

    def check(self, method: str, text: str = TEXT, **options: Any) -> Report:
        options.setdefault("references", [CONTEXT])
        panel = Panel(answer=self.model, judge=self.model)
        return check(text, method=method, panel=panel, **options)


def verdict(word: str, **more: Any) -> str:
    """The answer that `bcv` asks for; ``reasons`` first, where there are any."""
    return json.dumps({**more, "hallucination": word})


def by_repeat(*answers: str | None) -> Answering:
    """Each repeat is answered so, whatever is asked again."""
    return lambda asked, repeat: answers[repeat]


def sentences_of(report: Report) -> list[tuple[float | None, str]]:
    return [(sentence.score, sentence.verdict) for sentence in report.sentences]


@pytest.mark.parametrize("name", ALL)
def test_five_repeats_at_once_by_the_same_prompt(name: str) -> None:
    bench = Bench()
    report = bench.check(name, question="Who was Ada?", options={"role": " medical expert "})
    assert report.usage.calls == 5
    assert [asked.prompt for asked in bench.asked] == [name] * 5
    assert [request.first for request in bench.model.requests] == [0, 3, 6, 9, 12]
    assert {request.temperature for request in bench.model.requests} == {1.0}
    fields = bench.asked[0].fields
    assert fields["context"] == CONTEXT
    assert fields["question"] == "Who was Ada?"
    assert fields["answer"] == TEXT
    user = bench.model.messages[0][1].content
    assert user.startswith("Judge in this role: medical expert\n")
    assert report.prompts.keys() == {name}
    assert report.facts == ()
    assert report.models.judge == "scripted"


@pytest.mark.parametrize("name", WHOLE)
def test_the_score_is_the_share_of_repeats(name: str) -> None:
    more = {"reasons": "Hm."} if name == "bcv-cot" else {}
    said = [verdict(word, **more) for word in ("yes", "no", "yes", "no", "no")]
    report = Bench(by_repeat(*said)).check(name)
    assert report.score == pytest.approx(2 / 5)
    assert sentences_of(report) == [(0.4, "supported")] * 2
    assert [sentence.rank for sentence in report.sentences] == [0.4, 0.4]
    assert report.label == "NO HALLUCINATION FOUND"
    assert report.details["votes"] == {"yes": 2, "no": 3, "lost": 0}
    assert report.details["verdicts"] == ["yes", "no", "yes", "no", "no"]
    assert report.details.get("reasons") == (["Hm."] * 5 if more else None)
    assert not report.problems
    report = Bench(by_repeat(*said)).check(name, threshold=0.4)
    assert report.label == "CONTAINS HALLUCINATION"
    assert sentences_of(report) == [(0.4, "doubtful")] * 2


@pytest.mark.parametrize("name", WHOLE)
def test_a_repeat_that_is_no_use_is_asked_again_and_then_left_out(name: str) -> None:
    more = {"reasons": "Hm."} if name == "bcv-cot" else {}
    yes, no = verdict("yes", **more), verdict("no", **more)
    said = by_repeat(yes, "Yes, it does.", no, no, yes)
    bench = Bench(said)
    report = bench.check(name)
    assert bench.model.calls == 4 + 3
    assert report.score == 2 / 4
    assert report.details["votes"] == {"yes": 2, "no": 2, "lost": 1}
    assert report.details["verdicts"][1] is None
    (problem,) = report.problems
    assert problem.what == "1 of 5 repeats brought no verdict"
    assert Bench(said).check(name, as_published=True).score == (1 + 0.5 + 0 + 0 + 1) / 5
    # What is asked again meets no other repeat.
    firsts = [request.first for request in bench.model.requests]
    assert len(set(firsts)) == len(firsts)


def said_of(
    words: dict[str, str], *, question: str = "yes", last: str | None = None, passage: str = ""
) -> dict[str, Any]:
    """The answer that `sca` asks for."""
    each = {
        key: {"passage": passage, "hallucinated": word, "why": f"{word} it is"}
        for key, word in words.items()
    }
    whole = last or ("yes" if "yes" in words.values() else "no")
    return {**each, "answers_question": question, "hallucination": whole}


def test_sentence_by_sentence() -> None:
    quote = "in 1815 in London"
    answers = [
        said_of({"0": "yes", "1": "no"}, passage=quote),
        said_of({"0": "no", "1": "no"}, passage=quote),
        said_of({"0": "yes", "1": "no"}, passage="in 1816 in London"),
    ]
    bench = Bench(by_repeat(*map(json.dumps, answers)))
    report = bench.check("sca", options={"repeats": 3})
    assert sentences_of(report) == [(2 / 3, "doubtful"), (0.0, "supported")]
    reason = "called hallucinated in 2 of 3 repeats: yes it is"
    assert report.sentences[0].reason == reason
    assert report.score == 2 / 3
    assert report.label == "CONTAINS HALLUCINATION"
    first, _, third = report.details["steps"]
    place = first["sentences"]["0"]
    assert place["source"] == "r1"
    assert CONTEXT[place["start"] : place["end"]] == quote
    assert third["sentences"]["0"]["source"] is None
    assert bench.asked[0].fields["sentences"] == {
        "0": "Ada Lovelace was born in 1816.",
        "1": "She wrote notes on the Analytical Engine.",
    }
    schema = bench.model.requests[0].schema
    assert schema is not None
    assert schema.value["required"] == ["0", "1", "answers_question", "hallucination"]


def test_a_sentence_that_is_missing_is_asked_for_again_and_then_not_checked() -> None:
    def answer(asked: Asked, repeat: int) -> str | None:
        return json.dumps(said_of({"0": "yes"}))

    bench = Bench(answer)
    report = bench.check("sca", options={"repeats": 2})
    assert sorted(asked.numbers for asked in bench.asked) == [*[["0", "1"]] * 2, *[["1"]] * 4]
    assert sentences_of(report) == [(1.0, "doubtful"), (None, "not_checked")]
    assert report.sentences[1].reason
    assert report.label == "CONTAINS HALLUCINATION"


@pytest.mark.parametrize("method", ["bcv", "bcv-cot", "sca"])
def test_a_huge_reference_is_shown_whole_unless_windows_are_asked_for(method: str) -> None:
    filler = " ".join(f"Paragraph {n} tells of wool and salt." for n in range(3000))
    reference = f"{filler} {CONTEXT} {filler}"
    bench = Bench()
    report = bench.check(method, references=[reference])
    assert bench.asked[0].fields["context"] == reference
    assert report.details["context"] == {"shown": len(reference), "of": len(reference)}
    assert not report.problems

    bench = Bench()
    report = bench.check(method, references=[reference], options={"windows": 2})
    shown = bench.asked[0].fields["context"]
    assert CONTEXT in shown
    assert len(shown) <= 48_000
    assert report.details["context"]["of"] == len(reference)
    (problem,) = report.problems
    assert problem.what == "the references were read in part"
    assert problem.why.startswith(f"of {len(reference):,} characters ")


def test_what_does_not_fit_the_model_is_cut() -> None:
    filler = " ".join(f"Paragraph {n} tells of wool and salt." for n in range(300))
    longest = 4000

    def answer(asked: Asked, repeat: int) -> Exception | None:
        long = sum(len(str(field)) for field in asked.fields.values()) > longest
        error = ContextTooLongError("too long", "shorten it", model="m", endpoint="e")
        return error if long else None

    bench = Bench(answer)
    report = bench.check("bcv", references=[f"{filler} {CONTEXT}"], options={"repeats": 2})
    assert bench.model.calls == 2 * 2
    assert report.score == 1.0
    assert [problem.what for problem in report.problems] == ["the references were read in part"]
    assert CONTEXT in bench.asked[-1].fields["context"]

    longest = 60
    report = Bench(answer).check("sca", references=["Short."], options={"repeats": 2})
    assert len(report.sentences) == 2
    assert {sentence.verdict for sentence in report.sentences} == {"not_checked"}
    longest = 150
    report = Bench(answer).check("sca", references=["Short."], options={"repeats": 2})
    assert sentences_of(report) == [(1.0, "doubtful")] * 2


def word(hallucinated: bool, passage: str = "", why: str = "so") -> SentenceWord:
    return SentenceWord(passage=passage, hallucinated="yes" if hallucinated else "no", why=why)


def sca(
    *repeats: tuple[Mapping[int, bool], bool | None],
    sentences: int = 3,
    on_question: bool | None = True,
    as_published: bool = False,
) -> Jury:
    """What each repeat said of the sentences, and its last word."""
    readings = [
        Reading(
            last,
            "" if last is not None else "no closing",
            sentences={index: word(said) for index, said in words.items()},
            missing={i: "left out" for i in range(sentences) if i not in words},
            on_question=on_question,
        )
        for words, last in repeats
    ]
    return Jury(
        sentences,
        readings,
        {},
        by_sentence=True,
        as_published=as_published,
    )


def scores(jury: Jury, threshold: float = 0.5) -> list[float | None]:
    return [sentence.score for sentence in jury.sentences(threshold)]


def verdicts(jury: Jury, threshold: float = 0.5) -> list[str]:
    return [sentence.verdict for sentence in jury.sentences(threshold)]


@pytest.mark.parametrize(
    ("words", "on_question", "last", "ours", "published"),
    [
        ({0: False}, True, False, False, False),
        ({0: False}, True, True, True, True),
        ({0: True}, True, False, True, False),
        ({0: False}, False, False, True, False),
        ({0: True}, None, None, True, None),
        ({0: False}, None, None, None, None),
    ],
)
def test_judges_forget_in_their_last_word_what_they_said(
    words: dict[int, bool],
    on_question: bool | None,
    last: bool | None,
    ours: bool | None,
    published: bool | None,
) -> None:
    def jury(as_published: bool) -> Jury:
        return sca((words, last), sentences=1, on_question=on_question, as_published=as_published)

    assert jury(False).verdicts == [ours]
    assert jury(True).verdicts == [published]
