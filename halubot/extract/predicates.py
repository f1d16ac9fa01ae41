"""What follows a verb: objects, descriptions and details, each a triple of its own.

The relation of a detail carries the words that it needs: "founded in", "played football at".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.extract import lexicon as lex
from halubot.extract.mentions import Mentions
from halubot.extract.nouns import Item, Nouns
from halubot.extract.verbgroups import Phrase

# Prepositions whose phrase belongs to the noun before it, by what that noun is.
_WITH_OBJECT: Final = lex.words(
    "of between about against among for with on per than like regarding"
)
# After these "to" belongs to their noun: "known for her reaction to".
_WITH_TO: Final = lex.words("for of about with despite without")
_WITH_NAME: Final = lex.words("of in")
_WITH_DETAIL: Final = lex.words("of between in for with on near per")
_WITH_DESCRIPTION: Final = lex.words("between about against among for with on in than like")
# An adjective with one of these says nothing without what follows ("responsible for").
_COMPLETING: Final = lex.words("for to of with from as")
_INCOMPLETE_NOUNS: Final = lex.words("home part member subject")
_EXAMPLES: Final = lex.words("including such like")
# After these a place is named, which "that" and "who" do not mean.
_PLACING: Final = lex.words("in at from near")
# "5 cm in length", "three in total" are one value.
_MEASURES: Final = lex.words("length height width diameter depth size weight total area value")
_MOVING: Final = lex.words("come comes came coming go goes went gone put puts enter")
_APART: Final = lex.words("by as to from including such like since until after before during")
_CARRIED: Final = 6  # words of an object that a detail's relation may carry
_MAX_PAIRS: Final = 50
_MAX_SUBJECTS: Final = 8


class Draft(NamedTuple):
    """A triple in words: ``relation`` are their indexes; ``implied`` are a relation's words
    that do not stand in the sentence."""

    head: Item
    relation: tuple[int, ...]
    tail: Item | None
    negated: bool
    implied: str = ""


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

    def read(self, i: int) -> int:
        """Reads from the phrase ``i`` on; returns where the next clause begins."""
        nouns = self._nouns
        while i < len(nouns.phrases):
            phrase = nouns.phrases[i]
            before = i
            if phrase.kind == "noun":
                fresh = self._pending or self._wants_object
                if fresh and not self._inside and nouns.starts_clause(i):
                    break
                i = self._object(i)
            elif phrase.kind == "prep":
                i = self._detail(i)
            elif phrase.kind == "adj":
                i = self._adjective(i)
            elif phrase.kind == "adv":
                i += 1
            elif phrase.kind == "verb" and phrase.mood == "inf":
                i = self._infinitive(i)
            elif (
                phrase.kind == "and" and nouns.kind(i + 1) == "prep" and nouns.kind(i + 2) == "noun"
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
            self.drafts.append(Draft(subject, relation, tail, negated, self._implied))

    def _tell(self) -> None:
        for item in self._pending:
            self.emit(self._slot, item, self._slot_negated)
        self._pending.clear()

    def _is_waiting(self) -> bool:
        """Whether the verb has nothing yet."""
        return self._wants_object and not self.drafts and not self._pending

    def _carry(self, item: Item) -> tuple[int, ...]:
        """The slot's words with a noun's, where that is not too long."""
        if item.last - item.first > _CARRIED:
            return self._slot
        return (*self._slot, *range(item.first, item.last))

    def _object(self, i: int) -> int:
        nouns = self._nouns
        self._tell()
        phrase = nouns.phrases[i]
        first = self._wants_object
        i = self._many_of(i)
        items, i = nouns.group(i, of=not (self._copula and first), subject=self._inside)
        self._pending = items
        self._slot_negated = self._negated or phrase.negated
        if phrase.negated and nouns.words[phrase.first].low == "no":
            self._slot = (*self._slot, phrase.first)
        self._took(items[-1])
        self.describes = self._copula and first
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

    def _is_role(self, name: Item) -> bool:
        """Whether the subject is a role that the name after "is" fills: "The first president of
        the club was Ada Lovelace"."""
        words, subject = self._nouns.words, self._subjects[0]
        if not subject.name:
            return True
        article = subject.first > 0 and words[subject.first - 1].low in lex.ARTICLES
        named = words[name.first - 1].low not in lex.DETERMINERS
        return article and named and not subject.resolved and " of " in subject.text

    def _many_of(self, i: int) -> int:
        """ "Themes of family, ambition and loss" are three themes: past "themes of"."""
        nouns = self._nouns
        if nouns.low(i + 1) != "of" or nouns.kind(i + 1) != "prep" or nouns.kind(i + 2) != "noun":
            return i
        phrase = nouns.phrases[i]
        if nouns.words[phrase.head].tag != "NN":
            return i
        items, _ = nouns.group(i + 2, of=False)
        if len(items) < 3 or any(nouns.words[item.first - 1].tag in ("DT", "PS") for item in items):
            return i
        item = nouns.item(phrase)
        self._slot = (*self._slot, *range(item.first, item.last), nouns.phrases[i + 1].first)
        return i + 2

    def _detail(self, i: int) -> int:
        nouns = self._nouns
        phrase = nouns.phrases[i]
        low = nouns.low(i)
        self.within = low == "with"
        words = tuple(range(phrase.first, phrase.last))
        self._wants_object = False
        if nouns.kind(i + 1) == "verb" and nouns.phrases[i + 1].mood == "ing":
            self._tell()
            return self._doing(i, (*self._base, *words))
        if nouns.kind(i + 1) != "noun":
            return i + 1
        pairs, end = self._pairs(i, low)
        if pairs:
            return self._paired(i, pairs, end)
        if self._pending and self._belongs(i, low):
            return self._extend(i, low)
        if self._of_the_text(i):
            self.textual = True
            return self._past_texts(i + 1)
        twins: list[Item] = []
        if self._copula and low == "of" and self._base != self._slot:
            twins = self._pending[:-1]  # "the capital and largest city of"
            self._pending.clear()  # "is a member of": incomplete alone
        if self._copula and low == "by" and self._pending and self._pending[-1].name:
            return self._made_by(i)
        if self._is_light(i, low):
            self._base = self._slot = (*self._slot, *words, nouns.phrases[i + 1].first)
            return i + 2
        predicate = self._slot
        self._tell()
        if low not in _EXAMPLES or self.noun is None:
            self._slot = (*self._base, *words)
        elif self._several:
            self._slot = self._several
        self._slot_negated = self._negated or nouns.phrases[i + 1].negated
        self._attach = _WITH_DETAIL
        items, end = nouns.group(i + 1, split=low not in ("between", "from"), subject=self._inside)
        if low == "from" and nouns.low(end) in ("to", "until"):
            items, end = self._stretch(i + 1, items, end)
        for twin in twins:
            for item in items:
                relation = (*predicate, *range(twin.first, twin.last), *words)
                self.emit(relation, item, self._slot_negated)
        self._pending = items
        described = self.describes and items[-1].name and low in _PLACING
        self._took(items[-1])
        self.describes, self.placed = described, low in _PLACING
        return end

    def _made_by(self, i: int) -> int:
        """ "is "Salt" by Nina Sand": who made what the subject is."""
        nouns = self._nouns
        work = self._pending[-1]
        self._tell()
        items, end = nouns.group(i + 1)
        for item in items:
            self.drafts.append(Draft(work, (nouns.phrases[i].first,), item, False))
        self.noun, self.describes = items[-1], False
        return end

    def _is_light(self, i: int, low: str) -> bool:
        """Whether the detail at ``i`` is part of what the verb means: "came into effect in"."""
        nouns = self._nouns
        phrase = nouns.phrases[i + 1]
        verb = nouns.words[self._slot[-1]].low if self._slot else ""
        bare = phrase.last - phrase.first == 1 and nouns.words[phrase.first].tag == "NN"
        known = low == "into" and verb in _MOVING and not self._pending
        return known and bare and nouns.kind(i + 2) == "prep"

    def _pairs(self, i: int, low: str) -> tuple[list[tuple[Item, int, Item]], int]:
        """What follows the detail at ``i`` in the same form: "(stars A as B,) C as D and E as
        F", each as object, preposition and detail; and the phrase after them."""
        nouns = self._nouns
        pairs: list[tuple[Item, int, Item]] = []
        _, end = nouns.of_chain(i + 1)
        if self._copula or (low != "as" and self._whole is None):
            return pairs, end
        while len(pairs) < _MAX_PAIRS:
            j = end + (nouns.kind(end) == ",")
            j += nouns.kind(j) == "and"
            if j == end or nouns.kind(j) != "noun":
                break
            item, after = nouns.of_chain(j)
            if nouns.kind(after) != "prep" or nouns.low(after) != low:
                break
            if nouns.kind(after + 1) != "noun" or not item.name:
                break
            detail, end = nouns.of_chain(after + 1)
            pairs.append((item, nouns.phrases[after].first, detail))
        return pairs, end

    def _paired(self, i: int, pairs: list[tuple[Item, int, Item]], end: int) -> int:
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

    def _of_the_text(self, i: int) -> bool:
        """Whether the detail at ``i`` names the text that is read, not the world."""
        nouns = self._nouns
        head = nouns.words[nouns.phrases[i + 1].head]
        numbered = head.tag == "CD" and nouns.words[nouns.phrases[i + 1].first].low in lex.TEXTS
        return (head.low in lex.TEXTS or numbered) and nouns.low(i + 2) != "of"

    def _past_texts(self, i: int) -> int:
        """Past "the provided passages", "Passage 2, Passage 5 and Passage 9"."""
        nouns = self._nouns
        _, end = nouns.group(i)
        while nouns.kind(end) in (",", "and"):
            j = end + 1 + (nouns.kind(end + 1) == "and")
            if nouns.kind(j) != "noun" or nouns.low(j) not in lex.TEXTS:
                break
            _, end = nouns.group(j)
        return end

    def _took(self, item: Item) -> None:
        """Takes note of the noun read last."""
        self.noun, self.describes = item, False
        self._latest = self._carry(item)
        if lex.is_plural(item.head) or self._several is None:
            self._several = self._slot

    def _belongs(self, i: int, low: str) -> bool:
        """Whether the detail at ``i`` belongs to the noun before it."""
        nouns = self._nouns
        item = self._pending[-1]
        if nouns.kind(i - 1) == "," or nouns.words[item.first].tag == "PR":
            return False
        if low == "to":
            governed = nouns.words[self._slot[-1]].low in _WITH_TO if self._slot else False
            common = nouns.words[item.last - 1].tag == "NN"
            return self._is_range(i) or (governed and common)
        if item.name and low not in _WITH_NAME:
            return False
        if low == "in" and nouns.words[nouns.phrases[i + 1].head].low in _MEASURES:
            return True
        if self._is_plain(i, low):
            return True
        if low not in self._attach or nouns.is_time(nouns.phrases[i + 1]):
            return False
        return not (low == "in" and nouns.words[item.last - 1].tag in ("CD", "DA"))

    def _is_plain(self, i: int, low: str) -> bool:
        """Whether the detail at ``i`` and the object before it are common nouns, and so told
        as one: "dug a tunnel under the wall"."""
        nouns = self._nouns
        if (
            low in _APART
            or (low == "of" and self._copula)
            or len(self._pending) > 1
            or self._base == self._slot
        ):
            return False
        object_words = nouns.words[self._pending[-1].first : self._pending[-1].last]
        if any(word.tag in ("NP", "CD", "DA") for word in object_words):
            return False
        items, end = nouns.group(i + 1)
        if nouns.low(end + (nouns.kind(end) == ",")) in _EXAMPLES:
            return False
        detail = nouns.words[items[0].first : items[0].last]
        return (
            len(items) == 1
            and not nouns.is_time(nouns.phrases[i + 1])
            and not any(word.tag in ("NP", "CD", "DA", "PR") for word in detail)
        )

    def _is_range(self, i: int) -> bool:
        """Whether "to" at ``i`` joins two numbers to one value: "of 2 kg to 4 kg"."""
        nouns = self._nouns
        item = self._pending[-1]
        number = any(word.tag == "CD" for word in nouns.words[item.first : item.last])
        before = nouns.words[max(0, nouns.phrases[i - 1].first - 1)].low
        spans = self._copula or before in ("between", "of", "at", "within")
        return number and spans and nouns.is_value(i + 1)

    def _extend(self, i: int, low: str) -> int:
        """Adds a detail to the noun before it; a list opens a slot of its own instead."""
        nouns = self._nouns
        last = self._pending[-1]
        phrase = nouns.phrases[i]
        items, end = nouns.group(i + 1)
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

    def _doing(self, i: int, relation: tuple[int, ...]) -> int:
        """ "by touching your eyes": the whole -ing phrase is the detail."""
        nouns = self._nouns
        end = i + 2
        while nouns.kind(end) in ("noun", "adj", "prep", "adv"):
            if nouns.kind(end) == "noun" and nouns.starts_clause(end):
                break
            end += 1
        first, last = nouns.phrases[i + 1].first, nouns.phrases[end - 1].last
        self.emit(relation, nouns.span_item(first, last), self._negated)
        return end

    def _stretch(self, i: int, items: list[Item], end: int) -> tuple[list[Item], int]:
        """ "from 858 to 867" is one value; "from Paris to Rome" are two."""
        nouns = self._nouns
        if nouns.kind(end + 1) != "noun" or not (nouns.is_value(i) and nouns.is_value(end + 1)):
            return items, end
        last, end = nouns.of_chain(end + 1)
        return [nouns.span_item(items[0].first, last.last)], end

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
        items = [nouns.item(nouns.phrases[i])]
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

    def _infinitive(self, i: int) -> int:
        phrase = self._nouns.phrases[i]
        words = range(phrase.first, phrase.last)
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
            if end and nouns.kind(end) == "," and self._goes_on(end):
                self._tell()
                item, _ = nouns.of_chain(i + 1)
                self.drafts.append(Draft(about, (), item, False, "is"))
                return end + 1
        return i + 1 if self._goes_on(i) else i

    def _goes_on(self, i: int) -> bool:
        nouns = self._nouns
        if nouns.kind(i + 1) != "prep" or nouns.kind(i + 2) != "noun":
            return False
        _, end = nouns.group(i + 2)
        end = nouns.attached(end)
        return not (
            nouns.kind(end) == ","
            and nouns.kind(end + 1) == "noun"
            and nouns.starts_clause(end + 1)
        )


def relation_words(nouns: Nouns, verb: Phrase) -> tuple[int, ...]:
    """The words of a verb group that a relation keeps: no auxiliaries of tense or voice, no
    "also" or "then"; a negated verb keeps all."""
    words = nouns.words
    indexes = tuple(range(verb.first, verb.last))
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
