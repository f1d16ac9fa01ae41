"""The correction of a message: each edit with what caused it, the text as it becomes, and both
results once it was checked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.actions import SkipAction
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from halubot.render import captions
from halubot_tui import actions, changes, heads, layout, problems
from halubot_tui.correction_fields import ByHand, Edits
from halubot_tui.correction_words import describe_revision, explain_refusal
from halubot_tui.form import Form
from halubot_tui.handwork import Handwork, begin_by_hand, take_by_hand
from halubot_tui.keys import Keys, keymap
from halubot_tui.looks import Signs
from halubot_tui.messages import Decided, Finished, Stopped
from halubot_tui.revision import Revision
from halubot_tui.turns import list_entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot_tui.turns import Turn
    from halubot_tui.work import Task

OWN: Final = "The sentence as it is to read"
MOST: Final = 200
"""Places that are listed at once: of longer texts those around the one that is looked at."""


_DECIDING: Final = (
    *("accept", "reject", "edit", "accept_all", "finish", "undo", "all_sentences", "next_left"),
)


class CorrectionScreen(Form[None]):
    """Decides on the correction of one message. It draws what it is told to (`show`)."""

    PLACE: ClassVar[actions.Place] = "correction"
    AUTO_FOCUS = ""  # the edits have it once they are there
    SCOPED_CSS = False  # the class of plain signs is the app's
    BINDINGS: ClassVar[list[BindingType]] = [
        *actions.bindings("correction"),
        *(actions.find_action(name).elsewhere() for name in ("copy", "export")),
    ]
    DEFAULT_CSS = """
    CorrectionScreen > #panel { width: 100%; height: 1fr; max-width: 100%; max-height: 100%; }
    CorrectionScreen #state { height: auto; padding: 0 1; }
    CorrectionScreen #state.-wrong { color: $text-error; }
    CorrectionScreen #both {
        height: 1fr; border-top: solid $rule; border-title-color: $primary;
        border-title-style: bold;
    }
    CorrectionScreen #edits { width: 1fr; height: 1fr; }
    CorrectionScreen #right { width: 1fr; border-left: solid $rule; }
    CorrectionScreen #text { height: 1fr; padding: 0 1; }
    CorrectionScreen #preview { height: auto; }
    CorrectionScreen #figures {
        height: auto; padding: 0 1; border-top: solid $rule; display: none;
    }
    CorrectionScreen #figures.-shown { display: block; }
    CorrectionScreen.-narrow #both { layout: vertical; }
    CorrectionScreen.-narrow #right { border-left: none; border-top: solid $rule; }
    CorrectionScreen.-empty #both { display: none; }
    CorrectionScreen #by-hand { height: auto; display: none; border-top: solid $rule; }
    CorrectionScreen.-editing #by-hand { display: block; }
    CorrectionScreen #change { height: auto; max-height: 4; padding: 0 1; }
    .-ascii CorrectionScreen #by-hand { border-top: ascii $rule; }
    .-ascii CorrectionScreen #both, .-ascii CorrectionScreen #figures { border-top: ascii $rule; }
    .-ascii CorrectionScreen #right { border-left: ascii $rule; }
    .-ascii CorrectionScreen.-narrow #right { border-left: none; border-top: ascii $rule; }
    """

    def __init__(
        self, turn: Turn, signs: Signs, entry: Entry | None = None, keys: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.turn = turn
        self._signs = signs
        self._work: Task | None = None
        self._entry = entry
        self._keys = keys
        self._whole = False
        self._more = 0
        self._rows: list[int] = []
        self._shown: int | None = None
        self._edited: int | None = None
        self._begun = Handwork("", "", "")
        self._refusal = ""
        """Why the key that was pressed last does nothing; "" of one that does."""
        self._undone: list[dict[int, bool | str | None]] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = Content(f"Correction: {self.turn.title}")
            yield Static(id="state", markup=False)
            with Horizontal(id="both"):
                yield Edits(id="edits", classes="rows", markup=False)
                with Vertical(id="right"):
                    with VerticalScroll(id="text"):
                        yield Static(id="preview", markup=False)
                    yield Static(id="figures", markup=False)
            with Vertical(id="by-hand"):
                yield Static(id="change", markup=False)
                with Vertical(classes="field"):
                    yield ByHand()
        yield Keys()

    def on_mount(self) -> None:
        self.set_interval(1.0, self._tick)
        self.show(self._work)

    def on_resize(self) -> None:
        super().on_resize()
        self.set_class(self.size.width < 100, "-narrow")
        self._draw()

    def on_edits_scrolled(self) -> None:
        """Says above the list how many of its places are not in sight."""
        above, below = self.query_one("#edits", Edits).out_of_sight
        up, down = ("^", "v") if self._signs.ascii else ("▲", "▼")
        said = [f"{up} {above} more above"] if above else []
        said += [f"{down} {below} more below"] if below else []
        self.query_one("#both").border_title = f" {'  '.join(said)} " if said else ""

    def on_edits_resized(self) -> None:
        if self.turn.revision is not None:
            self._list(self.turn.revision)

    def show(self, task: Task | None) -> None:
        """Draws how it stands, and the work that is under way or was last."""
        self._work = task
        if self.is_mounted:
            self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is something to do an action with: to decide on, or to begin
        again."""
        revision = self.turn.revision
        edits = revision is not None and bool(revision.edits)
        if action in _DECIDING and self._edited is not None:
            return False
        match action:
            case "undo":
                return bool(self._undone)
            case "accept" | "reject":
                return edits and not self._stays(revision)
            case "next_left":
                return revision is not None and revision.next_left(self._at) is not None
            case "edit" | "all_sentences":
                return revision is not None and bool(self._rows)
            case "stop_correcting":
                return self._busy
            case "accept_all":
                return revision is not None and bool(revision.open)
            case "finish":
                if revision is None:
                    return not self._busy and self._work is not None
                return not self._busy and not revision.is_settled
            case _:
                return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        """Says why a key of the correction does nothing here."""
        revision = None if self._busy else self.turn.revision
        chosen, _ = keymap(self._keys)
        for action in actions.of("correction"):
            pressed = event.key in chosen.get(action.id, action.keys).split(",")
            if not pressed or self.check_action(action.method, ()):
                continue  # the key comes here before its action
            if self._edited is None and revision is not None:
                self._refusal = explain_refusal(revision, self._at, action.id)
                self._say()
                return

    @property
    def quiet_actions(self) -> Sequence[str]:
        """Return the actions that the line of keys does not name: once all is decided the same key
        again opens an edit, which is for those who look for it."""
        revision = self.turn.revision
        return () if revision is None or revision.open else ("accept", "reject")

    def action_accept(self) -> None:
        self._decide(True)

    def action_reject(self) -> None:
        self._decide(False)

    def action_accept_all(self) -> None:
        if self.turn.revision is not None and (found := self.turn.revision.accepting()):
            self._post(found)

    def action_edit(self) -> None:
        """Opens a field below the edits, in which this one is written by hand."""
        revision, index = self.turn.revision, self._at
        if revision is None or index is None:
            return
        self._edited, self._begun = index, begin_by_hand(revision, index)
        shown = self.query_one("#change", Static)
        said = changes.draw_sources(revision, index, self._signs)
        shown.display = bool(said)
        shown.update(said)
        around, field = self.query_one("#by-hand .field"), self.query_one(ByHand)
        around.border_title = (
            "With what the source says: change it, or take it" if self._begun.given else OWN
        )
        around.border_subtitle = "Enter takes it, empty removes it, Esc leaves it"
        field.begin(self._begun)
        self.add_class("-editing")
        self.refresh_bindings()
        field.focus()

    def action_take(self) -> None:
        """Takes the words that were written by hand, and goes on to what is left."""
        index, text = self._edited, self.query_one(ByHand).text
        self._leave_field()
        revision = self.turn.revision
        if index is None or revision is None:
            return
        taken = take_by_hand(revision, index, self._begun, text)
        if taken:
            self._post(taken)
        self._go_on(revision, next(iter(taken), index))

    def action_all_sentences(self) -> None:
        """Lists every sentence, or only those of which something is to be decided or in doubt."""
        self._whole = not self._whole
        self._draw()

    def action_next_left(self) -> None:
        """Goes to the next place that is open, in doubt or not checked."""
        revision = self.turn.revision
        if revision is not None and (left := revision.next_left(self._at)) is not None:
            self._go(left)

    def action_undo(self) -> None:
        """Takes back the latest decision, and goes to it."""
        before = self._undone.pop()
        self.post_message(Decided(self.turn.id, before))
        self._go(min(before))

    def _post(self, decisions: Mapping[int, bool | str | None]) -> None:
        """Decides, so that it can be taken back."""
        revision = self.turn.revision
        known = revision.decisions if revision is not None else {}
        self._refusal = ""
        self._undone.append({index: known.get(index) for index in decisions})
        self.post_message(Decided(self.turn.id, decisions))

    def _leave_field(self) -> None:
        self._edited = None
        self.remove_class("-editing")
        self.refresh_bindings()
        self.query_one("#edits").focus()

    def action_finish(self) -> None:
        self.post_message(Finished(self.turn.id))

    def action_back(self) -> None:
        """Leaves the field of an edit, else the correction. The decisions are kept, and work that
        is under way goes on."""
        if self._edited is not None:
            self._leave_field()
        else:
            self.dismiss(None)

    def action_stop_correcting(self) -> None:
        self.post_message(Stopped(self.turn.id))

    def on_option_list_option_highlighted(self) -> None:
        self._refusal = ""
        revision, listed = self.turn.revision, self.query_one("#edits", OptionList)
        before, self._shown = self._shown, self._at
        for index in {before, self._shown}:
            if revision is not None and index is not None and index in self._rows:
                row = self._row(revision, index, chosen=index == self._shown)
                listed.replace_option_prompt_at_index(self._rows.index(index), row)
        self._preview()
        self._say()
        self.refresh_bindings()

    @property
    def _busy(self) -> bool:
        return self._work is not None and not self._work.ended

    @property
    def _at(self) -> int | None:
        """The place that is looked at."""
        row = self.query_one("#edits", OptionList).highlighted
        return None if row is None or row >= len(self._rows) else self._rows[row]

    def _go(self, index: int) -> None:
        """Looks at a place."""
        if index not in self._rows and self.turn.revision is not None:
            self._list(self.turn.revision, at=index)
        if index in self._rows:
            self.query_one("#edits", OptionList).highlighted = self._rows.index(index)

    def _stays(self, revision: Revision | None) -> bool:
        """Return whether there is nothing to decide of the place that is looked at."""
        index = self._at
        if revision is None or index is None:
            return False
        return revision.sentence_at(index) is not None or revision.state(index) in ("kept", "over")

    def _decide(self, decision: bool) -> None:
        """Decides on the edit that is looked at and goes on to the next that is open; the same
        again opens it."""
        revision, index = self.turn.revision, self._at
        if revision is None or index is None or self._stays(revision):
            raise SkipAction
        again = revision.decisions.get(index) is decision
        self._post({index: None if again else decision})
        if not again:
            self._go_on(revision, index)

    def _go_on(self, revision: Revision, index: int) -> None:
        """Goes on from a place that is decided on to what is left."""
        left = revision.next_undecided(index)
        if left is not None:
            self._go(left)

    def _tick(self) -> None:
        if self._busy:
            self._say()

    def _draw(self) -> None:
        revision = self.turn.revision
        self.set_class(revision is None or not revision.places, "-empty")
        if revision is not None:
            self._list(revision)
            self._compare(revision)
            if self.focused is None and self._rows:
                # what is hidden would lose the focus again
                self.call_after_refresh(self.query_one("#edits").focus)
        self._preview()
        self._say()
        self.refresh_bindings()

    def _say(self) -> None:
        """Show the state and what to do, above everything else."""
        shown, task, revision = self.query_one("#state", Static), self._work, self.turn.revision
        wrong = task is not None and task.ended and bool(task.failure)
        shown.set_class(wrong, "-wrong")
        if task is not None and not task.ended:
            said = f"{self._signs.busy} {task.progress_text}. x stops it."
        elif task is not None and task.failure:
            said = f"It failed: {problems.failure(task.failure).rstrip('.')}. c tries again."
        elif task is not None and task.stopped:
            said = "It was stopped; c begins again."
        elif revision is None:
            said = "There is no correction yet."
        else:
            said = describe_revision(revision, self._at)
        if revision is not None and self._more and not self._busy:
            said += f" {self._more} more places: select a fact there, then F4."
        if self._refusal:
            said = f"{self._refusal} {said}"
        shown.update(Content(self._signs.plain(said)))

    def _list(self, revision: Revision, at: int | None = None) -> None:
        """The places, each with its state, what it changes and what caused it; those around
        ``at``, else around the one that is looked at."""
        listed = self.query_one("#edits", OptionList)
        first = not self._rows
        if at is None:
            at = self._at if not first else self._begin(revision)
        whole = self._whole or not revision.list_places()
        rows = revision.list_places(whole=whole, at=at)
        place = rows.index(at) if at in rows else 0
        begin = place - place % MOST
        again, self._rows = self._rows, rows[begin : begin + MOST]
        # the list still marks the row of before; what is looked at is the place, wherever it is now
        marked = at if at in self._rows else next(iter(self._rows), None)
        drawn = [self._row(revision, index, chosen=index == marked) for index in self._rows]
        if again == self._rows and listed.option_count == len(drawn):
            for number, row in enumerate(drawn):
                listed.replace_option_prompt_at_index(number, row)
        else:
            with self.prevent(OptionList.OptionHighlighted):
                listed.clear_options()
                listed.add_options(Option(row) for row in drawn)
                if at in self._rows:
                    listed.highlighted = self._rows.index(at)
            self._shown = self._at
        self._more = len(rows) - len(self._rows)
        if listed.highlighted is None and drawn:
            listed.highlighted = 0

    def _begin(self, revision: Revision) -> int | None:
        """The place to begin with: that of the fact from which one came if its change is open or it
        is in doubt; else the first that is open, else the first in doubt."""
        came = None if self._entry is None else revision.place_of(self._entry)
        left = (*revision.open, *revision.in_doubt)
        return came if came in left or not left else left[0]

    def _row(self, revision: Revision, index: int, *, chosen: bool) -> Content:
        width = self.query_one("#edits", OptionList).scrollable_content_region.width or 80
        return changes.row(revision, index, self._signs, width, chosen=chosen)

    def _preview(self) -> None:
        """The whole text as it becomes."""
        revision = self.turn.revision
        if revision is None:
            return
        shown, pane = self.query_one("#preview", Static), self.query_one("#text", VerticalScroll)
        width = pane.scrollable_content_region.width
        whole, place = changes.whole(revision, self._at, self._signs, width or 80)
        shown.update(whole)
        if width:
            lines = layout.wrap_lines(whole.plain[:place], width)
            lead = pane.size.height // 3
            self.call_after_refresh(pane.scroll_to, y=max(0, len(lines) - lead), animate=False)

    def _compare(self, revision: Revision) -> None:
        """Both results side by side."""
        rows, shown = revision.figures(), self.query_one("#figures", Static)
        shown.set_class(bool(rows), "-shown")
        if not rows:
            return
        width = max(len(what) for what, _, _ in rows)
        first = 1 + (rows[1][0] == captions.VERDICTS["not_checked"])
        lines = [Content.assemble((f"{'':{width}}  {'before':>7}  {'after':>7}", "bold $primary"))]
        if self.size.height < (30 if self.has_class("-narrow") else 24):
            rows = rows[:first]
        elif self.size.height < 30:
            rows = rows[:first] + tuple(row for row in rows[first:] if row[1] != row[2])
        for what, before, after in rows:
            style = "bold" if before != after else "$secondary"
            lines.append(Content.assemble((f"{what:{width}}  {before:>7}  {after:>7}", style)))
        if revision.current and revision.again is not None:
            doubts = [entry for entry in list_entries(revision.again) if entry.is_doubted]
            most = max(1, (self.size.height - 20) // 5)
            lines += heads.name_doubts(doubts, most, self._signs)
        if not revision.current:
            lines.append(Content("of the text before your latest decisions").stylize("italic"))
        shown.update(Content("\n").join(lines))
