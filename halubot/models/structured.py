"""Answers of a fixed shape: bound by a schema, validated always, asked again for what is missing.

What is still missing then comes back as missing, with its reason. No value is ever taken from
free text.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ValidationError

from halubot.concurrency import every
from halubot.models.answer_text import ParsedJson, find_fault, first_fault, read_json
from halubot.models.model import Completion, LanguageModel, Message, Request, Schema
from halubot.models.model_errors import ContextTooLongError, ModelError
from halubot_prompts import restore

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3
"""Calls for one answer at most, unless a caller allows fewer: once, and again twice."""

SHORT = 2_000
"""Characters of an answer that is read at once; to mend a longer one takes time, on a thread."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """One answer. ``value`` is None if none was usable, and ``reason`` then says why; both are
    there for a value whose text was cut off. ``error`` is the failure of a call."""

    value: T | None
    reason: str | None = None
    error: ModelError | None = None


@dataclass(frozen=True, slots=True)
class Answers(Generic[T]):
    """Answers by index: every index asked for is in ``found`` or, with its reason, in
    ``missing``. ``ending`` is what was to be written after them, None if it was not asked for
    or no use. ``error`` is the failure of a call, and ``failed`` are the missing indexes that it
    took: for the others an answer came, and was no use. ``completions`` are kept if their
    log-probabilities were asked for."""

    found: Mapping[int, T] = field(default_factory=dict)
    missing: Mapping[int, str] = field(default_factory=dict)
    completions: tuple[Completion, ...] = ()
    error: ModelError | None = None
    ending: BaseModel | None = None
    failed: frozenset[int] = frozenset()

    def renumber(self, own: Mapping[int, int]) -> Self:
        """Return the answers under their own numbers, those without one left out."""
        return replace(
            self,
            found={own[at]: one for at, one in self.found.items() if at in own},
            missing={own[at]: why for at, why in self.missing.items() if at in own},
            failed=frozenset(own[at] for at in self.failed if at in own),
        )


def join(parts: Sequence[Answers[T]]) -> Answers[T]:
    """Return the answers to several calls about different indexes, and the first failure."""
    return Answers(
        dict(sorted((index, one) for part in parts for index, one in part.found.items())),
        {index: why for part in parts for index, why in part.missing.items()},
        tuple(one for part in parts for one in part.completions),
        next((part.error for part in parts if part.error is not None), None),
        failed=frozenset(index for part in parts for index in part.failed),
    )


Again = Callable[[str, str], str]
"""What is written at the end of a prompt whose answer could not be used, from the reason and the
schema ("" if there is none)."""


async def ask(
    model: LanguageModel,
    request: Request,
    shape: type[T],
    *,
    note: Again,
    attempts: int = ATTEMPTS,
) -> Answer[T]:
    """One value of that shape, in so many ``attempts`` at most. The request's own schema and n are
    replaced; ``note`` writes what is added when it is asked for again.

    Never raises for what a model or a server does.
    """
    bound = replace(request, schema=schema_of(shape), n=1)
    partial: T | None = None
    reason = ""
    for attempt in range(attempts):
        try:
            (completion, *_) = await model.complete(_again(bound, attempt, reason, note))
        except ModelError as error:
            return Answer(partial, error.why, error)
        if (fault := find_fault(completion)) is not None:
            return Answer(partial, fault)
        try:
            read = await _read(completion)
            value = _validate(shape, read.value)
        except ValueError as error:
            reason = str(error)
            continue
        if read.whole:
            return Answer(value)
        partial, reason = value, "the answer was cut off"
        if _is_cut(completion):
            break  # the same answer would be cut again
    return Answer(partial, reason)


async def ask_each(
    model: LanguageModel,
    request_for: Callable[[tuple[int, ...]], Request],
    item: type[T],
    indexes: Sequence[int],
    *,
    preface: type[BaseModel] | None = None,
    ending: type[BaseModel] | None = None,
    note: Again,
    attempts: int = ATTEMPTS,
    spare: frozenset[int] = frozenset(),
    halve: bool = True,
) -> Answers[T]:
    """One value of that shape for each index; none is asked for if there are no indexes.
    Those in ``spare`` are not asked for again.

    ``request_for`` writes the request for some of the indexes: all of them first, then those that
    are still missing. The answer is an object whose keys are the indexes, which the schema fixes;
    before them stand the keys of ``preface``: what the model has to write down first, without
    which its answer is no use; after them those of ``ending``, which is asked for again, maybe
    alone, if it is no use. What an answer that was cut left out is asked for in halves, in a
    call each, unless there is an ending. Never raises for what a model or a server does.
    """
    found: dict[int, T] = {}
    missing = dict.fromkeys(indexes, "")
    lost: dict[int, str] = {}
    completions: list[Completion] = []
    ended: BaseModel | None = None
    reason = ""

    def answers(**more: Any) -> Answers[T]:
        ordered = dict(sorted(found.items()))
        return Answers(ordered, {**lost, **missing}, tuple(completions), ending=ended, **more)

    async def ask_halves(wanted: Sequence[int], *, again: bool, attempts: int) -> Answers[T]:
        # Halves, since how much fits is not known beforehand.
        middle = (len(wanted) + 1) // 2
        parts = await every(
            ask_each(
                model,
                lambda half: replace(request_for(half), again=again),
                item,
                half,
                preface=preface,
                note=note,
                attempts=attempts,
                spare=spare,
            )
            for half in (wanted[:middle], wanted[middle:])
        )
        return join([Answers(found, lost, tuple(completions)), *parts])

    for attempt in range(attempts):
        if not missing and (ending is None or ended is not None or not indexes):
            break
        wanted = tuple(missing)
        schema = schema_of_each(item, wanted, preface, ending)
        bound = replace(request_for(wanted), schema=schema, n=1)
        try:
            (completion, *_) = await model.complete(_again(bound, attempt, reason, note))
        except ModelError as error:
            fits = ending is not None or not isinstance(error, ContextTooLongError)
            if halve and not fits and len(wanted) > 1:
                return await ask_halves(wanted, again=bound.again, attempts=attempts)
            missing = dict.fromkeys(wanted, error.why)
            return answers(error=error, failed=frozenset(wanted))
        if bound.logprobs:  # the answers to a long message would fill the memory otherwise
            completions.append(completion)
        if (fault := find_fault(completion)) is not None:
            missing = dict.fromkeys(wanted, fault)
            return answers()
        reason = ""
        try:
            read = await _read(completion)
            taken, missing = _by_index(read, item, wanted, preface)
            if ending is not None and ended is None:
                ended, reason = _ending(read, ending)
            reason = next((f"{index}: {why}" for index, why in missing.items()), reason)
        except ValueError as error:
            taken, missing = {}, dict.fromkeys(wanted, str(error))
            reason = str(error)
        found |= taken
        lost |= {index: why for index, why in missing.items() if index in spare}
        missing = {index: why for index, why in missing.items() if index not in spare}
        if missing and ending is None and _is_cut(completion):
            left = attempts - attempt - 1
            if len(missing) == 1 or not left:
                break  # the same answer would be cut again
            return await ask_halves(tuple(missing), again=True, attempts=left)
    return answers()


def _is_cut(completion: Completion) -> bool:
    return completion.finish_reason == "length"


async def _read(completion: Completion) -> ParsedJson:
    """The JSON of an answer. Raises ValueError, with a reason for people, if it has none."""
    cut = _is_cut(completion)
    # A thread takes longer to begin than a short answer takes to read.
    if len(completion.text) <= SHORT:
        found = read_json(completion.text, cut=cut)
    else:
        found = await asyncio.to_thread(read_json, completion.text, cut=cut)
    # What it repeats of a text must be found in that text, which the prompt showed with dots.
    try:
        return replace(found, value=_restore(found.value))
    except RecursionError:
        raise ValueError("the answer was nested too deep") from None


def _restore(value: Any) -> Any:
    """A value of JSON with the tokens in it as they stand in the texts of the prompt."""
    match value:
        case str():
            return restore(value)
        case list():
            return [_restore(one) for one in value]
        case dict():
            return {restore(key): _restore(one) for key, one in value.items()}
    return value


@cache
def schema_of(shape: type[BaseModel]) -> Schema:
    """The JSON schema of a model, closed: no other key, and none left out."""
    return Schema.of(shape.__name__, _close(shape.model_json_schema()))


@lru_cache(maxsize=64)
def schema_of_each(
    item: type[BaseModel],
    indexes: tuple[int, ...],
    preface: type[BaseModel] | None = None,
    ending: type[BaseModel] | None = None,
) -> Schema:
    """The schema of an object with exactly these indexes as keys, and an item under each; the keys
    of a preface come first, those of an ending last. An item of one field is that field's value
    alone: it takes a third of the tokens."""
    shape = _close(item.model_json_schema())
    before, after = (_close(one.model_json_schema()) if one else {} for one in (preface, ending))
    kinds = {**before.pop("$defs", {}), **shape.pop("$defs", {}), **after.pop("$defs", {})}
    kinds[item.__name__] = shape if (only := _only_field(item)) is None else _flat(shape, only)
    each = {str(index): {"$ref": f"#/$defs/{item.__name__}"} for index in indexes}
    properties = {**before.get("properties", {}), **each, **after.get("properties", {})}
    value = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": kinds,
    }
    return Schema.of(f"{item.__name__}ByIndex", value)


def _only_field(item: type[BaseModel]) -> str | None:
    names = list(item.model_fields)
    return names[0] if len(names) == 1 else None


def _flat(shape: dict[str, Any], only: str) -> dict[str, Any]:
    value: dict[str, Any] = shape["properties"][only]
    return {"description": shape["description"], **value} if "description" in shape else value


def _close(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema without titles and defaults, all of whose objects have all their keys and no
    others, as the strict kinds demand."""
    closed: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            closed[key] = {name: _close(inner) for name, inner in value.items()}
        # Titles cost tokens of each call, and strict schemas know no defaults.
        elif key in ("title", "default"):
            continue
        elif isinstance(value, dict):
            closed[key] = _close(value)
        elif isinstance(value, list):
            closed[key] = [_close(one) if isinstance(one, dict) else one for one in value]
        else:
            closed[key] = value
    if "properties" in closed:
        closed["required"] = list(closed["properties"])
        closed["additionalProperties"] = False
    return closed


def _again(request: Request, attempt: int, reason: str, note: Again) -> Request:
    """The request as it is, or, after a failure, with the reason and the schema at its end. Its
    sample's index moves on, so that no store answers it with the answer that was no use; and
    nothing in it hangs on what is known of the model, so that a record of it replays."""
    if attempt == 0:
        return request
    added = note(reason, request.schema.json if request.schema is not None else "")
    *before, last = request.messages
    longer = Message(last.role, f"{last.content}\n\n{added}")
    return replace(request, messages=(*before, longer), first=request.first + attempt, again=True)


def _by_index(
    read: ParsedJson,
    item: type[T],
    wanted: Sequence[int],
    preface: type[BaseModel] | None,
) -> tuple[dict[int, T], dict[int, str]]:
    """The usable items, and why the others are not. Raises ValueError if none can be."""
    if not isinstance(read.value, dict):
        raise ValueError("the answer was not an object by index")
    given = dict(read.value)
    if preface is not None:
        written = preface.model_fields.keys() & given.keys()
        _validate(preface, {name: given[name] for name in written})
    cut: str | None = None
    if given and not read.whole:
        cut, _ = given.popitem()  # how much of the last item is there, nobody knows
    found: dict[int, T] = {}
    missing: dict[int, str] = {}
    for index in wanted:
        key = str(index)
        if key not in given:
            missing[index] = "the answer left it out" if cut is None else "the answer was cut off"
            continue
        try:
            found[index] = _validate(item, _as_object(item, given[key]))
        except ValueError as error:
            missing[index] = str(error)
    return found, missing


def _as_object(item: type[BaseModel], value: Any) -> Any:
    """The value of an item as an object; a server that does not enforce the schema may send one."""
    only = _only_field(item)
    return value if only is None or isinstance(value, dict) else {only: value}


def _ending(read: ParsedJson, shape: type[T]) -> tuple[T | None, str]:
    """Return the value after the items; or None, with the reason why it is of no use."""
    keys = list(read.value)
    given = dict(read.value) if read.whole else {key: read.value[key] for key in keys[:-1]}
    try:
        return _validate(shape, {k: given[k] for k in shape.model_fields if k in given}), ""
    except ValueError as error:
        return None, str(error)


def _validate(shape: type[T], value: Any) -> T:
    """The value as that shape, nothing converted. Raises ValueError with the first fault."""
    try:
        # By way of JSON: of Python values a strict pydantic takes no list for a tuple and no text
        # for an enumeration.
        return shape.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    except RecursionError:
        raise ValueError("the answer is nested too deep") from None
