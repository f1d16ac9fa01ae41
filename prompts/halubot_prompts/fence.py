"""Other people's text in a prompt: between tags that no text of the prompt can write."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from itertools import count
from typing import Any, TypeAlias

from halubot_prompts.errors import PromptError


class Plain(str):
    """Words of our own, or a number as text: put into a prompt as they are, with no fence."""

    __slots__ = ()


Field: TypeAlias = str | int | list[Any] | dict[Any, Any]
"""What a field of a prompt may hold. A string that is not `Plain`, a list or a dictionary is other
people's and fenced; lists and dictionaries are written as JSON, an item a line."""

_MARKER = 8
"""Hexadecimal digits that tell a fence from all others: few, for they are paid for as tokens."""


def write_fields(fields: Mapping[str, Field], template: str) -> dict[str, str]:
    """Each field as it is put into the template: the fenced ones with their fences.

    A fence is ``<name-marker>``, a line break, the text byte for byte, a line break and
    ``</name-marker>``. The marker is made from the hash of the text and is found in no field and
    not in the template: each tag stands in the messages once. Raises PromptError for a value that
    cannot be written.
    """
    texts = {name: _text(name, value) for name, value in fields.items()}
    around = (template, *texts.values())
    for name, value in fields.items():
        if not isinstance(value, Plain | int):
            tag = f"{name}-{_marker(texts[name], around)}"
            texts[name] = f"<{tag}>\n{texts[name]}\n</{tag}>"
    return texts


def _text(name: str, value: Field) -> str:
    match value:
        case str() | int():
            return str(value)
        case list() | dict():
            try:
                return _json(value)
            except (TypeError, ValueError, RecursionError) as error:
                why = f"the field {name!r} cannot be written as JSON: {error}"
                raise PromptError(why) from error
    kind = type(value).__name__
    raise PromptError(f"the field {name!r} is a {kind}: give a string, number, list or dictionary")


def _json(value: list[Any] | dict[Any, Any]) -> str:
    """JSON with an item a line, so that a model finds its numbers at the beginnings of lines."""
    first, last = "[]" if isinstance(value, list) else "{}"
    if isinstance(value, list):
        lines = [_line(item) for item in value]
    else:
        lines = [f"{_line(str(key))}: {_line(item)}" for key, item in value.items()]
    return f"{first}\n" + ",\n".join(lines) + f"\n{last}" if lines else first + last


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _marker(text: str, around: Collection[str]) -> str:
    """The first hash of the text, counted on from 0, that nothing around it holds."""
    data = text.encode("utf-8", "surrogatepass")
    for turn in count():
        marker = sha256(b"%d:%b" % (turn, data)).hexdigest()[:_MARKER]
        if not any(marker in other for other in around):
            break
    return marker
