"""The sources given with a text: other answers, documents, files, knowledge, the web."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from halubot.render.captions import number
from halubot.render.inert import crop, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from halubot_tui.preferences import Preferences
    from halubot_tui.text_check import Inputs

SourceKind = Literal["answer", "document", "file", "knowledge", "web"]

FIELDS: Final[Mapping[SourceKind, str]] = {
    "answer": "samples",
    "document": "references",
    "file": "files",
    "knowledge": "knowledge",
    "web": "web",
}
"""The field of `Inputs` that has the sources of a kind."""
LABELS: Final[Mapping[SourceKind, str]] = {
    "answer": "answer",
    "document": "document",
    "file": "document",
    "knowledge": "knowledge",
    "web": "web",
}
SHORTEST: Final = 3
"""Words that a pasted source must have: a single word is a mistyped command or path."""
_KINDS: Final[Mapping[str, str]] = {
    ".pdf": "PDF",
    ".docx": "DOCX",
    ".html": "web page",
    ".htm": "web page",
}


@dataclass(frozen=True, slots=True)
class Given:
    """One source. ``value`` is a text, a path, the name of a knowledge base or of a web provider;
    ``name`` is the file that an answer was read from, "" if unknown."""

    kind: SourceKind
    value: str
    name: str = ""

    def record(self) -> dict[str, str]:
        """The source as it is stored."""
        return {"kind": self.kind, "value": self.value, "name": self.name}

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self | None:
        """The source that was stored, None if it cannot be read."""
        value = row.get("value")
        kind = next((one for one in LABELS if one == row.get("kind")), None)
        if kind is None or not isinstance(value, str):
            return None
        return cls(kind, value, str(row.get("name", "")))

    @property
    def label(self) -> str:
        """What it is, in a word."""
        return "folder" if self.kind == "file" and files_in(self.value) else LABELS[self.kind]

    @property
    def line(self) -> str:
        """The source on one line: its first words and its length, or its path or name."""
        if self.kind in ("answer", "document"):
            name = f"{self.name}: " if self.name else ""
            return f"{name}{crop(one_line(self.value), 200)} ({len(self.value):,} characters)"
        return one_line(self.value)


WIKIPEDIA: Final = Given("web", "wikipedia")
"""The search provider that is offered first: it needs no key and costs nothing."""


def refusal(text: str) -> str | None:
    """Why a text cannot be a source, None if it can."""
    words = text.split()
    if not words:
        return "There is nothing to add yet."
    if len(words) < SHORTEST and " ".join(words).isascii():
        return (
            f"“{crop(one_line(text), 40)}” is not a file here, and too short to compare with."
            " Paste a sentence or more, or correct the path."
        )
    return None


def describe(given: Sequence[Given]) -> str:
    """The sources in a few words, "3 answers, 1 PDF, wikipedia"; "" for none."""
    counts: Counter[str] = Counter()
    names: list[str] = []
    files = 0
    for one in given:
        match one.kind:
            case "answer" | "document":
                counts[LABELS[one.kind]] += 1
            case "file":
                suffix = Path(one.value).suffix.lower()
                files += 0 if suffix else files_in(one.value)
                counts[_KINDS.get(suffix, "document" if suffix else "folder")] += 1
            case "knowledge":
                names.append(one_line(one.value))
            case "web":
                names.append(f"web ({one_line(one.value)})")
    said = {what: number(count, what) for what, count in counts.items()}
    if files:
        said["folder"] += f" ({number(files, 'file')})"
    return ", ".join([*said.values(), *names])


@lru_cache(maxsize=100)
def files_in(path: str) -> int:
    """How many files a folder holds, counted once; 0 if it is none."""
    from halubot.errors import HalubotError
    from halubot.evidence.files import files_below, is_folder

    with suppress(HalubotError):
        return sum(1 for _ in files_below(Path(path))) if is_folder(path) else 0
    return 0


def as_inputs(given: Iterable[Given]) -> dict[str, Any]:
    """The sources as fields of `Inputs`."""
    sources = list(dict.fromkeys(given))
    found: dict[str, Any] = {
        field: tuple(one.value for one in sources if one.kind == kind)
        for kind, field in FIELDS.items()
    }
    names = tuple(one.name for one in sources if one.kind == "answer")
    return {**found, "names": names if any(names) else ()}


def of_inputs(inputs: Inputs) -> tuple[Given, ...]:
    """The sources that a check came with."""
    names = (*inputs.names, *[""] * len(inputs.samples))
    named = zip(inputs.samples, names, strict=False)
    answers = (Given("answer", text, name) for text, name in named)
    others = [(kind, field) for kind, field in FIELDS.items() if kind != "answer"]
    rest = (Given(kind, one) for kind, field in others for one in getattr(inputs, field))
    return (*answers, *rest)


def compared_with(given: Sequence[Given], preferences: Preferences) -> str:
    """What a check is compared with, on one line: the sources, those of the settings, and the
    answers that a model draws. "" for nothing."""
    own = [Given("file", str(path)) for path in preferences.reference]
    own += [Given("knowledge", name) for name in preferences.knowledge]
    own += [Given("web", name) for name in preferences.web]
    said = describe([*given, *(one for one in own if one not in given)])
    drawn = ""
    # Beside a trusted source answers are drawn only if their number was asked for: they cost money.
    enough = bool(said) and preferences.n_samples is None
    if preferences.model and not enough and not any(one.kind == "answer" for one in given):
        count = preferences.n_samples
        drawn = f"up to {count} answers drawn" if count else "answers drawn"
    return ", ".join(part for part in (said, drawn) if part)
