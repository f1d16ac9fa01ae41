"""Read the written corpus (`training/data/corpus.txt.gz`) and make pairs of it.

A document is a reference in numbered sentences, three other answers to the same question, and
claims: right ones (=), wrong ones (x) with their kind and the changed words in braces, and ones
that every source leaves open (?); the sentence that one of these comes nearest to may stand
with it. `training/data/brief.md` is what its writers were told.

    python -m training.corpus FILE... --train OUT.jsonl --dev OUT.jsonl
"""

from __future__ import annotations

import argparse
import gzip
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from halubot.verifier.reading import clauses_of
from training.files import pair_row, write_rows

KINDS: Final = (
    "number", "date", "unit", "name", "place", "negation", "opposite", "role", "quantity",
    "modality", "cause", "comparison", "order", "condition", "designator", "verb", "status",
    "invented", "scope",
)  # fmt: skip
"""What is wrong with a wrong claim."""

CONTRADICTED, OPEN, ENTAILED = 0, 1, 2
_LABELS = {"x": CONTRADICTED, "?": OPEN, "=": ENTAILED}
_HEAD = re.compile(r"=== (en|de|fr|es|zh|ar) [\w-]+ [\w-]+")
_NUMBERED = re.compile(r"(\d+)[.)]?\s+(.+)")
_CLAIM = re.compile(r"([=x?])\s*([\d,]*)\s*~?\s*([a-z]*)\s*~?\s*([ABC]*)\s*\|\s*(.+)")
_PARTS = ("REF", "A", "B", "C", "CLAIMS")

DEV_EVERY: Final = 20
"""Each document of so many is kept for development and never trained on."""


class CorpusError(ValueError):
    """A line of the corpus that does not follow the form."""


@dataclass(frozen=True, slots=True)
class WrittenClaim:
    """A claim; ``sentences`` of the reference and ``answers`` settle it. ``marks`` are the places
    of the changed words in ``text``."""

    sign: str
    sentences: tuple[int, ...]
    kind: str
    answers: str
    text: str
    marks: tuple[tuple[int, int], ...]

    @property
    def label(self) -> int:
        return _LABELS[self.sign]


@dataclass(slots=True)
class WrittenDocument:
    language: str
    reference: dict[int, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    claims: list[WrittenClaim] = field(default_factory=list)


def read_documents(lines: Iterator[str], name: str) -> list[WrittenDocument]:
    """Parse documents. Raises CorpusError with the file's name and the number of the line."""
    found: list[WrittenDocument] = []
    part = ""
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line:
            continue
        if head := _HEAD.fullmatch(line):
            found.append(WrittenDocument(head[1]))
            part = ""
        elif line.startswith("# ") and line[2:] in _PARTS:
            part = line[2:]
        elif not found or not part:
            raise CorpusError(f"{name}:{number}: belongs to no document or part: {line[:80]}")
        elif part == "REF" and (match := _NUMBERED.fullmatch(line)):
            found[-1].reference[int(match[1])] = match[2]
        elif part == "CLAIMS" and (match := _CLAIM.fullmatch(line)):
            found[-1].claims.append(_claim(match))
        elif part in "ABC":
            answers = found[-1].answers
            answers[part] = f"{answers[part]}\n{line}" if part in answers else line
        else:
            raise CorpusError(f"{name}:{number}: not in the form of {part}: {line[:80]}")
    return found


def _claim(match: re.Match[str]) -> WrittenClaim:
    sign, sentences, kind, answers, marked = match.groups()
    text, marks = "", []
    for i, piece in enumerate(re.split(r"[{}]", marked)):
        if i % 2 and piece:
            marks.append((len(text), len(text) + len(piece)))
        text += piece
    numbers = tuple(int(x) for x in sentences.split(",") if x)
    return WrittenClaim(sign, numbers, kind, answers, text, tuple(marks))


def pairs_of(document: WrittenDocument, draws: random.Random) -> Iterator[dict[str, Any]]:
    """Yield the pairs of a document, as `training.train` reads them.

    Of the reference a claim meets the sentences that settle it alone, these among neighbours, and
    sentences that do not settle it (left open). Of the answers it meets all.
    """
    order = sorted(document.reference)
    gap = "" if document.language == "zh" else " "
    source = f"own-{document.language}"

    def pair(premise: str, claim: WrittenClaim, label: int) -> dict[str, Any]:
        return pair_row(premise, claim.text, label, source, claim.marks if label == 0 else ())

    def text_of(numbers: set[int]) -> str:
        return gap.join(document.reference[n] for n in order if n in numbers)

    for claim in document.claims:
        cited = set(claim.sentences) & set(order)
        if claim.label == OPEN:
            near = set(draws.sample(order, min(3, len(order))))
            start = draws.randrange(max(1, len(order) - 3))
            yield pair(text_of(set(order[start : start + 4])), claim, OPEN)
            yield pair(text_of(near), claim, OPEN)
            if cited:
                yield pair(text_of(cited), claim, OPEN)
        else:
            yield pair(text_of(cited), claim, claim.label)
            around = {order[i] for n in cited for i in range(order.index(n) - 1, order.index(n) + 2) if 0 <= i < len(order)}  # fmt: skip # noqa: E501
            mixed = cited | set(draws.sample(order, min(2, len(order))))
            yield pair(text_of(around if draws.random() < 0.6 else mixed), claim, claim.label)
            others = [n for n in order if n not in cited]
            if others and draws.random() < 0.5:
                # One sentence of several that settle a claim together leaves it open as well.
                some = set(draws.sample(others, min(draws.randint(1, 3), len(others))))
                if len(cited) > 1 and claim.label == ENTAILED and draws.random() < 0.5:
                    some |= {draws.choice(sorted(cited))}
                yield pair(text_of(some), claim, OPEN)
        for letter, answer in document.answers.items():
            settled = letter in claim.answers
            if settled or draws.random() < 0.4:
                yield pair(answer, claim, claim.label if settled else OPEN)
        yield from _fragments(claim, text_of(cited), draws, source)
    yield from _joined(document, draws, text_of, source)


def _fragments(
    claim: WrittenClaim, premise: str, draws: random.Random, source: str
) -> Iterator[dict[str, Any]]:
    """Yield clauses of a claim, as the verifier meets them: those of a right claim are right, that
    with the changed words of a wrong one is wrong. Of the others nothing is known."""
    for start, end in clauses_of(claim.text, (0, len(claim.text))):
        marks = [(a - start, b - start) for a, b in claim.marks if start <= a and b <= end]
        wrong = claim.label == CONTRADICTED and len(marks) == len(claim.marks)
        if draws.random() < 0.7 and (wrong or claim.label == ENTAILED):
            text = claim.text[start:end]
            yield pair_row(premise, text, claim.label, source, marks if wrong else ())


def _joined(
    document: WrittenDocument, draws: random.Random, text_of: Any, source: str
) -> Iterator[dict[str, Any]]:
    """Yield claims of two parts: one wrong part makes the whole wrong, one open part leaves it
    open."""
    gap = "" if document.language == "zh" else " "
    settled = [c for c in document.claims if c.sentences]
    right = [c for c in settled if c.label == ENTAILED]
    for claim in draws.sample(settled, min(6, len(settled))):
        partners = [c for c in right if c is not claim]
        if not partners:
            return
        other = draws.choice(partners)
        first, second = (claim, other) if draws.random() < 0.5 else (other, claim)
        shift = 0 if first is claim else len(first.text + gap)
        wrong = claim.label == CONTRADICTED
        marks = [(a + shift, b + shift) for a, b in claim.marks] if wrong else ()
        premise = text_of(set(claim.sentences) | set(other.sentences))
        yield pair_row(premise, first.text + gap + second.text, claim.label, source, marks)
    opened = [c for c in document.claims if c.label == OPEN]
    for claim in draws.sample(settled, min(2, len(settled))):
        if opened and claim.label == ENTAILED:
            text = claim.text + gap + draws.choice(opened).text
            yield pair_row(text_of(set(claim.sentences)), text, OPEN, source)


def read_files(paths: list[Path]) -> list[WrittenDocument]:
    found = []
    for path in paths:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as lines:
            found += read_documents(iter(lines), path.name)
    return found


def write_pairs(documents: list[WrittenDocument], out: Path, seed: int) -> int:
    draws = random.Random(seed)
    rows = [row for document in documents for row in pairs_of(document, draws)]
    draws.shuffle(rows)
    return write_rows(out, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    written = read_files(given.files)
    kept = [d for n, d in enumerate(written) if n % DEV_EVERY == DEV_EVERY - 1]
    trained = [d for n, d in enumerate(written) if n % DEV_EVERY != DEV_EVERY - 1]
    for documents, path in ((trained, given.train), (kept, given.dev)):
        print(path, len(documents), "documents,", write_pairs(documents, path, given.seed), "pairs")
