"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path


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
