"""Failures of models: members read that a model did not answer, and the log says why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from halubot.report import Problem, Report

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_ANSWER: Final = "the model did not answer"
"""What stands in the place of a reason that names a server of the owner's."""

NOT_ASKED: Final = Problem(what="the model was not asked", why="a budget for it is used up today")
FAILED: Final = Problem(what=NO_ANSWER, why="what it left open was compared by words alone")


def split_failures(report: Report) -> tuple[Report, tuple[str, ...]]:
    """Return a report without the reasons of failed calls, and these reasons; they hold addresses,
    names of variables and words of the provider."""
    servers = [f"{name} at " for _, name in report.models if name]
    found = [p.why for p in report.problems if any(server in p.why for server in servers)]
    if not found:
        return report, ()
    # Some reasons stand alone too, without the address.
    kept = [
        one
        for one in report.problems
        if one.why not in found and not any(f": {one.why};" in failure for failure in found)
    ]
    changed = report.model_copy(update={"problems": (*kept, FAILED)})
    data = _clean(json.loads(changed.to_json(indent=None)), servers)
    return Report.model_validate_json(json.dumps(data)), tuple(dict.fromkeys(found))


def _clean(data: Any, servers: Sequence[str]) -> Any:
    """Return data with all reasons that name a model's server replaced."""
    if isinstance(data, list):
        return [_clean(one, servers) for one in data]
    if not isinstance(data, dict):
        return data
    cleaned = {key: _clean(one, servers) for key, one in data.items()}
    if any(server in str(data.get("reason")) for server in servers):
        cleaned["reason"] = NO_ANSWER
    return cleaned
