"""Claims of a message for the verifier: whole sentences, and their clauses."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from halubot.claims.english import read_statements
from halubot.compare.tokens import Token, tokens
from halubot.text import Document, Span, reads_as_english
from halubot.values import Value, find

_CUT: Final = re.compile(
    r"[;:]\s+|[；：，、。]\s*|\s[–—-]\s|—|[()（）]|[,،]\s+|؛\s+|"
    # conjunctions after which a clause often begins, in the six languages of the verifier
    r"\s+(?=(?:because|although|whereas|so that|which|who|while|until|and then"
    r"|weil|obwohl|während|damit|parce que|tandis que|alors que|porque|aunque|mientras)\s)"
)
_WORD: Final = re.compile(r"[^\W_]+")
_IDEOGRAPH: Final = re.compile("[\u3400-\u9fff]")
_MARKS: Final = re.compile(r"\s+")

WORDS: Final = 3
"""Words that a clause has at least; in Chinese twice as many characters."""


class Unit(NamedTuple):
    """A sentence or a clause: its places in the message, and its words without markup. A clause
    that another one interrupts lies in pieces; the subject may stand in another clause."""

    spans: tuple[Span, ...]
    text: str

    @property
    def span(self) -> Span:
        """The place from the first word to the last."""
        return self.spans[0][0], self.spans[-1][1]

    def values(self, message: str) -> list[Value]:
        """Return the values of the clause."""
        return [value for span in self.spans for value in find(message, *span)]

    def tokens(self, message: str) -> list[Token]:
        """Return the tokens of the clause."""
        return [token for span in self.spans for token in tokens(message, *span)]


def units_of(message: Document) -> list[tuple[Unit, ...]]:
    """Return the units of each sentence of a message: the sentence first, then its clauses, if it
    has more than one; none of a sentence without words."""
    plain, sentences = message.plain, message.sentences
    wholes = [Unit((span,), words_of(plain[slice(*span)])) for span in sentences]
    if reads_as_english(message):
        read = read_statements(plain, sentences)
        clauses = [[Unit(*one) for one in statements] for statements in read]
    else:
        clauses = [
            [Unit((own,), words_of(plain[slice(*own)])) for own in clauses_of(plain, span)]
            for span in sentences
        ]
    return [_with_clauses(*one) for one in zip(wholes, clauses, strict=True)]


def _with_clauses(whole: Unit, clauses: list[Unit]) -> tuple[Unit, ...]:
    told = [one for one in clauses if len(one.text.split()) > 1 or _IDEOGRAPH.search(one.text)]
    if not whole.text:
        return ()
    return (whole, *told) if len(told) > 1 else (whole,)


def words_of(text: str) -> str:
    """Return a text in one line with single spaces."""
    return _MARKS.sub(" ", text).strip(" ,;:|")


def clauses_of(plain: str, sentence: Span) -> list[Span]:
    """Return the clauses of a sentence in order; none if it is one clause. A comma within a value
    ("April 11, 1969") parts nothing."""
    start, end = sentence
    begins, found = start, []
    values = find(plain, start, end)
    for match in _CUT.finditer(plain, start, end):
        if any(one.start < match.start() and match.end() < one.end for one in values):
            continue
        if _is_long(plain[begins : match.start()]) and _is_long(plain[match.end() : end]):
            found.append((begins, match.start()))
            begins = match.end()
    found.append((begins, end))
    return found if len(found) > 1 else []


def _is_long(text: str) -> bool:
    ideographs = len(_IDEOGRAPH.findall(text))
    if ideographs:
        return ideographs >= 2 * WORDS
    return len(_WORD.findall(text)) >= WORDS
