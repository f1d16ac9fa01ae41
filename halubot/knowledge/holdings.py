"""What the bases of knowledge hold, for people who ask what there is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from halubot.errors import KnowledgeError
from halubot.knowledge.bases import Home, homes
from halubot.knowledge.index import PassageIndex


@dataclass(frozen=True, slots=True)
class Holding:
    """What a base holds: passages, files they came from, bytes on disk, the model of its vectors
    ("" for none), and the paths it was made from. ``problem`` says why the first two are not known
    of a damaged one."""

    name: str
    folder: str
    passages: int | None
    files: int | None
    bytes: int
    embedding_model: str = ""
    paths: tuple[str, ...] = ()
    problem: str | None = None


def holdings(folder: Path | None = None) -> list[Holding]:
    """What each base holds, sorted by name; ``folder`` is where they lie. Raises KnowledgeError
    where that cannot be read."""
    return [_holding(there) for there in homes(folder)]


def _holding(there: Home) -> Holding:
    place, size = str(there.folder), there.size()
    model = ""
    paths: tuple[str, ...] = ()
    try:
        about = there.about()
        model, paths = about.embedding_model, about.paths
        begun = PassageIndex.exists(there.index)
        records = PassageIndex.open(there.index, there.name).records() if begun else {}
    except KnowledgeError as error:
        return Holding(there.name, place, None, None, size, model, paths, str(error))
    passages = sum(record.passages for record in records.values())
    return Holding(there.name, place, passages, len(records), size, model, paths)
