"""The keys that a person chose, and the names of keys for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot_tui.actions import ACTIONS, Action

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SAID: Final = {
    "escape": "Esc",
    "question_mark": "?",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "enter": "Enter",
    "delete": "Del",
    "tab": "Tab",
    "up": "Up",
    "down": "Down",
}


def key_names(keys: str) -> str:
    """Keys as people call them: "f1,question_mark" is "F1 or ?"."""
    return " or ".join(_key(key.strip()) for key in keys.split(",") if key.strip())


def _key(key: str) -> str:
    *held, last = key.split("+")
    if last in _SAID:
        last = _SAID[last]
    elif not held and len(last) == 1:
        return last
    else:
        last = last.upper() if len(last) <= 3 else last.capitalize()
    return "+".join([*(one.capitalize() for one in held), last])


def keymap(chosen: Sequence[str]) -> tuple[Mapping[str, str], Sequence[str]]:
    """The keys that a person chose, each as ``action=key,key``, and what is wrong with the others:
    an unknown action, no key, or a key that is taken in the same place."""
    known = {action.id: action for action in ACTIONS}
    found: dict[str, str] = {}
    wrong: list[str] = []
    for item in chosen:
        name, _, keys = (part.strip() for part in item.partition("="))
        if name not in known:
            wrong.append(f"there is no action {name!r}")
        elif not keys:
            wrong.append(f"{name} has no key: write {name}=KEY")
        else:
            found[name] = keys
    for name in list(found):
        taken = _take(known[name], found)
        if taken is not None:
            wrong.append(
                f"{found.pop(name)} is the key of {taken} already, so {name} keeps its own"
            )
    return found, wrong


def _take(action: Action, found: Mapping[str, str]) -> str | None:
    """Another action with one of this one's new keys where both can be pressed."""
    wanted = set(found[action.id].split(","))
    for other in ACTIONS:
        together = other.place in (action.place, "app") or action.place == "app"
        keys = set(found.get(other.id, other.keys).split(","))
        if other is not action and together and wanted & keys:
            return other.id
    return None
