"""A field for many lines, in which a long paste stands as one sign, and so does a dropped file."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import unquote, urlsplit

from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea

from halubot.render.inert import one_line
from halubot_tui import actions

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

LONG: Final = 1000
"""Characters from which a paste stands as a sign."""
MANY_LINES: Final = 12
LONGEST_PATH: Final = 4096

SUFFIXES: Final = frozenset(
    (
        ".txt",
        ".md",
        ".markdown",
        ".rst",
        ".html",
        ".htm",
        ".pdf",
        ".docx",
        ".json",
        ".jsonl",
        ".csv",
    )
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
    """A field for many lines. What is pasted and long stands as ``[text 1: 12,408 characters]``, a
    path that is pasted or dropped as ``[file 2: notes.md]``; backspace takes either away whole."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("new-line").binding(),
        Binding("ctrl+shift+z", "redo", "Redo", show=False),
    ]
    DEFAULT_CSS = """
    Editor, Editor:focus { border: none; padding: 0; background: $surface; height: auto; }
    Editor .text-area--placeholder { color: $secondary; }
    """

    class Dropped(Message):
        """A file was dropped, or its path pasted."""

        def __init__(self, editor: Editor, path: Path) -> None:
            super().__init__()
            self.editor = editor
            self.path = path

    class Pasted(Message):
        """A text was pasted; ``alone`` into the empty field."""

        def __init__(self, editor: Editor, *, alone: bool) -> None:
            super().__init__()
            self.editor = editor
            self.alone = alone

    def __init__(self, **attributes: Any) -> None:
        super().__init__(
            soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False, **attributes
        )
        self.cursor_blink = False
        for key in ("f6", "f7", "ctrl+y"):  # a text area has them too; here they are the app's
            self._bindings.key_to_bindings.pop(key, None)
        self._kept: dict[str, str | Path] = {}

    @property
    def content_written(self) -> Written:
        """Return what is written: words and files."""
        files: list[Path] = []

        def whole(sign: re.Match[str]) -> str:
            kept = self._kept.get(sign[0])
            if isinstance(kept, Path):
                files.append(kept)
                return ""
            return sign[0] if kept is None else kept

        text = _SIGN.sub(whole, self.text).strip()
        return Written(text, tuple(dict.fromkeys(files)))

    @property
    def whole(self) -> str:
        """Return what is written, with every sign as what it stands for."""
        return _SIGN.sub(lambda sign: str(self._kept.get(sign[0], sign[0])), self.text)

    def write(self, text: str, files: tuple[Path, ...] = ()) -> None:
        """Replaces what is written; a long text stands as a sign."""
        signs = [self._keep(path) for path in files]
        self.text = " ".join([*signs, self._keep(text) if _is_long(text) else text]).strip()
        self.move_cursor(self.document.end)

    def attach(self, path: Path) -> None:
        """Puts the sign of a file if the cursor is."""
        self._put_text(self._keep(path))

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        if self.read_only:
            return
        path = await asyncio.to_thread(path_in, event.text)
        if path is not None:
            self.attach(path)
            self.post_message(self.Dropped(self, path))
        else:
            alone = not self.text.strip()
            self._put_text(self._keep(event.text) if _is_long(event.text) else event.text)
            self.post_message(self.Pasted(self, alone=alone))

    def action_new_line(self) -> None:
        self.insert("\n")

    def break_line(self) -> bool:
        """Begins a new line in place of a backslash before the cursor; whether there is one."""
        row, column = self.cursor_location
        if not self.document.get_line(row)[:column].endswith("\\"):
            return False
        self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
        return True

    def action_delete_left(self) -> None:
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        for sign in _SIGN.finditer(before):
            if sign.end() == column and sign[0] in self._kept and self.selection.is_empty:
                self.delete((row, sign.start()), (row, column), maintain_selection_offset=False)
                return
        super().action_delete_left()

    def _put_text(self, text: str) -> None:
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)

    def _keep(self, content: str | Path) -> str:
        """The sign of a long text or a file."""
        for sign, kept in self._kept.items():
            if kept == content:
                return sign
        number = len(self._kept) + 1
        if isinstance(content, Path):
            name = one_line(content.name or str(content)).replace("]", ")")
            sign = f"[file {number}: {name}]"
        else:
            sign = f"[text {number}: {len(content):,} characters]"
        self._kept[sign] = content
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
                return path.absolute()
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
