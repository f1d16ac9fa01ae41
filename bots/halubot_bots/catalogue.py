"""The bot's own words in several languages: phrases by name, from the data files in ``catalogues``.

The language is that of the task: `choose_language` is called if a wish comes in, and all that
follows from it, on other threads too, speaks that language. A phrase that a language lacks is
English. Texts of models, sources and people are never translated.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from importlib import resources
from typing import Any, Final

from halubot.money import dollars

ENGLISH: Final = "en"
LANGUAGES: Final = (ENGLISH, "de")
"""The languages of the catalogues; the first is the one that all others fall back to."""

# A context variable, not an argument: errors deep in the code are worded in this language, and
# several tasks serve people of different languages at the same time.
LANGUAGE: Final[ContextVar[str]] = ContextVar("language of the bot", default=ENGLISH)


def choose_language(locale: object) -> None:
    """Speak the language of a locale ("de", "en-GB") from now on, in this task and those that it
    begins; English for one that has no catalogue."""
    code = str(locale).partition("-")[0].lower()
    LANGUAGE.set(code if code in LANGUAGES else ENGLISH)


def phrase(name: str, /, **values: object) -> str:
    """Return a phrase with its values put in, in the language of this task. One with several forms
    takes the form for ``count``. Raises KeyError for a name that no catalogue has."""
    found = catalogue(LANGUAGE.get()).get(name) or catalogue(ENGLISH)[name]
    # `format` inserts values without interpreting them, so braces in a text are harmless.
    if isinstance(found, str):
        return found.format(**values)
    return found["one" if values["count"] == 1 else "other"].format(**values)


def money(amount: float, places: int | None = 2) -> str:
    """Return dollars as this language writes them, with so many decimal places; without ``places``
    as many as the core shows of what was spent."""
    digits = f"{amount:.{places}f}" if places is not None else dollars(amount)
    under, _, digits = digits.rpartition("$")
    if LANGUAGE.get() != ENGLISH:
        digits = digits.replace(".", ",")
    shown = phrase("money.amount", amount=digits)
    return phrase("money.under", money=shown) if under else shown


def translate_core(text: str) -> str:
    """Return one of the core's own sentences in the language of this task; unchanged if the
    catalogue does not know it."""
    found = catalogue(LANGUAGE.get()).get(f"core.{text}", text)
    return found if isinstance(found, str) else text


@cache
def catalogue(language: str) -> Mapping[str, str | Mapping[str, str]]:
    """Return all phrases of a language by name: "card.facts". A value is a text, or its forms "one"
    and "other"."""
    place = resources.files("halubot_bots") / "catalogues" / f"{language}.toml"
    tables = tomllib.loads(place.read_text(encoding="utf-8"))
    return dict(_flatten(tables, ""))


def _flatten(
    table: Mapping[str, Any], before: str
) -> Iterator[tuple[str, str | Mapping[str, str]]]:
    for key, value in table.items():
        name = f"{before}{key}"
        # A table of these two keys is one phrase in two forms; any other is a group of phrases.
        if isinstance(value, str) or value.keys() == {"one", "other"}:
            yield name, value
        else:
            yield from _flatten(value, f"{name}.")
