"""The app killed in the middle of an answer: a real process on a terminal of its own."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from halubot.state.sessions import Sessions
from halubot_tui.app import HalubotApp
from tests.halubot_tui.driving import PATIENCE, driven, settled
from tests.halubot_tui.on_terminal import started, wait_until
from tests.loopback import Reply, loopback

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals"),
]

QUESTION = "Who was Ada?"


@driven
async def test_nothing_typed_or_paid_for_is_missing(tmp_path: Path) -> None:
    first = "Ada Lovelace was born in 1815 in London."
    with loopback(Reply(texts=(first,), hang_after_first=True)) as server:
        options = (
            "--session",
            "Ada",
            "--model",
            "openai/test",
            "--api-base",
            server.url,
            "--store",
            f"{tmp_path}/s",
        )
        with started(tmp_path, *options) as (process, terminal):
            terminal.wait_for("Ask a question")
            terminal.type(f"{QUESTION}\r")
            server.wait_for(1)
            terminal.type("and what did she wr")
            wait_until(lambda: "what did she wr" in draft(tmp_path), "what is typed in the store")
            wait_until(lambda: report(tmp_path), "the answer in the store")
            process.send_signal(signal.SIGKILL)
            assert process.wait(PATIENCE) == -signal.SIGKILL
            # The process that checks for it ends too, and lets go of the model.
            server.wait_for_hanging_up()
    app = HalubotApp(folder=tmp_path, session="Ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot, lambda: app._turns)
        (turn,) = app._turns.values()
        await settled(pilot, lambda: turn.report is not None)
        assert turn.inputs.text == QUESTION
        assert turn.answer == "Ada"
        assert turn.state == "stopped"
        assert app._main.composer.text == "and what did she wr"
        await settled(pilot, lambda: not app._main.conversation.waits)
        drawn = "\n".join(
            strip.text for strip in app.screen._compositor.render_strips(app.screen.size)
        )
        assert QUESTION in drawn
        assert "stopped here" in drawn


def draft(folder: Path) -> str:
    """What is kept as typed."""
    with Sessions.open(folder) as sessions:
        return "".join(sessions.draft(one.id) for one in sessions.all())


def report(folder: Path) -> bool:
    """Whether a piece of the answer is kept."""
    with Sessions.open(folder) as sessions:
        for session in sessions.all():
            for entry in sessions.entries(session.id):
                found = sessions.report(entry.id) if entry.kind == "run" else None
                if found is not None and found.text:
                    return True
    return False
