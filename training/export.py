"""Export a checkpoint to ONNX with weights of 8 bits, and compare the answers of both.

Writes the tokenizer beside it, without blanks.

    python -m training.export CHECKPOINT.pt OUT.onnx --tokenizer TOKENIZER.json
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

from training.model import Encoder

NAMES = ("ids", "mask", "types")


def export(checkpoint: str, out: str, tokenizer: str) -> None:
    torch.set_num_threads(1)
    encoder = Encoder.load(checkpoint).eval()
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
    for length in (9, 37, 128):
        ids = torch.randint(5, 3000, (3, length))
        mask = torch.ones_like(ids)
        mask[1, length // 2 :] = 0
        types = torch.zeros_like(ids)
        with torch.no_grad():
            expected = encoder(ids, mask, types)[0].numpy()
        given = dict(zip(NAMES, (ids.numpy(), mask.numpy(), types.numpy()), strict=True))
        found = session.run(None, given)[0]
        print(
            length, "tokens: largest difference of a logit", np.abs(expected - found).max().round(3)
        )
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
    given = parser.parse_args()
    export(given.checkpoint, given.out, given.tokenizer)
