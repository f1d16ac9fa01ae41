"""The places of a report for a person who edits its text, and what sources have beside them. It is
found by `halubot.correction.alternatives`, which is loaded for that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from halubot.render.items import Entry
    from halubot.report import Report, Span


@dataclass(frozen=True, slots=True)
class Beside:
    """What sources have beside an entry: the sentences ``near`` it, each with its source's id, the
    ``place`` in the text of its words that are likely to be replaced, None if that is not known,
    and the ``values`` of sources that can stand there, the best first. Of what a source has
    instead, and where, only an ``offer`` is likely to be right: often the first value, or a
    ``whole`` sentence."""

    near: tuple[tuple[str, str], ...] = ()
    place: Span | None = None
    values: tuple[str, ...] = ()
    offer: tuple[Span, str] | None = None
    whole: str = ""


class Offer(NamedTuple):
    """A sentence that is offered where one is edited: its text, the place of its words that are a
    source's, and whether they are selected there."""

    text: str
    place: Span
    is_selected: bool = True

    @property
    def words(self) -> str:
        """The words of a source."""
        return self.text[slice(*self.place)]


def sentences_offered(
    text: str, place: Span | None, words: Iterable[str], quotes: Iterable[str]
) -> Iterator[Offer]:
    """Yield a sentence, with the words in doubt at a place; the same with each of other words
    there; and the sentences of sources that are not it."""
    seen = {text}
    if place is None:
        yield Offer(text, (0, len(text)), is_selected=False)
    else:
        yield Offer(text, place)
        for one in filter(None, words):
            other = f"{text[: place[0]]}{one}{text[place[1] :]}"
            if other not in seen:
                seen.add(other)
                yield Offer(other, (place[0], place[0] + len(one)))
    for one in quotes:
        if one not in seen:
            seen.add(one)
            yield Offer(one, (0, len(one)), is_selected=False)


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
