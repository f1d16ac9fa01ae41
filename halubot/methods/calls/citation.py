"""Verdicts that name a sentence of the source before they say what it does: "3 supports".

The source is shown as sentences with a sign each: the digits from 1, then letters. A sign is the
shortest quote there is: it costs one token (numbers from 10 on cost two in some tokenizers), three
words cost four, and it cannot be invented, because the schema has no others. The sentence has to
share a word with what is judged if any sentence of the source does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, WithJsonSchema, create_model

from halubot.compare.tokens import tokens
from halubot.models.structured import Answers
from halubot.text import read

T = TypeVar("T", bound=BaseModel)

SIGNS: Final = "123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ"
"""The signs of the sentences of a source; beyond so many, neighbours share one."""

UNFOUNDED: Final = "the sentence that the judge named shares no word with it"
"""Why a vote is not heard."""

_SHOWN: Final = (2, 5, 9)
"""The numbers of facts in the form that prompts show."""

DASH: Final = "-"
"""How the commonest word is written: one token with the quotation marks around it, where a word
takes up to three."""


@dataclass(frozen=True)
class Cited(Answers[T]):
    """Answers by index, and the sentence of the source that each named, if it did. ``sentences``
    are all of the source, by sign."""

    quotes: Mapping[int, str] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)

    def drop_unfounded(self, items: Mapping[int, str]) -> Cited[T]:
        """Return the answers without those whose sentence shares no word with its item though
        another sentence does. A source in another language, or in other words altogether, proves
        nothing."""
        # Function words prove nothing: nearly every sentence holds some of them (`_words`).
        words = {one.strip(): _words(one) for one in self.sentences.values()}
        known = frozenset[str]().union(*words.values())
        unfounded = {
            index
            for index, quote in self.quotes.items()
            if (wanted := _words(items[index]) & known) and not wanted & words[quote]
        }
        return replace(
            self,
            found={index: one for index, one in self.found.items() if index not in unfounded},
            missing={**self.missing, **dict.fromkeys(sorted(unfounded), UNFOUNDED)},
        )

    def renumber(self, own: Mapping[int, int]) -> Cited[T]:
        """Return the answers under their own numbers, those without one left out."""
        quotes = {own[at]: one for at, one in self.quotes.items() if at in own}
        return replace(super().renumber(own), quotes=quotes)


@dataclass(frozen=True)
class Citation(Generic[T]):
    """Answers of the shape ``base``, which has one field: of its words those in ``cited`` need the
    sign of a sentence, those in ``bare`` have none. The word ``dashed`` is asked for as a dash;
    written out it is understood too."""

    base: type[T]
    cited: tuple[str, ...]
    bare: tuple[str, ...]
    dashed: str = ""

    def shape(self, sentences: int) -> type[BaseModel]:
        return _shape(self.base, self.cited, self._written, self.dashed, sentences)

    def read(self, answers: Answers[BaseModel], sentences: Mapping[str, str]) -> Cited[T]:
        (name,) = self.base.model_fields
        found: dict[int, T] = {}
        quotes: dict[int, str] = {}
        for index, answer in answers.found.items():
            sign, _, word = getattr(answer, name).rpartition(" ")
            found[index] = self.base.model_validate({name: self.dashed if word == DASH else word})
            if sign:
                quotes[index] = sentences[sign].strip()
        return Cited(
            found,
            answers.missing,
            answers.completions,
            answers.error,
            failed=answers.failed,
            quotes=quotes,
            sentences=sentences,
        )

    def form(self, items: Iterable[str]) -> str:
        """The form of an answer, as prompts show it (`draw_form`)."""
        return draw_form(self._written, items, self.cited)

    @property
    def _written(self) -> tuple[str, ...]:
        """The words without a number as answers have them."""
        return tuple(DASH if one == self.dashed else one for one in self.bare)


def draw_form(bare: Sequence[str], items: Iterable[str], cited: Sequence[str] = ()) -> str:
    """The form of an answer, as prompts show it. The words stand in an order drawn from what is
    judged, so that no word is first in all calls, and the same call has the same form. Those in
    ``cited`` stand after the sign of a sentence."""
    random = Random(sha256("\0".join(items).encode()).digest())  # noqa: S311 - no secret
    words = [*cited, *bare]
    random.shuffle(words)
    said = [f"{random.randint(1, 4)} {one}" if one in cited else one for one in words]
    return json.dumps(dict(zip(_SHOWN, said, strict=False)), separators=(",", ":"))


def number_sentences(text: str) -> dict[str, str]:
    """The sentences of a text by their `SIGNS`, with what stands between them: joined they are the
    text. A text without a sentence is one."""
    starts = [0, *(start for start, _ in read(text).sentences[1:])]
    # Rounded up, so that no piece is left without a sign.
    starts = starts[:: -(-len(starts) // len(SIGNS))]
    ends = [*starts[1:], len(text)]
    return {sign: text[a:b] for sign, a, b in zip(SIGNS, starts, ends, strict=False)}


def _words(text: str) -> frozenset[str]:
    return frozenset(one.norm for one in tokens(text, 0, len(text)) if one.kind != "stop")


# pydantic takes 0.7 ms to build one, and the windows of many samples have as many sentences.
@lru_cache(maxsize=256)
def _shape(
    base: type[BaseModel], cited: Sequence[str], bare: Sequence[str], dashed: str, sentences: int
) -> type[BaseModel]:
    ((name, field),) = base.model_fields.items()
    known = [*bare, *(f"{sign} {word}" for sign in SIGNS[:sentences] for word in cited)]
    form = f"{' or '.join(bare)}, nor the sign of a sentence and {' or '.join(cited)}"

    def check(said: str) -> str:
        # The word itself is understood too: servers that do not enforce the schema may write it
        # out.
        if said not in known and (said != dashed or not dashed):
            raise ValueError(f"{name} is not {form}")
        return said

    schema: dict[str, Any] = {"type": "string", "enum": known}
    if field.description:
        said = f"{DASH}, {dashed}:" if dashed else ":"
        schema["description"] = field.description.replace(f"{dashed}:", said)
    kind = Annotated[str, AfterValidator(check), WithJsonSchema(schema)]
    fields: dict[str, Any] = {name: (kind, ...)}
    return create_model(base.__name__, __doc__=base.__doc__, **fields)
