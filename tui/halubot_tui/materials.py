"""A list of texts and files that is added to: the samples of a check, or its references."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from halubot.errors import InputError
from halubot.render.inert import crop, one_line
from halubot_tui import actions
from halubot_tui.drafts import Given
from halubot_tui.text_area import Editor, is_like_a_path, path_in

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType


class Entry(Editor):
    """The field of a list: what is pasted into it while it is empty is an entry of its own."""

    def __init__(self, add: Callable[[], Awaitable[None]], placeholder: str) -> None:
        super().__init__(placeholder=placeholder)
        self._add = add
        self.refused = ""
        """What was not added and stands here still."""

    async def _on_paste(self, event: events.Paste) -> None:
        if self.refused and self.text == self.refused:
            self.text = ""
        empty = not self.text.strip()
        await super()._on_paste(event)
        if empty:  # before the next paste is read: two in a row are two entries
            await self._add()


class Materials(Vertical):
    """A list of texts and files, and a field that adds to it: what is pasted into the empty field
    is added at once, Enter adds what is written, Delete takes an entry out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("add").binding(),
        actions.find_action("take-out").binding(),
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

    def __init__(self, given: Iterable[Given], placeholder: str, id: str, title: str) -> None:
        super().__init__(id=id, classes="field")
        self.border_title = title
        given = list(given)
        self._begun = [one for one in given if isinstance(one, str) and is_like_a_path(one)]
        self.given = [one for one in given if one not in self._begun]
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield OptionList(markup=False)
        yield Entry(self._try_to_add, self._placeholder)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Says in the frame which key does what here: low terminals have no room for the hint."""
        listed = isinstance(event.widget, OptionList)
        self.border_subtitle = "Del takes it out" if listed else self._next_key

    def on_descendant_blur(self) -> None:
        self.border_subtitle = ""

    def on_mount(self) -> None:
        if self._begun:  # a path that was not found is no text: it can be mended
            self.query_one(Entry).write(self._begun[-1])
        self._list()

    class Refused(Message):
        """Something was not added, or only once; "" takes the message back."""

        def __init__(self, materials: Materials, why: str) -> None:
            super().__init__()
            self.materials = materials
            self.why = why

    async def collect(self) -> list[Given]:
        """All that is given, with what is written and not added yet. Raises InputError for the path
        of a file that is not there."""
        await self._add()
        return list(self.given)

    async def read_left(self) -> list[Given]:
        """The same; what cannot be added is there as it is written."""
        with suppress(InputError):
            await self._add()
        return self.standing

    @property
    def standing(self) -> list[Given]:
        """All that is given, and as a text what is written and not added yet."""
        written = self.query_one(Entry).content_written
        return [*self.given, *written.files, *filter(None, [written.text])]

    def give(self, given: Iterable[Given]) -> None:
        """Adds these to the list."""
        self.given = [*dict.fromkeys([*self.given, *given])]
        self._list()

    def action_add(self) -> None:
        """Adds what is written to the list, once all keys before are written: those of one who
        types fast, or pastes over a slow line, come after this one."""
        self.query_one(Entry).call_later(self._try_to_add)

    @property
    def _next_key(self) -> str:
        """Return which key comes next: once something is given the text can be checked."""
        return "Enter adds another, F2 checks" if self.given else "Enter adds it"

    async def _try_to_add(self) -> None:
        try:
            await self._add()
        except InputError as error:
            self.post_message(self.Refused(self, str(error)))

    async def _add(self) -> None:
        editor = self.query_one(Entry)
        written = editor.content_written
        editor.refused = ""
        path = await asyncio.to_thread(path_in, written.text, relative=True)
        if path is None and is_like_a_path(written.text):
            editor.refused = editor.text
            raise InputError(f"There is no file {one_line(written.text)}: it was not added.")
        editor.text = ""
        added: list[Given] = [*written.files]
        if given := path or written.text:
            added.append(given)
        again = [one for place, one in enumerate(added) if one in (*self.given, *added[:place])]
        self.given = [*dict.fromkeys([*self.given, *added])]
        self._list()
        if added:
            why = f"{_find_name(again[0])} is in the list already: it counts once." if again else ""
            self.post_message(self.Refused(self, why))

    def action_take_out(self) -> None:
        """Takes the marked entry out of the list."""
        entries = self.query_one(OptionList)
        if not entries.has_focus or entries.highlighted is None:
            raise SkipAction
        del self.given[entries.highlighted]
        self._list()
        if not self.given:
            self.query_one(Entry).focus()

    def on_text_area_changed(self) -> None:
        """Takes back what was said of a path that is no longer written."""
        editor = self.query_one(Entry)
        if editor.refused and editor.text != editor.refused:
            editor.refused = ""
            self.post_message(self.Refused(self, ""))

    async def on_editor_dropped(self, event: Editor.Dropped) -> None:
        """Adds a file that was dropped beside words that are written, with them."""
        event.stop()
        if event.path in event.editor.content_written.files:
            await self._try_to_add()

    def _list(self) -> None:
        entries = self.query_one(OptionList)
        at = entries.highlighted
        entries.clear_options()
        entries.add_options(Option(_phrase(one)) for one in self.given)
        if self.given:
            entries.highlighted = min(at or 0, len(self.given) - 1)
        self.set_class(bool(self.given), "-some")
        if self.query_one(Entry).has_focus:
            self.border_subtitle = self._next_key


def _find_name(one: Given) -> str:
    return one_line(one.name) if isinstance(one, Path) else "This text"


def _phrase(one: Given) -> Content:
    """An entry in one line: a text by its beginning and length, a file by its path."""
    if isinstance(one, Path):
        kind = "folder" if one.suffix == "" and one.is_dir() else "file"
        return Content.assemble((f"{kind}  ", "$primary"), one_line(str(one)))
    length = f"{len(one):,} characters  "
    return Content.assemble(
        ("text  ", "$primary"), (length, "$secondary"), crop(one_line(one), 200)
    )
