"""The line at the top: the session, who judges, and what is being done."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from halubot_tui.theme import Signs

_LEAST_TITLE = 12
_GAP = 3


class StatusBar(Widget):
    """The title of the session at the left, the model in the middle, the work at the right."""

    ALLOW_SELECT = False

    session_title: reactive[str] = reactive("halubot")
    model: reactive[str] = reactive("")
    work: reactive[str] = reactive("")
    watched: reactive[str] = reactive("")
    notice: reactive[str] = reactive("")
    """What is told for a moment, in the place of all but the work."""

    def __init__(self, signs: Signs) -> None:
        super().__init__()
        self._signs = signs

    def render(self) -> Content:
        """The parts that there is room for; what is being done is never left out."""
        width = max(1, self.size.width - 2)
        work = Content(self._fit(self.work, width)).stylize("bold $primary")
        if self.notice:
            return Content.assemble(" ", (self._fit(self.notice, width), "bold $accent"))
        room = width - (work.cell_length + _GAP if self.work else 0)
        caret = self._signs.fold(opened=True)
        title = self._fit(self.session_title, max(_LEAST_TITLE, room - 2) if room > 0 else 0)
        rest = room - len(title) - 2
        parts = [Content.assemble((f"{title} {caret}", "bold @click=screen.sessions"))]
        watched = f"watching {self.watched}" if self.watched else ""
        for text, style in ((watched, "$accent"), (self.model, "$secondary @click=app.settings")):
            fitted = self._fit(text, rest - _GAP) if text and rest > _GAP + _LEAST_TITLE else ""
            if fitted:
                parts.append(Content.assemble((fitted, style)))
                rest -= len(fitted) + _GAP
        left = Content(" " * _GAP).join(parts)
        space = max(1, width - left.cell_length - work.cell_length)
        return Content.assemble(" ", left, " " * space, work)

    def _fit(self, text: str, cells: int) -> str:
        if cells <= 0:
            return ""
        content = Content(text)
        if content.cell_length <= cells:
            return text
        more = self._signs.plain("…")
        return str(content.truncate(max(0, cells - len(more)))) + more
