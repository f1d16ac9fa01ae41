import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType

from halubot.render import captions
from halubot.render.terminal import render, render_correction
from halubot.report import Fact, Question, Report, Sentence, Threshold, Triple

HOSTILE = (
    "[@click=app.quit]x[/] [/b] [bold] @everyone <script>alert(1)</script>"
    " \x1b[31mred\x1b]0;t\x07 [1"
)


def console(width: int = 80, *, styled: bool = False, no_color: bool = False) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        force_terminal=styled,
        color_system="standard" if styled else None,
        no_color=no_color,
        legacy_windows=False,
    )


def printed(renderable: RenderableType, out: Console | None = None) -> str:
    out = out or console()
    out.print(renderable)
    file = out.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def hostile_report(text: str = HOSTILE) -> Report:
    fact = Fact(
        index=0,
        triple=Triple(text, text, text),
        sentences=(0,),
        spans=((0, len(text)),),
        verdict="doubtful",
        score=0.9,
        reason=text,
    )
    return Report(
        text=text,
        question=Question(text=text, origin="given"),
        method="m",
        engine="0",
        label=text,
        threshold=Threshold(value=0.5, fitted_on=text),
        sentences=(Sentence(index=0, start=0, end=len(text), facts=(0,)),),
        facts=(fact,) if text else (),
    )


def test_the_parts_come_in_order(report: Report) -> None:
    words: Any = captions.VERDICTS
    shown = printed(render(report))
    assert " ".join(shown.split()).startswith(captions.summary(report))
    parts = [
        "5 of 9 facts are in doubt: ",
        "consensus · 14 other answers and 1 reference · doubted from 0.50 on",
        "The Eiffel Tower is a wrought-iron tower",
        "✗ {contradicted}   ? {doubtful}   ○ {not_checked}".format(**words),
        "✗ 1 Construction began in January 1885",
        f"doubt 0.95, {words['contradicted']}",
        "? 5 the Rothschild bank paid for it",
        f"{words['not_checked'].capitalize()}: no fact was found in it",
        "! answer 15 was left out: it is empty",
    ]
    places = [shown.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert places[0] == 0


def test_no_color_keeps_signs_and_underlines(report: Report) -> None:
    shown = printed(render(report), console(styled=True, no_color=True))
    assert "✗" in shown
    assert "\x1b[1;4m" in shown
    assert "\x1b[1;4;31m" not in shown
    assert "\x1b[1;4;31m" in printed(render(report), console(styled=True))


def test_in_a_pipe_there_is_no_escape_and_no_space_at_a_line_end(report: Report) -> None:
    for shown in (printed(render(report, verbose=True)), printed(render_correction(report))):
        assert "\x1b" not in shown
        assert all(line == line.rstrip() for line in shown.splitlines())


def test_a_terminal_without_unicode_gets_only_what_it_can_print(report: Report) -> None:
    raw = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    out = Console(file=raw, width=80, force_terminal=False)
    out.print(render(report, verbose=True))
    out.print(render_correction(report))
    raw.flush()


@pytest.mark.parametrize("width", [20, 31, 60, 80, 160, 200])
def test_no_line_is_wider_than_the_terminal(report: Report, width: int) -> None:
    for shown in (render(report, verbose=True), render_correction(report, verbose=True)):
        lines = printed(shown, console(width)).splitlines()
        assert max(cell_len(line) for line in lines) <= min(width, 100)


@given(
    st.integers(20, 200),
    st.text(
        alphabet=st.sampled_from("abc [/]\\\n\t é́של東👩‍👧🇫🇷\x1b\x07\u202e\u200b"), max_size=120
    ),
    st.booleans(),
)
def test_any_text_fits_any_width(width: int, text: str, styled: bool) -> None:
    shown = printed(render(hostile_report(text)), console(width))
    assert all(cell_len(line) <= width for line in shown.split("\n"))
    assert "\x1b" not in shown


def test_markup_and_escapes_in_a_text_are_shown_as_they_are() -> None:
    shown = printed(render(hostile_report(), width=100), console(200))
    for part in (
        "[@click=app.quit]x[/]",
        "[/b]",
        "[bold]",
        "@everyone",
        "<script>",
        "␛[31mred␛]0;t␇",
    ):
        assert part in shown
    styled = printed(render(hostile_report()), console(200, styled=True))
    assert "\x1b[31mred" not in styled
    assert "\x1b]" not in styled
    assert "\x07" not in styled


def test_the_correction_shows_each_change_its_cause_and_both_results(report: Report) -> None:
    assert report.correction is not None
    shown = printed(render_correction(report), console(100))
    flat = " ".join(shown.split())
    assert "Correction: 4 changed, 1 removed" in shown
    assert "in January [1885 → 1887] and" in flat
    assert "was [− not] planned" in flat
    assert "✗ 1 Construction began in January [1885 → 1887] and was completed in" in flat
    assert "The reference says 1887" in flat
    assert " ".join(report.correction.text.split()) in flat
    assert f"before after facts 9 1 {captions.VERDICTS['contradicted']} 4 0" in flat
