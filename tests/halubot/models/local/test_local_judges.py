"""Classifiers of entailment as judges, by tiny models with the inputs and outputs of real ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from halubot.compare.tokens import Worded, with_tokens
from halubot.errors import LocalModelError, SettingError
from halubot.models.local.encoder_judge import Claim, Reading, open_judge
from halubot.text import read
from tests import tiny_encoders

tiny_encoders.require()

YES = {"entailment": 6.0}
NO = {"contradiction": 30.0}
SCORES = {"": {"neutral": 0.01}, "born": YES, "1816": NO, "knew": {"neutral": 90.0}}
"""A source and a claim that speak of a birth agree, unless one of them says 1816 or knew."""


def source(text: str) -> Worded:
    return with_tokens(read(text))


def said(folder: Path, text: str, *claims: str) -> list[Reading]:
    asked = [Claim(claim, claim, (0, len(claim)), ((0, len(claim)),)) for claim in claims]
    return open_judge(f"nli:{folder}").read(source(text), asked)


def quoted(text: str, reading: Reading) -> str:
    assert reading.quote is not None
    return text[slice(*reading.quote)]


@pytest.mark.parametrize(
    "labels",
    [
        ("contradiction", "entailment", "neutral"),
        ("entailment", "neutral", "contradiction"),
        ("ENTAILMENT", "NEUTRAL", "CONTRADICTION"),
    ],
)
@pytest.mark.parametrize("types", [True, False])
def test_classes_go_by_their_names(tmp_path: Path, labels: Sequence[str], types: bool) -> None:
    scores = {
        word: {next(one for one in labels if one.lower() == name): weight}
        for word, own in SCORES.items()
        for name, weight in own.items()
    }
    folder = tiny_encoders.build(tmp_path / "tiny", scores, labels=labels, types=types)
    text = "Ada was born in 1815."
    yes, no, silent = said(
        folder, text, "Ada was born in 1815", "Ada was born in 1816", "Ada knew Ben Moore"
    )
    assert (yes.stance, no.stance, silent.stance) == ("supports", "contradicts", "silent")
    assert quoted(text, yes) == quoted(text, no) == text
    assert silent.quote is None


def test_two_classes_never_contradict(tmp_path: Path) -> None:
    labels = ("entailment", "not_entailment")
    scores = {"born": {"entailment": 6.0}, "1816": {"not_entailment": 30.0}}
    folder = tiny_encoders.build(tmp_path, scores, labels=labels)
    yes, no = said(folder, "Ada was born in 1815.", "Ada was born", "Ada was born in 1816")
    assert (yes.stance, no.stance) == ("supports", "silent")
    assert no.doubt is not None
    assert no.doubt > 0.9


def test_a_source_that_shares_no_word_is_silent_and_not_read(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, {"": {"contradiction": 9.0}})
    (reading,) = said(folder, "It rains.", "Ada was born in 1815")
    assert reading == Reading()


def test_the_sentence_is_quoted_that_fits_best(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    text = "Ben Moore was tall. Ada Lovelace was born in 1815. She died in 1852."
    (reading,) = said(folder, text, "Ada Lovelace was born in 1815")
    assert reading.stance == "supports"
    assert quoted(text, reading) == "Ada Lovelace was born in 1815."


def test_contradiction_counts_only_where_the_claim_fits_best(tmp_path: Path) -> None:
    """A distant sentence that shares a word and would contradict says nothing of the claim."""
    folder = tiny_encoders.build(tmp_path, {"1816": NO, "": {"neutral": 0.01}})
    far = " ".join("The tower is tall." for _ in range(400))
    near, other = "Ada Lovelace was born in 1815.", "Ben was born in 1816."
    (apart,) = said(folder, f"{near} {far} {other}", "Ada Lovelace was born in 1815")
    assert apart.stance == "silent"
    (inside,) = said(folder, f"{near} {other}", "Ada Lovelace was born in 1815")
    assert inside.stance == "contradicts"


def test_one_window_that_entails_is_enough(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, {"born": YES, "": {"neutral": 0.01}})
    far = " ".join("The tower is tall." for _ in range(400))
    text = f"Ada Lovelace died in 1852 in London. {far} Ada was born there."
    claim = "Ada Lovelace 1852 London born"
    (reading,) = said(folder, text, claim)
    assert reading.stance == "supports"


def test_no_window_has_more_tokens_than_fit(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    endless = "Ada " * 3000 + "was born in 1815."
    (reading,) = said(folder, endless, "Ada was born in 1815")
    assert reading.failure is None


def test_a_claim_that_leaves_no_room_is_not_judged(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    long, short = said(folder, "Ada was born in 1815.", "Ada " * 600, "Ada was born")
    assert long.failure == "it is too long for the judge"
    assert short.stance == "supports"


def test_a_mark_in_a_text_is_plain_text(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES | {"[SEP]": {"contradiction": 20.0}})
    before, after = said(folder, "Ada was born in 1815.", "Ada was born", "Ada was born [SEP]")
    assert before == after


def test_markup_is_not_read(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, {"born": YES, "[UNK]": NO})
    text = "**Ada** was *born* in  [London](https://example.org)"
    (marked,) = said(folder, text, "Ada was born")
    assert marked.stance == "supports"
    assert quoted(text, marked) == text
    (unknown,) = said(folder, "Ada was quite born", "Ada was born")
    assert unknown.stance == "contradicts", "the test would notice a sign that is no word"


def test_what_is_judged_together_is_judged_alike(tmp_path: Path) -> None:
    """Padding of a batch changes nothing."""
    folder = tiny_encoders.build(tmp_path, SCORES | {"[PAD]": {"contradiction": 50.0}})
    claims = [f"Ada was born {'in London ' * length}" for length in range(20)]
    together = said(folder, "Ada was born in 1815.", *claims)
    assert together == [said(folder, "Ada was born in 1815.", one)[0] for one in claims]


def test_another_model_in_the_folder_is_loaded(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, {"born": YES})
    assert said(folder, "Ada was born.", "Ada was born")[0].stance == "supports"
    tiny_encoders.build(tmp_path, {"born": NO}, labels=("entailment", "contradiction", "neutral"))
    assert said(folder, "Ada was born.", "Ada was born")[0].stance == "contradicts"


def changed(folder: Path, **values: object) -> None:
    file = folder / "config.json"
    told = json.loads(file.read_text()) | values
    file.write_text(json.dumps({name: one for name, one in told.items() if one is not None}))


@pytest.mark.parametrize(
    ("labels", "wanted"),
    [
        (None, "has no id2label"),
        ({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, "label_0, label_1, label_2"),
        ({"0": "good", "1": "bad"}, "the labels of .* are good, bad"),
        ({"1": "entailment", "2": "neutral"}, "does not number its labels from 0"),
        ("entailment", "has no id2label"),
    ],
)
def test_labels_that_are_not_known_are_never_guessed(
    tmp_path: Path, labels: object, wanted: str
) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    changed(folder, id2label=labels)
    with pytest.raises(LocalModelError, match=wanted):
        open_judge(f"nli:{folder}")


def test_labels_of_another_number_of_classes(tmp_path: Path) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    changed(folder, id2label={"0": "entailment", "1": "not_entailment"})
    with pytest.raises(LocalModelError, match="names 2 labels"):
        said(folder, "Ada was born.", "Ada was born")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_folder_that_lacks_a_file(tmp_path: Path, name: str) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    (folder / name).unlink()
    with pytest.raises(LocalModelError, match=f"incomplete: {name} missing"):
        open_judge(f"nli:{folder}")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.onnx"])
def test_a_file_that_is_broken(tmp_path: Path, name: str) -> None:
    folder = tiny_encoders.build(tmp_path, SCORES)
    (folder / name).write_text("what is this")
    with pytest.raises(LocalModelError, match=name.replace(".", "[.]")):
        said(folder, "Ada was born.", "Ada was born")


def test_names_of_judges(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="nli:MODEL or grounding:MODEL"):
        open_judge("openai/gpt-5")
    with pytest.raises(LocalModelError, match="halubot models pull nli-nobody"):
        open_judge("nli:nli-nobody")
    with pytest.raises(LocalModelError, match="there is no folder"):
        open_judge(f"nli:{tmp_path / 'nothing'}")
