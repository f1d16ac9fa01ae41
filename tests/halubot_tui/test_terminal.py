"""What the terminal can take."""

from __future__ import annotations

from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import _xterm_parser
from textual.events import Key, Paste

import halubot_tui
from halubot_tui.app import HalubotApp
from halubot_tui.terminal import END, START, WholePastes, has_mouse
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import driven, settled


@pytest.mark.slow
@driven
async def test_over_a_slow_line_an_answer_waits_and_keys_do_not(tmp_path: Path) -> None:
    on_its_way: Queue[str] = Queue()
    app = HalubotApp(folder=tmp_path)
    async with app.run_test() as pilot:
        await app.opened.wait()
        turn = Turn("m0", Inputs(kind="ask", text="Who was Ada?"), state="working")
        await app._main.conversation.add(turn)
        await settled(pilot, lambda: not app._main.conversation.waits)
        app._driver._writer_thread = SimpleNamespace(_queue=on_its_way)  # type: ignore[union-attr]
        on_its_way.put("a frame")
        turn.inputs = Inputs(kind="ask", text="Who was Ben?")
        app._main.conversation.show(turn)
        await pilot.press("x")
        assert app._main.composer.text == "x"
        assert app._main.conversation.waits
        assert "Ben" not in "\n".join(app._main.conversation.lines())
        on_its_way.get()
        await settled(pilot, lambda: not app._main.conversation.waits)
        assert "Ben" in "\n".join(app._main.conversation.lines())


@driven
async def test_what_was_drawn_over_is_not_sent_any_more(tmp_path: Path) -> None:
    on_its_way: Queue[str | None] = Queue()
    app = HalubotApp(folder=tmp_path)
    async with app.run_test(size=(60, 20)):
        await app.opened.wait()
        app._driver._writer_thread = SimpleNamespace(_queue=on_its_way)  # type: ignore[union-attr]
        for sent in ("\x1b[3;1Ha line", "\x1b[?1000h", None):
            on_its_way.put(sent)
        compositor = app.screen._compositor
        app._display(app.screen, compositor.render_update(full=False))
        assert on_its_way.qsize() == 3
        app._display(app.screen, compositor.render_update(full=True))
        assert list(on_its_way.queue) == ["\x1b[?1000h", None]


@pytest.mark.parametrize(
    ("environ", "mouse"),
    [
        ({}, True),
        ({"STY": "12.pts-0.here"}, False),
        ({"STY": "12.pts-0.here", "TEXTUAL_DRIVER": "web"}, True),
    ],
)
def test_gnu_screen_is_not_asked_for_the_mouse(
    environ: dict[str, str], mouse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert has_mouse(environ) is mouse
    ran: list[dict[str, Any]] = []

    def run(app: HalubotApp, **options: Any) -> None:
        ran.append(options)
        app._jobs.close()

    monkeypatch.setattr(HalubotApp, "run", run)
    monkeypatch.setattr(_xterm_parser, "XTermParser", _xterm_parser.XTermParser)
    for name in ("STY", "TEXTUAL_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    halubot_tui.run()
    assert ran == [{"mouse": mouse}]
    assert _xterm_parser.XTermParser is WholePastes


COLOURED = "Ada \x1b[31mred\x1b[0m \x1b]0;title\x07\rsecond\r\x11"


def read(*pieces: str) -> list[str]:
    """The keys and pastes of what a terminal sends, as it comes."""
    parser, found = WholePastes(), []
    for piece in pieces:
        for event in parser.feed(piece):
            if isinstance(event, Key):
                found.append(event.key)
            elif isinstance(event, Paste):
                found.append(f"pasted {event.text}")
    return found


def test_a_paste_with_escapes_is_one_paste_and_no_keys() -> None:
    assert read(f"a{START}{COLOURED}{END}\r") == [
        "a",
        "pasted Ada [31mred[0m ]0;title\x07\rsecond\r\x11",
        "enter",
    ]


def test_keys_that_begin_with_an_escape_are_keys_before_and_after() -> None:
    assert read(f"\x1bOP{START}x{END}\x1b[A", f"\x1b[B{START}\x1b{END}y") == [
        "f1",
        "pasted x",
        "up",
        "down",
        "pasted ",
        "y",
    ]


@given(st.lists(st.integers(1, 12), max_size=12))
def test_it_may_come_in_any_pieces(sizes: list[int]) -> None:
    left, pieces = f"{COLOURED}\x1b[201{END}b", [START]
    for size in sizes:
        pieces.append(left[:size])
        left = left[size:]
    whole = read(START + "".join([*pieces[1:], left]))
    assert read(*(piece for piece in [*pieces, left] if piece)) == whole
    assert whole[-1] == "b"
    assert len(whole) == 2


@pytest.mark.slow
@driven
async def test_what_changes_by_itself_is_drawn_between_two_keys(tmp_path: Path) -> None:
    app = HalubotApp(folder=tmp_path)
    drawn: list[str] = []
    async with app.run_test() as pilot:
        await app.opened.wait()
        app.pressed = -100.0  # nobody types
        app.draw_between(lambda: drawn.append("at once"))
        assert drawn == ["at once"]
        await pilot.press("x")
        app.draw_between(lambda: drawn.append(app._main.composer.text))
        assert drawn == ["at once"]
        await pilot.press("y")
        await settled(pilot, lambda: len(drawn) > 1)
        assert drawn == ["at once", "xy"]
        app.draw_between(lambda: drawn.append("no other key came"))
        await settled(pilot, lambda: len(drawn) > 2)
