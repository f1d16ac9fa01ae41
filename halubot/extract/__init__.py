"""Facts out of a text, by rules: no model, no download.

English is read into triples (`halubot.extract.english`: words are tagged, grouped into
phrases, and read clause by clause with the running subject). Other languages are cut into
clauses, which can be scored though they have no parts.
"""

from __future__ import annotations

from typing import Final

from halubot.extract.clauses import clauses
from halubot.facts import Fact
from halubot.text import Document

__all__ = ["clauses", "extract", "extractor_name"]

_LATIN: Final = frozenset({"en", "und"})


def extract(document: Document, *, subject: str | None = None) -> tuple[Fact, ...]:
    """The facts of a text, unjudged, in its order.

    ``subject`` is what the text is about: pronouns mean it until another subject comes.
    Triples hold words of the text without the articles and auxiliaries around them; a head
    may be the name a pronoun stands for, and then ``parts.head`` is None. ``parts.tail`` is the
    exact place of the value: its words are the triple's tail. Negation stays in the relation
    and is told by ``negated``. Text in a language without rules gives its clauses. Never
    raises; an empty text has no facts. Linear in the length of the text.
    """
    if not _has_rules(document):
        return clauses(document)
    from halubot.extract.english import facts

    found = facts(document, subject)
    if not found and document.language == "und":
        return clauses(document)
    return tuple(found)


def extractor_name(document: Document) -> str:
    """How `extract` reads this text, in words for people."""
    if _has_rules(document):
        return "English rules"
    if document.language == "und":
        return "clauses (language not recognised)"
    return f"clauses (no rules for {_LANGUAGES.get(document.language, document.language)})"


def _has_rules(document: Document) -> bool:
    """English, or a text of unknown language in the Latin script."""
    if document.language != "und":
        return document.language == "en"
    letters = [character for character in document.plain[:2000] if character.isalpha()]
    return sum(character < "\u0250" for character in letters) * 2 > len(letters)


_LANGUAGES: Final = {
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
