"""The conversation: what is in sight, what is marked, and what stays where it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from textual import events

from halubot import check
from halubot.events import Answered, AnswerToken, Event, Started
from halubot.report import Threshold
from halubot.text import read
from halubot_tui.below import EMPTY
from halubot_tui.conversation import Conversation, Unread
from halubot_tui.looks import DARK, Signs
from halubot_tui.messages import Selected
from halubot_tui.roll import KEPT
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import Bare, driven, settled
from tests.halubot_tui.plain import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.geometry import Region
    from textual.pilot import Pilot

TEXT = "Ada Lovelace was born in 1816 in London. She died in 1852 in London."
SAMPLE = "Ada Lovelace was born in 1815 in London. She died in 1852 in London."
HOSTILE = "[@click=app.quit]x[/] [/b] [ \x1b[31mred \u202eturned 日本 e\u0301"


class Talk(Bare):
    """A conversation alone."""

    CSS = "Conversation { width: 1fr; }"

    def __init__(self, signs: Signs | None = None) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.conversation = Conversation(signs or Signs())
        self.heard: list[Selected] = []
        self.unread: list[Turn] = []

    def compose(self) -> ComposeResult:
        yield self.conversation

    def on_selected(self, message: Selected) -> None:
        self.heard.append(message)
        self.conversation.select(message.turn, message.entry)

    def on_unread(self, message: Unread) -> None:
        self.unread += message.turns

    @property
    def lines(self) -> list[str]:
        """What is in sight."""
        return list(self.conversation.lines())


def checked(number: int = 0, text: str = TEXT, question: str = "") -> Turn:
    """A message that was checked."""
    log: list[Event] = []
    check(text, samples=[SAMPLE] * 3, watch=log.append)
    inputs = Inputs(kind="check", text=text, question=question or f"Question {number}?")
    turn = Turn.of(f"t{number}", inputs, log)
    turn.state = "done"
    return turn


def asked(number: int = 0) -> Turn:
    """A message that is being answered."""
    turn = Turn(f"a{number}", Inputs(kind="ask", text=f"Who is number {number}?"), state="working")
    threshold = Threshold(value=0.5)
    turn.hear([Started(text="", sentences=(), method="consensus", engine="x", threshold=threshold)])
    return turn


def hears(app: Talk, turn: Turn, *log: Event) -> None:
    """Something was heard of a message."""
    turn.hear(log)
    app.conversation.show(turn)


def ended(text: str) -> Iterator[Event]:
    """The end of an answer."""
    yield Answered(text=text, sentences=read(text).sentences)


async def drawn(pilot: Pilot[Any]) -> None:
    """Returns once what was heard is drawn."""
    app = pilot.app
    assert isinstance(app, Talk)
    await settled(pilot, lambda: not app.conversation.waits)


@driven
async def test_a_message_shows_its_question_its_result_and_its_marks() -> None:
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        app.conversation.open([checked()])
        await drawn(pilot)
        assert app.lines[0] == "  Question 0?"
        assert app.lines[1].startswith("  ✗ 1 of 4 facts is contradicted")
        assert "born in 1816✗¹ in London" in "\n".join(app.lines)
        assert "contradicted" in str(app.conversation.border_subtitle)


@driven
async def test_the_words_in_doubt_are_marked_and_no_others() -> None:
    """They are not the value of the fact, and neither is its subject in doubt."""
    log: list[Event] = []
    text = "Ada Lovelace never liked green tea. She died in 1852 in London."
    check(text, references=["Ada Lovelace liked green tea. " + SAMPLE], watch=log.append)
    turn = Turn.of("t", Inputs(kind="check", text=text, question="Tea?"), log)
    turn.state = "done"
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        app.conversation.open([turn])
        await drawn(pilot)
        assert "Ada Lovelace never liked✗¹ green tea." in "\n".join(app.lines)
        drawn_as = plain(app)
        row = next(at for at, line in enumerate(drawn_as.lines) if "never liked" in line)
        start = drawn_as.lines[row].index("never")
        assert drawn_as.styles[row].split("; ") == [
            f"{start}-{start + 11} bold underline contradicted",
            f"{start + 11}-{start + 13} bold contradicted",
        ]


@driven
async def test_an_empty_conversation_says_what_to_do() -> None:
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        assert not any(app.lines)
        app.conversation.open([])
        await drawn(pilot)
        assert app.lines[0] == f" {EMPTY}"  # below each other with what is said further down
        assert app.lines[2].startswith(" ✗ contradicted")


@driven
async def test_text_of_a_message_is_never_markup() -> None:
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        turn = checked(text=f"{TEXT}\n\n{HOSTILE}", question=HOSTILE)
        turn.failure = HOSTILE
        app.conversation.open([turn])
        await drawn(pilot)
        shown = re.sub("○[⁰¹²³⁴-⁹]+", "", "\n".join(app.lines))
        assert shown.count("[@click=app.quit]x[/] [/b] [ ") == 3
        assert shown.count("␛[31mred �turned 日本 e\u0301") == 2
        await pilot.click(offset=(6, 6))
        assert app.is_running


@driven
async def test_keys_go_from_fact_to_fact_and_name_it() -> None:
    app = Talk()
    async with app.run_test(size=(100, 12)) as pilot:
        app.conversation.open([checked(0), checked(1)])
        app.conversation.focus()
        await pilot.press("n")
        await drawn(pilot)
        assert [(one.turn, one.entry) for one in app.heard] == [("t0", 1)]
        assert "1816" in str(app.conversation.border_subtitle)
        assert any(line.startswith("▌") for line in app.lines)
        await pilot.press("n", "n", "p")
        assert [one.turn for one in app.heard] == ["t0", "t1", "t0", "t1"]


@driven
async def test_a_mark_that_is_pointed_at_names_its_fact_and_a_click_selects_it() -> None:
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        app.conversation.open([checked()])
        await drawn(pilot)
        row = next(y for y, line in enumerate(app.lines) if "1816" in line)
        offset = (app.lines[row].index("1816") + 1 + 1, row + 1)  # the padding around
        await pilot.hover(offset=offset)
        assert "1816" in str(app.conversation.tooltip)
        assert "1816" in str(app.conversation.border_subtitle)
        await pilot.click(offset=offset)
        assert [(one.turn, one.entry) for one in app.heard] == [("t0", 1)]
        await pilot.hover(offset=(50, 16))
        assert app.conversation.tooltip is None


@pytest.mark.slow
@driven
async def test_an_answer_is_followed_until_one_scrolls_up() -> None:
    app = Talk()
    async with app.run_test(size=(60, 12)) as pilot:
        turn = asked()
        app.conversation.add(turn)
        text = ""
        for number in range(15):
            text += f"Line {number}.\n\n"
            hears(app, turn, AnswerToken(text=f"Line {number}.\n\n"))
            await drawn(pilot)
        assert any("Line 14." in line for line in app.lines)
        app.conversation.focus()
        await pilot.press("pageup")
        await drawn(pilot)
        before = app.lines
        hears(app, turn, AnswerToken(text="More.\n\n" * 10))
        await drawn(pilot)
        assert app.lines == before
        assert not app.conversation.follows
        turn.state = "done"
        hears(app, turn, *ended(text + "More.\n\n" * 10))
        await drawn(pilot)
        assert [line.partition("○")[0] for line in app.lines] == before
        await pilot.press("end")
        hears(app, turn)
        await drawn(pilot)
        assert app.conversation.follows
        assert any("More." in line for line in app.lines)


@driven
async def test_what_one_reads_stays_when_something_above_it_changes() -> None:
    app = Talk()
    async with app.run_test(size=(60, 14)) as pilot:
        turns = [checked(number) for number in range(6)]
        app.conversation.open(turns)
        app.conversation.focus()
        await pilot.press("pageup", "pageup")
        await drawn(pilot)
        before = app.lines
        place = next(n for n, line in enumerate(before) if "Question" in line)
        first = int(before[place].split()[-1].rstrip("?"))
        app.conversation.show(turns[0])
        turns[0].failure = "something that takes a line " * 5
        app.conversation.show(turns[0])
        await drawn(pilot)
        assert first > 0
        assert app.lines == before


@pytest.mark.slow
@driven
async def test_a_resize_in_mid_answer_keeps_the_place() -> None:
    app = Talk()
    async with app.run_test(size=(100, 30)) as pilot:
        words = [f"word{number}" for number in range(900)]
        turn = asked()
        app.conversation.add(turn)
        hears(app, turn, AnswerToken(text=" ".join(words)))
        app.conversation.focus()
        await drawn(pilot)
        await pilot.press("pageup")
        await drawn(pilot)
        top = app.lines[0].split()[0]
        for size in ((20, 8), (100, 30)):
            await pilot.resize_terminal(*size)
            hears(app, turn, AnswerToken(text=" more"))
            await drawn(pilot)
            assert top in app.lines[0]
        await pilot.resize_terminal(20, 8)
        app.conversation.scroll_end()
        hears(app, turn, AnswerToken(text=" last"))
        await drawn(pilot)
        assert any("last" in line for line in app.lines)


@pytest.mark.slow
@driven
async def test_a_long_session_lays_out_what_is_in_sight_alone() -> None:
    app = Talk()
    async with app.run_test(size=(80, 24)) as pilot:
        one, many = checked(), 4 * KEPT
        turns = []
        for number in range(many):
            turn = Turn(f"t{number}", Inputs(kind="check", text=TEXT, question=f"Q{number}."))
            turn.recall(one.report)
            turn.state = "done"
            turns.append(turn)
        app.conversation.open(turns)
        app.conversation.focus()
        await drawn(pilot)
        assert app.conversation.laid_out < 10
        assert any(f"Q{many - 1}." in line for line in app.lines)
        seen = {line.strip() for line in app.lines if line.strip().startswith("Q")}
        for _ in range(many):
            await pilot.press("pageup")
            shown = app.lines
            seen.update(line.strip() for line in shown if line.strip().startswith("Q"))
            assert app.conversation.laid_out <= KEPT
        assert len(seen) == many
        assert any("Q0." in line for line in app.lines)
        await pilot.press("end")
        assert any(f"Q{many - 1}." in line for line in app.lines)


@pytest.mark.slow
@driven
async def test_scrolling_line_by_line_shows_every_line_once() -> None:
    app = Talk()
    async with app.run_test(size=(80, 14)) as pilot:
        turns = [checked(number) for number in range(8)]
        app.conversation.open(turns)
        app.conversation.focus()
        await drawn(pilot)
        first = app.lines
        for _ in range(200):
            before = app.lines
            await pilot.press("up")
            if app.lines == before:
                break
            assert app.lines[1:] == before[:-1]
        else:
            pytest.fail("the top was never reached")
        for _ in range(200):
            before = app.lines
            await pilot.press("down")
            if app.lines == before:
                break
            assert app.lines[:-1] == before[1:]
        assert app.lines == first


@driven
async def test_only_what_comes_near_is_asked_for() -> None:
    app = Talk()
    async with app.run_test(size=(80, 24)) as pilot:
        turns = []
        for number in range(100):
            turn = Turn(f"t{number}", Inputs(kind="check", text=TEXT * 4), state="done")
            turn.run = number + 1
            turns.append(turn)
        app.conversation.open(turns)
        await drawn(pilot)
        assert 0 < len(app.unread) < 15
        assert turns[-1] in app.unread
        assert turns[0] not in app.unread
        app.conversation.focus()
        await pilot.press("home")
        await drawn(pilot)
        assert turns[0] in app.unread
        assert len(app.unread) < 30


@driven
async def test_an_answer_that_breaks_off_is_kept_and_says_so() -> None:
    app = Talk(Signs(ascii=True))
    async with app.run_test(size=(80, 24)) as pilot:
        turn = asked()
        app.conversation.add(turn)
        hears(app, turn, AnswerToken(text="Ada Lovelace was"))
        turn.state, turn.failure = "failed", "the server hung up"
        hears(app, turn)
        await drawn(pilot)
        shown = "\n".join(app.lines)
        assert "! the server hung up" in shown
        assert "Ada Lovelace was" in shown
        assert "-- broken off here --" in shown
        assert shown.isascii()


@driven
async def test_what_is_under_way_is_said_and_facts_light_up() -> None:
    app = Talk()
    async with app.run_test(size=(100, 24)) as pilot:
        log: list[Event] = []
        check(TEXT, samples=[SAMPLE] * 3, watch=log.append)
        judged = [place for place, event in enumerate(log) if event.kind == "fact_judged"]
        turn = Turn("t", Inputs(kind="check", text=TEXT), state="working")
        app.conversation.add(turn)
        hears(app, turn, *log[: judged[0]])
        await drawn(pilot)
        assert app.lines[0].strip().startswith("● ")
        assert "✗" not in "".join(app.lines)
        hears(app, turn, *log[judged[0] : judged[-1] + 1])
        await drawn(pilot)
        assert "1816✗ in London" in "\n".join(app.lines)
        turn.state = "done"
        hears(app, turn, *log[judged[-1] + 1 :])
        await drawn(pilot)
        assert "1816✗¹ in London" in "\n".join(app.lines)


@driven
async def test_words_can_be_selected_with_the_mouse() -> None:
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        app.conversation.open([checked()])
        await drawn(pilot)
        row = next(y for y, line in enumerate(app.lines) if "1816" in line) + 1
        await pilot.mouse_down(offset=(3, row))
        await pilot.hover(offset=(15, row))
        await pilot.mouse_up(offset=(15, row))
        assert app.screen.get_selected_text() in ("Ada Lovelace", "Ada Lovelace ")


@driven
async def test_a_click_beside_a_mark_selects_the_message() -> None:
    app = Talk()
    async with app.run_test(size=(100, 20)) as pilot:
        app.conversation.open([checked()])
        await drawn(pilot)
        await pilot.click(offset=(4, 1))
        assert [(one.turn, one.entry) for one in app.heard] == [("t0", None)]
        assert not isinstance(app.heard[0], events.Event)


@driven
async def test_the_first_and_the_last_line_on_the_screen_are_drawn_anew_too() -> None:
    app = Talk()
    async with app.run_test(size=(80, 12)) as pilot:
        turn = asked()
        app.conversation.open([turn])
        text = "\n\n".join(f"Line {number} of the answer." for number in range(30))
        hears(app, turn, *ended(text))
        await drawn(pilot)
        for found in ("Who is number 0?", "Who is number 0, again?"):
            turn.inputs = turn.inputs.model_copy(update={"text": found})
            app.conversation.show(turn)
            await drawn(pilot)
            app.conversation.scroll_to(y=0)
            await drawn(pilot)
            region = app.conversation.scrollable_content_region
            strips = app.screen._compositor.render_strips()
            rows = strips[region.y : region.bottom]
            seen = [strip.text[region.x : region.right].rstrip() for strip in rows]
            assert seen == app.lines


@driven
async def test_only_lines_that_changed_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Talk()
    async with app.run_test(size=(100, 40)) as pilot:
        turn = asked()
        app.conversation.open([checked(1), turn])
        hears(app, turn, AnswerToken(text="One line.\n\nAnother"))
        await drawn(pilot)
        before = app.lines
        again: list[int] = []
        refresh = app.conversation.refresh

        def noted(*regions: Region, **how: Any) -> Conversation:
            rows = [y for region in regions for y in range(region.y, region.bottom)]
            again.extend(rows if regions else range(len(before)))
            return refresh(*regions, **how)

        with monkeypatch.context() as patched:
            patched.setattr(app.conversation, "refresh", noted)
            hears(app, turn, AnswerToken(text=" line"))
            await settled(pilot, lambda: any("Another line" in line for line in app.lines))
        now = app.lines
        changed = {y for y, (old, new) in enumerate(zip(before, now, strict=True)) if old != new}
        assert changed
        assert changed <= set(again)
        assert len(set(again)) <= len(changed) + 2  # the head tells how long it takes
