"""Every error a person may see, in one tree::

    HalubotError                 anything halubot refuses or fails to do          exit 2
    ├── InputError               the text, samples or references given cannot be used
    │   ├── UnreadableError      a file is missing, forbidden, binary or broken
    │   │   └── DocumentLimitError  reading a document takes too much time, memory or text
    │   └── BrokenLineError      a line of a JSON-lines file is not what it should be
    ├── SettingError             an option, variable or configuration value is wrong
    │   └── UnknownMethodError   no method of that name; the nearest one is named
    ├── MissingExtraError        an optional dependency is not installed
    ├── LocalModelError          a model on this machine that cannot be used or downloaded
    ├── KnowledgeError           a knowledge base that cannot be read, written or searched
    ├── StateError               what is kept on this machine (sessions, feedback) cannot be used;
    │                            its own tree is in `halubot.state`
    └── ModelError               a call to a language model that brought nothing; its own tree is in
                                 `halubot.models.model_errors`

Each says what went wrong, with which input, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

NOBODY: Final = "nobody answers there"
NO_KEY: Final = "there is no key"
NO_PROVIDER: Final = "there is no provider"
"""Reasons why a model was not reached. The command line finds them in a report's problems and then
ends with status 2."""


class HalubotError(Exception):
    """The root of all errors. ``str(error)`` is one line for people, with the remedy."""

    exit_status: int = 2
    """The exit status of a command that ends with this error."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Let it be pickled: many take other arguments than those that they pass on."""
        return _put_together, (type(self), self.args, vars(self))


def _put_together(
    kind: type[HalubotError], args: tuple[Any, ...], values: dict[str, Any]
) -> HalubotError:
    error = kind.__new__(kind)
    error.args = args
    vars(error).update(values)
    return error


class InputError(HalubotError):
    """The text to check, or a source to compare with, cannot be used."""


class UnreadableError(InputError):
    """A file that is missing, forbidden, binary or broken."""

    def __init__(self, path: object, why: str) -> None:
        self.path = str(path)
        self.why = why
        super().__init__(f"cannot read {self.path}: {why}")


class DocumentLimitError(UnreadableError):
    """A document that takes more time, memory, pages or text than it may; ``what`` says which."""

    def __init__(self, path: object, what: str) -> None:
        self.what = what
        super().__init__(path, f"{what}; give a part of it, or its text as a .txt file")


class BrokenLineError(InputError):
    """A line of a JSON-lines file that is not what it should be; lines count from 1."""

    def __init__(self, path: object, line: int, why: str) -> None:
        super().__init__(f"{path}, line {line}: {why}")


class SettingError(HalubotError):
    """An option, an environment variable or a configuration value is wrong."""


class UnknownMethodError(SettingError):
    """No method is registered under ``name``; ``known`` are those that are."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches

        self.name = name
        names = sorted(known)
        near = get_close_matches(name, names, 1) or [one for one in names if name and name in one]
        hint = f"did you mean {near[0]!r}?" if near else f"known methods: {', '.join(names)}"
        super().__init__(f"there is no method {name!r}: {hint}")


class LocalModelError(HalubotError):
    """A model that runs on this machine cannot be used, or cannot be downloaded."""


class KnowledgeError(HalubotError):
    """A knowledge base cannot be read, written or searched."""


class StateError(HalubotError):
    """Data kept on this machine, such as sessions and feedback, cannot be read or written."""


class MissingExtraError(HalubotError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'halubot[{extra}]'")


def explain(error: OSError | ValueError) -> str:
    """Return an error of the operating system in plain words, to end a sentence with."""
    match error:
        case FileNotFoundError():
            return "there is no such file"
        case PermissionError():
            return "permission denied"
        case OSError(strerror=str(reason)):
            return reason.lower()
        case ValueError() if "null byte" in str(error):
            return "its name holds a null byte"
        case _:
            return str(error)
