"""Predicates: a verb and the words after it as triples in words, which are not facts yet.

Each object, description and detail makes a triple of its own. The relation of a detail carries the
words that it needs: "founded in", "played football at".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims.attachment import (
    EXAMPLES,
    Before,
    belongs,
    doing,
    goes_on,
    group,
    is_light,
    is_of_the_text,
    many_of,
    pairs_after,
    past_texts,
    stretch,
)
from halubot.claims.mentions import Mentions
from halubot.claims.nouns import Item, Nouns
from halubot.claims.verbs import Phrase

# Prepositions whose phrase belongs to the noun before it, by what that noun is.
_WITH_OBJECT: Final = lex.words(
    "of between about against among for with on per than like regarding"
)
_WITH_DETAIL: Final = lex.words("of between in for with on near per")
_WITH_DESCRIPTION: Final = lex.words("between about against among for with on in than like")
# An adjective with one of these says nothing without what follows ("responsible for").
_COMPLETING: Final = lex.words("for to of with from as")
_GIVING: Final = lex.words(
    "give gives gave given offer offers offered send sends sent show shows showed shown teach"
    " taught tell told award awarded grant granted lend lent bring brought hand handed promise"
    " promised cost costs make makes made call calls called name named elect elected"
)
# "wants drivers to be 21" does not say that it wants drivers.
_ASKING: Final = lex.words("want wants wanted expect expects expected")
_INCOMPLETE_NOUNS: Final = lex.words("home part member subject")
# After these a place is named, which "that" and "who" do not mean.
_PLACING: Final = lex.words("in at from near")
# Without one of these an adjective says something else: "too salty", "less salty".
_DEGREES: Final = lex.words("too more less most least equally half hardly barely nearly almost")
_HOW_MUCH: Final = lex.words("more less most least")
_CARRIED: Final = 6  # words of an object that a detail's relation may carry
_MAX_SUBJECTS: Final = 8


class Draft(NamedTuple):
    """A triple in words: ``relation`` are their indexes; ``implied`` are a relation's words
    that do not stand in the sentence."""

    head: Item
    relation: tuple[int, ...]
    tail: Item | None
    negated: bool
    implied: str = ""


def relation_words(nouns: Nouns, verb: Phrase) -> tuple[int, ...]:
    """The words of a verb group that a relation keeps: no auxiliaries of tense or voice, no
    "also" or "then"; a negated verb keeps all."""
    words = nouns.words
    indexes = tuple(range(verb.first, verb.last))
    # "Was not born" needs its auxiliary: it is what is denied.
    if verb.negated:
        return indexes
    kept = []
    for k in indexes:
        word = words[k]
        rest = {other.tag for other in words[k + 1 : verb.last]}
        infinite = k > 0 and words[k - 1].tag == "TO"
        tense = word.tag in ("HV", "DO") and not infinite and rest & {"VN", "VD", "VB", "VG"}
        voice = word.tag == "BE" and word.low != "be" and "VN" in rest
        said = word.tag == "RB" and word.low in lex.DISCOURSE
        if not (tense or voice or said or (k == verb.first and word.tag == "TO")):
            kept.append(k)
    return tuple(kept) or indexes


class Lead(NamedTuple):
    """A detail before its clause: "In 1997, ..."."""

    preposition: int
    item: Item


def worth(nouns: Nouns, drafts: list[Draft]) -> list[Draft]:
    """Without those whose tail is a bare pronoun, if others say more."""
    words = nouns.words
    telling = [
        draft
        for draft in drafts
        if draft.tail is None
        or draft.tail.last - draft.tail.first > 1
        or words[draft.tail.first].tag not in ("PR", "DT")
    ]
    return telling or drafts


def leading(
    leads: Sequence[Lead], drafts: Sequence[Draft], relation: tuple[int, ...], negated: bool
) -> list[Draft]:
    """The details before a clause, as details of its verb, whose ``drafts`` are told."""
    found: list[Draft] = []
    # Once for each clause: "In 1997 it built ships and boats" says the year of the building.
    for lead in leads:
        for draft in drafts:
            if draft.relation[: len(relation)] != relation:
                continue
            tail = draft.tail
            carried = relation
            # The object goes into the relation, or "built in 1997" would be said of all that they
            # built.
            if tail and draft.relation == relation and tail.last - tail.first <= _CARRIED:
                carried = (*relation, *range(tail.first, tail.last))
            denied = negated or draft.head.text.startswith("no ")
            found.append(Draft(draft.head, (*carried, lead.preposition), lead.item, denied))
            break
    return found


class Predicate:
    """A verb with its subjects, reading on from it. ``noun`` is the noun read last, and
    ``describes`` tells whether it describes the subjects ("is a *band*")."""

    def __init__(
        self,
        nouns: Nouns,
        mentions: Mentions,
        subjects: Sequence[Item],
        relation: tuple[int, ...],
        *,
        negated: bool = False,
        copula: bool = False,
        implied: str = "",
        inside: bool = False,
    ) -> None:
        self._nouns = nouns
        self._mentions = mentions
        self._subjects = subjects[:_MAX_SUBJECTS]
        self._base = self._slot = self._verb = relation
        self._whole: Item | None = None  # its one object
        self._negated = self._slot_negated = negated
        self._copula = copula
        self._implied = implied
        self._inside = inside  # a relative clause: a verb after it is not of its nouns
        self._attach = _WITH_DESCRIPTION if copula else _WITH_OBJECT
        self._wants_object = True
        self._pending: list[Item] = []  # not told yet: the last may still be extended
        self._several: tuple[int, ...] | None = None  # the relation to a plural, for its examples
        self._latest: tuple[int, ...] = relation  # the relation and noun told last
        self.drafts: list[Draft] = []
        self.noun: Item | None = None
        self.describes = False
        self.within = False  # whether "with" governs that noun ("with people visiting it")
        self.textual = False  # whether it names the text that is read ("stated in passage 2")
        self.placed = False  # whether that noun tells where ("born in *Paris*")

    @property
    def relation(self) -> tuple[int, ...]:
        """The words of the relation to what follows: the verb with what belongs to it."""
        return self._base

    def read(self, i: int) -> int:
        """Read from the phrase ``i`` on; return the place at which the next clause begins."""
        nouns = self._nouns
        while i < len(nouns.phrases):
            phrase = nouns.phrases[i]
            before = i
            if phrase.kind == "noun":
                fresh = self._pending or self._wants_object
                if fresh and not self._inside and nouns.starts_clause(i):
                    break
                i = self._object(i)
            elif phrase.kind == "prep" and nouns.low(i) == "rather" and nouns.kind(i + 1) == "verb":
                break  # "sent back rather than altered": nothing was altered
            elif phrase.kind == "prep":
                i = self._detail(i)
            elif phrase.kind == "adj":
                i = self._adjective(i)
            elif phrase.kind == "adv":
                i = self._adverbs(i)
            elif phrase.kind == "verb" and phrase.mood == "inf":
                i = self._infinitive(i)
            elif (
                phrase.kind == "and"
                and nouns.kind(i + 1) == "prep"
                and nouns.kind(i + 2) == "noun"
                and not nouns.leads_verb(i + 1)
            ):
                i += 1
            elif phrase.kind == "mark" and nouns.low(i) == ":" and self._is_waiting():
                i += 1  # "The members are: Chad, Mali"
            elif phrase.kind == ",":
                i = self._after_comma(i)
            if i == before:
                break
        self._tell()
        return i

    def emit(self, relation: tuple[int, ...], tail: Item | None, negated: bool) -> None:
        """A triple for each subject."""
        for subject in self._subjects:
            denied = negated or subject.text.startswith("no ")  # "no trains run"
            self.drafts.append(Draft(subject, relation, tail, denied, self._implied))

    def _tell(self) -> None:
        for item in self._pending:
            self.emit(self._slot, item, self._slot_negated)
        self._pending.clear()

    def _is_waiting(self) -> bool:
        """Return True if the verb has nothing yet."""
        return self._wants_object and not self.drafts and not self._pending

    def _carry(self, item: Item) -> tuple[int, ...]:
        """The slot's words with a noun's, if that is not too long."""
        if item.last - item.first > _CARRIED:
            return self._slot
        return (*self._slot, *range(item.first, item.last))

    def _object(self, i: int) -> int:
        nouns = self._nouns
        self._tell()
        phrase = nouns.phrases[i]
        first = self._wants_object
        many = many_of(nouns, i)
        if many:
            self._slot = (*self._slot, *many)
            i += 2
        items, i = group(nouns, i, of=not (self._copula and first), subject=self._inside)
        if len(items) > 1 and nouns.kind(i) == "noun" and not self._gives():
            # "The state pays 60 percent and the city the rest": the verb is left out
            items, i = items[:-1], i + 1
        self._pending = items
        self._slot_negated = self._negated or phrase.negated
        if phrase.negated and nouns.words[phrase.first].low == "no":
            self._slot = (*self._slot, phrase.first)
        self._took(items[-1])
        self.describes = self._copula and first and not self._identifies(items[-1])
        if not first:
            return i
        self._wants_object = False
        if self._copula:
            for subject in self._subjects:
                for item in items:
                    self._mentions.describe(subject.text, item.head)
            if len(items) == 1 and items[0].name and self._is_role(items[0]):
                # "The first president was Ada Lovelace. She ..."
                self._mentions.subject(items[0].text, items[0].head, name=True, plural=False)
                self._mentions.describe(items[0].text, self._subjects[0].head)
            self._base = self._latest
        elif len(items) == 1:
            self._base = self._latest
            self._whole = items[0]
        light = items[0].head in lex.LIGHT_OBJECTS or (
            self._copula and items[0].head in _INCOMPLETE_NOUNS
        )
        if light and nouns.kind(i) == "prep" and len(items) == 1:
            self._pending = []
        return i

    def _gives(self) -> bool:
        """Return True for a verb of two objects: "gave the boys and the girls the prize"."""
        words = self._nouns.words
        forms = {words[k].low for k in self._verb}
        return not _GIVING.isdisjoint(forms)

    def _identifies(self, item: Item) -> bool:
        """Return True if a description names who or what is meant: "The smallest bird is the
        wren"."""
        definite = item.first > 0 and self._nouns.words[item.first - 1].low == "the"
        return (item.name or definite) and not self._subjects[0].name

    def _is_role(self, name: Item) -> bool:
        """Return True if the subject is a role that the name after "is" fills: "The first president
        of the club was Ada Lovelace"."""
        words, subject = self._nouns.words, self._subjects[0]
        if not subject.name:
            return True
        article = subject.first > 0 and words[subject.first - 1].low in lex.ARTICLES
        named = words[name.first - 1].low not in lex.DETERMINERS
        return article and named and not subject.resolved and " of " in subject.text

    def _adverbs(self, i: int) -> int:
        """Pass adverbs. Those of a comparison belong to the verb: "grew faster than", "grew more
        slowly", "pay less"."""
        nouns, end = self._nouns, i
        while nouns.kind(end) == "adv":
            end += 1
        graded = end - i > 1 and nouns.low(end - 2) in ("more", "less") and not self._copula
        closed = nouns.kind(end) in ("", ",", "mark", "and")
        graded |= closed and nouns.low(end - 1) in _HOW_MUCH and not self._copula
        if graded or (nouns.kind(end) == "prep" and nouns.low(end) == "than"):
            words = range(nouns.phrases[i].first, nouns.phrases[end - 1].last)
            self._base = self._slot = (*self._base, *words)
        return end

    def _detail(self, i: int) -> int:
        nouns = self._nouns
        phrase = nouns.phrases[i]
        low = nouns.low(i)
        self.within = low == "with"
        words = tuple(range(phrase.first, phrase.last))
        self._wants_object = False
        if nouns.kind(i + 1) == "verb" and nouns.phrases[i + 1].mood == "ing":
            self._tell()
            item, end = doing(nouns, i)
            self.emit((*self._base, *words), item, self._negated)
            return end
        if nouns.kind(i + 1) != "noun":
            return i + 1
        if not self._copula and (low == "as" or self._whole):
            pairs, end = pairs_after(nouns, i, low)
            if pairs:
                return self._read_pairs(i, pairs, end)
        if self._pending and low == "to" and self._is_count(i):
            return self._extend(i, low)  # "by 31 votes to 22"
        if self._pending:
            told = self._base != self._slot and len(self._pending) == 1
            slot = nouns.words[self._slot[-1]].low if self._slot else ""
            before = Before(self._pending[-1], slot, told, self._copula, self._attach)
            if belongs(nouns, i, before):
                return self._extend(i, low)
        if is_of_the_text(nouns, i):
            self.textual = True
            return past_texts(nouns, i + 1)
        twins: list[Item] = []
        if self._copula and low == "of" and self._base != self._slot:
            twins = self._pending[:-1]  # "the capital and largest city of"
            self._pending.clear()  # "is a member of": incomplete alone
        if self._copula and low == "by" and self._pending and self._pending[-1].name:
            return self._made_by(i)
        verb = nouns.words[self._slot[-1]].low if self._slot else ""
        if not self._pending and is_light(nouns, i, verb):
            self._base = self._slot = (*self._slot, *words, nouns.phrases[i + 1].first)
            return i + 2
        predicate = self._slot
        self._tell()
        if low not in EXAMPLES or self.noun is None:
            self._slot = (*self._base, *words)
        elif self._several:
            self._slot = self._several
        self._slot_negated = self._negated or nouns.phrases[i + 1].negated
        self._attach = _WITH_DETAIL
        items, end = group(nouns, i + 1, split=low not in ("between", "from"), subject=self._inside)
        if low == "from" and nouns.low(end) in ("to", "until"):
            items, end = stretch(nouns, i + 1, items, end)
        for twin in twins:
            for item in items:
                relation = (*predicate, *range(twin.first, twin.last), *words)
                self.emit(relation, item, self._slot_negated)
        self._pending = items
        described = self.describes and items[-1].name and low in _PLACING
        self._took(items[-1])
        self.describes, self.placed = described, low in _PLACING
        return end

    def _is_count(self, i: int) -> bool:
        """Return True for "to" and a number alone after a noun with a number."""
        words, last = self._nouns.words, self._pending[-1]
        counted = words[last.first].tag == "CD" or words[last.first].text[:1].isdigit()
        phrase = self._nouns.phrases[i + 1]
        alone = phrase.last == phrase.first + 1 and words[phrase.first].tag == "CD"
        return counted and alone and last.last == self._nouns.phrases[i].first

    def _made_by(self, i: int) -> int:
        """ "is "Salt" by Nina Sand": who made what the subject is."""
        nouns = self._nouns
        work = self._pending[-1]
        self._tell()
        items, end = group(nouns, i + 1)
        for item in items:
            self.drafts.append(Draft(work, (nouns.phrases[i].first,), item, False))
        self.noun, self.describes = items[-1], False
        return end

    def _read_pairs(self, i: int, pairs: list[tuple[Item, int, Item]], end: int) -> int:
        nouns = self._nouns
        self._tell()
        first, _ = nouns.of_chain(i + 1)
        self.emit((*self._base, nouns.phrases[i].first), first, self._negated)
        for item, preposition, detail in pairs:
            if self._whole is None:  # "A starred as B and C as D"
                relation = (*self._verb, preposition)
                self.drafts.append(Draft(item, relation, detail, self._negated))
                continue
            self.emit(self._verb, item, self._negated)
            carried = (*self._verb, *range(item.first, item.last), preposition)
            self.emit(carried, detail, self._negated)
        self.noun, self.describes = pairs[-1][2], False
        return end

    def _took(self, item: Item) -> None:
        """Take note of the noun read last."""
        self.noun, self.describes = item, False
        self._latest = self._carry(item)
        if lex.is_plural(item.head) or self._several is None:
            self._several = self._slot

    def _extend(self, i: int, low: str) -> int:
        """Add a detail to the noun before it; a list opens a slot of its own instead."""
        nouns = self._nouns
        last = self._pending[-1]
        phrase = nouns.phrases[i]
        items, end = group(nouns, i + 1)
        if len(items) > 2 and len(self._pending) == 1:
            self._tell()
            self._slot = (*self._latest, *range(phrase.first, phrase.last))
            self._pending = items
        else:
            self._pending[-1] = nouns.span_item(last.first, items[-1].last, last.head, last.name)
        described = self.describes and items[-1].name and low in _PLACING
        self.noun, self.describes = items[-1], described
        self._latest = self._carry(self._pending[-1])
        return end

    def _adjective(self, i: int) -> int:
        nouns = self._nouns
        self._tell()
        if not self._wants_object:
            # "making it useful"
            self._base = self._latest = (
                *self._latest,
                *range(nouns.phrases[i].first, nouns.phrases[i].last),
            )
            return i + 1
        items = [self._graded(i)]
        i += 1
        while nouns.kind(i) in (",", "and"):
            j = i + 2 if nouns.kind(i + 1) == "and" else i + 1
            j += nouns.kind(j) == "adv"
            if nouns.kind(j) != "adj":
                break
            items.append(nouns.item(nouns.phrases[j]))
            i = j + 1
        self._wants_object = False
        if len(items) == 1:
            self._base = self._latest = self._carry(items[0])
        complete = nouns.kind(i) != "prep" or nouns.low(i) not in _COMPLETING or len(items) > 1
        if complete:
            self._pending = items
        return i

    def _graded(self, i: int) -> Item:
        """An adjective with the adverb before it that says how much of it there is: "too salty"."""
        nouns, phrase = self._nouns, self._nouns.phrases[i]
        if nouns.kind(i - 1) != "adv" or nouns.words[phrase.first - 1].low not in _DEGREES:
            return nouns.item(phrase)
        head = nouns.words[phrase.head]
        return nouns.span_item(phrase.first - 1, phrase.last, head.low, head.tag == "NP")

    def _infinitive(self, i: int) -> int:
        phrase = self._nouns.phrases[i]
        words = range(phrase.first, phrase.last)
        asked = self._nouns.words[self._slot[-1]].low if self._slot else ""
        if asked in _ASKING:
            self._pending.clear()
        self._tell()
        self._base = self._slot = self._latest = (*self._latest, *words)
        self._wants_object = True
        self._copula = False
        self._attach = _WITH_OBJECT
        return i + 1

    def _after_comma(self, i: int) -> int:
        """Past a comma after which this predicate goes on: an apposition to the noun
        before it, or a further detail ("in Paris, France, to a Jewish family")."""
        nouns = self._nouns
        if self.noun and nouns.kind(i + 1) == "noun":
            about = nouns.trailing(self.noun)
            end = nouns.apposition(about, i + 1)
            if end and nouns.kind(end) == "," and goes_on(nouns, end):
                self._tell()
                item, _ = nouns.of_chain(i + 1)
                self.drafts.append(Draft(about, (), item, False, "is"))
                return end + 1
        return i + 1 if goes_on(nouns, i) else i
