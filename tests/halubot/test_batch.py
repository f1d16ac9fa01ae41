"""Many messages: order, resumption, broken lines, and outputs that belong elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import Report, Source
from halubot.batch import Line, Tally, check_file
from halubot.errors import InputError, UnknownMethodError
from halubot.inputs import Options

LINES: list[dict[str, Any]] = [
    {"id": "a", "text": "Ada was born in 1816.", "samples": ["Ada was born in 1815."] * 3},
    {"text": "Ada was born in 1815.", "references": [{"text": "Ada was born in 1815."}]},
    {"id": 7, "text": "It rained. It shone.", "sentences": ["It rained.", "It shone."]},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(tmp_path / "in.jsonl", LINES)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_for_each_message_in_order(source: Path, target: Path) -> None:
    seen: list[Line] = []
    tally = check_file(source, target, watch=seen.append)
    assert tally == Tally(checked=3)
    found = read(target)
    assert [line["id"] for line in found] == ["a", 2, 7]
    assert {line["report"]["usage"] for line in found} == {None}
    reports = [Report.model_validate(line["report"]) for line in found]
    assert [report.text for report in reports] == [line["text"] for line in LINES]
    assert [bool(report.doubted()) for report in reports] == [True, False, False]
    assert [source.kind for source in reports[1].sources] == ["reference"]
    assert len(reports[2].sentences) == 2
    assert [(line.place, line.id, line.error) for line in seen] == [
        (1, "a", None),
        (2, 2, None),
        (3, 7, None),
    ]


def test_common_options_hold_for_every_line(source: Path, target: Path) -> None:
    common = Source(id="x", kind="reference", text="Ada was born in 1815.")
    check_file(source, target, options=Options(threshold=0.25, references=[common], question="Q"))
    reports = [Report.model_validate(line["report"]) for line in read(target)]
    assert {report.threshold.value for report in reports} == {0.25}
    assert [len(report.sources) for report in reports] == [4, 2, 1]
    assert {report.question.text for report in reports if report.question} == {"Q"}


BROKEN = {
    "no JSON": (b"{", "not JSON"),
    "no object": (b'"text"', 'not an object with "text"'),
    "no text": (b'{"id": "b"}', 'it has no "text"'),
    "text no string": (b'{"text": 1}', '"text" is not a string'),
    "blank text": (b'{"text": " "}', "empty"),
    "samples no list": (b'{"text": "A.", "samples": "B."}', '"samples" is not a list of texts'),
    "sample no text": (
        b'{"text": "A.", "samples": ["B.", {}]}',
        '"samples" holds no text at place 2',
    ),
    "wrong sentence": (b'{"text": "A b.", "sentences": ["C d."]}', ""),
    "wrong id": (b'{"id": [1], "text": "A."}', '"id" is neither a string nor a number'),
    "no UTF-8": (b'{"text": "\xff"}', "not JSON"),
    "deep": (b"[" * 100_000, "not JSON"),
}


@pytest.mark.parametrize(("raw", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_line_becomes_an_error_and_the_work_goes_on(
    source: Path, target: Path, raw: bytes, why: str
) -> None:
    source.write_bytes(b"\n" + raw + b"\n" + source.read_bytes())
    assert check_file(source, target) == Tally(checked=3, errors=1)
    first, *others = read(target)
    assert set(first) == {"id", "key", "error"}
    assert first["error"].startswith(f"{source}, line 2: ")
    assert why in first["error"]
    assert "fault" not in first["error"]
    assert [line["id"] for line in others] == ["a", 4, 7]


def test_a_second_run_does_nothing_again(source: Path, target: Path) -> None:
    check_file(source, target)
    before = target.read_bytes()
    assert check_file(source, target) == Tally(kept=3)
    assert target.read_bytes() == before


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_stopped_in_the_middle_it_goes_on_there(
    source: Path, target: Path, stop: type[BaseException], tmp_path: Path
) -> None:
    def stopping(line: Line) -> None:
        if line.place == 2:
            raise stop

    with pytest.raises(stop):
        check_file(source, target, watch=stopping)
    assert len(read(target)) == 2
    assert check_file(source, target) == Tally(checked=1, kept=2)
    check_file(source, tmp_path / "whole.jsonl")
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.slow
@given(share=st.floats(0, 1))
def test_cut_off_anywhere_it_is_made_whole(
    share: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    source = written(folder / "in.jsonl", LINES)
    whole, cut = folder / "whole.jsonl", folder / "cut.jsonl"
    check_file(source, whole)
    data = whole.read_bytes()
    cut.write_bytes(data[: int(share * len(data))])
    tally = check_file(source, cut)
    assert tally.kept + tally.checked == 3
    assert cut.read_bytes() == data


def test_a_damaged_line_of_the_output_is_not_taken_for_a_report(source: Path, target: Path) -> None:
    check_file(source, target)
    lines = target.read_bytes().splitlines(keepends=True)
    damaged = b"".join([lines[0], lines[1][:-40] + b"\n", *lines[2:]])
    target.write_bytes(damaged)
    with pytest.raises(InputError, match="line 2, is damaged"):
        check_file(source, target)
    assert target.read_bytes() == damaged


def test_an_output_of_other_lines_is_refused_and_left_alone(source: Path, target: Path) -> None:
    check_file(source, target)
    before = target.read_bytes()
    written(source, [LINES[1], *LINES[1:]])
    with pytest.raises(InputError, match=r"out\.jsonl, line 1, was not made from this input"):
        check_file(source, target)
    written(source, LINES[:2])
    with pytest.raises(InputError, match=r"out\.jsonl, line 3, was not made"):
        check_file(source, target)
    assert target.read_bytes() == before


@pytest.mark.parametrize(
    "options",
    [Options(threshold=0.75), Options(references=["Another."]), Options(method="selfcheck-ngram")],
)
def test_an_output_of_other_options_is_refused(
    source: Path, target: Path, options: Options
) -> None:
    check_file(source, target)
    with pytest.raises(InputError, match="with these options"):
        check_file(source, target, options=options)


@pytest.mark.parametrize("content", [b"notes of mine\n", b"{}\n", b"\x00\x00\n", b'["a"]\n'])
def test_a_file_that_is_no_output_is_left_alone(source: Path, target: Path, content: bytes) -> None:
    target.write_bytes(content)
    with pytest.raises(InputError, match="was not made from"):
        check_file(source, target)
    assert target.read_bytes() == content


def test_the_input_is_never_the_output(source: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(source)
    for target in (source, link):
        with pytest.raises(InputError, match="would overwrite the input"):
            check_file(source, target)
    assert len(read(source)) == 3


def test_an_unknown_method_is_refused_before_anything_is_written(
    source: Path, target: Path
) -> None:
    with pytest.raises(UnknownMethodError, match="did you mean"):
        check_file(source, target, options=Options(method="consenus"))
    assert not target.exists()
