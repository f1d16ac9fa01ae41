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
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
# Batches of ever new shapes fill the cache of the library for matrices: 5 GB in 20 minutes.
os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from training.files import read_rows
from training.model import Encoder

BATCH = 32
# Batches are cut from this many rows sorted by length: little padding, still mixed.
CHUNK = BATCH * 24
SMOOTHING = 0.05


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


def tensors(rows: list[Row], pad: int) -> tuple[Tensor, Tensor, Tensor]:
    length = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), length), pad)
    types = torch.zeros((len(rows), length), dtype=torch.long)
    mask = torch.zeros((len(rows), length), dtype=torch.long)
    for n, row in enumerate(rows):
        ids[n, : len(row.ids)] = torch.tensor(row.ids)
        types[n, : len(row.ids)] = torch.tensor(row.types)
        mask[n, : len(row.ids)] = 1
    return ids, mask, types


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
    loss = total.mean()
    goals = torch.full(marks.shape, -1)
    for n, row in enumerate(rows):
        if row.marks is not None:
            goals[n, : len(row.marks)] = torch.tensor(row.marks)
    counted = goals >= 0
    if counted.any():
        # Changed words are one token in twelve.
        loss = loss + 0.3 * F.binary_cross_entropy_with_logits(
            marks[counted], goals[counted].float(), pos_weight=torch.tensor(3.0)
        )
    return loss


def accuracy(encoder: Encoder, rows: list[Row]) -> dict[str, float]:
    encoder.eval()
    right: dict[str, list[int]] = defaultdict(list)
    ordered = sorted(rows, key=lambda r: len(r.ids))
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for i in range(0, len(ordered), BATCH):
            part = ordered[i : i + BATCH]
            classes, _ = encoder(*tensors(part, encoder.sizes["pad"]))
            for row, answer in zip(part, classes.argmax(-1).tolist(), strict=True):
                right[row.source].append(int(answer == row.label))
                right["all"].append(int(answer == row.label))
    encoder.train()
    return {name: round(sum(v) / len(v), 3) for name, v in sorted(right.items())}


def batches(rows: list[Row], draws: random.Random) -> list[list[Row]]:
    shuffled = draws.sample(rows, len(rows))
    found = []
    for i in range(0, len(shuffled), CHUNK):
        chunk = sorted(shuffled[i : i + CHUNK], key=lambda r: len(r.ids))
        parts = [chunk[j : j + BATCH] for j in range(0, len(chunk), BATCH)]
        draws.shuffle(parts)
        found += parts
    return found


def optimizer_of(encoder: Encoder, rate: float, head_times: float) -> torch.optim.Optimizer:
    """Return the optimizer of what learns: not the embeddings and the frozen lower layers."""
    fixed = ["words.", "positions."]
    if encoder.frozen:
        fixed += ["types.", "norm.", *(f"layers.{n}." for n in range(encoder.frozen))]
    old, new = [], []
    for name, parameter in encoder.named_parameters():
        parameter.requires_grad = not name.startswith(tuple(fixed))
        if name.startswith(("pool", "head", "marks")):
            new.append(parameter)
        elif parameter.requires_grad:
            old.append(parameter)
    return torch.optim.AdamW(
        [{"params": old, "times": 1.0}, {"params": new, "times": head_times}],
        lr=rate, weight_decay=0.01, betas=(0.9, 0.98),
    )  # fmt: skip


def train(given: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    draws = random.Random(given.seed)
    tokenizer = Tokenizer.from_file(given.tokenizer)
    raw = [row for path in given.data for row in read_rows(path)]
    rows = encode(raw, tokenizer, given.longest)
    rows = [r for r in rows if len(r.ids) <= given.at_most]
    dev = encode([r for path in given.dev for r in read_rows(path)], tokenizer, given.longest)
    draws.shuffle(dev)
    dev = dev[:700]
    encoder = Encoder.load(given.base, given.dropout)
    encoder.frozen = given.frozen
    optimizer = optimizer_of(encoder, given.rate, given.head_times)
    began = saved = time.time()
    step = seen = 0
    mean_loss = mean_right = 0.0
    encoder.train()
    print(
        len(rows), "rows,", sum(len(r.ids) for r in rows) // len(rows), "tokens a pair", flush=True
    )
    done = False
    while not done:
        for part in batches(rows, draws):
            share = (time.time() - began) / (60 * given.minutes)
            if share >= 1:
                done = True
                break
            factor = min(1, step / 100 + 0.01) * (given.last + (1 - given.last) * (1 - share))
            for group in optimizer.param_groups:
                group["lr"] = given.rate * factor * group["times"]
            with torch.autocast("cpu", torch.bfloat16):
                classes, marks = encoder(*tensors(part, encoder.sizes["pad"]))
            loss = loss_of(classes.float(), marks.float(), part, given.soft)
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            seen += len(part)
            labels = torch.tensor([r.label for r in part])
            right = (classes.argmax(-1) == labels).float().mean().item()
            mean_loss += (loss.item() - mean_loss) / min(step, 100)
            mean_right += (right - mean_right) / min(step, 100)
            if step % 50 == 0:
                print(
                    f"{time.time() - began:6.0f} s, {seen} pairs, loss {mean_loss:.3f},"
                    f" right {mean_right:.3f}, {seen / (time.time() - began):.1f} pairs/s",
                    flush=True,
                )
            if time.time() - saved > 60 * given.save_every:
                saved = time.time()
                encoder.save(given.out + ".part")
                os.replace(given.out + ".part", given.out)
                if dev:
                    print("dev", accuracy(encoder, dev), flush=True)
    encoder.save(given.out)
    print("done:", seen, "pairs;", accuracy(encoder, dev) if dev else "", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--base", required=True, help="the base, or a checkpoint to go on from")
    parser.add_argument("--tokenizer", default="base/tokenizer.json")
    parser.add_argument("--data", nargs="+", required=True)
    parser.add_argument("--dev", nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--last", type=float, default=0.02, help="share of the rate at the end")
    parser.add_argument("--head-times", type=float, default=5.0, help="the heads learn faster")
    parser.add_argument("--soft", type=float, default=0.5, help="share of the teacher's answers")
    parser.add_argument("--dropout", type=float, default=0.0, help="costs a tenth of the time")
    parser.add_argument("--frozen", type=int, default=3)
    parser.add_argument("--longest", type=int, default=160, help="tokens; longer pairs are cut")
    parser.add_argument("--at-most", type=int, default=10_000, help="leave longer pairs out")
    parser.add_argument("--save-every", type=float, default=6, help="minutes")
    parser.add_argument("--seed", type=int, default=0)
    train(parser.parse_args())
