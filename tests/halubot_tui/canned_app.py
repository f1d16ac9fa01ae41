"""The app as a program whose checks need no engine: ``python -m tests.halubot_tui.canned_app``.

Arguments: the folder of the sessions, and options of `HalubotApp` as JSON. A "gate" among them is a
file without which no fact is judged.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from halubot_tui.app import HalubotApp
from halubot_tui.preferences import Preferences
from halubot_tui.terminal import has_mouse, keep_whole
from tests.halubot_tui.canned import CannedChecker


async def open_gate(file: Path, gate: asyncio.Event) -> None:
    """Set the gate once the file is there."""
    while not file.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
        await asyncio.sleep(0.02)
    gate.set()


class GatedChecker(CannedChecker):
    """Waits for a file before it judges."""

    def __init__(self, file: Path) -> None:
        super().__init__(asyncio.Event())
        self._file = file
        self._opening: asyncio.Task[None] | None = None

    def warm_up(self) -> None:
        """Nothing is to be done."""

    async def carry_out(self, order, emit, recording=None):  # type: ignore[no-untyped-def]
        """Begin to wait for the file with the first order."""
        if self._opening is None and self.gate is not None:
            self._opening = asyncio.create_task(open_gate(self._file, self.gate))
        return await super().carry_out(order, emit, recording)


def main() -> None:
    """Run the app."""
    folder, options = Path(sys.argv[1]), json.loads(sys.argv[2])
    gate, file = options.pop("gate", None), options.pop("file", None)
    if file:
        options["file"] = Path(file)
        options["text"] = Path(file).read_text(encoding="utf-8")
    references = tuple(map(Path, options.pop("references", ())))
    preferences = Preferences(
        reference=references,
        model=options.pop("model", None),
        web=tuple(options.pop("web", ())),
        theme=options.pop("theme", "halubot-dark"),
    )
    keep_whole()
    app = HalubotApp(folder=folder, preferences=preferences, **options)
    vars(app)["checker"] = GatedChecker(Path(gate)) if gate else CannedChecker()
    app.run(mouse=has_mouse())


if __name__ == "__main__":
    main()
