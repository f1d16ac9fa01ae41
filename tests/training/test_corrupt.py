"""Corruptions: a wrong claim, and where it differs from the right one."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from training.corrupt import WEIGHTS, Corruption, corrupt

LANGUAGES = ("en", "de", "fr", "es", "zh", "ar")
SENTENCES = (
    "The company bought Acme Corp in March 1994 for 3.5 million dollars.",
    "You must take two tablets before breakfast, never more than 400 mg a day.",
    "Kevin Smith defeated Roger Federer in the final in Paris.",
    "All members can vote, and most of them do not.",
    "Er wurde am 12. März 1901 in Berlin geboren und hat zwei Kinder.",
    "Il est né le 3 mai 1910 à Paris et a été élu en 1950.",
    "Fue fundada en 1920 y es la ciudad más grande de España.",
    "该河位于法国北部，长120公里。",
    "ارتفاع أسعار النفط في مصر بعد قرار الحكومة",
)
NAMES = ("Anna Bell", "Tom Baker", "Oslo", "Petra", "Green River Valley")


def check(text: str, changed: Corruption) -> None:
    """Assert that outside the marks the claim is as it was, and that each mark holds words."""
    kept, old, at = [], 0, 0
    for (start, end), replaced in zip(changed.marks, changed.replaced, strict=True):
        assert at <= start < end <= len(changed.text)
        assert changed.text[start:end].strip()
        kept.append(changed.text[at:start] + replaced)
        at, old = end, old + len(replaced)
    assert "".join(kept) + changed.text[at:] == text
    assert changed.text.lower() != text.lower()


@given(
    text=st.sampled_from(SENTENCES) | st.text(max_size=60),
    more=st.text(alphabet=st.characters(codec="utf-8"), max_size=20),
    language=st.sampled_from(LANGUAGES),
    seed=st.integers(0, 1000),
)
@example(text="In 1994 A. Smith", more="", language="en", seed=0)
@example(text="0", more="", language="en", seed=0)
@example(text="1,000.5", more=" is not", language="fr", seed=1)
def test_marks_are_exactly_what_differs(text: str, more: str, language: str, seed: int) -> None:
    changed = corrupt(text + more, random.Random(seed), language=language, names=NAMES)

    if changed is not None:
        check(text + more, changed)


@pytest.mark.parametrize(
    ("kind", "text", "wrong", "marked"),
    [
        ("negation", "She is a doctor.", "She is not a doctor.", ["is not"]),
        ("negation", "She is not a doctor.", "She is a doctor.", ["is"]),
        ("opposite", "Prices rose.", "Prices fell.", ["fell"]),
        ("order", "Wash it before use.", "Wash it after use.", ["after"]),
        ("quantity", "At least ten came.", "At most ten came.", ["At most"]),
        ("modality", "A permit is required.", "A permit is optional.", ["optional"]),
        ("unit", "It weighs 3 kg.", "It weighs 3 mg.", ["mg"]),
        (
            "role",
            "The Reds of Leeds say that Ann Lee sued Bo Ray.",
            "The Reds of Leeds say that Bo Ray sued Ann Lee.",
            ["Bo Ray", "Ann Lee"],
        ),
    ],
)
def test_each_kind_changes_what_it_says(
    kind: str, text: str, wrong: str, marked: list[str]
) -> None:
    found = {
        (c.text, *(c.text[a:b] for a, b in c.marks))
        for seed in range(40)
        if (c := corrupt(text, random.Random(seed), kinds=[kind]))
    }

    assert (wrong, *marked) in found


@pytest.mark.parametrize(
    "text", ["Ann and Bo sued the town.", "A road between Ann Lee and Bo Ray."]
)
def test_names_that_stand_alike_are_not_exchanged(text: str) -> None:
    assert all(corrupt(text, random.Random(n), kinds=["role"]) is None for n in range(20))


@pytest.mark.parametrize("text", ["Vitamin B12 helps.", "Version 1.2.3-rc1", "COVID-19"])
def test_numbers_within_a_word_stay(text: str) -> None:
    assert all(corrupt(text, random.Random(n), kinds=["number"]) is None for n in range(20))


def test_names_come_from_the_given_ones_and_have_as_many_words() -> None:
    found = {
        c.text
        for n in range(60)
        if (c := corrupt("It was by Jane Roe.", random.Random(n), kinds=["name"], names=NAMES))
    }

    assert "It was by Anna Bell." in found
    assert not any("Oslo" in text or "Green" in text for text in found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_words(language: str) -> None:
    kinds = {
        c.kind
        for text in SENTENCES
        for seed in range(60)
        if (c := corrupt(text, random.Random(seed), language=language))
    }

    assert len(kinds) >= 3
    assert kinds <= set(WEIGHTS)


def test_a_text_that_nothing_fits_gives_nothing() -> None:
    assert corrupt("Hm.", random.Random(0)) is None
