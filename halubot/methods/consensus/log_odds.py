"""The log-odds that a fact or a sentence is wrong: what words, sources and a model's verdicts each
add to them.

**Sources.** How far they contradict a fact rather than support it, as the verifier gives it.

**Words.** What the sources leave open of a sentence is its doubt: one less their mean support (see
`word_support`), and a little more if they do not agree among themselves on what they
say of it. ``score`` is the doubt of one sentence on a scale if 0.5 divides. ``rank`` comes
half from it and half from the mean of the whole message; it only orders. With samples and
references both, the log-odds of either add up, those of the references as far as they speak of the
words in question:

    odds = by samples + beside * voice * by references
    level = that of the samples alone

for what a reference leaves out of a message says nothing of the rest of it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, get_args

from halubot.compare.tokens import Token, Worded, tokens
from halubot.methods.consensus.word_support import Sources
from halubot.reliability import TRUSTED, Reliability
from halubot.report import Source, Stance, Threshold
from halubot.text import Span
from halubot.verifier.stances import Finding

# Chosen in five folds over the passages of WikiBio.
PREFIX: Final = 3
"""Letters by which ordinary words meet in samples."""
AGREEMENT: Final = 0.25
"""Doubt if the samples agree on nothing."""
MIDDLE: Final = 1.15
"""The doubt that becomes a score of 0.5."""
WIDTH: Final = 0.1
SPREAD: Final = 0.1
"""How slowly the score moves away from it: many sources make it surer, `WIDTH` + `SPREAD` / n."""
BESIDE: Final = 2.0
"""What the references' words count beside those of samples."""
# The last two are habits of that data (GPT-3 on people's lives) and may not hold elsewhere.
YEAR: Final = 0.1
"""Doubt for a year that no source has, less for one that some have. Mostly a prior: sentences with
years are wrong more often there."""
SHARPNESS: Final = 1.5
"""The exponent of support; above 1, being borne out in half counts less than half. The cube is best
on WikiBio and does not carry over: with it the AUROC on PHD, with three samples, fell from 0.636 to
0.594."""

THRESHOLD: Final = Threshold(value=0.5, fitted_on="WikiBio GPT-3, three quarters of its passages")
"""The default threshold of `consensus`, `cascade` and `ensemble`."""

_YEAR: Final = re.compile(r"(?:1\d|20)\d\d")
_IS: Final = frozenset({"is", "are", "was", "were"})


class Scorer:
    """Scores the sentences, or any other spans, of one message by its sources.

    ``subject`` is whom or what the message is about: its name is in every sentence of every
    source and tells nothing, so it does not count. All references together are one source, read
    to the letter; if it speaks of the words in question it counts more than all samples. These
    come one by one, so that none has to be kept.
    """

    def __init__(self, message: Worded, references: Sequence[Worded], subject: str | None) -> None:
        self._tokens = [token for sentence in message.tokens for token in sentence]
        self._starts = [token.start for token in self._tokens]
        about = _about(subject)
        # Samples say the same freely, so words meet by their first letters. A reference is read to
        # the letter, but in a language with many endings.
        inflected = message.document.language not in ("en", "und")
        self._samples = Sources(without=about, prefix=PREFIX)
        self._references = Sources(without=about, prefix=PREFIX if inflected else 0)
        self._references.add(references)

    def hear(self, sample: Worded) -> bool:
        """Add one more sample; return whether it holds a content word at all."""
        return self._samples.add([sample])

    def odds(self, spans: Sequence[Span]) -> float:
        """The log-odds that what the words in these spans say is wrong, by the sources' words.
        0 if they hold no content word, or no source does."""
        own = self._odds(spans, self._samples)
        other = self._odds(spans, self._references)
        if own is None or other is None:
            return next((found.odds for found in (own, other) if found is not None), 0.0)
        return own.odds + BESIDE * other.voice * other.odds

    def odds_by_samples(self, spans: Sequence[Span]) -> float:
        """The same by the samples alone; by the references if there is no sample."""
        if not self._samples.count:
            return self.odds(spans)
        own = self._odds(spans, self._samples)
        return 0.0 if own is None else own.odds

    def shares(self, spans: Sequence[Span]) -> tuple[float, ...]:
        """Return how far each sample that has a content word bears out the words in these spans, in
        [0, 1]; in the order in which they were heard."""
        found = [token for span in spans for token in self._inside(span)]
        return self._samples.support(self._samples.words(found)).shares

    def _odds(self, spans: Sequence[Span], sources: Sources) -> _Side | None:
        """Return what one kind of sources says; None if either side has no content word."""
        if not sources.count:
            return None
        words = sources.words([token for span in spans for token in self._inside(span)])
        if not words:
            return None
        doubt, voice = _doubt(words, sources)
        return _Side((doubt - MIDDLE) / (WIDTH + SPREAD / sources.count), voice)

    def _inside(self, span: Span) -> list[Token]:
        first = bisect_left(self._starts, span[0])
        last = bisect_left(self._starts, span[1])
        return self._tokens[first:last]


def message_score(scores: Sequence[float]) -> float | None:
    """One score for a message whose statements have these scores: D / (1 + D), if D, their
    sum, is how many wrong ones to expect. 0.5 means one; None if there is none."""
    # Written so that rounding never lowers it for one more.
    return 1 - 1 / (1 + math.fsum(scores)) if scores else None


_COPIED: Final = 0.1


def worded_freely(unseen: float) -> float:
    """Return how freely a message is worded beside its references, in [0, 1]: 1 if at least a tenth
    of its pairs of content words is ``unseen`` there, which any free text has.

    In a text that is mostly copied, what was not copied is the best sign of an error (QAGS-CNN/DM:
    AUROC of ranks 0.71 without, 0.88 with it); in others it tells nothing (WikiBio, QAGS-XSum)."""
    return min(unseen, _COPIED) / _COPIED


def rank_of(own: float, level: float, freedom: float | None = None) -> float:
    """Return the rank of a fact or sentence: half its own log-odds and half the message's level;
    and half of that beside how freely the message is worded, if that is known."""
    mixed = logistic((own + level) / 2)
    return mixed if freedom is None else (mixed + freedom) / 2


class _Side(NamedTuple):
    """The log-odds by one kind of sources, and how far they speak of the words, in [0, 1]."""

    odds: float
    voice: float


def _doubt(words: dict[str, float], sources: Sources) -> tuple[float, float]:
    """Return what these sources leave open of some words, about 0 to 1.35; and how far they speak
    of them, in [0, 1]."""
    support = sources.support(words)
    borne_out = sum(math.pow(share, SHARPNESS) for share in support.shares)
    doubt = 1 - borne_out / sources.count
    doubt += AGREEMENT * (1 - sources.agreement_on(support))
    # The least supported year: one that is right says nothing of another beside it.
    years = [sources.holders(word) for word in words if _YEAR.fullmatch(word)]
    if years:
        doubt += YEAR * (1 - min(years) / sources.count)
    return doubt, max((share for share, _ in support.nearest), default=0.0)


def _about(subject: str | None) -> frozenset[str]:
    """The words of a subject's name; of a whole sentence given as subject, those before "is"."""
    words = []
    for token in tokens(subject or "", 0, len(subject or "")):
        if token.norm in _IS:
            break
        words.append(token.norm)
    return frozenset(words)


def logistic(value: float) -> float:
    """The probability of these log-odds."""
    return 1 / (1 + math.exp(-value))


_CLOSENESS: Final = 3.0
"""The exponent of support by which samples are ordered: one that bears a unit out in full says
more of it than one that shares a few words with many units says of any."""

FEW: Final = 5.0
"""Noes that count in full: a round of them (`halubot.methods.calls.answer.ROUND`)."""

_BEFORE: Final = 2.0
"""Votes of each kind that are taken as cast before those on a unit, for the level of its message.
The number was checked by folds, as were the constants above; but the form of the level was chosen
after some twenty others had been tried on the same folds, so that no figure of it is a clean
one."""

_EDGE: Final = 0.02
"""How far beyond the threshold a sentence is moved by a doubted fact that its words hide."""

# All folds choose 8 for the noes that halve and 0 for the crowd. These keep noes adding up: five
# turn what words speak for a little, twenty more. With 1 for the crowd twenty turned nearly
# anything, and doubted more right sentences.
_HALVING: Final = 4.0
"""Noes that halve what words say for a unit."""

COMPANY: Final = 20.0
"""The weight of a yes, at least 1, from a sample that bears out everything else it was asked of."""

_BOUND: Final = 3.0
"""The most that one unit says about the level of its message."""

_CROWD: Final = 0.25
"""The power by which noes beyond `FEW` count, 1 for all alike, 0 for not at all."""


class Votes(NamedTuple):
    """The verdicts on one unit: what its yeses weigh together, and what its noes do."""

    yes: float = 0.0
    no: float = 0.0

    @property
    def unanimous(self) -> bool:
        """Return True if there are verdicts, and all of them say the same."""
        return (self.yes > 0) != (self.no > 0)


def votes(verdicts: Sequence[Sequence[int | None]]) -> list[Votes]:
    """The votes on each unit of a message, from its verdicts: one a sample, the samples in the
    same order for all units. Raises ValueError if units have not equally many."""
    weights = []
    for of_sample in zip(*verdicts, strict=True):
        yes = of_sample.count(0)
        asked = len(of_sample) - of_sample.count(None)
        # What was borne out is one of those asked of, and not in its own company.
        weights.append((1 + COMPANY * (yes - 1)) / asked if yes else 0.0)
    return [
        Votes(
            sum(weight for weight, said in zip(weights, unit, strict=True) if said == 0),
            sum(said == 1 for said in unit),
        )
        for unit in verdicts
    ]


def fuse_odds(odds: float, yes: float = 0.0, no: float = 0.0) -> float:
    """The log-odds that a unit is wrong, from those of the comparison and its votes."""
    if no > FEW:
        no = FEW * (no / FEW) ** _CROWD
    if odds < 0:
        # Noes use up what words say for a unit, and add to what they say against it below.
        odds *= (_HALVING + yes) / (_HALVING + yes + no)
    return odds + math.log1p(no / _HALVING) - math.log1p(yes)


def raise_score(score: float, threshold: float, doubted: bool) -> float:
    """A sentence's score, just beyond the threshold if only a fact of it is doubted."""
    if not doubted or score >= threshold:
        return score
    return min(1.0, threshold + _EDGE * score)


def can_still_change(odds: float, votes: Votes, remaining: int, threshold: float) -> bool:
    """Return True if the verdict on a unit can still change, if ``remaining`` more samples may be
    asked: all saying no doubts it, all saying yes does not. A unit that words alone would pass is
    never decided by words alone: it stays undecided until a first verdict is in."""
    highest = fuse_odds(odds, votes.yes, votes.no + remaining)
    lowest = fuse_odds(odds, votes.yes + COMPANY * remaining, votes.no)
    unasked = votes == Votes() and remaining > 0
    # Words alone would pass what no sample was asked about, so a first verdict is always asked for.
    return logistic(lowest) < threshold and (unasked or logistic(highest) >= threshold)


def nearest_first(support: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """The samples in the order in which to ask them of some units, those first that bear them
    out best. ``support`` holds for each unit the share of its words that each sample bears out,
    in [0, 1]. One call asks a sample of all units, so there is one order for them all."""
    closeness = [
        sum(math.pow(share, _CLOSENESS) for share in of_sample)
        for of_sample in zip(*support, strict=True)
    ]
    return tuple(sorted(range(len(closeness)), key=lambda sample: -closeness[sample]))


@dataclass(frozen=True)
class Voices:
    """The verdicts of a model: ``stances`` of a source, by its id, on facts, by their index; or
    ``sentences``: of each sentence and each sample it was asked about, in the same order for all,
    0 for supported, 1 for not, None for neither or not asked. ``judge`` says how far it can be
    trusted. ``quotes`` are the sentences of a source that it named, as the stances are kept."""

    stances: Mapping[str, Mapping[int, Stance]] = field(default_factory=dict)
    sentences: Sequence[Sequence[int | None]] = ()
    judge: Reliability = TRUSTED
    quotes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def of(self, source: Source, fact: int) -> Stance | None:
        """Return the stance of one source on one fact by the model; None if it gave none."""
        return self.stances.get(source.id, {}).get(fact)

    def on_facts(self, samples: Sequence[Source], held: Sequence[Sequence[int]]) -> list[Votes]:
        """The votes of samples on units that hold these facts each: a sample bears out what it
        bears out every fact of, and one that is silent on a fact does not bear it out."""
        if not self:
            return [NO_VOTES] * len(held)
        return votes(
            [
                [borne_out([self.of(sample, fact) for fact in facts]) for sample in samples]
                for facts in held
            ]
        )

    def on_sentences(self, samples: Sequence[Source], held: Sequence[Sequence[int]]) -> list[Votes]:
        """The votes of samples on sentences, which hold these facts each."""
        return votes(self.sentences) if self.sentences else self.on_facts(samples, held)

    def __bool__(self) -> bool:
        return bool(self.stances or self.sentences)


SILENCE: Final = Voices()
NO_VOTES: Final = Votes()


@dataclass(frozen=True, slots=True)
class Unit:
    """A fact or a sentence as it stands: its log-odds without the model's votes, and these.
    ``settled`` if a reference speaks of it, so that no vote of samples counts."""

    odds: float
    votes: Votes = NO_VOTES
    settled: bool = False

    @property
    def level(self) -> float:
        """Return its part in the level of its message: the mean of the log-odds of its words and of
        its votes, as if two votes of each kind had been cast before; its words alone if there are
        no votes. Fused log-odds would count votes that pile up on one unit for all. Small ones are
        nearly kept, large ones stay within a bound."""
        odds = self.odds
        if self.votes != NO_VOTES:
            odds += math.log((self.votes.no + _BEFORE) / (self.votes.yes + _BEFORE))
            odds /= 2
        return _BOUND * math.tanh(odds / _BOUND)

    @property
    def log_odds(self) -> float:
        return fuse_odds(self.odds, self.votes.yes, self.votes.no)


def borne_out(said: Sequence[Stance | None]) -> int | None:
    """0 if all is supported, 1 if something is known not to be, None if too little is
    known."""
    if any(stance in ("contradicts", "silent") for stance in said):
        return 1
    return 0 if said and None not in said else None


def settle_stance(source: Source, finding: Finding, stance: Stance | None) -> Stance:
    """Return the stance of a source on a fact: the model's word if there is one. But another value
    stays another value in a reference, and in a sample that the model finds silent."""
    if stance is None:
        return finding.stance
    differs = finding.stance == "contradicts" and finding.value is not None
    heeded = source.kind != "sample" or stance == "silent"
    return "contradicts" if differs and heeded else stance


_LEAN: Final = 4.0
"""Log-odds of sources that surely contradict a fact; if they surely support it, their negative.
AUROC of ranks without it, then with it; up to 8 alike. Sentences of 60 chat answers beside a
reference (`everyday_5`, `_9`, `_10`) .54 to .59, .76 to .82; beside five samples (`_8`, `_9`,
`_10`) .46 to .64, .73 to .81; of 30 passages of WikiBio .82, .82 (average precision .900, .910).
Messages: QAGS-CNN/DM .735, .762; QAGS-XSum .721, .821; SummEdits .54, .74; FaithBench .71, .67."""

_UNSEEN: Final = 0.5
"""The least doubt of the words of a fact whose value or name no source has that speaks of it."""

_JUDGED: Final = 1.5
"""How much more a model's word on a reference counts than the verifier's."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The number of samples and references with each stance on one fact.

    ``lean`` is how far the samples contradict it rather than support it, on average, and
    ``reference_lean`` how far the references do, both from -1 to 1 as the verifier gives it; of
    references that a model read `_JUDGED` or its negative.
    ``near`` counts the sources that share words with it in a sentence, or if none does with its own
    sentence, ``spoken`` those that share enough to speak of the matter, ``missed`` those of the
    latter that lack such a value or name, and ``displaced`` those that have another date or measure
    instead.
    ``refuted`` and ``borne_out`` say that all samples together make it likely to be wrong, or
    right."""

    samples: dict[Stance, int]
    references: dict[Stance, int]
    lean: float = 0.0
    reference_lean: float = 0.0
    near: int = 0
    spoken: int = 0
    missed: int = 0
    displaced: int = 0
    refuted: bool = False
    borne_out: bool = False

    def reading(self, references: Iterable[Stance]) -> Heard:
        """The same with these stances of the references, as a model gives them."""
        said = replace(self, references=count_stances(references))
        return replace(said, reference_lean=_JUDGED * said.by_references)

    @property
    def by_references(self) -> int:
        """1 if references contradict, -1 if they support, 0 if they do neither or both."""
        return bool(self.references["contradicts"]) - bool(self.references["supports"])

    @property
    def unseen(self) -> bool:
        """Return True if there are many sources, at least half of them speak of the matter, and
        none of these holds some value or name of the fact. Of few sources that says little: on
        everyday text one in ten of such facts was wrong."""
        count = sum(self.samples.values()) + sum(self.references.values())
        return count >= MANY and 2 * self.spoken >= count and self.missed == self.spoken

    @property
    def is_divided(self) -> bool:
        return bool(self.references["contradicts"] and self.references["supports"])

    @property
    def is_denied(self) -> bool:
        """Return True if doubt rests on contradiction: a reference's, or else that of more samples
        than support, and not of a single one among several."""
        if self.by_references:
            return self.by_references > 0
        against = self.samples["contradicts"]
        enough = min(2, sum(self.samples.values()))
        return against > self.samples["supports"] and against >= max(1, enough)


MANY: Final = 10
"""Sources that must all lack a value or name before it is in doubt for that alone."""

SPEAKS: Final = 0.4
"""The least share of a fact's sentence that a reference must hold to speak of the matter."""

SPEAKS_SAMPLE: Final = 0.2
"""The same of a sample: other answers are shorter, and all of them answer the same question."""


def count_stances(stances: Iterable[Stance]) -> dict[Stance, int]:
    """Return how many sources have each stance, also those that none has."""
    found = list(stances)
    return {stance: found.count(stance) for stance in get_args(Stance)}


def fact_odds(words: float, heard: Heard) -> float:
    """The log-odds that a fact is wrong, from those of its words and what was heard of it."""
    lean = heard.lean + heard.reference_lean
    if heard.unseen:  # whatever speaks for its other words
        return max(words, _UNSEEN) + _LEAN * max(0.0, lean)
    return words + _LEAN * lean


def sentence_odds(words: float, inside: Sequence[Heard]) -> float:
    """The log-odds that a sentence is wrong, from those of its words and what was heard of the
    facts inside, of which the worst counts."""
    return max((fact_odds(words, heard) for heard in inside), default=words)
