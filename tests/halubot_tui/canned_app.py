"""The app as a program whose checks need no engine: ``python -m tests.halubot_tui.canned_app``.

Arguments: the folder of the sessions, and options of `HalubotApp` as JSON. A "gate" among them is a
file without which no fact is judged; it may name how many are.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Literal

from halubot_tui.app import HalubotApp
from halubot_tui.preferences import Preferences
from halubot_tui.terminal import has_mouse, keep_whole
from tests.halubot_tui.canned import CannedChecker


class Gate(asyncio.Event):
    """Opens for as many facts as a file names, for all if it is empty; for none without it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file
        self._passed = 0

    async def wait(self) -> Literal[True]:
        """Return once one more may pass."""
        self._passed += 1
        while not self._may_pass():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)
        return True

    def _may_pass(self) -> bool:
        allowed = self._file.read_text(encoding="utf-8") if self._file.exists() else "0"
        return not allowed or self._passed <= int(allowed)


class GatedChecker(CannedChecker):
    """Waits for a file before it judges."""

    def __init__(self, file: Path) -> None:
        super().__init__(Gate(file))


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
    notes = options.pop("notes", ())
    keep_whole()
    app = HalubotApp(folder=folder, preferences=preferences, **options)
    vars(app)["checker"] = checker = GatedChecker(Path(gate)) if gate else CannedChecker()
    checker.notes = notes
    app.run(mouse=has_mouse())


if __name__ == "__main__":
    main()
