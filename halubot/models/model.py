"""The protocol of a language model, its requests and its completions; samples of one request.

A call of `LanguageModel.complete` is one request to a server. It may return fewer completions
than were asked for, because many servers ignore n: `draw` asks for the rest.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, runtime_checkable

from halubot.models.model_errors import ModelError

Role = Literal["system", "user", "assistant"]
Parameter = Literal["n", "schema", "strict", "logprobs", "seed", "temperature"]
Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON schema that an answer is bound to; ``json`` is its text, so that it can be a key."""

    name: str
    json: str

    @classmethod
    def of(cls, name: str, value: Any) -> Schema:
        """Return the schema with this value, always spelt alike, so that equal schemas are equal
        keys of the store. Raises TypeError for a value that JSON cannot hold."""
        return cls(name, json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    @property
    def value(self) -> dict[str, Any]:
        """The schema as a new dictionary."""
        value: dict[str, Any] = json.loads(self.json)
        return value


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model: equal requests are the same request.

    ``n`` completions are wanted, at least 1. ``first`` is the index of the first of them among all
    samples of this prompt, so that the third and the fourth sample are two requests.
    ``temperature``, ``seed`` and ``max_tokens`` are the server's own if None; the seed sent is
    ``seed + first``, since one seed would draw one sample again and again. ``logprobs`` asks for
    the log-probability of each token. ``again`` tells that an earlier
    answer was no use, and is for the budget alone. ``settings`` are what a user asks of the model's
    server besides (`halubot.models.server_settings`), as JSON by name.
    """

    messages: tuple[Message, ...]
    schema: Schema | None = None
    n: int = 1
    first: int = 0
    temperature: float | None = None
    seed: int | None = None
    logprobs: bool = False
    max_tokens: int | None = None
    again: bool = False
    settings: Settings = ()


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token of an answer, and its natural log-probability (at most 0)."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens read and written. A completion carries its share of its call: the sum over the
    completions of a call is what the call took."""

    prompt: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer as it came.

    ``finish_reason`` is "stop" for an answer that is whole and "length" for one cut off. ``usage``
    is None if the server does not say, ``cost`` (dollars) if the price is not known,
    ``logprobs`` if none were asked for or sent. ``model`` and ``endpoint`` say whose answer it
    is. ``cached`` is True of one that came out of the store or a record: it took no call, and its
    usage and cost are those of the call that once brought it.
    """

    text: str
    finish_reason: str | None = "stop"
    logprobs: tuple[TokenLogprob, ...] | None = None
    usage: TokenUsage | None = None
    cost: float | None = None
    model: str = ""
    endpoint: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The abilities that a model showed in real calls: True, False, or None for not tried yet.

    ``n`` is True if it returns as many completions as asked for, ``schema`` if its answers fit the
    schema they are bound to, ``logprobs`` if it sends log-probabilities. ``refused`` are the
    parameters that the server turned down; they are not sent to it again.
    """

    n: bool | None = None
    schema: bool | None = None
    logprobs: bool | None = None
    refused: frozenset[Parameter] = frozenset()


@dataclass(frozen=True, slots=True)
class Listed:
    """The published prices of a model in US dollars for a prompt token and for a completion token.
    None if litellm's table does not say."""

    prompt_price: float | None = None
    completion_price: float | None = None


@runtime_checkable
class LanguageModel(Protocol):
    """The protocol of a language model; an object of your own with these members is one.

    ``name`` is the model's name as the user wrote it, ``endpoint`` the address or the provider
    that receives the text, without any key. A call that fails raises a
    `halubot.models.model_errors.ModelError`.
    """

    @property
    def name(self) -> str: ...

    @property
    def endpoint(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities:
        """The abilities that are known by now."""
        ...

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Send one request to the server and return between 1 and ``request.n`` completions."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """Yield the pieces of one answer as they come and, last, the whole `Completion`.

        If the answer breaks off, the pieces are yielded and a ModelError is raised in place of the
        `Completion`.
        """
        ...

    async def listed(self) -> Listed:
        """Return the published prices of this model; all None if it is not listed."""
        ...


class Wrapper:
    """A model around another one, which says of itself what that says. Whoever wraps one overrides
    the calls."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    @property
    def endpoint(self) -> str:
        """Who receives the text."""
        return self._model.endpoint

    @property
    def capabilities(self) -> Capabilities:
        """The abilities of the model that are known by now."""
        return self._model.capabilities

    async def listed(self) -> Listed:
        """Return the published prices of the model."""
        return await self._model.listed()


@runtime_checkable
class Remote(Protocol):
    """The protocol of a model whose library takes seconds to load and whose server may be down."""

    @property
    def is_loaded(self) -> bool: ...

    def load(self) -> None:
        """Load the library; blocks for seconds. Raises a ModelError if no call would succeed."""
        ...

    def find_obstacle(self) -> ModelError | None:
        """Return the error with which every call would fail, such as a missing key; None if none
        is known before a call."""
        ...


def total(completions: Iterable[Completion]) -> TokenUsage | None:
    """Return the tokens of all completions together; None if no server counted them."""
    known = [one.usage for one in completions if one.usage is not None]
    if not known:
        return None
    return TokenUsage(sum(u.prompt for u in known), sum(u.completion for u in known))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Sample number ``index`` of its prompt: its completion, or why there is none."""

    index: int
    completion: Completion | None
    error: ModelError | None = None


async def draw(model: LanguageModel, request: Request) -> AsyncGenerator[Drawn, None]:
    """Samples ``first`` to ``first + n - 1``, each as soon as it is there, in any order.

    Every index comes once. A sample that fails does not stop the others; closing the generator
    stops all calls at once. A server that ignores n costs one more round trip the first time.
    """
    end = request.first + request.n
    done = request.first
    stored = True
    # None, not tried yet, counts as able: the first call finds out, and its answers are no loss.
    while stored and end - done > 1 and model.capabilities.n is not False:
        left = end - done
        try:
            together = await model.complete(replace(request, n=left, first=done))
        except ModelError as error:
            for index in range(done, end):
                yield Drawn(index, None, error)
            return
        for completion in together[:left]:
            yield Drawn(done, completion)
            done += 1
        stored = all(one.cached for one in together)  # such come alone: the rest is not tried yet

    async def one(index: int) -> Drawn:
        try:
            return Drawn(index, (await model.complete(replace(request, n=1, first=index)))[0])
        except ModelError as error:
            return Drawn(index, None, error)

    tasks = [asyncio.create_task(one(index)) for index in range(done, end)]
    try:
        for drawn in asyncio.as_completed(tasks):
            yield await drawn
    finally:
        for task in tasks:
            task.cancel()
