"""Defaults that several parts need: the method, and how many samples are drawn."""

from __future__ import annotations

from typing import Final

METHOD: Final = "consensus"
MODEL_METHOD: Final = "cascade"
"""The method if a model is named."""

SAMPLES: Final = 20
"""The most samples that are drawn."""
