"""Languages by name, those with rules, and the clauses of texts in the others as facts."""

from __future__ import annotations

import re
from typing import Final

from halubot.report import Fact, Parts, Triple
from halubot.text import Document


def has_rules(document: Document) -> bool:
    """English, or a text of unknown language in the Latin script."""
    if document.language != "und":
        return document.language == "en"
    letters = [character for character in document.plain[:2000] if character.isalpha()]
    return sum(character < "\u0250" for character in letters) * 2 > len(letters)


LANGUAGES: Final = {
    "ar": "Arabic",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


# Marks of full-width scripts cut anywhere; others where white space follows, so that "1,200",
# "10:30" and the Arabic thousands stay whole.
_CUT: Final = re.compile(r"[、，。；：！？｡､…]+|[,;:،؛।](?=\s|$)|\s[–—-]\s")


_EDGES: Final = " \t\r\n.!?,;:。！？…\"'“”‘’«»„()[]{}（）「」『』【】《》、，；：،؛؟।·•*_#|-–—"


def clauses(document: Document) -> tuple[Fact, ...]:
    """Each clause of the text as a fact ``("", "", clause)``, its span exact.

    A clause without a letter or digit is none. Chinese, Japanese and every language with
    clause marks are served alike. Linear in the length of the text.
    """
    found: list[Fact] = []
    for sentence, (start, end) in enumerate(document.sentences):
        position = start
        for match in _CUT.finditer(document.plain, start, end):
            _add(document.plain, position, match.start(), sentence, found)
            position = match.end()
        _add(document.plain, position, end, sentence, found)
    return tuple(found)


def _add(plain: str, start: int, end: int, sentence: int, found: list[Fact]) -> None:
    piece = plain[start:end]
    start += len(piece) - len(piece.lstrip(_EDGES))
    end -= len(piece) - len(piece.rstrip(_EDGES))
    if start >= end or not any(character.isalnum() for character in plain[start:end]):
        return
    text = " ".join(plain[start:end].split())
    found.append(
        Fact(
            index=len(found),
            triple=Triple("", "", text),
            sentences=(sentence,),
            spans=((start, end),),
            parts=Parts(tail=(start, end)),
        )
    )
