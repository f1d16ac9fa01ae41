"""Checks in a pipeline of Ray Data that is somebody's own.

    from halubot.batch.ray import CheckMessages

    rows = ray.data.read_json("messages.jsonl")
    rows = rows.map(CheckMessages, fn_constructor_kwargs={"method": "consensus"}, concurrency=2)

Ray Data keeps no order, and there is neither a budget over all rows nor resumption:
`halubot batch --engine ray` has all three.
"""

from __future__ import annotations

import json
from typing import Any, Unpack

from halubot.batch._chunk import Chunk, Lease, check_chunk
from halubot.batch.message import Detail, Message
from halubot.inputs import Options


class CheckMessages:
    """Adds to a row, which is as a line of a batch's input, a column ``report`` (or ``brief``) with
    JSON in it, or ``error``; the others are None. ``options`` are those of `halubot.check` and hold
    for every row."""

    def __init__(self, *, detail: Detail = "full", **options: Unpack[Options]) -> None:
        self._detail = detail
        self._options = options

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Check one row; never raises for what is in it."""
        given = {name: _plain(value) for name, value in row.items() if value is not None}
        raw = json.dumps(given, default=str).encode()
        chunk = Chunk(
            items=((1, Message("row", 1, raw)),),
            options=self._options,
            detail=self._detail,
            at_once=1,
            lease=Lease(self._options.get("max_calls"), self._options.get("max_cost")),
        )
        # As a chunk of one: the models are opened once in this process and kept for the next rows.
        result = check_chunk(chunk)
        found: dict[str, Any] = {"report": None, "brief": None, "error": None}
        if result.stopped is not None:
            return row | found | {"error": str(result.stopped)}
        (checked,) = result.done
        told = json.loads(b"{" + checked.body.removeprefix(b", "))
        for name, value in told.items():
            found[name] = value if isinstance(value, str) else json.dumps(value)
        return row | found


def _plain(value: Any) -> Any:
    """A value as JSON knows it: Ray gives lists as arrays."""
    return value.tolist() if hasattr(value, "tolist") else value
