"""Public pairs: cleaning, reading and corrupting, on small texts made up here."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from training import public_pairs
from training.public_pairs import (
    CONTRADICTED,
    ENTAILED,
    OPEN,
    READERS,
    Pair,
    clean,
    cleaned,
    corrupted,
    differing_words,
    left_open,
    words_in,
    write,
)
from training.sources import SHIPPING, SOURCES, Source, fetch


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("He said `` no '' .", 'He said "no".'),
        (
            "Ann 's car -LRB- red -RRB- is n't here , Bo 's is .",
            "Ann's car (red) isn't here, Bo's is.",
        ),
        ("A  B\u200b &amp; C", "A B & C"),
        ("level - headed", "level-headed"),
        ("1990 -- 1995", "1990 -- 1995"),
    ],
)
def test_tokens_become_text(raw: str, text: str) -> None:
    assert clean(raw) == text


def test_pairs_that_teach_nothing_are_dropped() -> None:
    good = Pair("The shop opens at nine.", "It opens in the morning.", ENTAILED)

    assert cleaned(
        [
            good,
            good,
            Pair("The shop opens at nine.", "the shop opens at nine .", ENTAILED),
            Pair("The shop opens at nine.", "Nine.", ENTAILED),
            Pair("", "It opens in the morning.", OPEN),
            Pair("word " * 200, "It opens in the morning.", OPEN),
        ]
    ) == [good]


def test_marks_of_a_text_that_was_cleaned_are_dropped() -> None:
    (pair,) = cleaned(
        [Pair("The cat is black.", "The cat is white .", CONTRADICTED, "en", ((11, 16),))]
    )

    assert pair.claim == "The cat is white."
    assert pair.marks is None


@pytest.mark.parametrize(
    ("source", "claim", "words"),
    [
        ("A man in a red helmet stands there.", "A man in a blue helmet stands there.", ["blue"]),
        (
            "He drank beer at home with two friends.",
            "He drank sweet wine at home with two friends.",
            ["sweet wine"],
        ),
        ("He drank cold beer at home.", "He drank beer at home.", None),
        ("Dogs bark.", "Cats meow.", None),
        ("The same.", "The same!", None),
    ],
)
def test_the_words_that_differ_are_marked(source: str, claim: str, words: list[str] | None) -> None:
    marks = differing_words(source, claim)

    assert (marks and [claim[a:b] for a, b in marks]) == words


def test_corrupted_pairs_contradict_their_source_and_mark_the_new_words() -> None:
    pairs = [
        Pair(
            "The bridge was opened in May 1994 in Paris.",
            "It was opened in 1994 in Paris.",
            ENTAILED,
        ),
        Pair("The bridge is long.", "Nobody knows why.", OPEN),
    ]
    made = [pair for seed in range(50) for pair in corrupted(pairs, 1.0, random.Random(seed))]

    assert made
    for pair in made:
        assert pair.source == pairs[0].source
        assert pair.label == CONTRADICTED
        assert pair.marks
        assert all(pair.claim[a:b] for a, b in pair.marks)


def test_a_value_is_only_changed_where_the_source_has_it() -> None:
    pairs = [
        Pair(
            "The bridge opened under a mayor nobody liked.",
            "It opened 3 km from Rome in 1994.",
            ENTAILED,
        )
    ]
    kinds = {"1994", "3", "Rome", "km"}
    made = [pair for seed in range(50) for pair in corrupted(pairs, 1.0, random.Random(seed))]

    assert all(kinds <= set(pair.claim.rstrip(".").split()) for pair in made)


def test_open_pairs_have_words_but_not_the_sentence_in_common() -> None:
    pairs = [
        Pair("The Orla bridge opened in 1994.", "The Orla bridge was opened in 1994.", ENTAILED),
        Pair("Boats pass below the Orla lock on Sundays.", "Boats go by on Sundays.", ENTAILED),
    ]
    (made, *_) = left_open(pairs, 1.0, random.Random(0))

    assert (made.source, made.claim, made.label) == (pairs[1].source, pairs[0].claim, OPEN)


def test_chinese_words_are_characters() -> None:
    assert words_in("长120公里。", "zh") == ["长", "120", "公", "里"]


def test_each_set_that_ships_has_a_reader_and_no_other() -> None:
    assert {source.name for source in SHIPPING} == set(READERS)
    for source in SOURCES:
        assert source.licence
        assert source.ships == bool(source.files) == (len(source.commit) == 40)
        if source.ships:
            assert "-NC" not in source.licence
            assert "none stated" not in source.licence


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_stances_of_headlines_are_read(tmp_path: Path) -> None:
    put(
        tmp_path,
        "data/stance/train.csv",
        's1,s2,stance\n"أ, ب",ج,agree\nأ,ب,disagree\nأ,ب,unclear\n',
    )

    assert [
        (p.source, p.label, p.language) for p in READERS["ans"](tmp_path, random.Random(0))
    ] == [
        ("أ, ب", ENTAILED, "ar"),
        ("أ", CONTRADICTED, "ar"),
    ]


def test_steps_of_a_proof_follow_from_their_sentences(tmp_path: Path) -> None:
    given = (
        "$hypothesis$ = leo is far from earth ;"
        " $context$ = sent1: leo is made of stars sent2: stars are far away"
    )
    proof = "$proof$ = sent1 & sent2 -> int1: leo is far away; int1 & sent2 -> hypothesis; "
    put(tmp_path, "data/processed_data/tsvs/task_1/train.tsv", f"$proof$ ; {given}\t{proof}\n")
    read = [p for p in READERS["entbank"](tmp_path, random.Random(0)) if p.label == ENTAILED]

    assert read == [
        Pair("Leo is made of stars. Stars are far away.", "Leo is far away.", ENTAILED),
        Pair("Leo is far away. Stars are far away.", "Leo is far from earth.", ENTAILED),
    ]


def test_paws_rows_go_by_their_line_in_every_language(tmp_path: Path) -> None:
    swapped = ("Ann sued Bo in May .", "Bo sued Ann in May .")
    other = ("Ann sued Bo in May .", "A lawsuit of the month of June went nowhere .")
    said = ("Ann sued Bo in May .", "In May Ann sued Bo .")
    for language in ("de", "en", "es", "fr", "zh"):
        rows = [(f"{a} {language}", f"{b} {language}") for a, b in (swapped, other, said)]
        labels = ("0", "0", "1")
        lines = ["\t".join((*row, label)) for row, label in zip(rows, labels, strict=True)]
        put(tmp_path, f"data/pawsx/dev-{language}.tsv", "\n".join(lines))
        put(tmp_path, f"data/pawsx/test-{language}.tsv", "\n".join("\t".join(r) for r in rows))
    labelled = "\n".join(f"{n}\ta\tb\t{label}" for n, label in enumerate(("0", "0", "1")))
    put(
        tmp_path, "data/pawsx/tsv_files/test-de.tsv", "id\tsentence1\tsentence2\tlabel\n" + labelled
    )
    read = list(READERS["pawsx"](tmp_path, random.Random(0)))

    assert len(read) == 20
    assert {(p.label, p.language) for p in read} == {
        (label, x) for label in (CONTRADICTED, ENTAILED) for x in ("de", "en", "es", "fr", "zh")
    }
    assert not any("lawsuit" in p.source + p.claim for p in read)


def test_no_text_of_development_is_trained_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(
        f"The bridge number {n % 40} was opened in {1900 + n}.\tBridge {n} opened in {1900 + n}.\t"
        f"{('entailment', 'neutral')[n % 2]}\n"
        for n in range(100)
    )
    source = Source("conj", "a/b", "0" * 40, ("x",), "MIT")
    monkeypatch.setattr(public_pairs, "SHIPPING", (source,))
    for part in ("adversarial_train_15k", "conj_dev"):
        put(tmp_path / "a+b", f"data/NLI/{part}.tsv", "Premise\tHypothesis\tLabel\n" + rows)
    train, dev = tmp_path / "train", tmp_path / "dev"
    counts = write(tmp_path, train, dev, seed=0)
    rows_of = [
        [json.loads(line) for line in path.read_text().splitlines()] for path in (train, dev)
    ]
    texts = [{row[key] for row in rows for key in "ph"} for rows in rows_of]

    assert not texts[0] & texts[1]
    assert sum(counts["conj"].values()) + sum(counts["x-conj"].values()) == sum(map(len, rows_of))
    assert all(row["m"] for rows in rows_of for row in rows if row["s"] == "x-conj")


def test_sources_are_fetched_at_their_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = tmp_path / "github" / "somebody" / "pairs"
    origin.mkdir(parents=True)
    for key in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{key}_NAME", "A")
        monkeypatch.setenv(f"GIT_{key}_EMAIL", "a@example.org")

    def git(*words: str) -> str:
        command = [shutil.which("git") or "git", "-C", str(origin), *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--quiet")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    git("config", "uploadpack.allowFilter", "true")
    for text in ("old", "new"):
        put(origin, "data/pairs.tsv", text)
        put(origin, "code.py", "not wanted")
        git("add", ".")
        git("commit", "--quiet", "-m", text)
    source = Source(
        "pairs", "somebody/pairs", git("rev-parse", "HEAD~"), ("data/pairs.tsv",), "MIT"
    )
    folder = tmp_path / "sources"
    place = fetch(source, folder, base=(tmp_path / "github").as_uri())

    assert place == folder / "somebody+pairs"
    assert (place / "data/pairs.tsv").read_text() == "old"
    assert not (place / "code.py").exists()
    # What is there is not fetched again.
    assert fetch(source, folder, base="file:///nowhere") == place
