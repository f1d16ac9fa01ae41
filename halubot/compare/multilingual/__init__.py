"""Sentences in German, French, Spanish, Chinese and Arabic, made ready to be compared.

The comparison itself is the same as for English. What differs is known here: words and their base
forms (`segmentation`, `inflection`), numbers (`numerals`), dates and times (`moments`), denials,
modals and quantities (`denial`), names, and the tables of each language (`vocabulary`). There is no
lexicon of synonyms, kinds and parts of speech as for English: a word that differs says nothing, and
a claim is supported only by a sentence that has all of its words.
"""

from __future__ import annotations

from halubot.compare.multilingual.sentence_reader import read_sentence
from halubot.compare.multilingual.vocabulary import Vocabulary, compares_words, vocabulary_of

__all__ = ["Vocabulary", "compares_words", "read_sentence", "vocabulary_of"]
