"""Sentences that another text says again, with the same values or with others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import halubot
from halubot.facts import Report
from halubot.compare.claim import part
from halubot.compare.counterparts import Counterpart, counterpart
from halubot.compare.stance import Matcher
from halubot.compare.textindex import Asked, TextIndex
from halubot.compare.tokens import worded
from halubot.text import read


def beside(sentence: str, text: str) -> Counterpart | None:
    index = TextIndex(worded(read(text)), Asked({}, frozenset()))
    return counterpart(part(sentence), index)


def pairs(sentence: str, text: str) -> list[tuple[str, str]] | None:
    """The values exchanged, as written; None where the text does not say the sentence again."""
    found = beside(sentence, text)
    return found and [
        (sentence[own.start : own.end], text[other.start : other.end])
        for own, other in found.exchanges
    ]


SOURCE = (
    "The trial was run in Lund. In all, 88 patients (81%) reported headaches after the treatment."
    " The median stay was 5 days (range 3-11 days), at a dose of 20 mg/dL."
)


@pytest.mark.parametrize(
    ("sentence", "exchanged"),
    [
        ("Eighty-eight patients (81 percent) reported headaches after treatment.", []),
        ("88 patients (61 percent) reported headaches after treatment.", [("61 percent", "81%")]),
        ("Eighty patients (81%) reported headaches after the treatment.", [("Eighty", "88")]),
        ("The median stay was five days (range 3 to 11 days), the dose 20 mg/dL.", []),
        ("The median stay was five days (range 3 to 12 days).", [("12 days", "11 days")]),
        ("The median stay was 5 days at a dose of 20 milligrams per decilitre.", []),
        ("The median stay was 5 days at a dose of 30 milligrams per deciliter.", None),
    ],
)
def test_values_are_paired_off(sentence: str, exchanged: list[tuple[str, str]] | None) -> None:
    found = pairs(sentence, SOURCE)
    if exchanged is None:
        assert found
        assert found[0][1] == "20 mg/dL"
    else:
        assert found == exchanged


def test_of_two_equal_values_one_may_be_exchanged() -> None:
    text = "There were 28 patients with tremor and 28 healthy volunteers in the study."
    changed = "There were 28 patients with tremor and 22 healthy volunteers in the study."
    assert pairs(text, text) == []
    assert pairs(changed, text) == [("22", "28")]


@pytest.mark.parametrize(
    "sentence",
    [
        "The trial cost 40 million.",  # nothing of the kind is said
        "Patients in Oslo reported 88 headaches after treatment.",  # another place
        "88 patients.",  # too few words to know a sentence by
        "The patients reported headaches after the treatment.",  # no value
        "Patients reported headaches after treatment: " + " ".join(map(str, range(3000))) + ".",
    ],
)
def test_what_is_not_said_again_has_no_counterpart(sentence: str) -> None:
    assert beside(sentence, SOURCE) is None


def test_a_value_that_a_like_sentence_has_is_not_exchanged() -> None:
    text = (
        "Forty-four percent of parents underestimated the body size of children."
        " Forty percent of the children underestimated the body size of parents."
    )
    for sentence in text.split(". "):
        assert pairs(sentence, text) == []


def test_a_fuller_sentence_exchanges_only_beside_the_same_word() -> None:
    text = (
        "Born on 3 May 1948 on a farm near Lund, the child actor is best remembered for the role"
        " of Larry in a famous television series."
    )
    assert pairs("The actor had the role of Larry in the series, made 1957.", text) == []
    assert pairs("The actor, Larry in a television series, was born on 5 May 1948.", text) == [
        ("5 May 1948", "3 May 1948")
    ]


LIFE = (
    "Ada Weir was born on 3 May 1850 in Lund. She designed the Kellan Bridge and the Ostby Bridge."
    " She died in 1920."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ada Weir died in 1921.",
        "Ada Weir died in Lund in 1921.",
        "Ada Weir moved in 1849 to Lund.",
        "Ada Weir, the designer of the bridge, was buried in 1921.",
    ],
)
def test_names_alone_say_nothing(sentence: str) -> None:
    assert not pairs(sentence, LIFE)


def test_what_began_is_not_what_ended() -> None:
    born = "Ada Weir, an engineer and the only daughter of a smith, was born in 1850."
    died = "Ada Weir, an engineer and the only daughter of a smith, died in 1920."
    assert pairs(died, born) == []
    assert pairs(died, died.replace("1920", "1921")) == [("1920", "1921")]
    lived = "Ada Weir (3 May 1850 – 9 June 1920), an engineer, was the only daughter of a smith."
    assert pairs(born.replace("1850", "1849"), lived) == [("1849", "3 May 1850")]


def test_a_sentence_on_another_is_no_counterpart() -> None:
    told = checked("Weir was born in Lund in 1850.", "Lind was born in Lund in 1860.")
    assert [one.verdict for one in told.sentences] != ["contradicted"]


def test_what_a_text_has_in_the_place_of_a_fact_counts_before_a_like_sentence() -> None:
    report = checked("Ada Weir died in 1921. Ada Weir was born in 1849.", LIFE)
    against = [one for fact in report.facts for one in fact.evidence if one.stance != "silent"]
    assert [(one.value, one.quote) for one in against] == [
        ("1920", "She died in 1920."),
        ("1850", "Ada Weir was born on 3 May 1850 in Lund."),
    ]


@given(st.lists(st.sampled_from([*SOURCE.split(), "12", "1912", "5%", "(", "and"]), max_size=25))
def test_a_sentence_is_never_against_itself(words: list[str]) -> None:
    text = " ".join(words)
    for start, end in read(text).sentences:
        found = beside(text[start:end], text)
        assert found is None or found.exchanges == ()


def checked(text: str, *references: str) -> Report:
    return halubot.check(text, references=references, method="consensus")


def test_a_value_outside_all_facts_is_doubted_with_what_the_reference_says() -> None:
    report = checked("Eighty-eight patients (61%) reported headaches after treatment.", SOURCE)
    (sentence,) = report.sentences
    assert sentence.verdict == "contradicted"
    assert sentence.reason == "a reference says 81% here"
    right = checked("Eighty-eight patients (81%) reported headaches.", SOURCE)
    assert [one.verdict for one in right.sentences] == ["supported"]


def test_a_reference_that_bears_the_sentence_out_outweighs_another() -> None:
    text = "In all, 88 patients (81%) reported headaches after the treatment."
    other = "In all, 88 patients (80%) reported headaches after the treatment."
    assert checked(text, other).sentences[0].verdict == "contradicted"
    assert checked(text, other, SOURCE).sentences[0].reason is None


def test_facts_with_the_value_are_contradicted_and_the_rival_named_where_it_fits() -> None:
    message = read("The bridge was widened by 14 workers after the flood in Osby.")
    facts = halubot.check(message.text, references=["x"], method="consensus").facts
    compared = Matcher(message, facts, None).to_the_letter(
        read("After the flood in Osby the bridge was widened by 17 workers.")
    )
    told = [one for one in compared.facts if one.stance == "contradicts"]
    assert told
    assert {one.note for one in told} == {"says 17"}
    assert compared.sentences[0].stance == "contradicts"
    again = Matcher(message, facts, None).to_the_letter(message)
    assert [one.stance for one in again.sentences] == ["supports"]
    assert all(one.stance != "contradicts" for one in again.facts)
