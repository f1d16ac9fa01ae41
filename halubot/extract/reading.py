"""Phrases of one sentence read from left to right into triples.

A clause has its subjects, a verb group and what follows. Articles before a head or tail, and
auxiliaries that only carry tense or voice, are left out of the triples; a negated verb keeps all
its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.extract import lexicon as lex
from halubot.extract import verbs
from halubot.extract.mentions import Mentions
from halubot.extract.nouns import Item, Nouns
from halubot.extract.predicates import Draft, Predicate, relation_words
from halubot.extract.subjects import (
    is_singular,
    may_be_people,
    named_relatives,
    register,
    resolved,
    says_nothing,
    speaks,
)
from halubot.extract.verbgroups import Phrase
from halubot.extract.words import Word

_LEADING: Final = lex.words("in on at from during since between by after before until within under")
_SEEMING: Final = lex.words("seems seemed appears appeared")
_ADVISED: Final = lex.words("recommended advised advisable")
_RESTRICTING: Final = 15  # words of a subject with its relative clause
_CARRIED: Final = 6  # words of an object that a leading detail's relation may carry


class Lead(NamedTuple):
    """A detail before its clause: "In 1997, ..."."""

    preposition: int
    item: Item


class Reading:
    """One sentence being read; ``drafts`` are its triples in the order found."""

    def __init__(self, plain: str, words: Sequence[Word], mentions: Mentions) -> None:
        self.nouns = Nouns(plain, words)
        self.mentions = mentions
        self.drafts: list[Draft] = []
        self._subjects: list[Item] = []  # of the clause read last
        self._main: list[Item] = []  # of the main clause
        self._noun: Item | None = None  # the noun read last, what "which" means
        self._within = False  # whether "with" governs it
        self._describes = False  # whether that noun describes the subjects
        self._leads: list[Lead] = []
        self._participle = -1  # a participle before its subject ("Born in Paris, he ...")
        self._last: tuple[Phrase, list[Item]] | None = None  # the verb read last
        self._placed = False  # whether it tells where
        self._copula = False  # whether it is "to be"
        self._open = False  # whether the main subject still waits for its verb
        self._unsaid = False  # inside a condition or question

    def read(self) -> None:
        """Reads the whole sentence."""
        phrases = self.nouns.phrases
        i = 0
        comma = joined = False
        while i < len(phrases):
            kind = phrases[i].kind
            if kind == ",":
                comma, self._unsaid = True, False
                i += 1
            elif kind == "and":
                joined = True
                i += 1
            elif kind in ("mark", "sub", "adj", "adv", "to"):
                if kind == "sub":
                    self._unsaid = self.nouns.low(i) in lex.HYPOTHETICAL
                elif self.nouns.low(i) in (";", ":"):
                    self._leads, self._participle, self._unsaid = [], -1, False
                if kind in ("sub", "mark"):
                    comma = joined = False
                i += 1
            else:
                if kind == "rel":
                    i = self._relative(i)
                elif kind == "prep":
                    again = joined and self._main and not self._open
                    i = self._again(i) if again else self._lead(i)
                elif kind == "noun":
                    i = self._clause(i, comma, joined)
                else:
                    i = self._verb(i, comma, joined)
                comma = joined = False
        if self._participle >= 0 and not self._main and self.mentions.topic:
            self._predicate(self._participle, [self._topic()])
        self.drafts.extend(named_relatives(self.nouns, self.mentions))

    def about(self, subject: Item, word: int) -> None:
        """Reads the words from ``word`` on as said of ``subject``: a participle ("played by
        ...") or a description ("the bone of ...")."""
        for i, phrase in enumerate(self.nouns.phrases):
            if phrase.first >= word:
                if phrase.kind == "verb":
                    self._predicate(i, [subject])
                else:
                    self._describe(i, subject)
                return

    def noun_before(self, word: int) -> Item | None:
        """The noun that ends before that word, by its name where it has one."""
        item = self.nouns.items.get(word)
        return resolved(self.nouns, self.mentions, self.nouns.named(item)) if item else None

    def listed(self) -> list[Item]:
        """The words of a sentence without a verb: a list's items, else all as one."""
        nouns = self.nouns
        first, last = 0, len(nouns.words)
        while last and not nouns.words[last - 1].text[-1].isalnum():
            last -= 1
        while first < last and not nouns.words[first].text[0].isalnum():
            first += 1
        if first == last:
            return []
        start = next(i for i, phrase in enumerate(nouns.phrases) if phrase.last > first)
        if nouns.kind(start) == "noun":
            items, end = nouns.group(start)
            if len(items) > 1 and (end == len(nouns.phrases) or nouns.phrases[end].first >= last):
                return items
        return [nouns.span_item(first, last)]

    # -- clauses ----------------------------------------------------------------------

    def _topic(self) -> Item:
        return Item(self.mentions.topic or "", 0, 0, "", True, True)

    def _lead(self, i: int) -> int:
        """A detail before its clause; other words with a preposition are passed over."""
        nouns = self.nouns
        if nouns.kind(i + 1) == "noun":
            _, end = nouns.group(i + 1, split=False)
            end = nouns.attached(end)
            phrase = nouns.phrases[i]
            if nouns.low(i) in _LEADING and phrase.last - phrase.first == 1:
                first, last = nouns.phrases[i + 1].first, nouns.phrases[end - 1].last
                self._leads.append(Lead(phrase.first, nouns.span_item(first, last)))
            return end
        if nouns.kind(i + 1) == "verb":
            return self._past_predicate(i + 1)
        return i + 1

    def _past_predicate(self, i: int) -> int:
        i += 1
        while self.nouns.kind(i) in ("noun", "prep", "adj", "adv", "and", "verb", "to"):
            if self.nouns.kind(i) == "verb" and self.nouns.phrases[i].mood == "finite":
                break
            i += 1
        return i

    def _again(self, i: int) -> int:
        """The last verb with a further object or detail: "studied at Yale and later at Brown"."""
        if self._last is None or self._unsaid:
            return i + 1
        verb, subjects = self._last
        predicate = Predicate(
            self.nouns,
            self.mentions,
            subjects,
            relation_words(self.nouns, verb),
            negated=verb.negated,
            copula=self.nouns.words[verb.head].tag == "BE",
        )
        end = predicate.read(i)
        if not says_nothing(self.nouns, subjects[0]):
            self.drafts.extend(self._worth(predicate.drafts))
        if predicate.noun:
            self._noun, self._describes = predicate.noun, predicate.describes
        return max(end, i + 1)

    def _clause(self, i: int, comma: bool, joined: bool) -> int:
        """A noun at the head of a clause: its subject, or an apposition to the noun before."""
        nouns = self.nouns
        if comma and self._noun:
            about = nouns.trailing(self._noun)
            kin = nouns.words[nouns.phrases[i].head].low in lex.KIN
            if kin and len(self._subjects) == 1 and nouns.low(i) in lex.ARTICLES:
                return self._describe(i, self._subjects[0])
            if nouns.apposition(about, i):
                return self._describe(i, about)
        items, end = nouns.group(i, subject=True)
        items, end = self._subject_details(items, end)
        following = nouns.phrases[end] if end < len(nouns.phrases) else None
        finite = following and following.kind == "verb" and following.mood in ("finite", "base")
        if len(items) > 1 and finite and is_singular(nouns, end) and nouns.joined(items):
            # "Disease of the skin and the bones is"
            items = [nouns.span_item(items[0].first, items[-1].last, items[0].head, items[0].name)]
        subjects = [resolved(self.nouns, self.mentions, item) for item in items]
        if following and finite:
            lead = self._main[0] if self._open and comma and len(self._main) == 1 else None
            if (
                lead
                and lead.last > lead.first
                and not lead.name
                and subjects[0].name
                and not joined
            ):
                # "A native of Texas, Smith ..."
                tail = nouns.span_item(lead.first, lead.last)
                self.drafts.append(Draft(subjects[0], (), tail, False, "is"))
            return self._stated(subjects, end)
        if joined and self._main and not self._open and self._last:
            return self._again(i)
        self._noun, self._describes = subjects[-1], False
        if not self._main and following and following.kind in (",", "rel", "verb"):
            self._main = self._subjects = subjects
            self._open = True
            if following.kind == "verb" and following.mood == "part":
                return self._predicate(end, subjects)
        return end

    def _subject_details(self, items: list[Item], end: int) -> tuple[list[Item], int]:
        """Subjects with the prepositional phrases of the last one ("impact on supply and
        stability")."""
        nouns = self.nouns
        after = nouns.attached(end)
        while (
            after > end
            and nouns.kind(after) == "and"
            and nouns.kind(after + 1) == "noun"
            and nouns.words[nouns.phrases[after + 1].first].tag != "PR"
        ):
            after = nouns.attached(nouns.group(after + 1, subject=True)[1])
        if after > end:
            last = items[-1]
            place = nouns.phrases[after - 1].last
            items = [*items[:-1], nouns.span_item(last.first, place, last.head, last.name)]
        return items, after

    def _stated(self, subjects: list[Item], verb: int) -> int:
        """A clause with its subjects before a verb."""
        self._main = self._subjects = subjects
        self._open = False
        if self.nouns.low(verb + 1) != "that":  # "The theory is that it ...": not the theory
            register(self.nouns, self.mentions, subjects, verb)
        if self._participle >= 0:
            self._predicate(self._participle, subjects)
        end = self._predicate(verb, subjects)
        self._leads, self._participle = [], -1
        self._unsaid = speaks(self.nouns, subjects[0])  # "I think ...": an opinion to its end
        return end

    def _verb(self, i: int, comma: bool, joined: bool) -> int:
        """A verb without a subject of its own."""
        mood = self.nouns.phrases[i].mood
        if not self._main:
            if mood == "part":
                self._participle = i
                return self._past_predicate(i)
            if mood == "ing":
                return self._gerund(i)
            if mood == "finite" and self.mentions.topic and not joined and not comma:
                return self._stated([self._topic()], i)
            return len(self.nouns.phrases) if mood == "base" else i + 1
        if self._open and mood in ("finite", "base") and not joined:
            return self._stated(self._main if comma else [self._restricted(i)], i)
        if mood == "part" and not joined:
            antecedent = None if comma and self._copula else self._antecedent()
            subjects = [antecedent] if antecedent else self._main
        elif mood == "ing" and self._within and self._noun and not comma:
            subjects = [self._noun]
        elif mood == "inf":
            return self._further_infinitive(i) if joined else self._past_predicate(i)
        elif comma and not joined:
            subjects = self._main
        else:
            subjects = self._subjects
        return self._predicate(i, subjects) if subjects else i + 1

    def _restricted(self, verb: int) -> Item:
        """The main subject with the words that tell which one is meant: "the god who flew"."""
        main, end = self._main[0], self.nouns.phrases[verb].first
        if len(self._main) > 1 or main.name or main.resolved or end - main.first > _RESTRICTING:
            return main
        return self.nouns.span_item(main.first, end, main.head)

    def _further_infinitive(self, i: int) -> int:
        """ "was designed to filter water and to produce salt": from the same verb again."""
        words = self.nouns.words
        if self._last is None or self._unsaid:
            return self._past_predicate(i)
        verb, subjects = self._last
        relation = relation_words(self.nouns, verb)
        to = next((k for k in relation if words[k].tag == "TO"), -1)
        if to < 0 or says_nothing(self.nouns, subjects[0]):
            return self._past_predicate(i)
        phrase = self.nouns.phrases[i]
        further = (*(k for k in relation if k < to), *range(phrase.first, phrase.last))
        predicate = Predicate(
            self.nouns, self.mentions, subjects, further, negated=verb.negated or phrase.negated
        )
        end = predicate.read(i + 1)
        self.drafts.extend(self._worth(predicate.drafts))
        self._noun = predicate.noun or self._noun
        return max(end, i + 1)

    def _gerund(self, i: int) -> int:
        """ "Washing your hands helps": an -ing phrase as subject; before a comma it leads."""
        end = self._past_predicate(i)
        if self.nouns.kind(end) == "verb":
            phrases = self.nouns.phrases
            return self._stated([self.nouns.span_item(phrases[i].first, phrases[end].first)], end)
        return end

    def _describe(self, i: int, about: Item) -> int:
        """A description without a verb: an apposition."""
        predicate = Predicate(self.nouns, self.mentions, [about], (), copula=True, implied="is")
        end = predicate.read(i)
        self.drafts.extend(predicate.drafts)
        self._noun, self._describes, self._subjects = predicate.noun, predicate.describes, [about]
        return max(end, i + 1)

    def _relative(self, i: int) -> int:
        """ "who ...", "which ...": a clause about the noun before it."""
        nouns = self.nouns
        antecedent = self._antecedent()
        low = nouns.low(i)
        named = antecedent is not None and antecedent.name
        if low == "who" and self._placed and named and len(self._subjects) == 1:
            antecedent = self._subjects[0]  # "born in Paris, who"
        elif low == "who" and antecedent and len(self._subjects) == 1:
            antecedent = antecedent if may_be_people(antecedent) else self._subjects[0]
        j = i + 1
        while nouns.kind(j) == "adv":
            j += 1
        if nouns.kind(j) == "verb" and antecedent and low != "where":
            return self._predicate(j, [antecedent])
        if nouns.kind(j) != "noun" or antecedent is None or low == "where":
            return i + 1
        items, end = nouns.group(j)
        if nouns.kind(end) != "verb":
            return max(end, j + 1)
        if low == "whose":
            owner = antecedent.text
            items = [item._replace(text=f"{owner}'s {item.text}", resolved=True) for item in items]
            return self._predicate(end, items)
        subjects = [resolved(self.nouns, self.mentions, item) for item in items]
        if nouns.kind(end + 1) != "noun" and antecedent.last > antecedent.first:
            tail = nouns.span_item(antecedent.first, antecedent.last)
            return self._predicate(end, subjects, tail=tail)
        return self._predicate(end, subjects)

    def _antecedent(self) -> Item | None:
        """What a relative clause or participle is about: the noun before it, or the subject
        where that noun describes it ("X is a band that ...")."""
        noun = self._noun
        if noun and noun.last and self.nouns.words[noun.last - 1].tag in ("DA", "CD"):
            noun = None  # "in 1484, which declared": not the year
        if noun is None:
            if self._describes or len(self._main) != 1:
                return self._subjects[0] if len(self._subjects) == 1 else None
            return self._main[0] if len(self._main) == 1 else None
        if self._describes and len(self._subjects) == 1:
            return self._subjects[0]
        return self.nouns.named(noun)

    # -- predicates -------------------------------------------------------------------

    def _predicate(self, i: int, subjects: list[Item], tail: Item | None = None) -> int:
        """Reads a verb group and what follows; returns where the next clause begins. ``tail`` is
        an object that stands before it ("the school that he attended")."""
        nouns = self.nouns
        verb = nouns.phrases[i]
        self._subjects = subjects
        main = nouns.words[verb.head]
        copula = main.tag == "BE"
        relation = relation_words(nouns, verb)
        predicate = Predicate(
            nouns,
            self.mentions,
            subjects,
            relation,
            negated=verb.negated,
            copula=copula,
            inside=self._open,
        )
        silent = self._unsaid or says_nothing(self.nouns, subjects[0])
        first = nouns.words[subjects[0].first] if subjects[0].last else None
        if first is not None and first.low == "it" and self._is_expletive(i):
            return self._past_expletive(i)
        if verb.passive and main.low in verbs.THING_VERBS:
            self.mentions.thing(subjects[0].text)
        if nouns.low(i + 1) == "that" and nouns.kind(i + 1) in ("sub", "rel"):
            return self._that_clause(i, i + 2, predicate, relation, silent=silent or copula)
        says = verbs.base_of_present(main.low) or verbs.PASTS.get(main.low, main.low)
        if says in verbs.SAYING and nouns.kind(i + 1) == "noun" and nouns.starts_clause(i + 1):
            return self._that_clause(i, i + 1, predicate, relation, silent=silent)
        if copula and nouns.words[subjects[0].first].low == "there" and not subjects[0].resolved:
            return self._existential(i, subjects[0], relation, verb.negated)
        if tail:
            predicate.emit(relation, tail, verb.negated)
        end = predicate.read(i + 1)
        self._last = (verb, subjects)
        closed = nouns.kind(end) in ("", ",", "and", "mark", "sub")
        if (
            not predicate.drafts
            and not predicate.textual
            and verb.mood in ("finite", "base")
            and closed
            and not (
                main.tag in ("HV", "DO", "MD")
                or (first is not None and first.tag == "PR" and not subjects[0].resolved)
            )
        ):
            if verb.passive and not verb.negated:
                self._state(predicate, verb)
            else:
                predicate.emit(relation, None, verb.negated)
        found = self._worth(predicate.drafts)
        if not silent:
            self.drafts.extend(found)
            self._leading(found, relation, verb.negated)
        if predicate.noun:
            self._noun, self._describes = predicate.noun, predicate.describes
        self._within, self._placed = predicate.within, predicate.placed
        self._copula = copula
        return max(end, i + 1)

    def _state(self, predicate: Predicate, verb: Phrase) -> None:
        """A passive with nothing after it tells a state: "are", "still married"."""
        words = self.nouns.words
        be = next(k for k in range(verb.head, verb.first - 1, -1) if words[k].tag == "BE")
        tail = self.nouns.span_item(be + 1, verb.last)
        predicate.emit(tuple(range(verb.first, be + 1)), tail, False)

    def _is_expletive(self, i: int) -> bool:
        """Whether "it" with the verb at ``i`` stands for what follows: "it is possible that",
        "it's best to", "it is recommended to", "it seems that"."""
        nouns = self.nouns
        verb = nouns.phrases[i]
        group = nouns.words[verb.first : verb.last]
        if any(word.tag == "JJ" or word.low in _ADVISED for word in group):
            return True
        if nouns.words[verb.head].tag != "BE" and nouns.words[verb.head].low not in _SEEMING:
            return False
        after = i + 1 + (nouns.kind(i + 1) == "adv")
        if nouns.kind(after) in ("sub", "rel"):
            return True
        brings = nouns.kind(after + 1) in ("sub", "rel", "noun", "verb")
        infinite = nouns.kind(after + 1) != "verb" or nouns.phrases[after + 1].mood in (
            "inf",
            "ing",
        )
        return nouns.kind(after) == "adj" and brings and infinite

    def _past_expletive(self, i: int) -> int:
        nouns = self.nouns
        self._main, self._subjects = [], []
        i += 1
        while nouns.kind(i) in ("adv", "adj"):
            i += 1
        return i + (nouns.kind(i) == "rel")

    def _worth(self, drafts: list[Draft]) -> list[Draft]:
        """Without those whose tail is a bare pronoun, where others say more."""
        words = self.nouns.words
        telling = [
            draft
            for draft in drafts
            if draft.tail is None
            or draft.tail.last - draft.tail.first > 1
            or words[draft.tail.first].tag not in ("PR", "DT")
        ]
        return telling or drafts

    def _leading(self, drafts: list[Draft], relation: tuple[int, ...], negated: bool) -> None:
        """The details before the clause, as details of its verb."""
        for lead in self._leads:
            for draft in [*drafts]:
                if draft.relation[: len(relation)] != relation:
                    continue
                tail = draft.tail
                carried = relation
                if tail and draft.relation == relation and tail.last - tail.first <= _CARRIED:
                    carried = (*relation, *range(tail.first, tail.last))
                self.drafts.append(
                    Draft(draft.head, (*carried, lead.preposition), lead.item, negated)
                )
                break
        self._leads = []

    def _that_clause(
        self, i: int, start: int, predicate: Predicate, relation: tuple[int, ...], *, silent: bool
    ) -> int:
        """ "says (that) ...", the clause from ``start`` on: of the text itself, or of "it", it
        stands alone; what a person says is one fact, whole."""
        nouns = self.nouns
        first = nouns.words[self._subjects[0].first].low
        if silent or first in ("it", "this", "there"):
            return start
        end = start
        while end < len(nouns.phrases) and nouns.kind(end) != "mark":
            beside = nouns.kind(end + 1) == "sub" or nouns.low(end + 1) == "according"
            if nouns.kind(end) == "," and beside:
                break
            end += 1
        if end > start:
            tail = nouns.span_item(nouns.phrases[start].first, nouns.phrases[end - 1].last)
            words = (*relation, *(nouns.phrases[k].first for k in range(i + 1, start)))
            predicate.emit(words, tail, nouns.phrases[i].negated)
            self.drafts.extend(predicate.drafts)
        return end

    def _existential(self, i: int, there: Item, relation: tuple[int, ...], negated: bool) -> int:
        """ "There are 22 episodes in season 4" says of season 4 that there are 22."""
        nouns = self.nouns
        if nouns.kind(i + 1) != "noun":
            return i + 1
        phrase = nouns.phrases[i + 1]
        items, end = nouns.group(i + 1)
        self._noun, self._describes = items[-1], False
        if items[0].head in lex.MATTER:
            return end  # "there is no answer"
        head = there
        negated = negated or phrase.negated
        if phrase.negated and nouns.words[phrase.first].low == "no":
            relation = (*relation, phrase.first)
        if nouns.kind(end) == "prep" and nouns.kind(end + 1) == "noun":
            if nouns.low(end) in ("in", "on", "at", "within"):
                places, end = nouns.group(end + 1, split=False)
                head = places[0]
                relation = (there.first, *relation)
            else:
                end = nouns.attached(end)
                last, place = items[-1], nouns.phrases[end - 1].last
                items[-1] = nouns.span_item(last.first, place, last.head)
        told = head is there and not negated and nouns.kind(end) in ("rel", "verb")
        if not self._unsaid and not told:
            self.drafts.extend(Draft(head, relation, item, negated) for item in items)
        self._noun = items[-1]
        return end
