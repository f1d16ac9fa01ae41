"""A sentence cut into words, with dates, quotations and names kept whole.

Tags: DT determiner, PS possessive pronoun, GE the possessive 's, PR pronoun, RL relative,
IN preposition, TO, CC conjunction, SB subordinator, NG negation, RB adverb, JJ adjective,
NN noun, NP name (a quotation is one), CD number, DA date, BE HV DO MD auxiliaries, VB base or
plural present, VZ third person, VD past, VN participle, VG -ing form; punctuation carries
itself. A word of no closed class has the tag "?" until `halubot.extract.tagger` settles it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from halubot.extract import english_words as lex


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


@lru_cache(maxsize=64)
def _scanner(subject: str | None) -> re.Pattern[str]:
    """The pattern of words; the subject's own name, if given, is one word."""
    if subject and len(subject.split()) > 1:
        name = r"\s+".join(re.escape(part) for part in subject.split())
        return re.compile(rf"(?P<subject>(?<!\w){name}(?!\w))|{_PATTERN}")
    return re.compile(_PATTERN)


def scan(plain: str, start: int, end: int, subject: str | None) -> list[Word]:
    """The words of ``plain[start:end]``, those of the closed classes tagged. Linear."""
    words: list[Word] = []
    for match in _scanner(subject).finditer(plain, start, end):
        kind = match.lastgroup or ""
        text, begin, stop = match.group(), match.start(), match.end()
        if kind == "word":
            _add(words, text, begin, stop)
        elif kind in ("quote", "title"):
            begin, stop = match.span(kind)
            inner = match.group(kind)
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
    """Adds a word, its clitic ("n't", "'s") apart."""
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
    first = not words or words[-1].tag in {":", "–"} or words[-1].low == '"'
    tag = _CLOSED.get(low, "")
    if text[0].isupper() and not (first and tag):
        named = bool(words) and words[-1].tag == "NP" and words[-1].low != '"'
        tag = "PR" if low == "i" and not named else "NP"
    words.append(Word(text, low, begin, end, tag or "?"))
