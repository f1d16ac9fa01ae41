"""The first frame waits for nothing that it does not draw."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

OPENED: Final = """
import json, os, sys
from pathlib import Path
from halubot_tui.app import HalubotApp
class Opened(HalubotApp):
    def on_ready(self):
        print(json.dumps(sorted(sys.modules)), file=sys.__stdout__, flush=True)
        os._exit(0)
Opened(folder=Path(sys.argv[1]), apart=True).run(headless=True, size=(100, 30))
"""
LATER: Final = (
    *("pydantic", "sqlite3", "markdown_it", "litellm", "textual.widgets._data_table"),
    *("halubot.report", "halubot.events", "halubot.feedback", "halubot.state"),
    *("halubot_tui.inspector", "halubot_tui.session_keeper", "halubot_tui.turns"),
    *("halubot_tui.form", "halubot_tui.help", "halubot_tui.markdown_parser"),
)
"""Modules that take long to load and of which nothing is on the first frame."""


@pytest.mark.slow
def test_the_first_frame_loads_only_what_it_draws(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENED, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))

    assert "halubot_tui.conversation" in loaded
    assert loaded.isdisjoint(LATER), loaded.intersection(LATER)
