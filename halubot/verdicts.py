"""The verdicts, apart from the models of a report: signs for them are needed before those."""

from __future__ import annotations

from typing import Final, Literal

Verdict = Literal["supported", "doubtful", "contradicted", "not_checked"]

SEVERITY: Final[tuple[Verdict, ...]] = ("contradicted", "doubtful", "not_checked", "supported")
"""The verdicts, worst first."""

DOUBTED: frozenset[Verdict] = frozenset({"doubtful", "contradicted"})

UNSPOKEN: Final = "halubot found no sentence of the sources on it"
UNDECIDED: Final = (
    "the sources have something on it or near it; halubot cannot tell whether they say so"
)
"""The two reasons of `consensus` for a fact that is not checked."""
