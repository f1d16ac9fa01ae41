"""Models to choose from: those of servers on this machine, and those of providers whose key is in
the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from halubot.models.reachable import Reachable
    from halubot_tui.preferences import Preferences

MOST: Final = 100
"""Models that are listed; what is typed in the field of the model narrows them down."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model by the name that halubot is given, the address that goes with it, and what is to be
    known of it in a few words."""

    name: str
    api_base: str | None
    about: str


def find_offers(preferences: Preferences) -> list[Offer]:
    """The models that can be reached, those named and those of this machine first. Takes two
    seconds at most; no other machine is asked."""
    from halubot.models.published import chat_models
    from halubot.models.reachable import keys_set, reachable

    named = {preferences.model: "file"} if preferences.model else {}
    found, _ = reachable(named, preferences.api_base, offline=preferences.offline)
    offers = [Offer(one.name, one.api_base, _where(one)) for one in found]
    known = {one.name for one in found}
    for provider, key in () if preferences.offline else keys_set().items():
        where = f"{provider} receives the text; {key} is set"
        for name in chat_models(provider):
            if name not in known:
                offers.append(Offer(name, None, where))
    return offers


def matching(offers: Iterable[Offer], typed: str) -> list[Offer]:
    """The offers whose name has what is typed in it; all of them if what is typed is the whole name
    of one, or nothing."""
    offers = list(offers)
    word = typed.strip().casefold()
    if any(one.name.casefold() == word for one in offers):
        word = ""
    return [one for one in offers if word in one.name.casefold()][:MOST]


def _where(one: Reachable) -> str:
    where = "the text stays here" if one.local else f"{one.endpoint} receives the text"
    return f"{where}; {one.missing_key} is not set" if one.missing_key else where
