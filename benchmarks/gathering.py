"""How far knowledge that was looked up can be trusted: a Markdown table.

    python benchmarks/gathering.py halueval_qa_dev.jsonl.gz [--texts 250] [--seed 5]

The knowledge passages of halueval_qa, true and mostly of two subjects each, are checked against
bases made of them: one that holds every passage but those checked, where whatever contradicts is
wrong; one that holds all; and that one again with each year of the texts moved by 7, of which the
facts with a year count.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from halubot import check
from halubot.knowledge.named_bases import InMemory

_YEAR = re.compile(r"\b(1[89]|20)(\d\d)\b")
_VERDICTS = ("supported", "doubtful", "contradicted", "not_checked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", type=int, default=250)
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    with gzip.open(given.data, "rt", encoding="utf-8") as lines:
        texts = list(dict.fromkeys(json.loads(line)["knowledge"] for line in lines))
    random.Random(given.seed).shuffle(texts)  # noqa: S311 - a seeded choice, no secret
    checked, others = texts[: given.texts], InMemory("others", texts[given.texts :])
    whole = InMemory("all", texts)
    rows = {
        "not in the base": judged(checked, others),
        "in the base": judged(checked, whole),
        "in it with another year": judged(
            [_YEAR.sub(_moved, text) for text in checked], whole, _YEAR
        ),
    }
    print(f"| {given.texts} texts | facts | {' | '.join(_VERDICTS)} |".replace("_", " "))
    print("| --- |" + " ---: |" * (1 + len(_VERDICTS)))
    for name, counts in rows.items():
        shares = (f"{counts[verdict] / counts.total():.1%}" for verdict in _VERDICTS)
        print(f"| {name} | {counts.total()} | {' | '.join(shares)} |")


def judged(
    texts: Sequence[str], base: InMemory, having: re.Pattern[str] = re.compile("")
) -> Counter[str]:
    """The verdicts of `consensus` on the facts of these texts that hold such a thing."""
    reports = (check(text, knowledge=[base]) for text in texts)
    facts = (fact for report in reports for fact in report.facts)
    return Counter(fact.verdict for fact in facts if having.search(str(fact.triple)))


def _moved(year: re.Match[str]) -> str:
    return f"{year[1]}{(int(year[2]) + 7) % 100:02}"


if __name__ == "__main__":
    main()
