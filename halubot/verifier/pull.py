"""Downloading a verifier from a hub: the revision is pinned, and every file is checked.

What a download takes is known before it begins (`plan_pull`): the commit, and of each file the size
and the checksum that the hub gives. Nothing but config.json, tokenizer.json and one file of weights
is fetched, none of which can run code. A download that was stopped resumes.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import file_digest, sha1
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from halubot import offline
from halubot.errors import LocalModelError, MissingExtraError, explain
from halubot.verifier.encoder import folder_of, models_folder

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

KNOWN: Final[Mapping[str, str]] = {"verifier": "cross-encoder/nli-deberta-v3-base"}
"""Repositories by the names that `halubot models pull` takes; any other is OWNER/NAME."""

HUB: Final = "https://huggingface.co"
RECORD: Final = "halubot.json"
"""What a download writes beside the files: where they are from, and their checksums."""

_NEEDED: Final = ("config.json", "tokenizer.json")
_SECONDS: Final = 30
_SPARE: Final = 50_000_000
"""Bytes that a disk keeps free."""

Advance = Callable[[str, int, int], None]
"""Told of each file: its name, how many bytes are there, and of how many."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """A file to download. Large ones have a SHA-256, small ones the hash ``blob`` that Git has."""

    name: str
    size: int
    sha256: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class PullPlan:
    """The plan of a download. ``revision`` is a commit, ``licence`` what its publishers name, "" if
    nothing. ``present`` says that it is there already, unchanged."""

    name: str
    repository: str
    revision: str
    licence: str
    files: tuple[PlannedFile, ...]
    present: bool = False

    @property
    def folder(self) -> Path:
        return folder_of(self.name)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def address(self) -> str:
        return f"{hub_address()}/{self.repository}"


@dataclass(frozen=True, slots=True)
class Pulled:
    """A downloaded model: its origin, and the SHA-256 of each of its files."""

    repository: str
    revision: str
    licence: str
    size: int
    files: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """Return the record in a folder; None if there is none. Raises LocalModelError for one that
        is damaged."""
        try:
            return cls(**json.loads((folder / RECORD).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise LocalModelError(
                f"{folder / RECORD} is damaged: delete the folder, and pull the model again"
            ) from error

    def is_unchanged(self, folder: Path) -> bool:
        """Return True if every file is the one that was downloaded."""
        try:
            return all(_hash(folder / name) == known for name, known in self.files.items())
        except OSError:
            return False


def hub_address() -> str:
    """Return the address of the hub: what HF_ENDPOINT names, else huggingface.co."""
    return os.environ.get("HF_ENDPOINT", HUB).rstrip("/")


def pulled() -> tuple[dict[str, Pulled], tuple[LocalModelError, ...]]:
    """Return the downloaded models by name, and what is wrong with damaged ones."""
    found: dict[str, Pulled] = {}
    damaged: list[LocalModelError] = []
    folder = models_folder()
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        try:
            if (record := Pulled.read(path)) is not None:
                found[path.name.replace("--", "/")] = record
        except LocalModelError as error:
            damaged.append(error)
    return found, tuple(damaged)


def plan_pull(name: str) -> PullPlan:
    """Plan the download of a model; nothing of it is fetched yet. ``name`` is one of `KNOWN` or
    that of a repository, with ``@REVISION`` after it for another revision than that of an earlier
    download, or the newest.

    Raises MissingExtraError without the extra, and LocalModelError offline, without a network, for
    a name that is not there, and for a model without weights in ONNX.
    """
    named, _, wanted = name.partition("@")
    repository = KNOWN.get(named, named)
    if "/" not in repository:
        raise LocalModelError(
            f"there is no known model {named!r}: known are {', '.join(KNOWN)}; any other is named"
            " by its repository, OWNER/NAME"
        )
    _require_network()
    before = Pulled.read(folder_of(named))
    # An earlier download pins its commit: a publisher who changes the weights later does not change
    # verdicts here unasked.
    revision = wanted or (before.revision if before is not None else "main")
    told = _info(repository, revision)
    tags = (tag.partition(":")[2] for tag in told.tags or () if tag.startswith("license:"))
    files = _choose_files(told, repository)
    plan = PullPlan(named, repository, str(told.sha), next(tags, ""), files)
    here = before is not None and before.revision == plan.revision
    return replace(plan, present=before is not None and here and before.is_unchanged(plan.folder))


def pull(plan: PullPlan, advance: Advance = lambda name, done, of: None) -> Pulled:
    """Download the files of a plan and return their record; a model that is there in another
    revision is replaced once all of it is here. Raises LocalModelError if the disk is too small,
    the network fails, or a file is not what the hub announced."""
    _require_network()
    # By commit: what is left of another revision must not be continued. Beside the models, so that
    # it can be put in place by a rename.
    draft = models_folder() / ".partial" / f"{plan.folder.name}@{plan.revision[:12]}"
    try:
        draft.mkdir(parents=True, exist_ok=True)
        here = sum(file.stat().st_size for file in draft.rglob("*") if file.is_file())
        free = shutil.disk_usage(draft).free
        if plan.size - here + _SPARE > free:
            raise LocalModelError(
                f"{plan.name} needs {plan.size / 1e6:,.0f} MB, and {models_folder()} has"
                f" {free / 1e6:,.0f} MB left: make room, or name another folder in"
                " HALUBOT_LOCAL_MODELS"
            )
        files = {file.name: _fetch(plan, file, draft, advance) for file in plan.files}
        record = Pulled(plan.repository, plan.revision, plan.licence, plan.size, files)
        (draft / RECORD).write_text(json.dumps(asdict(record), indent=2) + "\n", encoding="utf-8")
        _replace(plan.folder, draft)
    except OSError as error:
        raise LocalModelError(f"cannot keep {plan.name} in {draft}: {explain(error)}") from error
    return record


def remove(name: str) -> bool:
    """Delete a downloaded model; False if there is none. Raises LocalModelError."""
    folder = folder_of(name)
    if not (folder / RECORD).is_file():
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise LocalModelError(f"cannot delete {folder}: {explain(error)}") from error
    return True


def _fetch(plan: PullPlan, file: PlannedFile, draft: Path, advance: Advance) -> str:
    """Download one file, or the rest of it, check it, and return its SHA-256."""
    target = draft / file.name
    part = target.with_name(f"{target.name}.part")
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("ab") as out:
            if out.tell() > file.size:
                out.truncate(0)
            advance(file.name, out.tell(), file.size)
            if out.tell() < file.size:
                _get(plan, file, out)
        os.replace(part, target)
    advance(file.name, target.stat().st_size, file.size)
    found = _hash(target)
    if found != file.sha256 if file.sha256 else file.blob and _blob(target) != file.blob:
        target.unlink()
        wanted = file.sha256 or f"Git's {file.blob}"
        raise LocalModelError(
            f"{file.name} of {plan.repository} is not what the hub announced: its checksum is"
            f" {found}, and should be {wanted}; nothing was kept, pull it again"
        )
    return found


def _get(plan: PullPlan, file: PlannedFile, out: Any) -> None:
    import httpx
    from huggingface_hub import hf_hub_url
    from huggingface_hub.errors import HfHubHTTPError

    # The client's own download keeps a cache beside the files; this part of it resumes a file of
    # ours.
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils.tqdm import disable_progress_bars

    # Its bars would be drawn over the command's own.
    disable_progress_bars()
    url = hf_hub_url(plan.repository, file.name, revision=plan.revision, endpoint=hub_address())
    headers = build_hf_headers(library_name="halubot")
    try:
        http_get(url, out, resume_size=out.tell(), headers=headers, expected_size=file.size)
    except (httpx.HTTPError, HfHubHTTPError, OSError) as error:
        raise _unreachable(f"{file.name} of {plan.repository}", error) from error


def _info(repository: str, revision: str) -> ModelInfo:
    """Ask the hub for a model at a revision. Raises LocalModelError."""
    import httpx
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    hub = hub_address()
    try:
        return HfApi(endpoint=hub, library_name="halubot").model_info(
            repository, revision=revision, files_metadata=True, timeout=_SECONDS
        )
    except GatedRepoError as error:
        raise LocalModelError(
            f"{repository} asks for consent to its licence: give it on {hub}/{repository}, and log"
            " in with hf auth login"
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise LocalModelError(f"there is no model {repository} on {hub}") from error
    except RevisionNotFoundError as error:
        raise LocalModelError(f"{repository} has no revision {revision!r}") from error
    except (httpx.HTTPError, HfHubHTTPError, OSError) as error:
        raise _unreachable(repository, error) from error


def _unreachable(what: str, error: Exception) -> LocalModelError:
    why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return LocalModelError(
        f"cannot download {what} from {hub_address()}: {why}; look at the network, and run the same"
        " command: it goes on where it stopped"
    )


def _require_network() -> None:
    if find_spec("huggingface_hub") is None:
        raise MissingExtraError("halubot models pull", "local")
    if offline.is_refused():
        raise LocalModelError("--offline lets nothing in: leave it out to download a model")
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise LocalModelError("HF_HUB_OFFLINE is set: unset it to download a model")


def _choose_files(told: ModelInfo, repository: str) -> tuple[PlannedFile, ...]:
    """Return the files that are needed, the small ones first."""
    files = {one.rfilename: one for one in told.siblings or ()}
    if missing := [name for name in _NEEDED if name not in files]:
        raise LocalModelError(f"{repository} has no {missing[0]}: it cannot be used as it is")
    weights = {Path(name).stem: name for name in files if name.endswith(".onnx")}
    # Quantised for this processor, then for any. Every x86 processor since 2013 has AVX2.
    arm = platform.machine().lower() in ("arm64", "aarch64")
    own = "model_qint8_arm64" if arm else "model_quint8_avx2"
    fitting = (own, "model_quantized", "model_int8", "model")
    chosen = next((weights[name] for name in fitting if name in weights), None)
    if chosen is None and len(weights) == 1:
        (chosen,) = weights.values()
    if chosen is None:
        raise LocalModelError(
            f"{repository} has no weights in ONNX: export them with optimum-cli export onnx --model"
            f" {repository} FOLDER, and name the folder in place of the model"
        )
    return tuple(
        PlannedFile(
            name,
            int(files[name].size or 0),
            str(large.sha256) if (large := files[name].lfs) is not None else "",
            str(files[name].blob_id or ""),
        )
        for name in (*_NEEDED, chosen)
    )


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _blob(path: Path) -> str:
    """Return the hash that Git has of a file."""
    data = path.read_bytes()
    # Git hashes a header with the size before the content. It is the only checksum that the hub
    # gives of small files.
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _replace(folder: Path, draft: Path) -> None:
    """Put a whole model in the place of an earlier one."""
    # The old one is moved away before it is deleted: at every moment one whole model is there, or
    # none.
    old = draft.with_name(f"{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        os.replace(folder, old)
    os.replace(draft, folder)
    shutil.rmtree(old, ignore_errors=True)
