"""What a source says of claims, as an encoder on this machine reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from halubot.compare.tokens import Worded
from halubot.errors import SettingError
from halubot.models.local.encoder import LONGEST, Encoder, require_extra
from halubot.models.local.known_models import find_model
from halubot.models.local.model_folder import ModelFolder
from halubot.report import Stance
from halubot.text import Span

TOO_LONG: Final = "it is too long for the judge"
"""Why a claim is not judged that leaves little room for a source."""

ROOM: Final = LONGEST // 2
"""Tokens of a claim at most: the source has the rest."""


class Claim(NamedTuple):
    """A claim to judge: what it says by itself, the sentence of the message that makes it, the
    place of that sentence in the message, and the places of the claim's own words there."""

    text: str
    sentence: str
    place: Span
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a source says of a claim. ``quote`` is the place of the sentence in the source that says
    so, None for a silent one. ``doubt`` is the probability that the source does not bear the claim
    out, ``unfounded`` the places in the message of the words that it does not. ``failure`` tells
    why the claim was not judged."""

    stance: Stance = "silent"
    quote: Span | None = None
    doubt: float | None = None
    unfounded: tuple[Span, ...] = ()
    failure: str | None = None


UNSPOKEN: Final = Reading()
"""What a source says that shares no word with the claim: no model is asked."""


class EncoderJudge(Protocol):
    """A judge on this machine. ``name`` is what a report calls it."""

    name: str

    def read(self, source: Worded, claims: Sequence[Claim]) -> list[Reading]:
        """Return what a source says of each claim, in their order. Raises LocalModelError if the
        model cannot be loaded or fails."""
        ...


def judge_name(judge: str) -> str:
    """Return a judge's name for a report: of one that is named by the path of a folder, the path is
    left out."""
    kind, _, model = judge.partition(":")
    is_path = Path(model).is_absolute() or model.startswith((".", "~"))
    return f"{kind}:{Path(model).name if is_path else model}"


def require_judge(judge: object) -> tuple[str, str]:
    """Return the kind and the model of a judge that is written ``nli:MODEL`` or
    ``grounding:MODEL``. Raises SettingError."""
    kind, colon, model = judge.partition(":") if isinstance(judge, str) else ("", "", "")
    if kind not in ("nli", "grounding") or not colon or not model.strip():
        raise SettingError(
            f"the judge is {judge!r}: write nli:MODEL or grounding:MODEL, where MODEL is a folder"
            " or a name of halubot models (--judge-model names a language model)"
        )
    return kind, model


def open_judge(judge: str) -> EncoderJudge:
    """Return the judge of that name; its model is loaded when it is first used, and once for all
    checks. Raises SettingError, MissingExtraError without the extra, and LocalModelError for a
    model that is not there, is incomplete, or whose labels are not known."""
    folder = require_present(judge)
    kind, _, _ = judge.partition(":")
    return _opened(kind, judge_name(judge), folder, _changed(folder))


def require_present(judge: object) -> Path:
    """Return the folder of a judge. Raises what `open_judge` does if there is none, without reading
    any file: before a check spends anything."""
    kind, model = require_judge(judge)
    require_extra(f"--judge {kind}:MODEL")
    return find_model(model, kind).resolve()


@lru_cache(maxsize=4)
def _opened(kind: str, name: str, folder: Path, changed: tuple[float, ...]) -> EncoderJudge:
    found = ModelFolder.open(folder)
    if kind == "nli":
        from halubot.models.local.nli_judge import NliJudge

        return NliJudge(name, Encoder(found))
    from halubot.models.local.grounding_judge import ConsistencyJudge, TokenJudge, is_hhem

    if is_hhem(found):
        return ConsistencyJudge(name, Encoder(found, marks=True))
    return TokenJudge(name, Encoder(found))


def _changed(folder: Path) -> tuple[float, ...]:
    """When the files of a folder were last changed, so that another model in it is loaded anew."""
    files = sorted([*folder.glob("*.*"), *folder.glob("onnx/*.onnx")])
    return tuple(file.stat().st_mtime for file in files)
