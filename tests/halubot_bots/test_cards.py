"""Cards of reports: complete, inert, within the limits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halubot import Report, check, correct
from halubot.feedback import Word, apply_words
from halubot.render.items import listing
from halubot.report import Fact, Sentence, Threshold, Triple, Verdict
from halubot_bots import cards
from halubot_bots.chat_text import CARD

TEXT = "Ada was born in 1816. She wrote a program. @everyone [x](javascript:a) `b`."
REPORT = check(TEXT, samples=["Ada was born in 1815. She wrote a program."] * 5)

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    verdicts = draw(st.lists(st.sampled_from(get_args(Verdict)), max_size=60))
    text = draw(words) * draw(st.integers(1, 80))
    facts = tuple(
        Fact(
            index=at,
            triple=Triple(draw(words), "is", draw(words) * draw(st.integers(1, 30))),
            sentences=(0,),
            spans=((0, 1),),
            score=0.5,
            verdict=verdict,
            reason="because " * draw(st.integers(0, 100)) or None,
        )
        for at, verdict in enumerate(verdicts)
    )
    return Report(
        text=text,
        method="m",
        engine="0",
        threshold=Threshold(value=0.5),
        sentences=(Sentence(index=0, start=0, end=1, facts=tuple(range(len(facts)))),),
        facts=facts,
    )


def all_cards(report: Report) -> list[cards.Card]:
    return [
        cards.overview(report),
        *cards.facts(report),
        *cards.evidence(report),
        *cards.correction(report),
        cards.comparison([("consensus", report), ("ensemble", report)]),
    ]


@settings(max_examples=40)
@given(reports())
def test_every_card_fits_into_a_message(report: Report) -> None:
    for card in all_cards(report):
        assert card.size <= CARD
        assert card.headline
        assert len(card.blocks) <= cards.BLOCKS + 1


@settings(max_examples=40)
@given(reports())
def test_the_pages_hold_every_fact_once(report: Report) -> None:
    pages = cards.facts(report)
    assert [card.page for card in pages] == list(range(1, len(pages) + 1))
    assert {card.pages for card in pages} == {len(pages)}
    assert sum(len(card.blocks) for card in pages) == max(1, len(listing(report)))


def test_the_first_card_says_what_to_doubt_and_what_can_be_done() -> None:
    card = cards.overview(REPORT)
    assert card.tone == "contradicted"
    assert card.headline == "✗ 1 of 3 facts is contradicted; 1 could not be checked."
    assert any("1816" in block and "1815" in block for block in card.blocks)
    assert [button.action for button in card.buttons] == [
        "facts",
        "evidence",
        "correct",
        "dismiss",
    ]


def test_a_persons_word_stands_beside_the_verdict_with_its_note() -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    word = Word(id=1, at=at, says="wrong", note="@me", text=TEXT, fact=REPORT.facts[0], method="")
    report = apply_words(REPORT, [word])
    for card in (cards.overview(report), *cards.facts(report), *cards.evidence(report)):
        (block,) = [block for block in card.blocks if "You said" in block]
        plain = block.replace("\\", "")
        assert f"You said on {at.astimezone().date()} that it is wrong: @\u200bme" in plain


def test_what_is_not_checked_never_looks_like_a_pass() -> None:
    card = cards.overview(check("Ada was born in 1816."))
    assert card.tone == "not_checked"
    assert any("nothing to compare" in block for block in card.blocks)
    assert "correct" not in [button.action for button in card.buttons]


def test_nothing_of_a_text_acts_in_a_card() -> None:
    shown = "\n".join(part for card in all_cards(correct(REPORT)) for part in card.blocks)
    assert "@everyone" not in shown
    assert "](javascript" not in shown


@pytest.mark.parametrize(
    ("text", "samples", "signs"),
    [
        ("Ada was born in 1816.", ["Ada was born in 1815."] * 5, "✗ 1 contradicted"),
        ("Ada was born in 1815.", ["Ada was born in 1815."] * 5, "✓ 1 supported"),
    ],
)
def test_the_gauge_tells_each_verdict_in_words(text: str, samples: list[str], signs: str) -> None:
    assert signs in cards.gauge(check(text, samples=samples)).replace(cards.NO_BREAK, " ")


def test_a_correction_shows_its_changes_and_its_text() -> None:
    corrected = correct("Ada was born in 1816.", samples=["Ada was born in 1815."] * 5)
    (card,) = cards.correction(corrected)
    assert any("~~1816~~" in block and "**1815**" in block for block in card.blocks)
    assert card.blocks[-1].startswith("Ada was born in 1815")
    (nothing,) = cards.correction(REPORT)
    assert nothing.headline == "Nothing was changed"


def test_a_correction_that_changes_nothing_lists_what_is_left_and_why() -> None:
    samples = [f"Ada was born in {year}." for year in (1811, 1812, 1813)]
    (card,) = cards.correction(correct("Ada was born in 1816.", samples=samples))
    assert card.headline == "Nothing was changed"
    (block,) = card.blocks
    assert block.splitlines() == [
        "left as is: 1816",
        "-# The sources do not agree on what should stand here",
    ]


@pytest.mark.parametrize(
    ("samples", "why"),
    [
        (["Ada was born in 1815."] * 3, "No fact that was checked is in doubt"),
        ([], "No fact could be checked"),
    ],
)
def test_why_there_is_nothing_to_correct(samples: list[str], why: str) -> None:
    (card,) = cards.correction(correct("Ada was born in 1815.", samples=samples))
    (block,) = card.blocks
    assert block.startswith(why)


def test_of_several_doubted_words_of_a_sentence_each_is_named_with_what_is_said_of_it() -> None:
    other = "Ada was born in 1815 in London."
    card = cards.overview(check("Ada was born in 1816 in Paris.", samples=[other] * 3))
    (doubt,) = card.blocks[1:]
    assert "born in **1816** in **Paris**." in doubt
    assert "-# 1816: None of 3 other answers says so, 3 say 1815" in doubt
    assert "-# Paris: None of 3 other answers says so, 3 say London" in doubt
