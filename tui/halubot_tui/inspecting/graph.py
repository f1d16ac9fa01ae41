"""The triples of a message as a graph in text: from each subject its relations to their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.render.inert import one_line
from halubot_tui import layout
from halubot_tui.inspecting.drawing import (
    QUIET,
    Chooser,
    Line,
    hung,
    ink,
    order_entries,
    stack_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Triple
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

EMPTY: Final = "This text has no facts that could be drawn."
_DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of the graph: a subject (``entry`` None), or a fact below it. ``trail`` tells of
    each level above whether more follows there; ``last`` whether none follows here; ``above`` that
    what hangs on its value stands higher up."""

    words: tuple[str, str]
    entry: Entry | None = None
    trail: tuple[bool, ...] = ()
    last: bool = False
    above: bool = False


def branches(entries: Sequence[Entry]) -> Iterator[Branch]:
    """The graph as lines. A subject that is the value of another fact hangs below that; each fact
    stands once, and rings end if they close."""
    from halubot.report import Triple

    below: dict[str, list[tuple[Entry, Triple]]] = {}
    names: dict[str, str] = {}
    hanging: set[str] = set()
    for entry in entries:
        if entry.fact is None:
            continue
        triple = Triple(*map(one_line, entry.fact.triple))
        head, tail = triple.head.casefold(), triple.tail.casefold()
        names.setdefault(head, triple.head)
        below.setdefault(head, []).append((entry, triple))
        if head and head != tail:
            hanging.add(tail)
    done: set[str] = set()
    for name in (*(one for one in below if one not in hanging), *below):
        if name not in done:
            yield Branch((names[name] or "Without a subject", ""))
            yield from _under(name, below, done, ())


def _under(
    name: str,
    below: Mapping[str, Sequence[tuple[Entry, Triple]]],
    done: set[str],
    trail: tuple[bool, ...],
) -> Iterator[Branch]:
    done.add(name)
    for left, (entry, triple) in zip(reversed(range(len(below[name]))), below[name], strict=True):
        into = triple.tail.casefold()
        known = into in below and bool(name) and bool(into)
        deeper = known and into not in done and len(trail) < _DEEPEST
        above = known and not deeper
        yield Branch((triple.relation, triple.tail), entry, trail, not left, above=above)
        if deeper:
            yield from _under(into, below, done, (*trail, left > 0))


MOST: Final = 300
"""Facts that are drawn at once."""


class Graph(Chooser):
    """The triples of a message. An option's id is the number of its fact."""

    def __init__(self, signs: Signs) -> None:
        super().__init__(signs, id="graph")

    def show(self, turn: Turn, entry: Entry | None, width: int) -> None:
        """Draws the graph of a message at a width, in the order of the text."""

        at = 0 if entry is None else entry.number - 1
        first = at - at % MOST
        shown = order_entries(turn, by_doubt=False)[first : first + MOST]

        def make() -> Iterator[Line]:
            drawn = False
            if len(shown) < len(turn.entries):
                bounds = (
                    f"{len(shown)} of {len(turn.entries):,} facts: go to another one in the list"
                )
                yield None, stack_lines([*hung(Content(bounds).stylize(QUIET), width)])
            for branch in branches(shown):
                drawn = True
                number = None if branch.entry is None else str(branch.entry.number)
                yield number, self._branch(branch, width)
            if not drawn:
                yield None, stack_lines([*hung(Content(EMPTY).stylize(QUIET), width)])

        number = None if entry is None else str(entry.number)
        self.fill((turn.entries, first, width, self.signs.ascii), make, number)

    def _branch(self, branch: Branch, width: int) -> Content:
        """A branch at a width, its further lines set in below it."""
        through, fork, end, arrow = (
            ("| ", "|-", "`-", "->") if self.signs.ascii else ("│ ", "├─", "└─", "→")
        )
        guides = "".join(through if more else "  " for more in branch.trail)
        if branch.entry is None:
            first, rest, content = "", "", Content(branch.words[0]).stylize("bold $primary")
        else:
            first = f"{guides}{end if branch.last else fork} "
            rest = f"{guides}{'  ' if branch.last else through} "
            relation, tail = branch.words
            style = ink(branch.entry.verdict)
            sign = self.signs.key(branch.entry.verdict, branch.entry.number)
            content = Content.assemble(
                (f"{relation} {arrow} " if relation else "", QUIET),
                (tail, "bold"),
                (f" {sign}", style),
                (" (above)" if branch.above else "", QUIET),
            )
        room = max(6, width - len(first))
        lines: list[Content] = []
        for start, stop in layout.wrap_lines(content.plain, room):
            lead = rest if lines else first
            lines.append(Content(lead).stylize(QUIET) + content[start:stop])
        return stack_lines(lines)
