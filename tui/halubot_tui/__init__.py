"""The terminal app. Importing this loads neither Textual nor the core."""

from __future__ import annotations

from pathlib import Path


def run(*, file: Path | None = None, session: str | None = None, folder: Path | None = None) -> int:
    """Opens the app and returns its exit status once a person leaves it: 0, or 70 after a fault of
    halubot's own. ``file`` is a text to check at once, ``session`` the name of the session to open
    or begin, ``folder`` where sessions are kept (default: the platform's folder for data).

    Raises UnreadableError for a file that cannot be read, SettingError for wrong settings.
    """
    from halubot_tui.app import HalubotApp
    from halubot_tui.opening import text_of

    text = None if file is None else text_of(file)
    app = HalubotApp(session=session, text=text, folder=folder)
    app.run()
    return app.return_code or 0
