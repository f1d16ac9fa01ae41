"""The look of changes of a text: removed words struck through, new words underlined, and
both stand in brackets, since not every terminal strikes through."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.edits import own_words
from halubot.render import captions
from halubot.render.difference import Stretch, difference, in_context
from halubot.render.inert import inert, one_line
from halubot.render.items import quotes
from halubot_tui.handwork import other_value
from halubot_tui.inspecting.drawing import hung, ink, name_source, stack_lines
from halubot_tui.problems import in_app_words
from halubot_tui.revision import STATES
from halubot_tui.turns import LONG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Edit, Verdict
    from halubot_tui.looks import Signs
    from halubot_tui.revision import Piece, Revision, State

    Part = tuple[str, str]

_MARKUP: Final = re.compile(
    r"(?m)^#{1,6} +|\*\*|`|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)"
    r"|(?<![\w*])[*_](?=\w)|(?<=\w)[*_](?![\w*])"
)
"""Marks of Markdown around words. They are left out where changes are drawn, not in the text."""
_RULE_ROW: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
"""The line of a table below the names of its columns."""
_RULE: Final = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+")
_BARS: Final = re.compile(r"\s*(?:\|\s*)+")
_BAR: Final = re.compile(r"(?<!\\)\|")
LOUD: Final[Mapping[State, str]] = {
    "open": "bold $doubtful",
    "made": "bold $supported",
    "left": "$secondary",
    "by hand": "bold $primary",
    "kept": "italic $unchecked",
    "none": "italic $unchecked",
    "over": "$secondary",
}
"""How the state of an edit is written."""
SIGNS: Final[Mapping[State, tuple[str, str]]] = {
    "open": ("?", "?"),
    "made": ("✓", "+"),
    "left": ("–", "-"),
    "by hand": ("✎", "~"),
    "kept": ("!", "!"),
    "none": ("=", "="),
    "over": ("–", "-"),
}
"""The sign of the state of an edit, and the one in ASCII."""
UNTOUCHED: Final[Mapping[Verdict, str]] = {
    "contradicted": "in doubt, no change offered",
    "doubtful": "in doubt, no change offered",
    "not_checked": "not checked",
    "supported": "not in doubt",
}
"""What is said of a sentence for which no change is offered."""
TOLD: Final = ("hedged", "kept")
"""What is proposed that the change itself does not show; a reason says more if there is one."""
LEFT: Final = "="
"""The sign of doubted words that stay as they are."""
IN_PART: Final = "changes are offered for parts of it"
BESIDE: Final = "Also in this sentence, with no change offered:"
QUOTES: Final = 2
"""Quotes beside the field in which a sentence is written."""
_NEAR: Final = 4_000
"""Characters of a long text that are shown on either side of the place that is looked at."""
GONE: Final = "strike $contradicted"
COME: Final = "bold underline $supported"


def change(revision: Revision, index: int, signs: Signs) -> Content:
    """Return what an edit changes, with the words around it; of a sentence for which none is
    proposed its words."""
    stretches = _stretches(revision, index)
    if _is_in_table(revision.report.text, revision.places[index].start):
        stretches = tuple(_without_bars(one, signs) for one in stretches)
    return _draw(_differing(stretches, signs))


def _stretches(revision: Revision, index: int) -> Sequence[Stretch]:
    edit, decision = revision.places[index], revision.decisions.get(index)
    if isinstance(decision, str):
        before, _ = revision.words_of(index)
        if revision.sentence_at(index) is None and before and decision.strip():
            start, end = own_words(revision.report, edit)
            own = {"start": start, "end": end, "before": before, "after": decision}
            return in_context(revision.report, edit.model_copy(update=own))
        return difference(one_line(before), one_line(decision))
    if revision.sentence_at(index) is not None:
        return [Stretch(one_line(edit.before), one_line(edit.before))]
    return in_context(revision.report, edit)


def _is_in_table(text: str, at: int) -> bool:
    """Return whether a place is in a row of a table."""
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return text[begin : None if end < 0 else end].count("|") > 1


def _without_bars(stretch: Stretch, signs: Signs) -> Stretch:
    """Words of a table on one line, without the marks of Markdown between its cells."""
    if stretch.is_changed:
        return stretch
    words = _BARS.sub(_column_bar(signs), _RULE.sub("|", stretch.before))
    return replace(stretch, before=words, after=words)


def _column_bar(signs: Signs) -> str:
    return " | " if signs.ascii else " │ "


def whole(revision: Revision, at: int | None, signs: Signs, width: int = 80) -> tuple[Content, int]:
    """The whole text as it becomes, tables set at a width in cells, and the offset in it of the
    place that is looked at; what is open with both sides, and that place, if any, reversed. Of a
    long text it is what is near."""
    parts: list[Part] = []
    length, looked = 0, 0
    for piece in revision.pieces(at):
        if piece.edit is not None and piece.edit == at:
            looked = length
        for part in _piece(piece, revision, at, signs):
            parts.append(part)
            length += len(part[0])
    if length <= LONG:
        return _find_looked(_set_tables(_draw(parts), width, signs), looked)
    first = max(0, looked - _NEAR)
    near, cut = _draw(_cut(parts, first, looked + _NEAR)), signs.plain("…")
    near = Content.assemble(cut if first else "", _set_tables(near, width, signs), cut)
    return _find_looked(near, min(looked, _NEAR))


def _find_looked(text: Content, about: int) -> tuple[Content, int]:
    """A text and the place in it that is looked at, which is ``about`` there if it shows
    nothing."""
    return text, next((one.start for one in text.spans if "reverse" in str(one.style)), about)


def _set_tables(text: Content, width: int, signs: Signs) -> Content:
    """A text with its tables in columns, if there is room, and without the marks of Markdown."""
    if "|" not in text.plain:
        return text
    lines, found = text.split("\n", allow_blank=True), list[Content]()
    at = 0
    while at < len(lines):
        end = at + 1
        if "|" in lines[at].plain and end < len(lines) and _is_rule(lines[end].plain):
            while end < len(lines) and "|" in lines[end].plain:
                end += 1
            found += _table(
                [_cells(line) for line in (lines[at], *lines[at + 2 : end])], width, signs
            )
        else:
            found.append(lines[at])
        at = end
    return Content("\n").join(found)


def _is_rule(line: str) -> bool:
    return "|" in line and bool(_RULE_ROW.fullmatch(line))


def _cells(line: Content) -> list[Content]:
    """The cells of a row of a table."""
    text = line.plain
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    begin += text.startswith("|", begin)
    end -= end > begin and text[end - 1] == "|"
    cuts = [bar.start() for bar in _BAR.finditer(text, begin, end)]
    found: list[Content] = []
    for a, b in zip((begin, *(cut + 1 for cut in cuts)), (*cuts, end), strict=True):
        words = text[a:b]
        found.append(line[a + len(words) - len(words.lstrip()) : a + len(words.rstrip())])
    return found


def _table(rows: Sequence[Sequence[Content]], width: int, signs: Signs) -> Iterator[Content]:
    """The lines of a table whose first row names its columns."""
    columns = max(map(len, rows))
    widths = [max(row[at].cell_length for row in rows if at < len(row)) for at in range(columns)]
    bar = _column_bar(signs)
    if sum(widths) + len(bar) * (columns - 1) > width:  # each cell behind the other
        widths = [0] * columns
    for number, row in enumerate(rows):
        cells = [
            cell.pad_right(max(0, wide - cell.cell_length))
            for cell, wide in zip(row, widths, strict=False)
        ]
        line = Content(bar).stylize("$secondary").join(cells).rstrip()
        yield line if number else line.stylize_before("bold")
        if not number:
            rule = "-+-" if signs.ascii else "─┼─"
            dash = rule[0]
            drawn = rule.join(dash * wide for wide in widths) if any(widths) else dash * 8
            yield Content(drawn).stylize("$secondary")


def _cut(parts: Iterable[Part], start: int, end: int) -> Iterator[Part]:
    """The parts between two places."""
    at = 0
    for text, style in parts:
        yield text[max(0, start - at) : max(0, end - at)], style
        at += len(text)


def row(revision: Revision, index: int, signs: Signs, width: int, *, chosen: bool) -> Content:
    """A place as it is listed at a width: its state, what it changes, and what caused that."""
    edit, state = revision.places[index], revision.state(index)
    about = revision.causes()[index]
    left = state == "kept" and edit.action == "kept"
    sign = LEFT if left else SIGNS[state][signs.ascii]
    given = other_value(revision, index) if state == "kept" else None
    stays = ": stays as written" if left else ""
    stays = f": Enter begins with {signs.quote(given)}" if given else stays
    heading = Content(f"{sign} {STATES[state]}{stays}").stylize(LOUD[state])
    if state == "none":
        heading = _draw_untouched(revision, index, about, signs)
    elif edit.action in TOLD and state != "by hand" and not edit.reason:
        heading += Content(f" {signs.dash} {captions.ACTIONS[edit.action]}").stylize("$secondary")
    told = given is None and state != "by hand"  # then it is known what to write
    lines = [heading, change(revision, index, signs), *_why(edit, about, signs, told=told)]
    if beside := revision.beside(index):
        lines.append(Content(BESIDE))
        lines += _give_reasons(beside, signs, alone=False)
    leads = [f"{signs.selection if chosen else ' '} ", *["  "] * len(lines)]
    rows = [
        one for line, lead in zip(lines, leads, strict=False) for one in hung(line, width, lead)
    ]
    return stack_lines([*rows, Content("")])


def _draw_untouched(
    revision: Revision, index: int, about: Sequence[Entry], signs: Signs
) -> Content:
    """The heading of a sentence for which no change is offered."""
    verdicts = {entry.verdict for entry in about}
    worst = next((one for one in captions.SEVERITY if one in verdicts), None)
    number = revision.sentence_at(index)
    edits = [edit for edit in revision.edits if edit.sentence == number]
    if edits and all(edit.before == edit.after for edit in edits) and worst != "contradicted":
        worst = "doubtful"  # what is in doubt stands with the edit that changes nothing
    if worst is not None and (worst != "supported" or not edits):
        return Content(f"{signs.verdict(worst)} {UNTOUCHED[worst]}").stylize(ink(worst))
    known = IN_PART if edits else UNTOUCHED["supported"]
    return Content(f"{SIGNS['none'][signs.ascii]} {known}").stylize("$secondary")


def _why(edit: Edit, about: Sequence[Entry], signs: Signs, *, told: bool) -> Iterator[Content]:
    if told and (refusal := captions.refusal(edit)):
        yield Content(_count_against(edit, about) or refusal)
    yield from _give_reasons(about, signs, alone=len(about) == 1)


def _count_against(edit: Edit, about: Sequence[Entry]) -> str:
    """Return how many sources say otherwise of what is in doubt and not contradicted; "" if none
    does, or another reason was given."""
    from halubot.correction.corrector import DOUBT_ONLY

    against = max(
        (
            sum(item.stance == "contradicts" for item in entry.fact.evidence)
            for entry in about
            if entry.fact is not None
        ),
        default=0,
    )
    if edit.reason != DOUBT_ONLY or not against:
        return ""
    verb = "says" if against == 1 else "say"
    sources = captions.number(against, "source")
    return f"{sources} {verb} otherwise, too few to call it contradicted"


def _give_reasons(about: Sequence[Entry], signs: Signs, *, alone: bool) -> Iterator[Content]:
    for entry in about:
        key = signs.key(entry.verdict, entry.number)
        why = entry.why(alone=alone)
        if entry.verdict == "not_checked" and entry.reason:
            why = in_app_words(entry.reason)
            why = why if alone else f"{entry.reading}: {why}"
        why = signs.plain(why).replace(" | ", _column_bar(signs))  # a row of a table
        yield Content.assemble((key, ink(entry.verdict)), (f" {why}", "$secondary"))


def draw_sources(revision: Revision, index: int, signs: Signs) -> Content:
    """The words of the sources on what is doubted at a place, to be written after; empty if they
    have none."""
    lines: list[Content] = []
    for entry in (*revision.causes()[index], *revision.beside(index)):
        if entry.fact is None or not entry.is_doubted:
            continue
        for quote in quotes(entry.fact, revision.report, most=QUOTES)[:QUOTES]:
            name = name_source(quote.name)
            lead = Content(f"{signs.key(entry.verdict, entry.number)} ").stylize(ink(entry.verdict))
            said = Content.assemble((f"{name}: ", "$secondary"), signs.quote(quote.text))
            lines.append(lead + said)
    return Content("\n").join(lines[:QUOTES])


def _draw(parts: Iterable[Part]) -> Content:
    shown = ((_MARKUP.sub("", inert(text)), style) for text, style in parts)
    return Content.assemble(*(part for part in shown if part[0]))


def _differing(stretches: Iterable[Stretch], signs: Signs) -> Iterator[Part]:
    for one in stretches:
        if one.left:
            yield signs.plain(f"[{one.sign} {one.before}]"), "italic"
        elif not one.is_changed:
            yield signs.plain(one.before), ""
        else:
            lead, before, after, trail = one.trim()
            yield lead, ""
            yield from _brackets(before, after, signs)
            yield trail, ""


def _brackets(before: str, after: str, signs: Signs) -> Iterator[Part]:
    sign = signs.plain(" → ") if before and after else ""
    yield "[" if sign else signs.plain("[− " if before else "[+ "), "bold"
    yield before, GONE
    yield sign, "bold"
    yield after, COME
    yield "]", "bold"


def _piece(piece: Piece, revision: Revision, at: int | None, signs: Signs) -> Iterator[Part]:
    looked = " reverse" if piece.edit is not None and piece.edit == at else ""
    if piece.edit is None or piece.state is None:
        yield piece.before, ""
    elif piece.state == "none":
        yield piece.before, looked.strip()
    elif piece.state == "kept":
        sign = "=" if revision.edits[piece.edit].action == "kept" else "!"
        yield f"[{sign} {piece.before}]", "italic" + looked
    elif piece.state == "left" or piece.before == piece.after:
        yield piece.before, looked.strip()
    else:
        if piece.state == "open":  # the same words as in the list, and no others
            for one in difference(piece.before, piece.after):
                yield from _open(one, looked, signs)
            return
        lead, _, after, trail = Stretch(piece.before, piece.after).trim()
        if after:
            yield f"{lead}{after}", COME + looked
            yield trail, ""
        else:
            yield signs.plain("[−]"), "bold $supported" + looked


def _open(one: Stretch, looked: str, signs: Signs) -> Iterator[Part]:
    if not one.is_changed:
        yield one.before, looked.strip()
        return
    lead, before, after, trail = one.trim()
    yield lead, ""
    for text, style in _brackets(before, after, signs):
        yield text, style + looked
    yield trail, ""
