"""What a model that corrects may touch, is told and sees."""

from __future__ import annotations

from typing import Any, cast

import pytest

from halubot.correction.corrector import Hints
from halubot.correction.rewrite import (
    NEAR,
    WHOLE_TEXT,
    describe_fact,
    in_doubt,
    touchable,
    visible_sentences,
)
from halubot.errors import SettingError
from halubot.report import Evidence, Fact, Report, Sentence, Source, SourceKind, Threshold, Triple

KINDS: dict[str, SourceKind] = {
    **{f"r{n}": "reference" for n in range(1, 6)},
    **{f"s{n}": "sample" for n in range(1, 6)},
}


def fact(*evidence: Evidence, verdict: Any = "doubtful", **more: Any) -> Fact:
    return Fact(
        index=0,
        triple=Triple("Ada", "was born in", "1816"),
        sentences=(0,),
        spans=((0, 3),),
        verdict=verdict,
        evidence=evidence,
        **more,
    )


def against(source: str, quote: str = "", value: str | None = None) -> Evidence:
    return Evidence(
        source=source, stance="contradicts", quote=quote, start=0, end=len(quote), value=value
    )


def report(*sentences: Sentence, text: str = "", facts: tuple[Fact, ...] = ()) -> Report:
    return Report(
        text=text or "x" * max((one.end for one in sentences), default=0),
        method="mine",
        engine="1",
        threshold=Threshold(value=0.5),
        sources=(Source(id="r1", kind="reference", text="It was 1815."),),
        sentences=sentences,
        facts=facts,
    )


def row(count: int, length: int = 10) -> tuple[Sentence, ...]:
    """So many sentences of one length, one after another."""
    return tuple(
        Sentence(index=n, start=n * length, end=(n + 1) * length, verdict="supported")
        for n in range(count)
    )


class TestTold:
    def test_a_fact_alone(self) -> None:
        assert describe_fact(fact(), KINDS) == "Ada | was born in | 1816"

    def test_what_a_reference_says_comes_on_one_line(self) -> None:
        said = describe_fact(fact(against("r1", "born\n in  1815", "1815")), KINDS)
        assert said == "Ada | was born in | 1816; the reference says: born in 1815"

    def test_a_value_stands_for_words_that_are_not_there(self) -> None:
        assert describe_fact(fact(against("r1", value="1815")), KINDS).endswith(
            "the reference says: 1815"
        )
        assert describe_fact(fact(against("r1")), KINDS) == "Ada | was born in | 1816"

    def test_three_references_are_enough(self) -> None:
        said = describe_fact(fact(*(against(f"r{n}", f"word {n}") for n in range(1, 6))), KINDS)
        assert [f"word {n}" in said for n in range(1, 6)] == [True, True, True, False, False]

    def test_what_agrees_or_is_silent_is_not_told(self) -> None:
        agrees = Evidence(source="r1", stance="supports", quote="born in 1816", start=0, end=12)
        silent = Evidence(source="r2", stance="silent")
        assert describe_fact(fact(agrees, silent), KINDS) == "Ada | was born in | 1816"

    @pytest.mark.parametrize(("length", "kept"), [(300, "x" * 300), (301, "x" * 299 + "…")])
    def test_long_words_are_cut(self, length: int, kept: str) -> None:
        said = describe_fact(fact(against("r1", "x" * length)), KINDS)
        assert said.endswith(f"the reference says: {kept}")

    def test_what_most_samples_say_is_told_with_their_number(self) -> None:
        said = describe_fact(fact(*(against(f"s{n}", "1815", "1815") for n in range(1, 4))), KINDS)
        assert said == "Ada | was born in | 1816; other answers say 1815 (3 of 3)"

    def test_too_few_samples_tell_nothing(self) -> None:
        assert "other answers" not in describe_fact(fact(against("s1", "1815", "1815")), KINDS)


class TestTouchable:
    doubted = Sentence(index=0, start=0, end=4, verdict="doubtful", facts=(0,))
    whole = Sentence(index=1, start=4, end=8, verdict="contradicted")
    right = Sentence(index=2, start=8, end=12, verdict="supported")

    @pytest.mark.parametrize(
        ("hints", "found"),
        [
            ("none", {0: [], 1: [], 2: []}),
            (
                "sentences",
                {
                    0: ["the sentence as a whole is doubted"],
                    1: ["the sentence as a whole is doubted"],
                },
            ),
            (
                "facts",
                {0: ["Ada | was born in | 1816"], 1: ["the sentence as a whole is doubted"]},
            ),
        ],
    )
    def test_what_is_told_by_hints(self, hints: Hints, found: dict[int, list[str]]) -> None:
        given = report(self.doubted, self.whole, self.right, facts=(fact(),))
        assert touchable(given, hints) == found

    def test_other_hints_are_refused(self) -> None:
        with pytest.raises(SettingError, match="no hints 'all': known are none, sentences, facts"):
            touchable(report(), cast("Hints", "all"))

    @pytest.mark.parametrize(
        ("verdict", "doubted"),
        [("doubtful", True), ("contradicted", True), ("supported", False), ("not_checked", False)],
    )
    def test_a_sentence_is_in_doubt_by_a_fact_of_it(self, verdict: Any, doubted: bool) -> None:
        sentence = Sentence(index=0, start=0, end=4, verdict="supported", facts=(0,))
        assert in_doubt(report(sentence, facts=(fact(verdict=verdict),)), sentence) is doubted


class TestShown:
    def test_all_of_a_short_text(self) -> None:
        found = visible_sentences(report(*row(40)), [20], whole=True)
        assert list(found) == list(range(40))
        assert set(found.values()) == {"x" * 10}

    def test_those_near_by_where_not_all_is_wanted(self) -> None:
        found = visible_sentences(report(*row(40)), [20], whole=False)
        assert list(found) == list(range(20 - NEAR, 20 + NEAR + 1))

    @pytest.mark.parametrize(
        ("touched", "found"), [([0], range(NEAR + 1)), ([39], range(39 - NEAR, 40)), ([], ())]
    )
    def test_the_text_ends_where_it_ends(self, touched: list[int], found: range) -> None:
        assert list(visible_sentences(report(*row(40)), touched, whole=False)) == list(found)

    @pytest.mark.parametrize(("more", "count"), [(0, 40), (1, NEAR + 1)])
    def test_a_long_text_is_not_shown_as_a_whole(self, more: int, count: int) -> None:
        length = WHOLE_TEXT // 40
        *others, last = row(40, length)
        longest = last.model_copy(update={"end": last.end + more})
        assert len(visible_sentences(report(*others, longest), [0], whole=True)) == count
