"""How the judge of the tests looks texts up, as `knowhalu` asks it to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halubot.claims import extract
from halubot.text import read

NOTHING = "No specific information is available"
DONE = ("", "", "")
QUERIES = 3

Query = tuple[str, str, str]

_WORD = re.compile(r"\w+")


def of_facts(text: str) -> Sequence[Query]:
    """A query for each of the first three facts of a text."""
    triples = [fact.triple for fact in extract(read(text))][:QUERIES]
    return [
        (
            str(triple),
            f"{triple.head} {triple.relation} {triple.tail}?",
            f"{triple.head} {triple.relation} what?",
        )
        for triple in triples
    ]


def given(question: str, answer: str) -> str:
    """Every answer says what is asked for."""
    return "given"


def in_passages(specific: str, passages: str) -> str:
    """Passages agree with a query if they hold all its words but "what", and say nothing of any
    other."""
    held = {"what", *_WORD.findall(passages.casefold())}
    return "agrees" if set(_WORD.findall(specific.casefold())) <= held else "nothing"


def by_knowledge(text: str, knowledge: str, form: str) -> str:
    """A text is wrong if some knowledge denies it, right if there is all, and else left open."""
    if "denied" in knowledge:
        return "INCORRECT"
    return "INCONCLUSIVE" if NOTHING in knowledge else "CORRECT"


@dataclass
class Knowing:
    """Looks texts up as a sensible model would.

    ``queries`` are those to a text, in turn; ``outcome`` is asked with a question and its answer,
    ``finding`` with a specific query and all passages, ``verdict`` with a text, its knowledge as
    JSON, and the form of that. ``silent`` is a key of knowledge that is always left empty.
    """

    queries: Callable[[str], Sequence[Query]] = of_facts
    outcome: Callable[[str, str], str] = given
    finding: Callable[[str, str], str] = in_passages
    verdict: Callable[[str, str, str], str] = by_knowledge
    silent: str = ""

    def value(
        self, prompt: str, fields: Mapping[str, Any], numbers: Sequence[str]
    ) -> dict[str, Any]:
        """The answer to a prompt of `knowhalu`, for the texts of these numbers."""
        match prompt:
            case "knowhalu-target":
                return self._target(fields)
            case "knowhalu-begin":
                outcome = self._target(fields)
                none = outcome["outcome"] != "given"
                return {**outcome, **_query(DONE if none else self._next(fields["text"], 0))}
            case "knowhalu-query":
                steps = fields.get("steps") or {}
                return {
                    key: _query(self._next(fields["texts"][key], len(steps.get(key, ()))))
                    for key in numbers
                }
            case "knowhalu-think":
                return {key: self._thought(fields, key) for key in numbers}
            case "knowhalu-step":
                return {key: self._step(fields, key) for key in numbers}
            case "knowhalu-knowledge":
                return self._learnt(fields)
            case "knowhalu-judge":
                return {key: self._judged(fields, key) for key in numbers}
        raise AssertionError(f"the judge does not know the prompt {prompt!r}")

    def _target(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        outcome = self.outcome(fields["question"], fields["text"])
        extracted = fields["text"][:900] if outcome == "given" else "NONE"
        return {"asked": "what is asked for", "extracted": extracted, "outcome": outcome}

    def _next(self, text: str, known: int) -> Query:
        queries = self.queries(text)
        return queries[known] if known < len(queries) else DONE

    def _thought(self, fields: Mapping[str, Any], key: str) -> dict[str, Any]:
        """One wrong detail is enough."""
        steps = (fields.get("steps") or {}).get(key, ())
        denied = bool(steps) and "is denied" in json.dumps(steps[-1], ensure_ascii=False)
        query = DONE if denied else self._next(fields["texts"][key], len(steps))
        return {"thought": f"thought {len(steps) + 1}", **_query(query)}

    def _step(self, fields: Mapping[str, Any], key: str) -> dict[str, Any]:
        known = len((fields.get("steps") or {}).get(key, ())) + 1
        learnt = self._learnt(fields["passages"][key])
        return {**learnt, **_query(self._next(fields["texts"][key], known))}

    def _learnt(self, material: Mapping[str, Any]) -> dict[str, Any]:
        passages = " ".join(passage["text"] for passage in material["passages"])
        finding = self.finding(material["specific"], passages)
        if finding == "nothing":
            return {"sentence": NOTHING, "triplets": [], "finding": finding}
        said = "is denied" if finding == "contradicts" else "is so"
        triplet = {"head": material["specific"][:300], "relation": said, "tail": passages[:300]}
        sentence = f"{material['specific']} That {said}: {passages}"[:1500]
        learnt = {"sentence": sentence, "triplets": [triplet], "finding": finding}
        empty = {"sentence": NOTHING, "triplets": []}
        return learnt | ({self.silent: empty[self.silent]} if self.silent else {})

    def _judged(self, fields: Mapping[str, Any], key: str) -> dict[str, Any]:
        known = fields["knowledge"][key]
        form = "text" if any("sentence" in step for step in known) else "triplets"
        verdict = self.verdict(fields["texts"][key], json.dumps(known, ensure_ascii=False), form)
        return {"reason": f"by {form} it is {verdict}", "verdict": verdict}


def _query(query: Query) -> dict[str, str]:
    return dict(zip(("detail", "specific", "general"), query, strict=True))
