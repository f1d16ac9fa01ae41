"""Each error of a model names the model, the address and what to do, and never holds a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halubot.errors import HalubotError

if TYPE_CHECKING:
    from halubot.models.model import Parameter


class ModelError(HalubotError):
    """A call to a model that brought nothing.

    ``why`` is the reason in a few words, for reports, and ``remedy`` what to do. ``transient`` is
    True if the same call may succeed in a moment, ``unpaid`` if no provider charges for a call that
    failed so, ``hopeless`` if any other call would fail as well.
    """

    transient: bool = False
    unpaid: bool = False
    hopeless: bool = False

    def __init__(self, why: str, remedy: str, *, model: str, endpoint: str) -> None:
        self.why = why
        self.remedy = remedy
        self.model = model
        self.endpoint = endpoint
        # The command line knows the failures of models in a report by this beginning.
        super().__init__(f"{model} at {endpoint}: {why}; {remedy}")


class UnreachableError(ModelError):
    """No server answers at the address, or it names another one, which is not followed: its host
    would receive the key and the text."""

    unpaid = hopeless = True


class BrokenConnectionError(UnreachableError):
    """The connection ended before the answer did, which some providers charge for."""

    transient = True
    unpaid = hopeless = False


class RefusedKeyError(ModelError):
    """No key, or one that the provider does not accept."""

    unpaid = hopeless = True


class UnknownModelError(ModelError):
    """The provider or the server has no model of that name."""

    unpaid = hopeless = True


class RateLimitedError(ModelError):
    """Too many requests. ``retry_after`` is in seconds, None if the server does not say."""

    transient = unpaid = True
    retry_after: float | None = None


class SpentQuotaError(RateLimitedError):
    """The quota is used up, and does not come back while a run waits."""

    transient = False


class SlowModelError(ModelError):
    """No answer in time. The call is not repeated: the user set the time that it may take."""


class ContextTooLongError(ModelError):
    """The prompt, or the prompt and the answer, do not fit the model."""

    unpaid = True


class MalformedAnswerError(ModelError):
    """The server's answer is not a completion: no JSON, half of it, or nothing in it."""

    transient = True


class UnfitAnswerError(MalformedAnswerError):
    """An answer that `halubot.network` did not let through; another would be stopped there too."""

    transient = False


class CutAnswerError(ModelError):
    """The answer reached the server's limit of tokens, and its end is missing."""


class RefusedRequestError(ModelError):
    """The server turned the request down for its content or its form."""

    unpaid = True


class RefusedParameterError(RefusedRequestError):
    """The server does not know ``parameter``; the same call is made without it."""

    parameter: Parameter = "n"


class ServerFaultError(ModelError):
    """The server reported a failure of its own (status 500 and the like)."""

    transient = True


class LocalFaultError(ModelError):
    """The call failed on this machine before it reached a server."""

    unpaid = True


class BudgetSpentError(ModelError):
    """The call was not made: it would exceed the calls or the money allowed."""

    hopeless = True


class TooMuchAgainError(BudgetSpentError):
    """The call was not repeated: too many calls of the run failed or brought unusable answers. What
    was never asked may still go well."""

    hopeless = False


class NotRecordedError(ModelError):
    """A replay needed an answer that its record does not hold."""
