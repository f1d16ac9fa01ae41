"""Why a fact has its verdict, in words: who says what, the quotes, what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot.render.captions import number, source_name
from halubot.render.inert import crop, one_line
from halubot.render.items import Entry, citation, location, name_all
from halubot_tui.corrections import changed_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from halubot.report import Edit, Evidence, Report, Source, Stance
    from halubot_tui.source_words import Near

LONGEST_QUOTE: Final = 300
LONGEST_OFFER: Final = 60
QUOTES: Final = 4
"""Distinct quotes that are shown before the rest is counted."""

UNSPOKEN: Final = "nothing that it was compared with speaks of it"
"""The reason of a fact of which no source speaks."""

_KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "sample": ("other answer", "other answers"),
    "reference": ("reference", "references"),
    "knowledge": ("passage", "passages"),
}
_TITLES: Final[Mapping[str, str]] = {
    "contradicted": "Why {0} {1} contradicted",
    "doubtful": "Why {0} {1} in doubt",
    "not_checked": "Why {0} was not checked",
    "supported": "Why {0} {1} supported",
}


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of sources: their stance, the words, the name of the first source that has them, how
    many sources say the same, and whether it is a reference or knowledge."""

    stance: Stance
    text: str
    source: str
    count: int = 1
    value: str | None = None
    trusted: bool = False


def title(entry: Entry, *, numbered: bool = True, done: bool = False) -> str:
    """The heading of an explanation; without its number while numbers change. ``done`` is whether
    the entry was corrected or kept since."""
    name = entry.number if numbered else "it"
    return _TITLES[entry.verdict].format(name, "was" if done else "is")


def who_says_what(entry: Entry, report: Report) -> str:
    """Who says what of an entry: "3 other answers say 1815; 1 agrees with the text; 2 leave it
    open". Equal values are counted together. "" if no source was asked."""
    if entry.fact is None:
        return entry.said
    sources = {source.id: source for source in report.sources}
    parts: list[str] = []
    for kind in ("reference", "knowledge", "sample"):
        found = [one for one in entry.fact.evidence if _kind(one, sources) == kind]
        if found:
            parts.append(_kind_says(kind, found, sources, report))
    said = "; ".join(parts)
    return said[:1].upper() + said[1:]


def _kind(one: Evidence, sources: Mapping[str, Source]) -> str:
    source = sources.get(one.source)
    return "sample" if source is None else source.kind


def _kind_says(
    kind: str, found: Sequence[Evidence], sources: Mapping[str, Source], report: Report
) -> str:
    """The stances of the sources of one kind."""
    noun = _KINDS[kind]
    values: dict[str, tuple[str, int]] = {}
    otherwise = 0
    for one in found:
        if one.stance != "contradicts":
            continue
        value = one_line(one.value or "")
        if value:
            spelled, count = values.get(value.casefold(), (value, 0))
            values[value.casefold()] = spelled, count + 1
        else:
            otherwise += 1
    rows = [(count, "says", "say", value) for value, count in sorted(values.values(), key=_most)]
    rows += [(otherwise, "says", "say", "otherwise")]
    rows += [(_count(found, "supports"), "agrees", "agree", "with the text")]
    rows += [(_count(found, "silent"), "leaves", "leave", "it open")]
    rows = [row for row in rows if row[0]]
    said: list[str] = []
    for place, (count, verb, verbs, what) in enumerate(rows):
        if len(found) == 1 and kind != "sample" and (source := sources.get(found[0].source)):
            who = f"“{crop(source_name(source, report), LONGEST_OFFER)}”"
        elif not place:
            who = f"{number(count, *noun)}"
        else:
            who = str(count)
        said.append(f"{who} {verb if count == 1 else verbs} {what}")
    return ", ".join(said)


def _most(one: tuple[str, int]) -> tuple[int, str]:
    return -one[1], one[0]


def _count(found: Iterable[Evidence], stance: Stance) -> int:
    return sum(one.stance == stance for one in found)


def quotes(entry: Entry, report: Report) -> tuple[Quoted, ...]:
    """The telling words of sources about an entry: what contradicts it first, references before
    other answers, then what more sources say. Equal words, and other answers with the same value,
    are one quote with a count."""
    if entry.fact is None:
        return ()
    sources = {source.id: source for source in report.sources}
    found: dict[tuple[str, ...], Quoted] = {}
    names: dict[tuple[str, ...], list[str]] = {}
    for one in entry.fact.evidence:
        text = one_line(one.quote)
        if one.stance == "silent" or not text.strip():
            continue
        kind, source = _kind(one, sources), sources.get(one.source)
        words = " ".join(text.casefold().split())
        told = (one.value or "").casefold() if kind == "sample" else ""
        key = one.stance, kind, told or words
        name = one_line(one.source) if source is None else citation(source, report)
        if source is not None and (place := location(source)):
            name = f"{name} ({place})"
        names.setdefault(key, []).append(name)
        known = found.get(key)
        if known is not None:
            told = name_all(names[key])
            found[key] = replace(known, count=known.count + 1, source=told)
            continue
        shown = crop(text, LONGEST_QUOTE, around=one.value or None)
        found[key] = Quoted(one.stance, shown, name, 1, one.value, kind != "sample")
    order = {"contradicts": 0, "supports": 1}
    return tuple(
        sorted(found.values(), key=lambda one: (order[one.stance], not one.trusted, -one.count))
    )


def near_quotes(entry: Entry, near: Mapping[int, Sequence[Near]], report: Report) -> list[Quoted]:
    """The sentences of sources that are nearest to that of an entry, by the indexes of ``near``."""
    fact, sentence = entry.fact, entry.sentence
    numbers = fact.sentences if fact is not None else (sentence.index,) if sentence else ()
    sources = {source.id: source for source in report.sources}
    return [
        Quoted("silent", one_line(one.text), citation(sources[one.source], report))
        for number in numbers[:1]
        for one in near.get(number, ())
        if one.source in sources
    ]


def stances(entry: Entry, report: Report) -> tuple[tuple[Stance, str, str], ...]:
    """The stance of every source, its name, and what it says in place of the fact's value."""
    if entry.fact is None:
        return ()
    sources = {source.id: source for source in report.sources}
    return tuple(
        (
            one.stance,
            source_name(sources[one.source], report) if one.source in sources else one.source,
            one_line(one.value or one.note or ""),
        )
        for one in entry.fact.evidence
    )


def offer(edit: Edit) -> str:
    """What a proposed edit puts in, in a few words: "use 1815", "remove it"."""
    _, after = changed_part(edit.before, edit.after)
    if after:
        return f"use {crop(one_line(after), LONGEST_OFFER)}"
    return "shorten the sentence" if edit.after.strip() else "remove it"


def reason(entry: Entry) -> str:
    """The reason of the verdict in the words of the engine, as a sentence; "" without one."""
    said = one_line(entry.reason or "")
    end = "" if said.endswith((".", "!", "?", "…")) else "."
    return f"{said[:1].upper()}{said[1:]}{end}" if said else ""


def method_lines(entry: Entry, report: Report) -> tuple[str, ...]:
    """How an entry was compared: the method, the doubt, the probability, with the threshold."""
    lines = [f"Method: {report.method}"]
    if entry.score is not None:
        lines.append(f"Doubt {entry.score:.2f} of 1; in doubt from {report.threshold.value:.2f}")
    if entry.probability is not None:
        lines.append(f"Wrong in {entry.probability:.0%} of such cases")
    lines.append(f"Compared with {captions.compared_with(report)}")
    return tuple(lines)


def speaks_of_nothing(report: Report) -> bool:
    """Whether there were sources, and none of them speaks of anything in the text."""
    found = [*(report.facts or report.sentences)]
    silent = all(item.stance == "silent" for fact in report.facts for item in fact.evidence)
    unspoken = all(one.verdict == "not_checked" and one.reason == UNSPOKEN for one in found)
    return bool(report.sources and found) and silent and unspoken
