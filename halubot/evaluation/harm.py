"""What a judge does to the marks that a reader sees: units doubted with it and without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from halubot.evaluation.checked import Scored, units
from halubot.report import DOUBTED

BESIDE: Final = "consensus"
"""The method without a judge that the shares stand beside."""


def count_doubts(rows: Sequence[Scored]) -> dict[str, float | None]:
    """Return the shares of wrong and of right units that are doubted, by their verdicts: those of
    sentences, of messages by any mark, of labelled facts by a score of 0.5. None of none."""
    counts = {True: [0, 0], False: [0, 0]}
    for one in rows:
        for wrong, doubts in _units(one):
            counts[wrong][0] += doubts
            counts[wrong][1] += 1
    return {
        name: round(hits / of, 4) if of else None
        for name, (hits, of) in (("wrong", counts[True]), ("right", counts[False]))
    }


def harm(rows: Sequence[Scored], alone: Sequence[Scored], method: str) -> dict[str, Any]:
    """Return the shares of a method, and those of the comparison alone on the same rows."""
    return {method: count_doubts(rows), BESIDE: count_doubts(alone)}


def remark(found: dict[str, Any]) -> str:
    """Return the same in a line."""
    said = (
        f"{name} {_format_share(share['wrong'])} / {_format_share(share['right'])}"
        for name, share in found.items()
    )
    return f"wrong / right units doubted: {', '.join(said)}"


def _format_share(share: float | None) -> str:
    return "-" if share is None else f"{share:.2f}"


def _units(one: Scored) -> list[tuple[bool, bool]]:
    judged = one.judged
    if one.row.sentences is not None and judged is not None and not one.row.labelled:
        golds = zip(one.row.gold, judged.sentences, strict=True)
        return [(gold > 0, said.verdict in DOUBTED) for gold, said in golds]
    if one.row.labelled or judged is None:
        return [(unit.wrong, (unit.score or 0.0) >= 0.5) for unit in units(one)]
    return [(unit.wrong, bool(judged.marks())) for unit in units(one)]
