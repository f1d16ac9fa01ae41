"""In a long text that says the same of very many, the sentence on a fact's own subject is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from halubot.extract import extract
from halubot.compare.candidates import MOST
from halubot.compare.stance import Matcher
from halubot.text import read

BEGINNINGS = "Bar Kel Lor Mun Tov Sil Gar Pem Wex Yor Dun Fal Hob Jin Cor"
ENDINGS = "dale ford holm ly wick ton stad by mere gate croft den fell ham combe"
NAMES = [first + last for first in BEGINNINGS.split() for last in ENDINGS.split()][:200]
TELLING: list[Callable[[int, str], str]] = [
    lambda at, name: f"The {name} Bridge was opened in {1700 + at}.",
    lambda at, name: f"The {name} Bridge is old. It was opened in {1700 + at}.",
    lambda at, name: f"In {1700 + at}, the {name} Bridge was opened by the king of the day.",
]


def heard(message: str, text: str) -> list[str]:
    document = read(message)
    found = Matcher(document, extract(document), None).compare(read(text))
    return [finding.stance for finding in found]


@pytest.mark.parametrize("telling", TELLING)
@pytest.mark.parametrize("at", [0, MOST - 1, MOST, len(NAMES) - 1])
def test_the_one_among_many(telling: Callable[[int, str], str], at: int) -> None:
    text = " ".join(telling(*pair) for pair in enumerate(NAMES))
    message = f"The {NAMES[at]} Bridge was opened in"
    assert heard(f"{message} {1700 + at}.", text) == ["supports"]
    assert heard(f"{message} {1700 + (at + 7) % 200}.", text) == ["contradicts"]


def test_where_many_hold_every_word_the_sentence_that_holds_all_is_found() -> None:
    sentences = [f"The {name} Bridge was opened in 1931." for name in NAMES]
    sentences += [f"The Kellan Bridge and the {name} Bridge are long." for name in NAMES]
    message = "The Kellan Bridge was opened in 1931."
    assert heard(message, " ".join([*sentences, message])) == ["supports"]


def test_all_facts_of_a_long_message() -> None:
    message = " ".join(TELLING[0](*pair) for pair in enumerate(NAMES))
    text = " ".join(TELLING[1](*pair) for pair in enumerate(NAMES))
    assert heard(message, text) == ["supports"] * len(NAMES)
