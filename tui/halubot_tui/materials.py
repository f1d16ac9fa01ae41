"""A list of texts and files that is added to: the samples of a check, or its references."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from halubot.render.inert import cropped, one_line
from halubot_tui import actions
from halubot_tui.drafts import Given
from halubot_tui.writing import Editor, path_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import BindingType


class Materials(Vertical):
    """A list of texts and files, and a field that adds to it: Enter adds what is written, a path
    that is dropped is added at once, Delete takes an entry out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.named("add").binding(),
        actions.named("take-out").binding(),
    ]
    DEFAULT_CSS = """
    Materials { height: auto; }
    Materials OptionList {
        height: auto; max-height: 7; border: none; padding: 0; background: $background;
        display: none;
        text-wrap: nowrap; text-overflow: ellipsis;
    }
    Materials.-some OptionList { display: block; }
    Materials OptionList:blur > .option-list--option-highlighted { background: $background; }
    Materials Editor { min-height: 1; max-height: 5; }
    """

    def __init__(self, given: Iterable[Given], placeholder: str, id: str) -> None:
        super().__init__(id=id, classes="field")
        self.given = list(given)
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield OptionList(markup=False)
        yield Editor(placeholder=self._placeholder)

    def on_mount(self) -> None:
        self._list()

    async def collected(self) -> list[Given]:
        """All that is given, with what is written and not added yet."""
        await self.action_add()
        return list(self.given)

    @property
    def standing(self) -> list[Given]:
        """All that is given, and as a text what is written and not added yet."""
        return [*self.given, *filter(None, [self.query_one(Editor).whole.strip()])]

    async def action_add(self) -> None:
        """Adds what is written to the list."""
        editor = self.query_one(Editor)
        written, editor.text = editor.written, ""
        path = await asyncio.to_thread(path_in, written.text, relative=True)
        added: Given = path or written.text
        self.given += [*written.files, *([added] if added else [])]
        self._list()

    def action_take_out(self) -> None:
        """Takes the marked entry out of the list."""
        entries = self.query_one(OptionList)
        if not entries.has_focus or entries.highlighted is None:
            raise SkipAction
        del self.given[entries.highlighted]
        self._list()
        if not self.given:
            self.query_one(Editor).focus()

    async def on_editor_dropped(self, event: Editor.Dropped) -> None:
        event.stop()
        await self.action_add()

    def _list(self) -> None:
        entries = self.query_one(OptionList)
        at = entries.highlighted
        entries.clear_options()
        entries.add_options(Option(_said(one)) for one in self.given)
        if self.given:
            entries.highlighted = min(at or 0, len(self.given) - 1)
        self.set_class(bool(self.given), "-some")


def _said(one: Given) -> Content:
    """An entry in one line: a text by its beginning and length, a file by its path."""
    if isinstance(one, Path):
        kind = "folder" if one.suffix == "" and one.is_dir() else "file"
        return Content.assemble((f"{kind}  ", "$primary"), one_line(str(one)))
    length = f"{len(one):,} characters  "
    return Content.assemble(
        ("text  ", "$primary"), (length, "$secondary"), cropped(one_line(one), 200)
    )
