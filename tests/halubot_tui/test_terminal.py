"""What the terminal can take: pastes with control codes in any pieces, and the mouse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, Paste

from halubot_tui.terminal import END, START, WholePastes, has_mouse


@pytest.mark.parametrize(
    ("environ", "mouse"),
    [
        ({}, True),
        ({"STY": "12.pts-0.here"}, False),
        ({"STY": "12.pts-0.here", "TEXTUAL_DRIVER": "web"}, True),
    ],
)
def test_gnu_screen_is_not_asked_for_the_mouse(environ: dict[str, str], *, mouse: bool) -> None:
    assert has_mouse(environ) is mouse


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
