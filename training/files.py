"""Files of rows: JSON lines, plain or compressed."""

from __future__ import annotations

import gzip
import json
from typing import Any


def read_rows(path: str) -> list[dict[str, Any]]:
    """Return the rows of a file; one that ends in ``.gz`` is decompressed."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
