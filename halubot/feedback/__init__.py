"""Feedback on verdicts: stored, applied to the reports that the person sees, exported as labels.

with Feedback.open() as feedback:
    feedback.add(report, 0, "wrong", note="it was 1815")
    report = apply_words(report, feedback.words(text=report.text))
"""

from halubot.feedback.application import Says, Word, apply_words
from halubot.feedback.kept_words import Feedback, with_own_words

__all__ = ["Feedback", "Says", "Word", "apply_words", "with_own_words"]
