"""Folders of local models: weights in ONNX, tokenizer, config.json, and the short names of
models."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, Self

from halubot.errors import LocalModelError, explain
from halubot.verifier.folder import folder_of, models_folder

CONFIG: Final = "config.json"
TOKENIZER: Final = "tokenizer.json"
RECORD: Final = "halubot.json"
"""What a download writes beside the files: where they are from, and their checksums."""

GENERAL: Final = ("model_quantized", "model_uint8", "model_int8", "model_fp16", "model")
"""Names of weights that run on every processor, the smaller first."""

_FLAGS: Final = Path("/proc/cpuinfo")
_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PulledFile:
    """A file as it was downloaded: its size in bytes and its SHA-256 in hexadecimal."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class PullRecord:
    """The origin of a downloaded model; ``revision`` is a commit. ``labels`` are those that its
    publishers name if its config.json has none."""

    repository: str
    revision: str
    licence: str
    files: tuple[PulledFile, ...]
    labels: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """Return the record in a folder; None if there is none. Raises LocalModelError for one that
        is damaged."""
        try:
            found = json.loads((path / RECORD).read_text(encoding="utf-8"))
            files = tuple(PulledFile(**one) for one in found.pop("files"))
            return cls(**found, files=files)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise LocalModelError(
                f"{path / RECORD} is damaged: delete the folder, and pull the model again"
            ) from error

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class ModelFolder:
    """The files of one model. ``config`` is its config.json, ``record`` that of its download."""

    path: Path
    weights: Path
    config: Mapping[str, Any]
    record: PullRecord | None = None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the model in a folder; its weights are not loaded yet. Raises LocalModelError if a
        file is missing, or is not what was downloaded."""
        config, tokenizer = path / CONFIG, path / TOKENIZER
        weights = choose_weights(sorted([*path.glob("*.onnx"), *path.glob("onnx/*.onnx")]))
        missing = [file.name for file in (config, tokenizer) if not file.is_file()]
        missing += [] if weights else ["model.onnx"]
        if missing or weights is None:
            raise LocalModelError(
                f"the model in {path} is incomplete: {' and '.join(missing)} missing; a folder"
                f" needs {CONFIG}, {TOKENIZER} and weights in ONNX (optimum exports them)"
            )
        record = PullRecord.read(path)
        if record is not None:
            require_unchanged(path, record)
        return cls(path, weights, _read_config(config), record)

    @property
    def tokenizer(self) -> Path:
        """The file of the tokenizer."""
        return self.path / TOKENIZER

    def labels(self) -> tuple[str, ...]:
        """Return the names of the classes in the order of the model's output, in lower case. Raises
        LocalModelError if the model does not name them: the order differs between models, and is
        never assumed."""
        found = self.config.get("id2label")
        # Publishers' own names first: the table of known models only stands in for LABEL_0 and
        # LABEL_1.
        if not _is_named(found) and self.record is not None and self.record.labels:
            found = self.record.labels
        if not isinstance(found, dict) or not found:
            raise LocalModelError(
                f"{self.path / CONFIG} has no id2label, so what the model's numbers mean is not"
                ' known: write it there as its publishers say, such as "id2label": {"0":'
                ' "supported", "1": "hallucinated"}'
            )
        order = [str(number) for number in range(len(found))]
        # JSON has texts as keys, a config written by hand may have gaps: a shifted class turns
        # verdicts around.
        if {str(key) for key in found} != set(order):
            raise LocalModelError(
                f"id2label in {self.path / CONFIG} does not number its labels from 0"
            )
        return tuple(str(found[key]).strip().lower() for key in order)


def choose_weights(files: Sequence[Path], flags: frozenset[str] | None = None) -> Path | None:
    """Return the weights that suit this processor: quantised ones for it, else ones for every
    processor, else the only file there is; None if there is none. ``flags`` are what the processor
    can do, by default this one's."""
    by_name = {file.stem: file for file in reversed(files)}
    for name in (*_fitting_weights(processor_flags() if flags is None else flags), *GENERAL):
        if name in by_name:
            return by_name[name]
    return files[0] if len(files) == 1 else None


def processor_flags() -> frozenset[str]:
    """Return the abilities of this processor: "arm64", or of x86 what Linux tells, else "avx2"."""
    machine = platform.machine().lower()
    if machine in ("arm64", "aarch64"):
        return frozenset({"arm64"})
    try:
        lines = _FLAGS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    told = next((line for line in lines if line.startswith("flags")), "")
    # Every x86 processor since 2013 has AVX2; other systems than Linux do not tell in a file.
    return frozenset(told.partition(":")[2].split()) or frozenset({"avx2"})


def require_unchanged(path: Path, record: PullRecord) -> None:
    """Raise LocalModelError if a file is not the one that was downloaded."""
    for file in record.files:
        try:
            found = hash_file(path / file.name)
        except OSError as error:
            raise LocalModelError(
                f"the model in {path} is incomplete: {file.name}: {explain(error)}; pull it again"
            ) from error
        if found != file.sha256:
            raise LocalModelError(
                f"{path / file.name} is not what was downloaded: its SHA-256 is {found}, and was"
                f" {file.sha256}; delete the folder, and pull the model again"
            )


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file. Raises OSError."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _fitting_weights(flags: frozenset[str]) -> list[str]:
    """Return the names of weights that were quantised for this processor, the fastest first."""
    if "arm64" in flags:
        return ["model_qint8_arm64"]
    names = []
    if "avx512_vnni" in flags or "avx512vnni" in flags:
        names.append("model_qint8_avx512_vnni")
    if "avx512f" in flags:
        names.append("model_qint8_avx512")
    if "avx2" in flags:
        names.append("model_quint8_avx2")
    return names


def _is_named(labels: object) -> bool:
    """Return True for labels with names; LABEL_0 is what a library writes for lack of one."""
    return isinstance(labels, dict) and not all(
        str(label).upper().startswith("LABEL_") for label in labels.values()
    )


def _read_config(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        why = explain(error) if isinstance(error, OSError) else "it is not JSON"
        raise LocalModelError(f"cannot read {path}: {why}") from error
    if not isinstance(found, dict):
        raise LocalModelError(f"cannot read {path}: it holds no settings of a model")
    return found


Kind = Literal["nli", "grounding", "local"]


KINDS: Final[tuple[Kind, ...]] = ("nli", "grounding", "local")
"""What stands before the name of a model: two kinds of judges, and "local" for embeddings."""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of a public hub. ``revision`` is a commit, "" for the newest when it is first pulled;
    that one is kept. ``labels`` are those that its publishers name if its files have none."""

    repository: str
    kind: Kind
    about: str
    revision: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


KNOWN: Final[Mapping[str, KnownModel]] = {
    "verifier": KnownModel(
        "cross-encoder/nli-deberta-v3-base", "nli", "for consensus, English, about 244 MB"
    ),
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
        """Return the use that it has: by the table of known models, else by its config.json."""
        if known := KNOWN.get(self.name):
            return known.kind
        try:
            told = (self.path / CONFIG).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            told = ""
        # HHEM calls itself a sequence classifier, as models of entailment do.
        if "ForTokenClassification" in told or "hhem" in told.lower():
            return "grounding"
        return "nli" if "ForSequenceClassification" in told or '"id2label"' in told else "local"


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
    # A folder that happens to have the name of a downloaded model is taken only if it holds one.
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
