"""One line of a batch's input."""

from __future__ import annotations

import json
from functools import cached_property
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, Literal

from halubot.errors import BrokenLineError
from halubot.evidence import text_source
from halubot.inputs import Options
from halubot.report import Source


class Message:
    """A line of the input. Raises BrokenLineError, which names it, for what it should not be."""

    def __init__(self, source: Path | str, number: int, raw: bytes) -> None:
        self._source = source
        self._number = number
        self._raw = raw

    @cached_property
    def _fields(self) -> Any:
        # Parsed when it is needed: counting and resuming look at the bytes alone.
        return _parse(self._raw)

    @cached_property
    def _name(self) -> Any:
        return self._fields.get("id") if isinstance(self._fields, dict) else None

    @property
    def id(self) -> str | int | float:
        """Its own id, else its number."""
        name: Any = self._name
        return name if _is_name(name) else self._number

    def key(self, seal: bytes) -> str:
        """A digest of the line and of what ``seal`` is a digest of."""
        return sha256(seal + self._raw).hexdigest()[:24]

    def head(self, seal: bytes) -> bytes:
        """Return the beginning of its line of the output."""
        return json.dumps({"id": self.id, "key": self.key(seal)})[:-1].encode()

    def request(self, common: Options) -> tuple[str, Options]:
        """The text and the options to check it with."""
        if not isinstance(self._fields, dict):
            raise self.make_error(
                "not JSON" if self._fields is None else 'not an object with "text"'
            )
        if self._name is not None and not _is_name(self._name):
            raise self.make_error('"id" is neither a string nor a number')
        text = self._text("text")
        if text is None:
            raise self.make_error('it has no "text"')
        options = common.copy()
        for name in ("question", "context", "subject"):
            given = self._text(name)
            if given is not None:
                options[name] = given
        options["samples"] = [*common.get("samples", ()), *self._sources("samples", "sample")]
        options["references"] = [
            *common.get("references", ()),
            *self._sources("references", "reference"),
        ]
        if self._fields.get("sentences") is not None:
            options["sentences"] = self._list("sentences", str)
        return text, options

    def _text(self, name: str) -> str | None:
        given = self._fields.get(name)
        if given is not None and not isinstance(given, str):
            raise self.make_error(f'"{name}" is not a string')
        return given

    def _list(self, name: str, *kinds: type) -> list[Any]:
        given = self._fields.get(name)
        if given is None:
            return []
        if not isinstance(given, list) or not all(isinstance(item, kinds) for item in given):
            raise self.make_error(f'"{name}" is not a list of texts')
        return given

    def _sources(self, name: str, kind: Literal["sample", "reference"]) -> list[Source]:
        made = []
        for number, item in enumerate(self._list(name, str, dict), start=1):
            fields = {"text": item} if isinstance(item, str) else item
            texts = [fields.get(key, "") for key in ("text", "title", "location")]
            if not texts[0] or not all(isinstance(text, str) for text in texts):
                raise self.make_error(f'"{name}" holds no text at place {number}')
            text, title, location = texts
            made.append(text_source(text, kind, number, title=title, location=location))
        return made

    def make_error(self, why: str) -> BrokenLineError:
        """The error that names the line."""
        return BrokenLineError(self._source, self._number, why)


def _is_name(value: Any) -> bool:
    """Return whether a value can be an id: a string or a number that JSON knows."""
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _parse(raw: bytes) -> Any:
    """The value of a JSON line; None if it is not JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None
