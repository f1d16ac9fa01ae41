"""A file that is watched: checked again when it changes, and only what changed."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest

from halubot import check
from halubot.fold import fold
from halubot_tui.app import HalubotApp
from halubot_tui.changed import CheckChanged, compare_paragraphs
from halubot_tui.preferences import Preferences
from tests.halubot_tui.driving import driven, settled
from tests.halubot_tui.on_terminal import started

if TYPE_CHECKING:
    from pathlib import Path

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
        )
        for fact in report.facts
    ]


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


@pytest.mark.slow
@driven
async def test_a_file_that_changes_is_checked_again_as_one_more_message(tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text(joined(FIRST, SECOND), encoding="utf-8")
    right = tmp_path / "right.txt"
    right.write_text(REFERENCE, encoding="utf-8")
    app = HalubotApp(
        folder=tmp_path / "state",
        text=file.read_text(encoding="utf-8"),
        watch=file,
        preferences=Preferences(reference=(right,)),
    )
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot, lambda: _ended(app, 1))
        watcher = app._watcher
        assert watcher is not None
        watcher.look()  # what happens once a second
        await pilot.pause()
        assert _ended(app, 1)
        file.write_text(joined(FIRST.replace("1816", "1815"), SECOND), encoding="utf-8")
        watcher.look()
        await settled(pilot, lambda: _ended(app, 2))
        first, second = app._turns.values()
        assert "contradicted" in {entry.verdict for entry in first.entries}
        assert {entry.verdict for entry in second.entries} == {"supported"}
        assert second.inputs.text.startswith("Ada was born in 1815")
        assert second.report is not None
        assert app._selected is not None
        assert app._selected[0] == second.id
        file.unlink()
        watcher.look()
        await pilot.pause()
        assert _ended(app, 2)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_file_is_watched_that_ends_with_a_newline(tmp_path: Path, newline: str) -> None:
    """As editors write it, and checked by the form, which asks what to compare it with."""
    file = tmp_path / "draft.md"
    wrong = newline.join([FIRST, "", SECOND, ""])
    file.write_bytes(wrong.encode())
    right = tmp_path / "right.txt"
    right.write_text(REFERENCE, encoding="utf-8")
    with started(tmp_path / "state", "--watch", str(file)) as (_, terminal):
        terminal.wait_to_see("Check a text")
        terminal.type("\t\t")
        terminal.wait_to_see("Enter adds it")
        terminal.type(f"\x1b[200~{right}\x1b[201~")
        terminal.wait_to_see("Enter adds another")
        terminal.type("\x1b[12~")  # F2
        terminal.wait_to_see("facts is contradicted")
        file.write_bytes(wrong.replace("1816", "1815").encode())
        terminal.wait_for("draft.md has changed")
        terminal.wait_to_see("facts is in doubt")


def _ended(app: HalubotApp, count: int) -> bool:
    turns = list(app._turns.values())
    return len(turns) == count and not any(turn.running for turn in turns)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals")
def test_the_command_watches_the_file_that_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "draft.md"
    file.write_text(joined(FIRST, SECOND), encoding="utf-8")
    right = tmp_path / "right.txt"
    right.write_text(REFERENCE, encoding="utf-8")
    with started(tmp_path / "state", "--watch", str(file), "--reference", str(right)) as (
        _,
        terminal,
    ):
        terminal.wait_for("is contradicted")  # in the result, not in the legend
        file.write_text(joined(FIRST, SECOND.replace("1871", "1872")), encoding="utf-8")
        terminal.wait_for("draft.md has changed")
        terminal.wait_for("are contradicted")
