"""What a model that corrects is told of a doubted fact."""

from __future__ import annotations

import pytest

from halubot.correction.rewrite import describe_fact
from halubot.report import Evidence, Fact, SourceKind, Triple

KINDS: dict[str, SourceKind] = {
    **{f"r{n}": "reference" for n in range(1, 6)},
    **{f"s{n}": "sample" for n in range(1, 6)},
}


def against(source: str, quote: str = "", value: str | None = None) -> Evidence:
    return Evidence(
        source=source, stance="contradicts", quote=quote, start=0, end=len(quote), value=value
    )


AGREES = Evidence(source="r1", stance="supports", quote="born in 1816", start=0, end=12)
SILENT = Evidence(source="r2", stance="silent")
SAMPLES = [against(f"s{n}", "1815", "1815") for n in range(1, 4)]
REFERENCE = "; the reference says: "


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        ([], ""),
        ([AGREES, SILENT], ""),
        ([against("r1", "born\n in  1815", "1815")], f"{REFERENCE}born in 1815"),
        ([against("r1", value="1815")], f"{REFERENCE}1815"),
        ([against("r1")], ""),
        ([against("r1", "x" * 300)], f"{REFERENCE}{'x' * 300}"),
        ([against("r1", "x" * 301)], f"{REFERENCE}{'x' * 299}…"),
        # Three are enough.
        (
            [against(f"r{n}", f"word {n}") for n in range(1, 6)],
            "".join(f"{REFERENCE}word {n}" for n in range(1, 4)),
        ),
        (SAMPLES, "; other answers say 1815 (3 of 3)"),
        (SAMPLES[:1], ""),
    ],
)
def test_what_is_told(evidence: list[Evidence], told: str) -> None:
    fact = Fact(
        index=0,
        triple=Triple("Ada", "was born in", "1816"),
        sentences=(0,),
        spans=((0, 3),),
        verdict="doubtful",
        evidence=tuple(evidence),
    )
    assert describe_fact(fact, KINDS) == f"Ada | was born in | 1816{told}"
