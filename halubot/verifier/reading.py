"""A message beside a source: the source's sentences and the few that may speak of a claim, the
message's sentences and clauses, and how far the source entails or contradicts each."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from heapq import nsmallest
from typing import Final, NamedTuple

from halubot.claims.english import read_statements
from halubot.compare.tokens import TELLING, Token, Worded, content_norms, tokens
from halubot.concurrency import is_late
from halubot.text import Document, Span, reads_as_english, word_set
from halubot.values import Value, find
from halubot.values.comparison import is_said
from halubot.verifier.encoder import OPEN, Judgement, Pair, Verifier

NEAREST: Final = 3
"""Sentences of a source that are read for a claim. Three windows found .80 of errors at .05 false
alarms where one found .72 (a trained trial, everyday set, reference given)."""

CONSIDERED: Final = 12
"""Sentences, the nearest ones, in which another value or name is looked for."""

_COMMON: Final = 200
"""Sentences that hold a word, from which on it is too common to find one by."""

_LONG: Final = 6
"""Words added to the length of a sentence, so that a short one does not win by its shortness."""

_NEW: Final = 1.0
"""The weight of a word that the source does not have."""


class Window(NamedTuple):
    """Words of a source. ``span`` is their place; sentences that do not stand together have that
    of the nearest one. ``sentences`` are their numbers."""

    span: Span
    text: str
    sentences: tuple[int, ...] = ()


class SourceText:
    """A source cut into sentences, with what each of their words weighs."""

    def __init__(self, source: Worded) -> None:
        self.text = source.document.plain
        """The source without markup; places of windows and values are places in it."""
        self.sentences = source.document.sentences
        self.tokens = source.tokens
        """The tokens of each sentence."""
        self.words = list(_with_subjects(source.tokens))
        counts = Counter(word for words in self.words for word in words)
        total = max(1, len(self.sentences))
        self._weights = {word: math.log(1 + total / count) for word, count in counts.items()}
        self._holding: dict[str, list[int]] = {}
        for place, words in enumerate(self.words):
            for word in words:
                self._holding.setdefault(word, []).append(place)
        self._values: dict[int, tuple[Value, ...]] = {}
        self._nearest: dict[frozenset[str], Sequence[int]] = {}

    @cached_property
    def folded(self) -> str:
        """The source in lower case, its words one space apart."""
        return " ".join(self.text.casefold().split())

    def has(self, word: str) -> bool:
        """Return True if the source has a content word, in the form in which words compare."""
        return word in self._weights

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return tuple(value for at in range(len(self.sentences)) for value in self.values_of(at))

    def values_of(self, sentence: int) -> tuple[Value, ...]:
        if sentence not in self._values:
            self._values[sentence] = find(self.text, *self.sentences[sentence])
        return self._values[sentence]

    def nearest(self, words: Collection[str]) -> Sequence[int]:
        """Return the sentences that hold most of some content words, by weight, the nearest
        first, at most `CONSIDERED`; the first sentences of the source if none holds any."""
        wanted = frozenset(words)
        if wanted not in self._nearest:
            scores = dict.fromkeys(range(min(NEAREST, len(self.sentences))), 0.0)
            for word in sorted(wanted, key=lambda one: (len(self._holding.get(one, ())), one)):
                places = self._holding.get(word, ())
                # Words of very many sentences bring in no new ones, or time would grow with the
                # square.
                within = len(places) <= _COMMON or len(scores) <= NEAREST
                for place in places[:_COMMON] if within else scores:
                    if within or word in self.words[place]:
                        scores[place] = scores.get(place, 0.0) + self._weights[word]
            self._nearest[wanted] = nsmallest(
                CONSIDERED,
                scores,
                key=lambda at: (-scores[at] / (_LONG + len(self.words[at])) ** 0.35, at),
            )
        return self._nearest[wanted]

    def share(self, words: Collection[str], *sentences: int) -> float:
        """Return the share of some content words that sentences hold, by weight, in [0, 1]."""
        own = frozenset[str]().union(*(self.words[sentence] for sentence in sentences))
        weighed = [(self._weights.get(word, _NEW), word in own) for word in words]
        # The order of a set differs from process to process, and with it the last digit of a sum.
        whole = math.fsum(weight for weight, _ in weighed)
        return math.fsum(weight for weight, held in weighed if held) / whole if whole else 0.0

    def windows(self, claim: str) -> list[Window]:
        """Return the nearest sentence to a claim, the same with its neighbours, and the nearest
        sentences together in their order; without repetition, none if the source is empty."""
        if not self.sentences:
            return []
        order = self.nearest(content_norms(tokens(claim, 0, len(claim))))
        nearest = order[0]
        around = range(max(0, nearest - 1), min(len(self.sentences), nearest + 2))
        together = sorted(order[:NEAREST])
        spread = self._window(together)
        if together != list(range(together[0], together[-1] + 1)):
            spread = spread._replace(span=self.sentences[nearest])
        found = [self._window([nearest]), self._window(around), spread]
        return list({window.text: window for window in reversed(found)}.values())[::-1]

    def window_before(self, sentence: int) -> str:
        """Return a sentence after the one before it, which may name what it speaks of."""
        return self._window(range(max(0, sentence - 1), sentence + 1)).text

    def _window(self, places: Sequence[int]) -> Window:
        spans = [self.sentences[place] for place in places]
        text = " ".join(words_of(self.text[slice(*span)]) for span in spans)
        return Window((spans[0][0], spans[-1][1]), text, tuple(places))


def _with_subjects(sentences: Iterable[tuple[Token, ...]]) -> Iterator[frozenset[str]]:
    """Yield the content words of each sentence; of one that opens with a pronoun also those of the
    name that the last sentence with a name for its subject opens with."""
    subject = frozenset[str]()
    for found in sentences:
        words = content_norms(found)
        if found and found[0].text.casefold() in _PRONOUNS:
            yield words | subject
            continue
        opening = [token.norm for token in found[:_OPENING] if token.kind == "name"]
        if opening:
            subject = frozenset(opening)
        yield words


_PRONOUNS: Final = word_set("he she it they his her its their this these")
_OPENING: Final = 5
"""Words of a sentence among which the name of its subject stands."""


def words_of(text: str) -> str:
    """Return a text in one line with single spaces."""
    return _SPACES.sub(" ", text).strip(" ,;:|")


_SPACES: Final = re.compile(r"\s+")


_CUT: Final = re.compile(
    r"[;:]\s+|[；：，、。]\s*|\s[–—-]\s|—|[()（）]|[,،]\s+|؛\s+|"
    # Conjunctions after which a clause often begins, in the six languages of the verifier. A run of
    # spaces is looked at from its beginning alone: a page of tags is one of 50,000.
    r"(?<!\s)\s+(?=(?:because|although|whereas|so that|which|who|while|until|and then"
    r"|weil|obwohl|während|damit|parce que|tandis que|alors que|porque|aunque|mientras)\s)"
)
_WORD: Final = re.compile(r"[^\W_]+")
_IDEOGRAPH: Final = re.compile("[\u3400-\u9fff]")

WORDS: Final = 3
"""Words that a clause has at least; in Chinese twice as many characters."""

MOST_PAIRS: Final = 3_000
"""Pairs that are judged for one message: some 20 s on two cores. Twelve sentences beside a
reference and six samples make about 900."""

_NEAR_MOST: Final = 0.9
"""Of the highest contradiction."""

SAME: Final = Judgement(0.0, 0.0, 1.0)
"""The judgement of a sentence that a source has word for word."""


class Unit(NamedTuple):
    """A sentence or a clause: its places in the message, and its words without markup. A clause
    that another one interrupts lies in pieces; the subject may stand in another clause."""

    spans: tuple[Span, ...]
    text: str

    @property
    def span(self) -> Span:
        """The place from the first word to the last."""
        return self.spans[0][0], self.spans[-1][1]

    def values(self, message: str) -> list[Value]:
        return [value for span in self.spans for value in find(message, *span)]

    def tokens(self, message: str) -> list[Token]:
        return [token for span in self.spans for token in tokens(message, *span)]

    def names(self, message: str) -> list[Token]:
        """The words that are written as names, but for those in a value, which a source may write
        in another way: "November" in digits."""
        inside = [range(*value.span) for value in self.values(message)]
        return [
            one
            for one in self.tokens(message)
            if one.kind == "name" and not any(one.start in value for value in inside)
        ]


def units_of(message: Document) -> list[tuple[Unit, ...]]:
    """Return the units of each sentence of a message: the sentence first, then its clauses, if it
    has more than one; none of a sentence without words."""
    plain, sentences = message.plain, message.sentences
    wholes = [Unit((span,), words_of(plain[slice(*span)])) for span in sentences]
    if reads_as_english(message):
        read = read_statements(plain, sentences)
        clauses = [[Unit(*one) for one in statements] for statements in read]
    else:
        clauses = [
            [Unit((own,), words_of(plain[slice(*own)])) for own in clauses_of(plain, span)]
            for span in sentences
        ]
    return [_with_clauses(*one) for one in zip(wholes, clauses, strict=True)]


def _with_clauses(whole: Unit, clauses: list[Unit]) -> tuple[Unit, ...]:
    told = [one for one in clauses if len(one.text.split()) > 1 or _IDEOGRAPH.search(one.text)]
    if not whole.text:
        return ()
    return (whole, *told) if len(told) > 1 else (whole,)


def clauses_of(plain: str, sentence: Span) -> list[Span]:
    """Return the clauses of a sentence in order; none if it is one clause. A comma within a value
    ("April 11, 1969") parts nothing."""
    start, end = sentence
    begins, found = start, []
    values = find(plain, start, end)
    for match in _CUT.finditer(plain, start, end):
        if any(one.start < match.start() and match.end() < one.end for one in values):
            continue
        if _is_long(plain[begins : match.start()]) and _is_long(plain[match.end() : end]):
            found.append((begins, match.start()))
            begins = match.end()
    found.append((begins, end))
    return found if len(found) > 1 else []


def _is_long(text: str) -> bool:
    ideographs = len(_IDEOGRAPH.findall(text))
    if ideographs:
        return ideographs >= 2 * WORDS
    return len(_WORD.findall(text)) >= WORDS


class Read(NamedTuple):
    """A clause beside one source: its windows, and the judgement of each."""

    unit: Unit
    windows: Sequence[Window]
    judgements: Sequence[Judgement]

    @property
    def entailing(self) -> int:
        """The window that entails the clause most, the first of several."""
        return max(range(len(self.windows)), key=lambda at: self.judgements[at].entailment)

    @property
    def opposing(self) -> int:
        """The first window, and so the shortest, that contradicts the clause nearly as much as any
        does: a reader looks for the words that count."""
        least = _NEAR_MOST * self.contradiction
        return next(at for at, one in enumerate(self.judgements) if one.contradiction >= least)

    @property
    def entailment(self) -> float:
        """The highest entailment of all windows."""
        return max((one.entailment for one in self.judgements), default=0.0)

    @property
    def contradiction(self) -> float:
        """The highest contradiction of all windows."""
        return max((one.contradiction for one in self.judgements), default=0.0)


class MessageReader:
    """Reads sources for the sentences of one message. ``units`` has those of each sentence: the
    sentence itself, then its clauses. Without a verifier every judgement is open."""

    def __init__(self, message: Document, verifier: Verifier | None) -> None:
        self.message = message
        self.verifier = verifier
        self.units = units_of(message)
        self._left = MOST_PAIRS
        self.cut: set[int] = set()
        """The sentences that were not read for want of room."""

    def read(self, source: SourceText, *, briefly: bool = False) -> Iterator[list[Read]]:
        """Yield the readings of the units of each sentence, in their order; of a sentence that is
        not read, none.

        ``briefly`` reads fewer windows, as of a sample among several. Takes a few milliseconds for
        each unit and window. Once `MOST_PAIRS` were judged for the message, or little time is left,
        its further sentences are not read. Raises LocalModelError if the verifier fails.
        """
        known = {_bare(source.text[slice(*span)]) for span in source.sentences}
        waiting: list[list[Read]] = []
        pairs: list[Pair] = []
        for at, units in enumerate(self.units):
            if len(pairs) >= _AT_ONCE:
                yield from self._judged(waiting, pairs)
                waiting, pairs = [], []
            same = bool(units) and _bare(units[0].text) in known
            asks = self.verifier is not None and not same
            windows = [tuple(source.windows(unit.text)) for unit in units if source.sentences]
            if briefly:
                windows = [_fewer(one, whole=n == 0) for n, one in enumerate(windows)]
            asked = sum(map(len, windows)) if asks else 0
            if asked > self._left or (not same and is_late()):
                self.cut.add(at)
                windows = []
            else:
                self._left -= asked
            reads = [
                Read(unit, held, [SAME if same else OPEN] * len(held))
                for unit, held in zip(units, windows, strict=False)
            ]
            waiting.append(reads)
            if asks:
                pairs += [
                    (one.text, in_words_of(one.text, read.unit.text))
                    for read in reads
                    for one in read.windows
                ]
        yield from self._judged(waiting, pairs)

    def _judged(self, waiting: list[list[Read]], pairs: list[Pair]) -> Iterator[list[Read]]:
        """Yield what waits for these pairs, with the verifier's judgements."""
        answers = iter([] if self.verifier is None else self.verifier.judge(pairs))
        for reads in waiting:
            yield [
                read
                if self.verifier is None or SAME in read.judgements
                else read._replace(judgements=[next(answers) for _ in read.windows])
                for read in reads
            ]

    def locate(self, read: Read) -> Span:
        """Return the words of a unit, as a place in the message, that the source contradicts.

        The verifier's own marks say it; a verifier without them is asked again with words left
        out, and those without which it contradicts least are taken.
        """
        unit = read.unit
        start, end = unit.span
        words = [
            (token.start, token.end)
            for token in tokens(self.message.plain, start, end)
            if token.kind != "stop" or token.norm in TELLING
        ]
        if not words or self.verifier is None:
            return unit.span
        weigh = self._marked if self.verifier.has_marks else self._left_out
        weights = weigh(read, words, self.verifier)
        top = max(range(len(words)), key=lambda i: weights[i])
        first = last = top
        # Neighbours that are marked nearly as clearly belong to the same mark.
        while first > 0 and weights[first - 1] >= _NEARLY * weights[top]:
            first -= 1
        while last + 1 < len(words) and weights[last + 1] >= _NEARLY * weights[top]:
            last += 1
        # Half of "sea-washed" is no word in whose place a person could put another one.
        joined = [
            one.span()
            for one in _COMPOUND.finditer(self.message.plain, start, end)
            if one.start() < words[last][1] and words[first][0] < one.end()
        ]
        marked = [words[first], words[last], *joined]
        return min(a for a, _ in marked), max(b for _, b in marked)

    def _marked(self, read: Read, words: Sequence[Span], verifier: Verifier) -> list[float]:
        """Return the highest mark on each word."""
        claim = read.unit.text
        marks = verifier.marks((read.windows[read.opposing].text, claim))
        weights, at = [], 0
        for start, end in words:
            word = self.message.plain[start:end]
            # The claim has other white space than the message.
            begins = claim.find(word, at)
            if begins < 0:
                weights.append(0.0)
                continue
            at = begins + len(word)
            own = [value for a, b, value in marks if a < at and begins < b]
            weights.append(max(own, default=0.0))
        return weights

    def _left_out(self, read: Read, words: Sequence[Span], verifier: Verifier) -> list[float]:
        """Return how much less each word's absence is contradicted."""
        start, end = read.unit.span
        plain, source = self.message.plain, read.windows[read.opposing].text
        # Of a very long sentence the first words are tried: each costs a judgement.
        tried = words[:_TRIED]
        claims = [" ".join(f"{plain[start:a]}…{plain[b:end]}".split()) for a, b in tried]
        answers = verifier.judge([(source, claim) for claim in claims])
        known = {token.norm for token in tokens(source, 0, len(source))}
        weights = []
        for (a, b), answer in zip(tried, answers, strict=True):
            new = all(token.norm not in known for token in tokens(plain, a, b))
            fall = max(0.0, read.contradiction - answer.contradiction)
            weights.append(fall + (0.1 if new else 0.0))
        return [*weights, *[0.0] * (len(words) - len(tried))]


def in_words_of(source: str, claim: str) -> str:
    """Return a claim with the dates, numbers and measures that a source has in another form written
    as they stand there: "16 May 1999" for "16.05.1999", "1994" for "the 1990s". That they say the
    same is exact; an encoder takes them for two."""
    given: Sequence[Value] = ()
    for value in reversed(find(claim)):
        if claim[value.start : value.end] in source:
            continue
        given = given or find(source)
        same = [one for one in given if one.bound == value.bound and is_said(value, [one])]
        if same:
            words = source[same[0].start : same[0].end]
            claim = f"{claim[: value.start]}{words}{claim[value.end :]}"
    return claim


_AT_ONCE: Final = 200
"""Pairs that are judged before it is asked whether there is time for more."""

_TRIED: Final = 24
_NEARLY: Final = 0.7
_COMPOUND: Final = re.compile(r"[^\W_]+(?:[-\u2010\u2011][^\W_]+)+")


def _fewer(windows: Sequence[Window], *, whole: bool) -> tuple[Window, ...]:
    """Return the nearest sentences together, and of a whole sentence the nearest one too."""
    if len(windows) < 2:
        return tuple(windows)
    return (windows[0], windows[-1]) if whole else (windows[-1],)


def _bare(text: str) -> str:
    """Return a sentence without what does not change it: case, white space, its last marks."""
    return " ".join(text.casefold().split()).strip(" .,;:!…*_`\"'")
