"""Words with their places: the tokens that matching and scoring compare, and which of them deny."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from halubot.text import Document, word_set

TokenKind = Literal["word", "name", "number", "stop"]


class Token(NamedTuple):
    """A word. ``text`` is as written, ``norm`` is case-folded, without accents, lightly
    stemmed; start and end are code points into the document. A ``name`` is capitalised inside
    its sentence, a ``number`` starts with a digit, a ``stop`` is a function word."""

    text: str
    norm: str
    start: int
    end: int
    kind: TokenKind


# English first: articles, pronouns, prepositions, auxiliaries, conjunctions, contractions. Then of
# German, French, Spanish, Italian, Portuguese, Dutch what means nothing in English; then Russian.
_STOP_WORDS: Final = """
a an the this that these those i you he she it we they me him her us them my your his its our
their mine yours hers ours theirs myself himself herself itself themselves who whom whose which
what of in on at by for with to from as into onto upon about over under through between among
within without during before after above below up down out off against until since per via is
are was were be been being am do does did done doing have has had having will would shall should
can could may might must and or but nor so yet if then than because while when where whether
though although however also too very just only there here not no s t d ll re ve m don't
doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't won't wouldn't can't cannot
couldn't shouldn't it's he's she's that's there's i'm you're we're they're such both each either
neither some any all more most other another own same how why again further once

der das und ist nicht ein eine einer eines einem einen dem den von zu mit auf fur sich im auch
bei nach aus wird wurde sind durch uber zum zur le la les un une et est dans du des que qui pour
par sur au aux avec ce cette ces il elle ils elles se ne pas sont ete el los las una y en del
con lo su sus es fue como di che e della delle dei nel nella sono ed os um uma da dos em
na nos ao pela pelo het een van op te zijn

и в во не на с со что он она они оно как а но к по из у за от до о об же для был была было
были это его ее их
"""
STOP_WORDS: Final = frozenset(re.findall(r"\S+", _STOP_WORDS))

# Capitalised inside a sentence these are a month, a name, a country or a language; a letter is the
# name of a vitamin, a type or a grade.
_NAMES_TOO: Final = frozenset(
    {"may", "will", "us", "den", "des", "van", "di", "con", "mine", "d", "e", "s", "t", "y", "o"}
)

# Scripts written without spaces, and Korean, whose particles cling to the word: cut into pairs.
_PAIRED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff"
    "\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U000323af"
)
# Marks that belong to the letter before them, which \w does not hold.
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0bbe-\u0bcd"
    "\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0dca-\u0ddf"
    "\u200d"
)
_LETTER: Final = f"[^\\W_{_PAIRED}]"
_WORD: Final = re.compile(
    r"[A-Za-z][a-z]+(?=[ ,.;:)])"  # most words: the rest would match the same, slower
    r"|(?P<initials>\b(?:[A-Z]\.){2,}(?:[A-Z]\b)?)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?![,\d])(?:\.\d+)?|\d+(?:\.\d+)*" + f"){_LETTER}*"
    f"|(?P<pairs>[{_PAIRED}][{_PAIRED}{_MARKS}]*)"
    f"|{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*(?:['’]{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*)*"
)

# Latin letters that Unicode does not decompose.
_UNDECOMPOSED: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"}
)
# Accents of Latin, Greek and Cyrillic; the points of Hebrew and Arabic, and its tatweel.
_ACCENTS: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u064b-\u065f\u0670\u0640\u200d]"
)
_ORDINAL: Final = re.compile(r"(\d)(?:st|nd|rd|th)$")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}")
_ELIDED: Final = re.compile(r"^(?:[cdjlmnst]|qu)'(?=\w{2})")
_POSSESSIVE: Final = re.compile(r"'s?$")
_KANA: Final = re.compile("[\u3040-\u309f]+")


def tokens(plain: str, start: int, end: int) -> tuple[Token, ...]:
    """The tokens of ``plain[start:end]``, in order; empty if it holds no letter or digit.
    Scripts without spaces (Chinese, Japanese, Thai) and Korean are cut into overlapping pairs
    of characters."""
    found: list[Token] = []
    opening = True  # a capital says nothing about the first word, unless the next has one too
    for match in _WORD.finditer(plain, start, end):
        text = match.group()
        at = match.start()
        group = match.lastgroup
        if group == "pairs":
            found.extend(_pairs(text, at))
            opening = False
            continue
        norm, kind = _number(text) if group == "number" else _reading(text, group)
        if opening:
            opening = False
            if kind == "name" and not (len(text) > 1 and text[1:] != text[1:].lower()):
                kind = "stop" if norm in STOP_WORDS else "word"
        elif kind == "name" and len(found) == 1 and found[0].kind == "word":
            first = found[0]
            if first.text[0].isupper() and plain[first.end : at] == " ":
                found[0] = first._replace(kind="name")
        found.append(Token(text, norm, at, match.end(), kind))
    return tuple(found)


def content(text: str) -> list[Token]:
    """The tokens of a text that are no function words, in order."""
    return [token for token in tokens(text, 0, len(text)) if token.kind != "stop"]


def content_norms(found: Iterable[Token]) -> frozenset[str]:
    """The tokens that are no function words, in the form in which they compare."""
    return frozenset(token.norm for token in found if token.kind != "stop")


class Worded(NamedTuple):
    """A document with the tokens of its sentences, found once for all who ask."""

    document: Document
    tokens: tuple[tuple[Token, ...], ...]


def with_tokens(document: Document) -> Worded:
    found = (tokens(document.plain, *span) for span in document.sentences)
    return Worded(document, tuple(found))


def normal(word: str) -> str:
    """The form in which one word is compared: ``normal("Universities'")`` is "univers"."""
    match = _WORD.fullmatch(word)
    group = match.lastgroup if match else None
    return (_number(word) if group == "number" else _reading(word, group))[0]


def _pairs(run: str, at: int) -> list[Token]:
    width = min(2, len(run))
    cut = [run[i : i + width] for i in range(len(run) - width + 1)]
    return [
        Token(
            pair, _fold(pair), at + i, at + i + width, "stop" if _KANA.fullmatch(pair) else "word"
        )
        for i, pair in enumerate(cut)
    ]


@lru_cache(maxsize=1 << 13)
def _reading(text: str, group: str | None) -> tuple[str, TokenKind]:
    """The norm of a word, and its kind as it stands inside a sentence."""
    if group == "initials":
        return _fold(text.replace(".", "")), "name"
    folded = _fold(text)
    capital = text[0].isupper()
    shouted = len(text) > 1 and text.isupper()
    bare = _ELIDED.sub("", folded)
    if bare in STOP_WORDS and not (shouted or (capital and bare in _NAMES_TOO)):
        return bare, "stop"
    return stem(_POSSESSIVE.sub("", bare) or bare), "name" if capital else "word"


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold()).translate(_UNDECOMPOSED)
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart)) or text


# Apart from words, since new numbers come without end and would fill the larger cache.
@lru_cache(maxsize=1 << 9)
def _number(text: str) -> tuple[str, TokenKind]:
    """The norm of a number, and its kind."""
    folded = _fold(text)
    if not folded.isascii():
        folded = "".join(str(unicodedata.decimal(c, c)) for c in folded)
    folded = _ORDINAL.sub(r"\1", folded)
    grouped = _GROUPED.match(folded)
    if grouped:
        folded = re.sub("[.,]", "", grouped.group()) + folded[grouped.end() :]
    return folded.lstrip("0") or "0", "number"


def stem(word: str) -> str:
    """Cuts the endings of English inflection, so that "studied", "studies" and "study" meet.
    Both sides of a comparison are cut alike; what remains need not be a word."""
    if len(word) < 4 or not word[-1].isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


NEGATION: Final = re.compile(
    r"(?i)\b(?:not|never|no|none|neither|nor|nobody|nothing|nowhere|without|cannot|\w+n['’]t|unable"
    r"|lack(?:s|ed|ing)?|fail(?:s|ed)?|avoid(?:s|ed)?|except|unless|rather\sthan|instead\sof"
    r"|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|aucun\w*|nunca|sin|ningun\w*|jamás)\b"
    r"|[不没無无未非]|\b(?:لا|لم|لن|ليس|بدون|غير)\b"
)
"""A word that denies, in the six languages of the verifier."""

TELLING: Final = word_set(
    "not no never all some any most more less before after over under above below without with"
    " only both neither up down every each few many must may might can could should will would"
)
"""Function words that often carry an error."""

_HARMLESS: Final = re.compile(
    r"(?i)\b(?:not\s+(?:only|just|merely|simply|solely|least)|nothing\s+but|no\s+doubt|no\s+matter"
    r"|no\s+(?:fewer|less|more|later|earlier|sooner)(?:\s+than)?|whether\s+or\s+not|no\.\s?\d"
    r"|nicht\s+nur|never\s*theless)\b"
)
"""These look like negations and deny nothing."""


def is_negative(text: str) -> bool:
    """Return True if a short text, such as a relation, denies: an odd number of negations."""
    return len(NEGATION.findall(_HARMLESS.sub(" ", text))) % 2 == 1
