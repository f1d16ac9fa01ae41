"""A new wording fits in the place of the sentence it stands for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.correction.sameness import fit, loose


@pytest.mark.parametrize(
    ("before", "sentence", "new", "fitted"),
    [
        ("", "Ada sang.", "  Ada danced.\n", "Ada danced."),
        ("", "Ada sang.", "Ada\n\ndanced.", "Ada danced."),
        ("", "Ada\nsang.", "Ada\n\n\ndanced.", "Ada\ndanced."),
        ("", "Ada\nsang.", "Ada\n- danced.", "Ada\ndanced."),
        ("", "**Ada** sang.", "Ada danced.", "Ada danced."),
        ("", "**Ada** sang.", "**Ada** danced.", "**Ada** danced."),
        ("", "**Ada** sang **it**", "Ada danced **it**", "Ada danced **it**"),
        ("", "**Ada sang.**", "Ada danced.", "**Ada danced.**"),
        ("", "**Ada sang.**", "**Ada danced.", "**Ada danced.**"),
        ("", "***Ada sang.***", "Ada danced.", "***Ada danced.***"),
        ("", "**Ada sang.", "Ada danced.", "**Ada danced."),
        ("Oh. ", "She sang.**", "She danced.", "She danced.**"),
        ("", "[Ada sang.](http://x)", "Ada danced.", "[Ada danced.](http://x)"),
        ("", "[Ada](http://x) sang.", "Ada danced.", "Ada danced."),
        ("", "Ada sang.[1][^n]", "Ada danced.", "Ada danced.[1][^n]"),
        ("", "Ada sang.[1]", "Ada danced.[1]", "Ada danced.[1]"),
        ("", "„Ada sang.“", "Ada danced.", "„Ada danced.“"),
        ("", "“Ada sang,” he said.", "Ada danced.", "Ada danced."),
        ("- ", "Ada sang.", "- Ada danced.", "Ada danced."),
        ("2. ", "Ada sang.", "2. Ada danced.", "Ada danced."),
        ("- ", "-5 degrees were met.", "-4 degrees were met.", "-4 degrees were met."),
        ("", "Ada sang.", "# Ada danced.", "Ada danced."),
        ("", "Ada sang.", "``` Ada danced.", "Ada danced."),
        ("", "Ada sang.", "> - Ada danced.", "Ada danced."),
        ("So: ", "Ada sang.", "- and danced.", "- and danced."),
        ("", "Ada sang.", "Ada\x1b[2J dan\x00ced\ud800.", "Ada     dan ced�."),
        ("", "Ada sang.", " \n ", ""),
    ],
)
def test_a_wording_fits(before: str, sentence: str, new: str, fitted: str) -> None:
    text = f"{before}{sentence} And more."
    assert fit(text, (len(before), len(before) + len(sentence)), new) == fitted


@pytest.mark.parametrize(
    "sentence", ["**A b.**", "**A b.", "A b.**", '"A [b](c)."[1]', "A *b*.", "`"]
)
def test_a_sentence_fits_in_its_own_place(sentence: str) -> None:
    assert fit(sentence, (0, len(sentence)), sentence) == sentence


@given(st.text(alphabet='ab*_`~[]()"“”#->1. \n\r\t\u2028', max_size=30), st.text(max_size=30))
def test_nothing_brings_a_line_break_into_a_line(new: str, other: str) -> None:
    for text in (new, other):
        fitted = fit("Ada sang. She wrote.", (0, 9), text)
        assert not {"\n", "\r", "\u2028", "\x1b"} & set(fitted)
        assert fitted == fitted.strip()


@pytest.mark.parametrize(
    ("sentence", "length"),
    [
        ("**Ada sang.", (2, 0)),
        ("She wrote.**", (0, 2)),
        ("**Ada sang.**", (0, 0)),
        ("**Ada** sang.", (0, 0)),
        ("Ada sang.[1]", (0, 0)),
        ("“Ada sang.", (1, 0)),
    ],
)
def test_signs_that_other_sentences_share(sentence: str, length: tuple[int, int]) -> None:
    assert loose(sentence) == length
