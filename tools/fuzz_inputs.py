"""Random inputs for `tools.fuzz`: texts made of what has been trouble before, damaged files, values
that more or less fit a schema, and answers of a model that may say anything."""

from __future__ import annotations

import json
import random
from typing import Any, Final

from halubot.inputs import Options
from halubot.models.model import Completion, Request, TokenLogprob

LONGEST: Final = 10_000
"""Characters of an input."""

WORDS: Final = """
Ada Lovelace Babbage she he it they was born in the of and London 1815 1816 not never no more than
at least 5% 5 per cent 3,000 km $12 million 10 December 1815-12-10 five half wrote first program
Analytical Engine married Paris who which because unless may must only all every none un-American
e.g. Dr. St. U.S. O'Neill don't isn't [1] However, I think Yes No Was Sure!
"""
SIGNS: Final = (
    *(". ", ", ", "; ", ": ", "? ", "! ", "\n", "\n\n", " ", "\t", "\r\n", "\x0b", "\u2028", "…"),
    *(
        "**",
        "*",
        "_",
        "__",
        "`",
        "```\n",
        "~~~\n",
        "# ",
        "## ",
        "> ",
        "- ",
        "1. ",
        "* ",
        "| ",
        "|\n",
    ),
    *("|---|---|\n", "[", "](", ")", "![", "<b>", "</b>", "<script>", "<!--", "-->", "<think>"),
    *("&amp;", "&#49;", "&#x31;816", "&nbsp;", "&lt;", "$", "$$", "\\(", "\\", "http://a.b/c?d=e"),
    *("“", "”", "«", "»", '"', "'", "’", "(", "]", "—", "–", "-", "%", "^1", "[^1]", "[^1]: "),
    *("\x1b[31m", "\x1b]0;x\x07", "\x00", "\ud800", "\ufeff", "\u202e", "\u200b", "e\u0301", "🙂"),
    *("東京は日本の首都です。", "Москва", "مرحبا", "שלום", "ﬁ", "İ", "ß", "½", "²", "٣", "Ⅷ", "㎞"),
    *("[/b]", "[@click=x]", "@everyone", "{{x}}", "{0}", "%s", "../", "Q: ", "A: ", "\n---\n"),
)
SENTENCES: Final = (
    "Ada Lovelace was born in 1815 in London. ",
    "She wrote the first program in 1843, and it was printed. ",
    "The bridge cost 5 % more than $12 million. ",
    "He did not marry her before 10 December 1816. ",
    "Was she born in 1816? Yes, she was born then. ",
    "- a list of 3 things\n- of 4 km\n",
    "| name | born |\n|---|---|\n| Ada | 1815 |\n",
    "```python\nx = 1816\n```\n",
    "> She was “born” in 1815, said Babbage.\n\n",
)
JSON: Final = (
    *('{"', '"', '":', "{", "}", "[", "]", ",", ":", "null", "true", "-1", "1e999", "NaN", "0.5"),
    *('"text":', '"0": ', '"verdict": "supported"', '"facts": [', '["Ada", "born in", "1815"]'),
    *('"\\ud800"', '"\\u0000"', "```json\n", "<think>", "</think>", "// c\n", "'", "“"),
)
MARKUP: Final = (
    *("<p>", "</p>", "<div class=menu>", "<nav>", "<table><tr><td>", "</td></tr>", "<ul><li>"),
    *("<a href=x>", "<br>", "<main>", "<article>", "<style>p{", "<script>", "<title>", "<svg>"),
    *("<template>", "<select><option>", "<math>", "<![CDATA[", "<?xml ?>", "<!doctype html>"),
    *("<meta charset=utf-16>", "&#x110000;", "&notit;", "<h2>", "<pre>", "<textarea>", "</"),
)


class Maker:
    """Makes inputs from one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.words = tuple(WORDS.split())

    def text(self, most: int, *more: str) -> str:
        """Return a text of up to ``most`` characters that is rarely blank; ``more`` are pieces that
        it may hold besides the usual ones."""
        chance = self.chance
        # Cubed, so that most texts are short: faults are found by odd pieces beside each other, and
        # short inputs are many.
        size = int(most * chance.random() ** 3) + 1
        pieces = tuple(chance.choices((*SIGNS, *more), k=chance.randint(1, 12)))
        kinds = [self.words, pieces, SENTENCES, SIGNS]
        weights = [chance.random() ** 2 for _ in kinds]
        if chance.random() < 0.15:  # one thing again and again
            kinds, weights = [pieces[: chance.randint(1, 3)]], [1]
        made: list[str] = []
        length = 0
        while length < size:
            kind = chance.choices(kinds, weights)[0]
            piece = chance.choice(kind)
            made.append(piece + " " if kind is self.words else piece)
            length += len(made[-1])
        return "".join(made)[:size]

    def changed(self, text: str) -> str:
        """Return a text like the given one: pieces of it are dropped, repeated and replaced."""
        chance = self.chance
        for _ in range(chance.randint(0, 8)):
            start = chance.randint(0, len(text))
            end = min(len(text), start + int(len(text) * chance.random() ** 4) + 1)
            match chance.randrange(4):
                case 0:
                    text = text[:start] + text[end:]
                case 1:
                    text = text[:end] + text[start:end] * chance.randint(1, 9) + text[end:]
                case 2:
                    text = text[:start] + chance.choice(self.words) + text[end:]
                case _:
                    text = text[:start] + chance.choice(SIGNS) + text[start:]
        return text[:LONGEST]

    def damaged(self, data: bytes) -> bytes:
        """Return the same bytes with some of them changed, dropped or repeated."""
        found = bytearray(data)
        for _ in range(self.chance.randint(0, 12)):
            start = self.chance.randint(0, len(found))
            match self.chance.randrange(3):
                case 0:
                    found[start : start + 1] = self.chance.randbytes(1)
                case 1:
                    del found[start : start + self.chance.randint(1, 40)]
                case _:
                    found[start:start] = found[start : start + 60] * self.chance.randint(1, 9)
        return bytes(found[:LONGEST])

    def value(self, depth: int = 0) -> Any:
        """Return any value that JSON has."""
        chance = self.chance
        match chance.randrange(8 if depth < 4 else 6):
            case 0:
                return None
            case 1:
                return chance.random() < 0.5
            case 2:
                return chance.choice((0, -1, 1, 0.5, 1e300, 10**30, 7))
            case 3 | 4 | 5:
                return self.text(200)
            case 6:
                return [self.value(depth + 1) for _ in range(chance.randint(0, 5))]
            case _:
                names = ("text", "id", "samples", "title", "0", self.text(10))
                return {chance.choice(names): self.value(depth + 1) for _ in range(4)}

    def fitting(self, schema: dict[str, Any], root: dict[str, Any]) -> Any:
        """Return a value that mostly fits a JSON schema."""
        chance = self.chance
        # Rarely, or nothing would ever get past the first check of a shape.
        if chance.random() < 0.02:
            return self.value()
        if "$ref" in schema:
            return self.fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self.fitting(chance.choice(options), root)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chance.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                own = schema.get("properties", {})
                return {name: self.fitting(one, root) for name, one in own.items()}
            case "array":
                size = max(schema.get("minItems", 0), chance.randint(0, 4))
                size = min(size, schema.get("maxItems", size))
                if "prefixItems" in schema:
                    return [self.fitting(one, root) for one in schema["prefixItems"]]
                return [self.fitting(schema.get("items", {}), root) for _ in range(size)]
            case "integer":
                return chance.randint(-1, 5)
            case "number":
                return chance.random()
            case "boolean":
                return chance.random() < 0.5
            case "null":
                return None
            case _:
                return chance.choice((self.text(60), " ".join(chance.choices(self.words, k=3)), ""))

    def answer(self, request: Request) -> Completion:
        """Return an answer that a model might give, more or less well."""
        chance = self.chance
        if request.schema is not None and chance.random() < 0.8:
            schema = request.schema.value
            text = json.dumps(self.fitting(schema, schema))
            if chance.random() < 0.2:
                text = self.changed(text)
        elif chance.random() < 0.5:
            text = self.text(600)
        else:
            text = "".join(chance.choices((*JSON, *self.words), k=chance.randint(0, 60)))
        logprobs = None
        if request.logprobs and chance.random() < 0.5:
            half = len(text) // 2
            logprobs = tuple(TokenLogprob(one, -0.1) for one in (text[:half], text[half:]))
        reason = chance.choice(("stop", "stop", "stop", "length", None, "content_filter"))
        return Completion(text, reason, logprobs)

    def given(self) -> tuple[str, Options]:
        """Return a message and what it is compared with, `LONGEST` characters in all."""
        chance = self.chance
        text = self.text(LONGEST // 2)
        room = LONGEST - len(text)
        options = Options()
        sources: list[str] = []
        for _ in range(chance.choice((0, 1, 1, 2, 5, 20))):
            # Most sources are the message with changes: of texts that share nothing the comparison
            # does little.
            source = self.changed(text) if chance.random() < 0.6 else self.text(room // 2)
            if 0 < len(source) <= room and source.strip():
                sources.append(source)
                room -= len(source)
        cut = chance.randint(0, len(sources))
        options["samples"], options["references"] = sources[:cut], sources[cut:]
        if chance.random() < 0.3:
            options["question"] = self.text(100)
        if chance.random() < 0.2:
            options["subject"] = self.text(40)
        return text, options
