"""The option ``windows``: how much of long references a method reads."""

from __future__ import annotations

from typing import Final

from halubot.errors import SettingError
from halubot.methods.registry import Case

ALL: Final = "all"


def windows_of(case: Case) -> int | None:
    """How many windows of the references are read, None for all of them, as without the option.
    Raises SettingError for anything but "all" and a whole number from 1."""
    found = case.options.get("windows", ALL)
    if found == ALL:
        return None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise SettingError(f"the windows are {found!r}, not 'all' or a whole number from 1")
    return found
