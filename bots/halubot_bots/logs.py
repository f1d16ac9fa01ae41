"""The log of a bot: lines for people, or JSON for programs. It holds ids and numbers, no texts."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

Style = Literal["text", "json"]


class JsonLines(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, and the fields of an event."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            told["fault"] = record.exc_info[0].__name__
        return json.dumps(told, ensure_ascii=False)


def begin(style: Style, *, verbose: bool) -> None:
    """Write what happens to standard error: warnings, with ``verbose`` each check too. Libraries
    say warnings alone, for they might repeat texts."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if style == "json" else plain)
    logging.basicConfig(handlers=[handler])
    logging.getLogger("halubot").setLevel(logging.INFO if verbose else logging.WARNING)
