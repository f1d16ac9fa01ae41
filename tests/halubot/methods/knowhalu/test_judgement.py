"""How probable a verdict was, by the tokens that spell it."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.knowhalu.judgement import probabilities
from halubot.models.model import Completion, TokenLogprob

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
