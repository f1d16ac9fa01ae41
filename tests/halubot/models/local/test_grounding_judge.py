"""Judges of grounding: classifiers of tokens, and HHEM."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot.compare.tokens import with_tokens
from halubot.errors import LocalModelError
from halubot.models.local.encoder_judge import Claim, Reading, open_judge
from halubot.text import read
from tests import tiny_encoders

tiny_encoders.require()

SCORES = {"": {"supported": 2.0}, "1816": {"hallucinated": 9.0}, "london": {"hallucinated": 9.0}}
HHEM = {"model_type": "HHEMv2Config"}


def said(folder: Path, text: str, sentence: str, *spans: tuple[int, int]) -> list[Reading]:
    asked = [Claim(sentence[slice(*span)], sentence, (0, len(sentence)), (span,)) for span in spans]
    return open_judge(f"grounding:{folder}").read(with_tokens(read(text)), asked)


@pytest.mark.parametrize("types", [True, False])
@pytest.mark.parametrize("labels", [("supported", "hallucinated"), ("hallucinated", "supported")])
def test_the_words_that_have_no_ground_are_named(
    tmp_path: Path, types: bool, labels: tuple[str, ...]
) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES, labels=labels, shape="tokens", types=types)
    text, sentence = "Ada Lovelace was born in 1815.", "Ada was born in 1816 and died in 1852."
    born, died = said(folder, text, sentence, (0, 20), (25, 38))
    assert born.stance == "silent"
    assert [sentence[slice(*span)] for span in born.unfounded] == ["1816"]
    assert born.doubt is not None
    assert born.doubt > 0.9
    assert died.stance == "supports"
    assert died.quote == (0, len(text))
    assert died.unfounded == ()


def test_neighbouring_words_are_one_place(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES, labels=tiny_encoders.GROUNDED, shape="tokens")
    sentence = "Ada was born 1816 London."
    (born,) = said(folder, "Ada was born in 1815.", sentence, (0, 25))
    assert [sentence[slice(*span)] for span in born.unfounded] == ["1816 London"]


def test_the_source_itself_is_not_judged(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES, labels=tiny_encoders.GROUNDED, shape="tokens")
    (born,) = said(folder, "Ada was born in London in 1816.", "Ada was born.", (0, 12))
    assert born.stance == "supports"


def test_a_source_that_shares_no_word_says_nothing(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES, labels=tiny_encoders.GROUNDED, shape="tokens")
    assert said(folder, "It rains.", "Ada was born in 1816.", (0, 20)) == [Reading()]


@pytest.mark.parametrize("config", [HHEM, {"architectures": ["T5EncoderForTokenClassification"]}])
def test_hhem_tells_how_consistent_a_claim_is(tmp_path: Path, config: dict[str, object]) -> None:
    scores = {"": {"consistent": 0.1}, "1816": {"not": 30.0}}
    folder = tiny_encoders.build(
        tmp_path, scores, labels=("not", "consistent"), shape="first_token", config=config
    )
    text, sentence = "Ada Lovelace was born in 1815.", "Ada was born in 1816. She was born."
    no, yes = said(folder, text, sentence, (0, 20), (22, 34))
    assert (no.stance, no.unfounded) == ("silent", ((0, 20),))
    assert (yes.stance, yes.quote) == ("supports", (0, len(text)))


def test_long_sources_of_hhem_leave_the_claim_whole(tmp_path: Path) -> None:
    """The claim stands last in the prompt, so a prompt that is cut would lose it."""
    scores = {"": {"consistent": 0.001}, "1816": {"not": 30.0}}
    folder = tiny_encoders.build(
        tmp_path, scores, labels=("not", "consistent"), shape="first_token", config=HHEM
    )
    (no,) = said(folder, "Ada " * 3000 + "was born.", "Ada was born in 1816.", (0, 20))
    assert no.stance == "silent"
    assert no.unfounded


def test_labels_of_grounding_are_never_guessed(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES, labels=None, shape="tokens")
    with pytest.raises(LocalModelError, match='"1": "hallucinated"'):
        open_judge(f"grounding:{folder}")
    tiny_encoders.build(tmp_path, {}, labels=("0", "1"), shape="tokens")
    with pytest.raises(LocalModelError, match="needs supported and hallucinated"):
        open_judge(f"grounding:{folder}")


def test_a_classifier_of_texts_is_no_judge_of_grounding(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, {}, labels=tiny_encoders.GROUNDED)
    with pytest.raises(LocalModelError, match="no classifier of tokens"):
        said(folder, "Ada was born.", "Ada was born.", (0, 12))
    tiny_encoders.build(tmp_path / "two", {}, labels=("a", "b", "c"), config=HHEM)
    with pytest.raises(LocalModelError, match="not HHEM"):
        said(tmp_path / "two", "Ada was born.", "Ada was born.", (0, 12))
