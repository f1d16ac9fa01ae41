"""Words of a sentence with their parts of speech, by lists, endings and neighbours.

Tags: DT determiner, PS possessive pronoun, GE the possessive 's, PR pronoun, RL relative,
IN preposition, TO, CC conjunction, SB subordinator, NG negation, RB adverb, JJ adjective, NN noun,
NP name (a quotation is one), CD number, DA date, BE HV DO MD auxiliaries, VB base or plural present,
VZ third person, VD past, VN participle, VG -ing form; punctuation carries itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.extract import lexicon as lex


class Word(NamedTuple):
    """A word in its place: ``text`` stands at ``start:end`` of the document."""

    text: str
    low: str
    start: int
    end: int
    tag: str


_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_GAP = r"\s{1,3}"
DATE: Final = (
    rf"(?:{_DAY}{_GAP}(?:of{_GAP})?(?:{lex.MONTHS})\b(?:,?{_GAP}\d{{4}}\b)?"
    rf"|(?:{lex.MONTHS}){_GAP}{_DAY}\b(?:(?:,{_GAP}?|{_GAP})\d{{4}}\b)?"
    rf"|(?:{lex.MONTHS}),?{_GAP}\d{{4}}\b"
    r"|\d{4}-\d{2}-\d{2}\b)"
)
_TITLES = (
    "Dr|Mr|Mrs|Ms|St|Jr|Sr|Prof|Inc|Ltd|Co|No|vs|Mt|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Gov|Sen|Rep|c|ca"
)
_PATTERN = (
    rf"(?P<date>\b{DATE})"
    r"|[\"“«](?P<quote>[^\"“”«»]{1,300})[\"”»]"
    r"|(?<!\w)['‘](?P<title>[A-Z0-9][^'‘’\n]{0,80}(?:['’]\w[^'‘’\n]{0,40}){0,3})['’](?!\w)"
    r"|(?P<number>[#$€£¥]?\d(?:[\w%°$]|[.,:](?=\d)|[/–'-](?=\w))*)"
    rf"|(?P<word>(?:[^\W\d_]{{1,2}}\.)(?:[^\W\d_]\.)+|\b(?:{_TITLES})\.|\b[A-Z]\.(?=\s+\w)"
    r"|[^\W_](?:[\w\u0300-\u036f]|['’](?=[^\W\d_])|[-‐‑/&](?=\w)|\.(?=[a-z]{2}))*)"
    r"|(?P<mark>\S)"
)
_DASHES: Final = frozenset("–—-")
_CLITIC: Final = re.compile(r"(?<=\w)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.I)
_NUMBERS: Final = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety"
    " hundred thousand million billion trillion dozen dozens hundreds thousands millions billions".split()
)
_WH_HOSTS: Final = frozenset("it he she that there what who here let where how".split())
_FINITE: Final = frozenset("BE HV DO MD VZ VD".split())
_NEVER_FINITE: Final = frozenset("be been being having".split())
_BOUNDARY: Final = frozenset({",", ";", ":", "CC", "RL", "SB", "(", ")", "–"})
_PLACES: Final = frozenset("past inside outside above back home".split())
_REFLEXIVES: Final = frozenset("himself herself itself themselves".split())
# Words that bring a clause ("until he died") or a noun ("until his death").
_BOTH_WAYS: Final = frozenset("until till once since as before after like so".split())
_GRADES: Final = frozenset("best better most least well lesser first last more less".split())
_REACH = 24  # words a look around goes, so that time stays linear

_CLOSED: Final[dict[str, str]] = {
    word: tag
    for tag, group in (
        ("RB", lex.PARTICLES),
        ("RB", lex.ADVERBS),
        ("JJ", lex.ADJECTIVES),
        ("CD", _NUMBERS),
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


@lru_cache(maxsize=64)
def _scanner(subject: str | None) -> re.Pattern[str]:
    """The pattern of words; the subject's own name, where given, is one word."""
    if subject and len(subject.split()) > 1:
        name = r"\s+".join(re.escape(part) for part in subject.split())
        return re.compile(rf"(?P<subject>(?<!\w){name}(?!\w))|{_PATTERN}")
    return re.compile(_PATTERN)


def tag(plain: str, start: int, end: int, subject: str | None = None) -> list[Word]:
    """The tagged words of ``plain[start:end]``. Linear in its length."""
    words = _scan(plain, start, end, subject)
    tags = [word.tag for word in words]
    _by_neighbours(words, tags)
    _finite(words, tags)
    return [
        word if word.tag == tag else word._replace(tag=tag)
        for word, tag in zip(words, tags, strict=True)
    ]


def _scan(plain: str, start: int, end: int, subject: str | None) -> list[Word]:
    words: list[Word] = []
    for match in _scanner(subject).finditer(plain, start, end):
        kind = match.lastgroup
        text, begin, stop = match.group(), match.start(), match.end()
        if kind == "word":
            _add_word(words, text, begin, stop)
        elif kind in ("quote", "title"):
            begin, stop = match.span(kind)
            inner = match.group(kind)
            stop -= len(inner) - len(inner.rstrip(" ,;:\n" if "." in inner[:-1] else " ,.;:\n"))
            if stop > begin:
                words.append(Word(plain[begin:stop], '"', begin, stop, "NP"))
        elif kind == "mark":
            low = "–" if text in _DASHES else text
            words.append(
                Word(text, low, begin, stop, "GE" if _is_genitive(words, begin, text) else low)
            )
        else:
            tag = {"date": "DA", "number": "CD"}.get(kind or "", "NP")
            words.append(Word(text, text.lower(), begin, stop, tag))
    return words


def _is_genitive(words: list[Word], begin: int, text: str) -> bool:
    """An apostrophe right after a plural in -s."""
    return text in "'’" and bool(words) and words[-1].end == begin and words[-1].low.endswith("s")


def _add_word(words: list[Word], text: str, begin: int, end: int) -> None:
    low = text.lower().replace("’", "'")
    clitic = _CLITIC.search(text)
    if clitic and low not in ("let's",):
        cut = begin + clitic.start()
        _add_word(words, text[: clitic.start()], begin, cut)
        tail = text[clitic.start() :]
        mark = tail.lower().replace("’", "'")
        host = words[-1].low
        if mark == "'s":
            tag = "BE" if host in _WH_HOSTS else "GE"
        else:
            tag = _CLOSED.get(mark, "MD")
        words.append(Word(tail, mark, cut, end, tag))
        return
    first = not words or words[-1].tag in {":", "–", '"'} or words[-1].low == '"'
    capital = text[0].isupper()
    tag = _CLOSED.get(low, "")
    if capital and not (first and tag):
        named = bool(words) and words[-1].tag == "NP" and words[-1].low != '"'
        tag = "PR" if low == "i" and not named else "NP"
    elif not tag:
        tag = "?"
    words.append(Word(text, low, begin, end, tag))


def _by_neighbours(words: list[Word], tags: list[str]) -> None:
    """Settles every open word ("?") that its left neighbour decides; leaves ED (past or
    participle) and AM (present verb or noun) to the clause."""
    for i, word in enumerate(words):
        low = word.low
        previous = _left(tags, i)
        following = tags[i + 1] if i + 1 < len(tags) else "."
        if tags[i] == "?":
            tags[i] = _open_class(low, previous, tags[i - 1] if i else "", following, words, i)
        elif tags[i] == "NP" and i == 0 and following not in ("NP", "GE"):
            tags[i] = _opening(low, following)
        elif i == 0 and tags[i] in ("JJ", "RB") and following in ("BE", "HV", "MD"):
            tags[i] = "NP" if low not in ("here", "there") else tags[i]
        elif low in ("either", "both") and following in ("SB", "IN", "TO", "BE", "HV", "MD"):
            tags[i] = "RB"
        elif tags[i] == "JJ" and previous == "TO" and following in ("DT", "PS", "PR"):
            tags[i] = "VB" if low in lex.ALL_VERBS else "JJ"
        elif tags[i] in ("IN", "RB") and low in _PLACES and previous == "DT":
            tags[i] = "NN"
        elif low in _REFLEXIVES and previous in ("NN", "NP"):
            tags[i] = "RB"
        elif low in ("no", "&") and previous == "NP" and following == "NP":
            tags[i] = "NP"
        elif low == "since" and previous == "HV":
            tags[i] = "RB"
        elif low in _BOTH_WAYS and tags[i] in ("SB", "IN"):
            tags[i] = "SB" if _has_verb_after(words, i) else "IN"
        elif low in ("following", "including", "regarding", "concerning") and previous in (
            "DT",
            "BE",
        ):
            tags[i] = "VG" if previous == "BE" else "JJ"
        elif low in ("her", "his") and tags[i] == "PS":
            article = i + 1 < len(words) and words[i + 1].low in lex.ARTICLES
            if following in _BOUNDARY or following in (".", "IN", "TO", "RB") or article:
                tags[i] = "PR"
        elif low in _GRADES and i + 1 < len(words) and "n" in lex.verb_forms(words[i + 1].low):
            tags[i] = "RB"
        elif low in ("best", "better", "most", "more", "well", "home", "much") and previous in (
            "DT",
            "PS",
            "GE",
        ):
            tags[i] = "JJ" if low != "home" else "NN"
        elif low == "home" and following == "TO":
            tags[i] = "NN"


def _left(tags: list[str], i: int) -> str:
    """The nearest tag to the left that is neither adverb nor negation."""
    j = i - 1
    low = max(-1, i - 6)
    while j > low and tags[j] in ("RB", "NG"):
        j -= 1
    return tags[j] if j >= 0 else ""


def _opening(low: str, following: str) -> str:
    """The tag of a capitalised word that opens a sentence and is in no closed class."""
    if low.endswith("ly") and following in (",", "VD", "NP", "DT", "JJ"):
        return "RB"
    if low.endswith("ing") and following in ("DT", "PS", "NP", "JJ", "IN", "NN", "?", "TO"):
        return "VG"
    if lex.is_adjective(low) and following in ("?", "NN"):
        return "JJ"
    forms = lex.verb_forms(low)
    if "n" in forms and following in ("IN", "TO"):
        return "VN"
    if low in lex.ALL_VERBS and (
        following in ("DT", "PS")
        or low in lex.ORDERS
        or (low not in lex.ALSO_NOUNS and following not in ("BE", "HV", "MD", ","))
    ):
        return "VB"
    if "d" in forms and following in ("PS", "DT", "RB", "NP", "CD"):
        return "VD"
    return "NN" if following == "?" and lex.is_plural(low) else "NP"


def _open_class(
    low: str, previous: str, direct: str, following: str, words: list[Word], i: int
) -> str:
    if low.endswith("ly") and len(low) > 4 and low not in ("family", "july", "italy", "assembly", "reply", "supply", "apply", "anomaly", "monopoly", "butterfly", "ally", "rally", "belly"):  # fmt: skip
        nominal = direct in ("DT", "PS", "GE") and following in ("?", "NN")
        next_low = words[i + 1].low if i + 1 < len(words) else ""
        if low in ("early", "daily", "weekly", "monthly", "yearly", "friendly", "likely", "only", "elderly", "costly", "deadly", "lovely", "hourly", "quarterly"):  # fmt: skip
            return "JJ"
        return (
            "RB" if not nominal or lex.is_adjective(next_low) or lex.verb_forms(next_low) else "RB"
        )
    forms = lex.verb_forms(low)
    if not forms:
        return "JJ" if lex.is_adjective(low) else "NN"
    if "g" in forms:
        return _gerund(words, previous, direct, following, i)
    if "n" in forms or "d" in forms:
        return _past(low, forms, previous, direct, following)
    return _present(low, forms, previous, direct, words, i)


def _gerund(words: list[Word], previous: str, direct: str, following: str, i: int) -> str:
    if previous == "BE":
        return "VG"
    if direct == "HV":
        return "JJ" if following in ("?", "NN") else "NN"
    if i and words[i - 1].low in lex.HOLDING:
        return "JJ" if following in ("?", "NN") else "NN"
    if direct == "IN" and words[i - 1].low == "of" and following in ("?", "NN"):
        return "JJ"
    if direct in (",", "CC"):
        after = words[i + 2].tag if i + 2 < len(words) else "."
        if following in (",", "CC", "."):
            return "NN"
        if direct == "," and following in ("?", "NN") and after in (",", "CC"):
            return "JJ"
        if direct == "CC" and following in ("?", "NN"):
            earlier = any(word.low.endswith("ing") for word in words[max(0, i - _REACH) : i - 1])
            return "VG" if earlier else "JJ"
    if direct in ("DT", "PS", "GE", "JJ", "CD"):
        paired = following == "CC" and i + 2 < len(words) and lex.is_adjective(words[i + 2].low)
        return "JJ" if paired or following in ("?", "NN") else "NN"
    return "VG"


def _past(low: str, forms: str, previous: str, direct: str, following: str) -> str:
    if previous in ("BE", "HV") and "n" in forms:
        if following in ("?", "NN") and low.endswith("ed") and previous == "BE":
            return "VN"
        return "VN"
    if previous in ("TO", "MD", "DO") and "b" in forms:
        return "VB"
    if direct in ("DT", "PS", "GE", "JJ", "CD", "RB") and previous in (
        "DT",
        "PS",
        "GE",
        "JJ",
        "CD",
    ):
        if "n" in forms and (
            low.endswith(("ed", "en", "wn", "ought")) or following in ("?", "NN", "NP", "JJ")
        ):
            return "JJ" if following in ("?", "NN", "NP", "JJ", "VG", "CC", ",") else "ED"
        return "NN"
    if previous == "IN":
        return "JJ" if following in ("?", "NN", "NP") else "NN" if "b" in forms else "VN"
    if "n" not in forms:
        return "VD"
    if "d" not in forms:
        return "VN"
    return "ED"


def _present(low: str, forms: str, previous: str, direct: str, words: list[Word], i: int) -> str:
    if "b" in forms and previous in ("TO", "MD", "DO"):
        return "VB"
    if (
        previous == "CD"
        and i > 1
        and words[i - 2].tag in ("?", "NN", "NP")
        and words[i - 1].low.isdigit()
    ):
        return "AM"  # "passage 8 suggests"
    if previous in ("DT", "PS", "GE", "JJ", "CD", "IN", "DA", "BE"):
        # "these provide": a determiner alone can be a subject
        if previous == "DT" and direct == "DT" and words[i - 1].low in ("these", "those", "this", "many", "most", "some", "both", "all"):  # fmt: skip
            base = low if "b" in forms else lex.base_of_present(low)
            if base not in lex.ALSO_NOUNS:
                return "VB" if "b" in forms else "VZ"
        return "NN"
    if previous in ("PR", "RL"):
        return "VZ" if "z" in forms else "VB"
    return "AM"


def _that(words: list[Word], tags: list[str], i: int) -> str:
    """ "that" points ("that year"), brings a clause ("says that") or relates ("a band that")."""
    previous = tags[i - 1] if i else ""
    following = words[i + 1].low if i + 1 < len(words) else ""
    if previous in ("NN", "NP", "CD", "DA", "PR", ")"):
        return "RL"
    if previous in ("VB", "VZ", "VD", "VN", "VG", "ED", "AM", "JJ", "BE", "RB") or not previous:
        if not previous and lex.verb_forms(following) == "" and following not in lex.BE:
            return "DT"
        return "SB"
    if previous == ",":
        return "RL"
    if previous == "CC":
        return "SB"
    return "DT"


def _has_verb_after(words: list[Word], i: int) -> bool:
    """Whether a clause with subject and verb follows directly."""
    for k in range(i + 1, min(len(words), i + 7)):
        word = words[k]
        if word.tag in _BOUNDARY or word.tag in ("IN", ".", "TO"):
            return False
        if k > i + 1 and (word.tag in _FINITE or (word.tag == "?" and _surely_verb(words, k))):
            return True
    return False


def _surely_verb(words: list[Word], k: int) -> bool:
    low = words[k].low
    if "d" in lex.verb_forms(low):
        return words[k - 1].tag not in ("DT", "PS", "GE", "JJ", "CD")
    base = lex.base_of_present(low) or low
    pronoun = words[k - 1].tag == "PR"
    return (
        bool(lex.verb_forms(low))
        and (pronoun or base not in lex.ALSO_NOUNS)
        and not low.endswith("ing")
    )


def _finite(words: list[Word], tags: list[str]) -> None:
    """Settles ED and AM by whether their clause already has a finite verb."""
    for i, word in enumerate(words):
        if tags[i] == "ED":
            tags[i] = _past_or_participle(words, tags, i)
        elif word.low == "that" and tags[i] == "RL":
            tags[i] = _that(words, tags, i)
        elif tags[i] == "AM":
            tags[i] = _verb_or_noun(word.low, words, tags, i)


def _is_finite(words: list[Word], tags: list[str], j: int) -> bool:
    """Whether the word carries a clause: no infinitive, no "be" or "been"."""
    if tags[j] in _FINITE:
        return words[j].low not in _NEVER_FINITE and (not j or tags[j - 1] != "TO")
    return tags[j] == "VB" and bool(j) and tags[j - 1] not in ("TO", "MD")


def _finite_behind(
    words: list[Word], tags: list[str], i: int, *, across: bool = False, restrictive: bool = False
) -> bool:
    """Whether a finite verb stands before ``i`` in its clause; ``across`` looks past "and",
    ``restrictive`` past a relative clause that ends here."""
    found = 0
    for j in range(i - 1, max(-1, i - _REACH), -1):
        if tags[j] in _BOUNDARY and not (across and tags[j] == "CC"):
            # "players who won awards include": the relative clause has its verb, the main has not
            main = restrictive and tags[j] == "RL" and j > 0 and tags[j - 1] != ","
            return found > (1 if main else 0)
        found += _is_finite(words, tags, j)
        if found and not restrictive:
            return True
    return found > 0


def _finite_ahead(words: list[Word], tags: list[str], i: int) -> bool:
    for j in range(i + 1, min(len(tags), i + _REACH)):
        if tags[j] in _BOUNDARY:
            return False
        if tags[j] != "VB" and _is_finite(words, tags, j):
            return True
    return False


def _past_or_participle(words: list[Word], tags: list[str], i: int) -> str:
    previous = _left(tags, i)
    following = tags[i + 1] if i + 1 < len(tags) else "."
    if previous in ("PR", "RL"):
        return "VD"
    if previous in ("VZ", "VB", "VD") and following in ("NN", "NP"):
        return "JJ"  # "publishes leaked documents"
    if previous in (",", "CC", "–"):
        if previous == "CC":
            j = i - 1
            while j > max(0, i - _REACH) and tags[j] not in ("VN", "VD", "VB", "VZ"):
                j -= 1
            return tags[j] if tags[j] in ("VN", "VD") else "VD"
        before = tags[max(0, i - 60) : i]
        earlier = any(tag in _FINITE for tag in before)
        if not earlier and previous == "," and "," in before[:-1] and "VN" in before:
            return "VD"  # "The blast, caused by a leak, resulted in"
        return "VN" if following in ("IN", "TO") or not earlier else "VD"
    if previous in ("", "(", ":", ";", "SB", "IN", "TO"):
        return "VN"
    return "VN" if _finite_behind(words, tags, i) or _finite_ahead(words, tags, i) else "VD"


def _verb_or_noun(low: str, words: list[Word], tags: list[str], i: int) -> str:
    third = low not in lex.ALL_VERBS and lex.base_of_present(low)
    base = third or low
    verb = "VZ" if third else "VB"
    previous = _left(tags, i)
    following = tags[i + 1] if i + 1 < len(tags) else "."
    if not i:
        return "VB" if following in ("DT", "PS", "PR") else "NN"
    certain = base not in lex.ALSO_NOUNS
    if certain and following == "PR" and previous in ("NN", "NP"):
        return verb
    opens = following in ("DT", "PS", "PR") or (following == "TO" and base in lex.WISHES)
    alike = third and "VZ" in tags[max(0, i - _REACH) : i] and following in ("IN", "RB", "TO", "JJ")
    if previous in ("CC", ","):
        if third or previous == "CC":
            return verb if certain or opens or alike else "NN"
        return "VB" if opens else "NN"
    if previous in ("VB", "VZ", "VD", "VN"):
        helping = previous in ("VB", "VZ", "VD") and _word_left(words, tags, i) in (
            "help", "helps", "helped", "let", "lets", "make", "makes", "made",
        )  # fmt: skip
        return "VB" if helping and not third else "NN"
    if _finite_behind(words, tags, i, across=not certain and not opens, restrictive=certain):
        return "NN"
    if not certain and _within_gerund(tags, i):
        return "NN"
    ends = following in (".", ",", "CC")
    if ends and not certain and any(tag in _FINITE for tag in tags[max(0, i - 40) : i]):
        return "NN"
    if _finite_ahead(words, tags, i):
        return "NN"
    plural = _plural_subject(words, tags, i)
    if bool(third) == plural and not certain:
        return "NN"
    if certain:
        return verb
    starts_object = following in ("DT", "PS", "PR", "IN", "TO", "CD", "DA", "NP", "JJ", "RB", "NN", "VN", "SB", "RL", ".", "?")  # fmt: skip
    return verb if starts_object else "NN"


def _within_gerund(tags: list[str], i: int) -> bool:
    """Whether an -ing form before ``i`` governs it ("suggesting a history of struggles")."""
    for j in range(i - 1, max(-1, i - _REACH), -1):
        if tags[j] in _BOUNDARY:
            return False
        if tags[j] == "VG":
            return j > 0 and tags[j - 1] != "BE"
    return False


def _word_left(words: list[Word], tags: list[str], i: int) -> str:
    j = i - 1
    while j > 0 and tags[j] in ("RB", "NG"):
        j -= 1
    return words[j].low


def _plural_subject(words: list[Word], tags: list[str], i: int) -> bool:
    """Whether the nouns before ``i`` are a plural or joined by "and"."""
    seen = False
    for j in range(i - 1, max(-1, i - 8), -1):
        if words[j].low == "of":
            seen = False
        elif tags[j] in ("NN", "NP") and not seen:
            seen = True
            if lex.is_plural(words[j].low) and tags[j] == "NN":
                return True
        if words[j].low == "and":
            joined = j > 0 and tags[j - 1] in ("NN", "NP")
            return seen and joined and not _finite_behind(words, tags, j)
        if tags[j] in _FINITE or tags[j] in (",", ";", "."):
            return False
    return False
