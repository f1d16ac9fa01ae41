"""What a person said of verdicts: kept, heeded in the reports they see, and exported as labels.

with Feedback.open() as feedback:
    feedback.add(report, 0, "wrong", note="it was 1815")
    report = applied(report, feedback.words(text=report.text))
"""

from halubot.feedback.application import apply_words
from halubot.feedback.kept_words import Feedback, with_own_words
from halubot.feedback.word import Says, Word

__all__ = ["Feedback", "Says", "Word", "apply_words", "with_own_words"]
