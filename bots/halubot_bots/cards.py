"""What a bot shows of a report: cards of headings, lines and buttons, apart from any chat service.

All text of a message, a source or a person in a card is inert already; a card fits into a message
of its service (`halubot_bots.limits`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from halubot.facts import Correction, Frozen, Report, Verdict
from halubot.money import dollars
from halubot.render import words
from halubot.render.listing import Entry, listing, quotes
from halubot_bots.inert import inert, inert_line
from halubot_bots.limits import CARD, cut, length, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Tone = Literal["contradicted", "doubtful", "not_checked", "supported", "plain"]
"""What a card is coloured by; its words say the same."""

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


class Button(Frozen):
    """A button: what it does (``action``), what stands on it."""

    action: str
    label: str
    strong: bool = False


class Card(Frozen):
    """A card: a ``headline``, blocks of text below it, set apart from each other, small print, and
    buttons. ``page`` and ``pages`` count from 1."""

    tone: Tone = "plain"
    headline: str
    blocks: tuple[str, ...] = ()
    small: str = ""
    buttons: tuple[Button, ...] = ()
    page: int = 1
    pages: int = 1

    @property
    def size(self) -> int:
        """The length of all its texts."""
        return sum(map(length, (self.headline, *self.blocks, self.small)))


FACTS = Button(action="facts", label="All facts")
EVIDENCE = Button(action="evidence", label="Evidence")
CORRECT = Button(action="correct", label="Correct", strong=True)
DISMISS = Button(action="dismiss", label="Dismiss")


def overview(report: Report, *, dismissable: bool = True) -> Card:
    """The first card of a report: gauge, result, the most doubtful facts with their counts."""
    entries = listing(report)
    doubted = [entry for entry in entries if entry.doubted]
    tone = _tone(entries)
    blocks = [gauge(report)]
    blocks += [_line(entry, long=180) for entry in doubted[:SHOWN]]
    more = len(doubted) - SHOWN
    if more > 0:
        blocks.append(f"and {more} more in doubt")
    unchecked = next((entry for entry in entries if entry.verdict == "not_checked"), None)
    if not doubted and unchecked is not None and unchecked.reason:
        blocks.append(f"{words.glyph('not_checked')} {inert_line(unchecked.reason, 300)}")
    blocks += [f"-# {inert_line(one, 200)}" for one in words.problems(report)[:PROBLEMS]]
    buttons = [FACTS] if report.facts or entries else []
    buttons += [EVIDENCE] if any(fact.evidence for fact in report.facts) else []
    buttons += [CORRECT] if doubted else []
    buttons += [DISMISS] if dismissable else []
    return _fitted(
        Card(
            tone=tone,
            headline=f"{_glyph(tone)} {inert_line(words.summary(report))}".strip(),
            blocks=tuple(blocks),
            small=_small(report),
            buttons=tuple(buttons),
        )
    )


def gauge(report: Report) -> str:
    """The shares of the verdicts as a bar, each verdict with its sign and number: never by colour
    alone."""
    verdicts = [entry.verdict for entry in listing(report)]
    if not verdicts:
        return "nothing was found to check"
    signs: dict[Verdict, str] = {
        "contradicted": "█",
        "doubtful": "▓",
        "not_checked": "░",
        "supported": "·",
    }
    cells, done, left = "", 0, len(verdicts)
    for verdict in words.SEVERITY:
        count = verdicts.count(verdict)
        done += count
        wanted = round(done * CELLS / left)
        least = len(cells) + (1 if count else 0)
        cells += signs[verdict] * (max(wanted, least) - len(cells))
    told = " · ".join(
        f"{words.glyph(verdict)} {verdicts.count(verdict)} {words.VERDICTS[verdict]}"
        for verdict in words.SEVERITY
        if verdict in verdicts
    )
    return f"`{cells[: CELLS + 4]}` {told}"


def facts(report: Report) -> tuple[Card, ...]:
    """All that is listed of a report, in pages; at least one."""
    entries = listing(report)
    lines = [_line(entry, long=240) for entry in entries] or ["No fact was found to check."]
    return _paged(lines, tone=_tone(entries), headline="All facts", small=_small(report))


def evidence(report: Report) -> tuple[Card, ...]:
    """What speaks for and against each doubted fact, else each fact, a fact a block, in pages."""
    entries = [entry for entry in listing(report) if entry.fact is not None]
    chosen = [entry for entry in entries if entry.doubted] or entries
    blocks = [_evidence(entry, report) for entry in chosen] or ["There is no evidence to show."]
    return _paged(blocks, tone=_tone(entries), headline="Evidence", small=_small(report))


def correction(report: Report) -> tuple[Card, ...]:
    """The changes of a correction with what caused them, and the corrected text, in pages."""
    made = report.correction
    if made is None or made.text == report.text:
        kept = [_edit(made, at) for at in range(len(made.edits))] if made else []
        blocks = kept or ["No doubted value has another."]
        return _paged(blocks, tone="plain", headline="Nothing was changed", small="")
    blocks = [_edit(made, at) for at in range(len(made.edits))]
    blocks.append("**Corrected text**")
    blocks += split(inert(made.text), PAGE) or ["(nothing is left of the text)"]
    rows = words.before_and_after(report)
    changed = (f"{what} {before} → {after}" for what, before, after in rows if before != after)
    told = " · ".join(changed)
    return _paged(
        blocks,
        tone="plain",
        headline=f"Correction: {words.changes(made)}",
        small=f"-# {inert_line(told, 300)}" if told else "",
    )


def comparison(reports: Sequence[tuple[str, Report | str]]) -> Card:
    """The same message by several methods, a block each; of one that failed why."""
    blocks = [
        f"**{inert_line(name, 40)}**\n"
        + (inert_line(found, 300) if isinstance(found, str) else f"{gauge(found)}\n{_small(found)}")
        for name, found in reports
    ]
    return _fitted(Card(headline="The same message by several methods", blocks=tuple(blocks)))


def message(headline: str, *blocks: str, small: str = "", tone: Tone = "plain") -> Card:
    """A card of our own words; texts of others in it must be inert already."""
    return _fitted(Card(tone=tone, headline=headline, blocks=tuple(blocks), small=small))


def _line(entry: Entry, *, long: int) -> str:
    sign = words.glyph(entry.verdict)
    lines = (entry.word, entry.said or entry.reason)
    told = "".join(f"\n-# {inert_line(line, long)}" for line in lines if line)
    return f"{sign} **{inert_line(entry.reading, long)}**{told}"


def _evidence(entry: Entry, report: Report) -> str:
    lines = [_line(entry, long=240)]
    for quote in quotes(entry.fact, report, most=QUOTES) if entry.fact else ():
        sign = words.STANCE_GLYPHS[quote.evidence.stance]
        lines.append(f"> {sign} {inert_line(quote.text, 240)}\n-# {inert_line(quote.name, 80)}")
    return "\n".join(lines)


def _edit(made: Correction, at: int) -> str:
    edit = made.edits[at]
    before, after = inert_line(edit.before, 300), inert_line(edit.after, 300)
    what = words.ACTIONS[edit.action]
    if edit.action == "removed":
        return f"{what}: ~~{before}~~"
    if before != after:
        return f"{what}: ~~{before}~~ → **{after}**"
    why = inert_line(words.refusal(edit), 200)
    return f"{what}: {before}" + (f"\n-# {why}" if why else "")


def _small(report: Report) -> str:
    """How the result came about, in small print."""
    usage = report.usage
    parts = [report.method, words.compared(report)]
    if usage.calls or usage.cached_calls:
        parts.append(words.number(usage.calls, "call"))
    if usage.cost_usd is not None:
        parts.append(dollars(usage.cost_usd))
    parts.append(f"{usage.seconds:.1f} s")
    return f"-# {inert_line(' · '.join(parts), 300)}"


def _tone(entries: Iterable[Entry]) -> Tone:
    found = {entry.verdict for entry in entries}
    return next((verdict for verdict in words.SEVERITY if verdict in found), "plain")


def _glyph(tone: Tone) -> str:
    return "" if tone == "plain" else words.glyph(tone)


def _paged(blocks: Iterable[str], *, tone: Tone, headline: str, small: str) -> tuple[Card, ...]:
    """The blocks on as many pages as they need; one that is too long for a page is cut."""
    pages = list(_gathered(blocks))
    return tuple(
        _fitted(
            Card(
                tone=tone,
                headline=headline if len(pages) == 1 else f"{headline} ({at} of {len(pages)})",
                blocks=tuple(page),
                small=small,
                page=at,
                pages=len(pages),
            )
        )
        for at, page in enumerate(pages, start=1)
    )


def _gathered(blocks: Iterable[str]) -> Iterator[list[str]]:
    page: list[str] = []
    size = 0
    for block in blocks:
        shown = cut(block, PAGE)
        if page and (size + length(shown) > PAGE or len(page) >= BLOCKS):
            yield page
            page, size = [], 0
        page.append(shown)
        size += length(shown)
    if page:
        yield page


def _fitted(card: Card) -> Card:
    """The card without its last blocks, where all of them are too long for a message."""
    blocks = list(card.blocks)
    while blocks and card.size > CARD:
        over = card.size - CARD
        last = cut(blocks[-1], max(0, length(blocks[-1]) - over))
        blocks[-1:] = [last] if len(last) > 1 else []
        card = card.model_copy(update={"blocks": tuple(blocks)})
    return card
