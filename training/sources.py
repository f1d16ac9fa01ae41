"""Get the public data sets that the verifier is trained on: those of `training/data/sources.toml`,
which says of each the repository, the commit and the licence, and of others why they are left out.

    python -m training.sources FOLDER

Each repository comes from GitHub at the commit named there, and of it the files that
`training.public_pairs` reads: FOLDER/OWNER+NAME/FILE. It needs git 2.27 or later and about 60 MB.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GITHUB: Final = "https://github.com"
TABLE: Final = Path(__file__).parent / "data" / "sources.toml"


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


def _read() -> Iterator[Source]:
    kept = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    for row in kept["sources"]:
        yield Source(**{**row, "files": tuple(row["files"])})
    for row in kept["left_out"]:
        yield Source(row["name"], row["repository"], "", (), row["reason"], ships=False)


SOURCES: Final = tuple(_read())
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    for source in SHIPPING:
        print(source.name, fetch(source, given.folder), flush=True)
