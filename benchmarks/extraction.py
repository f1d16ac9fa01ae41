"""How many facts, entities and relations the rules find: the statistics of FactSelfCheck, table 8.

    python benchmarks/extraction.py wikibio.jsonl

Entities are the different heads and tails of a passage, relations its different relations; a clause
that rules keep whole is a fact without either.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from halubot.evaluation.datasets import DATASETS, read_rows
from halubot.extract import extract
from halubot.text import read


def main(path: Path) -> None:
    """Print the table of one file of wikibio."""
    entities: list[int] = []
    relations: list[int] = []
    facts: list[int] = []
    for row in read_rows(DATASETS["wikibio"], path):
        message = read(row.text, sentences=row.sentences)
        found = extract(message, subject=row.subject)
        triples = [fact.triple for fact in found if fact.triple.head]
        entities.append(len({end.casefold() for one in triples for end in (one.head, one.tail)}))
        relations.append(len({triple.relation.casefold() for triple in triples}))
        inside = [0] * len(message.sentences)
        for fact in found:
            inside[fact.sentences[0]] += 1
        facts += inside
    print(f"{len(entities)} passages, {len(facts)} sentences")
    for name, counts in (
        ("entities a passage", entities),
        ("relations a passage", relations),
        ("facts a sentence", facts),
    ):
        print(f"{name:20} {_told(counts)}")


def _told(counts: Sequence[int]) -> str:
    none = counts.count(0)
    share = 100 * none / len(counts)
    mean = sum(counts) / len(counts)
    return f"mean {mean:.2f}, {min(counts)} to {max(counts)}, none in {none} ({share:.2f} %)"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
