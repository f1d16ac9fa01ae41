"""Discord's limits, each at its edge and one beyond."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from tests.discord_peer import limits
from tests.discord_peer.refusals import Refusal
from tests.discord_peer.world import COMPONENTS_V2, Payload


def _text(length: int) -> Payload:
    return {"type": 10, "content": "x" * length}


def _button(at: int = 0, **more: Any) -> Payload:
    return {"type": 2, "style": 2, "label": "b", "custom_id": f"b{at}"} | more


def _row(*parts: Payload) -> Payload:
    return {"type": 1, "components": list(parts)}


def _menu(options: int = 1, **more: Any) -> Payload:
    listed = [{"label": str(at), "value": str(at)} for at in range(options)]
    return {"type": 3, "custom_id": "m", "options": listed} | more


def _code(deed: Callable[[], None]) -> str:
    """The kind of the fault found, "" for none."""
    try:
        deed()
    except Refusal as refusal:
        found = json.dumps(refusal.errors)
        return found.split('"code": "')[1].split('"')[0] if refusal.errors else str(refusal.code)
    return ""


def _plain(**body: Any) -> str:
    return _code(lambda: limits.message({"content": "x"} | body, 0, []))


def _card(*parts: Payload, files: tuple[str, ...] = (), **body: Any) -> str:
    whole = {"components": list(parts)} | body
    return _code(lambda: limits.message(whole, COMPONENTS_V2, list(files)))


def _modal(*parts: Payload, **body: Any) -> str:
    whole = {"title": "t", "custom_id": "c", "components": list(parts)} | body
    return _code(lambda: limits.modal(whole))


def _field(label: int = 1, **more: Any) -> Payload:
    field = {"type": 4, "custom_id": f"f{label}", "style": 1} | more
    return {"type": 18, "label": "x" * label, "component": field}


LONG = "BASE_TYPE_MAX_LENGTH"
WRONG = "BASE_TYPE_BAD_LENGTH"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (lambda n: _plain(content="x" * (2000 + n)), LONG),
        (lambda n: _plain(embeds=[{"description": "x" * (4096 + n)}]), LONG),
        (lambda n: _plain(embeds=[{"title": "x" * (256 + n)}]), LONG),
        (lambda n: _plain(embeds=[{"footer": {"text": "x" * (2048 + n)}}]), LONG),
        (lambda n: _plain(embeds=[{"author": {"name": "x" * (256 + n)}}]), LONG),
        (
            lambda n: _plain(embeds=[{"fields": [{"name": "n", "value": "x" * (1024 + n)}]}]),
            LONG,
        ),
        (lambda n: _plain(embeds=[{"fields": [{"name": "n", "value": "v"}] * (25 + n)}]), WRONG),
        (
            lambda n: _plain(embeds=[{"description": "x" * (3000 + part)} for part in (0, n)]),
            "MAX_EMBED_SIZE_EXCEEDED",
        ),
        (lambda n: _plain(embeds=[{"title": "t"}] * (10 + n)), WRONG),
        (lambda n: _plain(components=[_row(_button(at)) for at in range(5 + n)]), WRONG),
        (lambda n: _plain(components=[_row(*[_button(at) for at in range(5 + n)])]), WRONG),
        (lambda n: _plain(components=[_row(_button(label="x" * (80 + n)))]), LONG),
        (lambda n: _plain(components=[_row(_button(custom_id="x" * (100 + n)))]), LONG),
        (lambda n: _plain(components=[_row(_menu(25 + n))]), WRONG),
        (lambda n: _plain(components=[_row(_menu(placeholder="x" * (150 + n)))]), LONG),
        (
            lambda n: _plain(
                components=[_row(_menu(options=1) | {"options": [_choice(100 + n)]})],
            ),
            LONG,
        ),
        (
            lambda n: _card({"type": 17, "components": [_text(1)] * (39 + n)}),
            "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
        ),
        (
            lambda n: _card({"type": 17, "components": [_text(2000), _text(2000 + n)]}),
            "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
        ),
        (  # what marks a text up counts too, and a letter of two units twice
            lambda n: _card(
                {"type": 10, "content": "**\U0001f600**<@1>" * 200},
                {"type": 10, "content": "**\U0001f600**<@1>" * 200 + "x" * n},
            ),
            "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
        ),
        (
            lambda n: _card(
                {"type": 9, "components": [_text(1)] * (3 + n), "accessory": _button()}
            ),
            WRONG,
        ),
        (
            lambda n: _card(
                {"type": 12, "items": [{"media": {"url": "https://x.org/a"}}] * (10 + n)}
            ),
            WRONG,
        ),
        (lambda n: _modal(_field(), title="x" * (45 + n)), LONG),
        (lambda n: _modal(_field(45 + n)), LONG),
        (lambda n: _modal(*[_field(at) for at in range(1, 6 + n)]), WRONG),
        (lambda n: _modal(_field(value="x" * (4000 + n))), LONG),
        (lambda n: _modal(_field(max_length=5, value="x" * (5 + n))), LONG),
        (lambda n: _modal(_field(placeholder="x" * (100 + n))), LONG),
    ],
)
def test_what_fits_passes_and_one_more_does_not(found: Callable[[int], str], expected: str) -> None:
    assert found(0) == ""
    assert found(1) == expected


def _choice(length: int) -> Payload:
    return {"label": "x" * length, "value": "v", "description": "x" * length}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (_plain(content=""), "50006"),
        (_plain(content="", components=[_row(_button())]), ""),
        (_card(), "50006"),
        (_card(_text(0)), WRONG),
        (_card(_text(1), content="x"), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"),
        (_card(_button()), "BASE_TYPE_CHOICES"),
        (_plain(components=[_text(1)]), "BASE_TYPE_CHOICES"),
        (_plain(components=[_row()]), WRONG),
        (_plain(components=[_row(_button(), _menu())]), "BASE_TYPE_CHOICES"),
        (_plain(components=[_row(_button(), _button())]), "COMPONENT_CUSTOM_ID_DUPLICATED"),
        (_plain(components=[_row(_button(label=None))]), "BUTTON_COMPONENT_INVALID"),
        (_plain(components=[_row(_button(custom_id=""))]), WRONG),
        (
            _plain(components=[_row(_button(style=5, custom_id=None, url="javascript:x"))]),
            "URL_TYPE_INVALID_SCHEME",
        ),
        (_card({"type": 13, "file": {"url": "attachment://a"}}, files=("a",)), ""),
        (
            _card({"type": 13, "file": {"url": "attachment://b"}}, files=("a",)),
            "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
        ),
        (_modal(), WRONG),
        (_modal({"type": 2}), "BASE_TYPE_CHOICES"),
    ],
)
def test_what_does_not_go_together_is_refused(found: str, expected: str) -> None:
    assert found == expected


@pytest.mark.parametrize(
    ("allowed", "ends"),
    [
        (None, nullcontext()),
        ({"parse": []}, nullcontext()),
        ({"parse": [], "users": ["1"] * 100}, nullcontext()),
        ({"parse": [], "users": ["1"] * 101}, pytest.raises(Refusal)),
        ({"parse": ["users"], "users": ["1"]}, pytest.raises(Refusal)),
    ],
)
def test_who_may_be_rung(allowed: Payload | None, ends: Any) -> None:
    with ends:
        limits.mentions(allowed)
