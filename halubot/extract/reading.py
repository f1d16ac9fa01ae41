"""Phrases of one sentence read from left to right into triples.

A clause has its subjects, a verb group and what follows. Each object is a triple; each
prepositional detail is a triple of its own whose relation carries the words that it needs
("founded in", "played football at"). Articles before a head or tail, and auxiliaries that
only carry tense or voice, are left out of the triples; a negated verb keeps all its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.extract import lexicon as lex
from halubot.extract.mentions import Mentions
from halubot.extract.phrases import Phrase, phrases
from halubot.extract.tagging import Word

Span = tuple[int, int]


class Item(NamedTuple):
    """A head or tail: its text, the words it is made of (first to last, exclusive), and
    whether it was said by another word here (a pronoun)."""

    text: str
    first: int
    last: int
    head: str
    name: bool
    resolved: bool = False


class Draft(NamedTuple):
    """A triple with its words: ``relation`` are indexes of words, -1 where implied."""

    head: Item
    relation: tuple[int, ...]
    tail: Item | None
    negated: bool
    words: str = ""  # the relation's words where they are implied


_LEADS: Final = frozenset(
    "in on at from during since between by after before until within under".split()
)
# Prepositions whose phrase belongs to the noun before it, by what that noun is.
_WITH_OBJECT: Final = frozenset(
    "of between about against among for with on per than like regarding".split()
)
_WITH_DETAIL: Final = frozenset("of between in for with on near per".split())
_WITH_COMPLEMENT: Final = frozenset("between about against among for with on in than like".split())
_INCOMPLETE: Final = frozenset("for to of with from as".split())
_MAX_CARRIED = 6  # words of an object that a detail's relation may carry
_MAX_SUBJECTS = 8
_MAX_LIST = 200
_TIME_NOUNS: Final = frozenset(
    "century year years month months week weeks day days season decade 1900s hours hour minutes time age".split()
)


class Reading:
    """One sentence being read; ``drafts`` are its triples in the order found."""

    def __init__(self, plain: str, words: Sequence[Word], mentions: Mentions) -> None:
        self.plain = plain
        self.words = words
        self.phrases: list[Phrase] = phrases(words)
        self.mentions = mentions
        self.drafts: list[Draft] = []
        self.open_list: tuple[list[Item], tuple[int, ...], bool] | None = None
        self._subjects: list[Item] = []  # of the clause read last
        self._main: list[Item] = []  # of the main clause
        self._noun: Item | None = None  # the noun read last, what "which" means
        self._noun_describes = False  # whether that noun describes the subject

    # -- the sentence ---------------------------------------------------------------

    def read(self) -> None:
        """Reads the whole sentence."""
        i = 0
        leads: list[tuple[tuple[int, ...], list[Item]]] = []
        participle = -1
        skipping = False
        comma = joined = False
        while i < len(self.phrases):
            phrase = self.phrases[i]
            kind = phrase.kind
            if kind == ",":
                comma, skipping = True, False
                i += 1
            elif kind == "and":
                joined = True
                i += 1
            elif kind == "mark":
                low = self.words[phrase.first].low
                if low in (";", ":"):
                    leads, participle, skipping = [], -1, False
                    comma = joined = False
                    if low == ";":
                        self._noun = None
                i += 1
            elif kind == "sub":
                low = self.words[phrase.first].low
                skipping = low in lex.HYPOTHETICAL
                comma = joined = False
                i += 1
            elif kind == "rel":
                i = self._relative(i, comma)
                comma = joined = False
            elif kind == "prep" and (not comma or not self._main or joined or self._lead_ahead(i)):
                i = self._lead(i, leads)
            elif kind == "noun":
                i, skipping = self._clause(i, leads, participle, comma, skipping)
                leads, participle = [], -1
                comma = joined = False
            elif kind == "verb":
                if phrase.mood == "part" and not self._main:
                    participle = i
                    i = self._skip_predicate(i)
                elif phrase.mood == "base" and not self._main:
                    i = self._skip_sentence_part(i)
                elif phrase.mood == "ing" and not self._main:
                    i = self._gerund(i, leads)
                else:
                    i = self._continued(i, comma, joined, skipping)
                comma = joined = False
            else:
                i += 1
        if participle >= 0 and not self._main:
            self._fragment_of_topic(participle)

    def _skip_sentence_part(self, i: int) -> int:
        """Past an order ("Take two pills"), which states nothing."""
        while i < len(self.phrases) and self.words[self.phrases[i].first].low not in (
            ";",
            ":",
            "–",
        ):
            i += 1
        return i

    def _skip_predicate(self, i: int) -> int:
        i += 1
        while i < len(self.phrases) and self.phrases[i].kind not in (",", "sub", "rel", "mark"):
            if self.phrases[i].kind == "verb" and self.phrases[i].mood == "finite":
                break
            i += 1
        return i

    def _lead_ahead(self, i: int) -> bool:
        """Whether the phrase at ``i`` leads a clause: a preposition, nouns, a comma, a subject."""
        return True

    def _lead(self, i: int, leads: list[tuple[tuple[int, ...], list[Item]]]) -> int:
        """A detail before its clause ("In 1997, ...")."""
        preposition = self.phrases[i]
        if i + 1 < len(self.phrases) and self.phrases[i + 1].kind == "noun":
            items, end, _ = self._group(i + 1, split=False)
            end = self._attached(end)
            low = self.words[preposition.first].low
            if low in _LEADS and preposition.last - preposition.first == 1:
                items = [self._span_item(self.phrases[i + 1].first, self.phrases[end - 1].last)]
                leads.append(((preposition.first,), items))
            return end
        if i + 1 < len(self.phrases) and self.phrases[i + 1].kind == "verb":
            return self._skip_predicate(i + 1)
        return i + 1

    def _attached(self, i: int) -> int:
        """Past prepositional phrases that follow a noun directly."""
        while (
            i + 1 < len(self.phrases)
            and self.phrases[i].kind == "prep"
            and self.phrases[i + 1].kind == "noun"
        ):
            i += 2
        return i

    # -- subjects -------------------------------------------------------------------

    def _clause(
        self,
        i: int,
        leads: list[tuple[tuple[int, ...], list[Item]]],
        participle: int,
        comma: bool,
        skipping: bool,
    ) -> tuple[int, bool]:
        """A noun phrase at the head of a clause: its subject, or an apposition."""
        if comma and self._noun and self._is_apposition(i):
            return self._apposition(i), skipping
        items, end, joint = self._group(i)
        end = self._subject_details(items, end)
        subjects = self._resolve(items, joint)
        following = self.phrases[end] if end < len(self.phrases) else None
        if following and following.kind == "verb" and following.mood in ("finite", "base"):
            return self._stated(subjects, end, leads, participle, skipping), False
        self._noun = subjects[-1]
        self._noun_describes = False
        if following and following.kind == "verb" and following.mood == "part" and not self._main:
            # "a park located in X" with no verb of its own, or one that comes later
            self._subjects = subjects
            return self._predicate(end, subjects, skipping=skipping), skipping
        if following and following.kind in (",", "rel") and not self._main:
            self._subjects = self._main = subjects
            self._register(subjects)
        return max(end, i + 1), skipping

    def _stated(
        self,
        subjects: list[Item],
        verb: int,
        leads: list[tuple[tuple[int, ...], list[Item]]],
        participle: int,
        skipping: bool,
    ) -> int:
        self._main = self._subjects = subjects
        if not skipping:
            self._register(subjects)
        if participle >= 0 and not skipping:
            self._predicate(participle, subjects)
        return self._predicate(verb, subjects, leads=leads, skipping=skipping)

    def _gerund(self, i: int, leads: list[tuple[tuple[int, ...], list[Item]]]) -> int:
        """ "Washing your hands helps": an -ing phrase as subject; before a comma it only leads."""
        j = i + 1
        while j < len(self.phrases) and self.phrases[j].kind in (
            "noun",
            "prep",
            "adj",
            "adv",
            "and",
            "verb",
        ):
            if self.phrases[j].kind == "verb" and self.phrases[j].mood in ("finite", "base"):
                first = self.phrases[i].first
                item = self._span_item(first, self.phrases[j].first)
                return self._stated([item], j, leads, -1, False)
            j += 1
        return max(j, i + 1)

    def _subject_details(self, items: list[Item], i: int) -> int:
        """Extends the last subject by its prepositional phrases ("the film of 1999 by X")."""
        end = self._attached(i)
        if end > i:
            last = items[-1]
            items[-1] = self._span_item(
                last.first, self.phrases[end - 1].last, last.head, last.name
            )
        return end

    def _register(self, subjects: list[Item]) -> None:
        if len(subjects) > 1:
            text = " and ".join(item.text for item in subjects[:_MAX_SUBJECTS])
            self.mentions.subject(text, subjects[-1].head, name=subjects[-1].name, plural=True)
            return
        item = subjects[0]
        if self.words[item.first].tag == "PR" and not item.resolved:
            return
        plural = None if item.name else lex.is_plural(item.head)
        self.mentions.subject(item.text, item.head, name=item.name, plural=plural)

    def _resolve(self, items: list[Item], joint: bool) -> list[Item]:
        """Subjects with pronouns, "the band" and last names replaced by names, where safe."""
        return [self._resolved(item) for item in items]

    def _resolved(self, item: Item) -> Item:
        word = self.words[item.first]
        single = item.last - item.first == 1
        if single and word.tag == "PR":
            name = self.mentions.pronoun(word.low)
            return item._replace(text=name, name=True, resolved=True) if name else item
        if word.tag == "PS":
            name = self.mentions.pronoun(word.low)
            if name and item.last - item.first > 1:
                rest = self.text(item.first + 1, item.last)
                return item._replace(text=f"{name}'s {rest}", resolved=True)
            return item
        if single and item.name and word.text != item.text.lower():
            name = self.mentions.full_name(item.text)
            if name:
                return item._replace(text=name, resolved=True)
        before = self.words[item.first - 1].low if item.first else ""
        if before in ("the", "this") and not item.name and single:
            name = self.mentions.definite(item.head)
            if name:
                return item._replace(text=name, name=True, resolved=True)
        return item

    # -- appositions and relative clauses -------------------------------------------

    def _is_apposition(self, i: int) -> bool:
        """ "John, a lawyer, ...": a described noun closed by a comma or the end."""
        phrase = self.phrases[i]
        first = self.words[phrase.first]
        noun = self._noun
        if noun is None or first.low not in ("a", "an", "the", "one") or not noun.name:
            return False
        if self.words[phrase.head].tag not in ("NN", "JJ", "CD"):
            return False
        _, end, _ = self._group(i)
        end = self._attached(end)
        if end >= len(self.phrases):
            return True
        after = self.phrases[end]
        return after.kind in (",", "rel", "mark") or (
            after.kind == "verb" and after.mood in ("part", "ing")
        )

    def _apposition(self, i: int) -> int:
        noun = self._noun
        if noun is None:
            return i + 1
        return self._complement(i, [noun], (), False, copula="is")

    def _relative(self, i: int, comma: bool) -> int:
        """ "who ...", "which ...": a clause about the noun before it."""
        antecedent = self._antecedent()
        low = self.words[self.phrases[i].first].low
        j = i + 1
        while j < len(self.phrases) and self.phrases[j].kind == "adv":
            j += 1
        if j >= len(self.phrases):
            return j
        phrase = self.phrases[j]
        if phrase.kind == "verb" and antecedent and low != "where":
            return self._predicate(j, [antecedent])
        if phrase.kind == "noun" and low == "whose" and antecedent:
            items, end, _ = self._group(j)
            if end < len(self.phrases) and self.phrases[end].kind == "verb":
                owned = [
                    item._replace(text=f"{antecedent.text}'s {item.text}", resolved=True)
                    for item in items
                ]
                return self._predicate(end, owned)
            return max(end, j + 1)
        if phrase.kind == "noun" and low in ("which", "that", "whom") and antecedent:
            items, end, joint = self._group(j)
            if end < len(self.phrases) and self.phrases[end].kind == "verb":
                subjects = self._resolve(items, joint)
                verb = self.phrases[end]
                after = self.phrases[end + 1] if end + 1 < len(self.phrases) else None
                if after is None or after.kind != "noun":
                    relation = self._relation(verb)
                    if not self._unsaid(subjects) and antecedent.last > antecedent.first:
                        tail = self._span_item(antecedent.first, antecedent.last)
                        for subject in subjects[:_MAX_SUBJECTS]:
                            self._emit(subject, relation, tail, verb.negated)
                return self._predicate(end, subjects, bare=False)
            return max(end, j + 1)
        return i + 1

    def _antecedent(self) -> Item | None:
        noun = self._noun
        if noun is None:
            return self._main[0] if len(self._main) == 1 else None
        if self._noun_describes and len(self._subjects) == 1:
            return self._subjects[0]
        return noun

    def _continued(self, i: int, comma: bool, joined: bool, skipping: bool) -> int:
        """A verb without a subject of its own: joined to the one before, or a participle."""
        phrase = self.phrases[i]
        if phrase.mood == "part" and not joined:
            antecedent = self._antecedent()
            subjects = [antecedent] if antecedent else self._main
        elif phrase.mood == "inf":
            subjects = self._main
        elif comma and not joined:
            subjects = self._main
        else:
            subjects = self._subjects or self._main
        if not subjects:
            return i + 1
        return self._predicate(i, subjects, skipping=skipping)

    def _fragment_of_topic(self, participle: int) -> None:
        """ "Born in Paris." without a subject: it is about the topic."""
        topic = self.mentions.topic
        if topic:
            first = self.phrases[participle].first
            self._predicate(participle, [Item(topic, first, first, "", True, True)])

    # -- predicates -----------------------------------------------------------------

    def _predicate(
        self,
        i: int,
        subjects: list[Item],
        *,
        leads: Sequence[tuple[tuple[int, ...], list[Item]]] = (),
        skipping: bool = False,
        bare: bool = True,
    ) -> int:
        """Reads a verb group and what follows; returns where the next clause begins."""
        verb = self.phrases[i]
        self._subjects = subjects
        relation = self._relation(verb)
        silent = skipping or self._unsaid(subjects)
        copula = self.words[verb.head].tag == "BE"
        kept, self.drafts = self.drafts, []
        if self._low(i + 1) == "that" and self._kind(i + 1) in ("sub", "rel"):
            end = self._that_clause(i, subjects, relation, verb, silent)
        elif copula and self.words[subjects[0].first].low == "there" and len(subjects) == 1:
            end = self._existential(i, subjects[0], relation, verb.negated)
        else:
            end = self._complement(
                i + 1, subjects, relation, verb.negated, copula="is" if copula else "", bare=bare
            )
            if not self.drafts and bare and not copula:
                for subject in subjects:
                    self._emit(subject, relation, None, verb.negated)
            self._leading_details(leads, subjects, relation, verb, copula)
        found, self.drafts = self.drafts, kept
        if not silent:
            self.drafts.extend(found)
        return max(end, i + 1)

    def _leading_details(
        self,
        leads: Sequence[tuple[tuple[int, ...], list[Item]]],
        subjects: list[Item],
        relation: tuple[int, ...],
        verb: Phrase,
        copula: bool,
    ) -> None:
        first = next((draft for draft in self.drafts if draft.tail), None)
        carried = relation
        if first and first.tail and first.relation == relation:
            if first.tail.last - first.tail.first <= _MAX_CARRIED:
                carried = (*relation, *range(first.tail.first, first.tail.last))
        for preposition, items in leads:
            for subject in subjects[:_MAX_SUBJECTS]:
                for item in items:
                    self._emit(subject, (*carried, *preposition), item, verb.negated)

    def _unsaid(self, subjects: list[Item]) -> bool:
        """Whether a clause says nothing of the world: about the speaker or the text itself."""
        first = self.words[subjects[0].first] if subjects[0].first < len(self.words) else None
        if subjects[0].resolved or first is None:
            return False
        return first.low in lex.SPEAKERS - {"you", "your"} or subjects[0].head in lex.SOURCES

    def _that_clause(
        self, i: int, subjects: list[Item], relation: tuple[int, ...], verb: Phrase, silent: bool
    ) -> int:
        """ "says that ...": of the text itself, or of "it", the clause stands alone; a
        person's statement is one fact."""
        subject = subjects[0]
        if silent or (self.words[subject.first].low in ("it", "this", "there")):
            return i + 2
        j = i + 2
        while j < len(self.phrases) and self.phrases[j].kind != "mark":
            j += 1
        first, last = (
            self.phrases[i + 2].first if i + 2 < len(self.phrases) else 0,
            self.phrases[j - 1].last,
        )
        if last > first > 0:
            tail = self._span_item(first, last)
            for subject in subjects:
                self._emit(subject, (*relation, self.phrases[i + 1].first), tail, verb.negated)
        return j

    def _existential(self, i: int, there: Item, relation: tuple[int, ...], negated: bool) -> int:
        """ "There are 22 episodes in season 4" says of season 4 that there are 22."""
        if self._kind(i + 1) != "noun":
            return i + 1
        items, end, _ = self._group(i + 1)
        head = there
        if self._kind(end) == "prep" and self._kind(end + 1) == "noun":
            if self._low(end) in ("in", "on", "at", "within"):
                places, after, _ = self._group(end + 1, split=False)
                head, end = places[0], after
                relation = (there.first, *relation)
            else:
                after = self._attached(end)
                items[-1] = self._span_item(
                    items[-1].first, self.phrases[after - 1].last, items[-1].head
                )
                end = after
        negated = negated or self._has_no(i + 1)
        for item in items:
            self._emit(head, relation, item, negated)
        self._noun, self._noun_describes = items[-1], False
        return end

    def _has_no(self, i: int) -> bool:
        return self._kind(i) == "noun" and self.phrases[i].negated

    def _complement(
        self,
        i: int,
        subjects: list[Item],
        relation: tuple[int, ...],
        negated: bool,
        *,
        copula: str = "",
        bare: bool = True,
    ) -> int:
        """What follows a verb: objects, predicates and details, until the next clause."""
        implied = copula if not relation else ""
        base = relation  # the words that the next detail's relation starts with
        slot = relation
        expecting = "object"
        attach = _WITH_COMPLEMENT if copula else _WITH_OBJECT
        pending: list[Item] = []  # nouns of the slot not yet told, since they may be extended
        pending_negated = negated
        describes = bool(copula)

        def tell() -> None:
            for subject in subjects[:_MAX_SUBJECTS]:
                for item in pending:
                    self._emit(subject, slot, item, pending_negated, implied)
            pending.clear()

        while i < len(self.phrases):
            phrase = self.phrases[i]
            kind = phrase.kind
            if kind == "noun":
                if pending and expecting != "tail":
                    if self._starts_clause(i):
                        break
                    tell()
                if expecting == "object" and self._starts_clause(i):
                    break
                items, i, _ = self._group(i, of=not (copula and expecting == "object"))
                pending.extend(items)
                pending_negated = negated or phrase.negated
                if phrase.negated and self.words[phrase.first].low == "no":
                    slot = (*slot, phrase.first)
                self._noun, self._noun_describes = items[-1], describes and expecting == "object"
                if copula and expecting == "object":
                    for subject in subjects:
                        self.mentions.describe(subject.text, items[-1].head)
                length = items[-1].last - items[0].first
                if expecting == "object":
                    if len(items) == 1 and length <= _MAX_CARRIED:
                        base = (*slot, *range(items[0].first, items[0].last))
                    elif copula:
                        base = (*slot, *range(items[-1].first, items[-1].last))
                expecting = "detail"
            elif kind == "prep":
                low = self.words[phrase.first].low
                if self._kind(i + 1) == "verb" and self.phrases[i + 1].mood == "ing":
                    tell()
                    i = self._gerund_detail(i, subjects, (*base, *self._span(phrase)), negated)
                    continue
                if self._kind(i + 1) != "noun":
                    i += 1
                    continue
                time = self._is_time(self.phrases[i + 1])
                if (
                    pending
                    and not time
                    and low in (attach if base != slot or copula else _WITH_DETAIL)
                ):
                    if not (copula and low in ("in",) and False):
                        last = pending.pop()
                        items, i, _ = self._group(i + 1, split=False)
                        pending.append(
                            self._span_item(last.first, items[-1].last, last.head, last.name)
                        )
                        self._noun = items[-1]
                        self._noun_describes = False
                        continue
                if pending and low == "of" and copula and base != slot:
                    pending.clear()  # "is a member of": incomplete alone
                tell()
                slot = (*base, *self._span(phrase))
                describes = False
                attach = _WITH_DETAIL
                implied_words = implied
                i += 1
                items, i, _ = self._group(i, split=low not in ("between", "from"))
                if low in ("from", "between") and self._low(i) in ("to", "until", "and"):
                    items, i = self._range(items, i)
                pending.extend(items)
                pending_negated = negated or self.phrases[i - 1].negated
                implied = implied_words
                self._noun, self._noun_describes = items[-1], False
                expecting = "detail"
            elif kind == "adj":
                tell()
                if expecting != "object" and not copula:
                    i += 1
                    continue
                items, i = self._adjectives(i)
                if self._kind(i) == "prep" and self._low(i) in _INCOMPLETE and len(items) == 1:
                    base = (*slot, *range(items[0].first, items[0].last))
                else:
                    pending.extend(items)
                    base = (
                        (*slot, *range(items[0].first, items[-1].last)) if len(items) == 1 else base
                    )
                expecting = "detail"
            elif kind == "adv":
                i += 1
            elif kind == "verb" and phrase.mood == "inf" and (pending or base):
                tell()
                base = (*base, *self._span(phrase))
                slot = base
                expecting = "object"
                copula = ""
                attach = _WITH_OBJECT
                i += 1
                if self._kind(i) not in ("noun", "prep", "adj"):
                    for subject in subjects[:_MAX_SUBJECTS]:
                        pass
            elif kind == "and" and self._kind(i + 1) == "prep" and self._kind(i + 2) == "noun":
                i += 1
            elif kind == "," and self._continues(i):
                i += 1
            else:
                break
        tell()
        return i

    def _continues(self, i: int) -> bool:
        """Whether details go on after a comma ("in Paris, France, to a Jewish family")."""
        if self._kind(i + 1) != "prep" or self._kind(i + 2) != "noun":
            return False
        _, end, _ = self._group(i + 2)
        end = self._attached(end)
        return not (
            self._kind(end) == ","
            and self._kind(end + 1) == "noun"
            and self._starts_clause(end + 1)
        )

    def _gerund_detail(
        self, i: int, subjects: list[Item], relation: tuple[int, ...], negated: bool
    ) -> int:
        """ "by touching your eyes": the whole -ing phrase is the detail."""
        end = i + 2
        while end < len(self.phrases) and self.phrases[end].kind in ("noun", "adj", "prep", "adv"):
            if self.phrases[end].kind == "noun" and self._starts_clause(end):
                break
            end += 1
        tail = self._span_item(self.phrases[i + 1].first, self.phrases[end - 1].last)
        for subject in subjects[:_MAX_SUBJECTS]:
            self._emit(subject, relation, tail, negated)
        return end

    def _range(self, items: list[Item], i: int) -> tuple[list[Item], int]:
        """ "from 858 to 867" is one value; "from Paris to Rome" are two."""
        if self._kind(i + 1) == "noun" and self._is_value(self.phrases[i + 1]):
            others, end, _ = self._group(i + 1, split=False)
            if (
                items[-1].head[:1].isdigit()
                or items[-1].head in _TIME_NOUNS
                or self._is_value(self.phrases[i - 1])
            ):
                return [self._span_item(items[0].first, others[-1].last)], end
        return items, i

    def _adjectives(self, i: int) -> tuple[list[Item], int]:
        items = [self._item(self.phrases[i])]
        i += 1
        while i + 1 < len(self.phrases) and self.phrases[i].kind in (",", "and"):
            j = i + 1
            if self.phrases[j].kind == "and":
                j += 1
            if self._kind(j) == "adv":
                j += 1
            if self._kind(j) != "adj":
                break
            items.append(self._item(self.phrases[j]))
            i = j + 1
        return items, i

    # -- for those who read around it ------------------------------------------------

    def listed(self) -> list[Item]:
        """The words of a sentence without a verb: a list's items, else all as one."""
        last = len(self.words)
        while last and not self.words[last - 1].text[-1].isalnum():
            last -= 1
        if not last:
            return []
        if self._kind(0) == "noun":
            items, end, _ = self._group(0)
            if len(items) > 1 and (end == len(self.phrases) or self.phrases[end].first >= last):
                return items
        return [self._span_item(0, last)]

    def noun_before(self, word: int) -> Item | None:
        """The noun phrase that ends at that word, as a subject or on its own."""
        for phrase in self.phrases:
            if phrase.kind == "noun" and phrase.first < word <= phrase.last:
                return self._resolved(self._item(phrase))
        return None

    def about(self, subject: Item, word: int) -> None:
        """Reads the words from ``word`` on as said of ``subject``: a participle or apposition."""
        for i, phrase in enumerate(self.phrases):
            if phrase.first >= word:
                if phrase.kind == "verb":
                    self._predicate(i, [subject])
                else:
                    self._complement(i, [subject], (), False, copula="is")
                return

    # -- noun groups ----------------------------------------------------------------

    def _group(
        self, i: int, *, split: bool = True, of: bool = True
    ) -> tuple[list[Item], int, bool]:
        """The nouns from ``i`` on that are listed together, where the list ends, and whether
        there are several. Without ``split`` they are one item."""
        start = i
        item, i = self._of_chain(i, of)
        items = [item]
        closed = False
        ends = [(i, len(items))]
        while i < len(self.phrases) and len(items) < _MAX_LIST:
            kind = self.phrases[i].kind
            j = i + 1
            last = kind == "and"
            if kind == "," and self._kind(j) == "and":
                j += 1
                last = True
            if kind not in (",", "and") or self._kind(j) != "noun":
                break
            if self._low(j - 1) in ("but", "yet", "nor") or self._starts_clause(j):
                break
            if not last and self._described(items[-1], j):
                break
            item, after = self._of_chain(j, of)
            items.append(item)
            i = after
            closed |= last
            ends.append((i, len(items)))
            if last and self._kind(i) != "and":
                break
        if not closed and len(items) < 4:
            # "Malvern, England" is one place; other pairs without "and" are no list
            if len(items) >= 2 and items[0].name and items[1].name:
                i = ends[1][0]
                first = self._span_item(items[0].first, items[1].last, items[0].head, True)
                return [first], i, False
            return items[:1], ends[0][0], False
        if len(items) == 1:
            return items, i, False
        if not split or self._one_name(items):
            head = items[0]
            return [self._span_item(head.first, items[-1].last, head.head, head.name)], i, True
        return self._places(items), i, True

    def _places(self, items: list[Item]) -> list[Item]:
        return items

    def _of_chain(self, i: int, of: bool) -> tuple[Item, int]:
        """A noun with what "of" adds to it."""
        item = self._item(self.phrases[i])
        i += 1
        while (
            of and self._low(i) == "of" and self._kind(i) == "prep" and self._kind(i + 1) == "noun"
        ):
            last = self.phrases[i + 1].last
            i += 2
            # "a mix of soul and jazz": what is joined inside stays inside
            if (
                self._kind(i) == "and"
                and self._kind(i + 1) == "noun"
                and not item.name
                and self.words[self.phrases[i + 1].first].tag not in ("DT", "PS")
                and not self._starts_clause(i + 1)
            ):
                last = self.phrases[i + 1].last
                i += 2
            item = self._span_item(item.first, last, item.head, item.name)
        return item, i

    def _described(self, item: Item, i: int) -> bool:
        """Whether the noun at ``i`` describes the name before it rather than following it
        in a list."""
        first = self.words[self.phrases[i].first]
        return (
            item.name
            and first.low in ("a", "an", "the", "one")
            and self.words[self.phrases[i].head].tag == "NN"
            and self._is_described(i)
        )

    def _is_described(self, i: int) -> bool:
        _, end = self._of_chain(i, True)
        end = self._attached(end)
        return (
            not (self._kind(end) == "," and self._kind(end + 1) in ("noun", "and"))
            and self._kind(end) != "and"
        )

    def _one_name(self, items: list[Item]) -> bool:
        """ "Johnson and Johnson", "Royal Signals and Radar Establishment"."""
        if len(items) != 2 or not (items[0].name and items[1].name):
            return False
        left, right = items
        if left.text == right.text:
            return True
        before = self.words[left.first - 1].low if left.first else ""
        if before in lex.WORKS:
            return True
        return (
            right.head in lex.ORGANISATION_NOUNS
            and left.head not in lex.ORGANISATION_NOUNS
            and " of " not in left.text
        )

    def _starts_clause(self, i: int) -> bool:
        """Whether the noun at ``i`` is the subject of a verb of its own."""
        j = i + 1
        limit = min(len(self.phrases), i + 12)
        while j < limit:
            kind = self.phrases[j].kind
            if kind == "verb":
                return self.phrases[j].mood in ("finite", "base")
            if kind == "prep" and self._kind(j + 1) == "noun":
                j += 2
            elif kind == "adv":
                j += 1
            elif kind == "and" and self._kind(j + 1) == "noun":
                j += 2
            else:
                return False
        return False

    # -- words ----------------------------------------------------------------------

    def _kind(self, i: int) -> str:
        return self.phrases[i].kind if 0 <= i < len(self.phrases) else ""

    def _low(self, i: int) -> str:
        return self.words[self.phrases[i].first].low if 0 <= i < len(self.phrases) else ""

    def _span(self, phrase: Phrase) -> range:
        return range(phrase.first, phrase.last)

    def _is_time(self, phrase: Phrase) -> bool:
        head = self.words[phrase.head]
        return (
            head.tag == "DA"
            or head.low in _TIME_NOUNS
            or (head.tag == "CD" and head.low[:4].isdigit())
        )

    def _is_value(self, phrase: Phrase) -> bool:
        return any(self.words[k].tag in ("CD", "DA") for k in range(phrase.first, phrase.last))

    def _relation(self, verb: Phrase) -> tuple[int, ...]:
        """The words of a verb group that a relation keeps."""
        indexes = list(range(verb.first, verb.last))
        if verb.negated:
            return tuple(indexes)
        kept: list[int] = []
        for k in indexes:
            word = self.words[k]
            if word.low in lex.DISCOURSE and word.tag == "RB":
                continue
            if k < verb.head and word.tag in ("BE", "HV", "DO"):
                rest = {self.words[m].tag for m in range(k + 1, verb.last)}
                if word.tag == "BE" and "VN" in rest and "JJ" not in rest:
                    continue
                if word.tag in ("HV", "DO") and rest & {"VN", "VD", "VB", "HV", "VG"}:
                    continue
            if k == verb.first and word.tag == "TO":
                continue
            kept.append(k)
        return tuple(kept) or tuple(indexes)

    def _item(self, phrase: Phrase) -> Item:
        return self._span_item(
            phrase.first,
            phrase.last,
            self.words[phrase.head].low,
            self.words[phrase.head].tag == "NP",
        )

    def _span_item(self, first: int, last: int, head: str = "", name: bool = False) -> Item:
        while last - first > 1 and (
            (
                self.words[first].low in ("a", "an", "the", "both", "either")
                and self.words[first].tag == "DT"
            )
            or (self.words[first].low == "no" and self.words[first].tag == "DT")
        ):
            first += 1
        return Item(self.text(first, last), first, last, head or self.words[last - 1].low, name)

    def text(self, first: int, last: int) -> str:
        return " ".join(self.plain[self.words[first].start : self.words[last - 1].end].split())

    def _emit(
        self,
        head: Item,
        relation: tuple[int, ...],
        tail: Item | None,
        negated: bool,
        implied: str = "",
    ) -> None:
        self.drafts.append(Draft(head, relation, tail, negated, implied if not relation else ""))
