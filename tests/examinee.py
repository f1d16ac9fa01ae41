"""The part of the tests' judge that is examined: it writes questions on facts, and answers them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from halubot.methods.gca.reverse import OTHERS

Fields = Mapping[str, Any]


def always(fact: str, part: str, before: int) -> bool:
    """Everything is known."""
    return True


@dataclass
class Examinee:
    """Knows a part of a fact where ``recalls`` says so: it is asked with the fact as "head |
    relation | tail", the part ("head", "relation" or "tail") and how often it was asked for that
    before. It has to have written the question on a fact to know it."""

    recalls: Callable[[str, str, int], bool] = always
    _facts: dict[str, str] = field(default_factory=dict)
    _times: dict[tuple[str, str], int] = field(default_factory=dict)

    def value(self, prompt: str, fields: Fields, numbers: Sequence[str]) -> dict[str, Any]:
        """The answer to a prompt of `gca`. Raises AssertionError for any other."""
        match prompt:
            case "gca-prepare":
                return {key: self._prepared(fields["facts"][key]) for key in numbers}
            case "gca-question":
                return {"question": self._prepared(fields["fact"])["question"]}
            case "gca-tails":
                return {"tails": self._prepared(fields["fact"])["tails"]}
            case "gca-heads":
                return {key: {"answer": self._head(fields["questions"][key])} for key in numbers}
            case "gca-relations":
                return {key: {"relation": self._relation(fields["facts"][key])} for key in numbers}
            case "gca-choices":
                return {key: {"true": self._chosen(fields["facts"][key])} for key in numbers}
            case "gca-supports":
                return {"supported": "yes" if fields["fact"] in fields["triples"] else "no"}
            case "gca-same":
                return {"same": "yes" if fields["first"] == fields["second"] else "no"}
        raise AssertionError(f"the judge does not know the prompt {prompt!r}")

    def _prepared(self, fact: str) -> dict[str, Any]:
        head, relation, tail = fact.split(" | ")
        number = hashlib.sha256(fact.encode()).hexdigest()[:6]
        question = f"What {relation} {tail}? ({number})"
        for shown in (question, f"{head} | ? | {tail}", fact):
            self._facts.setdefault(shown, fact)
        tails = [f"{tail} or {one}" for one in ("none", "all", "some", "many", "few")]
        return {"question": question, "tails": tails[:OTHERS], "relations": [f"as {relation}"]}

    def _head(self, question: str) -> str:
        fact = self._facts.get(question)
        return fact.split(" | ")[0] if fact and self._recalls(fact, "head") else "somebody else"

    def _relation(self, masked: str) -> str:
        fact = self._facts.get(masked)
        return fact.split(" | ")[1] if fact and self._recalls(fact, "relation") else "unlike"

    def _chosen(self, offered: Mapping[str, str]) -> list[str]:
        begin = offered["fact"].removesuffix("?")
        tails = {letter: tail for letter, tail in offered.items() if letter != "fact"}
        right = {letter: f"{begin}{tail}" for letter, tail in tails.items()}
        true = [letter for letter, fact in right.items() if fact in self._facts]
        known = [letter for letter in true if self._recalls(right[letter], "tail")]
        return known or [letter for letter in tails if letter not in true][:1]

    def _recalls(self, fact: str, part: str) -> bool:
        before = self._times.get((fact, part), 0)
        self._times[fact, part] = before + 1
        return self.recalls(fact, part, before)
