"""Files of the data sets are read whole or refused with one clear line."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError, InputError, SettingError, UnreadableError
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.loader import material, with_material
from halubot.evaluation.rows import read_rows, sha256
from halubot.report import Triple

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
    "truthfulqa": {
        "id": "t1",
        "question": "Who wrote?",
        "best_answer": "Ada wrote",
        "correct": ["ada wrote.", "It was Ada"],
    },
    "truthfulqa_judged": {
        "id": "j1",
        "question": "Who wrote?",
        "answer": "Ada wrote.",
        "label": "hallucinated",
    },
    "halueval_general": {
        "id": "g1",
        "question": "Who wrote?",
        "answer": "Ada.",
        "label": "hallucinated",
    },
    "factbench": {
        "id": "b1",
        "question": "Who wrote?",
        "claims": [
            {"text": "Ada wrote.", "label": True},
            {"text": "Ada\nsang.", "label": False},
            {"text": "Ada danced.", "label": "unknown"},
        ],
    },
    "factscore": {
        "id": "c1",
        "question": "Question: Tell me a bio of Ada.",
        "topic": "Ada",
        "sentences": [
            {"facts": [{"text": "Ada wrote.", "label": "S"}, {"text": "So.", "label": "IR"}]},
            {"facts": [{"text": "Ada sang.", "label": "NS"}]},
        ],
    },
    "ragtruth": {
        "id": "a1",
        "source_id": "7",
        "answer": "Ada wrote.",
        "label": "hallucinated",
        "spans": [{"start": 4, "end": 9}],
    },
    "everyday": {
        "id": "e1",
        "group": "e",
        "style": "chat",
        "text": "Ada wrote.",
        "errors": [{"start": 4, "end": 9, "wrong": "wrote", "right": "sang", "kind": "noun"}],
    },
    "qags": {"id": "z1", "domain": "xsum", "text": "Ada wrote.", "label": "hallucinated"},
    "summedits": {"id": "z2", "domain": "news", "text": "Ada wrote.", "label": "hallucinated"},
    "pairs": {"id": "m1", "kind": "noun", "text": "Ada wrote.", "label": "hallucinated"},
    "made": {
        "id": "x1",
        "text": "Ada wrote.",
        "label": "hallucinated",
        "triples": [["Ada", "wrote", "it"]],
        "changed_triples": [],
    },
    "medquad": {"id": "y1", "question": "Who?", "answer": "Ada wrote."},
    "pubmedqa": {"id": "y2", "question": "Who?", "context": ["Ada."], "answer": "Ada wrote."},
    "own": {"id": "o1", "text": "Ada wrote.", "label": "hallucinated"},
}

EMPTY = ("annotations", "claims", "sentences", "spans", "errors", "triples", "changed_triples")
"""Fields whose list may be empty."""

SPARED = (
    ("own", "id", None),
    ("made", "id", None),
    ("made", "triples", None),
    ("pairs", "id", None),
    ("qags", "id", None),
    ("summedits", "id", None),
    ("pairs", "kind", None),
    ("truthfulqa_judged", "answer", ""),
)
"""Values that other fields may not have."""


def written(path: Path, *records: object) -> Path:
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", DATASETS)
def test_a_record_of_each_data_set(name: str, tmp_path: Path) -> None:
    (row,) = read_rows(DATASETS[name], written(tmp_path / "data.jsonl", RECORDS[name]))
    assert row.id.removesuffix("-right") == RECORDS[name]["id"]
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
        case "truthfulqa":
            assert (row.gold, row.text, row.references) == ((0.0,), "Ada wrote", ("It was Ada",))
        case "truthfulqa_judged" | "halueval_general" | "own":
            assert (row.gold, row.references) == ((1.0,), ())
        case "everyday":
            assert (row.gold, row.wrong_spans, row.group) == ((), ((4, 9),), "e")
        case "qags" | "summedits":
            assert (row.gold, row.strata) == ((1.0,), {"domain": RECORDS[name]["domain"]})
        case "pairs":
            assert (row.gold, row.strata) == ((1.0,), {"kind": "noun"})
        case "factbench":
            assert (row.text, row.gold) == ("Ada wrote.\nAda sang.", (0.0, 1.0))
            assert (row.sentences, row.group) == (("Ada wrote.", "Ada sang."), "Who wrote?")
        case "factscore":
            assert (row.sentences, row.gold) == (("Ada wrote.", "Ada sang."), (0.0, 1.0))
            assert (row.question, row.subject) == ("Tell me a bio of Ada.", "Ada")
        case "ragtruth":
            assert (row.gold, row.wrong_spans, row.group) == ((1.0,), ((4, 9),), "7")
        case "made":
            assert [fact.wrong for fact in row.labelled] == [False]
        case "medquad":
            assert (row.gold, row.references) == ((0.0,), ("Ada wrote.",))
        case "pubmedqa":
            assert (row.gold, row.references) == ((0.0,), ("Ada.",))
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
    names_rows = (
        field in ("id", "pair", "item", "source_id", "group", "style", "domain") and value == 3
    )
    if names_rows or (field in EMPTY and value == []):
        return
    if (name, field, value) in SPARED:
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


def test_samples_or_references_or_both(tmp_path: Path) -> None:
    wikibio = DATASETS["wikibio"]
    rows = read_rows(wikibio, written(tmp_path / "w.jsonl", RECORDS["wikibio"]))
    (row,) = with_material(wikibio, rows, material(wikibio, rows), n_samples=1)
    assert (row.samples, row.references) == (("Ada wrote notes.",), ())
    referring = material(wikibio, rows, with_reference=True)
    (row,) = with_material(wikibio, rows, referring, n_samples=None)
    assert (row.samples, row.references) == ((), ("Ada wrote notes.",))
    both = material(wikibio, rows, with_samples=True, with_reference=True)
    (row,) = with_material(wikibio, rows, both, n_samples=None)
    assert (len(row.samples), len(row.references)) == (2, 1)
    with pytest.raises(SettingError, match="up to 2"):
        with_material(wikibio, rows, ("samples",), n_samples=3)


def test_rows_of_ones_own_are_compared_with_all_they_hold(tmp_path: Path) -> None:
    first = {"text": "Ada wrote.", "label": "right", "samples": ["Ada wrote notes."]}
    second = {"text": "Ada sang.", "label": "hallucinated", "references": ["Ada wrote."]}
    rows = read_rows(DATASETS["own"], written(tmp_path / "o.jsonl", first, second))
    assert material(DATASETS["own"], rows) == ("samples", "references")
    assert material(DATASETS["own"], rows[:1]) == ("samples",)
    assert material(DATASETS["own"], rows, with_reference=True) == ("references",)
    with pytest.raises(SettingError, match="leave --with-reference out"):
        material(DATASETS["own"], rows[:1], with_reference=True)
    kept = with_material(DATASETS["own"], rows, ("samples",), n_samples=5)
    assert [(len(row.samples), row.references) for row in kept] == [(1, ()), (0, ())]


@pytest.mark.slow
def test_where_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    for name in ("refchecker", "ragtruth"):
        path = written(tmp_path / "r.jsonl", RECORDS[name])
        assert material(DATASETS[name], read_rows(DATASETS[name], path)) == ()
