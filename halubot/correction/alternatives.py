"""What can stand in the place of words of a text: for a person who edits it beside quotes.

`find_beside` tells it of each entry of a report, with the sentences of sources nearest to it. A
place is that of a value, a name, or words that no source has; values and names are replaced by
those of the same kind that sources have beside it. Nothing is proved: see `proposal` for that.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from halubot.claims import read_source
from halubot.compare.tokens import Token, content_norms, tokens, with_tokens
from halubot.correction.counterparts import counterpart
from halubot.correction.suggestions import Beside, doubted_place, sentence_at
from halubot.evidence.retrieval import Index
from halubot.render.inert import one_line
from halubot.render.items import Entry, listing, unmarked
from halubot.report import Fact, Report, Span
from halubot.text import read
from halubot.values import find
from halubot.verifier import judge
from halubot.verifier.alignment import Aligner
from halubot.verifier.reading import SourceText

OFFERED: Final = 8
"""Words that are offered for a place."""

CLOSE: Final = 4
"""Sentences of sources of which those are shown first that have something for the place."""
NEAREST: Final = 3
"""Passages whose sentences are compared with one that is edited."""
SHOWN: Final = 2
"""Sentences of sources that are shown beside it."""
JUDGED: Final = 200
"""Pairs of sentences that the verifier judges for their order, a second at most on a free core."""
LONGEST_WHOLE: Final = 1.5
"""How many times as long as a sentence of the text one is at most that takes its place."""
TELLING: Final = 0.2
"""The probability from which it is taken to say something: below that words in common say more."""


def find_beside(report: Report) -> list[tuple[Entry, Beside]]:
    """What the sources have beside each entry that is not supported, in the order of the listing.
    Searches the sources, and asks the verifier. Raises LocalModelError if it fails."""
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

    rows: list[tuple[Entry, Span, str, list[str]]] = []
    for entry in listing(report):
        if entry.verdict == "supported":
            continue
        span = sentence_at(report, entry)
        sentence = report.text[slice(*span)]
        near, own, around = passages(sentence), norms(entry.reading), norms(sentence)
        weights = {it: 2 * len(own & (n := norms(it))) + len(around & n) for it in near}
        close = sorted(filter(weights.get, near), key=lambda it: -weights[it])[:CLOSE]
        rows.append((entry, span, sentence, close))
    told = _telling([(one, sentence) for _, _, sentence, close in rows for one in close])
    found: list[tuple[Entry, Beside]] = []
    for entry, span, sentence, close in rows:
        near, fact = passages(sentence), entry.fact
        values: tuple[str, ...] = ()
        close.sort(key=lambda it: -told.get((it, sentence), 0.0))
        place = marked = doubted_place(report, entry) if entry.is_doubted else None
        if fact is not None:
            place, values = in_place(
                fact,
                span,
                report.text,
                marked=marked,
                passages=[*near],
                near=close[:SHOWN],
                others=sentences,
            )
        aligned = () if values else _aligned(entry, span, report.text, place, close)
        if aligned:
            place, values = aligned
        if place is not None:
            at = place[0] - span[0], place[1] - span[0]
            telling = {it for it in close if offers(sentence, at, (), (it,))}
            close.sort(key=lambda it: not (it in telling or any(one in it for one in values)))
        quoted = [(near[it], it) for it in close if _adds(it, entry)][:SHOWN]
        if fact is not None and fact.nearest is not None and not close:
            quoted.append((fact.nearest.source, fact.nearest.quote))
        offer, whole = None, ""
        if fact is not None and place is not None and values and not aligned:
            offer = (place, values[0]) if is_likely(fact, values[0]) else None
        if fact is not None and offer is None and (whole := _instead(report, fact)):
            offer = span, whole
        found.append((entry, Beside(tuple(quoted), place, values, offer, whole)))
    return found


def _instead(report: Report, fact: Fact) -> str:
    """The sentence of a source that says of the sentence of a fact what is right: the only one of
    its quote, where no value is given, and the fact is the only one of its sentence; "" if none
    does."""
    alone = [one for one in report.facts if {*one.sentences} & {*fact.sentences}] == [fact]
    against = [one for one in fact.evidence if one.stance == "contradicts"]
    if not (fact.verdict == "contradicted" and alone and len(fact.sentences) == 1 and against):
        return ""
    if fact.count("supports") or any(one.value for one in against):
        return ""
    own = report.sentences[fact.sentences[0]]
    quote = unmarked(against[0].quote)
    longest = LONGEST_WHOLE * (own.end - own.start)
    return quote if len(read(quote).sentences) == 1 and len(quote) <= longest else ""


def _adds(sentence: str, entry: Entry) -> bool:
    """Whether a sentence near an entry has a telling word of it that no quote has which speaks of
    it; True if none does."""
    own = entry.fact.evidence if entry.fact is not None else ()
    speaking = [norms(one.quote) for one in own if one.stance != "silent" and one.quote]
    return not speaking or bool((norms(entry.reading) & norms(sentence)).difference(*speaking))


def _aligned(
    entry: Entry, sentence: Span, text: str, place: Span | None, near: Sequence[str]
) -> tuple[Span, tuple[str]] | tuple[()]:
    """The words of an entry that stand against those of a quote between the same words, by their
    place, and those of the quote. They are no value and no name; () if there are none, or if a
    source says what the entry says."""
    evidence = entry.fact.evidence if entry.fact is not None else ()
    words, start = text[slice(*sentence)], sentence[0]
    if any(one.stance == "supports" for one in evidence):
        return ()
    if place is None:
        place = likely_place(text, sentence, [*(one.quote for one in evidence), *near])
    if place is None or (at := (place[0] - start, place[1] - start)) in _pieces(words):
        return ()
    against = [one_line(one.quote) for one in evidence if one.stance == "contradicts"]
    found = counterpart(words, at, [*against, *near])
    if found is None:
        return ()
    return (found.place[0] + start, found.place[1] + start), (found.words,)


def in_place(
    fact: Fact,
    sentence: Span,
    text: str,
    *,
    marked: Span | None,
    passages: Sequence[str],
    near: Sequence[str] = (),
    others: Sequence[str] = (),
) -> tuple[Span | None, tuple[str, ...]]:
    """Return the place in a text of the words of a fact that are likely to be replaced, and what
    can stand there. ``sentence`` is the place of its sentence, ``marked`` that of its words in
    doubt, and ``near`` and ``others`` are as in `offers`. Of an undecided fact it is a value or a
    name that no sentence of the ``passages`` has, if a source has another; else a word against
    which one of a quote stands."""
    start, words = sentence[0], text[slice(*sentence)]
    against = [one for one in fact.evidence if one.stance == "contradicts"]
    quoted = [one_line(one.quote) for one in against]
    values = [one_line(one.value) for one in against if one.value]
    supported = bool(fact.count("supports"))
    if marked is not None:
        places = [whole(words, (marked[0] - start, marked[1] - start))]
    else:
        places = [
            (first, last)
            for first, last in new_pieces(words, (*passages, *quoted))
            if any(low <= first + start and last + start <= high for low, high in fact.spans)
        ]
    for place in [] if supported else places:
        if not is_stated(words, place, (*passages, *quoted)):
            found = offers(words, place, values, quoted, near=near, others=others)
            if found:
                return (place[0] + start, place[1] + start), found
    if any(quoted) and not supported:
        inside = [(max(a - start, 0), b - start) for a, b in fact.spans if b > start]
        if (other := _opposite(words, inside, quoted)) is not None:
            (first, last), instead = other
            return (first + start, last + start), (instead,)
    return marked, ()


def _telling(pairs: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], float]:
    """How sure the verifier is that a sentence of a source says something of one of the text, for
    it or against it; 0 if it is not, and of all but the first pairs."""
    chosen = [*dict.fromkeys(pairs)][:JUDGED]
    sure = (max(one.contradiction, one.entailment) for one in judge(chosen))
    return {pair: one if one >= TELLING else 0.0 for pair, one in zip(chosen, sure, strict=True)}


def _opposite(
    sentence: str, spans: Sequence[Span], quotes: Sequence[str]
) -> tuple[Span, str] | None:
    """The word of a fact, which has these ``spans`` in a sentence, that stands against a word of
    the quotes, and that one: "raised", "lowered"."""
    source = SourceText(with_tokens(read("\n\n".join(quotes))))
    found = Aligner(sentence, source).align(*spans).differences
    opposite = (one for one in found if one.kind == "opposite")
    return next(((one.claim, source.text[slice(*one.source)]) for one in opposite), None)


def is_likely(fact: Fact, words: str) -> bool:
    """Return True unless words that are offered for a fact are a name in a quote that contradicts
    it and does not give that name for its value: of ten such names on 80 texts none was right, of
    seven beside undecided facts four. Of several values only the one that most sources give is
    likely."""
    against = [one for one in fact.evidence if one.stance == "contradicts"]
    votes = Counter(one_line(one.value).casefold() for one in against if one.value)
    own = votes.pop(words.casefold(), 0)
    if own:
        return own > max(votes.values(), default=0)
    return bool(find(words)) or not any(words in one_line(one.quote) for one in against)


def are_as_exact(one: str, other: str) -> bool:
    """Return True if the dates in two texts are equally exact: a decade cannot stand in the place
    of a year, whatever it is a date of."""
    dates = (
        sorted(piece.kind for piece in _pieces(text).values() if piece.kind.startswith("date"))
        for text in (one, other)
    )
    return next(dates) == next(dates)


def is_stated(text: str, place: Span, quotes: Iterable[str]) -> bool:
    """Return True if a quote has the value or the name at a place of a text, beside a telling word
    that the text has, too: one source says so, whatever another one says."""
    if (own := _pieces(text).get(place)) is None:
        return False
    rest = norms(f"{text[: place[0]]} {text[place[1] :]}")
    return any(
        own.same == piece.same and not rest.isdisjoint(norms(f"{quote[:start]} {quote[end:]}"))
        for quote in quotes
        for (start, end), piece in _pieces(quote).items()
    )


@lru_cache(maxsize=5000)
def norms(text: str) -> frozenset[str]:
    """The words of a text that tell something, as they are compared."""
    return content_norms(_tokens(text))


def new_pieces(text: str, quotes: Iterable[str]) -> list[Span]:
    """The places of values and names in a text that no quote has, values first."""
    known = {piece.same for quote in quotes for piece in _pieces(quote).values()}
    words = _known(quotes)
    found = _pieces(text)

    def is_new(span: Span) -> bool:
        telling = [one.norm for one in _tokens(text[slice(*span)]) if one.kind != "stop"]
        return found[span].same not in known and not words.issuperset(telling)

    return sorted(filter(is_new, found), key=lambda span: (found[span].is_name, span))


def new_words(text: str, place: Span, quotes: Iterable[str]) -> Span | None:
    """The word within a place of a text that no quote has, if quotes have all others; None if not,
    or without quotes. Of several words some may be right."""
    known = _known(quotes)
    start, end = place
    telling = [one for one in _tokens(text[start:end]) if one.kind != "stop"]
    found = [one for one in telling if one.norm not in known]
    if not known or len(found) != 1 or len(telling) == 1:
        return None
    return start + found[0].start, start + found[0].end


def likely_place(text: str, place: Span, quotes: Sequence[str]) -> Span | None:
    """The words within a place of a text, a sentence that a person takes for wrong, that are likely
    to be so: the only name or figure that its quotes have not, else the only word. None if there is
    none, or without quotes. In the undecided sentences with planted errors of 60 texts
    (`benchmarks/everyday_12.jsonl` to 14) 46 of 50 such names and figures were errors."""
    start, words = place[0], text[slice(*place)]
    known, pieces = _known(quotes), _pieces(words)

    def is_telling(span: Span) -> bool:
        own = _tokens(words[slice(*span)])
        # A surname is enough of a name, and "two" and "first" are seldom what is wrong.
        return own[-1].norm not in known if pieces[span].is_name else own[0].kind == "number"

    new = [span for span in new_pieces(words, quotes) if is_telling(span)] if known else []
    if len(new) == 1:
        return new[0][0] + start, new[0][1] + start
    return new_words(text, place, quotes)


def _known(quotes: Iterable[str]) -> set[str]:
    return {token.norm for quote in quotes for token in _tokens(quote)}


def _word_before(text: str, at: int) -> str:
    """The word before a place; "" if it is an article or there is none."""
    word = (text[max(0, at - 40) : at].casefold().split() or [""])[-1]
    return "" if word in ("the", "a", "an") or not word.isalpha() else word


def _without_repeats(name: str, before: str, after: str) -> str:
    """A name without its title if that stands ``before`` the place already, and without a place of
    its own that stands ``after`` it: "Architect Margaret Lindqvist of Leeds"."""
    first, _, rest = name.partition(" ")
    if rest and first.casefold() == before:
        name = rest
    kept, _, last = name.rpartition(" of ")
    return kept if kept and re.search(rf"\b{re.escape(last)}\b", after) else name


def whole(text: str, place: Span) -> Span:
    """The value or the name that holds a place in a text; else that place."""
    holds = (one for one in _pieces(text) if one[0] <= place[0] and place[1] <= one[1])
    return next(holds, place)


def offers(
    text: str,
    place: Span,
    values: Iterable[str],
    quotes: Sequence[str],
    *,
    near: Sequence[str] = (),
    others: Sequence[str] = (),
) -> tuple[str, ...]:
    """The words of quotes that can take the place of the value or the name ``text[start:end]``:
    values of the same kind and unit, or whole names, that the sentence does not have; first those
    that most of the ``values`` have which sources give for it, then those of quotes that share most
    words with the sentence. Nothing in the place of other words: they would not fit.

    The sentences that are ``near`` may speak of something else. Theirs count behind the same word
    only, or with a unit, and not if one of the ``others`` of the text, which has them, is as near.
    Of the undecided facts of 13 texts this offers something for five, each time what is right;
    their kind alone did for 26, and was right for six."""
    if (own := _pieces(text).get(place)) is None:
        return ()
    wanted = [{*one.casefold().split()} for one in values]
    found: dict[str, tuple[bool, int, int, bool]] = {}
    before, here = _word_before(text, place[0]), {one.same for one in _pieces(text).values()}
    for quote in (*quotes, *near):
        sure, shared = quote in quotes, len(norms(quote) & norms(text))
        for (start, end), other in _pieces(quote).items():
            words, alike = quote[start:end], bool(before) and _word_before(quote, start) == before
            if own.is_name:
                words = _without_repeats(words, before, text[place[1] :])
            if other.kind != own.kind or other.same in here:
                continue
            part = own.is_name and not {*other.same.split()}.isdisjoint(own.same.split())
            elsewhere = (one for one in others if words in one)
            if sure or (
                (alike or own.has_unit)
                and not part
                and all(len(norms(quote) & norms(one)) < shared for one in elsewhere)
            ):
                votes = sum(one.issuperset(words.casefold().split()) for one in wanted)
                found.setdefault(words, (not sure, -votes, -shared, not alike))
    return tuple(sorted(found, key=lambda words: found[words]))[:OFFERED]


class _Piece(NamedTuple):
    """A value or a name: its ``kind``, which pieces share that can stand in the place of each
    other, and what is the ``same`` for all ways to write it."""

    kind: str
    same: str
    is_name: bool = False
    has_unit: bool = False


@lru_cache(maxsize=5000)
def _pieces(text: str) -> Mapping[Span, _Piece]:
    """The values and the whole names in a text by their places. What is alike can stand in the
    place of each other: values of one kind and unit, names with an article or without."""
    words = _tokens(text)
    found: dict[Span, _Piece] = {}
    for value in find(text):
        counted = next((one.norm for one in words if one.start >= value.end), "")
        # Without "about" and the like, which stand before a value and stay there.
        same = re.sub(r"^[a-z ]+(?=\d)", "", value.canonical)
        shape = re.sub(r"\d[\d.]*", "0", same)
        kind = f"{value.kind} {shape} {counted if value.kind == 'number' else ''}"
        unit = value.kind not in ("number", "date")
        found[value.span] = _Piece(kind, f"{value.kind} {same}", has_unit=unit)
    start, end = 0, -1
    for one in words:
        if one.kind != "name" or any(a < one.end and one.start < b for a, b in found):
            continue
        if end >= 0 and _JOINS.fullmatch(text, end, one.start):
            del found[start, end]
        else:
            start = one.start
        end = one.end
        kind = f"name {text[:start].casefold().endswith('the ')}"
        found[start, end] = _Piece(kind, text[start:end].casefold(), is_name=True)
    return found


_JOINS: Final = re.compile(r"[ -](?:(?:of|de|du|da|van|von|der|la|le) )*|['’]")
"""What stands between the words of one name."""


def _tokens(text: str) -> tuple[Token, ...]:
    return tokens(text, 0, len(text))
