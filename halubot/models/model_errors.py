"""The errors of models, in one tree::

    ModelError               a call that brought nothing (a HalubotError)
    ├── UnreachableError     no server answers at the address, or the connection broke
    │   └── MovedAddressError    the server names another address, which is not followed
    ├── RefusedKeyError      no key, or one that the provider does not accept
    ├── UnknownModelError    the provider or the server has no model of that name
    ├── RateLimitedError     too many requests; ``retry_after`` seconds if the server says
    ├── SlowModelError       no answer within the time a call may take
    ├── ContextTooLongError  the prompt does not fit the model
    ├── MalformedAnswerError the server's answer is not a completion
    ├── CutAnswerError       the answer is longer than the server lets it be
    ├── RefusedRequestError  the server turned the request down
    │   └── RefusedParameterError   because of one parameter, which is not sent again
    ├── ServerFaultError     the server failed
    ├── LocalFaultError      the call failed on this machine, before any answer came
    ├── BudgetSpentError     the call was not made: it would exceed the budget
    │   └── TooMuchAgainError       too many calls of the run had to be repeated already
    └── NotRecordedError     no call is made in a replay, and the record holds no answer

Each names the model, the address and what to do, and never holds a key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from halubot.errors import HalubotError

if TYPE_CHECKING:
    from halubot.models.model import Parameter


class ModelError(HalubotError):
    """A call to a model that failed.

    ``why`` is the reason in a few words, for reports, and ``remedy`` what to do. ``transient`` is
    True if the same call may succeed in a moment.
    """

    transient: bool = False

    def __init__(self, why: str, remedy: str, *, model: str, endpoint: str) -> None:
        self.why = why
        self.remedy = remedy
        self.model = model
        self.endpoint = endpoint
        # The command line knows the failures of models in a report by this beginning.
        super().__init__(f"{model} at {endpoint}: {why}; {remedy}")


class UnreachableError(ModelError):
    """No server answers at the address; or, if ``transient``, the connection broke."""


class MovedAddressError(UnreachableError):
    """The server sent a redirect. It is not followed: another host than the one that the user named
    would receive the key and the text."""


class RefusedKeyError(ModelError):
    """No key, or one that the provider does not accept."""


class UnknownModelError(ModelError):
    """No model of that name."""


class RateLimitedError(ModelError):
    """Too many requests. ``retry_after`` is in seconds, None if the server does not say."""

    transient = True
    retry_after: float | None = None


class SlowModelError(ModelError):
    """No answer in time. The call is not repeated: the user set the time that it may take."""


class ContextTooLongError(ModelError):
    """The prompt, or the prompt and the answer, do not fit the model."""


class MalformedAnswerError(ModelError):
    """The server's answer is not a completion: no JSON, half of it, or nothing in it."""

    transient = True


class CutAnswerError(ModelError):
    """The answer reached the server's limit of tokens, and its end is missing."""


class RefusedRequestError(ModelError):
    """The server turned the request down for its content or its form."""


class RefusedParameterError(RefusedRequestError):
    """The server does not know ``parameter``; the same call is made without it."""

    parameter: Parameter = "n"


class ServerFaultError(ModelError):
    """The server reported a failure of its own (status 500 and the like)."""

    transient = True


class LocalFaultError(ModelError):
    """The call failed on this machine before it reached a server."""


class BudgetSpentError(ModelError):
    """The call was not made: it would exceed the calls or the money allowed."""


class TooMuchAgainError(BudgetSpentError):
    """The call was not repeated: too many calls of the run failed or brought unusable answers."""


class NotRecordedError(ModelError):
    """A replay needed an answer that its record does not hold."""
