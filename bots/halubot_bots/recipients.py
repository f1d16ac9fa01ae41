"""The receivers of texts that are checked: a person may want to know them before they write."""

from __future__ import annotations

from contextlib import suppress
from ipaddress import ip_address
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from halubot.evidence.knowledge.bases import WIKIPEDIA
from halubot_bots.catalogue import phrase

if TYPE_CHECKING:
    from halubot_bots.settings import OwnerLimits, ServerSettings


def receivers(server: ServerSettings, owner: OwnerLimits) -> tuple[str, ...]:
    """Return a line for every model, endpoint and knowledge base in force with these settings;
    at least one."""
    found: list[str] = []
    model = owner.model(server.model)
    if model:
        at, apart = _at(owner.api_base), owner.judge_model not in ("", model)
        name = "receiver.draws" if apart else "receiver.both"
        found.append(phrase(name, model=model, at=at))
        if apart:
            found.append(phrase("receiver.judges", model=owner.judge_model, at=at))
    if server.knowledge in owner.knowledge and server.knowledge:
        found += _of_knowledge(server.knowledge)
    if server.web and owner.web:
        found.append(phrase("receiver.web", name=owner.web))
    return tuple(found) or (phrase("receiver.nobody"),)


def _of_knowledge(name: str) -> list[str]:
    if name.partition(":")[0] == WIKIPEDIA:
        return [phrase("receiver.wikipedia", language=name.partition(":")[2] or "en")]
    return [phrase("receiver.base", name=PurePath(name).name)]


def _at(endpoint: str) -> str:
    """Return the server of a model: one that is named, else that of its provider. Members see
    neither keys in its address nor names within the owner's network."""
    if not endpoint:
        return phrase("receiver.at_provider")
    host = urlsplit(endpoint).hostname or ""
    with suppress(ValueError):
        if ip_address(host).is_private:
            host = ""
    known = "." in host.removesuffix(".local").removesuffix(".internal").removesuffix(".lan")
    return phrase("receiver.at", endpoint=host) if known else phrase("receiver.at_own")
