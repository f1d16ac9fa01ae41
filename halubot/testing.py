"""A model that answers from a script, for tests of programs that use halubot."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import replace

from halubot.models.model import (
    Capabilities,
    Completion,
    Listed,
    Message,
    Request,
    TokenUsage,
)
from halubot.models.model_errors import ModelError

Line = str | Completion | Exception
"""One line of a script: an answer, an answer with all its details, or a failure."""


class ScriptedModel:
    """A language model that answers from a script, or by a function, without any network.

    Each completion takes one line of the script: a request with n = 3 takes three. A function is
    called once for each completion, with a request for that one alone (n = 1 and its own index in
    ``first``). An exception in the script, or raised by the function, is the failure of the call.
    A script without a line left raises AssertionError.

    With ``honours_n`` False it answers with one completion whatever n is, as many servers do. Of
    its ``capabilities`` only ``n`` is known unless some are given.
    ``requests`` keep what was asked. A token of its usage is a word.
    """

    def __init__(
        self,
        script: Iterable[Line] | Callable[[Request], Line] = (),
        *,
        name: str = "scripted",
        endpoint: str = "a script",
        honours_n: bool = True,
        capabilities: Capabilities | None = None,
        listed: Listed | None = None,
    ) -> None:
        self._next = script if callable(script) else _reader(script)
        self.name = name
        self.endpoint = endpoint
        self.capabilities = capabilities or Capabilities(n=honours_n)
        self._honours_n = honours_n
        self._listed = listed or Listed()
        self._failures: list[Exception] = []
        self.requests: list[Request] = []

    @property
    def calls(self) -> int:
        """The number of calls, failed ones too."""
        return len(self.requests)

    @property
    def messages(self) -> list[tuple[Message, ...]]:
        """The messages of each request, in order."""
        return [request.messages for request in self.requests]

    def fail(self, error: Exception | None = None, *, times: int = 1) -> None:
        """Make the next ``times`` calls fail, with a ModelError if no error is given."""
        refused = ModelError("refused", "ask again", model=self.name, endpoint=self.endpoint)
        self._failures += [error or refused] * times

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Return the next completions of the script: n of them, or one."""
        # Before it may fail: a failed call is a call.
        self.requests.append(request)
        self._fail_if_told()
        wanted = request.n if self._honours_n else 1
        return tuple(self._answer(request, request.first + index) for index in range(wanted))

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """Yield the next completion word by word, then as a whole."""
        self.requests.append(request)
        self._fail_if_told()
        completion = self._answer(request, request.first)
        for word in re.findall(r"\s*\S+|\s+$", completion.text):
            yield word
        yield completion

    async def listed(self) -> Listed:
        """Return the listing given."""
        return self._listed

    def _fail_if_told(self) -> None:
        if self._failures:
            raise self._failures.pop(0)

    def _answer(self, request: Request, index: int) -> Completion:
        line = self._next(replace(request, n=1, first=index))
        if isinstance(line, Exception):
            raise line
        if isinstance(line, Completion):
            return line
        # The prompt is read once for all of n completions, as providers count it.
        read = sum(len(message.content.split()) for message in request.messages)
        usage = TokenUsage(read if index == request.first else 0, len(line.split()))
        cost = None
        if self._listed.prompt_price is not None and self._listed.completion_price is not None:
            cost = usage.prompt * self._listed.prompt_price
            cost += usage.completion * self._listed.completion_price
        return Completion(line, usage=usage, cost=cost, model=self.name, endpoint=self.endpoint)


def _reader(script: Iterable[Line]) -> Callable[[Request], Line]:
    lines = iter(script)

    def read(request: Request) -> Line:
        line = next(lines, None)
        if line is None:
            raise AssertionError(f"the script has no line for {request.messages[-1].content!r}")
        return line

    return read
