"""A correction as it is kept in a session, beside the report that has its sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from halubot.report import Correction, Report

if TYPE_CHECKING:
    from halubot.report import Source


def bare(report: Report, sources: tuple[Source, ...]) -> dict[str, Any]:
    """A report as it is kept beside another with the same sources: without them."""
    data: dict[str, Any] = report.model_dump(mode="json", by_alias=True)
    if report.sources == sources:
        data["sources"] = None
    return data


def whole(data: Mapping[str, Any], sources: tuple[Source, ...]) -> Report:
    """The report that was kept without its sources. Raises ValueError if it cannot be read."""
    try:
        if data.get("sources") is None:
            report = Report.model_validate({**data, "sources": []})
            return report.model_copy(update={"sources": sources})
        return Report.model_validate(data)
    except ValidationError as error:
        raise ValueError(str(error)) from error


def to_kept(correction: Correction | None, sources: tuple[Source, ...]) -> dict[str, Any] | None:
    """Return a correction as it is kept; None of none."""
    if correction is None:
        return None
    data: dict[str, Any] = correction.model_dump(mode="json", exclude={"report"})
    if correction.report is not None:
        data["report"] = bare(correction.report, sources)
    return data


def read_kept(data: Any, sources: tuple[Source, ...]) -> Correction | None:
    """Return the correction that was kept; None if none was. Raises ValueError if it cannot be
    read."""
    if not isinstance(data, Mapping):
        return None
    again = data.get("report")
    try:
        correction = Correction.model_validate({**data, "report": None})
    except ValidationError as error:
        raise ValueError(str(error)) from error
    report = whole(again, sources) if isinstance(again, Mapping) else None
    return correction.model_copy(update={"report": report})
