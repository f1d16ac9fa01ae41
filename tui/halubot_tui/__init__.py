"""The terminal app. Importing this loads neither Textual nor the core."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any


def run(
    *,
    file: Path | None = None,
    session: str | None = None,
    watch: bool = False,
    samples: Sequence[Path] = (),
    settings: Mapping[str, Any] | None = None,
    origins: Mapping[str, str] | None = None,
) -> int:
    """Open the app and return its exit status once a person leaves it: 0, or 70 after a fault of
    halubot's own.

    ``file`` is a text to check at once, and again when it changes if ``watch`` is set. ``samples``
    are files with other answers to compare it with. ``session`` is the name of the session to open
    or begin, ``settings`` are those of `halubot.options` by their names, and ``origins`` where each
    came from.

    Raises UnreadableError for a file that cannot be read, SettingError for wrong settings.
    """
    from halubot.offline import network_refused
    from halubot_tui.app import HalubotApp
    from halubot_tui.preferences import Preferences
    from halubot_tui.terminal import has_mouse, keep_whole, leave_without_terminal

    preferences = Preferences.of(settings or {}, origins)
    text = None
    if file is not None:
        from halubot_tui.watcher import text_of

        file = file.absolute()
        text = text_of(file)
    given = []
    if samples:
        from halubot_tui.sources import Given
        from halubot_tui.watcher import text_of

        given = [Given("answer", text_of(one), one.name) for one in samples]
    keep_whole()
    app = HalubotApp(
        session=session,
        text=text,
        file=file,
        watch=watch,
        samples=given,
        preferences=preferences,
    )
    if os.name == "posix" and "TEXTUAL_DRIVER" not in os.environ:  # not in a browser
        leave_without_terminal(lambda: app.call_later(app.action_quit))
    with ExitStack() as stack:
        if preferences.offline:
            stack.enter_context(network_refused())
        app.run(mouse=has_mouse())
    if app.farewell:
        with suppress(OSError):  # the terminal may be gone
            print(app.farewell)
    return app.return_code or 0
