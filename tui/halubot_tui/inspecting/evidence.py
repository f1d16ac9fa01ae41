"""The evidence for and against a fact: quotes with their words marked, and contributions as
bars."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.style import Style

from halubot.render import captions
from halubot.render.inert import one_line
from halubot_tui import problems
from halubot_tui.inspecting.drawing import (
    QUIET,
    SOURCE,
    STANCE_STYLES,
    cite,
    hung,
    ink,
    name_source,
    phrases,
    stack_lines,
    stance,
    strip_marks,
)
from halubot_tui.inspecting.facts import likely
from halubot_tui.inspecting.reasons import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from halubot.compare.explanation import Explanation
    from halubot.render.items import Entry, Quote
    from halubot.report import Fact, Report, Stance
    from halubot_tui.looks import Signs
    from halubot_tui.turns import Turn

from collections.abc import Mapping

from rich.cells import cell_len

_CELLS: Final = 6


_FULL: Final = 6.0
"""Log-odds at which a bar is full."""


def weigh_witnesses(report: Report, fact: Fact, width: int, signs: Signs) -> Iterator[Content]:
    """A line for each witness: how far it moved the score, for doubt or against. Nothing if the
    method does not tell."""
    parts = list(_parts(report, fact))
    if not parts:
        return
    yield from hung(Content("log-odds; right of the middle for doubt").stylize(QUIET), width)
    names = max(cell_len(name) for name, _, _ in parts)
    members = report.details.get("members")
    for name, odds, weight in parts:
        moved = odds * weight
        lead = Content(f"{name}{' ' * (names - cell_len(name))} ") + _bar(moved, signs)
        line = lead + f" {_with_sign(moved, signs)}"
        remarks: list[str] = []
        if not weight:
            remarks.append("overruled by a reference")
        elif weight != 1:
            remarks.append(f"{_with_sign(odds, signs)} counted {weight:g}")
        said = members.get(name) if isinstance(members, Mapping) else None
        if isinstance(said, Mapping) and said.get("calibrated_on", "") is None:
            remarks.append("not calibrated")
        remark = ", ".join(remarks)
        if line.cell_length + 2 + cell_len(remark) <= width:
            yield line + (f", {remark}" if remark else "")
        else:
            yield line
            yield from hung(Content(remark).stylize(QUIET), width, "  ")


def _parts(report: Report, fact: Fact) -> Iterator[tuple[str, float, float]]:
    """Name, log-odds and weight of each witness of a fact that is as an ensemble writes it."""
    rows = report.details.get("contributions")
    row = rows[fact.index] if isinstance(rows, list) and fact.index < len(rows) else None
    if not isinstance(row, Mapping):
        return
    for name, part in row.items():
        if isinstance(part, Mapping):
            odds, weight = part.get("odds"), part.get("weight")
            if isinstance(odds, int | float) and isinstance(weight, int | float):
                yield one_line(str(name)), float(odds), float(weight)


def _bar(moved: float, signs: Signs) -> Content:
    """A bar to the right for doubt, to the left against it."""
    filled = min(_CELLS, round(abs(moved) / _FULL * _CELLS)) or (1 if abs(moved) >= 0.05 else 0)
    full, empty = ("#", ".") if signs.ascii else ("▰", "▱")
    middle = "|" if signs.ascii else "│"
    left, right = (filled, 0) if moved < 0 else (0, filled)
    return Content.assemble(
        (empty * (_CELLS - left), QUIET),
        (full * left, "$supported"),
        (middle, QUIET),
        (full * right, "bold $contradicted"),
        (empty * (_CELLS - right), QUIET),
    )


def _with_sign(odds: float, signs: Signs) -> str:
    rounded = f"{abs(odds):.1f}"
    less = "-" if signs.ascii else "−"
    return rounded if rounded == "0.0" else f"{'+' if odds > 0 else less}{rounded}"


_HEADS: Final[Mapping[Stance, str]] = {"contradicts": "Against it", "supports": "For it"}
_WORD: Final = re.compile(r"\w+")
_NOTES: Final = {"says nearly so": "says most of it, but not every word"}
"""Notes of the comparison in plainer words."""
_SHORT: Final = 3
_SILENT_NAMED: Final = 6


def overview(turn: Turn, width: int, signs: Signs) -> Content:
    """Return what is known of a message as long as none of its facts is looked at."""
    lines: list[Content] = []
    report = turn.report
    if turn.running:
        busy = Content(f"{signs.busy} ").stylize("$primary")
        lines += hung(Content(turn.doing).stylize(QUIET), width, busy)
    if turn.failure:
        why = Content(problems.failure(turn.failure)).stylize("$contradicted")
        lines += hung(why, width, Content("! ").stylize("bold $contradicted"))
    if turn.unread:
        lines += hung(Content("What is kept of it is being read.").stylize(QUIET), width)
    elif report is None and not turn.running and not turn.failure:
        lines += hung(Content("Nothing is known of this text.").stylize(QUIET), width)
    if report is None:
        return stack_lines(lines)
    if not turn.running:
        lines += hung(Content(_summary(turn, report)).stylize("bold"), width)
        if report.label:
            lines += hung(Content(one_line(report.label)), width)
    if turn.entries:
        lines += hung(Content("Choose a fact to see who says what of it.").stylize(QUIET), width)
    for problem in () if turn.running else problems.problems(report, turn.failure):
        warning = Content("! ").stylize("bold $doubtful")
        lines += hung(Content(problem).stylize(QUIET), width, warning)
    return stack_lines(lines)


def _summary(turn: Turn, report: Report) -> str:
    """The result in one line; of an answer without an end that nothing was looked for in it."""
    if turn.inputs.kind != "ask" or report.sentences:
        return captions.summary(report)
    if not report.text:
        return "No answer came"
    end = "was stopped" if turn.state == "stopped" else "broke off"
    return f"The answer {end} before it was checked"


def explain_verdict(
    turn: Turn, entry: Entry, width: int, signs: Signs, found: Explanation | None = None
) -> Content:
    """Why an entry has its verdict: in a sentence first, then in quotes. ``found`` tells how its
    sentence was compared with the sources, once that is known."""
    report = turn.report
    lines = [*hung(Content(strip_marks(entry.reading)).stylize("bold"), width)]
    for said in filter(None, (entry.word, entry.said, _reason(entry, turn))):
        lines += hung(Content(said), width)
    lines += phrases(_level(entry, signs, turn), width, signs)
    if report is not None and entry.fact is not None:
        lines += _draw_quotes(report, entry.fact, width, signs)
        lines += _silent(report, entry.fact, width, signs, found)
        if moved := [*weigh_witnesses(report, entry.fact, width, signs)]:
            title = Content("What moved its score").stylize("bold $primary")
            lines += [Content(""), title, *moved]
    return stack_lines(lines)


def _reason(entry: Entry, turn: Turn) -> str:
    """The reason of a verdict as a sentence; "" if there is none, or none yet."""
    if not entry.reason or (turn.running and entry.verdict == "not_checked"):
        return ""
    return _sentence(entry.reason)


def telling(said: Stance, text: str, fact: Fact, value: str | None) -> Iterator[tuple[int, int]]:
    """The words of a quote that matter: the other value that it gives, else what it has of the
    fact's value, else of its other parts."""
    folded = text.casefold()
    if len(folded) != len(text):
        folded = text.lower() if len(text.lower()) == len(text) else text
    if said == "silent":
        return
    for part in (value, fact.triple.tail):
        place = folded.find(one_line(part).casefold()) if part else -1
        if part and place >= 0:
            yield place, place + len(one_line(part))
            return
    for part in (fact.triple.tail, fact.triple.relation, fact.triple.head):
        wanted = {word for word in _WORD.findall(part.casefold()) if len(word) > _SHORT}
        wanted |= {word for word in _WORD.findall(part.casefold()) if word.isdigit()}
        found = [one.span() for one in _WORD.finditer(folded) if one.group() in wanted]
        if found:
            yield from found
            return


def _level(entry: Entry, signs: Signs, turn: Turn) -> Iterator[Content]:
    style = ink(entry.verdict)
    if turn.running and entry.verdict == "not_checked":
        yield Content(f"{signs.busy} being checked").stylize(QUIET)
        return
    sign = f"{signs.verdict(entry.verdict)} {captions.VERDICTS[entry.verdict]}"
    yield Content(sign).stylize(style)
    if entry.score is not None:
        full, rest = signs.bar(entry.score)
        yield Content.assemble((full, style), (rest, QUIET), f" doubt {entry.score:.2f}")
    if entry.probability is not None:
        yield Content(likely(entry.probability))


def _draw_quotes(report: Report, fact: Fact, width: int, signs: Signs) -> Iterator[Content]:
    """The quotes against a fact, then those for it."""
    from halubot.render.items import quotes

    told = quotes(fact, report, most=None)
    for said, head in _HEADS.items():
        own = [quote for quote in told if quote.evidence.stance == said]
        if own:
            yield Content("")
            yield Content(f"{head} ({len(own)})").stylize("bold $primary")
        seen: set[str | None] = {None}
        for quote in own:
            yield from _quote(quote, fact, width, signs, against=quote.value not in seen)
            seen.add(quote.value)


def _quote(
    quote: Quote, fact: Fact, width: int, signs: Signs, *, against: bool
) -> Iterator[Content]:
    """A quote with its source; first, if the quote is ``against`` a value of the fact, both values
    beside each other."""
    item = quote.evidence
    style = STANCE_STYLES[item.stance]
    lead = Content(f"{stance(item.stance, signs)} ").stylize(style)
    lines: list[Content] = []
    # A fact without a relation is a whole sentence: its words are no value to set beside another.
    against = against and bool(fact.triple.relation)
    if against and quote.value and item.stance == "contradicts":
        both = Content.assemble(
            ("here ", QUIET),
            (strip_marks(one_line(fact.triple.tail)), "bold underline $contradicted"),
            (", there ", QUIET),
            (strip_marks(quote.value), "bold underline"),
        )
        lines += hung(both, width, lead)
        lead = Content("  ")
    words = strip_marks(quote.text)
    text = Content(signs.quote(words))
    for start, end in telling(item.stance, words, fact, quote.value):
        text = text.stylize(f"{style} underline", start + 1, end + 1)
    cited = ", ".join(one for one in (name_source(quote.name), quote.location) if one)
    link = Style.from_meta({SOURCE: item.source})
    lines += hung(text, width, lead)
    lines += hung(Content(cited).stylize(QUIET), width, "  ")
    if item.note and not quote.value:
        note = _NOTES.get(item.note, one_line(item.note))
        lines += hung(Content(note).stylize(QUIET), width, "  ")
    yield from (line.stylize(link) for line in lines)


def _silent(
    report: Report, fact: Fact, width: int, signs: Signs, found: Explanation | None
) -> Iterator[Content]:
    """Who does not say anything of a fact, or nothing that could be quoted; of those that are
    silent what comes nearest."""
    known = {source.id: source for source in report.sources}
    for said in ("contradicts", "supports", "silent"):
        mute = [
            item.source
            for item in fact.evidence
            if item.stance == said and (said == "silent" or not item.quote.strip())
        ]
        names = [cite(known[id], report) if id in known else id for id in mute]
        if not names:
            continue
        yield Content("")
        yield Content(f"{_MUTE[said]} ({len(names)})").stylize("bold $primary")
        near = []
        if found is not None and said == "silent":
            near = [*nearest(found, mute, report, width, signs)]
        if near:
            yield from hung(Content("The nearest that they say:").stylize(QUIET), width)
            yield from near
        else:
            more = len(names) - _SILENT_NAMED
            listed = ", ".join(names[:_SILENT_NAMED]) + (f" and {more} more" if more > 0 else "")
            lead = Content(f"{stance(said, signs)} ").stylize(STANCE_STYLES[said])
            yield from hung(Content(listed).stylize(QUIET), width, lead)


_MUTE: Final[Mapping[Stance, str]] = {
    "contradicts": "Against it, without a quote",
    "supports": "For it, without a quote",
    "silent": "Silent",
}


def _sentence(text: str) -> str:
    """A reason with a capital, in the words of the app."""
    said = problems.in_app_words(text)
    return said[:1].upper() + said[1:]
