"""Claims of what no triple holds: imperatives, advice, conditions, labels of a list, asides.

The rules for triples (`halubot.extract.english`) leave words out. What they leave is cut at clause
marks, and, if it is long, before its prepositions, so that each piece is one claim.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from halubot.extract import english_words as lex
from halubot.extract.claimless import courtesies, implying
from halubot.extract.drafts import merge_spans
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
_MOST_ADDED: Final = 3
"""Content words that are added to the fact before them."""
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


def with_remainder(document: Document, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts given, and after them, numbered on, claims for the words of each sentence
    that no fact holds. A few words that only add to a fact, and stand after it, go to that fact
    ("than your hand" to "the burn is bigger"). Questions and courtesies claim nothing, also if
    they are all that a text says. Linear.
    """
    empty = courtesies(document) | implying(document)
    held: list[list[Span]] = [[] for _ in document.sentences]
    found = list(facts)
    ends: dict[int, int] = {}
    for fact in facts:
        ends[fact.spans[-1][1]] = fact.index
        for sentence in fact.sentences:
            held[sentence] += fact.spans
    for sentence, span in enumerate(document.sentences):
        if span in empty:
            continue
        label = _LABEL.match(document.text, *span)
        for first, last, verb, adds in _pieces(document.plain, span, sorted(held[sentence])):
            if label and last <= label.end() < span[1]:
                continue
            text = " ".join(document.plain[first:last].split())
            before = ends.get(len(document.plain[:first].rstrip())) if adds else None
            if before is not None:
                found[before] = _with_words(document.plain, found[before], (first, last), text)
                continue
            found.append(
                Fact(
                    index=len(found),
                    triple=Triple("", verb, text),
                    sentences=(sentence,),
                    spans=((first, last),),
                    parts=Parts(tail=(first, last)),
                    negated=False,
                )
            )
    return found


def _with_words(plain: str, fact: Fact, place: Span, text: str) -> Fact:
    """Return a fact with the words that follow it as the end of its tail."""
    own = fact.triple
    tail = fact.parts.tail
    follows = tail is not None and not plain[tail[1] : place[0]].strip()
    return fact.model_copy(
        update={
            "triple": Triple(own.head, own.relation, f"{own.tail} {text}".strip()),
            "spans": merge_spans(plain, (*fact.spans, place)),
            "parts": fact.parts.model_copy(
                update={"tail": (tail[0], place[1]) if tail and follows else tail}
            ),
        }
    )


def _pieces(plain: str, span: Span, held: Sequence[Span]) -> Iterator[tuple[int, int, str, bool]]:
    """The places of the pieces of a sentence, with the verb before each that another holds, and
    whether a piece only adds to what stands before it: few words after a preposition or "than"."""
    words = tag(plain, *span)
    for run in _runs(words, held):
        verb = ""
        for piece in _cut_text(run):
            if not _claims(plain, piece):
                continue
            few = sum(map(_tells, piece)) <= _MOST_ADDED and len(piece) > 1
            adds = few and (piece[0].tag == "IN" or piece[0].low == "than")
            adds = adds and not any(word.tag in _VERBS for word in piece)
            yield piece[0].start, piece[-1].end, verb, adds
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
    ends = list(accumulate((end for _, end in held), max))
    run: list[Word] = []
    for word in words:
        at = bisect_left(starts, word.end) - 1
        covered = at >= 0 and word.start < ends[at]
        if covered or word.tag in _ENDS or not any(c.isalnum() for c in word.text):
            yield run
            run = [word] if word.tag in ("SB", "RL") and not covered else []
        else:
            run.append(word)
    yield run


def _cut_text(run: Sequence[Word]) -> Iterator[list[Word]]:
    """A run in pieces, each trimmed of function words that lead nowhere."""
    piece: list[Word] = []
    told, left = 0, sum(map(_tells, run))
    for word in run:
        left -= _tells(word)
        # One word left alone ("or proof | of funds") claims nothing.
        if told >= _MOST_WORDS and left > 1 and (word.tag in _LED or word.tag == "CC"):
            yield _trim(piece)
            piece, told = [], 0
        piece.append(word)
        told += _tells(word)
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
