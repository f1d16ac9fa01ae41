"""One bot at a time: two over one base would answer everything twice.

The sign is a transaction that is held open on a small SQLite file. The system takes it back when
the process ends, however it ends, so nothing is left to clean up.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final

from halubot.errors import StateError
from halubot.state import state_folder

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

FILE: Final = "bots.lock"


class Alone:
    """Holds the sign while it is entered. Raises StateError if another process holds it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or state_folder()) / FILE
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = sqlite3.connect(
                self._path, timeout=0, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self.__exit__(None, None, None)
            raise StateError(
                f"another halubot bot runs with the folder {self._path.parent}: stop it first, or"
                " give this one a folder of its own (HALUBOT_STATE)"
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
