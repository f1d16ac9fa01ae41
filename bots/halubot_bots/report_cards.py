"""The cards of a report that somebody asked for: what to doubt first, all facts, the correction."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot.render.inert import one_line
from halubot.render.items import Entry, listing, quotes
from halubot.verdicts import SEVERITY
from halubot_bots.cards import PAGE, Card, Choice, Tone, paged
from halubot_bots.catalogue import money, phrase, translate_core
from halubot_bots.chat_text import bold_in, inert, inert_line, plain, split_to
from halubot_bots.feedback import mark_fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halubot.report import Correction, Report, SourceKind
    from halubot_bots.differences import Difference

SHOWN: Final = 3
"""Doubted facts on the first card."""

LONGEST: Final = 240
"""Characters of a sentence or a quote that is shown."""

_KINDS: Final[tuple[SourceKind, ...]] = ("sample", "reference", "knowledge")


def overview(report: Report, differing: Sequence[Difference] = ()) -> tuple[Card, ...]:
    """Return the first card, on one page unless its texts are long: how many facts are doubted or
    not checked, the most doubtful with what speaks against them, and where other answers agree on
    something else (``differing``)."""
    entries = listing(report)
    doubted = [entry for entry in entries if entry.is_doubted]
    # Two counts of the same answers, by their sentences and by their values, would contradict.
    blocks = [_tell(entry, report, most=1, counted=not differing) for entry in doubted[:SHOWN]]
    if len(doubted) > SHOWN:
        blocks.append(phrase("card.more_doubted", count=len(doubted) - SHOWN))
    for one in differing[:SHOWN]:
        own = next(group for group in one.groups if any(said.answer == 0 for said in group))
        values = [inert_line(v[0].text or v[0].quote, LONGEST) for v in (own, one.settled)]
        words = phrase("card.agreed", count=len(one.settled), own=values[0], other=values[1])
        blocks.append(f"≠ {words}")
    # What somebody cleared by their own word is not passed over in silence.
    cleared = [entry for entry in entries if entry.word and not entry.is_doubted]
    blocks += [_tell(entry, report, most=1) for entry in cleared[:SHOWN]]
    unchecked = next((one for one in entries if one.verdict == "not_checked" and one.reason), None)
    told = ""
    if entries and not report.sources:
        blocks.append(phrase("card.how"))
        told = "nothing to compare with"
    elif not doubted and unchecked is not None:
        told = unchecked.reason or ""
        blocks.append(f"{captions.glyph('not_checked')} {inert_line(tell_reason(told), 300)}")
    problems = [one for one in captions.problems(report) if not told or told not in one]
    blocks += [f"-# {inert_line(tell_reason(one), 200)}" for one in problems[:2]]
    buttons = ["facts"] if entries else []
    # What may stand in place of what is doubted: others' agreement, a reference, a model's words.
    better = report.usage.calls or any(source.kind != "sample" for source in report.sources)
    if differing or (doubted and better):
        buttons.append("correct")
    return paged(
        blocks,
        tone=_tone(entries),
        headline=summarise(report),
        small=_small(report),
        buttons=tuple(buttons),
    )


def facts(report: Report) -> tuple[Card, ...]:
    """Return all facts with their quotes, in pages; at least one."""
    entries = listing(report)
    told = {_tell(entry, report, most=None): entry for entry in entries}
    return paged(
        told or [phrase("card.no_fact")],
        tone=_tone(entries),
        headline=phrase("card.all_facts"),
        small=_small(report),
        buttons=("overview",),
        menu="wrong",
        choices={block: made for block, one in told.items() if (made := _choice(one, report))},
    )


def correction(report: Report) -> tuple[Card, ...]:
    """Return the changes of a correction and the corrected text, in pages; at least one."""
    made = report.correction
    blocks = [_edit(made, at) for at in range(len(made.edits))] if made else []
    if made is None or made.text == report.text:
        verdicts = {entry.verdict for entry in listing(report)}
        name = "no_value" if verdicts & {"contradicted", "doubtful"} else "no_doubt"
        name = "no_check" if verdicts <= {"not_checked"} else name
        blocks = blocks or [phrase(f"card.{name}")]
        return paged(blocks, headline=phrase("card.unchanged"), buttons=("overview",))
    blocks.append(f"**{phrase('card.corrected')}**")
    blocks += split_to(inert(made.text), PAGE) or [phrase("card.empty")]
    changed = sum(edit.before != edit.after for edit in made.edits)
    headline = phrase("card.correction", count=changed)
    return paged(blocks, headline=headline, buttons=("overview",))


def summarise(report: Report) -> str:
    """Return how many facts have which verdict, each with its sign: never by colour alone."""
    counts = Counter(entry.verdict for entry in listing(report))
    parts = [
        f"{captions.glyph(verdict)} {counts[verdict]} {phrase(f'verdict.{verdict}')}"
        for verdict in SEVERITY
        if counts[verdict]
    ]
    return " · ".join(parts) or phrase("card.no_fact")


def tell_reason(reason: str) -> str:
    """Return one of the core's reasons without paths and options, translated if it is known; of
    "reason: sentence" each part."""
    reason = plain(reason)
    whole = translate_core(reason)
    first, mark, rest = reason.partition(": ")
    return whole if whole != reason else f"{translate_core(first)}{mark}{translate_core(rest)}"


def _tell(entry: Entry, report: Report, *, most: int | None, counted: bool = True) -> str:
    """Return a sentence with the words of an entry in bold, how many sources say what of them if
    ``counted``, and so many quotes (None: all)."""
    lines = [f"{captions.glyph(entry.verdict)} {_sentence(entry, report)}"]
    if entry.fact is not None and (word := entry.fact.feedback) is not None:
        lines.append(f"-# {phrase(f'said.{word.says}', day=f'<t:{int(word.at.timestamp())}:d>')}")
    votes = Counter(one.stance for one in entry.fact.evidence) if entry.fact else Counter()
    if votes and counted:
        lines.append(f"-# {', '.join(phrase(f'said.{one}', count=votes[one]) for one in votes)}")
    elif entry.reason and not votes:
        lines.append(f"-# {inert_line(tell_reason(entry.reason), LONGEST)}")
    for quote in quotes(entry.fact, report, most=most) if entry.fact else ():
        sign = "≠" if quote.evidence.stance == "contradicts" else "="
        lines.append(f"> {sign} {inert_line(quote.text, LONGEST)}")
        if most is None:
            lines.append(f"-# {inert_line(_name(quote.evidence.source, report), 80)}")
    return "\n".join(lines)


def _choice(entry: Entry, report: Report) -> Choice | None:
    """Return the choice by which a reader says that a verdict is wrong, or takes that back."""
    fact = entry.fact
    if fact is None or (fact.verdict == "not_checked" and fact.feedback is None):
        return None
    about = phrase("said.take_back" if fact.feedback else f"verdict.{fact.verdict}")
    label = f"{captions.glyph(fact.verdict)} {one_line(entry.reading)}"
    return Choice(value=mark_fact(report, fact), label=label, about=about)


def _name(id: str, report: Report) -> str:
    """Return the title of a source, else its kind and its place among those of its kind."""
    source = next((one for one in report.sources if one.id == id), None)
    if source is None or (source.title.strip() and source.kind != "sample"):
        return one_line(source.title) if source else id
    alike = [one.id for one in report.sources if one.kind == source.kind]
    return phrase(f"source.{source.kind}", number=alike.index(id) + 1)


def _sentence(entry: Entry, report: Report) -> str:
    """Return the sentence of an entry on one line, what is said in it in bold; cut around that."""
    fact, sentence = entry.fact, entry.sentence
    if fact is not None and fact.sentences:
        sentence = report.sentences[fact.sentences[0]]
    if sentence is None:
        return f"**{inert_line(entry.reading, LONGEST)}**"
    span = (fact.parts.tail or next(reversed(fact.spans), None)) if fact else None
    start, end = (at - sentence.start for at in span or (0, 0))
    text = report.text[sentence.start : sentence.end]
    return bold_in(text, (start, end) if 0 <= start < end <= len(text) else (0, 0), LONGEST)


def _edit(made: Correction, at: int) -> str:
    edit = made.edits[at]
    before, after = inert_line(edit.before, 300), inert_line(edit.after, 300)
    what = phrase(f"edit.{edit.action}")
    if edit.action == "removed":
        return f"{what}: ~~{before}~~"
    if before != after:
        return f"{what}: ~~{before}~~ → **{after}**"
    why = inert_line(tell_reason(edit.reason or ""), 200)
    return f"{what}: {before}" + (f"\n-# {why}" if why else "")


def _small(report: Report) -> str:
    """Return the origin of a result in small print: sources, calls, cost."""
    kinds = Counter(source.kind for source in report.sources)
    parts = [phrase(f"compared.{kind}", count=kinds[kind]) for kind in _KINDS if kinds[kind]]
    if report.usage.calls:
        parts.append(phrase("card.calls", count=report.usage.calls))
    if report.usage.cost_usd is not None:
        parts.append(money(report.usage.cost_usd, None))
    return f"-# {inert_line(' · '.join(parts), 300)}" if parts else ""


def _tone(entries: Sequence[Entry]) -> Tone:
    return min((entry.verdict for entry in entries), key=SEVERITY.index, default="plain")
