"""The inspector: the facts of a message, the evidence on each, and the views between which one
chooses."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widgets import ContentSwitcher, OptionList, Static

from halubot.errors import HalubotError
from halubot.render.inert import one_line
from halubot_tui import actions
from halubot_tui.inspecting import reasons
from halubot_tui.inspecting.details import message_details
from halubot_tui.inspecting.drawing import NOTHING, QUIET, SOURCE, Reading, hung, stack_lines
from halubot_tui.inspecting.evidence import explain_verdict, overview
from halubot_tui.inspecting.facts import FactList
from halubot_tui.inspecting.graph import Graph
from halubot_tui.inspecting.matrix import Chosen, Matrix, Opened
from halubot_tui.inspecting.sources import FullText, Sources
from halubot_tui.keys import Keys
from halubot_tui.looks import Signs
from halubot_tui.messages import Commanded, Selected
from halubot_tui.terminal import draw_between, is_behind, space

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.compare.explanation import Explanation
    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.turns import Turn

VIEWS: Final = {
    "facts-view": "Facts",
    "matrix": "Table",
    "sources": "Sources",
    "graph": "Graph",
    "details": "How",
    "why": "Why",
}
"""The names of the views, by the ids of their widgets."""
FIRST: Final = {
    "facts-view": "#facts",
    "matrix": "#cells",
    "sources": "#source-list",
    "graph": "#graph",
    "details": "#details",
    "why": "#why",
}
"""Which widget of each view gets the keys first."""
VIEW: Final = "view"
"""Under this name the style of a view's name holds its id."""


def draw_strip(here: str, width: int) -> Content:
    """The names of the views with their keys; the one in sight stands out, and stands alone if
    there is no room for all."""
    wide = sum(len(name) + 4 for name in VIEWS.values()) - 2 <= width
    if width < sum(len(name) + 3 for name in VIEWS.values()) - 1:
        which = [*VIEWS].index(here) + 1
        return Content.assemble(
            (str(which), QUIET),
            (VIEWS[here], "bold reverse $primary"),
            (f" 1 to {len(VIEWS)} show others", QUIET),
        )
    parts: list[Content] = []
    for number, (view, name) in enumerate(VIEWS.items(), start=1):
        part = Content.assemble(
            (f"{number} ", QUIET), (name, "bold reverse $primary" if view == here else "")
        )
        parts.append(part.stylize(Style.from_meta({VIEW: view})))
    return Content("  " if wide else " ").join(parts)


_REST: Final = 0.75
"""Seconds at least between two drawings of a message that is worked on."""
_AROUND: Final = 3
"""Rows of the inspector beside the facts and the evidence."""
_MUCH: Final = 100_000
"""Characters from which words are compared once more only for the view that shows it."""
_SHARE: Final = 8
"""A share of the time that drawing may take: one in so many."""


class Inspector(Vertical):
    """The views of the selected message; only the one in sight is drawn."""

    BINDINGS = actions.bindings("inspector")
    DEFAULT_CSS = """
    Inspector {
        width: 3fr; min-width: 48; border-left: solid $rule; padding: 1 0 0 1;
        background: $background;
    }
    Inspector.-plain { border-left: ascii $rule; }
    Inspector #views { height: auto; padding-bottom: 1; }
    Inspector ContentSwitcher, Inspector ContentSwitcher > * { height: 1fr; }
    Inspector OptionList {
        border: none; background: $background; padding: 0; text-wrap: nowrap;
    }
    Inspector OptionList:focus {
        border: none; background: $background; background-tint: $foreground 0%;
    }
    Inspector OptionList > .option-list--option-disabled { color: $foreground; }
    Inspector OptionList > .option-list--option-highlighted {
        background: $surface; color: $foreground; text-style: none;
    }
    Inspector OptionList:focus > .option-list--option-highlighted {
        background: $panel; color: $foreground; text-style: none;
    }
    Inspector #evidence {
        height: 1fr; border-top: solid $rule;
        border-title-align: right; border-title-color: $primary;
    }
    Inspector #evidence:focus { border-top: solid $primary; }
    Inspector.-plain #evidence, Inspector.-plain #about, Inspector.-plain #cell {
        border-top: ascii $rule;
    }
    Inspector.-plain #evidence:focus { border-top: ascii $primary; }
    Inspector * {
        scrollbar-size-vertical: 1; scrollbar-color: $rule; scrollbar-background: $background;
        scrollbar-color-hover: $secondary; scrollbar-background-hover: $background;
        scrollbar-color-active: $primary; scrollbar-background-active: $background;
    }
    Inspector.-low #evidence { height: 1fr; }
    Inspector.-low #evidence:focus { height: 12fr; }
    Inspector Static { height: auto; }
    Inspector *:focus { scrollbar-color: $secondary; }
    Inspector #evidence.-alone, Inspector #evidence.-alone:focus { border-top: none; }
    """

    def __init__(self, signs: Signs, view: str = "facts-view") -> None:
        super().__init__(id="inspector")
        self._signs = signs
        self._turn: Turn | None = None
        self._entry: Entry | None = None
        self._told: int | None = None
        self._by_doubt = False
        self._view = view
        self._due = False
        self._took = 0.0
        self._drawn: tuple[object, ...] = ()
        self._strip = Content("")
        self._why: tuple[Report, int, Explanation | str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="views", markup=False)
        with ContentSwitcher(initial=self._view):
            with Vertical(id="facts-view"):
                yield FactList(self._signs)
                yield Reading(id="evidence")
            yield Matrix(self._signs)
            yield Sources(self._signs)
            yield Graph(self._signs)
            yield Reading(id="details")
            yield Reading(id="why")

    @property
    def turn(self) -> Turn | None:
        """The message that is shown."""
        return self._turn

    @property
    def entry(self) -> Entry | None:
        """The fact or sentence that is looked at."""
        return self._entry

    @property
    def room(self) -> int:
        """Columns for text in its views, beside a scrollbar."""
        return max(12, self.size.width - 2)

    @property
    def view(self) -> str:
        """The id of the view in sight."""
        return self._view

    def show(self, turn: Turn | None, entry: int | None = None) -> None:
        """Shows a message, and of it the entry with this number. One that is looked at stays so
        when it gets another number."""
        again = turn is self._turn and entry == self._told
        self._turn, self._told = turn, entry
        if again and turn is not None and turn.running:
            self._draw_soon()  # what is listed is found out as often as it is drawn, no more
        else:
            self._look_up(again=again)
            self._draw()

    def _look_up(self, *, again: bool) -> None:
        """Finds the entry to look at; its number may be another than before."""
        turn, told = self._turn, self._told
        self._entry = self._find_entry(turn, told, again=again)
        now = None if self._entry is None else self._entry.number
        if turn is not None and now is not None and now != told:
            self._told = now
            self.post_message(Selected(turn.id, now))

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())

    def on_show(self) -> None:
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 26, "-low")
        self._draw()

    def on_fact_list_gone(self, event: FactList.Gone) -> None:
        self._choose(event.number)
        if event.open:
            self.query_one("#evidence").focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_list.id == "graph" and event.option_id is not None:
            self._choose(int(event.option_id))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter in the graph goes to the evidence of a fact."""
        if event.option_list.id == "graph":
            self.action_view_facts()
        elif event.option_list.id == "source-list":
            self.query_one(FullText).focus()
            return
        self.query_one("#evidence").focus()

    def on_chosen(self, event: Chosen) -> None:
        self._choose(event.number)

    def on_opened(self, event: Opened) -> None:
        """Enter on a cell of the matrix reads its source."""
        self._open(event.source)

    def on_click(self, event: events.Click) -> None:
        meta = event.style.meta
        if (view := meta.get(VIEW)) in VIEWS:
            self._go(view)
        elif (source := meta.get(SOURCE)) is not None:
            self._open(source)

    def action_sort_facts(self) -> None:
        self._by_doubt = not self._by_doubt
        self._draw()
        self.notify(f"Sorted by {'doubt' if self._by_doubt else 'place'}", markup=False, timeout=2)

    def action_view_facts(self) -> None:
        self._go("facts-view")

    def action_view_matrix(self) -> None:
        self._go("matrix")

    def action_view_sources(self) -> None:
        self._go("sources")

    def action_view_graph(self) -> None:
        self._go("graph")

    def action_view_details(self) -> None:
        self._go("details")

    def action_view_why(self) -> None:
        self._go("why")

    def walk(self, by: int) -> None:
        """Looks at the fact so many after this one in the list, or before it."""
        self.query_one(FactList).action_go(by)

    def focus_view(self) -> None:
        """Gives the keys to the view in sight."""
        self.query_one(FIRST[self._view]).focus()

    def _go(self, view: str) -> None:
        """Shows a view, and gives it the keys if the inspector had them."""
        within = self.has_focus_within
        self._view = view
        if not self.size:  # there is no room for it here
            self.post_message(Commanded(actions.find_action("inspect")))
        self.query_one(ContentSwitcher).current = view
        self._draw()
        if within:
            self.focus_view()

    def _open(self, source: str) -> None:
        """Shows a source in full."""
        self._go("sources")
        self.query_one(Sources).open(source)

    def _choose(self, number: int) -> None:
        """Looks at the entry with this number."""
        turn = self._turn
        entry = turn.entry(number) if turn else None
        if turn is None or entry is None or entry is self._entry:
            return
        self._entry, self._told = entry, number
        self._draw()
        self.post_message(Selected(turn.id, number))

    def _find_entry(self, turn: Turn | None, number: int | None, *, again: bool) -> Entry | None:
        """The entry to look at: the one before if it is the same, whatever its number."""
        if turn is None or number is None:
            return None
        if again and self._entry is not None:
            before = _name(self._entry)
            same = next((one for one in turn.entries if _name(one) == before), None)
            if same is not None:
                return same
        return turn.entry(number)

    def _draw_soon(self) -> None:
        if not self._due:
            self._due = True
            self.set_timer(max(space(self.app, _REST), _SHARE * self._took), self._draw_in_time)

    def _draw_in_time(self) -> None:
        """Draws once the terminal has drawn what is on its way."""
        if is_behind(self.app):
            self.set_timer(_REST, self._draw_in_time)
        else:
            draw_between(self.app, self._draw_now)

    def _draw_now(self) -> None:
        self._look_up(again=True)
        self._draw()

    def _draw(self) -> None:
        """Draws the view that is in sight; nothing if the inspector is not."""
        self._due = False
        if not self.is_mounted or not self.display or not self.size:
            return
        began = time.monotonic()
        self._draw_view()
        self._took = time.monotonic() - began

    def _draw_view(self) -> None:
        self.set_class(self._signs.ascii, "-plain")
        strip = draw_strip(self._view, self.size.width - 1)
        if not strip.is_same(self._strip):
            self._strip = strip
            self.query_one("#views", Static).update(strip)
        turn, entry, room = self._turn, self._entry, self.room
        if turn is None:
            self._say(NOTHING)
            return
        match self._view:
            case "facts-view":
                facts = self.query_one(FactList)
                facts.display = bool(turn.entries)
                self.query_one("#evidence").set_class(not turn.entries, "-alone")
                facts.show(turn, entry, room - 1, by_doubt=self._by_doubt)
                told = (
                    overview(turn, room, self._signs)
                    if entry is None
                    else explain_verdict(
                        turn, entry, room, self._signs, self._explain_entry(turn, entry)
                    )
                )
                self._share_room(told)
                self._read("evidence", told)
            case "why":
                self._read("why", self._draw_reasons(turn, entry, room))
            case "details":
                self._read("details", message_details(turn, entry, room, self._signs))
            case "matrix":
                self.query_one(Matrix).show(turn, entry, room, by_doubt=self._by_doubt)
            case "sources":
                self.query_one(Sources).show(turn, entry, room)
            case _:
                self.query_one(Graph).show(turn, entry, room - 1)

    def _share_room(self, told: Content) -> None:
        """Gives the facts the rows that the evidence leaves, and a third in any case."""
        rows = self.size.height - _AROUND
        wanted = told.plain.count("\n") + 1
        facts = self.query_one(FactList)
        height = min(facts.rows, max(3, rows // 3, rows - wanted))
        if facts.styles.height is None or facts.styles.height.value != height:
            facts.styles.height = height

    def _draw_reasons(self, turn: Turn, entry: Entry | None, room: int) -> Content:
        """Return how the sentence of the entry was compared with the sources, or why that is not
        told."""
        report, why = turn.report, reasons.WAITING
        if report is None or entry is None or turn.running or reasons.number_of(entry) is None:
            why = reasons.NO_SENTENCE
        else:
            found = self._explanation(turn, entry)
            if found is not None and not isinstance(found, str):
                return reasons.explain_sentence(found, entry, report, room, self._signs)
            why = found or why
        return stack_lines([*hung(Content(why).stylize(QUIET), room)])

    def _explain_entry(self, turn: Turn, entry: Entry) -> Explanation | None:
        """The same for the evidence, unless there is so much to compare that it is done only for
        who asks for it."""
        report = turn.report
        sizes = () if report is None else (len(source.text or "") for source in report.sources)
        if report is None or len(report.text) + sum(sizes) > _MUCH:
            return None
        found = self._explanation(turn, entry)
        return None if isinstance(found, str) else found

    def _explanation(self, turn: Turn, entry: Entry | None) -> Explanation | str | None:
        """Return how the sentence of an entry was compared, or why that cannot be told. None until
        it is found out in the process that checks; then it is drawn."""
        report, number = turn.current_report, reasons.number_of(entry)
        if report is None or number is None or turn.running or turn.outlined:
            return None
        if self._why is None or self._why[0] is not report or self._why[1] != number:
            self._explain(report, number)
            return None
        return self._why[2]

    @work(exclusive=True, group="why", exit_on_error=False, description="explain")
    async def _explain(self, report: Report, number: int) -> None:
        from halubot_tui.orders import Explain
        from halubot_tui.review import Reviewing

        if not isinstance(self.app, Reviewing):
            return
        found: Explanation | str
        try:
            found = await self.app.checker.carry_out(Explain(report, number), lambda _: None)
        except HalubotError as error:
            found = one_line(str(error))
        self._why = report, number, found
        self._draw()

    def _say(self, what: str) -> None:
        """Says what is the matter if there is no message to show."""
        self._view = "facts-view"
        self.query_one(ContentSwitcher).current = self._view
        self.query_one(FactList).display = False
        reading = self.query_one("#evidence", Reading)
        reading.add_class("-alone")
        reading.put_text(stack_lines([*hung(Content(what).stylize(QUIET), self.room)]))

    def _read(self, id: str, content: Content) -> None:
        """Shows a text; of another entry from its beginning on."""
        reading = self.query_one(f"#{id}", Reading)
        reading.put_text(content)
        at = (id, self._turn, None if self._entry is None else _name(self._entry))
        if at != self._drawn:
            self._drawn = at
            reading.scroll_home(animate=False)


def _name(entry: Entry) -> tuple[str, int]:
    """Return what stays the same of an entry, whatever its number."""
    if entry.fact is not None:
        return "fact", entry.fact.index
    return "sentence", entry.sentence.index if entry.sentence is not None else -1


class InspectorScreen(Screen[None]):
    """The inspector of the selected message, which it goes on showing as it is told. Esc and F3 go
    back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        actions.find_action("back").binding(),
        Binding("f3", "back", "Back", show=False, id="inspect"),
    ]
    DEFAULT_CSS = """
    InspectorScreen Inspector, InspectorScreen Inspector.-plain {
        border-left: none; width: 1fr; height: 1fr; min-width: 1;
    }
    InspectorScreen Inspector.-low { padding: 0 0 0 1; }
    """

    def __init__(self, signs: Signs, turn: Turn | None, entry: int | None, view: str) -> None:
        super().__init__()
        self._signs = signs
        self._turn = turn
        self._entry = entry
        self._view = view

    def compose(self) -> ComposeResult:
        yield Inspector(self._signs, self._view)
        yield Keys()

    def on_mount(self) -> None:
        inspector = self.query_one(Inspector)
        inspector.show(self._turn, self._entry)
        inspector.focus_view()

    def show(self, turn: Turn, entry: int | None) -> None:
        """Shows a message as it stands now."""
        if self.is_mounted:
            self.query_one(Inspector).show(turn, entry)

    def action_back(self) -> None:
        """Goes back to the conversation."""
        self.dismiss(None)
