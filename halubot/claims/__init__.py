"""Facts out of a text: no language model, no download.

An English sentence is parsed (`parser`), its tree is cut into clauses and each clause gives triples
(`clauses`), with the names that pronouns stand for (`mentions`). Other
languages are cut into clauses, which can be scored though they have no parts. What claims nothing
is set apart (`lines`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from halubot.claims.english import read_facts, spans_between
from halubot.claims.lines import find_asked, find_claimless, find_titles
from halubot.report import Fact, Parts, Triple
from halubot.text import Document, Span, read, reads_as_english
from halubot.text.markdown import Unread, decode_letters, find_unread

__all__ = [
    "clauses",
    "extract",
    "extractor_name",
    "read_message",
    "read_source",
    "set_titles_apart",
    "skip_endless",
]

# Marks of full-width scripts cut anywhere; others where white space follows, so that "1,200",
# "10:30" and the Arabic thousands stay whole.
_CUT: Final = re.compile(r"[、，。；：！？｡､…]+|[,;:،؛।](?=\s|$)|\s[–—-]\s")
_EDGES: Final = " \t\r\n.!?,;:。！？…\"'“”‘’«»„()[]{}（）「」『』【】《》、，；：،؛؟।·•*_#|-–—"


def extract(document: Document, *, subject: str | None = None) -> tuple[Fact, ...]:
    """Return the facts of a text, unjudged, in its order. Every word that claims something is in
    one.

    ``subject`` is what the text is about: pronouns mean it until another subject comes.
    Triples hold words of the text without articles at their beginnings. Head and relation are
    empty where the text has none, as in an order ("", "Boil", "the water"). The head may be the
    name a pronoun stands for, and then ``parts.head`` is None. ``parts.tail`` is the exact place of
    the value if its words stand together. ``negated`` tells that the clause denies something. Text
    in another language gives its clauses. Never raises; an empty text has no facts. Linear in the
    length of the text.
    """
    if not reads_as_english(document):
        return clauses(document)
    found = read_facts(document, subject)
    # A few words whose language nothing tells ("Oslo.") are read as English; what gives nothing so
    # may be any language.
    return tuple(found) if found or document.language != "und" else clauses(document)


def extractor_name(document: Document) -> str:
    """Return how `extract` reads this text, for people."""
    if reads_as_english(document):
        return "English parser"
    if document.language == "und":
        return "clauses (language not recognised)"
    return "clauses (no parser for this language)"


def clauses(document: Document) -> tuple[Fact, ...]:
    """Each clause of the text as a fact ``("", "", clause)``, its span exact.

    A clause without a letter or digit is none. Chinese, Japanese and every language with
    clause marks are served alike. Linear in the length of the text.
    """
    found: list[Fact] = []
    for sentence, whole in enumerate(document.sentences):
        for start, end in spans_between(_CUT, document.plain, whole):
            piece = document.plain[start:end]
            place = (
                start + len(piece) - len(piece.lstrip(_EDGES)),
                end - len(piece) + len(piece.rstrip(_EDGES)),
            )
            text = " ".join(document.plain[slice(*place)].split())
            if not any(character.isalnum() for character in text):
                continue
            found.append(
                Fact(
                    index=len(found),
                    triple=Triple("", "", text),
                    sentences=(sentence,),
                    spans=(place,),
                    parts=Parts(tail=place),
                )
            )
    return tuple(found)


def read_message(text: str) -> Document:
    """Return a message as it is checked: what its reader sees of it, with what claims nothing set
    apart (`set_titles_apart`). Its text is another one if letters were written as entities."""
    shown, decoded = decode_letters(text)
    document = skip_endless(set_titles_apart(read(shown)))
    if not decoded:
        return document
    what = "letter or digit" if decoded == 1 else "letters and digits"
    how = f"{decoded} {what} written as entities decoded"
    return replace(document, notes=(*document.notes, how))


def read_source(text: str) -> Document:
    """Return a source as it is compared: without titles and labels, which are no evidence and would
    stand in a quote before what is. All are kept if nothing else is there. Linear in the length of
    the text."""
    document = read(text)
    empty = find_titles(document)
    kept = tuple(span for span in document.sentences if span not in empty)
    return replace(document, sentences=kept) if kept else document


def set_titles_apart(document: Document) -> Document:
    """The document with what claims nothing set ``apart``, no longer among its sentences: titles
    and labels, bare names, questions and courtesies to the reader (`halubot.claims.lines`); all are
    kept if no sentence would be left. What may claim something and is not read is ``unread``, and a
    sentence: words in code, in comments, in titles of links, and questions that imply their answer.
    Linear in the length of the text."""
    found = find_claimless(document)
    kept = [span for span in document.sentences if span not in found]
    # A message that consists of a title or a question alone would have nothing to judge.
    if not kept:
        found, kept = frozenset(), list(document.sentences)
    implied = find_asked(document)
    asked = [Unread(*span, ASKED) for span in kept if span in implied]
    unread = [*find_unread(document.text, document.plain), *asked]
    sentences = sorted([*kept, *_outside(kept, unread)])
    return replace(
        document,
        sentences=tuple(sentences),
        apart=tuple(sorted(found)),
        unread=tuple(sorted(unread)),
    )


LONGEST_SENTENCE: Final = 3_000
"""Characters of a sentence of a message; the time of a comparison grows with its square."""


def skip_endless(document: Document) -> Document:
    """The document with sentences that are too long to be compared blank in ``plain`` and
    ``unread``: nothing is read in them, and the report says why."""
    endless = [(a, b) for a, b in document.sentences if b - a > LONGEST_SENTENCE]
    if not endless:
        return document
    plain = document.plain
    for start, end in endless:
        plain = plain[:start] + " " * (end - start) + plain[end:]
    unread = [Unread(*span, ENDLESS) for span in endless]
    return replace(document, plain=plain, unread=tuple(sorted([*document.unread, *unread])))


ENDLESS: Final = f"it has more than {LONGEST_SENTENCE:,} characters without a sentence's end"
ASKED: Final = "it is a question: what it implies is not checked"


def _outside(sentences: Sequence[Span], unread: Sequence[Unread]) -> Iterator[Span]:
    """Yield the places of what is not read and lies in no sentence, not even in part."""
    ends = [end for _, end in sentences]
    for start, end, _ in unread:
        at = bisect_right(ends, start)
        if at == len(sentences) or sentences[at][0] >= end:
            yield start, end
