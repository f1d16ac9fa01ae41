"""Tiny models in ONNX with the inputs and outputs of real ones, built in a second or less.

A model is an embedding of some words, for some outputs its mean, and a linear layer, so a test says
which word leads to which class. They need the packages onnx, onnxruntime and tokenizers; tests of
them begin with `require`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from halubot import demo

Shape = Literal["classes", "tokens", "first_token", "vectors"]

WORDS: Final = 800
TOLD: Final = """\
the eiffel tower is a wrought iron on champ de mars in paris it was built by company of gustave for
world s fair 1889 and rothschild bank paid construction began january 1885 completed march first
design drawn engineers maurice koechlin émile nouguier refined architect charles garnier 330 metres
tall its frame weighs 9 500 tonnes tallest structure until chrysler building finished 1930 not
planned as temporary but city kept because useful radio has three levels visitors 1887 stephen
sauvestre 7 300 ada was born 1815 1816 london she died 1852 ben moore knew lovelace hill . ,
never saw there well so says book 0 1 2 3 4 5 6 8 9 10 11 12 13 14 15 16 17 18 19
"""


def _vocabulary() -> tuple[str, ...]:
    """Those of the tests, and all of the demonstration's own texts."""
    given = demo.load()
    texts = [given.text, *(one.text or "" for one in given.references), *given.samples]
    read = [word for text in texts for word in re.findall(r"\w+|[^\w\s]+", text.lower())]
    return tuple(dict.fromkeys(["[UNK]", "[CLS]", "[SEP]", "[PAD]", *TOLD.split(), *read]))


VOCABULARY: Final = _vocabulary()
NLI: Final = ("contradiction", "entailment", "neutral")


def require() -> None:
    """Skip the tests of a module without the extra ``local`` and onnx."""
    for name in ("onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(name, reason="needs pip install 'halubot[dev]'")


def build(
    folder: Path,
    scores: Mapping[str, Mapping[str, float]],
    *,
    labels: Sequence[str] | None = NLI,
    shape: Shape = "classes",
    types: bool = True,
    config: Mapping[str, Any] | None = None,
    weights: str = "model.onnx",
    unseen: Mapping[str, float] | None = None,
) -> Path:
    """Write a model into a folder and return it. ``scores`` tells how far each word (or "", any)
    speaks for each label; of "vectors" the labels name the dimensions. ``labels`` are in the order
    of the outputs, None to leave them out of config.json. ``types`` asks for token_type_ids.
    ``unseen`` tells how far each word of a claim that its source has not speaks for each label: a
    model with it compares the two, as a judge does that knows canaries."""
    folder.mkdir(parents=True, exist_ok=True)
    names = labels or ("supported", "hallucinated")
    told: dict[str, Any] = {"pad_token_id": VOCABULARY.index("[PAD]"), **(config or {})}
    if labels is not None and shape in ("classes", "tokens"):
        told["id2label"] = {str(number): label for number, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(told), encoding="utf-8")
    _tokenizer(pairs=shape != "first_token").save(str(folder / "tokenizer.json"))
    file = folder / weights
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(_model(scores, names, shape, types, unseen or {}))
    return folder


def _tokenizer(*, pairs: bool) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    numbers = {word: number for number, word in enumerate(_padded())}
    made = Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))  # noqa: S106 - no password
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens(["[UNK]", "[CLS]", "[SEP]", "[PAD]"])
    if pairs:
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            pair="[CLS] $A [SEP] $B:1 [SEP]:1",
            special_tokens=[(mark, numbers[mark]) for mark in ("[CLS]", "[SEP]")],
        )
    return made


def _padded() -> list[str]:
    """The words, filled up to `WORDS`."""
    return [*VOCABULARY, *(f"w{number}" for number in range(len(VOCABULARY), WORDS))]


def _model(
    scores: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    shape: Shape,
    types: bool,
    unseen: Mapping[str, float],
) -> bytes:
    import numpy as np
    from onnx import TensorProto, checker, helper, numpy_helper

    table = np.zeros((WORDS, len(names)), dtype=np.float32)
    for word, own in scores.items():
        for name, score in own.items():
            rows = slice(None) if word == "" else VOCABULARY.index(word)
            table[rows, names.index(name)] += score
    linear = np.eye(len(names), dtype=np.float32)
    constants = [
        numpy_helper.from_array(table, "embedding"),
        numpy_helper.from_array(linear, "linear"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "words"),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
    ]
    nodes = [
        helper.make_node("Gather", ["embedding", "input_ids"], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["kept"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["kept", "last"], ["mask"]),
        helper.make_node("Mul", ["embedded", "mask"], ["masked"]),
    ]
    inputs = ["input_ids", "attention_mask"]
    source = "masked"
    if types:
        # Asked for and used, but of no weight: a real model learnt what to make of it.
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["kinds"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["kinds", "last"], ["kind"]),
            helper.make_node("Sub", ["kind", "kind"], ["nothing"]),
            helper.make_node("Add", ["masked", "nothing"], ["typed"]),
        ]
        inputs.append("token_type_ids")
        source = "typed"
    if unseen:
        found = np.array([[[unseen.get(name, 0.0) for name in names]]], dtype=np.float32)
        constants += [
            numpy_helper.from_array(found, "unseen_scores"),
            numpy_helper.from_array(np.array(1, dtype=np.float32), "one"),
            numpy_helper.from_array(np.array(VOCABULARY.index("[UNK]"), dtype=np.int64), "unknown"),
        ]
        nodes += [
            helper.make_node("Sub", ["one", "kinds"], ["of_source"]),
            helper.make_node("Unsqueeze", ["input_ids", "last"], ["rows"]),
            helper.make_node("Unsqueeze", ["input_ids", "words"], ["columns"]),
            helper.make_node("Equal", ["rows", "columns"], ["same"]),
            helper.make_node("Cast", ["same"], ["alike"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["of_source", "words"], ["there"]),
            helper.make_node("Mul", ["alike", "there"], ["matched"]),
            helper.make_node("ReduceMax", ["matched"], ["held"], axes=[2], keepdims=0),
            helper.make_node("Equal", ["input_ids", "unknown"], ["strange"]),
            helper.make_node("Cast", ["strange"], ["unread"], to=TensorProto.FLOAT),
            helper.make_node("Sub", ["one", "unread"], ["readable"]),
            helper.make_node("Mul", ["held", "readable"], ["seen"]),
            helper.make_node("Sub", ["one", "seen"], ["not_seen"]),
            helper.make_node("Mul", ["not_seen", "kinds"], ["new_words"]),
            helper.make_node("Mul", ["new_words", "kept"], ["new"]),
            helper.make_node("Unsqueeze", ["new", "last"], ["new_ones"]),
            helper.make_node("Mul", ["new_ones", "unseen_scores"], ["against"]),
            helper.make_node("Add", [source, "against"], ["compared"]),
        ]
        source = "compared"
    if shape == "classes":
        # The sum over the words: the mean, whose weight does not depend on the length.
        nodes.append(helper.make_node("ReduceSum", [source, "words"], ["pooled"], keepdims=0))
        source = "pooled"
    elif shape == "first_token":
        nodes += [
            helper.make_node("ReduceSum", [source, "words"], ["summed"], keepdims=1),
            helper.make_node("Sub", [source, source], ["flat"]),
            helper.make_node("Add", ["flat", "summed"], ["pooled"]),
        ]
        source = "pooled"
    nodes.append(helper.make_node("MatMul", [source, "linear"], ["logits"]))
    axes = ["batch"] if shape == "classes" else ["batch", "tokens"]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in inputs
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [*axes, len(names)])],
        constants,
    )
    opset = [helper.make_opsetid("", 17)]
    made = helper.make_model(graph, opset_imports=opset, ir_version=9)
    checker.check_model(made)
    data: bytes = made.SerializeToString()
    return data


NEVER: Final = 1000.0
"""What outweighs all words of a window together."""
