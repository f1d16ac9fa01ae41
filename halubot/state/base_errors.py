"""What the bases of this machine refuse, under `halubot.errors.StateError`.

StateError                  what is kept here cannot be read or written
├── DamagedStateError       the file is broken: it can be set aside (`halubot.state.set_aside`)
├── NewerStateError         a newer halubot wrote it
└── NameTakenError          there is a session of that name already
"""

from __future__ import annotations

from pathlib import Path

from halubot.errors import StateError


class DamagedStateError(StateError):
    """A file that is broken, or no base of this kind; ``path`` is where it lies."""

    def __init__(self, path: Path, holds: str) -> None:
        self.path = path
        super().__init__(
            f"the file of {holds} {path} is damaged, or is not one: set it aside under another"
            " name, and a fresh one is begun"
        )


class NewerStateError(StateError):
    """A base of version ``found``, where this halubot knows up to ``known``."""

    def __init__(self, path: Path, holds: str, found: int, known: int) -> None:
        self.found = found
        self.known = known
        super().__init__(
            f"the file of {holds} {path} was written by a newer halubot (version {found}, known up"
            f" to {known}): update halubot"
        )


class NameTakenError(StateError):
    """Another session of the same owner has that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is a session {name!r} already: choose another name")
