from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.render.items import Quote, listing, name_all, pieces, quotes
from halubot.report import (
    Evidence,
    Fact,
    Parts,
    Report,
    Sentence,
    Source,
    SourceKind,
    Stance,
    Threshold,
    Triple,
    Verdict,
)
from halubot.verdicts import SEVERITY

VERDICTS = st.sampled_from(get_args(Verdict))
TEXTS = st.text(alphabet=st.sampled_from("ab .\n1é́של東👩‍👧🇫🇷"), max_size=60)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    text = draw(TEXTS)
    spot = st.tuples(*[st.integers(0, len(text) + 3)] * 2).map(lambda pair: (min(pair), max(pair)))
    facts = [
        Fact(
            index=index,
            triple=Triple("a", "is", "b"),
            sentences=(),
            spans=tuple(draw(st.lists(spot, max_size=3))),
            parts=Parts(relation=draw(st.none() | spot), tail=draw(st.none() | spot)),
            verdict=draw(VERDICTS),
            score=draw(st.none() | st.floats(0, 1)),
            evidence=draw(
                st.just(()) | st.just((Evidence(source="s1", stance="contradicts", value="c"),))
            ),
        )
        for index in range(draw(st.integers(0, 5)))
    ]
    return Report(
        text=text, method="m", engine="0", threshold=Threshold(value=0.5), facts=tuple(facts)
    )


@given(reports())
def test_pieces_joined_are_the_text(report: Report) -> None:
    found = pieces(report, listing(report))
    assert "".join(report.text[piece.start : piece.end] for piece in found) == report.text
    assert all(piece.start < piece.end for piece in found)


@given(reports())
def test_every_marked_entry_closes_once_and_in_its_mark(report: Report) -> None:
    found = pieces(report, listing(report))
    closed = [entry.number for piece in found for entry in piece.closing]
    held = {entry.number for piece in found for entry in piece.entries}
    assert len(closed) == len(set(closed))
    assert held <= set(closed)


@given(reports())
def test_where_marks_overlap_the_worst_is_shown(report: Report) -> None:
    entries = listing(report)
    for piece in pieces(report, entries):
        covering = [
            entry
            for entry in entries
            if any(start <= piece.start and piece.end <= end for start, end in entry.spans)
        ]
        if piece.verdict is None:
            assert not piece.entries
        elif piece.strong and len(covering) > 1 and not any(e.is_doubted for e in covering):
            worst = min(SEVERITY.index(entry.verdict) for entry in covering)
            assert SEVERITY.index(piece.verdict) <= worst


def test_the_most_doubted_comes_first_and_is_number_one(report: Report) -> None:
    entries = listing(report)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert [entry.reading for entry in entries[:2]] == [
        "Construction began in January 1885",
        "its iron frame weighs 9,500 tonnes",
    ]
    assert [entry.verdict for entry in entries] == sorted(
        (entry.verdict for entry in entries),
        key=lambda v: max(SEVERITY.index(v), 1) if v != "contradicted" else 1,
    )


def quoted_by(
    kind: SourceKind, stance: Stance, said: Sequence[str], verdict: Verdict = "not_checked"
) -> tuple[Quote, ...]:
    """The quotes on one fact, of sources that take this stance with all their words, but for the
    last one of a fact with a verdict, which is against it; two at most are shown."""
    against: Stance = "contradicts" if stance == "supports" else "supports"
    last = len(said) - (verdict != "not_checked")
    sources = tuple(
        Source(id=f"s{n}", kind=kind, title=f"{kind} {n}", text=text, hash="0")
        for n, text in enumerate(said, start=1)
    )
    fact = Fact(
        index=0,
        triple=Triple("it", "lit in", "1871"),
        sentences=(0,),
        spans=((0, 4),),
        evidence=tuple(
            Evidence(
                source=one.id,
                stance=stance if n < last else against,
                start=0,
                end=len(text),
                quote=text,
            )
            for n, (one, text) in enumerate(zip(sources, said, strict=True))
        ),
        verdict=verdict,
    )
    report = Report(
        text="a is b.",
        method="m",
        engine="0",
        threshold=Threshold(value=0.5),
        facts=(fact,),
        sources=sources,
    )
    return quotes(fact, report, most=2)


def test_a_quote_over_two_points_of_a_list_has_no_bullet_in_it() -> None:
    text = "**Tools** are in the shed.\n- The fee is 85 euros.\n 2. It is paid in 3 - 4 parts."
    (found,) = quoted_by("reference", "supports", [text])
    assert found.text == "Tools are in the shed. The fee is 85 euros. It is paid in 3 - 4 parts."


@pytest.mark.parametrize("stance", ["supports", "contradicts"])
def test_a_quote_names_the_answers_that_have_it(stance: Stance) -> None:
    said = ["Lit in 1871.", "It was lit in 1871.", "lit in 1871.", "1871: first light.", "In 1871."]
    found = quoted_by("sample", stance, said)
    assert [one.text for one in found] == said[:2]
    assert found[0].name == "samples 1 and 3"
    rest = "; in other words samples 4 and 5" if stance == "supports" else ""
    assert found[1].name == f"sample 2{rest}"


@pytest.mark.parametrize(
    ("verdict", "stance"), [("supported", "supports"), ("contradicted", "contradicts")]
)
def test_what_speaks_for_a_verdict_is_quoted_before_what_speaks_against_it(
    verdict: Verdict, stance: Stance
) -> None:
    found = quoted_by("sample", stance, ["Lit in 1871.", "It was lit in 1872."], verdict)
    assert found[0].evidence.stance == stance


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["sample 4"], "sample 4"),
        (["sample 4", "sample 2", "sample 3", "sample 7"], "samples 2 to 4 and 7"),
        (["sample 2", "a.txt"], "sample 2, a.txt"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more"),
    ],
)
def test_several_names_in_few_words(names: list[str], told: str) -> None:
    assert name_all(names) == told


def test_a_subject_that_stands_apart_from_what_is_said_of_it_has_no_mark() -> None:
    text = "The gate, as it happens, is locked."
    fact = Fact(
        index=0,
        triple=Triple("gate", "is locked", ""),
        sentences=(),
        spans=((4, 8), (25, 34)),
        parts=Parts(head=(4, 8), relation=(25, 34)),
        verdict="not_checked",
    )
    report = Report(
        text=text, method="m", engine="0", threshold=Threshold(value=0.5), facts=(fact,)
    )
    marked = [text[one.start : one.end] for one in pieces(report, listing(report)) if one.entries]
    assert marked == ["is locked"]


@pytest.mark.parametrize(
    ("text", "triple", "parts", "words"),
    [
        (
            "In 1776 Frederick the Great ordered the farmers of Prussia to plant it.",
            ("Great", "ordered", "farmers of Prussia Frederick"),
            ("Frederick the Great", "ordered", "farmers of Prussia"),
            "Frederick the Great ordered the farmers of Prussia",
        ),
        (
            "The exact wording differs a little.",
            ("exact wording", "differs", "little The"),
            ("The exact wording", "differs", "little"),
            "The exact wording differs a little",
        ),
        (
            "Today a column stands near it.",
            ("column stands near it", "Today", ""),
            ("column stands near it", "Today", "it"),
            "Today a column stands near it",
        ),
        (
            "In 1776 the king ordered it.",  # readable, though the year stands first in the text
            ("king", "ordered it in", "1776"),
            ("king", "ordered", "1776"),
            "king ordered it in 1776",
        ),
    ],
)
def test_a_misread_clause_is_shown_as_it_stands_in_the_text(
    text: str, triple: tuple[str, str, str], parts: tuple[str, str, str], words: str
) -> None:
    places = [(text.index(one), text.index(one) + len(one)) for one in parts]
    fact = Fact(
        index=0,
        triple=Triple(*triple),
        sentences=(0,),
        spans=(places[2],),
        parts=Parts(head=places[0], relation=places[1], tail=places[2]),
    )
    sentence = Sentence(index=0, start=0, end=len(text), facts=(0,))
    report = Report(
        method="consensus",
        engine="test",
        text=text,
        facts=(fact,),
        sentences=(sentence,),
        threshold=Threshold(value=0.5),
    )
    assert listing(report)[0].reading == words
    assert fact.triple == Triple(*triple)
