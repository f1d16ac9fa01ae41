"""Stances: what another text supports, contradicts, or leaves unsaid; and its exact places."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.facts import Fact, Parts, Triple
from halubot.compare.finding import Finding
from halubot.compare.stance import Matcher
from halubot.text import Document, read


def fact(text: str, head: str, relation: str, tail: str, *, index: int = 0) -> Fact:
    """A fact made by hand: its tail, and its relation's words, stand in the text."""
    spans = []
    at = 0
    for word in re.findall(r"\w+", relation):
        if (found := text.find(word, at)) >= 0:
            spans.append((found, found + len(word)))
            at = found + len(word)
    start = text.index(tail)
    document = read(text)
    number = next(i for i, (_, end) in enumerate(document.sentences) if start < end)
    return Fact(
        index=index,
        triple=Triple(head, relation, tail),
        sentences=(number,),
        spans=(*spans, (start, start + len(tail))),
        parts=Parts(tail=(start, start + len(tail))),
        negated=" not" in f" {relation}",
    )


def clause(text: str) -> Fact:
    return Fact(
        index=0, triple=Triple("", "", text), sentences=(0,), spans=((0, len(text)),), parts=Parts()
    )


def stance(
    message: str, triple: tuple[str, str, str], other: str, subject: str | None = "Ada Weir"
) -> tuple[Finding, Document]:
    there = read(other)
    matcher = Matcher(read(message), [fact(message, *triple)], subject)
    (finding,) = matcher.compare(there)
    return finding, there


ADA = "Ada Weir"


@pytest.mark.parametrize(
    ("message", "triple", "other"),
    [
        ("Ada Weir was born in 1828.", (ADA, "born in", "1828"), "Ada Weir (22 May 1828 - 1890)."),
        ("She died in 1890.", ("She", "died in", "1890"), "Weir (1828–1890) was a lawyer."),
        ("She was a lawyer.", ("She", "was", "lawyer"), "Ada Weir was a Scottish lawyer."),
        (
            "She studied at Bergen University.",
            ("She", "studied at", "Bergen University"),
            "She was taught at the university and, from Bergen University, took a degree.",
        ),
        (
            "The dam cost $160 million.",
            ("dam", "cost", "$160 million"),
            "The dam cost 160 million dollars.",
        ),
        (
            "She joined the USA team.",
            ("She", "joined", "USA team"),
            "She joined the team of the USA.",
        ),
        (
            "She never won a prize.",
            ("She", "never won", "prize"),
            "She did not win a prize, and never won one later.",
        ),
    ],
)
def test_supports(message: str, triple: tuple[str, str, str], other: str) -> None:
    finding, there = stance(message, triple, other)
    assert finding.stance == "supports"
    assert finding.strength >= 0.4
    assert (finding.start, finding.end) in there.sentences
    assert finding.value is None


@pytest.mark.parametrize(
    ("message", "triple", "other", "value"),
    [
        (
            "Ada Weir was born in 1829.",
            (ADA, "born in", "1829"),
            "Ada Weir (22 May 1828 – 3 June 1890) was a lawyer.",
            "1828",
        ),
        (
            "She was born on 2 May 1828.",
            ("She", "born on", "2 May 1828"),
            "Weir was born in Ulm on 3 May 1828.",
            "3 May 1828",
        ),
        (
            "She was born in London.",
            ("She", "born in", "London"),
            "She was born on 3 May 1828 in Romsey, Hampshire.",
            "Romsey, Hampshire",
        ),
        (
            "The film was directed by Jane Doe.",
            ("film", "directed by", "Jane Doe"),
            "The film was directed by John Roe.",
            "John Roe",
        ),
        (
            "The capital of Norway is Bergen.",
            ("capital of Norway", "is", "Bergen"),
            "The capital of Norway is Oslo.",
            "Oslo",
        ),
        (
            "The town has 450 people.",
            ("town", "has", "450 people"),
            "The town has 460 people.",
            "460",
        ),
        (
            "Construction began in January 1885.",
            ("Construction", "began in", "January 1885"),
            "Construction began in January 1887 and ended in 1889.",
            "January 1887",
        ),
        (
            "She took 32 wickets for Kent in the cup match.",
            ("She", "took", "32 wickets"),
            "She took 33 wickets for Kent in the cup match.",
            "33",
        ),
        (
            "In June she joined the small choir of Lund as a singer.",
            ("she", "joined", "choir of Lund"),
            "In June she joined the small choir of Malmö as a singer.",
            "choir of Malmö",
        ),
        (
            "Smoking does not cause cancer.",
            ("Smoking", "does not cause", "cancer"),
            "Smoking causes cancer.",
            None,
        ),
        ("The drug is safe.", ("drug", "is", "safe"), "The drug is not safe.", None),
        (
            "The team won against Heat.",
            ("team", "won against", "Heat"),
            "The team lost against Heat.",
            None,
        ),
    ],
)
def test_contradicts(
    message: str, triple: tuple[str, str, str], other: str, value: str | None
) -> None:
    finding, there = stance(message, triple, other)
    assert finding.stance == "contradicts", finding
    assert finding.value == value
    assert (finding.start, finding.end) in there.sentences
    if value is not None:
        assert there.text[finding.value_start : finding.value_end] == value
        assert finding.note == f"says {value}"
    assert finding.note


@pytest.mark.parametrize(
    ("message", "triple", "other"),
    [
        # one profession, place of work, or year of a prize beside another
        ("She was a lawyer.", ("She", "was", "lawyer"), "She was a neurologist."),
        ("She worked in Bergen.", ("She", "worked in", "Bergen"), "She worked in Oslo."),
        ("She won a medal in 1912.", ("She", "won medal in", "1912"), "She won a medal in 1908."),
        ("She wrote Home.", ("She", "wrote", "Home"), "She wrote Away."),
        # somebody else's life
        (
            "She was born in 1828.",
            ("She", "born in", "1828"),
            "Her father, a clerk, was born in 1790.",
        ),
        # vaguer, not other
        ("She was born on 3 May 1828.", ("She", "born on", "3 May 1828"), "She was born in 1828."),
        ("She was born in Paris.", ("She", "born in", "Paris"), "She was born in France."),
        # another event
        (
            "She opened the school in 1912.",
            ("She", "opened school in", "1912"),
            "She left in 1913.",
        ),
        # another thing
        (
            "The Kell Tower was finished in 1930.",
            ("Kell Tower", "finished in", "1930"),
            "The Ohm Tower was finished in 1931.",
        ),
        # not only
        ("She sang.", ("She", "", "sang"), "She not only danced."),
        ("She was tall.", ("She", "was", "tall"), ""),
        ("She was tall.", ("She", "was", "tall"), "Completely unrelated words."),
    ],
)
def test_silent(message: str, triple: tuple[str, str, str], other: str) -> None:
    finding, _ = stance(message, triple, other)
    assert finding.stance == "silent", finding
    assert finding.strength < 0.7
    assert (finding.start, finding.end, finding.value) == (0, 0, None)


@pytest.mark.parametrize(
    ("message", "triple", "other", "lacking"),
    [
        ("She moved in 1990.", ("She", "moved in", "1990"), "She moved away later.", True),
        ("She moved in 1990.", ("She", "moved in", "1990"), "He left in May 1990.", False),
        ("She met Ann Roe.", ("She", "met", "Ann Roe"), "She met Ben Doe.", True),
        ("She met Ann Roe.", ("She", "met", "Ann Roe"), "A. Roe was late.", False),
        ("She led the WHO.", ("She", "led", "WHO"), "The World Health Organization.", False),
        ("She flew to the USA.", ("She", "flew to", "USA"), "The United States is big.", False),
        ("She won 5 races in 1990.", ("She", "won 5 races in", "1990"), "Of 1990.", True),
        ("She was tall.", ("She", "was", "tall"), "Nothing of it.", False),
    ],
)
def test_what_a_silent_text_lacks(
    message: str, triple: tuple[str, str, str], other: str, lacking: bool
) -> None:
    finding, _ = stance(message, triple, other)
    assert (finding.stance, finding.lacking) == ("silent", lacking)


def test_support_elsewhere_overrides_a_rival() -> None:
    finding, _ = stance(
        "She was born in 1828.",
        ("She", "born in", "1828"),
        "Ada Weir (1829–1890) was a lawyer. Ada Weir was born in 1828.",
    )
    assert finding.stance == "supports"


def test_not_only_is_no_denial() -> None:
    finding, _ = stance(
        "She wrote songs.",
        ("She", "wrote", "songs"),
        "She not only wrote songs but also sang them.",
    )
    assert finding.stance == "supports"


@pytest.mark.parametrize(
    ("message", "other", "expected"),
    [
        ("Die Stadt hat 3,7 Millionen Einwohner.", "Die Stadt hat 3,7 Mio. Einwohner.", "supports"),
        (
            "Die Stadt hat 3,7 Millionen Einwohner.",
            "Die Stadt hat 3,5 Millionen Einwohner.",
            "contradicts",
        ),
        ("Sie wurde 1237 gegründet.", "Sie wurde im Jahr 1244 gegründet.", "contradicts"),
        ("Der Turm ist nicht hoch und alt.", "Der Turm ist hoch und alt.", "contradicts"),
        ("東京は日本の首都です。", "日本の首都は東京です。東京は日本の首都です。", "supports"),
        ("人口は約1400万人です。", "人口は約900万人です。", "contradicts"),
        ("北京是中国的首都。", "上海很大。", "silent"),
    ],
)
def test_clauses_of_other_languages(message: str, other: str, expected: str) -> None:
    (finding,) = Matcher(read(message), [clause(message)], None).compare(read(other))
    assert finding.stance == expected, finding


SENTENCES = [
    "Ada Weir (22 May 1828 – 3 June 1890) was a Scottish lawyer.",
    "She was born in Romsey, Hampshire, the daughter of a baker.",
    "She was educated at Bergen University and at King's College, London.",
    "In 1851 she was called to the bar, and became a judge in 1867.",
    "She did not marry and had no children.",
    "Her first book sold about 5,000 copies in three weeks.",
    "The bridge over the Tay is 3.2 km long and cost $160 million.",
]
PARTS_OF = [
    (0, ("Ada Weir", "was", "Scottish lawyer")),
    (1, ("She", "born in", "Romsey, Hampshire")),
    (2, ("She", "educated at", "Bergen University")),
    (3, ("she", "called in", "1851")),
    (3, ("she", "became judge in", "1867")),
    (4, ("She", "had", "no children")),
    (5, ("first book", "sold", "about 5,000 copies")),
    (6, ("bridge over the Tay", "cost", "$160 million")),
]


def facts_of(text: str) -> list[Fact]:
    return [fact(text, *triple, index=index) for index, (_, triple) in enumerate(PARTS_OF)]


@given(st.permutations(SENTENCES), st.lists(st.sampled_from(["It rained.", "Nobody came."])))
def test_a_text_never_contradicts_its_own_facts(order: list[str], more: list[str]) -> None:
    message = " ".join(SENTENCES)
    matcher = Matcher(read(message), facts_of(message), "Ada Weir")
    for finding in matcher.compare(read(" ".join([*order, *more]))):
        assert finding.stance == "supports"


PIECES = st.lists(st.sampled_from([*SENTENCES, "1829", "not", "born", "("])).map(" ".join)


@given(st.text(max_size=80) | PIECES)
def test_no_text_breaks_a_comparison(other: str) -> None:
    message = " ".join(SENTENCES)
    there = read(other)
    findings = Matcher(read(message), facts_of(message), None).compare(there)
    assert len(findings) == len(PARTS_OF)
    for finding in findings:
        assert 0 <= finding.strength <= 1
        if finding.stance == "silent":
            assert (finding.start, finding.end, finding.value, finding.note) == (0, 0, None, "")
            assert finding.strength < 0.7
            assert finding.near is None or finding.near in there.sentences
        else:
            assert (finding.start, finding.end) in there.sentences
        if finding.value is not None:
            assert there.text[finding.value_start : finding.value_end] == finding.value
            assert finding.start <= finding.value_start < finding.value_end <= finding.end


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_any_clause_is_borne_out_by_itself_or_unsaid(text: str) -> None:
    document = read(text)
    facts = [
        Fact(index=0, triple=Triple("", "", document.plain[a:b]), sentences=(i,), spans=((a, b),))
        for i, (a, b) in enumerate(document.sentences)
    ]
    assert all(f.stance != "contradicts" for f in Matcher(document, facts, None).compare(document))


def test_no_facts_and_no_text() -> None:
    empty = read("")
    assert Matcher(empty, [], None).compare(read("Some text.")) == []
    message = read("She was tall.")
    matcher = Matcher(message, [fact("She was tall.", "She", "was", "tall")], None)
    assert matcher.compare(empty) == [Finding("silent", 0.0)]
    assert not Finding("supports", 1.0).lacking
