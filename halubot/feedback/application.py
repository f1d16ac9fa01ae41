"""A person's word on a fact, and its effect in the reports that they see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

from halubot.report import DOUBTED, Fact, Frozen, Models, Remark, Report, Sentence, Triple, Verdict

Says = Literal["right", "wrong"]
"""What a person says of a fact, whatever the verdict was."""


class Word(Frozen):
    """What a person said of one fact of one text, and what had been found of it then.

    It holds for every fact of the same triple in the same text. ``owner`` is whose word it is, ""
    the person at this machine's; ``at`` is in UTC.
    """

    id: int
    owner: str = ""
    at: datetime
    says: Says
    note: str = ""
    text: str
    fact: Fact
    method: str
    models: Models = Models()

    @property
    def reason(self) -> str:
        """The word as the reason of a verdict: "you said on 2026-03-01 that it is wrong: it was
        1815"; the day is the local one."""
        said = f"you said on {self.at.astimezone().date().isoformat()} that it is {self.says}"
        return f"{said}: {self.note}" if self.note else said


_WORST: tuple[Verdict, ...] = ("contradicted", "doubtful", "not_checked", "supported")


def apply_words(report: Report, feedback: Iterable[Word]) -> Report:
    """The report with the words on facts of its text in place of their verdicts.

    A fact said to be right is ``supported``, one said to be wrong ``doubtful`` (``contradicted``
    stays so); its basis names the person, its reason says when and why, its feedback also what the
    evidence alone gave, and its probability is None. Its score, which the evidence alone makes, its
    rank and the evidence stay. A sentence goes with its facts: doubted if one is said to be
    wrong, no more if all that were in doubt are said to be right. The report of a corrected text
    heeds what was said of the text before it too. Of several words on one fact the latest counts;
    words on other texts are passed over.
    """
    words = sorted(feedback, key=lambda word: word.at)
    return _apply(report, words, {report.text})


def _apply(report: Report, words: list[Word], texts: set[str]) -> Report:
    of = {word.fact.triple: word for word in words if word.text in texts}
    facts = tuple(_judge(fact, of) for fact in report.facts)
    update: dict[str, object] = {
        "facts": facts,
        "sentences": tuple(
            _follows(sentence, report.facts, facts, of) for sentence in report.sentences
        ),
    }
    again = report.correction.report if report.correction else None
    if report.correction is not None and again is not None:
        again = _apply(again, words, {*texts, again.text})
        update["correction"] = report.correction.model_copy(update={"report": again})
    return report.model_copy(update=update)


def _judge(fact: Fact, of: Mapping[Triple, Word]) -> Fact:
    word = of.get(fact.triple)
    if word is None:
        return fact
    found = fact if fact.feedback is None else fact.feedback
    wrong: Verdict = "contradicted" if found.verdict == "contradicted" else "doubtful"
    remark = Remark(
        says=word.says, at=word.at, note=word.note, verdict=found.verdict, reason=found.reason
    )
    return fact.model_copy(
        update={
            "verdict": "supported" if word.says == "right" else wrong,
            "basis": fact.basis if "person" in fact.basis else (*fact.basis, "person"),
            "reason": word.reason,
            "feedback": remark,
            "probability": None,
        }
    )


def _follows(
    sentence: Sentence,
    before: tuple[Fact, ...],
    after: tuple[Fact, ...],
    of: Mapping[Triple, Word],
) -> Sentence:
    """The sentence with the verdict that its facts leave it."""
    words = [of[before[i].triple] for i in sentence.facts if before[i].triple in of]
    wrong = [word for word in words if word.says == "wrong"]
    now = [after[i] for i in sentence.facts]
    worst = min(now, key=lambda fact: _WORST.index(fact.verdict), default=None)
    if worst is None or not words:
        return sentence
    if wrong and sentence.verdict not in DOUBTED:
        return sentence.model_copy(update={"verdict": "doubtful", "reason": wrong[0].reason})
    doubted_then = any(before[i].verdict in DOUBTED for i in sentence.facts)
    cleared = sentence.verdict in DOUBTED and doubted_then and worst.verdict not in DOUBTED
    if cleared or (sentence.verdict == "not_checked" and worst.verdict == "supported"):
        return sentence.model_copy(update={"verdict": worst.verdict, "reason": worst.reason})
    return sentence
