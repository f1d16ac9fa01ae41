"""What one source says of one clause of a message, as numbers, and the regression that turns these
into stances and verdicts.

Each signal belongs to a family (`FAMILIES`), so that a family can be left out and its worth be
measured (`python -m training.calibrate --without FAMILY`). Weights and thresholds lie in
`data/calibration.json` with the data that they were fitted on (`training/calibrate.py` writes it).
`stances.py` decides by them, and by what must hold besides: a quote with all values and names.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from halubot.compare.tokens import NEGATION, content_norms
from halubot.text import Span, word_set
from halubot.values import Value, find
from halubot.values.comparison import (
    are_one_day,
    have_one_number,
    is_rival,
    is_said,
    is_specific,
)
from halubot.verifier.alignment import (
    Aligned,
    Aligner,
    Counterclaim,
    name_runs,
    other_names,
)
from halubot.verifier.reading import Read

FAMILIES: Final = {
    "encoder": (
        "entailment of the clause",
        "contradiction of the clause",
        "contradiction by the nearest sentence",
        "entailment of the clause by the nearest sentences together",
        "entailment of the sentence",
        "contradiction of the sentence",
        "entailment of the least entailed clause",
        "the sentence is one clause",
        "the text is not in English",
    ),
    "values": (
        "a value that is nowhere in the source",
        "a small number that is nowhere in the source",
        "another value beside the same words",
        "another value beside more of the words than the clause's own",
    ),
    "names": (
        "a name that is nowhere in the source",
        "another name beside the same words",
        "another name beside more of the words than the clause's own",
        "a letter or number of a name that is nowhere in the source",
        "former, deputy, alleged and their like on one side alone",
    ),
    "words": (
        "share of the words in the nearest sentence",
        "words that are nowhere in the source",
        "one word differs from the nearest sentence",
        "contradiction beside the same words",
        "share of the words in the entailing window",
    ),
    "negation": ("a negation on one side alone",),
    "alignment": (
        "another value in its place",
        "another name in its place",
        "an opposite in its place",
        "one sentence has all of the words",
    ),
    "counterclaims": (
        "entailment with another value or name",
        "how much more that is than with its own",
    ),
}
"""The signals by family, in the order of `Signals.values`; probabilities as log-odds."""

SIGNALS: Final = tuple(name for names in FAMILIES.values() for name in names)
_BOUND: Final = 6.0
_FEW: Final = 3
"""Words that are missing count up to here."""


class Rival(NamedTuple):
    """A value of the clause and the one of the source that stands in its place, with offsets into
    their texts, and the sentence of the latter. ``closeness`` is the share of the clause's other
    words there."""

    claim: Span
    source: Span
    sentence: Span
    closeness: float


class Signals(NamedTuple):
    """The signals in the order of `SIGNALS`; the values, names and designators of the clause that
    the source lacks, and the values with a rival there; its words beside those of the source; the
    words of the source with which it entails the clause most, if it lacks some."""

    values: tuple[float, ...]
    missing: tuple[Span, ...]
    rivals: tuple[Rival, ...]
    aligned: Aligned
    counter: Counterclaim | None = None

    def beside(self, counter: Counterclaim | None) -> Signals:
        """Return the same with what a counterclaim says."""
        if counter is None:
            return self
        own = self.values[: -len(FAMILIES["counterclaims"])]
        return self._replace(values=(*own, counter.entailment, counter.gain), counter=counter)


def signals_of(
    clause: Read, sentence: Read, others: Sequence[Read], aligner: Aligner, *, english: bool
) -> Signals:
    """Return the signals of a clause. ``others`` are all clauses of its sentence, ``aligner`` is of
    its message and a source, which must have a sentence. The encoder is less sure in texts that are
    not ``english``."""
    judged = clause.judgements
    encoder = (
        odds(clause.entailment),
        odds(clause.contradiction),
        odds(judged[0].contradiction),
        odds(judged[-1].entailment),
        odds(sentence.entailment),
        odds(sentence.contradiction),
        min(odds(one.entailment) for one in others),
        float(clause.unit == sentence.unit),
        float(not english),
    )
    words = _Words(clause, sentence, aligner)
    values, missing_values, rivals = words.values()
    names, missing_names = words.names()
    aligned = aligner.align(*clause.unit.spans)
    return Signals(
        (
            *encoder,
            *values,
            *names,
            *words.common(clause.contradiction),
            words.negation(),
            *aligned.signals,
            # of a counterclaim
            0.0,
            0.0,
        ),
        (*missing_values, *missing_names),
        tuple(rivals),
        aligned,
    )


class _Words:
    """A clause and a source as words and values."""

    def __init__(self, clause: Read, sentence: Read, aligner: Aligner) -> None:
        self._message = aligner.message
        self._clause = clause
        self._sentence = sentence
        self._source = source = aligner.source
        self._aligner = aligner
        self._tokens = clause.unit.tokens(self._message)
        self._content = content_norms(self._tokens)
        self._names = frozenset(one.norm for one in self._tokens if one.kind == "name")
        self._near = source.nearest(self._content)
        self._shares = {at: source.share(self._content, at) for at in self._near}

    def values(self) -> tuple[tuple[float, ...], list[Span], list[Rival]]:
        """The signals of the family "values" in their order, the values that the source lacks, and
        what it has in their place."""
        nowhere = small = differs = elsewhere = 0.0
        missing, rivals = [], []
        own = self._clause.unit.values(self._message)
        given = find(self._clause.windows[-1].text) if own else ()
        for value in own:
            # "Four arches" beside "three arches" is counted alike.
            specific = is_specific(value, self._message[value.start : value.end])
            specific = specific or self._counts_there(value)
            if is_said(value, given) or is_said(value, self._source.values):
                if specific:
                    elsewhere = max(elsewhere, self._outweighed(value, own))
                continue
            rival = self._rival(value, own, self._near)
            closeness = rival.closeness if rival else 0.0
            if specific:
                nowhere, differs = 1.0, max(differs, closeness)
            else:
                small, differs = 1.0, max(differs, closeness / 2)
            if specific or rival:
                missing.append(value.span)
            if rival:
                rivals.append(rival)
        return (nowhere, small, differs, elsewhere), missing, rivals

    def _outweighed(self, value: Value, own: Sequence[Value]) -> float:
        """Return how much more of the clause's other words stands in near sentences with another
        value than in those with a value that the source has: it may be said of another thing."""
        here = [at for at in self._near if is_said(value, self._source.values_of(at))]
        rest = [at for at in self._near if at not in here]
        there = [at for at in rest if self._rival(value, own, [at]) is not None]
        return self._displaced(self._beside(value), here, there)

    def _beside(self, value: Value) -> frozenset[str]:
        """Return the content words of the clause without those of a value."""
        inside = range(value.start, value.end)
        return self._content - {one.norm for one in self._tokens if one.start in inside}

    def _rival(self, value: Value, own: Sequence[Value], sentences: Sequence[int]) -> Rival | None:
        """Return the value that a source has in the place of one of the clause: of those that the
        clause has not, the one beside which most of its other words stand."""
        best: Rival | None = None
        key = 0.0, False
        rest = self._beside(value)
        before = [one for one in self._tokens if one.start < value.start]
        names_before = {one.norm for one in before if one.kind == "name"}
        for at in sentences:
            values = self._source.values_of(at)
            # "62 for three and 72 for seven days" has three days too.
            if any(one.kind == "number" and have_one_number(value, one) for one in values):
                continue
            for other in values:
                if not is_rival(value, other) or any(is_said(other, [mine]) for mine in own):
                    continue
                # Names tell what it is said of, the other words what is said: both must be there.
                closeness = self._source.share(rest - self._names or rest, at)
                if not names_before <= self._source.words[at]:
                    closeness /= 2
                if are_one_day(value, other):
                    closeness = 1.0
                alike = have_one_number(value, other)  # with another unit
                if best is None or (closeness, alike) > key:
                    key = closeness, alike
                    best = Rival(value.span, other.span, self._source.sentences[at], closeness)
        return best

    def _counts_there(self, value: Value) -> bool:
        """Return True if a near sentence has a number before the word that follows a value."""
        after = next((one.norm for one in self._tokens if one.start >= value.end), None)
        if value.kind != "number" or after is None or after not in self._content:
            return False
        for at in self._near:
            found = self._source.tokens[at]
            ends = {one.end for one in self._source.values_of(at) if one.kind == "number"}
            for one, other in pairwise(found):
                if other.norm == after and one.end in ends:
                    return True
        return False

    def _displaced(self, rest: frozenset[str], here: Sequence[int], there: Sequence[int]) -> float:
        """Return how much more of the other words stands ``there``, in sentences with another value
        or name, than ``here``, in those with the clause's own."""
        own, other = (
            max((self._source.share(rest, at) for at in sentences), default=0.0)
            for sentences in (here, there)
        )
        return max(0.0, other - own)

    def names(self) -> tuple[tuple[float, ...], list[Span]]:
        """The signals of the family "names" in their order, and the names and designators that the
        source lacks."""
        lacking = [
            one
            for run in name_runs(self._message, self._clause.unit.names(self._message))
            if len(run) == 1 or not self._aligner.is_named(run)
            for one in run
            if not self._source.has(one.norm) and one.text.casefold() not in self._source.folded
        ]
        lost = frozenset(one.norm for one in lacking)
        missing = [(run[0].start, run[-1].end) for run in name_runs(self._message, lacking)]
        closeness = [self._beside_others(place, self._content - lost) for place in missing]
        designated = [
            (match.start(), match.end())
            for span in self._clause.unit.spans
            for match in DESIGNATED.finditer(self._message, *span)
            if " ".join(match[0].casefold().split()) not in self._source.folded
        ]
        mine = QUALIFYING & {one.text.casefold() for one in self._tokens}
        theirs = QUALIFYING & {
            one.text.casefold() for at in self._near[:1] for one in self._source.tokens[at]
        }
        signals = (
            float(bool(lacking)),
            max(closeness, default=0.0),
            self._displaced_names(lost),
            float(bool(designated)),
            float(bool(mine ^ theirs)),
        )
        return signals, [*missing, *designated]

    def _displaced_names(self, lost: frozenset[str]) -> float:
        names = self._names - lost
        if not names:
            return 0.0
        named = [at for at in self._near if any(x.kind == "name" for x in self._source.tokens[at])]
        here = [at for at in self._near if names & self._source.words[at]]
        there = [at for at in named if at not in here]
        return self._displaced(self._content - names - lost, here, there)

    def _beside_others(self, place: Span, rest: frozenset[str]) -> float:
        """Return the greatest share of the other words that stands beside another name than the one
        in a place."""
        whole = self._sentence.unit.tokens(self._message)
        shares = (
            self._source.share(rest, at)
            for at in self._near
            if any(other_names(self._message, whole, place, self._source, at))
        )
        return max(shares, default=0.0)

    def common(self, contradiction: float) -> tuple[float, ...]:
        best = max(self._near, key=self._shares.__getitem__, default=0)
        near = self._shares.get(best, 0.0)
        absent = sum(not self._source.has(word) for word in self._content)
        one = len(self._content - self._source.words[best]) == 1
        window = self._clause.windows[self._clause.entailing]
        covered = self._source.share(self._content, *window.sentences)
        return near, float(min(_FEW, absent)), near * one, near**2 * contradiction, covered

    def negation(self) -> float:
        if not self._near:
            return 0.0
        at = max(self._near, key=lambda one: (self._shares[one], -one))
        spans = self._clause.unit.spans
        mine = any(NEGATION.search(self._message, *span) for span in spans)
        theirs = NEGATION.search(self._source.text, *self._source.sentences[at]) is not None
        return self._shares[at] * (mine != theirs)


def odds(probability: float) -> float:
    """Return the log-odds of a probability, within bounds."""
    if probability <= 0:
        return -_BOUND
    if probability >= 1:
        return _BOUND
    return max(-_BOUND, min(_BOUND, math.log(probability / (1 - probability))))


QUALIFYING: Final = word_set(
    "former ex acting deputy vice interim alleged allegedly proposed planned supposed assistant"
    " honorary retired incumbent attempted unofficial provisional"
)
"""Words that make of a thing another one: a former or deputy minister is no minister."""

DESIGNATED: Final = re.compile(
    r"(?:\b(?:[A-Z]{1,6}-?\d[\w-]*"
    r"|(?i:type|grade|class|stage|level|version|phase|chapter|section|route|line|model|hepatitis"
    r"|vitamin|group|plan|block|zone|terminal|gate|room|floor|platform|appendix|article|form)"
    r"\s(?:\d+[A-Za-z]?|[A-Z]\d*|[IVX]+))|(?<![\w-])-{1,2}[a-z][\w-]*)(?![\w-])"
)
"""A thing told from another by a letter or number: "Type 2", "BRCA1", "--mount"."""


CALIBRATION: Final = Path(__file__).parent / "data" / "calibration.json"

SUMMARY: Final = (
    "the most contradicting source",
    "contradiction by the mean source",
    "the most supporting source",
    "support by the mean source",
)
"""What `Settling.wrong` reads of all samples, in this order; probabilities as log-odds."""

BESIDE: Final = (*SUMMARY, "the most contradicting reference", "the most supporting reference")
"""The same of samples and references together."""

DIFFERS: Final = SIGNALS.index("another value beside the same words")
_IN_PLACE: Final = tuple(SIGNALS.index(name) for name in FAMILIES["alignment"][:2])
"""Another value or name. Of clauses where nothing else differed 39 were wrong and 3 right with
another value, 16 and 1 with another name; of those with an opposite 11 and 9 ("empty the kettle"
beside "fill it with water")."""
_NOWHERE: Final = SIGNALS.index("a value that is nowhere in the source")
_GAIN: Final = SIGNALS.index(FAMILIES["counterclaims"][1])
_PROVED: Final = 0.3
"""How much more a source entails a clause with its own value in the place of one that it nowhere
has, from which on it contradicts the clause, whatever the other signals say. On eight sets of chat
answers (182 of them) 129 such clauses were wrong and 3 right. With names, from .5 on, 38 were wrong
and 5 right, and beside a folder of files right names were doubted by those of other things."""
_AGAINST: Final = 0.6
"""How likely it contradicts then, at least. Beside pages that speak of other things too it is not
enough where another one supports the clause."""
SAME_WORDS: Final = 0.6
"""The share of a clause's other words, by weight, that stands beside another value, above which
nothing but the value differs. On everyday text 37 of 46 such sentences were wrong."""


class Shares(NamedTuple):
    """The probabilities that a source contradicts a claim, leaves it open, or supports it."""

    contradicts: float
    silent: float
    supports: float

    @property
    def backing(self) -> float:
        """How much likelier it is that the source supports a claim than that it contradicts it, in
        [-1, 1]. On 178 texts more right sentences were supported by it than by the support alone,
        .153 instead of .141, where .02 of the wrong ones were."""
        return self.supports - self.contradicts


class Settling(NamedTuple):
    """How the sources of a message together settle a claim: the weights of `SUMMARY`, or of
    `BESIDE`, and the probability of being wrong from which a claim is doubted, or up to which it is
    supported."""

    weights: tuple[float, ...]
    intercept: float
    doubted: float
    supported: float

    def wrong(self, samples: Sequence[Shares], references: Sequence[Shares] = ()) -> float:
        """Return the probability that a claim is wrong beside at least one sample; with `BESIDE`
        beside at least one reference, too."""
        summed = zip(self.weights, summary(samples, references), strict=True)
        return 1 / (1 + math.exp(-self.intercept - sum(weight * one for weight, one in summed)))


class Calibration(NamedTuple):
    """What turns the signals of one source into `Shares`, and these into stances.

    A reference contradicts from the probability ``contradicts`` on, and supports from the
    `Shares.backing` ``supports`` on; ``sample_contradicts`` and ``sample_supports`` are the same of
    a sample. ``samples`` settle a claim alone, ``both`` beside references that speak of it: of 970
    wrong clauses both find .33 at .022 false alarms, references .24 and samples .23 at .020.
    """

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    contradicts: float
    supports: float
    sample_contradicts: float
    sample_supports: float
    samples: Settling
    both: Settling

    def shares(self, signals: Sequence[float], *, sample: bool = False) -> Shares:
        """Return the stances of a source with these signals, as probabilities. Of a ``sample`` a
        counterclaim is a signal among others."""
        certain = settled(signals, sample=sample)
        if certain is not None:
            return certain
        powers = [
            intercept + sum(w * f for w, f in zip(weights, signals, strict=True))
            for weights, intercept in zip(self.weights, self.intercepts, strict=True)
        ]
        powers = [math.exp(one - max(powers)) for one in powers]
        against, silent, backing = (one / sum(powers) for one in powers)
        proved = signals[_NOWHERE] > 0 and signals[_GAIN] >= _PROVED and not sample
        if proved and against < _AGAINST:
            rest = (1 - _AGAINST) / (1 - against)
            return Shares(_AGAINST, silent * rest, backing * rest)
        return Shares(against, silent, backing)


def settled(signals: Sequence[float], *, sample: bool = False) -> Shares | None:
    """Return what no encoder decides; else None. Another value or name in the midst of the
    same words contradicts; in a ``sample``, which speaks of much else, only in its very place: of
    48 clauses beside whose words one had another value 28 were wrong, beside a reference 43 of 45.
    That a sentence has all words of a clause is a signal among others: they may stand in two
    clauses there."""
    beside = signals[DIFFERS] >= SAME_WORDS and not sample
    if beside or any(signals[at] >= 1 for at in _IN_PLACE):
        return Shares(1.0, 0.0, 0.0)
    return None


def summary(samples: Sequence[Shares], references: Sequence[Shares] = ()) -> tuple[float, ...]:
    """Return what `Settling` reads of the samples, as `SUMMARY` names it, and of the references, if
    there are any, as `BESIDE` does."""
    against = [odds(one.contradicts) for one in samples]
    backing = [odds(one.supports) for one in samples]
    count = len(samples)
    found = max(against), sum(against) / count, max(backing), sum(backing) / count
    if not references:
        return found
    return (
        *found,
        max(odds(one.contradicts) for one in references),
        max(odds(one.supports) for one in references),
    )


@cache
def load_calibration(*, verifier: bool) -> Calibration:
    """Return the calibration that ships, with an encoder or for words and values alone."""
    kept = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return TypeAdapter(Calibration).validate_python(kept["verifier" if verifier else "words"])
