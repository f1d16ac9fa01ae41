"""One prompt: a Markdown file with its fields in front and a section for each role.

---
fields: facts, source, kind
---

# system

What to do.

# user

{facts}

{source}

A field stands in braces, once. A field with a question mark behind its name in front may be empty:
the paragraph that holds it is then left out. A line that begins with ``# `` begins a section.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, TypeAlias, cast

from halubot_prompts.errors import PromptError, nearest
from halubot_prompts.fence import Field, write_fields

Role: TypeAlias = Literal["system", "user"]
Section: TypeAlias = tuple[Role, tuple[str, ...]]

_VERSION = 12
_FRONT = re.compile(r"---\n(.*?)^---$\n?", re.DOTALL | re.MULTILINE)
_NAME = re.compile(r"[a-z]+(?:_[a-z]+)*")
_PLACE = re.compile(r"\{(\w+)\}")
_HEADING = re.compile(r"^# (.*)$", re.MULTILINE)
_ORDERS = (["system", "user"], ["user"])


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
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        front = _FRONT.match(text)
        if front is None:
            raise PromptError("it does not begin with its fields between two lines of ---")
        required, optional = _declared_fields(front[1])
        sections = _sections(text[front.end() :])
        _check_places(sections, required, optional)
        version = sha256(text.encode()).hexdigest()[:_VERSION]
        return cls(name, version, required | optional, optional, sections)

    def fill(self, fields: Mapping[str, Field]) -> tuple[tuple[Role, str], ...]:
        """The messages, as role and content: always the same roles, in the same order.

        What a field holds is put in as it is and never read again. Raises PromptError for a field
        the prompt does not have, one that is missing, and a value that cannot be written.
        """
        for name in fields:
            if name not in self.fields:
                hint = nearest(name, self.fields)
                raise PromptError(f"the prompt {self.name!r} has no field {name!r}: {hint}")
        missing = sorted(self.fields - fields.keys())
        if missing:
            raise PromptError(f"the prompt {self.name!r} needs the field {missing[0]!r}")
        left_out = {name for name in self.optional if _empty(fields[name])}
        template = "\n".join(paragraph for _, parts in self.sections for paragraph in parts)
        texts = write_fields(fields, template)

        def filled(parts: tuple[str, ...]) -> str:
            kept = (part for part in parts if left_out.isdisjoint(_PLACE.findall(part)))
            return "\n\n".join(_PLACE.sub(lambda place: texts[place[1]], part) for part in kept)

        return tuple((role, filled(parts)) for role, parts in self.sections)


def _declared_fields(front: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the fields that must be given something, and of those that may be empty."""
    key, colon, value = front.strip().partition(":")
    if key.strip() != "fields" or not colon or "\n" in value:
        raise PromptError("its front is not the one line 'fields: name, name?'")
    required: set[str] = set()
    optional: set[str] = set()
    for declared in filter(None, map(str.strip, value.split(","))):
        name = declared.removesuffix("?")
        if not _NAME.fullmatch(name):
            raise PromptError(f"{declared!r} is no name of a field: use a to z and _")
        if name in required | optional:
            raise PromptError(f"its front names the field {name!r} twice")
        (required if name == declared else optional).add(name)
    return frozenset(required), frozenset(optional)


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
        if paragraphs == [""]:
            raise PromptError(f"its section '# {role}' is empty")
        sections.append((cast("Role", role), tuple(paragraphs)))
    return tuple(sections)


def _check_places(
    sections: tuple[Section, ...], required: frozenset[str], optional: frozenset[str]
) -> None:
    """Each field has one place, other people's text is the user's, and no message can end up
    empty or without a field that was given."""
    used: set[str] = set()
    for role, paragraphs in sections:
        lasting = False
        for paragraph in paragraphs:
            places = _PLACE.findall(paragraph)
            for name in places:
                if name not in required | optional:
                    raise PromptError(f"it uses {{{name}}}, which its front does not name")
                if name in used:
                    raise PromptError(f"it uses {{{name}}} twice")
                used.add(name)
            if role == "system" and places:
                raise PromptError(f"it uses {{{places[0]}}} in '# system': fields are the user's")
            if len(places) > 1 and not optional.isdisjoint(places):
                both = " and ".join(f"{{{name}}}" for name in places)
                raise PromptError(
                    f"{both} share a paragraph that is left out where one of them is empty"
                )
            lasting = lasting or optional.isdisjoint(places)
        if not lasting:
            raise PromptError(f"its section '# {role}' has nothing beside optional fields")
    unused = sorted((required | optional) - used)
    if unused:
        raise PromptError(f"its front names the field {unused[0]!r}, which it does not use")


def _empty(value: Field) -> bool:
    return isinstance(value, str | list | dict) and not value
