"""The verdicts, apart from the models of a report: signs for them are needed before those."""

from __future__ import annotations

from typing import Literal

Verdict = Literal["supported", "doubtful", "contradicted", "not_checked"]

DOUBTED: frozenset[Verdict] = frozenset({"doubtful", "contradicted"})
