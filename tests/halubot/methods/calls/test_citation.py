"""A verdict names the sentence that it rests on, and one that has nothing to do with it is not
heard."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.methods.calls.citation import SIGNS, UNFOUNDED, number_sentences
from halubot.methods.calls.verification import FACT, Judgement, fact_stances
from halubot.methods.sentences_by_samples import Mark, sentence_marks
from halubot.report import Fact, Stance, Triple
from tests.halubot.methods.calls.scripted import Scripted, Stage, run
from tests.judge import Asked

SOURCE = "Ada Weir was born in Ulm. Her sister Eva sang in Graz. The opera closed in 1829."
FACTS = {
    "Ada Weir | was born in | Ulm": (1, "supports"),
    "Eva | sang in | Linz": (2, "contradicts"),
    "the opera | closed in | 1829": (3, "supports"),
    "Ada Weir | had | a horse": (0, "silent"),
}


def facts() -> list[Fact]:
    return [
        Fact(index=at, triple=Triple(*text.split(" | ")), sentences=(0,), spans=((0, 1),))
        for at, text in enumerate(FACTS)
    ]


def judged(shift: int = 0, source: str = SOURCE) -> tuple[Judgement[Stance], Scripted]:
    """What a judge says that names the sentence so many places after the right one."""

    def answers(asked: Asked) -> str:
        said = {}
        for key in asked.numbers:
            number, word = FACTS.get(asked.fields["facts"].get(key, ""), (0, "silent"))
            last = len(asked.sentences)
            said[key] = f"{(number - 1 + shift) % last + 1} {word}" if number else word
        return json.dumps(said)

    judge = Scripted(fails=answers)
    return run(fact_stances(Stage(judge).session, source, facts())), judge


def test_the_sentence_that_the_judge_names_is_the_quote() -> None:
    found, judge = judged()
    assert found.found == {0: "supports", 1: "contradicts", 2: "supports", 3: "silent"}
    assert found.quotes == {
        0: "Ada Weir was born in Ulm.",
        1: "Her sister Eva sang in Graz.",
        2: "The opera closed in 1829.",
    }
    (asked,) = judge.asked
    assert list(asked.sentences) == ["1", "2", "3"]


def test_a_vote_whose_sentence_speaks_of_something_else_is_not_heard() -> None:
    found, judge = judged(shift=1)
    assert found.found == {3: "silent"}
    assert found.missing == dict.fromkeys((0, 1, 2), UNFOUNDED)
    assert len(judge.asked) == 1, "it answered; asking again would invite another number"


@pytest.mark.parametrize("said", ["supports", "4 supports", "0 supports", "1  supports", "1 maybe"])
def test_a_sentence_that_is_not_there_is_asked_for_again_and_then_no_vote(said: str) -> None:
    judge = Scripted(fails=lambda asked: json.dumps(dict.fromkeys(asked.numbers, said)))
    found = run(fact_stances(Stage(judge).session, SOURCE, facts()[:1]))
    assert not found.found
    assert "stance is not -, nor the sign of a sentence" in found.missing[0]
    assert len(judge.asked) == 3


@pytest.mark.parametrize("said", ["-", "silent"])
def test_silence_is_a_dash_or_the_word(said: str) -> None:
    judge = Scripted(fails=lambda asked: json.dumps(dict.fromkeys(asked.numbers, said)))
    found = run(fact_stances(Stage(judge).session, SOURCE, facts()))
    assert found == Judgement(dict.fromkeys(range(4), "silent"))
    assert len(judge.asked) == 1
    form = json.loads(FACT.form(FACTS))
    assert sorted(one.rpartition(" ")[2] for one in form.values()) == [
        "-",
        "contradicts",
        "supports",
    ]


def test_a_yes_on_a_sentence_names_one_of_the_source() -> None:
    def answers(asked: Asked) -> str:
        shown = asked.fields["sentences"]
        return json.dumps({key: "1 yes" if key in shown else "no" for key in asked.numbers})

    stage = Stage(Scripted(fails=answers))
    said = {0: "Ada Weir was born in Ulm.", 1: "The opera closed in 1829."}
    found = run(sentence_marks(stage.session, SOURCE, said))
    assert found == Judgement({0: Mark(0)}, {1: UNFOUNDED})


@given(st.text(alphabet="ab.!? \n\t*|1", max_size=400))
def test_the_numbered_sentences_are_the_text(text: str) -> None:
    shown = number_sentences(text)
    assert "".join(shown.values()) == text
    assert "".join(shown) == SIGNS[: len(shown)]
