"""What a knowledge base costs and finds: a Markdown table.

    python -m benchmarks.knowledge DATA_FOLDER [--passages 1000000] [--work FOLDER]

Passages are made from the data sets by putting sentences of theirs together at random (seeded). A
base is built from them in a process of its own, and searched in another, by the questions of
halueval_qa. Recall is measured on the knowledge passages of halueval_qa alone, query = question.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home
from halubot.evidence.knowledge.named_bases import open_knowledge
from halubot.text import read

SEED = 5
SENTENCES = 4
TEXTS = {
    "halueval_sum_dev": ["document"],
    "halueval_qa_dev": ["knowledge"],
    "wikibio_dev": ["reference", "passage"],
    "medquad_300": ["answer"],
    "pubmedqa_300": ["context", "long_answer"],
    "haluquestqa_dev": ["answer", "human_answer", "model_answer"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--step", choices=["build", "search", "recall"])
    given = parser.parse_args()
    if given.step:
        steps = {"build": build, "search": search, "recall": recall}
        print(json.dumps(steps[given.step](given.data, given.work)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        work = given.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        make(given.data, work / "passages.jsonl", given.passages)
        found: dict[str, Any] = {}
        for step in ("build", "search", "recall"):
            command = [sys.executable, __file__, str(given.data), "--work", str(work)]
            out = subprocess.run([*command, "--step", step], check=True, stdout=subprocess.PIPE)  # noqa: S603
            found |= json.loads(out.stdout)
    print(table(found))


def rows(data: Path, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def make(data: Path, file: Path, count: int) -> None:
    """Writes passages of sentences that stand in the data, put together at random."""
    sentences: dict[str, None] = {}
    for name, fields in TEXTS.items():
        for row in rows(data, name):
            for text in (row.get(field) for field in fields):
                for one in text if isinstance(text, list) else [text or ""]:
                    document = read(str(one))
                    cut = (document.text[start:end] for start, end in document.sentences)
                    sentences.update(dict.fromkeys(" ".join(piece.split()) for piece in cut))
    pool = list(sentences)
    chance = random.Random(SEED)  # noqa: S311
    print(f"{len(pool):,} sentences", file=sys.stderr)
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            text = " ".join(chance.choices(pool, k=SENTENCES))
            out.write(json.dumps({"title": f"Passage {number}", "text": text}) + "\n")


def build(_: Path, work: Path) -> dict[str, Any]:
    there = home("made", work)
    if there.exists():
        there.remove()
    start = time.perf_counter()
    added = add(there, [work / "passages.jsonl"])
    return {
        "passages": added.passages,
        "text": (work / "passages.jsonl").stat().st_size,
        "build seconds": time.perf_counter() - start,
        "build work": time.process_time(),
        "build memory": _peak(),
        "disk": there.size(),
    }


def search(data: Path, work: Path) -> dict[str, Any]:
    start = time.perf_counter()
    base = open_knowledge("made", folder=work)
    opened = time.perf_counter() - start
    questions = list(dict.fromkeys(row["question"] for row in rows(data, "halueval_qa_dev")))

    async def timed() -> list[float]:
        await base.search(questions[0], 5)  # what is loaded once counts for no query
        took = []
        for question in questions:
            start = time.perf_counter()
            await base.search(question, 5)
            took.append(time.perf_counter() - start)
        return sorted(took)

    took = asyncio.run(timed())
    worked = time.process_time()
    asyncio.run(timed())
    worked = (time.process_time() - worked) / len(took)
    return {
        "open seconds": opened,
        "queries": len(took),
        "query median": took[len(took) // 2],
        "query 95": took[int(len(took) * 0.95)],
        "query longest": took[-1],
        "query work": worked,
        "query memory": _peak(),
    }


def recall(data: Path, work: Path) -> dict[str, Any]:
    asked = [row for row in rows(data, "halueval_qa_dev") if row["label"] == "right"]
    passages = list(dict.fromkeys(row["knowledge"] for row in asked))
    random.Random(SEED).shuffle(passages)  # noqa: S311
    file = work / "halueval_qa.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in passages))
    there = home("halueval_qa", work)
    if there.exists():
        there.remove()
    add(there, [file])
    base = open_knowledge("halueval_qa", folder=work)

    async def places() -> list[int]:
        found = []
        for row in asked:
            near = await base.search(row["question"], 10)
            own = (at for at, one in enumerate(near, 1) if one.text in row["knowledge"])
            found.append(next(own, 99))
        return found

    ranks = asyncio.run(places())
    return {
        "recall rows": len(asked),
        "recall passages": len(passages),
        **{f"recall@{k}": sum(rank <= k for rank in ranks) for k in (1, 3, 10)},
    }


def table(found: dict[str, Any]) -> str:
    megabytes = 1e6
    lines = [
        ("passages", f"{found['passages']:,} ({found['text'] / megabytes:,.0f} MB of JSON lines)"),
        (
            "built in",
            f"{found['build seconds']:.0f} s ({found['build work']:.0f} s of a processor's work)",
        ),
        ("memory while building, at most", f"{found['build memory'] / megabytes:,.0f} MB"),
        ("on disk", f"{found['disk'] / megabytes:,.0f} MB"),
        ("opened in", f"{found['open seconds']:.2f} s"),
        (
            f"query, {found['queries']} questions, 5 passages each",
            f"median {found['query median'] * 1e3:.1f} ms, 95 % within"
            f" {found['query 95'] * 1e3:.1f} ms, longest {found['query longest'] * 1e3:.1f} ms"
            f" ({found['query work'] * 1e3:.1f} ms of a processor's work in the mean)",
        ),
        ("memory while searching, at most", f"{found['query memory'] / megabytes:,.0f} MB"),
    ]
    total = found["recall rows"]
    for k in (1, 3, 10):
        right = found[f"recall@{k}"]
        low, high = wilson(right, total)
        share = f"{right / total:.3f} [{low:.3f}, {high:.3f}]"
        lines.append((f"recall@{k}, {total} questions, {found['recall passages']} passages", share))
    return "\n".join(["| what | figure |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in lines)])


def wilson(right: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """The interval in which a share lies with 95 % confidence (Wilson 1927)."""
    share = right / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (middle - half) / scale, (middle + half) / scale


def _peak() -> int:
    """Bytes of memory that this process had at most; the system's cache of files it maps counts."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
