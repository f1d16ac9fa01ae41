"""A sentence cut into words with their parts of speech, by lists, endings and neighbours; no model.

Dates, quotations and names are kept whole. First every word gets the tag its neighbours decide;
past forms that may be participles and present forms that may be nouns wait
(`halubot.claims.finite`) until their clause is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from halubot.claims import english_words as lex
from halubot.claims import verbs
from halubot.claims.english_words import Word
from halubot.claims.finite import BOUNDARIES, REACH, settle
from halubot.concurrency import go_on

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_GAP = r"\s{1,3}"
DATE: Final = (
    rf"(?:{_DAY}{_GAP}(?:of{_GAP})?(?:{lex.MONTHS})\b(?:,?{_GAP}\d{{4}}\b)?"
    rf"|(?:{lex.MONTHS}){_GAP}{_DAY}\b(?:(?:,{_GAP}?|{_GAP})\d{{4}}\b)?"
    rf"|(?:{lex.MONTHS}),?{_GAP}\d{{4}}\b"
    r"|\d{4}-\d{2}-\d{2}\b)"
)
_RANGE: Final = rf"(?:{_DAY}|{DATE})(?:{_GAP}(?:to|until){_GAP}|\s?–\s?){DATE}"
_CLOCK: Final = (
    r"(?:half|quarter|five|ten|twenty|twenty-five)\s(?:past|to)\s"
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})\b(?!\s+\w+s\b)"
)
_TITLES = (
    "Dr|Mr|Mrs|Ms|St|Jr|Sr|Prof|Inc|Ltd|Co|No|vs|Mt|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Gov|Sen|Rep|c|ca"
)
_PATTERN = (
    rf"(?P<date>\b(?:{_RANGE}|{DATE}|{_CLOCK}))"
    # Bounded, as what stands in quotes is one word: a mark that is never closed must not swallow a
    # text.
    r"|[\"“«](?P<quote>[^\"“”«»]{1,300})[\"”»]"
    r"|(?<!\w)['‘](?P<title>[A-Z0-9][^'‘’\n]{0,80}(?:['’]\w[^'‘’\n]{0,40}){0,3})['’](?!\w)"
    r"|(?P<number>[#$€£¥]?\d(?:[\w%°$]|[.,:](?=\d)|[/–'-](?=\w))*(?:\s?(?:°[CFK]?|%))?)"
    rf"|(?P<word>[^\W\d_]{{1,2}}\.(?:[^\W\d_]\.)+|\b(?:{_TITLES})\.|\b[A-Z]\.(?=\s+\w)"
    r"|[^\W_](?:[\w\u0300-\u036f]|['’](?=[^\W\d_])|[-‐‑/&](?=\w)|\.(?=[a-z]{2}))*)"
    r"|(?P<mark>\S)"
)
_DASHES: Final = frozenset("–—-")
_CLITIC: Final = re.compile(r"(?<=\w)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
# After these 's is "is".
_WH_HOSTS: Final = lex.words("it he she that there what who here let where how")

_CLOSED: Final[dict[str, str]] = {
    word: tag
    for tag, group in (
        ("RB", lex.PARTICLES),
        ("RB", lex.ADVERBS),
        ("JJ", lex.ADJECTIVES),
        ("CD", lex.NUMBERS),
        ("IN", lex.PREPOSITIONS),
        ("DT", lex.DETERMINERS),
        ("PR", lex.PRONOUNS),
        ("PS", lex.POSSESSIVES),
        ("SB", lex.SUBORDINATORS),
        ("RL", lex.RELATIVES),
        ("CC", lex.CONJUNCTIONS),
        ("BE", lex.BE),
        ("HV", lex.HAVE),
        ("DO", lex.DO),
        ("MD", lex.MODALS),
        ("NG", lex.NEGATIONS),
        ("TO", ("to",)),
        ("CD", ("one",)),
    )
    for word in group
}

# Words that bring a clause ("until he died") or a noun ("until his death").
_BOTH_WAYS: Final = lex.words("until till once since as before after like so")
_GRADES: Final = lex.words("best better most least well lesser first last more less")
_PLACES: Final = lex.words("past inside outside above back home")
_REFLEXIVES: Final = lex.words("himself herself itself themselves")
_PREPOSED: Final = lex.words("following including regarding concerning")
_ALONE: Final = lex.words("these those this many most some both all")  # may be subjects alone
_POINTING: Final = lex.words("this that these those")
_LY_NOUNS: Final = lex.words(
    "family july italy assembly anomaly monopoly butterfly ally rally belly bully jelly"
)
_LY_ADJECTIVES: Final = lex.words(
    "early daily weekly monthly yearly friendly likely only elderly costly deadly lovely hourly"
    " quarterly lively lonely orderly"
)
_BEFORE_NOUNS: Final = frozenset({"DT", "PS", "GE", "JJ", "CD"})
_OPEN: Final = frozenset({"?", "NN"})


def tag(plain: str, start: int, end: int, subject: str | None = None) -> list[Word]:
    """The tagged words of ``plain[start:end]``; a ``subject`` of several words is one name.
    Linear in its length."""
    go_on()
    words = _scan(plain, start, end, subject)
    tags = _Tagger(words).tags
    settle(words, tags)
    return [
        word if word.tag == tag else word._replace(tag=tag)
        for word, tag in zip(words, tags, strict=True)
    ]


class _Tagger:
    """Tags from left to right; ED and AM mark what only the clause can tell."""

    def __init__(self, words: list[Word]) -> None:
        self._words = words
        self.tags = [word.tag for word in words]
        for i, word in enumerate(words):
            if self.tags[i] == "?":
                self.tags[i] = self._open(i, word.low)
            elif i == 0:
                self.tags[i] = self._first(word.low)
            else:
                self.tags[i] = self._tag_closed_class(i, word.low)

    def _low(self, i: int) -> str:
        return self._words[i].low if 0 <= i < len(self._words) else ""

    def _tag(self, i: int) -> str:
        return self.tags[i] if 0 <= i < len(self.tags) else "."

    def _tag_to_left(self, i: int) -> str:
        """The nearest tag to the left that is neither adverb nor negation."""
        j = i - 1
        while j > max(-1, i - 6) and self.tags[j] in ("RB", "NG"):
            j -= 1
        return self.tags[j] if j >= 0 else ""

    def _first(self, low: str) -> str:
        """The first word, whose capital says nothing."""
        tag, following = self.tags[0], self._tag(1)
        if tag == "NP" and following not in ("NP", "GE"):
            return self._opening(low, following)
        if tag in ("JJ", "RB") and following in ("BE", "HV", "MD") and low not in ("here", "there"):
            return "NP"
        return self._tag_closed_class(0, low)

    def _opening(self, low: str, following: str) -> str:
        """A capitalised word that opens a sentence and is in no closed class."""
        if low.endswith("ly") and following in (",", "VD", "NP", "DT", "JJ"):
            return "RB"
        if low.endswith("ing") and following in ("DT", "PS", "NP", "JJ", "IN", "NN", "?", "TO"):
            return "VG"
        if lex.is_adjective(low) and following in _OPEN:
            return "JJ"
        forms = verbs.verb_forms(low)
        if not forms and following in ("DT", "PS") and self._low(1) != "the":
            return "VB"  # "Sprinkle a little salt"
        if "n" in forms and following in ("IN", "TO"):
            return "VN"
        certain = low not in verbs.ALSO_NOUNS and following not in ("BE", "HV", "MD", ",")
        if low in verbs.ALL_VERBS and (certain or low in verbs.ORDERS or following in ("DT", "PS")):
            return "VB"
        if "d" in forms and following in ("PS", "DT", "RB", "NP", "CD"):
            return "VD"
        return "NN" if following in ("?", "RL") and lex.is_plural(low) else "NP"

    def _tag_closed_class(self, i: int, low: str) -> str:
        """A word of a closed class, which may serve as another."""
        tag, previous, following = self.tags[i], self._tag_to_left(i), self._tag(i + 1)
        if low == "no" and self._low(i + 1) == "longer":
            return "NG"
        if low == "longer" and self._low(i - 1) == "no":
            return "RB"
        if tag == "JJ" and previous == "MD" and following in ("DT", "PS", "PR", "CD"):
            return "VB" if low in verbs.ALL_VERBS else "JJ"  # "should free some money"
        if low in ("either", "both") and following in ("SB", "IN", "TO", "BE", "HV", "MD"):
            return "RB"
        if tag == "JJ" and previous == "TO" and following in ("DT", "PS", "PR"):
            return "VB" if low in verbs.ALL_VERBS else "JJ"
        if tag in ("IN", "RB") and low in _PLACES and previous == "DT":
            return "NN"
        if low in _REFLEXIVES and previous in ("NN", "NP"):
            return "RB"
        if low in ("no", "&") and previous == "NP" and following == "NP":
            return "NP"
        if low == "since" and previous == "HV":
            return "RB"
        if low in _BOTH_WAYS and tag in ("SB", "IN"):
            return "SB" if self._clause_follows(i) else "IN"
        if low in _PREPOSED and previous in ("DT", "BE"):
            return "VG" if previous == "BE" else "JJ"
        if low in ("her", "his") and tag == "PS":
            alone = following in BOUNDARIES or following in (".", "IN", "TO", "RB")
            return "PR" if alone or self._low(i + 1) in lex.ARTICLES else "PS"
        if low in _GRADES and "n" in verbs.verb_forms(self._low(i + 1)):
            return "RB"
        if low in ("most", "more") and self._low(i + 1).endswith("ly"):
            return "RB"
        if low in _GRADES | {"much"} and previous in ("DT", "PS", "GE"):
            return "JJ"
        return tag

    def _clause_follows(self, i: int) -> bool:
        """Return True if a clause with subject and verb follows directly."""
        for k in range(i + 1, min(len(self._words), i + 7)):
            tag = self._words[k].tag
            if tag in BOUNDARIES or tag in ("IN", ".", "TO"):
                return False
            if k > i + 1 and (tag in ("BE", "HV", "DO", "MD") or (tag == "?" and self._says(k))):
                return True
        return False

    def _says(self, k: int) -> bool:
        """Return True if an open word is surely a verb."""
        low, before = self._low(k), self._words[k - 1].tag
        if low == "need" and self._tag(k + 1) == "NG":
            return True
        forms = verbs.verb_forms(low)
        if "d" in forms:
            return before not in _BEFORE_NOUNS
        base = verbs.base_of_present(low) or low
        certain = before == "PR" or base not in verbs.ALSO_NOUNS
        return bool(forms) and certain and not low.endswith("ing")

    def _open(self, i: int, low: str) -> str:
        """A word of an open class."""
        forms = verbs.verb_forms(low)
        if low.endswith("ly") and len(low) > 4 and not forms and low not in _LY_NOUNS:
            return "JJ" if low in _LY_ADJECTIVES else "RB"
        if not forms:
            if lex.is_adjective(low):
                return "JJ"
            bare = self._tag_to_left(i) in ("MD", "DO") and self._tag(i + 1) not in (
                "BE",
                "HV",
                "VN",
                "?",
            )
            joined = self._tag(i - 1) == "CC" and self._tag(i - 2) == "VB"
            bare = bare or (joined and self._tag(i + 1) in ("IN", "TO", "DT", "PS"))
            return "VB" if bare or self._must_be_verb(i, low) else "NN"
        if "g" in forms:
            return self._gerund(i)
        if "n" in forms or "d" in forms:
            return self._past(i, low, forms)
        return self._present(i, low, forms)

    def _must_be_verb(self, i: int, low: str) -> bool:
        """Return True if an unknown word must be a verb: "designed to filter water"."""
        verb = self._tag(i - 2) in ("VN", "VD", "VZ", "VB", "ED")
        nominal = self._tag(i + 1) in ("?", "NN", "NP", "DT", "PS", "JJ")
        verb = verb or (
            self._tag(i - 2) in ("NN", "JJ", "BE") and self._tag(i + 1) in ("DT", "PS", "PR")
        )
        nominal = nominal or self._tag(i + 1) == "PR"
        return verb and nominal and self._tag(i - 1) == "TO" and not lex.is_plural(low)

    def _gerund(self, i: int) -> str:
        previous, direct, following = self._tag_to_left(i), self._tag(i - 1), self._tag(i + 1)
        modifies = "JJ" if following in _OPEN else "NN"
        if previous == "BE":
            return "VG"
        third = verbs.base_of_present(self._low(i + 1)) if following == "?" else ""
        certain = bool(third) and third not in verbs.ALSO_NOUNS
        adverb = self._low(i + 1).endswith("ly")
        if direct == "NP" and (following in ("BE", "HV", "MD") or adverb or certain):
            return "NN"  # "Passport processing usually takes"
        acts = "d" in verbs.verb_forms(self._low(i + 1)) and self._tag(i + 2) in ("DT", "PS", "PR")
        if direct == "JJ" and following == "?" and acts:
            return "NN"  # "severe flooding forced the town"
        if direct == "HV" or self._low(i - 1) in verbs.HOLDING:
            return modifies
        if self._low(i - 1) == "of" and following in _OPEN:
            base = verbs.base_of_present(self._low(i + 1))
            return "NN" if base and base not in verbs.ALSO_NOUNS else "JJ"
        if self._low(i - 1) == "worth":
            return "VG"
        if direct in (",", "CC"):
            if following in (",", "CC", "."):
                return "NN"
            if direct == "," and following in _OPEN and self._tag(i + 2) in (",", "CC"):
                return "JJ"
            if direct == "CC" and following in _OPEN:
                near = self._words[max(0, i - REACH) : i - 1]
                return "VG" if any(word.low.endswith("ing") for word in near) else "JJ"
        if direct in _BEFORE_NOUNS:
            paired = following == "CC" and lex.is_adjective(self._low(i + 2))
            return "JJ" if paired else modifies
        return "VG"

    def _past(self, i: int, low: str, forms: str) -> str:
        previous, direct, following = self._tag_to_left(i), self._tag(i - 1), self._tag(i + 1)
        nominal = following in ("?", "NN", "NP")
        if previous in ("BE", "HV") and "n" in forms:
            return "VN"
        if previous in ("TO", "MD", "DO") and "b" in forms:
            return "VB"
        dated = direct == "CD" and self._low(i - 2) in lex.BEFORE_YEARS  # "in 1906 became"
        if previous in _BEFORE_NOUNS and (direct in _BEFORE_NOUNS or direct == "RB") and not dated:
            participle = low.endswith(("ed", "en", "wn", "ought")) or nominal or following == "JJ"
            if "n" not in forms or not participle:
                return "NN"
            return "JJ" if nominal or following in ("JJ", "VG", "CC", ",") else "ED"
        if previous == "TO" and nominal:
            return "JJ"
        if previous == "IN":
            return "JJ" if nominal else "NN" if "b" in forms else "VN"
        if "n" not in forms:
            return "VD"
        return "ED" if "d" in forms else "VN"

    def _present(self, i: int, low: str, forms: str) -> str:
        previous = self._tag_to_left(i)
        if low == "need" and self._tag(i + 1) == "NG":
            return "MD"  # "ships need not sail"
        if self._low(i + 1) == "such" and self._low(i + 2) == "as":
            return "NN"  # "side effects such as nausea"
        form = "VZ" if "z" in forms and "b" not in forms else "VB"
        if "b" in forms and previous in ("TO", "MD", "DO"):
            return "VB"
        j = i - 1
        while j > 0 and self.tags[j] == "RB":
            j -= 1
        if previous == "CD" and "z" in forms and self._low(j - 1) in lex.TEXTS:
            return "VZ"  # "passage 8 also notes"
        numbered = (
            previous == "CD" and self._low(i - 1).isdigit() and self._tag(i - 2) in ("NN", "NP")
        )
        if numbered:
            return "AM"  # "passage 8 suggests"
        if previous == "DT" and self._low(i - 1) in _ALONE:
            base = low if "b" in forms else verbs.base_of_present(low)
            return form if base not in verbs.ALSO_NOUNS else "NN"
        if self._tag(i - 1) == "RB" and self._low(j) in _POINTING:
            return form  # "this usually starts"
        third = "" if "b" in forms else verbs.base_of_present(low)
        certain = bool(third) and third not in verbs.ALSO_NOUNS and self._tag(i - 1) == "JJ"
        if (previous in _BEFORE_NOUNS and not certain) or previous in ("IN", "DA", "BE"):
            return "NN"
        return form if previous in ("PR", "RL") else "AM"


@cache
def _words() -> re.Pattern[str]:
    return re.compile(_PATTERN)


@lru_cache(maxsize=64)
def _name_of(subject: str) -> re.Pattern[str]:
    """The pattern of a name, which a text may cut anywhere."""
    name = r"\s+".join(re.escape(part) for part in subject.split())
    return re.compile(rf"(?P<subject>(?<!\w){name}(?!\w))")


def _find_words(plain: str, start: int, end: int, subject: str | None) -> Iterator[re.Match[str]]:
    """The words of a text, one by one; the subject's own name, if given, is one word."""
    # "Pattern is Moving is a band": its own verb would cut the name in two.
    if not subject or len(subject.split()) < 2:
        yield from _words().finditer(plain, start, end)
        return
    # Two patterns, since that of all words takes long to compile and each message has its subject.
    name, at = _name_of(subject).search(plain, start, end), start
    while (word := _words().search(plain, at, end)) is not None:
        if name is not None and name.start() < at:
            name = _name_of(subject).search(plain, at, end)
        found = name if name is not None and name.start() <= word.start() else word
        yield found
        at = found.end()


def _scan(plain: str, start: int, end: int, subject: str | None) -> list[Word]:
    """The words of ``plain[start:end]``, those of the closed classes tagged. Linear."""
    words: list[Word] = []
    for match in _find_words(plain, start, end, subject):
        kind = match.lastgroup or ""
        text, begin, stop = match.group(), match.start(), match.end()
        if kind == "word":
            _add(words, text, begin, stop)
        elif kind in ("quote", "title"):
            begin, stop = match.span(kind)
            inner = match.group(kind)
            # American style puts a full stop or comma of the sentence inside; one of an
            # abbreviation stays.
            edge = " ,;:\n" if "." in inner[:-1] else " ,.;:\n"
            stop -= len(inner) - len(inner.rstrip(edge))
            if stop > begin:
                words.append(Word(plain[begin:stop], '"', begin, stop, "NP"))
        elif kind == "mark":
            low = "–" if text in _DASHES else text
            tag = "GE" if _is_genitive(words, begin, text) else low
            words.append(Word(text, low, begin, stop, tag))
        else:
            tag = {"date": "DA", "number": "CD"}.get(kind, "NP")
            words.append(Word(text, text.lower(), begin, stop, tag))
    return words


def _is_genitive(words: list[Word], begin: int, text: str) -> bool:
    """An apostrophe right after a plural in -s."""
    return text in "'’" and bool(words) and words[-1].end == begin and words[-1].low.endswith("s")


def _add(words: list[Word], text: str, begin: int, end: int) -> None:
    """Add a word, its clitic ("n't", "'s") apart."""
    low = text.lower().replace("’", "'")
    clitic = _CLITIC.search(text)
    if clitic and low != "let's":
        cut = begin + clitic.start()
        _add(words, text[: clitic.start()], begin, cut)
        mark = low[clitic.start() :]
        tag = _CLOSED.get(mark, "MD")
        if mark == "'s":
            tag = "BE" if words[-1].low in _WH_HOSTS else "GE"
        words.append(Word(text[clitic.start() :], mark, cut, end, tag))
        return
    # The first word has a capital in any case, so that a closed class decides: "The", "In".
    first = not words or words[-1].tag in {":", "–"} or words[-1].low == '"'
    tag = _CLOSED.get(low, "")
    if text[0].isupper() and not (first and tag):
        named = bool(words) and words[-1].tag == "NP" and words[-1].low != '"'
        # Behind a name it is a number: "Charles I".
        tag = "PR" if low == "i" and not named else "NP"
    words.append(Word(text, low, begin, end, tag or "?"))
