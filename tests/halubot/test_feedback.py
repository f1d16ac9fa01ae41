"""What people said of facts is kept, wins in their reports, and becomes labels."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from halubot import accept, check, correct
from halubot.errors import InputError
from halubot.feedback import Feedback, Says, Word, apply_words, with_own_words
from halubot.render.captions import VERDICTS
from halubot.render.html import page as to_html
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render
from halubot.report import Fact, Remark, Report, Sentence, Threshold, Triple, Verdict

TEXT = "Ada was born in 1816. She wrote notes."
SAMPLES = ["Ada was born in 1815. She wrote notes.", "Ada was born in 1815. She wrote notes."]
MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def report() -> Report:
    return check(TEXT, question="Who was Ada?", samples=SAMPLES, references=["Ada: born in 1815."])


def said(report: Report, index: int, says: Says, note: str = "", **fields: object) -> Word:
    """A word on a fact of a report."""
    word = Word(
        id=1, at=MOMENT, says=says, note=note, text=report.text, fact=report.facts[index], method=""
    )
    return word.model_copy(update=fields)


def made(*verdicts: Verdict, sentence: Verdict = "supported") -> Report:
    """A report of one sentence whose facts have these verdicts."""
    facts = tuple(
        Fact(
            index=i,
            triple=Triple("a", "b", str(i)),
            sentences=(0,),
            spans=((0, 1),),
            score=0.5,
            verdict=verdict,
            reason="nobody spoke" if verdict == "not_checked" else None,
        )
        for i, verdict in enumerate(verdicts)
    )
    held = Sentence(
        index=0, start=0, end=1, verdict=sentence, facts=tuple(range(len(facts))), reason=None
    )
    return Report(
        text="a b.",
        method="m",
        engine="0",
        threshold=Threshold(value=0.5),
        facts=facts,
        sentences=(held,),
    )


def test_a_fact_said_to_be_right_is_supported_and_says_by_whom(report: Report) -> None:
    assert report.facts[0].verdict == "contradicted"
    (word,) = (said(report, 0, "right", "she told me"),)
    fact = apply_words(report, [word]).facts[0]
    assert fact.verdict == "supported"
    assert fact.basis == (*report.facts[0].basis, "person")
    assert fact.reason == f"you said on {MOMENT.astimezone().date()} that it is right: she told me"
    assert fact.probability is None
    assert (fact.score, fact.rank) == (report.facts[0].score, report.facts[0].rank)
    assert fact.evidence == report.facts[0].evidence
    assert fact.feedback == Remark(
        says="right", at=MOMENT, note="she told me", verdict="contradicted", reason=None
    )


def shown_everywhere(report: Report) -> dict[str, str]:
    """The report as each place shows it by default, its white space made even."""
    out = io.StringIO()
    Console(file=out, width=100).print(render(report))
    pages = {
        "terminal": out.getvalue(),
        "markdown": to_markdown(report),
        "html": re.sub(r"<details(?! open).*?</details>|<[^>]+>", " ", to_html(report)),
    }
    return {name: " ".join(page.replace("\\", "").split()) for name, page in pages.items()}


@pytest.mark.parametrize(
    ("index", "says", "told"),
    [
        (
            0,
            "right",
            f"that it is right: she told me ({VERDICTS['contradicted']} without your word)",
        ),
        (1, "wrong", f"that it is wrong: she told me ({VERDICTS['supported']} without your word)"),
        (0, "wrong", "that it is wrong: she told me"),
    ],
)
def test_a_word_is_shown_beside_the_verdict_with_its_note(
    report: Report, index: int, says: Says, told: str
) -> None:
    after = apply_words(report, [said(report, index, says, "she told me")])
    day = MOMENT.astimezone().date()
    for place, page in shown_everywhere(after).items():
        assert f"You said on {day} {told}" in page, place
    assert not any("You said" in page for page in shown_everywhere(report).values())


def test_a_fact_said_to_be_wrong_is_doubted(report: Report) -> None:
    after = apply_words(report, [said(report, 1, "wrong")])
    assert report.facts[1].verdict == "supported"
    assert after.facts[1].verdict == "doubtful"
    assert after.facts[1].reason == f"you said on {MOMENT.astimezone().date()} that it is wrong"
    assert after.sentences[1].verdict == "doubtful"
    assert after.facts[0] == report.facts[0]
    assert apply_words(report, [said(report, 0, "wrong")]).facts[0].verdict == "contradicted"


def test_words_on_other_texts_and_other_facts_count_for_nothing(report: Report) -> None:
    other_text = said(report, 0, "right", text="Ada was born in 1816.")
    other_fact = report.facts[0].model_copy(update={"triple": Triple("Ada", "died in", "1852")})
    assert apply_words(report, [other_text]) == report
    assert apply_words(report, [said(report, 0, "right", fact=other_fact)]) == report
    assert apply_words(report, []) == report


@pytest.mark.parametrize(
    ("verdicts", "sentence", "words", "after"),
    [
        (["doubtful"], "doubtful", {0: "right"}, "supported"),
        (["doubtful", "contradicted"], "contradicted", {0: "right"}, "contradicted"),
        (["doubtful", "contradicted"], "contradicted", {0: "right", 1: "right"}, "supported"),
        (["doubtful", "not_checked"], "doubtful", {0: "right"}, "not_checked"),
        (["supported"], "supported", {0: "wrong"}, "doubtful"),
        (["supported"], "supported", {0: "right"}, "supported"),
        (["not_checked"], "not_checked", {0: "right"}, "supported"),
        (["not_checked"], "not_checked", {0: "wrong"}, "doubtful"),
        (["supported"], "doubtful", {0: "right"}, "doubtful"),  # doubted as a whole
        (["doubtful"], "doubtful", {}, "doubtful"),
    ],
)
def test_a_sentence_goes_with_its_facts(
    verdicts: list[Verdict], sentence: Verdict, words: dict[int, Says], after: Verdict
) -> None:
    report = made(*verdicts, sentence=sentence)
    done = apply_words(report, [said(report, index, says) for index, says in words.items()])
    assert done.sentences[0].verdict == after
    assert done.sentences[0].reason is not None or after != "not_checked"


def test_what_was_said_holds_for_the_corrected_text_too(report: Report) -> None:
    text = "Ada was born in 1816. Ada died in 1853."
    sources = ["Ada was born in 1815. Ada died in 1852."] * 3
    before = check(text, samples=sources)
    words = [said(before, 0, "right")]
    corrected = correct(text, samples=sources, heed=lambda report: apply_words(report, words))
    assert corrected.correction is not None
    assert corrected.correction.text == "Ada was born in 1816. Ada died in 1852."
    again = apply_words(corrected, words).correction
    assert again is not None
    assert again.report is not None
    assert [fact.verdict for fact in again.report.facts] == ["supported", "supported"]
    assert accept(apply_words(corrected, words), [0]) == corrected.correction.text


def test_what_is_said_is_kept(tmp_path: Path, report: Report) -> None:
    with Feedback.open(tmp_path) as feedback:
        word = feedback.add(report, 0, "right", note=" she\ntold me ")
    with Feedback.open(tmp_path) as feedback:
        assert feedback.words() == (word,)
        assert feedback.words(text=TEXT) == (word,)
        assert feedback.words(text="other") == ()
    assert word.note == "she told me"
    assert word.fact == report.facts[0]
    assert word.at.tzinfo is not None


def test_a_word_that_is_taken_back_leaves_no_trace(tmp_path: Path, report: Report) -> None:
    with Feedback.open(tmp_path) as feedback:
        word = feedback.add(report, 0, "right")
        feedback.remove(word.id)
        assert feedback.words() == ()
        with pytest.raises(InputError, match=f"no feedback {word.id}"):
            feedback.remove(word.id)
    for file in tmp_path.iterdir():
        assert b"1816" not in file.read_bytes()


@pytest.mark.parametrize("index", [-1, 2])
def test_a_fact_that_is_not_there_is_refused(tmp_path: Path, report: Report, index: int) -> None:
    with Feedback.open(tmp_path) as feedback:
        with pytest.raises(InputError, match=rf"no fact {index}: its facts are 0 to 1"):
            feedback.add(report, index, "right")
        with pytest.raises(InputError, match="no facts"):
            feedback.add(made(), 0, "right")
        with pytest.raises(InputError, match="may have 2000"):
            feedback.add(report, 0, "right", note="x" * 2001)
        assert feedback.words() == ()


def test_a_report_is_heeded_where_anything_was_said(tmp_path: Path, report: Report) -> None:
    folder = tmp_path / "state"
    assert with_own_words(report, folder) is report
    assert not folder.exists()
    with Feedback.open(folder) as feedback:
        word = feedback.add(report, 0, "right")
    assert with_own_words(report, folder) == apply_words(report, [word])
