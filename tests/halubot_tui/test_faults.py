"""What goes wrong while the app runs: nothing typed or heard is lost, and nothing but quitting
closes the app."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from halubot_tui.app import HalubotApp
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import driven, settled
from tests.judge import Judge
from tests.loopback import Loopback, Reply, loopback

if TYPE_CHECKING:
    from textual.pilot import Pilot

QUESTION = "Who was Ada?"
ANSWER = "Ada Lovelace was born in 1815 in London."


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with loopback() as one:
        yield one


def asking(folder: Path, server: Loopback, **settings: Any) -> HalubotApp:
    """An app whose model is the server."""
    preferences = Preferences(
        model="openai/tiny", api_base=server.url, store=folder / "store", n_samples=2, **settings
    )
    return HalubotApp(folder=folder, session="faults", preferences=preferences)


def only(app: HalubotApp) -> Turn:
    (turn,) = app._turns.values()
    return turn


def drawn(app: HalubotApp) -> str:
    """The whole screen as words."""
    strips = app.screen._compositor.render_strips(app.screen.size)
    return "\n".join(strip.text.rstrip() for strip in strips)


async def asked(app: HalubotApp, pilot: Pilot[None]) -> Turn:
    """A question typed and sent, once work on it has ended."""
    await pilot.press(*QUESTION, "enter")
    await settled(pilot, lambda: app._turns and not only(app).running)
    return only(app)


async def quit_by_key(app: HalubotApp, pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+q")
    await settled(pilot, lambda: app._exit)


def dying(server: Loopback, after: int, gate: threading.Event | None = None) -> None:
    """The model hangs up after so many words of an answer, which begins once the gate is open; it
    goes on to judge."""
    judge = Judge(answer=ANSWER, samples=(ANSWER,))
    dies = Reply(texts=(ANSWER,), cut=after, gate=gate)
    server.answer(lambda body: dies if body.get("stream") else judge.reply(body))


@driven
async def test_a_model_that_dies_in_mid_answer(tmp_path: Path, server: Loopback) -> None:
    dying(server, after=3)
    app = asking(tmp_path, server)
    async with app.run_test(size=(120, 30)) as pilot:
        turn = await asked(app, pilot)
        assert turn.answer == "Ada Lovelace was"
        assert turn.broken_off
        assert app._main.composer.text == QUESTION
        await settled(pilot, lambda: "broken off here" in drawn(app))
        assert "Ada Lovelace was" in drawn(app)
        assert "the answer broke off" in drawn(app)
        await quit_by_key(app, pilot)
    calls = len(server.received)
    again = asking(tmp_path, server)
    async with again.run_test(size=(120, 30)) as pilot:
        await settled(pilot, lambda: "broken off here" in drawn(again))
        assert only(again).answer == "Ada Lovelace was"
        assert again._main.composer.text == QUESTION
    assert len(server.received) == calls


@driven
async def test_what_is_typed_by_then_stays_and_the_question_is_among_those_sent(
    tmp_path: Path, server: Loopback
) -> None:
    typed = threading.Event()
    dying(server, after=1, gate=typed)
    app = asking(tmp_path, server)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press(*QUESTION, "enter", *"and Ben")
        await settled(pilot, lambda: app._main.composer.text == "and Ben")
        typed.set()
        await settled(pilot, lambda: app._turns and not only(app).running)
        assert only(app).broken_off
        assert app._main.composer.text == "and Ben"
        await pilot.press("up")
        assert app._main.composer.text == QUESTION
        await pilot.press("down")
        assert app._main.composer.text == "and Ben"


@driven
async def test_a_check_that_could_not_begin_is_made_again_with_all_that_was_given(
    tmp_path: Path,
) -> None:
    page = tmp_path / "page.txt"
    app = HalubotApp(folder=tmp_path, session="faults")
    async with app.run_test(size=(100, 30)) as pilot:
        inputs = Inputs(kind="check", text=ANSWER, question=QUESTION, files=(str(page),))
        turn = await app.begin(inputs)
        await settled(pilot, lambda: not turn.running)
        assert turn.failure
        assert "page.txt" in turn.failure
        assert turn.report is None
        page.write_text(ANSWER)
        await pilot.press("f5")
        await settled(pilot, lambda: len(app._turns) == 2)
        again = list(app._turns.values())[1]
        await settled(pilot, lambda: not again.running)
        assert again.inputs == inputs
        assert again.failure is None
        assert {entry.verdict for entry in again.entries} == {"supported"}
