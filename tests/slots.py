"""A server of few slots and a small context, as llama-server on a small machine is one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from halubot.models.token_count import AROUND_MESSAGE, estimate_tokens
from tests.loopback import Body, Reply


@dataclass
class Slots:
    """Answers as ``judge`` does, so many calls at a time, within a context of so many tokens.

    A prompt that does not fit is refused in the words of llama-server; an answer that does not fit
    is cut. ``refused`` and ``cut`` count these, ``most_at_once`` the calls that were there
    together. n is refused beyond the slots.
    """

    judge: Callable[[Body], Reply]
    slots: int = 1
    context: int | None = None
    refused: int = 0
    cut: int = 0
    most_at_once: int = 0
    _at_once: int = 0
    _free: threading.Semaphore = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._free = threading.Semaphore(self.slots)

    def reply(self, body: Body) -> Reply:
        """The reply to a request, once a slot is free."""
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            return self._reply(body)
        finally:
            with self._lock:
                self._at_once -= 1

    def _reply(self, body: Body) -> Reply:
        n = int(body.get("n") or 1)
        if n > self.slots:
            return Reply(status=400, error=f"n must be at most {self.slots}, the number of slots")
        prompt = sum(estimate_tokens(one["content"]) + AROUND_MESSAGE for one in body["messages"])
        if self.context is not None and prompt >= self.context:
            with self._lock:
                self.refused += 1
            return self._refusal(prompt)
        with self._free:
            reply = self.judge(body)
            (text, *_) = reply.texts
            written = estimate_tokens(text)
            rooms = [body.get("max_tokens"), self.context and self.context - prompt]
            room = min((one for one in rooms if one is not None), default=written)
            with self._lock:
                self.cut += written > room
            if written > room:
                text = text[: len(text) * room // written]
                reply = replace(reply, texts=(text,), finish="length")
            return replace(reply, usage=(prompt, min(written, room)))

    def _refusal(self, prompt: int) -> Reply:
        error = {
            "code": 400,
            "message": f"request ({prompt} tokens) exceeds the available context size "
            f"({self.context} tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": prompt,
            "n_ctx": self.context,
        }
        return Reply(status=400, raw=json.dumps({"error": error}).encode())
