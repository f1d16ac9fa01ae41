"""litellm's answers read into completions."""

from __future__ import annotations

from typing import Any

from halubot.models.model import Completion, Listed, TokenLogprob, TokenUsage
from halubot.models.published import price
from halubot.models.vendor_errors import malformed_answer


def completions(
    response: Any, listed: Listed, *, model: str, endpoint: str
) -> tuple[Completion, ...]:
    """The choices of an answer. Raises MalformedAnswerError where there are none."""
    choices = list(response.choices or ())
    if not choices:
        raise malformed_answer("the answer is empty", model=model, endpoint=endpoint)
    used = usage(response)
    cost = response._hidden_params.get("response_cost")
    cost = price(listed, used) if cost is None else cost
    return tuple(
        Completion(
            choice.message.content or "",
            find_end(choice, choice.message),
            _logprobs(choice),
            None if used is None else _share(used, index, len(choices)),
            None if cost is None else cost / len(choices),
            model,
            endpoint,
        )
        for index, choice in enumerate(choices)
    )


def find_end(choice: Any, said: Any) -> str | None:
    """Why an answer ended, of which ``said`` is the message or a piece; "refusal" where the model
    says so in a field of its own, "tool_calls" where it calls a tool and says nothing."""
    apart = getattr(said, "provider_specific_fields", None) or {}
    if getattr(said, "refusal", None) or apart.get("refusal"):
        return "refusal"
    if not said.content and getattr(said, "tool_calls", None):
        return "tool_calls"
    reason: str | None = choice.finish_reason
    return reason


def usage(response: Any) -> TokenUsage | None:
    """The tokens of a whole answer, or of a piece that tells them."""
    used = getattr(response, "usage", None)
    if used is None:
        return None
    return TokenUsage(used.prompt_tokens or 0, used.completion_tokens or 0)


def _share(usage: TokenUsage, index: int, of: int) -> TokenUsage:
    """One completion's part of its call: the first carries the prompt and what is left over."""
    each, rest = divmod(usage.completion, of)
    return TokenUsage(usage.prompt, each + rest) if index == 0 else TokenUsage(0, each)


def _logprobs(choice: Any) -> tuple[TokenLogprob, ...] | None:
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    if not content:
        return None
    return tuple(
        TokenLogprob(
            one.token,
            one.logprob,
            tuple((rival.token, rival.logprob) for rival in one.top_logprobs or ()),
        )
        for one in content
    )
