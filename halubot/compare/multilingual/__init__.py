"""Sentences in German, French, Spanish, Chinese and Arabic, made ready to be compared.

The comparison itself is the same as for English. What differs is here: words and their stems
(`segmentation`), numbers (`numerals`, `han_numerals`), dates and times (`moments`), denials, modals
and quantities (`denial`), names (`name_words`), and the tables of each language (`vocabulary`).
There is no lexicon of synonyms, kinds and parts of speech as for English, so another word says
nothing, and a claim is supported only by a sentence that has all of its words.
"""

from __future__ import annotations

from halubot.compare.multilingual.sentence_reader import read_sentence
from halubot.compare.multilingual.vocabulary import Vocabulary, compares_words, vocabulary_of

__all__ = ["Vocabulary", "compares_words", "read_sentence", "vocabulary_of"]
