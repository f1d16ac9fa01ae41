"""Recorded verdicts as a worse judge would have given them.

    flip:P  each verdict turned round with this probability
    coin    each verdict tossed
    yes     all supported
    no      none supported

Such a judge answers canaries (`halubot.llm_calls.canaries`) as it answers all else: the recorded
judge
is taken to know them, and its answers are turned round in the same way. There are as many as of a
judge that is known from earlier runs (`halubot.reliability.KNOWN`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from random import Random
from typing import Final, Literal

from halubot.errors import SettingError
from halubot.evaluation.rows import Row
from halubot.reliability import KNOWN, NOTHING, Tally

Kind = Literal["flip", "coin", "yes", "no"]

_PLAIN: Final[tuple[Kind, ...]] = ("coin", "yes", "no")

NONE: Final = "flip:0"


@dataclass(frozen=True, slots=True)
class Noise:
    """A worse judge: its ``kind``, and for "flip" the ``share`` of verdicts turned round."""

    kind: Kind
    share: float = 0.0

    def turned(self, verdict: int, random: Random) -> int:
        """Return what this judge says in place of a verdict, 0 for supported and 1 for not."""
        match self.kind:
            case "flip":
                return 1 - verdict if random.random() < self.share else verdict
            case "coin":
                return random.randint(0, 1)
            case "yes":
                return 0
            case "no":
                return 1

    def row(self, row: Row) -> Row:
        """Return the row with the verdicts of this judge, the same ones each time, and its answers
        to canaries."""
        random = Random(sha256(row.id.encode()).digest())  # noqa: S311 - no secrets
        said = tuple(
            tuple(None if one is None else self.turned(one, random) for one in of_sentence)
            for of_sentence in row.verdicts or ()
        )
        tally: Tally = NOTHING
        for number in range(KNOWN):
            right = number % 3 == 0  # of three in a call, one stands in the source
            tally = tally.counted(right, self.turned(int(not right), random) == 0)
        return replace(row, verdicts=said, canaries=tally)


def parse_noise(text: str) -> Noise:
    """Parse ``flip:0.3``, ``coin``, ``yes`` or ``no``. Raises SettingError for anything else."""
    kind, _, share = text.partition(":")
    for plain in _PLAIN:
        if text == plain:
            return Noise(plain)
    try:
        part = float(share)
    except ValueError:
        part = -1.0
    if kind != "flip" or not 0 <= part <= 1:
        raise SettingError(f"{text!r:.40} is no noise: write flip:0.3, coin, yes or no")
    return Noise("flip", part)


def with_noise(rows: Sequence[Row], text: str | None) -> tuple[Row, ...]:
    """Return the rows with their verdicts as a worse judge gives them, as they are for None; with
    its answers to canaries. Raises SettingError."""
    noise = parse_noise(NONE if text is None else text)
    return tuple(noise.row(row) for row in rows)
