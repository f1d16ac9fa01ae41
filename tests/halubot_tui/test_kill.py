"""The app killed in the middle of an answer: a real process on a terminal of its own."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

import pytest

from halubot.state.sessions import Sessions
from halubot_tui.session_store import read_draft
from tests.halubot_tui.driving import PATIENCE, driven, opened, settled, shown
from tests.halubot_tui.on_terminal import started, wait_until
from tests.loopback import Reply, loopback

if TYPE_CHECKING:
    from pathlib import Path

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
            *("--session", "Ada", "--model", "openai/test", "--api-base", server.url),
            *("--store", f"{tmp_path}/s"),
        )
        with started(tmp_path, "halubot", "tui", *options) as (process, terminal):
            terminal.see("Ask, or paste a text to check")
            terminal.type(f"{QUESTION}\r")
            server.wait_for(1)
            terminal.see(f"\n {QUESTION}")
            terminal.type("\x1b")
            terminal.see("⏎ check")  # the composer has the focus
            terminal.type("and what did she wr")
            wait_until(lambda: "what did she wr" in draft(tmp_path), "what is typed in the store")
            wait_until(lambda: has_answer(tmp_path), "the answer in the store")
            process.send_signal(signal.SIGKILL)
            assert process.wait(PATIENCE) == -signal.SIGKILL
            # The process that checks for it ends too, and lets go of the model.
            server.wait_for_hanging_up()
    app = opened(tmp_path, session="Ada")
    async with app.run_test(size=(100, 30)) as pilot:
        await app.opened.wait()
        check = app.open_checks.shown
        assert check is not None
        assert (check.inputs.text, check.text, check.state) == (QUESTION, "Ada", "stopped")
        assert app.main.composer.prompt.text == "and what did she wr"
        await settled(pilot, lambda: "Stopped." in shown(app))
        assert QUESTION in shown(app)


def draft(folder: Path) -> str:
    """What is stored as typed."""
    with Sessions.open(folder) as sessions:
        return "".join(read_draft(sessions.draft(one.id)).text for one in sessions.all())


def has_answer(folder: Path) -> bool:
    """Whether a piece of the answer is stored."""
    with Sessions.open(folder) as sessions:
        for session in sessions.all():
            for entry in sessions.entries(session.id):
                found = sessions.report(entry.id) if entry.kind == "run" else None
                if found is not None and found.text:
                    return True
    return False
