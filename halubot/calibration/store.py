"""Calibrations on disk, a person's own and those that come with halubot, and the kind of text
that each was measured on.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from halubot.errors import SettingError, StateError, explain
from halubot.report import Calibration, Frozen, Threshold
from halubot.text import Document

Material = Literal["samples", "references", "both", "none"]

AND: Final = ", "
"""Separates the names of models if a calibration was fitted on the answers of several."""

VARIABLE: Final = "HALUBOT_CALIBRATIONS"
_LONGEST_NAME: Final = 80
_LEAST_RIGHT: Final = 0.5


class Calibrated(Frozen):
    """A threshold and a probability, and what they were fitted on.

    ``threshold`` is None where the method's own default holds. ``data_sha256`` is the hash of the
    file they were fitted on, ``objective`` what the threshold makes largest, ``figures`` what was
    measured out of fold, ``rows`` and ``units`` how much was fitted on, ``wrong`` how many of the
    units were. ``fitted`` are options of the method that were found on the same rows, and hold
    where none are given.
    """

    method: str
    model: str | None
    material: Material
    options: dict[str, Any] = Field(default_factory=dict)
    threshold: Threshold | None
    objective: str
    calibration: Calibration
    data_sha256: str
    rows: int
    units: int
    wrong: int
    figures: dict[str, float | None] = Field(default_factory=dict)
    engine: str
    made: str
    fitted: dict[str, Any] = Field(default_factory=dict)

    @property
    def doubts_most(self) -> bool:
        """True if the threshold doubted more than half of the right units of the rows left out."""
        right = self.figures.get("tnr")
        return self.threshold is not None and right is not None and right < _LEAST_RIGHT

    @property
    def fitted_on(self) -> str:
        """The data, in words."""
        return self.calibration.fitted_on


@dataclass(frozen=True, slots=True)
class Calibrations:
    """The folders of calibrations: a person's ``folder`` first (None: nowhere), then those
    that come with halubot, if ``shipped``. One that was fitted on a file with a hash in
    ``without`` is passed over, so that nothing is measured on what it was fitted on."""

    folder: Path | None = None
    shipped: bool = True
    without: frozenset[str] = field(default_factory=frozenset)

    def lookup(
        self,
        method: str,
        model: str | None,
        material: Material,
        options: Mapping[str, Any] | None = None,
    ) -> Calibrated | None:
        """The calibration for this, else None: what was fitted on one model's answers says nothing
        of another's. Those that come with halubot name models without who runs them ("gemma-31b"
        is also "hosted_vllm/gemma-31b"). Raises StateError for a damaged file of the person's."""
        if self.folder is not None:
            file = file_of(self.folder, method, model, material, options)
            own = read(file) if _is_there(file) else None
            # A benchmark must not use what was fitted on the file that it measures.
            if own is not None and own.data_sha256 not in self.without:
                return own
        if not self.shipped:
            return None
        wanted = (method, material, dict(options or {}))
        # One calibration may serve the judges of several models, whose names it holds together.
        alike = {
            name: one
            for one in load_shipped()
            for name in ([None] if one.model is None else one.model.split(AND))
            if (one.method, one.material, one.options) == wanted
            and one.data_sha256 not in self.without
        }
        return alike.get(model) or (alike.get(model.rpartition("/")[2]) if model else None)


SHIPPED: Final = Calibrations()
"""Those that come with halubot alone; what benchmarks may use."""

NONE: Final = Calibrations(shipped=False)


def lookup(
    method: str,
    model: str | None,
    material: Material,
    where: Calibrations = SHIPPED,
    options: Mapping[str, Any] | None = None,
) -> Calibrated | None:
    """The calibration of a method with this judge (None: it asks no model) and this material.

    A person's own are looked for only if ``where`` names their folder: within a check that is
    `Case.calibrations`. Raises StateError for a damaged file.
    """
    return where.lookup(method, model, material, options)


def material_of(samples: bool, references: bool) -> Material:
    """Return the name of the kind of sources that are there: "samples", "references", "both" or
    "none"."""
    if samples and references:
        return "both"
    return "samples" if samples else "references" if references else "none"


def settings(options: Mapping[str, Any], *, as_published: bool) -> dict[str, Any]:
    """The settings of a method that a calibration holds for; those left as they are do not
    count."""
    # An option left out and one that is None are the same settings.
    given = {name: value for name, value in options.items() if value is not None}
    return given | ({"as_published": True} if as_published else {})


def folder() -> Path:
    """Return the folder of a person's calibrations: what HALUBOT_CALIBRATIONS names, else
    ``calibration`` in the platform's folder for data. It need not exist."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "calibration"


@cache
def load_shipped() -> tuple[Calibrated, ...]:
    """The calibrations that come with halubot."""
    text = files("halubot.calibration").joinpath("shipped.json").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Calibrated, ...]).validate_json(text)


def file_of(
    folder: Path,
    method: str,
    model: str | None,
    material: Material,
    options: Mapping[str, Any] | None = None,
) -> Path:
    """The file of a calibration in a folder: readable, and different for every such four."""
    # The readable part of a name is cut and cleaned, so two may read alike.
    key = json.dumps([method, model, material, dict(options or {})], sort_keys=True, default=str)
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", f"{method}.{material}.{model or 'no-model'}")
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    return folder / f"{readable[:_LONGEST_NAME]}.{digest}.json"


def read(file: Path) -> Calibrated:
    """The calibration in a file. Raises StateError, with the remedy, for one that is damaged."""
    try:
        return Calibrated.model_validate_json(file.read_bytes())
    except OSError as error:
        why = explain(error)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        why = f"it is damaged ({where or 'no JSON'})"
    raise StateError(
        f"cannot use the calibration {file}: {why}; calibrate again, or delete the file"
    )


def keep(folder: Path, calibrated: Calibrated) -> Path:
    """Writes a calibration in place of any earlier one for the same; whole or not at all.

    Raises SettingError if it cannot be written.
    """
    of = calibrated
    file = file_of(folder, of.method, of.model, of.material, of.options)
    draft: Path | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=folder, suffix=".new", delete=False, encoding="utf-8"
        ) as open_file:
            draft = Path(open_file.name)
            open_file.write(calibrated.model_dump_json(indent=2) + "\n")
            open_file.flush()
            # Before it takes the other's place: after a power cut there would be an empty file.
            os.fsync(open_file.fileno())
        draft.replace(file)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise SettingError(f"cannot keep the calibration in {folder}: {explain(error)}") from error
    return file


def _is_there(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:  # a name too long, say; reading it tells why
        return True


def remove(file: Path) -> None:
    """Removes a calibration. Raises SettingError if that cannot be done."""
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise SettingError(f"cannot remove {file}: {explain(error)}") from error


def list_calibrations(
    folder: Path,
) -> tuple[tuple[tuple[Path, Calibrated], ...], tuple[StateError, ...]]:
    """The calibrations in a folder with their files, by name, and what is wrong with those that
    cannot be used. Empty if there is no folder."""
    found: list[tuple[Path, Calibrated]] = []
    damaged: list[StateError] = []
    for file in sorted(folder.glob("*.json")):
        try:
            found.append((file, read(file)))
        except StateError as error:
            damaged.append(error)
    return tuple(found), tuple(damaged)


_OF_LIVES: Final = "WikiBio"


_PERSON: Final = re.compile(
    r"\W*(?:(?:in|on|from|after|during|at|since|by)\b[^,.]{0,60},?\s+)?(?:he|she|his|her)\b",
    re.IGNORECASE,
)


_FEWEST: Final = 0.3
"""The share of sentences that begin with a person's pronoun in a life. Of the passages of WikiBio
(development part) 96 % have it, of everyday messages 3 % and 8 % (two sets)."""


def is_life(document: Document) -> bool:
    """Return True if a text tells of one person, by how its sentences begin. Linear."""
    found = [bool(_PERSON.match(document.plain, *span)) for span in document.sentences]
    return bool(found) and sum(found) >= _FEWEST * len(found)


_FEWEST_SAMPLES: Final = 10
"""Half of the samples that WikiBio has; with six, everyday lives had a calibration error of 0.4,
and with a reference alone one of 0.28 (three messages, 132 facts)."""


def is_measured_on(calibration: Calibration, document: Document, samples: int) -> bool:
    """Return True if a calibration was measured on texts like this one, with about as many
    ``samples``. One of a person's own data always counts as such."""
    if not calibration.fitted_on.startswith(_OF_LIVES):
        return True
    return samples >= _FEWEST_SAMPLES and is_life(document)
