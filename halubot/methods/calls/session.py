"""A run's session with its models: every prompt is filled, asked, counted and logged here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from halubot.errors import SettingError
from halubot.events import LOADING, Emit, Note, Progress, PromptUsed, Spent
from halubot.models.model import Message, Request, TokenLogprob
from halubot.models.model_errors import ContextTooLongError, ModelError
from halubot.models.panel import Panel
from halubot.models.structured import ATTEMPTS, Answer, Answers, ask, ask_each
from halubot.reliability import TRUSTED, Reliability
from halubot.report import Usage
from halubot.text import clean
from halubot_prompts import Field, Plain, PromptError

T = TypeVar("T", bound=BaseModel)

Fields = Mapping[str, Field]


class ModelSession:
    """One run's session with the models of a panel.

    What it takes is emitted as `Spent` after each step, the version of each prompt once as
    `PromptUsed`, trouble of the store as `Note`.
    """

    def __init__(self, panel: Panel, emit: Emit) -> None:
        self.panel = panel
        self.emit = emit
        # A part of it: this run knows what it spent, and one budget holds for all runs of the
        # panel.
        self._budget = panel.budget.part()
        self.answer = panel.seat(panel.answer, self._budget, self._loading)
        """The model that answers and draws samples."""
        self.judge = self.answer
        """The model that extracts, verifies and corrects."""
        if panel.judge is not panel.answer:
            self.judge = panel.seat(panel.judge, self._budget, self._loading)
        self._accounted = Usage()
        self._cached_before = self._cached_calls
        self._prompts: set[str] = set()
        self._problems = 0
        self._told: set[str] = set()
        self._reliability: dict[str, Reliability] = {}
        self.answer_logprobs: tuple[TokenLogprob, ...] | None = None
        """Those of the tokens of the answer that was written, if they were asked for and sent."""

    def messages(self, prompt: str, fields: Fields) -> tuple[Message, ...]:
        """The prompt of that name, filled. Raises SettingError for one that is broken, as a
        user's own may be."""
        try:
            found = self.panel.prompts.get(prompt)
            filled = found.fill(fields)
        except PromptError as error:
            raise SettingError(str(error)) from error
        if prompt not in self._prompts:
            self._prompts.add(prompt)
            self.emit(PromptUsed(name=prompt, version=found.version))
        return tuple(Message(role, content) for role, content in filled)

    async def ask(
        self,
        prompt: str,
        shape: type[T],
        fields: Fields,
        *,
        temperature: float = 0.0,
        repeat: int = 0,
        once: bool = False,
    ) -> Answer[T]:
        """One value of that shape from the judge, asked for again if it is no use, unless it is
        asked for ``once``. ``repeat`` numbers the answers if several are wanted."""
        # What is asked again counts on from here, and must not meet another repeat.
        first, attempts = repeat * ATTEMPTS, 1 if once else ATTEMPTS
        request = Request(self.messages(prompt, fields), temperature=temperature, first=first)
        try:
            answer = await ask(self.judge, request, shape, note=self._again, attempts=attempts)
        finally:
            # Also after a failure: a call that failed, or was given up, may have cost something.
            self.account()
        self._tell(answer.error)
        return answer

    async def ask_each(
        self,
        prompt: str,
        item: type[T],
        indexes: Sequence[int],
        fields: Callable[[tuple[int, ...]], Fields],
        *,
        preface: type[BaseModel] | None = None,
        ending: type[BaseModel] | None = None,
        halve: bool = True,
        temperature: float = 0.0,
        repeat: int = 0,
        logprobs: bool = False,
        once: bool = False,
        spare: frozenset[int] = frozenset(),
    ) -> Answers[T]:
        """One value of that shape for each index, in one call; those missing are asked for again.
        ``preface`` is what the model has to write down before them, ``ending`` what after them.
        If the prompt does not fit the model, each half of the indexes is asked for by itself,
        unless ``halve`` is False. ``logprobs`` asks for those of each token. What is missing of
        ``spare`` is not asked for again. ``repeat`` and ``once`` are those of `ask`.
        """

        def request(wanted: tuple[int, ...]) -> Request:
            filled = self.messages(prompt, fields(wanted))
            first = repeat * ATTEMPTS
            return Request(filled, temperature=temperature, first=first, logprobs=logprobs)

        try:
            answers = await ask_each(
                self.judge,
                request,
                item,
                indexes,
                preface=preface,
                ending=ending,
                note=self._again,
                attempts=1 if once else ATTEMPTS,
                spare=spare,
                halve=halve,
            )
        finally:
            self.account()
        self._tell(answers.error)
        return answers

    def note_canary(self, prompt: str, *, right: bool, supported: bool) -> None:
        known = self._reliability.get(prompt, TRUSTED)
        self._reliability[prompt] = known.count(right, supported)

    def reliability(self, prompt: str) -> Reliability:
        """Return how far the judge can be trusted with that prompt, by the canaries of this run."""
        # The answers of a dry run show nothing of a judge.
        return TRUSTED if self.panel.rehearsing else self._reliability.get(prompt, TRUSTED)

    def account(self) -> None:
        """Emits what was spent since it was last emitted, and new trouble of the store."""
        cached = self._cached_calls - self._cached_before
        spent = self._budget.usage.model_copy(update={"cached_calls": cached})
        before, self._accounted = self._accounted, spent
        fresh = Usage(
            calls=spent.calls - before.calls,
            cached_calls=cached - before.cached_calls,
            prompt_tokens=spent.prompt_tokens - before.prompt_tokens,
            completion_tokens=spent.completion_tokens - before.completion_tokens,
            cost_usd=_difference(spent.cost_usd, before.cost_usd),
        )
        if fresh != Usage():
            self.emit(Spent(usage=fresh))
        problems = self.panel.problems()
        for problem in problems[self._problems :]:
            self.emit(Note(what=problem.what, why=problem.why))
        self._problems = len(problems)

    def _loading(self, done: bool) -> None:
        self.emit(Progress(what=LOADING, done=int(done), of=1))

    def _tell(self, error: ModelError | None) -> None:
        """Says once of each kind of failure which model failed, where, and what to do. What does
        not fit a model is cut and asked again, and no news."""
        if error is None or isinstance(error, ContextTooLongError) or str(error) in self._told:
            return
        self._told.add(str(error))
        self.emit(Note(what="a call to the judge failed", why=str(error)))

    def _again(self, reason: str, schema: str) -> str:
        """Return what is added to a prompt whose answer could not be used."""
        (message, *_) = self.messages("again", {"reason": reason, "schema": Plain(schema)})
        return message.content

    @property
    def _cached_calls(self) -> int:
        # A set, because answering and judging may be one seat, whose calls count once.
        return sum(seat.cached for seat in {self.answer, self.judge})


def _difference(now: float | None, before: float | None) -> float | None:
    return None if now is None or now == before else now - (before or 0.0)


def value_or_reason(answer: Answer[T]) -> T | str:
    """Return the value of an answer; if it has none, or was cut off, the reason."""
    if answer.value is None or answer.reason is not None:
        return answer.reason or "the judge gave no answer"
    return answer.value


def one_line(text: str) -> str:
    """Return a text on one line, without characters that no text may hold."""
    return " ".join(clean(text)[0].split())
