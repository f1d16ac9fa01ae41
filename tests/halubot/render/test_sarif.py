"""A report as SARIF: levels, places, and words that code hosts show."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from halubot import check
from halubot.render.sarif import _line_starts, _region, to_sarif


def results(text: str, reference: str, name: str = "notes/life.md") -> list[dict[str, Any]]:
    """The results of checking a text against a reference."""
    found = json.loads(to_sarif(check(text, references=[reference]), name))
    (run,) = found["runs"]
    assert found["version"] == "2.1.0"
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [
        "contradicted",
        "doubtful",
        "not_checked",
    ]
    listed: list[dict[str, Any]] = run["results"]
    return listed


def test_a_contradiction_is_an_error_at_its_words() -> None:
    first, *rest = results("Ada was born\nin 1816.", "Ada was born in 1815.")
    assert rest == []
    assert first["level"] == "error"
    assert first["message"]["text"].startswith("“1816”: A source says otherwise.")
    assert "“Ada was born in 1815.”" in first["message"]["text"]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "notes/life.md"}
    assert place["region"] == {"startLine": 2, "startColumn": 4, "endLine": 2, "endColumn": 8}


def test_what_was_not_checked_is_a_note_with_its_reason() -> None:
    (note,) = results("Cats purr.", "Ada was born in 1815.")
    assert note["level"] == "note"
    assert note["ruleId"] == "not_checked"
    assert "Nothing could be decided." in note["message"]["text"]


def test_what_is_supported_is_no_result() -> None:
    assert results("Ada was born in 1815.", "Ada was born in 1815.") == []


def test_a_result_is_known_again_when_lines_above_it_change() -> None:
    one, two = (
        results(f"{head}Ada was born in 1816.", "Ada was born in 1815.") for head in ("", "\n\n")
    )
    assert one[-1]["partialFingerprints"] == two[-1]["partialFingerprints"]
    assert one[-1]["locations"] != two[-1]["locations"]


def test_names_are_written_as_addresses() -> None:
    (one,) = results("Ada was born in 1816.", "Ada was born in 1815.", "my notes/ä.md")
    uri = one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "my%20notes/%C3%A4.md"


@given(st.text(alphabet="ab\r\n\u2028😀", max_size=40), st.data())
def test_a_region_is_the_place_in_its_lines(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    region = _region(start, end, _line_starts(text))
    lines = text.replace("\r\n", "\r\0").replace("\r\0", "\n\0").replace("\r", "\n").split("\n")
    kept = [line.replace("\0", "") for line in lines]
    if end > start and not any(sign in text[start:end] for sign in "\r\n"):
        line = kept[region["startLine"] - 1]
        assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == text[start:end]
        assert region["startLine"] == region["endLine"]
