"""The settings file: found, read, refused where it is wrong, changed with care."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import settings
from halubot.errors import SettingError

KNOWN = ("method", "on_doubt", "threshold", "reference")


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "deep" / "settings.toml"
    monkeypatch.setenv("HALUBOT_CONFIG", str(path))
    return path


def write(file: Path, text: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)


def test_without_the_variable_it_lives_in_the_platforms_folder(nobody: Path) -> None:
    assert nobody in settings.path().parents
    assert settings.path().name == "config.toml"


def test_an_unknown_name_is_named_with_its_file_and_the_nearest(file: Path) -> None:
    write(file, "on_doupt = 'mark'")
    with pytest.raises(SettingError) as refused:
        settings.read(KNOWN)
    assert (
        str(refused.value)
        == f"there is no setting 'on_doupt' (in {file}): did you mean 'on_doubt'?"
    )


@pytest.mark.parametrize("content", ["method =", "= 1", b"\xff\xfe", "[a"])
def test_a_broken_file_is_one_line_that_names_it(file: Path, content: str | bytes) -> None:
    write(file, content)
    with pytest.raises(SettingError) as refused:
        settings.read(KNOWN)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_change_keeps_comments_order_and_the_rest(file: Path) -> None:
    write(file, "# mine\nmethod = 'a' # why\n\nthreshold = 0.25\n")
    assert settings.change({"method": "b", "on_doubt": "mark"}) == file
    assert file.read_text() == '# mine\nmethod = "b" # why\n\nthreshold = 0.25\non_doubt = "mark"\n'


def test_a_change_makes_the_file_and_its_folder(file: Path) -> None:
    settings.change({"method": "b"})
    assert settings.read(KNOWN) == {"method": "b"}
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.skipif(os.name != "posix", reason="modes of files are of POSIX")
@pytest.mark.parametrize(
    ("before", "after"), [(None, 0o600), (0o644, 0o600), (0o600, 0o600), (0o400, 0o400)]
)
def test_only_its_owner_can_read_what_was_changed(
    file: Path, before: int | None, after: int
) -> None:
    if before is not None:
        write(file, "method = 'a'\n")
        file.chmod(before)
    settings.change({"api_base": "http://me:secret@localhost"})
    assert stat.S_IMODE(file.stat().st_mode) == after
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_a_broken_file_is_not_written_over(file: Path) -> None:
    write(file, "method =")
    with pytest.raises(SettingError, match="is not TOML"):
        settings.change({"method": "b"})
    assert file.read_text() == "method ="


@given(
    values=st.dictionaries(
        st.sampled_from(KNOWN),
        st.one_of(
            st.booleans(),
            st.integers(-(2**53), 2**53),
            st.text(st.characters(exclude_categories=["Cs"])),
            st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
        ),
    )
)
def test_what_is_written_is_read_again(
    values: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        file = tmp_path_factory.mktemp("settings") / "config.toml"
        patch.setenv("HALUBOT_CONFIG", str(file))
        settings.change(values)
        assert settings.read(KNOWN) == values
        assert tomllib.loads(file.read_text(encoding="utf-8")) == values
