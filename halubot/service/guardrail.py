"""The answers of models, checked on their way through LiteLLM's proxy.

The proxy's Generic Guardrail API posts the texts of a request or of an answer, and does as it is
told: nothing, another text, or a refusal. Here an answer goes on with a note below it that names
what is doubted; it is refused only if that is asked for. What a person writes is never changed.
Source: LiteLLM's documentation, "Generic Guardrail API", and its client in litellm 1.106.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from halubot.errors import InputError
from halubot.render.captions import number
from halubot.render.inert import one_line
from halubot.report import Report
from halubot.service.wire import CheckRequest, Texts

SHOWN: Final = 3
"""Doubted facts that a note names."""

# After a blank line: directly below a line of text, Markdown reads "---" as the underline of a
# heading.
RULE: Final = "\n\n---\n"

TEXTS: Final = 100
"""Texts of one request that are taken; a proxy sends one for each choice of an answer."""


class Wishes(BaseModel):
    """The wishes of a proxy's configuration or of one request, in
    ``additional_provider_specific_params``; other names are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    block_on: Literal["never", "contradicted", "doubtful"] = "never"
    annotate: bool = True
    references: Texts = ()
    samples: Texts = ()
    question: str | None = None


class GuardrailRequest(BaseModel):
    """The body that the proxy posts; it has more fields, which nothing here needs."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    input_type: Literal["request", "response"]
    texts: tuple[str, ...] | None = None
    structured_messages: tuple[dict[str, Any], ...] | None = None
    additional_provider_specific_params: dict[str, Any] | None = None

    @property
    def wishes(self) -> Wishes:
        """Return the wishes of a request. Raises pydantic's ValidationError for wrong ones."""
        return Wishes.model_validate(self.additional_provider_specific_params or {})

    def to_check(self) -> list[tuple[int, CheckRequest]]:
        """The texts that are checked, with their places: answers in prose, none of a person.
        Raises InputError for more than `TEXTS`."""
        # What a person writes goes to the model as it is.
        if self.input_type == "request":
            return []
        wishes = self.wishes
        question = wishes.question or _last_question(self.structured_messages or ())
        if len(self.texts or ()) > TEXTS:
            raise InputError(f"more than {TEXTS} texts are too many for one request")
        return [
            (
                place,
                CheckRequest(
                    text=text,
                    question=question,
                    references=wishes.references,
                    samples=wishes.samples,
                ),
            )
            for place, text in enumerate(self.texts or ())
            if text.strip() and not _is_data(text)
        ]


class GuardrailAnswer(BaseModel):
    """The order to the proxy; ``texts`` are all texts of the answer, changed or not."""

    action: Literal["NONE", "BLOCKED", "GUARDRAIL_INTERVENED"] = "NONE"
    blocked_reason: str | None = None
    texts: list[str] | None = Field(default=None)


def make_answer(request: GuardrailRequest, found: Mapping[int, Report | str]) -> GuardrailAnswer:
    """The answer to the proxy: ``found`` has, by the place of its text, the report or the reason
    why there is none."""
    wishes = request.wishes
    blocking = {"never": (), "contradicted": ("contradicted",)}.get(
        wishes.block_on, ("contradicted", "doubtful")
    )
    texts = list(request.texts or ())
    for place, one in found.items():
        # The first is enough: the proxy refuses all texts of an answer or none.
        if isinstance(one, Report) and any(fact.verdict in blocking for fact in one.facts):
            return GuardrailAnswer(action="BLOCKED", blocked_reason=one_line(note(one)))
        if wishes.annotate:
            below = note(one)
            texts[place] += f"{RULE}{below}" if below else ""
    if texts == list(request.texts or ()):
        return GuardrailAnswer()
    return GuardrailAnswer(action="GUARDRAIL_INTERVENED", texts=texts)


def note(found: Report | str) -> str:
    """Return the note below an answer: what is doubted and why, or that it was not checked.
    Empty if all that it claims was supported."""
    if isinstance(found, str):
        return f"halubot: not checked: {found}"
    doubted = sorted(found.doubted(), key=lambda fact: -(fact.rank or 0.0))
    unchecked = len(found.unchecked())
    if not found.facts:
        why = found.problems[0].why if found.problems else "it holds no statement"
        return f"halubot: not checked: {why}"
    if not doubted and unchecked == len(found.facts):
        return f"halubot: not checked: {found.facts[0].reason}"
    if not doubted and not unchecked:
        return ""
    counts = [f"{len(doubted)} of {number(len(found.facts), 'fact')} in doubt"] if doubted else []
    counts += [f"{unchecked} undecided"] if unchecked else []
    lines = [f"halubot: {', '.join(counts)}"]
    for fact in doubted[:SHOWN]:
        words = " ".join(found.text[start:end] for start, end in fact.spans)
        quotes = [item.quote for item in fact.evidence if item.stance == "contradicts"]
        against = f" - a source says: “{one_line(quotes[0])}”" if quotes else ""
        lines.append(f"- {fact.verdict}: “{one_line(words)}”{against}")
    if len(doubted) > SHOWN:
        lines.append(f"- and {len(doubted) - SHOWN} more")
    return "\n".join(lines)


def _last_question(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """The last message of a person; None without one in words."""
    for message in reversed(messages):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        # A message of several parts, such as a text and an image (OpenAI's format).
        if isinstance(content, list):
            parts = [part.get("text") for part in content if isinstance(part, dict)]
            content = "\n".join(part for part in parts if isinstance(part, str))
        return content if isinstance(content, str) and content.strip() else None
    return None


def _is_data(text: str) -> bool:
    """True for an answer that programs read: a note below it would break it."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    # What nests a thousand deep is no JSON that a program waits for.
    except (ValueError, RecursionError):
        return False
    return True
