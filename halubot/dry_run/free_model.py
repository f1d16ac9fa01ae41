"""A model for dry runs: it answers every request at once and for nothing, and counts tokens.

An answer of a fixed shape is made from what the prompt shows, by the names of halubot's prompts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from halubot.claims import extract
from halubot.models.model import (
    Capabilities,
    Completion,
    Request,
    TokenLogprob,
    TokenUsage,
)
from halubot.models.token_count import estimate_tokens, prompt_tokens
from halubot.testing import ScriptedModel
from halubot.text import read

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
"""How many queries there are to a text."""

LONGEST_SAMPLE: Final = 8_000
"""Characters of a sample at most, however long the message is: so long are models' answers."""

_ACCENTS: Final = 0x0300, 112
"""The first of the accents that stand behind their letter, and how many there are."""

_YES: Final = ("supports", "yes", "changed")
_NO: Final = ("contradicts", "no", "changed")


Triple = tuple[str, str, str]

QUESTION: Final = "What is known about the subject of this text, and about its history?"

_FENCED = re.compile(r"<([a-z_]+)-([0-9a-f]{8})>\n(.*?)\n</\1-\2>", re.DOTALL)
_TRIPLE: Final = ("head", "relation", "tail")
_QUERY: Final = ("detail", "specific", "general")
_OPENING: Final = 50  # characters of a text in whose words a query is asked


class RehearsingModel(ScriptedModel):
    """Answers a request that is bound to a schema with a value of that shape, and a free one with
    ``answer`` or, if a sample is drawn, with a text as long as it. A triple is one that rules
    find in the text shown.

    It agrees with everything, or, with ``doubts``, with all but a quarter. ``taken`` are the tokens
    of all prompts and answers, by `halubot.models.token_count`. ``honours_n`` False answers with
    one completion whatever is asked, ``logprobs`` False sends no log-probabilities. ``name`` is
    that of the model whose part it plays; nobody receives the text.
    """

    def __init__(
        self,
        name: str,
        answer: str = ANSWER,
        *,
        doubts: bool = False,
        honours_n: bool = True,
        logprobs: bool = True,
    ) -> None:
        can = Capabilities(n=True if honours_n else None)
        super().__init__(
            self._reply, name=name, endpoint="a rehearsal", honours_n=honours_n, capabilities=can
        )
        self._said = answer[:LONGEST_SAMPLE].strip()
        self._doubts = doubts
        self._logprobs = logprobs
        self._judged = 0
        self._written = 0

    @property
    def taken(self) -> TokenUsage:
        """The tokens so far; a prompt of several completions is read once."""
        return TokenUsage(sum(map(prompt_tokens, self.requests)), self._written)

    def _reply(self, request: Request) -> Completion:
        text = self._text(request, request.first)
        self._written += estimate_tokens(text)
        sure = request.logprobs and self._logprobs
        return Completion(
            text,
            logprobs=(TokenLogprob(text, 0.0),) if sure else None,
            model=self.name,
            endpoint=self.endpoint,
        )

    def _text(self, request: Request, index: int) -> str:
        if request.schema is None:
            # Only samples are drawn with a temperature; the answer itself has none.
            drawn = request.temperature is not None
            return self._sample(index) if drawn else self._said
        self._judged += 1
        found = shown_texts(message.content for message in request.messages)
        schema = request.schema.value
        shaping = _Shaping(self, schema.get("$defs", {}), found)
        return json.dumps(shaping.value(schema), ensure_ascii=False)

    def _sample(self, index: int) -> str:
        """A text as long as the answer: the same, or with every fourth sentence written backwards.
        No two are quite alike, nor like the answer, in whatever blanks they are shown, for equal
        requests at once are one call."""
        text = self._said
        if self._doubts:
            parts = (text[start:end] for start, end in read(text).sentences)
            text = " ".join(
                part[::-1] if place % 4 == 0 else part for place, part in enumerate(parts)
            )
        # Accents and no number, which a comparison of values would take for another value.
        first, number = _ACCENTS
        accents = chr(first + index % number) * (index // number + 1)
        return f"{text[: LONGEST_SAMPLE - len(accents)][:-1]}{accents}{text[-1:]}"

    def prefer(self, number: int | None) -> tuple[str, ...]:
        """The words in which this model takes what has that number, as schemas have them; None
        if it is asked of one thing alone."""
        place = self._judged if number is None else number
        return _NO if self._doubts and place % 4 == 0 else _YES

    def triples(self, text: str, *, sample: bool) -> list[Triple]:
        """Return made-up triples of a text. No two samples state quite the same."""
        found = list(triples_by_rules(text)) or [("this", "is", "so")]
        if sample:
            head, relation, tail = found[-1]
            # Equal triples are judged once, so samples that agree to the letter would hide calls.
            found[-1] = (head, relation, f"{tail} {self._judged}")
        return found


@dataclass(frozen=True)
class _Shaping:
    """Makes a value of a schema. Triples and names in it are those of the texts shown, by the names
    that halubot's prompts give them; lists hold triples, names or numbers. ``taste`` chooses if a
    schema leaves a choice."""

    taste: RehearsingModel
    kinds: Mapping[str, Any]
    shown: Mapping[str, Any]

    def value(self, schema: Mapping[str, Any], key: str = "", number: str = "") -> Any:
        """The value under that key; ``number`` is the last key above it that is a number."""
        schema = self._resolve_reference(schema)
        if "const" in schema or "enum" in schema:
            return self._choose_value(schema, number)
        match schema.get("type"):
            case "object":
                inside = schema.get("properties", {}).items()
                return {
                    name: self.value(one, name, name if name.isdigit() else number)
                    for name, one in inside
                }
            case "array":
                return self._list(schema, key, number)
            case "string":
                return self._words(key, number)[: schema.get("maxLength")]
            case "integer" | "number":
                return schema.get("minimum", 0)
        return None

    def _resolve_reference(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema or "anyOf" in schema:
            if "$ref" in schema:
                schema = self.kinds[schema["$ref"].rpartition("/")[2]]
            else:
                # The first of several: a null stands last in what pydantic writes.
                schema = schema["anyOf"][0]
        return schema

    def _choose_value(self, schema: Mapping[str, Any], number: str) -> Any:
        known = schema.get("enum") or [schema["const"]]
        wanted = self.taste.prefer(int(number) if number else None)
        # A word that names a sentence first, "3 supports", stands for the word.
        words = {str(one).rpartition(" ")[2]: one for one in reversed(known)}
        return next((words[one] for one in wanted if one in words), known[0])

    def _list(self, schema: Mapping[str, Any], key: str, number: str) -> list[Any]:
        item = self._resolve_reference(schema["items"])
        found: list[Any]
        triples = self.taste.triples(self._material(number), sample="sample" in self.shown)
        if parts := item.get("properties"):
            most = [self._resolve_reference(parts[name]).get("maxLength") for name in _TRIPLE]
            found = [
                {name: part[:end] for name, part, end in zip(_TRIPLE, triple, most, strict=True)}
                for triple in triples
            ]
        elif key == "tails":
            found = [f"{self._material(number)} {place}" for place in range(schema["maxItems"])]
        elif item.get("type") == "string" and "enum" not in item:
            names = [t[1:2] if key == "relations" else (t[0], t[2]) for t in triples]
            found = list(dict.fromkeys(chain(*names)))
        else:
            found = [self.value(item, key, number)] * max(1, schema.get("minItems", 0))
        return found[: schema.get("maxItems")]

    def _words(self, key: str, number: str) -> str:
        if key == "question":
            return QUESTION
        if key in _QUERY:
            return self._query(number)
        material = self._material(number)
        if key == "text":  # that of a sentence that was changed is another one
            return f"{material[:-1]} so{material[-1:]}"
        return material if number or key == "reasons" else "so"

    def _query(self, number: str) -> str:
        """The next query to the text of that number, in its own words; "" for no more."""
        known, texts = self.shown.get("steps"), self.shown.get("texts")
        steps = len(known.get(number, ())) if isinstance(known, dict) else 0
        steps += "passages" in self.shown
        text = texts.get(number, "") if isinstance(texts, dict) else self.shown.get("text", "")
        # Numbered, since a query that was asked before ends the questions.
        return f"{str(text)[:_OPENING]} {steps + 1}" if steps < QUERIES else ""

    def _material(self, number: str) -> str:
        """The text that is spoken of: the sentence or the passage of that number, or what else is
        shown."""
        for name in ("sentences", "passages", "texts"):
            numbered = self.shown.get(name)
            found = numbered.get(number) if number and isinstance(numbered, dict) else None
            text = _text(found) if isinstance(found, dict) else found
            if text is not None:
                return str(text)
        for name in ("sentence", "sample", "source", "text", "answer"):
            if name in self.shown:
                return str(self.shown[name])
        return ""


def _text(found: Mapping[str, Any]) -> str | None:
    """The text of a passage, of the first if there are several."""
    several = found.get("passages")
    return str(several[0]["text"]) if several else found.get("text")


def shown_texts(contents: Iterable[str]) -> dict[str, Any]:
    """The texts that messages hold between tags, by name; lists and objects read."""
    found: dict[str, Any] = {}
    for content in contents:
        for name, _, text in _FENCED.findall(content):
            found[name] = _read(text)
    return found


def _read(text: str) -> Any:
    if not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


@lru_cache(maxsize=1000)
def triples_by_rules(text: str) -> tuple[Triple, ...]:
    """The facts of a text by rules. A clause without a head or a relation is cut in three, or left
    out if its sentence states a whole fact: a model tells "Since 1983" with that one."""
    facts = extract(read(text))
    with_whole = {at for fact in facts if all(fact.triple) for at in fact.sentences}
    found: list[Triple] = []
    for fact in facts:
        if fact.triple.head and fact.triple.relation:
            found.append(fact.triple)
        elif with_whole.isdisjoint(fact.sentences):
            found.append(_cut_in_three(fact.triple.tail))
    return tuple(found)


def _cut_in_three(clause: str) -> Triple:
    """The first third of a clause, its middle and its last third: of its words, or of its letters
    if it has fewer than three words. The whole clause stands for a part that is blank."""
    words = clause.split()
    pieces, between = (words, " ") if len(words) >= 3 else (list(clause), "")
    third, rest = len(pieces) // 3, len(pieces) - len(pieces) // 3
    head, relation, tail = (
        between.join(part).strip() or clause
        for part in (pieces[:third], pieces[third:rest], pieces[rest:])
    )
    return head, relation, tail
