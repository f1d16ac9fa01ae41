"""The models of a check by role: one that answers and one that judges, with their budget."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from halubot import settings as config
from halubot.errors import NO_PROVIDER, SettingError
from halubot.models.budget import Budget
from halubot.models.limits import LimitedModel, Limits, provider
from halubot.models.model import LanguageModel, Remote, Settings
from halubot.models.server_settings import read_settings
from halubot.models.stored import ReplayedModel, StoredModel, open_replay
from halubot_cache import Problem, Request, Store, StoreError
from halubot_prompts import Library, PromptError

Seat = StoredModel | ReplayedModel
"""A model as one run uses it: its answers are counted, found in the store and kept there."""


@dataclass(frozen=True)
class Panel:
    """The models of one check or of several; `open_panel` makes it, `close` ends it.

    ``answer`` answers and draws samples, ``judge`` extracts, verifies and corrects; both may be
    the same. ``store`` is None if answers are not kept. ``record`` is a file to which `close`
    writes every completion that was used. ``system`` replaces the system prompt of answers and
    samples, unless it is "". ``rehearsing`` is True in a dry run, whose answers show nothing of a
    judge.
    """

    answer: LanguageModel
    judge: LanguageModel
    prompts: Library = field(default_factory=Library)
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    store: Store | None = None
    record: Path | None = None
    settings: Settings = ()
    system: str = ""
    used: dict[tuple[Request, int], None] = field(default_factory=dict)
    rehearsing: bool = False
    closing: ExitStack = field(default_factory=ExitStack)

    def seat(self, model: LanguageModel, budget: Budget, loading: Callable[[bool], None]) -> Seat:
        """Return the model for one run, which spends from ``budget``, a part of the panel's own.
        ``loading`` is called with False when its library begins to load and with True at the
        end."""
        # A record takes no time, no money and no place in a store.
        if isinstance(model, ReplayedModel):
            return model
        limited = LimitedModel(model, budget=budget, limits=self.limits, loading=loading)
        # Notes of every call would add up over a long batch: they are kept only for a record.
        used = None if self.record is None else self.used
        return StoredModel(limited, self.store, used=used, settings=self.settings)

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of the store, each once; empty without a store."""
        return self.store.problems if self.store is not None else ()

    def close(self) -> None:
        """Write the record and close the store. A second call does nothing.

        Raises SettingError if the record cannot be written.
        """
        try:
            if self.record is not None and self.store is not None:
                # From the store and not from memory: a long batch uses more answers than fit there.
                self.store.record(self.record, tuple(self.used))
        except StoreError as error:
            raise SettingError(f"cannot write the record: {error}") from error
        finally:
            self.closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_panel(
    model: str | LanguageModel | None = None,
    judge_model: str | LanguageModel | None = None,
    *,
    api_base: str | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    concurrency: int | None = None,
    timeout: float | None = None,
    store: Path | None = None,
    namespace: str = "default",
    record: Path | None = None,
    replay: Path | None = None,
    system: str | None = None,
    reasoning_effort: str | None = None,
    think: bool | None = None,
    num_ctx: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Panel:
    """Open the models of these names, or those given, for one check or for several.

    Without ``judge_model`` the same model judges. ``max_calls`` and ``max_cost`` (US dollars) are
    the budget of all checks together; ``concurrency`` is how many calls may be under way at once to
    a provider, for the whole program (default: 64, and 8 at a server on this
    machine); ``timeout`` is the time of one call in seconds. ``store`` is a folder, by default the
    one in the platform's folder for data, and ``namespace`` keeps the answers of one use apart from
    others in it. ``system`` is the user's own system prompt for
    answers and samples. ``reasoning_effort``, ``think``, ``num_ctx`` and ``parameters`` are sent
    to the server (`halubot.models.server_settings`). ``record`` is a file to write all used
    answers to; with ``replay``, such a file answers and no model is called.

    Nothing is called and litellm is not loaded. Raises SettingError if there is neither a model
    nor a replay, for settings that cannot be sent, and for a store or a record that cannot be
    used.
    """
    settings = read_settings(reasoning_effort, think, num_ctx, parameters)
    for what, most in (("calls", max_calls), ("dollars", max_cost)):
        # So written, here and below, that NaN is refused too.
        if most is not None and not most >= 0:
            raise SettingError(f"{most:g} {what} may be spent: write 0 or more")
    if timeout is not None and not timeout > 0:
        raise SettingError(f"the timeout is {timeout:g} s, not more than 0")
    if concurrency is not None and concurrency < 1:
        raise SettingError(f"{concurrency} calls at once: write 1 or more")
    with ExitStack() as stack:
        try:
            if replay is not None:
                # Neither a store nor a door: a replay shows what was recorded, or says that it is
                # not there.
                source, answer, judge = open_replay(replay, settings)
                stack.callback(source.close)
                return Panel(answer, judge, library(), system=system or "", closing=stack.pop_all())
            opened = stack.enter_context(
                Store.open(store or config.store_folder(), namespace=namespace)
            )
        except StoreError as error:
            raise SettingError(str(error)) from error
        if not (named := model or judge_model):
            raise SettingError("no model is named: name one with --model")
        answering = _door(named, api_base)
        judging = _door(judge_model, api_base) if judge_model and model else answering
        if concurrency is not None:
            for endpoint in {answering.endpoint, judging.endpoint}:
                provider(endpoint).pace.allow(concurrency)
        return Panel(
            answer=answering,
            judge=judging,
            prompts=library(),
            limits=Limits() if timeout is None else Limits(call_seconds=timeout),
            budget=Budget(max_calls=max_calls, max_cost=max_cost),
            store=opened,
            record=record,
            settings=settings,
            system=system or "",
            closing=stack.pop_all(),
        )


def library() -> Library:
    """Return the prompts; files in the folder ``prompts`` beside the settings file replace those
    of the same name. Raises SettingError for a file that is not a prompt."""
    try:
        return Library(config.path().parent / "prompts")
    except PromptError as error:
        raise SettingError(str(error)) from error


def _door(model: str | LanguageModel, api_base: str | None) -> LanguageModel:
    if not isinstance(model, str):
        return model
    from halubot.models.server_model import ServerModel

    return ServerModel(model, api_base)


def named_models(options: Mapping[str, Any]) -> list[LanguageModel]:
    """Return the models that the options name, each once. Nothing is called, and litellm is not
    loaded."""
    names = dict.fromkeys((options.get("model"), options.get("judge_model")))
    base = options.get("api_base")
    return [_door(name, base) for name in names if isinstance(name, str) and name]


def load_library(options: Mapping[str, Any]) -> None:
    """Have what calls the models that are named loaded on a thread, if a call might succeed:
    litellm takes seconds, which a person needs to write a question."""
    models = named_models(options)

    def load() -> None:
        # Whatever is wrong here is told at the first call.
        with suppress(Exception):
            for model in models:
                if isinstance(model, Remote):
                    model.load()

    if models:
        threading.Thread(target=load, name="halubot preloads", daemon=True).start()


def require_sense(options: Mapping[str, Any]) -> None:
    """Raise SettingError for a model whose name has no provider, or a misspelt one; and for a limit
    in dollars if a price is not known and calls are not limited: nothing else would hold then."""
    from halubot.models.model import Listed, TokenUsage
    from halubot.models.published import listed_of, misspelt, price, provider_of
    from halubot.models.vendor_errors import without_keys

    needs_price = options.get("max_cost") is not None and options.get("max_calls") is None
    for name in (model.name for model in named_models(options)):
        # What stands before the first "/" would pass for the provider.
        if "://" in name:
            raise SettingError(
                f"the model {without_keys(name)!r} is an address: write provider/model, such as"
                " openai/NAME, and the address as --api-base"
            )
        if name.endswith("/"):
            raise SettingError(f"{name!r} names a provider alone: write {name}NAME")
        provider, slash, _ = name.partition("/")
        listed = listed_of(name)
        # The table has names with a slash whose first part is no provider.
        if slash and listed == Listed() and (near := misspelt(provider)):
            said = without_keys(name)
            raise SettingError(f"{said}: {NO_PROVIDER} {provider!r}; did you mean {near!r}?")
        if not provider_of(name) and listed == Listed():
            raise SettingError(
                f"the model {name!r} has no provider: write provider/model, such as"
                " ollama_chat/llama3 (halubot models lists what can be reached)"
            )
        if needs_price and price(listed, TokenUsage(1, 1)) is None:
            raise SettingError(
                f"the price of {name} is not known, so --max-cost cannot hold:"
                " limit its calls with --max-calls"
            )
