"""Phrases of one sentence read from left to right into triples.

A clause has its subjects, a verb group and what follows. Articles before a head or tail, and
auxiliaries that only carry tense or voice, are left out of the triples; a negated verb keeps all
its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from halubot.claims import english_words as lex
from halubot.claims import verbs
from halubot.claims.attachment import group, joined_by_and
from halubot.claims.english_words import Word
from halubot.claims.finite import LETTING
from halubot.claims.mentions import Mentions
from halubot.claims.nouns import Item, Nouns
from halubot.claims.predicates import Draft, Lead, Predicate, leading, relation_words, worth
from halubot.claims.subjects import (
    Latest,
    antecedent,
    end_of_reported_clause,
    existential,
    follows_subordinator,
    genitive,
    is_expletive,
    is_singular,
    named_relatives,
    past_expletive,
    past_predicate,
    register,
    resolve_subject,
    restrict_subject,
    says_nothing,
    speaks,
    who,
    with_denial,
    with_details,
)
from halubot.claims.verbs import Phrase

_LEADING: Final = lex.words("in on at from during since between by after before until within under")


class Reading:
    """One sentence being read; ``drafts`` are its triples in the order found."""

    def __init__(self, plain: str, words: Sequence[Word], mentions: Mentions) -> None:
        self.nouns = Nouns(plain, words)
        self.mentions = mentions
        self.drafts: list[Draft] = []
        self._subjects: list[Item] = []  # of the clause read last
        self._main: list[Item] = []  # of the main clause
        self._latest = Latest()
        self._leads: list[Lead] = []
        self._participle = -1  # a participle before its subject ("Born in Paris, he ...")
        self._last: tuple[Phrase, list[Item]] | None = None  # the verb read last
        self._open = False  # whether the main subject still waits for its verb
        self._unsaid = False  # inside a condition or question

    def read(self) -> None:
        """Read the whole sentence."""
        phrases = self.nouns.phrases
        i = inverted = self._inverted_condition()
        comma = joined = False
        aside = inverted > 0  # a clause that leads to the main one: "When it boils, add the rice"
        while i < len(phrases):
            kind = phrases[i].kind
            if kind == ",":
                comma, self._unsaid = True, False
                if aside and (inverted or (self._last and not self._open)):
                    self._subjects = self._main = []  # the main clause has a subject of its own
                    aside = comma = False
                i += 1
            elif kind == "and":
                joined = True
                i += 1
            elif kind in ("mark", "sub", "adj", "adv", "to"):
                if kind == "sub":
                    self._unsaid = self.nouns.low(i) in lex.HYPOTHETICAL
                    aside = aside or not self._main
                elif self.nouns.low(i) in (";", ":"):
                    self._leads, self._participle, self._unsaid = [], -1, False
                    self._subjects = self._main = []  # what follows has a subject of its own
                    self.nouns.meant.clear()
                if kind in ("sub", "mark"):
                    comma = joined = False
                i += 1
            else:
                if kind == "rel":
                    i = self._relative(i)
                elif kind == "prep":
                    again = joined and self._main and not self._open
                    again = again and not self.nouns.leads_verb(i)
                    i = self._again(i) if again else self._lead(i)
                elif kind == "noun":
                    i = self._clause(i, comma, joined)
                else:
                    i = self._verb(i, comma, joined)
                comma = joined = False
        if self._participle >= 0 and not self._main and self.mentions.topic:
            self._predicate(self._participle, [self._topic()])
        self.drafts.extend(named_relatives(self.nouns, self.mentions))

    def _inverted_condition(self) -> int:
        """Return 1 and read a condition if the sentence opens with one: "Should it rain, ..."; else
        0."""
        nouns = self.nouns
        self._unsaid = nouns.low(0) == "should" and nouns.kind(0) == "verb"
        self._unsaid = self._unsaid and nouns.kind(1) == "noun"
        return int(self._unsaid)

    def about(self, subject: Item, word: int) -> None:
        """Read the words from ``word`` on as said of ``subject``: a participle ("played by
        ...") or a description ("the bone of ...")."""
        for i, phrase in enumerate(self.nouns.phrases):
            if phrase.first >= word:
                if phrase.kind == "verb":
                    self._predicate(i, [subject])
                else:
                    self._describe(i, subject)
                return

    def noun_before(self, word: int) -> Item | None:
        """The noun that ends before that word, by its name if it has one."""
        item = self.nouns.items.get(word)
        return (
            resolve_subject(self.nouns, self.mentions, self.nouns.name_in(item)) if item else None
        )

    # -- clauses ----------------------------------------------------------------------

    def _topic(self) -> Item:
        return Item(self.mentions.topic or "", 0, 0, "", True, True)

    def _lead(self, i: int) -> int:
        """A detail before its clause; other words with a preposition are passed over."""
        nouns = self.nouns
        if nouns.kind(i + 1) == "noun":
            (item, *_), end = group(nouns, i + 1, split=False)
            if nouns.low(i) == "as" and nouns.phrases[i].last - nouns.phrases[i].first > 1:
                named = self.mentions  # "As for the mill, it was sold": "it" is the mill
                named.subject(item.text, item.head, name=item.name, plural=lex.is_plural(item.head))
            end = nouns.skip_attached(end)
            phrase = nouns.phrases[i]
            if nouns.low(i) in _LEADING and phrase.last - phrase.first == 1:
                first, last = nouns.phrases[i + 1].first, nouns.phrases[end - 1].last
                self._leads.append(Lead(phrase.first, nouns.span_item(first, last)))
            led = nouns.phrases[end] if end < len(nouns.phrases) else None
            past = led and (led.mood == "part" or nouns.words[led.head].tag == "VD")
            if led and led.kind == "verb" and past and not self._main:
                return past_predicate(nouns, end)  # "Under treaties signed in 1977"
            return end
        if nouns.kind(i + 1) == "verb":
            return past_predicate(self.nouns, i + 1)
        return i + 1

    def _again(self, i: int) -> int:
        """The last verb with a further object or detail: "studied at Yale and later at Brown"."""
        if self._last is None or self._unsaid:
            return i + 1
        verb, subjects = self._last
        if verb.negated and self.nouns.low(i - 1) == "but":
            # "is not the frost but the mite": what follows is affirmed
            if self.nouns.kind(i) != "noun":
                return i + 1
            items, end = group(self.nouns, i)
            self._latest = self._latest._replace(noun=items[-1], describes=False)
            return end
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
            self.drafts.extend(worth(self.nouns, predicate.drafts))
        if predicate.noun:
            self._latest = self._latest._replace(noun=predicate.noun, describes=predicate.describes)
        return max(end, i + 1)

    def _clause(self, i: int, comma: bool, joined: bool) -> int:
        """A noun at the head of a clause: its subject, or an apposition to the noun before."""
        nouns = self.nouns
        if comma and self._latest.noun:
            about = nouns.trailing(self._latest.noun)
            kin = nouns.words[nouns.phrases[i].head].low in lex.KIN
            if kin and len(self._subjects) == 1 and nouns.low(i) in lex.ARTICLES:
                return self._describe(i, self._subjects[0])
            if nouns.apposition(about, i):
                return self._describe(i, about)
        items, end = group(nouns, i, subject=True)
        items, end = with_details(nouns, items, end)
        following = nouns.phrases[end] if end < len(nouns.phrases) else None
        finite = following and following.kind == "verb" and following.mood in ("finite", "base")
        if len(items) > 1 and finite and is_singular(nouns, end) and joined_by_and(nouns, items):
            # "Disease of the skin and the bones is"
            items = [nouns.span_item(items[0].first, items[-1].last, items[0].head, items[0].name)]
        subjects = [resolve_subject(self.nouns, self.mentions, item) for item in items]
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
            return self._read_statement(subjects, end)
        if joined and self._main and not self._open and self._last:
            return self._again(i)
        self._latest = self._latest._replace(noun=subjects[-1], describes=False)
        if not self._main and following and following.kind in (",", "rel", "verb"):
            self._main = self._subjects = subjects
            self._open = True
            if following.kind == "verb" and following.mood == "part":
                return self._predicate(end, subjects)
        return end

    def _read_statement(self, subjects: list[Item], verb: int) -> int:
        """A clause with its subjects before a verb."""
        # What stands behind the main clause is seldom what the next sentence means by "it": "The
        # bridge opened after the mill had burnt. It is 80 metres long."
        turns = not self._main or self._open or not follows_subordinator(self.nouns, subjects[0])
        self._main = self._subjects = subjects
        self._open = False
        if self.nouns.low(verb + 1) != "that":  # "The theory is that it ...": not the theory
            register(self.nouns, self.mentions, subjects, verb, turns=turns)
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
                return past_predicate(self.nouns, i)
            if mood == "ing":
                return self._gerund(i)
            if mood == "finite" and self._may_lack_subject(i):
                return self._read_statement([self._topic()], i)
            return len(self.nouns.phrases) if mood == "base" else i + 1
        if self._open and mood in ("finite", "base") and not joined:
            return self._read_statement(
                self._main if comma else [restrict_subject(self.nouns, self._main, i)], i
            )
        if mood == "part" and not joined:
            meant = None if comma and self._latest.copula else self._antecedent()
            subjects = [meant] if meant else self._main
        elif mood == "ing" and self._latest.within and self._latest.noun and not comma:
            subjects = [self._latest.noun]
        elif mood == "inf":
            return self._further_infinitive(i) if joined else past_predicate(self.nouns, i)
        elif comma and not joined:
            subjects = self._main
        else:
            subjects = self._subjects
        return self._predicate(i, subjects) if subjects else i + 1

    def _may_lack_subject(self, i: int) -> bool:
        """Return True for a verb that opens a sentence on the topic, "Won the prize in 1970", and
        is no order: "Do not add bleach"."""
        before = {phrase.kind for phrase in self.nouns.phrases[:i]}
        ordered = self.nouns.low(i) in ("do", "don't", "don’t")
        return bool(self.mentions.topic) and before <= {"adv"} and not ordered

    def _further_infinitive(self, i: int) -> int:
        """ "was designed to filter water and to produce salt": from the same verb again."""
        words = self.nouns.words
        if self._last is None or self._unsaid:
            return past_predicate(self.nouns, i)
        verb, subjects = self._last
        relation = relation_words(self.nouns, verb)
        to = next((k for k in relation if words[k].tag == "TO"), -1)
        if to < 0 or says_nothing(self.nouns, subjects[0]):
            return past_predicate(self.nouns, i)
        phrase = self.nouns.phrases[i]
        further = (*(k for k in relation if k < to), *range(phrase.first, phrase.last))
        predicate = Predicate(
            self.nouns, self.mentions, subjects, further, negated=verb.negated or phrase.negated
        )
        end = predicate.read(i + 1)
        self.drafts.extend(worth(self.nouns, predicate.drafts))
        self._latest = self._latest._replace(noun=predicate.noun or self._latest.noun)
        return max(end, i + 1)

    def _gerund(self, i: int) -> int:
        """ "Washing your hands helps": an -ing phrase as subject; before a comma it leads."""
        end = past_predicate(self.nouns, i)
        if self.nouns.kind(end) == "verb":
            phrases = self.nouns.phrases
            return self._read_statement(
                [self.nouns.span_item(phrases[i].first, phrases[end].first)], end
            )
        return end

    def _describe(self, i: int, about: Item) -> int:
        """A description without a verb: an apposition."""
        predicate = Predicate(self.nouns, self.mentions, [about], (), copula=True, implied="is")
        end = predicate.read(i)
        self.drafts.extend(predicate.drafts)
        self._latest = self._latest._replace(noun=predicate.noun, describes=predicate.describes)
        self._subjects = [about]
        return max(end, i + 1)

    def _relative(self, i: int) -> int:
        """ "who ...", "which ...": a clause about the noun before it."""
        nouns = self.nouns
        meant = self._antecedent()
        low = nouns.low(i)
        if low == "who":
            meant = who(self._latest, meant, self._subjects)
        j = i + 1
        while nouns.kind(j) == "adv":
            j += 1
        if low == "where" and meant and meant.last > meant.first:  # as "In Ulm, she met him" does
            self._leads.append(Lead(nouns.phrases[i].first, meant))
        if nouns.kind(j) == "verb" and meant and low != "where":
            return self._predicate(j, [meant])
        if nouns.kind(j) != "noun" or meant is None or low == "where":
            return i + 1
        items, end = group(nouns, j)
        if nouns.kind(end) != "verb":
            return max(end, j + 1)
        if low == "whose":
            owner = genitive(meant.text)
            items = [item._replace(text=f"{owner} {item.text}", resolved=True) for item in items]
            return self._predicate(end, items)
        subjects = [resolve_subject(self.nouns, self.mentions, item) for item in items]
        if nouns.kind(end + 1) != "noun" and meant.last > meant.first:
            tail = nouns.span_item(meant.first, meant.last)
            return self._predicate(end, subjects, tail=tail)
        return self._predicate(end, subjects)

    def _antecedent(self) -> Item | None:
        return antecedent(self.nouns, self._latest, self._main, self._subjects)

    # -- predicates -------------------------------------------------------------------

    def _predicate(self, i: int, subjects: list[Item], tail: Item | None = None) -> int:
        """Read a verb group and what follows; return the place at which the next clause begins.
        ``tail`` is an object that stands before it ("the school that he attended")."""
        nouns = self.nouns
        verb = nouns.phrases[i]
        self._subjects = subjects
        main = nouns.words[verb.head]
        copula = main.tag == "BE"
        relation = relation_words(nouns, verb)
        predicate = Predicate(
            nouns,
            self.mentions,
            with_denial(nouns, subjects),
            relation,
            negated=verb.negated,
            copula=copula,
            inside=self._open,
        )
        silent = self._unsaid or says_nothing(self.nouns, subjects[0])
        first = nouns.words[subjects[0].first] if subjects[0].last else None
        if first is not None and first.low == "it" and is_expletive(nouns, i):
            self._main, self._subjects = [], []
            return past_expletive(nouns, i)
        if verb.passive and main.low in verbs.THING_VERBS:
            self.mentions.thing(subjects[0].text)
        if nouns.low(i + 1) == "that" and nouns.kind(i + 1) in ("sub", "rel"):
            return self._read_speech(i, i + 2, predicate, silent=silent or copula)
        says = verbs.base_of_present(main.low) or verbs.PASTS.get(main.low, main.low)
        tells = says in verbs.SAYING or main.low in LETTING
        if tells and nouns.kind(i + 1) == "noun" and nouns.starts_clause(i + 1):
            return self._read_speech(i, i + 1, predicate, silent=silent)
        if copula and nouns.words[subjects[0].first].low == "there" and not subjects[0].resolved:
            if nouns.kind(i + 1) != "noun":
                return i + 1
            drafts, noun, end = existential(nouns, i, subjects[0], relation, verb.negated)
            self._latest = self._latest._replace(noun=noun, describes=False)
            self.drafts.extend([] if self._unsaid else drafts)
            return end
        if tail:
            predicate.emit(relation, tail, verb.negated)
        end = predicate.read(i + 1)
        self._last = (verb, subjects)
        closed = nouns.kind(end) in ("", ",", "and", "mark", "sub") or nouns.low(end) == "rather"
        if (
            not predicate.drafts
            and not predicate.textual
            and verb.mood in ("finite", "base")
            and closed
            and not (
                main.tag in ("HV", "DO", "MD")
                # "the time is up": what it is stands in no triple; a list may complete "are:"
                or (copula and not verb.passive and nouns.words[-1].low != ":")
                or (first is not None and first.tag == "PR" and not subjects[0].resolved)
            )
        ):
            if verb.passive and not verb.negated:
                # a passive with nothing after it tells a state: "are", "still married"
                be = next(k for k in range(verb.head, -1, -1) if nouns.words[k].tag == "BE")
                state = nouns.span_item(be + 1, verb.last)
                predicate.emit(tuple(range(verb.first, be + 1)), state, False)
            else:
                predicate.emit(predicate.relation, None, verb.negated)
        found = worth(self.nouns, predicate.drafts)
        if not silent:
            self.drafts.extend(found)
            self.drafts.extend(leading(self._leads, found, relation, verb.negated))
            self._leads = []
        self._latest = Latest(
            predicate.noun or self._latest.noun,
            predicate.describes if predicate.noun else self._latest.describes,
            predicate.within,
            predicate.placed,
            copula,
        )
        return max(end, i + 1)

    def _read_speech(self, i: int, start: int, predicate: Predicate, *, silent: bool) -> int:
        """ "says (that) ...", the clause from ``start`` on: of the text itself, or of "it", it
        stands alone; what a person says is one fact, whole."""
        nouns = self.nouns
        verb = nouns.phrases[i]
        end = end_of_reported_clause(nouns, start)
        lets = nouns.words[verb.head].low in LETTING  # "does not let them in" says the contrary
        if silent or nouns.words[self._subjects[0].first].low in ("it", "this", "there"):
            return end if lets else start
        if end > start:
            tail = nouns.span_item(nouns.phrases[start].first, nouns.phrases[end - 1].last)
            that = (nouns.phrases[k].first for k in range(i + 1, start))
            predicate.emit((*relation_words(nouns, verb), *that), tail, verb.negated)
            self.drafts.extend(predicate.drafts)
        return end
