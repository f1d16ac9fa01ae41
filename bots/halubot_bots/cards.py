"""The view of a report in a chat: cards of headings, lines and buttons, apart from any chat
service.

All text of a message, a source or a person in a card is inert already; a card fits into a message
of its service (`halubot_bots.chat_text`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from halubot.render import captions
from halubot.render.items import Entry, listing, quotes
from halubot.report import Correction, Frozen, Report, Span, Verdict
from halubot_bots.catalogue import money, number, phrase
from halubot_bots.chat_text import (
    CARD,
    cut_to,
    inert,
    inert_line,
    length,
    plain,
    split_to,
    tame,
)
from halubot_bots.report_words import (
    count_changes,
    count_voices,
    name_compared,
    name_source,
    name_verdict,
    quote_reader,
    summarise,
    tell_reason,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Tone = Literal["contradicted", "doubtful", "not_checked", "supported", "plain"]
"""The colour of a card by its meaning; its words say the same."""

SHOWN: Final = 3
"""Doubted facts on the first card."""

PROBLEMS: Final = 2
"""Problems of the check on the first card."""

PAGE: Final = 3_000
"""Characters of the facts on one page."""

BLOCKS: Final = 12
"""Blocks on one page."""

CELLS: Final = 12
"""Cells of the gauge."""

QUOTES: Final = 3
"""Quotes for a fact."""

ASIDE: Final = 2
"""Doubted facts of one sentence with their evidence on the first card."""

LONGEST: Final = 240
"""Characters of a sentence that is shown."""

SHORT: Final = 0.05
"""Seconds of a check that are not worth telling."""

QUOTED: Final = 160
"""Characters of a quote on the first card."""

NO_BREAK: Final = "\u00a0"
"""A blank at which no line is broken."""


class Button(Frozen):
    """A button: what it does (``action``), what stands on it."""

    action: str
    label: str
    strong: bool = False


class Choice(Frozen):
    """An entry of a select menu: its value, what stands on it, and a line below."""

    value: str
    label: str
    about: str = ""


class Card(Frozen):
    """A card: a ``headline`` (large unless it is ``slim``), blocks of text below it, small print,
    buttons, and a select menu of ``choices``. ``page`` and ``pages`` count from 1."""

    tone: Tone = "plain"
    headline: str
    blocks: tuple[str, ...] = ()
    small: str = ""
    buttons: tuple[Button, ...] = ()
    choices: tuple[Choice, ...] = ()
    slim: bool = False
    page: int = 1
    pages: int = 1

    @property
    def size(self) -> int:
        """The length of all its texts."""
        return sum(map(length, (self.headline, *self.blocks, self.small)))


def button(action: str, *, strong: bool = False) -> Button:
    """A button for what is done; a ``strong`` one is what most people want next."""
    return Button(action=action, label=phrase(f"button.{action}"), strong=strong)


def overview(report: Report) -> Card:
    """The first card of a report: gauge, result, the most doubtful facts with their counts."""
    entries = listing(report)
    doubted = [entry for entry in entries if entry.is_doubted]
    tone = _tone(entries)
    blocks = [gauge(report)] if entries else []  # the headline says that there is nothing
    groups = _by_sentence(doubted, report)
    blocks += [_doubt(group, report) for group in groups[:SHOWN]]
    more = sum(map(len, groups[SHOWN:]))
    if more > 0:
        blocks.append(phrase("card.more_doubted", count=more))
    unchecked = next((entry for entry in entries if entry.verdict == "not_checked"), None)
    if not doubted and unchecked is not None and unchecked.reason:
        why = inert_line(tell_reason(plain(unchecked.reason)), 300)
        blocks.append(f"{captions.glyph('not_checked')} {why}")
        if not report.sources:
            blocks.append(f"-# {phrase('card.how')}")
    # The reason stands above already: the card of a text without facts repeated it three times.
    told = unchecked.reason if unchecked is not None and not doubted else None
    problems = [one for one in captions.problems(report) if not told or told not in one]
    blocks += [f"-# {inert_line(tell_reason(plain(one)), 200)}" for one in problems[:PROBLEMS]]
    actions = ["facts"] if report.facts or entries else []
    actions += ["evidence"] if any(fact.evidence for fact in report.facts) else []
    actions += ["correct"] if doubted else []
    return fitted(
        Card(
            tone=tone,
            headline=f"{_glyph(tone)} {inert_line(summarise(report))}".strip(),
            blocks=tuple(blocks),
            small=_small(report),
            # What is only doubtful is often left as it is.
            buttons=tuple(
                button(one, strong=one == "correct" and tone == "contradicted") for one in actions
            ),
        )
    )


def gauge(report: Report) -> str:
    """The shares of the verdicts as a bar, each verdict with its sign and number: never by colour
    alone."""
    # As the headline counts: facts, and sentences only of a text without facts.
    counted = [fact.verdict for fact in report.facts]
    verdicts = counted or [entry.verdict for entry in listing(report)]
    if not verdicts:
        return phrase("card.nothing")
    signs: dict[Verdict, str] = {
        "contradicted": "█",
        "doubtful": "▓",
        "not_checked": "░",
        "supported": "·",
    }
    cells, done, left = "", 0, len(verdicts)
    for verdict in captions.SEVERITY:
        count = verdicts.count(verdict)
        done += count
        wanted = round(done * CELLS / left)
        # One doubtful fact of fifty would round to no cell, and must be seen.
        least = len(cells) + (1 if count else 0)
        cells += signs[verdict] * (max(wanted, least) - len(cells))
    told = " · ".join(
        # A sign, its number and its word stay on one line of a narrow screen.
        f"{captions.glyph(verdict)} {verdicts.count(verdict)} {name_verdict(verdict)}".replace(
            " ", NO_BREAK
        )
        for verdict in captions.SEVERITY
        if verdict in verdicts
    )
    # With at least one cell for each of four verdicts the bar can be this much longer.
    return f"`{cells[: CELLS + 4]}` {told}"


def facts(report: Report) -> tuple[Card, ...]:
    """All that is listed of a report, in pages; at least one."""
    entries = listing(report)
    lines = [_line(entry, report) for entry in entries] or [phrase("card.no_fact")]
    return paged(
        lines, tone=_tone(entries), headline=phrase("card.all_facts"), small=_small(report)
    )


def evidence(report: Report) -> tuple[Card, ...]:
    """The quotes for and against each doubted fact, else each fact, a fact a block, in pages; at
    least one."""
    entries = [entry for entry in listing(report) if entry.fact is not None]
    chosen = [entry for entry in entries if entry.is_doubted] or entries
    blocks = [_evidence(entry, report) for entry in chosen] or [phrase("card.no_evidence")]
    return paged(
        blocks, tone=_tone(entries), headline=phrase("card.evidence"), small=_small(report)
    )


def correction(report: Report) -> tuple[Card, ...]:
    """The changes of a correction with what caused them, and the corrected text, in pages."""
    made = report.correction
    # Such a correction may still have edits: marks, which say what was left as it is and why.
    if made is None or made.text == report.text:
        kept = [_edit(made, at) for at in range(len(made.edits))] if made else []
        blocks = kept or [phrase(f"card.{_find_unchanged_reason(report)}")]
        return paged(blocks, tone="plain", headline=phrase("card.unchanged"), small="")
    blocks = [_edit(made, at) for at in range(len(made.edits))]
    blocks.append(f"**{phrase('card.corrected')}**")
    blocks += split_to(inert(made.text), PAGE) or [phrase("card.empty")]
    # Its first row counts all facts, then comes a row for each verdict.
    _, *rows = captions.before_and_after(report) or (("", "", ""),)
    told = " · ".join(
        f"{name_verdict(verdict)} {before} → {after}"
        for verdict, (_, before, after) in zip(captions.SEVERITY, rows, strict=False)
        if before != after
    )
    return paged(
        blocks,
        tone="plain",
        headline=phrase("card.correction", changes=count_changes(made)),
        small=f"-# {inert_line(told, 300)}" if told else "",
    )


def answer(report: Report, first: Card) -> tuple[Card, ...]:
    """Return what a model answered and below it the ``first`` card of its report, in pages."""
    text = tame(report.text) or phrase("card.empty_answer")
    blocks = [*split_to(text, PAGE), f"**{first.headline}**", *first.blocks]
    pages = paged(blocks, tone=first.tone, headline=phrase("card.answer"), small=first.small)
    return tuple(page.model_copy(update={"buttons": first.buttons}) for page in pages)


def _find_unchanged_reason(report: Report) -> str:
    """Return the name of the phrase that says why a report has nothing to correct."""
    entries = listing(report)
    if any(entry.is_doubted for entry in entries):
        return "no_value"
    checked = any(entry.verdict == "supported" for entry in entries)
    return "no_doubt" if checked else "no_check"


def message(headline: str, *blocks: str, small: str = "", tone: Tone = "plain") -> Card:
    """A card of our own words; texts of others in it must be inert already."""
    return fitted(Card(tone=tone, headline=headline, blocks=tuple(blocks), small=small))


def _line(entry: Entry, report: Report) -> str:
    """The sentence of an entry, its own words in bold, and who says what of them."""
    lines = (quote_reader(entry.fact), _describe(entry, report, LONGEST))
    told = "".join(f"\n-# {inert_line(line, LONGEST)}" for line in lines if line)
    return f"{captions.glyph(entry.verdict)} {_sentence([entry], report)}{told}"


def _describe(entry: Entry, report: Report, long: int) -> str:
    said = count_voices(entry, report)
    return inert_line(said or tell_reason(plain(entry.reason or "")), long)


def _evidence(entry: Entry, report: Report) -> str:
    lines = [_line(entry, report)]
    for quote in quotes(entry.fact, report, most=QUOTES) if entry.fact else ():
        sign = captions.STANCE_GLYPHS[quote.evidence.stance]
        name = inert_line(name_source(quote, report), 80)
        lines.append(f"> {sign} {inert_line(quote.text, 240)}\n-# {name}")
    return "\n".join(lines)


def _by_sentence(entries: Iterable[Entry], report: Report) -> list[list[Entry]]:
    """The entries of the same sentence together, the most doubted sentence first."""
    found: dict[object, list[Entry]] = {}
    for entry in entries:
        found.setdefault(_place(entry, report) or entry.number, []).append(entry)
    return list(found.values())


def _doubt(group: Sequence[Entry], report: Report) -> str:
    """A sentence, its doubted words in bold, and beside each what speaks against it."""
    lines = [f"{captions.glyph(group[0].verdict)} {_sentence(group, report)}"]
    shown: set[str] = set()
    for entry in group[:ASIDE]:
        found = quotes(entry.fact, report, most=QUOTES) if entry.fact else ()
        against = next((one for one in found if one.evidence.stance == "contradicts"), None)
        if against is not None and against.text not in shown:
            shown.add(against.text)
            sign = captions.STANCE_GLYPHS["contradicts"]
            lines.append(f"> {sign} {inert_line(against.text, QUOTED)}")
        said = _describe(entry, report, 200)
        words = _words(entry, report)
        if len(group) > 1 and said and words:  # of which of the doubted words it is said
            said = f"{words}: {said}"
        told = (inert_line(quote_reader(entry.fact), 200), said)
        lines += [f"-# {one}" for one in told if one]
    return "\n".join(lines)


def _place(entry: Entry, report: Report) -> Span | None:
    """Return the place of an entry's sentence."""
    sentence = entry.sentence
    if sentence is None and entry.fact is not None and entry.fact.sentences:
        index = entry.fact.sentences[0]
        sentence = next((one for one in report.sentences if one.index == index), None)
    return None if sentence is None else (sentence.start, sentence.end)


def _sentence(group: Sequence[Entry], report: Report) -> str:
    """The sentence of some entries on one line, their own words in bold; cut around the first of
    them if it is long. An entry that stands in no sentence is shown by its content."""
    place = _place(group[0], report)
    marks = sorted(mark for entry in group for mark in _marks(entry))
    if place is None or not marks or not report.text[slice(*place)].strip():
        return f"**{inert_line(group[0].reading, LONGEST)}**"
    start, end = place
    if end - start > LONGEST:
        # A third of the room stands before the doubted words, for what they are said of.
        start = max(start, min(marks[0][0] - LONGEST // 3, end - LONGEST))
        end = start + LONGEST
    parts, at = ["…" if start > place[0] else ""], start
    for mark in marks:
        first, last = max(mark[0], at), min(mark[1], end)
        bold = report.text[first:last].strip()
        if first < last and bold:
            gap = report.text[first:last]
            parts.append(_inert_part(report.text[at:first] + gap[: len(gap) - len(gap.lstrip())]))
            parts.append(f"**{inert_line(bold)}**")
            parts.append(" " if gap != gap.rstrip() else "")
            at = last
    parts.append(_inert_part(report.text[at:end]))
    parts.append("…" if end < place[1] else "")
    return "".join(parts).strip()


def _inert_part(text: str) -> str:
    """A piece of a line, with a blank if it had white space at its ends."""
    line = inert_line(text)
    if not line:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{line}{' ' if text[-1].isspace() else ''}"


def _marks(entry: Entry) -> tuple[Span, ...]:
    """The words of the text that an entry stands and falls with: what is said of something."""
    if entry.fact is not None and entry.fact.parts.tail is not None:
        return (entry.fact.parts.tail,)
    return entry.spans[-1:]


def _words(entry: Entry, report: Report) -> str:
    """The words of the text that are shown in bold for an entry."""
    return inert_line(" … ".join(report.text[slice(*mark)].strip() for mark in _marks(entry)), 80)


def _edit(made: Correction, at: int) -> str:
    edit = made.edits[at]
    before, after = inert_line(edit.before, 300), inert_line(edit.after, 300)
    what = phrase(f"edit.{edit.action}")
    if edit.action == "removed":
        return f"{what}: ~~{before}~~"
    if before != after:
        return f"{what}: ~~{before}~~ → **{after}**"
    why = inert_line(tell_reason(captions.refusal(edit)), 200)
    return f"{what}: {before}" + (f"\n-# {why}" if why else "")


def _small(report: Report) -> str:
    """Return the origin of a result in small print: method, sources, calls, cost, time."""
    usage = report.usage
    parts = [report.method, name_compared(report)]
    if usage.calls or usage.cached_calls:
        parts.append(phrase("card.calls", count=usage.calls))
    if usage.cost_usd is not None:
        parts.append(money(usage.cost_usd, None))
    if usage.seconds >= SHORT:
        parts.append(f"{number(usage.seconds, 1)} s")
    return f"-# {inert_line(' · '.join(parts), 300)}"


def _tone(entries: Iterable[Entry]) -> Tone:
    found = {entry.verdict for entry in entries}
    return next((verdict for verdict in captions.SEVERITY if verdict in found), "plain")


def _glyph(tone: Tone) -> str:
    return "" if tone == "plain" else captions.glyph(tone)


def paged(blocks: Iterable[str], *, tone: Tone, headline: str, small: str) -> tuple[Card, ...]:
    """The blocks on as many pages as they need; a block that is too long for a page goes on on the
    next one. Nothing is left out."""
    pages = list(_gather(blocks))
    return tuple(
        fitted(
            Card(
                tone=tone,
                headline=headline
                if len(pages) == 1
                else phrase("card.page", headline=headline, page=at, pages=len(pages)),
                blocks=tuple(page),
                small=small,
                page=at,
                pages=len(pages),
            )
        )
        for at, page in enumerate(pages, start=1)
    )


def _gather(blocks: Iterable[str]) -> Iterator[list[str]]:
    page: list[str] = []
    size = 0
    for shown in (part for block in blocks for part in split_to(block, PAGE)):
        if page and (size + length(shown) > PAGE or len(page) >= BLOCKS):
            yield page
            page, size = [], 0
        page.append(shown)
        size += length(shown)
    if page:
        yield page


def fitted(card: Card) -> Card:
    """The card without its last blocks, if all of them are too long for a message."""
    # From the end: the first block is the most doubtful.
    blocks = list(card.blocks)
    while blocks and card.size > CARD:
        over = card.size - CARD
        last = cut_to(blocks[-1], max(0, length(blocks[-1]) - over))
        blocks[-1:] = [last] if len(last) > 1 else []
        card = card.model_copy(update={"blocks": tuple(blocks)})
    return card
