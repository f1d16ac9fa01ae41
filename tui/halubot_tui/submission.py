"""From what stands in the composer, or in a file, to a check."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.errors import HalubotError
from halubot.render.inert import inert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halubot_tui.app import HalubotApp
    from halubot_tui.sources import Given

LONGEST: Final = 200_000
"""Characters of a text; `halubot.api` refuses a longer one."""
NO_SOURCES: Final = "Your text is taken. Now add what it is to be compared with."


async def send(app: HalubotApp) -> None:
    """Check or ask what stands in the composer; ask for sources if it has none."""
    from halubot_tui.sources import Given, as_inputs
    from halubot_tui.text_check import Inputs
    from halubot_tui.widgets.composer import LONGEST_QUESTION

    await app.opened.wait()
    composer = app.main.composer
    written, kind, given = composer.prompt.written, composer.kind, composer.sources
    files = [*written.files]
    text, file = written.text, ""
    if not text and files and kind == "check":
        path = files.pop(0)
        if (read := await _read(app, path)) is None:
            return
        text, file = read, str(path)
    given = (*given, *(Given("file", str(path)) for path in files))
    if (path_there := await asyncio.to_thread(_file_named, text)) is not None and not file:
        if (read := await _read(app, path_there)) is None:
            return
        text, file = read, str(path_there)
    if not text.strip():
        return
    if len(text) > LONGEST:
        app.notify(
            f"The text has {len(text):,} characters; at most {LONGEST:,} are checked at once."
            " Cut it into parts.",
            severity="warning",
        )
        return
    asks = text.endswith("?") and len(text) <= LONGEST_QUESTION
    if asks and not given and not app.preferences.model:
        app.notify("No model is chosen to answer: Ctrl+P, then Settings.", severity="warning")
        return
    if kind == "check" and not given and not app.preferences.compares:
        app.main.ask_for_sources(NO_SOURCES)
        return
    inputs = Inputs(kind=kind, text=text, file=file, **as_inputs(given))
    composer.clear()
    app.clear_notifications()
    await app.checks.begin(inputs, sent_from=app.session_id)
    app.main.action_review()


async def check_file(app: HalubotApp, text: str, file: Path, given: Sequence[Given]) -> None:
    """Check the text of the file that halubot was started with; if there is nothing to compare it
    with, put it into the composer."""
    from halubot_tui.session_store import Draft
    from halubot_tui.sources import as_inputs
    from halubot_tui.text_check import Inputs

    if given or app.preferences.compares:
        inputs = Inputs(kind="check", text=text, file=str(file), **as_inputs(given))
        await app.checks.begin(inputs)
        app.main.action_review()
        return
    composer = app.main.composer
    composer.restore(Draft(str(file)))
    composer.prompt.text = composer.prompt.sign_of(file)
    composer.mark_pasted()
    app.main.welcome((Content(file.name).stylize("bold"), Content(""), Content(inert(text))))
    app.main.ask_for_sources(NO_SOURCES)


async def _read(app: HalubotApp, path: Path) -> str | None:
    from halubot_tui.watcher import text_of

    try:
        return await asyncio.to_thread(text_of, path)
    except HalubotError as error:
        app.refuse("Not read", error)
        return None


def _file_named(text: str) -> Path | None:
    """The file whose path a text is, None if it is no such path."""
    from halubot_tui.widgets.editor import is_like_a_path, path_in

    if not is_like_a_path(text):
        return None
    path = path_in(text, relative=True)
    return path if path is not None and path.is_file() else None
