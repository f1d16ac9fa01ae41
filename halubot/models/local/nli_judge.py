"""A classifier of entailment: does what the source says entail the claim, or contradict it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from halubot.compare.tokens import Worded
from halubot.errors import LocalModelError
from halubot.models.local.encoder import LONGEST, Encoder
from halubot.models.local.encoder_judge import ROOM, TOO_LONG, UNSPOKEN, Claim, Reading
from halubot.models.local.source_windows import SourceWindow, SourceWindows

if TYPE_CHECKING:
    from halubot.models.local.encoder import Numbers

_FRAME: Final = 8
"""Tokens around and between source and claim, at most."""

_SURE: Final = 0.5


class NliJudge:
    """A sequence classifier of pairs (source, claim). Its classes go by the names in its
    config.json. A claim is supported if any window entails it; it is contradicted only if the
    window that fits it best contradicts it, since other sentences speak of other things."""

    def __init__(self, name: str, encoder: Encoder) -> None:
        self.name = name
        self._encoder = encoder
        self._labels = encoder.folder.labels()
        self._entailed = self._class("entail")
        # A model of two classes, such as entailment and not_entailment, never contradicts.
        refusing = [at for at, label in enumerate(self._labels) if label.startswith("contradict")]
        self._contradicted = refusing[0] if refusing else None

    def read(self, source: Worded, claims: Sequence[Claim]) -> list[Reading]:
        """See `EncoderJudge.read`."""
        windows = SourceWindows(source, self._encoder.count)
        asked: list[tuple[int, SourceWindow]] = []
        readings = [UNSPOKEN] * len(claims)
        for place, claim in enumerate(claims):
            size = self._encoder.count(claim.text)
            if size > ROOM:
                readings[place] = Reading(failure=TOO_LONG)
                continue
            around = windows.around(claim.text, LONGEST - _FRAME - size)
            asked += [(place, window) for window in around]
        rows = self._encoder.run(
            [
                self._encoder.encode(windows.words(window), claims[place].text)
                for place, window in asked
            ]
        )
        said: dict[int, list[tuple[SourceWindow, Numbers]]] = {}
        for (place, window), row in zip(asked, rows, strict=True):
            said.setdefault(place, []).append((window, self._probabilities(row)))
        for place, own in said.items():
            readings[place] = self._reading(own)
        return readings

    def _reading(self, said: Sequence[tuple[SourceWindow, Numbers]]) -> Reading:
        """Return what all windows say together, of which the first fits the claim best."""
        window, row = max(said, key=lambda one: float(one[1][self._entailed]))
        doubt = 1 - float(row[self._entailed])
        if doubt < _SURE:
            return Reading("supports", window.sentence, doubt)
        nearest, first = said[0]
        if self._contradicted is not None and first[self._contradicted] > _SURE:
            return Reading("contradicts", nearest.sentence, doubt)
        return Reading(doubt=doubt)

    def _probabilities(self, row: Numbers) -> Numbers:
        if row.shape != (len(self._labels),):
            raise LocalModelError(
                f"{self._encoder.folder.weights} gives {row.shape} numbers a text, and its"
                f" config.json names {len(self._labels)} labels: it is no classifier of these"
            )
        return softmax(row)

    def _class(self, name: str) -> int:
        found = [at for at, label in enumerate(self._labels) if label.startswith(name)]
        if len(found) != 1:
            raise LocalModelError(
                f"the labels of {self._encoder.folder.path} are {', '.join(self._labels)}: a judge"
                " nli:MODEL needs one for entailment, and one for contradiction or neutral;"
                " correct id2label in its config.json as its publishers say"
            )
        return found[0]


def softmax(row: Numbers) -> Numbers:
    """Return the probabilities of the classes along the last axis."""
    import numpy as np

    raised = np.exp(row - row.max(axis=-1, keepdims=True))
    found: Numbers = raised / raised.sum(axis=-1, keepdims=True)
    return found
