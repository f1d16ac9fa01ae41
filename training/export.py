"""Export a checkpoint to ONNX with weights of 8 bits, and compare the answers of both.

What goes into a matrix is rounded to 8 bits too, by its largest value, and a few columns of it are
far larger than the rest. So each column is first divided by a factor, by which the row of the
matrix that it meets is multiplied (SmoothQuant, Xiao et al. 2023, equation 4). Without that the
probabilities of 120 pairs were .037 off on average, and other processors, which round in another
way, gave other verdicts; with it they are .014 off.

Writes the tokenizer beside it, without blanks.

    python -m training.export CHECKPOINT.pt OUT.onnx --tokenizer TOKENIZER.json --pairs PAIRS.jsonl
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from torch import Tensor, nn

from training.files import read_rows
from training.model import Encoder

NAMES = ("ids", "mask", "types")
READ = 80
"""Pairs by which the largest values of each column are found."""
SHIFTED = 0.8
"""How much of the range goes from the columns into the matrix (alpha in the paper). Mean error of a
probability: .035 at 0.5, .019 at 0.65, .014 at 0.75 and 0.8, .015 at 0.9, .017 at 1."""


class Smoothed(nn.Module):
    """A product whose columns are divided by a factor first. ``shrink`` is one over the factor."""

    def __init__(self, linear: nn.Linear, factor: Tensor) -> None:
        super().__init__()
        linear.weight.data *= factor
        self.linear = linear
        self.shrink = nn.Parameter(1 / factor)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.linear(x * self.shrink)
        return result


def smooth(encoder: Encoder, pairs: list[tuple[Tensor, Tensor]]) -> None:
    """Replace the products of all layers by smoothed ones, by what these pairs (ids and types)
    put into them."""
    largest: dict[str, Tensor] = {}

    def note(name: str, x: Tensor) -> None:
        now = x.abs().flatten(0, -2).amax(0)
        largest[name] = torch.maximum(largest.get(name, now), now)

    linears = [
        (name, module) for name, module in encoder.named_modules()
        if name.startswith("layers.") and isinstance(module, nn.Linear)
    ]  # fmt: skip
    hooks = [
        linear.register_forward_pre_hook(lambda _, given, name=name: note(name, given[0]))
        for name, linear in linears
    ]
    with torch.no_grad():
        for ids, types in pairs:
            encoder(ids, None, types)
        for hook in hooks:
            hook.remove()
        for name, linear in linears:
            columns = largest[name].clamp(min=1e-5) ** SHIFTED
            rows = linear.weight.abs().amax(0).clamp(min=1e-5) ** (1 - SHIFTED)
            above, last = name.rsplit(".", 1)
            setattr(encoder.get_submodule(above), last, Smoothed(linear, columns / rows))


def answers(encoder: Encoder) -> list[tuple[tuple[Tensor, Tensor, Tensor], Tensor]]:
    """Return some inputs (ids, mask, types) and the logits of their classes."""
    found = []
    for length in (9, 37, 128):
        ids = torch.randint(5, 3000, (3, length))
        mask = torch.ones_like(ids)
        mask[1, length // 2 :] = 0
        given = ids, mask, torch.zeros_like(ids)
        with torch.no_grad():
            found.append((given, encoder(*given)[0]))
    return found


def encode(path: str, tokenizer: str) -> list[tuple[Tensor, Tensor]]:
    """Return ids and types of pairs that are spread over a file of pairs."""
    reader = Tokenizer.from_file(tokenizer)
    reader.enable_truncation(128, strategy="longest_first")
    rows = read_rows(path)
    codes = reader.encode_batch([(r["p"], r["h"]) for r in rows[:: max(1, len(rows) // READ)]])
    return [(torch.tensor([code.ids]), torch.tensor([code.type_ids])) for code in codes]


def export(checkpoint: str, out: str, tokenizer: str, pairs: str) -> None:
    torch.set_num_threads(1)
    encoder = Encoder.load(checkpoint).eval()
    # The answers that the file must give, before the matrices change.
    expected = answers(encoder)
    smooth(encoder, encode(pairs, tokenizer))
    ids = torch.randint(5, 3000, (2, 37))
    mask = torch.ones_like(ids)
    mask[1, 20:] = 0
    types = torch.zeros_like(ids)
    types[:, 18:] = 1
    axes = {name: {0: "batch", 1: "length"} for name in (*NAMES, "marks")} | {
        "logits": {0: "batch"}
    }
    with tempfile.TemporaryDirectory() as folder:
        whole = str(Path(folder) / "whole.onnx")
        torch.onnx.export(
            encoder, (ids, mask, types), whole, input_names=list(NAMES),
            output_names=["logits", "marks"], dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        quantize_dynamic(
            whole, out, weight_type=QuantType.QInt8, per_channel=True,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
            extra_options={"MatMulConstBOnly": True},
        )  # fmt: skip
    # With its sizes, training can go on from the file.
    model = onnx.load(out)
    sizes = {name: json.dumps(size) for name, size in encoder.sizes.items()}
    onnx.helper.set_model_props(model, sizes)
    onnx.save(model, out)
    session = onnxruntime.InferenceSession(out)
    for given, logits in expected:
        found = session.run(None, dict(zip(NAMES, (one.numpy() for one in given), strict=True)))[0]
        off = np.abs(logits.numpy() - found).max().round(3)
        print(given[0].shape[1], "tokens: largest difference of a logit", off)
    beside = Path(out).with_name(Path(out).name.split(".")[0] + ".tokenizer.json")
    pieces = json.loads(Path(tokenizer).read_text(encoding="utf-8"))
    beside.write_text(
        json.dumps(pieces, ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )
    for path in (Path(out), beside):
        print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--pairs", required=True, help="any pairs: some of them set the ranges")
    given = parser.parse_args()
    export(given.checkpoint, given.out, given.tokenizer, given.pairs)
