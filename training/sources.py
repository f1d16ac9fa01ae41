"""Name the public data sets that the verifier is trained on, and get them.

    python -m training.sources list
    python -m training.sources fetch FOLDER

`fetch` gets each repository from GitHub at the commit named here, and of it the files that
`training.public_pairs` reads: FOLDER/OWNER+NAME/FILE. It needs git 2.27 or later and about 60 MB.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GITHUB: Final = "https://github.com"


@dataclass(frozen=True, slots=True)
class Source:
    """A data set: where it is, and under what licence.

    ``ships`` says whether weights trained on it may be shipped. Only such sets have ``files``.
    """

    name: str
    repository: str
    commit: str
    files: tuple[str, ...]
    licence: str
    ships: bool = True

    @property
    def folder(self) -> str:
        return self.repository.replace("/", "+")


def _left_out(name: str, repository: str, reason: str) -> Source:
    return Source(name, repository, "", (), reason, ships=False)


_PAWSX_LANGUAGES = ("de", "en", "es", "fr", "zh")

SOURCES: Final = (
    # --- inference, labelled by people
    Source(
        "snli",
        "OanaMariaCamburu/e-SNLI",
        "7b585a3f077fdea899780eb0473940522ae44a2e",
        tuple(
            f"dataset/eSNLI/{kind}.{part}"
            for part in ("dev", "test")
            for kind in ("s1", "s2", "labels")
        ),
        "CC BY-SA 4.0 (SNLI); MIT (e-SNLI)",
    ),
    Source(
        "cad",
        "acmi-lab/counterfactually-augmented-data",
        "6f232a1d2a11462a30ce08fb4825b734ab30828e",
        ("NLI/all_combined/train.tsv", "NLI/all_combined/dev.tsv"),
        "Apache-2.0; CC BY-SA 4.0 (SNLI)",
    ),
    Source(
        "mnli",
        "cmnfriend/O-LoRA",
        "07117e1fc4a5f5ad9308a815a42cee8f46502dc8",
        ("CL_Benchmark/NLI/MNLI/train.json", "CL_Benchmark/NLI/MNLI/test.json"),
        "OANC licence, CC BY 3.0, CC BY-SA 3.0 and public domain, by genre (MultiNLI); MIT (copy)",
    ),
    Source(
        "sanli",
        "nyu-mll/semi-automatic-nli",
        "853c480133141f1b737744dc7d6e2db2686578bb",
        # The news premises are from the English Gigaword, which is sold: not read.
        (
            "data/base_wiki/train.jsonl",
            "data/sim_wiki/train.jsonl",
            "data/translate_wiki/train.jsonl",
        ),
        "CC BY-SA 3.0 (Wikipedia)",
    ),
    Source(
        "conj",
        "swarnaHub/ConjNLI",
        "10e0515c0d1777651b5084d9cca4664ead8162a4",
        ("data/NLI/adversarial_train_15k.tsv", "data/NLI/conj_dev.tsv"),
        "MIT; CC BY-SA 3.0 (Wikipedia)",
    ),
    Source(
        "negnli",
        "mosharafhossain/negation-and-nli",
        "e7848fb621c32ec43511a5bfc406fc9208baf4f8",
        ("data/new_benchmarks/clean_data/MNLI.txt", "data/new_benchmarks/clean_data/SNLI.txt"),
        "MIT; as MultiNLI and SNLI",
    ),
    Source(
        "breaking",
        "BIU-NLP/Breaking_NLI",
        "8a7658c1ce6b732f4e8af3b06560f1a13b8b18b0",
        ("breaking_nli_dataset.zip",),
        "CC BY-SA 4.0",
    ),
    Source(
        "help",
        "verypluming/HELP",
        "3ee5c298d48549704629a3687ccd8a00168281b8",
        ("output_en/leskexppmb_and.tsv",),
        "CC BY-SA 4.0",
    ),
    Source(
        "med",
        "verypluming/MED",
        "860ba36ce95ecba9f1ebe348d3d8cf1b3cba435a",
        ("MED.tsv",),
        "CC BY-SA 4.0",
    ),
    Source(
        "scone",
        "selenashe/ScoNe",
        "b02532a2f4185c6118a57a148455e0750592d8c8",
        # `one_scoped.csv` repeats MoNLI, which states no licence.
        tuple(
            f"scone_nli/train/{name}.csv"
            for name in ("one_scoped_one_not_scoped", "two_not_scoped", "two_scoped")
        ),
        "CC0 1.0",
    ),
    Source(
        "folio",
        "Yale-LILY/FOLIO",
        "5d7bb84c7edab3fb358e057d2807f19cf5cf5e2d",
        ("data/v0.0/folio-train.jsonl",),
        "CC BY-SA 4.0",
    ),
    Source(
        "entbank",
        "allenai/entailment_bank",
        "daac2fdb7ab52ec3ef8f2953f59288c1edd7c2f0",
        ("data/processed_data/tsvs/task_1/train.tsv",),
        "Apache-2.0 (repository), CC BY 4.0 (data)",
    ),
    # --- facts and their evidence
    Source(
        "fm2",
        "google-research/fool-me-twice",
        "d9db753e5acf91c0d9bf543db327ab655661eb94",
        ("dataset/dev.jsonl", "dataset/test.jsonl"),
        "Apache-2.0; CC BY-SA 3.0 (Wikipedia)",
    ),
    Source(
        "wice",
        "ryokamoi/wice",
        "ddeb6c183665e2a20c5f03c5aa07f03888b9870f",
        ("data/entailment_retrieval/claim/dev.jsonl", "data/entailment_retrieval/claim/test.jsonl"),
        "ODC-BY (labels); CC BY-SA 4.0 (Wikipedia), Common Crawl's terms (evidence)",
    ),
    Source(
        "feversym",
        "TalSchuster/FeverSymmetric",
        "fa25d17e73ea0694edc78133ec654b9f32f6db73",
        ("symmetric_v0.2/fever_symmetric_dev.jsonl", "symmetric_v0.2/fever_symmetric_test.jsonl"),
        "CC BY-SA 3.0 (Wikipedia)",
    ),
    # --- the same said otherwise, and not quite the same
    Source(
        "wikisplit",
        "google-research-datasets/wiki-split",
        "80f5bddf42d1a68201b7b107ee4b8d86d82e9fde",
        ("tune.tsv", "validation.tsv"),
        "CC BY-SA 4.0",
    ),
    Source(
        # A copy of PAWS-X in text files; the original is an archive on another server.
        "pawsx",
        "GautamGupta17/MESH",
        "68f82e29e71a4e425069ff398a61387c24c0f30d",
        (
            "data/pawsx/tsv_files/test-de.tsv",
            *(f"data/pawsx/{part}-{x}.tsv" for part in ("dev", "test") for x in _PAWSX_LANGUAGES),
        ),
        "free for any purpose (Google, google-research-datasets/paws); MIT (copy)",
    ),
    Source(
        "ans",
        "latynt/ans",
        "9c5f313ab225880b9f60f4e795e6afb4da3352c8",
        ("data/stance/train.csv",),
        "Apache-2.0",
    ),
    Source(
        "daccord",
        "mskandalis/daccord-dataset-contradictions",
        "5000ba8a4b2f5258531fd112931d63e26ab4a81e",
        ("daccord_dataset.tsv",),
        "BSD-2-Clause",
    ),
    # --- used in the trial or looked at, and left out
    _left_out("sick", "brmson/dataset-sts", "CC BY-NC-SA 3.0"),
    _left_out("mrpc", "brmson/dataset-sts", "Microsoft's terms for research"),
    _left_out("anli", "facebookresearch/anli", "CC BY-NC 4.0"),
    _left_out("asset", "facebookresearch/asset", "CC BY-NC 4.0"),
    _left_out("xnli", "facebookresearch/XNLI", "CC BY-NC 4.0; so are its translations"),
    _left_out("rte", "cmnfriend/O-LoRA", "none stated; so RTE-3 in French, and part of negnli"),
    _left_out("cb", "cmnfriend/O-LoRA", "none stated"),
    _left_out("climate", "tdiggelm/climate-fever-dataset", "none stated"),
    _left_out("healthver", "sarrouti/HealthVer", "none stated"),
    _left_out("covidfact", "asaakyan/covidfact", "none stated"),
    _left_out("monli", "atticusg/MoNLI", "none stated"),
    _left_out("turk", "cocoxu/simplification", "none stated for the data"),
    _left_out("lingloop", "Alicia-Parrish/ling_in_loop", "none stated"),
    _left_out("inferes", "venelink/inferes", "none stated"),
    _left_out("esxnli", "artetxem/esxnli", "none stated"),
    _left_out("nli4ct", "ai-systems/nli4ct", "none stated"),
    _left_out("summedits", "salesforce/factualNLG", "Apache-2.0, but part of it is evaluated on"),
)

SHIPPING: Final = tuple(source for source in SOURCES if source.ships)


def fetch(source: Source, folder: Path, base: str = GITHUB) -> Path:
    """Get the files of ``source`` at its commit. A folder that has them all is left as it is."""
    place = folder / source.folder
    if all((place / file).is_file() for file in source.files):
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for words in (
        ["init", "--quiet"],
        ["remote", "add", "origin", f"{base}/{source.repository}"],
        # The commit alone, and of it only the files that are checked out.
        ["fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", source.commit],
        ["checkout", "--quiet", source.commit, "--", *source.files],
    ):
        git = shutil.which("git") or "git"
        subprocess.run([git, "-C", str(place), *words], check=True)  # noqa: S603 - the words above
    return place


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="print name, repository, commit and licence of each set")
    getting = commands.add_parser("fetch", help="get the sets that may be used")
    getting.add_argument("folder", type=Path)
    given = parser.parse_args()
    if given.command == "list":
        for source in SOURCES:
            print(
                source.name,
                source.repository,
                source.commit or "left out:",
                source.licence,
                sep="\t",
            )
        return
    for source in SHIPPING:
        print(source.name, fetch(source, given.folder), flush=True)


if __name__ == "__main__":
    main()
