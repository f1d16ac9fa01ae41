"""The command `halubot`, also as `python -m halubot`."""

from __future__ import annotations

import sys
from typing import NoReturn

from halubot.interrupt import WATCHED, end_at_once, end_soon_after_ctrl_c, work_in_a_child


def command() -> NoReturn:
    """Run the command line. Ctrl+C is heard before its modules are loaded, which would answer with
    a traceback, or swallow it."""
    try:
        if WATCHED.intersection(sys.argv[1:2]):
            work_in_a_child()
        end_soon_after_ctrl_c()
        from halubot.cli import script

        script()
    except KeyboardInterrupt:
        end_at_once()
        raise


if __name__ == "__main__":
    command()
