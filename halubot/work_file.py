"""The file of work that resumes: what is done is read again, then added to."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from halubot.errors import InputError, explain


def open_work_file(path: Path) -> BinaryIO:
    """The file, made if there is none, at its beginning, to be read and written. Raises
    InputError if it cannot be written, and for a pipe or a device, which holds nothing."""
    try:
        if path.exists() and not stat.S_ISREG(path.stat().st_mode):
            why = "it is a folder" if path.is_dir() else "it is no file that can be read again"
            raise InputError(f"cannot write {path}: {why}")
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError as error:
        raise InputError(f"cannot write {path}: {explain(error)}") from error
