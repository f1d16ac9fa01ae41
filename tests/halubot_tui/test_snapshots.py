"""Every screen looks as it did, at three sizes, dark, light, without colours and with plain signs.

The files in snapshots/ hold each screen in plain form (`tests.halubot_tui.plain`). After a change
of what is drawn, look at the screens, and write them anew:

    HALUBOT_SNAPSHOTS=write python -m pytest tests/halubot_tui/test_snapshots.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from textual.widgets import Input, TextArea

from halubot.models import reachable
from halubot.state.sessions import Sessions
from halubot_tui import sessions
from halubot_tui.app import HalubotApp
from halubot_tui.looks import LIGHT
from halubot_tui.main import MainScreen
from halubot_tui.preferences import Preferences
from tests.halubot_tui.driving import driven, settled
from tests.halubot_tui.plain import plain
from tests.halubot_tui.scenes import QUESTION, READING, SCENES, Scene

if TYPE_CHECKING:
    from textual.pilot import Pilot

SNAPSHOTS: Final = Path(__file__).parent / "snapshots"
WRITE: Final = os.environ.get("HALUBOT_SNAPSHOTS") == "write"
PICTURES: Final = os.environ.get("HALUBOT_PICTURES")
"""A folder for pictures (SVG) of the same screens, to be looked at."""
SIZES: Final = ((160, 48), (100, 30), (60, 20))
STILL: Final = 3
"""How often a screen has to look the same until nothing more comes."""


@pytest.fixture(autouse=True)
def _same_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No clock, no servers, no other folder, no terminal of somebody's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reachable, "_asked", lambda _: iter(()))
    monkeypatch.setattr(sessions, "when", lambda *_: "today 09:41")
    for name in ("LC_ALL", "LC_CTYPE", "TERM", "NO_COLOR", "COLORTERM", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


def app_in(folder: Path) -> HalubotApp:
    """An app with two kept sessions."""
    with Sessions.open(folder) as kept:
        for name, text in (("bridges", "How long is it?"), ("ada", QUESTION)):
            data = {"kind": "ask", "text": text}
            kept.append(kept.new(name).id, "message", data, words=text)
    return HalubotApp(folder=folder, session="ada", preferences=Preferences(motion=False))


async def looked_at(app: HalubotApp, pilot: Pilot[None], scene: Scene) -> str:
    """The screen of a scene once nothing on it changes; then the main screen is shown again."""
    await scene(app, pilot)
    same, before = 0, ""
    while same < STILL:
        for field in (*app.screen.query(Input), *app.screen.query(TextArea)):
            field.cursor_blink = False
        ended = [one for one in app.workers if one.group != "following"]
        await app.workers.wait_for_complete(ended)
        await pilot.pause()
        now = plain(app)
        same, before = (same + 1 if now == before else 0), now
    return before


async def back(app: HalubotApp, pilot: Pilot[None]) -> None:
    while not isinstance(app.screen, MainScreen):
        count = len(app.screen_stack)
        await pilot.press("escape")
        await settled(pilot, lambda count=count: len(app.screen_stack) < count)  # type: ignore[misc]


async def compared(app: HalubotApp, pilot: Pilot[None], scenes: Any, look: str) -> list[str]:
    """The names of those screens that look different from what is kept."""
    size = f"{app.size.width}x{app.size.height}"
    wrong = []
    for name, scene in scenes.items():
        found = await looked_at(app, pilot, scene)
        file = SNAPSHOTS / f"{name}-{size}-{look}.txt"
        if PICTURES:
            app.save_screenshot(f"{name}-{size}-{look}.svg", PICTURES)
        if not same(file, found):
            wrong.append(file.name)
        await back(app, pilot)
    return wrong


def same(file: Path, found: str) -> bool:
    """Whether a screen is as it is kept; it is written where that was asked for."""
    if WRITE:
        file.write_text(found, encoding="utf-8")
    return file.exists() and file.read_text(encoding="utf-8") == found


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_every_screen(size: tuple[int, int], tmp_path: Path) -> None:
    app = app_in(tmp_path / "state")
    async with app.run_test(size=size) as pilot:
        await settled(pilot, lambda: app._turns)
        wrong = await compared(app, pilot, SCENES, "dark")
        app.prefer(app.preferences.changed(theme=LIGHT.name))
        wrong += await compared(app, pilot, READING, "light")
        app.prefer(app.preferences.changed(theme="halubot-dark", ascii=True))
        wrong += await compared(app, pilot, READING, "ascii")
    assert not wrong


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_without_colours(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = app_in(tmp_path / "state")
    async with app.run_test(size=size) as pilot:
        await settled(pilot, lambda: app._turns)
        assert not await compared(app, pilot, READING, "no-colour")


def test_every_snapshot_is_compared() -> None:
    names = {
        f"{name}-{width}x{height}-{look}.txt"
        for look, scenes in (
            ("dark", SCENES),
            *((look, READING) for look in ("light", "ascii", "no-colour")),
        )
        for name in scenes
        for width, height in SIZES
    }
    assert {file.name for file in SNAPSHOTS.iterdir()} == names
