"""The correction of a message: each edit with what caused it, the text as it becomes, and both
results once it was checked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.actions import SkipAction
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from halubot.render import captions
from halubot.report import Edit
from halubot_tui import actions, changes, problems
from halubot_tui.form import Form
from halubot_tui.inspecting.drawing import hung, ink, stack_lines
from halubot_tui.keys import Keys
from halubot_tui.looks import Signs
from halubot_tui.revision import STATES, Revision, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot_tui.tasks import Task
    from halubot_tui.turns import Turn

LOUD: Final[Mapping[State, str]] = {
    "open": "bold $doubtful",
    "made": "bold $supported",
    "left": "$secondary",
    "by hand": "bold $primary",
    "kept": "italic $unchecked",
}
"""How the state of an edit is written."""
SIGNS: Final[Mapping[State, tuple[str, str]]] = {
    "open": ("?", "?"),
    "made": ("✓", "+"),
    "left": ("–", "-"),
    "by hand": ("✎", "~"),
    "kept": ("!", "!"),
}
"""The sign of the state of an edit, and the one in ASCII."""
TOLD: Final = ("hedged", "kept")
"""What is proposed that the change itself does not show; a reason says more if there is one."""
LEFT: Final = "="
"""The sign of doubted words that stay as they are."""
NOTHING: Final = "Nothing in this message is in doubt: there is nothing to correct."
UNCHECKED: Final = (
    "Nothing that was checked is in doubt, and what could not be checked is left as it is: there is"
    " nothing to correct."
)


_DECIDING: Final = ("accept", "reject", "edit", "accept_all", "finish", "undo")


class Decided(Message):
    """A person decided on edits of a message's correction; None opens one again."""

    def __init__(self, turn: str, decisions: Mapping[int, bool | str | None]) -> None:
        super().__init__()
        self.turn = turn
        self.decisions = decisions


class Finished(Message):
    """A person wants the text as it was decided on checked again."""

    def __init__(self, turn: str) -> None:
        super().__init__()
        self.turn = turn


class Stopped(Message):
    """A person wants the work on a message's correction stopped."""

    def __init__(self, turn: str) -> None:
        super().__init__()
        self.turn = turn


class Edits(OptionList):
    """The list of the edits."""

    class Resized(Message):
        """The lines have another width."""

    def on_resize(self) -> None:
        self.post_message(self.Resized())


class ByHand(TextArea):
    """A field for the words of one edit: Enter takes them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "screen.take", "Take", priority=True, tooltip="Take these words."),
        Binding("alt+enter,shift+enter", "newline", "New line", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    ByHand, ByHand:focus {
        border: none; padding: 0; background: $background; height: auto; max-height: 6;
    }
    """

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False

    def action_newline(self) -> None:
        self.insert("\n")


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
    CorrectionScreen #both { height: 1fr; border-top: solid $rule; }
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

    def __init__(self, turn: Turn, signs: Signs) -> None:
        super().__init__()
        self.turn = turn
        self._signs = signs
        self._work: Task | None = None
        self._abouts: list[tuple[Entry, ...]] = []
        self._of: Revision | None = None
        self._shown: int | None = None
        self._edited: int | None = None
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
            case "edit":
                return edits
            case "stop_correcting":
                return self._busy
            case "accept_all":
                return revision is not None and bool(revision.open)
            case "finish":
                if revision is None:
                    return not self._busy and self._work is not None
                return edits and not self._busy and not revision.is_settled
            case _:
                return super().check_action(action, parameters)

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
        self._edited = index
        before, begun = revision.words_of(index)
        title = "In place of the marked words" if before else "To put in"
        change = changes.change(revision, index, self._signs)
        self.query_one("#change", Static).update(change)
        around, field = self.query_one("#by-hand .field"), self.query_one(ByHand)
        around.border_title = title
        around.border_subtitle = "Enter takes these words (none: they go), Esc leaves it"
        field.text = begun
        field.select_all()
        self.add_class("-editing")
        self.refresh_bindings()
        field.focus()

    def action_take(self) -> None:
        """Takes the words that were written by hand."""
        index, words = self._edited, self.query_one(ByHand).text.strip()
        self._leave_field()
        if index is not None:
            self._post({index: words})

    def action_undo(self) -> None:
        """Takes back the latest decision, and goes to it."""
        before = self._undone.pop()
        self.post_message(Decided(self.turn.id, before))
        self.query_one("#edits", OptionList).highlighted = min(before)

    def _post(self, decisions: Mapping[int, bool | str | None]) -> None:
        """Decides, so that it can be taken back."""
        revision = self.turn.revision
        known = revision.decisions if revision is not None else {}
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
        revision, listed = self.turn.revision, self.query_one("#edits", OptionList)
        before, self._shown = self._shown, self._at
        for index in {before, self._shown}:
            if revision is not None and index is not None and index < listed.option_count:
                listed.replace_option_prompt_at_index(index, self._row(revision, index))
        self._preview()
        self.refresh_bindings()

    @property
    def _busy(self) -> bool:
        return self._work is not None and not self._work.ended

    @property
    def _at(self) -> int | None:
        """The edit that is looked at."""
        return self.query_one("#edits", OptionList).highlighted

    def _stays(self, revision: Revision | None) -> bool:
        """Return whether there is nothing to decide of the edit that is looked at."""
        index = self._at
        return revision is not None and index is not None and revision.state(index) == "kept"

    def _decide(self, decision: bool) -> None:
        """Decides on the edit that is looked at and goes on to the next that is open; the same
        again opens it."""
        revision, index = self.turn.revision, self._at
        if revision is None or index is None or self._stays(revision):
            raise SkipAction
        again = revision.decisions.get(index) is decision
        self._post({index: None if again else decision})
        if not again:
            left = [one for one in revision.open if one != index]
            if left:
                after = next((one for one in left if one > index), left[0])
                self.query_one("#edits", OptionList).highlighted = after

    def _tick(self) -> None:
        if self._busy:
            self._say()

    def _draw(self) -> None:
        revision = self.turn.revision
        self.set_class(revision is None or not revision.edits, "-empty")
        if revision is not None:
            self._list(revision)
            self._compare(revision)
            if self.focused is None and revision.edits:
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
        elif not revision.edits:
            said = UNCHECKED if self.turn.report and self.turn.report.unchecked() else NOTHING
        else:
            said = self._standing(revision)
        shown.update(Content(self._signs.plain(said)))

    def _standing(self, revision: Revision) -> str:
        if revision.is_settled:
            stay = captions.number(len(revision.edits), "place stays", "places stay")
            return f"{stay} in doubt, not corrected; below is why. e writes a change by hand."
        said = f"{revision.tally()}."
        if revision.current:
            return f"{said} This text was checked again: y copies it, F9 saves it."
        if revision.outcome is not None:
            return f"{said} It was changed since it was checked again: c checks it anew."
        if revision.open:
            return f"{said} Decide on each, then c takes the text and checks it again."
        if not revision.changes:
            return f"{said} The text is as it was: e writes a change by hand."
        return f"{said} c takes the text and checks it again."

    def _list(self, revision: Revision) -> None:
        """The edits, each with its state, what it changes and what caused it."""
        if self._of is not revision:
            self._of, self._abouts = revision, revision.causes()
        listed = self.query_one("#edits", OptionList)
        rows = [self._row(revision, index) for index in range(len(revision.edits))]
        if listed.option_count == len(rows):
            for index, row in enumerate(rows):
                listed.replace_option_prompt_at_index(index, row)
        else:
            listed.clear_options()
            listed.add_options(Option(row) for row in rows)
        if listed.highlighted is None and rows:
            listed.highlighted = revision.open[0] if revision.open else 0

    def _row(self, revision: Revision, index: int) -> Content:
        edit, state = revision.edits[index], revision.state(index)
        left = state == "kept" and edit.action == "kept"
        sign = LEFT if left else SIGNS[state][self._signs.ascii]
        heading = Content(f"{sign} {STATES[state]}").stylize(LOUD[state])
        if edit.action in TOLD and state != "by hand" and not edit.reason:
            about = f" {self._signs.dash} {captions.ACTIONS[edit.action]}"
            heading += Content(about).stylize("$secondary")
        lines = [heading, changes.change(revision, index, self._signs)]
        lines += self._why(edit, self._abouts[index])
        width = self.query_one("#edits", OptionList).scrollable_content_region.width or 80
        leads = [f"{self._signs.selection if index == self._at else ' '} ", *["  "] * len(lines)]
        rows = [
            row for line, lead in zip(lines, leads, strict=False) for row in hung(line, width, lead)
        ]
        return stack_lines([*rows, Content("")])

    def _why(self, edit: Edit, about: Sequence[Entry]) -> Iterator[Content]:
        if refusal := captions.refusal(edit):
            yield Content(refusal)
        alone = len(about) == 1
        for entry in about:
            key = self._signs.key(entry.verdict, entry.number)
            yield Content.assemble(
                (key, ink(entry.verdict)),
                (f" {self._signs.plain(entry.why(alone=alone))}", "$secondary"),
            )

    def _preview(self) -> None:
        """The whole text as it becomes."""
        revision = self.turn.revision
        if revision is not None:
            whole = changes.whole(revision, self._at, self._signs)
            self.query_one("#preview", Static).update(whole)

    def _compare(self, revision: Revision) -> None:
        """Both results side by side."""
        rows, shown = revision.figures(), self.query_one("#figures", Static)
        shown.set_class(bool(rows), "-shown")
        if not rows:
            return
        width = max(len(what) for what, _, _ in rows)
        lines = [Content.assemble((f"{'':{width}}  {'before':>7}  {'after':>7}", "bold $primary"))]
        if self.size.height < 24:
            rows = rows[:1]
        elif self.size.height < 30:
            rows = rows[:1] + tuple(row for row in rows[1:] if row[1] != row[2])
        for what, before, after in rows:
            style = "bold" if before != after else "$secondary"
            lines.append(Content.assemble((f"{what:{width}}  {before:>7}  {after:>7}", style)))
        if not revision.current:
            lines.append(Content("of the text before your latest decisions").stylize("italic"))
        shown.update(Content("\n").join(lines))
