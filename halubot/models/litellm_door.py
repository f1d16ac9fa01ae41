"""The one door to litellm, which is imported here alone, before the first call, on a thread beside
all other work: it takes seconds, and 200 MB."""

from __future__ import annotations

import asyncio
import atexit
import gc
import logging
import os
import re
import sys
import threading
import warnings
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from contextlib import aclosing, contextmanager, suppress
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any

from halubot.models import capabilities as learning
from halubot.models import direct
from halubot.models.answer_text import completions, find_end, usage
from halubot.models.loop import aside, own_loop, pieces_aside
from halubot.models.model import (
    Capabilities,
    Completion,
    Listed,
    Message,
    Parameter,
    Request,
    TokenUsage,
    Vector,
)
from halubot.models.model_errors import ModelError, RefusedParameterError
from halubot.models.published import (
    address,
    base_of,
    listed_of,
    price,
    provider_of,
    read_price_table,
)
from halubot.models.server_settings import with_settings
from halubot.models.vendor_errors import broken_off, malformed_answer, translate_error, without_keys

OLLAMA = ("ollama", "ollama_chat")

NO_LIMIT = 86_400.0
"""Seconds that litellm waits: the time a call may take is not its affair."""

WHOLE = {"truncate": False, "shift": False}
"""Has Ollama refuse a prompt that is longer than its context: else it cuts it and says nothing."""

APART = 0.003
"""Seconds between the beginnings of calls: about what litellm works to send one. Answers to a burst
come in a burst, and the last would wait until all others are read."""

DROPPED = (
    r"coroutine '\S*(completion|embeddings?|streaming|stream_function|dispatch)' was never awaited"
)
"""What litellm leaves if a call is cancelled just before it is sent."""

_LITELLM_IGNORES = (
    ".*conflict with protected namespace.*",
    ".*Accessing the.*attribute on the instance is deprecated.*",
    ".*`ReadOnly` qualifier.*",
)
"""Warnings of pydantic about litellm's models."""

LONGEST_ERROR = 4_000
"""Characters of an error of litellm's: halubot shows 160 of them."""

_AT_THE_FIRST_CALL = (
    "openai.resources.chat.completions",
    "openai.resources.embeddings",
    "httpcore",
    "tiktoken",
)
"""Modules that litellm and its clients load when they are first used: 0.3 s of the processor."""

AFTER_CALL = 1.0
AFTER_START = 6.0
"""Seconds after which litellm is loaded where it is not needed for the first call: after that call
begins, and after a front end has started."""

RIVALS = 5
"""How many other tokens are asked for with each log-probability."""


class LitellmModel:
    """A model of any provider that litellm knows, by litellm's name for it ("openai/gpt-5",
    "ollama_chat/llama3"), or one behind an OpenAI-compatible address.

    Makes one request a call, with no limit, no budget and no second attempt: those are
    `halubot.models.limits.LimitedModel`'s. Keys are taken from the variables that the providers
    document and kept nowhere.
    """

    def __init__(self, name: str, api_base: str | None = None) -> None:
        self._name = name
        self._provider = provider_of(name)
        self._base = base_of(self._provider, api_base)  # said to litellm, which may guess another
        self._endpoint = address(self._provider, api_base)

    def __repr__(self) -> str:
        return f"LitellmModel({self._name!r} at {self._endpoint!r})"

    @property
    def name(self) -> str:
        """The model's name, with its provider."""
        return self._name

    @property
    def endpoint(self) -> str:
        """Who receives the text: an address without key or password, or the provider."""
        return self._endpoint

    @property
    def capabilities(self) -> Capabilities:
        """The abilities that are known of this model at this address."""
        return learning.learnt(self._name, self._endpoint)

    @property
    def is_loaded(self) -> bool:
        """Return True if litellm is loaded."""
        return is_loaded()

    async def load(self) -> None:
        """Load litellm on a thread that nobody has to wait for; a plain server is called meanwhile
        (`halubot.models.direct`). Raises a ModelError if no call would succeed: the answer to that
        takes less time than loading."""
        obstacle = await asyncio.to_thread(self.find_obstacle)
        if obstacle is not None:
            raise obstacle
        if self.is_plain:
            load_soon(AFTER_CALL)
        else:
            await asyncio.shield(asyncio.wrap_future(begin_loading()))

    def find_obstacle(self) -> ModelError | None:
        """Return the error that every call would meet: no key, or nobody at the address."""
        from halubot.models.reachable import find_obstacle

        return find_obstacle(self._name, self._base)

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """Between 1 and ``request.n`` completions. Raises a ModelError."""
        return await aside(self._complete_in_turn(request))

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The pieces of one answer, then its Completion. Raises a ModelError."""
        async for piece in pieces_aside(self._stream(request)):
            yield piece

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a text. Raises a ModelError."""
        return await aside(self._embed_in_turn(list(texts))) if texts else ()

    async def listed(self) -> Listed:
        """Prices and sizes as litellm's own table has them; asks no server."""
        return await aside(self._read_listing())

    async def _complete_in_turn(self, request: Request) -> tuple[Completion, ...]:
        from halubot.network import keeping_turn

        async with keeping_turn():
            return await self._complete(request)

    @property
    def is_plain(self) -> bool:
        """Return True if it can be called while litellm is not loaded."""
        return direct.is_plain(self._provider, self._base)

    async def _complete(self, request: Request) -> tuple[Completion, ...]:
        if not is_loaded() and self.is_plain:
            with suppress(direct.NotPlainError):
                return await self._complete_directly(request)
        litellm = await _loaded()
        await _begin()
        while True:
            sent = self._parameters(request)
            error = None
            try:
                # A parameter that litellm itself refuses was never sent: it is left out at once,
                # without a wait and without a call of the budget.
                response = await litellm.acompletion(**self._target(), **self._body(request, sent))
            except Exception as failure:  # noqa: BLE001 - litellm raises any class; all are told apart
                local = type(failure).__name__ == "UnsupportedParamsError"
                error = self._explain_failure(failure, sent)
            if error is None:
                break
            if not (local and isinstance(error, RefusedParameterError)):
                raise error
        known = read_price_table(litellm.model_cost, self._name, self._provider)
        return self._read(response, known, request)

    async def _complete_directly(self, request: Request) -> tuple[Completion, ...]:
        """The same while litellm is being loaded. Raises NotPlainError if it is needed."""
        sent = self._parameters(request)
        error = None
        await _begin()
        try:
            response = await direct.complete(
                self._provider, self._base or "", self._direct_body(request, sent)
            )
            return self._read(response, listed_of(self._name), request)
        except (ModelError, direct.NotPlainError):
            raise
        except Exception as failure:  # noqa: BLE001 - what was answered may be anything
            error = self._explain_failure(failure, sent)
        raise error

    def _direct_body(self, request: Request, sent: frozenset[Parameter]) -> dict[str, Any]:
        return {"model": self._name.partition("/")[2], **self._body(request, sent)}

    def _read(self, response: Any, known: Listed, request: Request) -> tuple[Completion, ...]:
        brought = completions(
            response,
            known,
            model=self._name,
            endpoint=self._endpoint,
            logprobs=request.logprobs,
        )
        learning.remember(
            self._name, self._endpoint, learning.after(self.capabilities, request, brought)
        )
        return brought

    async def _chunks(
        self, request: Request, sent: frozenset[Parameter]
    ) -> AsyncGenerator[Any, None]:
        """The pieces of an answer, by litellm or while it is being loaded."""
        if not is_loaded() and self.is_plain:
            body = self._direct_body(request, sent)
            with suppress(direct.NotPlainError):
                async for chunk in direct.stream(self._provider, self._base or "", body):
                    yield chunk
                return
        litellm = await _loaded()
        chunks = await litellm.acompletion(
            **self._target(),
            **self._body(request, sent),
            stream=True,
            stream_options={"include_usage": True},
        )
        async for chunk in chunks:
            yield chunk

    async def _stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        sent = self._parameters(request) - {"n"}
        texts: list[str] = []
        finish: str | None = None
        used: TokenUsage | None = None
        error = None
        try:
            async with aclosing(self._chunks(request, sent)) as chunks:
                async for chunk in chunks:
                    # With include_usage the tokens come in a last piece of their own, which has no
                    # choices.
                    used = usage(chunk) or used
                    for choice in (chunk.choices or ())[:1]:
                        finish = find_end(choice, choice.delta) or finish
                        if choice.delta.content:
                            texts.append(choice.delta.content)
                            yield choice.delta.content
        except Exception as failure:  # noqa: BLE001 - litellm raises any class; all are told apart
            error = self._explain_failure(failure, sent)
        # Raised outside of the handler, here and below: the traceback of litellm's error holds the
        # whole answer (8 MB were seen), and errors live as long as something names them.
        if error is not None:
            raise error
        # A connection that was closed early ends the loop like an answer that is whole; only the
        # missing reason tells.
        if finish is None:
            raise broken_off(model=self._name, endpoint=self._endpoint)
        # The table is in litellm's files, and litellm itself may not be loaded yet.
        known = listed_of(self._name)
        yield Completion(
            "".join(texts),
            finish,
            usage=used,
            cost=price(known, used),
            model=self._name,
            endpoint=self._endpoint,
        )

    async def _embed_in_turn(self, texts: list[str]) -> tuple[Vector, ...]:
        from halubot.network import keeping_turn

        async with keeping_turn():
            return await self._embed(texts)

    async def _embed(self, texts: list[str]) -> tuple[Vector, ...]:
        litellm = await _loaded()
        error = None
        try:
            response = await litellm.aembedding(**self._target(), input=texts)
            vectors = [(one["index"], tuple(map(float, one["embedding"]))) for one in response.data]
        except Exception as failure:  # noqa: BLE001 - litellm raises any class; all are told apart
            error = self._explain_failure(failure, frozenset())
        if error is not None:
            raise error
        if len(vectors) != len(texts):
            why = f"{len(texts)} texts brought {len(vectors)} vectors"
            raise malformed_answer(why, model=self._name, endpoint=self._endpoint)
        # By their numbers: no order is promised for the list.
        return tuple(vector for _, vector in sorted(vectors))

    async def _read_listing(self) -> Listed:
        litellm = await _loaded()
        return read_price_table(litellm.model_cost, self._name, self._provider)

    def _target(self) -> dict[str, Any]:
        # OpenAI's client would try three times by itself, past the budget and the pace.
        target: dict[str, Any] = {"model": self._name, "max_retries": 0, "timeout": NO_LIMIT}
        if self._base is not None:
            target["api_base"] = self._base
        if self._keyless():
            target["api_key"] = "none"  # the client insists on a key, local servers do not
        return target

    def _keyless(self) -> bool:
        """Return True if there is no key of this provider, and the client would send
        OPENAI_API_KEY."""
        if self._provider == "openai":
            return self._base is not None and not os.environ.get("OPENAI_API_KEY")
        if "OPENAI_API_KEY" not in os.environ or not _takes_the_key_of_openai(self._provider):
            return False
        _, _, key, _ = load_litellm().get_llm_provider(self._name, api_base=self._base)
        return not key

    def _parameters(self, request: Request) -> frozenset[Parameter]:
        """Return the parameters of a request that this server was not seen to turn down."""
        wanted: dict[Parameter, bool] = {
            "n": request.n > 1,
            "schema": request.schema is not None,
            "strict": request.schema is not None,
            "logprobs": request.logprobs,
            "seed": request.seed is not None,
            "temperature": request.temperature is not None,
        }
        return frozenset(name for name, asked in wanted.items() if asked) - (
            self.capabilities.refused
        )

    def _body(self, request: Request, sent: frozenset[Parameter]) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": [_message(one) for one in request.messages]}
        if "n" in sent:
            body["n"] = request.n
        if "schema" in sent and request.schema is not None:
            bound: dict[str, Any] = {"name": request.schema.name, "schema": request.schema.value}
            bound["strict"] = "strict" in sent
            body["response_format"] = {"type": "json_schema", "json_schema": bound}
        if "logprobs" in sent:
            body |= {"logprobs": True, "top_logprobs": RIVALS}
        if "seed" in sent and request.seed is not None:
            # Each sample has a seed of its own: with the same one every sample would be the same.
            body["seed"] = request.seed + request.first
        if "temperature" in sent:
            body["temperature"] = request.temperature
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if self._provider in OLLAMA:
            body["extra_body"] = {**WHOLE}
        return with_settings(body, request.settings, ollama=self._provider in OLLAMA)

    def _explain_failure(self, failure: Exception, sent: frozenset[Parameter]) -> ModelError:
        error = translate_error(failure, model=self._name, endpoint=self._endpoint, sent=sent)
        if isinstance(error, RefusedParameterError):
            if error.parameter == "schema" and "strict" in sent:
                error.parameter = "strict"  # a schema that is too free for the strict kind
            learning.remember(
                self._name, self._endpoint, learning.refusing(self.capabilities, error.parameter)
            )
        return error


async def _loaded() -> ModuleType:
    """litellm, waited for without holding up the loop of all calls."""
    await asyncio.shield(asyncio.wrap_future(begin_loading()))
    return load_litellm()


_beginnings = [0.0]


async def _begin() -> None:
    """Returns when the next call may begin, by the clock of the own loop."""
    now = asyncio.get_running_loop().time()
    at = _beginnings[0] = max(now, _beginnings[0] + APART)
    if at > now:
        await asyncio.sleep(at - now)


_one_loads = threading.Lock()


def load_litellm() -> ModuleType:
    """litellm, quiet and cut off from the network except for calls; loaded when first needed."""
    # `cache` alone would let two threads run the import at the same time.
    with _one_loads:
        return _load()


def is_loaded() -> bool:
    """Return True if litellm is loaded."""
    return bool(_load.cache_info().currsize)


def load_soon(seconds: float) -> None:
    """Begin to load litellm in so many seconds: until then the first call has all processors."""
    timer = threading.Timer(seconds, begin_loading)
    timer.daemon = True
    timer.start()


@cache
def begin_loading() -> Future[None]:
    """Return the loading of litellm, begun by the first who asks. Its thread is a daemon, so that a
    program that is to end does not wait for it."""
    done: Future[None] = Future()

    def load() -> None:
        try:
            load_litellm()
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            done.set_exception(error)
        else:
            done.set_result(None)

    threading.Thread(target=load, name="halubot loads litellm", daemon=True).start()
    return done


@cache
def _load() -> ModuleType:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else the import asks the network
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).disabled = True  # they hold whole requests, and tear a screen
    # These write addresses, which may hold keys, if a program turns its logs on.
    for name in ("openai._base_client", "httpx"):
        logging.getLogger(name).addFilter(_without_keys)
    with _without_collection(), _without_warnings():
        import litellm

        # Else the first call would load them, and count it as the time of its server.
        for name in _AT_THE_FIRST_CALL:
            import_module(name)

    warnings.filterwarnings("ignore", DROPPED, RuntimeWarning)
    # litellm ignores these itself, from the beginning of its import; what another thread had set
    # by then may have come back since.
    for message in _LITELLM_IGNORES:
        warnings.filterwarnings("ignore", message)
    litellm.suppress_debug_info = True
    # Else it counts the tokens of a hosted_vllm name with a tokenizer that it tries to download,
    # for 23 s without a network.
    litellm.disable_hf_tokenizer_download = True
    litellm.telemetry = False
    vars(litellm)["DEFAULT_MAX_RETRIES"] = 0  # it takes no 0 for vectors, and would ask again
    _bind_clients()
    _silence_inquiries()
    _shorten_errors()
    atexit.register(_close)
    return litellm


def _bind_clients() -> None:
    """Have litellm put the limits of `halubot.network` around every client of HTTP that it makes
    from now on, for whoever uses litellm in this process."""
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler, HTTPHandler
    from litellm.llms.openai.common_utils import BaseOpenAILLM

    from halubot.network import bind_limits

    def bounding(make: Callable[..., Any]) -> Callable[..., Any]:
        return wraps(make)(lambda *args, **kwargs: bind_limits(make(*args, **kwargs)))

    # Patched where they are made: litellm makes a client for each provider, in many places.
    handlers: list[Any] = [AsyncHTTPHandler, HTTPHandler]
    for handler in handlers:
        if hasattr(handler, "create_client"):
            handler.create_client = bounding(handler.create_client)
        else:
            handler.__init__ = _bounding_its_client(handler.__init__)
    openai: Any = BaseOpenAILLM
    for name in ("_get_async_http_client", "_get_sync_http_client"):
        setattr(openai, name, staticmethod(bounding(getattr(openai, name))))


def _silence_inquiries() -> None:
    """Keep litellm from asking servers about their models. It would do so beside each call, waiting
    on the loop of all calls without their limit of time, and would ask Ollama at its usual address
    whatever address was named, with the key."""
    from litellm.utils import ProviderConfigManager

    def refuse(*_: object, **__: object) -> None:
        raise ValueError("halubot asks no server about its models here")

    manager: Any = ProviderConfigManager
    manager.get_provider_model_info = staticmethod(lambda *_, **__: None)
    ollama: Any = sys.modules["litellm"].OllamaConfig
    ollama.get_model_info = refuse


def _bounding_its_client(begin: Callable[..., None]) -> Callable[..., None]:
    """Return the beginning of a handler that makes its client there, as in litellm 1.84."""
    from halubot.network import bind_limits

    @wraps(begin)
    def bound_and_call(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        bind_limits(self.client)

    return bound_and_call


def _shorten_errors() -> None:
    """Have litellm look for secrets in the beginning of an error only: its expressions take 15 s
    for 64 kB of "://", and while they run no other thread does, not even one with a deadline."""
    redaction: Any = sys.modules.get("litellm.litellm_core_utils.secret_redaction")
    if redaction is not None:
        redaction._SECRET_RE = _Beginning(redaction._SECRET_RE)


class _Beginning:
    """An expression that is looked for in the beginning of a text; the rest is dropped."""

    def __init__(self, expression: re.Pattern[str]) -> None:
        self._expression = expression

    def sub(self, by: str, text: str) -> str:
        return self._expression.sub(by, text[:LONGEST_ERROR])


def _without_keys(record: logging.LogRecord) -> bool:
    """Lets a record pass without the keys in it: addresses may hold some."""
    record.msg, record.args = without_keys(record.getMessage()), ()
    return True


def _takes_the_key_of_openai(provider: str) -> bool:
    """Return True if litellm reaches it by OpenAI's client, which looks for OpenAI's key itself."""
    from litellm.llms.openai_like.json_loader import JSONProviderRegistry

    return provider in load_litellm().openai_compatible_providers or JSONProviderRegistry.exists(
        provider
    )


@contextmanager
def _without_collection() -> Iterator[None]:
    """Keep what is loaded here out of all later looks for garbage: it is a third of a million
    objects that last as long as the program, and a look at them takes 0.15 s amid a run."""
    running = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if running:
            gc.enable()


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Drop what is warned of on this thread. Filters would not do: they are those of the process,
    and another thread that puts its own back while litellm is loaded takes these away."""
    loading = threading.get_ident()
    warn = warnings.warn

    def unless_loading(
        message: Warning | str,
        category: type[Warning] | None = None,
        stacklevel: int = 1,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if threading.get_ident() != loading:
            warn(message, category, stacklevel + 1, *args, **kwargs)

    vars(warnings)["warn"] = unless_loading
    try:
        yield
    finally:
        vars(warnings)["warn"] = warn


def _close() -> None:
    closing = load_litellm().close_litellm_async_clients()
    with suppress(StillRunning, RuntimeError):
        # A second at most: a server that does not take the farewell must not hold up the end of the
        # program.
        asyncio.run_coroutine_threadsafe(closing, own_loop()).result(1)


def _message(message: Message) -> dict[str, str]:
    return {"role": message.role, "content": message.content}
