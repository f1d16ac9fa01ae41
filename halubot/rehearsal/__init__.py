"""What a check would take, told without a call: the real work is done with a model that costs
nothing (`halubot.rehearsal.model`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, Unpack, cast

from halubot.amending import acorrect
from halubot.checking import aask, acheck, finished
from halubot.correcting import Hints
from halubot.errors import SettingError
from halubot.events import Emit, Event, Note, SampleDrawn, Started
from halubot.extract import extract, untitled
from halubot.facts import Report
from halubot.given import Given, Options, open_bases, read_options, sources
from halubot.knowledge.gathering import IN_ALL
from halubot.methods.driving import NOTHING_CHECKED, missing
from halubot.methods.registry import Size
from halubot.models import litellm_door
from halubot.models.budget import most_calls
from halubot.models.errors import ModelError
from halubot.models.model import LanguageModel, Listed, TokenUsage
from halubot.models.prices import listed_of
from halubot.models.published import price
from halubot.money import dollars
from halubot.panel import Panel, library
from halubot.rehearsal.model import ANSWER, Attitude, RehearsingModel
from halubot.rehearsal.shelf import LENGTH, within_reach
from halubot.steps.portions import TOLD
from halubot.text import read

Work = Literal["check", "ask", "correct"]

SMALL_CONTEXT = 4096
"""Tokens that fit a small model: what one of unknown size reads for certain. Longer prompts may
have to be cut, which takes more calls."""

ONE_AT_A_TIME = frozenset(
    {"anthropic", "bedrock", "cohere", "cohere_chat", "groq", "mistral", "ollama", "ollama_chat"}
)
"""Providers that answer with one completion whatever is asked for."""

NO_LOGPROBS = frozenset({"anthropic", "bedrock", "cohere", "cohere_chat", "mistral"})
"""Providers that send no log-probabilities."""

_WORST: tuple[Attitude, ...] = ("agrees", "denies", "is silent", "wavers")
_NOT_ASKED = frozenset(
    [
        *("model", "judge_model", "api_base", "store", "record", "replay", "panel"),
        *("max_calls", "max_cost", "timeout", "deadline", "watch"),
    ]
)
"""Options that decide which model is called and how far, and not what it is asked."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a check takes where nothing of it is stored.

    ``calls``, ``prompt_tokens``, ``completion_tokens`` and ``samples`` (drawn) are what is usual:
    the model agrees with most, and every call brings what was asked for. ``most_calls`` is never
    exceeded, whatever the model says, whichever answers are no use, and however many calls fail,
    as long as it states no more than six times the facts that rules find in the message.
    ``most_prompt_tokens`` is what those calls would read. Tokens are estimated
    (`halubot.models.tokens`). ``cost_usd`` is that of ``calls``, None where a price is not known.
    ``notes`` say why less is done than was asked for: something is lacking, or more would usually
    be spent than may be.
    """

    method: str
    calls: int = 0
    most_calls: int = 0
    prompt_tokens: int = 0
    most_prompt_tokens: int = 0
    completion_tokens: int = 0
    samples: int = 0
    cost_usd: float | None = 0.0
    notes: tuple[str, ...] = ()

    def __add__(self, other: Plan) -> Plan:
        """Both together, for several messages."""
        a, b = asdict(self), asdict(other)
        summed = {name: a[name] + b[name] for name in a.keys() - {"method", "cost_usd", "notes"}}
        notes = tuple(dict.fromkeys(self.notes + other.notes))
        unknown = self.cost_usd is None or other.cost_usd is None
        cost = None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0)
        return Plan(method=self.method, cost_usd=cost, notes=notes, **summed)

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        return asdict(self)


async def arehearse(
    text: str, *, work: Work = "check", hints: Hints = "facts", **options: Unpack[Options]
) -> Plan:
    """What it takes to check a text, to correct it, or to answer a question (``work`` "ask", with
    the question as the text). Nothing is called, and nothing looked up in the store.

    Raises what the work itself raises for wrong options.
    """
    asked = cast("Options", {k: v for k, v in options.items() if k not in _NOT_ASKED})
    asked["samples"] = sources(options.get("samples") or (), "sample")
    asked["references"] = sources(options.get("references") or (), "reference", [])
    bases = open_bases(options)
    if bases is None:
        return await _planned(text, work, hints, options, asked)
    try:
        asked["knowledge"] = [within_reach(base) for base in bases.bases]
        return await _planned(text, work, hints, options, asked)
    finally:
        bases.close()


async def _planned(text: str, work: Work, hints: Hints, options: Options, asked: Options) -> Plan:
    """The plan of a piece of work, with the options ``asked`` in place of those of models."""
    models = _models(options)
    if not models and not options.get("replay"):
        if work == "ask":
            raise SettingError("asking needs a model: name one with --model")
        return _without_model(text, asked)
    rehearsal = _Rehearsal(text, work, hints, asked, models)
    usual = await rehearsal.once("doubts" if work == "correct" else "agrees")
    if options.get("replay"):
        return Plan(method=usual.method)
    if not usual.calls:
        return Plan(method=usual.method, notes=usual.notes)
    worst = await rehearsal.worst()
    played = max(one.calls for one in worst)
    tokens = max(one.tokens.prompt for one in worst)
    first = max(played, rehearsal.bound())
    limit, most_cost = _limits(options)
    most = most_calls(first) if limit is None else min(limit, most_calls(first))
    cost = await _cost(models, usual.taken)
    return Plan(
        method=usual.method,
        calls=min(usual.calls, most),
        most_calls=most,
        prompt_tokens=usual.tokens.prompt,
        most_prompt_tokens=max(usual.tokens.prompt, -(-tokens * most // max(1, played))),
        completion_tokens=usual.tokens.completion,
        samples=usual.samples,
        cost_usd=cost,
        notes=usual.notes + beyond(usual.calls, limit, cost, most_cost),
    )


def beyond(
    calls: int, max_calls: int | None, cost: float | None, max_cost: float | None
) -> tuple[str, ...]:
    """What to say where more is usual than may be spent: what comes last is not checked then."""
    notes = []
    if max_calls is not None and calls > max_calls:
        notes.append(f"usually {calls:,} calls are made, and {max_calls:,} are allowed")
    if max_cost is not None and cost is not None and cost > max_cost:
        notes.append(f"usually {dollars(cost)} is spent, and {dollars(max_cost)} is allowed")
    return tuple(f"{note}: the rest is not checked" for note in notes)


def rehearse(
    text: str, *, work: Work = "check", hints: Hints = "facts", **options: Unpack[Options]
) -> Plan:
    """`arehearse` for callers without an event loop; inside one it works as well.

    >>> rehearse("Ada was born in 1816.", references=["Ada was born in 1815."]).calls
    0
    """
    return finished(arehearse(text, work=work, hints=hints, **options))


@dataclass(frozen=True, slots=True)
class _Played:
    """What one rehearsal took, and what each of its models did."""

    method: str
    calls: int
    samples: int
    notes: tuple[str, ...]
    taken: tuple[TokenUsage, ...]
    longest: int

    @property
    def tokens(self) -> TokenUsage:
        """What all models read and wrote."""
        prompts = sum(usage.prompt for usage in self.taken)
        return TokenUsage(prompts, sum(usage.completion for usage in self.taken))


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    """A piece of work that is rehearsed several times. ``models`` are those whose parts are
    played: who answers and, where it is another, who judges."""

    text: str
    work: Work
    hints: Hints
    options: Options
    models: Sequence[LanguageModel]

    async def worst(self) -> list[_Played]:
        """It by models of all attitudes that find many facts, on servers that ignore n; and where
        prompts are long, by such that read no long ones."""
        played = [await self.once(attitude, worst=True) for attitude in _WORST]
        context = await self._context()
        if max(one.longest for one in played) > context:
            for attitude in _WORST:
                played.append(await self.once(attitude, worst=True, context=context))
        return played

    async def _context(self) -> int:
        """The tokens that every one of the models can read for certain."""
        published = [(await _listed(model)).max_prompt_tokens for model in self.models]
        return min((known or SMALL_CONTEXT for known in published), default=SMALL_CONTEXT)

    def bound(self) -> int:
        """The most calls by the method's own word: rehearsals may miss what keeps it going."""
        given = read_options(self.options | Options(panel=_nobody()))
        message = untitled(read(ANSWER if self.work == "ask" else self.text))
        size = Size(
            sentences=len(message.sentences),
            facts=len(extract(message, subject=given.subject or None)),
            samples=given.draw or len(given.samples),
            references=len(given.references) + _windows(given, len(message.sentences)),
        )
        checks = 2 if self.work == "correct" else 1
        return 2 + given.draw + checks * given.method.calls(size)

    async def once(
        self, attitude: Attitude, *, worst: bool = False, context: int | None = None
    ) -> _Played:
        """It by models of that attitude."""
        taste = partial(RehearsingModel, attitude=attitude, wordy=worst, context=context)
        text = ANSWER if self.work == "ask" else self.text
        parts = [
            taste(name, text, honours_n=n and not worst, logprobs=logprobs and not worst)
            for name, n, logprobs in self._parts()
        ]
        panel = Panel(answer=parts[0], judge=parts[-1], prompts=library())
        heard: list[Event] = []
        with suppress(ModelError):  # a prompt that fits no small model ends the work there
            await self._done(panel, heard.append)
        return _Played(
            method=next(event.method for event in heard if isinstance(event, Started)),
            calls=panel.budget.spent.calls,
            samples=sum(isinstance(event, SampleDrawn) for event in heard),
            notes=tuple(_lacking(heard)),
            taken=tuple(part.taken for part in parts),
            longest=max(part.longest for part in parts),
        )

    def _parts(self) -> list[tuple[str, bool, bool]]:
        """The names of the models, whether they honour n, and whether they send
        log-probabilities."""
        models = self.models
        parts = [(one.name, _honours_n(one), _sends_logprobs(one)) for one in models]
        return parts or [("a record", True, True)]

    async def _done(self, panel: Panel, watch: Emit) -> Report:
        options = self.options | Options(panel=panel, watch=watch)
        match self.work:
            case "ask":
                return await aask(self.text, **options)
            case "correct":
                return await acorrect(self.text, hints=self.hints, **options)
            case "check":
                return await acheck(self.text, **options)


def _windows(given: Given, queries: int) -> int:
    """How many windows of references the passages of knowledge may come to."""
    passages = max(IN_ALL, queries + 1) if given.knowledge is not None else 0
    return -(-passages * 2 * LENGTH // TOLD)


def _nobody() -> Panel:
    """Models that are never asked."""
    model = RehearsingModel("")
    return Panel(answer=model, judge=model)


def _models(options: Options) -> tuple[LanguageModel, ...]:
    """Who answers and, where it is another, who judges; nobody where no model is named."""
    opened = options.get("panel")
    if opened is not None:
        return (opened.answer,) if opened.answer is opened.judge else (opened.answer, opened.judge)
    base = options.get("api_base")
    named = dict.fromkeys((options.get("model"), options.get("judge_model")))
    door = litellm_door.LitellmModel
    return tuple(door(one, base) if isinstance(one, str) else one for one in named if one)


def _without_model(text: str, asked: Options) -> Plan:
    """The plan of a check that calls nobody."""
    given = read_options(asked)
    why = missing(given.method, given.case(untitled(read(text))))
    return Plan(method=given.method.name, notes=(why,) if why else ())


def _lacking(heard: Iterable[Event]) -> Iterator[str]:
    """Why nothing was judged, by the events of a run."""
    for event in heard:
        if isinstance(event, Note) and event.what == NOTHING_CHECKED:
            yield event.why


def _limits(options: Options) -> tuple[int | None, float | None]:
    """The most calls and dollars that may be spent."""
    opened = options.get("panel")
    if opened is None:
        return options.get("max_calls"), options.get("max_cost")
    return opened.budget.max_calls, opened.budget.max_cost


def _honours_n(model: LanguageModel) -> bool:
    """Whether one call brings several samples, by what was learnt or else by its provider."""
    learnt = model.capabilities.n
    return model.name.partition("/")[0] not in ONE_AT_A_TIME if learnt is None else learnt


def _sends_logprobs(model: LanguageModel) -> bool:
    """Whether log-probabilities come, by what was learnt or else by its provider."""
    learnt = model.capabilities.logprobs
    return model.name.partition("/")[0] not in NO_LOGPROBS if learnt is None else learnt


async def _listed(model: LanguageModel) -> Listed:
    """What is published of a model; litellm is not loaded for it."""
    by_table = isinstance(model, litellm_door.LitellmModel)
    return listed_of(model.name) if by_table else await model.listed()


async def _cost(models: Sequence[LanguageModel], taken: Sequence[TokenUsage]) -> float | None:
    """Dollars for what each model reads and writes; None where a price is not known."""
    total = 0.0
    for model, usage in zip(models, taken, strict=True):
        cost = price(await _listed(model), usage)
        if cost is None:
            return None
        total += cost
    return round(total, 6)
