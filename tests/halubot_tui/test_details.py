"""What methods tell of their own, in the inspector's words."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot import check
from halubot.report import Report, Threshold
from halubot.testing import ScriptedModel
from halubot_tui.inspecting.details import message_details
from halubot_tui.inspecting.drawing import strip_marks
from halubot_tui.looks import Signs
from halubot_tui.turns import Inputs, Turn
from tests.judge import Judge
from tests.knowing import Knowing

QUESTION = "When was the Kellan Bridge opened?"
TEXT = "The Kellan Bridge was opened in 1931. It links Osby and Varn."
RIGHT = "The Kellan Bridge was opened in 1931. The Kellan Bridge links Osby and Varn."
WRONG = RIGHT.replace("1931", "1932")


def told(
    report: Report, entry: int | None = 0, width: int = 300, signs: Signs | None = None
) -> str:
    """The details of a report, what concerns one of its entries first."""
    turn = Turn("t", Inputs(kind="check", text=report.text), state="done")
    turn.recall(report)
    chosen = turn.entries[entry] if entry is not None and turn.entries else None
    return message_details(turn, chosen, width, signs or Signs()).plain


def by(method: str, judge: Judge | None = None, **options: Any) -> Report:
    model = ScriptedModel(judge or Judge())
    return check(TEXT, question=QUESTION, method=method, model=model, **options)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the *Analytical Engine*.", "the Analytical Engine."),
        ("It is **512** metres `long`, once.", "It is 512 metres long, once."),
        ("It was [opened in 1932](https://example.org/dorn).", "It was opened in 1932."),
        ("- **Notes**|1843", "Notes|1843"),
        ("one<br>*two*", "one two"),
        ("2 * 3 * 4", "2 * 3 * 4"),
    ],
)
def test_marks_of_markdown_leave_no_gap(text: str, words: str) -> None:
    assert strip_marks(text) == words


def test_knowhalu_tells_each_query_its_finding_its_passage_and_both_judgements() -> None:
    asked = ("opened in 1931", "Kellan Bridge opened in 1931?", "When was it opened?")
    knowing = Knowing(queries=lambda text: [asked], finding=lambda query, passages: "contradicts")
    said = told(by("knowhalu", Judge(knowing=knowing), references=[WRONG]))
    looked_up = said.index("What was looked up")
    assert "INCORRECT\nWhat was found speaks against it." in said
    assert said.index("1. Kellan Bridge opened in 1931?") > looked_up
    assert "of “opened in 1931”" in said
    assert "✗ contradicts: " in said
    assert f"“{WRONG}” reference 1" in said
    assert "by text: INCORRECT, confidence" in said
    assert "by triplets: INCORRECT, confidence" in said
    assert "Does it answer its question?" in said


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("OFF-TARGET", "It does not answer its question"),
        ("INCONCLUSIVE", "decides neither for it nor against it"),
    ],
)
def test_labels_are_explained(label: str, meaning: str) -> None:
    report = check(TEXT, references=[WRONG]).model_copy(update={"label": label})
    assert f"{label}\n" in told(report)
    assert meaning in told(report)


def test_an_ensemble_tells_what_each_member_moved_and_who_is_not_calibrated() -> None:
    members = ["consensus", "triplet-check", "selfcheck-ngram"]
    report = by("ensemble", samples=[WRONG] * 3, references=[WRONG], options={"members": members})
    said = told(report)
    for name in members:
        assert f"\n{name} · " in said
    assert "overruled by a reference" in said
    assert "not calibrated" in said
    moved = said[said.index("What moved its score") :].split("\n")
    consensus = next(line for line in moved if line.startswith("consensus"))
    left, right = consensus.split("│")
    assert "▰" in right
    assert "▰" not in left


def test_what_members_moved_is_told_in_whole_words_where_there_is_little_room() -> None:
    members = ["consensus", "triplet-check", "selfcheck-ngram"]
    report = by("ensemble", samples=[WRONG] * 3, references=[WRONG], options={"members": members})
    for width in (34, 40, 58):
        said = told(report, width=width)
        moved = said[said.index("What moved its score") : said.index("Members")].split("\n")
        assert "  overruled by a reference" in moved or any(
            line.endswith(", overruled by a reference") for line in moved
        )
        assert max(map(len, moved)) <= width


def test_triplet_check_tells_the_triples_a_fact_was_held_against() -> None:
    judge = Judge(stance=lambda fact, source: "contradicts")
    said = told(by("triplet-check", judge, references=[WRONG]))
    assert "✗ the judge finds it contradicted" in said


def test_gca_tells_the_terms_of_a_fact_and_what_was_said_again() -> None:
    said = told(by("gca", samples=[RIGHT] * 2))
    assert "This fact, part by part" in said
    assert "subject asked for again" in said
    assert "As value: " in said


def test_judges_of_sentences_tell_their_words_once_a_passage() -> None:
    said = told(by("sca", references=[WRONG]))
    sentences = said[said.index("Sentence by sentence") :]
    assert "1. The Kellan Bridge was opened in 1931.\n   ✗ finds it made up" in sentences
    assert sentences.count("reference 1") <= 2
    reasons = told(by("issc-cot", samples=[WRONG, RIGHT]), None)
    assert "other answer 1: " in reasons
    assert "Sentence by sentence" not in reasons


def test_signs_are_plain_where_that_is_wanted() -> None:
    members = ["consensus", "triplet-check", "selfcheck-ngram"]
    reports = [
        by("ensemble", samples=[WRONG] * 3, references=[WRONG], options={"members": members}),
        by("knowhalu", references=[WRONG]),
        by("sca", references=[WRONG]),
        by("triplet-check", references=[WRONG]),
        by("gca", samples=[RIGHT] * 2),
    ]
    for report in reports:
        assert told(report, signs=Signs(ascii=True)).isascii(), report.method


KEYS = st.sampled_from(
    [
        "0", "segment", "form", "specific", "detail", "passages", "quote", "source", "sentence",
        "triplets", "finding", "ended", "verdict", "confidence", "taken", "facts", "stance",
        "supporting", "reasons", "triple", "terms", "head", "said", "question", "odds", "weight",
        "score", "label", "s1", "yes", "sentences", "hallucinated", "passage", "why", "yes_share",
        "skipped", "outcome",
    ]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
NAMES = st.sampled_from(
    [
        "steps", "endings", "judgements", "aggregation", "off_target", "comparisons", "triples",
        "facts", "members", "contributions", "votes", "reasons", "bias", "well_supported",
        "max_neg_log_p", "own",
    ]
)  # fmt: skip


@cache
def judged() -> Report:
    """A report without details."""
    return check(TEXT, references=[WRONG])


@pytest.mark.slow
@example(details={"steps": [{"passages": [], "segment": "x"}, {"segment": []}]}, width=60)
@example(details={"comparisons": [{"facts": {"0": {"supporting": 3, "stance": []}}}]}, width=60)
@example(details={"steps": [{"sentences": {"0": {"passage": {}, "hallucinated": []}}}]}, width=60)
@given(details=st.dictionaries(NAMES, JSON, max_size=6), width=st.integers(1, 80))
def test_details_of_any_shape_are_shown_without_fault(details: dict[str, Any], width: int) -> None:
    report = judged().model_copy(update={"details": details})
    assert "Result" in told(report, 0, width)


def test_what_no_view_knows_is_told_as_it_is() -> None:
    report = Report(
        text="x",
        method="mine",
        engine="1",
        threshold=Threshold(value=0.5),
        details={"own": {"depth": [1, 2], "inner": {"word": "[b]x[/b]"}}},
    )
    said = told(report, None)
    assert "own:\n  depth: 1, 2\n  inner:\n    word: [b]x[/b]" in said
