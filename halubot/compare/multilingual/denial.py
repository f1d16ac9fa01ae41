"""Negation, demands, permissions and limits in sentences of other languages than English.

A denial covers its clause up to the next comma, before and after its word: German and French put
the word for "not" behind the verb. Several denials of one such stretch are one. A modal that is
denied changes its sense: "darf nicht" forbids, "muss nicht" leaves free.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.compare.multilingual.segmentation import Word
from halubot.compare.multilingual.vocabulary import Vocabulary
from halubot.compare.operators import Denial, Sense
from halubot.text import Span

_NE: Final = frozenset({"ne", "n"})
_QUE: Final = frozenset({"que", "qu"})
_NE_REACH: Final = 6
"""Words after a French "ne" in which the rest of the denial stands."""
_PHRASE: Final = 4
"""Words that "without" leaves out at most."""
_ALL: Final = Sense("quantity", "1.0")
_NOT_ALL: Final = Sense("quantity", "0.4")
_WITHOUT: Final = Sense("link", "without")
_ONLY: Final = Sense("limit", "only")


class Placed(NamedTuple):
    """The sense of an operator, and its place."""

    sense: Sense
    start: int
    end: int


class Reading(NamedTuple):
    """The operators and denials of a sentence; ``taken`` are the words that make them."""

    operators: list[Placed]
    denials: list[Denial]
    taken: frozenset[int]


class _Cue(NamedTuple):
    """A denial: its first word, the word after it, and its kind."""

    first: int
    last: int
    kind: str


class _Sentence(NamedTuple):
    """The words of a sentence that ends at ``end``; ``breaks`` are the ends of denials."""

    words: Sequence[Word]
    breaks: Sequence[int]
    end: int
    known: Vocabulary

    def region(self, word: int) -> Span:
        """Return the stretch between two breaks that holds a word."""
        place = bisect_left(self.breaks, self.words[word].start)
        first = self.breaks[place - 1] + 1 if place else 0
        return first, self.breaks[place] if place < len(self.breaks) else self.end


def read_operators(
    words: Sequence[Word], breaks: Sequence[int], end: int, known: Vocabulary
) -> Reading:
    """Return the operators and denials of a sentence. ``breaks`` are the ends of denials."""
    lows = [word.low for word in words]
    taken: set[int] = set()
    operators: list[tuple[Sense, int, int]] = []  # the sense, the first word, the word after it
    cues: list[_Cue] = []
    at = 0
    while at < len(words):
        width, kind, sense = _longest(lows, at, known)
        if width == 0:
            at += 1
            continue
        if kind in ("verbal", "phrase", "ne") and _is_cue(lows, at, kind, known):
            cues.append(_Cue(at, at + width, kind))
        elif kind == "ne":
            sense = None  # "plus" and "personne" without "ne" are words
            width = 0
        if sense is not None:
            operators.append((sense, at, at + width))
        taken |= set(range(at, at + width))
        at += max(width, 1)
    split = _inside_words(words, taken, known)
    cues += split
    if known.code == "fr":
        operators += _only_in_french(lows, cues)
        taken |= {place for place, low in enumerate(lows) if low in _NE}
    placed, denials = _settle(_Sentence(words, breaks, end, known), operators, cues)
    return Reading(placed, denials, frozenset(taken))


def _longest(lows: Sequence[str], at: int, known: Vocabulary) -> tuple[int, str, Sense | None]:
    """The longest phrase that begins at a word: its width, the kind of denial, its sense."""
    if lows[at] not in known.openers:
        return 0, "", None
    for width in range(min(known.longest, len(lows) - at), 0, -1):
        phrase = " ".join(lows[at : at + width])
        joined = "".join(lows[at : at + width]) if known.code == "zh" else phrase
        kind = known.negations.get(joined, "")
        sense = known.operators.get(joined)
        if kind or sense:
            return width, kind, sense
    return 0, "", None


def _is_cue(lows: Sequence[str], at: int, kind: str, known: Vocabulary) -> bool:
    """Return False for the second half of a French denial without its first half."""
    if kind != "ne":
        return True
    if not _NE.isdisjoint(lows[max(0, at - _NE_REACH) : at]):
        return True
    # "Personne n'habite", "Aucun train ne circule"
    return not _NE.isdisjoint(lows[at + 1 : at + 4])


def _inside_words(words: Sequence[Word], taken: set[int], known: Vocabulary) -> list[_Cue]:
    """Chinese words that begin with a denial, if the rest is a known opposite: 不安全."""
    return [
        _Cue(at, at, "verbal")
        for at, word in enumerate(words)
        if at not in taken and word.low[:1] in known.prefixes and word.low[1:] in known.opposites
    ]


def _only_in_french(lows: Sequence[str], cues: Sequence[_Cue]) -> list[tuple[Sense, int, int]]:
    """ "Il ne mange que du riz": "ne ... que" without another denial says "only"."""
    found = []
    firsts, lasts = {cue.first for cue in cues}, {cue.last for cue in cues}
    for at, low in enumerate(lows):
        rest = lows[at + 1 : at + _NE_REACH]
        denied = at in lasts or not firsts.isdisjoint(range(at + 1, at + _NE_REACH))
        if low in _NE and not denied and not _QUE.isdisjoint(rest):
            que = at + 1 + next(place for place, one in enumerate(rest) if one in _QUE)
            found.append((_ONLY, que, que + 1))
    return found


def _settle(
    sentence: _Sentence,
    operators: Sequence[tuple[Sense, int, int]],
    cues: Sequence[_Cue],
) -> tuple[list[Placed], list[Denial]]:
    """Join operators and denials: "not all", "may not", "nothing but"."""
    words, known = sentence.words, sentence.known
    lows = [word.low for word in words]
    onlys = [at for at, low in enumerate(lows) if low in known.only]
    alls = {first for sense, first, _ in operators if sense == _ALL}
    placed: list[Placed] = []
    kept: list[_Cue] = []
    for cue in cues:
        region = sentence.region(cue.first)
        excepted = [at for at in onlys if at > cue.first and sentence.region(at) == region]
        if excepted:
            one = words[excepted[0]]
            placed.append(Placed(_ONLY, one.start, one.end))
        elif cue.last not in alls:
            kept.append(cue)
    # "Not without X" says "only with X".
    without = {sentence.region(cue.first) for cue in kept if cue.kind == "phrase"}
    twice = {
        region
        for region in without
        if any(cue.kind != "phrase" and sentence.region(cue.first) == region for cue in kept)
    }
    kept = [cue for cue in kept if sentence.region(cue.first) not in twice]
    denials: dict[Span, Denial] = {}
    for sense, first, last in operators:
        region = sentence.region(first)
        if sense == _WITHOUT and region in twice:
            continue
        denied = [
            cue
            for cue in kept
            if cue.kind != "phrase"
            and not first <= cue.first < last
            and sentence.region(cue.first) == region
        ]
        start, changed = words[first].start, sense
        if sense == _ALL and any(cue.last == first for cue in cues):
            changed = _NOT_ALL
        elif sense.family == "modal":
            changed = _denied_modal(sense, " ".join(lows[first:last]), bool(denied), known)
            if changed.sense in ("cannot", "need not"):
                denials.setdefault(region, Denial(start, *region, verbal=True))
            elif denied and changed.sense == "may":  # "not forbidden"
                kept = [cue for cue in kept if cue not in denied]
        placed.append(Placed(changed, start, words[last - 1].end))
    for cue in kept:
        start, region = words[cue.first].start, sentence.region(cue.first)
        if cue.kind == "phrase":
            final = min(len(words), cue.last + _PHRASE) - 1
            stop = min(region[1], words[final].end)
            denials[start, stop] = Denial(start, words[cue.last - 1].end, stop, phrase=True)
        else:
            denials.setdefault(region, Denial(start, *region, verbal=True))
    return placed, sorted(denials.values())


def _denied_modal(sense: Sense, low: str, denied: bool, known: Vocabulary) -> Sense:
    if not denied:
        return sense
    if sense.sense == "cannot":
        return Sense("modal", "may")
    changed = known.denied_forms.get(low) or known.denied_modals.get(sense.sense)
    return Sense("modal", changed) if changed else sense
