"""What is kept is its owner's alone, also if it was not before."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from halubot.state.sessions import Sessions

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")


def modes(folder: Path) -> dict[str, int]:
    return {one.name: stat.S_IMODE(one.stat().st_mode) for one in (folder, *folder.iterdir())}


def test_loose_files_are_tightened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "state"
    monkeypatch.setenv("HALUBOT_STATE", str(folder))
    with Sessions.open():
        pass
    folder.chmod(0o755)
    for file in folder.iterdir():
        file.chmod(0o664)
    with Sessions.open():
        assert set(modes(folder).values()) == {0o700, 0o600}


def test_a_folder_that_was_named_keeps_its_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "other").write_text("x")
    (tmp_path / "other").chmod(0o644)
    with Sessions.open(tmp_path):
        found = modes(tmp_path)
    assert (found.pop(tmp_path.name), found.pop("other")) == (0o755, 0o644)
    assert set(found.values()) == {0o600}
