"""What is kept on this machine: small SQLite bases that upgrade themselves.

`Base` is the base that feedback (`halubot.feedback`), the sessions of the terminal app
(`halubot.state.sessions`) and bots build on.
"""

from __future__ import annotations

import os
from pathlib import Path

from halubot.state.base import Base, Step, Upgrade
from halubot.state.errors import DamagedStateError, NameTakenError, NewerStateError
from halubot.state.files import set_aside

VARIABLE = "HALUBOT_STATE"
"""The environment variable that names another folder."""


def state_folder() -> Path:
    """Where bases are kept unless a person says otherwise: what HALUBOT_STATE names, else
    ``state`` in the platform's folder for data. It need not exist."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "state"


__all__ = [
    "Base",
    "DamagedStateError",
    "NameTakenError",
    "NewerStateError",
    "Step",
    "Upgrade",
    "set_aside",
    "state_folder",
]
