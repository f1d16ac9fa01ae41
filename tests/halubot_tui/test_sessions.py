"""Sessions: listed, searched, renamed, deleted with undo; two apps on one session; a bad store."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from halubot.state.sessions import FILE, Sessions
from halubot_tui.open_session import SILENCE
from halubot_tui.session_store import Draft, SessionStore, read_draft
from halubot_tui.sources import Given
from halubot_tui.text_check import Inputs, TextCheck
from halubot_tui.widgets.session_list import when
from tests.halubot_tui.canned import ANSWER, TEXT, CannedChecker, events_of
from tests.halubot_tui.driving import check_text, driven, opened, settled, shown

if TYPE_CHECKING:
    from pathlib import Path

    from halubot.errors import StateError

SECOND = "Babbage died in 1872."
RIGHT = "Babbage died in 1871."


@pytest.mark.slow
@driven
async def test_sessions_are_named_counted_searched_renamed_and_deleted_with_undo(
    tmp_path: Path,
) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await check_text(pilot)
        first = app.session_id
        await check_text(pilot, SECOND, question="When did Babbage die?", samples=(RIGHT,) * 3)
        assert app.session_id != first
        await pilot.press("ctrl+r")
        await settled(pilot, lambda: "When did Babbage die?" in shown(app))
        await settled(pilot, lambda: "4 in doubt" in shown(app))
        assert "· 1 in doubt" in shown(app)
        await pilot.press("f2", "ctrl+u", *"Thesis", "enter")
        await settled(pilot, lambda: app.main.status.session_title == "Thesis")
        await pilot.press("delete")
        await settled(pilot, lambda: "· 1 in doubt" not in shown(app))
        assert "^Z brings it back" in shown(app)
        await pilot.press("ctrl+z")
        await settled(pilot, lambda: "· 1 in doubt" in shown(app))
        await pilot.press("shift+tab", *"byron")
        await settled(pilot, lambda: "· 1 in doubt" not in shown(app))
        await pilot.press("enter")
        await settled(pilot, lambda: app.session_id == first)
        await settled(pilot, lambda: "1816✗¹" in shown(app))


@pytest.mark.slow
@driven
async def test_what_was_deleted_is_gone_once_the_app_is_left(tmp_path: Path) -> None:
    app = opened(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await check_text(pilot)
        await pilot.press("ctrl+r")
        await settled(pilot, lambda: "open · " in shown(app))
        await pilot.press("delete")
        await settled(pilot, lambda: app.open_checks.shown is None)
    with Sessions.open(tmp_path) as sessions:
        assert not sessions.all()


@driven
async def test_another_app_on_the_same_session_is_followed(tmp_path: Path) -> None:
    first, second = opened(tmp_path, session="Ada"), opened(tmp_path, session="Ada")
    async with first.run_test(size=(120, 40)) as pilot, second.run_test(size=(120, 40)) as other:
        await second.opened.wait()
        await check_text(pilot)
        await asyncio.to_thread(first.store._need().flush)

        async def follow() -> bool:
            await second._keep_up()
            check = second.open_checks.shown
            return check is not None and not check.running

        for _ in range(500):
            if await follow():
                break
            await other.pause()
        await settled(other, lambda: "4 in doubt" in shown(second))


@driven
async def test_a_silent_check_of_another_app_is_stopped(tmp_path: Path) -> None:
    warned: list[StateError] = []
    store, other = SessionStore(warned.append, tmp_path), SessionStore(warned.append, tmp_path)
    store.open("Ada")
    other.open("Ada")
    from halubot_tui.open_session import OpenSession

    clock = [0.0]
    session = OpenSession(store, clock=lambda: clock[0])
    await session.load()
    recording = other.begin(TextCheck("x", Inputs(kind="check", text=TEXT)), {})
    assert recording is not None
    for event in events_of(TEXT, ())[:3]:
        recording.hear(event)
    await asyncio.to_thread(recording.flush)
    await session.follow()
    found = await session.follow() or session.latest
    assert found is not None
    assert found.running
    clock[0] = SILENCE + 1
    await session.follow()
    assert found.state == "stopped"
    store.close()
    other.close()
    assert not warned


@driven
async def test_a_damaged_store_is_told_and_can_be_set_aside(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    app = opened(tmp_path)
    async with app.run_test(size=(160, 40)) as pilot:
        await settled(pilot, lambda: "begin a new one?" in shown(app))
        await pilot.press("enter")
        await settled(pilot, lambda: "is now" in shown(app))
        await check_text(pilot)
        assert app.session_id is not None


@driven
async def test_work_of_a_session_that_was_left_goes_on(tmp_path: Path) -> None:
    gate = asyncio.Event()
    app = opened(tmp_path, CannedChecker(gate))
    async with app.run_test(size=(120, 40)) as pilot:
        await app.opened.wait()
        check = await app.checks.begin(Inputs(kind="check", text=TEXT, samples=(ANSWER,)))
        await settled(pilot, lambda: check.place is not None)
        first = app.session_id
        await app.open_session(0)
        assert app.open_checks.shown is None
        gate.set()
        await settled(pilot, lambda: not check.running)
        assert first is not None
        await app.open_session(first)
        await settled(pilot, lambda: "4 in doubt" in shown(app))


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (timedelta(hours=3), "today 11:00"),
        (timedelta(days=2), "13 Jun 14:00"),
        (timedelta(days=400), "2025-05-11"),
    ],
)
def test_times_are_told_as_people_say_them(before: timedelta, said: str) -> None:
    now = datetime(2026, 6, 15, 14, 0, tzinfo=UTC)
    assert when(now - before, now) == said


@pytest.mark.parametrize(
    "draft",
    [
        Draft(),
        Draft("text"),
        Draft("{not json", (Given("answer", "a b c"),)),
        Draft("", (Given("file", "/x"), Given("web", "searxng"))),
    ],
)
def test_a_draft_is_read_as_it_was_stored(draft: Draft) -> None:
    assert read_draft(draft.to_json()) == draft


def test_a_draft_of_an_earlier_version_is_a_text() -> None:
    assert read_draft("typed") == Draft("typed")
    assert read_draft("{typed") == Draft("{typed")
