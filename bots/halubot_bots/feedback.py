"""Feedback: what people say of verdicts and of differences, kept without any text.

A word is found again by the mark of what it is about, so that nothing of a message outlives it. It
wins in what the person who said it is shown, and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from halubot import feedback
from halubot.report import DOUBTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot.report import Fact, Report
    from halubot_bots.differences import Difference
    from halubot_bots.records import KeptWord


def apply_words(report: Report, words: Mapping[str, KeptWord]) -> Report:
    """Return a report as the person whose words these are sees it."""
    said = [
        feedback.Word(
            id=0,
            at=datetime.fromtimestamp(word.at, UTC),
            says=word.says,
            text=report.text,
            fact=fact,
            method=report.method,
        )
        for fact in report.facts
        if (word := words.get(mark_fact(report, fact))) is not None
    ]
    return feedback.apply_words(report, said) if said else report


def mark(*parts: str) -> str:
    """Return a short digest by which something is found again that has these words."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def mark_fact(report: Report, fact: Fact) -> str:
    """Return the mark of a fact of a text: another check of the same text finds it again."""
    return mark("fact", report.text, *fact.triple)


def mark_difference(difference: Difference) -> str:
    """Return the mark of a place at which answers differ: a sentence may hold several."""
    said = sorted((one.quote, one.text) for group in difference.groups for one in group)
    return mark("difference", *(words for one in said for words in one))


def contradict(
    report: Report, wanted: str
) -> tuple[Literal["right", "wrong"], dict[str, Any]] | None:
    """Return the word that the verdict on a fact is wrong, and what is exported with it: the
    verdict and what it came from; None if the report has no such fact, or no verdict on it."""
    fact = next((one for one in report.facts if mark_fact(report, one) == wanted), None)
    if fact is None or fact.verdict == "not_checked":
        return None
    made = {name: getattr(fact, name) for name in ("verdict", "score", "probability")}
    made |= {"method": report.method, "engine": report.engine}
    return "right" if fact.verdict in DOUBTED else "wrong", made
