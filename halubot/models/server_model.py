"""A model behind a server or a provider, by litellm's name for it.

Servers that speak OpenAI's protocol at an address of their own are called by
`halubot.models.openai_server`, all others through litellm (`halubot.models.litellm_door`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from halubot.models import capabilities as learning
from halubot.models import litellm_door
from halubot.models.answer_text import completions, find_end, find_logprobs, usage
from halubot.models.litellm_door import LitellmServer
from halubot.models.loop import aside, pieces_aside
from halubot.models.model import (
    Capabilities,
    Completion,
    Listed,
    Parameter,
    Request,
    TokenLogprob,
    TokenUsage,
)
from halubot.models.model_errors import BrokenConnectionError, ModelError, RefusedParameterError
from halubot.models.published import address, base_of, listed_of, price, provider_of
from halubot.models.server_settings import with_settings
from halubot.models.vendor_errors import BROKEN_OFF, translate_error

if TYPE_CHECKING:
    from halubot.models.openai_server import OpenAIServer

OLLAMA: Final = ("ollama", "ollama_chat")

WHOLE: Final = {"truncate": False, "shift": False}
"""Has Ollama refuse a prompt that is longer than its context: else it cuts it and says nothing."""


class ServerModel:
    """A model by litellm's name for it ("openai/gpt-5", "ollama_chat/llama3"). ``endpoint`` is who
    receives the text: an address without key or password, or the provider.

    Makes one request a call, with no limit, no budget and no second attempt: those are
    `halubot.models.limits.LimitedModel`'s. Keys are taken from the variables that the providers
    document and kept nowhere.
    """

    def __init__(self, name: str, api_base: str | None = None) -> None:
        self.name = name
        self._provider = provider_of(name)
        self._base = base_of(self._provider, api_base)  # said to litellm, which may guess another
        self.endpoint = address(self._provider, api_base)

    def __repr__(self) -> str:
        return f"ServerModel({self.name!r} at {self.endpoint!r})"

    @property
    def capabilities(self) -> Capabilities:
        """The abilities that are known of this model at this address."""
        return learning.learnt(self.name, self.endpoint)

    @cached_property
    def is_plain(self) -> bool:
        from halubot.models.openai_server import is_plain

        return is_plain(self.name, self._provider, self._base)

    @property
    def is_loaded(self) -> bool:
        return self.is_plain or litellm_door.is_loaded()

    def load(self) -> None:
        """Load the library. Raises a ModelError if litellm would be loaded and no call would
        succeed: the answer to that takes less time than loading."""
        if self.is_plain:
            import_module("halubot.network")
        elif (obstacle := self.find_obstacle()) is not None:
            raise obstacle
        else:
            litellm_door.load_litellm()

    def find_obstacle(self) -> ModelError | None:
        """Return the error that every call would meet: no key, or nobody at the address."""
        from halubot.models.reachable import find_obstacle

        return find_obstacle(self.name, self._base)

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions. Raises a ModelError."""
        return await aside(self._complete(request))

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The pieces of one answer, then its Completion. Raises a ModelError."""
        async for piece in pieces_aside(self._stream(request)):
            yield piece

    async def listed(self) -> Listed:
        """Prices as litellm's own table has them; asks no server."""
        return listed_of(self.name)

    @cached_property
    def _server(self) -> OpenAIServer | LitellmServer:
        """What makes the calls. Raises exceptions of any class."""
        if self.is_plain:
            from halubot.models.openai_server import OpenAIServer

            return OpenAIServer(self.name, self._provider, self._base or "")
        return LitellmServer(self.name, self._provider, self._base)

    async def _complete(self, request: Request) -> tuple[Completion, ...]:
        from halubot.network import keeping_turn

        while True:
            body, sent = self._body(request)
            try:
                async with keeping_turn():
                    return self._read(await self._server.complete(body), request)
            except ModelError:
                raise
            except Exception as failure:  # noqa: BLE001 - of any class; all are told apart
                # What litellm itself refuses was never sent: it is left out at once, without a wait
                # and without a call of the budget.
                local = type(failure).__name__ == "UnsupportedParamsError"
                error = self._explain_failure(failure, sent)
            # Raised outside of the handler, here and below: the traceback of a vendor's error holds
            # the whole answer (8 MB were seen), and errors live as long as something names them.
            if not (local and isinstance(error, RefusedParameterError)):
                raise error

    def _read(self, response: Any, request: Request) -> tuple[Completion, ...]:
        brought = completions(
            response,
            listed_of(self.name),
            model=self.name,
            endpoint=self.endpoint,
            logprobs=request.logprobs,
        )
        learning.remember(
            self.name, self.endpoint, learning.after(self.capabilities, request, brought)
        )
        return brought

    async def _stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        body, sent = self._body(replace(request, n=1))
        texts: list[str] = []
        tokens: list[TokenLogprob] = []
        finish: str | None = None
        used: TokenUsage | None = None
        error = None
        try:
            async with aclosing(self._server.stream(body)) as chunks:
                async for chunk in chunks:
                    # With include_usage the tokens come in a last piece of their own, which has no
                    # choices.
                    used = usage(chunk) or used
                    for choice in (chunk.choices or ())[:1]:
                        finish = find_end(choice, choice.delta) or finish
                        if request.logprobs:
                            tokens += find_logprobs(choice)
                        if choice.delta.content:
                            texts.append(choice.delta.content)
                            yield choice.delta.content
        except Exception as failure:  # noqa: BLE001 - of any class; all are told apart
            error = self._explain_failure(failure, sent)
        if error is not None:
            raise error
        # A connection that was closed early ends the loop like an answer that is whole; only the
        # missing reason tells.
        if finish is None:
            raise BrokenConnectionError(
                BROKEN_OFF, "try again", model=self.name, endpoint=self.endpoint
            )
        yield Completion(
            "".join(texts),
            finish,
            tuple(tokens) or None,
            usage=used,
            cost=price(listed_of(self.name), used),
            model=self.name,
            endpoint=self.endpoint,
        )

    def _body(self, request: Request) -> tuple[dict[str, Any], frozenset[Parameter]]:
        """The body of a request without what this server was seen to turn down, and what it may
        turn down of the rest."""
        refused = self.capabilities.refused
        wanted: dict[Parameter, dict[str, Any]] = {}
        if request.n > 1:
            wanted["n"] = {"n": request.n}
        if request.schema is not None:
            bound: dict[str, Any] = {"name": request.schema.name, "schema": request.schema.value}
            bound["strict"] = "strict" not in refused
            form = {"type": "json_schema", "json_schema": bound}
            wanted |= {"schema": {"response_format": form}, "strict": {}}
        if request.logprobs:
            wanted["logprobs"] = {"logprobs": True}
        if request.seed is not None:
            # Each sample has a seed of its own: with the same one every sample would be the same.
            wanted["seed"] = {"seed": request.seed + request.first}
        if request.temperature is not None:
            wanted["temperature"] = {"temperature": request.temperature}
        body: dict[str, Any] = {"messages": [asdict(one) for one in request.messages]}
        sent = frozenset(wanted.keys() - refused)
        for name, part in wanted.items():
            body |= part if name in sent else {}
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        ollama = self._provider in OLLAMA
        if ollama:
            body["extra_body"] = {**WHOLE}
        return with_settings(body, request.settings, ollama=ollama), sent

    def _explain_failure(self, failure: Exception, sent: frozenset[Parameter]) -> ModelError:
        error = translate_error(failure, model=self.name, endpoint=self.endpoint, sent=sent)
        if isinstance(error, RefusedParameterError):
            if error.parameter == "schema" and "strict" in sent:
                error.parameter = "strict"  # a schema that is too free for the strict kind
            learning.remember(
                self.name, self.endpoint, learning.refusing(self.capabilities, error.parameter)
            )
        return error
