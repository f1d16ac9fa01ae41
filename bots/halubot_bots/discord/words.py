"""Errors as members may read them: no path of the host, no option of a command line."""

from __future__ import annotations

import re
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
from halubot_bots.checking import FaultError
from halubot_bots.desk import DeclinedError

LATER: Final = "Who runs halubot finds the reason in its log."

_PATH: Final = re.compile(r"(?:[A-Za-z]:)?(?:[\\/][^\s:;,'\"\\/]+){2,}[\\/]?|~[\\/]\S+")
_OPTION: Final = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def told(error: HalubotError) -> str:
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


def plain(text: str) -> str:
    """Return a text without paths of the host, and without the parts of it that name options."""
    parts = re.split(r"(?<=[:;.]) ", _PATH.sub("…", text))
    kept = [part for part in parts if not _OPTION.search(part)]
    return " ".join(kept).rstrip(" :;")
