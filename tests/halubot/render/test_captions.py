import io
import re
from typing import Any

import pytest
from rich.console import Console

from halubot.render import captions
from halubot.render.html import page as to_html
from halubot.render.inert import crop, inert, one_line
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render
from halubot.report import (
    Evidence,
    Fact,
    Models,
    Report,
    Source,
    Threshold,
    Triple,
    Verdict,
)
from halubot.verdicts import SEVERITY

REFERENCE = Source(id="r1", kind="reference", title="An article")
ANSWERS = tuple(Source(id=f"s{n}", kind="sample") for n in range(1, 15))


def said(*evidence: Evidence) -> str:
    fact = Fact(
        index=0,
        triple=Triple("He", "was born in", "1829"),
        sentences=(),
        spans=(),
        evidence=evidence,
    )
    report = Report(
        text="",
        method="consensus",
        engine="0",
        threshold=Threshold(value=0.5),
        sources=(REFERENCE, *ANSWERS),
        facts=(fact,),
    )
    return captions.counts(fact, report)


def answers(supports: int, rivals: dict[str, int], silent: int) -> list[Evidence]:
    ids = iter(source.id for source in ANSWERS)
    found = [Evidence(source=next(ids), stance="supports") for _ in range(supports)]
    for value, count in rivals.items():
        found += [
            Evidence(source=next(ids), stance="contradicts", value=value or None)
            for _ in range(count)
        ]
    return found + [Evidence(source=next(ids), stance="silent") for _ in range(silent)]


@pytest.mark.parametrize(
    ("evidence", "line"),
    [
        (
            answers(2, {"1828": 9}, 3),
            "2 of 14 other answers say so, 9 say 1828; the other 3 are undecided",
        ),
        (
            answers(1, {"1828": 1}, 1),
            "1 of 3 other answers says so, 1 says 1828; the other one is undecided",
        ),
        (
            answers(0, {"": 2}, 1),
            "2 of 3 other answers contradict it; the other one is undecided",
        ),
        (answers(14, {}, 0), "All 14 other answers say so"),
        (answers(0, {}, 14), "Found in none of 14 other answers"),
        (answers(1, {}, 0), "The other answer says so"),
        (answers(0, {"1828": 1}, 0), "The other answer says 1828"),
        (
            answers(0, {"a": 4, "b": 3, "c": 2, "d": 1, "e": 1}, 0),
            "4 of 11 other answers say a, 3 say b, 2 say c, 2 say something else",
        ),
        (
            answers(0, {"a": 1, "b": 1, "c": 1, "d": 1}, 1),
            "4 of 5 other answers say something else; the other one is undecided",
        ),
        (
            answers(0, {"Paris": 1, "paris": 1}, 0),
            "Both other answers say Paris",
        ),
        (answers(0, {"Paris, France": 1}, 0), "The other answer says “Paris, France”"),
        ([], ""),
    ],
)
def test_who_says_what(evidence: list[Evidence], line: str) -> None:
    assert said(*evidence) == line


def a_report(*verdicts: Verdict) -> Report:
    facts = tuple(
        Fact(index=i, triple=Triple("a", "is", "b"), sentences=(), spans=(), verdict=verdict)
        for i, verdict in enumerate(verdicts)
    )
    return Report(
        text="", method="consensus", engine="0", threshold=Threshold(value=0.5), facts=facts
    )


def test_the_words_of_verdicts_are_what_a_user_sees() -> None:
    several = a_report("doubtful", "contradicted", "contradicted", "not_checked", "supported")
    assert captions.summary(several) == (
        "3 of 5 facts are in doubt: 2 are contradicted, 1 is doubtful; 1 is undecided."
    )
    assert captions.VERDICTS["supported"] == "supported"


@pytest.mark.parametrize(
    ("verdicts", "line"),
    [
        (
            ("doubtful", "contradicted", "contradicted", "supported"),
            "3 of 4 facts are in doubt: 2 {contradicted.many}, 1 {doubtful.one}.",
        ),
        (("doubtful", "not_checked"), "1 of 2 facts {doubtful.one}; 1 {not_checked.one}."),
        (("contradicted", "contradicted", "supported"), "2 of 3 facts {contradicted.many}."),
        (("contradicted", "contradicted"), "All 2 facts {contradicted.many}."),
        (
            ("doubtful", "contradicted"),
            "All 2 facts are in doubt: 1 {contradicted.one}, 1 {doubtful.one}.",
        ),
        (("contradicted",), "The only fact {contradicted.one}."),
        (("doubtful",), "The only fact {doubtful.one}."),
        (("supported",), "The only fact {supported.one}."),
        (("supported", "supported"), "All 2 facts {supported.many}."),
        (
            ("supported", "not_checked"),
            "1 of 2 facts {not_checked.one}; the other one {supported.one}.",
        ),
        (
            ("supported", "supported", "not_checked"),
            "1 of 3 facts {not_checked.one}; the other 2 {supported.many}.",
        ),
        (("not_checked", "not_checked"), "All 2 facts {not_checked.many}, so read them yourself."),
        (("not_checked",), "The only fact {not_checked.one}, so read it yourself."),
        ((), "No fact was found to check."),
    ],
)
def test_the_result_in_one_line(verdicts: tuple[Verdict, ...], line: str) -> None:
    words: Any = captions.WORDS
    assert captions.summary(a_report(*verdicts)) == line.format(**words)


@pytest.mark.parametrize("verdict", SEVERITY)
def test_the_words_of_a_verdict_stand_in_one_table(
    verdict: Verdict, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = captions.WORDS[verdict], captions.Words("is-alone", "is-one", "are-many")
    assert captions.VERDICTS[verdict] == old.alone
    monkeypatch.setitem(captions.WORDS, verdict, new)
    monkeypatch.setitem(captions.VERDICTS, verdict, new.alone)
    out = Console(width=200, file=io.StringIO())
    out.print(render(report, verbose=True))
    assert isinstance(out.file, io.StringIO)
    shown = re.sub("(?s)<style.*?</style>|<[^>]*>", "", to_html(report))
    for page in (to_markdown(report), shown, out.file.getvalue()):
        assert new.alone in page
        assert not any(re.search(rf"(?i)\b{words}\b", page) for words in old)
    several = captions.summary(a_report("contradicted", "contradicted", verdict, verdict))
    assert (new.many in several) == (verdict != "supported")


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (Models(), []),
        (Models(judge="b"), ["b"]),
        (Models(answer="a", sample="a", judge="a"), ["a"]),
        (Models(sample="a", judge="b"), ["answers by a, judged by b"]),
        (Models(answer="b", judge="a"), ["answers by b, judged by a"]),
    ],
)
def test_which_model_judges_is_said(models: Models, said: list[str]) -> None:
    report = a_report().model_copy(update={"models": models})
    assert list(captions.method(report)[1:-3]) == said
    (line,) = said or ["nothing to compare with"]
    for page in (to_markdown(report), to_html(report)):
        assert f"consensus · {line} · " in page


@pytest.mark.parametrize(
    ("score", "full"), [(0.0, 0), (0.09, 0), (0.3, 3), (0.7, 7), (0.99, 9), (1.0, 10)]
)
def test_a_bar_is_full_at_one_only(score: float, full: int) -> None:
    filled, rest = captions.bar(score)
    assert (len(filled), len(rest)) == (full, 10 - full)


def test_control_characters_are_shown_not_obeyed() -> None:
    assert inert("\x1b[2J\x07\x7f") == "␛[2J␇␡"
    assert inert("a\r\nb\rc\u2028d\te") == "a\nb\nc\nd\te"
    assert inert("\u202egnp.exe\u2066") == "\ufffdgnp.exe\ufffd"
    assert inert("é 👩‍👧 שלום") == "é 👩‍👧 שלום"
    assert one_line(" a\n\tb ") == "a b"


def test_a_cropped_text_keeps_what_matters_in_sight() -> None:
    text = "x" * 200 + " 1828 " + "y" * 200
    shown = crop(text, 40, around="1828")
    assert "1828" in shown
    assert len(shown) <= 40
    assert shown[0] == shown[-1] == "…"
    assert crop("short", 40) == "short"
