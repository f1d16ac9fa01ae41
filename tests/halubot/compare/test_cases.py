"""Plain cases from extraction to stance: what a source says of a message, in ``cases.txt``."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot.claims import extract
from halubot.compare.matcher import Matcher
from halubot.text import read


def cases() -> list[tuple[str, str, str]]:
    lines = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            wanted, message, source = line.split(" | ")
            found.append((wanted, message, source))
    return found


def heard(message: str, source: str) -> str:
    document = read(message)
    facts = extract(document)
    assert facts
    compared = Matcher(document, facts, None).compare(read(source))
    stances = {finding.stance for finding in compared.facts}
    if "contradicts" in stances:
        return "contradicts"
    return "supports" if stances == {"supports"} else "silent"


OPPOSITE = {"supports": "contradicts", "contradicts": "supports", "unopposed": "contradicts"}


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "message", "source"), cases())
def test_a_source_takes_the_stance_of_the_case(wanted: str, message: str, source: str) -> None:
    found = heard(message, source)
    limit, _, right = wanted.rpartition(" ")
    if limit or right == "unopposed":
        assert found != OPPOSITE[right]
    else:
        assert found == right
