"""Where answers differ, and where they only say it otherwise."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import check
from halubot_bots.differences import Difference, find_differences, shared

BORN = "When was Ada Lovelace born?"
WROTE = "Who wrote Jane Eyre?"


def shown(found: tuple[Difference, ...]) -> list[list[str]]:
    """What each group of each place says."""
    return [[group[0].text or group[0].quote for group in one.groups] for one in found]


@pytest.fixture
def _verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier that ships, with which answers are compared."""
    monkeypatch.delenv("HALUBOT_VERIFIER")


@pytest.mark.usefixtures("_verifier")
@pytest.mark.parametrize(
    ("question", "answers", "expected"),
    [
        (BORN, ["Ada was born in 1815.", "She was born in 1816."], ["1815", "1816"]),
        (BORN, ["1815.", "1816."], ["1815", "1816"]),
        (
            WROTE,
            ["Jane Eyre was written by Charlotte Brontë in 1847.", "It is a novel by Jane Austen."],
            ["Charlotte Brontë", "Jane Austen"],
        ),
        ("What is its capital?", ["Canberra.", "It is Sydney."], ["Canberra", "Sydney"]),
        ("How high is it?", ["K2 is 8,611 m high.", "It has 8,849 m."], ["8,611 m", "8,849 m"]),
        ("Can I eat it raw?", ["Yes, you can.", "No, never."], ["Yes, you can.", "No, never."]),
        ("Capital of Australia?", ["Canberra", "Sydney"], ["Canberra", "Sydney"]),
        ("What is the latest version?", ["It is 1.21.4.", "It's 1.20.6."], ["1.21.4", "1.20.6"]),
        # Without yes and no: by repeating the question's words.
        (
            "Do bats lay eggs?",
            ["Bats lay eggs in caves.", "No, they give birth to live young."],
            ["Bats lay eggs in caves.", "No, they give birth to live young."],
        ),
        # The subject of the question's own verb; "the book" that both speak of.
        ("Which city hosted it?", ["Athens hosted it in 1896.", "In Paris."], ["Athens", "Paris"]),
        (
            "Wer schrieb die Geschichte?",
            ["Michael Ende schrieb das Buch.", "Das Buch ist von Otfried Preußler."],
            ["Michael Ende", "Otfried Preußler"],
        ),
        # The winner of one is the loser of the other.
        ("Who won it?", ["Egmont won, beating Thule.", "Thule won it."], ["Egmont", "Thule"]),
        # A German noun is no name, if it has an article; another day is another time.
        ("Wo spielt es?", ["Die Serie spielt in Bonn.", "In Kiel."], ["Bonn", "Kiel"]),
        ("When is it?", ["It is on Friday at 8.", "It is on Sunday at 8."], ["Friday", "Sunday"]),
        # What is no name, in place of what is asked for.
        ("Which ore is it?", ["Bauxite.", "It is hematite."], ["Bauxite.", "It is hematite."]),
        ("Where is the lake?", ["Ravenna, 12 km off.", "At Ostia."], ["Ravenna", "Ostia"]),
        # Of a minimum, "at least 2" says 2.
        ("How much RAM is the minimum?", ["4 GB.", "You need at least 2 GB."], ["4 GB", "2 GB"]),
        ("Can bats see?", ["Not at all.", "Yes, well."], ["Not at all.", "Yes, well."]),
        ("Wann endete der Krieg?", ["Der Krieg endete 1648.", "Er endete 1658."], ["1648", "1658"]),
    ],
)  # fmt: skip
def test_answers_that_differ(question: str, answers: list[str], expected: list[str]) -> None:
    assert shown(find_differences(answers, question))[0] == expected


@pytest.mark.usefixtures("_verifier")
@pytest.mark.parametrize(
    ("question", "answers"),
    [
        (BORN, ["Ada was born in 1815.", "On 10 December 1815, in London."]),
        (BORN, ["Ada was born in 1815.", "I do not know."]),
        (BORN, ["Ada was born in 1815 and died in 1852.", "In 1815. She married in 1835."]),
        (WROTE, ["Charlotte Brontë.", "Brontë wrote it as Currer Bell; it appeared in London."]),
        ("How high is it?", ["Everest is 8,849 m high.", "About 29,032 feet, or 8.85 km."]),
        ("How long do I cook it?", ["8 to 10 minutes.", "About nine minutes."]),
        ("Who won?", ["Germany won.", "The Germans beat Argentina."]),
        ("Which ore is it?", ["Bauxite.", "Ask the mine's own staff there."]),
        ("Which ore is it?", ["Bauxite.", "It looks like a bauxite ore."]),
        ("How many came?", ["At least 200.", "There were 230 of them."]),
        ("Which gas do we breathe?", ["Oxygen.", "We breathe in oxygen."]),
        ("What are good games?", ["Try Overcooked.", "It Takes Two is fun."]),
        ("Is it safe?", ["No, it is poisonous.", "It is not safe: it is poisonous."]),
        ("Do bats lay eggs?", ["No.", "Bats do not lay eggs."]),
        ("roll a d20", ["You rolled a 7.", "You rolled a 19!"]),
        (
            BORN,
            ["Ada was born in 1815 in London.", "Ada was born in 1815, and her father was Byron."],
        ),
        ("", ["Thanks!", "You are welcome."]),
        (BORN, ["", "1815"]),
    ],
)
def test_answers_that_agree_or_speak_of_other_things(question: str, answers: list[str]) -> None:
    assert find_differences(answers, question) == ()


def test_voices_are_counted_by_what_they_say() -> None:
    (found,) = find_differences(
        ["Ada was born in 1816.", "Ada was born in 1815.", "She was born in the year 1815."], BORN
    )
    assert [[said.answer for said in group] for group in found.groups] == [[1, 2], [0]]
    assert found.settled == found.groups[0]
    dates = ["He died on 22 March 1832.", "He died in 1833.", "He died in 1832."]
    (exact,) = find_differences(dates, "When did Goethe die?")
    assert shared(exact.groups[0]).text == "1832"  # which both say
    names = ["Rembrandt painted it.", "It is by Johannes Vermeer.", "It is by Rembrandt van Rijn."]
    (painters,) = find_differences(names, "Who painted it?")
    assert [[said.answer for said in group] for group in painters.groups] == [[0, 2], [1]]
    (two,) = find_differences(["Ada was born in 1816.", "Ada was born in 1815."], BORN)
    assert two.settled == ()


def test_what_the_check_of_both_finds_is_a_difference() -> None:
    answers = [
        "Hydrochloric acid is a strong acid.",
        "Hydrochloric acid is a weak acid.",
    ]
    asked = "Tell me about hydrochloric acid."
    reports = [check(one, samples=[other]) for one, other in (answers, reversed(answers))]
    assert find_differences(answers, asked) == ()  # without the verifier
    assert find_differences(answers, asked, reports)[0].kind == "wording"


@pytest.mark.usefixtures("_verifier")
def test_a_card_quotes_what_contradicts_most() -> None:
    answers = ["It is open all winter. Bring a lamp.", "Bring a lamp. It is closed all winter."]
    found = find_differences(answers, "Can the cave be visited in winter?")
    assert shown(found) == [["It is open all winter.", "It is closed all winter."]]


@pytest.mark.usefixtures("_verifier")
def test_two_answers_of_five_sentences_take_less_than_a_second() -> None:
    answers = [
        "The mill stands by the river. It has three floors. A family runs it. They grind rye."
        " The wheel is of oak.",
        "The mill lies on a hill. It has a single floor. A club runs it. They grind wheat."
        " The wheel is of iron.",
    ]
    find_differences(["The mill is old.", "The mill is new."], "Is it old?")  # loads the verifier
    begun = time.process_time()
    assert find_differences(answers, "Tell me about the mill.")
    assert time.process_time() - begun < 1.0


def test_a_reference_settles_what_it_contradicts() -> None:
    answer = "Ada Lovelace was born in 1816."
    report = check(answer, references=["Ada Lovelace was born in 1815."])
    (found,) = find_differences([answer], BORN, [report])
    assert found.settled[0].answer is None
    assert found.answers == {0}


@pytest.mark.parametrize(
    "hostile",
    ["<@1>" * 1_000 + "z", " ".join(map(str, range(1_500))), "A of " * 1_200, "not " * 1_500],
)
def test_no_text_holds_the_interpreter(hostile: str) -> None:
    begun = time.process_time()
    find_differences([hostile, hostile[: len(hostile) // 2] + " 1999"], hostile)
    assert time.process_time() - begun < 5.0


texts = st.text(max_size=200) | st.sampled_from(
    ["Ada was born in 1815.", "No. It's 5 km, 3 kg or $4.", "Is @everyone **there**? `x`", "1816"]
)


@given(st.lists(texts, min_size=2, max_size=4), texts)
def test_places_lie_in_the_answers(answers: list[str], question: str) -> None:
    for found in find_differences(answers, question):
        assert len(found.groups) > 1
        for said in (one for group in found.groups for one in group):
            assert said.answer is not None
            assert 0 <= said.span[0] <= said.span[1] <= len(answers[said.answer])
    assert find_differences([answers[0]] * 2, question) == ()
