"""A piece of work done by models that cost nothing, without remote knowledge, to see what it
takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from halubot.api import aask, acheck
from halubot.claims import extract, read_message
from halubot.correction.corrector import Hints
from halubot.correction_api import acorrect
from halubot.dry_run.free_model import ANSWER, RehearsingModel
from halubot.events import Emit, Event, Note, SampleDrawn, Started
from halubot.evidence.knowledge.named_bases import Knowledge
from halubot.evidence.retrieval import Passage
from halubot.inputs import Given, Options, read_options
from halubot.methods.calls.portions import TOLD
from halubot.methods.driver import NOTHING_CHECKED
from halubot.methods.knowledge_passages import IN_ALL
from halubot.methods.registry import Size
from halubot.models import server_model
from halubot.models.model import LanguageModel, Listed, TokenUsage
from halubot.models.panel import Panel, library
from halubot.models.published import listed_of
from halubot.report import Report, Source

LENGTH: Final = 750
"""Characters of a passage of 120 words."""


class Imagined:
    """Stands for a base: each query finds as many passages as it asks for, which say what it says,
    each in other words enough to be a passage of its own."""

    online = False

    def __init__(self, name: str) -> None:
        self.name = name

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """``k`` passages made of the query; none for a blank one."""
        said = " ".join(query.split())
        if not said:
            return ()
        # In the words of the query, so that the passage counts as about it, and as long as a real
        # one.
        text = " ".join([said] * (LENGTH // (len(said) + 1) + 1))[:LENGTH]
        return tuple(_passage(f"{text} ({number})", number) for number in range(1, k + 1))

    def close(self) -> None:
        """Nothing is held."""


def _passage(text: str, number: int) -> Passage:
    source = Source(id="", kind="knowledge", title=f"passage {number}", text=text)
    return Passage(source, 0, len(text), text, 1.0 / number)


def within_reach(base: Knowledge) -> Knowledge:
    """The base itself, or what stands for it if asking it leaves this machine."""
    return Imagined(base.name) if base.online else base


Work = Literal["check", "ask", "correct"]

ONE_AT_A_TIME = frozenset(
    {"anthropic", "bedrock", "cohere", "cohere_chat", "groq", "mistral", "ollama", "ollama_chat"}
)
"""Providers that answer with one completion whatever is asked for."""

NO_LOGPROBS = frozenset({"anthropic", "bedrock", "cohere", "cohere_chat", "mistral"})
"""Providers that send no log-probabilities."""


@dataclass(frozen=True, slots=True)
class Played:
    """The cost of one rehearsal, and the work of each of its models."""

    method: str
    calls: int
    samples: int
    notes: tuple[str, ...]
    taken: tuple[TokenUsage, ...]

    @property
    def tokens(self) -> TokenUsage:
        """The tokens that all models read and wrote."""
        prompts = sum(usage.prompt for usage in self.taken)
        return TokenUsage(prompts, sum(usage.completion for usage in self.taken))


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A piece of work that is rehearsed. ``models`` are those whose parts are played: who answers
    and, if it is another, who judges."""

    text: str
    work: Work
    hints: Hints
    options: Options
    models: Sequence[LanguageModel]

    def most_calls(self) -> int:
        """The most calls by the method's own word."""
        given = read_options(self.options | Options(panel=_nobody()))
        message = read_message(ANSWER if self.work == "ask" else self.text)
        size = Size(
            sentences=len(message.sentences),
            facts=len(extract(message, subject=given.subject or None)),
            samples=given.draw or len(given.samples),
            references=len(given.references) + _windows(given, len(message.sentences)),
        )
        checks = 2 if self.work == "correct" else 1
        # Two beside the checks cover an answer that is asked for, and the question that a model
        # writes to a text.
        return 2 + given.draw + checks * given.method.calls(size)

    async def once(self, *, doubts: bool) -> Played:
        """Return the cost of it by models that agree with everything or, with ``doubts``, with all
        but a quarter."""
        text = ANSWER if self.work == "ask" else self.text
        parts = [
            RehearsingModel(name, text, doubts=doubts, honours_n=n, logprobs=logprobs)
            for name, n, logprobs in self._parts()
        ]
        panel = Panel(answer=parts[0], judge=parts[-1], prompts=library(), rehearsing=True)
        heard: list[Event] = []
        await self._run_work(panel, heard.append)
        return Played(
            method=next(event.method for event in heard if isinstance(event, Started)),
            calls=panel.budget.usage.calls,
            samples=sum(isinstance(event, SampleDrawn) for event in heard),
            notes=tuple(_lacking(heard)),
            taken=tuple(part.taken for part in parts),
        )

    def _parts(self) -> list[tuple[str, bool, bool]]:
        """The names of the models, whether they honour n, and whether they send
        log-probabilities."""
        models = self.models
        parts = [(one.name, _honours_n(one), _sends_logprobs(one)) for one in models]
        return parts or [("a record", True, True)]

    async def _run_work(self, panel: Panel, watch: Emit) -> Report:
        options = self.options | Options(panel=panel, watch=watch)
        match self.work:
            case "ask":
                return await aask(self.text, **options)
            case "correct":
                return await acorrect(self.text, hints=self.hints, **options)
            case "check":
                return await acheck(self.text, **options)


def _windows(given: Given, queries: int) -> int:
    """Return the number of windows of references the passages of knowledge may come to."""
    passages = max(IN_ALL, queries + 1) if given.knowledge is not None else 0
    return -(-passages * 2 * LENGTH // TOLD)


def _nobody() -> Panel:
    """Models that are never asked."""
    model = RehearsingModel("")
    return Panel(answer=model, judge=model, rehearsing=True)


def _lacking(heard: Iterable[Event]) -> Iterator[str]:
    """Yield why nothing was judged, by the events of a run."""
    for event in heard:
        if isinstance(event, Note) and event.what == NOTHING_CHECKED:
            yield event.why


def _honours_n(model: LanguageModel) -> bool:
    """Return True if one call brings several samples, by what was learnt or else by its
    provider."""
    learnt = model.capabilities.n
    return model.name.partition("/")[0] not in ONE_AT_A_TIME if learnt is None else learnt


def _sends_logprobs(model: LanguageModel) -> bool:
    """Return True if log-probabilities come, by what was learnt or else by its provider."""
    learnt = model.capabilities.logprobs
    return model.name.partition("/")[0] not in NO_LOGPROBS if learnt is None else learnt


async def published_entry(model: LanguageModel) -> Listed:
    """Return the published prices of a model, without loading litellm."""
    by_table = isinstance(model, server_model.ServerModel)
    return listed_of(model.name) if by_table else await model.listed()
