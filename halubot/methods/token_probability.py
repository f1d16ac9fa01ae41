"""`token-probability`: how sure the model was of its own words, by their log-probabilities.

    mean   H(i) = 1 - exp((1/J) * sum over j of log p_ij)     of the tokens j of sentence i
    min    H(i) = 1 - min over j of p_ij

SelfCheckGPT publishes -log p itself as Avg(-log p) and Max(-log p), which order sentences alike;
they are among the details. The log-probabilities are those of the answer as it was written: of
`halubot ask`, where the provider sends them, or given as an option. No other answer is drawn.

Source: Manakul, Liusie, Gales, "SelfCheckGPT" (EMNLP 2023), section 4.1, arXiv:2303.08896.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from halubot.errors import SettingError
from halubot.events import Event
from halubot.methods.driver import unjudged_events
from halubot.methods.registry import Case
from halubot.methods.sample_verdicts import Scored, SentenceScores
from halubot.text import Document

NONE_CAME: Final = (
    "the answer's log-probabilities are not known: use halubot ask with a model that sends them"
)

Token = tuple[str, float]
"""A token of the answer, and the logarithm of its probability."""


class _TokenProbability(SentenceScores):
    """The method object. Its options are ``aggregate``, "mean" (the default) or "min", and
    ``logprobs``, a list of tokens with their log-probabilities, which together are the text."""

    def judge(self, case: Case) -> Iterator[Event]:
        """The same, if there are log-probabilities. Raises SettingError for other ``logprobs``."""
        return super().judge(case) if _given(case) else unjudged_events(case, NONE_CAME)


def _score(case: Case, details: dict[str, Any]) -> Iterator[Scored]:
    """The mean or the least probability of the tokens of each sentence."""
    rows = by_sentence(case.message, _given(case))
    logs = [[log for _, log in row] for row in rows]
    details["mean_neg_log_p"] = [round(-math.fsum(r) / len(r), 6) if r else None for r in logs]
    details["max_neg_log_p"] = [round(-min(row), 6) if row else None for row in logs]
    for row in rows:
        if not row:
            yield None, "none of its tokens is known"
            continue
        word, lowest = min(row, key=lambda token: token[1])
        least = case.options.get("aggregate") == "min"
        log = lowest if least else math.fsum(log for _, log in row) / len(row)
        reason = f"its least sure token is {word.strip()!r}, at {math.exp(lowest):.1%}"
        yield min(1.0, max(0.0, 1 - math.exp(log))), reason


def by_sentence(message: Document, tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens of each sentence of a message, those between two left out; none if the
    tokens together do not hold the text."""
    joined = "".join(token for token, _ in tokens)
    begin = joined.find(message.text.strip())
    rows: list[list[Token]] = [[] for _ in message.sentences]
    if begin < 0:
        return rows
    at = len(message.text) - len(message.text.lstrip()) - begin
    for token, log in tokens:
        # Many a token begins with the space before its word.
        first = at + len(token) - len(token.lstrip())
        for row, (start, end) in zip(rows, message.sentences, strict=True):
            if start <= first < end and token.strip():
                row.append((token, log))
        at += len(token)
    return rows


def _given(case: Case) -> Sequence[Token]:
    given = case.options.get("logprobs")
    if given is None:
        told = case.session.answer_logprobs if case.session is not None else None
        return [(one.token, one.logprob) for one in told or ()]
    if not isinstance(given, list | tuple):
        raise _refusal(given)
    return [_token(one) for one in given]


def _token(value: Any) -> Token:
    match value:
        case [str(token), int() | float() as log] if log <= 0:
            return token, float(log)
    raise _refusal(value)


def _refusal(value: Any) -> SettingError:
    return SettingError(f"the log-probabilities are {value!r:.60}, not a list of [token, log p]")


METHOD: Final = _TokenProbability(
    "token-probability",
    "how sure the model was of its own words, by their log-probabilities",
    source="SelfCheckGPT, grey-box baselines, arXiv:2303.08896",
    scored=_score,
    needs=(),
    needs_all=False,
    reads_logprobs=True,
)
