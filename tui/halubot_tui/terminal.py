"""What the terminal can take: how quickly it draws, and whether it may tell of the mouse."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App


def is_behind(app: App[Any]) -> bool:
    """Whether what was drawn before is still on its way, as over a slow line. What changes by
    itself waits then, so that keys are answered at once."""
    writer = getattr(app._driver, "_writer_thread", None)
    return writer is not None and not writer._queue.empty()


def has_mouse(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal may be asked for the mouse. GNU screen, once it is, holds Esc back until
    the next key; a browser has no such trouble."""
    return "TEXTUAL_DRIVER" in environ or not environ.get("STY")
