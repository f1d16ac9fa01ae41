"""Errors as members may read them: no path of the host, no option of a command line."""

from __future__ import annotations

from typing import Final

from halubot.errors import (
    HalubotError,
    InputError,
    KnowledgeError,
    MissingExtraError,
    SettingError,
    StateError,
)
from halubot.models.errors import ModelError
from halubot_bots.checks import FaultError
from halubot_bots.desk import DeclinedError
from halubot_bots.inert import plain

LATER: Final = "Who runs halubot finds the reason in its log."


def error_text(error: HalubotError) -> str:
    """Return what a member is told of an error."""
    match error:
        case DeclinedError() | InputError():
            return plain(str(error))
        case ModelError():
            return f"The model brought no answer. {LATER}"
        case KnowledgeError():
            return f"The base of knowledge cannot be used. {LATER}"
        case MissingExtraError():
            return f"halubot is not set up for this. {LATER}"
        case StateError() | SettingError() | FaultError():
            return f"halubot cannot do this now. {LATER}"
        case _:
            return plain(str(error))
