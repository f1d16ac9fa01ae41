"""The catalogues: complete, of the same shape, and of the length that Discord allows."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import halubot_bots
from halubot_bots.catalogue import (
    ENGLISH,
    LANGUAGE,
    LANGUAGES,
    catalogue,
    choose_language,
    money,
    phrase,
    translate_core,
)

CODE = "\n".join(
    file.read_text(encoding="utf-8") for file in Path(halubot_bots.__file__).parent.rglob("*.py")
)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    choose_language(ENGLISH)
    yield
    choose_language(ENGLISH)


def own(language: str) -> dict[str, object]:
    """The phrases of a language that are the bot's own."""
    return {name: one for name, one in catalogue(language).items() if not name.startswith("core.")}


def fields(text: object) -> set[str]:
    """The names of the values that a phrase takes."""
    forms = text.values() if isinstance(text, dict) else (text,)
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(str(form)) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_every_phrase_with_the_same_values(language: str) -> None:
    found = own(language)
    assert found.keys() == own(ENGLISH).keys()
    for name, text in own(ENGLISH).items():
        assert fields(found[name]) == fields(text), name
        assert isinstance(found[name], str) == isinstance(text, str), name


def test_the_code_and_the_catalogue_name_the_same_phrases() -> None:
    known = catalogue(ENGLISH)
    for name in re.findall(r'phrase\(\s*"([a-z_.-]+)"', CODE):
        assert name in known, name
    for name in known:
        group = name.rpartition(".")[0]
        begins = (name, f"{group}.{{", f"{group.partition('.')[0]}.{{")
        assert any(one in CODE for one in begins), name


def test_german_has_the_reasons_of_the_core() -> None:
    for at in "verdicts", "methods.consensus.consensus", "correction.corrector", "text.markdown":
        said = [o for n, o in vars(import_module(f"halubot.{at}")).items() if n.isupper()]
        reasons = {f"core.{one}" for one in said if re.match(r"[a-z']+ [^{]+$", str(one))}
        assert set() < reasons <= catalogue("de").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_discord_shows_fits(language: str) -> None:
    for name, text in own(language).items():
        kind, last = name.split(".", 1)[0], name.rpartition(".")[2]
        if kind in ("command", "menu"):
            assert len(str(text)) <= (32 if last == "name" or kind == "menu" else 100), name
        if kind == "button" or name.startswith(("settings.switch", "settings.edit")):
            assert len(str(text)) <= 45, name


def test_a_phrase_falls_back_to_english_and_has_forms() -> None:
    assert phrase("differ.compared", count=1) == "1 answer compared"
    assert phrase("differ.compared", count=2) == "2 answers compared"
    choose_language("de-AT")
    assert LANGUAGE.get() == "de"
    assert phrase("differ.compared", count=2) == "2 Antworten verglichen"
    assert money(2.5) == "2,50 $"
    assert translate_core("nothing to compare with") == "nichts zum Vergleichen"
    choose_language("fr")
    assert LANGUAGE.get() == ENGLISH
    assert phrase("failed.own", later="{}") == "halubot cannot do this now. {}"
