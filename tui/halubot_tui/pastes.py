"""A text that is pasted where nobody writes: it is checked, as on the first screen."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from halubot_tui.form import Form
from halubot_tui.messages import Offered, Sent
from halubot_tui.text_area import path_in
from halubot_tui.turns import Inputs

if TYPE_CHECKING:
    from halubot_tui.app import HalubotApp

IN_A_DIALOG: Final = "This is no field to paste into: Tab goes to one, Esc leaves."


async def take_paste(app: HalubotApp, text: str) -> None:
    """Take what was pasted while the focus is on something that is read. A file is checked, and so
    is a text, as if it was sent from where one writes; with a model it may be a question, and
    stands there."""
    if not text.strip():
        return
    if isinstance(app.screen, Form):
        app.notify(IN_A_DIALOG)
        return
    if app.screen is not app.main:
        app.pop_screen()  # the inspector, which is a screen of its own where there is little room
    path = await asyncio.to_thread(path_in, text)
    if path is not None:
        app.post_message(Offered(path))
    elif app.preferences.model:
        app.main.composer.restore(text)
        app.main.composer.focus()
    else:
        app.post_message(Sent(Inputs(kind="ask", text=text)))
