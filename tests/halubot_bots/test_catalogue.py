"""The catalogues: complete, of the same shape, and in English the words of the core."""

from __future__ import annotations

import asyncio
import re
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings

import halubot_bots
from halubot import Report, check, correct
from halubot.feedback import Word, apply_words
from halubot.methods import driver
from halubot.methods.consensus import consensus
from halubot.render import captions
from halubot.render.items import listing
from halubot_bots import cards, report_words
from halubot_bots.catalogue import (
    ENGLISH,
    LANGUAGES,
    catalogue,
    choose_language,
    get_language,
    money,
    number,
    phrase,
    translate_core,
)
from halubot_bots.chat_text import CARD
from tests.halubot_bots.test_cards import REPORT, all_cards, reports

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)
CODE = Path(halubot_bots.__file__).parent


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


def test_the_code_names_only_phrases_that_there_are() -> None:
    known = catalogue(ENGLISH)
    for file in CODE.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r'(?:phrase|localise|_note)\(\s*"([a-z_.-]+)"', text):
            assert name in known, f"{file.name}: {name}"


def test_a_phrase_falls_back_to_english_and_has_forms() -> None:
    assert phrase("quota.checks", count=1) == "1 check"
    assert phrase("quota.checks", count=2) == "2 checks"
    choose_language("de-AT")
    assert get_language() == "de"
    assert phrase("quota.checks", count=2) == "2 Prüfungen"
    choose_language("ja")
    assert get_language() == ENGLISH
    with pytest.raises(KeyError):
        phrase("no.such")


def test_numbers_are_written_as_the_language_does() -> None:
    for language, half, price, spent, little in (
        ("en", "0.5", "$2.50", "$0.0428", "under $0.0000001"),
        ("de", "0,5", "2,50 $", "0,0428 $", "unter 0,0000001 $"),
    ):
        choose_language(language)
        assert number(0.5) == half
        assert money(2.5) == price
        assert money(0.0428, None) == spent
        assert money(1e-9, None) == little


def test_each_task_speaks_its_own_language() -> None:
    async def speak(language: str, others: asyncio.Barrier) -> str:
        choose_language(language)
        await others.wait()
        return await asyncio.to_thread(phrase, "card.evidence")

    async def both() -> list[str]:
        barrier = asyncio.Barrier(2)
        return list(await asyncio.gather(speak("en-US", barrier), speak("de", barrier)))

    assert asyncio.run(both()) == ["Evidence", "Belege"]


def told(report: Report) -> Iterator[tuple[str, str]]:
    """What the bot says of a report, and what the core says."""
    yield report_words.summarise(report), captions.summary(report)
    yield report_words.name_compared(report), captions.compared_with(report)
    for entry in listing(report):
        yield report_words.count_voices(entry, report), entry.said
        yield report_words.quote_reader(entry.fact), entry.word
        yield report_words.name_verdict(entry.verdict), captions.VERDICTS[entry.verdict]
    if report.correction is not None:
        yield report_words.count_changes(report.correction), captions.changes(report.correction)


TEXTS = [
    ("Ada was born in 1816.", ["Ada was born in 1815."], []),
    ("Ada was born in 1816.", [], ["Ada was born in 1815."]),
    ("Ada was born in 1815.", ["Ada was born in 1815."] * 3, []),
    ("Ada was born in 1816. She died in 1852.", ["Ada was born in 1815. She slept."] * 4, []),
    ("Ada was born in 1816.", [f"Ada was born in {year}." for year in range(1800, 1806)], []),
    ("Ada was born in 1816.", [*["Ada was born in 1815."] * 3, "Ada was born in 1816."], []),
    ("Ada was born in 1816.", ["Bees hum."], ["Bees hum too."]),
    ("Hello there!", ["Hi."], []),
]


@pytest.mark.parametrize(("text", "samples", "references"), TEXTS)
def test_in_english_it_says_what_the_core_says(
    text: str, samples: list[str], references: list[str]
) -> None:
    report = correct(check(text, samples=samples, references=references))
    word = Word(id=1, at=WHEN, says="wrong", note="no", text=text, fact=REPORT.facts[0], method="")
    for one in (report, apply_words(REPORT, [word.model_copy(update={"text": REPORT.text})])):
        for ours, theirs in told(one):
            assert ours == theirs


@settings(max_examples=60)
@given(reports())
def test_in_english_it_counts_as_the_core_counts(report: Report) -> None:
    for ours, theirs in told(report):
        assert ours == theirs


@settings(max_examples=20)
@given(reports())
def test_german_cards_fit_too(report: Report) -> None:
    choose_language("de")
    try:
        assert all(card.size <= CARD for card in all_cards(report))
    finally:
        choose_language(ENGLISH)


def test_a_german_card() -> None:
    choose_language("de")
    report = check("Ada was born in 1816.", samples=["Ada was born in 1815."] * 3)
    card = cards.overview(report)
    assert card.headline == "✗ Die einzige Aussage steht im Widerspruch zu den Quellen."
    text = "\n".join(card.blocks)
    assert "1 im Widerspruch" in text.replace(cards.NO_BREAK, " ")
    assert "Keine von 3 anderen Antworten sagt das, 3 sagen 1815" in text
    assert [one.label for one in card.buttons] == [
        "Alle Aussagen",
        "Belege",
        "Korrigieren",
        "Entfernen",
    ]
    assert "3 andere Antworten" in card.small


def test_the_reasons_of_the_core_are_known_in_german() -> None:
    choose_language("de")
    names = ("DIVIDED", "LIKELY", "ALONE", "OUTVOTED", "UNSEEN", "UNSPOKEN", "UNDECIDED")
    reasons = [getattr(consensus, name) for name in (*names, "WORDLESS", "NO_FACT", "NOT_NAMED")]
    for reason in (*reasons, driver.NOTHING_DRAWN):
        assert translate_core(reason) != reason
    assert report_words.tell_reason(f"{consensus.LIKELY}: “Bees.”").endswith(": “Bees.”")
    (problem,) = captions.problems(check("\U0001f44d"))
    assert report_words.tell_reason(problem) == "der Text enthält keinen Satz"
    assert translate_core("some other reason") == "some other reason"


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_that_are_named_are_there(language: str) -> None:
    found = own(language)
    names = {str(found[name]) for name in found if re.fullmatch(r"command\.[a-z-]+\.name", name)}
    named = re.findall(r"`/([\w-]+)", "\n".join(map(str, found.values())))
    assert set(named) <= names
    assert all(re.fullmatch(r"[-\w]{1,32}", name) and name == name.lower() for name in names)
