"""Train the verifier on pairs; save as it goes, so that a run can be continued.

A row of the data is {"p": source, "h": claim, "y": 0 contradiction | 1 neutral | 2 entailment,
"s": set, "t": logits of a teacher (optional), "m": [[start, end]] changed characters of the claim
(optional)}.

    python -m training.train OUT.pt --base base/base.pt --data a.jsonl b.jsonl --minutes 60
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
# Batches of ever new shapes fill the cache of the library for matrices: 5 GB in 20 minutes.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from training.files import read_rows
from training.model import Encoder

TOKENS = 2048
"""Tokens of a batch."""
USUAL = 32
"""Pairs of a usual batch: losses are added up and divided by this, so that every pair weighs the
same, in a batch of short ones as well."""
CHUNK = 6_000
"""Batches are cut from this many rows sorted by length: hardly any padding, still mixed."""
SMOOTHING = 0.05
SHORT = torch.bfloat16 if torch.backends.cpu.get_cpu_capability() == "AVX512" else torch.float32
"""What products of matrices are computed in: with AVX-512 16 bits take half the time of 32, without
it 37 times as long (45 and 1.2 billion operations a second)."""
AVERAGED = 0.05
"""Share of the newest weights in the running average, every tenth step."""


class Row(NamedTuple):
    ids: list[int]
    types: list[int]
    label: int
    source: str
    teacher: list[float] | None
    marks: list[int] | None  # a 0 or 1 a token, -1 where it does not count


def encode(rows: list[dict[str, Any]], tokenizer: Tokenizer, longest: int) -> list[Row]:
    tokenizer.enable_truncation(longest, strategy="longest_first")
    found = []
    for row, code in zip(
        rows, tokenizer.encode_batch([(r["p"], r["h"]) for r in rows]), strict=True
    ):
        marks = None
        if "m" in row or row["y"] == 2:
            spans = row.get("m", [])
            marks = [
                -1 if kind != 1 or end <= start
                else int(any(start < b and a < end for a, b in spans))
                for kind, (start, end) in zip(code.type_ids, code.offsets, strict=True)
            ]  # fmt: skip
        found.append(Row(code.ids, code.type_ids, row["y"], row["s"], row.get("t"), marks))
    return found


def tensors(rows: list[Row], pad: int) -> tuple[Tensor, Tensor | None, Tensor]:
    """Return ids, mask and types; no mask if the rows are of one length."""
    ids = pad_sequence([torch.tensor(row.ids) for row in rows], True, pad)
    types = pad_sequence([torch.tensor(row.types) for row in rows], True)
    lengths = torch.tensor([[len(row.ids)] for row in rows])
    mask = torch.arange(ids.shape[1]) < lengths
    return ids, None if bool(mask.all()) else mask, types


def loss_of(classes: Tensor, marks: Tensor, rows: list[Row], soft: float) -> Tensor:
    """Add up the losses: the labels, the teacher's answers (share `soft`), the changed words."""
    labels = torch.tensor([row.label for row in rows])
    hard = F.cross_entropy(classes, labels, label_smoothing=SMOOTHING, reduction="none")
    taught = torch.tensor([row.teacher is not None for row in rows])
    total = hard
    if taught.any():
        goal = torch.tensor([row.teacher or [0.0, 0.0, 0.0] for row in rows]).softmax(-1)
        distance = F.kl_div(classes.log_softmax(-1), goal, reduction="none").sum(-1)
        total = torch.where(taught, (1 - soft) * hard + soft * distance, hard)
    loss = total.sum() / USUAL
    told = [torch.tensor(row.marks or [-1] * len(row.ids)) for row in rows]
    goals = pad_sequence(told, True, -1)
    counted = goals >= 0
    if counted.any():
        # Changed words are one token in twelve.
        missed = F.binary_cross_entropy_with_logits(
            marks[counted], goals[counted].float(), pos_weight=torch.tensor(3.0)
        )
        loss = loss + 0.3 * missed * len(rows) / USUAL
    return loss


def cut(rows: list[Row]) -> list[list[Row]]:
    """Cut rows, sorted by length, into batches of `TOKENS` tokens."""
    found: list[list[Row]] = [[]]
    for row in sorted(rows, key=lambda r: len(r.ids)):
        if (len(found[-1]) + 1) * len(row.ids) > TOKENS:
            found.append([])
        found[-1].append(row)
    return found


def batches(rows: list[Row], draws: random.Random) -> Iterator[list[Row]]:
    shuffled = draws.sample(rows, len(rows))
    for i in range(0, len(shuffled), CHUNK):
        yield from draws.sample(found := cut(shuffled[i : i + CHUNK]), len(found))


def accuracy(encoder: Encoder, rows: list[Row]) -> dict[str, float]:
    right: dict[str, list[int]] = defaultdict(list)
    with torch.no_grad():
        for part in cut(rows):
            classes, _ = encoder(*tensors(part, encoder.sizes["pad"]))
            for row, answer in zip(part, classes.argmax(-1).tolist(), strict=True):
                right[row.source].append(int(answer == row.label))
                right["all"].append(int(answer == row.label))
    return {name: round(sum(v) / len(v), 3) for name, v in sorted(right.items())}


class Learner:
    """Weights that learn: whole ones in one array, their average, and those that the encoder
    computes with (`SHORT`). Kept in one array each, a step takes few passes over memory."""

    def __init__(self, encoder: Encoder, rate: float, head_times: float) -> None:
        fixed = ["words.", "positions."]
        if encoder.frozen:
            fixed += ["types.", "norm.", *(f"layers.{n}." for n in range(encoder.frozen))]
        named = [(n, p) for n, p in encoder.named_parameters() if not n.startswith(tuple(fixed))]
        named.sort(key=lambda one: one[0].startswith(HEADS))
        encoder.requires_grad_(False)
        old = sum(p.numel() for n, p in named if not n.startswith(HEADS))
        self._names = [(n, p.shape) for n, p in named]
        self.whole = torch.cat([p.detach().flatten() for _, p in named])
        self.average = self.whole.clone()
        self._kept = {k: v.clone() for k, v in encoder.state_dict().items()}
        encoder.to(SHORT)
        self._short = self.whole.to(SHORT, copy=True)
        self._slopes = torch.zeros_like(self._short)
        at = 0
        for _, parameter in named:
            end = at + parameter.numel()
            parameter.data = self._short[at:end].view(parameter.shape)
            parameter.requires_grad = True
            parameter.grad = self._slopes[at:end].view(parameter.shape)
            at = end
        groups = [self.whole[:old], self.whole[old:]]
        self._slope = torch.zeros_like(self.whole)
        groups[0].grad, groups[1].grad = self._slope[:old], self._slope[old:]
        self._rate = rate
        self._optimizer = torch.optim.AdamW(
            [{"params": [groups[0]], "times": 1.0}, {"params": [groups[1]], "times": head_times}],
            lr=rate, weight_decay=0.01, betas=(0.9, 0.98), fused=True,
        )  # fmt: skip

    def step(self, factor: float) -> None:
        """Learn from the slopes that a backward pass left, at this share of the rate."""
        self._slope.copy_(self._slopes)
        self._slopes.zero_()
        norm = float(self._slope.norm())
        if norm > 1:
            self._slope.mul_(1 / norm)
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate * factor * group["times"]
        self._optimizer.step()
        self._short.copy_(self.whole)

    def weights(self) -> dict[str, Tensor]:
        """Return all weights, with the average of those that learn."""
        found, at = dict(self._kept), 0
        for name, shape in self._names:
            found[name] = self.average[at : at + shape.numel()].view(shape)
            at += shape.numel()
        return found


HEADS = ("pool", "head", "marks")


def train(given: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    draws = random.Random(given.seed)
    torch.manual_seed(given.seed)
    tokenizer = Tokenizer.from_file(given.tokenizer)
    rows = encode([r for path in given.data for r in read_rows(path)], tokenizer, given.longest)
    rows = [r for r in rows if len(r.ids) <= given.at_most]
    dev = encode([r for path in given.dev for r in read_rows(path)], tokenizer, given.longest)
    dev = draws.sample(dev, min(len(dev), 700))
    encoder = Encoder.load(given.base)
    encoder.frozen = given.frozen
    learner = Learner(encoder, given.rate, given.head_times)
    print(
        len(rows), "rows,", sum(len(r.ids) for r in rows) // len(rows), "tokens a pair", flush=True
    )
    began = saved = time.time()
    step = seen = 0
    losses, rights = torch.zeros(()), torch.zeros(())
    counted = 0

    def save() -> None:
        weights = learner.weights()
        torch.save({"sizes": encoder.sizes, "weights": weights}, given.out + ".part")
        os.replace(given.out + ".part", given.out)
        if dev:
            judge = Encoder(encoder.sizes)
            judge.load_state_dict(weights)
            print("dev", accuracy(judge.to(SHORT), dev), flush=True)

    while True:
        for part in batches(rows, draws):
            spent = (time.time() - began) / (60 * given.minutes)
            share = seen / given.pairs if given.pairs else spent
            if share >= 1:
                save()
                print("done:", seen, "pairs", flush=True)
                return
            classes, marks = encoder(*tensors(part, encoder.sizes["pad"]))
            loss = loss_of(classes.float(), marks.float(), part, given.soft)
            torch.autograd.backward(loss)
            learner.step(min(1, step / 50 + 0.02) * (given.last + (1 - given.last) * (1 - share)))
            step += 1
            seen += len(part)
            counted += len(part)
            losses += loss.detach()
            rights += (classes.detach().argmax(-1) == torch.tensor([r.label for r in part])).sum()
            if step < 10 or step % 10 == 0:
                learner.average.lerp_(learner.whole, max(AVERAGED, 1 / (step // 10 + 1)))
            if step % 50 == 0:
                print(
                    f"{time.time() - began:6.0f} s, {seen} pairs, loss"
                    f" {float(losses) * USUAL / counted:.3f}, right {float(rights) / counted:.3f},"
                    f" {seen / (time.time() - began):.1f} pairs/s",
                    flush=True,
                )
                losses, rights, counted = torch.zeros(()), torch.zeros(()), 0
            if time.time() - saved > 60 * given.save_every:
                saved = time.time()
                save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--base", required=True, help="the base, or a checkpoint to go on from")
    parser.add_argument("--tokenizer", default="base/tokenizer.json")
    parser.add_argument("--data", nargs="+", required=True)
    parser.add_argument("--dev", nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pairs", type=int, help="end after so many, however long that takes")
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--last", type=float, default=0.02, help="share of the rate at the end")
    parser.add_argument("--head-times", type=float, default=5.0, help="the heads learn faster")
    parser.add_argument("--soft", type=float, default=0.5, help="share of the teacher's answers")
    parser.add_argument("--frozen", type=int, default=4)
    parser.add_argument("--longest", type=int, default=128, help="tokens; longer pairs are cut")
    parser.add_argument("--at-most", type=int, default=10_000, help="leave longer pairs out")
    parser.add_argument("--save-every", type=float, default=6, help="minutes")
    parser.add_argument("--seed", type=int, default=0)
    train(parser.parse_args())
