"""Sentence scores: what they obey, whatever the constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.log_odds import (
    Scorer,
    logistic,
    message_score,
)
from halubot.text import read


class SentenceScore(NamedTuple):
    """The score of one sentence by itself, and with the level of its message."""

    score: float
    rank: float


RIGHT = "Orla Venn was born in Bergen in 1828."
WRONG = "Orla Venn was born in Turin in 1871."
OTHER = "She engraved maps of tides."
UNSAID = "She kept forty goats near Lisbon."


def score(
    message: str,
    samples: Sequence[str] = (),
    references: Sequence[str] = (),
    subject: str | None = "Orla Venn",
) -> list[SentenceScore]:
    """The score of each sentence, and its rank, by words alone."""
    document, *given = (with_tokens(read(text)) for text in (message, *references))
    scorer = Scorer(document, given, subject)
    for sample in samples:
        scorer.hear(with_tokens(read(sample)))
    odds = [scorer.odds([span]) for span in read(message).sentences]
    by_samples = [scorer.odds_by_samples([span]) for span in read(message).sentences]
    level = sum(by_samples) / max(1, len(by_samples))
    return [SentenceScore(logistic(own), logistic((own + level) / 2)) for own in odds]


@given(
    st.text(max_size=60),
    st.lists(st.text(max_size=60), min_size=1, max_size=3),
    st.lists(st.text(max_size=60), max_size=2),
    st.none() | st.text(max_size=20),
)
def test_any_text_gives_a_score_in_bounds_for_each_sentence(
    message: str, samples: list[str], references: list[str], subject: str | None
) -> None:
    found = score(message, samples, references, subject)
    assert len(found) == len(read(message).sentences)
    assert all(0 <= value <= 1 for one in found for value in one)


def test_what_samples_say_scores_below_what_they_do_not() -> None:
    samples = [f"{RIGHT} {OTHER}"] * 10
    right, wrong, unsaid = score(f"{RIGHT} {WRONG} {UNSAID}", samples)
    assert right.score < 0.1
    assert wrong.score > 0.5
    assert unsaid.score > 0.5


def test_the_more_samples_say_it_the_lower_the_score() -> None:
    values = [
        score(RIGHT, [RIGHT] * agreeing + [WRONG] * (10 - agreeing))[0].score
        for agreeing in (0, 3, 6, 10)
    ]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 4


@pytest.mark.parametrize("number", [1, 2, 5, 20])
def test_half_divides_said_from_unsaid_for_any_number_of_samples(number: int) -> None:
    right, unsaid = score(f"{RIGHT} {UNSAID}", [f"{RIGHT} {OTHER}"] * number)
    assert right.score < 0.5 < unsaid.score


def test_a_right_sentence_keeps_its_score_whatever_stands_beside_it() -> None:
    samples = [f"{RIGHT} {OTHER}"] * 5
    beside_right = score(f"{RIGHT} {OTHER}", samples)[0]
    beside_wrong = score(f"{RIGHT} {WRONG} {UNSAID}", samples)[0]
    assert beside_right.score == beside_wrong.score
    assert beside_right.rank < beside_wrong.rank


def test_a_reference_outweighs_samples() -> None:
    assert score(RIGHT, [WRONG] * 10)[0].score > 0.5
    assert score(RIGHT, [WRONG] * 10, [RIGHT])[0].score < 0.5
    samples_only = score(WRONG, [WRONG] * 10)[0].score
    assert score(WRONG, [WRONG] * 10, [RIGHT])[0].score > samples_only


def test_a_reference_that_does_not_speak_of_it_leaves_it_to_the_samples() -> None:
    off_topic = "Goats eat grass."
    assert score(RIGHT, [RIGHT] * 5, [off_topic])[0].score < 0.5
    assert score(UNSAID.replace("goats", "hens"), [RIGHT] * 5, [off_topic])[0].score > 0.5


def test_what_a_reference_says_adds_to_what_samples_say() -> None:
    half = [RIGHT] * 3 + [WRONG] * 7
    by_samples = score(f"{RIGHT} {UNSAID}", half)
    silent = score(f"{RIGHT} {UNSAID}", half, ["Goats eat grass."])
    both = score(f"{RIGHT} {UNSAID}", half, [RIGHT])
    assert silent[0] == by_samples[0]
    assert both[0].score < by_samples[0].score
    assert both[0].rank < by_samples[0].rank


def test_a_reference_that_says_one_sentence_says_nothing_of_the_others() -> None:
    samples = [f"{RIGHT} {OTHER}"] * 3 + [WRONG] * 7
    by_samples, both = (
        score(f"{RIGHT} {OTHER}", samples, references) for references in ([], [OTHER])
    )
    assert both[1].score < by_samples[1].score
    assert both[0] == by_samples[0]


def test_references_are_one_source() -> None:
    parted = score(f"{RIGHT} {OTHER}", references=[RIGHT, OTHER])
    joined = score(f"{RIGHT} {OTHER}", references=[f"{RIGHT} {OTHER}"])
    assert parted == joined


def test_references_are_read_to_the_letter_in_english() -> None:
    message, source = "She composes and paints in the winter.", "The compost painfully winced."
    assert score(message, [source])[0].score < score(message, references=[source])[0].score


def test_where_there_is_nothing_to_compare_the_score_is_half() -> None:
    assert score("...?!", [RIGHT]) == []
    assert score("She was.", [RIGHT])[0].score == 0.5
    assert score(RIGHT, ["", "..."])[0].score == 0.5
    assert score("", [RIGHT]) == []


def test_a_sentence_for_a_subject_counts_only_its_name() -> None:
    found = score(
        "Stonewake is a folk band from Graz.",
        ["Stonewake is a folk band from Graz."],
        subject="Stonewake is a folk band from Graz.",
    )
    assert found[0].score < 0.5


def test_any_span_can_be_scored() -> None:
    text = f"{RIGHT} {UNSAID}"
    scorer = Scorer(with_tokens(read(text)), [], "Orla Venn")
    for _ in range(3):
        scorer.hear(with_tokens(read(RIGHT)))
    place = (text.index("Bergen"), text.index("Bergen") + 6)
    farm = (text.index("forty goats"), text.index("forty goats") + 11)
    assert scorer.odds([place]) < 0 < scorer.odds([farm])
    assert scorer.odds([place]) < scorer.odds([place, farm]) < scorer.odds([farm])
    assert scorer.odds([]) == 0
    assert scorer.odds([(0, 9)]) == 0  # the subject's name alone


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        ("東京大学は1877年に設立された。", "東京大学は1877年に設立された。"),
        ("Университет основан в Москве.", "Университет был основан в Москве."),
        ("تأسّست الجامعة عام 1920.", "تأسست الجامعة عام ١٩٢٠."),
    ],
)
def test_other_scripts_are_scored_too(text: str, sample: str) -> None:
    assert score(text, [sample] * 3, subject=None)[0].score < 0.2
    assert score(text, ["The weather was fine in Leeds."] * 3, subject=None)[0].score > 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1))
def test_a_message_score_rises_with_each_sentence(scores: list[float], more: float) -> None:
    before, after = message_score(scores), message_score([*scores, more])
    assert before is not None
    assert after is not None
    assert 0 <= before <= after < 1


def test_message_scores_at_landmarks() -> None:
    assert message_score([]) is None
    assert message_score([0.0, 0.0]) == 0
    assert message_score([0.5, 0.5]) == 0.5
