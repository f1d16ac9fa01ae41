"""How probable a verdict was, two judgements made one (algorithm 1 of KnowHalu), segments."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.evidence.retrieval import word_starts
from halubot.methods.knowhalu.judgement import (
    Conclusion,
    Decision,
    Rule,
    decide_whole,
    probabilities,
)
from halubot.methods.knowhalu.lookup import FORMS, Form, segments
from halubot.models.model import Completion, TokenLogprob
from halubot.text import read

SAID = {
    "0": {"reason": 'not "verdict": "CORRECT"', "verdict": "INCORRECT"},
    "3": {"verdict": "CORRECT"},
}
ANSWER = json.dumps(SAID)


def spelt(text: str, tokens: list[str], **logprobs: float) -> Completion:
    """A text in these tokens; those that are named have their log-probability, others -1."""
    assert "".join(tokens) == text
    found = tuple(TokenLogprob(token, logprobs.get(token.strip('"'), -1.0)) for token in tokens)
    return Completion(text, logprobs=found)


def in_words(text: str) -> list[str]:
    return re.findall(r"\w+|\W+", text)


@given(
    st.sampled_from(["CORRECT", "INCORRECT", "INCONCLUSIVE"]),
    st.sets(st.integers(1, 40), max_size=12),
    st.lists(st.floats(-5, 0), min_size=50, max_size=50),
)
def test_the_probability_of_a_verdict_is_the_product_over_its_tokens(
    verdict: str, cuts: set[int], logprobs: list[float]
) -> None:
    # KnowHalu, E.3, with every token that holds a letter of the verdict.
    text = json.dumps({"0": {"verdict": verdict}})
    edges = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    places = list(pairwise(edges))
    tokens = [
        TokenLogprob(text[start:end], logprob)
        for (start, end), logprob in zip(places, logprobs, strict=False)
    ]
    first = text.index(verdict)
    product = math.prod(
        math.exp(logprob)
        for (start, end), logprob in zip(places, logprobs, strict=False)
        if start < first + len(verdict) and end > first
    )
    found = probabilities(Completion(text, logprobs=tuple(tokens)), "verdict")
    word, probability = found[0]
    assert word == verdict
    assert probability == pytest.approx(product)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>so {{\n</think>\n{ANSWER}",
        f"```json\n{ANSWER}\n```",
        ANSWER[:-1],
    ],
    ids=["thoughts", "fenced", "cut off"],
)
def test_what_stands_around_the_answer_does_no_harm(text: str) -> None:
    completion = spelt(text, in_words(text), INCORRECT=-0.5, CORRECT=-0.25)
    found = probabilities(completion, "verdict")
    assert {index: word for index, (word, _) in found.items()} == {0: "INCORRECT", 3: "CORRECT"}
    assert found[0][1] == pytest.approx(math.exp(-0.5))


@pytest.mark.parametrize(
    "completion",
    [
        Completion(ANSWER),
        Completion(ANSWER, logprobs=()),
        Completion(ANSWER, logprobs=(TokenLogprob("something else", -0.1),)),
        spelt("prose, CORRECT", in_words("prose, CORRECT")),
        spelt('["CORRECT"]', in_words('["CORRECT"]')),
        spelt('{"verdict": "CORRECT"}', in_words('{"verdict": "CORRECT"}')),
    ],
)
def test_nothing_is_made_up(completion: Completion) -> None:
    assert probabilities(completion, "verdict") == {}


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


CONFIDENCES = st.sampled_from([0.0, 0.2, 0.5, 0.6, 0.9, 0.95, 0.99, 1.0])
VERDICTS: st.SearchStrategy[Conclusion] = st.sampled_from(get_args(Conclusion))
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


@given(st.lists(JUDGEMENTS, min_size=1, max_size=6))
def test_a_summary_is_wrong_if_any_segment_is(segments: list[tuple[Conclusion, float]]) -> None:
    decided = decide_whole([Decision(*one).as_closed for one in segments])
    verdicts = {verdict for verdict, _ in segments}
    assert decided is not None
    assert (decided.verdict == "INCORRECT") == bool(verdicts & {"INCORRECT", "INCONCLUSIVE"})


def cut(text: str, words: int = 30) -> list[str]:
    return [text[start:end] for start, end in segments(read(text), words)]


def test_a_sentence_is_a_segment() -> None:
    assert cut("One two. Three four five.") == ["One two.", "Three four five."]


@pytest.mark.parametrize(("count", "lengths"), [(30, [30]), (31, [15, 16]), (61, [20, 20, 21])])
def test_a_long_sentence_is_cut_evenly(count: int, lengths: list[int]) -> None:
    text = " ".join(f"w{number}" for number in range(count)) + "."
    found = cut(text)
    assert [len(piece.split()) for piece in found] == lengths
    assert " ".join(found) == text


@given(st.text(alphabet="ab .,\n*Ä漢", max_size=200), st.integers(1, 5))
def test_segments_are_in_order_short_and_never_blank(text: str, words: int) -> None:
    document = read(text)
    end = 0
    for start, stop in segments(document, words):
        assert end <= start < stop
        assert document.text[start:stop].strip()
        assert len(word_starts(document.plain, (start, stop))) <= words
        end = stop
