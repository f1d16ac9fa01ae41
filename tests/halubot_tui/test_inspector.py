"""The inspector: its views of a message, driven by keys and clicks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from textual.content import Content
from textual.widgets import DataTable, OptionList

from halubot import check
from halubot.events import AnswerToken, Started
from halubot.report import (
    Evidence,
    Fact,
    Problem,
    Remark,
    Report,
    Sentence,
    Source,
    Threshold,
    Triple,
)
from halubot_tui import actions
from halubot_tui.app import HalubotApp
from halubot_tui.inspecting.drawing import Reading
from halubot_tui.inspecting.facts import FactList
from halubot_tui.inspecting.graph import branches
from halubot_tui.inspecting.matrix import Matrix
from halubot_tui.inspecting.sources import FullText
from halubot_tui.inspector import Inspector, InspectorScreen
from halubot_tui.looks import DARK, LIGHT, Signs
from halubot_tui.messages import Selected
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Inputs, State, Turn
from tests.halubot_tui.driving import Bare, driven, settled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from textual.app import ComposeResult

HOSTILE = "[@click=app.quit]x[/] [/b] [ \x1b[31mred \u202eturned 日本"
TEXT = "Ada was born in 1816. She died in 1852."
REFERENCE = "A page on Ada. Ada Lovelace was born in 1815, in London."


class Shown(Bare):
    """An inspector alone."""

    CSS = "Inspector { width: 1fr; }"

    def __init__(self, *, ascii: bool = False) -> None:
        super().__init__()
        for theme in (DARK, LIGHT):
            self.register_theme(theme)
        self.theme = DARK.name
        self.inspector = Inspector(Signs(ascii=ascii))
        self.heard: list[tuple[str, int | None]] = []

    def compose(self) -> ComposeResult:
        yield self.inspector

    def on_selected(self, message: Selected) -> None:
        self.heard.append((message.turn, message.entry))

    def text(self, *ids: str) -> str:
        """What the whole screen shows, line by line."""
        width, height = self.size
        lines = self.screen._compositor.render_strips()
        assert len(lines) == height
        return "\n".join(strip.text[:width].rstrip() for strip in lines)


def evidence(source: str, stance: Any, quote: str = "", of: str = "", **more: Any) -> Evidence:
    start = of.index(quote) if quote else 0
    return Evidence(
        source=source, stance=stance, quote=quote, start=start, end=start + len(quote), **more
    )


def fact(index: int, triple: Sequence[str], words: str = "", text: str = TEXT, **more: Any) -> Fact:
    start = text.index(words) if words else 0
    spans = ((start, start + len(words)),) if words else ()
    return Fact(index=index, triple=Triple(*triple), sentences=(0,), spans=spans, **more)


SOURCES = (
    Source(id="s1", kind="sample", text="Ada was born in 1815. She died in 1852."),
    Source(id="s2", kind="sample", text="Ada Lovelace died in 1852."),
    Source(id="r1", kind="reference", title="Ada Lovelace", text=REFERENCE, place="page 3"),
)
FACTS = (
    fact(
        0,
        ("Ada", "died in", "1852"),
        "She died in 1852",
        score=0.1,
        verdict="supported",
        basis=("samples",),
        evidence=(
            evidence("s1", "supports", "She died in 1852.", SOURCES[0].text or ""),
            evidence("s2", "supports", "Ada Lovelace died in 1852.", SOURCES[1].text or ""),
            evidence("r1", "silent"),
        ),
    ),
    fact(
        1,
        ("Ada", "was born in", "1816"),
        "Ada was born in 1816",
        score=0.9,
        probability=0.91,
        verdict="contradicted",
        basis=("samples", "references"),
        evidence=(
            evidence(
                "s1", "contradicts", "Ada was born in 1815.", SOURCES[0].text or "", value="1815"
            ),
            evidence("s2", "silent"),
            evidence("r1", "contradicts", "born in 1815", REFERENCE, value="1815"),
        ),
    ),
)


def report(
    facts: Sequence[Fact] = FACTS,
    sources: Sequence[Source] = SOURCES,
    details: Mapping[str, Any] | None = None,
    **more: Any,
) -> Report:
    return Report(
        text=TEXT,
        method="consensus",
        engine="1",
        threshold=Threshold(value=0.5),
        facts=tuple(facts),
        sources=tuple(sources),
        sentences=(Sentence(index=0, start=0, end=len(TEXT), facts=tuple(f.index for f in facts)),),
        details={"extraction": "English rules", **(details or {})},
        **more,
    )


def turn(given: Report | None = None, name: str = "t") -> Turn:
    made = Turn(name, Inputs(kind="check", text=TEXT), state="done")
    made.recall(given or report())
    return made


@driven
async def test_a_persons_word_stands_beside_the_verdict_with_its_note() -> None:
    app = Shown()
    moment = datetime(2026, 3, 1, 12, tzinfo=UTC)
    remark = Remark(says="right", at=moment, note=f"page 9 {HOSTILE}", verdict="contradicted")
    held = fact(0, ("Ada", "was born in", "1816"), "Ada was born in 1816", verdict="supported")
    update = {"feedback": remark, "basis": ("person",), "reason": "you said so"}
    async with app.run_test(size=(100, 40)) as pilot:
        shown = turn(report([held.model_copy(update=update)]))
        app.inspector.show(shown, shown.entries[0].number)
        await pilot.pause()
        text = " ".join(app.text().split())
        assert "you said so: page 9 [@click" in text
        day = moment.astimezone().date()
        assert f"You said on {day} that it is right: page 9" in text
        assert "(contradicted without your word)" in text


@driven
async def test_facts_are_listed_with_bar_verdict_and_counts_and_sorted_by_place_on_demand() -> None:
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        app.inspector.show(turn())
        await pilot.pause()
        text = app.text()
        assert text.index("Ada was born in 1816") < text.index("Ada died in 1852")
        assert "▰▰▰▰·· 2 against, 1 silent, 0 for · contradicted" in text
        assert "0 against, 1 silent, 2 for · supported" in text
        assert "1 of 2 facts is contradicted" in text
        app.inspector.focus_view()
        await pilot.press("s")
        assert [*app.query_one(FactList).numbers] == [1, 2]
    died = fact(0, ("She", "died in", "1852"), "She died in 1852", score=0.9, verdict="doubtful")
    born = fact(1, ("Ada", "was born in", "1816"), "Ada was born", score=0.6, verdict="doubtful")
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        app.inspector.show(turn(report((died, born), ())))
        app.inspector.focus_view()
        await pilot.pause()
        assert [*app.query_one(FactList).numbers] == [1, 2]
        await pilot.press("s")
        assert [*app.query_one(FactList).numbers] == [2, 1]


@pytest.mark.parametrize(("width", "named"), [(50, 0), (54, 0), (62, 2), (90, 2)])
@driven
async def test_verdicts_are_named_in_all_lines_of_the_list_or_in_none(
    width: int, named: int
) -> None:
    app = Shown()
    async with app.run_test(size=(width, 40)) as pilot:
        app.inspector.show(turn())
        await pilot.pause()
        counts = [line for line in app.text().split("\n") if " silent, " in line]
        assert len(counts) == 2
        assert sum("contradicted" in line or "supported" in line for line in counts) == named


@driven
async def test_a_fact_gone_to_tells_who_says_what_and_is_heard_of_once() -> None:
    app = Shown()
    async with app.run_test(size=(60, 48)) as pilot:
        app.inspector.show(turn())
        app.inspector.focus_view()
        await pilot.press("down")
        await settled(pilot, lambda: app.heard)
        text = app.text()
        assert "Against it (2)" in text
        assert text.index("“born in 1815”") < text.index("“Ada was born in 1815.”")
        assert "Ada Lovelace, page 3" in text
        assert "Silent (1)" in text
        assert app.heard == [("t", 1)]
        app.inspector.show(app.inspector.turn, 1)
        await pilot.pause()
        assert app.heard == [("t", 1)]
        await pilot.press("enter")
        assert app.focused is app.query_one("#evidence")


@pytest.mark.slow
@driven
async def test_a_fact_that_is_looked_at_stays_so_when_others_are_judged_before_it() -> None:
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        made = turn(report((FACTS[0].model_copy(update={"score": 0.6, "verdict": "doubtful"}),)))
        made.state = "working"
        app.inspector.show(made, 1)
        await pilot.pause()
        worse = FACTS[1]
        mine = FACTS[0].model_copy(update={"score": 0.6, "verdict": "doubtful"})
        made.recall(report((mine, worse)))
        app.inspector.show(made, 1)
        await settled(pilot, lambda: app.heard)
        assert app.heard == [("t", 2)]
        assert app.inspector.entry is not None
        assert app.inspector.entry.reading == "Ada died in 1852"


@driven
async def test_the_matrix_has_a_sign_a_cell_and_says_it_in_words() -> None:
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        app.inspector.show(turn(), 1)
        app.inspector.focus_view()
        await pilot.press("2")
        table = app.query_one("#cells", DataTable)
        await settled(pilot, lambda: table.row_count == 2)
        rows = [[str(cell) for cell in table.get_row_at(at)] for at in range(2)]
        assert [row[1:] for row in rows] == [["✗", "✗", "·"], ["·", "✓", "✓"]]
        assert "Ada Lovelace, page 3 contradicts it: “born in 1815”" in " ".join(app.text().split())
        await pilot.press("down", "right")
        await settled(pilot, lambda: app.heard)
        assert app.heard == [("t", 2)]
        assert "sample 1 says so" in " ".join(
            app.text().split()
        ) or "other answer 1 says so" in " ".join(app.text().split())
        await pilot.press("left", "enter")
        await settled(pilot, lambda: app.query_one("#source-list", OptionList).highlighted == 0)
        assert app.query_one("#source-list").has_focus


@driven
async def test_facts_beside_many_sources_can_be_told_apart() -> None:
    sources = [Source(id=f"s{at}", kind="sample", text=TEXT) for at in range(1, 23)]
    silent = tuple(evidence(source.id, "silent") for source in sources)
    facts = [
        fact(0, ("The bridge", what, "1932"), score=0.9, evidence=silent)
        for what in ("was opened in", "was closed in")
    ]
    app = Shown()
    async with app.run_test(size=(66, 40)) as pilot:
        app.inspector.show(turn(report(facts, sources)), 1)
        app.inspector.focus_view()
        await pilot.press("2")
        table = app.query_one("#cells", DataTable)
        await settled(pilot, lambda: table.row_count == 2)
        first, second = (str(table.get_row_at(at)[0]) for at in range(2))
        assert "opened" in first
        assert "closed" in second


@pytest.mark.slow
@driven
async def test_of_a_long_matrix_the_stretch_around_the_fact_is_drawn() -> None:
    sources = [Source(id=f"s{at}", kind="sample", text=TEXT) for at in range(1, 41)]
    silent = tuple(evidence(source.id, "silent") for source in sources)
    facts = [
        fact(at, ("Ada", "knew", f"number {at}"), score=0.9, verdict="doubtful", evidence=silent)
        for at in range(200)
    ]
    app = Shown()
    async with app.run_test(size=(80, 40)) as pilot:
        long = turn(report(facts, sources))
        app.inspector.show(long, 1)
        app.inspector.focus_view()
        await pilot.press("2")
        table = app.query_one("#cells", DataTable)
        await settled(pilot, lambda: table.row_count == 50)
        assert "50 of 200 facts, 40 of 40 sources" in " ".join(app.text().split())
        app.inspector.show(long, 180)
        looked_at = next(entry for entry in long.entries if entry.number == 180)
        await settled(pilot, lambda: looked_at.reading in " ".join(app.text().split()))
        assert table.row_count == 50


@pytest.mark.slow
@driven
async def test_sources_open_where_they_speak_of_the_fact_and_show_all_of_their_text() -> None:
    long = "x\n" * 500 + REFERENCE + "\nthe very end"
    sources = (*SOURCES[:2], SOURCES[2].model_copy(update={"text": long}))
    at = long.index("born in 1815")
    said = Evidence(source="r1", stance="contradicts", quote="born in 1815", start=at, end=at + 12)
    facts = (FACTS[0], FACTS[1].model_copy(update={"evidence": (*FACTS[1].evidence[:2], said)}))
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        app.inspector.show(turn(report(facts, sources)), 1)
        app.inspector.focus_view()
        await pilot.press("3")
        text = app.query_one(FullText)
        await settled(pilot, lambda: text.scroll_offset.y > 400)
        assert "A page on Ada. Ada Lovelace was born in 1815, in" in app.text()
        await pilot.press("tab", "end")
        await settled(pilot, lambda: "the very end" in app.text())
        app.query_one("#source-list", OptionList).focus()
        await pilot.press("down")
        await settled(pilot, lambda: "Ada was born in 1815. She died in 1852." in app.text())


@pytest.mark.slow
@driven
async def test_a_click_on_a_quote_opens_its_source_and_one_on_a_name_its_view() -> None:
    app = Shown()
    async with app.run_test(size=(60, 48)) as pilot:
        app.inspector.show(turn(), 1)
        await pilot.pause()
        lines = app.text().split("\n")
        row = next(at for at, line in enumerate(lines) if "“Ada was born in 1815.”" in line)
        await pilot.click(offset=(8, row))
        await settled(pilot, lambda: "She died in 1852." in app.text())
        row = next(at for at, line in enumerate(app.text().split("\n")) if "4 Graph" in line)
        await pilot.click(offset=(app.text().split("\n")[row].index("Graph") + 1, row))
        await settled(pilot, lambda: "was born in → 1816 ✗¹" in app.text())


@pytest.mark.slow
@driven
async def test_in_plain_terminals_everything_drawn_is_plain() -> None:
    app = Shown(ascii=True)
    weighed = {"contributions": [{"samples": {"odds": -2.0, "weight": 1}}] * 2}
    async with app.run_test(size=(60, 48)) as pilot:
        app.inspector.show(turn(report(details=weighed)), 1)
        app.inspector.focus_view()
        for view in "12345":
            await pilot.press(view)
            await pilot.pause()
            shown = app.text()
            for quoted in "“”":
                shown = shown.replace(quoted, "")
            drawn = {one for one in shown if not one.isascii()}
            assert not drawn - set("▁▂▃▄▅▆▇█▊▎▌▐▍▏▋"), view


@pytest.mark.slow
@driven
async def test_a_low_screen_says_how_to_read_on_below_the_facts(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(60, 20)) as pilot:
        answers = tuple(f"She was born in {year}." for year in range(1700, 1712))
        turn = await app.begin(Inputs(kind="check", text=TEXT, samples=answers))
        await settled(pilot, lambda: not turn.running and app._selected == (turn.id, 1))
        await pilot.press("f3")
        await settled(pilot, lambda: isinstance(app.screen, InspectorScreen))
        reading = app.screen.query_one("#evidence", Reading)
        await settled(pilot, lambda: reading.border_title == "more: Enter, then Down")
        await pilot.press("enter", "down")
        await settled(pilot, lambda: reading.scroll_offset.y == 1)
        assert reading.border_title == "Down reads on, Tab goes back"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(160, 48), (60, 20), (20, 8)])
@driven
async def test_text_of_others_is_never_markup_in_any_view(size: tuple[int, int]) -> None:
    said = Source(id="s1", kind="sample", title=HOSTILE, text=HOSTILE)
    item = Evidence(
        source="s1", stance="contradicts", quote=HOSTILE, start=0, end=len(HOSTILE), note=HOSTILE
    )
    odd = fact(0, (HOSTILE, HOSTILE, HOSTILE), score=0.9, verdict="contradicted", evidence=(item,))
    details = {
        "off_target": {"asked": HOSTILE, "extracted": HOSTILE, "outcome": HOSTILE},
        "own": {HOSTILE: [HOSTILE]},
        "members": {HOSTILE: {"label": HOSTILE, "score": 0.4}},
    }
    made = turn(
        report(
            (odd.model_copy(update={"reason": HOSTILE}),),
            (said,),
            details,
            label=HOSTILE,
            problems=(Problem(what=HOSTILE, why=HOSTILE),),
        )
    )
    app = Shown()
    async with app.run_test(size=size) as pilot:
        app.inspector.show(made)
        app.inspector.focus_view()
        for entry in (None, 1):
            app.inspector.show(made, entry)
            for view in "12345":
                await pilot.press(view)
                await pilot.pause()
                assert "\x1b" not in app.text()
                if size[0] > 100:
                    assert "[@click=app.quit]x[/]" in app.text()
        for theme in (LIGHT, DARK):
            app.theme = theme.name
            await pilot.pause()
        assert app.is_running


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "Nothing is selected."),
        (report((), ()), "No fact was found to check"),
        (
            report((fact(0, ("a", "b", "c"), reason="no source was asked"),), ()),
            "The only fact could not be checked",
        ),
    ],
)
@driven
async def test_states_without_a_result_are_told(given: Report | None, words: str) -> None:
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        app.inspector.show(turn(given) if given is not None else None)
        await pilot.pause()
        assert words in app.text()


@pytest.mark.slow
@driven
async def test_a_failure_and_work_under_way_are_told_apart() -> None:
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        failed = Turn("f", Inputs(kind="check", text=TEXT), state="failed", failure="[no] luck")
        app.inspector.show(failed)
        await pilot.pause()
        assert "! [no] luck" in app.text()
        app.inspector.show(Turn("w", Inputs(kind="ask", text="?"), state="working"))
        await pilot.pause()
        assert "● answering" in app.text()
        waits = turn(report((fact(0, ("a", "b", "c"), reason="not judged yet"),)))
        waits.state = "working"
        app.inspector.show(waits, 1)
        await pilot.pause()
        assert "being checked" in app.text()


@driven
async def test_why_a_fact_was_not_checked_is_told() -> None:
    """It was compared, so it has a score, but nothing decides of it."""
    found = check(TEXT, references=["Ada lived in Rome."])
    assert {one.verdict for one in found.facts} == {"not_checked"}
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        app.inspector.show(turn(found), 1)
        await pilot.pause()
        app.inspector.focus_view()
        text = " ".join(app.text().split())
        assert "○ not checked" in text
        assert "doubt 0." in text
        assert "The reference does not say so" in text
        assert "Nothing that it was compared with speaks of it" in text


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("Ada was", "failed", "The answer broke off before it was checked"),
        ("Ada was", "stopped", "The answer was stopped before it was checked"),
        ("", "failed", "No answer came"),
    ],
)
@driven
async def test_of_an_answer_without_an_end_it_says_that_nothing_was_looked_for(
    text: str, state: State, words: str
) -> None:
    asked = Turn("a", Inputs(kind="ask", text="?"), state="working")
    begun = Started(
        text="", sentences=(), method="consensus", engine="x", threshold=Threshold(value=0.5)
    )
    asked.hear([begun, AnswerToken(text=text)])
    asked.state = state
    app = Shown()
    async with app.run_test(size=(60, 20)) as pilot:
        app.inspector.show(asked)
        await pilot.pause()
        assert words in app.text()
        assert "No fact" not in app.text()


@driven
async def test_matrix_and_sources_say_that_there_is_nothing_to_compare_with() -> None:
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        alone = fact(0, ("a", "b", "c"), score=0.7, verdict="doubtful", reason="a model says so")
        app.inspector.show(turn(report((alone,), ())))
        app.inspector.focus_view()
        await pilot.press("2")
        await settled(pilot, lambda: "There are no sources" in app.text())
        assert not app.query_one(Matrix).query_one("#cells").display
        await pilot.press("3")
        await settled(pilot, lambda: "compared with nothing" in app.text())


@driven
async def test_votes_on_sentences_are_a_matrix_too() -> None:
    votes = {"votes": {"s1": ["no"], "s2": ["yes"]}}
    made = turn(report((), SOURCES[:2], votes))
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        app.inspector.show(made)
        app.inspector.focus_view()
        await pilot.press("2")
        table = app.query_one("#cells", DataTable)
        await settled(pilot, lambda: table.row_count == 1)
        assert [str(cell) for cell in table.get_row_at(0)[1:]] == ["✗", "✓"]


def entries(*triples: tuple[str, str, str]) -> Any:
    facts = [fact(at, triple) for at, triple in enumerate(triples)]
    return sorted(turn(report(facts)).entries, key=lambda one: one.fact.index if one.fact else 0)


def test_the_graph_hangs_facts_below_what_they_are_about_each_once_and_ends_rings() -> None:
    found = list(
        branches(
            entries(("A", "knows", "B"), ("B", "knows", "C"), ("C", "knows", "a"), ("A", "is", "x"))
        )
    )
    shape = [(len(one.trail), one.words, one.above) for one in found]
    assert shape == [
        (0, ("A", ""), False),
        (0, ("knows", "B"), False),
        (1, ("knows", "C"), False),
        (2, ("knows", "a"), True),
        (0, ("is", "x"), False),
    ]
    assert [one.last for one in found[1:]] == [False, True, True, True]


def test_the_graph_of_many_facts_in_a_row_holds_each_once() -> None:
    chain = [(f"n{at}", "leads to", f"n{at + 1}") for at in range(3000)]
    found = [one for one in branches(entries(*chain)) if one.entry is not None]
    assert len(found) == 3000
    assert len({one.entry.number for one in found if one.entry}) == 3000


def test_clauses_without_a_subject_stand_under_a_name_of_their_own() -> None:
    found = list(branches(entries(("", "", "it rained"), ("", "", "it rained"))))
    assert [one.words for one in found] == [
        ("Without a subject", ""),
        ("", "it rained"),
        ("", "it rained"),
    ]


@pytest.mark.slow
@driven
async def test_where_there_is_no_room_f3_opens_a_screen_that_goes_on_being_told(
    tmp_path: Path,
) -> None:
    app = HalubotApp(folder=tmp_path, preferences=Preferences())
    async with app.run_test(size=(60, 20)) as pilot:
        made = await app.begin(Inputs(kind="check", text=TEXT, references=(REFERENCE,)))
        await settled(pilot, lambda: not made.running)
        app.screen.query_one("#conversation").focus()
        await pilot.press("n", "f3")
        await settled(pilot, lambda: isinstance(app.screen, InspectorScreen))
        inspector = app.screen.query_one(Inspector)
        await settled(pilot, lambda: inspector.entry is not None)
        assert inspector.turn is made
        await pilot.press("down")
        await settled(pilot, lambda: inspector.entry is made.entries[1])
        for view in "2345":
            await pilot.press(view)
        await pilot.resize_terminal(20, 8)
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
        await pilot.press("escape")
        await settled(pilot, lambda: not isinstance(app.screen, InspectorScreen))
        await pilot.resize_terminal(60, 20)
        await app.perform(actions.find_action("view-graph"))
        await settled(pilot, lambda: isinstance(app.screen, InspectorScreen))
        assert app.screen.query_one(Inspector).view == "graph"
        await pilot.press("f3")
        await settled(pilot, lambda: not isinstance(app.screen, InspectorScreen))
        await pilot.resize_terminal(120, 40)
        beside = app.screen.query_one(Inspector)
        assert beside.entry is made.entries[1]
        await pilot.press("f3")
        assert beside.has_focus_within
        await pilot.press("f3")
        assert not beside.has_focus_within


@pytest.mark.slow
@driven
async def test_another_text_is_drawn_and_nothing_is_laid_out_for_it() -> None:
    class Written(Bare):
        def compose(self) -> ComposeResult:
            yield Reading(id="evidence")

    app = Written()
    async with app.run_test(size=(40, 20)) as pilot:
        reading = app.query_one(Reading)
        await pilot.pause()
        layouts = 0
        lay = app.screen._refresh_layout

        def count(*given: Any, **named: Any) -> None:
            nonlocal layouts
            layouts += 1
            lay(*given, **named)

        app.screen._refresh_layout = count  # type: ignore[method-assign]
        for number in range(1, 60, 7):
            reading.put_text(Content("\n".join(f"line {n}" for n in range(number))))
            await pilot.pause()
        assert layouts == 0
        assert reading.max_scroll_y == 57 - 20
        assert reading.render_line(0).text.strip() == "line 0"
        reading.scroll_end(animate=False)
        await pilot.pause()
        assert reading.render_line(19).text.strip() == "line 56"


@driven
async def test_its_texts_fit_from_the_first_drawing_on() -> None:
    """A list that was not in sight before is not broken at the width of nothing."""
    app = Shown()
    async with app.run_test(size=(60, 30)) as pilot:
        app.inspector.show(None)
        await pilot.pause()
        app.inspector.show(turn())
        facts = app.query_one(FactList)
        await pilot.pause()
        assert "Ada was born in 1816" in facts.render_line(0).text


@driven
async def test_a_source_is_read_without_its_markdown_and_marked_in_its_place() -> None:
    text = "# Ada\n\nAda was **born in 1815**, see [here](https://example.org).\nA line of its own."
    at = text.index("born in 1815")
    said = Evidence(source="r1", stance="contradicts", quote="born in 1815", start=at, end=at + 12)
    sources = (*SOURCES[:2], SOURCES[2].model_copy(update={"text": text}))
    facts = (FACTS[0], FACTS[1].model_copy(update={"evidence": (said,)}))
    app = Shown()
    async with app.run_test(size=(60, 40)) as pilot:
        shown = turn(report(facts, sources))
        number = next(one.number for one in shown.entries if one.fact is facts[1])
        app.inspector.show(shown, number)
        app.inspector.focus_view()
        await pilot.press("3")
        await settled(pilot, lambda: "born in 1815" in app.text())
        assert "**" not in app.text()
        assert "example.org" not in app.text()
        full = app.query_one(FullText)
        lines = [full.render_line(y) for y in range(full.size.height)]
        assert any(line.text.strip() == "A line of its own." for line in lines)
        marked = [
            segment.text
            for line in lines
            for segment in line
            if segment.style is not None and segment.style.reverse
        ]
        assert "".join(marked).strip() == "born in 1815"


@pytest.mark.slow
@pytest.mark.parametrize("rows", [3, 4, 5, 6])
@driven
async def test_no_entry_of_the_list_is_cut_at_its_upper_edge(rows: int) -> None:
    class Listed(Bare):
        CSS = f"FactList {{ height: {rows}; }}"

        def compose(self) -> ComposeResult:
            yield FactList(Signs())

    facts = tuple(
        FACTS[0].model_copy(update={"index": n, "triple": Triple("Ada", "died in", str(1850 + n))})
        for n in range(7)
    )
    shown = turn(report(facts))
    app = Listed()
    async with app.run_test(size=(60, 20)) as pilot:
        listed = app.query_one(FactList)
        for entry in (*shown.entries, *reversed(shown.entries)):
            listed.show(shown, entry, 56, by_doubt=False)
            await pilot.pause()
            lines = [listed.render_line(y).text.rstrip() for y in range(rows)]
            assert "Ada died in" in lines[0]
            assert any(entry.reading in line for line in lines)
