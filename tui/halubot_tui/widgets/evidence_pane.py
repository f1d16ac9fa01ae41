"""Why the selected fact has its verdict: who says what, quotes, and the editor of its sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from halubot.correction.suggestions import sentence_at, telling_part
from halubot.render.inert import crop, one_line
from halubot.render.items import quotes
from halubot_tui.corrections import concerns, entry_key, has_words, replacement
from halubot_tui.explanation import (
    CANNOT_TELL,
    action_words,
    done_to,
    near_together,
    offer,
    reason,
    said,
    source_words,
    title,
)
from halubot_tui.theme import MEANINGS, Signs
from halubot_tui.widgets.fact_list import GROUP, GROUPS, STANCES, TALL, stance_counts
from halubot_tui.widgets.pane import Pane
from halubot_tui.widgets.sentence_editor import SentenceEditor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.render.items import Entry, Quote
    from halubot.report import Report
    from halubot_tui.text_check import TextCheck

QUOTES: Final = 4
"""Distinct quotes that are shown."""
LONGEST_QUOTE: Final = 160
LEAST_FACTS: Final = 4
"""Rows that the list of facts keeps at least."""
USUAL: Final = 14
"""Rows of most explanations: the list of facts takes none of these, so that it seldom changes."""
SHORT: Final = 24
"""Rows of the terminal below which the best quote comes first of all."""


class EvidencePane(VerticalScroll, Pane, can_focus=True):
    """The explanation of one fact. It draws what it is told to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.use", "use"),
        Binding("escape", "screen.review", "facts"),
    ]

    @dataclass
    class Edited(Message):
        """The sentence of the shown fact was edited; ``text`` is None if that was cancelled."""

        text: str | None
        taken: bool = False
        """Whether it has words that were offered from a source."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence")
        self._signs = signs
        self._explained: tuple[object, ...] = ()
        self._shown: Callable[[], None] | None = None
        self._told_more = False
        """Whether the line of keys says that not all is in sight."""

    def compose(self) -> ComposeResult:
        yield SentenceEditor()
        yield Static(id="why", markup=False)

    def show(
        self,
        check: TextCheck | None,
        together: Sequence[Entry],
        notes: Sequence[str] = (),
        *,
        asks_model: bool = False,
        group: str = "",
    ) -> None:
        """Explain the first of these entries of a check with those that it is looked at together
        with, or a group. ``notes`` say what went wrong in it; ``asks_model`` tells that a model can
        be asked for a correction."""
        again = partial(self.show, check, together, notes, asks_model=asks_model, group=group)
        self._shown = again
        entry = together[0] if together else None
        report = None if check is None else check.report
        if check is None or entry is None or report is None:
            self.heading.show("Why")
            said = Content(self._idle(check, notes, group)).stylize("$secondary")
            self._explain(said)
            return
        done, compared = check.handling(entry) != "open", bool(report.sources)
        name = title(*together, numbered=not check.running, done=done, compared=compared)
        if (counts := stance_counts(entry, self._signs)).plain:  # as at the end of its row
            word = "source" if counts.plain.strip()[:-1] == "1" else "sources"
            counts = Content.assemble(":", counts, f" {word}")
        self.heading.show(Content(name) + counts)
        lines = [*self._lines(check, together, report, asks_model=asks_model)]
        if entry.verdict == "not_checked" and not report.sources:
            new = (one for one in notes if not entry.reason or entry.reason not in one)
            lines += [Content(one).stylize("$secondary") for one in new]
        self._explain(Content("\n").join(lines))
        if self._explained != (check.id, entry_key(entry)):
            self._explained = check.id, entry_key(entry)
            self.scroll_home(animate=False)

    def _explain(self, words: Content) -> None:
        """Show these words. Only if they are more lines than before the screen is laid out."""
        shown = self.query_one("#why", Static)
        width, before = shown.size
        # What was not laid out yet has no width.
        shown.update(words, layout=not width or words.get_height({}, width) != before)
        self._take_room(words)
        self.call_after_refresh(self._tell_more)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._tell_more()

    def _tell_more(self) -> None:
        if self.more_below != self._told_more:
            self._told_more = self.more_below
            self.screen.refresh_bindings()

    def _take_room(self, words: Content) -> None:
        """Take as many rows from the list above as these words need, down to a few."""
        facts, width = self.screen.query_one("#facts"), self.scrollable_content_region.width
        if not width or not facts.display:
            return  # nothing is laid out yet, or the list has given way
        rows = self.size.height + facts.size.height
        most = min(max(rows // 2, rows - USUAL), rows - words.get_height({}, width))
        most = max(LEAST_FACTS, most)
        now = facts.styles.max_height
        if now is None or now.value != most:
            facts.styles.max_height = most

    @staticmethod
    def _idle(check: TextCheck | None, notes: Sequence[str], group: str) -> str:
        if check is None or not check.entries:
            return ""
        for verdict in GROUPS:
            if group == GROUP + verdict:
                return f"{check.counts[verdict]} {check.word_of(verdict)}: {MEANINGS[verdict]}."
        if check.running:
            return "Facts are explained here as they are judged."
        if any(one.is_doubted for one in check.entries):
            return "Choose a fact to see why."
        if supported := sum(one.verdict == "supported" for one in check.entries):
            return f"Nothing is in doubt. Supported: {supported} of {len(check.entries)}."
        stopped = check.state == "stopped"
        said = "Stopped before anything was judged." if stopped else "Nothing was checked."
        return "\n".join((said, *notes))

    def _lines(
        self, check: TextCheck, together: Sequence[Entry], report: Report, *, asks_model: bool
    ) -> Iterator[Content]:
        """Yield what is said of an entry, its quotes, and what can be done; in a low window the
        quotes come first: they are to be in sight. Other facts follow that have more quotes."""
        entry, *others = together
        own = self._found(entry, report)
        seen = {*own}
        beside: list[tuple[Entry, list[Content]]] = []
        for one in others:
            found = {it: quote for it, quote in self._found(one, report).items() if it not in seen}
            seen |= {*found}
            if found:
                beside.append((one, [*self._quotes(check, one, found, {})]))
        height = self.app.size.height
        nearest = near_together(together, check.near, report)[: 3 if height >= TALL else 2]
        near = {it: by for it, by in nearest if it not in seen}
        quoted = [*self._quotes(check, entry, own, near)]
        if self._editing:
            yield from (*quoted, *(line for _, lines in beside for line in lines))
            return
        if said(entry, check.near, report) == CANNOT_TELL and (height >= SHORT or not quoted):
            rest = "Looking for quotes." if check.near is None else "Read the sources yourself."
            told = f"{CANNOT_TELL} {'Nearest quotes:' if quoted else rest}"
            quoted.insert(0, Content(told).stylize("$secondary"))
        lines = [*self._verdict_lines(check, together, report)]
        at = len(lines) if height >= TALL else 1 if height >= SHORT else 0
        actions = self._actions(check, together, asks_model=asks_model)
        yield from (*lines[:at], *quoted, *actions, *lines[at:])
        for one, more in beside:
            sign = self._signs.verdict(one.verdict)
            counts = stance_counts(one, self._signs)
            yield Content.assemble((f"{sign} {one.reading} ", "$unchecked"), counts)
            yield from more

    @staticmethod
    def _found(entry: Entry, report: Report) -> dict[str, Quote]:
        """The quotes of an entry by their words as they are shown."""
        found = quotes(entry.fact, report, most=QUOTES) if entry.fact is not None else ()
        return {telling_part(one.text, entry, one.value, LONGEST_QUOTE): one for one in found}

    def _quotes(
        self, check: TextCheck, entry: Entry, found: Mapping[str, Quote], near: Mapping[str, str]
    ) -> Iterator[Content]:
        """Yield the quotes ``found`` for an entry and the sentences ``near`` it, with their
        sources, first those with what is offered for it. In doubt are those that decide."""
        edit = check.corrections.proposal(entry)
        offered = replacement(edit)[1] if edit is not None else ""
        settled = entry.is_doubted and any(has_words(one, offered) for one in found)
        told = sorted(
            [*found, *(() if settled else near)], key=lambda it: not has_words(it, offered)
        )
        if entry.is_doubted:
            told.sort(key=lambda it: (not has_words(it, offered), it not in found))
        for text in told[:QUOTES]:
            one = found.get(text)
            stance, count = (one.evidence.stance, one.count) if one else ("silent", 1)
            value = one.value if one and one.value else offered
            name = source_words(one.name if one else near[text])
            name += f" ({one.location})" if one and one.location else ""
            sign, look = STANCES[stance]
            words = crop(text, LONGEST_QUOTE, around=value or None)
            quote = Content(self._signs.quote(words))
            if value and (at := words.find(value)) >= 0:
                quote = quote.stylize(f"bold {look if one else ''}", at + 1, at + 1 + len(value))
            times = self._signs.plain(f" ×{count}") if count > 1 else ""
            lead = (f"{self._signs.plain(sign)} ", look)
            yield Content.assemble(lead, quote, (times, "bold"), (f"  {name}", "$secondary"))

    def _verdict_lines(
        self, check: TextCheck, together: Sequence[Entry], report: Report
    ) -> Iterator[Content]:
        entry, *others = together
        named = entry.reading
        if others and not entry.is_doubted:  # one of several facts would hide the others
            room = self.scrollable_content_region.width - 2 if self.size.width else LONGEST_QUOTE
            now = check.corrections.apply(report.text, *sentence_at(report, entry))
            named = crop(one_line(now), room)
        yield Content(named).stylize("bold")
        if entry.word:
            yield Content(f"{entry.word}.").stylize("bold $accent")
        told = said(entry, check.near, report)
        if told != CANNOT_TELL:  # which stands above the quotes
            yield Content(self._signs.plain(told))
        against = entry.fact is not None and entry.fact.count("contradicts")
        if entry.verdict == "doubtful" and not against and (why := reason(entry)):
            yield Content(self._signs.plain(why)).stylize("$secondary")

    def _actions(
        self, check: TextCheck, together: Sequence[Entry], *, asks_model: bool
    ) -> Iterator[Content]:
        """Yield lines with what can be done about entries; a key stands beside what it does."""
        line = Content("")
        if check.running:
            return
        for part in self._action_parts(check, together, asks_model=asks_model):
            wider = line + "  " + part if line else part
            if line and wider.cell_length >= self.scrollable_content_region.width:
                yield line
                wider = part
            line = wider
        yield line

    def key_label(self, action: str, label: str) -> str:
        """What Enter does."""
        return str(getattr(self.screen, "use_label", label)) if action == "screen.use" else label

    def on_resize(self) -> None:
        """Explain the same entry again."""
        if self._shown is not None:
            self._shown()

    def _action_parts(
        self, check: TextCheck, together: Sequence[Entry], *, asks_model: bool
    ) -> Iterator[Content]:
        entry = together[0]
        state = check.handling(entry)
        if state == "kept":
            yield Content("Kept as it is.").stylize("$secondary")
        if state == "changed":
            quoted = entry_key(entry) in check.taken  # else the quote stands below
            done = done_to(check.change_of(entry), quoted=quoted)
            yield Content(self._signs.plain(done)).stylize("$supported")
        if state != "open":
            if (last := check.corrections.last) is not None:
                own = concerns(last, entry)
                words = "undo" if own else f"undo the last: {action_words(last)}"
                yield _key("u", words, "undo")
            yield _key("c", "check again", "check_again")
            return
        enter = self._signs.plain("⏎")
        edit = check.corrections.proposal(entry)
        if edit is not None:
            yield _key(enter, offer(edit, check.beside(entry).whole), "use")
        elif entry.is_doubted and (check.corrections.looking or check.near is None):
            yield Content("looking for a value").stylize("$secondary")
        elif entry.is_doubted and asks_model:
            yield _key(enter, "ask the model for a correction", "use")
        yield _key("e", "edit", "edit")
        if entry.verdict != "supported":
            several = f" all {len(together)}" if len(together) > 1 else ""
            yield _key("k", f"keep{several}", "keep")
        if entry.fact is not None:
            yield _key("w", "right/wrong", "own_verdict")

    @property
    def _editing(self) -> bool:
        return self.query_one(SentenceEditor).display

    def edit(self, check: TextCheck, entry: Entry, report: Report) -> None:
        """Open the editor on the sentence of an entry, below the words of the sources."""
        editor = self.query_one(SentenceEditor)
        editor.display = True
        self.on_resize()
        editor.open(check, entry, report)
        editor.focus()
        self.scroll_home(animate=False)

    @property
    def more_below(self) -> bool:
        """Whether not all of it is in sight."""
        return not self._editing and self.scroll_offset.y < self.max_scroll_y

    def close_editor(self) -> None:
        """Take the editor away."""
        self.query_one(SentenceEditor).display = False
        self.on_resize()

    def on_editor_submitted(self, event: SentenceEditor.Submitted) -> None:
        event.stop()
        editor = self.query_one(SentenceEditor)
        self.post_message(self.Edited(editor.whole, editor.taken))

    def on_sentence_editor_cancelled(self, event: SentenceEditor.Cancelled) -> None:
        event.stop()
        self.post_message(self.Edited(None))


def _key(pressed: str, label: str, action: str) -> Content:
    click = f"@click=screen.{action}"
    return Content.assemble((pressed, f"bold $primary {click}"), (f" {label}", click))
