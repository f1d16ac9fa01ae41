"""The trained encoder: what the words of a source do to a claim.

A file in ONNX and a tokenizer. The file that ships reads six languages; how it was made stands in
`training/README.md`. Any other encoder with three classes does as well (`open_verifier`).
"""

from __future__ import annotations

import json
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from halubot.concurrency import go_on
from halubot.errors import LocalModelError
from halubot.offline import open_onnx

if TYPE_CHECKING:
    from tokenizers import Encoding

SHIPPED: Final = Path(__file__).parent / "data" / "verifier.onnx"

LONGEST: Final = 128
"""Tokens of a pair that are read; a longer source is cut. Windows of three sentences mostly have
fewer, and some encoders have no places for more."""

THREADS: Final = max(1, min(2, os.cpu_count() or 1))
"""Pairs that are judged at a time, each by one thread. 380 pairs of the demonstration took 6.3 s on
two cores; in batches of 16, each by two threads, 8.8 s. Alone no pair is padded, and its answer
does not depend on the others: the scale of numbers of 8 bits is that of all pairs of a batch."""

SLICE: Final = 8 * THREADS
"""Pairs after which it is asked whether anybody still waits for them."""

KEPT: Final = 50_000
"""Answers that are kept in the process."""

CLASSES: Final = ("contradiction", "neutral", "entailment")

_NAMES: Final = {
    "ids": "ids",
    "input_ids": "ids",
    "mask": "mask",
    "attention_mask": "mask",
    "types": "types",
    "token_type_ids": "types",
}
FOLDER: Final = "HALUBOT_LOCAL_MODELS"


def models_folder() -> Path:
    """Return the place at which downloaded models lie: what HALUBOT_LOCAL_MODELS names, else
    ``local-models`` in the platform's folder for data. It need not exist."""
    named = os.environ.get(FOLDER)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "local-models"


def folder_of(name: str) -> Path:
    """Return the folder of a downloaded model by its name, or by that of its repository."""
    return models_folder() / name.replace("/", "--")


class Judgement(NamedTuple):
    """The probabilities that a source contradicts a claim, leaves it open, or entails it."""

    contradiction: float
    neutral: float
    entailment: float


OPEN: Final = Judgement(0.0, 1.0, 0.0)
"""The judgement of a source without words."""

Pair = tuple[str, str]
"""A source and a claim."""


class _Loaded(NamedTuple):
    """The file, its tokenizer, which of our arrays each input takes, and who runs it."""

    session: Any
    tokenizer: Any
    names: dict[str, str]
    has_marks: bool
    threads: ThreadPoolExecutor


class Verifier:
    """An encoder that judges pairs. The file is loaded at the first pair; safe for threads."""

    def __init__(self, weights: Path, tokenizer: Path, order: tuple[int, int, int]) -> None:
        """``order`` gives the place of each of `CLASSES` among the outputs of the file."""
        self.weights = weights
        self._tokenizer = tokenizer
        self._order = order
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._known: OrderedDict[Pair, tuple[Judgement, tuple[float, ...]]] = OrderedDict()

    @property
    def has_marks(self) -> bool:
        """Return True if the file says which words of a claim are contradicted."""
        return self._load().has_marks

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """Judge each pair, in order. Pairs judged before cost nothing.

        Raises LocalModelError if the file cannot be loaded, or fails.
        """
        return [answer[0] for answer in self._answers(pairs)]

    def marks(self, pair: Pair) -> list[tuple[int, int, float]]:
        """Return the words of the claim with the probability that the source contradicts them.

        Each is (start, end, probability) with offsets into the claim. Empty if the file has no
        such output (`has_marks`). Raises as `judge`.
        """
        values = self._answers([pair])[0][1]
        if not values:
            return []
        encoding = self._encode([pair])[0]
        claim = [at for at, kind in enumerate(encoding.sequence_ids) if kind == 1]
        found = []
        for at, value in zip(claim, values, strict=False):
            start, end = encoding.offsets[at]
            # The tokenizer counts the space before a word as part of it.
            while start < end and pair[1][start].isspace():
                start += 1
            if start < end:
                found.append((start, end, value))
        return found

    def _answers(self, pairs: Sequence[Pair]) -> list[tuple[Judgement, tuple[float, ...]]]:
        with self._lock:
            known = {}
            for pair in dict.fromkeys(pairs):
                if pair in self._known:
                    self._known.move_to_end(pair)
                    known[pair] = self._known[pair]
        asked = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        known.update(self._ask(asked))
        with self._lock:
            for pair in asked:
                self._known[pair] = known[pair]
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return [known[pair] for pair in pairs]

    def _ask(
        self, pairs: Sequence[Pair]
    ) -> Iterator[tuple[Pair, tuple[Judgement, tuple[float, ...]]]]:
        spoken = [pair for pair in pairs if pair[0].strip() and pair[1].strip()]
        yield from ((pair, (OPEN, ())) for pair in set(pairs) - set(spoken))
        if not spoken:
            return
        threads = self._load().threads
        encodings = self._encode(spoken)
        for first in range(0, len(spoken), SLICE):
            # A long comparison runs on a thread that must stop when the check is cancelled.
            go_on()
            part = slice(first, first + SLICE)
            yield from zip(spoken[part], threads.map(self._run, encodings[part]), strict=True)

    def _run(self, encoding: Encoding) -> tuple[Judgement, tuple[float, ...]]:
        import numpy as np

        loaded = self._load()
        given = {
            "ids": encoding.ids,
            "mask": [1] * len(encoding.ids),
            "types": encoding.type_ids,
        }
        feed = {name: np.array([given[ours]]) for name, ours in loaded.names.items()}
        try:
            outputs = loaded.session.run(None, feed)
        except Exception as error:  # the library's own, and many
            raise LocalModelError(f"{self.weights} failed on a text: {error}") from error
        logits = outputs[0][0, list(self._order)].astype(np.float64)
        powers = np.exp(logits - logits.max())
        shares = powers / powers.sum()
        marks: tuple[float, ...] = ()
        if loaded.has_marks:
            of_claim = [i for i, kind in enumerate(encoding.sequence_ids) if kind == 1]
            marks = tuple((1 / (1 + np.exp(-outputs[1][0, of_claim]))).tolist())
        return Judgement(*map(float, shares)), marks

    def _encode(self, pairs: Sequence[Pair]) -> list[Encoding]:
        encodings: list[Encoding] = self._load().tokenizer.encode_batch(list(pairs))
        return encodings

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open()
            return self._loaded

    def _open(self) -> _Loaded:
        from tokenizers import Tokenizer

        try:
            session = open_onnx(str(self.weights))
            tokenizer = Tokenizer.from_file(str(self._tokenizer))
        except Exception as error:  # both libraries raise their own, and bare ones
            raise LocalModelError(f"cannot load the verifier {self.weights}: {error}") from error
        inputs = [one.name for one in session.get_inputs()]
        if unknown := set(inputs) - _NAMES.keys():
            raise LocalModelError(
                f"{self.weights} wants {min(unknown)!r}, which no text gives: export the model as"
                " a classifier of pairs"
            )
        tokenizer.no_padding()
        # A source too long is cut; a claim is not.
        tokenizer.enable_truncation(LONGEST, strategy="longest_first")
        return _Loaded(
            session,
            tokenizer,
            {name: _NAMES[name] for name in inputs},
            has_marks="marks" in [one.name for one in session.get_outputs()],
            threads=ThreadPoolExecutor(THREADS, thread_name_prefix="verifier"),
        )


VERIFIER: Final = "verifier"
"""The option that names a verifier; its variable is ``HALUBOT_VERIFIER``."""

WORDS_ALONE: Final = "none"
"""Names no verifier: words, values and names are compared, and nothing is loaded."""


def named_verifier(name: str | None) -> str:
    """Return the verifier that an option names, else the variable; "" if neither does."""
    return name or os.environ.get("HALUBOT_VERIFIER", "")


def choose_verifier(name: str | None) -> Verifier | None:
    """Return the verifier that an option names, else the variable, else the one that `halubot
    models pull verifier` fetched, else the one that ships; None for "none", or if none ships.
    Raises as `open_verifier`."""
    chosen = named_verifier(name)
    pulled = folder_of(VERIFIER)
    if not chosen and pulled.is_dir():
        chosen = str(pulled)
    if chosen == WORDS_ALONE or not (chosen or SHIPPED.is_file()):
        return None
    return open_verifier(chosen)


@lru_cache(maxsize=4)
def open_verifier(name: str = "") -> Verifier:
    """Return the verifier that ships, or the one that ``name`` says.

    ``name`` is a file in ONNX with three classes, beside which lies ``NAME.tokenizer.json`` or
    ``tokenizer.json``; or a folder with such files, in which ``config.json`` may name the classes;
    or a model that `halubot models pull` fetched, by its name.
    Raises LocalModelError if there is none, or if its classes are not those of inference.
    """
    weights = Path(name).expanduser() if name else SHIPPED
    if name and not weights.exists() and not weights.is_absolute() and folder_of(name).is_dir():
        weights = folder_of(name)
    if weights.is_dir():
        files = sorted([*weights.glob("*.onnx"), *weights.glob("onnx/*.onnx")])
        if not files:
            raise LocalModelError(f"the folder {weights} holds no verifier: no file ends in .onnx")
        weights = files[0]
    if not weights.is_file():
        raise LocalModelError(
            f"there is no verifier {name or weights}: name a file in ONNX, a folder that holds"
            " one, or a model that `halubot models` lists"
        )
    beside = weights.with_name(weights.name.split(".")[0] + ".tokenizer.json")
    candidates = (
        beside,
        weights.with_name("tokenizer.json"),
        weights.parent.parent / "tokenizer.json",
    )
    tokenizer = next((path for path in candidates if path.is_file()), None)
    if tokenizer is None:
        raise LocalModelError(f"beside the verifier {weights} there is no tokenizer.json")
    return Verifier(weights, tokenizer, _order_of_classes(weights))


def _order_of_classes(weights: Path) -> tuple[int, int, int]:
    for folder in (weights.parent, weights.parent.parent):
        try:
            labels = json.loads((folder / "config.json").read_text(encoding="utf-8"))["id2label"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        by_name = {str(label).strip().lower(): int(number) for number, label in labels.items()}
        if set(by_name) != set(CLASSES):
            raise LocalModelError(
                f"the classes in {folder / 'config.json'} are {', '.join(sorted(by_name))}; a"
                f" verifier has {', '.join(CLASSES)}"
            )
        return by_name["contradiction"], by_name["neutral"], by_name["entailment"]
    return 0, 1, 2
