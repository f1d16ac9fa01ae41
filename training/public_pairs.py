"""Make training pairs of the public data sets that `training.sources` names.

    python -m training.sources sources
    python -m training.public_pairs sources --train public_train.jsonl --dev public_dev.jsonl

A row is {"p": source, "h": claim, "y": 0 contradiction | 1 neutral | 2 entailment, "s": data set},
with "m", the places of the changed words in the claim, where they are known. Rows of set "x-NAME"
are entailed pairs of NAME whose claim `training.corrupt` made wrong.
"""

from __future__ import annotations

import argparse
import csv
import difflib
import html
import json
import random
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from training.corrupt import Corruption, corrupt, names_in
from training.files import pair_row, write_rows
from training.sources import SHIPPING

CONTRADICTED, OPEN, ENTAILED = 0, 1, 2

LABELS: Final = {
    "entailment": ENTAILED, "neutral": OPEN, "contradiction": CONTRADICTED,
    "e": ENTAILED, "n": OPEN, "c": CONTRADICTED,
    "SUPPORTS": ENTAILED, "REFUTES": CONTRADICTED,
    "supported": ENTAILED, "partially_supported": OPEN, "not_supported": OPEN,
    "True": ENTAILED, "Unknown": OPEN, "False": CONTRADICTED,
    "agree": ENTAILED, "other": OPEN, "disagree": CONTRADICTED,
}  # fmt: skip
"""What the data sets call the three classes. A label that is not here drops its row."""

MOST: Final = {
    "snli": 7_000, "cad": 5_000, "mnli": 10_500, "sanli": 12_000, "conj": 6_500, "negnli": 3_000,
    "breaking": 2_500, "help": 1_500, "med": 1_500, "scone": 800, "wikisplit": 5_500,
}  # fmt: skip
"""At most so many rows of a set; of a set that is not here, all."""

CORRUPTED: Final = {
    "mnli": 0.5, "sanli": 0.5, "conj": 0.5, "cad": 0.3, "fm2": 0.9, "wice": 0.9, "entbank": 0.5,
    "feversym": 0.8, "wikisplit": 0.9, "pawsx": 0.6, "ans": 0.8,
}  # fmt: skip
"""Of the entailed pairs of a set, this share also gives a pair with a corrupted claim."""

AMONG_OTHERS: Final = 0.25
"""This share of the pairs of texts without context gets a sentence from elsewhere beside it."""

LONGEST: Final = 110  # words of source and claim together
DEV_AT_MOST: Final = 120
DEV_ONE_IN: Final = 20
CORRUPTION_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Pair:
    source: str
    claim: str
    label: int
    language: str = "en"
    marks: tuple[tuple[int, int], ...] | None = None


# --- texts

_TOKENS: Final = {
    "-LRB-": "(", "-RRB-": ")", "-lrb-": "(", "-rrb-": ")", "-LSB-": "[", "-RSB-": "]",
    "``": '"', "''": '"', "\ufeff": "", "\u200b": "",
}  # fmt: skip


def clean(text: str) -> str:
    """Undo what tokenizers did: brackets as words, two kinds of quotes, spaces before signs."""
    for old, new in _TOKENS.items():
        text = text.replace(old, new)
    text = html.unescape(text)
    text = re.sub(r'(^|[\s(])" ?([^"]*?) ?"', r'\1"\2"', text)
    text = re.sub(r" ([.,;:!?%)\]])", r"\1", text)
    text = re.sub(r"([(\[$£]) ", r"\1", text)
    text = re.sub(r" (n't|'s|'re|'ve|'ll|'d|'m)\b", r"\1", text)
    text = re.sub(r"(\w) - (?=\w)", r"\1-", text)
    return re.sub(r"\s+", " ", text).strip()


def words_in(text: str, language: str = "en") -> list[str]:
    """Return the words in lower case; of Chinese the characters."""
    pattern = r"[^\W\d_]|\d+" if language == "zh" else r"\w+"
    return re.findall(pattern, text.lower())


def fits(pair: Pair) -> bool:
    """Say whether a pair is worth learning from: neither empty nor too long, not twice the same."""
    length = len(words_in(pair.source, pair.language)) + len(words_in(pair.claim, pair.language))
    return (
        len(pair.source) > (8 if pair.language != "zh" else 4)
        and len(pair.claim) > (8 if pair.language != "zh" else 4)
        and length < (LONGEST if pair.language != "zh" else 2 * LONGEST)
        and len(words_in(pair.claim, pair.language)) > 2
        and pair.source.lower() != pair.claim.lower()
    )


def differing_words(source: str, claim: str) -> tuple[tuple[int, int], ...] | None:
    """Return the places of the words of the claim that differ from the source word by word.

    Returns None if words are only left out, or if more than a third differ: nobody changed one
    thing then.
    """
    before = re.findall(r"\w+", source.lower())
    after = list(re.finditer(r"\w+", claim))
    matcher = difflib.SequenceMatcher(None, before, [m[0].lower() for m in after], autojunk=False)
    marks, changed = [], 0
    for what, _, _, start, end in matcher.get_opcodes():
        if what == "delete":
            return None
        if what != "equal":
            marks.append((after[start].start(), after[end - 1].end()))
            changed += end - start
    return tuple(marks) if marks and changed * 3 <= len(after) else None


# --- readers, one for each set; they yield every pair whose label is clear


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        yield from (line.rstrip("\n") for line in file)


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in _lines(path) if line)


def _table(path: Path, *, comma: bool = False, quoted: bool = False) -> Iterator[dict[str, str]]:
    quoting: Final = csv.QUOTE_MINIMAL if comma or quoted else csv.QUOTE_NONE
    for row in csv.DictReader(_lines(path), delimiter="," if comma else "\t", quoting=quoting):
        yield {key.strip(): value for key, value in row.items() if key and value is not None}


def _labelled(source: str, claim: str, label: str, language: str = "en") -> Iterator[Pair]:
    if label.strip() in LABELS:
        yield Pair(source, claim, LABELS[label.strip()], language)


Reader = Callable[[Path, random.Random], Iterator[Pair]]


def _columns(name: str, source: str, claim: str, label: str, language: str = "en") -> Reader:
    """Return the reader of a set whose files have a row for each pair: in these columns, whatever
    their capitals, the source, the claim and the label."""
    files = next(one.files for one in SHIPPING if one.name == name)

    def read(folder: Path, draws: random.Random) -> Iterator[Pair]:
        for file in files:
            path = folder / file
            table = path.suffix != ".jsonl"
            rows = _table(path, comma=path.suffix == ".csv") if table else _json_lines(path)
            for row in rows:
                fields = {key.lower(): str(value) for key, value in row.items()}
                texts = [fields.get(one, "") for one in (source, claim, label)]
                yield from _labelled(texts[0], texts[1], texts[2], language)

    return read


def read_snli(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for part in ("dev", "test"):
        files = [_lines(folder / f"dataset/eSNLI/{kind}.{part}") for kind in ("s1", "s2", "labels")]
        for source, claim, label in zip(*files, strict=True):
            yield from _labelled(source, claim, label)


def read_cad(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for part in ("train", "dev"):
        for row in _table(folder / f"NLI/all_combined/{part}.tsv"):
            claim = row.get("sentence2") or row.get("Sentence2") or ""
            yield from _labelled(
                row["sentence1"], claim, row.get("gold_label") or row.get("label", "")
            )


def read_mnli(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for part in ("train", "test"):
        path = folder / f"CL_Benchmark/NLI/MNLI/{part}.json"
        for row in json.loads(path.read_text(encoding="utf-8")):
            source, claim = row["sentence"].split("\nsentence 2: ", 1)
            yield from _labelled(source.removeprefix("sentence 1: "), claim, row["label"])


def read_breaking(folder: Path, draws: random.Random) -> Iterator[Pair]:
    with zipfile.ZipFile(folder / "breaking_nli_dataset.zip") as archive:
        for line in archive.read("data/dataset.jsonl").decode("utf-8").splitlines():
            row = json.loads(line)
            for pair in _labelled(row["sentence1"], row["sentence2"], row["gold_label"]):
                marked = pair.label == CONTRADICTED
                marks = differing_words(pair.source, pair.claim) if marked else None
                yield replace(pair, marks=marks)


def read_help(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for row in _table(folder / "output_en/leskexppmb_and.tsv"):
        source, claim = (row[name].replace("~", " ") for name in ("ori_sentence", "new_sentence"))
        claim += "" if claim[-1:] in ".!?" else "."
        yield from _labelled(source, claim, row["gold_label"])


def read_scone(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for name in ("one_scoped_one_not_scoped", "two_not_scoped", "two_scoped"):
        for row in _table(folder / f"scone_nli/train/{name}.csv", comma=True):
            texts = row["sentence1_edited"], row["sentence2_edited"]
            # The set was made by replacing letters, also within words: "tsunhat" of "that".
            if not any(re.search(r"\b(ts\w*hat|t(?!hat\b)\w+hat)\b", text) for text in texts):
                yield from _labelled(*texts, row["gold_label_edited"])


def read_folio(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for row in _json_lines(folder / "data/v0.0/folio-train.jsonl"):
        yield from _labelled(" ".join(row["premises"]), row["conclusion"], row["label"])


def read_entbank(folder: Path, draws: random.Random) -> Iterator[Pair]:
    """Each step of a proof: two or more sentences, and what follows from them together."""
    for line in _lines(folder / "data/processed_data/tsvs/task_1/train.tsv"):
        if "\t$proof$ = " not in line:
            continue
        given, proof = line.split("\t$proof$ = ", 1)
        hypothesis = given.split("$hypothesis$ = ", 1)[1].split(" ; $context$", 1)[0]
        context = given.split("$context$ = ", 1)[1]
        texts = dict(re.findall(r"(sent\d+): (.*?)(?= sent\d+: |$)", context))
        for step in proof.split(";"):
            left, arrow, right = step.partition("->")
            name, _, text = right.strip().partition(": ")
            texts[name] = hypothesis if name == "hypothesis" else text
            parts = [texts.get(part.strip(), "") for part in left.split("&")]
            if arrow and texts[name] and all(len(part.split()) > 2 for part in parts):
                sentences = [_as_sentence(part) for part in parts]
                claim = _as_sentence(texts[name])
                yield Pair(" ".join(sentences), claim, ENTAILED)
                if len(sentences) > 1 and draws.random() < 0.4:
                    # One of several sentences does not carry what follows from all.
                    yield Pair(draws.choice(sentences), claim, OPEN)


def _as_sentence(text: str) -> str:
    text = text.strip().split(" / ")[0]
    return text[:1].upper() + text[1:] + ("" if text[-1:] in ".!?" else ".")


def read_fm2(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for part in ("dev", "test"):
        for row in _json_lines(folder / f"dataset/{part}.jsonl"):
            claim = row.get("text") or row.get("claim") or ""
            gold = [e["text"] for e in row["gold_evidence"]]
            rest = [e["text"] for e in row["retrieved_evidence"] if e["text"] not in gold]
            if not gold:
                continue
            yield from _labelled(" ".join(gold), claim, row["label"])
            if rest and draws.random() < 0.5:
                yield Pair(" ".join(draws.sample(rest, min(2, len(rest)))), claim, OPEN)


def read_wice(folder: Path, draws: random.Random) -> Iterator[Pair]:
    for part in ("dev", "test"):
        for row in _json_lines(folder / f"data/entailment_retrieval/claim/{part}.jsonl"):
            if row["supporting_sentences"]:
                chosen = row["supporting_sentences"][0][:4]
                source = " ".join(row["evidence"][i] for i in chosen)
                yield from _labelled(source, row["claim"], row["label"])


def read_wikisplit(folder: Path, draws: random.Random) -> Iterator[Pair]:
    """A sentence and the two it was split into: each part follows from the whole, the whole follows
    from both, and not from one."""
    for part in ("tune", "validation"):
        for line in _lines(folder / f"{part}.tsv"):
            whole, _, split = line.partition("\t")
            parts = [p.strip() for p in split.split("<::::>")]
            if whole[:1] in "'\"(" or len(parts) < 2:
                continue
            draw = draws.random()
            if draw < 0.55:
                yield Pair(whole, draws.choice(parts), ENTAILED)
            elif draw < 0.75:
                yield Pair(whole, " ".join(parts), ENTAILED)
            elif draw < 0.85:
                yield Pair(" ".join(parts), whole, ENTAILED)
            else:
                yield Pair(draws.choice(parts), whole, OPEN)


def read_pawsx(folder: Path, draws: random.Random) -> Iterator[Pair]:
    """Sentences of the same words: said otherwise (1), or with words in each other's place (0).

    The languages' files go line by line. Two sentences of the second kind contradict each other if
    they share their words; where they do not, it may be either, and they are left out.
    """
    texts = folder / "data/pawsx"
    labels = {
        "dev": [line.split("\t")[2] for line in _lines(texts / "dev-en.tsv")],
        "test": [line.split("\t")[3] for line in list(_lines(texts / "tsv_files/test-de.tsv"))[1:]],
    }
    for part, of_lines in labels.items():
        rows = {
            x: [
                [_unquoted(t) for t in line.split("\t")[:2]]
                for line in _lines(texts / f"{part}-{x}.tsv")
            ]
            for x in ("en", "de", "es", "fr", "zh")
        }
        for n, label in enumerate(of_lines):
            alike = _shared(*rows["en"][n])
            if label not in ("0", "1") or (label == "0" and alike < 0.75):
                continue
            for language, of_language in rows.items():
                source, claim = of_language[n] if draws.random() < 0.5 else of_language[n][::-1]
                if label == "1":
                    yield Pair(source, claim, ENTAILED, language)
                    if shorter := _without_last_clause(source):
                        yield Pair(shorter, claim, OPEN, language)
                else:
                    yield Pair(source, claim, CONTRADICTED, language)


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text[:1] == text[-1:] == '"' and len(text) > 1 else text


def _shared(one: str, other: str) -> float:
    a, b = Counter(words_in(one)), Counter(words_in(other))
    return (a & b).total() / max(1, (a | b).total())


def _without_last_clause(text: str) -> str | None:
    """Return the text up to its last comma, if a good part of it stands after that."""
    head, comma, tail = re.sub(r" ,", ",", text).rpartition("，" if "，" in text else ", ")
    if not comma or min(len(head), len(tail)) < 0.3 * len(text) or tail[:1].isdigit():
        return None
    return head + ("。" if comma == "，" else ".")


def read_daccord(folder: Path, draws: random.Random) -> Iterator[Pair]:
    # What is not a contradiction there is only "compatible".
    for row in _table(folder / "daccord_dataset.tsv", quoted=True):
        if row.get("label_text") == "contradiction":
            yield Pair(row["premise"], row["hypothesis"], CONTRADICTED, "fr")


READERS: Final[dict[str, Reader]] = {
    "snli": read_snli, "cad": read_cad, "mnli": read_mnli, "breaking": read_breaking,
    "help": read_help, "scone": read_scone, "folio": read_folio, "entbank": read_entbank,
    "fm2": read_fm2, "wice": read_wice, "wikisplit": read_wikisplit, "pawsx": read_pawsx,
    "daccord": read_daccord,
    "sanli": _columns("sanli", "premise", "hypothesis", "label"),
    "conj": _columns("conj", "premise", "hypothesis", "label"),
    "negnli": _columns("negnli", "text", "hypothesis", "gold_label"),
    "med": _columns("med", "sentence1", "sentence2", "gold_label"),
    "feversym": _columns("feversym", "sentence1", "sentence2", "gold_label"),
    "ans": _columns("ans", "s1", "s2", "stance", "ar"),
}  # fmt: skip

_VALUES = frozenset({"number", "date", "unit", "place", "name", "role"})
_WITHOUT_CONTEXT = frozenset({"wikisplit", "pawsx", "sanli", "conj", "feversym", "ans"})


# --- pairs made of pairs


def cleaned(pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs that fit, with clean texts, each once; marks are kept if their text is."""
    found: dict[Pair, None] = {}
    for raw in pairs:
        source, claim = clean(raw.source), clean(raw.claim)
        marks = raw.marks if claim == raw.claim else None
        pair = replace(raw, source=source, claim=claim, marks=marks)
        if fits(pair):
            found[pair] = None
    return list(found)


def corrupted(pairs: Iterable[Pair], share: float, draws: random.Random) -> Iterator[Pair]:
    """Yield entailed pairs whose claim was made wrong."""
    entailed = [p for p in pairs if p.label == ENTAILED]
    pool: dict[str, set[str]] = defaultdict(set)
    for pair in entailed:
        text = pair.source
        pool[pair.language].update(text[a:b] for a, b in names_in(text) if b - a < 30)
    names = {language: sorted(found) for language, found in pool.items()}
    for pair in entailed:
        if draws.random() >= share:
            continue
        for _ in range(CORRUPTION_TRIES):
            changed = corrupt(pair.claim, draws, language=pair.language, names=names[pair.language])
            if changed and _contradicts(changed, pair):
                yield replace(pair, claim=changed.text, label=CONTRADICTED, marks=changed.marks)
                break


def _contradicts(changed: Corruption, pair: Pair) -> bool:
    """Say whether the source settles what was changed: it has what stood there, if that is a value
    or a name, and does not have what stands there now."""
    of_source = set(words_in(pair.source, pair.language))
    if changed.kind in _VALUES:
        old = [word for text in changed.replaced for word in words_in(text, pair.language)]
        if not of_source.issuperset(old):
            return False
    if changed.kind in ("role", "negation"):
        return True
    new = {word for a, b in changed.marks for word in words_in(changed.text[a:b], pair.language)}
    return not of_source.issuperset(new)


def among_others(pairs: list[Pair], draws: random.Random) -> Iterator[Pair]:
    """Yield the pairs, some with a sentence from elsewhere before or after their source."""
    others: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        others[pair.language].append(pair.source)
    for pair in pairs:
        if draws.random() < AMONG_OTHERS:
            gap = "" if pair.language == "zh" else " "
            texts = [pair.source, draws.choice(others[pair.language])]
            draws.shuffle(texts)
            longer = replace(pair, source=gap.join(texts))
            yield longer if fits(longer) and texts[0] != texts[1] else pair
        else:
            yield pair


def left_open(pairs: list[Pair], share: float, draws: random.Random) -> Iterator[Pair]:
    """Yield claims with the source of another pair on the same matter, which leaves them open."""
    holders: dict[tuple[str, str], list[int]] = defaultdict(list)
    vocabularies = [set(words_in(p.source, p.language)) for p in pairs]
    for n, (pair, words) in enumerate(zip(pairs, vocabularies, strict=True)):
        for word in words:
            holders[pair.language, word].append(n)
    for pair in pairs:
        if draws.random() >= share:
            continue
        claim = set(words_in(pair.claim, pair.language))
        near: Counter[int] = Counter()
        for word in sorted(claim):
            if 1 < len(others := holders[pair.language, word]) < 60:
                near.update(others)
        for n, _ in near.most_common(8):
            # Much in common: the same sentence in other words.
            if len(claim & vocabularies[n]) < 0.5 * len(claim):
                yield replace(pair, source=pairs[n].source, label=OPEN, marks=None)
                break


def pairs_of(name: str, folder: Path, seed: int) -> dict[str, list[Pair]]:
    """Return the pairs of a set, and those corrupted from it under "x-" and its name."""
    draws = random.Random(f"{seed} {name}")
    pairs = cleaned(READERS[name](folder, draws))
    draws.shuffle(pairs)
    pairs = pairs[: MOST.get(name)]
    wrong = list(dict.fromkeys(corrupted(pairs, CORRUPTED.get(name, 0), draws)))
    if name in ("pawsx", "ans"):
        pairs += left_open(pairs, 0.2, draws)
    if name in _WITHOUT_CONTEXT:
        pairs, wrong = list(among_others(pairs, draws)), list(among_others(wrong, draws))
    return {name: pairs, f"x-{name}": [pair for pair in wrong if fits(pair)]}


def held_back(pairs: list[Pair], draws: random.Random) -> list[Pair]:
    return draws.sample(pairs, min(DEV_AT_MOST, len(pairs) // DEV_ONE_IN))


def write(folder: Path, train: Path, dev: Path, seed: int) -> dict[str, Counter[str]]:
    """Write both files. No text of the second is in the first, neither as a source nor as a claim.

    Returns the number of rows by set and label.
    """
    made: dict[str, list[Pair]] = {}
    held: dict[str, list[Pair]] = {}
    for source in SHIPPING:
        of_source = pairs_of(source.name, folder / source.folder, seed)
        made |= of_source
        for name, pairs in of_source.items():
            held[name] = held_back(pairs, random.Random(f"{seed} {name} dev"))
    texts = {t for pairs in held.values() for pair in pairs for t in (pair.source, pair.claim)}
    kept = {
        name: [p for p in pairs if p.source not in texts and p.claim not in texts]
        for name, pairs in made.items()
    }
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for part, path, of_sets in (("train", train, kept), ("dev", dev, held)):
        rows = [
            pair_row(one.source, one.claim, one.label, name, one.marks or ())
            for name, pairs in of_sets.items()
            for one in pairs
        ]
        random.Random(seed).shuffle(rows)
        write_rows(path, rows)
        for row in rows:
            counts[row["s"]][f"{part} {row['y']}"] += 1
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where `training.sources` put the sets")
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    columns = [f"{part} {label}" for part in ("train", "dev") for label in (0, 1, 2)]
    print("set", *columns, sep="\t")
    for name, count in sorted(write(given.folder, given.train, given.dev, given.seed).items()):
        print(name, *(count[column] for column in columns), sep="\t")
