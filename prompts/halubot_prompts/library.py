"""The prompts by name: those that come with halubot, and a person's own in their place."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path

from halubot_prompts.errors import PromptError, nearest
from halubot_prompts.fence import Plain
from halubot_prompts.prompt import Prompt

_BUNDLED = Path(__file__).parent
_SUFFIX = ".md"
_PART = re.compile(r"^\{part ([a-z-]+)\}$", re.MULTILINE)


class Library:
    """The prompts; each is read when it is first asked for.

    A ``NAME.md`` in ``folder`` replaces the bundled prompt of that name and has the same fields.
    The folder need not exist. Raises PromptError for one that cannot be read, and for a file in it
    that replaces nothing: it would otherwise be passed over in silence. (``README.md`` and other
    names with capitals are no prompts.)

    Words that several prompts share are parts: ``parts/NAME.md`` beside the bundled prompts stands
    where a line says ``{part NAME}``, in a person's own prompts too. Parts that only some calls
    need are put into a field by whoever fills the prompt.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._files = _find_files(_BUNDLED)
        if folder is not None:
            own = _find_files(folder)
            for name, path in own.items():
                if name not in self._files:
                    raise PromptError(f"{path} replaces no prompt: {nearest(name, self._files)}")
            self._files |= own
        self._read: dict[str, Prompt] = {}

    def names(self) -> tuple[str, ...]:
        """The names of all prompts, sorted."""
        return tuple(sorted(self._files))

    def get(self, name: str) -> Prompt:
        """The prompt of that name.

        Raises PromptError for an unknown name, and for a file that cannot be read, is broken, or
        has other fields than the prompt it replaces.
        """
        if name not in self._read:
            if name not in self._files:
                raise PromptError(f"there is no prompt {name!r}: {nearest(name, self._files)}")
            self._read[name] = _prompt(name, self._files[name])
        return self._read[name]

    def part(self, name: str) -> Plain:
        """The words of that part, on lines of their own, for a field. Raises PromptError for an
        unknown name."""
        return Plain(_part(name, _find_files(_BUNDLED / "parts")))


def _find_files(folder: Path) -> dict[str, Path]:
    """The files of a folder that are named like prompts, by name; none where there is no folder."""
    try:
        files = sorted(folder.iterdir())
    except FileNotFoundError:
        return {}
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise PromptError(f"cannot read the folder of prompts {folder}: {why}") from error
    return {
        file.stem: file
        for file in files
        if file.suffix == _SUFFIX and file.stem == file.stem.lower() and file.stem[:1].isalpha()
    }


def _prompt(name: str, path: Path) -> Prompt:
    try:
        prompt = Prompt.parse(name, _text(path))
        if path.parent != _BUNDLED:
            _check_fields(prompt, Prompt.parse(name, _text(_BUNDLED / path.name)))
    except PromptError as error:
        remedy = "" if path.parent == _BUNDLED else "; mend or remove the file"
        raise PromptError(f"the prompt {path} cannot be used: {error}{remedy}") from error
    return prompt


def _text(path: Path) -> str:
    """The text of a prompt, its parts put in."""
    parts = _find_files(_BUNDLED / "parts")

    return _PART.sub(lambda place: _part(place[1], parts), _content(path))


def _part(name: str, parts: Mapping[str, Path]) -> str:
    if name not in parts:
        raise PromptError(f"there is no part {name!r}: {nearest(name, parts)}")
    return _content(parts[name]).strip()


def _content(path: Path) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise PromptError("it is not a regular file")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PromptError((error.strerror or str(error)).lower()) from error
    except UnicodeDecodeError as error:
        raise PromptError("it is not UTF-8 text") from error


def _check_fields(own: Prompt, bundled: Prompt) -> None:
    for name in sorted(bundled.fields - own.fields):
        raise PromptError(f"it lacks the field {name!r}")
    for name in sorted(own.fields - bundled.fields):
        raise PromptError(f"it has a field {name!r} that nothing fills")
