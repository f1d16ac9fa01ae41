"""The prompts by name: Markdown files that come with halubot, and a person's own in their place.

Other people's text in a prompt is fenced between tags that it cannot write.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from halubot_prompts.template_tokens import break_up

Role: TypeAlias = Literal["system", "user"]
Section: TypeAlias = tuple[Role, tuple[str, ...]]

_VERSION = 12
_FRONT = re.compile(r"---\nfields:(.*)\n---\n?")
_NAME = re.compile(r"[a-z]+(?:_[a-z]+)*")
_PLACE = re.compile(r"\{(\w+)\}")
_HEADING = re.compile(r"^# (.*)$", re.MULTILINE)
_ORDERS = (["system", "user"], ["user"])
_BUNDLED = Path(__file__).parent
_SUFFIX = ".md"
_PART = re.compile(r"^\{part ([a-z-]+)\}$", re.MULTILINE)
_MARKER = 8
"""Hexadecimal digits that tell a fence from all others: few, for they are paid for as tokens."""


class PromptError(ValueError):
    """A prompt that is not there, is broken, or was given other fields than its own: one line."""


class Plain(str):
    """Words of our own, or a number as text: put into a prompt as they are, with no fence."""

    __slots__ = ()


Field: TypeAlias = str | int | list[Any] | dict[Any, Any]
"""What a field of a prompt may hold. A string that is not `Plain`, a list or a dictionary is other
people's and fenced; lists and dictionaries are written as JSON, an item a line."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template that is filled in. ``version`` is the beginning of the SHA-256 of its text, 12
    hexadecimal digits; ``optional`` are those of its ``fields`` that may be empty; ``sections`` are
    the paragraphs of each message."""

    name: str
    version: str
    fields: frozenset[str]
    optional: frozenset[str]
    sections: tuple[Section, ...]

    @classmethod
    def parse(cls, name: str, text: str) -> Prompt:
        """The prompt that a file's text makes. Raises PromptError for a broken one."""
        # Editors on Windows write CRLF: the version is a hash of the text and must not change by
        # it.
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        front = _FRONT.match(text)
        if front is None:
            raise PromptError(
                "it does not begin with 'fields: name, name?' between two lines of ---"
            )
        declared = [one.strip() for one in front[1].split(",") if one.strip()]
        names = [one.removesuffix("?") for one in declared]
        for one in names:
            if not _NAME.fullmatch(one) or names.count(one) > 1:
                raise PromptError(f"{one!r} is no name of a field, or stands twice in its front")
        optional = frozenset(one.removesuffix("?") for one in declared if one.endswith("?"))
        sections = _sections(text[front.end() :])
        _check_places(sections, frozenset(names), optional)
        version = sha256(text.encode()).hexdigest()[:_VERSION]
        return cls(name, version, frozenset(names), optional, sections)

    def fill(self, fields: Mapping[str, Field]) -> tuple[tuple[Role, str], ...]:
        """The messages, as role and content: always the same roles, in the same order.

        What a field holds is put in as it is and never read again. Raises PromptError for other
        fields than the prompt's, and for a value that cannot be written.
        """
        if self.fields != fields.keys():
            own, given = ", ".join(sorted(self.fields)), ", ".join(sorted(fields))
            raise PromptError(
                f"the prompt {self.name!r} has the fields {own}, and was given {given}"
            )
        left_out = {name for name in self.optional if fields[name] in ("", [], {})}
        template = "\n".join(paragraph for _, parts in self.sections for paragraph in parts)
        texts = write_fields(fields, template)

        def fill(parts: tuple[str, ...]) -> str:
            kept = (part for part in parts if left_out.isdisjoint(_PLACE.findall(part)))
            # One pass over the template: a place that stands in other people's text is not filled.
            return "\n\n".join(_PLACE.sub(lambda place: texts[place[1]], part) for part in kept)

        return tuple((role, fill(parts)) for role, parts in self.sections)


def _sections(body: str) -> tuple[Section, ...]:
    before, *parts = _HEADING.split(body)
    roles = [heading.strip() for heading in parts[::2]]
    if before.strip():
        raise PromptError("it has text before its first section, '# system' or '# user'")
    if roles not in _ORDERS:
        found = ", ".join(f"'# {role}'" for role in roles) or "none"
        raise PromptError(f"its sections are not '# system' and '# user', or '# user': {found}")
    sections = []
    for role, text in zip(roles, parts[1::2], strict=True):
        paragraphs = re.split(r"\n(?:[ \t]*\n)+", text.strip())
        sections.append((cast("Role", role), tuple(paragraphs)))
    return tuple(sections)


def _check_places(
    sections: tuple[Section, ...], fields: frozenset[str], optional: frozenset[str]
) -> None:
    """Each field has one place, other people's text is the user's, and no message can end up
    empty or without a field that was given."""
    places = [_PLACE.findall(part) for _, parts in sections for part in parts]
    used = [name for row in places for name in row]
    if other := sorted(fields.symmetric_difference(used)):
        raise PromptError(f"the field {other[0]!r} is not both in its front and in its text")
    for role, parts in sections:
        for name in _PLACE.findall("\n".join(parts)):
            if role == "system":
                raise PromptError(f"it uses {{{name}}} in '# system': fields are the user's")
            # Twice, a fence would stand twice in the messages, and its end could be taken for that
            # of the other.
            if used.count(name) > 1:
                raise PromptError(f"it uses {{{name}}} twice")
        lasting = [part for part in parts if optional.isdisjoint(_PLACE.findall(part))]
        if not any(lasting):
            raise PromptError(f"its section '# {role}' has nothing beside optional fields")
    if any(len(row) > 1 and not optional.isdisjoint(row) for row in places):
        raise PromptError("an optional field shares its paragraph, which is left out without it")


def write_fields(fields: Mapping[str, Field], template: str) -> dict[str, str]:
    """Each field as it is put into the template: the fenced ones with their fences.

    A fence is ``<name-marker>``, a line break, the text, a line break and ``</name-marker>``. The
    text is there byte for byte, but for tokens of chat templates, which are broken up
    (`halubot_prompts.template_tokens`). The marker is made from the hash of the text and is found
    in no field and not in the template: each tag stands in the messages once. Raises PromptError
    for a value that cannot be written.
    """
    texts = {
        name: text if isinstance(fields[name], Plain | int) else break_up(text)
        for name, text in ((name, _fence_text(name, value)) for name, value in fields.items())
    }
    around = (template, *texts.values())
    for name, value in fields.items():
        if not isinstance(value, Plain | int):
            # Made from the text and not by chance: the same prompt must be the same request, or no
            # store would find its answer.
            tag = f"{name}-{_marker(texts[name], around)}"
            texts[name] = f"<{tag}>\n{texts[name]}\n</{tag}>"
    return texts


def _fence_text(name: str, value: Field) -> str:
    if isinstance(value, str | int):
        return str(value)
    if not isinstance(value, list | dict):
        kind = type(value).__name__
        raise PromptError(
            f"the field {name!r} is a {kind}: give a string, number, list or dictionary"
        )
    # An item a line, so that a model finds its numbers at the beginnings of lines.
    try:
        if isinstance(value, list):
            first, lines, last = "[", [_line(item) for item in value], "]"
        else:
            lines = [f"{_line(str(key))}: {_line(item)}" for key, item in value.items()]
            first, last = "{}"
    except (TypeError, ValueError, RecursionError) as error:
        raise PromptError(f"the field {name!r} cannot be written as JSON: {error}") from error
    return f"{first}\n" + ",\n".join(lines) + f"\n{last}" if lines else first + last


def _line(value: Any) -> str:
    # Not escaped: an escape takes several tokens where a letter takes one or two, and models copy
    # it into their answers.
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _marker(text: str, around: Collection[str]) -> str:
    """The first hash of the text, counted on from 0, that nothing around it holds."""
    # Texts may hold half a surrogate pair, which UTF-8 refuses.
    data = text.encode("utf-8", "surrogatepass")
    markers = (sha256(b"%d:%b" % (turn, data)).hexdigest()[:_MARKER] for turn in count())
    return next(one for one in markers if not any(one in other for other in around))


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known one most like it, if any is."""
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.3)
    return f"did you mean {near[0]!r}?" if near else "none is like it"


class Library:
    """The prompts; each is read when it is first asked for.

    A ``NAME.md`` in ``folder`` replaces the bundled prompt of that name and has the same fields.
    The folder need not exist. Raises PromptError for one that cannot be read, and for a file in it
    that replaces nothing: it would otherwise be passed over in silence. (``README.md`` and other
    names with capitals are no prompts.)

    Words that several prompts share are parts: ``parts/NAME.md`` beside the bundled prompts stands
    if a line says ``{part NAME}``, in a person's own prompts too. Parts that only some calls
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
        # Read late: a command needs a few of some fifty, and a broken one should not stop those
        # that do not use it.
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
        return Plain(_part(name))


def _find_files(folder: Path) -> dict[str, Path]:
    """The files of a folder that are named like prompts, by name; none if there is no folder."""
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
            # Code fills these fields: a prompt without one of them would silently leave a text out.
            filled = Prompt.parse(name, _text(_BUNDLED / path.name)).fields
            if lacking := sorted(filled - prompt.fields):
                raise PromptError(f"it lacks the field {lacking[0]!r}")
            if strange := sorted(prompt.fields - filled):
                raise PromptError(f"it has a field {strange[0]!r} that nothing fills")
    except PromptError as error:
        remedy = "" if path.parent == _BUNDLED else "; mend or remove the file"
        raise PromptError(f"the prompt {path} cannot be used: {error}{remedy}") from error
    return prompt


def _text(path: Path) -> str:
    """The text of a prompt, its parts put in."""
    return _PART.sub(lambda place: _part(place[1]), _content(path))


def _part(name: str) -> str:
    parts = _find_files(_BUNDLED / "parts")
    if name not in parts:
        raise PromptError(f"there is no part {name!r}: {nearest(name, parts)}")
    return _content(parts[name]).strip()


def _content(path: Path) -> str:
    try:
        # A named pipe would be waited for without end.
        if not stat.S_ISREG(path.stat().st_mode):
            raise PromptError("it is not a regular file")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PromptError((error.strerror or str(error)).lower()) from error
    except UnicodeDecodeError as error:
        raise PromptError("it is not UTF-8 text") from error
