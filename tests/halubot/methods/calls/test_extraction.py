"""Facts by a model: placed in the text, none lost silently, long messages cut."""

from __future__ import annotations

import json
from typing import Any

from halubot.claims import extract
from halubot.events import Note, PromptUsed
from halubot.methods.calls.extraction import (
    Extraction,
    Vocabulary,
    extract_with_judge,
    step_by_step,
    triples_of,
)
from halubot.methods.registry import Case
from halubot.models.model_errors import ContextTooLongError
from halubot.report import Triple
from halubot.text import read
from tests.halubot.methods.calls.scripted import Parts, Scripted, Stage, records, run
from tests.judge import Asked

BORN = "Ada Weir was born in Ulm in 1828."
WROTE = "She never wrote about *music*."
TEXT = f"{BORN} {WROTE} Shall I go on?"
FACTS: dict[str, list[Parts]] = {
    BORN: [("Ada Weir", "was born in", "Ulm"), ("Ada Weir", "was born in", "1828")],
    "She never wrote about music .": [("Ada Weir", "never wrote about", "music")],
}


def extraction(judge: Any, text: str = TEXT, **options: Any) -> tuple[Extraction, Stage]:
    stage = Stage(judge)
    reader = options.pop("reader", None)
    return run(extract_with_judge(stage.session, Case(read(text), **options), reader)), stage


def too_long(asked: Asked) -> ContextTooLongError:
    return ContextTooLongError("too long", "cut it", model="scripted", endpoint="a script")


def test_all_sentences_in_one_call() -> None:
    judge = Scripted(facts=FACTS)
    found, stage = extraction(judge, subject="Ada Weir, a composer")
    assert [fact.triple for fact in found.facts] == [
        Triple("Ada Weir", "was born in", "Ulm"),
        Triple("Ada Weir", "was born in", "1828"),
        Triple("Ada Weir", "never wrote about", "music"),
    ]
    assert [fact.index for fact in found.facts] == [0, 1, 2]
    assert [fact.sentences for fact in found.facts] == [(0,), (0,), (1,)]
    (asked,) = judge.asked
    assert asked.prompt == "extract"
    assert asked.fields["subject"] == "Ada Weir, a composer"
    assert asked.fields["text"] == f"{BORN} She never wrote about music . Shall I go on?"
    assert asked.numbers == ["0", "1", "2"]
    assert found.how == "scripted"
    assert not found.unread
    assert not stage.of(Note)
    assert [used.name for used in stage.of(PromptUsed)] == ["extract"]


def test_facts_stand_where_the_text_states_them() -> None:
    found, _ = extraction(Scripted(facts=FACTS))
    words = [
        [
            span and TEXT[slice(*span)]
            for span in (fact.parts.head, fact.parts.relation, fact.parts.tail)
        ]
        for fact in found.facts
    ]
    assert words == [
        ["Ada Weir", "was born in", "Ulm"],
        ["Ada Weir", "was born in", "1828"],
        [None, "never wrote about", "music"],
    ]
    assert [fact.negated for fact in found.facts] == [False, False, True]


def test_blank_and_repeated_facts_are_dropped() -> None:
    said: list[Parts] = [
        ("Ada Weir", "was born in", "Ulm"),
        ("ada weir", "was  born in", "ULM\n"),
        ("Ada Weir", " ", "…"),
        ("", "", "1828"),
        ("Ada Weir", "was born", ""),
        ("Ada Weir", "was born\u2028in", "1828\x00"),
    ]
    found, _ = extraction(Scripted(facts={BORN: said}), BORN)
    assert [fact.triple for fact in found.facts] == [
        ("Ada Weir", "was born in", "Ulm"),
        ("Ada Weir", "was born", ""),
        ("Ada Weir", "was born in", "1828"),
    ]


def test_as_published_a_call_a_sentence_and_two() -> None:
    judge = Scripted(facts=FACTS)
    found, _ = extraction(judge, reader=step_by_step, as_published=True)
    merged, _ = extraction(Scripted(facts=FACTS))
    assert found.facts == merged.facts
    assert judge.prompts() == ["extract-entities", "extract-relations", *["extract-sentence"] * 3]
    listed, named = judge.asked[1].fields["entities"], judge.asked[2].fields["relations"]
    assert "1828" in listed
    assert found.words.entities[: len(listed)] == tuple(listed)
    assert found.words.relations[: len(named)] == tuple(named)


def test_a_sentence_that_failed_is_read_by_rules_and_said() -> None:
    def fails(asked: Asked) -> str | None:
        facts = {"0": {"facts": records(FACTS[BORN])}, "1": {"facts": "none"}, "2": {"facts": []}}
        return json.dumps({key: facts[key] for key in asked.numbers})

    judge = Scripted(fails=fails)
    found, stage = extraction(judge)
    assert list(found.unread) == [1]
    assert len(judge.asked) == 3
    by_rules = [fact for fact in extract(read(TEXT)) if fact.sentences == (1,)]
    assert [fact.triple for fact in found.facts[2:]] == [fact.triple for fact in by_rules]
    assert [fact.index for fact in found.facts] == list(range(len(found.facts)))
    (note,) = stage.of(Note)
    assert note.what == "1 of 3 sentences were read by rules"
    assert note.why == found.unread[1]
    assert found.how == "scripted; English parser for 1 of 3 sentences"


def long_text(sentences: int) -> tuple[str, dict[str, list[Parts]]]:
    lines = [f"She won prize {n} in {1800 + n}." for n in range(sentences)]
    return " ".join(lines), {
        line: [("Ada Weir", f"won prize {n} in", str(1800 + n))] for n, line in enumerate(lines)
    }


def test_a_long_message_is_cut_between_sentences() -> None:
    text, facts = long_text(80)
    judge = Scripted(facts=facts)
    found, _ = extraction(judge, text)
    assert len(found.facts) == 80
    assert [fact.sentences[0] for fact in found.facts] == list(range(80))
    assert [len(asked.numbers) for asked in judge.asked] == [40, 40]
    second = judge.asked[1].fields["text"]
    # It shows its own stretch, a little before it, and the opening that names the subject.
    assert second.startswith("She won prize 0 in 1800.")
    assert "\n[...]\n" in second
    assert "prize 39 " in second
    assert "prize 14 " not in second
    assert second.endswith("She won prize 79 in 1879.")
    assert judge.asked[0].fields["text"].endswith("prize 39 in 1839.")


def test_a_stretch_that_does_not_fit_is_halved_with_its_text() -> None:
    text, facts = long_text(8)
    judge = Scripted(
        facts=facts, fails=lambda asked: too_long(asked) if len(asked.numbers) > 2 else None
    )
    found, _ = extraction(judge, text)
    assert len(found.facts) == 8
    assert not found.unread
    assert [len(asked.numbers) for asked in judge.asked] == [8, 4, 4, 2, 2, 2, 2]
    alone = Scripted(fails=too_long)
    found, _ = extraction(alone, text)
    assert set(found.unread.values()) == {"too long"}


def test_a_fact_of_an_example_is_refused_and_rules_read_the_sentence() -> None:
    copied: list[Parts] = [("The Kellan Bridge", "is", "an arch bridge")]
    found, stage = extraction(Scripted(facts={**FACTS, BORN: copied}))
    by_rules = [fact.triple for fact in extract(read(BORN))]
    assert [fact.triple for fact in found.facts if fact.sentences == (0,)] == by_rules
    assert Triple("Ada Weir", "never wrote about", "music") in [one.triple for one in found.facts]
    assert "not in the sentence" in found.unread[0]
    assert any("read by rules" in note.what for note in stage.events if isinstance(note, Note))


def test_triples_of_a_sample() -> None:
    judge = Scripted(told=lambda sample: [("Ada", "sang", "songs"), ("ada", "Sang", "songs")])
    stage = Stage(judge)
    words = Vocabulary(("Ada",), ("sang",))
    told = run(triples_of(stage.session, "Ada sang songs.", words))
    assert told.triples == {("Ada", "sang", "songs"): ""}
    assert not told.missing
    assert judge.asked[0].fields == {
        "entities": ["Ada"],
        "relations": ["sang"],
        "sample": "Ada sang songs.",
    }
