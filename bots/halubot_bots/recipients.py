"""Who receives texts that are checked: what a person may want to know before they write any."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from halubot.errors import HalubotError
from halubot.knowledge.bases import About, home

if TYPE_CHECKING:
    from halubot_bots.settings import OwnerLimits, ServerSettings

WIKIPEDIA: Final = "wikipedia"


def receivers(server: ServerSettings, owner: OwnerLimits) -> tuple[str, ...]:
    """Return a line for every model, endpoint and base of knowledge in force with these settings;
    at least one."""
    found: list[str] = []
    model = owner.model(server.model)
    if model:
        found.append(f"{model}, the model that draws other answers and judges{_at(owner.api_base)}")
        if owner.judge_model and owner.judge_model != model:
            found[0] = f"{model}, the model that draws other answers{_at(owner.api_base)}"
            found.append(f"{owner.judge_model}, the model that judges{_at(owner.api_base)}")
    if owner.judge:
        from halubot.models.local.encoder_judge import judge_name

        name = judge_name(owner.judge)
        found.append(f"{name}, a model on the computer that halubot runs on, which judges")
    if server.knowledge in owner.knowledge and server.knowledge:
        found += _of_knowledge(server.knowledge)
    return tuple(found) or (
        "nobody but the computer that halubot runs on: no model and no knowledge is set up here",
    )


def _of_knowledge(name: str) -> list[str]:
    if name.partition(":")[0] == WIKIPEDIA:
        language = name.partition(":")[2] or "en"
        return [f"{language}.wikipedia.org, which is asked for what the facts are about"]
    if name.lower().endswith(".zim"):
        return [f"the file {PurePath(name).name}, which lies on the computer that halubot runs on"]
    found = [f"the base {name}, which lies on the computer that halubot runs on"]
    about = _about(name)
    if about.embedding_model:
        found.append(
            f"{about.embedding_model}, the model that searches that base{_at(about.api_base)}"
        )
    return found


def _about(name: str) -> About:
    try:
        return home(name).about()
    except HalubotError:
        return About()


def _at(endpoint: str) -> str:
    """The server of a model: one that is named, else that of its provider."""
    return f", at {endpoint}" if endpoint else ", at its provider's own address"
