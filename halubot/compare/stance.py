"""Does another text support a fact, contradict it, or say nothing of it?

No triples are taken from the other text: its sentences are asked for the fact's words and
values. A text supports where one of its sentences holds the fact's tail, near enough in its
relation, with the same polarity. It contradicts where the relation is there and its place is held
by another value, or where it says the opposite. In doubt it is silent: a wrong contradiction
of a true statement is the worst of errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

from halubot.facts import Fact
from halubot.compare.claim import Claim, part, share
from halubot.compare.claims import claims
from halubot.compare.counterparts import Counterpart, Exchange, counterpart
from halubot.compare.exchanges import Rival, place
from halubot.compare.finding import UNNAMED, Compared, Finding
from halubot.compare.forms import acronyms, initials
from halubot.compare.meeting import Meeting, is_life, lacks, meetings
from halubot.compare.names import same_name
from halubot.compare.naming import Topics
from halubot.compare.relations import EVENTS
from halubot.compare.rivals import rival
from halubot.compare.old_roles import is_unsaid
from halubot.compare.subjects import speaks_of
from halubot.compare.textindex import Asked, SentenceIndex, TextIndex
from halubot.compare.values import compatible
from halubot.compare.tokens import Worded, tokens, worded
from halubot.text import Document, Span

# The share of a fact's tail that must be there, by weight.
COVERED = 0.7
# The share of its relation that must be there, unless the tail alone tells enough.
RELATED = 0.5
# The share of the words around it by which a sentence with all its values says nearly the same.
AROUND = 0.5
# A tail tells enough from this weight on: a name of two words, or four common words.
DISTINCTIVE = 4.0


class Matcher:
    """Compares the facts of one message with other texts."""

    def __init__(self, message: Document, facts: Sequence[Fact], subject: str | None) -> None:
        self._claims = claims(message, facts, subject)
        self._asked = _asked(self._claims)
        self._sentences = [part(message.plain, *span) for span in message.sentences]
        self._told: list[list[Claim]] = [[] for _ in message.sentences]
        for claim in self._claims:
            for number in claim.fact.sentences:
                self._told[number].append(claim)
        self._topics = Topics(self._claims)

    def compare(
        self, other: Document | Worded, title: str = "", *, found: bool = False
    ) -> list[Finding]:
        """One finding a fact, in the order of the facts. Takes time linear in the length of the
        other text; an empty text is silent on everything. ``title`` is what the text calls itself,
        which tells of whom it speaks where it names nobody. A passage that was ``found`` by its
        words is silent on what it does not name (`halubot.compare.naming`). Never raises."""
        text = worded(other)
        index = TextIndex(text, self._asked, title)
        return [
            _compare(claim, index, text.document) if named else UNNAMED
            for claim, named in zip(self._claims, self._named(index, found), strict=True)
        ]

    def to_the_letter(
        self, other: Document | Worded, title: str = "", *, found: bool = False
    ) -> Compared:
        """The same for a text that is taken at its word, where a sentence that says the same in
        nearly the same words (`halubot.compare.counterparts`) is the best witness of values: of
        those it exchanges, whatever else supports them, and of those it has, whatever else
        denies them. Of a fact's own value the text has another one in the same place: that counts
        before any counterpart."""
        text = worded(other)
        index = TextIndex(text, self._asked, title)
        named = self._named(index, found)
        facing = zip(self._claims, named, strict=True)
        spoken = {one for claim, known in facing if known for one in claim.fact.sentences}
        beside = [
            counterpart(own, index, partial(_may_say, self._told[number], index))
            if number in spoken or not found
            else None
            for number, own in enumerate(self._sentences)
        ]
        facts = [
            _by_counterparts(claim, _compare(claim, index, text.document), beside, text.document)
            if known
            else UNNAMED
            for claim, known in zip(self._claims, named, strict=True)
        ]
        return Compared(facts, [_of_sentence(one, text.document) for one in beside], named)

    def _named(self, index: TextIndex, found: bool) -> list[bool]:
        """Of which facts a text may speak."""
        return self._topics.named(index) if found else [True] * len(self._claims)


def _may_say(told: Sequence[Claim], index: TextIndex, sentence: SentenceIndex) -> bool:
    """Whether a sentence may speak of all that a sentence of the message tells of."""
    return all(speaks_of(claim, sentence, index) for claim in told)


def _of_sentence(found: Counterpart | None, other: Document) -> Finding:
    """What the counterpart of a sentence says of it."""
    if found is None or (found.unmet and not found.exchanges):
        return Finding("silent", 0.0)
    if found.exchanges:
        return _exchanged(found, found.exchanges[0], other)
    again = found.sentence
    return Finding("supports", 1.0, again.start, again.end, note="says so too")


def _by_counterparts(
    claim: Claim, finding: Finding, beside: Sequence[Counterpart | None], other: Document
) -> Finding:
    """What a text says of a fact, with what it has in the place of the fact's values, or has as
    well, where it says the fact's sentence again."""
    told = [beside[number] for number in claim.fact.sentences if number < len(beside)]
    known = [one for one in told if one is not None]
    agreed = bool(known) and not any(one.exchanges or one.unmet for one in known)
    elsewhere = all(one.sentence.start != finding.start for one in known)
    whole = agreed and len(known) == len(told)
    again = (known[0].sentence.start, known[0].sentence.end) if whole else None
    if finding.stance == "contradicts" and whole and elsewhere:
        return Finding("silent", COVERED - 0.01, near=again)
    if finding.stance == "silent" and whole:
        return replace(finding, near=again)
    if finding.value is not None:
        return finding
    for found in known:
        for exchange in found.exchanges:
            if any(start <= exchange.own.start < end for start, end in claim.fact.spans):
                replaces = any(exchange.own.start == value.start for value in claim.values)
                return _exchanged(found, exchange, other, whole=replaces)
    return finding


def _exchanged(
    found: Counterpart, exchange: Exchange, other: Document, *, whole: bool = True
) -> Finding:
    """The contradiction of an exchanged value; its rival is named where it could stand in the
    ``whole`` value's place."""
    span = place(exchange.own, exchange.other, found.sentence)
    note = f"says {other.text[slice(*span)]}"
    return _contradiction(Rival(0.9, found.sentence, span if whole else None, note), other)


def _asked(found: Sequence[Claim]) -> Asked:
    """The names of the claims that have an acronym or are one."""
    spelt: dict[str, frozenset[str]] = {}
    short: set[str] = set()
    for name in {name for claim in found for name in claim.names}:
        words = tokens(name, 0, len(name))
        short.update(acronyms(words))
        if initials(name):
            spelt[initials(name)] = frozenset(w.norm for w in words if w.kind != "stop")
    return Asked(spelt, frozenset(short))


def _compare(claim: Claim, index: TextIndex, other: Document) -> Finding:
    met = meetings(claim, index)
    supports = [(_support(meeting), meeting.sentence) for meeting in met.meetings]
    supports = [found for found in supports if found[0]] or _life(claim, index)
    if index.title:  # "it" is what a text with a title speaks of
        supports = [
            found
            for found in supports
            if not found[1].continues or speaks_of(claim, found[1], index)
        ]
    best = own = max(supports, key=itemgetter(0), default=None)
    # What is said of another bears a fact out, unless another value is given of its own subject.
    if best is not None and any(map(_lacks_it, met.meetings)):
        spoken = (found for found in supports if speaks_of(claim, found[1], index))
        own = max(spoken, key=itemgetter(0), default=None)
    found = rival(claim, met.meetings, index) if own is None else None
    if found is not None and (found.value is not None or best is None):
        return _contradiction(found, other)
    if best is not None:
        strength, said = own or best
        return Finding("supports", strength, said.start, said.end, note="says so too")
    lacking = lacks(claim, met, index)
    near = None if lacking else _nearest(claim, met.meetings, index)
    return Finding("silent", min(met.wording, COVERED - 0.01), lacking=lacking, near=near)


def _nearest(claim: Claim, met: Sequence[Meeting], index: TextIndex) -> Span | None:
    """The sentence that holds most of the claim's words, or of those around it, and all its
    values, as far as it tells of the same event, speaks of the same and does not deny it."""
    events = frozenset().union(*EVENTS) & claim.relation.keys()
    worded = [
        one
        for one in met
        if not one.missing
        and (
            min(one.wording / COVERED, one.relation / RELATED) >= 1
            or share(claim.around.words, one.sentence.stems) >= AROUND
        )
        and events <= one.sentence.stems.keys()
    ]
    for one in sorted(worded, key=lambda one: -one.wording):
        if not one.opposed and one.foreign is None and speaks_of(claim, one.sentence, index):
            return one.sentence.start, one.sentence.end
    return None


def _lacks_it(meeting: Meeting) -> bool:
    """Whether the sentence has the claim's relation, and neither its value nor its name."""
    claim = meeting.claim
    if meeting.relation < RELATED or not (claim.values or claim.name):
        return False
    return bool(meeting.missing) if claim.values else meeting.tail < COVERED


def _life(claim: Claim, index: TextIndex) -> list[tuple[float, SentenceIndex]]:
    """The sentences that give the claim's own date of a birth or death."""
    if not claim.life:
        return []
    dates = index.life.births if claim.life == "birth" else index.life.deaths
    return [
        (1.0, sentence)
        for date, sentence in dates
        if compatible(claim.values[0], date) and is_life(claim, sentence, index)
    ][:1]


def _contradiction(found: Rival, other: Document) -> Finding:
    sentence = found.sentence
    if found.value is None:
        return Finding("contradicts", found.strength, sentence.start, sentence.end, note=found.note)
    start, end = found.value
    written = other.text[start:end]
    note = f"says {written}"
    span = sentence.start, sentence.end
    return Finding("contradicts", found.strength, *span, written, note, start, end)


def _support(meeting: Meeting) -> float:
    """How fully a sentence supports the claim, 0 where it does not."""
    claim = meeting.claim
    if not meeting.headed or meeting.missing:
        return 0.0
    if meeting.tail < COVERED and not (meeting.tail and _is_renamed(meeting)):
        return 0.0
    enough = meeting.tail >= COVERED and _is_distinctive(claim)
    if not (meeting.relation >= RELATED or enough):
        return 0.0
    if not meeting.settled:
        return 0.0
    if not claim.tail and claim.values and not _is_bound(meeting):
        return 0.0
    if meeting.opposed or not _is_named(meeting):
        return 0.0
    if meeting.foreign is not None or is_unsaid(claim, meeting.sentence):
        return 0.0
    return max(meeting.tail, COVERED) * (0.6 + 0.4 * meeting.relation)


def _is_named(meeting: Meeting) -> bool:
    """Whether all names of the tail are there, or the tail is one name in another form."""
    claim, sentence = meeting.claim, meeting.sentence
    if all(stem in sentence.stems for stem in claim.required):
        return True
    return bool(claim.name) and any(
        same_name(claim.name, sentence.plain[start:end]) for start, end in sentence.names
    )


def _is_renamed(meeting: Meeting) -> bool:
    """Whether the tail is a name that stands here in a shorter form: "H. Keller"."""
    claim, sentence = meeting.claim, meeting.sentence
    whole = claim.name == claim.fact.triple.tail and claim.surname in sentence.stems
    return whole and sentence.named(claim.name)


def _is_distinctive(claim: Claim) -> bool:
    return sum(claim.tail.values()) >= DISTINCTIVE


def _is_bound(meeting: Meeting) -> bool:
    own = meeting.claim.values[0]
    return any(compatible(own, value) for value in meeting.bound())
