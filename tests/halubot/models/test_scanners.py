"""Every scanner of what models and servers send takes time in line with the length of it.

Repetitive texts of many kinds are doubled, and the time may not grow by more than 2.6. It is the
processor's time of this thread, the least of several, so that a busy machine changes little.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from halubot.methods.knowhalu.judgement import probabilities
from halubot.models import answer_text
from halubot.models.answer_text import without_thought
from halubot.models.capabilities import _has
from halubot.models.model import Completion, TokenLogprob
from halubot.models.vendor_errors import translate_error, without_keys
from halubot.network import UnfitError, require_fit

UNITS = (
    *("[", "]", "{", "}", "[]", "{}", "[{", '{"a":', '{"a":1}', '"a":', '"', '\\"', "\\", "'", ","),
    *(":", "a", "1", "-", "1.", "1e", "1,", "a,", "null,", "tru", "\u201c", "\ud800", "\u00e9"),
    *(" ", "\t", "\n", " \n", "\r\n", "\n\n", "a ", "a\n", "#", "// ", "/* ", "`", "```", "```\n"),
    *("```json\n", "~~~", "<", "<think>", "</think>", "<think> ", "<think>a</think>", " <think>"),
    *("://", "a://", "@", "a@", "://a@", "http://a:b@c ", "http://a:", "?", "&key=", "key=", "sk-"),
    *("sk-a ", "AIza", "Bearer ", "Error: ", "aError: ", "Exception - ", "litellm.", "Missing "),
    *("api_key", "n must ", "'n'", 'a"b ', '"a" "b"', '{"0": "a", ', '"0": {"a": "b"}, '),
)
BEFORE = ("", "http://a", "[", '{"a": "', '{"0": [', '{"', "<think>", "```json\n", '"')
SIZE = 25_000
GROWTH = 2.6
SMALL = 0.002
"""Seconds for the doubled text under which its growth is noise: what grows with the square and
takes less than this for 50,000 characters is no matter."""


def repaired(text: str) -> object:
    try:
        return answer_text.read_json(text, cut=len(text) % 2 == 0)
    except ValueError:
        return None


def fitted(text: str) -> None:
    with suppress(UnfitError):
        require_fit(text.encode("utf-8", "surrogatepass"))


def spelled(text: str) -> object:
    halves = (text[: len(text) // 2], text[len(text) // 2 :])
    return probabilities(
        Completion(text, logprobs=tuple(TokenLogprob(one, -0.1) for one in halves)), "a"
    )


SCANNERS: dict[str, Callable[[str], object]] = {
    "keys": without_keys,
    "errors": lambda text: translate_error(Exception(text), model="openai/x", endpoint="http://x"),
    "thoughts": without_thought,
    "answers": repaired,
    "words of answers": spelled,
    "capabilities": lambda text: _has(text, ["a"]),
    "bodies": fitted,
}


def taken(scan: Callable[[str], object], text: str, times: int) -> float:
    least = float("inf")
    for _ in range(times):
        begun = time.thread_time()
        scan(text)
        least = min(least, time.thread_time() - begun)
    return least


def growth(scan: Callable[[str], object], text: str, double: str) -> float:
    """How much longer the doubled text takes; 0 where it takes next to nothing."""
    if taken(scan, double, 1) < SMALL:
        return 0.0
    once = twice = float("inf")
    for times in (3, 3, 6, 12):  # a busy machine makes either look slower, never faster
        once = min(once, taken(scan, text, times))
        twice = min(twice, taken(scan, double, times))
        if twice <= GROWTH * once:
            break
    return twice / max(once, 1e-6)


LONGEST = ("words of answers", "errors")
"""The scanners whose test takes half a minute."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.faults) if one in LONGEST else one for one in SCANNERS],
)
def test_twice_the_text_takes_about_twice_the_time(name: str) -> None:
    worst = {}
    for before in BEFORE[:2] if name in ("keys", "errors") else BEFORE:
        for unit in UNITS:
            text = before + unit * (SIZE // len(unit))
            found = growth(SCANNERS[name], text, text + unit * (SIZE // len(unit)))
            # Memory that other programs use can slow the longer text: four times of it decide.
            if found > GROWTH and growth(SCANNERS[name], text, text * 4) > GROWTH**2:
                worst[before, unit] = round(found, 1)
    assert not worst


@pytest.mark.slow
@pytest.mark.parametrize("before", BEFORE)
def test_no_broken_json_takes_long_to_mend(before: str) -> None:
    """What mends it takes time that grows with the square for stray quotes: it is bounded."""
    for unit in UNITS:
        for size in (1_000, 2_500, 4_000, 5_500, answer_text.LONGEST_MENDED):
            text = (before + unit * (size // len(unit)))[:size]
            assert taken(repaired, text, 1) < 1.5 or taken(repaired, text, 3) < 1.5


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>why</think>\n{}", "{}"),
        (" before <think>a\nb</think> after ", " beforeafter "),
        ("<think>a</think><think>b</think>", "<think>b</think>"),
        ("<think>a", ""),
        ("of <think>a", "of <think>a"),
        ("a</think>", ""),
        ("so it is</think>\n{}", "{}"),
        ("</think><think>a</think>b", "<think>a</think>b"),
        ("<|channel|>analysis<|message|>hm", ""),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
            "<|channel|>final<|message|>Paris.<|return|>",
            "Paris.",
        ),
    ],
)
def test_a_thought_is_left_out(text: str, left: str) -> None:
    assert without_thought(text) == left


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see http://me:hunter2@here/v1 now", "see http://***@here/v1 now"),
        ("http://a@b://c@d", "http://***@d"),
        ("http://@here", "http://@here"),
        ("me@here http://there", "me@here http://there"),
        ("http://here?me@there", "http://here?me@there"),
        ("://a@b", "://***@b"),
    ],
)
def test_an_address_is_shown_without_its_password(text: str, shown: str) -> None:
    assert without_keys(text) == shown
