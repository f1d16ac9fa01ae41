"""A model for dry runs: it answers every request at once and for nothing, and counts tokens."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Final, Literal

from halubot.dry_run.schema_values import Triple, shape_value, shown_texts, triples_by_rules
from halubot.models.model import (
    Capabilities,
    Completion,
    Listed,
    Request,
    TokenLogprob,
    TokenUsage,
    Vector,
)
from halubot.models.model_errors import ContextTooLongError
from halubot.models.token_count import estimate_tokens, prompt_tokens
from halubot.text import read

Attitude = Literal["agrees", "doubts", "denies", "is silent", "wavers"]
"""How the model takes what it is asked about: it agrees with everything; with all but a quarter;
denies everything; says nothing of it; agrees with every fifth, with others each time."""

ANSWER: Final = (
    "The Kellan Bridge is an arch bridge of steel that crosses the river Ard between the towns of"
    " Osby and Varn. It was designed by the engineer Ada Holm, who had built two smaller bridges in"
    " the same valley before. Work began in 1928 and took three years, for floods twice carried off"
    " the scaffolding. The bridge was opened on 4 June 1931 in the presence of about 6,000 people."
    " Its main arch spans 212 metres, and the road lies 38 metres above the water. Until 1967 it"
    " carried a tramway beside the road; since then there has been a path for cyclists in its"
    " place. The steel was replaced in part between 1989 and 1994, at a cost of 31 million. Today"
    " some 4,000 cars a day use the bridge. It has been a listed monument since 2003, and a small"
    " museum in the northern tower tells of those who built it."
)
"""An answer of usual length, to a question of which nothing is known."""

QUERIES: Final = 3
"""How many queries there are to a text, by a model that does not go on for ever."""

LONGEST_SAMPLE: Final = 8_000
"""Characters of a sample at most, however long the message is: so long are models' answers."""

_ACCENTS: Final = 0x0300, 112
"""The first of the accents that stand behind their letter, and how many there are."""

_YES: Final = ("supports", "yes", "changed")
_NO: Final = ("contradicts", "no", "changed")
_NEITHER: Final = ("silent", "-", "unclear", "changed")


class RehearsingModel:
    """Answers a request that is bound to a schema with a value of that shape, and a free one with
    ``answer`` or, if a sample is drawn, with a text as long as it. A triple is one that rules
    find in the text shown; ``wordy`` finds twice as many, and always has something to ask.

    Every answer carries the tokens that it would take, by `halubot.models.token_count`.
    ``honours_n`` False answers with one completion whatever is asked, ``logprobs`` False sends no
    log-probabilities. A prompt of more than ``context`` tokens is refused, None for never;
    ``longest`` is the longest that came.
    """

    def __init__(
        self,
        name: str,
        answer: str = ANSWER,
        *,
        attitude: Attitude = "agrees",
        honours_n: bool = True,
        logprobs: bool = True,
        wordy: bool = False,
        context: int | None = None,
    ) -> None:
        self._name = name
        self._answer = answer[:LONGEST_SAMPLE].strip()
        self._attitude = attitude
        self._honours_n = honours_n
        self._logprobs = logprobs
        self._wordy = wordy
        self._context = context
        self._judged = 0
        self.longest = 0
        self.taken = TokenUsage()

    @property
    def name(self) -> str:
        """The name of the model whose part this plays."""
        return self._name

    @property
    def endpoint(self) -> str:
        """Nobody receives the text."""
        return "a rehearsal"

    @property
    def capabilities(self) -> Capabilities:
        """Return whether it honours n; nothing else is known."""
        return Capabilities(n=True if self._honours_n else None)

    async def complete(self, request: Request) -> tuple[Completion, ...]:
        """As many completions as are wanted, or one. Raises ContextTooLongError."""
        return self._completions(request, request.n if self._honours_n else 1)

    async def stream(self, request: Request) -> AsyncGenerator[str | Completion, None]:
        """The answer in one piece, then the whole. Raises ContextTooLongError."""
        (completion,) = self._completions(request, 1)
        yield completion.text
        yield completion

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector a text, all alike."""
        self._take(TokenUsage(sum(map(estimate_tokens, texts)), 0))
        return ((1.0,),) * len(texts)

    async def listed(self) -> Listed:
        """Nothing: no call is paid for."""
        return Listed()

    def _completions(self, request: Request, count: int) -> tuple[Completion, ...]:
        asked = prompt_tokens(request)
        self.longest = max(self.longest, asked)
        if self._context is not None and asked > self._context:
            raise ContextTooLongError(
                "the prompt is too long", "shorten it", model=self.name, endpoint=self.endpoint
            )
        texts = [self._text(request, request.first + number) for number in range(count)]
        usages = [
            TokenUsage(0 if place else asked, estimate_tokens(t)) for place, t in enumerate(texts)
        ]
        for usage in usages:
            self._take(usage)
        sure = request.logprobs and self._logprobs
        return tuple(
            Completion(
                text,
                logprobs=(TokenLogprob(text, 0.0),) if sure else None,
                usage=usage,
                model=self.name,
                endpoint=self.endpoint,
            )
            for text, usage in zip(texts, usages, strict=True)
        )

    def _take(self, usage: TokenUsage) -> None:
        before = self.taken
        self.taken = TokenUsage(before.prompt + usage.prompt, before.completion + usage.completion)

    def _text(self, request: Request, index: int) -> str:
        if request.schema is None:
            drawn = request.temperature is not None
            return self._sample(index) if drawn else self._answer
        self._judged += 1
        found = shown_texts(message.content for message in request.messages)
        return json.dumps(shape_value(request.schema.value, found, self), ensure_ascii=False)

    def _sample(self, index: int) -> str:
        """A text as long as the answer: the same; or with every fourth sentence written
        backwards, or all. No two are quite alike, nor like the answer, in whatever blanks they are
        shown, for equal requests at once are one call."""
        match self._attitude:
            case "agrees":
                text = self._answer
            case "doubts":
                parts = (self._answer[start:end] for start, end in read(self._answer).sentences)
                text = " ".join(
                    part[::-1] if place % 4 == 0 else part for place, part in enumerate(parts)
                )
            case "wavers" if index % 2:
                text = self._answer
            case _:
                text = self._answer[::-1]
        first, number = _ACCENTS
        accents = chr(first + index % number) * (index // number + 1)
        return f"{text[: LONGEST_SAMPLE - len(accents)][:-1]}{accents}{text[-1:]}"

    def prefer(self, number: int | None) -> tuple[str, ...]:
        """The words in which this model takes what has that number, as schemas have them; None
        if it is asked of one thing alone."""
        match self._attitude:
            case "agrees":
                return _YES
            case "doubts":
                return _NO if (self._judged if number is None else number) % 4 == 0 else _YES
            case "denies":
                return _NO
            case "is silent":
                return _NEITHER
            case "wavers":
                return _YES if (self._judged + (number or 0)) % 5 == 0 else _NEITHER

    def triples(self, text: str, *, sample: bool) -> list[Triple]:
        """Return made-up triples of a text. No two samples state quite the same."""
        found = list(triples_by_rules(text)) or [("this", "is", "so")]
        if self._wordy:
            found += [(head, relation, f"{tail} too") for head, relation, tail in found]
        if sample:
            head, relation, tail = found[-1]
            found[-1] = (head, relation, f"{tail} {self._judged}")
        return found

    def goes_on(self, queries: int) -> bool:
        """Return whether there is more to ask of a text after so many queries."""
        return self._wordy or queries < QUERIES
