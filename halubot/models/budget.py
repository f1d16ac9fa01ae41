"""The budget of a run, checked before each call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager

from halubot.models.model import Completion, Listed, Request, TokenUsage, total
from halubot.models.model_errors import BudgetSpentError, ModelError, TooMuchAgainError
from halubot.models.published import price
from halubot.money import dollars
from halubot.report import Usage

ANSWER_TOKENS = 4096
"""The longest answer, in tokens, that is asked for if money is counted and the request sets
no length: without one, what a call may cost has no bound."""


AT_ONCE = 64
"""Calls that each may have to be made once more in the beginning, until it is known what a server
turns down."""


def most_calls(first: int) -> int:
    """The most calls that so many may become, those counted that are made again: each may fail,
    or bring no use, and be made twice more."""
    return 3 * first + min(first, AT_ONCE)


class Budget:
    """The calls and the dollars one run may spend; None is no limit.

    Calls under way count with the most they may cost. A call that fails after it reached the
    server counts as a call; its money is kept as spent, since some providers charge for it. If
    nearly everything fails, calls are not made again for ever: `most_calls` bounds them.
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_cost: float | None = None,
        within: Budget | None = None,
        spent: tuple[int, float] = (0, 0.0),
        note: Callable[[int, float], None] | None = None,
    ) -> None:
        """``spent`` calls and dollars were spent before and count against the limits. ``note`` is
        called with all that is spent whenever that changes, calls under way included: before they
        begin."""
        self.max_calls = max_calls
        self.max_cost = max_cost
        self._within = within
        self._before, self._gone_before = spent
        self._note = note
        self._lock = threading.Lock()
        self._calls = 0
        self._again = 0
        self._failure: ModelError | None = None
        self._reserved = 0.0
        self._line: list[Future[None]] = []
        self._tokens = TokenUsage()
        self._cost: float | None = None
        self._lost = 0.0

    @property
    def usage(self) -> Usage:
        """The usage so far; ``cost_usd`` is None while no price is known."""
        with self._lock:
            return Usage(
                calls=self._calls,
                prompt_tokens=self._tokens.prompt,
                completion_tokens=self._tokens.completion,
                cost_usd=self._cost,
            )

    @property
    def calls_left(self) -> int | None:
        """The calls that may still be made; None for any number."""
        with self._lock:
            if self.max_calls is None:
                return None
            return max(0, self.max_calls - self._before - self._calls)

    @property
    def failure(self) -> ModelError | None:
        """The last failure that no further call would mend; None if there was none."""
        return self._failure

    def note_failure(self, error: ModelError) -> None:
        """A call failed in a way that no further call would mend, here and if this budget is a
        part."""
        self._failure = error
        if self._within is not None:
            self._within.note_failure(error)

    @property
    def allows_again(self) -> bool:
        """Return True if a call may be made again, after all that were."""
        with self._lock:
            return self._calls < most_calls(self._calls - self._again)

    def part(self) -> Budget:
        """A budget without limits of its own for one of several runs: what is spent from it is
        spent from this one, and its ``spent`` is that run's alone."""
        return Budget(within=self)

    @property
    def counts_money(self) -> bool:
        return self.max_cost is not None or (self._within is not None and self._within.counts_money)

    @asynccontextmanager
    async def call(
        self, most: float | None, *, model: str, endpoint: str, again: bool = False
    ) -> AsyncIterator[Receipt]:
        """One call that costs ``most`` dollars at most, None if the price is not known;
        ``again`` if it was made before. If only the reserves of calls under way are in its way,
        it waits until enough of these have ended: most take less than they may.

        Raises BudgetSpentError, with nothing spent, if it would go beyond the limits, or if
        money is limited, the price unknown, and calls are not limited either; TooMuchAgainError
        if too many were made again.
        """
        receipt = Receipt()
        if again and not self.allows_again:
            why = f"too many of {self._calls} calls failed or brought no use"
            remedy = "another model may do better"
            raise TooMuchAgainError(why, remedy, model=model, endpoint=endpoint)
        # Whoever was woken asks again, because another call may have taken the money first.
        while (settled := self._take(most, model, endpoint)) is not None:
            await asyncio.wrap_future(settled)
        with self._lock:
            self._again += again
        try:
            yield receipt
        finally:
            self._settle(most, receipt)

    def charge(self, cost: float) -> bool:
        """Count dollars of something other than a model's call, such as a search. Return False,
        with nothing counted, if they would go beyond the limit."""
        with self._lock:
            if self.max_cost is not None and self._gone + self._reserved + cost > self.max_cost:
                return False
            if self._within is not None and not self._within.charge(cost):
                return False
            if cost:
                self._cost = (self._cost or 0.0) + cost
                self._tell()
        return True

    def _take(self, most: float | None, model: str, endpoint: str) -> Future[None] | None:
        """Reserve a call and its money; or return what ends when a call that is under way does."""
        with self._lock:
            refusal = self._refusal(most)
            if refusal is not None:
                why, remedy = refusal
                raise BudgetSpentError(why, remedy, model=model, endpoint=endpoint)
            if self._waits(most):
                self._line.append(Future())
                return self._line[-1]
            if self._within is not None:
                settled = self._within._take(most, model, endpoint)
                if settled is not None:
                    return settled
            self._calls += 1
            self._reserved += most or 0.0
            self._tell()
        return None

    def _tell(self) -> None:
        if self._note is not None:
            self._note(self._before + self._calls, self._gone + self._reserved)

    def _waits(self, most: float | None) -> bool:
        if self.max_cost is None or most is None:
            return False
        return self._gone + self._reserved + most > self.max_cost

    @property
    def _gone(self) -> float:
        return self._gone_before + (self._cost or 0.0) + self._lost

    def _refusal(self, most: float | None) -> tuple[str, str] | None:
        if self.max_calls is not None and self._before + self._calls >= self.max_calls:
            # For people: "all 1 calls" would read like a fault.
            few = {0: "no call is allowed", 1: "the one call allowed was made"}
            why = few.get(self.max_calls, f"all {self.max_calls} calls allowed were made")
            if self._before:
                why += f", {self._before} of them in earlier runs"
            return why, "allow more with --max-calls"
        if self.max_cost is None:
            return None
        if most is None:
            if self.max_calls is not None:
                return None
            return "its price is not known", "limit the calls with --max-calls instead"
        if self._gone + most > self.max_cost:
            spent = f"{dollars(self._gone)} are spent, and it may take {dollars(most)}"
            why = f"the next call may go beyond {dollars(self.max_cost)} ({spent})"
            return why, "allow more with --max-cost"
        return None

    def _settle(self, most: float | None, receipt: Receipt) -> None:
        if self._within is not None:
            self._within._settle(most, receipt)
        with self._lock:
            self._reserved -= most or 0.0
            for waiting in self._line:
                # False for one who was cancelled while waiting: a result for it would raise.
                if waiting.set_running_or_notify_cancel():
                    waiting.set_result(None)
            self._line.clear()
            if not receipt.free:
                used = receipt.usage or TokenUsage()
                self._tokens = TokenUsage(
                    self._tokens.prompt + used.prompt, self._tokens.completion + used.completion
                )
                if receipt.cost is not None:
                    self._cost = (self._cost or 0.0) + receipt.cost
                else:
                    self._lost += most or 0.0
            if most or receipt.cost:  # calls were told of before they began
                self._tell()


class Receipt:
    """The cost of one call: unknown until `settle` or `nothing` is called."""

    def __init__(self) -> None:
        self.usage: TokenUsage | None = None
        self.cost: float | None = None
        self.free = False

    def settle(self, completions: Sequence[Completion]) -> None:
        """The call brought these."""
        self.usage = total(completions)
        costs = [one.cost for one in completions if one.cost is not None]
        self.cost = sum(costs) if costs else None

    def nothing(self) -> None:
        """The server took no money: it refused, or was not reached."""
        self.free = True


def most_tokens(request: Request) -> TokenUsage:
    """The most tokens a request may take: three bytes a prompt token, and the answers' full
    length."""
    size = sum(len(one.content.encode()) for one in request.messages)
    size += len(request.schema.json.encode()) if request.schema else 0
    # More than usual tokenizers make of plain text, which is about four bytes a token in English;
    # and a few tokens around each message.
    prompt = -(-size // 3) + 8 * len(request.messages) + 8
    return TokenUsage(prompt, request.n * (request.max_tokens or ANSWER_TOKENS))


def most_cost(request: Request, listed: Listed) -> float | None:
    """The most dollars a request may cost; None if the price is not known."""
    return price(listed, most_tokens(request))
