"""What a person said of verdicts: kept, heeded in the reports they see, and exported as labels.

with Feedback.open() as feedback:
    feedback.add(report, 0, "wrong", note="it was 1815")
    report = applied(report, feedback.words(text=report.text))
"""

from halubot.feedback.applying import applied
from halubot.feedback.kept import Feedback, heeded
from halubot.feedback.word import Says, Word

__all__ = ["Feedback", "Says", "Word", "applied", "heeded"]
