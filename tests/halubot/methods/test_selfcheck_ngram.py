"""`selfcheck-ngram` counts words as published, and says what it did."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.events import Labelled, Ranked, SentenceJudged
from halubot.methods.registry import Case
from halubot.methods.selfcheck_ngram import HALF_RANK, METHOD
from halubot.report import Source
from halubot.text import Document


def case(sentences: list[str], samples: list[str]) -> Case:
    text, spans = "", []
    for sentence in sentences:
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence + " "
    return Case(
        message=Document(text, text, tuple(spans)),
        samples=tuple(Source(id=f"s{i}", kind="sample", text=t) for i, t in enumerate(samples)),
    )


def judged(case: Case) -> tuple[list[SentenceJudged], Labelled, Ranked]:
    events = list(METHOD.judge(case))
    labelled, ranked = events[-2:]
    assert isinstance(labelled, Labelled)
    assert isinstance(ranked, Ranked)
    return [e for e in events if isinstance(e, SentenceJudged)], labelled, ranked


def test_by_hand() -> None:
    # Eight words in all: ada 3, wrote 2, notes 2, sang 1.
    sentences, labelled, ranked = judged(
        case(["Ada wrote.", "Ada sang."], ["Ada wrote notes. Notes!"])
    )
    largest = [math.log(8 / 2), math.log(8 / 1)]
    mean = [(math.log(8 / 3) + math.log(8 / 2)) / 2, (math.log(8 / 3) + math.log(8)) / 2]
    assert labelled.details["max_neg_log_p"] == pytest.approx(largest, abs=1e-6)
    assert labelled.details["mean_neg_log_p"] == pytest.approx(mean, abs=1e-6)
    assert [s.score for s in sentences] == pytest.approx([largest[0] / math.log(8), 1.0])
    assert ranked.sentences == pytest.approx([x / (x + HALF_RANK) for x in largest])
    assert ranked.facts == ()
    assert ranked.score == pytest.approx((largest[0] / math.log(8) + 1) / 2)


def test_a_sentence_without_words_is_not_checked() -> None:
    sentences, labelled, ranked = judged(case(["!!!", "Ada."], ["Ada wrote."]))
    assert (sentences[0].score, sentences[0].verdict) == (None, "not_checked")
    assert sentences[0].reason
    assert ranked.sentences[0] is None
    assert labelled.details["max_neg_log_p"][0] is None
    nothing = judged(case(["!!!"], ["..."]))[2]
    assert (nothing.score, nothing.sentences) == (None, (None,))


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4), st.lists(st.text(), max_size=4))
def test_every_score_is_in_range(sentences: list[str], samples: list[str]) -> None:
    found, _, ranked = judged(case(sentences, samples))
    for sentence in found:
        assert (sentence.score is None) == (sentence.verdict == "not_checked")
        assert sentence.score is None or 0 <= sentence.score <= 1
    assert all(rank is None or 0 <= rank < 1 for rank in ranked.sentences)
