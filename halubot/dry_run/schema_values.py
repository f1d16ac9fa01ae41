"""A value of the shape that a schema demands, made from what a prompt shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

from halubot.extract import extract
from halubot.text import read

Triple = tuple[str, str, str]

QUESTION: Final = "What is known about the subject of this text, and about its history?"

_FENCED = re.compile(r"<([a-z_]+)-([0-9a-f]{8})>\n(.*?)\n</\1-\2>", re.DOTALL)
_TRIPLE: Final = ("head", "relation", "tail")
_QUERY: Final = ("detail", "specific", "general")
_OPENING: Final = 50  # characters of a text in whose words a query is asked


class Taste(Protocol):
    """The choices that a schema leaves open."""

    def prefer(self, number: int | None) -> tuple[str, ...]:
        """The words to choose if there is a choice, the best first."""
        ...

    def triples(self, text: str, *, sample: bool) -> list[Triple]:
        """Return made-up triples of a text, which may be a sample."""
        ...

    def goes_on(self, queries: int) -> bool:
        """Return whether there is more to ask of a text after so many queries."""
        ...


def shape_value(schema: Mapping[str, Any], shown: Mapping[str, Any], taste: Taste) -> Any:
    """A value that fits the schema. Triples, names and sentences in it are those of the texts
    shown, by the names that halubot's prompts give them."""
    return _Shaping(taste, schema.get("$defs", {}), shown).value(schema)


@dataclass(frozen=True)
class _Shaping:
    """Makes a value of a schema from what a prompt shows."""

    taste: Taste
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
            case "boolean":
                return True
        return None

    def _resolve_reference(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema or "anyOf" in schema:
            if "$ref" in schema:
                schema = self.kinds[schema["$ref"].rpartition("/")[2]]
            else:
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
        if item.get("properties", {}).keys() >= set(_TRIPLE):
            found = [self._fit_parts(item, dict(zip(_TRIPLE, t, strict=True))) for t in triples]
        elif key == "tails":
            found = [f"{self._material(number)} {place}" for place in range(schema["maxItems"])]
        elif "sentence" in item.get("properties", {}):
            one, message = self.value(item, key, number), read(self._material(number))
            texts = (message.plain[start:end] for start, end in message.sentences)
            found = [self._fit_parts(item, {**one, "sentence": text}) for text in texts]
        elif item.get("type") == "string" and "enum" not in item:
            parts = [(t[1],) if key == "relations" else (t[0], t[2]) for t in triples]
            found = list(dict.fromkeys(part for some in parts for part in some))
        else:
            found = [self.value(item, key, number)] * max(1, schema.get("minItems", 0))
        return found[: schema.get("maxItems")]

    def _fit_parts(self, item: Mapping[str, Any], parts: Mapping[str, str]) -> dict[str, Any]:
        properties = item["properties"]
        return {
            name: parts[name][: self._resolve_reference(one).get("maxLength")]
            if name in parts
            else self.value(one, name)
            for name, one in properties.items()
        }

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
        return f"{str(text)[:_OPENING]} {steps + 1}" if self.taste.goes_on(steps) else ""

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
    """The facts of a text by rules; of a clause that has no parts, its thirds: of its words, or of
    its letters if it has too few."""
    found = []
    for fact in extract(read(text)):
        head, relation, tail = fact.triple
        if not (head and relation):
            words, between = tail.split(), " "
            if len(words) < 3:
                words, between = list(tail), ""
            first, second = len(words) // 3, -(-2 * len(words) // 3)
            parts = (words[:first], words[first:second], words[second:])
            head, relation, tail = (between.join(part).strip() or tail for part in parts)
        found.append((head, relation, tail))
    return tuple(found)
