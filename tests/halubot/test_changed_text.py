"""A text that has changed: only the paragraphs that changed are checked again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from halubot import check
from halubot.changed_text import CheckChanged, compare_paragraphs
from halubot.events import fold

if TYPE_CHECKING:
    from halubot.events import Event
    from halubot.report import Report

FIRST = "Ada was born in 1816 in London."
SECOND = "Charles Babbage died in 1871."
THIRD = "Mary Somerville was born in 1780."
REFERENCE = "\n".join([FIRST.replace("1816", "1815"), SECOND, THIRD])


def joined(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


def changed(before: Report, text: str) -> tuple[Report, list[str]]:
    """The report of a changed text, and the texts that were checked for it."""
    texts: list[str] = []
    log: list[Event] = []

    async def arecheck(report: Report, text: str, **options: Any) -> Report:
        texts.append(text)
        return await real(report, text, **options)

    from halubot import correction_api

    real = correction_api.arecheck
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correction_api, "arecheck", arecheck)
        asyncio.run(CheckChanged(before, text, {})(log.append))
    return fold(log), texts


def told(report: Report) -> list[tuple[Any, ...]]:
    """What a report says of each fact, and of which words."""
    return [
        (
            fact.triple,
            fact.verdict,
            fact.score,
            [report.text[start:end] for start, end in fact.spans],
            fact.parts,
            [item.quote for item in fact.evidence],
            fact.sentences,
            fact.kind,
        )
        for fact in report.facts
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "again"),
    [
        (joined(FIRST, SECOND, THIRD), []),
        (joined(FIRST.replace("1816", "1815"), SECOND, THIRD), [FIRST.replace("1816", "1815")]),
        (joined(THIRD.replace("1780", "1790"), FIRST, SECOND), [THIRD.replace("1780", "1790")]),
        (joined(SECOND), []),
        (joined(FIRST, "She liked music.", SECOND, THIRD), ["She liked music."]),
    ],
)
def test_only_paragraphs_that_changed_are_checked_and_the_report_is_that_of_the_whole(
    after: str, again: list[str]
) -> None:
    before = check(joined(FIRST, SECOND, THIRD), references=[REFERENCE])
    report, texts = changed(before, after)
    whole = check(after, references=[REFERENCE])
    assert texts == again
    assert report.text == after
    assert [(one.start, one.end) for one in report.sentences] == [
        (one.start, one.end) for one in whole.sentences
    ]
    if "She" not in after:
        assert sorted(map(str, told(report))) == sorted(map(str, told(whole)))
    assert [one.verdict for one in report.sentences] == [one.verdict for one in whole.sentences]


def test_paragraphs_of_the_same_words_are_matched_in_order() -> None:
    plan = compare_paragraphs("a\n\nb\n\na", "a\n\na\n\n \n\nc")
    assert plan.changed == "c"
    assert [("a\n\nb\n\na"[one.start : one.end]) for one in plan.kept] == ["a", "a"]
