"""Calibrations that come with halubot: what the scores of a method are worth as probabilities.

They lie in ``shipped.json``; `benchmarks.fit_calibrations` fits them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from pydantic import Field, TypeAdapter

from halubot.report import Calibration, Frozen
from halubot.text import Document

Material = Literal["samples", "references", "both", "none"]

AND: Final = ", "
"""Separates the names of models if a calibration was fitted on the answers of several."""


class Calibrated(Frozen):
    """A fitted probability, and what it was fitted on.

    It holds for a method with its usual settings, judged by this model (None: by none), beside this
    kind of sources. ``data_sha256`` is the hash of the file, ``figures`` were measured out of fold.
    """

    method: str
    model: str | None
    material: Material
    calibration: Calibration
    data_sha256: str
    rows: int
    units: int
    wrong: int
    figures: dict[str, float | None] = Field(default_factory=dict)
    engine: str
    made: str


@dataclass(frozen=True, slots=True)
class Calibrations:
    """The calibrations that may be used: all, without those fitted on a file with a hash in
    ``without``, so that nothing is measured on the rows that it was fitted on."""

    without: frozenset[str] = field(default_factory=frozenset)

    def lookup(self, method: str, model: str | None, material: Material) -> Calibrated | None:
        """Return the calibration for this, else None: what was fitted on one model's answers says
        nothing of another's. Models are named without who runs them: "gemma-31b" is also
        "hosted_vllm/gemma-31b"."""
        alike = {
            name: one
            for one in load_shipped()
            for name in ([None] if one.model is None else one.model.split(AND))
            if (one.method, one.material) == (method, material)
            and one.data_sha256 not in self.without
        }
        return alike.get(model) or (alike.get(model.rpartition("/")[2]) if model else None)


ALL: Final = Calibrations()
"""Every calibration that comes with halubot."""


@cache
def load_shipped() -> tuple[Calibrated, ...]:
    """Return the calibrations that come with halubot."""
    text = files("halubot.calibration").joinpath("shipped.json").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Calibrated, ...]).validate_json(text)


def material_of(samples: bool, references: bool) -> Material:
    """Return the name of the kind of sources that are there."""
    if samples and references:
        return "both"
    return "samples" if samples else "references" if references else "none"


_OF_LIVES: Final = "WikiBio"
_PERSON: Final = re.compile(
    r"\W*(?:(?:in|on|from|after|during|at|since|by)\b[^,.]{0,60},?\s+)?(?:he|she|his|her)\b",
    re.IGNORECASE,
)
_FEWEST: Final = 0.3
"""The share of sentences that begin with a person's pronoun in a life. Of the passages of WikiBio
(development part) 96 % have it, of everyday messages 3 % and 8 % (two sets)."""
_FEWEST_SAMPLES: Final = 10
"""Half of the samples that WikiBio has; with six, everyday lives had a calibration error of 0.4,
and with a reference alone one of 0.28 (three messages, 132 facts)."""


def is_life(document: Document) -> bool:
    """Return True if a text tells of one person, by how its sentences begin."""
    found = [bool(_PERSON.match(document.plain, *span)) for span in document.sentences]
    return bool(found) and sum(found) >= _FEWEST * len(found)


def is_measured_on(calibration: Calibration, document: Document, samples: int) -> bool:
    """Return True if a calibration was measured on texts like this one, with about as many
    ``samples``."""
    if not calibration.fitted_on.startswith(_OF_LIVES):
        return True
    return samples >= _FEWEST_SAMPLES and is_life(document)
