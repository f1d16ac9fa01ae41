"""What a judge copied from an answer, found again in it."""

from __future__ import annotations

import pytest

from halubot.methods.judges.judge_calls import Copied, Word, place_words

TEXTS = {
    0: "Ada Weir was born in Ulm, in 1828.",
    2: "She wrote many songs for the choir of the town.",
    3: "So.",
    4: "她写了很多歌曲。",
}


def copy(text: str, word: Word = "no") -> Copied:
    return Copied(sentence=text, passage="", hallucinated=word, why="")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TEXTS[0], [0]),
        ("ADA WEIR was born in Ulm in 1828", [0]),
        ("Ada Weir was born in Ulm", [0]),
        ("Ada Weir was borne in Ulm, in 1828.", [0]),
        (f"{TEXTS[0]} {TEXTS[2]}", [0, 2]),
        ("So.", [3]),
        ("So", [3]),
        ("她写了很多歌曲", [4]),
        ("the town", []),
        ("Ada Weir died in Bern, a town on the Aare.", []),
        ("", []),
    ],
)
def test_where_a_copy_belongs(text: str, found: list[int]) -> None:
    words, strange = place_words([copy(text)], TEXTS)
    assert list(words) == found
    assert strange == (() if found else (text,))
