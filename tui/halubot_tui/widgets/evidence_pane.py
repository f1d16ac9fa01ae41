"""Why the selected fact has its verdict: who says what, quotes, and the editor of its sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Collapsible, Static

from halubot.render.items import quotes
from halubot_tui.corrections import entry_key
from halubot_tui.explanation import (
    done_to,
    method_lines,
    near_quotes,
    offer,
    reason,
    said,
    source_words,
    stances,
    title,
)
from halubot_tui.own_verdicts import next_word
from halubot_tui.theme import MEANINGS, Signs
from halubot_tui.widgets.fact_list import GROUP, GROUPS, STANCES
from halubot_tui.widgets.sentence_editor import SentenceEditor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.text_check import TextCheck

_STANCES = {stance: (glyph, plain, look) for stance, glyph, plain, look, _ in STANCES}
QUOTES: Final = 4
"""Distinct quotes that are shown."""


class EvidencePane(VerticalScroll, can_focus=True):
    """The explanation of one fact. It draws what it is told to."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.use", "use")]

    @dataclass
    class Edited(Message):
        """The sentence of the shown fact was edited; ``text`` is None if that was cancelled."""

        text: str | None

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="evidence")
        self._signs = signs
        self._explained: tuple[object, ...] = ()
        self._shown: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        yield SentenceEditor()
        yield Static(id="why", markup=False)
        folded, opened = self._signs.fold(opened=False), self._signs.fold(opened=True)
        with Collapsible(
            title="how it was compared",
            id="compared",
            collapsed_symbol=folded,
            expanded_symbol=opened,
        ):
            yield Static(id="comparison", markup=False)

    def show(
        self,
        check: TextCheck | None,
        entry: Entry | None,
        notes: Sequence[str] = (),
        *,
        asks_model: bool = False,
        group: str = "",
    ) -> None:
        """Explain an entry of a check, or a group. ``notes`` say what went wrong in it;
        ``asks_model`` tells that a model can be asked for a correction."""
        self._shown = partial(self.show, check, entry, notes, asks_model=asks_model, group=group)
        report = None if check is None else check.report
        collapsible = self.query_one("#compared", Collapsible)
        if check is None or entry is None or report is None:
            self.border_title = "Why"
            said = Content(self._idle(check, notes, group)).stylize("$secondary")
            self.query_one("#why", Static).update(said)
            collapsible.display = False
            return
        done, compared = check.handling(entry) != "open", bool(report.sources)
        self.border_title = title(entry, numbered=not check.running, done=done, compared=compared)
        lines = [*self._lines(check, entry, report, asks_model=asks_model)]
        if entry.verdict == "not_checked" and not report.sources:
            new = (one for one in notes if not entry.reason or entry.reason not in one)
            lines += [Content(one).stylize("$secondary") for one in new]
        self.query_one("#why", Static).update(Content("\n").join(lines))
        told = Content("\n").join(self._comparison(entry, report))
        self.query_one("#comparison", Static).update(told)
        collapsible.display = not self._editing
        if self._explained != (check.id, entry_key(entry)):
            self._explained = check.id, entry_key(entry)
            self.scroll_home(animate=False)

    @staticmethod
    def _idle(check: TextCheck | None, notes: Sequence[str], group: str) -> str:
        if check is None or not check.entries:
            return ""
        for verdict in GROUPS:
            if group == GROUP + verdict:
                count = sum(one.verdict == verdict for one in check.entries)
                return f"{count} {check.word_of(verdict)}: {MEANINGS[verdict]}."
        if check.running:
            return "Facts are explained here as they are judged."
        if not any(one.is_doubted for one in check.entries):
            supported = sum(one.verdict == "supported" for one in check.entries)
            if not supported:
                stopped = check.state == "stopped"
                said = "Stopped before anything was judged." if stopped else "Nothing was checked."
                return "\n".join((said, *notes))
            return f"Nothing is in doubt. Supported: {supported} of {len(check.entries)}."
        return "Choose a fact to see why."

    def _lines(
        self, check: TextCheck, entry: Entry, report: Report, *, asks_model: bool
    ) -> Iterator[Content]:
        if not self._editing:
            yield from self._verdict_lines(check, entry, report, asks_model=asks_model)
        found = quotes(entry.fact, report, most=QUOTES) if entry.fact is not None else ()
        for one in found:
            times = f" {'x' if self._signs.ascii else '×'}{one.count}" if one.count > 1 else ""
            glyph, plain, look = _STANCES[one.evidence.stance]
            quote = Content(self._signs.quote(one.text))
            if one.value and (at := one.text.find(one.value)) >= 0:
                quote = quote.stylize(f"bold {look}", at + 1, at + 1 + len(one.value))
            name = source_words(f"{one.name} ({one.location})" if one.location else one.name)
            sign = plain if self._signs.ascii else glyph
            yield Content.assemble(
                (f"{sign} ", look), quote, (times, "bold"), (f"  {name}", "$secondary")
            )
        near = () if found else near_quotes(entry, check.near, report)
        if near:
            yield Content("Nearest in the sources:").stylize("$secondary")
        for text, name in near:
            quote = Content(f"{self._signs.dash} {self._signs.quote(text)}")
            yield Content.assemble(quote, (f"  {name}", "$secondary"))

    def _verdict_lines(
        self, check: TextCheck, entry: Entry, report: Report, *, asks_model: bool
    ) -> Iterator[Content]:
        yield Content(entry.reading).stylize("bold")
        if entry.word:
            yield Content(f"{entry.word}.").stylize("bold $accent")
        if told := said(entry, check.near, report):
            yield Content(self._signs.plain(told))
        if entry.verdict == "doubtful" and (why := reason(entry)):
            yield Content(self._signs.plain(why)).stylize("$secondary")
        # Before the quotes: on a small screen they may be out of sight, and the keys must not be.
        if not check.running:
            yield from self._actions(check, entry, asks_model=asks_model)

    def _actions(self, check: TextCheck, entry: Entry, *, asks_model: bool) -> Iterator[Content]:
        """Yield lines with what can be done about an entry; a key stands beside what it does."""
        line = Content("")
        for part in self._action_parts(check, entry, asks_model=asks_model):
            wider = line + "  " + part if line else part
            if line and wider.cell_length >= self.scrollable_content_region.width:
                yield line
                wider = part
            line = wider
        yield line

    def on_resize(self) -> None:
        """Explain the same entry again."""
        if self._shown is not None:
            self._shown()

    def _action_parts(
        self, check: TextCheck, entry: Entry, *, asks_model: bool
    ) -> Iterator[Content]:
        state = check.handling(entry)
        if state == "kept":
            yield Content("Kept as it is.").stylize("$secondary")
        if state == "changed":
            quoted = entry_key(entry) in check.taken  # else the quote stands below
            done = done_to(check.change_of(entry), quoted=quoted)
            yield Content(self._signs.plain(done)).stylize("$supported")
        if state != "open":
            yield _key("u", "undo", "undo")
            yield _key("c", "check", "check_again")
            return
        enter = "Enter" if self._signs.ascii else "⏎"
        edit = check.corrections.proposal(entry)
        if edit is not None:
            unsettled = bool(check.corrections.unsettled & {*edit.facts})
            yield _key(enter, f"{offer(edit)}{', see the quote' if unsettled else ''}", "use")
        elif entry.is_doubted and check.corrections.looking:
            yield Content("looking for a value").stylize("$secondary")
        elif entry.is_doubted and asks_model:
            yield _key(enter, "ask the model for a correction", "use")
        elif entry.is_doubted:
            yield Content("no value found").stylize("$secondary")
        yield _key("e", "edit", "edit")
        if entry.verdict != "supported":
            yield _key("k", "keep", "keep")
        if entry.fact is not None:
            yield _key("w", _disagree(entry), "disagree")

    def _comparison(self, entry: Entry, report: Report) -> Iterator[Content]:
        for line in method_lines(entry, report):
            yield Content(line)
        for stance, name, value in stances(entry, report):
            glyph, plain, look = _STANCES[stance]
            sign = plain if self._signs.ascii else glyph
            yield Content.assemble((f"{sign} ", look), name, (f"  {value}", "$secondary"))

    def on_mount(self) -> None:
        self.query_one("#sentence").display = False

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

    def close_editor(self) -> None:
        """Take the editor away."""
        self.query_one(SentenceEditor).display = False
        self.on_resize()

    def on_editor_submitted(self, event: SentenceEditor.Submitted) -> None:
        event.stop()
        self.post_message(self.Edited(self.query_one(SentenceEditor).whole))

    def on_sentence_editor_cancelled(self, event: SentenceEditor.Cancelled) -> None:
        event.stop()
        self.post_message(self.Edited(None))


def _disagree(entry: Entry) -> str:
    """What the key does that calls a verdict wrong."""
    said = entry.fact.feedback if entry.fact is not None else None
    says = next_word(entry)
    if said is None:
        return "wrong verdict"
    return "take it back" if says is None else f"no, it is {says}"


def _key(pressed: str, label: str, action: str) -> Content:
    click = f"@click=screen.{action}"
    return Content.assemble((pressed, f"bold $primary {click}"), (f" {label}", click))
