"""Rows that are done, in a file: a benchmark that was killed resumes.

The first line says what the file is; each other line is one row, on the disk before the next is
begun. A row belongs to a key: a digest of the row itself and of all that decides what is said of
it. Rows of other keys (another method, an older engine) stay in place and are not used, so
that one file serves several methods.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from halubot.errors import SettingError, UnreadableError, explain
from halubot.evaluation.checked import Judged, Scored, ScoredFact, ScoredSentence
from halubot.evaluation.rows import Row
from halubot.report import Triple, Usage
from halubot.work_file import open_work_file

HEAD: Final = b'{"halubot": "rows of benchmarks", "version": 1}\n'


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one row. ``problems`` are in short, ``details`` those of the method that a
    benchmark needs, ``fitted_on`` what the probabilities rest on."""

    scored: Scored
    usage: Usage = field(default_factory=Usage)
    problems: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    fitted_on: str | None = None


def key_of(row: Row, decisive: Mapping[str, Any]) -> str:
    """The key of a row; ``decisive`` is what else decides what is said of it."""
    # The gold label is no part: a row whose label was put right need not be checked again.
    told: list[Any] = [row.id, row.text, row.question, row.subject, row.sentences, row.samples]
    told += [row.references, row.labelled, row.triples, row.verdicts, dict(decisive)]
    return sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:24]


class Work:
    """The rows that are done. Without a file none are kept.

    Raises SettingError if the file is something else, InputError if it cannot be written or
    if it cannot be read. A last line that was half written is dropped.
    """

    def __init__(self, path: Path | None) -> None:
        self.kept = 0
        self._path = path
        self._done: dict[str, dict[str, Any]] = {}
        self._file: BinaryIO | None = None
        if path is not None:
            self._file = self._open_file(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def find_outcome(self, key: str, row: Row) -> Outcome | None:
        """Return the outcome of a row that was done before; None if it is still to do."""
        line = self._done.get(key)
        outcome = None if line is None else _read(line, row)
        self.kept += outcome is not None
        return outcome

    def keep(self, key: str, outcome: Outcome) -> None:
        """Writes what came of a row. Raises SettingError."""
        if self._file is None or self._path is None:
            return
        line = {"key": key, "row": outcome.scored.row.id, **_write(outcome)}
        try:
            self._file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            # A row may have cost money: it is on the disk before the next one is paid for.
            os.fsync(self._file.fileno())
        except OSError as error:
            raise SettingError(f"cannot write {self._path}: {explain(error)}") from error

    def _open_file(self, path: Path) -> BinaryIO:
        file = open_work_file(path)
        try:
            self._load(path, file)
        except OSError as error:
            file.close()
            raise UnreadableError(path, explain(error)) from error
        except BaseException:
            file.close()
            raise
        return file

    def _load(self, path: Path, file: BinaryIO) -> None:
        head = file.readline()
        # A file that is empty, or was killed while its first line was written, is one of ours.
        if not HEAD.startswith(head):
            raise SettingError(f"{path} holds no rows of a benchmark: name another file")
        end = len(HEAD)
        if head != HEAD:
            file.seek(0)
            file.write(HEAD)
        for line in file:
            if not line.endswith(b"\n"):
                break
            end += len(line)
            self._remember(line)
        file.seek(end)
        # A half-written last line would run into the next row.
        file.truncate()

    def _remember(self, line: bytes) -> None:
        """A line that is damaged is a row that is still to do."""
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(found, dict) and isinstance(found.get("key"), str):
            self._done[found["key"]] = found


def _write(outcome: Outcome) -> dict[str, Any]:
    one = outcome.scored
    return {
        "score": one.score,
        "rank": one.rank,
        "probability": one.probability,
        "sentences": [[*s.span, s.score, s.rank, s.probability] for s in one.sentences],
        "facts": [[f.found, f.score, f.rank, f.probability] for f in one.facts],
        "judged": None if one.judged is None else asdict(one.judged),
        "triples": one.triples,
        "paired": one.paired,
        "fates": dict(one.fates),
        "usage": outcome.usage.model_dump(),
        "problems": outcome.problems,
        "details": dict(outcome.details),
        "fitted_on": outcome.fitted_on,
    }


def _read(line: Mapping[str, Any], row: Row) -> Outcome | None:
    """The outcome that was written; None if the line is not one."""
    try:
        judged, triples = line["judged"], line["triples"]
        return Outcome(
            Scored(
                row,
                score=line["score"],
                rank=line["rank"],
                probability=line["probability"],
                sentences=tuple(
                    ScoredSentence((start, end), *said) for start, end, *said in line["sentences"]
                ),
                facts=tuple(ScoredFact(*fact) for fact in line["facts"]),
                judged=None if judged is None else Judged.from_fields(judged),
                triples=None if triples is None else tuple(Triple(*one) for one in triples),
                paired=tuple(line["paired"]),
                fates=line["fates"],
            ),
            usage=Usage.model_validate(line["usage"]),
            problems=tuple(line["problems"]),
            details=line["details"],
            fitted_on=line["fitted_on"],
        )
    except (KeyError, TypeError, ValueError):
        return None
