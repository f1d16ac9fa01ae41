"""Draws the pictures of the terminal app in the README: the app itself on the bundled message,
driven by keys, as SVG without a font or anything else from the network.

    python docs/make_pictures.py [FOLDER]
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from halubot_tui.app import HalubotApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

FOLDER = Path(__file__).parent / "images"
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SIZE = (120, 34)


async def draw(folder: Path) -> None:
    """Check the bundled message in the app and correct it; a picture of each."""
    with TemporaryDirectory() as state:
        app = HalubotApp(folder=Path(state))
        async with app.run_test(size=SIZE) as pilot:
            await app.opened.wait()
            await app.open_example()
            check = app.open_checks.shown
            assert check is not None  # noqa: S101 - it was just begun
            await until(pilot, lambda: not check.running and bool(check.corrections.proposals))
            await still(pilot)
            save(app, folder / "app-check.svg")
            app.theme = "halubot-light"
            await pilot.press("enter", "enter")
            await still(pilot)
            save(app, folder / "app-correction.svg")


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Waits until a condition holds."""
    while not condition():
        await pilot.pause(0.05)


async def still(pilot: Pilot[None]) -> None:
    """Waits until nothing is to be drawn any more."""
    for _ in range(6):
        await pilot.pause(0.1)


def save(app: HalubotApp, file: Path) -> None:
    """Writes the screen as it is, with the reader's own fonts."""
    drawn = app.export_screenshot(title="halubot")
    drawn = re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)
    file.write_text(drawn.replace("Fira Code, monospace", FONTS), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(draw(Path(sys.argv[1]) if sys.argv[1:] else FOLDER))
