"""A report as Markdown that reads well raw, on GitHub and in chats.

Lists instead of tables, since chats have none. What stands in a message or a source is escaped:
it makes no heading, link, mention or emphasis.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import category

from halubot.render import captions
from halubot.render.difference import Stretch, correction_stretches, in_context
from halubot.render.inert import inert, one_line
from halubot.render.items import (
    Entry,
    Quote,
    explain_edits,
    listing,
    pieces,
    quotes,
    read_beside,
    unchecked,
    web_address,
)
from halubot.report import DOUBTED, Edit, Report
from halubot.verdicts import SEVERITY

_SPECIAL = re.compile(r"[\\`*_~|\[\]<>&$]")
# Chats make mentions and links out of plain text, which no backslash stops.
_MENTION = re.compile(r"@(?=\S)|(?<=:)(?=//)|(?<=www)(?=\.)")
_FIRST = re.compile(r"^([ \t]*)(\d*)([#+=-]|(?<=\d)[.)])", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_BREAK = re.compile(r"(?<=\S) *\n(?=[^\n])")
_ZERO_WIDTH_SPACE = "\u200b"


def escape(text: str) -> str:
    """The text so that Markdown shows it letter by letter and line by line. A zero-width space
    keeps an @ from mentioning anybody and an address from becoming a link."""
    return _lines(_letters(text))


def _letters(text: str) -> str:
    shown = _SPECIAL.sub(r"\\\g<0>", inert(text))
    return _MENTION.sub(lambda found: found[0] + _ZERO_WIDTH_SPACE, shown)


def _lines(shown: str) -> str:
    """Escape what begins a heading, a list or a rule at the start of a line."""
    # After all pieces are joined: what begins a line is known only then.
    shown = _FIRST.sub(r"\1\2\\\3", shown)
    shown = _INDENT.sub(lambda found: "\u00a0" * len(found[0]), shown)
    # Two spaces: Markdown otherwise joins the lines of a paragraph.
    return _BREAK.sub("  \n", shown)


def to_markdown(report: Report, *, verbose: bool = False) -> str:
    """The report with its marked text, its lists, and its correction if there is one;
    ends with a line feed. ``verbose`` adds all evidence."""
    blocks = [*_report(report, verbose=verbose), *_correction(report)]
    return "\n\n".join(blocks) + "\n"


def _report(report: Report, *, verbose: bool) -> Iterator[str]:
    entries = [e for e in listing(report) if verbose or e.is_shown]
    yield f"### {captions.summary(report)}"
    yield escape(" · ".join(captions.method(report)))
    if report.label:
        yield escape(one_line(report.label))
    if report.question:
        yield f"**{captions.question(report)}:** {_line(report.question.text)}"
    yield _quote_text(_mark(report, entries))
    present = {entry.verdict for entry in entries}
    if present:
        legend = (f"{captions.GLYPHS[v]} {captions.VERDICTS[v]}" for v in SEVERITY if v in present)
        yield " · ".join(legend)
    told = [entry for entry in entries if entry.verdict != "not_checked"]
    if told:
        yield "\n".join(_entry(entry, report, verbose=verbose) for entry in told)
    for reason, group in unchecked(entries).items():
        items = "\n".join(map(_quoted, group, read_beside(group, report)))
        why = _line(reason or "no reason given")
        yield f"**{captions.heading('not_checked')}:** {why}\n\n{items}"
    believed = [] if verbose else [entry for entry in listing(report) if not entry.is_shown]
    if believed:
        items = "\n".join(map(_quoted, believed, read_beside(believed, report)))
        yield f"**{captions.heading('supported')}, and not marked above:**\n\n{items}"
    if report.problems:
        yield "\n".join(f"- **Problem:** {_line(one)}" for one in captions.problems(report))


def _quoted(entry: Entry, beside: Sequence[Quote]) -> str:
    line = f"{entry.number}. {captions.glyph(entry.verdict)} {_line(entry.reading)}"
    return "\n   ".join([line, *(_quote(quote, verbose=False) for quote in beside)])


def _correction(report: Report) -> Iterator[str]:
    correction = report.correction
    if correction is None:
        return
    stretches = correction_stretches(report)
    yield f"### Correction: {captions.changes(correction)}"
    yield _quote_text(_differing(stretches))
    signs = {one.sign for one in stretches}
    if any(signs):
        shown = (f"\\[{sign}\\] {said}" for sign, said in captions.CHANGES.items() if sign in signs)
        yield " · ".join(shown)
    if correction.edits:
        explained = explain_edits(report, listing(report))
        yield "\n".join(_edit(report, edit, about) for edit, about in explained)
    if correction.text != report.text:
        yield "**Corrected text**"
        yield _quote_text(escape(correction.text))
    rows = captions.before_and_after(report)
    if rows:
        yield "\n".join(f"- {what}: {before} → {after}" for what, before, after in rows)


def _edit(report: Report, edit: Edit, about: Sequence[Entry]) -> str:
    lines = [f"- {_differing(in_context(report, edit))} ({captions.ACTIONS[edit.action]})"]
    if refusal := captions.refusal(edit):
        lines.append(_line(refusal))
    alone = len(about) == 1
    lines += [f"{captions.glyph(e.verdict)} {e.number}: {_line(e.why(alone=alone))}" for e in about]
    return "  \n  ".join(lines)


def _line(text: str) -> str:
    return escape(one_line(text))


def _quote_text(shown: str) -> str:
    return "\n".join(f"> {line}" if line else ">" for line in shown.rstrip().split("\n"))


def _bold(text: str) -> str:
    """Emphasised, with the signs and spaces at its edges left out: Markdown trips over them."""
    shown = []
    for line in inert(text).split("\n"):
        # Letters, marks and numbers: "** 1816,**" is no emphasis (CommonMark, section 6.2).
        solid = [place for place, sign in enumerate(line) if category(sign)[0] in "LMN"]
        start, end = (solid[0], solid[-1] + 1) if solid else (0, 0)
        middle = f"**{_letters(line[start:end])}**" if solid else ""
        shown.append(_letters(line[:start]) + middle + _letters(line[end:]))
    return "\n".join(shown)


def _mark(report: Report, entries: Sequence[Entry]) -> str:
    shown = []
    for piece in pieces(report, entries):
        text = report.text[piece.start : piece.end]
        doubted = piece.strong and piece.verdict in DOUBTED
        shown.append(_bold(text) if doubted else _letters(text))
        shown += [captions.key(entry.verdict, entry.number) for entry in piece.closing]
    return _lines("".join(shown))


def _differing(stretches: Iterable[Stretch]) -> str:
    shown = []
    for one in stretches:
        if one.left:
            shown.append(f"\\[{one.sign} {_letters(one.before)}\\]")
            continue
        if not one.is_changed:
            shown.append(_letters(one.before))
            continue
        lead, before, after, trail = one.trim()
        signs = {"~~": one_line(before), "**": one_line(after)}
        change = " → ".join(f"{sign}{_letters(part)}{sign}" for sign, part in signs.items() if part)
        kind = "" if before and after else f"{one.sign} "
        shown.append(f"{lead}\\[{kind}{change}\\]{trail}")
    return _lines("".join(shown))


def _entry(entry: Entry, report: Report, *, verbose: bool) -> str:
    level = captions.level(entry.score, entry.probability)
    lines = [f"{entry.number}. {captions.glyph(entry.verdict)} **{_line(entry.reading)}**"]
    verdict = ", ".join(filter(None, [level, entry.verdict_words]))
    if entry.word:
        verdict += f". {_line(entry.word)}"
    lines.append(f"{verdict}. {_line(entry.said)}".rstrip())
    if entry.reason:
        lines.append(_line(entry.reason))
    if entry.fact is not None:
        told = quotes(entry.fact, report, most=None if verbose else 3)
        lines += [_quote(quote, verbose=verbose) for quote in told]
    # What belongs to a list item is indented by the width of its number, or the list ends there.
    return f"\n{' ' * (len(str(entry.number)) + 2)}".join(lines)


def _quote(quote: Quote, *, verbose: bool) -> str:
    note = quote.evidence.note if verbose and not quote.value else None
    # An address that can be followed, or words.
    address = web_address(quote.location)
    place = f"<{address}>" if address else _line(quote.location)
    cited = f"{_line(quote.name)}, {place}" if place else _line(quote.name)
    return f"- “{_line(quote.text)}” — {cited}" + (f" ({_line(note)})" if note else "")
