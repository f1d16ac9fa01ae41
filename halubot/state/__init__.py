"""State kept on this machine: small SQLite bases that upgrade themselves.

`Base` is the base that feedback (`halubot.feedback`), the sessions of the terminal app
(`halubot.state.sessions`) and bots build on.
"""

from __future__ import annotations

from halubot.state.database import (
    VARIABLE,
    Base,
    DamagedStateError,
    NameTakenError,
    NewerStateError,
    Step,
    Upgrade,
    set_aside,
    state_folder,
)

__all__ = [
    "VARIABLE",
    "Base",
    "DamagedStateError",
    "NameTakenError",
    "NewerStateError",
    "Step",
    "Upgrade",
    "set_aside",
    "state_folder",
]
