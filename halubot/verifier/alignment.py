"""What a source has in the place of words of a clause: values, names, words of opposite meaning.

Beside single sentences words that say the same are paired, and what stands in the place of others
is found. The verifier judges what two texts mean; this says which words differ, where all around
them is the same.

A counterclaim is a clause with another value or name of a source in the place of one that the
source lacks. If the source entails it, it contradicts the clause, in whatever words it says so:
"The Starry Night dates from June 1889" beside "He painted The Starry Night in 1899". Encoders are
weak on values and good at paraphrase: so code finds what may stand there, and the encoder says
whether it does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from halubot.compare.tokens import NEGATION, TELLING, Token, content_norms, normal, tokens
from halubot.text import Span, word_set
from halubot.values import Value, find
from halubot.values.comparison import is_rival, is_said
from halubot.values.names import TITLES, fold, same_name
from halubot.values.units import MONTHS, WEEKDAYS
from halubot.verifier.encoder import Pair, Verifier
from halubot.verifier.reading import Read, SourceText

Kind = Literal["value", "name", "opposite"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

FLOORS: Final[dict[Kind, float]] = {"value": 0.05, "name": 0.1, "opposite": 0.05}
"""The least strength of a difference. Of everyday sentences above it, 41 with another value were
wrong and 1 right, 9 and 0 with another name, 14 and 7 with an opposite."""

NEAREST: Final = 8
"""Sentences of a source that a clause is aligned with."""

_AROUND: Final = 3
"""Items on each side of a place that are its context."""

_APART: Final = 4
"""Items between two counterparts at most that stand in one place."""

_STEM: Final = 5
"""First letters in which two forms of a word agree: "approve", "approval"."""

SURE: Final = 0.5
"""The strength from which nothing else differs: of some ten such everyday sentences all were
wrong."""


class Item(NamedTuple):
    """A content word, a whole name or a value, with its place. ``norm`` is the form in which a word
    compares, a name as it is written."""

    span: Span
    norm: str
    kind: Literal["word", "name", "value"]
    value: Value | None = None

    @property
    def weight(self) -> float:
        """What it counts beside others."""
        return 1.0 if self.kind == "word" else 2.0


class Difference(NamedTuple):
    """Words of a clause and those of a source in their place, with offsets into their texts, and
    the sentence of the latter. ``strength`` in [0, 1] is how alike the two are otherwise, near the
    place times as a whole."""

    kind: Kind
    claim: Span
    source: Span
    sentence: Span
    strength: float


class Aligned(NamedTuple):
    """What a source has in the place of words of a clause, values and names first, and the
    sentence that has all words of the clause in their order and no other sense, if there is one.
    ``turned`` says that none is, and that one has all words and another "not", "may" or
    "before"."""

    differences: tuple[Difference, ...] = ()
    said: Span | None = None
    turned: bool = False

    @property
    def signals(self) -> tuple[float, ...]:
        """For each of `KINDS` 1 if nothing else differs, 0.5 for a weaker difference, 0 for none;
        then 1 if a sentence has all words, else 0."""
        best = {one.kind: one.strength for one in reversed(self.differences)}
        graded = (best.get(kind) for kind in KINDS)
        of_kinds = (0.0 if one is None else 1.0 if one >= SURE else 0.5 for one in graded)
        return *of_kinds, float(self.said is not None)


class Aligner:
    """Aligns the clauses of a message with one source."""

    def __init__(self, message: str, source: SourceText) -> None:
        self.message = message
        self.source = source
        self._known = {one.norm for one in tokens(message, 0, len(message))}
        self._values = find(message)
        self._items: dict[int, tuple[Item, ...]] = {}

    @cached_property
    def names_there(self) -> frozenset[str]:
        """The whole names of the source."""
        named = (
            # An initial is no name of its own where a sentence begins: "J. K. Starley".
            [one for one in self.source.tokens[at] if one.kind == "name" or _is_initial(one)]
            for at in range(len(self.source.sentences))
        )
        runs = (run for found in named for run in name_runs(self.source.text, found))
        return frozenset(self.source.text[run[0].start : run[-1].end] for run in runs)

    def is_named(self, run: Sequence[Token]) -> bool:
        """Return True if the source has a name of several words in another form, as "J. K. Starley"
        for "John Kemp Starley", or its surname alone and nobody else of it."""
        name, last = self.message[run[0].start : run[-1].end], fold(run[-1].text)
        alike = [one for one in self.names_there if fold(one).endswith(f" {last}")]
        if alike:
            return any(same_name(name, one) for one in alike)
        return self.source.has(run[-1].norm)

    def align(self, *clause: Span, fewest: int = 3) -> Aligned:
        """Return what the nearest sentences of the source have in the place of words of a clause.
        Values, names and words that the source, or the message, has elsewhere are no difference.
        A clause of less than ``fewest`` names, values and words is said by no sentence."""
        found = [one for span in clause for one in tokens(self.message, *span)]
        values = [one for span in clause for one in find(self.message, *span)]
        own = _items(self.message, found, values)
        words = content_norms(found)
        differences: list[Difference] = []
        said: Span | None = None
        turned = False
        for at in self.source.nearest(words)[:NEAREST] if len(own) <= _MOST else ():
            theirs = self._items_of(at)
            if not own or len(theirs) > _MOST:
                continue
            beside = _Beside(self, own, theirs, self.source.words[at])
            sentence = self.source.sentences[at]
            differences += beside.differences(clause, sentence)
            if said is None and beside.has_all:
                alike = self._are_told_alike(clause, beside.reach(sentence))
                turned = turned or not alike
                if alike and beside.is_whole and len(own) >= fewest:
                    said = sentence
        # An opposite is the weakest reason: beside one 16 clauses of 30 were right, beside another
        # value 3 of 46.
        differences.sort(key=lambda one: (one.kind == "opposite", -one.strength))
        return Aligned(tuple(differences), said, turned and said is None)

    def is_open(self, own: Item, other: Item) -> bool:
        """Return True if the source nowhere has one item and the message nowhere the other."""
        if own.value is not None and other.value is not None:
            lacking = not is_said(own.value, self.source.values)
            return lacking and not is_said(other.value, self._values)
        unseen = not all(map(self.source.has, _parts(own)))
        return unseen and not _parts(other) <= self._known

    def _items_of(self, sentence: int) -> tuple[Item, ...]:
        if sentence not in self._items:
            source = self.source
            values = source.values_of(sentence)
            self._items[sentence] = _items(source.text, source.tokens[sentence], values)
        return self._items[sentence]

    def _are_told_alike(self, clause: Sequence[Span], there: Span) -> bool:
        """Return True if two texts have the same of the function words that carry a meaning."""
        mine = [one for span in clause for one in tokens(self.message, *span)]
        theirs = tokens(self.source.text, *there)
        return _telling(mine) == _telling(theirs) and not self.is_denied(clause, there)

    def is_denied(self, clause: Sequence[Span], there: Span) -> bool:
        """Return True if one of two texts denies and the other does not."""
        mine = any(NEGATION.search(self.message, *span) for span in clause)
        return mine != (NEGATION.search(self.source.text, *there) is not None)


class _Beside:
    """A clause beside one sentence: for each of its items the index of its counterpart, or -1. A
    pronoun that opens the sentence stands for a name among its ``words``."""

    def __init__(
        self,
        aligner: Aligner,
        own: Sequence[Item],
        theirs: Sequence[Item],
        words: frozenset[str],
    ) -> None:
        self._aligner = aligner
        self._own = own
        self._theirs = theirs
        self._pairs = [-1] * len(own)
        self._taken: set[int] = set()
        self._pair(_is_same)
        self._meant = [
            pair < 0 and one.kind == "name" and _parts(one) <= words
            for one, pair in zip(own, self._pairs, strict=True)
        ]
        paired = [pair for pair in self._pairs if pair >= 0]
        self.is_whole = paired == sorted(paired) and len(paired) + sum(self._meant) == len(own)
        """Whether every item has a counterpart of the same form, in the same order."""
        self._pair(_is_form)
        whole = sum(one.weight for one in own)
        self._share = sum(one.weight for at, one in enumerate(own) if self._has(at)) / whole
        self.has_all = all(map(self._has, range(len(own))))

    def _has(self, at: int) -> bool:
        return self._pairs[at] >= 0 or self._meant[at]

    def reach(self, sentence: Span) -> Span:
        """Return the part of the sentence that has the counterparts, and a few words before."""
        paired = [self._theirs[at].span for at in self._pairs if at >= 0]
        if not paired:
            return sentence
        return max(sentence[0], min(paired)[0] - _BEFORE), max(end for _, end in paired)

    def differences(self, clause: Sequence[Span], sentence: Span) -> list[Difference]:
        """Return what stands in the place of items without a counterpart."""
        found = []
        first, last = self.reach(sentence)
        for at, own in enumerate(self._own):
            if self._has(at):
                continue
            rivals: list[tuple[float, Kind, Span]] = [
                (self._strength(at, there, kind), kind, other.span)
                for there, other in enumerate(self._theirs)
                if there not in self._taken and (kind := _kind(own, other)) is not None
                if self._aligner.is_open(own, other)
            ]
            if not rivals:
                continue
            strength, kind, span = max(rivals)
            if strength < FLOORS[kind]:
                continue
            # What one side denies is no opposite: "refused", "not accepted".
            there = (first, max(last, span[1]))
            if kind != "opposite" or not self._aligner.is_denied(clause, there):
                found.append(Difference(kind, own.span, span, sentence, strength))
        return found

    def _pair(self, alike: Callable[[Item, Item], bool]) -> None:
        last = -1
        for at, own in enumerate(self._own):
            if self._pairs[at] < 0:
                free = [
                    there
                    for there, other in enumerate(self._theirs)
                    if there not in self._taken and alike(own, other)
                ]
                if not free:
                    continue
                # Of several the one that keeps the order.
                self._pairs[at] = min(free, key=lambda there: (abs(there - last - 1), there))
                self._taken.add(self._pairs[at])
            last = self._pairs[at]

    def _strength(self, at: int, there: int, kind: Kind) -> float:
        held = whole = 0.0
        for near in range(max(0, at - _AROUND), min(len(self._own), at + _AROUND + 1)):
            if near == at:
                continue
            weight = self._own[near].weight / abs(near - at)
            whole += weight
            # A pronoun stands at the opening.
            if self._has(near) and abs(max(0, self._pairs[near]) - there) <= _APART:
                held += weight
        strength = held / whole * self._share if whole else 0.0
        if kind == "name" and not self._have_one_slot(self._own[at], self._theirs[there]):
            return strength / 4
        return strength

    def _have_one_slot(self, own: Item, other: Item) -> bool:
        """Return True if the same word leads to two names, or they share a word."""
        mine = _word_before(self._aligner.message, own.span[0])
        theirs = _word_before(self._aligner.source.text, other.span[0])
        return mine == theirs != "" or not _parts(own).isdisjoint(_parts(other))


_MOST: Final = 300
"""Names, values and words of a sentence, from which on it is not aligned: each is compared with
each, and what has so many is a table or a list."""

_BEFORE: Final = 20
"""Characters before a word in which what denies it stands."""

_JOINT: Final = re.compile(r"\.?[ –-]|\s(?:of|of the|de|du|des|von|van|der|den|la|di|da)\s")
"""What may stand between two words of one name."""

_LEADING: Final = re.compile(r"[\w'’-]+|[^\w\s]")
_ARTICLES: Final = word_set("the a an")


def _items(text: str, found: Sequence[Token], values: Sequence[Value]) -> tuple[Item, ...]:
    """Return the content words, the names, each whole, and the values of a sentence in order."""
    items = [Item(one.span, one.canonical, "value", one) for one in values]
    name: Span | None = None
    for token in found:
        inside = any(one.start <= token.start < one.end for one in values)
        if token.kind == "stop" or inside:
            continue
        if token.kind != "name":
            items.append(Item((token.start, token.end), token.norm, "word"))
            continue
        if name is not None and _JOINT.fullmatch(text, name[1], token.start):
            items.pop()
            name = (name[0], token.end)
        else:
            name = (token.start, token.end)
        items.append(Item(name, text[slice(*name)], "name"))
    return tuple(sorted(items, key=lambda one: one.span))


def _telling(found: Iterable[Token]) -> frozenset[str]:
    # "May" is a month.
    return TELLING.intersection(one.norm for one in found if one.kind != "name")


def _parts(item: Item) -> frozenset[str]:
    return _name_parts(item.norm) if item.kind == "name" else frozenset((item.norm,))


@lru_cache(maxsize=1 << 13)
def _name_parts(name: str) -> frozenset[str]:
    """The words of a name, in the form in which words compare, without titles."""
    words = [one for one in _LEADING.findall(name) if one[0].isalnum()]
    return frozenset(normal(one) for one in words if one.casefold() not in TITLES)


def _word_before(text: str, at: int) -> str:
    words = [one.casefold() for one in _LEADING.findall(text[max(0, at - 40) : at])]
    while words and words[-1] in _ARTICLES:
        words.pop()
    return words[-1] if words else ""


def _is_same(own: Item, other: Item) -> bool:
    if own.value is not None or other.value is not None:
        return bool(own.value and other.value and is_said(own.value, [other.value]))
    mine, theirs = _parts(own), _parts(other)
    if own.kind == other.kind == "name":
        return mine <= theirs or mine >= theirs or same_name(own.norm, other.norm)
    return not mine.isdisjoint(theirs)


def _is_form(own: Item, other: Item) -> bool:
    if own.kind != "word" or other.kind != "word":
        return False
    return own.norm[:_STEM] == other.norm[:_STEM] and min(map(len, (own.norm, other.norm))) > _STEM


def _kind(own: Item, other: Item) -> Kind | None:
    """Return how two items may exclude each other."""
    if own.kind != other.kind:
        return None
    if own.value is not None and other.value is not None:
        return "value" if is_rival(own.value, other.value) else None
    if own.kind == "name":
        mine, theirs = _parts(own), _parts(other)
        kin = _are_kin(mine - theirs, theirs - mine, alone=len(mine) == len(theirs) == 1)
        return "name" if not kin and _are_of_one_sort(mine, theirs) else None
    return "opposite" if other.norm in _opposites().get(own.norm, frozenset()) else None


def _are_kin(own: frozenset[str], other: frozenset[str], *, alone: bool) -> bool:
    """Return whether what two names do not share are forms of one word: "the Dane" is a "Danish"
    one, "West Germany" has a "West German" team. A name that stands ``alone`` has no other words
    that tell."""
    size = _KIN if alone else _STEM
    return len(own) == len(other) == 1 and min(own)[:size] == min(other)[:size]


_KIN: Final = 3


def _are_of_one_sort(name: frozenset[str], other: frozenset[str]) -> bool:
    """Return False if one of two names is a day of the week or a month and the other is none:
    nobody is called Monday."""
    return (name <= _CALENDAR) == (other <= _CALENDAR)


_CALENDAR: Final = frozenset(
    normal(one)
    for one in (
        *MONTHS,
        *WEEKDAYS,
        *("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    )
)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    """Return for each word those of opposite meaning, both in the form in which words compare."""
    found: dict[str, set[str]] = {}
    for row in _OPPOSITES.read_text(encoding="utf-8").splitlines():
        if row.startswith("#"):
            continue
        left, right = (
            {normal(word.strip()) for word in side.split(",")} for side in row.split("/")
        )
        for own, other in ((left, right), (right, left)):
            for word in own:
                found.setdefault(word, set()).update(other - own)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSITES: Final = Path(__file__).parent / "data" / "opposites.txt"


NEAR: Final = 4
"""Sentences, the nearest ones, whose values and names are tried."""

MOST: Final = 3
"""Values or names that are tried for one that the source lacks; each takes two judgements."""

PLACES: Final = 2
"""Values and names of a clause for which others are tried."""


class Counterclaim(NamedTuple):
    """The words of a clause (``claim``), those of the source that were put in their place
    (``source``), and the sentence of the source. ``entailment`` is how far it is entailed with
    them, ``own`` how far it is as it stands, both in [0, 1]."""

    claim: Span
    source: Span
    sentence: Span
    entailment: float
    own: float

    @property
    def gain(self) -> float:
        """How much more is entailed with the words of the source, at least 0."""
        return max(0.0, self.entailment - self.own)


_Candidate = tuple[Span, Span, Span, Pair, Pair]
"""Words of a clause, those of the source, and the sentence of the latter; the pair of that sentence
and the clause with the words of the source, and that of both as they are."""


def counterclaims(
    message: str,
    sentence: Read,
    clauses: Sequence[tuple[Read, Sequence[Span]]],
    source: SourceText,
    verifier: Verifier,
) -> list[Counterclaim | None]:
    """Return the counterclaim of each clause of a sentence with the greatest gain, None if there is
    nothing to try. A clause comes with its values and names that the source lacks.

    Raises LocalModelError if the verifier fails.
    """
    whole = sentence.unit.tokens(message)
    tried = [list(_candidates(message, whole, read, missing, source)) for read, missing in clauses]
    asked = [pair for held in tried for *_, changed, own in held for pair in (changed, own)]
    pairs = list(dict.fromkeys(asked))
    judged = dict(zip(pairs, verifier.judge(pairs), strict=True)) if pairs else {}
    found = [
        [
            Counterclaim(claim, there, at, judged[changed].entailment, judged[own].entailment)
            for claim, there, at, changed, own in held
        ]
        for held in tried
    ]
    return [max(held, key=lambda one: one.gain, default=None) for held in found]


def _candidates(
    message: str,
    sentence: Sequence[Token],
    read: Read,
    missing: Sequence[Span],
    source: SourceText,
) -> Iterator[_Candidate]:
    near = source.nearest(content_norms(read.unit.tokens(message)))[:NEAR]
    for place in missing[:PLACES]:
        words = " ".join(message[slice(*place)].split())
        if not words[:1].isalnum() or words not in read.unit.text:
            continue
        tried: set[str] = set()
        own = find(message, *place)
        for at in near:
            others: Iterable[Span] = other_names(message, sentence, place, source, at)
            if own:
                others = [one.span for one in source.values_of(at) if is_rival(own[0], one)]
            for there in others:
                said = " ".join(source.text[slice(*there)].split())
                if said in tried or len(tried) >= MOST:
                    continue
                tried.add(said)
                window = source.window_before(at)
                changed = read.unit.text.replace(words, said, 1)
                sentence_there = source.sentences[at]
                yield place, there, sentence_there, (window, changed), (window, read.unit.text)


def other_names(
    message: str, tokens: Sequence[Token], place: Span, source: SourceText, sentence: int
) -> Iterator[Span]:
    """Yield the names of a sentence of a source that may stand in the place of one of a message,
    whose sentence has these ``tokens``: as a whole, or without the words that both have ("President
    Truman", "Marie Curie"). What the message names beside it is no other name: "Edwin" of "Edwin
    'Buzz' Aldrin" is none where it names Aldrin too.
    """
    mine: set[str] = set()
    beside: set[str] = set()
    for run in name_runs(message, [one for one in tokens if one.kind == "name"]):
        touched = run[0].start < place[1] and place[0] < run[-1].end
        (mine if touched else beside).update(one.norm for one in run)
    there = [one for one in source.tokens[sentence] if one.kind == "name"]
    for run in name_runs(source.text, there):
        new = [one for one in run if one.norm not in mine]
        alike = _are_of_one_sort(frozenset(mine), frozenset(one.norm for one in new))
        if new and alike and beside.isdisjoint(one.norm for one in run):
            yield new[0].start, new[-1].end


def name_runs(
    text: str, found: Sequence[Token], joint: re.Pattern[str] | None = None
) -> list[list[Token]]:
    """Return the tokens of each whole name among words that are written as names. ``joint`` is what
    may stand between two of them, by default all that does within names."""
    joint = joint or _WITHIN_NAME
    runs: list[list[Token]] = []
    for token in found:
        if runs and joint.fullmatch(text, runs[-1][-1].end, token.start):
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def whole_name(text: str, place: Span) -> Span:
    """Return a place with the rest of the name or title in which it begins or ends: of "Lord Mayor"
    no word says anything alone. A place that cuts no name stays as it is."""
    start, end = place
    around = tokens(text, max(0, start - _NAME_LENGTH), min(len(text), end + _NAME_LENGTH))
    for run in name_runs(text, [one for one in around if one.kind == "name"], _NEXT):
        first, last = run[0].start, run[-1].end
        if first < start < last or first < end < last:
            start, end = min(start, first), max(end, last)
    return start, end


def _is_initial(token: Token) -> bool:
    return len(token.text) == 1 and token.text.isupper()


_NAME_LENGTH: Final = 80
"""Characters beside a place in which the rest of a name is looked for."""
_NEXT: Final = re.compile(r" |-|(?<=\b[A-Z])\. ")
_WITHIN_NAME: Final = re.compile(
    r" of | & |-|\.? ?[\"“”„'‘’]?|[\"”'’] "
    r"| (?:de|du|des|von|van|der|den|la|di|da)(?: (?:der|den|la))? "
)
"""What stands between the words of a name: "University of Oxford", "Edwin \"Buzz\" Aldrin",
"Alexander von Humboldt", "Brandt & Sons"."""
