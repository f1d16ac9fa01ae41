"""A provider whose name is misspelt is found out without loading litellm."""

from __future__ import annotations

import pytest

from halubot.models.litellm_door import load_litellm
from halubot.models.published import misspelt


@pytest.mark.parametrize(
    ("name", "meant"), [("opnai", "openai"), ("antropic", "anthropic"), ("nothing-like-it", None)]
)
def test_the_nearest_is_suggested(name: str, meant: str | None) -> None:
    assert misspelt(name) == meant


def test_none_of_litellms_own_is_refused() -> None:
    load_litellm()
    from litellm.types.utils import LlmProviders

    assert [one.value for one in LlmProviders if misspelt(one.value)] == []
