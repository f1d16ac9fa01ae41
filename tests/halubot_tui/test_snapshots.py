"""Every screen looks as it did, dark, light, without colours and with plain signs: on a small
terminal and on one with room for two columns. The states of a screen are kept with room alone, and
what one reads on a large terminal too.

The files in snapshots/ hold each screen in plain form (`tests.halubot_tui.plain`): dark in full, of
the other looks what is otherwise there. After a change of what is drawn, look at the screens, and
write them anew:

    HALUBOT_SNAPSHOTS=write python -m pytest tests/halubot_tui/test_snapshots.py
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from textual.filter import Monochrome
from textual.widgets import Input, TextArea

from halubot.models import reachable
from halubot.state.sessions import Sessions
from halubot_tui import sessions
from halubot_tui.app import HalubotApp
from halubot_tui.looks import CLEAR, DARK, LIGHT
from halubot_tui.main import MainScreen
from halubot_tui.preferences import Preferences
from tests.halubot_tui.dialogs import DIALOGS
from tests.halubot_tui.driving import driven, settled
from tests.halubot_tui.plain import Plain, plain, together
from tests.halubot_tui.scenes import QUESTION, READING, SCENES, Scene
from tests.halubot_tui.states import FOREIGN, STATES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from textual.pilot import Pilot

pytestmark = pytest.mark.slow

Size = tuple[int, int]
Looks = dict[str, dict[str, Plain]]
"""Screens by their names and looks."""

SNAPSHOTS: Final = Path(__file__).parent / "snapshots"
WRITE: Final = os.environ.get("HALUBOT_SNAPSHOTS") == "write"
PICTURES: Final = os.environ.get("HALUBOT_PICTURES")
"""A folder for pictures (SVG) of the same screens, to be looked at."""
LARGE: Final = (160, 48)
ROOMY: Final = (100, 30)
"""Just wide enough for two columns, which stand below each other where it is narrower."""
SMALL: Final = (60, 20)
SIZES: Final = (LARGE, ROOMY, SMALL)
SIGNS: Final = re.compile("[\u2070-\u209f\u2190-\u2bff]")
"""Raised digits, arrows, lines, blocks and the like: what a plain terminal lacks."""
STILL: Final = 3
"""How often a screen has to look the same until nothing more comes."""
THEMES: Final = {"dark": DARK, "light": LIGHT, "clear": CLEAR}
MORE: Final = {**DIALOGS, **STATES}
"""States of screens: drawn in the styles of those that are kept in every look."""


@pytest.fixture(autouse=True)
def _same_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No clock, no servers, no other folder, no terminal of somebody's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reachable, "_ask", lambda _: iter(()))
    monkeypatch.setattr(sessions, "when", lambda *_: "today 09:41")
    for name in ("LC_ALL", "LC_CTYPE", "TERM", "NO_COLOR", "COLORTERM", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


def app_in(folder: Path, *, ascii: bool = False) -> HalubotApp:
    """An app with two kept sessions."""
    with Sessions.open(folder) as kept:
        for name, text in (("bridges", "How long is it?"), ("ada", QUESTION)):
            data = {"kind": "ask", "text": text}
            kept.append(kept.new(name).id, "message", data, words=text)
    preferences = Preferences(motion=False, ascii=ascii)
    return HalubotApp(folder=folder, session="ada", preferences=preferences)


async def looked_at(app: HalubotApp, pilot: Pilot[None]) -> Plain:
    """What is on the screen once nothing on it changes."""
    same, before = 0, Plain((), ())
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
    """Leaves a scene, whatever is under way in it."""
    app._tasks.clear()
    while not isinstance(app.screen, MainScreen):
        await app.pop_screen()
    await pilot.pause()


@contextmanager
def without_colours(app: HalubotApp) -> Iterator[None]:
    """Draws as an app that began with NO_COLOR does."""
    app.no_color = True
    app._filters.append(Monochrome())
    app.refresh_css(animate=False)
    try:
        yield
    finally:
        app.no_color = False
        app._filters.pop()
        app.refresh_css(animate=False)


def pictured(app: HalubotApp, name: str, look: str) -> None:
    if PICTURES:
        size = f"{app.size.width}x{app.size.height}"
        app.save_screenshot(f"{name}-{size}-{look}.svg", PICTURES)


async def taken(app: HalubotApp, pilot: Pilot[None], name: str, scene: Scene) -> dict[str, Plain]:
    """A screen in all looks that a running app can change to: states, whose styles other screens
    have too, in one, and the theme of the colour-blind where one reads."""
    await scene(app, pilot)
    found: dict[str, Plain] = {}
    for look, theme in THEMES.items():
        if (look == "clear" and name not in READING) or (look != "dark" and name in MORE):
            continue
        app.prefer(app.preferences.with_values(theme=theme.name))
        found[look] = await looked_at(app, pilot)
        pictured(app, name, look)
        if look == "dark" and name not in MORE:
            with without_colours(app):
                found["no-colour"] = await looked_at(app, pilot)
                pictured(app, name, "no-colour")
    app.prefer(app.preferences.with_values(theme=DARK.name))
    await back(app, pilot)
    return found


async def taken_plainly(
    app: HalubotApp, pilot: Pilot[None], name: str, scene: Scene
) -> dict[str, Plain]:
    """A screen with plain signs."""
    await scene(app, pilot)
    found = await looked_at(app, pilot)
    pictured(app, name, "ascii")
    assert not SIGNS.search("".join(found.lines)), name
    await back(app, pilot)
    return {"ascii": found}


def kept(size: Size) -> Mapping[str, Scene]:
    """What is kept at a size: one file a screen and size at which it is laid out otherwise."""
    return {LARGE: READING, ROOMY: {**SCENES, **MORE}, SMALL: SCENES}[size]


@pytest.mark.parametrize("size", SIZES)
@driven
async def test_every_screen(size: Size, tmp_path: Path) -> None:
    scenes = kept(size)
    looks: Looks = {name: {} for name in scenes}
    for ascii, take in ((False, taken), (True, taken_plainly)):
        app = app_in(tmp_path / take.__name__, ascii=ascii)
        async with app.run_test(size=size) as pilot:
            await settled(pilot, lambda app=app: app._turns)  # type: ignore[misc]
            for name, scene in scenes.items():
                if not ascii or name not in DIALOGS:
                    looks[name].update(await take(app, pilot, name, scene))
    plainly = {name: found["ascii"] for name, found in looks.items() if "ascii" in found}
    signs = [name for name, one in plainly.items() if name not in FOREIGN and beyond_ascii(one)]
    wrong = [name for name in scenes if not same(name, size, looks[name])]
    assert (signs, wrong) == ([], [])


def beyond_ascii(screen: Plain) -> bool:
    return not all(line.isascii() for line in screen.lines)


def same(name: str, size: Size, looks: dict[str, Plain]) -> bool:
    """Whether a screen is as it is kept; it is written where that was asked for."""
    file, found = SNAPSHOTS / f"{name}-{size[0]}x{size[1]}.txt", together(looks)
    if WRITE:
        file.write_text(found, encoding="utf-8")
    return file.exists() and file.read_text(encoding="utf-8") == found


@driven
async def test_an_app_that_begins_without_colours_looks_like_one_that_loses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def screens(*, begun: bool) -> list[Plain]:
        app = app_in(tmp_path / str(begun))
        found: list[Plain] = []
        async with app.run_test(size=ROOMY) as pilot:
            await settled(pilot, lambda: app._turns)
            for scene in READING.values():
                await scene(app, pilot)
                with nullcontext() if begun else without_colours(app):
                    found.append(await looked_at(app, pilot))
                await back(app, pilot)
        return found

    lost = await screens(begun=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert await screens(begun=True) == lost


def test_every_snapshot_is_compared() -> None:
    names = {f"{name}-{size[0]}x{size[1]}.txt" for size in SIZES for name in kept(size)}
    assert {file.name for file in SNAPSHOTS.iterdir()} == names
