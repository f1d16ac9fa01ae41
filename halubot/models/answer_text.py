"""The parts of a model's answer: litellm's response, its thoughts, its end, its faults, and its
JSON, whose syntax is mended and whose content is never guessed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from halubot.models.model import Completion, Listed, TokenLogprob, TokenUsage
from halubot.models.model_errors import MalformedAnswerError
from halubot.models.published import price
from halubot.models.vendor_errors import CHECK_ADDRESS

if TYPE_CHECKING:
    from pydantic import ValidationError


# Some servers set a model's thoughts apart in a field of their own, others leave them in the text:
# between these marks, or in the channels of the harmony format.
BEGIN: Final = "<think>"
END: Final = "</think>"

_FINAL: Final = "<|channel|>final<|message|>"
_CHANNEL: Final = "<|channel|>"
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>", "<|start|>")


def without_thought(text: str) -> str:
    """Return an answer without its thought, and without the blanks around that. Of a thought that
    does not end nothing is left; a "<think>" amid an answer that does not end is part of it."""
    if _CHANNEL in text:
        return _final(text)
    begin, end = text.find(BEGIN), text.find(END)
    # Some chat templates write the opening mark into the prompt, so that only the closing one is in
    # the answer.
    if end >= 0 and not 0 <= begin < end:
        return text[end + len(END) :].lstrip()
    if begin < 0:
        return text
    end = text.find(END, begin)
    if end >= 0:
        return text[:begin].rstrip() + text[end + len(END) :].lstrip()
    return text if text[:begin].strip() else ""


def _final(text: str) -> str:
    """The final message of the harmony format; "" if none has begun."""
    _, found, message = text.rpartition(_FINAL)
    if not found:
        return ""
    ends = [at for at in map(message.find, _ENDS) if at >= 0]
    return message[: min(ends, default=len(message))].strip()


class ThoughtFilter:
    """Lets through the pieces of an answer that are no thought, as they come.

    Of a thought whose beginning the server left out nothing tells until it ends: its pieces come
    through, and `without_thought` of the whole is what counts.
    """

    def __init__(self) -> None:
        self._held = ""
        self._open = False

    def hear(self, piece: str) -> str:
        """Return the part of one more piece that is shown; "" while it may be a thought."""
        if self._open:
            return piece
        self._held += piece
        text = self._held.lstrip()
        # A mark may be parted between two pieces: what may become one is held back until it is
        # whole.
        if any(len(text) < len(one) and one.startswith(text) for one in (BEGIN, "<|")):
            return ""
        if text.startswith(BEGIN) and END not in text:
            return ""
        if text.startswith("<|") and _FINAL not in text:
            return ""
        shown = without_thought(text)
        self._open = bool(shown)
        return shown


CUT: Final = "the answer was cut off: it reached the most tokens that the server gives"
IN_THOUGHT: Final = (
    "the model's thoughts took all tokens of its answer: lower --reasoning-effort, or turn them"
    " off with --no-think"
)
FILTERED: Final = "the provider's content filter withheld the answer"
REFUSED: Final = "the model refused to answer"
TOOL: Final = "the model called a tool in place of an answer"

REASONS: Final = {
    "content_filter": FILTERED,
    "refusal": REFUSED,
    "tool_calls": TOOL,
    "function_call": TOOL,
}
"""By the reason that a server gives, or that its answer shows."""


def find_fault(completion: Completion) -> str | None:
    """Return the reason why a completion has no answer; None if it has one or gives none."""
    said = without_thought(completion.text).strip()
    reason = completion.finish_reason or ""
    if reason in ("refusal", "content_filter") or (reason in REASONS and not said):
        return REASONS[reason]
    return IN_THOUGHT if reason == "length" and not said else None


MOST_KEPT: Final = 400_001
"""Characters of an answer that are kept: one more than anybody reads. A check has all its answers
in memory together."""


def completions(
    response: Any, listed: Listed, *, model: str, endpoint: str, logprobs: bool
) -> tuple[Completion, ...]:
    """The choices of an answer, with their log-probabilities if ``logprobs`` says that they were
    asked for. Raises MalformedAnswerError if there are none."""
    choices = list(response.choices or ())
    if not choices:
        raise MalformedAnswerError(
            "the answer is empty", CHECK_ADDRESS, model=model, endpoint=endpoint
        )
    used = usage(response)
    # litellm's own figure first: it knows the prices of cached prompts too.
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    cost = price(listed, used) if cost is None or used is None else cost
    return tuple(
        Completion(
            (choice.message.content or "")[:MOST_KEPT],
            find_end(choice, choice.message),
            find_logprobs(choice) or None if logprobs else None,
            None if used is None else _share(used, index, len(choices)),
            None if cost is None else cost / len(choices),
            model,
            endpoint,
        )
        for index, choice in enumerate(choices)
    )


def find_end(choice: Any, said: Any) -> str | None:
    """Why an answer ended, of which ``said`` is the message or a piece; "refusal" if the model
    says so in a field of its own, "tool_calls" if it calls a tool and says nothing."""
    # litellm's message has no field for a refusal: OpenAI's lands among these.
    apart = getattr(said, "provider_specific_fields", None) or {}
    if getattr(said, "refusal", None) or apart.get("refusal"):
        return "refusal"
    if not said.content and getattr(said, "tool_calls", None):
        return "tool_calls"
    reason: str | None = choice.finish_reason
    return reason


def usage(response: Any) -> TokenUsage | None:
    """The tokens of a whole answer, or of a piece that tells them; None if they are not told, or
    cannot be: a call without a token of a prompt would cost nothing, and one with fewer than none
    would be credit."""
    used = getattr(response, "usage", None)
    prompt, completion = (getattr(used, f"{one}_tokens", None) for one in ("prompt", "completion"))
    if not (isinstance(prompt, int) and prompt > 0):
        return None
    if completion is None:
        completion = 0
    if not (isinstance(completion, int) and completion >= 0):
        return None
    return TokenUsage(prompt, completion)


def _share(usage: TokenUsage, index: int, of: int) -> TokenUsage:
    """One completion's part of its call: the first carries the prompt and what is left over."""
    # The server counts a call as a whole, and all completions of it share one prompt.
    each, rest = divmod(usage.completion, of)
    return TokenUsage(usage.prompt, each + rest) if index == 0 else TokenUsage(0, each)


def find_logprobs(choice: Any) -> tuple[TokenLogprob, ...]:
    """The tokens of a choice, or of a piece of one; () if it does not tell them."""
    content = getattr(getattr(choice, "logprobs", None), "content", None)
    return tuple(TokenLogprob(one.token, one.logprob) for one in content or ())


MOST = 10_000
"""Faults beyond which they are only counted."""


def first_fault(error: ValidationError) -> str:
    """The first fault: in which item, of which field, what is wanted: "facts, item 1: tail:
    string should have at most 400 characters". Of a fault of the whole, "the answer" is the
    field."""
    if error.error_count() > MOST:  # each is written out before the first can be looked at
        return f"the answer has {error.error_count():,} faults"
    fault = error.errors(include_url=False, include_input=False)[0]
    *above, field = fault["loc"] or ("the answer",)
    if fault["type"] == "value_error":  # one of halubot's own, in its own words
        above, said = list(fault["loc"]), str(fault["ctx"]["error"])
    else:
        said = f"{_find_name(field)}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
    return f"{', '.join(map(_find_name, above))}: {said}" if above else said


def _find_name(part: str | int) -> str:
    return f"item {part + 1}" if isinstance(part, int) else part


LONGEST_ANSWER = MOST_KEPT - 1
"""Characters of an answer beyond which it is not read: some take 600 bytes each when parsed."""

LONGEST_VALUE = 100_000
"""The same of what is left when thoughts are taken out: a check has many answers under way, and no
question asks for so much."""

LONGEST_MENDED = 10_000
"""Characters beyond which broken JSON is not mended."""

MOST_TO_MEND = 4_000_000
"""Characters times quotes beyond which broken JSON is not mended: the time it takes grows with
them, to half a second here. Each stray quote has the rest of the text looked through."""

DEEPEST_MENDED = 50
"""Levels of nesting beyond which broken JSON is not mended."""

_BEGIN = re.compile(r"^[ \t]*(?:```\w*\s*)?(?=[{\[])", re.M)
_AFTER = " \t\r\n`"


@dataclass(frozen=True, slots=True)
class ParsedJson:
    """A value, and whether the text held all of it: False if it was cut off."""

    value: Any
    whole: bool


def read_json(text: str, *, cut: bool = False) -> ParsedJson:
    """The one JSON object or list that the text is, or holds on lines of its own, as in a fenced
    block. A key given twice with different values has the value None. ``cut`` tells that the server
    stopped the answer: what then ends with a bracket need not be whole.

    Raises ValueError, with a reason for people, for prose, for several values, and for nothing.
    """
    if len(text) > LONGEST_ANSWER:
        raise ValueError("the answer was too long to read")
    text = without_thought(text).strip()
    if len(text) > LONGEST_VALUE:
        raise ValueError("the answer was too long to read")
    if not text:
        raise ValueError("the answer was empty")
    # Only at the beginning of a line: brackets amid prose are no answer, and a value guessed from
    # prose would look like a verdict.
    begin = _BEGIN.search(text)
    if begin is None:
        raise ValueError("the answer was prose, not JSON")
    body = text[begin.end() :]
    try:
        value, end = _DECODER.raw_decode(body)
    except (ValueError, RecursionError):
        return _mend(body, cut)
    # Which of several values is meant nobody knows: a model may show an example before its answer.
    if _BEGIN.search(body[end:].lstrip(_AFTER)):
        raise ValueError("the answer held several JSON values")
    return ParsedJson(value, whole=True)


def _mend(body: str, cut: bool) -> ParsedJson:
    quotes = sum(map(body.count, "\"'“”"))
    if len(body) > LONGEST_MENDED or len(body) * quotes > MOST_TO_MEND:
        raise ValueError("the answer was broken JSON, too long to mend")
    if _depth(body) > DEEPEST_MENDED:
        raise ValueError("the answer was nested too deep")
    # Late: most answers are whole JSON and never need it.
    import json_repair

    try:
        value = json_repair.loads(body, skip_json_loads=True)
    except Exception as error:  # its assertions fail too, as for '{"0": {"```json\\n[```json\\n'
        raise ValueError("the answer was broken JSON") from error
    if not isinstance(value, dict | list):
        raise ValueError("the answer was broken JSON")
    return ParsedJson(value, whole=not cut and body.rstrip(_AFTER).endswith(("}", "]")))


def _depth(body: str) -> int:
    """Return the depth that a text may have, 0 without brackets. Those in its strings count too: of
    broken JSON nobody knows where strings end."""
    signs = (1 if sign in "[{" else -1 for sign in body if sign in "[]{}")
    return max(accumulate(signs), default=0)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # RFC 8259 (section 4) leaves open which of two equal names counts. A model that gave two
    # different verdicts gave none.
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = value if found.get(key, value) == value else None
    return found


def _no_constant(name: str) -> Any:
    # Python reads NaN and Infinity, RFC 8259 (section 6) does not allow them: any comparison with a
    # score of NaN is false.
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)
