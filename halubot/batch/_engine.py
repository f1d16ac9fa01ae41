"""Which engine checks a batch, and where: a value, without the engine itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EngineName = Literal["dask", "ray"]


@dataclass(frozen=True, slots=True)
class Engine:
    """Which engine, and where: ``workers`` processes of this machine (None: one a processor), or
    those of a cluster at ``address``. ``chunk`` messages go to a worker at a time; None is 20, or
    4 with a model."""

    name: EngineName
    workers: int | None = None
    address: str | None = None
    chunk: int | None = None
