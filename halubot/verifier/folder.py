"""Where downloaded encoders lie."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

VARIABLE: Final = "HALUBOT_LOCAL_MODELS"


def models_folder() -> Path:
    """Return the place at which downloaded models lie: what HALUBOT_LOCAL_MODELS names, else
    ``local-models`` in the platform's folder for data. It need not exist."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "local-models"


def folder_of(name: str) -> Path:
    """Return the folder of a downloaded model by its name, or by that of its repository."""
    return models_folder() / name.replace("/", "--")
