"""Sentences that speak to the reader and claim nothing."""

from __future__ import annotations

import pytest

import halubot
from halubot.extract import extract, set_titles_apart
from halubot.text import read

CLAIM = "Ada was born in London."


def apart(text: str) -> list[str]:
    document = set_titles_apart(read(text))
    return [document.text[start:end] for start, end in document.apart]


@pytest.mark.parametrize(
    "courtesy",
    [
        "Sure!",
        "Of course!",
        "Great question!",
        "That's a good question.",
        "Hello there!",
        "Thank you for asking!",
        "You’re welcome!",
        "I'd be happy to help you with that!",
        "I hope this helps!",
        "Let me know if you need anything else.",
        "Please feel free to ask.",
        "If you have any further questions, just ask.",
        "If you’d like to know more, say so.",
        "As an AI language model, I cannot verify this.",
        "I'm just an AI and may be wrong.",
        "I don't have access to the internet.",
        "Here's what I found.",
        "Who was Ada?",
        "Would you like to know more about Ada Lovelace?",
    ],
)
@pytest.mark.parametrize("text", ["{} {claim}", "{claim} {}", "{claim}\n\n*{}*\n\n{claim}"])
def test_it_is_no_sentence_of_the_message(courtesy: str, text: str) -> None:
    said = [one.strip("*") for one in apart(text.format(courtesy, claim=CLAIM))]
    assert said == [courtesy]


@pytest.mark.parametrize(
    "claim",
    [
        "Sure enough, Ada was born in London.",
        "Certainly Ada was the first programmer.",
        "I hope Ada was born in London.",
        "I believe that Ada was born in 1816.",
        "As an AI researcher, Ada worked in London.",
        "As an AI language model, I can say that Paris is the capital of France.",
        "As an AI language model, I cannot say more than that Ada was born in 1816.",
        "If you have diabetes, insulin helps.",
        "If you want gold, dig in Alaska.",
        "Here is the tomb of Napoleon.",
        "Thank you was the last word that Ada wrote.",
        "Ada starred in Who Framed Roger Rabbit?",
        "I don't have measles.",
    ],
)
def test_what_claims_something_is_a_sentence(claim: str) -> None:
    assert apart(f"{claim} {CLAIM}") == []


@pytest.mark.parametrize(
    "text", ["Sure!", "Who was Ada?", "# Ada\n\nWho was she? I hope this helps!"]
)
def test_where_nothing_is_claimed_all_are_sentences(text: str) -> None:
    assert apart(text) == []


def test_other_languages_are_left_alone() -> None:
    assert apart("Wo wurde Ada geboren? Ada wurde in London geboren und starb dort.") == []


def test_the_facts_are_those_of_the_other_sentences() -> None:
    text = f"Sure! Who was Ada? {CLAIM} I hope this helps!"
    document = set_titles_apart(read(text))
    assert [(fact.triple, fact.sentences) for fact in extract(document)] == [
        (("Ada", "born in", "London"), (0,))
    ]
    report = halubot.check(text, samples=[CLAIM] * 5)
    assert [sentence.verdict for sentence in report.sentences] == ["supported"]
    (only,) = report.sentences
    assert report.text[only.start : only.end] == CLAIM
