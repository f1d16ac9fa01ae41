"""Train the parser of `halubot.claims` on treebanks of Universal Dependencies.

    python -m training.parser OUT.onnx.xz --train en_ewt-ud-train.conllu en_gum-ud-train.conllu \
        en_pud-ud-test.conllu --dev en_ewt-ud-dev.conllu en_gum-ud-dev.conllu --epochs 13

The words are cut as `halubot.claims.parser` cuts them. Where it keeps together what the treebank
parts ("anti-inflammatory"), the word takes the place of its highest part.
"""

from __future__ import annotations

import argparse
import io
import lzma
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node, set_model_props
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from halubot.claims.parser import (
    BEGINNINGS,
    ENDS,
    SHAPES,
    UNTAGGED,
    USES,
    WORDS,
    cut_words,
    features,
)

BATCH = 1_000  # words
HIDDEN, ARC, LABEL = 128, 96, 48
WORD, END, BEGINNING, SHAPE, USUAL = 40, 24, 12, 8, 10
DROPPED = 0.25
LEVELS = 15  # whole numbers on each side of 0
FEW_LEVELS = 7  # the same, of the table of words

GENRES = ("academic", "bio", "court", "interview", "news", "speech", "textbook", "voyage")
"""Genres of English GUM whose texts may be adapted and shared; the others forbid commercial use."""


class Example(NamedTuple):
    words: list[str]
    tags: list[str]
    heads: list[int]  # 0 for the root
    relations: list[str]


def read_treebank(path: str) -> Iterator[Example]:
    """Yield the sentences of a file in CoNLL-U, of English GUM those of `GENRES`."""
    for block in Path(path).read_text(encoding="utf-8").split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
        genre = re.search(r"^# sent_id = GUM_([a-z]+)", block, re.MULTILINE)
        if lines and (genre is None or genre[1] in GENRES):
            yield _example(lines)


def _example(lines: list[list[str]]) -> Example:
    text = ""
    spans: list[tuple[int, int]] = []
    glued: set[int] = set()
    rows: list[list[str]] = []
    for line in lines:
        if "-" in line[0]:
            first, last = map(int, line[0].split("-"))
            glued.update(range(first, last))
            if "SpaceAfter=No" in line[9]:
                glued.add(last)
        elif "." not in line[0]:
            rows.append(line)
            spans.append((len(text), len(text) + len(line[1])))
            text += line[1]
            if "SpaceAfter=No" not in line[9] and int(line[0]) not in glued:
                text += " "
    text = text.rstrip()
    owner = {k: n for n, (a, b) in enumerate(spans) for k in range(a, b)}
    words: list[str] = []
    groups: list[list[int]] = []
    place: dict[int, int] = {}
    for start, end in cut_words(text, 0, len(text)):
        group = sorted({owner[k] for k in range(start, end) if k in owner})
        for gold in group:
            place.setdefault(gold, len(words))
        words.append(text[start:end])
        groups.append(group)
    tags: list[str] = []
    heads: list[int] = []
    relations: list[str] = []
    for k, group in enumerate(groups):
        own = [gold for gold in group if place[gold] == k]
        top = next((g for g in own if place.get(int(rows[g][6]) - 1) != k), None)
        if top is None:
            tags.append(tags[-1] if tags else "X")
            heads.append(place[group[0]] + 1 if group else max(1, k))
            relations.append("flat")
            continue
        above = int(rows[top][6]) - 1
        tags.append(_tag(rows[top]))
        heads.append(0 if above < 0 else place[above] + 1)
        relations.append("root" if above < 0 else rows[top][7])
    return Example(words, tags, heads, relations)


def _tag(row: list[str]) -> str:
    tag, marks = row[3], dict(part.split("=") for part in row[5].split("|") if "=" in part)
    if tag in ("VERB", "AUX") and "VerbForm" in marks:
        return f"{tag}|{'Imp' if marks.get('Mood') == 'Imp' else marks['VerbForm']}"
    return f"{tag}|Rel" if marks.get("PronType") == "Rel" else tag


class Parser(nn.Module):
    def __init__(self, tags: int, relations: int) -> None:
        super().__init__()
        self.word = nn.Embedding(WORDS + 1, WORD, padding_idx=WORDS)
        self.end = nn.Embedding(ENDS, END)
        self.beginning = nn.Embedding(BEGINNINGS, BEGINNING)
        self.shape = nn.Embedding(SHAPES, SHAPE)
        self.usual = nn.Embedding(USES, USUAL)
        given = WORD + END + BEGINNING + SHAPE + USUAL
        self.lstm = nn.LSTM(given, HIDDEN, 2, batch_first=True, bidirectional=True, dropout=DROPPED)
        self.tag = nn.Linear(2 * HIDDEN, tags)
        self.dependent, self.governor = (nn.Linear(2 * HIDDEN, ARC) for _ in range(2))
        self.arc = nn.Parameter(torch.zeros(ARC, ARC))
        self.arc_head = nn.Parameter(torch.zeros(ARC, 1))
        self.label_dependent, self.label_governor = (nn.Linear(2 * HIDDEN, LABEL) for _ in range(2))
        self.label = nn.Linear(3 * LABEL, relations)
        for table in (self.word, self.end, self.beginning, self.shape, self.usual):
            nn.init.normal_(table.weight, std=0.3)
        with torch.no_grad():
            self.word.weight[WORDS] = 0

    def forward(self, ids: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the scores of tags and of heads, and the two halves of the scores of relations."""
        word = self.word(ids[..., 0]) + self.word(ids[..., 1])
        if self.training:
            # A word is known by its ends alone now and then, as an unknown one is.
            word = word * (torch.rand(*word.shape[:2], 1) > 0.12) / 0.88
        usual = ids[..., 5]
        if self.training:
            usual = usual * (torch.rand(*usual.shape) > 0.1)
        parts = [
            word,
            self.end(ids[..., 2]),
            self.beginning(ids[..., 3]),
            self.shape(ids[..., 4]),
            self.usual(usual),
        ]
        given = F.dropout(torch.cat(parts, -1), 0.15, self.training)
        packed = pack_padded_sequence(given, lengths, batch_first=True, enforce_sorted=False)
        state, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        state = F.dropout(state, DROPPED, self.training)
        dependent, governor = F.relu(self.dependent(state)), F.relu(self.governor(state))
        arcs = dependent @ self.arc @ governor.transpose(1, 2)
        arcs = arcs + (governor @ self.arc_head).transpose(1, 2)
        below = torch.tanh(self.label_dependent(state))
        above = torch.tanh(self.label_governor(state))
        return self.tag(state), arcs, below, above

    def relations(self, below: Tensor, above: Tensor, heads: Tensor) -> Tensor:
        theirs = above.gather(1, heads[..., None].expand(-1, -1, above.shape[-1]))
        return self.label(torch.cat([below, theirs, below * theirs], -1))


Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def batches(
    rows: Sequence[Example], tags: dict[str, int], relations: dict[str, int], *, shuffle: bool
) -> Iterator[Batch]:
    order = sorted(rows, key=lambda row: len(row.words) + (random.random() * 4 if shuffle else 0))
    groups: list[list[Example]] = [[]]
    for row in order:
        if groups[-1] and (len(groups[-1]) + 1) * (len(row.words) + 1) > BATCH:
            groups.append([])
        groups[-1].append(row)
    if shuffle:
        random.shuffle(groups)
    for group in groups:
        lengths = torch.tensor([len(row.words) + 1 for row in group])
        ids = torch.zeros(len(group), int(lengths.max()), 6, dtype=torch.long)
        wanted = torch.full((3, *ids.shape[:2]), -100)
        for k, row in enumerate(group):
            n = len(row.words) + 1
            ids[k, :n] = torch.tensor(features(row.words))
            wanted[0, k, 1:n] = torch.tensor([tags.get(tag, -100) for tag in row.tags])
            wanted[1, k, 1:n] = torch.tensor(row.heads)
            wanted[2, k, 1:n] = torch.tensor([relations.get(name, -100) for name in row.relations])
        yield ids, lengths, wanted[0], wanted[1], wanted[2]


def _norm(word: str) -> str:
    return re.sub(r"\d", "0", word.lower().replace("’", "'"))


def usual_words(texts: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return the most frequent words of texts: as the parser reads them, as they are written most
    often, and how often they stand there."""
    counts: Counter[str] = Counter()
    for path in texts:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            counts.update(line[a:b] for a, b in cut_words(line, 0, len(line)))
    written: dict[str, tuple[int, str]] = {}
    total: Counter[str] = Counter()
    for word, count in counts.items():
        total[_norm(word)] += count
        written[_norm(word)] = max(written.get(_norm(word), (0, "")), (count, word))
    return [(w, written[w][1], n) for w, n in total.most_common(WORDS) if n > 1]


def start_words(model: Parser, encoder: str, tokenizer: str, texts: Sequence[str]) -> None:
    """Give the words of texts what an encoder knows of them: the main directions of its vectors.

    A word is the sum of two rows, so the rows are those whose sums come nearest to the vectors."""
    words = usual_words(texts)
    codes = Tokenizer.from_file(tokenizer).encode_batch(
        [[written] for _, written, _ in words], is_pretokenized=True, add_special_tokens=False
    )
    table = torch.load(encoder, weights_only=True)["weights"]["words.weight"].float()
    vectors = torch.stack([table[code.ids].mean(0) for code in codes])
    weight = torch.tensor([count**0.5 for _, _, count in words])[:, None]
    vectors = vectors - (vectors * weight).sum(0) / weight.sum()
    _, _, directions = torch.linalg.svd(vectors * weight**0.5, full_matrices=False)
    goal = vectors @ directions[:WORD].T
    goal = goal / goal.std() * 0.4
    rows = torch.tensor([features([word])[1][:2] for word, _, _ in words])
    found = torch.zeros(WORDS, WORD, requires_grad=True)
    optimizer = torch.optim.Adam([found], lr=0.05)
    for _ in range(150):
        far = (found[rows[:, 0]] + found[rows[:, 1]] - goal) * weight**0.5
        loss = (far**2).mean() + 1e-3 * (found**2).mean()
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    left = float((far**2).sum() / (goal**2 * weight).sum())
    print(f"{len(words)} words begin with vectors, {left:.2f} of them is lost", flush=True)
    with torch.no_grad():
        model.word.weight[:WORDS] = found


def _losses(model: Parser, batch: Batch) -> Tensor:
    ids, lengths, tags, heads, relations = batch
    tag_scores, arcs, below, above = model(ids, lengths)
    beyond = torch.arange(ids.shape[1])[None] >= lengths[:, None]
    arcs = arcs.masked_fill(beyond[:, None], -1e9)
    labels = model.relations(below, above, heads.clamp(min=0))
    pairs = ((tag_scores, tags), (arcs, heads), (labels, relations))
    return sum((F.cross_entropy(a.flatten(0, 1), b.flatten()) for a, b in pairs), torch.zeros(()))


def evaluate(model: Parser, found: Sequence[Batch]) -> dict[str, float]:
    """Return the shares of right tags, heads, and heads with their relation."""
    model.eval()
    right = np.zeros(3)
    count = 0
    with torch.no_grad():
        for ids, lengths, tags, heads, relations in found:
            tag_scores, arcs, below, above = model(ids, lengths)
            beyond = torch.arange(ids.shape[1])[None] >= lengths[:, None]
            best = arcs.masked_fill(beyond[:, None], -1e9).argmax(-1)
            labels = model.relations(below, above, best).argmax(-1)
            inside = heads >= 0
            count += int(inside.sum())
            hit = (best == heads) & inside
            right += [
                float(((tag_scores.argmax(-1) == tags) & inside).sum()),
                float(hit.sum()),
                float((hit & (labels == relations)).sum()),
            ]
    model.train()
    return dict(zip(("tags", "heads", "relations"), (right / count).round(4), strict=True))


class _Answers(nn.Module):
    """What the exported file answers: tags, scores of heads, and relations. ``mask`` is added to
    the scores of heads."""

    def __init__(self, model: Parser) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, lengths: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        tags, arcs, below, above = self.model(ids, lengths.long())
        arcs = arcs + mask
        relations = self.model.relations(below, above, arcs.argmax(-1))
        return tags.argmax(-1), arcs, relations.argmax(-1)


def export(model: Parser, out: str, tags: list[str], relations: list[str]) -> None:
    """Write the network as compressed ONNX: ids, lengths and a mask of heads in; tags, scores of
    heads and relations out. The file holds each matrix as whole numbers and the scale of each of
    its columns (of the gates of an LSTM: rows)."""
    made = io.BytesIO()
    lengths = torch.tensor([5, 4], dtype=torch.int32)
    given = torch.zeros(2, 5, 6, dtype=torch.long), lengths, torch.zeros(2, 1, 5)
    both = {0: "batch", 1: "words"}
    axes = {"ids": both, "lengths": {0: "batch"}, "mask": {0: "batch", 2: "words"}}
    axes |= {"tags": both, "arcs": {**both, 2: "words"}, "relations": both}
    torch.onnx.export(
        _Answers(model).eval(), given, made, input_names=["ids", "lengths", "mask"],
        output_names=["tags", "arcs", "relations"], dynamic_axes=axes, opset_version=17,
        dynamo=False,
    )  # fmt: skip
    model.train()
    network = onnx.load_from_string(made.getvalue())
    _quantise(network.graph)
    network.ir_version = 8
    set_model_props(network, {"tags": " ".join(tags), "relations": " ".join(relations)})
    onnx.checker.check_model(network)
    data = network.SerializeToString()
    Path(out).write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def _quantise(graph: Any) -> None:
    """Replace each matrix of a graph by whole numbers that are multiplied by scales."""
    for kept in list(graph.initializer):
        value = numpy_helper.to_array(kept)
        # The biases of an LSTM are a matrix as well, with a row for each direction.
        if value.dtype != np.float32 or value.ndim < 2 or (value.ndim == 2 and len(value) == 2):
            continue
        axes = (0, 2) if value.ndim == 3 else (0,)
        levels = FEW_LEVELS if value.shape == (WORDS + 1, WORD) else LEVELS
        scale = np.abs(value).max(axes, keepdims=True) / levels + 1e-9
        name, whole = kept.name, np.round(value / scale).astype(np.int8)
        kept.CopyFrom(numpy_helper.from_array(whole, f"{name}_whole"))
        graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), f"{name}_scale"))
        cast = make_node("Cast", [f"{name}_whole"], [f"{name}_cast"], to=TensorProto.FLOAT)
        graph.node.insert(0, make_node("Mul", [f"{name}_cast", f"{name}_scale"], [name]))
        graph.node.insert(0, cast)


def write_words(
    rows: Sequence[Example], out: str, verbs: Sequence[str], texts: Sequence[str]
) -> None:
    """Write the words that the parser knows: those that stand at least three times in the treebanks
    with their usual tag, ``verbs`` (given in their base form), and without a tag those that stand
    there twice or are usual in texts."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for word, tag in zip(row.words, row.tags, strict=True):
            counts.setdefault(_norm(word), Counter())[tag] += 1
    usual = {word: tags.most_common(1)[0][0] for word, tags in counts.items() if tags.total() > 2}
    for verb in verbs:
        third = re.sub(r"([^aeiou])y$", r"\1ie", verb)
        third += "es" if re.search(r"(?:s|x|z|ch|sh|o)$", third) else "s"
        for word, tag in ((verb, "VERB|Inf"), (third, "VERB|Fin")):
            if word not in counts:
                usual[word] = tag
    tags = sorted(set(usual.values()))
    lines = [f"{tag} {' '.join(sorted(w for w in usual if usual[w] == tag))}" for tag in tags]
    known = {word for word, tags in counts.items() if tags.total() == 2}
    known.update(word for word, _, _ in usual_words(texts))
    lines.append(f"{UNTAGGED} {' '.join(sorted(known - usual.keys()))}")
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--dev", nargs="+", required=True)
    parser.add_argument("--words", help="write the words that are known to this file, and end")
    parser.add_argument("--verbs", help="verbs whose usual tag is known from elsewhere")
    parser.add_argument("--epochs", type=int, default=13)
    parser.add_argument("--encoder", help="the base of the verifier, whose words to begin with")
    parser.add_argument("--tokenizer", help="its tokenizer")
    parser.add_argument(
        "--texts", nargs="*", default=[], help="texts with the words that are usual"
    )
    parser.add_argument("--rate", type=float, default=2.5e-3, help="the highest rate of learning")
    parser.add_argument("--start", help="the weights of an earlier run (OUT.pt), to go on with")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random.seed(options.seed)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    rows = [row for path in options.train for row in read_treebank(path)]
    if options.words:
        verbs = Path(options.verbs).read_text(encoding="utf-8").split() if options.verbs else []
        write_words(rows, options.words, verbs, options.texts)
        return
    # An item of a list or a heading ends without a full stop.
    rows += [_without_end(row) for row in rows if random.random() < 0.15 and row.words[-1] == "."]
    dev = [row for path in options.dev for row in read_treebank(path)]
    tags = {tag: k for k, tag in enumerate(sorted({t for row in rows for t in row.tags}))}
    names = sorted({name for row in rows for name in row.relations})
    relations = {name: k for k, name in enumerate(names)}
    held = list(batches(dev, tags, relations, shuffle=False))
    model = Parser(len(tags), len(relations))
    if options.encoder:
        start_words(model, options.encoder, options.tokenizer, options.texts)
    if options.start:
        model.load_state_dict(torch.load(options.start, weights_only=True))
    print(
        f"{len(rows)} sentences, {sum(p.numel() for p in model.parameters())} weights", flush=True
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.01)
    steps = options.epochs * sum(1 for _ in batches(rows, tags, relations, shuffle=False))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, 10 * step / steps) * max(0.01, 1 - step / steps)
    )
    for epoch in range(options.epochs):
        began, total = time.time(), 0.0
        for batch in batches(rows, tags, relations, shuffle=True):
            loss = _losses(model, batch)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        seconds = time.time() - began
        print(epoch + 1, round(total), evaluate(model, held), f"{seconds:.0f} s", flush=True)
        torch.save(model.state_dict(), f"{options.out}.pt")
        export(model, options.out, list(tags), list(relations))


def _without_end(row: Example) -> Example:
    last = len(row.words) - 1
    if last == 0 or last + 1 in row.heads:
        return row
    return Example(*(part[:-1] for part in row))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
