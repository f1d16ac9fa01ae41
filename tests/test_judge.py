"""The judge of the tests reads every prompt, and answers in its shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

from halubot.models.model import Message, Request, Schema
from halubot_prompts import Field, Library, Plain
from tests.judge import ANSWER, REASONED, Judge
from tests.knowing import NOTHING

FIRST, SECOND = "Ada Lovelace was born in 1815.", "She wrote notes on the Analytical Engine."
TEXT = f"{FIRST} {SECOND}"
BORN = "Ada Lovelace | was born in | 1815"
DIED = "Ada Lovelace | died in | 1852"
TRIPLE = {"head": "Ada Lovelace", "relation": "born in", "tail": "1815"}
WROTE = {"head": "Ada Lovelace", "relation": "wrote", "tail": "notes on the Analytical Engine"}
ASKED = "What was born in 1815? (a2328e)"
OTHER = [f"1815 or {one}" for one in ("none", "all", "some", "many", "few")]
YES, NO = {"stance": "supports"}, {"stance": "silent"}
TOLD = {0: "Ada Lovelace | wrote | notes", 7: "Ada Lovelace | born in | 1815"}
COMPARED: dict[str, Field] = {"examples": "", "facts": {2: BORN, 5: DIED}, "triples": TOLD}
BARE = ("baseline", "detailed")
WITH_REASONS: dict[str, Any] = {
    "2": {"supporting": [7], "contradicting": [], "reasons": "so it is: supports", **YES},
    "5": {"supporting": [], "contradicting": [], "reasons": "so it is: silent", **NO},
}

TARGET = {"asked": "what is asked for", "extracted": FIRST, "outcome": "given"}
QUERY = {
    "detail": "Ada Lovelace born in 1815",
    "specific": "Ada Lovelace born in 1815?",
    "general": "Ada Lovelace born in what?",
}
LOOKED_UP: dict[str, Field] = {"specific": QUERY["specific"], "general": QUERY["general"]}
LEARNT = {
    "sentence": f"Ada Lovelace born in 1815? That is so: {FIRST}",
    "triplets": [{"head": "Ada Lovelace born in 1815?", "relation": "is so", "tail": FIRST}],
    "finding": "agrees",
}

CASES: dict[str, tuple[dict[str, Field], tuple[str, ...], dict[str, Any]]] = {
    "question": ({"text": TEXT}, ("question",), {"question": "Who was Ada Lovelace?"}),
    "web-queries": (
        {"text": TEXT},
        ("queries",),
        {
            "queries": [
                "Ada Lovelace born in 1815",
                "Ada Lovelace wrote notes on the Analytical Engine",
            ]
        },
    ),
    "extract": (
        {"subject": "", "text": TEXT, "sentences": {0: FIRST, 1: SECOND}},
        ("0", "1"),
        {"0": {"facts": [TRIPLE]}, "1": {"facts": [WROTE]}},
    ),
    "extract-entities": (
        {"text": TEXT},
        ("entities",),
        {"entities": ["Ada Lovelace", "1815", "notes on the Analytical Engine"]},
    ),
    "extract-relations": (
        {"text": TEXT, "entities": ["1815"]},
        ("relations",),
        {"relations": ["born in", "wrote"]},
    ),
    "extract-sentence": (
        {"text": TEXT, "entities": [], "relations": [], "sentence": SECOND},
        ("facts",),
        {"facts": [WROTE]},
    ),
    "extract-sample": (
        {"entities": [], "relations": [], "sample": FIRST},
        ("facts",),
        {"facts": [TRIPLE]},
    ),
    "verify-fact": ({"fact": BORN, "kind": Plain("a reference"), "source": TEXT}, ("stance",), YES),
    "verify-facts": (
        {
            "form": Plain("{}"),
            "facts": {2: BORN, 5: DIED},
            "kind": Plain("another answer"),
            "source": {1: SECOND, 2: FIRST},
        },
        ("2", "5"),
        {"2": {"stance": "2 supports"}, "5": {"stance": "-"}},
    ),
    "fsc-kg": (
        {"fact": DIED, "triples": [["Ada", "born in", "1815"]]},
        ("supported",),
        {"supported": "no"},
    ),
    "fsc-text": ({"fact": BORN, "source": TEXT}, ("supported",), {"supported": "yes"}),
    "verify-facts-triples": (
        {
            "form": Plain("{}"),
            "facts": {2: BORN, 5: DIED},
            "entities": [],
            "relations": [],
            "source": FIRST,
        },
        ("triples", "2", "5"),
        {"triples": [TRIPLE], "2": YES, "5": NO},
    ),
    "verify-sentence": ({"sentence": SECOND, "source": FIRST}, ("supported",), {"supported": "no"}),
    "verify-sentences": (
        {"form": Plain("{}"), "sentences": {0: FIRST, 3: SECOND}, "source": {1: FIRST}},
        ("0", "3"),
        {"0": {"supported": "1 yes"}, "3": {"supported": "no"}},
    ),
    "bcv": (
        {"role": "", "context": FIRST, "question": "", "answer": TEXT},
        ("hallucination",),
        {"hallucination": "yes"},
    ),
    "bcv-cot": (
        {"role": Plain("clerk"), "context": TEXT, "question": "Who?", "answer": TEXT},
        ("reasons", "hallucination"),
        {"reasons": "so it is: no", "hallucination": "no"},
    ),
    "sca": (
        {"role": "", "context": FIRST, "question": "", "answer": TEXT, "sentences": {1: SECOND}},
        ("1", "answers_question", "hallucination"),
        {
            "1": {"passage": "", "hallucinated": "yes", "why": "so it is: yes"},
            "answers_question": "yes",
            "hallucination": "yes",
        },
    ),
    "sca-published": (
        {"role": "", "context": FIRST, "question": "", "answer": f"{SECOND} {FIRST}"},
        ("sentences", "answers_question", "hallucination"),
        {
            "sentences": [
                {"sentence": SECOND, "passage": "", "hallucinated": "yes", "why": "so it is: yes"}
            ],
            "answers_question": "yes",
            "hallucination": "yes",
        },
    ),
    "issc": (
        {"role": "", "form": Plain("{}"), "sentences": {0: FIRST, 3: SECOND}, "source": FIRST},
        ("0", "3"),
        {"0": {"supported": "yes"}, "3": {"supported": "no"}},
    ),
    "issc-cot": (
        {"role": "", "sentences": {3: SECOND}, "source": FIRST},
        ("3",),
        {"3": {"reasons": "it says so", "supported": "no"}},
    ),
    "triplet-reference": (
        {"passages": {0: {"title": "Ada", "text": FIRST}, 4: {"title": "", "text": "..."}}},
        ("0", "4"),
        {"0": {"facts": [TRIPLE]}, "4": {"facts": []}},
    ),
    **{f"triplet-{name}": (COMPARED, ("2", "5"), {"2": YES, "5": NO}) for name in BARE},
    **dict.fromkeys(REASONED, ({**COMPARED, "rule": ""}, ("2", "5"), WITH_REASONS)),
    "triplet-pairwise": ({"question": "", "source": TEXT, "fact": BORN}, ("stance",), YES),
    "gca-extract": (
        {"subject": "", "text": TEXT, "sentences": {0: FIRST}},
        ("0",),
        {"0": {"facts": [TRIPLE], "right": "yes", "revised": []}},
    ),
    "gca-revise": (
        {"text": TEXT, "sentences": {0: {"text": FIRST, "facts": [BORN]}}},
        ("0",),
        {"0": {"facts": [{**TRIPLE, "relation": "was born in"}]}},
    ),
    "gca-prepare": (
        {"known": [], "facts": {2: BORN}},
        ("2",),
        {"2": {"question": ASKED, "tails": OTHER, "relations": ["as was born in"]}},
    ),
    "gca-question": ({"known": [], "fact": BORN}, ("question",), {"question": ASKED}),
    "gca-tails": ({"fact": BORN}, ("tails",), {"tails": OTHER}),
    "gca-heads": ({"questions": {2: ASKED}}, ("2",), {"2": {"answer": "somebody else"}}),
    "gca-relations": (
        {"question": "", "known": [], "facts": {2: "Ada Lovelace | ? | 1815"}},
        ("2",),
        {"2": {"relation": "unlike"}},
    ),
    "gca-choices": (
        {
            "question": "",
            "known": [],
            "facts": {2: {"fact": "Ada Lovelace | was born in | ?", "A": "1816", "B": "1815"}},
        },
        ("2",),
        {"2": {"true": ["A"]}},
    ),
    "gca-same": ({"first": BORN, "second": DIED}, ("same",), {"same": "no"}),
    "correct-published": (
        {"question": "", "sentences": {0: FIRST, 2: SECOND}, "doubted": {2: [SECOND]}},
        ("0", "2"),
        {
            "0": {"action": "kept", "text": ""},
            "2": {"action": "refused", "text": "nothing else is known"},
        },
    ),
    "correct": (
        {"question": "", "sentences": {0: FIRST, 1: SECOND}, "hints": {0: [BORN]}, "touch": [0, 1]},
        ("0", "1"),
        {
            "0": {"action": "refused", "text": "nothing else is known"},
            "1": {"action": "kept", "text": ""},
        },
    ),
    "knowhalu-target": ({"question": "When?", "text": FIRST}, (), TARGET),
    "knowhalu-begin": (
        {"question": "When?", "languages": "", "text": FIRST},
        (),
        {**TARGET, **QUERY},
    ),
    "knowhalu-query": (
        {
            "question": "",
            "languages": "",
            "whole": "",
            "form": "",
            "texts": {0: FIRST, 2: FIRST},
            "steps": {2: [{}]},
        },
        ("0", "2"),
        {"0": QUERY, "2": {"detail": "", "specific": "", "general": ""}},
    ),
    "knowhalu-think": (
        {
            "question": "",
            "languages": "",
            "whole": "",
            "form": Plain("sentence"),
            "texts": {0: FIRST},
            "steps": {0: [{"thought": "so", "sentence": "Of this it is denied: so is denied"}]},
        },
        ("0",),
        {"0": {"thought": "thought 2", "detail": "", "specific": "", "general": ""}},
    ),
    "knowhalu-step": (
        {
            "question": "",
            "languages": "",
            "whole": "",
            "texts": {0: TEXT},
            "steps": {},
            "passages": {0: {**LOOKED_UP, "passages": [{"title": "", "text": FIRST}]}},
        },
        ("0",),
        {
            "0": {
                **LEARNT,
                "detail": "Ada Lovelace wrote notes on the Analytical Engine",
                "specific": "Ada Lovelace wrote notes on the Analytical Engine?",
                "general": "Ada Lovelace wrote what?",
            }
        },
    ),
    "knowhalu-knowledge": (
        {"form": Plain("triplets"), **LOOKED_UP, "passages": [{"title": "", "text": FIRST}]},
        ("triplets", "finding"),
        {"triplets": LEARNT["triplets"], "finding": "agrees"},
    ),
    "knowhalu-judge": (
        {
            "question": "",
            "whole": "",
            "texts": {0: FIRST, 1: FIRST},
            "form": Plain("sentences"),
            "knowledge": {0: [{"sentence": "so"}], 1: [{"sentence": NOTHING}]},
        },
        ("0", "1"),
        {
            "0": {"reason": "by text it is CORRECT", "verdict": "CORRECT"},
            "1": {"reason": "by text it is INCONCLUSIVE", "verdict": "INCONCLUSIVE"},
        },
    ),
    "knowhalu-judge-summary": (
        {
            "texts": {0: FIRST, 1: FIRST},
            "form": Plain("sentences"),
            "knowledge": {0: [{"sentence": "so"}], 1: [{"sentence": NOTHING}]},
        },
        ("0", "1"),
        {
            "0": {"reason": "by text it is CORRECT", "verdict": "CORRECT"},
            "1": {"reason": "by text it is INCORRECT", "verdict": "INCORRECT"},
        },
    ),
    "gca-supports": (
        {"triples": ["Ada | wrote | notes"], "fact": "Ada | wrote | notes"},
        ("supported",),
        {"supported": "yes"},
    ),
}


def request(prompt: str, fields: dict[str, Field], keys: tuple[str, ...] = ()) -> Request:
    """A request of halubot's own, bound to an object of these keys, where there are any."""
    filled = Library().get(prompt).fill(fields)
    schema = Schema.of("Any", {"type": "object", "properties": {key: {} for key in keys}})
    messages = tuple(Message(role, content) for role, content in filled)
    return Request(messages, schema=schema if keys else None, temperature=0.0)


@pytest.mark.parametrize("prompt", CASES)
def test_each_prompt_is_answered_in_its_shape(prompt: str) -> None:
    fields, keys, expected = CASES[prompt]
    judge = Judge()
    assert json.loads(judge(request(prompt, fields, keys))) == expected
    assert judge.asked[0].prompt == prompt


def test_every_prompt_is_known() -> None:
    assert set(Library().names()) == {*CASES, "answer", "again"}


def test_samples_follow_one_another_over_http_and_by_index() -> None:
    judge = Judge(samples=("one", "two", "three"))
    asked = request("answer", {"question": Plain("Who?"), "conversation": ""})
    assert [judge(Request(asked.messages, first=at, temperature=1.0)) for at in (1, 2, 3)] == [
        "two",
        "three",
        "one",
    ]
    assert judge(Request(asked.messages)) == ANSWER
    messages = [{"role": one.role, "content": one.content} for one in asked.messages]
    body = {"messages": messages, "temperature": 1.0, "n": 2}
    assert judge.reply(body).texts == ("one", "two")
    judge.honours_n = False
    assert judge.reply(body).texts == ("three",)
    assert judge.asked[-1].words == "Who?"
