"""Vectors of texts by a model on this machine, named ``local:MODEL``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from functools import cached_property
from typing import Final

from halubot.errors import LocalModelError
from halubot.models.errors import RefusedRequestError
from halubot.models.local.encoder import Encoder, require_extra
from halubot.models.local.known_models import find_model
from halubot.models.local.model_folder import ModelFolder
from halubot.models.model import Capabilities, Completion, Listed, Request, Vector

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
        require_extra(f"the embedding model {name}")
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
        raise self._refused()

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """Raise RefusedRequestError."""
        raise self._refused()
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
        """Whether the vector of the first token stands for the text, as its files say."""
        try:
            told = json.loads((self._encoder.folder.path / _POOLING).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return False
        return isinstance(told, dict) and bool(told.get("pooling_mode_cls_token"))

    def _refused(self) -> RefusedRequestError:
        return RefusedRequestError(
            "it makes vectors and answers nothing",
            "name a language model with --model",
            model=self.name,
            endpoint=ENDPOINT,
        )
