"""Claims of what no triple holds: imperatives, advice, conditions, labels of a list, asides.

The rules for triples (`halubot.extract.english`) leave words out. What they leave is cut at clause
marks, and, if it is long, before its prepositions, so that each piece is one claim.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from halubot.extract import english_words as lex
from halubot.extract.courtesies import courtesies, implying
from halubot.extract.tagger import tag
from halubot.extract.tokenizer import Word
from halubot.report import Fact, Parts, Span, Triple
from halubot.text import Document

_CONTENT: Final = frozenset({"NN", "NP", "JJ", "VB", "VZ", "VD", "VN", "VG", "CD", "DA", "NG"})
_CLAIMING: Final = _CONTENT - {"NG"}
_VERBS: Final = frozenset({"VB", "VZ", "VD", "VN"})
_ENDS: Final = frozenset(
    {",", ";", ":", ".", "!", "?", "(", ")", "–", "SB", "RL", "…", "[", "]", "|", "/"}
)
_LED: Final = frozenset({"IN", "TO"})
_TRAILING: Final = frozenset({"IN", "TO", "CC", "DT", "PS", "BE", "HV", "DO", "RL", "SB", "GE"})
_MOST_WORDS: Final = 3
"""Content words of a piece that is not cut before a preposition."""
_LIMITS: Final = lex.words(
    "only never always usually often sometimes rarely seldom hardly twice once mostly mainly nearly"
    " almost upstairs downstairs indoors outdoors clockwise anticlockwise early late first last"
    " cannot immediately daily weekly monthly yearly hourly"
)
_TOLD: Final = "states?|stated|says?|said|suggests?|mentions?|mentioned|indicates?|notes?|reports?"
_LEAD_IN: Final = re.compile(
    r"it(?:'s| is) (?:also )?(?:important|worth|essential|useful|good|best) (?:to )?"
    r"(?:note|noting|know|knowing|remember|remembering|mention|mentioning)(?: that)?"
    r"|(?:the|this|these) (?:passage|text|document|article|source|reference)s? (?:also )?"
    rf"(?:{_TOLD})(?: that)?"
    r"|(?:please )?(?:remember|note|keep in mind|bear in mind|mind you)(?: that)?"
    r"|(?:it|that|this)(?: all)? depends|(?:most|very|more than) likely|as you (?:may |might )?know"
    r"|(?:for|as an) (?:example|instance)|in (?:total|all|short|fact|general|addition|brief|summary"
    r"|other words|that case|this case)|of course|by the way|on the (?:other|one) hand|as a rule"
    r"|at (?:first|last|least)|as (?:long|soon|far)|so far|yes|no"
    r"|here is (?:a|the) (?:short )?summary|\d{1,2}",
    re.IGNORECASE,
)
"""Words that introduce a claim or link two, and claim nothing themselves."""
_LABEL: Final = re.compile(
    r"(?:\*{1,3}|_{1,2})[^*_:\n]{1,60}(?::(?:\*{1,3}|_{1,2})|(?:\*{1,3}|_{1,2}):)(?=\s)"
)
"""A run-in title in bold or italics: "**How to take it:** swallow it whole"."""


def remainder(document: Document, facts: Sequence[Fact]) -> list[Fact]:
    """Return claims for the words of each sentence that no fact holds, after the facts given and
    numbered on. Questions and courtesies have none, also if they are all that a text says. Linear.
    """
    empty = courtesies(document) | implying(document)
    held: list[list[Span]] = [[] for _ in document.sentences]
    for fact in facts:
        for sentence in fact.sentences:
            held[sentence] += fact.spans
    found: list[Fact] = []
    for sentence, span in enumerate(document.sentences):
        if span in empty:
            continue
        label = _LABEL.match(document.text, *span)
        for first, last, verb in _pieces(document.plain, span, sorted(held[sentence])):
            if label and last <= label.end() < span[1]:
                continue
            text = " ".join(document.plain[first:last].split())
            found.append(
                Fact(
                    index=len(facts) + len(found),
                    triple=Triple("", verb, text),
                    sentences=(sentence,),
                    spans=((first, last),),
                    parts=Parts(tail=(first, last)),
                    negated=False,
                )
            )
    return found


def _pieces(plain: str, span: Span, held: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """The places of the pieces of a sentence, with the verb before each that another holds."""
    words = tag(plain, *span)
    for run in _runs(words, held):
        verb = ""
        for piece in _cut_text(run):
            if not _claims(plain, piece):
                continue
            yield piece[0].start, piece[-1].end, verb
            verb = next((word.low for word in piece if word.tag in _VERBS), verb)


def _claims(plain: str, piece: Sequence[Word]) -> bool:
    """Return False for what only leads to another claim: no content word, a participle alone
    ("born" before a date that a fact holds), a phrase such as "It is important to note"."""
    if not any(word.tag in _CLAIMING for word in piece):
        return False
    if len(piece) == 1 and piece[0].tag == "VN":
        return False
    return not _LEAD_IN.fullmatch(" ".join(plain[piece[0].start : piece[-1].end].split()))


def _runs(words: Sequence[Word], held: Sequence[Span]) -> Iterator[list[Word]]:
    """Stretches of words that no fact holds, without clause marks."""
    starts = [start for start, _ in held]
    run: list[Word] = []
    for word in words:
        at = bisect_left(starts, word.end) - 1
        covered = any(start < word.end and word.start < end for start, end in held[: at + 1])
        if covered or word.tag in _ENDS or not any(c.isalnum() for c in word.text):
            yield run
            run = [word] if word.tag in ("SB", "RL") and not covered else []
        else:
            run.append(word)
    yield run


def _cut_text(run: Sequence[Word]) -> Iterator[list[Word]]:
    """A run in pieces, each trimmed of function words that lead nowhere."""
    piece: list[Word] = []
    for word in run:
        full = sum(_tells(one) for one in piece) >= _MOST_WORDS
        if full and (word.tag in _LED or word.tag == "CC"):
            yield _trim(piece)
            piece = []
        piece.append(word)
    yield _trim(piece)


def _trim(piece: list[Word]) -> list[Word]:
    first, last = 0, len(piece)
    while first < last and piece[first].tag in ("CC", "GE", "RL"):
        first += 1
    while last > first and piece[last - 1].tag in _TRAILING:
        last -= 1
    return piece[first:last]


def _tells(word: Word) -> bool:
    return word.tag in _CONTENT or word.low in _LIMITS
