"""A passage that was found by its words names what a fact is about, or does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.claims import extract
from halubot.compare.relevance import NamedText, Topics, speaks_of
from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.comparison import Comparison
from halubot.report import Source, SourceKind
from halubot.text import read
from halubot.values.names import same_name


def named(message: str, text: str, title: str = "", subject: str | None = None) -> set[bool]:
    document = read(message)
    facts = extract(document, subject=subject)
    assert facts
    known = NamedText(with_tokens(read(text)), title)
    return set(Topics(document, facts, subject).find_named(known))


@pytest.mark.parametrize(
    ("message", "text", "title"),
    [
        ("The Kellan Bridge was opened in 1931.", "The Kellan Bridge is a bridge.", ""),
        ("The Kellan Bridge was opened in 1931.", "It was opened in 1930.", "Kellan Bridge"),
        ("Albert Einstein was born in Ulm.", "Einstein was born in Bern.", "physicists.txt"),
        ("Helen Keller was born in 1880.", "H. Keller was born in 1881.", ""),
        ('Gareth "Gaz" Michael Coombes was born in 1976.', "Gaz Coombes is a singer.", ""),
        ("The liver produces bile.", "The human liver is large.", ""),
        ("The liver produces bile.", "It produces bile.", "Liver"),
        ("The Kellan Bridge's keeper was Bob Hay.", "The Kellan Bridge is long.", ""),
        ("Ada Lovelace was a writer. She was born in 1815.", "Born in 1816.", "Ada Lovelace"),
        ("The mill of Dorn was built in 1840.", "The mill at Dorn was built in 1850.", ""),
        ("The mill of Dorn was built in 1840.", "The mill was built in 1850.", "Dorn"),
        ("Be Kind Rewind was made in 2008.", "Gondry made Be Kind Rewind in 2007.", ""),
        ("Ghana's Asamoah Gyan was injured.", "Asamoah Gyan was never injured.", ""),
        ("The WHO was founded in 1948.", "The World Health Organization is old.", ""),
        ("The USA was founded in 1776.", "The United States were founded in 1776.", ""),
        ("The swift breeds here. It winters in Angola.", "It winters in Mali.", "Swift"),
        ("The Lumo is a lamp. Three million were sold.", "Two million were sold.", "Lumo"),
        ("The hall has a stage. The hall seats 400 people.", "500 people fit in the hall.", ""),
        ("Lee Ki-young's notable roles are few.", "Lee Ki-young acts. His notable roles vary.", ""),
    ],
)
def test_it_does(message: str, text: str, title: str) -> None:
    assert named(message, text, title) == {True}


@pytest.mark.parametrize(
    ("message", "text", "title"),
    [
        ("The Kellan Bridge was opened in 1931.", "It was opened in 1900.", "Ostby Bridge"),
        ("The Kellan Bridge was opened in 1931.", "It was opened in 1900.", ""),
        ("The Kellan Bridge was opened in 1931.", "The Ostby Bridge, or the Bridge, is old.", ""),
        ("Berlin has 3.7 million inhabitants.", "The city has 1.8 million.", "Hamburg"),
        ("The Bank of England was founded in 1694.", "England was founded in 927.", "England"),
        ("Albert Einstein was born in Ulm.", "Alfred Einstein was born in Munich.", ""),
        ("C.R.A.Z.Y. was directed by Vallée.", "A film by R. C. Yates was shown.", ""),
        ("The liver produces bile.", "The gall bladder keeps bile.", "Gall bladder"),
        ("The mill of Dorn was built in 1840.", "The mill of Varn was built in 1850.", ""),
        ("The mill of Dorn was built in 1840.", "Dorn has a church. A mill is near.", ""),
        ("An American corporation is based in Houston.", "Ecolab is an American firm.", ""),
    ],
)
def test_it_does_not(message: str, text: str, title: str) -> None:
    assert named(message, text, title) == {False}


def test_common_words_need_a_name_beside_them_where_the_message_has_one() -> None:
    message = "Ann Ode went to Brightwater College. The college was founded in 1870."
    document = read(message)
    topics = Topics(document, extract(document), None)
    other = with_tokens(read("DeVry is a college founded in 1931."))
    assert not any(topics.find_named(NamedText(other, "DeVry")))


def compared(title: str, kind: SourceKind) -> Comparison:
    message = read("The Kellan Bridge was opened in 1931.")
    text = "Work began in May. The bridge was opened in 1900."
    source = Source(id="s1", kind=kind, title=title, text=text, hash="0")
    return Comparison(message, extract(message), None, [source])


def test_a_found_passage_is_silent_on_what_it_does_not_name() -> None:
    chosen = compared("Harbour handbook", "reference")
    assert chosen.named == [True]
    found = compared("Harbour handbook", "knowledge")
    assert [one.stance for one in found.findings[0]] == ["silent"]
    assert [one.stance for one in found.said_by_references[0]] == ["silent"]
    assert found.named == [False]


def test_nothing_is_known_of_a_pronoun_alone() -> None:
    document = read("It was released in 2002.")
    topics = Topics(document, extract(document), None)
    assert not topics.known
    assert all(topics.find_named(NamedText(with_tokens(read("Anything.")))))


@pytest.mark.parametrize(
    ("question", "text", "title", "spoken"),
    [
        ("When was the Kellan Bridge opened?", "It was opened in 1931.", "Kellan Bridge", True),
        ("When was the Kellan Bridge opened?", "The Ostby Bridge was opened in 1900.", "", False),
        ("When was the Kellan Bridge opened?", "It was opened in 1900.", "Bridges", False),
        ("What does the liver produce?", "Bile is produced there.", "Liver", True),
        ("What does the liver make?", "Wine is made there.", "Vineyard", False),
        ("", "Anything.", "", False),
        ("?", "Anything.", "", False),
    ],
)
def test_a_passage_speaks_of_what_a_question_names(
    question: str, text: str, title: str, spoken: bool
) -> None:
    assert speaks_of(with_tokens(read(text)), title, question) == spoken


_WORDS = (
    "Ada A. Weir Bill William WHO World Health Organization Holland Netherlands Kellan Bridge"
    " Bridges US America III Vitamin C Łódź Lodz"
)
NAMES = st.lists(
    st.sampled_from(_WORDS.split()),
    min_size=1,
    max_size=3,
).map(" ".join)


@given(NAMES, NAMES)
def test_a_name_of_several_words_is_mentioned_by_itself_and_by_any_same_name(
    one: str, other: str
) -> None:
    text = NamedText(with_tokens(read(f"We saw {one} there.")))
    if len(one.split()) > 1:
        assert text.mentions(one)
        if len(other.split()) > 1 and same_name(one, other):
            assert text.mentions(other)
