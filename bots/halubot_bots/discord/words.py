"""Errors as members may read them: no path of the host, no option of a command line."""

from __future__ import annotations

from halubot.errors import (
    HalubotError,
    InputError,
    KnowledgeError,
    MissingExtraError,
    SettingError,
    StateError,
)
from halubot.models.errors import ModelError
from halubot_bots.catalogue import phrase
from halubot_bots.checks import FaultError
from halubot_bots.desk import DeclinedError
from halubot_bots.inert import plain


def error_text(error: HalubotError) -> str:
    """Return what a member is told of an error."""
    match error:
        case DeclinedError() | InputError():
            return plain(str(error))
        case ModelError():
            return phrase("failed.model", later=phrase("failed.later"))
        case KnowledgeError():
            return phrase("failed.knowledge", later=phrase("failed.later"))
        case MissingExtraError():
            return phrase("failed.extra", later=phrase("failed.later"))
        case StateError() | SettingError() | FaultError():
            return phrase("failed.own", later=phrase("failed.later"))
        case _:
            return plain(str(error))
