"""What a verdict on a segment means for its facts and sentences."""

from __future__ import annotations

import pytest

from halubot.evidence.retrieval import Passage
from halubot.extract import extract
from halubot.methods.knowhalu.aggregation import Decision
from halubot.methods.knowhalu.attribution import ANOTHER, Attribution, Layout, Outcome, Standing
from halubot.methods.knowhalu.queries import Finding, Query, Step
from halubot.report import Source
from halubot.text import read

TEXT = "The Orrin Light was lit in 1871. It stands on the north cape of Skarra."
MESSAGE = read(TEXT)
FACTS = extract(MESSAGE)
LIT, STANDS = 0, 1
WRONG = Decision("INCORRECT", 0.8, reason="It was lit in 1872.")
RIGHT = Decision("CORRECT", 0.6)
BOOK = (
    "Of lights. The Orrin Light was lit in 1872. Its lamp burns oil. It stands on the north cape."
)
SOURCE = Source(id="r1", kind="reference", text=BOOK)


def step(detail: str, finding: Finding, *places: tuple[int, int]) -> Step:
    passages = [Passage(SOURCE, start, end, BOOK[start:end], 1.0) for start, end in places]
    return Step(Query(detail, f"{detail}?", "?"), tuple(passages), "so", (), finding)


def attribution(threshold: float = 0.5) -> Attribution:
    return Attribution(MESSAGE, FACTS, None, threshold)


def outcome(decision: Decision | None, *steps: Step, closed: bool = False) -> Outcome:
    return Outcome(decision, steps, tuple(range(len(FACTS))), why="why not", closed=closed)


def test_the_facts_are_those_that_these_tests_speak_of() -> None:
    assert [fact.sentences for fact in FACTS] == [(0,), (1,)]


def test_a_contradicted_detail_is_what_is_wrong() -> None:
    found = outcome(WRONG, step("lit in 1871", "contradicts"))
    judged = attribution()
    lit = judged.of_fact(LIT, [found])
    assert (lit.verdict, lit.reason) == ("contradicted", "INCORRECT: It was lit in 1872.")
    assert lit.score == pytest.approx(0.9)
    assert judged.of_sentence(0, [found]).verdict == "contradicted"
    assert judged.of_fact(STANDS, [found]) == Standing("not_checked", None, ANOTHER)
    assert judged.of_sentence(1, [found]).verdict == "not_checked"


@pytest.mark.parametrize("detail", ["", "painted green by hand", "the island and 1871 men there"])
def test_a_detail_that_no_fact_holds_tells_nothing(detail: str) -> None:
    found = outcome(WRONG, step(detail, "contradicts"))
    assert attribution().of_fact(LIT, [found]).verdict == "doubtful"
    assert attribution().of_sentence(1, [found]).verdict == "doubtful"


def test_silence_is_a_cause_only_where_the_sources_hold_everything() -> None:
    silent = step("north cape of Skarra", "nothing")
    assert (
        attribution().of_fact(STANDS, [outcome(WRONG, silent, closed=True)]).verdict == "doubtful"
    )
    assert attribution().of_fact(LIT, [outcome(WRONG, silent, closed=True)]).reason == ANOTHER
    assert attribution().of_fact(LIT, [outcome(WRONG, silent)]).verdict == "doubtful"


def test_nothing_decided_is_nothing_checked() -> None:
    for decision in (None, Decision("INCONCLUSIVE", 0.9)):
        standing = attribution().of_fact(LIT, [outcome(decision)])
        assert standing == Standing("not_checked", None, "why not")


def test_the_worst_of_several_segments_counts() -> None:
    segments = [outcome(RIGHT), outcome(None), outcome(WRONG), outcome(RIGHT)]
    assert attribution().of_fact(LIT, segments).verdict == "doubtful"
    assert attribution().of_fact(LIT, segments[:2]).verdict == "not_checked"
    assert attribution().of_fact(LIT, segments[:1]).score == pytest.approx(0.2)


def test_the_threshold_decides() -> None:
    assert attribution(0.95).of_fact(LIT, [outcome(WRONG)]).verdict == "supported"
    assert attribution(0.1).of_fact(LIT, [outcome(RIGHT)]).verdict == "doubtful"


def test_evidence_stands_where_the_source_has_it() -> None:
    found = outcome(WRONG, step("lit in 1871", "contradicts", (44, 63), (11, 63)))
    (evidence,) = attribution().evidence(LIT, [found])
    assert evidence.stance == "contradicts"
    assert evidence.quote == "The Orrin Light was lit in 1872." == BOOK[11:43]
    assert (evidence.start, evidence.end) == (11, 43)
    assert evidence.value == "1872"
    assert attribution().evidence(STANDS, [found]) == ()


def test_the_strongest_word_of_a_source_counts() -> None:
    steps = [
        step("lit in 1871", "nothing", (44, 63)),
        step("lit in 1871", "agrees", (11, 43)),
        step("lit in 1871", "nothing", (0, 10)),
    ]
    (evidence,) = attribution().evidence(LIT, [outcome(RIGHT, *steps)])
    assert evidence.stance == "supports"


def test_segments_know_their_facts() -> None:
    half = len("The Orrin Light was")
    second = MESSAGE.sentences[1]
    layout = Layout(MESSAGE, FACTS, [(0, half), (half + 1, 32), second])
    assert layout.of_facts == [(0, 1), (2,)]
    assert layout.of_sentences == [(0, 1), (2,)]
    assert layout.facts == [(0,), (0,), (1,)]
    bare = [FACTS[0].model_copy(update={"spans": ()})]
    assert Layout(MESSAGE, bare, [(0, half), second]).of_facts == [(0,)]
