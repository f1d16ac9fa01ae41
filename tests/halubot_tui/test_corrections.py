"""The changes that a person makes: applied, replaced, undone, stored, carried over."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.correction.suggestions import sentence_at
from halubot.events import fold
from halubot.evidence import text_source
from halubot.render.items import listing
from halubot.report import Evidence, Fact, Parts, Triple
from halubot_tui.corrections import (
    Change,
    Corrections,
    changed_words,
    new_words,
)
from tests.halubot_tui.canned import ANSWER, TEXT, events_of, propose

REPORT = fold(events_of(TEXT, [text_source(ANSWER, "sample", n) for n in (1, 2)]))
ENTRIES = listing(REPORT)


def corrections() -> Corrections:
    made = Corrections()
    made.propose(propose(REPORT))
    return made


def test_a_value_a_sentence_and_a_kept_fact_are_undone_in_turn() -> None:
    made = corrections()
    first, second = ENTRIES[0], ENTRIES[1]
    assert made.take(first)
    start, end = sentence_at(REPORT, second)
    made.write(start, end, TEXT[start:end], "Her notes were printed.")
    made.keep(ENTRIES[2])
    assert [made.state(one) for one in ENTRIES[:4]] == ["changed", "changed", "kept", "open"]
    after = TEXT.replace("1816", "1815")
    rewritten = after.replace("Her notes were printed in 1853.", "Her notes were printed.")
    assert made.apply(TEXT) == rewritten
    for expected in (rewritten, after, TEXT, TEXT):
        made.undo()
        assert made.apply(TEXT) == expected


def test_a_sentence_written_later_replaces_the_value_taken_in_it() -> None:
    made = corrections()
    made.take(ENTRIES[0])
    start, end = sentence_at(REPORT, ENTRIES[0])
    assert made.apply(TEXT, start, end) == "Ada Lovelace was born in 1815 in London."
    made.write(start, end, TEXT[start:end], "Ada was born in London.")
    assert made.apply(TEXT).startswith("Ada was born in London. Her notes")
    assert len(made.changes) == 1


def test_an_edit_leaves_the_facts_of_its_sentence_that_were_not_looked_at() -> None:
    text = "Portland sent a train, and Halifax still thanks it."
    told = [(("Portland", "sent", "train"), (0, 21)), (("Halifax", "thanks", "it"), (27, 50))]
    facts = [
        Fact(index=n, triple=Triple(*triple), sentences=(0,), spans=(span,))
        for n, (triple, span) in enumerate(told)
    ]
    first, second = (replace(ENTRIES[0], fact=one, spans=one.spans) for one in facts)
    made = Corrections()
    new = text.replace("Portland", "Boston")
    made.write(0, len(text), text, new, seen=[first], beside=[second])
    assert [made.state(one) for one in (first, second)] == ["changed", "open"]
    made.write(0, len(text), text, "Boston helped.", seen=[first], beside=[second])
    assert [made.state(one) for one in (first, second)] == ["changed", "changed"]


def test_nothing_is_taken_where_nothing_is_proposed() -> None:
    doubtful = next(one for one in ENTRIES if one.verdict == "doubtful")
    assert not corrections().take(doubtful)


@pytest.mark.parametrize(
    ("values", "own", "offered"),
    [
        (["1937", "27 May 1937"], "1939", "1937"),
        (["27 May 1937"], "1939", "1937"),
        (["28 January 1887"], "January 1885", "January 1887"),
        (["about 7,300 tonnes"], "9,500 tonnes", "about 7,300 tonnes"),
        (["1717 until 1723"], "28 July 1750", None),
        (["1937", "1936", "1936"], "1939", "1936"),
        (["227 metres"], "water", None),
        (["Verdi"], "Puccini", "Verdi"),
        (["164 kilometres"], "264 kilometres long", "164 kilometres"),
        (["Hall"], "a small hall", None),
        ([None], "1939", None),
        (["x" * 80], "Puccini", None),
    ],
)
def test_a_value_is_offered_that_sources_give_in_place_of_the_facts_own(
    values: list[str | None], own: str, offered: str | None
) -> None:
    """Also of a fact that is doubted and would not be corrected unseen."""
    sources = [text_source(f"Source {n}.", "sample", n) for n in range(1, len(values) + 1)]
    report = fold(events_of(f"It was in {own}.", sources))
    at = report.text.index(own)
    evidence = tuple(
        Evidence(source=one.id, stance="contradicts", value=value)
        for one, value in zip(sources, values, strict=True)
    )
    update = {"evidence": evidence, "verdict": "doubtful"}
    parts = Parts(tail=(at, at + len(own)))
    fact = report.facts[0].model_copy(update={**update, "parts": parts})
    made = Corrections()
    made.propose_values(report.model_copy(update={"facts": (fact,)}))
    assert [one.after for one in made.proposals.values()] == ([offered] if offered else [])
    # No word but the value goes.
    assert all(one.before in own and " long" not in one.before for one in made.proposals.values())


def test_what_is_stored_is_restored_and_what_does_not_fit_is_left_out() -> None:
    made = corrections()
    made.take(ENTRIES[0])
    made.keep(ENTRIES[2])
    again = Corrections()
    again.restore(made.record(), TEXT)
    assert again.actions == made.actions
    again.restore(made.record(), "x" + TEXT)
    assert [type(one).__name__ for one in again.actions] == ["Keep"]
    again.restore({"0": True, "actions": [{"start": "no"}, 3]}, TEXT)
    assert not again


@pytest.mark.parametrize(
    ("new", "carried"),
    [
        ("A new first paragraph.\n\n" + TEXT, ["1815"]),
        (TEXT.replace("1872", "1871"), ["1815"]),
        (TEXT.replace("1816", "1815"), []),
        (TEXT + " " + TEXT, []),
        ("Something else.", []),
    ],
)
def test_changes_are_carried_over_to_where_their_words_are(new: str, carried: list[str]) -> None:
    made = corrections()
    made.take(ENTRIES[0])
    found = made.carry_over(TEXT, new)
    assert [one.after for one in found if isinstance(one, Change)] == carried
    again = Corrections(inherited=found)
    assert again.apply(new) == (new.replace("1816", "1815") if carried else new)


def test_a_kept_fact_stays_kept_in_the_next_version() -> None:
    made = corrections()
    made.keep(ENTRIES[2])
    again = Corrections(inherited=[*made.keeps])
    assert [again.state(one) for one in ENTRIES[:3]] == ["open", "open", "kept"]
    assert again.undo() is None


WORDS = st.lists(st.sampled_from(["Ada", "was", "born", "in", "1815", "London", ".", "é", "日本"]))


@given(WORDS, WORDS)
def test_changed_words_are_those_that_differ(before: list[str], after: list[str]) -> None:
    old, new = " ".join(before), " ".join(after)
    done = 0
    pieces: list[str] = []
    for start, end, words in changed_words(Change(0, len(old), old, new)):
        pieces += old[done:start], words
        done = end
    assert "".join([*pieces, old[done:]]) == new
    assert all(new[a:b].strip() for a, b in new_words(old, new))


SPANS = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda one: (min(one), max(one)))


@given(st.lists(st.tuples(SPANS, st.text(max_size=5)), max_size=6))
def test_any_changes_give_a_text_and_never_overlap(
    given_: list[tuple[tuple[int, int], str]],
) -> None:
    text = "x" * 10 + "y" * 30
    made = Corrections()
    for (start, end), words in given_:
        made.write(start, end, text[start:end], words)
    changes = made.changes
    assert all(a.end <= b.start for a, b in pairwise(changes))
    size = sum(len(one.after) - len(one.before) for one in changes)
    assert len(made.apply(text)) == len(text) + size
    if given_:
        (start, end), words = given_[-1]
        assert words == text[start:end] or words in made.apply(text)
