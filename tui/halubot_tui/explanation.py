"""Why a fact has its verdict, in words: who says what, the quotes, what can be done about it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from halubot.correction.suggestions import Beside
from halubot.render.captions import VERDICTS, number
from halubot.render.inert import crop, one_line
from halubot.render.items import Entry, citation, quotes
from halubot.verdicts import UNDECIDED, UNSPOKEN
from halubot_tui.corrections import Change, Keep, changed_part, entry_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halubot.report import Edit, Report
    from halubot_tui.corrections import Action

LONGEST_OFFER: Final = 60
CANNOT_TELL: Final = "halubot cannot tell."


def title(*entries: Entry, numbered: bool = True, done: bool = False, compared: bool = True) -> str:
    """The heading of an explanation of one or more entries. Facts in doubt have numbers, unless
    these still change. ``done`` is whether they were corrected or kept since, ``compared`` whether
    there were sources."""
    entry, several = entries[0], len(entries) > 1
    name = f"these {len(entries)}" if several else "it"
    if numbered and entry.is_doubted:
        numbers = [one.number for one in entries]
        in_row = several and numbers == [*range(numbers[0], numbers[-1] + 1)]
        name = f"{numbers[0]}-{numbers[-1]}" if in_row else ", ".join(map(str, numbers))
    was, is_ = ("were", "are") if several else ("was", "is")
    if entry.verdict == "not_checked" and not compared:
        return f"Why {name} {was} not checked"
    return f"Why {name} {was if done else is_} {VERDICTS[entry.verdict]}"


def near_quotes(
    entry: Entry, near: Mapping[str, Beside] | None, report: Report
) -> list[tuple[str, str]]:
    """The sentences of sources that are nearest to an entry, each with the name of its source;
    none as long as they are not known (``near`` is None)."""
    sources = {source.id: source for source in report.sources}
    return [
        (one_line(text), source_words(citation(sources[source], report)))
        for source, text in (near or {}).get(entry_key(entry), Beside()).near
        if source in sources
    ]


def all_quotes(
    entry: Entry, near: Mapping[str, Beside] | None, report: Report
) -> list[tuple[str, str]]:
    """The quotes of the sources that speak of an entry, then the sentences near it, each with the
    name of its source."""
    own = quotes(entry.fact, report, most=None) if entry.fact is not None else ()
    told = [(one.text, source_words(one.name)) for one in own]
    return [*told, *near_quotes(entry, near, report)]


def near_together(
    entries: Sequence[Entry], near: Mapping[str, Beside] | None, report: Report
) -> list[tuple[str, str]]:
    """The sentences of sources near several entries, first those that are near to most of them."""
    votes = Counter(quote for one in entries for quote in near_quotes(one, near, report))
    return [quote for quote, _ in votes.most_common()]


def said(entry: Entry, near: Mapping[str, Beside] | None, report: Report) -> str:
    """Who says what of an entry, as a line. Of an undecided one halubot cannot tell: that the
    sources do not say so is never said of them."""
    silent = entry.fact is not None and entry.fact.count("silent") == len(entry.fact.evidence) > 0
    if entry.verdict != "not_checked" and (entry.word or not silent):
        return entry.said
    if (
        not report.sources
        or entry.word
        or (entry.verdict == "not_checked" and entry.reason not in (UNSPOKEN, UNDECIDED, None))
    ):
        return reason(entry)
    if entry.verdict != "not_checked":
        return "halubot does not find it in the sources."
    found = Counter(one.stance for one in (entry.fact.evidence if entry.fact is not None else ()))
    counts = {"so": found["supports"], "otherwise": found["contradicts"]}
    seem = [f"{number(n, 'source')} may say {what}" for what, n in counts.items() if n]
    if seem:
        return f"{', '.join(seem)}: compare the quotes."
    if near is not None and not near_quotes(entry, near, report) and entry.reason == UNSPOKEN:
        return "halubot found no sentence of the sources on it."
    return CANNOT_TELL


def source_words(name: str) -> str:
    """The name of a source in the words of the app: a sample is another answer."""
    return re.sub(r"\bsample(s?) (?=\d)", r"answer\1 ", name)


def offer(edit: Edit, whole: str = "") -> str:
    """What a proposed edit puts in, in a few words: "use 1815", "remove it"; ``whole`` is a
    sentence of a source."""
    after = edit.after.strip()
    if whole and after == whole:
        return "use the source's sentence"
    if len(after) > LONGEST_OFFER:
        _, after = changed_part(edit.before, after)
    if after:
        return f"use {crop(one_line(after), LONGEST_OFFER)}"
    return "shorten the sentence" if edit.after.strip() else "remove it"


def done_to(change: Change | None, *, quoted: bool) -> str:
    """What was changed, as a sentence, with the words of the source that has the new ones if they
    are to be ``quoted``."""
    if change is None or not change.after.strip():
        return "Removed."
    before, after = changed_part(change.before, change.after)
    done = f"Changed to {after.rstrip('.')}" + (f" (was {before.rstrip('.')})." if before else ".")
    source = change.source[:1].upper() + change.source[1:]
    return f"{done} {source} says: “{change.quote}”" if quoted else done


def action_words(action: Action) -> str:
    """What a person did, in a few words: "1816→1815", "2 facts were kept", "your verdict"."""
    if isinstance(action, Keep):
        return number(len(action.keys), "fact was kept", "facts were kept")
    if not isinstance(action, Change):
        return "your verdict"
    changed = changed_part(action.before, action.after)
    return "→".join(crop(one, LONGEST_OFFER) or "nothing" for one in changed)


def reason(entry: Entry) -> str:
    """The reason of the verdict in the words of the engine, as a sentence; "" without one."""
    said = one_line(entry.reason or "")
    end = "" if said.endswith((".", "!", "?", "…")) else "."
    return f"{said[:1].upper()}{said[1:]}{end}" if said else ""


def speaks_of_nothing(report: Report) -> bool:
    """Whether there were sources, and none of them speaks of anything in the text."""
    found = [*(report.facts or report.sentences)]
    silent = all(item.stance == "silent" for fact in report.facts for item in fact.evidence)
    unspoken = all(one.verdict == "not_checked" and one.reason == UNSPOKEN for one in found)
    return bool(report.sources and found) and silent and unspoken
