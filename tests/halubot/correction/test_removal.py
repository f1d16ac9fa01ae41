"""Doubted clauses are cut out so that a sentence is left; what does not fit is not cut."""

from __future__ import annotations

import pytest

from halubot.correction.removal import cut_facts
from halubot.report import Fact, Parts, Span, Triple


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
    for piece in sorted(cut_facts(text, (0, len(text)), out, stay), key=lambda c: -c.start):
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


@pytest.mark.parametrize(
    ("text", "doubted", "kept"),
    [
        (  # the second verb has its subject in the clause
            "After the war, Ada became rich and was a director.",
            [("Ada", "became", "rich")],
            [("", "was", "a director")],
        ),
        (  # an opening without its clause
            "In her time, Rome became rich, and Ada sang.",
            [("Rome", "became", "rich")],
            [("Ada", "sang", "")],
        ),
        (  # the rest of a list
            "Ada sang in Rome and Paris.",
            [("Ada", "sang", "Rome")],
            [("Ada", "sang in", "Paris")],
        ),
        (  # what leans on the words before
            "Ada was known for her ability to swim in 1816.",
            [("Ada", "was known", "her ability")],
            [("Ada", "was known for her ability to swim", "1816")],
        ),
        (  # a clause about what would be gone
            "Ada sang in Rome, which she loved.",
            [("Ada", "sang", "Rome")],
            [("Ada", "sang", ""), ("she", "loved", "")],
        ),
        (  # the second of a pair
            "Ada was either caught or killed.",
            [("Ada", "was", "killed")],
            [("Ada", "was", "caught")],
        ),
        (  # an announced number
            "Ada wrote two books, Summer and Winter.",
            [("Ada", "wrote", "Winter")],
            [("Ada", "wrote", "Summer")],
        ),
        (  # an article that fits the first only
            "Ada was an actor, painter and poet.",
            [("Ada", "was", "actor")],
            [("Ada", "was", "painter"), ("Ada", "was", "poet")],
        ),
        (  # a noun that stands with the last only
            "Ada lived in the 16th and 17th centuries.",
            [("Ada", "lived in", "16th")],
            [("Ada", "lived in", "17th centuries")],
        ),
        (  # a series that needs its "and"
            "Ada sang, danced, and wrote plays.",
            [("", "wrote", "plays")],
            [("Ada", "sang", ""), ("", "danced", "")],
        ),
        (  # half a name
            "Ada toured with The War on Drugs.",
            [("Ada", "toured", "Drugs")],
            [("Ada", "toured", "with")],
        ),
        (  # no verb would be left
            "Ada (1815), was born in London.",
            [("Ada", "was born in", "London")],
            [("Ada", "", "1815")],
        ),
        (  # the address of a link
            "Ada was [born](1815) in London.",
            [("Ada", "", "1815")],
            [("Ada", "was", "London")],
        ),
    ],
)
def test_what_would_not_read_well_is_not_cut(
    text: str, doubted: list[tuple[str, str, str]], kept: list[tuple[str, str, str]]
) -> None:
    assert left(text, doubted, kept) == text


def test_a_detail_takes_its_and_along() -> None:
    text = "Ada was praised for her voice and for her wit."
    doubted = [("Ada", "was praised", "her wit")]
    assert left(text, doubted, [("Ada", "was praised", "her voice")]) == (
        "Ada was praised for her voice."
    )


def test_two_cuts_make_room_for_each_other() -> None:
    text = "Ada sang in the film Rome (1963)."
    doubted = [("Ada", "sang", "the film Rome"), ("Rome", "", "1963")]
    assert left(text, doubted, [("Ada", "sang", "")]) == "Ada sang."


def test_a_sentence_of_doubted_facts_only_goes_as_a_whole() -> None:
    text = "Ada was born. She sang. She wrote."
    (piece,) = cut_facts(text, (14, 23), [fact(text, 0, "She", "sang", "")], [])
    assert (piece.start, piece.end, piece.after) == (14, 23, "")


def test_what_carries_a_kept_fact_is_not_cut() -> None:
    text = "Construction began in 1885 and ended in 1889."
    began, ended = ("Construction", "began in", "1885"), ("Construction", "ended in", "1889")
    assert left(text, [began], [ended]) == text
