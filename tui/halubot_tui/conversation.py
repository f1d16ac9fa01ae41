"""The conversation: questions, answers and texts, with what to doubt in them marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from halubot.render import words
from halubot.render.inert import one_line
from halubot.render.marks import Piece, pieces
from halubot_tui import actions, marked
from halubot_tui.looks import STYLES, Signs
from halubot_tui.messages import Selected
from halubot_tui.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.geometry import Size

SHOWN: Final = 30
"""Messages that are on the screen at once, beyond its edges too; older ones come as one scrolls."""


class MarkedText(Widget):
    """The text of one message, laid out as Markdown, with its doubtful places marked.

    A mark that is pointed at names its fact; one that is clicked selects it.
    """

    DEFAULT_CSS = """
    MarkedText { height: auto; width: 1fr; }
    """

    selected: reactive[int | None] = reactive(None, layout=True)

    def __init__(self, turn: Turn, signs: Signs) -> None:
        super().__init__()
        self._turn = turn
        self._signs = signs
        self._blocks: tuple[marked.Block, ...] = ()
        self._marks: tuple[marked.Mark, ...] = ()
        self._laid: dict[tuple[int, int | None], Content] = {}
        self.read()

    def read(self) -> None:
        """Reads the message as it stands now."""
        text, report = self._turn.answer, self._turn.report
        self._blocks = marked.blocks(text)
        self._marks = ()
        if report is not None and report.text == text:
            entries = [entry for entry in self._turn.entries if entry.verdict != "supported"]
            self._marks = tuple(_marks(pieces(report, entries), self._signs))
        self._laid.clear()
        self.refresh(layout=True)

    def render(self) -> Content:
        return self._at(self.content_size.width or self.size.width)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._at(width).plain.count("\n") + 1

    def _at(self, width: int) -> Content:
        key = (width, self.selected)
        if key not in self._laid:
            self._laid.clear()
            self._laid[key] = marked.lay_out(
                self._blocks, self._marks, width, selected=self.selected
            )
        return self._laid[key]

    def on_mouse_move(self, event: events.MouseMove) -> None:
        number = event.style.meta.get("entry")
        entry = next((one for one in self._turn.entries if one.number == number), None)
        self.tooltip = None if entry is None else Content(f"{entry.reading}\n{entry.said}".strip())

    def on_click(self, event: events.Click) -> None:
        number = event.style.meta.get("entry")
        self.post_message(Selected(self._turn.id, number if isinstance(number, int) else None))


def _marks(found: Sequence[Piece], signs: Signs) -> Iterator[marked.Mark]:
    """The marks of a report's pieces."""
    for piece in found:
        if piece.verdict is None:
            continue
        style = STYLES[piece.verdict] if piece.strong else ""
        number = piece.entries[0].number if piece.entries else None
        yield marked.Mark(piece.start, piece.end, style, number)
        for entry in piece.closing:
            sign = signs.key(entry.verdict, entry.number)
            look = STYLES[entry.verdict]
            yield marked.Mark(piece.end - 1, piece.end, "", entry.number, sign, look)


class TurnView(Vertical):
    """One message: what was asked, the summary of its check, its text."""

    DEFAULT_CSS = """
    TurnView { height: auto; padding: 0 1 1 1; border-left: blank; }
    TurnView.-selected { border-left: outer $primary; }
    TurnView .asked { color: $primary; text-style: bold; padding-bottom: 1; }
    TurnView .summary { color: $text-muted; }
    TurnView .told { color: $text-muted; }
    """

    def __init__(self, turn: Turn, signs: Signs) -> None:
        super().__init__(id=f"turn-{turn.id}")
        self.turn = turn
        self._signs = signs

    def compose(self) -> ComposeResult:
        asked = (
            self.turn.inputs.text if self.turn.inputs.kind == "ask" else self.turn.inputs.question
        )
        if asked:
            yield Static(Content(one_line(asked)), classes="asked", markup=False)
        yield MarkedText(self.turn, self._signs)
        yield Static(classes="summary", markup=False)

    def on_mount(self) -> None:
        self.show()

    def show(self) -> None:
        """Draws the message as it stands now."""
        self.query_one(MarkedText).read()
        self.query_one(".summary", Static).update(summary_of(self.turn, self._signs))

    def select(self, entry: int | None, *, selected: bool) -> None:
        """Shows whether this message, and which entry of it, is looked at."""
        self.set_class(selected, "-selected")
        self.query_one(MarkedText).selected = entry if selected else None


def summary_of(turn: Turn, signs: Signs) -> Content:
    """The line below a message: the result, and how it came about; or what is being done."""
    report = turn.report
    parts: list[tuple[str, str] | str] = []
    if turn.running:
        spent = words.took(report) if report is not None else ""
        parts += [(f"{signs.busy} ", "$primary"), f"{turn.doing}"]
        parts += [f" {signs.dash} {spent}"] if spent and report and report.usage.calls else []
        return Content.assemble(*parts)
    if turn.failure:
        return Content.assemble(("! ", "$contradicted"), one_line(turn.failure))
    if report is None:
        return Content("nothing is known of it")
    worst = next((v for v in words.SEVERITY if any(e.verdict == v for e in turn.entries)), None)
    if worst is not None:
        parts.append((f"{signs.verdict(worst)} ", STYLES[worst].replace("underline ", "")))
    parts.append((words.summary(report), "bold"))
    if turn.state == "stopped":
        parts.append((" (stopped)", "$doubtful"))
    phrases = f" {signs.dash} ".join(words.method(report))
    return Content.assemble(*parts, "\n", (phrases, "$text-muted"))


class Conversation(VerticalScroll):
    """The messages of a session, the newest below. Follows what is written until one scrolls up."""

    BINDINGS = actions.bindings("conversation")
    DEFAULT_CSS = """
    Conversation { width: 2fr; padding: 1 1 0 1; scrollbar-size-vertical: 1; }
    """

    def __init__(self, signs: Signs) -> None:
        super().__init__(id="conversation")
        self._signs = signs
        self._turns: list[Turn] = []
        self._first = 0
        self._selected: tuple[str, int | None] | None = None

    def on_mount(self) -> None:
        self.anchor()

    async def open(self, turns: Sequence[Turn]) -> None:
        """Shows a session from its newest messages on."""
        self._turns = list(turns)
        self._first = max(0, len(self._turns) - SHOWN)
        await self.remove_children()
        await self.mount_all(TurnView(turn, self._signs) for turn in self._turns[self._first :])

    async def add(self, turn: Turn) -> None:
        """One more message."""
        self._turns.append(turn)
        await self.mount(TurnView(turn, self._signs))
        self.anchor()

    def view(self, turn: str) -> TurnView | None:
        """The view of a message, where it is shown."""
        return next((view for view in self.query(TurnView) if view.turn.id == turn), None)

    def show(self, turn: Turn) -> None:
        """Draws a message as it stands now."""
        view = self.view(turn.id)
        if view is not None and view.is_mounted:
            view.show()

    def select(self, turn: str, entry: int | None) -> None:
        """Marks the message, and its entry, that are looked at."""
        self._selected = (turn, entry)
        for view in self.query(TurnView):
            view.select(entry, selected=view.turn.id == turn)

    def action_next_fact(self) -> None:
        self._step(1)

    def action_previous_fact(self) -> None:
        self._step(-1)

    def _step(self, by: int) -> None:
        """Selects the next doubted entry in the order of the text, across messages."""
        places: list[tuple[str, int | None]] = [
            (turn.id, entry.number)
            for turn in self._turns
            for entry in sorted(turn.entries, key=lambda one: one.spans)
            if entry.verdict != "supported"
        ]
        if not places:
            return
        here = self._selected
        at = -1 if by > 0 else 0
        if here is not None and here in places:
            at = places.index(here)
        self.post_message(Selected(*places[(at + by) % len(places)]))
