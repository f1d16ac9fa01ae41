"""The written corpus: a document in, pairs out."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from training.corpus import (
    CONTRADICTED,
    DEV_EVERY,
    ENTAILED,
    OPEN,
    CorpusError,
    WrittenDocument,
    pairs_of,
    read_documents,
    read_files,
    write_pairs,
)

DOCUMENT = """
=== en how-to advice
# REF
1 Let the tiles dry for 24 hours.
2 Rake out the old grout to a depth of 3 mm.
3 Keep the shower out of use for 72 hours.
4 Corners get silicone.
5 Rinse twice with water.
# A
Three days without showers.
Silicone in the corners.
# B
3 mm deep, then two rinses.
# C
Give the tiles a day.
# CLAIMS
= 3 A | The shower stays closed for three days.
= 1,2 ~ | After a day of drying, 3 mm are dug out.
x 2 unit B | Old grout is removed {3 cm} deep, {no less}.
? | Epoxy costs three times as much.
"""


def document(text: str = DOCUMENT) -> WrittenDocument:
    (only,) = read_documents(iter(text.splitlines()), "corpus.txt")
    return only


def pairs(text: str = DOCUMENT, seed: int = 0) -> list[dict[str, Any]]:
    return list(pairs_of(document(text), random.Random(seed)))


def test_a_document_is_read_with_its_parts() -> None:
    read = document()

    assert read.language == "en"
    assert read.reference[3] == "Keep the shower out of use for 72 hours."
    assert read.answers["A"] == "Three days without showers.\nSilicone in the corners."
    assert [c.label for c in read.claims] == [ENTAILED, ENTAILED, CONTRADICTED, OPEN]
    assert [c.sentences for c in read.claims] == [(3,), (1, 2), (2,), ()]
    assert [c.answers for c in read.claims] == ["A", "", "B", ""]


def test_braces_mark_the_changed_words_and_are_no_part_of_the_claim() -> None:
    wrong = document().claims[2]

    assert wrong.text == "Old grout is removed 3 cm deep, no less."
    assert [wrong.text[a:b] for a, b in wrong.marks] == ["3 cm", "no less"]


@pytest.mark.parametrize("seed", range(20))
def test_labels_say_what_the_source_says_of_the_claim(seed: int) -> None:
    read = document()
    for row in pairs(seed=seed):
        single = [c for c in read.claims if c.text == row["h"]]
        if not single:
            continue
        (claim,) = single
        settling = [read.reference[n] for n in claim.sentences]
        answers = [read.answers[x] for x in claim.answers]
        settled = row["p"] in answers or (settling and all(s in row["p"] for s in settling))
        assert row["y"] == (claim.label if settled else OPEN), row


@pytest.mark.parametrize("seed", range(20))
def test_marks_of_pairs_point_at_the_changed_words_also_in_claims_of_two_parts(seed: int) -> None:
    wrong = [row for row in pairs(seed=seed) if row["y"] == CONTRADICTED]

    assert any(row["h"] == "Old grout is removed 3 cm deep, no less." for row in wrong)
    assert any(row["h"] != "Old grout is removed 3 cm deep, no less." for row in wrong)
    for row in wrong:
        assert [row["h"][a:b] for a, b in row["m"]] == ["3 cm", "no less"]


def test_an_open_part_leaves_a_claim_of_two_parts_open() -> None:
    joined = [
        row
        for seed in range(20)
        for row in pairs(seed=seed)
        if "Epoxy" in row["h"] and not row["h"].startswith("Epoxy")
    ]

    assert joined
    assert all(row["y"] == OPEN and "m" not in row for row in joined)


def test_an_open_claim_meets_the_sentence_that_it_names() -> None:
    text = DOCUMENT.replace("? |", "? 4 |")
    met = [row for row in pairs(text) if row["p"] == "Corners get silicone."]

    assert {"h": "Epoxy costs three times as much.", "y": OPEN} in [
        {name: row[name] for name in "hy"} for row in met
    ]


def test_chinese_sentences_are_joined_without_a_space() -> None:
    text = DOCUMENT.replace("=== en", "=== zh")

    assert any("hours.Rake" in row["p"] for row in pairs(text))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("stray line", "corpus.txt:1"),
        ("=== en a b\n# REF\nno number", "corpus.txt:3"),
        ("=== en a b\n# CLAIMS\n+ 1 | not a sign", "corpus.txt:3"),
    ],
)
def test_a_line_out_of_form_is_named_by_its_number(text: str, named: str) -> None:
    with pytest.raises(CorpusError, match=named):
        read_documents(iter(text.splitlines()), "corpus.txt")


def test_files_may_be_compressed_and_the_same_seed_writes_the_same_pairs(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_text(DOCUMENT, encoding="utf-8")
    packed.write_bytes(gzip.compress(DOCUMENT.encode()))
    documents = read_files([plain, packed])
    assert len(documents) == 2

    written = []
    for name in ("one", "two"):
        out = tmp_path / name
        assert write_pairs(documents, out, seed=3) == len(out.read_text().splitlines())
        written.append(out.read_text())

    assert written[0] == written[1]
    assert {json.loads(line)["s"] for line in written[0].splitlines()} == {"own-en"}
    assert DEV_EVERY > 1
