"""The entrance to knowledge: from the name a person gives to what things are looked up in."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Final

from halubot.errors import SettingError
from halubot.knowledge.bases import home, homes
from halubot.knowledge.knowledge_base import Knowledge

_WIKIPEDIA: Final = "wikipedia"


def open_knowledge(name: str, *, offline: bool = False, folder: Path | None = None) -> Knowledge:
    """What ``--knowledge NAME`` means: a base that was built, by its name; ``wikipedia`` or, in
    another language, ``wikipedia:de``; or the path of a ZIM file. ``folder`` is where built bases
    lie, by default `bases.bases_folder`.

    With ``offline`` nothing leaves this machine. Raises SettingError for a name that is none of
    these, naming the nearest, and for Wikipedia offline; KnowledgeError where a base or a file is
    damaged or missing.
    """
    kind, _, language = name.partition(":")
    if kind.lower() == _WIKIPEDIA:
        if offline:
            raise SettingError(
                f"{name} is looked up online, and --offline lets nothing out of this machine: use"
                " a base of your own, or a ZIM file of Wikipedia"
            )
        from halubot.knowledge.wikipedia import Wikipedia

        return Wikipedia(language or "en")
    if name.lower().endswith(".zim"):
        from halubot.knowledge.zim import Zim

        return Zim(Path(name).expanduser())
    built = {one.name: one for one in homes(folder)}
    if name not in built:
        raise SettingError(_unknown(name, sorted(built)))
    from halubot.knowledge.local import open_local

    return open_local(home(name, folder), offline=offline)


def _unknown(name: str, built: list[str]) -> str:
    near = get_close_matches(name, [*built, _WIKIPEDIA], n=1, cutoff=0.5)
    there = f"there are {', '.join([*built, _WIKIPEDIA])}" if built else "none is built yet"
    hint = f"did you mean {near[0]!r}? ({there})" if near else there
    return (
        f"there is no base of knowledge {name!r}: {hint}; build one by halubot knowledge add NAME"
        " PATH, or give wikipedia, or the path of a ZIM file"
    )
