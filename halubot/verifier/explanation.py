"""Why the sources support, contradict or leave open one sentence of a message.

The same comparison as in a check, told step by step: which words of each source were compared with
each clause, what the verifier made of them, and which values and names differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from halubot.compare.relevance import Nearby
from halubot.compare.tokens import tokens
from halubot.errors import InputError
from halubot.report import Report, Source
from halubot.text import Document, read
from halubot.verifier.encoder import choose_verifier
from halubot.verifier.stances import Clause, Comparer
from halubot.verifier.windows import SourceText

How = Literal["the same", "nothing"]

SILENT: Final = "neither supports nor contradicts it"


@dataclass(frozen=True, slots=True)
class Pair:
    """A word of the message, and the source's word that is the same."""

    claim: str
    source: str | None
    how: How


@dataclass(frozen=True, slots=True)
class Differing:
    """A place at which the source says something else, and what it counts for."""

    claim: str
    source: str
    what: str
    counts: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """One stretch of a source beside a clause of the sentence. ``share`` in [0, 1] is the share of
    its words that stand there, ``says`` what the verifier makes of it."""

    quote: str
    share: float
    says: str
    pairs: tuple[Pair, ...]
    differences: tuple[Differing, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What one source says of the sentence as a whole, and why."""

    source: str
    title: str
    stance: str
    compared: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentence, counted from 1, and what each source says of it."""

    number: int
    sentence: str
    verdict: str
    reason: str | None
    sources: tuple[Said, ...]


def explain(report: Report, number: int, verifier: str | None = None) -> Explanation:
    """Return why a sentence of a report has its verdict. ``number`` counts from 1, ``verifier``
    names another encoder.

    Raises InputError if the report has no such sentence, and LocalModelError for a verifier that
    cannot be used.
    """
    if not 1 <= number <= len(report.sentences):
        count = len(report.sentences)
        raise InputError(f"there is no sentence {number}: the text has {count}, counted from 1")
    sentence = report.sentences[number - 1]
    comparer = Comparer(_document(report, number), (), choose_verifier(verifier))
    return Explanation(
        number=number,
        sentence=report.text[sentence.start : sentence.end],
        verdict=sentence.verdict,
        reason=sentence.reason,
        sources=tuple(_say(comparer, source) for source in report.sources),
    )


def to_lines(found: Explanation) -> list[str]:
    """Return an explanation as lines of text; sources without a comparable sentence come last."""
    lines = [f"Sentence {found.number}: {found.sentence}", f"Verdict: {found.verdict}"]
    if found.reason:
        lines[-1] += f" ({found.reason})"
    for said in found.sources:
        lines += ["", f"{said.title or said.source}: {said.stance}"]
        for one in said.compared:
            lines.append(f"  “{one.quote}”")
            lines.append(f"    {one.says}; {one.share:.0%} of the words are there")
            paired = [f"{pair.claim} = {pair.source}" for pair in one.pairs if pair.source]
            missing = [pair.claim for pair in one.pairs if pair.source is None]
            if paired:
                lines.append(f"    paired: {'; '.join(paired)}")
            if missing:
                lines.append(f"    not there: {'; '.join(missing)}")
            lines += [
                f"    {each.claim} / {each.source}: {each.what}; {each.counts}"
                for each in one.differences
            ]
        if not said.compared:
            lines.append("  no sentence that speaks of the same")
    return lines


def _document(report: Report, number: int) -> Document:
    """The message with the one sentence that is explained."""
    one = report.sentences[number - 1]
    return replace(read(report.text), sentences=((one.start, one.end),))


def _say(comparer: Comparer, source: Source) -> Said:
    (text,) = Nearby(comparer.message).read([source.text or ""])
    read_in, sample = SourceText(text), source.kind == "sample"
    (stance,) = [one.stance for one in comparer.compare(text, sample=sample).sentences]
    clauses = comparer.clauses(read_in, briefly=sample)[0]
    return Said(
        source=source.id,
        title=source.title,
        stance=SILENT if stance == "silent" else stance,
        compared=tuple(_comparison(comparer.message, one, read_in) for one in clauses),
    )


def _comparison(message: Document, clause: Clause, source: SourceText) -> Comparison:
    read_in = clause.read
    against = read_in.contradiction > read_in.entailment
    window = read_in.windows[read_in.opposing if against else read_in.entailing]
    there = {token.norm: token.text for token in tokens(window.text, 0, len(window.text))}
    own = [one for one in tokens(message.plain, *clause.span) if one.kind != "stop"]
    pairs = tuple(
        Pair(one.text, there.get(one.norm), "the same" if one.norm in there else "nothing")
        for one in own
    )
    held = sum(one.source is not None for one in pairs)
    return Comparison(
        quote=" ".join(window.text.split()),
        share=held / max(1, len(pairs)),
        says=f"entailed by it: {read_in.entailment:.0%}; contradicts: {read_in.contradiction:.0%}",
        pairs=pairs,
        differences=tuple(_differences(message, clause, source)),
    )


def _differences(message: Document, clause: Clause, source: SourceText) -> Iterator[Differing]:
    for rival in clause.signals.rivals:
        if rival.source is not None:
            words = message.plain[slice(*rival.claim)]
            yield Differing(words, source.text[slice(*rival.source)], *_OTHER)


_OTHER: Final = ("another value or name", "not supported while it differs")
