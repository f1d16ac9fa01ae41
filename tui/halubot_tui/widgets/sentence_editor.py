"""The field in which the sentence of a fact is edited, with the words of the sources at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message
from textual.widgets.text_area import Document, Selection

from halubot.render.inert import crop
from halubot.render.items import pieces, quotes
from halubot_tui.corrections import sentence_at
from halubot_tui.explanation import near_quotes
from halubot_tui.source_words import offers, to_replace
from halubot_tui.widgets.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.report import Report, Span
    from halubot_tui.text_check import TextCheck

LONGEST_LABEL = 24


class SentenceEditor(Editor):
    """It opens with the words selected that are likely to be wrong, so that typing replaces them.
    Tab puts words of the sources there instead, or in the place of the word at the cursor; other
    words each time, at last the own ones."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "accept"),
        Binding("tab", "take", "use"),
        Binding("escape", "cancel", "cancel"),
    ]

    class Cancelled(Message):
        """Esc was pressed."""

    def __init__(self) -> None:
        super().__init__(id="sentence")
        self._quotes: Sequence[str] = ()
        self._offers: tuple[str, ...] = ()
        self._at: tuple[str, Span] | None = None
        """The text and the place in it that the offers are for."""

    def open(self, check: TextCheck, entry: Entry, report: Report) -> None:
        """Begin with the sentence of an entry, changes that were made in it included."""
        edit = check.corrections.proposal(entry)
        start, end = sentence_at(report, entry)
        self.text = check.corrections.apply(check.text, start, end)
        found = quotes(entry.fact, report) if entry.fact is not None else ()
        near = near_quotes(entry, check.near, report)
        self._quotes = [*(one.text for one in found), *(text for text, _ in near)]
        self._at = None
        values = [one.value for one in found if one.value]
        span: Span | None = None
        if edit is not None:
            span, values = (edit.start, edit.end), [edit.after, *values]
        elif entry.is_doubted:
            span = _marked(report, entry)
        if span is None:
            place = to_replace(self.text, self._quotes, entry.reading)
        else:
            at = len(check.corrections.apply(check.text, start, span[0]))
            words = check.text[slice(*span)]
            place = _whole_words(self.text, at, words) if self.text.startswith(words, at) else None
        self._select(place or (len(self.text), len(self.text)))
        if place is not None:
            self._offer(values)

    @property
    def _places(self) -> Document:
        assert isinstance(self.document, Document)  # noqa: S101 - there is no other without syntax
        return self.document

    def _select(self, place: Span) -> None:
        self.selection = Selection(*map(self._places.get_location_from_index, place))

    @property
    def _place(self) -> Span:
        """The selected words, or the word at the cursor."""
        start, end = sorted(map(self._places.get_index_from_location, self.selection))
        if start < end:
            return start, end
        words = (one.span() for one in re.finditer(r"\w+", self.text))
        return next((one for one in words if one[0] <= start <= one[1]), (start, end))

    def _offer(self, values: Sequence[str] = ()) -> tuple[str, ...]:
        """The words that Tab puts in the place, in turn."""
        now = self.text, self._place
        if now != self._at:
            own = self.text[slice(*now[1])]
            found = offers(*now, values, self._quotes) if own.strip() else ()
            self._at, self._offers = now, (*found, own) if found else ()
        return self._offers

    def action_take(self) -> None:
        """Put the next words of the sources in the place, and select them."""
        if not (found := self._offer()):
            return
        start, end = self._place
        places = map(self._places.get_location_from_index, (start, end))
        self.replace(found[0], *places, maintain_selection_offset=False)
        self._select((start, start + len(found[0])))
        self._at, self._offers = (self.text, self._place), (*found[1:], found[0])

    def key_label(self, action: str, label: str) -> str:
        """What a key does; "" for nothing."""
        if action != "take":
            return label
        found = self._offer()
        return f"{label} {crop(found[0], LONGEST_LABEL)}" if found else ""

    def action_submit(self) -> None:
        self.post_message(self.Submitted())

    def action_cancel(self) -> None:
        self.post_message(self.Cancelled())

    def on_text_area_selection_changed(self) -> None:
        self.refresh_bindings()
        self.call_after_refresh(self.scroll_visible, animate=False)


def _marked(report: Report, entry: Entry) -> Span | None:
    """The first words that are marked strongly for a doubted entry; of these the value alone."""
    marked = next(((one.start, one.end) for one in pieces(report, [entry]) if one.strong), None)
    tail = entry.fact.parts.tail if entry.fact is not None else None
    inside = marked and tail and marked[0] <= tail[0] and tail[1] <= marked[1]
    return tail if inside else marked


def _whole_words(text: str, start: int, words: str) -> Span:
    """The place of words in a text, with the letters that stand on either side."""
    end = start + len(words)
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return start, end
