"""Words of a quote between the same words as in a sentence."""

from __future__ import annotations

import pytest

from halubot.correction.counterparts import counterpart

BUILT = "The hut was built in 1902 by the Varn Alpine Club and burned down in 1954."
NOT = "Dogs are not allowed in the hut."


@pytest.mark.parametrize(
    ("text", "wrong", "quote", "right"),
    [
        ("The hut was built in 1902 by the army.", "army", BUILT, "Varn Alpine Club"),
        (
            "Dogs are welcome in the hut.",
            "welcome",
            NOT,
            "not allowed",
        ),
        (
            "Dogs are allowed in the hut.",
            "allowed",
            NOT,
            "not allowed",
        ),
        ("Serve the soup hot.", "hot", "Serve the soup cold, with bread.", "cold"),
        ("Serve the soup hot.", "soup", "Serve the soup cold, with bread.", None),
        ("Herons stay on the lake in winter.", "winter", "Larks sing in spring.", None),
        ("It is the hut.", "hut", "It is the mill that was built by seven men of Varn.", None),
    ],
)
def test_words_between_the_same_words_stand_in_their_place(
    text: str, wrong: str, quote: str, right: str | None
) -> None:
    at = text.index(wrong)
    found = counterpart(text, (at, at + len(wrong)), [quote])
    assert (found and found.words) == right
