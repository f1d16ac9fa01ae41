"""The same fact of several methods stands in one row."""

from __future__ import annotations

import halubot
from halubot_tui.compare import align_reports

TEXT = "Ada Hill was born in 1816 in Rome. She knew Ben Moore."
RIGHT = "Ada Hill was born in 1815 in Rome. She knew Ben Moore."


def test_facts_that_are_the_same_share_a_row() -> None:
    own = halubot.check(TEXT, samples=[RIGHT] * 3)
    swapped = {"method": "other", "facts": tuple(reversed(own.facts)), "sentences": ()}
    other = own.model_copy(update=swapped)
    rows = align_reports(own, {"other": other})
    assert len(rows) == len(own.facts)
    for row in rows:
        assert set(row.said) == {own.method, "other"}
        assert row.said["other"].fact == row.said[own.method].fact


def test_a_method_that_judges_sentences_speaks_of_every_fact_in_them() -> None:
    own = halubot.check(TEXT, samples=[RIGHT] * 3)
    other = halubot.check(TEXT, samples=[RIGHT] * 3, method="selfcheck-ngram")
    assert not other.facts
    for row in align_reports(own, {other.method: other}):
        said = row.said[other.method].sentence
        fact = row.said[own.method].fact
        assert said is not None
        assert fact is not None
        assert said.index in fact.sentences


def test_a_fact_that_one_method_alone_found_has_a_row_of_its_own() -> None:
    own = halubot.check(TEXT, samples=[RIGHT] * 3)
    fewer = own.model_copy(update={"facts": own.facts[:1], "sentences": ()})
    rows = align_reports(fewer, {"more": own.model_copy(update={"method": "more"})})
    assert len(rows) == len(own.facts)
    assert sum(set(row.said) == {"more"} for row in rows) == len(own.facts) - 1
