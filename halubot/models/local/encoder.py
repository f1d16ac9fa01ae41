"""An encoder on this machine: texts in, numbers or vectors out, in batches of like length."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from halubot.errors import LocalModelError
from halubot.models.local.model_folder import ModelFolder, find_model
from halubot.models.model import Capabilities, Completion, Listed, Request, Vector
from halubot.models.model_errors import RefusedRequestError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Encoding

    Numbers = NDArray[np.float32]

LONGEST: Final = 512
"""Tokens that are read at once, the longest that most encoders were trained on."""

TOGETHER: Final = 16
"""Texts in a batch."""

_INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class Encoder:
    """The weights and the tokenizer of a model, loaded at the first text. Safe to use from several
    threads: one batch is computed at a time, with all processors."""

    def __init__(self, folder: ModelFolder, *, marks: bool = False) -> None:
        """``marks`` has marks such as <pad> mean themselves; else they are plain text, for a text
        under test may hold them too."""
        self.folder = folder
        self._marks = marks
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any, tuple[str, ...]] | None = None

    def encode(self, text: str, beside: str | None = None) -> Encoding:
        """Return the tokens of a text, or of a pair of which the first is cut to `LONGEST` tokens
        in all. Raises LocalModelError if the model cannot be loaded."""
        encoding: Encoding = self._load()[1].encode(text, beside)
        return encoding

    def count(self, text: str) -> int:
        """Return the number of tokens of a text, 0 to `LONGEST`, without those that frame it.
        Raises as `encode`."""
        return len(self._load()[1].encode(text, add_special_tokens=False).ids)

    def cut_to(self, text: str, room: int) -> str:
        """Return the beginning of a text that has so many tokens at most. Raises as `encode`."""
        offsets = self._load()[1].encode(text, add_special_tokens=False).offsets
        return text if len(offsets) <= room else text[: offsets[room - 1][1]] if room > 0 else ""

    def run(self, encodings: Sequence[Encoding]) -> list[Numbers]:
        """Return the first output of the model for each text, without the part that is padding: a
        row of numbers, or a row a token. Empty without texts. Raises LocalModelError."""
        found: dict[int, Numbers] = {}
        for places in _batches(encodings):
            rows = self._run([encodings[place] for place in places])
            found.update(zip(places, rows, strict=True))
        return [found[place] for place in range(len(encodings))]

    def _run(self, encodings: Sequence[Encoding]) -> list[Numbers]:
        import numpy as np

        session, _, names = self._load()
        longest = max(len(one.ids) for one in encodings)
        shape = (len(encodings), longest)
        pad = self.folder.config.get("pad_token_id")
        ids = np.full(shape, pad if isinstance(pad, int) else 0, dtype=np.int64)
        mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, one in enumerate(encodings):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
            types[row, : len(one.ids)] = one.type_ids
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        with self._lock:
            try:
                output = session.run(None, {name: given[name] for name in names})[0]
            except Exception as error:  # the library's own, and many
                raise LocalModelError(
                    f"{self.folder.weights} failed on a text: {_first_line(error)}"
                ) from error
        # A row a token has three dimensions: what stands beyond the text is padding.
        whole = output.ndim != 3 or output.shape[1] != longest
        return [
            row if whole else row[: len(one.ids)]
            for row, one in zip(output, encodings, strict=True)
        ]

    def _load(self) -> tuple[Any, Any, tuple[str, ...]]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open_session()
            return self._loaded

    def _open_session(self) -> tuple[Any, Any, tuple[str, ...]]:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4  # what goes wrong is raised
        try:
            session = onnxruntime.InferenceSession(
                str(self.folder.weights), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the library's own, and many
            raise LocalModelError(
                f"cannot load {self.folder.weights}: {_first_line(error)}"
            ) from error
        names = tuple(one.name for one in session.get_inputs())
        if unknown := set(names) - _INPUTS:
            raise LocalModelError(
                f"{self.folder.weights} wants {min(unknown)!r}, which no text gives: export the"
                " model as a classifier or for its features"
            )
        try:
            tokenizer = Tokenizer.from_file(str(self.folder.tokenizer))
        except Exception as error:  # the library raises a bare Exception
            raise LocalModelError(
                f"cannot load {self.folder.tokenizer}: {_first_line(error)}"
            ) from error
        tokenizer.no_padding()
        tokenizer.encode_special_tokens = not self._marks
        # Of a pair the source is cut and never the claim; of one text its end.
        tokenizer.enable_truncation(LONGEST, strategy="only_first")
        return session, tokenizer, names


def _batches(encodings: Sequence[Encoding]) -> Iterator[list[int]]:
    """The places of texts that are computed together, those of about the same length."""
    order = sorted(range(len(encodings)), key=lambda place: len(encodings[place].ids))
    for start in range(0, len(order), TOGETHER):
        yield order[start : start + TOGETHER]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


PREFIX: Final = "local:"
"""What the name of a model of this kind begins with."""


ENDPOINT: Final = "localhost"
"""Who receives the texts: this machine, and no server on it."""


_POOLING: Final = "1_Pooling/config.json"


class LocalEmbedder:
    """A `LanguageModel` that gives vectors and answers nothing. Its files are read at once, its
    weights at the first text."""

    def __init__(self, name: str) -> None:
        """Open ``local:MODEL``. Raises MissingExtraError without the extra, and LocalModelError for
        a model that is not there or incomplete."""
        self._name = name
        self._encoder = Encoder(ModelFolder.open(find_model(name.removeprefix(PREFIX), "local")))

    @property
    def name(self) -> str:
        return self._name

    @property
    def endpoint(self) -> str:
        return ENDPOINT

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities()

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Raise RefusedRequestError."""
        raise self._make_refusal()

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """Raise RefusedRequestError."""
        raise self._make_refusal()
        yield ""  # makes this a generator

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return the vectors of texts, of length 1, in their order. Raises LocalModelError."""
        return await asyncio.to_thread(self.vectors, texts)

    async def listed(self) -> Listed:
        """Return prices of nothing."""
        return Listed(prompt_price=0.0, completion_price=0.0)

    def vectors(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """Return the same for callers without a loop."""
        import numpy as np

        rows = self._encoder.run([self._encoder.encode(text) for text in texts])
        found: list[Vector] = []
        for row in rows:
            # Of vectors of tokens the mean, or the first, as the model was trained; of one itself.
            pooled = row if row.ndim == 1 else row[0] if self._takes_first else row.mean(axis=0)
            if pooled.ndim != 1:
                raise LocalModelError(
                    f"{self._encoder.folder.weights} gives {row.shape} numbers a text: it makes no"
                    " vectors"
                )
            length = float(np.linalg.norm(pooled))
            found.append(tuple(map(float, pooled / length if length else pooled)))
        return tuple(found)

    @cached_property
    def _takes_first(self) -> bool:
        """Return True if the vector of the first token stands for the text, as its files say."""
        try:
            told = json.loads((self._encoder.folder.path / _POOLING).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(told, dict) and bool(told.get("pooling_mode_cls_token"))

    def _make_refusal(self) -> RefusedRequestError:
        return RefusedRequestError(
            "it makes vectors and answers nothing",
            "name a language model with --model",
            model=self.name,
            endpoint=ENDPOINT,
        )
