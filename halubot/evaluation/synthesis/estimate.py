"""What making data would take, told without a call."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from halubot.api import run_to_end
from halubot.dry_run.free_model import ANSWER, RehearsingModel
from halubot.evaluation.synthesis.data_calls import NotMadeError
from halubot.evaluation.synthesis.makers import WITH_MODEL
from halubot.evaluation.synthesis.records import Record
from halubot.events import Event
from halubot.llm_calls.extraction import extract_with_judge
from halubot.llm_calls.talk import Talk
from halubot.models.budget import most_calls
from halubot.models.model import LanguageModel, TokenUsage
from halubot.models.panel import Panel, library
from halubot.models.prices import listed_of
from halubot.models.published import price
from halubot.text import read


@dataclass(frozen=True, slots=True)
class Plan:
    """What so many ``records`` take where nothing of them is stored: calls, usually and at most,
    estimated tokens, and dollars, None where the price is not known."""

    kind: str
    records: int
    calls: int
    most_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


def rehearse(kind: str, records: Iterable[Record], model: LanguageModel) -> Plan:
    """The plan of making data of that kind, which needs a model, from these records."""
    rehearsing = RehearsingModel(model.name, ANSWER)
    panel = Panel(answer=rehearsing, judge=rehearsing, prompts=library(), rehearsing=True)
    count = calls = 0
    for record in records:
        count += 1
        calls += WITH_MODEL[kind].calls(record)
        run_to_end(_play(kind, record, Talk(panel, _unheard)))
    taken: TokenUsage = rehearsing.taken
    return Plan(
        kind=kind,
        records=count,
        calls=calls,
        most_calls=most_calls(calls) if calls else 0,
        prompt_tokens=taken.prompt,
        completion_tokens=taken.completion,
        cost_usd=price(listed_of(model.name), taken),
    )


async def _play(kind: str, record: Record, talk: Talk) -> None:
    """The record's calls; the rehearsing model quotes nothing of a text, so what is asked of a
    changed copy is asked of the text itself."""
    with suppress(NotMadeError):
        await WITH_MODEL[kind].make(record, talk)
    if kind == "hallucinated":
        await extract_with_judge(talk, read(record.text or ANSWER), subject=record.subject or None)


def _unheard(_: Event) -> None:
    """What a run would log: nobody reads it here."""
