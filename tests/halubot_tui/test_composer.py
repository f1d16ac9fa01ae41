"""The composer: questions, files, commands, and what was sent before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual.events import Paste

from halubot_tui.composer import Composer
from halubot_tui.messages import Commanded, Offered, Sent
from halubot_tui.turns import Inputs
from tests.halubot_tui.driving import Bare, driven, settled

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.pilot import Pilot


class Host(Bare):
    """Keeps what the composer says."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[Any] = []

    def compose(self) -> ComposeResult:
        yield Composer()

    def on_mount(self) -> None:
        self.composer.focus()

    @property
    def composer(self) -> Composer:
        return self.query_one(Composer)

    def on_sent(self, message: Sent) -> None:
        self.heard.append(message.inputs)

    def on_offered(self, message: Offered) -> None:
        self.heard.append(message.path)

    def on_commanded(self, message: Commanded) -> None:
        self.heard.append(message.action.id)


async def write(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*(" " if one == "space" else one for one in text))
    await pilot.pause()


@driven
async def test_enter_sends_and_shift_enter_begins_a_line() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await pilot.press("enter")
        await write(pilot, "ab")
        await pilot.press("shift+enter", "c", "alt+enter", "d", "enter")
        await settled(pilot, lambda: host.heard)
        assert host.heard == [Inputs(kind="ask", text="ab\nc\nd")]
        assert host.composer.text == ""


@driven
async def test_a_backslash_before_enter_begins_a_line() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await write(pilot, "ab\\")
        await pilot.press("enter")
        await write(pilot, "cd")
        await settled(pilot, lambda: host.composer.text == "ab\ncd")
        assert host.heard == []
        await pilot.press("left", "left", "\\", "right", "enter")
        await settled(pilot, lambda: host.heard)
        assert host.heard == [Inputs(kind="ask", text="ab\n\\cd")]


@driven
async def test_what_was_sent_comes_back_by_the_arrows() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.composer.remember(["first"])
        await write(pilot, "two")
        await pilot.press("enter")
        await settled(pilot, lambda: host.heard)
        await pilot.press("d", "up")
        assert host.composer.text == "two"
        await pilot.press("up", "up")
        assert host.composer.text == "first"
        await pilot.press("down", "down", "down")
        assert host.composer.text == "d"


@driven
async def test_arrows_move_within_lines_first() -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.composer.remember(["before"])
        await pilot.press("a", "shift+enter", "b", "up", "x")
        assert host.composer.text == "ax\nb"


@driven
async def test_a_long_paste_is_sent_in_full_and_comes_back_in_full() -> None:
    long = "A note. " * 500
    host = Host()
    async with host.run_test() as pilot:
        host.composer.say("small", asks=True)  # without a model it would be sent at once
        host.composer.editor.post_message(Paste(long))
        await pilot.pause()
        assert host.composer.text == long
        await pilot.press("enter")
        await settled(pilot, lambda: host.heard)
        assert host.heard == [Inputs(kind="ask", text=long.strip())]
        await pilot.press("up", "enter")
        await settled(pilot, lambda: len(host.heard) == 2)
        assert host.heard[1] == host.heard[0]
        host.composer.restore(long)
        assert host.composer.text == long


@pytest.mark.slow
@driven
async def test_a_file_alone_is_offered_and_with_words_goes_along(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("Ada Lovelace was born in 1815.")
    host = Host()
    async with host.run_test() as pilot:
        host.composer.editor.post_message(Paste(str(file)))
        await pilot.pause()
        await pilot.press("enter")
        await write(pilot, str(file))
        await pilot.press("enter")
        await settled(pilot, lambda: len(host.heard) == 2)
        assert host.heard == [file, file]
        host.composer.editor.post_message(Paste(str(file)))
        await pilot.pause()
        await write(pilot, " who?")
        await pilot.press("enter")
        await settled(pilot, lambda: len(host.heard) == 3)
        assert host.heard[2] == Inputs(kind="ask", text="who?", files=(str(file),))


@pytest.mark.slow
@driven
async def test_commands_are_suggested_completed_and_carried_out() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await write(pilot, "/se")
        assert host.composer.has_class("-command")
        await pilot.press("tab")
        assert host.composer.text in ("/sessions", "/settings")
        await pilot.press("enter")
        await pilot.pause()
        await write(pilot, "/he")
        await pilot.press("enter")
        await settled(pilot, lambda: len(host.heard) == 2)
        assert host.heard[1] == "help"
        assert host.heard[0] in ("sessions", "settings")
        assert host.composer.text == ""
        assert not host.composer.has_class("-command")


@pytest.mark.slow
@driven
async def test_arrows_choose_among_commands() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await write(pilot, "/se")
        await pilot.press("down", "enter")
        await write(pilot, "/se")
        await pilot.press("up", "down", "down", "up", "enter")
        await settled(pilot, lambda: len(host.heard) == 2)
        assert sorted(host.heard) == ["sessions", "settings"]


@pytest.mark.slow
@driven
async def test_an_unknown_command_stays_and_the_nearest_is_named() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await write(pilot, "/setings")
        await pilot.press("enter")
        await settled(pilot, lambda: host.told)
        assert host.composer.text == "/setings"
        assert not host.heard
        assert "/settings" in host.told[0]


@pytest.mark.slow
@driven
async def test_a_question_that_begins_with_a_slash_is_a_question() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await write(pilot, "/etc what is that?")
        await pilot.press("enter")
        await settled(pilot, lambda: host.heard)
        assert host.heard == [Inputs(kind="ask", text="/etc what is that?")]


@driven
async def test_what_is_put_back_does_not_overwrite() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await write(pilot, "new")
        host.composer.restore("old")
        assert host.composer.text == "new"
        assert host.composer.take() == "new"
        host.composer.restore("old")
        assert host.composer.text == "old"
