"""The field in which the sentence of a fact is edited, with the words of the sources at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.message import Message
from textual.widgets.text_area import Document, Selection

from halubot.correction.suggestions import sentence_at
from halubot.render.inert import crop
from halubot_tui.corrections import replacement
from halubot_tui.explanation import all_quotes, in_order
from halubot_tui.widgets.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.report import Report, Span
    from halubot_tui.text_check import TextCheck

LONGEST_LABEL = 24


def unsaid_words(check: TextCheck, entry: Entry) -> Span | None:
    """The words of a fact that none of its quotes has, or at least the first one has not; all of
    its words if none can be told apart; None without quotes."""
    from halubot.correction.alternatives import new_words

    fact, report = entry.fact, check.report
    if fact is None or report is None or not fact.spans:
        return None
    quotes = in_order(entry, (words for words, _ in all_quotes(entry, check.near, report)))
    places = [*filter(None, (fact.parts.tail, fact.parts.relation, fact.parts.head)), *fact.spans]
    tries = ((place, some) for some in (quotes, quotes[:1]) for place in places)
    new = (new_words(check.text, place, some, part=True) for place, some in tries)
    return next((one for one in new if one is not None), fact.spans[0] if quotes else None)


class SentenceEditor(Editor):
    """It opens with the words selected that are likely to be wrong, so that typing replaces them.
    Tab puts words of the sources there that are of the same kind, each in the place of those
    before, at last the own words again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "accept"),
        Binding("tab", "take", "use"),
        Binding("ctrl+u", "empty", "empty"),
        Binding("ctrl+w", "delete_word_left", "a word back"),
        Binding("escape", "cancel", "cancel"),
        Binding("home,ctrl+a", "edge(False)", show=False),
        Binding("end,ctrl+e", "edge(True)", show=False),
    ]

    class Cancelled(Message):
        """Esc was pressed."""

    def __init__(self) -> None:
        super().__init__(id="sentence")
        self._offers: Sequence[str] = ()
        """The own words, then those that can take their place."""
        self._at, self._start = 0, 0
        """Which of them stands in the text, and where."""
        self._quotes: Sequence[str] = ()
        """What is shown of the sources."""
        self._begun = self._warned = ""

    def open(self, check: TextCheck, entry: Entry, report: Report) -> None:
        """Begin with the sentence of an entry, changes that were made in it included."""
        start, end = sentence_at(report, entry)
        self.text = self._begun = check.corrections.apply(check.text, start, end)
        edit, beside = check.corrections.proposal(entry), check.beside(entry)
        span = check.place_of(entry) or unsaid_words(check, entry)
        against = entry.fact.evidence if entry.fact is not None else ()
        self._quotes = [*(one.quote for one in against), *(words for _, words in beside.near)]
        self._offers, self._at, place = (), 0, None
        if span is not None:
            own = check.text[slice(*span)]
            self._start = len(check.corrections.apply(check.text, start, span[0]))
            if self.text.startswith(own, self._start):
                place = self._start, self._start + len(own)
                first = [replacement(edit)[1]] if edit is not None else []
                values = beside.values if span == beside.place else ()
                others = self._offered(place)
                self._offers = tuple(dict.fromkeys([own, *filter(None, first), *values, *others]))
        end = len(self.text.rstrip(" .!?…"))
        self._select(place or (end, end))
        self.border_subtitle = "typing replaces what is marked" if place is not None else ""

    @property
    def taken(self) -> bool:
        """Whether words that were offered stand in the text."""
        offered = self._offers[self._at] if self._at else ""
        return bool(offered) and self.text.startswith(offered, self._start)

    def _select(self, place: Span) -> None:
        assert isinstance(self.document, Document)  # noqa: S101 - there is no other without syntax
        self.selection = Selection(*map(self.document.get_location_from_index, place))

    @property
    def _next(self) -> str:
        """The words that are offered in the place of those that stand there; "" for none: what a
        person wrote is not replaced."""
        if not self._offers or not self.text.startswith(self._offers[self._at], self._start):
            return ""
        words = self._offers[(self._at + 1) % len(self._offers)]
        return words if len(self._offers) > 1 else ""

    @property
    def _places(self) -> Sequence[Span]:
        """The places of the values and names that stand there."""
        from halubot.correction.alternatives import places

        return places(self.text)

    def _offered(self, place: Span) -> Sequence[str]:
        """The values or names of the quotes that can stand in the place of one of the text."""
        from halubot.correction.alternatives import offers

        return offers(self.text, place, (), self._quotes)

    def action_take(self) -> None:
        """Put the next words of the sources in the place, and select them; after the last of them,
        or without any, select the next value or name."""
        if words := self._next:
            self._select((self._start, self._start + len(self._offers[self._at])))
            self.replace(words, *self.selection, maintain_selection_offset=False)
            self._at = self._offers.index(words)
            self._select((self._start, self._start + len(words)))
        if not self._at and (found := self._places):
            at = len(self.get_text_range((0, 0), max(self.selection)))
            place = next((one for one in found if one[0] >= at), found[0])
            self._select(place)
            self._start, self._offers = place[0], (self.text[slice(*place)], *self._offered(place))

    def key_label(self, action: str, label: str) -> str:
        """What a key does; "" for nothing."""
        if action != "take":
            return label
        if self._next:
            return f"{label} {crop(self._next, LONGEST_LABEL)}"
        return "next value or name" if self._places else ""

    def action_edge(self, last: bool) -> None:
        self.move_cursor(self.document.end if last else (0, 0))

    def action_delete_word_left(self) -> None:
        """Delete a word with the signs behind it, as a shell does."""
        row, column = self.cursor_location
        word = re.search(r"\S*\s*$", self.document.get_line(row)[:column])
        if word is None or not word[0] or not self.selection.is_empty:
            super().action_delete_word_left()
        else:
            self.delete((row, word.start()), (row, column), maintain_selection_offset=False)

    def action_empty(self) -> None:
        self.clear()

    def action_cancel(self) -> None:
        """Leave the sentence as it was; of changes only when asked for a second time."""
        if self.text in (self._begun, self._warned):
            self.post_message(self.Cancelled())
        else:
            self._warned = self.text
            self.border_subtitle = "Esc again drops what you wrote; Enter keeps it"

    def on_text_area_selection_changed(self) -> None:
        self.refresh_bindings()
        self.call_after_refresh(self.scroll_visible, animate=False)
