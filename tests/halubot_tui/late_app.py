"""The app on a terminal that is gone before it starts: ``python -m tests.halubot_tui.late_app``."""

import os
import select

import halubot_tui

print("about to start", flush=True)
while os.isatty(0):
    select.select([0], [], [])
halubot_tui.run()
