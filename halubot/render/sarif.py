"""A report as SARIF 2.1.0, which code hosts show as annotations of lines.

Source: OASIS, "Static Analysis Results Interchange Format Version 2.1.0"; of it what GitHub's code
scanning reads. Columns count Unicode code points from 1, and ``columnKind`` says so.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from halubot.render.inert import inert, one_line
from halubot.render.items import Entry, listing, quotes
from halubot.report import Report, Verdict

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

LEVELS: Final[dict[Verdict, str]] = {
    "contradicted": "error",
    "doubtful": "warning",
    "not_checked": "note",
}
"""How bad each verdict is; what is supported is no result."""

RULES: Final[dict[Verdict, str]] = {
    "contradicted": "A source says otherwise.",
    "doubtful": "The evidence leans against it.",
    "not_checked": "Nothing could be decided.",
}


def to_sarif(report: Report, name: str) -> str:
    """The doubted and unchecked entries of a report as results in the file ``name``, a path that
    is relative to the folder that the results are shown for."""
    kinds = list(RULES)
    rules = [
        {
            "id": kind,
            "shortDescription": {"text": RULES[kind]},
            "defaultConfiguration": {"level": LEVELS[kind]},
        }
        for kind in kinds
    ]
    driver = {"name": "halubot", "version": report.engine, "rules": rules}
    starts = _line_starts(report.text)
    results = [
        _result(entry, report, name, starts, kinds)
        for entry in sorted(listing(report), key=lambda entry: entry.spans)
        if entry.verdict in LEVELS and entry.spans
    ]
    notes = [
        {"level": "warning", "message": {"text": one_line(f"{one.what}: {one.why}")}}
        for one in report.problems
    ]
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
    }
    return json.dumps(
        {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2
    )


def _result(
    entry: Entry, report: Report, name: str, starts: list[int], kinds: list[Verdict]
) -> dict[str, Any]:
    words = " … ".join(report.text[start:end] for start, end in entry.spans)
    start, end = entry.spans[0][0], entry.spans[-1][1]
    # The same words with the same verdict are the same result when lines above them change.
    mark = sha256(f"{entry.verdict}\0{words}".encode("utf-8", "replace")).hexdigest()[:16]
    return {
        "ruleId": entry.verdict,
        "ruleIndex": kinds.index(entry.verdict),
        "level": LEVELS[entry.verdict],
        "message": {"text": _message(entry, report, words)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(name.replace("\\", "/"))},
                    "region": _region(start, end, starts),
                }
            }
        ],
        "partialFingerprints": {"halubot/v1": mark},
    }


def _message(entry: Entry, report: Report, words: str) -> str:
    told = [f"“{one_line(words)}”: {RULES[entry.verdict]}"]
    told += [
        part if part.endswith(".") else f"{part}." for part in (entry.said, entry.reason) if part
    ]
    if entry.fact is not None and entry.is_doubted:
        told += [f"{one.name}: “{one.text}”" for one in quotes(entry.fact, report, most=1)]
    return inert(" ".join(told))


def _region(start: int, end: int, starts: list[int]) -> dict[str, int]:
    # The end is exclusive, so the last character decides the line: a span that ends with a line
    # break ends on that line.
    first, last = (bisect_right(starts, place) - 1 for place in (start, max(start, end - 1)))
    return {
        "startLine": first + 1,
        "startColumn": start - starts[first] + 1,
        "endLine": last + 1,
        "endColumn": end - starts[last] + 1,
    }


def _line_starts(text: str) -> list[int]:
    """Return the beginning of each line. Editors end lines with LF, CRLF or CR, and with nothing
    else."""
    starts = [0]
    for place, sign in enumerate(text):
        if sign == "\n" or (sign == "\r" and text[place + 1 : place + 2] != "\n"):
            starts.append(place + 1)
    return starts
