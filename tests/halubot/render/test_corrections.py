"""What a correction changed, took out, left and refused is told by signs and words, with why."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from halubot.edits import apply_edits
from halubot.render.items import explain_edits, listing
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render_correction
from halubot.report import (
    Action,
    Correction,
    Edit,
    Evidence,
    Fact,
    Report,
    Sentence,
    Source,
    Threshold,
    Triple,
)

SENTENCES = (
    "Ada was born in Paris in 1816, the daughter of a poet and of his wife Annabella.",
    "She kept eleven parrots.",
    "She wrote for a journal called Nature.",
    "She died in 1890.",
    "Nice!",
)
TEXT = f"{SENTENCES[0]}\n\n- {SENTENCES[1]}\n- {SENTENCES[2]}\n- {SENTENCES[3]}\n\n{SENTENCES[4]}"
REASON = "the model says: I do not [/b] know \x1b[31m it."


def fact(index: int, sentence: int, *triple: str) -> Fact:
    start = TEXT.index(triple[2])
    return Fact(
        index=index,
        triple=Triple(*triple),
        sentences=(sentence,),
        spans=((start, start + len(triple[2])),),
        score=0.9 - index / 100,
        rank=0.9 - index / 100,
        verdict="contradicted",
        basis=("samples",),
        evidence=(Evidence(source="s1", stance="contradicts", value="another"),),
    )


FACTS = (
    fact(0, 0, "Ada", "was born in", "Paris"),
    fact(1, 0, "Ada", "was born in", "1816"),
    fact(2, 1, "She", "kept", "eleven parrots"),
    fact(3, 2, "She", "wrote for", "Nature"),
    fact(4, 3, "She", "died in", "1890"),
)


def edit(sentence: int, after: str, action: Action, reason: str | None = None) -> Edit:
    start = TEXT.index(SENTENCES[sentence])
    end = start + len(SENTENCES[sentence])
    if action == "removed":
        start, end = start - 2, end + 1
    return Edit(
        sentence=sentence,
        start=start,
        end=end,
        before=TEXT[start:end],
        after=after,
        facts=tuple(fact.index for fact in FACTS if sentence in fact.sentences),
        action=action,
        reason=reason,
    )


EDITS = (
    edit(0, SENTENCES[0].replace("Paris", "London").replace("1816", "1815"), "changed"),
    edit(1, "", "removed"),
    edit(2, SENTENCES[2], "refused", REASON),
    edit(3, SENTENCES[3], "kept"),
    edit(4, "How nice!", "changed"),
)


def made(*edits: Edit) -> Report:
    places = [(TEXT.index(one), TEXT.index(one) + len(one)) for one in SENTENCES]
    sentences = tuple(
        Sentence(
            index=index,
            start=start,
            end=end,
            verdict="contradicted" if index < 4 else "supported",
            facts=tuple(fact.index for fact in FACTS if index in fact.sentences),
        )
        for index, (start, end) in enumerate(places)
    )
    report = Report(
        text=TEXT,
        method="consensus",
        engine="0",
        threshold=Threshold(value=0.5),
        sources=(Source(id="s1", kind="sample", text="x"),),
        sentences=sentences,
        facts=FACTS,
    )
    made = Correction(text=apply_edits(TEXT, edits), edits=edits)
    return report.model_copy(update={"correction": made})


def printed(report: Report, width: int = 100, *, styled: bool = False, ascii: bool = False) -> str:
    file = io.StringIO()
    out = Console(
        file=file,
        width=width,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
    )
    out.print(render_correction(report, ascii=ascii))
    return file.getvalue()


def test_the_terminal_tells_what_became_of_each_sentence() -> None:
    flat = " ".join(printed(made(*EDITS)).split())
    for part in (
        "Correction: 2 changed, 1 removed, 1 left as is, 1 not corrected",
        "born in [Paris → London] in [1816 → 1815], the daughter",
        "- [− She kept eleven parrots.]",
        "- [! She wrote for a journal called Nature.]",
        "- [= She died in 1890.]",
        "[→] replaced [−] taken out [=] left as is [!] not corrected",
        "[1816 → 1815], the daughter of a poet and of his wife Annabella. (changed)",
        "✗ 1 Ada was born in [Paris",
        "Ada was born in Paris: the other answer says another",
        "✗ 2 Ada was born in 1816: the other answer says another",
        "✗ 3 [− She kept eleven parrots.] (removed) The other answer says another",
        "(not corrected) The model says: I do not [/b] know ␛[31m it.",
        "✗ 5 [= She died in 1890.] (left as is)",
        "- [Nice → How nice]! (changed)",
    ):
        assert part in flat, part


@pytest.mark.parametrize("width", [20, 60, 100, 160])
def test_no_line_of_it_is_wider_than_the_terminal(width: int) -> None:
    for styled in (False, True):
        shown = re.sub(r"\x1b\[[\d;]*m", "", printed(made(*EDITS), width, styled=styled))
        assert max(cell_len(line) for line in shown.splitlines()) <= width
        assert all(line == line.rstrip() for line in shown.splitlines())


def test_markdown_tells_the_same() -> None:
    shown = to_markdown(made(*EDITS))
    for part in (
        r"\[~~Paris~~ → **London**\]",
        r"\[− ~~She kept eleven parrots.~~\]",
        r"\[! She wrote for a journal called Nature.\]",
        r"\[= She died in 1890.\]",
        r"\[=\] left as is · \[!\] not corrected",
        "(not corrected)  \n  The model says: I do not \\[/b\\] know ␛\\[31m it.",
        "✗ 2: Ada was born in 1816: the other answer says another",
    ):
        assert part in shown, part


def test_each_edit_is_told_with_its_causes() -> None:
    report = made(*EDITS)
    found = [about for _, about in explain_edits(report, listing(report))]
    assert [[entry.number for entry in about] for about in found] == [[1, 2], [3], [4], [5], []]
    assert [about[0].fact for about in found[:4]] == [FACTS[0], FACTS[2], FACTS[3], FACTS[4]]
