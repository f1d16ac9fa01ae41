"""One message under several methods, fact by fact, with what each took."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len, set_cell_size
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from halubot.money import dollars
from halubot.render import captions
from halubot_tui import actions, problems
from halubot_tui.form import Form
from halubot_tui.inspecting.drawing import hung, ink, stack_lines
from halubot_tui.keys import Keys
from halubot_tui.looks import Signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.turns import Turn
    from halubot_tui.work import Task

from dataclasses import dataclass
from typing import TYPE_CHECKING

from halubot.render.items import Entry, listing

if TYPE_CHECKING:
    from halubot.report import Span


ALIKE: Final = 60.0
"""How alike, of 100, the words of two facts in one place must be to be one fact."""


@dataclass(frozen=True, slots=True)
class Row:
    """A fact and what each method says of it, by the method's name; a method that judges whole
    sentences says what it says of the fact's sentence."""

    reading: str
    said: Mapping[str, Entry]


def align_reports(own: Report, others: Mapping[str, Report]) -> tuple[Row, ...]:
    """The facts of the message's own report, the most doubted first, then those that other methods
    alone found. No fact is in two rows."""
    base = listing(own)
    said: list[dict[str, Entry]] = [{own.method: entry} for entry in base]
    rows = [(entry.reading, entry) for entry in base]
    for name, report in others.items():
        entries = listing(report)
        taken: set[int] = set()
        for _, place, at in sorted(_pairs([entry for _, entry in rows], entries)):
            if name not in said[place] and at not in taken:
                said[place][name] = entries[at]
                taken.add(at)
        used = set(taken)
        for place, (_, entry) in enumerate(rows):
            if name not in said[place]:
                whole = _sentence(entry, entries)
                if whole is not None:
                    said[place][name] = entries[whole]
                    used.add(whole)
        for at, entry in enumerate(entries):
            if at not in used:
                rows.append((entry.reading, entry))
                said.append({name: entry})
    return tuple(Row(reading, told) for (reading, _), told in zip(rows, said, strict=True))


def _pairs(base: Sequence[Entry], entries: Sequence[Entry]) -> list[tuple[float, int, int]]:
    """The entries that may be one: less alike (in 0 to -100), place in one, place in the other."""
    from rapidfuzz import fuzz

    found: list[tuple[float, int, int]] = []
    for place, entry in enumerate(base):
        for at, other in enumerate(entries):
            if (entry.fact is None) != (other.fact is None) or not _meet(entry.spans, other.spans):
                continue
            alike = fuzz.token_sort_ratio(entry.reading.casefold(), other.reading.casefold())
            if alike >= ALIKE:
                found.append((-alike, place, at))
    return found


def _sentence(entry: Entry, entries: Sequence[Entry]) -> int | None:
    """Return the index of a fact's sentence, if a method that judges whole sentences judged it."""
    if entry.fact is None:
        return None
    for at, other in enumerate(entries):
        alone = other.sentence is not None and not other.sentence.facts
        if alone and _meet(entry.spans, other.spans):
            return at
    return None


def _meet(a: Sequence[Span], b: Sequence[Span]) -> bool:
    return any(one[0] < other[1] and other[0] < one[1] for one in a for other in b)


COLUMN: Final = 24
"""Cells of the column of a method."""
LEAST: Final = 30
"""Cells that the facts need beside them; else what methods say stands below each fact."""
WAITING: Final = "Nothing is known yet."


class Chose(Message):
    """A person wants to choose more methods for a message."""

    def __init__(self, turn: str) -> None:
        super().__init__()
        self.turn = turn


class Halted(Message):
    """A person wants the comparison of a message stopped."""

    def __init__(self, turn: str) -> None:
        super().__init__()
        self.turn = turn


class CompareScreen(Form[None]):
    """The screen with the verdict of each method on each fact. It draws what it is told to
    (`show`)."""

    PLACE: ClassVar[actions.Place] = "compare"
    SCOPED_CSS = False  # the class of plain signs is the app's
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings("compare")
    DEFAULT_CSS = """
    CompareScreen > #panel { width: 100%; height: 1fr; max-width: 100%; max-height: 100%; }
    CompareScreen #heads { height: auto; }
    CompareScreen #rows { height: auto; max-height: 60%; border-top: solid $rule; }
    CompareScreen #detail { height: 1fr; border-top: solid $rule; padding: 0 1; }
    CompareScreen #detail Static { height: auto; }
    .-ascii CompareScreen #rows, .-ascii CompareScreen #detail { border-top: ascii $rule; }
    """

    def __init__(self, turn: Turn, signs: Signs) -> None:
        super().__init__()
        self.turn = turn
        self._signs = signs
        self._works: Mapping[str, Task] = {}
        self._rows: tuple[Row, ...] = ()
        self._shown: int | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            panel.border_title = "Compare"
            yield Static(id="heads", markup=False)
            yield OptionList(id="rows", classes="rows", markup=False)
            with VerticalScroll(id="detail"):
                yield Static(markup=False)
        yield Keys()

    def on_mount(self) -> None:
        self.query_one("#rows").focus()
        self.set_interval(1.0, self._tick)
        self._draw()

    def on_resize(self) -> None:
        super().on_resize()
        self.call_after_refresh(self._draw)

    def show(self, works: Mapping[str, Task]) -> None:
        """Draws what is known by now, and the work that is under way."""
        self._works = dict(works)
        if self.is_mounted:
            self._draw()
            self.refresh_bindings()

    def action_back(self) -> None:
        """Closes; methods that are still at work go on."""
        self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether there is something to do an action with."""
        if action == "stop_comparing":
            return self._busy
        return super().check_action(action, parameters)

    def action_stop_comparing(self) -> None:
        self.post_message(Halted(self.turn.id))

    def action_choose(self) -> None:
        self.post_message(Chose(self.turn.id))

    def on_option_list_option_highlighted(self) -> None:
        listed = self.query_one("#rows", OptionList)
        before, self._shown = self._shown, listed.highlighted
        for at in {before, self._shown}:
            if at is not None and at < min(len(self._rows), listed.option_count):
                row = self._row(self._rows[at], at == self._shown)
                listed.replace_option_prompt_at_index(at, row)
        self._explain()

    def _tick(self) -> None:
        if self._busy:
            self.query_one("#heads", Static).update(self._heads())

    @property
    def _busy(self) -> bool:
        return any(not task.ended for task in self._works.values())

    @property
    def _reports(self) -> dict[str, Report]:
        """The reports there are, by method, that of the message first."""
        own = self.turn.report
        first = {own.method: own} if own is not None else {}
        return {**first, **self.turn.compared}

    @property
    def _methods(self) -> list[str]:
        return list(dict.fromkeys([*self._reports, *self._works]))

    @property
    def _reading(self) -> int:
        """Cells for the facts beside the methods; 0 if these stand below them."""
        room = self.size.width - 6 - COLUMN * len(self._methods)
        wanted = max((cell_len(row.reading) for row in self._rows), default=0) + 3
        return min(room, max(LEAST, wanted)) if room >= LEAST else 0

    def _draw(self) -> None:
        listed = self.query_one("#rows", OptionList)
        self.query_one("#panel").border_subtitle = "at work: x stops it" if self._busy else None
        at = listed.highlighted
        own = self.turn.report
        self._rows = () if own is None else align_reports(own, self.turn.compared)
        self.query_one("#heads", Static).update(self._heads())
        listed.clear_options()
        at = min(at or 0, len(self._rows) - 1)
        listed.add_options(Option(self._row(row, n == at)) for n, row in enumerate(self._rows))
        if self._rows:
            listed.highlighted = self._shown = at
        self._explain()

    def _heads(self) -> Content:
        """The methods, what each found and what it took."""
        told = {name: self._describe_method(name) for name in self._methods}
        wide = self._reading
        if not wide:
            lines = [
                Content.assemble((f"{name}: ", "bold $primary"), f" {self._signs.dash} ".join(said))
                for name, said in told.items()
            ]
            return Content("\n").join(lines)
        lines = [self._line("", [(name, "bold $primary") for name in told])]
        for place in range(max(map(len, told.values()), default=0)):
            cells = [(said[place] if place < len(said) else "", "") for said in told.values()]
            lines.append(self._line("", cells))
        return Content("\n").join(lines)

    def _describe_method(self, name: str) -> list[str]:
        report, task = self._reports.get(name), self._works.get(name)
        if report is not None:
            judged = report.facts or report.sentences
            doubted = sum(one.verdict in ("doubtful", "contradicted") for one in judged)
            noun = "fact" if report.facts else "sentence"
            usage = report.usage
            said = [f"{doubted} of {captions.number(len(judged), noun)} doubted", _doubt(report)]
            said.append(f"{captions.number(usage.calls, 'call')}, {usage.seconds:.1f} s")
            if usage.cost_usd:
                said.append(dollars(usage.cost_usd))
            return [one for one in said if one]
        if task is None:
            return []
        if not task.ended:
            return [f"{self._signs.busy} {task.doing or 'at work'}", _format_spent(task)]
        return ["stopped"] if task.stopped else ["failed", problems.failure(task.failure or "")]

    def _row(self, row: Row, looked_at: bool) -> Content:
        cells = [self._cell(row.said.get(name), name) for name in self._methods]
        sign = f"{self._signs.selection if looked_at else ' '} "
        if self._reading:
            return self._line(sign + row.reading, cells)
        width = self.query_one("#rows").scrollable_content_region.width or 80
        lines = [*hung(Content(row.reading).stylize("bold"), width, sign)]
        for name, (text, style) in zip(self._methods, cells, strict=True):
            lines.append(Content.assemble((f"  {name:16} ", "$secondary"), (text, style)))
        return stack_lines(lines)

    def _cell(self, entry: Entry | None, method: str) -> tuple[str, str]:
        if entry is None:
            return self._standing(method), "$secondary"
        sign = self._signs.verdict(entry.verdict)
        score = "    " if entry.score is None else f"{entry.score:.2f}"
        return f"{sign} {score} {captions.VERDICTS[entry.verdict]}", ink(entry.verdict)

    def _standing(self, method: str) -> str:
        """Return what stands if a method says nothing of a fact, or nothing yet."""
        task = self._works.get(method)
        if method in self._reports or task is None:
            return self._signs.dash
        return self._signs.busy if not task.ended else "stopped" if task.stopped else "failed"

    def _line(self, reading: str, cells: Sequence[tuple[str, str]]) -> Content:
        room = self._reading
        shown = reading if len(reading) <= room else reading[: room - 1] + self._cut_note
        parts = [(set_cell_size(shown, room) + " ", "")]
        for text, style in cells:
            fits = cell_len(text) < COLUMN - 1
            said = text if fits else set_cell_size(text, COLUMN - 3) + self._cut_note
            parts.append((set_cell_size(said, COLUMN - 1) + " ", style))
        return Content.assemble(*parts)

    @property
    def _cut_note(self) -> str:
        return "~" if self._signs.ascii else "…"

    def _explain(self) -> None:
        """Show the verdict of each method on the selected fact, in full."""
        shown = self.query_one("#detail Static", Static)
        at = self.query_one("#rows", OptionList).highlighted
        if at is None or at >= len(self._rows):
            shown.update(Content(WAITING))
            return
        row = self._rows[at]
        lines = [Content(row.reading).stylize("bold")]
        for name in self._methods:
            lines += self._says(name, row.said.get(name))
        shown.update(Content("\n").join(lines))

    def _says(self, name: str, entry: Entry | None) -> Iterator[Content]:
        if entry is None:
            task = self._works.get(name)
            why = "has no such fact" if name in self._reports else "nothing yet"
            if task is not None and task.stopped:
                why = "was stopped"
            elif task is not None and task.failure:
                why = f"failed: {problems.failure(task.failure)}"
            yield Content.assemble((f"{name}  ", "bold $primary"), (why, "$secondary"))
            return
        text, style = self._cell(entry, name)
        about = [entry.reading] if entry.sentence is not None else []
        said = [one for one in (*about, entry.word, entry.said, entry.reason) if one]
        yield Content.assemble(
            (f"{name}  ", "bold $primary"),
            (text, style),
            (self._signs.plain("".join(f" · {one}" for one in said)), ""),
        )


def _doubt(report: Report) -> str:
    return "" if report.score is None else f"doubt {report.score:.2f}"


def _format_spent(task: Task) -> str:
    return task.progress_text.rpartition(task.doing or task.what)[2].strip(", ")
