"""Settings that only some methods take, although they may hold for all checks of a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

OF_METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "match": ("fsc-frequency",),
    "aggregate": ("fsc-frequency", "fsc-kg", "fsc-text"),
    "variant": ("triplet-check",),
    "windows": ("triplet-check", "bcv", "bcv-cot", "sca"),
    "role": ("bcv", "bcv-cot", "sca", "issc", "issc-cot"),
    "repeats": ("bcv", "bcv-cot", "sca", "knowhalu", "gca"),
    "task": ("knowhalu",),
    "base": ("knowhalu",),
    "d1": ("knowhalu",),
    "d2": ("knowhalu",),
    "weights": ("gca",),
    "members": ("ensemble",),
    "judge": ("cascade", "ensemble"),
    "embeddings": ("gca", "knowhalu"),
    "verifier": ("consensus",),
}
"""Each setting, and which methods of ours take it."""


def settings_of_method(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the settings given, those that are None left out, that this method takes. A method
    of another package takes all."""
    # Late: `--help` reads the table above and must define no pydantic model.
    from halubot.methods.registry import BUILT_IN

    ours = method in BUILT_IN
    return {
        name: value
        for name, value in given.items()
        if value is not None and not (ours and method not in OF_METHODS[name])
    }
