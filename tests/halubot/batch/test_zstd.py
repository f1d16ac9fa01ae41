"""Batches in compressed files: read, written, gone on with, and files that are damaged."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from halubot.batch import Tally, check_file, count, rehearse_file
from halubot.errors import InputError, MissingExtraError, UnreadableError
from halubot.inputs import Options

zstandard = pytest.importorskip("zstandard")

LINES = b"".join(
    json.dumps({"text": f"Ada ran {n} miles.", "references": ["Ada ran 3 miles."]}).encode() + b"\n"
    for n in range(5)
)


def packed(data: bytes) -> bytes:
    made: bytes = zstandard.ZstdCompressor().compress(data)
    return made


def unpacked(path: Path) -> bytes:
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        text: bytes = reader.read()
        return text


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl.zst"
    path.write_bytes(packed(LINES[:100]) + packed(LINES[100:]))  # a line in two frames
    return path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl.zst"


def test_the_lines_are_those_of_plain_files(source: Path, target: Path, tmp_path: Path) -> None:
    plain = tmp_path / "in.jsonl"
    plain.write_bytes(LINES)
    assert count(source) == 5
    assert check_file(source, target) == Tally(checked=5)
    check_file(plain, tmp_path / "out.jsonl")
    assert unpacked(target) == (tmp_path / "out.jsonl").read_bytes()
    assert target.stat().st_size < (tmp_path / "out.jsonl").stat().st_size
    assert (tmp_path / "out.summary.json").exists()


@pytest.mark.slow
def test_cut_off_anywhere_it_is_made_whole(source: Path, target: Path) -> None:
    check_file(source, target)
    whole = target.read_bytes()
    for size in range(0, len(whole), 97):
        target.write_bytes(whole[:size])
        tally = check_file(source, target)
        assert tally.kept + tally.checked == 5
        assert target.read_bytes() == whole


def test_a_rehearsal_knows_what_is_done(source: Path, target: Path) -> None:
    given = Options(references=["Ada ran."])
    whole = rehearse_file(source, target, options=given)
    assert len(whole) == 5
    check_file(source, target, options=given)
    assert rehearse_file(source, target, options=given) == []


@pytest.mark.parametrize("content", [b"notes of mine\n", packed(b"notes of mine\n")])
def test_a_file_that_is_no_output_is_left_alone(source: Path, target: Path, content: bytes) -> None:
    target.write_bytes(content)
    with pytest.raises(InputError, match="was not made from"):
        check_file(source, target)
    assert target.read_bytes() == content


def test_an_output_that_another_program_compressed_is_left_alone(
    source: Path, target: Path
) -> None:
    check_file(source, target)
    other = packed(unpacked(target))
    target.write_bytes(other)
    with pytest.raises(InputError, match="another program wrote it"):
        check_file(source, target)
    assert target.read_bytes() == other


@pytest.mark.parametrize("size", [3, 40, -1])
def test_an_input_that_was_cut_off_is_no_shorter_input(
    source: Path, target: Path, size: int
) -> None:
    source.write_bytes(packed(LINES)[:size])
    with pytest.raises(UnreadableError, match="was cut off"):
        count(source)
    with pytest.raises(UnreadableError, match="was cut off"):
        check_file(source, target)


def test_an_input_that_is_not_compressed_is_told(source: Path) -> None:
    source.write_bytes(LINES)
    with pytest.raises(UnreadableError, match="it is damaged"):
        count(source)


def test_without_the_library_the_extra_is_named(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"halubot\[zst\]"):
        count(source)
