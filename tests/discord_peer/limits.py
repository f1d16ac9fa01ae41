"""Discord's limits of what is sent: messages, embeds, components, modals, commands.

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
EMBEDS: Final = 6_000
PARTS: Final = 40
FILES: Final = 10
FILE_SIZE: Final = 10 * 1024 * 1024
KEPT: Final = "https://cdn.discordapp.com"
"""Where files are that were attached before."""

Place = tuple[str | int, ...]

ROW, BUTTON, SELECT, INPUT = 1, 2, 3, 4
SELECTS: Final = {3, 5, 6, 7, 8}
SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER, LABEL, UPLOAD = (
    9,
    10,
    11,
    12,
    13,
    14,
    17,
    18,
    19,
)
V2_PARTS: Final = {SECTION, TEXT, THUMBNAIL, GALLERY, FILE, SEPARATOR, CONTAINER}


def message(body: Payload, flags: int, files: list[str]) -> None:
    """Examines a message as it would be after the request: ``body`` holds its content, embeds and
    components, ``files`` the names of what is attached."""
    form = Form()
    form.text(body.get("content"), ("content",), CONTENT)
    form.text(body.get("nonce"), ("nonce",), 25)
    form.count(body.get("embeds") or [], ("embeds",), 10)
    total = sum(
        _embed(one, ("embeds", at), form) for at, one in enumerate(body.get("embeds") or [])
    )
    if total > EMBEDS:
        form.fault(
            ("embeds",),
            "MAX_EMBED_SIZE_EXCEEDED",
            f"Embed size exceeds maximum size of {EMBEDS}",
        )
    form.count(files, ("attachments",), FILES)
    components = body.get("components") or []
    if flags & COMPONENTS_V2:
        for key in ("content", "embeds", "poll", "sticker_ids"):
            if body.get(key):
                form.fault(
                    (key,),
                    "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                    f"The '{key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
                )
        _tree(components, form, files, top=V2_PARTS | {ROW})
    else:
        form.count(components, ("components",), 5)
        _tree(components, form, files, top={ROW})
    form.done()
    written = body.get("content") or body.get("embeds") or files or body.get("sticker_ids")
    if not (components if flags & COMPONENTS_V2 else written or components):
        raise Refusal(50006)


def _embed(embed: Payload, at: Place, form: Form) -> int:
    """Examines an embed; the characters that count towards the limit of all embeds."""
    total = form.text(embed.get("title"), (*at, "title"), 256)
    total += form.text(embed.get("description"), (*at, "description"), 4096)
    total += form.text((embed.get("footer") or {}).get("text"), (*at, "footer", "text"), 2048)
    total += form.text((embed.get("author") or {}).get("name"), (*at, "author", "name"), 256)
    fields = embed.get("fields") or []
    form.count(fields, (*at, "fields"), 25)
    for place, entry in enumerate(fields):
        total += form.text(entry.get("name"), (*at, "fields", place, "name"), 256, 1)
        total += form.text(entry.get("value"), (*at, "fields", place, "value"), 1024, 1)
    return total


def _tree(components: list[Payload], form: Form, files: list[str], top: set[int]) -> None:
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
        _part(part, ("components", place), form, files, top)


def _part(part: Payload, at: Place, form: Form, files: list[str], among: set[int]) -> None:
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
    elif kind == SECTION:
        form.count(inner, (*at, "components"), 3, 1)
        within = {TEXT}
        accessory = part.get("accessory") or {}
        _part(accessory, (*at, "accessory"), form, files, {BUTTON, THUMBNAIL})
    elif kind == CONTAINER:
        form.count(inner, (*at, "components"), PARTS, 1)
        within = {ROW, SECTION, TEXT, GALLERY, FILE, SEPARATOR}
    elif kind == TEXT:
        form.text(part.get("content"), (*at, "content"), V2_TEXT, 1)
    elif kind == BUTTON:
        _button(part, at, form)
    elif kind in SELECTS:
        _select(part, at, form)
    elif kind == GALLERY:
        form.count(part.get("items"), (*at, "items"), 10, 1)
        for place, item in enumerate(part.get("items") or []):
            _media(item.get("media"), (*at, "items", place, "media"), form, files)
    elif kind == THUMBNAIL:
        _media(part.get("media"), (*at, "media"), form, files)
    elif kind == FILE:
        _media(part.get("file"), (*at, "file"), form, files, attached=True)
    for place, one in enumerate(inner):
        _part(one, (*at, "components", place), form, files, within)


def _button(button: Payload, at: Place, form: Form) -> None:
    form.text(button.get("label"), (*at, "label"), 80)
    if not button.get("label") and not button.get("emoji"):
        wrong = "A button must have a label or an emoji"
        form.fault(at, "BUTTON_COMPONENT_INVALID", wrong)
    if button.get("style") == 5:
        if not re.match(r"(https?|discord)://", str(button.get("url"))):
            wrong = "Scheme must be one of ('http', 'https', 'discord')."
            form.fault((*at, "url"), "URL_TYPE_INVALID_SCHEME", wrong)
        form.text(button.get("url"), (*at, "url"), 512, 1)
    elif button.get("style") in {1, 2, 3, 4}:
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


def _media(
    media: Payload | None, at: Place, form: Form, files: list[str], *, attached: bool = False
) -> None:
    url = str((media or {}).get("url"))
    if url.startswith("attachment://"):
        if url.removeprefix("attachment://") not in files:
            wrong = "The referenced attachment was not found"
            form.fault((*at, "url"), "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND", wrong)
    elif not re.match(f"{KEPT}/" if attached else r"https?://", url):
        wrong = "Scheme must be one of ('http', 'https', 'attachment')."
        form.fault((*at, "url"), "URL_TYPE_INVALID_SCHEME", wrong)


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


def modal(body: Payload) -> None:
    """Examines a modal."""
    form = Form()
    form.text(body.get("title"), ("data", "title"), 45, 1)
    form.text(body.get("custom_id"), ("data", "custom_id"), 100, 1)
    parts = body.get("components") or []
    form.count(parts, ("data", "components"), 5, 1)
    for place, part in enumerate(parts):
        at: Place = ("data", "components", place)
        if part.get("type") == LABEL:
            form.text(part.get("label"), (*at, "label"), 45, 1)
            form.text(part.get("description"), (*at, "description"), 100)
            _field(part.get("component") or {}, (*at, "component"), form)
        elif part.get("type") == ROW:
            form.count(part.get("components"), (*at, "components"), 1, 1)
            for field in part.get("components") or []:
                form.text(field.get("label"), (*at, "components", 0, "label"), 45, 1)
                _field(field, (*at, "components", 0), form)
        elif part.get("type") == TEXT:
            form.text(part.get("content"), (*at, "content"), V2_TEXT, 1)
        else:
            form.fault((*at, "type"), "BASE_TYPE_CHOICES", "Must be one of {1, 10, 18}.")
    form.done()


def _field(field: Payload, at: Place, form: Form) -> None:
    kind = field.get("type")
    if kind == INPUT:
        form.text(field.get("custom_id"), (*at, "custom_id"), 100, 1)
        form.text(field.get("value"), (*at, "value"), int(field.get("max_length") or 4000))
        form.text(field.get("placeholder"), (*at, "placeholder"), 100)
        if field.get("style") not in {1, 2}:
            form.fault((*at, "style"), "BASE_TYPE_CHOICES", "Must be one of {1, 2}.")
    elif kind in SELECTS:
        _select(field, at, form)
    elif kind != UPLOAD and kind not in {21, 22, 23}:
        form.fault((*at, "type"), "BASE_TYPE_CHOICES", "Must be one of {3, 4, 5, 6, 7, 8, 19}.")


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
