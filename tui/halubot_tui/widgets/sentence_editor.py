"""The field in which the sentence of a fact is edited, with the words of the sources at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.message import Message
from textual.widgets.text_area import Document, Selection

from halubot.correction.suggestions import Offer, sentence_at, sentences_offered, telling_part
from halubot.render.inert import crop
from halubot_tui.corrections import replacement
from halubot_tui.explanation import all_quotes
from halubot_tui.widgets.editor import Editor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.report import Report, Span
    from halubot_tui.text_check import TextCheck

LONGEST_LABEL: Final = 24
LONGEST_QUOTE: Final = 300
QUOTES: Final = 2
"""Sentences of sources that are offered in the place of the whole one."""


class SentenceEditor(Editor):
    """It opens with the words selected that are likely to be wrong, so that typing replaces them.
    Tab puts words of the sources there, each in the place of those before, then whole sentences, at
    last the own words. Shift+Tab selects one word after the other, first what no quote has."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "accept"),
        Binding("tab", "take", "use"),
        Binding("shift+tab", "mark_word", "next word"),
        Binding("escape", "cancel", "cancel"),
        Binding("ctrl+u", "empty", "empty"),
        Binding("ctrl+w", "delete_word_left", "a word back"),
        Binding("home,ctrl+a", "edge(False)", show=False),
        Binding("end,ctrl+e", "edge(True)", show=False),
    ]

    class Cancelled(Message):
        """Esc was pressed."""

    def __init__(self) -> None:
        super().__init__(id="sentence")
        self._offers: Sequence[Offer] = ()
        """The sentence as it was, then what can take its place."""
        self._at = 0
        """Which of them stands there."""
        self._warned = ""
        self._known: frozenset[str] = frozenset()
        """The words of the quotes beside it."""
        self._marked: Span = 0, 0
        """The place that was selected last."""

    def open(self, check: TextCheck, entry: Entry, report: Report) -> None:
        """Begin with the sentence of an entry, changes that were made in it included."""
        from halubot.correction.alternatives import likely_place, norms, offers

        start, end = sentence_at(report, entry)
        text = check.corrections.apply(check.text, start, end)
        edit, beside = check.corrections.proposal(entry), check.beside(entry)
        against = entry.fact.evidence if entry.fact is not None else ()
        values = [one.value for one in against if one.value]
        told = [*(one.quote for one in against), *(words for _, words in beside.near)]
        quotes = [words for words, _ in all_quotes(entry, check.near, report)]
        marked = check.place_of(entry) or likely_place(check.text, (start, end), quotes)
        inside = [one for one in check.entries if sentence_at(report, one) == (start, end)]
        said = (norms(words) for one in inside for words, _ in all_quotes(one, check.near, report))
        self._known = frozenset[str]().union(*said)
        place, words = None, []
        if marked is not None:
            first = len(check.corrections.apply(check.text, start, marked[0]))
            last = first + marked[1] - marked[0]
            if text[first:last] == check.text[slice(*marked)]:
                place = first, last
                words = [replacement(edit)[1]] if edit and edit.after != beside.whole else []
                words += [*(beside.values if marked == beside.place else ())]
                words += offers(text, place, (), told) or values
        whole = [telling_part(one, entry, None, LONGEST_QUOTE) for one in quotes[:QUOTES]]
        self._offers = tuple(sentences_offered(text, place, words, whole))
        self._at, self._warned = 0, ""
        self.set_class(entry.verdict == "contradicted", "-contradicted")
        self._show()

    def _show(self) -> None:
        """Show the offer that is chosen."""
        offer = self._offers[self._at]
        if self.text != offer.text:
            self.text = offer.text
        end = len(offer.text.rstrip(" .!?…"))
        self._select(offer.place if offer.is_selected else (end, end))

    def _select(self, place: Span) -> None:
        assert isinstance(self.document, Document)  # noqa: S101 - there is no other without syntax
        self._marked = place
        self.selection = Selection(*map(self.document.get_location_from_index, place))

    @property
    def taken(self) -> bool:
        """Whether words that were offered stand in the text."""
        offer = self._offers[self._at] if self._at else None
        return offer is not None and self.text.startswith(offer.words, offer.place[0])

    @property
    def _is_offered(self) -> bool:
        """Whether the text is as it was offered, or empty: what a person wrote is not replaced."""
        return not self.text or (bool(self._offers) and self.text == self._offers[self._at].text)

    @property
    def _next(self) -> Offer | None:
        """What Tab puts there; None for nothing."""
        if not self._is_offered or len(self._offers) < (2 if self.text else 1):
            return None
        return self._offers[(self._at + 1) % len(self._offers)]

    async def _on_key(self, event: events.Key) -> None:
        row, column = self.cursor_location
        rest = self.document.get_line(row)[column:]
        ends = rest == event.character == self.text[-1:] and self.selection.is_empty
        if not ends or event.character not in (".", "!", "?"):
            await super()._on_key(event)
            return
        event.prevent_default()  # the sentence ends so already
        event.stop()
        self.move_cursor(self.document.end)

    def action_take(self) -> None:
        """Put the next words of the sources there."""
        if (offer := self._next) is not None:
            self._at = self._offers.index(offer)
            self._show()

    def key_label(self, action: str, label: str) -> str:
        """What a key does; "" for nothing."""
        if action != "take" or (offer := self._next) is None:
            return "" if action == "take" else label
        if offer.is_selected:
            return f"{label} {crop(offer.words, LONGEST_LABEL)}"
        if not (at := self._offers.index(offer)):
            return "the sentence as it was"
        first = at == 1 or self._offers[at - 1].is_selected
        return "the source's sentence" if first else "another sentence"

    def action_mark_word(self) -> None:
        """Select the next word: those of the sentence first that no quote has, then the others."""
        from halubot.correction.alternatives import norms

        places = [one.span() for one in re.finditer(r"\w+(?:[-'’]\w+)*", self.text)]
        new = norms(self.text) - self._known
        places.sort(key=lambda one: new.isdisjoint(norms(self.text[slice(*one)])))
        if places:
            at = places.index(self._marked) + 1 if self._marked in places else 0
            self._select(places[at % len(places)])

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
        self._at = 0
        self.clear()

    def action_cancel(self) -> None:
        """Leave the sentence as it was; of what was typed only when asked for a second time."""
        if self._is_offered or self.text == self._warned:
            self.post_message(self.Cancelled())
        else:
            self._warned = self.text
            self.border_subtitle = "Esc again drops what you wrote; Enter keeps it"

    def on_text_area_selection_changed(self) -> None:
        if marked := self.selected_text:
            self.border_subtitle = f"typing replaces “{crop(marked, LONGEST_LABEL)}”"
        else:
            said = f"nothing is marked: type{', or Tab' * (self._next is not None)}"
            self.border_subtitle = said if self._is_offered and not self._at else ""
        self.refresh_bindings()
        self.call_after_refresh(self.scroll_visible, animate=False)
