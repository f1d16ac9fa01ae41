"""What is wrong with the shape of an answer, in words for people and for the model asked again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError

_WANTED: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "is not asked for",
    "string_type": "is no text",
    "string_too_short": "has fewer than {min_length} characters",
    "string_too_long": "has more than {max_length} characters",
    "literal_error": "is not {expected}",
    "enum": "is not {expected}",
    "int_type": "is no whole number",
    "int_from_float": "is no whole number",
    "float_type": "is no number",
    "bool_type": "is neither true nor false",
    "greater_than": "is not more than {gt}",
    "greater_than_equal": "is less than {ge}",
    "less_than": "is not less than {lt}",
    "less_than_equal": "is more than {le}",
    "list_type": "is no list",
    "too_short": "has fewer than {min_length} items",
    "too_long": "has more than {max_length} items",
    "dict_type": "is no object",
    "model_type": "is no object",
    "model_attributes_type": "is no object",
}
"""What is said of each kind of fault that shapes of answers can have, by pydantic's name for it."""


MOST = 10_000
"""Faults beyond which they are only counted."""


def first_fault(error: ValidationError) -> str:
    """The first fault: in which item, of which field, what is wanted. "facts, item 1: tail has more
    than 400 characters"; of the answer as a whole "the answer is no object"."""
    if error.error_count() > MOST:  # each is written out before the first can be looked at
        return f"the answer has {error.error_count():,} faults"
    fault = error.errors(include_url=False, include_input=False)[0]
    *above, field = fault["loc"] or ("the answer",)
    if fault["type"] == "value_error":  # one of halubot's own, in its own words
        above, said = list(fault["loc"]), str(fault["ctx"]["error"])
    else:
        said = f"{_find_name(field)} {_phrase(fault)}"
    return f"{', '.join(map(_find_name, above))}: {said}" if above else said


def _find_name(part: str | int) -> str:
    return f"item {part + 1}" if isinstance(part, int) else part


def _phrase(fault: Mapping[str, Any]) -> str:
    wanted = _WANTED.get(fault["type"])
    if wanted is None:
        return f"cannot be used: {fault['msg']}"
    return wanted.format(**fault.get("ctx", {}))
