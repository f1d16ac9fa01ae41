"""Build the list of Chinese words of `halubot.compare` from the dictionary of jieba.

    python tools/build_chinese.py jieba/dict.txt

The file is part of the source of the PyPI package `jieba` 0.42.1 (MIT licence). The output is
`halubot/compare/data/chinese.tsv.gz`: a word, the logarithm of how often it is seen, and "nr", "ns"
or "nt" for the name of a person, a place or a body. The same input gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import math
import sys
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).parents[1] / "halubot" / "compare" / "data" / "chinese.tsv.gz"
SELDOM: Final = 50
"""Words that are seen less often are left out: 52,000 of 349,000 stay."""
NAMES: Final = {"nr": "nr", "nrfg": "nr", "nrt": "nr", "ns": "ns", "nt": "nt"}


def main(source: Path) -> None:
    """Write the list."""
    lines = []
    for line in source.read_text(encoding="utf-8").splitlines():
        word, count, tag = line.split(" ")
        if int(count) < SELDOM or any(character.isascii() for character in word):
            continue
        lines.append(f"{word}\t{round(10 * math.log(int(count)))}\t{NAMES.get(tag, '')}")
    packed = io.BytesIO()
    # No time in the header (RFC 1952, MTIME): the same input gives the same bytes.
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write("\n".join(sorted(lines)).encode())
    TARGET.write_bytes(packed.getvalue())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
