"""Why a fact has its verdict: the list of facts, the evidence, and the words that were paired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Static

from halubot import check
from halubot.compare.explanation import explain, to_lines
from halubot_tui.app import HalubotApp
from halubot_tui.inspecting.drawing import Reading, name_source
from halubot_tui.inspecting.evidence import explain_verdict
from halubot_tui.inspecting.facts import FactList, Stances
from halubot_tui.inspecting.reasons import explain_sentence, number_of
from halubot_tui.inspector import Inspector
from halubot_tui.looks import Signs
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import driven, settled

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "Ada Lovelace was born in **1816**. She wrote a famous book about parrots in Paris."
SAMPLES = (
    "Ada Lovelace was born in 1815.",
    "Ada Lovelace was born in 1815 in London.",
    "Ada Lovelace was a writer.",
)
REFERENCE = "Ada Lovelace was born in London in 1815. She wrote a letter in Paris."


def made() -> Turn:
    turn = Turn("t", Inputs(kind="check", text=TEXT), state="done")
    turn.recall(check(TEXT, samples=SAMPLES, references=[REFERENCE]))
    return turn


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_bar_has_three_parts_and_none_that_is_not_empty_is_left_out() -> None:
    signs = Signs(ascii=True)
    assert Stances(10, 5, 0).bar(signs, 6).plain == "xxxx.."
    assert Stances(1, 98, 1).bar(signs, 6).plain == "x....+"
    assert Stances(0, 0, 3).bar(signs, 6).plain == "++++++"
    assert Stances(10, 5, 0).in_words().plain == "10 against, 5 silent, 0 for"


def test_why_is_a_sentence_first_then_quotes_with_what_differs_beside_each_other() -> None:
    turn = made()
    report = turn.report
    assert report is not None
    entry = next(one for one in turn.entries if "1816" in one.reading)
    said = explain_verdict(turn, entry, 60, Signs()).plain
    lines = said.split("\n")
    assert "*" not in said
    assert lines[1].startswith("The reference says 1815")
    assert "here 1816, there 1815" in said
    assert "Against it (3)" in said


def test_of_silent_sources_the_nearest_sentence_is_shown() -> None:
    turn = made()
    report = turn.report
    assert report is not None
    entry = next(one for one in turn.entries if "parrots" in one.reading)
    number = number_of(entry)
    assert number == 2
    found = explain(report, number)
    said = words(explain_verdict(turn, entry, 60, Signs(), found).plain)
    assert "The nearest that they say: · “She wrote a letter in Paris.”" in said
    assert "not there: " in said
    assert "parrots" in said.partition("not there: ")[2]


def test_it_tells_what_the_command_line_explains() -> None:
    turn = made()
    report = turn.report
    assert report is not None
    for number in (1, 2):
        found = explain(report, number)
        entry = next(one for one in turn.entries if number_of(one) == number)
        shown = words(explain_sentence(found, entry, report, 70, Signs()).plain)
        for said in found.sources:
            assert name_source(said.title or "other answer") in shown
            for one in said.compared:
                assert words(one.quote) in shown
                assert f"{one.share:.0%}" in shown
                for pair in one.pairs:
                    assert pair.claim in shown
                for each in one.differences:
                    assert f"{each.claim} ↔ {each.source}: {each.what}; {each.counts}" in shown
        assert words(found.sentence) in shown
        assert len(to_lines(found)) > 2


def test_both_views_count_the_sources_alike() -> None:
    """A source may support one fact of a sentence and contradict another."""
    text = "Ada Lovelace was born in London in 1816."
    turn = Turn("t", Inputs(kind="check", text=text), state="done")
    turn.recall(check(text, samples=SAMPLES, references=[REFERENCE]))
    report = turn.report
    assert report is not None
    assert len(turn.entries) > 1
    for entry in turn.entries:
        assert entry.fact is not None
        counts = Stances.of(entry.fact)
        found = explain(report, 1)
        shown = words(explain_sentence(found, entry, report, 70, Signs()).plain)
        assert counts.in_words().plain in shown
        heads = {"Against it": counts.against, "For it": counts.for_it, "Silent": counts.silent}
        for head, count in heads.items():
            assert (f"{head} ({count})" in shown) == bool(count)


@pytest.mark.slow
@driven
async def test_the_sixth_view_shows_it_for_the_selected_fact(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    for size in ((160, 48), (100, 30)):
        async with (app := HalubotApp(folder=tmp_path / str(size[0]))).run_test(size=size) as pilot:
            inputs = Inputs(kind="check", text=TEXT, samples=SAMPLES, references=(REFERENCE,))
            turn = await app.begin(inputs)
            await settled(pilot, lambda turn=turn: not turn.running)  # type: ignore[misc]
            await pilot.press("f3")
            inspector = app.screen.query_one(Inspector)
            strip = str(inspector.query_one("#views", Static).content)
            assert all(str(number) in strip for number in range(1, 7))
            await pilot.press("6")

            def shown(inspector: Inspector = inspector) -> str:
                return str(inspector.query_one("#why", Reading).content)

            await settled(pilot, lambda: "paired: " in shown())
            assert "1816 ↔ 1815" in shown()


@pytest.mark.slow
@driven
async def test_the_list_uses_the_height_there_is(tmp_path: Path) -> None:
    years = [f"Ada wrote letter {n} in 18{n + 20}." for n in range(12)]
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(160, 48)) as pilot:
        inputs = Inputs(kind="check", text=" ".join(years), references=(" ".join(years),))
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        facts = app.screen.query_one(FactList)
        await settled(pilot, lambda: facts.numbers)
        lines = [facts.render_line(y).text for y in range(facts.size.height)]
        assert sum("silent" in line for line in lines) > 5


@pytest.mark.slow
@driven
async def test_the_list_opens_at_its_first_fact(tmp_path: Path) -> None:
    """The first doubted fact is selected before the list knows its height."""
    right = "Ada Hill came from Rome. Ada Hill was born in 1800. Ada Hill died in 1852."
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        inputs = Inputs(kind="check", text=right.replace("1852", "1862"), references=(right,))
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        facts = app.screen.query_one(FactList)
        await settled(pilot, lambda: facts.chosen_number == 3)
        await pilot.pause()
        assert facts.scroll_offset.y == 0
