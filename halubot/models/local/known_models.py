"""Models that are known by a short name, and those that were downloaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from halubot.errors import LocalModelError
from halubot.models.local.model_folder import CONFIG, PullRecord

VARIABLE: Final = "HALUBOT_LOCAL_MODELS"

Kind = Literal["nli", "grounding", "local"]
KINDS: Final[tuple[Kind, ...]] = ("nli", "grounding", "local")
"""What stands before the name of a model: two kinds of judges, and "local" for embeddings."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of a public hub. ``revision`` is a commit, "" for the newest when it is first pulled;
    that one is kept. ``labels`` are those that its publishers name where its files have none."""

    repository: str
    kind: Kind
    about: str
    revision: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


GROUNDED: Final[Mapping[str, str]] = {"0": "supported", "1": "hallucinated"}
"""The classes of LettuceDetect and TinyLettuce, whose config.json does not name them."""

KNOWN: Final[Mapping[str, KnownModel]] = {
    "nli-deberta-v3-xsmall": KnownModel(
        "cross-encoder/nli-deberta-v3-xsmall", "nli", "entailment, English, about 87 MB"
    ),
    "nli-deberta-v3-small": KnownModel(
        "cross-encoder/nli-deberta-v3-small", "nli", "entailment, English, about 173 MB"
    ),
    "nli-deberta-v3-base": KnownModel(
        "cross-encoder/nli-deberta-v3-base", "nli", "entailment, English, about 244 MB"
    ),
    "all-minilm-l6-v2": KnownModel(
        "sentence-transformers/all-MiniLM-L6-v2", "local", "embeddings, English, about 23 MB"
    ),
}
"""Models whose weights are published in ONNX, by the names that `halubot models pull` takes."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that was downloaded."""

    name: str
    path: Path
    record: PullRecord

    @property
    def kind(self) -> Kind:
        """What it can be used as: by the table of known models, else by its config.json."""
        if known := KNOWN.get(self.name):
            return known.kind
        try:
            told = (self.path / CONFIG).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            told = ""
        if "ForTokenClassification" in told or "hhem" in told.lower():
            return "grounding"
        return "nli" if "ForSequenceClassification" in told or '"id2label"' in told else "local"


def models_folder() -> Path:
    """Return where downloaded models lie: what HALUBOT_LOCAL_MODELS names, else ``local-models`` in
    the platform's folder for data. It need not exist."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "local-models"


def folder_of(name: str) -> Path:
    """Return the folder of a downloaded model by its name, or by that of its repository."""
    return models_folder() / name.replace("/", "--")


def pulled_models() -> tuple[tuple[LocalModel, ...], tuple[LocalModelError, ...]]:
    """Return the models that were downloaded, by name, and what is wrong with damaged ones."""
    found: list[LocalModel] = []
    damaged: list[LocalModelError] = []
    folder = models_folder()
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            record = PullRecord.read(path)
        except LocalModelError as error:
            damaged.append(error)
            continue
        if record is not None:
            found.append(LocalModel(path.name.replace("--", "/"), path, record))
    return tuple(found), tuple(damaged)


def find_model(name: str, kind: str) -> Path:
    """Return the folder of a model that is named by its folder, or that was pulled. Raises
    LocalModelError, with the command that pulls it, if there is neither."""
    if not name.strip():
        raise LocalModelError(f"{kind}: names no model: write {kind}:FOLDER, or {kind}:NAME")
    path = Path(name).expanduser()
    if (path / CONFIG).exists() or (path.is_dir() and path.is_absolute()):
        return path
    if folder_of(name).is_dir() and not Path(name).is_absolute():
        return folder_of(name)
    if path.is_dir():
        return path
    if path.is_absolute() or name.startswith((".", "~")):
        raise LocalModelError(f"there is no folder {name}, so {kind}:{name} cannot be used")
    raise LocalModelError(
        f"the model {name!r} is not on this machine: halubot models pull {name}"
        " downloads it, and halubot models lists those that are here"
    )
