"""Training and export of a tiny encoder; skipped without PyTorch (the extra `training`)."""

import argparse
import json
import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from tokenizers import Tokenizer, models, pre_tokenizers, processors  # noqa: E402

from training.model import Encoder  # noqa: E402
from training.train import TOKENS, batches, encode, train  # noqa: E402

WORDS = ["[UNK]", "[BOS]", "[EOS]", "the", "cat", "dog", "is", "black", "white", "old", "not"]
SIZES = {
    "vocabulary": len(WORDS), "hidden": 16, "layers": 2, "heads": 2, "inner": 32, "positions": 64,
    "types": 2, "eps": 1e-12, "pad": 0,
}  # fmt: skip
ROWS = [
    {"p": "the cat is black", "h": "the cat is black", "y": 2, "s": "a"},
    {"p": "the cat is black", "h": "the cat is white", "y": 0, "s": "a", "m": [[11, 16]]},
    {"p": "the cat is black", "h": "the dog is old", "y": 1, "s": "b", "t": [0.0, 3.0, 0.0]},
]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[BOS] $A [EOS]",
        pair="[BOS] $A [EOS] [EOS] $B:1 [EOS]:1",
        special_tokens=[("[BOS]", 1), ("[EOS]", 2)],
    )
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    torch.manual_seed(0)
    Encoder(SIZES).save(str(tmp_path / "base.pt"))
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS * 12)))
    return tmp_path


def settings(folder: Path, **given: object) -> argparse.Namespace:
    usual = {
        "out": str(folder / "out.pt"), "base": str(folder / "base.pt"),
        "tokenizer": str(folder / "tokenizer.json"), "data": [str(folder / "rows.jsonl")],
        "dev": [str(folder / "rows.jsonl")], "minutes": 0.02, "rate": 1e-3, "last": 0.02,
        "head_times": 5.0, "soft": 0.5, "frozen": 1, "longest": 40,
        "at_most": 100, "save_every": 6, "seed": 0,
    }  # fmt: skip
    return argparse.Namespace(**usual | given)


def test_marks_are_on_the_tokens_of_the_changed_words(base: Path) -> None:
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    right, wrong, left_open = encode(ROWS, tokenizer, 40)

    assert right.marks
    assert 1 not in right.marks
    assert wrong.marks
    marked = [WORDS[i] for i, mark in zip(wrong.ids, wrong.marks, strict=True) if mark == 1]
    assert marked == ["white"]
    # What is left open says nothing of changed words, and the source never does.
    assert left_open.marks is None
    assert {m for m, kind in zip(wrong.marks, wrong.types, strict=True) if kind == 0} == {-1}


def test_a_run_is_saved_and_goes_on_from_where_it_was(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(settings(base))
    first = Encoder.load(str(base / "out.pt"))
    before = Encoder.load(str(base / "base.pt"))
    train(settings(base, base=str(base / "out.pt"), out=str(base / "more.pt")))

    assert "done:" in capsys.readouterr().out
    assert torch.equal(first.words.weight, before.words.weight), "the embeddings are fixed"
    frozen, free = ("layers.0.qkv.weight", "layers.1.qkv.weight")
    assert torch.equal(first.state_dict()[frozen], before.state_dict()[frozen])
    assert not torch.equal(first.state_dict()[free], before.state_dict()[free])
    assert (base / "more.pt").exists()


def test_batches_hold_every_row_once_and_little_padding(base: Path) -> None:
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    rows = encode(ROWS * 200, tokenizer, 40)
    found = list(batches(rows, random.Random(0)))

    assert sorted(map(id, rows)) == sorted(id(row) for part in found for row in part)
    assert all(len(part) * max(len(row.ids) for row in part) <= TOKENS for part in found)


# The export by tracing, which is old and makes plain matrices, warns of itself.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
def test_the_exported_file_answers_like_the_checkpoint_and_can_be_trained_on(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    from training.export import export

    torch.manual_seed(1)
    checkpoint = base / "wide.pt"
    written = Encoder(SIZES | {"vocabulary": 3000, "positions": 160})
    for weights in written.parameters():
        # Equal ones, as new norms are, would be kept once.
        weights.data += 0.01 * torch.randn_like(weights)
    written.save(str(checkpoint))
    pairs = base / "some.jsonl"
    pairs.write_text('{"p": "Ada was born in 1815.", "h": "Ada was born in 1816."}\n')
    export(str(checkpoint), str(base / "out.onnx"), str(base / "tokenizer.json"), str(pairs))
    again = Encoder.load(str(base / "out.onnx"))

    graph = onnx.load(str(base / "out.onnx")).graph
    assert [one.name for one in graph.input] == ["ids", "mask", "types"]
    assert [one.name for one in graph.output] == ["logits", "marks"]
    differences = [
        float(line.rsplit(" ", 1)[1])
        for line in capsys.readouterr().out.splitlines()
        if "largest difference" in line
    ]
    assert len(differences) == 3
    assert max(differences) < 0.2
    # Training goes on from the file: all weights come back, out of 8 bits.
    assert again.sizes == written.sizes
    for name, weights in written.state_dict().items():
        assert torch.allclose(again.state_dict()[name], weights, atol=0.03), name
    assert Tokenizer.from_file(str(base / "out.tokenizer.json")).token_to_id("black") == 7
