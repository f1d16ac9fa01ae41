"""Stances on facts and sentences, with their places; properties that hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot import check
from halubot.claims import extract
from halubot.compare.matcher import Matcher
from halubot.compare.stances import OPPOSITE, Compared, Finding
from halubot.text import read


def compared(message: str, other: str, title: str = "", *, sample: bool = False) -> Compared:
    document = read(message)
    return Matcher(document, extract(document), None).compare(read(other), title, sample=sample)


def stances(message: str, other: str) -> set[str]:
    return {one.stance for one in compared(message, other).facts}


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("Ada Weir was born in 1828.", "Ada Weir (22 May 1828 - 1890) was born in 1828."),
        ("The dam cost $160 million.", "The dam cost 160 million dollars."),
        ("The boy bought a car.", "The lad purchased an automobile."),
        ("The museum closed in May 1931.", "On 4 May 1931 the museum was closed."),
        ("She never won a prize.", "She did not win a prize."),
        ("The shop is open.", "The shop is not closed."),
        ("Vans made 20 % of all sales.", "Of the sales, 20 % were made by vans."),
        ("The report was written by Ada Weir.", "Ada Weir wrote the report."),
        (
            "Ada Weir was born in Lund and died in Rome.",
            "Ada Weir was born in Lund. She died in Rome.",
        ),
    ],
)
def test_supports(message: str, other: str) -> None:
    found = compared(message, other)
    assert {one.stance for one in found.facts} == {"supports"}
    assert all(other[one.start : one.end].strip() for one in found.facts)
    assert {one.value for one in found.facts} == {None}
    assert found.named == [True] * len(found.facts)


@pytest.mark.parametrize(
    ("message", "other", "value"),
    [
        ("Ada Weir was born in 1829.", "Ada Weir was born in Lund in 1828.", "1828"),
        ("The film was shot in Rome.", "The film was shot in Milan.", "Milan"),
        ("The town has 450 people.", "The town has 460 people.", "460"),
        ("Work began in January 1885.", "Work began in January 1887.", "January 1887"),
        ("The fee is 5 dollars a day.", "The fee is 6 dollars a day.", "6 dollars"),
        ("The siege lasted 40 days.", "The siege lasted 40 weeks.", "40 weeks"),
    ],
)
def test_contradicts_with_the_other_value(message: str, other: str, value: str) -> None:
    found = [one for one in compared(message, other).facts if one.stance == "contradicts"]
    assert found
    for one in found:
        assert (one.value, one.note) == (value, f"says {value}")
        assert other[one.value_start : one.value_end] == value
        assert one.claim is not None
        start, end = one.claim
        assert message[start:end]
        assert message[start:end] not in other


@pytest.mark.parametrize(
    ("message", "other", "note"),
    [
        ("Smoking does not cause cancer.", "Smoking causes cancer.", OPPOSITE),
        ("The team won against Malmo.", "The team lost against Malmo.", "says lost"),
        ("Wash it before dinner.", "Wash it after dinner.", "says after"),
        ("You must wear a helmet.", "You may wear a helmet.", "says may"),
    ],
)
def test_contradicts_with_another_word(message: str, other: str, note: str) -> None:
    (found,) = compared(message, other).facts
    assert (found.stance, found.note) == ("contradicts", note)


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("She was born on 3 May 1828.", "She was born in 1828."),  # vaguer, not other
        ("Ada Weir left in 1912.", "Karl Bode died in 1950."),
        ("She was tall.", ""),
        ("She was tall.", "Completely unrelated words."),
    ],
)
def test_silent(message: str, other: str) -> None:
    for one in compared(message, other).facts:
        assert (one.stance, one.start, one.end, one.value) == ("silent", 0, 0, None)


def test_what_is_said_elsewhere_too_is_supported() -> None:
    other = "Karl Bode was born in 1829. Ada Weir was born in 1828."
    assert stances("Ada Weir was born in 1828.", other) == {"supports"}


def test_a_clause_is_compared_with_what_speaks_of_it() -> None:
    message = "The council approved the library by 11 votes to 5, and building costs £6 million."
    other = (
        "The council approved the library by 11 votes to 5. A petition was read. The building of"
        " the library costs £3 million. Nobody objected. The meeting ended at nine."
    )
    assert "£3 million" in {one.value for one in compared(message, other).facts}


def test_a_shorter_fact_is_supported_with_the_longer_one() -> None:
    message = "A deposit of 50 pounds is due by 30 November."
    other = "A deposit of 50 pounds has to be paid by 30 November. The trip is long. It rains. Bye."
    assert {one.stance for one in compared(message, other).facts} == {"supports"}


def test_what_stands_after_a_verb_is_told_of_that_verb() -> None:
    other = "The pump is assembled in Aarhus from parts made in Turin. It is quiet. It is new. Bye."
    assert "supports" not in stances("The pump is assembled in Turin.", other)
    assert stances("The pump is assembled in Aarhus.", other) == {"supports"}


def test_who_did_it_stands_after_by() -> None:
    other = "The study was led by Ada Dine and reviewed by Leo Pratt. It is long. It is new. Bye."
    assert "supports" not in stances("Ada Dine reviewed the study.", other)
    assert "supports" in stances("Leo Pratt reviewed the study.", other)


def test_two_samples_need_more_words_than_a_reference() -> None:
    """Of a text that was not chosen for the message, a few words in common are chance."""
    message, other = "The lively old market closes at noon.", "The market closes."
    assert compared(message, other, sample=True).facts[0].stance == "silent"


def test_no_facts_and_no_text() -> None:
    assert compared("", "Some text.") == Compared([], [], [])
    (found,) = compared("The wall is tall.", "").facts
    assert found == Finding("silent", 0.0)


SENTENCES = [
    "Ada Weir was born in Lund in 1828.",
    "She was educated at Bergen University.",
    "The bridge over the Tay is 3.2 km long.",
    "Her first book sold about 5,000 copies in three weeks.",
    "All students must pass the exam before the summer.",
    "The museum closes on Monday because the roof leaks.",
    "If the light blinks, press the red button.",
    "Edison sued Tesla over the patent.",
    "Do not take the tablets with milk.",
    "The council did not approve the plan, but it was built.",
    "The train is faster than the bus.",
    "No drivers lost their jobs in the strike.",
    "Take it with or without food.",
    "Some or all of the rooms are booked.",
    "The price rose from 5 to 7 dollars and fell again.",
]


@pytest.mark.slow
@given(st.permutations(SENTENCES), st.integers(1, len(SENTENCES)))
def test_a_text_never_contradicts_its_own_sentences(order: list[str], count: int) -> None:
    text = " ".join(order[:count])
    found = compared(text, " ".join(order))
    assert {one.stance for one in (*found.facts, *found.sentences)} == {"supports"}


PLAIN = [
    ("The shop is", "open on Sunday."),
    ("The bridge was", "opened in 1931."),
    ("Ada Weir was", "born in Lund."),
    ("The vaccine is", "safe for children."),
    ("Guests may", "smoke in the garden."),
    ("Drivers must", "stop at the line."),
    ("The museum will", "close in winter."),
    ("The acid can", "damage the pipe."),
    ("The company has", "paid the fine of $5 million."),
    ("The students were", "allowed to use a calculator."),
    ("The law would", "protect small farms."),
    ("Karl Bode should", "lead the choir."),
]


@pytest.mark.slow
@given(st.lists(st.sampled_from(PLAIN), min_size=1, max_size=4, unique=True), st.data())
def test_a_denied_claim_is_never_supported_by_the_same_sentence(
    parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    here, there = data.draw(st.sampled_from([(" not ", " "), (" ", " not ")]))
    message = " ".join(f"{first}{here}{rest}" for first, rest in parts)
    other = " ".join(f"{first}{there}{rest}" for first, rest in parts)
    found = compared(message, other)
    document = read(message)
    for number, one in enumerate(found.sentences):
        assert one.stance != "supports", document.sentences[number]
    for report in (check(message, references=[other]), check(message, samples=[other] * 3)):
        assert all(sentence.verdict != "supported" for sentence in report.sentences)


@pytest.mark.slow
@given(
    st.sampled_from(
        [
            ("The bridge was opened in 1941.", "The bridge was opened in 1931."),
            ("The shop is open on Sunday.", "The shop is not open on Sunday."),
            ("All students passed the exam.", "Some students passed the exam."),
            ("Edison sued Tesla.", "Tesla sued Edison."),
            ("Wash it before dinner.", "Wash it after dinner."),
            ("The siege lasted 40 days.", "The siege lasted 40 weeks."),
        ]
    ),
    st.lists(st.sampled_from(SENTENCES), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_one_more_reference_never_hides_what_another_contradicts(
    pair: tuple[str, str], more: list[str], again: bool, first: bool
) -> None:
    wrong, right = pair
    other = " ".join(["It rained.", *more, *([wrong] if again else [])])
    references = [other, right] if first else [right, other]
    assert check(wrong, references=[right]).sentences[0].verdict == "contradicted"
    report = check(wrong, references=references)
    assert report.sentences[0].verdict in {"contradicted", "doubtful"}


PIECES = st.lists(
    st.sampled_from([*SENTENCES, "1829", "not", "born", "(", "Ada Weir", "\n\n", "|", "- ", "5 kg"])
).map(" ".join)


@given(PIECES | st.text(max_size=80), PIECES | st.text(max_size=80), st.booleans())
def test_every_place_lies_where_it_is_said_to_lie(message: str, other: str, sample: bool) -> None:
    here, there = read(message), read(other)
    found = Matcher(here, facts := extract(here), None).compare(there, sample=sample)
    assert len(found.facts) == len(found.named) == len(facts)
    assert len(found.sentences) == len(here.sentences)
    for one in (*found.facts, *found.sentences):
        assert 0 <= one.start <= one.end <= len(there.text)
        assert one.strength >= 0
        if one.value is not None:
            assert there.text[one.value_start : one.value_end] == one.value
            assert one.start <= one.value_start < one.value_end <= one.end
        if one.stance != "silent":
            assert one.start < one.end
            assert one.note
        assert one.near is None or 0 <= one.near[0] < one.near[1] <= len(there.text)
        for place in (one.claim, one.absent):
            assert place is None or 0 <= place[0] < place[1] <= len(here.text)


@given(PIECES | st.text(max_size=80))
@example(3 * "Ada Weir was born in Lund. " + "not Ada Weir was born in Lund.")
def test_any_text_beside_itself_is_not_contradicted(text: str) -> None:
    found = compared(text, text)
    assert all(one.stance != "contradicts" for one in (*found.facts, *found.sentences))


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "It is compulsory for guests to leave luggage here.",
            "Guests may leave luggage here if they wish.",
        ),
        ("You must wear a helmet.", "Here a helmet may be worn."),
    ],
)
def test_what_may_be_does_not_support_what_must_be(message: str, other: str) -> None:
    assert {one.stance for one in compared(message, other).sentences}.isdisjoint({"supports"})


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "She moved to London.",
            "Ada Weir was born in London. She had a dog. She wrote. She sang.",
        ),
        ("She moved in 1835.", "Ada Weir married in 1835. She had a dog. She wrote. She sang."),
    ],
)
def test_one_event_of_a_life_does_not_support_another(message: str, other: str) -> None:
    assert stances(message, other) == {"silent"}


def test_one_end_of_a_range_is_compared_alone() -> None:
    text = "Ada Weir (1815-1853) was a clerk."
    found = compared(text, "Ada Weir was born in 1815 and died in 1852.")
    told = {
        (fact.triple.relation, one.stance)
        for fact, one in zip(extract(read(text)), found.facts, strict=True)
    }
    assert told == {("was", "silent"), ("born in", "silent"), ("died in", "contradicts")}
