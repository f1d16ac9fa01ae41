"""Doubted clauses are cut out so that a sentence is left; what does not fit is not cut."""

from __future__ import annotations

import pytest

from halubot.correcting.cutting import cut
from halubot.facts import Fact, Parts, Span, Triple


def fact(text: str, index: int, head: str, relation: str, tail: str) -> Fact:
    """A fact whose relation is the first place of that string, its tail the last."""

    def place(part: str, at: int) -> Span | None:
        return (at, at + len(part)) if part and at >= 0 else None

    parts = Parts(
        head=place(head, text.find(head)),
        relation=place(relation, text.find(relation)),
        tail=place(tail, text.rfind(tail)),
    )
    spans = tuple(sorted(span for span in (parts.relation, parts.tail) if span is not None))
    return Fact(
        index=index,
        triple=Triple(head, relation, tail),
        sentences=(0,),
        spans=spans,
        parts=parts,
    )


def left(text: str, doubted: list[tuple[str, str, str]], kept: list[tuple[str, str, str]]) -> str:
    """The text after the cuts; doubted and kept facts as (head, relation, tail)."""
    out = [fact(text, n, *triple) for n, triple in enumerate(doubted)]
    stay = [fact(text, n, *triple) for n, triple in enumerate(kept, start=len(out))]
    for piece in sorted(cut(text, (0, len(text)), out, stay), key=lambda c: -c.start):
        text = text[: piece.start] + piece.after + text[piece.end :]
    return text


@pytest.mark.parametrize(
    ("text", "doubted", "kept", "after"),
    [
        (
            "It has three levels, and part of its iron was melted down from cannons.",
            [("part of its iron", "was melted down from", "cannons")],
            [("It", "has", "three levels")],
            "It has three levels.",
        ),
        (
            "He wrote novels, plays and poems.",
            [("He", "wrote", "plays")],
            [("He", "wrote", "novels"), ("He", "wrote", "poems")],
            "He wrote novels and poems.",
        ),
        (
            "He wrote novels, plays, essays, and poems.",
            [("He", "wrote", "poems")],
            [("He", "wrote", "novels"), ("He", "wrote", "plays"), ("He", "wrote", "essays")],
            "He wrote novels, plays, and essays.",
        ),
        (
            "He wrote novels and plays.",
            [("He", "wrote", "novels")],
            [("He", "wrote", "plays")],
            "He wrote plays.",
        ),
        (
            "Ada, a painter, was born in London.",
            [("Ada", "", "a painter")],
            [("Ada", "was born in", "London")],
            "Ada was born in London.",
        ),
        (
            "Ada was born in London in 1816.",
            [("Ada", "was born", "1816")],
            [("Ada", "was born", "London")],
            "Ada was born in London.",
        ),
        (
            "Ada (a painter) was born in London.",
            [("Ada", "", "a painter")],
            [("Ada", "was born in", "London")],
            "Ada was born in London.",
        ),
        (
            "In 1816, Ada was born in London.",
            [("Ada", "was born", "1816")],
            [("Ada", "was born in", "London")],
            "Ada was born in London.",
        ),
    ],
)
def test_what_is_left_reads_as_a_sentence(
    text: str,
    doubted: list[tuple[str, str, str]],
    kept: list[tuple[str, str, str]],
    after: str,
) -> None:
    assert left(text, doubted, kept) == after


def test_a_sentence_of_doubted_facts_only_goes_with_its_space() -> None:
    text = "Ada was born. She sang. She wrote."
    doubted = [fact(text, 0, "She", "sang", "")]
    (piece,) = cut(text, (14, 23), doubted, [])
    assert text[: piece.start] + piece.after + text[piece.end :] == "Ada was born. She wrote."


def test_a_list_item_goes_with_its_line() -> None:
    text = "Facts:\n\n- She sang.\n- She wrote.\n"
    (piece,) = cut(text, (10, 19), [fact(text, 0, "She", "sang", "")], [])
    assert text[: piece.start] + piece.after + text[piece.end :] == "Facts:\n\n- She wrote.\n"


def test_what_carries_a_kept_fact_is_not_cut() -> None:
    text = "Construction began in 1885 and ended in 1889."
    began, ended = ("Construction", "began in", "1885"), ("Construction", "ended in", "1889")
    assert left(text, [began], [ended]) == text
