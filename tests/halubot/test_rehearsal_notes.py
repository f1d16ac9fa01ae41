"""A dry run says what is lacking, what goes beyond its limits, and counts all that is done."""

from __future__ import annotations

from typing import Any

import pytest

from halubot import Plan, rehearse
from halubot.dry_run import beyond
from halubot.models.model import Listed
from halubot.money import dollars
from halubot.testing import ScriptedModel

TEXT = "The Orrin Light was built in 1871. It is 31 metres tall. Its lamp burned oil until 1924."
QUESTION = "What is the Orrin Light?"


def planned(text: str = TEXT, *, listed: Listed | None = None, **options: Any) -> Plan:
    return rehearse(text, model=ScriptedModel(name="openai/tiny", listed=listed), **options)


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ("triplet-check", "triplet-check needs references"),
        ("knowhalu", "knowhalu needs references"),
    ],
)
def test_what_is_lacking_is_said_and_no_call_counted(method: str, why: str) -> None:
    assert planned(method=method) == Plan(method=method, notes=(why,))


def test_without_a_model_what_is_lacking_is_said_too() -> None:
    (why,) = rehearse(TEXT, method="fsc-kg").notes
    assert why == "fsc-kg needs a model: name one with --model"
    (why,) = rehearse(TEXT).notes
    assert why.startswith("nothing to compare with")
    assert rehearse(TEXT, references=[TEXT]).notes == ()


@pytest.mark.slow
def test_what_goes_beyond_a_limit_is_said() -> None:
    model = ScriptedModel(listed=Listed(0.001, 0.001))
    (calls, cost) = rehearse(
        TEXT, model=model, question=QUESTION, max_calls=2, max_cost=1e-05
    ).notes
    assert "2 are allowed" in calls
    assert "$0.00001 is allowed" in cost
    assert rehearse(TEXT, model=model, question=QUESTION, max_calls=99, max_cost=99).notes == ()
    assert beyond(5, None, None, 0.1) == ()


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        (0.0, "$0.0000"),
        (0.04284, "$0.0428"),
        (12, "$12.0000"),
        (1e-05, "$0.00001"),
        (1e-9, "under $0.0000001"),
    ],
)
def test_money(amount: float, written: str) -> None:
    assert dollars(amount) == written
