"""What one text says of a fact."""

from __future__ import annotations

from typing import Final, NamedTuple

from halubot.report import Stance
from halubot.text import Span


class Finding(NamedTuple):
    """What one text says of one fact.

    ``strength`` is in 0..1: how fully a text supports, how sure a contradiction is, or how much
    of the fact's wording a silent text holds (always below COVERED). ``other.text[start:end]`` is
    the sentence that says so, ``other.text[value_start:value_end]`` the rival ``value`` as
    written there (None where there is none); a silent text has 0 for all of them. ``note`` is
    for people. ``lacking`` says that a silent text nowhere holds some value, name or code that
    the fact gives, in any form: its words alone then bear out nothing. ``near`` is the sentence
    of a silent text that says nearly the same of the same, if there is one. ``absent``
    is the place of a value of the fact that the text nowhere holds, ``claim`` that of the words
    that a text contradicts; both are places in the message."""

    stance: Stance
    strength: float
    start: int = 0
    end: int = 0
    value: str | None = None
    note: str = ""
    value_start: int = 0
    value_end: int = 0
    lacking: bool = False
    near: Span | None = None
    absent: Span | None = None
    claim: Span | None = None


OPPOSITE: Final = "says the opposite"
"""The note of a text that denies what a fact says, or says what it denies."""

UNNAMED: Final = Finding("silent", 0.0, lacking=True)
"""What a passage says of a fact that it does not name."""


class Compared(NamedTuple):
    """What one text says of each fact of a message, and of each of its sentences: that supports
    a sentence which says the same with the same values, and contradicts one of which it has
    another value; it is silent on all others. ``named`` tells of which facts it may speak."""

    facts: list[Finding]
    sentences: list[Finding]
    named: list[bool]
