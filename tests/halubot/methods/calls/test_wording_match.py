"""A model's wording is found in the text exactly, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.calls.wording_match import Aligned, align_triple
from halubot.report import Span, Triple
from halubot.text import read

BRIDGE = "The Kellan Bridge, an arch bridge opened on 4 June 1931, links Osby and **Varn**."
TRAMS = "It carries about 4,000 cars a day but has never carried trams."


def places(text: str, head: str, relation: str, tail: str) -> list[str | None]:
    """The words of the text where the three parts stand."""
    parts = align_triple(read(text), 0, Triple(head, relation, tail)).parts

    def words(span: Span | None) -> str | None:
        return None if span is None else text[slice(*span)]

    return [words(parts.head), words(parts.relation), words(parts.tail)]


def spans(text: str, head: str, relation: str, tail: str) -> list[str]:
    return [
        text[slice(*span)]
        for span in align_triple(read(text), 0, Triple(head, relation, tail)).spans
    ]


@pytest.mark.parametrize(
    ("text", "triple", "expected"),
    [
        (BRIDGE, ("The Kellan Bridge", "links", "Varn"), ["The Kellan Bridge", "links", "Varn"]),
        (BRIDGE, ("the kellan bridge", "LINKS", "osby"), ["The Kellan Bridge", "links", "Osby"]),
        # The same words in another order, with the function words that stand beside them.
        (
            BRIDGE,
            ("The Kellan Bridge", "was opened on", "June 4, 1931"),
            ["The Kellan Bridge", "opened on", "4 June 1931"],
        ),
        (
            TRAMS,
            ("It", "carries", "about 4000 cars a day"),
            ["It", "carries", "about 4,000 cars a day"],
        ),
        (
            BRIDGE,
            ("The Kellan Bridge", "opened on", "4 June 1932"),
            ["The Kellan Bridge", "opened on", None],
        ),
        ("It cost 1,931 or 19.31.", ("It", "cost", "931"), ["It", "cost", None]),
        ("It cost 1,931 or 19.31.", ("It", "cost", "19"), ["It", "cost", None]),
        # A name in place of a pronoun, and a value that is nowhere.
        (TRAMS, ("The Kellan Bridge", "carries", "bicycles"), [None, "carries", None]),
        # Not inside a longer word.
        ("Varney met Art in Varn.", ("Art", "was in", "Varn"), ["Art", None, "Varn"]),
        # The place nearest to the relation, and not the head's own.
        (
            "He was born in 1931 and died in 1931.",
            ("He", "died in", "1931"),
            ["He", "died in", "1931"],
        ),
        (
            "Paris is the Paris of the north.",
            ("Paris", "is the", "Paris"),
            ["Paris", "is the", "Paris"],
        ),
        (
            "東京タワーは1958年に完成した。",
            ("東京タワー", "完成した", "1958年"),
            ["東京タワー", "完成した", "1958年"],
        ),
        ("Ada’s “Notes” sold.", ("Ada's", "sold", '"Notes"'), ["Ada’s", "sold", "“Notes”"]),
        ("He left the U.S.", ("He", "left", "the U.S."), ["He", "left", "the U.S."]),
        ("He retired.", ("He", "retired", ""), ["He", "retired", None]),
    ],
)
def test_where_parts_stand(
    text: str, triple: tuple[str, str, str], expected: list[str | None]
) -> None:
    assert places(text, *triple) == expected


def test_spans_are_the_parts_joined() -> None:
    assert spans(TRAMS, "The bridge", "has never carried", "trams") == ["has never carried trams"]
    assert spans(BRIDGE, "The Kellan Bridge", "links", "Varn") == [
        "The Kellan Bridge",
        "links",
        "Varn",
    ]


def test_the_whole_sentence_where_nothing_is_said_there() -> None:
    text = f"{TRAMS} Shall I go on?"
    found = align_triple(read(text), 0, Triple("Ada", "painted", "blue"))
    assert found == Aligned(((0, len(TRAMS)),), found.parts, negated=False)
    assert (found.parts.head, found.parts.relation, found.parts.tail) == (None, None, None)
    # A head alone says nothing of the fact.
    assert spans(text, "It", "paints", "blue") == [TRAMS]


def test_a_later_sentence() -> None:
    text = "It is old. It is red."
    found = align_triple(read(text), 1, Triple("It", "is", "red"))
    assert [text[slice(*span)] for span in found.spans] == ["It is red"]
    assert found.spans[0][0] > 10
    with pytest.raises(IndexError):
        align_triple(read(text), 2, Triple("It", "is", "red"))


@pytest.mark.parametrize(
    ("relation", "tail", "negated"),
    [
        ("has never carried", "trams", True),
        ("has", "no trams", True),
        ("carries", "trams", False),
        ("is not without", "trams", False),
    ],
)
def test_negation_is_that_of_the_triple(relation: str, tail: str, negated: bool) -> None:
    assert align_triple(read(TRAMS), 0, Triple("It", relation, tail)).negated is negated


# Texts that hold pieces of one another, and everything Unicode has.
WORDS = st.text(st.sampled_from("aB 1,.İßﬁ\u0301东京’“-\n\t\ud800*_|"), max_size=12) | st.text(
    max_size=12
)


@pytest.mark.parametrize("tail", ["\x1f", "?\x1f", " \x1c ", "\u2028", "?\x85"])
def test_a_wording_of_white_space_and_signs_has_no_place(tail: str) -> None:
    found = align_triple(read("1"), 0, Triple("", "", tail))
    assert (found.spans, found.parts.tail) == (((0, 1),), None)


@given(st.lists(WORDS, min_size=1, max_size=5), WORDS, WORDS, WORDS, st.data())
def test_spans_lie_in_the_sentence_for_any_text(
    pieces: list[str], head: str, relation: str, tail: str, data: st.DataObject
) -> None:
    document = read(" ".join(pieces))
    for sentence, (start, end) in enumerate(document.sentences):
        inside = document.text[start:end]
        tail = data.draw(st.sampled_from([tail, inside, inside[1:4], inside.swapcase()]))
        found = align_triple(document, sentence, Triple(head, relation, tail))
        parts = (found.parts.head, found.parts.relation, found.parts.tail)
        assert found.spans
        for low, high in (*found.spans, *filter(None, parts)):
            assert start <= low < high <= end
        assert list(found.spans) == sorted(found.spans)
        for (_, before), (after, _) in zip(found.spans, found.spans[1:], strict=False):
            assert before < after
