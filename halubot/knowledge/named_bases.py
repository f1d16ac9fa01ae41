"""Knowledge bases opened by the names a person gives, and searched as one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

from halubot.errors import HalubotError, KnowledgeError, SettingError
from halubot.events import Emit, Event, Note
from halubot.evidence.retrieval import Passage
from halubot.knowledge.bases import FILES, WIKIPEDIA, home, homes, is_file
from halubot.knowledge.knowledge_base import Knowledge

Named = str | Path | Knowledge
"""A base by its name, the path of a ZIM file, or a base that is open."""


def join(
    named: Named | Iterable[Named] | None, *, offline: bool = False, folder: Path | None = None
) -> Joined | None:
    """Open the bases that are named, join them with those given, each once, and return them as one
    base; None if there are none. `Joined.close` closes only those that were opened here.

    ``folder`` holds the built bases, if it is not the usual folder. Raises SettingError for an
    unknown name, and with ``offline`` for a base that needs the network; KnowledgeError for a base
    that cannot be opened.
    """
    if named is None:
        return None
    if isinstance(named, str | os.PathLike | Knowledge):
        named = [named]
    bases: list[Knowledge] = []
    own: list[Knowledge] = []
    try:
        for one in named:
            if isinstance(one, Joined):
                bases += one.bases
            elif isinstance(one, Knowledge):
                bases.append(one)
            else:
                own.append(_open(one, offline, folder))
                bases.append(own[-1])
    except BaseException:
        for base in own:
            base.close()
        raise
    return Joined(tuple(dict.fromkeys(bases)), own=own) if bases else None


def _open(name: str | Path, offline: bool, folder: Path | None) -> Knowledge:
    """Open the base with this name."""
    if not isinstance(name, str | os.PathLike):
        raise SettingError(f"knowledge is {type(name).__name__}, not a name, and no base")
    if not str(name).strip():
        raise SettingError("a knowledge base has a name: halubot knowledge list shows them")
    return open_knowledge(os.fspath(name), offline=offline, folder=folder)


def _nobody(event: Event) -> None:
    """Ignore an event."""


class Joined:
    """Several bases as one `Knowledge`.

    A base that fails is not searched again, and ``emit`` gets a note of it; the others go on.
    `close` closes only the bases in ``own``.
    """

    def __init__(
        self, bases: Sequence[Knowledge], *, own: Sequence[Knowledge] = (), emit: Emit = _nobody
    ) -> None:
        self.bases = tuple(bases)
        self.name = ", ".join(base.name for base in self.bases)
        self.online = any(base.online for base in self.bases)
        self._own = tuple(own)
        self._emit = emit
        self._failed: dict[str, HalubotError | OSError] = {}
        self._noted: set[str] = set()

    def heard_by(self, emit: Emit) -> Joined:
        """Return the same bases for one run, whose notes go to ``emit``; closing them closes
        nothing."""
        return Joined(self.bases, emit=emit)

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """Return the ``k`` passages of all bases that are nearest to the query: the nearest of each
        base in turn, each text once. Raises KnowledgeError if every base has failed."""
        left = [base for base in self.bases if base.name not in self._failed]
        rows = await asyncio.gather(*(self._of(base, query, k) for base in left))
        if len(self._failed) == len({base.name for base in self.bases}):
            whys = "; ".join(map(str, self._failed.values()))
            raise KnowledgeError(f"no knowledge could be searched: {whys}")
        found: dict[str, Passage] = {}
        for turn in zip_longest(*rows):
            for passage in turn:
                if passage is not None:
                    found.setdefault(passage.text, passage)
        return tuple(found.values())[:k]

    async def _of(self, base: Knowledge, query: str, k: int) -> tuple[Passage, ...]:
        """Return the passages of one base; empty if it fails."""
        try:
            found = await base.search(query, k)
        except (HalubotError, OSError) as error:
            if base.name not in self._failed:
                self._failed[base.name] = error
                self._emit(Note(what=f"{base.name} could not be searched", why=str(error)))
            return ()
        for note in getattr(base, "notes", ()):
            if note not in self._noted:
                self._noted.add(note)
                what, _, why = note.partition(": ")
                self._emit(Note(what=what, why=why))
        return found

    def close(self) -> None:
        """Close the bases that were opened for it."""
        for base in self._own:
            base.close()


def open_knowledge(name: str, *, offline: bool = False, folder: Path | None = None) -> Knowledge:
    """Open the knowledge base that ``--knowledge NAME`` means.

    A name is that of a base that was built, ``wikipedia`` or, in another language,
    ``wikipedia:de``, or the path of a ZIM file. ``folder`` holds the built bases, by default
    `halubot.knowledge.bases.bases_folder`.

    Raises SettingError for an unknown name, with the nearest known one, and for Wikipedia if
    ``offline``; KnowledgeError if a base or a file is damaged or missing.
    """
    kind, _, language = name.partition(":")
    if kind.lower() == WIKIPEDIA:
        if offline:
            raise SettingError(
                f"{name} is looked up online, and --offline lets nothing out of this machine: use"
                " a base of your own, or a ZIM file of Wikipedia"
            )
        from halubot.knowledge.wikipedia import Wikipedia

        return Wikipedia(language or "en")
    if is_file(name):
        path = Path(name).expanduser()
        # Loaded by its name: a reader of files may need a library that is not installed.
        module, _, reader = FILES[path.suffix.lower()].partition(":")
        opened: Knowledge = getattr(import_module(module), reader)(path)
        return opened
    built = {one.name: one for one in homes(folder)}
    if name not in built:
        raise SettingError(_unknown(name, sorted(built)))
    from halubot.knowledge.local import open_local

    return open_local(home(name, folder), offline=offline)


def _unknown(name: str, built: list[str]) -> str:
    near = get_close_matches(name, [*built, WIKIPEDIA], n=1, cutoff=0.5)
    there = f"there are {', '.join([*built, WIKIPEDIA])}" if built else "none is built yet"
    hint = f"did you mean {near[0]!r}? ({there})" if near else there
    return (
        f"there is no knowledge base {name!r}: {hint}; build one by halubot knowledge add NAME"
        " PATH, or give wikipedia, or the path of a ZIM file"
    )
