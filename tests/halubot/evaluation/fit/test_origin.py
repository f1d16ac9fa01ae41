"""Rows that a rule made are told from rows that people or models wrote."""

from __future__ import annotations

from halubot.evaluation.fit.origin import Origin, origin_of
from halubot.evaluation.rows import LabelledFact, Row
from halubot.report import Triple

TEXT = "The bridge was opened in 1931 by the mayor of Osby after four years of work."
CHANGED = TEXT.replace("1931", "1938")
OTHER = "Ada Holm drew the bridge, which replaced a ferry that had sunk in a storm."


def right(text: str = TEXT, group: str = "a") -> Row:
    return Row("r", text, gold=(0.0,), group=group)


def wrong(text: str, group: str = "a", **fields: object) -> Row:
    row = {"id": "w", "text": text, "gold": (1.0,), "group": group}
    return Row(**{**row, **fields})  # type: ignore[arg-type]


def test_a_row_that_says_so_was_made_by_rule() -> None:
    found = origin_of([right(), wrong(OTHER, maker="changes")])
    assert found == Origin(wrong=1, named=1, copied=0)
    assert found.note is not None
    assert "halubot make-data" in found.note


def test_a_right_text_with_a_word_changed_is_a_copy() -> None:
    assert origin_of([right(), wrong(CHANGED)]) == Origin(wrong=1, named=0, copied=1)
    alone = wrong(CHANGED, group="", references=(TEXT,))
    assert origin_of([alone]) == Origin(wrong=1, named=0, copied=1)


def test_what_models_write_is_no_copy() -> None:
    rows = [
        right(),
        wrong(OTHER),
        wrong(CHANGED, group="elsewhere"),
        wrong(CHANGED, maker="hallucinated"),
        wrong(CHANGED, group="", references=(f"{TEXT} {OTHER} {OTHER}",)),
    ]
    found = origin_of(rows)
    assert found == Origin(wrong=4, named=0, copied=0)
    assert found.note is None


def test_a_few_made_rows_among_many_are_not_warned_of() -> None:
    found = origin_of([right(), wrong(CHANGED), wrong(OTHER), wrong(OTHER)])
    assert found.copied == 1
    assert found.note is None
    assert origin_of([right()]).note is None


def test_wrong_facts_make_a_wrong_row() -> None:
    fact = LabelledFact(Triple("a", "b", "c"), ((0, 1),), wrong=True)
    row = Row("f", CHANGED, group="a", labelled=(fact,))
    assert origin_of([right(), row]) == Origin(wrong=1, named=0, copied=1)
