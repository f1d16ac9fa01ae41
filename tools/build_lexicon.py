"""Build the lexical data of `halubot.compare` from the files of WordNet 3.0.

    python tools/build_lexicon.py /usr/share/wordnet

The folder holds `index.*`, `data.*`, `*.exc` and `cntlist.rev` (Debian: package `wordnet-base`).
The output goes to `halubot/compare/data/`: `words.tsv.gz`, `kinds.tsv.gz`, `forms.tsv.gz` and
`WORDNET-LICENSE.txt`. The same input gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).parents[1] / "halubot" / "compare" / "data"
PARTS: Final = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SENSE_TYPES: Final = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}

# Only single words: texts are compared word by word.
WORD: Final = re.compile(r"(?=.*[a-z])[a-z0-9][a-z0-9'./-]*")

# How many senses of a word count, by part of speech, and the least share of the word's uses that
# a sense must have. Words in a rarer sense are no safe synonyms ("machine" for a car).
SYNONYM_SENSES: Final = {"n": 2, "v": 4, "a": 4, "r": 4}
SYNONYM_SHARE: Final = 0.15
KIND_SENSES: Final = 2
KIND_SHARE: Final = 0.15
ANTONYM_SHARE: Final = 0.05

Key = tuple[str, int]
"""A synset: its part of speech and its offset."""


@dataclass(slots=True)
class Synset:
    """One sense of one or more words, with its pointers to other synsets."""

    words: list[str]
    pointers: list[tuple[str, Key, int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Database:
    """The files of WordNet, parsed."""

    senses: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    synsets: dict[Key, Synset] = field(default_factory=dict)
    counts: dict[tuple[str, str, int], int] = field(default_factory=dict)
    exceptions: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)
    licence: str = ""


def main() -> None:
    """Read the folder that the command line names and write the data files."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    database = read_database(Path(sys.argv[1]))
    shares = measure_shares(database)
    kinds, kind_lines = number_kinds(database, shares)
    columns = [
        find_synonyms(database, shares),
        find_derivations(database),
        find_antonyms(database, shares),
    ]
    lines = []
    for word in sorted(all_words(database)):
        letters = "".join(part for part in "nvar" if word in database.senses[part])
        cells = [" ".join(sorted(column.get(word, ()))) for column in columns]
        cells.append(" ".join(str(kind) for kind in kinds.get(word, ())))
        lines.append("\t".join([word, letters, *cells]).rstrip("\t"))
    write_lines("words.tsv.gz", lines)
    write_lines("kinds.tsv.gz", kind_lines)
    write_lines("forms.tsv.gz", irregular_forms(database))
    (TARGET / "WORDNET-LICENSE.txt").write_text(database.licence, encoding="utf-8")


def write_lines(name: str, lines: Iterable[str]) -> None:
    """Write a compressed file whose bytes depend on the lines alone."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write("\n".join(lines).encode())
    (TARGET / name).write_bytes(packed.getvalue())


def read_database(folder: Path) -> Database:
    """Parse the files of WordNet, all words in lower case."""
    database = Database()
    for name, part in PARTS.items():
        index = database.senses.setdefault(part, {})
        for line in _lines(folder / f"index.{name}"):
            cells = line.split()
            index[cells[0]] = [int(offset) for offset in cells[len(cells) - int(cells[2]) :]]
        for line in _lines(folder / f"data.{name}"):
            key, synset = _parse_synset(line, part)
            database.synsets[key] = synset
        database.exceptions[part] = [
            (form, bases) for form, *bases in map(str.split, _lines(folder / f"{name}.exc"))
        ]
    for line in _lines(folder / "cntlist.rev"):
        sense, number, count = line.split()
        word, _, rest = sense.partition("%")
        database.counts[word, SENSE_TYPES[rest[0]], int(number)] = int(count)
    head = (folder / "data.noun").read_text(encoding="latin-1").splitlines()[:29]
    database.licence = "\n".join(line[5:].rstrip() for line in head) + "\n"
    return database


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without the licence, whose lines begin with a space."""
    with path.open(encoding="latin-1") as file:
        yield from (line for line in file if not line.startswith(" ") and line.strip())


def _parse_synset(line: str, part: str) -> tuple[Key, Synset]:
    cells = line.partition("|")[0].split()
    count = int(cells[3], 16)
    words = [re.sub(r"\(\w+\)$", "", cells[4 + 2 * at]).lower() for at in range(count)]
    synset = Synset(words)
    at = 4 + 2 * count
    for start in range(at + 1, at + 1 + 4 * int(cells[at]), 4):
        symbol, offset, letter, ends = cells[start : start + 4]
        target = ("a" if letter == "s" else letter, int(offset))
        synset.pointers.append((symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
    return (part, int(cells[0])), synset


def all_words(database: Database) -> set[str]:
    """Return every single word of the database."""
    return {word for index in database.senses.values() for word in index if WORD.fullmatch(word)}


@dataclass(frozen=True, slots=True)
class Share:
    """A sense of a word: its rank in its part of speech, and its share of all uses."""

    rank: int
    share: float


Shares = Mapping[tuple[str, Key], Share]


def measure_shares(database: Database) -> dict[tuple[str, Key], Share]:
    """Estimate how often a word has each of its senses, from the counts of tagged texts.

    A sense that was never tagged counts a little, less the later it stands.
    """
    found: dict[str, list[tuple[Key, int, float]]] = defaultdict(list)
    for part, index in database.senses.items():
        for word, offsets in index.items():
            for rank, offset in enumerate(offsets, 1):
                count = database.counts.get((word, part, rank), 0) + 0.5 / rank
                found[word].append(((part, offset), rank, count))
    shares = {}
    for word, senses in found.items():
        total = sum(count for _, _, count in senses)
        for key, rank, count in senses:
            shares[word, key] = Share(rank, count / total)
    return shares


def _add(table: dict[str, set[str]], one: str, other: str) -> None:
    """Add a pair of single words to a symmetric table."""
    if one != other and WORD.fullmatch(one) and WORD.fullmatch(other):
        table[one].add(other)
        table[other].add(one)


def find_synonyms(database: Database, shares: Shares) -> dict[str, set[str]]:
    """Return the words that share a frequent sense."""
    table: dict[str, set[str]] = defaultdict(set)
    for key, synset in database.synsets.items():
        members = []
        for word in synset.words:
            share = shares[word, key]
            if share.rank <= SYNONYM_SENSES[key[0]] and share.share >= SYNONYM_SHARE:
                members.append(word)
        for word in members:
            for other in members:
                _add(table, word, other)
    return table


def find_derivations(database: Database) -> dict[str, set[str]]:
    """Return the words derived from one another, one step apart."""
    table: dict[str, set[str]] = defaultdict(set)
    for synset in database.synsets.values():
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol in "+\\" and source_word:
                other = database.synsets[target].words[target_word - 1]
                _add(table, synset.words[source_word - 1], other)
    return table


def find_antonyms(database: Database, shares: Shares) -> dict[str, set[str]]:
    """Return the words of opposite meaning."""
    table: dict[str, set[str]] = defaultdict(set)
    for key, synset in database.synsets.items():
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol != "!":
                continue
            word = synset.words[source_word - 1]
            other = database.synsets[target].words[target_word - 1]
            if min(shares[word, key].share, shares[other, target].share) >= ANTONYM_SHARE:
                _add(table, word, other)
    return table


def number_kinds(database: Database, shares: Shares) -> tuple[dict[str, list[int]], list[str]]:
    """Number the noun synsets that matter; return the numbers by word, and a line a synset.

    A line holds the numbers of the parents and how many words lie below.
    """
    words: dict[str, list[Key]] = {}
    for word, offsets in database.senses["n"].items():
        if WORD.fullmatch(word):
            keys: list[Key] = [("n", offset) for offset in offsets[:KIND_SENSES]]
            words[word] = [key for key in keys if shares[word, key].share >= KIND_SHARE]
    parents: dict[Key, list[Key]] = {}
    waiting = [key for keys in words.values() for key in keys]
    while waiting:
        key = waiting.pop()
        if key not in parents:
            pointers = database.synsets[key].pointers
            parents[key] = [target for symbol, target, _, _ in pointers if symbol in ("@", "@i")]
            waiting.extend(parents[key])
    below: dict[Key, int] = dict.fromkeys(parents, 0)
    for keys in words.values():
        for key in keys:
            for above in _ancestors(key, parents):
                below[above] += 1
    children: dict[Key, list[Key]] = defaultdict(list)
    for key in sorted(parents):
        for parent in parents[key][:1]:
            children[parent].append(key)
    # Numbered depth first, so that near synsets have near numbers and compress well.
    numbers: dict[Key, int] = {}
    stack = [key for key in sorted(parents, reverse=True) if not parents[key]]
    while stack:
        key = stack.pop()
        numbers[key] = len(numbers)
        stack.extend(reversed(children[key]))
    lines = [
        " ".join(str(numbers[parent]) for parent in parents[key]) + f"\t{below[key]}"
        for key in numbers
    ]
    return {word: [numbers[key] for key in keys] for word, keys in words.items()}, lines


def _ancestors(key: Key, parents: Mapping[Key, list[Key]]) -> set[Key]:
    found: set[Key] = set()
    waiting = [key]
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def irregular_forms(database: Database) -> list[str]:
    """Return a line for each irregular form: the form, and its bases behind their letter."""
    table: dict[str, set[str]] = defaultdict(set)
    for part, exceptions in database.exceptions.items():
        for form, bases in exceptions:
            for base in bases:
                if base in database.senses[part] and WORD.fullmatch(form) and WORD.fullmatch(base):
                    table[form].add(f"{part}:{base}")
    return [f"{form}\t{' '.join(sorted(bases))}" for form, bases in sorted(table.items())]


if __name__ == "__main__":
    main()
