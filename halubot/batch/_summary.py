"""What a batch took: the totals beside its output, which must not depend on time or luck."""

from __future__ import annotations

import errno
import json
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from halubot.errors import InputError, explain
from halubot.report import Usage


class Summary(BaseModel):
    """The content of a summary file: the lines of the output, and the usage of all runs that wrote
    to it. ``left`` lines of the input are not written yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lines: int = Field(default=0, ge=0)
    errors: int = Field(default=0, ge=0)
    left: int = Field(default=0, ge=0)
    usage: Usage = Usage()


def summary_path(target: Path) -> Path:
    """Return the summary of an output: ``out.summary.json`` for ``out.jsonl``."""
    name = target.name.removesuffix(".zst").removesuffix(".jsonl").removesuffix(".parquet")
    return target.with_name(f"{name or target.name}.summary.json")


def read_summary(path: Path) -> Summary:
    """Read a summary; an empty one if there is no file. Raises InputError for a file that is
    something else, which must not be overwritten."""
    try:
        return Summary.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Summary()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # that is said of the output itself
            return Summary()
        raise InputError(f"cannot read {path}: {explain(error)}") from error
    except ValidationError as error:
        why = "it is not the summary of a batch: move it, or name another output"
        raise InputError(f"cannot write {path}: {why}") from error


def write_summary(path: Path, summary: Summary) -> None:
    """Write a summary as a whole: a reader never sees half of it. Raises OSError."""
    usage = summary.usage.model_copy(update={"seconds": round(summary.usage.seconds, 6)})
    rounded = summary.model_copy(update={"usage": usage})
    text = json.dumps(rounded.model_dump(mode="json"), indent=2) + "\n"
    half = path.with_name(f"{path.name}.part")
    half.write_text(text, encoding="utf-8")
    half.replace(path)
