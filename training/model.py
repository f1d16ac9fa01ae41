"""Define the encoder of the verifier: BERT with a head for three classes and one for marks."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from torch import Tensor, nn

CLASSES = ("contradiction", "neutral", "entailment")


class Layer(nn.Module):
    """One layer of BERT: attention and a feed-forward part, each with a residual and a norm."""

    def __init__(self, hidden: int, heads: int, inner: int, eps: float) -> None:
        super().__init__()
        self.heads = heads
        # One matrix for query, key and value: fewer and larger products.
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=eps)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=eps)

    def forward(self, x: Tensor, bias: Tensor | None) -> Tensor:
        batch, length, hidden = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, hidden // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        # Written out: `scaled_dot_product_attention` takes six times as long to learn in bfloat16
        # on a processor, and exports to more than plain matrices.
        scores = (q * (hidden // self.heads) ** -0.5) @ k.transpose(-1, -2)
        if bias is not None:
            scores = scores + bias
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, hidden)
        x = self.norm1(x + self.out(mixed))
        result: Tensor = self.norm2(x + self.down(F.gelu(self.up(x))))
        return result


class Encoder(nn.Module):
    """Read token ids (batch, length) and their types (0 source, 1 claim).

    Returns logits of the classes (batch, 3) and of a mark on each token (batch, length): whether
    the token carries what the source contradicts. Without a mask no token is padding.
    """

    def __init__(self, sizes: dict[str, Any]) -> None:
        super().__init__()
        self.sizes = sizes
        hidden, eps = sizes["hidden"], sizes["eps"]
        self.words = nn.Embedding(sizes["vocabulary"], hidden)
        self.positions = nn.Embedding(sizes["positions"], hidden)
        self.types = nn.Embedding(sizes["types"], hidden)
        self.norm = nn.LayerNorm(hidden, eps=eps)
        self.layers = nn.ModuleList(
            Layer(hidden, sizes["heads"], sizes["inner"], eps) for _ in range(sizes["layers"])
        )
        self.pool, self.head = nn.Linear(hidden, hidden), nn.Linear(hidden, len(CLASSES))
        self.marks = nn.Linear(hidden, 1)
        # This many lower layers and the embeddings get no gradient.
        self.frozen = 0

    def forward(self, ids: Tensor, mask: Tensor | None, types: Tensor) -> tuple[Tensor, Tensor]:
        learning = torch.is_grad_enabled()
        with torch.set_grad_enabled(learning and self.frozen == 0):
            place = torch.arange(ids.shape[1], device=ids.device)
            x = self.norm(self.words(ids) + self.positions(place) + self.types(types))
        keep = bias = None
        if mask is not None:
            keep = mask.to(x.dtype)
            bias = ((1 - keep) * -1e4)[:, None, None, :]
        for n, layer in enumerate(self.layers):
            with torch.set_grad_enabled(learning and n >= self.frozen):
                x = layer(x, bias)
        # The first token and the mean: e5 was trained on the mean, inference gains by the first.
        mean = x.mean(1) if keep is None else (x * keep[..., None]).sum(1) / keep.sum(1, True)
        pooled = torch.tanh(self.pool(x[:, 0] + mean))
        return self.head(pooled), self.marks(x).squeeze(-1)

    @classmethod
    def load(cls, path: str) -> Encoder:
        """Load a base, a checkpoint, or an exported file; the heads of a base are new."""
        if path.endswith(".onnx"):
            kept = read_exported(path)
        else:
            kept = torch.load(path, weights_only=True)
        encoder = cls(kept["sizes"])
        missing, unexpected = encoder.load_state_dict(kept["weights"], strict=False)
        if unexpected or any(not m.startswith(("pool", "head", "marks")) for m in missing):
            raise ValueError(f"{path} does not fit: {missing}, {unexpected}")
        return encoder

    def save(self, path: str) -> None:
        torch.save({"sizes": self.sizes, "weights": self.state_dict()}, path)


def read_exported(path: str) -> dict[str, Any]:
    """Return the sizes and weights of a file that `training.export` wrote, out of its 8 bits."""
    model = onnx.load(path)
    graph = model.graph
    kept = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}

    def whole(name: str) -> np.ndarray[Any, Any]:
        matrix, scale, zero = (
            kept[name + end].astype(np.float32) for end in ("_quantized", "_scale", "_zero_point")
        )
        result: np.ndarray[Any, Any] = (matrix - zero) * scale
        return result

    weights = {
        name: values.copy() for name, values in kept.items() if name.endswith((".weight", ".bias"))
    }
    for name in ("words.weight", "positions.weight", "types.weight"):
        weights[name] = whole(name)
    # The export names matrices by number; the bias that is added to a product has its name.
    for node in graph.node:
        biases = [name for name in node.input if name.endswith(".bias")]
        if node.op_type != "Add" or not biases or "norm" in biases[0]:
            continue
        above = [name for name in node.input if name != biases[0]]
        while above:
            maker = makers.get(above.pop(0))
            if maker is not None and maker.op_type == "MatMulInteger":
                matrix = whole(maker.input[1].removesuffix("_quantized")).T
                # What `training.export` multiplied the rows by, so that less is rounded.
                shrink = kept.get(biases[0].removesuffix("linear.bias") + "shrink", 1)
                matrix = np.ascontiguousarray(matrix * shrink)
                weights[biases[0].removesuffix("bias") + "weight"] = matrix
                break
            above += maker.input if maker is not None else []
    weights = {name.replace(".linear.", "."): values for name, values in weights.items()}
    return {
        "sizes": {one.key: json.loads(one.value) for one in model.metadata_props},
        "weights": {k: torch.from_numpy(v) for k, v in weights.items()},
    }
