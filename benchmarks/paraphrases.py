"""Finds `consensus` changed numbers and dates in sentences told in other words?

    python -m benchmarks.paraphrases medquad_300.jsonl.gz pubmedqa_300.jsonl.gz

Sentences with a number or a date are told in other words by rule (`rewording`), and in every
second one a value is changed. Each is checked as a message of its own against the whole text that
it comes from. Sensitivity is the share of changed ones in which something is doubted, specificity
the share of the others in which nothing is. ``--half`` takes the texts whose id hashes even or odd,
so that one half can be kept unseen; ``--list`` prints what was judged wrongly.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import halubot
from benchmarks.rewording import paraphrase
from halubot.evaluation.synthesis.text_changes import apply_planted, changed_value, places
from halubot.report import DOUBTED

_SENTENCE = re.compile(r"(?<=[a-z)\d%A-Z]{2}[.]|\s[a-z][.])\s+(?=[A-Z\d])")
SEED = 5


class Row(NamedTuple):
    """A sentence in other words, and the text that it comes from. ``span`` is the changed value,
    or the one that would have been; ``old`` is what it was, empty where nothing was changed."""

    id: str
    sentence: str
    text: str
    span: tuple[int, int]
    old: str
    source: str
    kinds: tuple[str, ...]


class Outcome(NamedTuple):
    """Whether anything is doubted, and whether what holds the value is: the facts that touch it,
    or else its sentence."""

    row: Row
    any: bool
    value: bool


def sources(path: Path) -> Iterator[tuple[str, str]]:
    """The id and the text of each record: the context of a question, or else the answer."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            context = record.get("context")
            yield record["id"], " ".join(context) if context else record["answer"]


def rows(paths: Sequence[Path], half: str) -> Iterator[Row]:
    """Up to eight sentences a text, each once, that two kinds of rules at least could reword."""
    known: set[str] = set()
    for path in paths:
        for id, source in sources(path):
            if half != "both" and zlib.crc32(id.encode()) % 2 != (half == "odd"):
                continue
            random = Random(f"{SEED} {id}")  # noqa: S311 - the same rows again and again
            usable = [s for s in _SENTENCE.split(" ".join(source.split())) if _is_usable(s)]
            random.shuffle(usable)
            made = 0
            for sentence in usable:
                row = _row(f"{id}-{made}", sentence, source, random)
                if row is not None and made < 8 and sentence not in known:
                    made += 1
                    known.add(sentence)
                    yield row


def _is_usable(sentence: str) -> bool:
    """Whether it reads like one sentence, and holds a number or a date."""
    return (
        40 <= len(sentence) <= 260
        and sentence[0].isupper()
        and "Signs and Symptoms" not in sentence
        and sentence.endswith(".")
        and " - " not in sentence
        and sentence.count("(") == sentence.count(")")
        and "?" not in sentence
        and bool(places(sentence))
    )


def _row(id: str, sentence: str, source: str, random: Random) -> Row | None:
    told = paraphrase(sentence, random)
    found = random.sample(places(told.text), len(places(told.text)))
    tried = (changed_value(told.text, place, random, besides=sentence) for place in found)
    edit = next(filter(None, tried), None)
    if len(told.kinds) < 2 or edit is None:
        return None
    if random.random() < 0.5:
        return Row(id, sentence, told.text, (edit.start, edit.end), "", source, told.kinds)
    made = apply_planted(told.text, [edit])
    (change,) = made.changes
    return Row(id, sentence, made.text, change.span, change.before, source, told.kinds)


def outcome(row: Row) -> Outcome:
    """The row checked by `consensus` against its source."""
    report = halubot.check(row.text, references=[row.source], method="consensus")
    facts = [fact.verdict for fact in report.facts]
    sentences = [sentence.verdict for sentence in report.sentences]
    touching = [
        fact.verdict
        for fact in report.facts
        if any(start < row.span[1] and row.span[0] < end for start, end in fact.spans)
    ]
    return Outcome(
        row,
        any(verdict in DOUBTED for verdict in (*facts, *sentences)),
        any(verdict in DOUBTED for verdict in touching or sentences),
    )


def interval(found: Sequence[bool]) -> tuple[float, float, float]:
    """A share and its 95 % interval (Wilson's)."""
    n, share = len(found), sum(found) / len(found)
    z = 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    width = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return share, middle - width, middle + width


def main() -> None:
    """Prints the measures as a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--half", choices=["even", "odd", "both"], default="both")
    parser.add_argument("--show", type=int, default=0, help="print so many rows, check none")
    parser.add_argument("--list", action="store_true", help="print what was judged wrongly")
    given = parser.parse_args()
    if given.show:
        made = list(rows(given.data, given.half))
        for row in made[:: max(1, len(made) // given.show)][: given.show]:
            print(f"- {row.sentence}\n+ {row.text}\n  {row.kinds} {_shown(row)}\n")
        return
    found = [outcome(row) for row in rows(given.data, given.half)]
    if given.list:
        for one in found:
            if one.any != bool(one.row.old):
                print(f"{_shown(one.row)}\n- {one.row.sentence}\n+ {one.row.text}\n")
    print("| measure | rows | anything doubted | the value doubted |\n| --- | --- | --- | --- |")
    for name, wrong in (("sensitivity", True), ("specificity", False)):
        own = [one for one in found if bool(one.row.old) == wrong]
        cells = [
            "{:.3f} ({:.3f}, {:.3f})".format(*interval([flag == wrong for flag in flags]))
            for flags in ([one.any for one in own], [one.value for one in own])
        ]
        print(f"| {name} | {len(own)} | {' | '.join(cells)} |")


def _shown(row: Row) -> str:
    value = row.text[slice(*row.span)]
    return f"[{row.id}] " + (f"changed: {row.old} -> {value}" if row.old else "unchanged")


if __name__ == "__main__":
    main()
