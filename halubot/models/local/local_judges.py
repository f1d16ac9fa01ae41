"""Judges on this machine: classifiers of entailment, and judges of grounding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from halubot.compare.tokens import Worded
from halubot.errors import LocalModelError
from halubot.models.local.encoder import LONGEST, Encoder
from halubot.models.local.encoder_judge import (
    ROOM,
    TOO_LONG,
    UNSPOKEN,
    Claim,
    Reading,
    SourceWindow,
    SourceWindows,
)
from halubot.models.local.model_folder import ModelFolder
from halubot.text import Span

if TYPE_CHECKING:
    from halubot.models.local.encoder import Numbers


class NliJudge:
    """A sequence classifier of pairs (source, claim). Its classes go by the names in its
    config.json. A claim is supported if any window entails it; it is contradicted only if the
    window that fits it best contradicts it, since other sentences speak of other things."""

    def __init__(self, name: str, encoder: Encoder) -> None:
        self.name = name
        self._encoder = encoder
        self._labels = encoder.folder.labels()
        self._entailed = self._class("entail")
        # A model of two classes, such as entailment and not_entailment, never contradicts.
        refusing = [at for at, label in enumerate(self._labels) if label.startswith("contradict")]
        self._contradicted = refusing[0] if refusing else None

    def read(self, source: Worded, claims: Sequence[Claim]) -> list[Reading]:
        """See `EncoderJudge.read`."""
        windows = SourceWindows(source, self._encoder.count)
        asked: list[tuple[int, SourceWindow]] = []
        readings = [UNSPOKEN] * len(claims)
        for place, claim in enumerate(claims):
            size = self._encoder.count(claim.text)
            if size > ROOM:
                readings[place] = Reading(failure=TOO_LONG)
                continue
            around = windows.around(claim.text, LONGEST - _FRAME - size)
            asked += [(place, window) for window in around]
        rows = self._encoder.run(
            [
                self._encoder.encode(windows.words(window), claims[place].text)
                for place, window in asked
            ]
        )
        said: dict[int, list[tuple[SourceWindow, Numbers]]] = {}
        for (place, window), row in zip(asked, rows, strict=True):
            said.setdefault(place, []).append((window, self._probabilities(row)))
        for place, own in said.items():
            readings[place] = self._reading(own)
        return readings

    def _reading(self, said: Sequence[tuple[SourceWindow, Numbers]]) -> Reading:
        """Return the stance of all windows together, of which the first fits the claim best."""
        window, row = max(said, key=lambda one: float(one[1][self._entailed]))
        doubt = 1 - float(row[self._entailed])
        if doubt < _SURE:
            return Reading("supports", window.sentence, doubt)
        nearest, first = said[0]
        if self._contradicted is not None and first[self._contradicted] > _SURE:
            return Reading("contradicts", nearest.sentence, doubt)
        return Reading(doubt=doubt)

    def _probabilities(self, row: Numbers) -> Numbers:
        if row.shape != (len(self._labels),):
            raise LocalModelError(
                f"{self._encoder.folder.weights} gives {row.shape} numbers a text, and its"
                f" config.json names {len(self._labels)} labels: it is no classifier of these"
            )
        return softmax(row)

    def _class(self, name: str) -> int:
        found = [at for at, label in enumerate(self._labels) if label.startswith(name)]
        if len(found) != 1:
            raise LocalModelError(
                f"the labels of {self._encoder.folder.path} are {', '.join(self._labels)}: a judge"
                " nli:MODEL needs one for entailment, and one for contradiction or neutral;"
                " correct id2label in its config.json as its publishers say"
            )
        return found[0]


def softmax(row: Numbers) -> Numbers:
    """Return the probabilities of the classes along the last axis."""
    import numpy as np

    raised = np.exp(row - row.max(axis=-1, keepdims=True))
    found: Numbers = raised / raised.sum(axis=-1, keepdims=True)
    return found


_FRAME: Final = 8
"""Tokens around and between source and claim, at most."""

_SURE: Final = 0.5

HHEM_PROMPT: Final = (
    "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {premise}"
    "\n\nHypothesis: {hypothesis}"
)
"""The prompt that HHEM-2.1-Open was trained with."""

_MARKS: Final = re.compile(r"<(?:/?s|pad|unk|extra_id_\d+)>")
"""What T5 reads as a mark, and no text that is judged may hold."""


def is_hhem(folder: ModelFolder) -> bool:
    """Return True for HHEM-2.1-Open, a T5 encoder with a head on its first token."""
    told = [folder.config.get("model_type"), *(folder.config.get("architectures") or ())]
    words = " ".join(map(str, told)).lower()
    return "hhem" in words or "t5" in words


class TokenJudge:
    """A classifier of tokens, such as LettuceDetect and TinyLettuce: it reads a window of the
    source beside a whole sentence of the message, and says of each token of the sentence how likely
    it is hallucinated. A token is borne out if any window bears it out; a claim is, if all of its
    own words are."""

    def __init__(self, name: str, encoder: Encoder) -> None:
        self.name = name
        self._encoder = encoder
        labels = encoder.folder.labels()
        self._count = len(labels)
        found = [at for at, label in enumerate(labels) if label.startswith("hallucinat")]
        if len(found) != 1 or len(labels) != 2:
            raise LocalModelError(
                f"the labels of {encoder.folder.path} are {', '.join(labels)}: a judge"
                " grounding:MODEL needs supported and hallucinated; correct id2label in its"
                " config.json as its publishers say"
            )
        self._hallucinated = found[0]

    def read(self, source: Worded, claims: Sequence[Claim]) -> list[Reading]:
        """See `EncoderJudge.read`."""
        windows = SourceWindows(source, self._encoder.count)
        sentences = list(dict.fromkeys((claim.sentence, claim.place) for claim in claims))
        found = {one: self._sentence(windows, *one) for one in sentences}
        return [_of_claim(claim, found[claim.sentence, claim.place]) for claim in claims]

    def _sentence(
        self, windows: SourceWindows, sentence: str, place: Span
    ) -> list[tuple[SourceWindow, dict[Span, float]]] | None:
        """Return of each window, the best first, how likely each token of a sentence, by its place
        in the message, is hallucinated; None for a sentence that is too long."""
        size = self._encoder.count(sentence)
        if size > ROOM:
            return None
        around = windows.around(sentence, LONGEST - _FRAME - size)
        encodings = [self._encoder.encode(windows.words(window), sentence) for window in around]
        found = []
        for window, one, rows in zip(around, encodings, self._encoder.run(encodings), strict=True):
            if rows.shape != (len(one.ids), self._count):
                raise LocalModelError(
                    f"{self._encoder.folder.weights} gives {rows.shape} numbers for"
                    f" {len(one.ids)} tokens: it is no classifier of tokens"
                )
            shares = softmax(rows)[:, self._hallucinated]
            tokens = zip(one.sequence_ids, one.offsets, shares, strict=True)
            found.append(
                (
                    window,
                    {
                        (place[0] + start, place[0] + end): float(share)
                        for part, (start, end), share in tokens
                        if part == 1 and start < end
                    },
                )
            )
        return found


class ConsistencyJudge:
    """HHEM-2.1-Open: how consistent a claim is with a window of the source, as a probability."""

    def __init__(self, name: str, encoder: Encoder) -> None:
        self.name = name
        self._encoder = encoder

    def read(self, source: Worded, claims: Sequence[Claim]) -> list[Reading]:
        """See `EncoderJudge.read`."""
        windows = SourceWindows(source, self._encoder.count)
        frame = self._encoder.count(HHEM_PROMPT) + _FRAME
        readings = [UNSPOKEN] * len(claims)
        asked: list[tuple[int, SourceWindow, str]] = []
        for place, claim in enumerate(claims):
            size = self._encoder.count(claim.text)
            if size > ROOM:
                readings[place] = Reading(failure=TOO_LONG)
                continue
            room = LONGEST - frame - size
            for window in windows.around(claim.text, room):
                # The prompt is one text here, whose end the tokenizer cuts: an uncut premise would
                # push the claim out.
                premise = self._encoder.cut_to(windows.words(window), room)
                prompt = HHEM_PROMPT.format(
                    # A source could hold the marks that end a text for T5, and so hide the claim
                    # from the judge.
                    premise=_MARKS.sub(" ", premise),
                    hypothesis=_MARKS.sub(" ", claim.text),
                )
                asked.append((place, window, prompt))
        rows = self._encoder.run([self._encoder.encode(prompt) for _, _, prompt in asked])
        for (place, window, _), row in zip(asked, rows, strict=True):
            doubt = 1 - self._consistency(row)
            before = readings[place].doubt
            if before is None or doubt < before:
                readings[place] = _judge_window(doubt, window, claims[place].spans)
        return readings

    def _consistency(self, rows: Numbers) -> float:
        """Return the probability of the second class of the first token."""
        first = rows[0] if rows.ndim == 2 else rows
        if first.shape != (2,):
            raise LocalModelError(
                f"{self._encoder.folder.weights} gives {rows.shape} numbers a text: it is not"
                " HHEM-2.1-Open"
            )
        return float(softmax(first)[1])


def _of_claim(claim: Claim, found: list[tuple[SourceWindow, dict[Span, float]]] | None) -> Reading:
    """Return the stance of all windows on the claim's own words, by the tokens of its sentence."""
    if found is None:
        return Reading(failure=TOO_LONG)
    if not found:
        return UNSPOKEN
    doubts: dict[Span, float] = {}
    for _, tokens in found:
        for span, share in tokens.items():
            if any(span[0] < end and start < span[1] for start, end in claim.spans):
                # The window that bears a word out best counts: the others may speak of other
                # things.
                doubts[span] = min(share, doubts.get(span, 1.0))
    if not doubts:
        return UNSPOKEN
    # The window that bears out most is the one to quote.
    window = min(found, key=lambda one: sum(one[1].get(span, 1.0) for span in doubts))[0]
    unfounded = [span for span, share in doubts.items() if share >= _SURE]
    return _judge_window(max(doubts.values()), window, _join_spans(unfounded))


def _judge_window(doubt: float, window: SourceWindow, unfounded: tuple[Span, ...]) -> Reading:
    if doubt < _SURE:
        return Reading("supports", window.sentence, doubt)
    return Reading(doubt=doubt, unfounded=unfounded)


def _join_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the places in order, those with at most a space between them as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)
