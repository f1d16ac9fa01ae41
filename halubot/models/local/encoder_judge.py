"""The stance of a source on claims, as an encoder on this machine reads it, window by window."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from halubot.compare.support import WEIGHTS
from halubot.compare.tokens import Worded, tokens
from halubot.errors import SettingError
from halubot.models.local.encoder import LONGEST, Encoder
from halubot.models.local.model_folder import ModelFolder, find_model
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
    """The stance of a source on a claim. ``quote`` is the place of the sentence in the source that
    says so, None for a silent one. ``doubt`` is the probability that the source does not bear the
    claim out, ``unfounded`` the places in the message of the words that it does not. ``failure``
    tells why the claim was not judged."""

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
        """Return the stance of a source on each claim, in their order; empty for no claims. Raises
        LocalModelError if the model cannot be loaded or fails."""
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
    checks. Raises SettingError, and LocalModelError for a
    model that is not there, is incomplete, or whose labels are not known."""
    folder = require_present(judge)
    kind, _, _ = judge.partition(":")
    return _open_cached(kind, judge_name(judge), folder, _times_of_change(folder))


def require_present(judge: object) -> Path:
    """Return the folder of a judge. Raises what `open_judge` does if there is none, without reading
    any file: before a check spends anything."""
    kind, model = require_judge(judge)
    return find_model(model, kind).resolve()


# Four: a program uses one judge or two, and each holds its weights in memory.
@lru_cache(maxsize=4)
def _open_cached(kind: str, name: str, folder: Path, changed: tuple[float, ...]) -> EncoderJudge:
    # `changed` is a part of the cache's key alone.
    found = ModelFolder.open(folder)
    if kind == "nli":
        from halubot.models.local.local_judges import NliJudge

        return NliJudge(name, Encoder(found))
    from halubot.models.local.local_judges import ConsistencyJudge, TokenJudge, is_hhem

    if is_hhem(found):
        return ConsistencyJudge(name, Encoder(found, marks=True))
    return TokenJudge(name, Encoder(found))


def _times_of_change(folder: Path) -> tuple[float, ...]:
    """When the files of a folder were last changed, so that another model in it is loaded anew."""
    files = sorted([*folder.glob("*.*"), *folder.glob("onnx/*.onnx")])
    return tuple(file.stat().st_mtime for file in files)


BEST: Final = 3
"""Sentences around which windows are made."""


NEIGHBOURS: Final = 2
"""Sentences that are read on each side of one, at most."""


_KINDS: Final = {"stop": 0.0, "word": 1.0, "name": WEIGHTS.name, "number": WEIGHTS.number}


class SourceWindow(NamedTuple):
    """A part of a source, ``text[start:end]``. ``sentence`` is the place of the sentence that it
    was made around, ``share`` how much of the claim's words that holds, above 0 and up to 1."""

    start: int
    end: int
    sentence: Span
    share: float


class SourceWindows:
    """The windows of one source; ``count`` tells how many tokens a text has."""

    def __init__(self, source: Worded, count: Callable[[str], int]) -> None:
        self._plain = source.document.plain
        self._spans = source.document.sentences
        self._norms = [frozenset(token.norm for token in row) for row in source.tokens]
        self._holders = Counter(norm for norms in self._norms for norm in norms)
        self._count = count
        self._sizes: dict[int, int] = {}

    def around(self, claim: str, room: int) -> tuple[SourceWindow, ...]:
        """Return the windows for a claim, of ``room`` tokens at most unless a single sentence has
        more, the one that fits best first. None if the source shares no content word with it."""
        found: list[SourceWindow] = []
        for share, place in self._best(claim):
            first, last = self._widen(place, room)
            start, end = self._spans[first][0], self._spans[last][1]
            # What lies inside a window that is read already would be read twice.
            if not any(one.start <= start and end <= one.end for one in found):
                found.append(SourceWindow(start, end, self._spans[place], share))
        return tuple(found)

    def words(self, window: SourceWindow) -> str:
        """Return the words of a window for a model: without markup, in one line."""
        return _one_line(self._plain[window.start : window.end])

    def _best(self, claim: str) -> list[tuple[float, int]]:
        """Return the sentences that hold most of a claim, the best first, with their shares."""
        weights = {
            token.norm: _KINDS[token.kind]
            # The rarer a word is in the source, the more its sentence tells of the claim (inverse
            # document frequency).
            * math.log1p(len(self._spans) / max(1, self._holders[token.norm]))
            for token in tokens(claim, 0, len(claim))
        }
        whole = sum(weights.values())
        shares = (
            (sum(weight for norm, weight in weights.items() if norm in norms), place)
            for place, norms in enumerate(self._norms)
        )
        held = sorted((one for one in shares if one[0] > 0), key=lambda one: (-one[0], one[1]))
        return [(share / whole, place) for share, place in held[:BEST]]

    def _widen(self, place: int, room: int) -> Span:
        """Return the first and the last sentence of the window around one."""
        first = last = place
        room -= self._size(place)
        for before in self._sides():
            beside = first - 1 if before else last + 1
            if not 0 <= beside < len(self._spans) or (size := self._size(beside)) > room:
                continue
            room -= size
            first, last = (beside, last) if before else (first, beside)
        return first, last

    def _sides(self) -> Iterator[bool]:
        """Say of each neighbour in turn if it stands before: what a pronoun refers to does."""
        for _ in range(NEIGHBOURS):
            yield True
            yield False

    def _size(self, place: int) -> int:
        if place not in self._sizes:
            self._sizes[place] = self._count(_one_line(self._plain[slice(*self._spans[place])]))
        return self._sizes[place]


def _one_line(text: str) -> str:
    return " ".join(text.split())
