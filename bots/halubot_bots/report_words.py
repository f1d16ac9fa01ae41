"""A report in the bot's languages: the same words as `halubot.render.captions`, from catalogues.

In English both say the same (a test compares them). Texts of models and sources are left as they
are; sentences of the core's own are translated if a catalogue knows them.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Literal

from halubot.render.captions import ACTIONS
from halubot.render.inert import crop, one_line
from halubot.verdicts import DOUBTED
from halubot_bots.catalogue import phrase, translate_core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halubot.render.items import Entry, Quote
    from halubot.report import (
        Correction,
        Evidence,
        Fact,
        Report,
        SourceKind,
        Verdict,
    )

_ORDER: Final[tuple[SourceKind, ...]] = ("reference", "knowledge", "sample")
_COMPARED: Final[tuple[SourceKind, ...]] = ("sample", "reference", "knowledge")
_UNNAMED: Final = re.compile(r"((sample|reference|passage) \d+)?")
"""Titles of sources that nobody named."""
_RIVALS_NAMED: Final = 3
_LONGEST_VALUE: Final = 60

_Cause = Literal["contradicted", "doubtful", "called_wrong"]
_CAUSES: Final[tuple[_Cause, ...]] = ("contradicted", "doubtful", "called_wrong")
_Noun = Literal["fact", "sentence"]


def summarise(report: Report) -> str:
    """Return the result as one sentence, with how many are doubted and why."""
    # A sentence may be doubted although none of its facts is, as a whole beside its sources.
    whole = sum(
        sentence.verdict in DOUBTED
        and not any(report.facts[index].verdict in DOUBTED for index in sentence.facts)
        for sentence in report.sentences
    )
    if report.facts:
        line = _tally("fact", [(fact.verdict, _cause(fact)) for fact in report.facts])
        if whole:
            name = "summary.whole_more" if report.doubted() else "summary.whole"
            line = phrase(name, line=line, count=whole)
        return f"{line}."
    causes: Mapping[Verdict, _Cause] = {"contradicted": "contradicted"}
    found = [(sentence.verdict, causes.get(sentence.verdict)) for sentence in report.sentences]
    if not found or (report.factless and DOUBTED.isdisjoint(verdict for verdict, _ in found)):
        return phrase("summary.none")
    return f"{_tally('sentence', found)}."


def name_verdict(verdict: Verdict) -> str:
    """Return the word for a verdict."""
    return phrase(f"verdict.{verdict}")


def name_compared(report: Report) -> str:
    """Return the sources that a message was compared with: "14 other answers and 1 reference"."""
    kinds = Counter(source.kind for source in report.sources)
    parts = [phrase(f"compared.{kind}", count=kinds[kind]) for kind in _COMPARED if kinds[kind]]
    if not parts:
        return phrase("compared.nothing")
    line = parts[0]
    for part in parts[1:]:
        line = phrase("compared.both", first=line, second=part)
    return line


def count_voices(entry: Entry, report: Report) -> str:
    """Return the votes of the sources on an entry in words; "" if no source was asked."""
    if entry.fact is None:
        return phrase("said.whole") if entry.said else ""
    kinds = {source.id: source.kind for source in report.sources}
    by_kind: dict[SourceKind, list[Evidence]] = {}
    for item in entry.fact.evidence:
        by_kind.setdefault(kinds.get(item.source, "sample"), []).append(item)
    phrases: list[str] = []
    otherwise = False
    for kind in (kind for kind in _ORDER if kind in by_kind):
        phrases.append(_voices(kind, by_kind[kind], after=otherwise))
        otherwise = otherwise or any(one.stance == "contradicts" for one in by_kind[kind])
    said = "; ".join(phrases)
    return said[:1].upper() + said[1:]


def quote_reader(fact: Fact | None) -> str:
    """Return the reader's own word that decides a fact's verdict; "" if nobody said anything."""
    said = fact.feedback if fact is not None else None
    if fact is None or said is None:
        return ""
    day = said.at.astimezone().date().isoformat()
    word = phrase("said.word", day=day, says=phrase(f"said.{said.says}"))
    if said.note:
        word = phrase("said.word_note", word=word, note=one_line(said.note))
    # Without the word of the reader the verdict differs, and other people see that one.
    if said.verdict == fact.verdict:
        return word
    return phrase("said.word_differs", word=word, verdict=name_verdict(said.verdict))


def name_source(quote: Quote, report: Report) -> str:
    """Return the name of a quote's source: its title with place and date, or its kind and
    its place among those of its kind."""
    source = next((one for one in report.sources if one.id == quote.evidence.source), None)
    if source is None or not _UNNAMED.fullmatch(source.title.strip()):
        return quote.name
    alike = [one.id for one in report.sources if one.kind == source.kind]
    return phrase(f"source.{source.kind}", number=alike.index(source.id) + 1)


def tell_reason(reason: str) -> str:
    """Return one of the core's reasons, translated if it is known; of "reason: sentence" the
    first part."""
    whole = translate_core(reason)
    first, mark, rest = reason.partition(": ")
    return whole if whole != reason else f"{translate_core(first)}{mark}{rest}"


def count_changes(made: Correction) -> str:
    """Return the edits of a correction, counted in one line: "4 changed, 1 removed"."""
    done = Counter(edit.action for edit in made.edits)
    told = [phrase(f"action.{name}", count=done[name]) for name in ACTIONS if done[name]]
    return ", ".join(told) or phrase("action.none")


def _cause(fact: Fact) -> _Cause | None:
    """Return the cause for which a fact is doubted; None for any other."""
    if fact.verdict not in DOUBTED:
        return None
    if fact.verdict == "contradicted":
        return "contradicted"
    if fact.feedback is not None:
        return "called_wrong"
    return "doubtful"


def _tally(noun: _Noun, found: Sequence[tuple[Verdict, _Cause | None]]) -> str:
    """Return in words how many are in doubt and why, without a full stop."""
    verdicts = [verdict for verdict, _ in found]
    doubted = sum(verdict in DOUBTED for verdict in verdicts)
    unchecked = verdicts.count("not_checked")
    if unchecked == len(found):
        name = "only_unchecked" if len(found) == 1 else "none_checked"
        return phrase(f"summary.{noun}.{name}", of=len(found))
    causes = Counter(cause for _, cause in found if cause is not None)
    if len(causes) == 1 and causes.total() == doubted:
        line = _share(noun, doubted, len(found), next(iter(causes)))
    else:
        line = _share(noun, doubted, len(found), "in_doubt")
        told = [
            phrase(
                "summary.cause", count=causes[one], cause=phrase(f"cause.{one}", count=causes[one])
            )
            for one in _CAUSES
            if causes[one]
        ]
        if told:
            line = phrase("summary.causes", line=line, causes=", ".join(told))
    return phrase("summary.unchecked", line=line, count=unchecked) if unchecked else line


def _share(noun: _Noun, count: int, of: int, cause: str) -> str:
    """Return in words how many of all are so: "2 of 6 facts are contradicted"."""
    if of == 1:
        said = phrase(f"cause.{cause}", count=1) if count else phrase("cause.not_in_doubt")
        return f"{phrase(f'summary.{noun}.only')} {said}"
    said = phrase(f"cause.{cause}", count=count or 1)
    name = "all" if count == of else "some" if count else "none"
    return f"{phrase(f'summary.{noun}.{name}', count=count, of=of)} {said}"


def _voices(kind: SourceKind, evidence: Sequence[Evidence], *, after: bool) -> str:
    """Return what the sources of a kind say. ``after`` others that say otherwise, "says so" would
    be read as what those say."""
    lead = f"said.{kind}.after_" if after else f"said.{kind}."
    stances = Counter(item.stance for item in evidence)
    rivals = _rivals(evidence)
    if len(evidence) == 1:
        if rivals:
            return phrase(f"said.{kind}.value", value=rivals[0][0])
        stance = evidence[0].stance
        return phrase(f"{lead if stance == 'supports' else f'said.{kind}.'}{stance}")
    total, supports, silent = len(evidence), stances["supports"], stances["silent"]
    if supports == total:
        return phrase(f"{lead}all", of=total)
    none = phrase(f"{lead}none", of=total)
    if silent == total:
        return none
    parts = [phrase(f"{lead}some", count=supports, of=total) if supports else none]
    named = rivals[:_RIVALS_NAMED]
    rest = sum(count for _, count in rivals[_RIVALS_NAMED:])
    # Each source gives another value: naming three of them would give those more weight.
    if rest and named[0][1] == 1:
        parts.append(phrase("said.different", count=len(rivals)))
        named, rest = [], 0
    parts += [phrase("said.value", count=count, value=value) for value, count in named]
    against = stances["contradicts"] - sum(count for _, count in rivals)
    counted = (("rest", rest), ("against", against), ("silent", silent))
    parts += [phrase(f"said.{name}", count=count) for name, count in counted if count]
    return ", ".join(parts)


def _rivals(evidence: Sequence[Evidence]) -> list[tuple[str, int]]:
    """The other values given, the most frequent first, each as it was first written."""
    written: dict[str, str] = {}
    votes: Counter[str] = Counter()
    for item in evidence:
        if item.stance == "contradicts" and item.value and (value := one_line(item.value)):
            # Two spellings of one value are two votes for it.
            votes[value.casefold()] += 1
            written.setdefault(value.casefold(), crop(value, _LONGEST_VALUE))
    return [(_quote(written[value]), count) for value, count in votes.most_common()]


def _quote(value: str) -> str:
    # Values are joined by commas, so one that holds a comma needs quotes.
    return f"“{value}”" if re.search(r"[,;]\s", value) else value
