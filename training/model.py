"""Define the encoder of the verifier: BERT with a head for three classes and one for marks."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

CLASSES = ("contradiction", "neutral", "entailment")


class Layer(nn.Module):
    """One layer of BERT: attention and a feed-forward part, each with a residual and a norm."""

    def __init__(self, hidden: int, heads: int, inner: int, eps: float, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.key, self.value = (nn.Linear(hidden, hidden) for _ in range(3))
        self.out = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden, eps=eps)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.norm2 = nn.LayerNorm(hidden, eps=eps)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        q, k, v = (
            part(x).view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        # Written out, not `scaled_dot_product_attention`, so that the export is plain matrices.
        scores = q @ k.transpose(-1, -2) / (hidden // self.heads) ** 0.5 + bias
        mixed = (scores.softmax(-1).to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, hidden)
        x = self.norm1(x + F.dropout(self.out(mixed), self.dropout, self.training))
        inner = self.down(F.gelu(self.up(x)))
        result: Tensor = self.norm2(x + F.dropout(inner, self.dropout, self.training))
        return result


class Encoder(nn.Module):
    """Read token ids (batch, length) and their types (0 source, 1 claim).

    Returns logits of the classes (batch, 3) and of a mark on each token (batch, length): whether
    the token carries what the source contradicts.
    """

    def __init__(self, sizes: dict[str, Any], dropout: float = 0.1) -> None:
        super().__init__()
        self.sizes, self.dropout = sizes, dropout
        hidden, eps = sizes["hidden"], sizes["eps"]
        self.words = nn.Embedding(sizes["vocabulary"], hidden)
        self.positions = nn.Embedding(sizes["positions"], hidden)
        self.types = nn.Embedding(sizes["types"], hidden)
        self.norm = nn.LayerNorm(hidden, eps=eps)
        self.layers = nn.ModuleList(
            Layer(hidden, sizes["heads"], sizes["inner"], eps, dropout)
            for _ in range(sizes["layers"])
        )
        self.pool, self.head = nn.Linear(hidden, hidden), nn.Linear(hidden, len(CLASSES))
        self.marks = nn.Linear(hidden, 1)
        # This many lower layers and the embeddings get no gradient.
        self.frozen = 0

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, Tensor]:
        learning = torch.is_grad_enabled()
        keep = mask.to(torch.float32)
        bias = ((1 - keep) * -1e4)[:, None, None, :]
        with torch.set_grad_enabled(learning and self.frozen == 0):
            place = torch.arange(ids.shape[1], device=ids.device)
            x = self.norm(self.words(ids) + self.positions(place) + self.types(types))
            x = F.dropout(x, self.dropout, self.training)
        for n, layer in enumerate(self.layers):
            with torch.set_grad_enabled(learning and n >= self.frozen):
                x = layer(x, bias)
        # The first token and the mean: e5 was trained on the mean, inference gains by the first.
        mean = (x * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)
        pooled = torch.tanh(self.pool(F.dropout(x[:, 0] + mean, self.dropout, self.training)))
        return self.head(pooled), self.marks(x).squeeze(-1)

    @classmethod
    def load(cls, path: str, dropout: float = 0.1) -> Encoder:
        """Load a base or a checkpoint, packed or not; the heads of a base are new."""
        kept = unpack(path) if path.endswith(".npz") else torch.load(path, weights_only=True)
        encoder = cls(kept["sizes"], dropout)
        missing, unexpected = encoder.load_state_dict(kept["weights"], strict=False)
        if unexpected or any(not m.startswith(("pool", "head", "marks")) for m in missing):
            raise ValueError(f"{path} does not fit: {missing}, {unexpected}")
        return encoder

    def save(self, path: str) -> None:
        torch.save({"sizes": self.sizes, "weights": self.state_dict()}, path)


def pack(checkpoint: str, out: str) -> None:
    """Write a checkpoint a quarter as large: matrices in 8 bits with a scale a row."""
    kept = torch.load(checkpoint, weights_only=True)
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for name, tensor in kept["weights"].items():
        values = tensor.float().numpy()
        if values.ndim < 2:
            arrays[name] = values.astype(np.float16)
            continue
        scale = np.abs(values).max(1, keepdims=True) / 127 + 1e-12
        arrays[name] = np.round(values / scale).astype(np.int8)
        arrays[name + SCALE] = scale.astype(np.float32)
    sizes = json.dumps(kept["sizes"]).encode()
    arrays["sizes"] = np.frombuffer(sizes, np.uint8)
    # Its stub takes the names of arrays for options.
    save: Any = np.savez_compressed
    save(out, **arrays)


def unpack(path: str) -> dict[str, Any]:
    """Return the sizes and weights of a checkpoint that `pack` wrote."""
    with np.load(path) as kept:
        weights = {
            name: torch.tensor(
                kept[name].astype(np.float32)
                * (kept[name + SCALE] if name + SCALE in kept.files else 1.0)
            )
            for name in kept.files
            if name != "sizes" and not name.endswith(SCALE)
        }
        return {"sizes": json.loads(kept["sizes"].tobytes()), "weights": weights}


SCALE = "|scale"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Pack a checkpoint.")
    parser.add_argument("checkpoint")
    parser.add_argument("out", help="ends in .npz")
    given = parser.parse_args()
    pack(given.checkpoint, given.out)
