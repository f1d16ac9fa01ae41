"""A run's session with a judge whose facts, verdicts and failures a test dictates."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from halubot.events import Event
from halubot.methods.calls.session import ModelSession
from halubot.models.model import Request
from halubot.models.model_errors import ModelError
from halubot.models.panel import Panel
from halubot.testing import ScriptedModel
from tests.judge import Asked, Judge, understood

T = TypeVar("T")
Parts = tuple[str, str, str]


def refused(why: str = "refused") -> ModelError:
    """The failure of a call."""
    return ModelError(why, "ask again", model="scripted", endpoint="a script")


def records(triples: Sequence[Parts]) -> list[dict[str, str]]:
    """Triples as a model writes them."""
    return [{"head": head, "relation": relation, "tail": tail} for head, relation, tail in triples]


def _listed(facts: Sequence[dict[str, str]]) -> dict[str, Any]:
    """The facts of a sentence, and that they are right, which one method asks for."""
    return {"facts": facts, "right": "yes", "revised": []}


def nothing_fails(asked: Asked) -> Exception | str | None:
    """No request fails."""
    return None


@dataclass
class Scripted:
    """A judge with dictated facts.

    ``facts`` are the triples of each sentence by its text, and ``told`` those of a sample or of a
    passage; None where the judge's own rules find them. ``fails`` gives the failure of a request,
    or what is answered in place of everything else. Everything else is the judge's.
    """

    judge: Judge = field(default_factory=Judge)
    facts: Mapping[str, Sequence[Parts]] | None = None
    told: Callable[[str], Sequence[Parts]] | None = None
    fails: Callable[[Asked], Exception | str | None] = nothing_fails
    asked: list[Asked] = field(default_factory=list)

    def __call__(self, request: Request) -> str | Exception:
        asked = heard(request)
        self.asked.append(asked)
        other = self.fails(asked)
        if other is not None:
            return other
        fields = asked.fields
        listing = asked.prompt in ("extract", "gca-extract")
        if listing and self._of_sample(asked):
            # A sample is read with the prompt of a message: all it tells is said of one sentence.
            first, *rest = asked.numbers
            told = records(self.told(fields["text"])) if self.told is not None else []
            return json.dumps({first: _listed(told), **{key: _listed([]) for key in rest}})
        if self.facts is not None and listing:
            of = {key: self.facts.get(fields["sentences"][key], ()) for key in asked.numbers}
            return json.dumps({key: _listed(records(facts)) for key, facts in of.items()})
        if self.facts is not None and asked.prompt == "extract-sentence":
            return json.dumps({"facts": records(self.facts.get(fields["sentence"], ()))})
        if self.told is not None and asked.prompt == "extract-sample":
            return json.dumps({"facts": records(self.told(fields["sample"]))})
        if self.told is not None and asked.prompt == "triplet-reference":
            texts = {key: fields["passages"][key]["text"] for key in asked.numbers}
            found = {key: {"facts": records(self.told(text))} for key, text in texts.items()}
            return json.dumps(found)
        return self.judge(request)

    def _of_sample(self, asked: Asked) -> bool:
        if not self.told or not self.facts:
            return False
        return self.facts.keys().isdisjoint(asked.fields["sentences"].values())

    def prompts(self) -> list[str]:
        """The names of the prompts that were asked, in order."""
        return [asked.prompt for asked in self.asked]


def heard(request: Request) -> Asked:
    """A request taken apart."""
    messages = [(message.role, message.content) for message in request.messages]
    schema = request.schema.value if request.schema else {}
    return understood(messages, schema, drawn=request.temperature is not None)


class Stage:
    """One run's session with a judge, and the events that were emitted."""

    def __init__(self, judge: Callable[[Request], str | Exception]) -> None:
        self.model = ScriptedModel(judge)
        self.events: list[Event] = []
        self.session = ModelSession(Panel(answer=self.model, judge=self.model), self.events.append)

    def of(self, kind: type[T]) -> list[T]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]


def run(work: Coroutine[Any, Any, T]) -> T:
    """What the work returns."""
    return asyncio.run(work)
