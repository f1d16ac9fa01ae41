"""A rate: how many in how much time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from halubot.errors import SettingError

_SECONDS: Final = {"s": 1.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Rate:
    """At most ``count`` in any ``seconds`` seconds."""

    count: int
    seconds: float


def parse_rate(text: str) -> Rate:
    """Parse ``500/min``, ``10/s`` or ``10000/h``. Raises SettingError for anything else."""
    found = re.fullmatch(r"([1-9][0-9]{0,8})/(s|min|h)", text.strip())
    if found is None:
        raise SettingError(f"{text!r:.40} is not a rate: write it like 500/min, 10/s or 10000/h")
    return Rate(int(found[1]), _SECONDS[found[2]])
