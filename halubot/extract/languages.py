"""Which texts are read by rules, and the names of languages."""

from __future__ import annotations

from typing import Final

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
