"""Which providers there are is known without loading litellm."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

from halubot.models.litellm_door import load_litellm
from halubot.models.published import is_unknown, similar

if TYPE_CHECKING:
    import pytest


def test_they_are_those_of_litellm() -> None:
    load_litellm()
    from litellm.llms.openai_like.json_loader import JSONProviderRegistry
    from litellm.types.utils import LlmProviders

    for known in (*(one.value for one in LlmProviders), *JSONProviderRegistry.list_providers()):
        assert not is_unknown(known), known
    assert is_unknown("nosuch")


def test_the_nearest_is_suggested() -> None:
    assert (similar("opnai"), similar("nothing-like-it")) == ("openai", None)


def test_one_that_a_program_registered_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    registered = SimpleNamespace(custom_provider_map=[{"provider": "mine"}])
    monkeypatch.setitem(sys.modules, "litellm", registered)
    assert not is_unknown("mine")
