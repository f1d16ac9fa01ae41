"""What sources have beside the entries of a report, for a person who edits a text: the sentences
nearest to each entry, its own words that are likely to be replaced, and those that can take their
place. Nothing is proved: see `halubot.correction.proposal` for that."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from halubot.render.inert import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from halubot.render.items import Entry
    from halubot.report import Report, Span

CLOSE: Final = 4
"""Sentences of sources of which those are shown first that have something for the place."""
NEAREST: Final = 3
"""Passages whose sentences are compared with one that is edited."""
SHOWN: Final = 2
"""Sentences of sources that are shown beside it."""
JUDGED: Final = 200
"""Pairs of sentences that the verifier judges for their order, a second at most on a free core."""
TELLING: Final = 0.2
"""The probability from which it is taken to say something: below that words in common say more."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What sources have beside an entry: the sentences ``near`` it, each with its source's id, the
    ``place`` in the text of its words that are likely to be replaced, None if that is not known,
    and the ``values`` of sources that can stand there, the best first."""

    near: tuple[tuple[str, str], ...] = ()
    place: Span | None = None
    values: tuple[str, ...] = ()


def find_beside(report: Report) -> list[tuple[Entry, Beside]]:
    """What the sources have beside each entry that is not supported, in the order of the listing.
    Searches the sources, and asks the verifier. Raises LocalModelError if it fails."""
    from halubot.claims import read_source
    from halubot.correction.alternatives import norms, offers
    from halubot.evidence.retrieval import Index
    from halubot.render.items import listing, unmarked

    index = Index([one for one in report.sources if one.text])
    sentences = [report.text[one.start : one.end] for one in report.sentences]

    @cache
    def sentences_of(text: str) -> tuple[Span, ...]:
        return read_source(text).sentences

    @cache
    def passages(sentence: str) -> Mapping[str, str]:
        """The sentences of the nearest passages, with their sources."""
        near: dict[str, str] = {}
        for passage in index.search(sentence, NEAREST):
            text = passage.source.text or ""
            said = sentences_of(text)
            first, last = (bisect_left(said, (at, 0)) for at in (passage.start, passage.end))
            for start, end in said[first:last]:
                near.setdefault(unmarked(text[start:end]), passage.source.id)
        return near

    entries = [one for one in listing(report) if one.verdict != "supported"]
    rows: list[tuple[Entry, str, list[str]]] = []
    for entry in entries:
        sentence = report.text[slice(*sentence_at(report, entry))]
        near, own, around = passages(sentence), norms(entry.reading), norms(sentence)
        weights = {it: 2 * len(own & (n := norms(it))) + len(around & n) for it in near}
        close = sorted(filter(weights.get, near), key=lambda it: -weights[it])[:CLOSE]
        rows.append((entry, sentence, close))
    told = _telling([(one, sentence) for _, sentence, close in rows for one in close])
    found: list[tuple[Entry, Beside]] = []
    for entry, sentence, close in rows:
        near, start = passages(sentence), sentence_at(report, entry)[0]
        close.sort(key=lambda it: -told.get((it, sentence), 0.0))
        place, values = _in_place(report, entry, close, [*near], sentences)
        if place is not None:
            at = place[0] - start, place[1] - start
            telling = {it for it in close if offers(sentence, at, (), (it,))}
            close.sort(key=lambda it: not (it in telling or any(one in it for one in values)))
        quoted = [(near[it], it) for it in close[:SHOWN]]
        nearest = entry.fact.nearest if entry.fact is not None else None
        if nearest is not None and not quoted:
            quoted.append((nearest.source, nearest.quote))
        found.append((entry, Beside(tuple(quoted), place, values)))
    return found


def sentence_at(report: Report, entry: Entry) -> tuple[int, int]:
    """The place of the sentence that an entry is about; of several, from the first to the last."""
    if entry.sentence is not None:
        return entry.sentence.start, entry.sentence.end
    fact = entry.fact
    chosen = (
        [report.sentences[i] for i in fact.sentences if i < len(report.sentences)] if fact else []
    )
    if chosen:
        return chosen[0].start, chosen[0].end
    return min(a for a, _ in entry.spans), max(b for _, b in entry.spans)


def doubted_place(report: Report, entry: Entry) -> Span | None:
    """The first words that are in doubt of a doubted entry. Of these a number or a name can be
    replaced alone; other words only with those before them ("freely on all the paths")."""
    from halubot.render.items import pieces
    from halubot.values import find

    marked = next(((one.start, one.end) for one in pieces(report, [entry]) if one.strong), None)
    tail = entry.fact.parts.tail if entry.fact is not None else None
    if marked and tail and marked[0] <= tail[0] and tail[1] <= marked[1]:
        words = report.text[slice(*tail)]
        if find(words) or any(one[0].isupper() for one in words.split()):
            return tail
    return marked


def _telling(pairs: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], float]:
    """How sure the verifier is that a sentence of a source says something of one of the text, for
    it or against it; 0 if it is not, and of all but the first pairs."""
    from halubot.verifier import judge

    chosen = [*dict.fromkeys(pairs)][:JUDGED]
    sure = (max(one.contradiction, one.entailment) for one in judge(chosen))
    return {pair: one if one >= TELLING else 0.0 for pair, one in zip(chosen, sure, strict=True)}


def _in_place(
    report: Report,
    entry: Entry,
    close: Sequence[str],
    passages: Sequence[str],
    others: Sequence[str],
) -> tuple[Span | None, tuple[str, ...]]:
    """The place in the text of the words of an entry that are likely to be replaced, and what can
    stand there."""
    from halubot.correction.alternatives import in_place, new_words

    doubted = doubted_place(report, entry) if entry.is_doubted else None
    fact = entry.fact
    if fact is None:
        return doubted, ()
    span, near = sentence_at(report, entry), close[:SHOWN]
    sentence = report.text[slice(*span)]
    place, values = in_place(
        fact, span, report.text, marked=doubted, passages=passages, near=near, others=others
    )
    quotes = [one_line(one.quote) for one in fact.evidence if one.stance == "contradicts"]
    if not values and quotes and not fact.count("supports"):
        inside = [(max(a - span[0], 0), b - span[0]) for a, b in fact.spans if b > span[0]]
        other = _opposite(sentence, inside, quotes)
        if other is not None:
            (first, last), words = other
            return (first + span[0], last + span[0]), (words,)
    if values or place is not None:
        return (place if values else doubted or place), values
    # A word that none of the nearest sentences has; of several some may be right.
    new = new_words(report.text, fact.parts.tail, near, part=not fact.count("supports"))
    return (new if new and report.text[slice(*new)].isalpha() else None), ()


def _opposite(
    sentence: str, spans: Sequence[Span], quotes: Sequence[str]
) -> tuple[Span, str] | None:
    """The word of a fact, which has these ``spans`` in a sentence, that stands against a word of
    the quotes, and that one: "raised", "lowered"."""
    from halubot.compare.tokens import with_tokens
    from halubot.text import read
    from halubot.verifier.alignment import Aligner
    from halubot.verifier.reading import SourceText

    source = SourceText(with_tokens(read("\n\n".join(quotes))))
    found = Aligner(sentence, source).align(*spans).differences
    opposite = (one for one in found if one.kind == "opposite")
    return next(((one.claim, source.text[slice(*one.source)]) for one in opposite), None)


def telling_part(quote: str, entry: Entry, value: str | None, longest: int) -> str:
    """A quote as it is shown beside an entry: of one that is longer than this, the sentence that
    has the other ``value``, or else most words of the entry."""
    if len(quote) <= longest:
        return quote
    from halubot.correction.alternatives import norms
    from halubot.text import read

    own = norms(entry.reading)
    sentences = [quote[slice(*one)] for one in read(quote).sentences]
    telling = ((bool(value and value in it), len(norms(it) & own), it) for it in sentences)
    return max(telling, key=lambda one: one[:2], default=(False, 0, quote))[2]
