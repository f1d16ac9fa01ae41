"""What goes with a sentence that is taken out leaves no double spaces, empty lines or marks."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.edits import apply_edits, widen_sentences
from halubot.report import Edit
from halubot.text import read


def removals(text: str, gone: list[int]) -> list[Edit]:
    """The edits that take out these sentences of a text."""
    sentences = read(text).sentences
    spans = widen_sentences(text, [sentences[index] for index in gone])
    return [
        Edit(
            sentence=index,
            start=start,
            end=end,
            before=text[start:end],
            after="",
            facts=(),
            action="removed",
        )
        for index, (start, end) in zip(gone, spans, strict=True)
    ]


def without(text: str, *gone: int) -> str:
    return apply_edits(text, removals(text, list(gone)))


LIST = "Facts:\n\n- She sang. She ran.\n- She wrote.\n"
TABLE = "| a | b |\n|---|---|\n"


@pytest.mark.parametrize(
    ("text", "gone", "left"),
    [
        (LIST, [1, 2], "Facts:\n\n- She wrote.\n"),
        (LIST, [1], "Facts:\n\n- She ran.\n- She wrote.\n"),
        (TABLE + "| Ada | 1815 |\n| Ben | 1816 |\n", [1], TABLE + "| Ben | 1816 |\n"),
        ("Ada sang. She wrote. She died.", [0], "She wrote. She died."),
        ("Ada sang. She wrote. She died.", [1], "Ada sang. She died."),
        ("Ada sang. She wrote. She died.", [2], "Ada sang. She wrote."),
        ("Ada sang. She wrote. She died.", [0, 1], "She died."),
        ("Ada sang. She wrote. She died.", [1, 2], "Ada sang."),
        ("Ada sang. She wrote. She died.", [0, 2], "She wrote."),
        ("Ada sang. She wrote. She died.", [0, 1, 2], ""),
        ("Ada sang.  She wrote.  She died.", [1], "Ada sang.  She died."),
        ("艾达唱歌。她写作。她死了。", [1], "艾达唱歌。她死了。"),
        ("One.\n\nTwo here.\n\nThree.", [1], "One.\n\nThree."),
        ("One.\n\nTwo here.\n\nThree.", [2], "One.\n\nTwo here."),
        ("One.\n\nTwo here.\n\nThree.\n", [2], "One.\n\nTwo here.\n"),
        ("One.\n\nTwo here.\n\nThree.\n", [1, 2], "One.\n"),
        ("One.\r\n\r\nTwo here.\r\n\r\nThree.\r\n", [1], "One.\r\n\r\nThree.\r\n"),
        ("One.\n\nTwo here.\n\nThree.", [0], "Two here.\n\nThree."),
        ("Facts:\n\n- She sang.\n- She wrote.\n", [1], "Facts:\n\n- She wrote.\n"),
        ("Facts:\n\n1. [x] She sang here.\n2. She wrote.", [1], "Facts:\n\n2. She wrote."),
        ("> Ada sang. She ran.\n> She wrote.", [1], "> Ada sang.\n> She wrote."),
        ("First line\nof it. Second.", [1], "First line\nof it."),
        ("Poem one.\nPoem two.\nPoem three.", [1], "Poem one.\nPoem three."),
    ],
)
def test_what_is_left_is_clean(text: str, gone: list[int], left: str) -> None:
    assert without(text, *gone) == left


SENTENCES = ["Ada sang.", "She wrote notes.", "**Bold one.**", "Did she?", "Sie schrieb es."]
JOINTS = st.sampled_from([" ", "  ", "\n", "\n\n", "\n- ", "\n\n1. ", "\r\n", "\n> ", " \n\n\n"])


@given(st.lists(st.tuples(JOINTS, st.sampled_from(SENTENCES)), min_size=1, max_size=5), st.data())
def test_any_of_the_removals_may_be_made_without_the_others(
    parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = "".join(joint + sentence for joint, sentence in parts)
    sentences = [text[start:end] for start, end in read(text).sentences]
    gone = sorted(data.draw(st.sets(st.integers(0, len(sentences) - 1))))
    edits = removals(text, gone)
    for one, other in pairwise(edits):
        assert one.end <= other.start
    for size in range(len(edits) + 1):
        for some in combinations(edits, size):
            out = {edit.sentence for edit in some}
            stay = [sentence for index, sentence in enumerate(sentences) if index not in out]
            left = apply_edits(text, some)
            places = [left.find(sentence) for sentence in stay]
            assert -1 not in places
            assert re.findall(r"\w+", left.replace("1.", "")) == re.findall(
                r"\w+", " ".join(stay).replace("1.", "")
            )


def test_long_lines_of_marks_take_no_time() -> None:
    text = "-" * 50_000 + " Ada sang. " + "#" * 50_000
    assert widen_sentences(text, [(50_001, 50_010)]) == [(50_000, 50_010)]
    text = "Ada sang. " * 20_000
    spans = [(place * 10, place * 10 + 9) for place in range(20_000)]
    assert widen_sentences(text, spans)[-1][1] == len(text)
