"""A field for many lines, in which a long paste stands as one sign, and so does a dropped file."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import unquote, urlsplit

from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea

from halubot.render.inert import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType

LONG: Final = 1000
"""Characters from which a paste stands as a sign."""
MANY_LINES: Final = 12
LONGEST_PATH: Final = 4096

SUFFIXES: Final = frozenset(
    ".txt .md .markdown .rst .html .htm .pdf .docx .json .jsonl .csv".split()  # noqa: SIM905
)
"""What the names of files end with that hold texts."""

_SIGN: Final = re.compile(r"\[(?:text|file) \d+: [^\]\n]*\]")
_ESCAPED: Final = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class Written:
    """The written content: its words, with long pastes in full, and the files that go with them."""

    text: str
    files: tuple[Path, ...] = ()


class Editor(TextArea):
    """A field for many lines. A long paste stands as ``[text 1: 12,408 characters]``, a path that
    is pasted or dropped as ``[file 2: notes.md]``; backspace removes either as a whole. Enter
    submits, Shift+Enter and Ctrl+J begin a new line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+enter,ctrl+j", "new_line", "New line", show=False),
        Binding("ctrl+shift+z", "redo", "Redo", show=False),
    ]

    class Submitted(Message):
        """Enter was pressed."""

    def __init__(
        self, take_paste: Callable[[str, Path | None], bool] | None = None, **attributes: Any
    ) -> None:
        """``take_paste`` is called with each paste, and the file that it names if it names one; if
        it returns True the paste is not put into the field."""
        super().__init__(
            soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False, **attributes
        )
        self.cursor_blink = False
        for key in ("f6", "f7", "ctrl+y", "ctrl+c", "super+c"):  # these are the app's here
            self._bindings.key_to_bindings.pop(key, None)
        self._take_paste = take_paste
        self._contents: dict[str, str | Path] = {}

    @property
    def written(self) -> Written:
        """The words, with long pastes in full, and the files."""
        files: list[Path] = []

        def whole(sign: re.Match[str]) -> str:
            content = self._contents.get(sign[0])
            if isinstance(content, Path):
                files.append(content)
                return ""
            return sign[0] if content is None else content

        text = _SIGN.sub(whole, self.text).strip()
        return Written(text, tuple(dict.fromkeys(files)))

    @property
    def whole(self) -> str:
        """The text with every sign as the text or path that it stands for."""
        return _SIGN.sub(lambda sign: str(self._contents.get(sign[0], sign[0])), self.text)

    def write(self, text: str) -> None:
        """Replace the text; a long one stands as a sign."""
        self.text = self.sign_of(text) if _is_long(text) else text
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        if event.key != "enter":
            await super()._on_key(event)
            return
        event.prevent_default()
        event.stop()
        self.action_submit()

    def action_submit(self) -> None:
        """Give away what is written."""
        self.post_message(self.Submitted())

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        if self.read_only:
            return
        path = await asyncio.to_thread(path_in, event.text)
        if self._take_paste is None or not self._take_paste(event.text, path):
            self.put(event.text if path is None else path)

    def put(self, content: str | Path) -> None:
        """Put a text or a file where the cursor is."""
        is_sign = isinstance(content, Path) or _is_long(content)
        text = self.sign_of(content) if is_sign else str(content)
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)

    def action_new_line(self) -> None:
        self.insert("\n")

    def action_delete_left(self) -> None:
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        for sign in _SIGN.finditer(before):
            if sign.end() == column and sign[0] in self._contents and self.selection.is_empty:
                self.delete((row, sign.start()), (row, column), maintain_selection_offset=False)
                return
        super().action_delete_left()

    def sign_of(self, content: str | Path) -> str:
        """The sign that stands for a long text or a file."""
        for sign, known in self._contents.items():
            if known == content:
                return sign
        count = len(self._contents) + 1
        if isinstance(content, Path):
            name = one_line(content.name or str(content)).replace("]", ")")
            sign = f"[file {count}: {name}]"
        else:
            sign = f"[text {count}: {len(content):,} characters]"
        self._contents[sign] = content
        return sign


def path_in(text: str, *, relative: bool = False) -> Path | None:
    """The file or folder whose path the text is: as terminals paste one that is dropped, in quotes,
    with backslashes or as an address; None if it is none, or is not there. A path that does not
    say where it begins is one only if ``relative``."""
    name = text.strip()
    if not name or len(name) > LONGEST_PATH or "\n" in name:
        return None
    if name[0] in "'\"" and name[-1] == name[0]:
        name = name[1:-1]
    elif name.startswith("file://"):
        name = unquote(urlsplit(name).path)
    if not relative and not name.startswith(("/", "~", "./", "../")) and name[1:3] != ":\\":
        return None
    for spelled in (name, _ESCAPED.sub(r"\1", name)):
        try:
            path = Path(spelled).expanduser()
            if path.exists():
                return Path(os.path.abspath(path))
        except (OSError, ValueError, RuntimeError):
            continue
    return None


def is_like_a_path(text: str) -> bool:
    """Return whether a text looks as if it were to be a path: it begins as one does, or is a single
    word that ends as files of texts do."""
    name = text.strip().strip("'\"")
    if not name or len(name) > LONGEST_PATH or "\n" in name:
        return False
    if name.startswith(("~/", "./", "../", "file://")) or name[1:3] == ":\\":
        return True
    if name.startswith("/"):
        return "/" in name[1:] or Path(name).suffix.lower() in SUFFIXES
    return not any(map(str.isspace, name)) and Path(name).suffix.lower() in SUFFIXES


def _is_long(text: str) -> bool:
    return len(text) >= LONG or text.count("\n") >= MANY_LINES
