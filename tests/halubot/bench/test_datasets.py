"""Files of the data sets are read whole or refused with one clear line."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from halubot.bench.datasets import DATASETS
from halubot.bench.material import material, with_material
from halubot.bench.reading import read_rows, sha256
from halubot.errors import BrokenLineError, InputError, SettingError, UnreadableError
from halubot.facts import Triple

RECORDS: dict[str, dict[str, Any]] = {
    "wikibio": {
        "id": "w1",
        "concept": "Ada Lovelace",
        "passage": "Ada wrote. She sang.",
        "sentences": ["Ada wrote.", "She sang."],
        "labels": ["accurate", "minor_inaccurate"],
        "samples": ["Ada wrote notes.", "Ada danced."],
        "reference": "Ada wrote notes.",
    },
    "halueval_qa": {
        "id": "q1",
        "pair": "7",
        "question": "Who wrote?",
        "knowledge": "Ada wrote.",
        "answer": "Ada",
        "label": "right",
    },
    "halueval_sum": {
        "id": "s1",
        "pair": "7",
        "document": "Ada wrote notes.",
        "summary": "Ada wrote.",
        "label": "hallucinated",
    },
    "faithbench": {
        "id": "f1",
        "context": "Ada wrote.",
        "answer": "Ada wrote books.",
        "label": "Unwanted",
        "annotations": [
            {"labels": ["Unwanted"], "start": 10, "end": 15},
            {"labels": ["Benign"], "start": 0, "end": 3},
        ],
    },
    "phd": {
        "id": "p1",
        "entity": "Ada",
        "passage": "Ada sang.",
        "label": "non-factual",
        "samples": ["Ada wrote."],
    },
    "refchecker": {
        "id": "r1",
        "item": "3",
        "answer": "Ada wrote.",
        "claims": [{"triplet": ["Ada", "wrote", "notes"], "label": "Neutral"}],
    },
}


def written(path: Path, *records: object) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", DATASETS)
def test_a_record_of_each_data_set(name: str, tmp_path: Path) -> None:
    (row,) = read_rows(DATASETS[name], written(tmp_path / "data.jsonl", RECORDS[name]))
    assert row.id == RECORDS[name]["id"]
    match name:
        case "wikibio":
            assert row.gold == (0.0, 0.5)
            assert row.sentences == ("Ada wrote.", "She sang.")
            assert (row.subject, row.question) == ("Ada Lovelace", None)
        case "halueval_qa":
            assert (row.gold, row.question, row.group) == ((0.0,), "Who wrote?", "7")
            assert row.references == ("Ada wrote.",)
        case "halueval_sum":
            assert (row.text, row.references) == ("Ada wrote.", ("Ada wrote notes.",))
            assert row.gold == (1.0,)
        case "faithbench":
            assert (row.gold, row.wrong_spans) == ((1.0,), ((10, 15),))
        case "phd":
            assert (row.gold, row.subject) == ((1.0,), "Ada")
        case _:
            assert row.triples == (Triple("Ada", "wrote", "notes"),)


@pytest.mark.parametrize("label", ["Questionable", "Benign"])
def test_faithbench_labels_between_take_no_side(label: str, tmp_path: Path) -> None:
    record = {**RECORDS["faithbench"], "label": label}
    (row,) = read_rows(DATASETS["faithbench"], written(tmp_path / "f.jsonl", record))
    assert row.gold == ()


@pytest.mark.parametrize(
    ("name", "field"), [(name, field) for name in RECORDS for field in RECORDS[name]]
)
@pytest.mark.parametrize("value", [None, 3, "", [], [3], {}])
def test_a_wrong_field_is_named(name: str, field: str, value: object, tmp_path: Path) -> None:
    names_rows = field in ("id", "pair", "item") and value == 3
    if names_rows or (field in ("annotations", "claims") and value == []):
        return
    broken = {**RECORDS[name], field: value}
    path = written(tmp_path / "data.jsonl", RECORDS[name], broken)
    with pytest.raises(BrokenLineError, match="line 2") as caught:
        read_rows(DATASETS[name], path)
    assert f"{name} needs a field {field!r}" in str(caught.value)


@pytest.mark.parametrize("labels", [["accurate"], ["accurate", "dubious"]])
def test_wikibio_wants_a_known_label_for_each_sentence(labels: list[str], tmp_path: Path) -> None:
    path = written(tmp_path / "w.jsonl", {**RECORDS["wikibio"], "labels": labels})
    with pytest.raises(BrokenLineError, match="for each sentence one of accurate"):
        read_rows(DATASETS["wikibio"], path)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "not JSON"),
        (b"[1]", "a list, not an object"),
        (b'{"id": "\xff"}', "not UTF-8"),
        (b"9" * 5000, "not JSON"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_broken_line_is_numbered(line: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(json.dumps(RECORDS["phd"]).encode() + b"\n\n" + line + b"\n")
    with pytest.raises(BrokenLineError, match=f"line 3: {why}"):
        read_rows(DATASETS["phd"], path)


def test_compressed_or_not_and_limited(tmp_path: Path) -> None:
    plain = written(tmp_path / "data.jsonl", *[RECORDS["phd"]] * 3)
    packed = tmp_path / "named-as-you-like"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_rows(DATASETS["phd"], packed) == read_rows(DATASETS["phd"], plain)
    assert len(read_rows(DATASETS["phd"], packed, limit=2)) == 2
    assert sha256(packed) == hashlib.sha256(packed.read_bytes()).hexdigest()


def test_unreadable_files(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(json.dumps(RECORDS["phd"]).encode() * 50)[:-9])
    with pytest.raises(UnreadableError, match="compression is broken"):
        read_rows(DATASETS["phd"], cut)
    with pytest.raises(UnreadableError, match="no such file"):
        read_rows(DATASETS["phd"], tmp_path / "nowhere")
    with pytest.raises(UnreadableError, match="directory"):
        sha256(tmp_path)


def test_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no rows"):
        read_rows(DATASETS["phd"], written(tmp_path / "empty.jsonl"))


def test_groups_may_be_numbered(tmp_path: Path) -> None:
    record = {**RECORDS["halueval_sum"], "pair": 7}
    (row,) = read_rows(DATASETS["halueval_sum"], written(tmp_path / "s.jsonl", record))
    assert row.group == "7"


def test_samples_or_references(tmp_path: Path) -> None:
    wikibio = DATASETS["wikibio"]
    rows = read_rows(wikibio, written(tmp_path / "w.jsonl", RECORDS["wikibio"]))
    (row,) = with_material(wikibio, rows, material(wikibio, with_reference=False), n_samples=1)
    assert (row.samples, row.references) == (("Ada wrote notes.",), ())
    (row,) = with_material(wikibio, rows, material(wikibio, with_reference=True), n_samples=None)
    assert (row.samples, row.references) == ((), ("Ada wrote notes.",))
    with pytest.raises(SettingError, match="up to 2"):
        with_material(wikibio, rows, "samples", n_samples=3)
    with pytest.raises(SettingError, match="leave --n-samples out"):
        with_material(wikibio, rows, "references", n_samples=1)


def test_references_where_there_are_none() -> None:
    assert material(DATASETS["faithbench"], with_reference=True) == "references"
    assert material(DATASETS["refchecker"], with_reference=False) is None
    with pytest.raises(SettingError, match="phd has no references"):
        material(DATASETS["phd"], with_reference=True)
