"""Files that results are kept in."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from halubot.work_file import write_whole


def test_a_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    target, link = tmp_path / "a.txt", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "né")
    assert link.is_symlink()
    assert (target.read_text(encoding="utf-8"), target.stat().st_mode & 0o777) == ("né", 0o640)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    class Full(io.StringIO):
        def close(self) -> None:
            raise OSError(28, "No space left on device")

    def open_full(descriptor: int, mode: str, encoding: str) -> Full:
        os.close(descriptor)
        return Full()

    monkeypatch.setattr(os, "fdopen", open_full)
    with pytest.raises(OSError, match="No space"):
        write_whole(target, "new")
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]
    assert target.read_text() == "old"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "text")
    reader.join(60)
    assert found == ["text"]
