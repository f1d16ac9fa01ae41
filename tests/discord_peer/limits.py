"""Discord's limits of what is sent: messages, components, commands.

Each function examines a body and raises the refusal that Discord would answer (50035 with the place
and the kind of each fault). Lengths are counted in UTF-16 code units.
"""

from __future__ import annotations

import re
from typing import Final

from tests.discord_peer.refusals import Form, Refusal
from tests.discord_peer.world import COMPONENTS_V2, Payload, each

CONTENT: Final = 2_000
V2_TEXT: Final = 4_000
PARTS: Final = 40
FILE_SIZE: Final = 10 * 1024 * 1024
Place = tuple[str | int, ...]

ROW, BUTTON, SELECT, TEXT, CONTAINER = 1, 2, 3, 10, 17
SELECTS: Final = {3, 5, 6, 7, 8}


def message(body: Payload, flags: int) -> None:
    """Examines a message as it would be after the request."""
    form = Form()
    form.text(body.get("content"), ("content",), CONTENT)
    form.text(body.get("nonce"), ("nonce",), 25)
    components = body.get("components") or []
    if flags & COMPONENTS_V2:
        if body.get("content"):
            wrong = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
            form.fault(("content",), wrong, "The 'content' field cannot be used with Components V2")
        _tree(components, form, top={TEXT, CONTAINER, ROW})
    else:
        form.count(components, ("components",), 5)
        _tree(components, form, top={ROW})
    form.done()
    if not (components or body.get("content")):
        raise Refusal(50006)


def _tree(components: list[Payload], form: Form, top: set[int]) -> None:
    """Examines all components of a message: kinds, nesting, count, ids and texts."""
    parts = list(each(components))
    if len(parts) > PARTS:
        wrong = f"Total number of components exceeds the maximum of {PARTS}"
        form.fault(("components",), "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", wrong)
    written = sum(
        len(str(part.get("content") or "").encode("utf-16-le", "surrogatepass")) // 2
        for part in parts
        if part["type"] == TEXT
    )
    if written > V2_TEXT:
        wrong = f"Total size of displayable text exceeds maximum size of {V2_TEXT}"
        form.fault(("components",), "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", wrong)
    custom = [part["custom_id"] for part in parts if part.get("custom_id")]
    if len(custom) != len(set(custom)):
        wrong = "Component custom id cannot be duplicated"
        form.fault(("components",), "COMPONENT_CUSTOM_ID_DUPLICATED", wrong)
    ids = [part["id"] for part in parts if part.get("id")]
    if len(ids) != len(set(ids)):
        form.fault(("components",), "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
    for place, part in enumerate(components):
        _part(part, ("components", place), form, top)


def _part(part: Payload, at: Place, form: Form, among: set[int]) -> None:
    kind = part.get("type")
    inner = part.get("components") or []
    if kind not in among:
        wrong = f'Value of field "type" must be one of {sorted(among)}.'
        form.fault((*at, "type"), "BASE_TYPE_CHOICES", wrong)
        return
    within: set[int] = set()
    if kind == ROW:
        form.count(inner, (*at, "components"), 5, 1)
        within = {BUTTON} | (SELECTS if len(inner) == 1 else set())
    elif kind == CONTAINER:
        form.count(inner, (*at, "components"), PARTS, 1)
        within = {ROW, TEXT}
    elif kind == TEXT:
        form.text(part.get("content"), (*at, "content"), V2_TEXT, 1)
    elif kind == BUTTON:
        _button(part, at, form)
    elif kind in SELECTS:
        _select(part, at, form)
    for place, one in enumerate(inner):
        _part(one, (*at, "components", place), form, within)


def _button(button: Payload, at: Place, form: Form) -> None:
    form.text(button.get("label"), (*at, "label"), 80)
    if not button.get("label") and not button.get("emoji"):
        wrong = "A button must have a label or an emoji"
        form.fault(at, "BUTTON_COMPONENT_INVALID", wrong)
    if button.get("style") in {1, 2, 3, 4}:
        form.text(button.get("custom_id"), (*at, "custom_id"), 100, 1)
    else:
        form.fault((*at, "style"), "BASE_TYPE_CHOICES", "Must be one of {1, 2, 3, 4, 5}.")


def _select(select: Payload, at: Place, form: Form) -> None:
    form.text(select.get("custom_id"), (*at, "custom_id"), 100, 1)
    form.text(select.get("placeholder"), (*at, "placeholder"), 150)
    if select["type"] != SELECT:
        return
    options = select.get("options") or []
    form.count(options, (*at, "options"), 25, 1)
    for place, option in enumerate(options):
        form.text(option.get("label"), (*at, "options", place, "label"), 100, 1)
        form.text(option.get("value"), (*at, "options", place, "value"), 100, 1)
        form.text(option.get("description"), (*at, "options", place, "description"), 100)
    values = [option.get("value") for option in options]
    if len(values) != len(set(values)):
        wrong = "The specified option value is already used"
        form.fault((*at, "options"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", wrong)


def mentions(allowed: Payload | None) -> None:
    """Examines who may be rung: a kind as a whole, or up to 100 of it."""
    form = Form()
    for kind in ("users", "roles"):
        listed = (allowed or {}).get(kind) or []
        form.count(listed, ("allowed_mentions", kind), 100)
        if listed and kind in ((allowed or {}).get("parse") or ()):
            wrong = f"parse:{[kind]} and {kind}: [ids...] are mutually exclusive."
            form.fault(("allowed_mentions",), "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", wrong)
    form.done()


def commands(bodies: list[Payload]) -> None:
    """Examines the commands of an application: 100 slash commands, 5 menus of a kind."""
    form = Form()
    names = [(body.get("type", 1), body.get("name")) for body in bodies]
    if len(names) != len(set(names)):
        wrong = "Application command names must be unique"
        form.fault((), "APPLICATION_COMMANDS_DUPLICATE_NAME", wrong)
    for place, body in enumerate(bodies):
        _command(body, (place,), form)
    form.done()
    kinds = [kind for kind, _ in names]
    if kinds.count(1) > 100 or kinds.count(2) > 5 or kinds.count(3) > 5:
        raise Refusal(30032)


def _command(body: Payload, at: Place, form: Form) -> None:
    form.text(body.get("name"), (*at, "name"), 32, 1)
    if body.get("type", 1) != 1:
        if body.get("description") or body.get("options"):
            wrong = "Context menu commands cannot have description"
            form.fault((*at, "description"), "APPLICATION_COMMAND_INVALID", wrong)
        return
    if _option(body, form, at) > 8_000:
        wrong = "Command exceeds maximum size (8000)"
        form.fault(at, "APPLICATION_COMMAND_TOO_LARGE", wrong)


def _option(body: Payload, form: Form, at: Place) -> int:
    """Examines a command or one of its options; the characters that count."""
    total = form.text(body.get("name"), (*at, "name"), 32, 1)
    total += form.text(body.get("description"), (*at, "description"), 100, 1)
    name = str(body.get("name"))
    if not re.fullmatch(r"[-_'\w]{1,32}", name) or name != name.lower():
        wrong = "Command name is invalid"
        form.fault((*at, "name"), "APPLICATION_COMMAND_INVALID_NAME", wrong)
    options = body.get("options") or []
    form.count(options, (*at, "options"), 25)
    needed = [bool(option.get("required")) for option in options]
    if needed != sorted(needed, reverse=True):
        wrong = "Required options must be placed before non-required options"
        form.fault((*at, "options"), "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", wrong)
    for place, option in enumerate(options):
        total += _option(option, form, (*at, "options", place))
    choices = body.get("choices") or []
    form.count(choices, (*at, "choices"), 25)
    for place, choice in enumerate(choices):
        total += form.text(choice.get("name"), (*at, "choices", place, "name"), 100, 1)
        if isinstance(choice.get("value"), str):
            total += form.text(choice["value"], (*at, "choices", place, "value"), 100, 1)
    return total
