"""The verb of a clause among its words: past forms that may be participles, and present
forms that may be nouns, settled by whether the clause has a finite verb already.
"""

from __future__ import annotations

from typing import Final

from halubot.claims import english_words as lex
from halubot.claims import verbs
from halubot.claims.english_words import Word

BOUNDARIES: Final = frozenset({",", ";", ":", "CC", "RL", "SB", "(", ")", "–"})
REACH: Final = 24  # words a look around goes, so that time stays linear
_FINITE: Final = frozenset({"BE", "HV", "DO", "MD", "VZ", "VD"})
_NEVER_FINITE: Final = lex.words("be been being having")
_HELPING: Final = lex.words("help helps helped let lets make makes made")
LETTING: Final = lex.words("let lets")
_OBJECT_PRONOUNS: Final = lex.words("you me him us them")
_NOMINAL: Final = frozenset({"NN", "NP", "DT", "PS", "JJ", "GE", "CD", "RB", "PR"})
_OBJECTS: Final = frozenset(
    {"DT", "PS", "PR", "IN", "TO", "CD", "DA", "NP", "JJ", "RB", "NN", "VN", "SB", "RL", ".", "?"}
)


def settle(words: list[Word], tags: list[str]) -> None:
    """Replace ED and AM in ``tags``, and decide what each "that" is, from left to right."""
    clause = _Clause(words, tags)
    open_words: list[int] = []
    if tags and tags[0] == "VB" and clause.opens_with_noun():
        tags[0] = "NN"
    for i, word in enumerate(words):
        if tags[i] == "ED":
            tags[i] = clause.past_or_participle(i)
        elif word.low == "that" and tags[i] == "RL":
            tags[i] = clause.that(i)
        elif tags[i] == "AM":
            tags[i] = clause.verb_or_noun(i, word.low)
            if tags[i] == "NN" and i:
                open_words.append(i)
        elif tags[i] == "NN" and clause.continues_with(i):
            tags[i] = "VZ"
        if word.low in LETTING and (tags[i] in _FINITE or tags[i] == "VB"):
            clause.let(i)
    if open_words and words[-1].low == "." and not clause.has_verb():
        clause.choose_verb(open_words)


class _Clause:
    """Looks around a word for the verbs of its clause."""

    def __init__(self, words: list[Word], tags: list[str]) -> None:
        self._words = words
        self._tags = tags

    def _tag(self, i: int) -> str:
        return self._tags[i] if 0 <= i < len(self._tags) else "."

    def _before(self, i: int) -> int:
        """The nearest word to the left that is neither adverb nor negation; -1 for none."""
        j = i - 1
        while j > max(-1, i - 6) and self._tags[j] in ("RB", "NG"):
            j -= 1
        return j

    def _is_finite(self, j: int) -> bool:
        """Return True if the word carries a clause: no infinitive, no "be" or "been"."""
        tag, before = self._tags[j], self._tag(j - 1)
        if tag in _FINITE:
            return self._words[j].low not in _NEVER_FINITE and before != "TO"
        return tag == "VB" and j > 0 and before not in ("TO", "MD")

    def _behind(self, i: int, *, across: bool = False, restrictive: bool = False) -> bool:
        """Return True if a finite verb stands before ``i`` in its clause; ``across`` looks past
        "and", ``restrictive`` past a relative clause that ends here."""
        found = 0
        for j in range(i - 1, max(-1, i - REACH), -1):
            if self._tags[j] in BOUNDARIES and not (across and self._tags[j] == "CC"):
                # "players who won awards include": that clause has its verb, the main has not
                relative = restrictive and self._tags[j] == "RL" and self._tag(j - 1) != ","
                return found > (1 if relative else 0)
            found += self._is_finite(j)
            if found and not restrictive:
                return True
        return found > 0

    def _ahead(self, i: int) -> bool:
        for j in range(i + 1, min(len(self._tags), i + REACH)):
            if self._tags[j] in BOUNDARIES:
                return False
            if self._tags[j] != "VB" and self._is_finite(j):
                return True
        return False

    def opens_with_noun(self) -> bool:
        """Return True if the first word, though it may be a verb, heads the subject of a verb to
        come ("Wind power is used")."""
        following = self._tag(1)
        return following in ("NN", "NP", "AM") and self._tag(2) in ("BE", "HV", "MD")

    def has_verb(self) -> bool:
        """Return True if any word is a finite verb."""
        return any(self._is_finite(j) for j in range(len(self._tags)))

    def choose_verb(self, candidates: list[int]) -> None:
        """Make the likeliest of words that may be nouns the verb of a sentence that has none
        ("ABC stands for")."""
        for third in (True, False):
            for i in candidates:
                low = self._words[i].low
                if third != (low not in verbs.ALL_VERBS and bool(verbs.base_of_present(low))):
                    continue
                fits = self._tag(i - 1) in ("NN", "NP", "RB") and self._tag(i + 1) in _OBJECTS
                if fits and self._tag(i + 1) not in ("NN", "."):
                    self._tags[i] = "VZ" if third else "VB"
                    return

    def let(self, i: int) -> None:
        """Make the word behind the nouns after "let" a verb: "lets tenants keep a dog"."""
        j = i + 1
        while self._tag(j) in ("DT", "PS", "JJ", "NN", "NP", "CD", "GE", "AM"):
            base = "b" in verbs.verb_forms(self._words[j].low)
            if base and j > i + 1 and self._tag(j - 1) in ("NN", "NP"):
                self._tags[j] = "VB"
                return
            j += 1

    def continues_with(self, i: int) -> bool:
        """Return True for a verb that no list has, before a pronoun: "and charges you a fee"."""
        low = self._words[i].low
        ahead = self._words[i + 1].low if i + 1 < len(self._words) else ""
        ends = low.endswith("s") and not low.endswith("ss")
        joined = ahead in _OBJECT_PRONOUNS and self._tag(i - 1) == "CC"
        return ends and joined and self._behind(i, across=True)

    def that(self, i: int) -> str:
        """ "that" points ("that year"), brings a clause ("says that") or relates ("a band
        that")."""
        previous = self._tags[i - 1] if i else ""
        if previous in ("NN", "NP", "CD", "DA", "PR", ")", ","):
            return "RL"
        if not previous:
            following = self._words[i + 1].low if i + 1 < len(self._words) else ""
            return "SB" if verbs.verb_forms(following) or following in lex.BE else "DT"
        brings = ("VB", "VZ", "VD", "VN", "VG", "ED", "AM", "JJ", "BE", "RB", "CC")
        return "SB" if previous in brings else "DT"

    def past_or_participle(self, i: int) -> str:
        """VD, VN, or JJ right after a verb ("publishes leaked documents")."""
        j = self._before(i)
        previous = self._tags[j] if j >= 0 else ""
        following = self._tag(i + 1)
        if previous in ("PR", "RL"):
            return "VD"
        if previous in ("VZ", "VB", "VD") and following in ("NN", "NP"):
            return "JJ"
        if previous == "CC":
            while j > max(0, i - REACH) and self._tags[j] not in ("VN", "VD", "VB", "VZ", "VG"):
                j -= 1
            if self._tags[j] in ("VB", "VZ", "VG") and following in (
                "NN",
                "NP",
                "AM",
            ):
                return "JJ"  # "provides care and personalised service"
            return self._tags[j] if self._tags[j] in ("VN", "VD") else "VD"
        if previous in (",", "–"):
            before = self._tags[max(0, i - 60) : i]
            earlier = any(tag in _FINITE for tag in before)
            if not earlier and previous == "," and "," in before[:-1] and "VN" in before:
                return "VD"  # "The blast, caused by a leak, resulted in"
            after = self._tags[i + 1 : i + 60]
            if not earlier and not any(tag in _FINITE or tag == "ED" for tag in after):
                return "VD" if "," in before[:-1] else "VN"  # "A plant in Osaka, Japan, exploded"
            return "VN" if following in ("IN", "TO") or not earlier else "VD"
        if previous in ("", "(", ":", ";", "SB", "IN", "TO"):
            return "VN"
        if following != "IN" or self._words[i + 1].low != "by":
            k = i - 1
            while k > max(0, i - 8) and self._tags[k] in _NOMINAL:
                k -= 1
            if k < i - 1 and self._says(k):
                return "VD"  # "says the dam failed"
        elif self._names_doer(i + 2):
            return "VN"
        return "VN" if self._behind(i) or self._ahead(i) else "VD"

    def _names_doer(self, i: int) -> bool:
        """Return True if a name stands there and a verb right behind it: "a bridge built by Karl
        Ebner opened". It tells what the participle before it belongs to."""
        j = i
        while self._tag(j) == "NP":
            j += 1
        return j > i and self._tag(j) in ("ED", "VD") and self._tag(j + 1) != "."

    def _says(self, i: int) -> bool:
        """Return True if the word is a finite verb of saying."""
        low = self._words[i].low
        base = verbs.PASTS.get(low) or verbs.base_of_present(low) or low
        said = (low.endswith("ed") and low[:-2] in verbs.SAYING) or low[:-1] in verbs.SAYING
        return self._tags[i] in ("VZ", "VD", "VB") and (base in verbs.SAYING or said)

    def verb_or_noun(self, i: int, low: str) -> str:
        """VZ or VB, else NN."""
        if not i:
            return "VB" if self._tag(1) in ("DT", "PS", "PR") else "NN"
        third = "" if low in verbs.ALL_VERBS else verbs.base_of_present(low)
        base = third or low
        verb = "VZ" if third else "VB"
        j = self._before(i)
        previous = self._tags[j] if j >= 0 else ""
        following = self._tag(i + 1)
        certain = base not in verbs.ALSO_NOUNS
        opens = following in ("DT", "PS", "PR") or (following == "TO" and base in verbs.WISHES)
        if base in verbs.SAYING and previous in ("NN", "NP") and following != "IN":
            texts = self._words[j].low in lex.TEXTS
            if texts or (certain and bool(third) and not self._behind(i)):
                return verb
        if certain and following == "PR" and previous in ("NN", "NP"):
            return verb
        if previous in ("CC", ","):
            near = self._tags[max(0, i - REACH) : i]
            singular = any(word.low in ("is", "has") for word in self._words[max(0, i - REACH) : i])
            alike = (
                bool(third) and ("VZ" in near or singular) and following in ("IN", "RB", "TO", "JJ")
            )
            after_adverb = j < i - 1 and following not in ("BE", "HV", "MD", "VD", "NN")
            if third or previous == "CC":
                return verb if certain or opens or alike or after_adverb else "NN"
            goes_on = certain and following in _OBJECTS and following != "NN"
            return "VB" if opens or after_adverb or goes_on else "NN"
        if previous in ("VB", "VZ", "VD", "VN"):
            helped = previous != "VN" and self._words[j].low in _HELPING
            return "VB" if helped and not third else "NN"
        if self._behind(i, across=not certain and not opens, restrictive=certain):
            return "NN"
        if not certain and (self._within_gerund(i) or self._ends_list(i, following)):
            return "NN"
        if self._ahead(i):
            return "NN"
        if certain:
            return verb
        agrees = bool(third) != self._plural_before(i)
        return verb if agrees and following in _OBJECTS else "NN"

    def _ends_list(self, i: int, following: str) -> bool:
        """Return True if nothing follows, and a verb came long before ("A, B and lifestyle
        changes.")."""
        earlier = self._tags[max(0, i - 40) : i]
        return following in (".", ",", "CC") and any(tag in _FINITE for tag in earlier)

    def _within_gerund(self, i: int) -> bool:
        """Return True if an -ing form before ``i`` governs it ("suggesting a history of
        struggles")."""
        for j in range(i - 1, max(-1, i - REACH), -1):
            if self._tags[j] in BOUNDARIES:
                return False
            if self._tags[j] == "VG":
                return j > 0 and self._tags[j - 1] != "BE"
        return False

    def _plural_before(self, i: int) -> bool:
        """Return True if the nouns before ``i`` are a plural or joined by "and"."""
        seen = False
        for j in range(i - 1, max(-1, i - 8), -1):
            low, tag = self._words[j].low, self._tags[j]
            if low == "of":
                seen = False
            elif tag in ("NN", "NP") and not seen:
                seen = True
                if tag == "NN" and lex.is_plural(low):
                    return True
            if low == "and":
                return seen and self._tag(j - 1) in ("NN", "NP") and not self._behind(j)
            if tag in _FINITE or tag in (",", ";", "."):
                return False
        return False
