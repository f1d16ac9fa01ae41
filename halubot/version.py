"""The version of halubot."""

from __future__ import annotations

__version__ = "0.1.0"
