"""Measure prompts with a model: tokens of a call, answers that can be read, bias by position.

    python benchmarks/prompts.py --model openai/smollm2 --api-base http://127.0.0.1:8117/v1

Each prompt is asked a few times about the same eight things in another order. Half of them stand
in the source. A judge without bias says "yes" to as many at the first place as at the others.

With --count a llama-server is asked only how many tokens 40 verdicts are, as many of each word as
can be, with the sentences they name drawn from sources of several lengths.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from halubot.llm_calls.citation import DASH, SIGNS, Citation, draw_form, number_sentences
from halubot.llm_calls.extraction import Facts
from halubot.llm_calls.verification import FACT, SENTENCE, Judged, YesOrNo
from halubot.methods.judges.issc import Held
from halubot.models import Completion, LanguageModel, Limits, Message, Request, open_model
from halubot.models.structured import Answers, ask, ask_each
from halubot_prompts import Field, Library, Plain

T = TypeVar("T", bound=BaseModel)

SOURCE: Final = (
    "Maria Sibylla Merian was born in Frankfurt in 1647. She was a painter and a naturalist. In"
    " 1699 she travelled to Surinam with her daughter Dorothea. Her book on the insects of Surinam"
    " was published in Amsterdam in 1705. She died in Amsterdam in 1717."
)
SENTENCES: Final = (
    "She was born in Frankfurt in 1647.",
    "She was born in Paris.",
    "She was a naturalist.",
    "She travelled to Brazil in 1699.",
    "Her daughter Dorothea travelled with her.",
    "Her book was published in 1745.",
    "She died in Amsterdam.",
    "She died in 1702.",
)
FACTS: Final = (
    "Maria Sibylla Merian | was born in | Frankfurt",
    "Maria Sibylla Merian | was born in | Paris",
    "Maria Sibylla Merian | was | a naturalist",
    "Maria Sibylla Merian | travelled in 1699 to | Brazil",
    "Dorothea | travelled with | her mother",
    "The book on insects | was published in | 1745",
    "Maria Sibylla Merian | died in | Amsterdam",
    "Maria Sibylla Merian | died in | 1702",
)
YES: Final = frozenset({"supports", "yes"})


@dataclass
class Row:
    """What was seen of one prompt."""

    calls: int = 0
    read: int = 0
    prompt: int = 0
    answer: int = 0
    first: list[bool] = field(default_factory=list)
    others: list[bool] = field(default_factory=list)
    right: int = 0
    judged: int = 0
    named: int = 0
    unfounded: int = 0

    def note_sentences(self, quotes: Mapping[int, str], heard: Mapping[int, Any]) -> None:
        """The sentences of the source that one answer named, and those that were not heard."""
        self.named += len(quotes)
        self.unfounded += len(quotes.keys() - heard.keys())

    def note(self, completions: tuple[Completion, ...], *, whole: bool) -> None:
        """One more call."""
        self.calls += 1
        self.read += whole
        for one in completions:
            if one.usage is not None:
                self.prompt += one.usage.prompt
                self.answer += one.usage.completion

    def judge(self, place: int, thing: int, said: str) -> None:
        """One more verdict; things of even numbers stand in the source."""
        yes = said in YES
        (self.others if place else self.first).append(yes)
        self.judged += 1
        self.right += yes == (thing % 2 == 0)

    def line(self, name: str) -> str:
        """The row as one of a table of Markdown."""
        parts = [f"`{name}`", f"{self.prompt / self.calls:.0f}", f"{self.answer / self.calls:.0f}"]
        parts.append(f"{self.read} of {self.calls}")
        parts += [_share(self.first), _share(self.others)]
        parts.append(f"{self.right} of {self.judged}" if self.judged else "-")
        parts.append(f"{self.unfounded} of {self.named}" if self.named else "-")
        return f"| {' | '.join(parts)} |"


def _share(said: list[bool]) -> str:
    return f"{sum(said) / len(said):.0%}" if said else "-"


def fill_prompt(name: str, fields: Mapping[str, Field]) -> Request:
    """The request of a prompt."""
    messages = Library().get(name).fill(fields)
    return Request(tuple(Message(role, text) for role, text in messages), temperature=0.0)


async def ask_about(
    model: LanguageModel, request: Request, shape: type[T], count: int
) -> Answers[T]:
    """The answers to so many things, in one attempt."""
    return await ask_each(model, lambda _: request, shape, range(count), attempts=1)


def orders(turns: int) -> Iterator[tuple[int, ...]]:
    """The things in so many orders, each with another one first."""
    numbers = tuple(range(len(FACTS)))
    for turn in range(turns):
        start = 3 * turn % len(numbers)
        yield numbers[start:] + numbers[:start]


async def measure_by_number(model: LanguageModel, name: str, turns: int) -> Row:
    """A prompt that judges many things at once."""
    citations: dict[str, Citation[Any]] = {"verify-facts": FACT, "verify-sentences": SENTENCE}
    citation, things = citations.get(name), FACTS if name == "verify-facts" else SENTENCES
    about: dict[str, dict[str, Field]] = {
        "verify-facts": {"kind": Plain("another answer")},
        "issc": {"role": Plain("")},
    }
    named = "facts" if things is FACTS else "sentences"
    sentences = number_sentences(SOURCE)
    row = Row()
    for order in orders(turns):
        asked = {place: things[thing] for place, thing in enumerate(order)}
        shown: dict[str, Field] = {**about.get(name, {}), named: {**asked}, "source": SOURCE}
        answers: Answers[Any]
        if citation is None:
            shown["form"] = Plain(draw_form(("yes", "no"), asked.values()))
            answers = await ask_about(model, fill_prompt(name, shown), Held, len(order))
        else:
            shown |= {"form": Plain(citation.form(asked.values())), "source": {**sentences}}
            shape = citation.shape(len(sentences))
            said = await ask_about(model, fill_prompt(name, shown), shape, len(order))
            answers = citation.read(said, sentences)
            row.note_sentences(answers.quotes, answers.drop_unfounded(asked).found)
        row.note(answers.completions, whole=not answers.missing)
        for place, value in answers.found.items():
            row.judge(place, order[place], _word(value))
    return row


async def measure_one_by_one(model: LanguageModel, name: str) -> Row:
    """A prompt that judges one thing."""
    shape: type[BaseModel] = Judged if name == "verify-fact" else YesOrNo
    row = Row()
    for thing, fact in enumerate(FACTS):
        shown: dict[str, Field] = {"fact": fact, "source": SOURCE}
        if name == "verify-fact":
            shown["kind"] = Plain("another answer")
        answer = await ask(model, fill_prompt(name, shown), shape, attempts=1)
        row.note(answer.completions, whole=answer.reason is None)
        if answer.value is not None:
            row.judge(1, thing, _word(answer.value))
    return row


async def measure_extraction(model: LanguageModel) -> Row:
    """The prompt that takes facts out of sentences."""
    row = Row()
    for count in (2, 3):
        sentences: dict[Any, Any] = dict(enumerate(SENTENCES[:count]))
        request = fill_prompt(
            "extract", {"subject": "", "text": " ".join(SENTENCES), "sentences": sentences}
        )
        answers = await ask_about(model, request, Facts, count)
        row.note(answers.completions, whole=not answers.missing)
    return row


def _word(value: BaseModel) -> str:
    fields = value.model_dump()
    return str(fields.get("stance", fields.get("supported")))


async def measure(model: LanguageModel, turns: int) -> None:
    """Prints the table."""
    print("| prompt | tokens read | written | read | yes first | yes after | right | not heard |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in ("verify-facts", "verify-sentences", "issc"):
        print((await measure_by_number(model, name, turns)).line(name), flush=True)
    for name in ("verify-fact", "fsc-text"):
        print((await measure_one_by_one(model, name)).line(name), flush=True)
    print((await measure_extraction(model)).line("extract"), flush=True)


def count_verdicts(address: str) -> None:
    """Prints the tokens of 40 verdicts, without and with spaces, by the server's tokenizer."""

    def tokens(text: str) -> int:
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(  # noqa: S310 - the server that the user names
            f"{address.removesuffix('/').removesuffix('/v1')}/tokenize",
            body,
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return len(json.load(answer)["tokens"])

    words = [DASH if word == FACT.dashed else word for word in (*FACT.bare, *FACT.cited)]
    for most in (5, 9, 20, 40):
        counted = []
        for seed in range(6):
            random = Random(seed)  # noqa: S311 - no secret
            said = [words[number % len(words)] for number in range(40)]
            random.shuffle(said)
            named = {
                str(at): word if word == DASH else f"{random.choice(SIGNS[:most])} {word}"
                for at, word in enumerate(said)
            }
            tight, wide = json.dumps(named, separators=(",", ":")), json.dumps(named)
            counted.append((tokens(tight), tokens(wide)))
        ends = [
            f"{sum(one) / len(one):.0f}, at most {max(one)}" for one in zip(*counted, strict=True)
        ]
        print(f"{most} sentences: without spaces {ends[0]}; with spaces {ends[1]}")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--api-base")
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--count", action="store_true")
    given = parser.parse_args()
    if given.count:
        count_verdicts(given.api_base)
        return
    model = open_model(given.model, given.api_base, limits=Limits(call_seconds=3600))
    asyncio.run(measure(model, given.turns))


if __name__ == "__main__":
    main()
