"""Files that results are kept in: work that resumes is read again and added to, and a file with one
result is written whole or not at all."""

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


def write_whole(path: Path, text: str, *, private: bool = False) -> None:
    """Write a file whole: if the disk is full, what it held before is still there, and who reads it
    sees the old file or the new one. A pipe, a device, and a file in a folder that takes no other
    are written as they are. A ``private`` file is for its owner alone. Raises OSError."""
    target = path.resolve() if path.is_symlink() else path
    whole = os.access(target.parent, os.W_OK)
    if target.exists() and not (target.is_file() and whole):
        target.write_text(text, encoding="utf-8")
        return
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        # As `open` would make it, which `tempfile` does not: others may read it if they may others.
        mode = 0o600 if private else 0o666
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        if target.exists():
            kept = stat.S_IMODE(target.stat().st_mode)
            draft.chmod(kept & 0o600 if private else kept)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
