"""Whether a sentence speaks of what a fact is about, or of another that it names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.extract import extract
from halubot.compare.mentions import Likeness, Mention, name_of
from halubot.compare.stance import Matcher
from halubot.text import read

BRIDGE = "The Kellan Bridge was opened in 1800."
ADA = "Ada Weir was born in 1800."


def heard(message: str, text: str, title: str = "", subject: str | None = None) -> set[str]:
    document = read(message)
    facts = extract(document, subject=subject)
    found = Matcher(document, facts, subject).compare(read(text), title)
    return {finding.stance for finding in found}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (BRIDGE, "The bridge of Kellan was opened in 1932."),
        (BRIDGE, "The Ostby Bridge and the Kellan Bridge were opened in 1932."),
        (BRIDGE, "In 1932 it was opened."),
        (BRIDGE, "The king opened the Kellan Bridge. It was opened in 1932."),
        (BRIDGE, "Storbrua (Kellan Bridge) was opened in 1932."),
        (BRIDGE, "The Kellanbrua Bridge was opened in 1932."),
        (ADA, "Augusta Ada Weir was born in 1829."),
        (ADA, "Ada Weir wrote songs. They were sung. She was born in 1829."),
        (ADA, "Mary Holm taught her. Ada Weir wrote songs. She was born in 1829."),
        (ADA, "Ada Weir, a pupil of Mary Holm, was born in 1829."),
        (ADA, "Addie Weir, born Ada Weir, was born in 1829."),
        (ADA, "The club hired Ada Weir. She was born in 1829."),
    ],
)
def test_of_the_same(message: str, text: str) -> None:
    assert heard(message, text) == {"contradicts"}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (BRIDGE, "The Kellan Bridge is old. The Ostby Bridge was opened in 1932."),
        (BRIDGE, "The Ostby Bridge is long. It crosses the Ems. It was opened in 1932."),
        (BRIDGE, "The Kellan Bridge is newer than the Ostby Bridge, which was opened in 1932."),
        (BRIDGE, "The Ostby Bridge in Kellan was opened in 1932."),
        (ADA, "Ada Weir had an aunt, Mary Holm. Mary was born in 1829."),
        (ADA, "Mary Holm, a pupil of Ada Weir, was born in 1829."),
        (ADA, "Mary Holm was a singer when she was young. She was born in 1829."),
        (ADA, "K. Weir was born in 1829."),
    ],
)
def test_of_another(message: str, text: str) -> None:
    assert heard(message, text) == {"silent"}


def test_where_nobody_is_named_the_title_decides() -> None:
    assert heard(ADA, "She was born in 1829.", "Ada Weir (composer)") == {"contradicts"}
    assert heard(ADA, "She was born in 1829.", "a.txt") == {"contradicts"}
    assert heard(ADA, "She was born in 1829.", "Mary Holm") == {"silent"}
    assert heard(BRIDGE, "The bridge was opened in 1829.", "Ostby Bridge") == {"silent"}
    assert heard(BRIDGE, "The bridge was opened in 1829.", "Opening Hours") == {"contradicts"}


def test_the_subject_of_the_message_has_its_name() -> None:
    text = "Mary Holm was a singer. She was born in 1829."
    assert heard("She was born in 1800.", text, subject="Ada Weir") == {"silent"}
    assert heard("She was born in 1800.", text) == {"contradicts"}


def test_what_is_said_of_another_does_not_hide_what_is_said_of_the_same() -> None:
    other = "The Ostby Bridge was opened in 1800."
    assert heard(BRIDGE, f"The Kellan Bridge was opened in 1900. {other}") == {"contradicts"}
    assert heard(BRIDGE, f"{other} The Kellan Bridge was opened in 1900.") == {"contradicts"}


@pytest.mark.parametrize(
    ("mention", "name", "likeness"),
    [
        ("Ada Weir", "Ada Weir", "own"),
        ("Ada Mary Weir", "Ada Weir", "own"),
        ("Dr Weir", "Ada Weir", "own"),
        ("A. Weir", "Ada Weir", "own"),
        ("K. Weir", "Ada Weir", "kind"),
        ("Karl Weir", "Ada Weir", "kind"),
        ("Bill Weir", "William Weir", "own"),
        ("C.V. Weir", "C. V. Weir", "own"),
        ("Jeannine Weir", "Jeanine Weir", "own"),
        ("Mary Holm", "Ada Weir", "other"),
        ("WHO", "World Health Organization", "own"),
        ("Ostby Bridge", "Kellan Bridge", "kind"),
        ("Kellan", "Kellan Bridge", "part"),
        ("Kellan Bridge", "Kellan Bridge, Lund", "own"),
        ("Nigeria", "Niger", "other"),
        ("Olav Weir", "Olav Weir III", "own"),
        ("Olav Weir II", "Olav Weir III", "kind"),
    ],
)
def test_likeness(mention: str, name: str, likeness: Likeness) -> None:
    found = Mention.of(mention)
    assert found is not None
    assert found.likeness(name_of(name)) == likeness


@pytest.mark.parametrize("text", ["", "a.txt", "the old bridge", "12", "Dr"])
def test_what_is_no_name(text: str) -> None:
    assert Mention.of(text) is None


PIECES = [
    "The Ostby Bridge",
    "Kellan",
    "it",
    "which",
    "who",
    ",",
    "was",
    "opened",
    "in",
    "1900",
    "(",
]


@given(st.lists(st.sampled_from([*PIECES, ". "]) | st.text(max_size=5)), st.text(max_size=12))
def test_any_text_is_read(pieces: list[str], title: str) -> None:
    for message in (BRIDGE, ADA, "Die Kellan-Brücke wurde 1800 eröffnet."):
        assert heard(message, " ".join(pieces), title) <= {"supports", "silent", "contradicts"}
