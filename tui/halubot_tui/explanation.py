"""Why a fact has its verdict, in words: who says what, the quotes, what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot.render.captions import source_name
from halubot.render.inert import crop, one_line
from halubot.render.items import Entry, citation
from halubot_tui.corrections import changed_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halubot.report import Edit, Report, Stance
    from halubot_tui.source_words import Near

LONGEST_OFFER: Final = 60

UNSPOKEN: Final = "nothing that it was compared with speaks of it"
"""The reason of a fact of which no source speaks."""

_TITLES: Final[Mapping[str, str]] = {
    "contradicted": "Why {0} {1} contradicted",
    "doubtful": "Why {0} {1} in doubt",
    "not_checked": "Why {0} was not checked",
    "supported": "Why {0} {1} supported",
}


def title(entry: Entry, *, numbered: bool = True, done: bool = False) -> str:
    """The heading of an explanation; without its number while numbers change. ``done`` is whether
    the entry was corrected or kept since."""
    name = entry.number if numbered else "it"
    return _TITLES[entry.verdict].format(name, "was" if done else "is")


def near_quotes(
    entry: Entry, near: Mapping[int, Sequence[Near]], report: Report
) -> list[tuple[str, str]]:
    """The sentences of sources that are nearest to that of an entry, by the indexes of ``near``,
    each with the name of its source."""
    fact, sentence = entry.fact, entry.sentence
    numbers = fact.sentences if fact is not None else (sentence.index,) if sentence else ()
    sources = {source.id: source for source in report.sources}
    return [
        (one_line(one.text), citation(sources[one.source], report))
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
