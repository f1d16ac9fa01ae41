"""Estimated tokens are near those of usual tokenizers."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from halubot import demo
from halubot.models.token_count import estimate_tokens
from halubot_prompts import Library


@pytest.fixture(params=["cl100k_base", "o200k_base"])
def tokenizer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A tokenizer whose words come with litellm: none is fetched."""
    tiktoken = pytest.importorskip("tiktoken")
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setitem(os.environ, "TIKTOKEN_CACHE_DIR", str(folder))
    try:
        return tiktoken.get_encoding(request.param)
    except OSError:
        pytest.skip("its words are not here")


def test_our_prompts_within_a_sixth(tokenizer: Any) -> None:
    library = Library()
    for name in library.names():
        sections = library.get(name).sections
        text = "\n\n".join(paragraph for _, paragraphs in sections for paragraph in paragraphs)
        tokens = len(tokenizer.encode(text))
        assert estimate_tokens(text) == pytest.approx(tokens, rel=1 / 6), name


def test_prose_within_a_sixth(tokenizer: Any) -> None:
    loaded = demo.load()
    for text in (loaded.text, *loaded.samples):
        assert estimate_tokens(str(text)) == pytest.approx(
            len(tokenizer.encode(str(text))), rel=1 / 6
        )


OTHER = {
    "German": "Ada Lovelace wurde 1815 in London geboren und war eine britische Mathematikerin.",
    "French": "Ada Lovelace est née à Londres en 1815 et fut une mathématicienne célèbre.",
    "Russian": "Ада Лавлейс родилась в Лондоне в 1815 году и была британским математиком.",
    "Chinese": "阿达·洛芙莱斯于1815年出生于伦敦，是一位数学家。",
    "Japanese": "アダ・ラブレスは1815年にロンドンで生まれた数学者である。",
}


@pytest.mark.parametrize("text", OTHER.values(), ids=OTHER.keys())
def test_other_languages_within_a_factor_of_two(text: str, tokenizer: Any) -> None:
    assert 0.5 < estimate_tokens(text) / len(tokenizer.encode(text)) < 2
