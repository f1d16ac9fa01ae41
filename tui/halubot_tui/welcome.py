"""The words of an empty session: how to begin, and how to get a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widgets import Static

from halubot.render.inert import one_line
from halubot_tui.inspecting.drawing import hung, stack_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from halubot_tui.preferences import Preferences

WITHOUT_MODEL: Final = (
    "halubot compares a text with other answers, documents or Wikipedia, without a model: F2, or"
    " paste the text below. /demo opens an example. To have questions answered as well, get a model"
    " and choose it in the settings (F8):"
)
IN_SHORT: Final = "F2 checks a text of yours. /demo opens an example. F8 chooses a model."
WAYS: Final = (
    ("here", "install Ollama (ollama.com), run ollama pull llama3.2: ollama_chat/llama3.2"),
    ("a server", "any that is OpenAI-compatible: openai/NAME, and its address"),
    ("hosted", "set a provider's key in its variable (OPENAI_API_KEY): openai/NAME"),
)
"""How to get a model, in three lines."""


LOW: Final = 26
"""Rows below which a line must do."""
LOWEST: Final = 12
"""Rows below which there is room for nothing but what one writes."""


class Welcome(Static):
    """Stands above the composer while there is nothing of the person's own to read."""

    DEFAULT_CSS = """
    Welcome { height: auto; padding: 0 2; color: $text-muted; display: none; }
    Welcome.-shown { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(id="welcome", markup=False)
        self._model: str | None = None
        self._empty = False
        self._resume = ""

    def show(self, preferences: Preferences, *, empty: bool, resume: str = "") -> None:
        """Says what suits these preferences, while nothing is here yet, and which session there is
        to ``resume``."""
        self._model = preferences.model
        self._resume = resume
        self._empty = empty
        self.fit(self.app.size.height)
        self._write()

    def fit(self, height: int) -> None:
        """Is there if it is wanted and there are rows for it."""
        self.set_class(self._empty and height >= LOWEST, "-shown")

    def on_resize(self) -> None:
        self._write()

    def _write(self) -> None:
        if not self.has_class("-shown"):
            return
        width = self.content_size.width or self.app.size.width
        if self._model:
            lines = [*hung(_with(self._model), width)]
        elif self.app.size.height < LOW:
            lines = [Content(IN_SHORT)]
        else:
            lines = [*hung(Content(WITHOUT_MODEL), width), *ways(width)]
        if self._resume:
            said = Content.assemble(("Ctrl+R", "$primary"), " continues where you stopped: ")
            lines = [*hung(said + Content(one_line(self._resume)), width), *lines]
        self.update(stack_lines(lines))


def ways(width: int) -> Iterator[Content]:
    """Yield how to get a model, as lines at a width."""
    for name, way in WAYS:
        yield from hung(Content(way), width, Content(f"  {name:10}").stylize("$primary"))


def _with(model: str) -> Content:
    return Content.assemble(
        ("Ask a question", "$primary"),
        f": {one_line(model)} answers, and what to doubt in the answer is marked. ",
        ("F2", "$primary"),
        " checks a text of yours.  ",
        ("/", "$primary"),
        " lists what can be done.  ",
        ("F1", "$primary"),
        " is the help.",
    )
