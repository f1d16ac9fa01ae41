"""Made-up lives: a message of 8 sentences that hold 26 facts, and samples that tell the same life,
more or less."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

NAMES = ("Orla", "Tomas", "Ines", "Bertil", "Wanda", "Kofi", "Mirela", "Hugh", "Saskia", "Dario")
FAMILIES = ("Venn", "Okafor", "Lindqvist", "Marchetti", "Dunmore", "Havel", "Ferreira", "Sato")
PLACES = ("Bergen", "Porto", "Leeds", "Graz", "Turin", "Lyon", "Gdansk", "Ghent", "Cork", "Basel")
TRADES = ("botanist", "engraver", "surveyor", "composer", "chemist", "historian", "glazier")
TOPICS = ("alpine mosses", "river tides", "organ pipes", "old maps", "salt mines", "wool dyes")

MESSAGE: Final = (
    "{name} was a {trade} and a {other} from {home}.",
    "{name} was born in {home} on {day} May {born} and studied {topic} in {school}.",
    "In {moved}, {name} moved to {city} and married {friend} in {married}.",
    "{name} wrote {count} books about {topic} and discovered {kinds} species of moss near {field}"
    " in {book}.",
    "The academy of {seat} elected {name} a member in {elected}.",
    "{name} taught drawing in {class} from {began} to {ended} and corresponded with {peer}.",
    "The library of {archive} holds {letters} letters of {name} and {drawings} drawings.",
    "{name} died in {grave} in {died} at the age of {age} and was buried in {tomb}.",
)
SAMPLE: Final = (
    "{name}, a {trade} and a {other}, came from {home}.",
    "{name} was born on {day} May {born} in {home}.",
    "As a student in {school}, {name} took up {topic}.",
    "{name} moved to {city} in {moved}, and in {married} came the marriage to {friend}.",
    "The {count} books about {topic} are still read.",
    "Near {field}, {name} found {kinds} species of moss in {book}.",
    "In {elected}, {name} became a member of the academy of {seat}.",
    "From {began} to {ended}, {name} taught drawing in {class}, and wrote to {peer}.",
    "{letters} letters and {drawings} drawings are in the library of {archive}.",
    "{name} died in {grave} in {died} at the age of {age}, and the grave is in {tomb}.",
)

U, F = len(MESSAGE), 26
"""The sentences of the message, and the facts they hold."""


@dataclass(frozen=True)
class Life:
    """A life as a message tells it, the question it answers, and what samples say."""

    question: str
    text: str
    samples: tuple[str, ...]


def life(seed: int, *, samples: int, agreement: float) -> Life:
    """A life of that number; each sample has a share ``agreement`` of its details right."""
    chance = random.Random(seed)  # noqa: S311 - the same lives again and again
    true = {blank: draw(chance) for blank, draw in _BLANKS.items()}

    def sample() -> str:
        told = {
            blank: true[blank] if blank == "name" or chance.random() < agreement else draw(chance)
            for blank, draw in _BLANKS.items()
        }
        return _written(SAMPLE, told)

    return Life(
        f"Who was {true['name']}, and what is {true['name']} known for?",
        _written(MESSAGE, true),
        tuple(sample() for _ in range(samples)),
    )


def _written(shapes: tuple[str, ...], blanks: Mapping[str, str]) -> str:
    return " ".join(shape.format(**blanks) for shape in shapes)


def _person(chance: random.Random) -> str:
    return f"{chance.choice(NAMES)} {chance.choice(FAMILIES)}"


def _one_of(words: tuple[str, ...]) -> Callable[[random.Random], str]:
    return lambda chance: chance.choice(words)


def _number(low: int, high: int) -> Callable[[random.Random], str]:
    return lambda chance: str(chance.randint(low, high))


_BLANKS: Final[Mapping[str, Callable[[random.Random], str]]] = {
    **dict.fromkeys(("name", "friend", "peer"), _person),
    "trade": _one_of(TRADES[:4]),
    "other": _one_of(TRADES[4:]),
    "topic": _one_of(TOPICS),
    **dict.fromkeys(("home", "school", "city", "field"), _one_of(PLACES)),
    **dict.fromkeys(("seat", "class", "archive", "grave", "tomb"), _one_of(PLACES)),
    **dict.fromkeys(("day", "count", "kinds"), _number(3, 28)),
    **dict.fromkeys(("letters", "drawings"), _number(200, 900)),
    "born": _number(1801, 1809),
    "moved": _number(1821, 1825),
    "married": _number(1826, 1829),
    "book": _number(1831, 1835),
    "elected": _number(1836, 1839),
    "began": _number(1841, 1845),
    "ended": _number(1846, 1849),
    "died": _number(1861, 1879),
    "age": _number(55, 75),
}
