"""Reading files and folders into a base, and taking them out again.

What was read before and has not changed is passed over. What cannot be read is left out and named,
and its former passages go, for they may not be what it says any more; the rest goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from halubot.errors import (
    HalubotError,
    InputError,
    MissingExtraError,
    SettingError,
    UnreadableError,
)
from halubot.evidence.sources import files_below, is_folder, leaves
from halubot.knowledge.bases import About, Home
from halubot.knowledge.file_import import Filing
from halubot.knowledge.index import PassageIndex, Writer
from halubot.knowledge.vectors import Embed, embedder


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding: how many files are new, changed and unchanged; the paths of those that
    are gone, with their passages; what was left out, and why; and what the base holds now."""

    new: int
    changed: int
    unchanged: int
    gone: tuple[str, ...]
    left_out: tuple[HalubotError, ...]
    files: int
    passages: int


@dataclass(frozen=True, slots=True)
class Step:
    """How far adding is: ``done`` of ``of`` files, now reading ``path``, ``passages`` so far."""

    path: str
    done: int
    of: int
    passages: int


def _open_embedder(model: str, api_base: str) -> Embed:
    from halubot.models import open_model

    return embedder(open_model(model, api_base or None))


def add(
    home: Home,
    paths: Sequence[str | os.PathLike[str]],
    *,
    embedding_model: str = "",
    api_base: str = "",
    wait: Callable[[], object] = lambda: None,
    watch: Callable[[Step], object] = lambda _: None,
    open_embedder: Callable[[str, str], Embed] = _open_embedder,
) -> Added:
    """Adds files, and folders with every readable file below them that is not hidden, to a base,
    which is made where there is none and one of the paths exists. Files below a folder that are
    gone are dropped.

    ``embedding_model``, a name as litellm writes it, gives the passages vectors, and stays the
    base's own. ``wait`` is called once where another process writes to the base, before waiting
    for it. Whatever ends this early, what was read by then lasts, and the same call completes it.
    Raises SettingError for another embedding model than the base's, KnowledgeError where the base
    is damaged or cannot be written, ModelError where the model gives no vectors.
    """
    roots = [Path(os.path.abspath(Path(path).expanduser())) for path in paths]
    with home.locked(wait):
        new = not home.exists()
        about = _settle(home, embedding_model, api_base, roots)
        embed = (
            open_embedder(about.embedding_model, about.api_base) if about.embedding_model else None
        )
        home.say(about)
        with _begin(home) if new else nullcontext():
            index = PassageIndex.create(home.index, home.name)
            known = index.records()
            filing = Filing(index.writer(), known, embed)
            with _lasting(filing.writer, filing):
                gone = _read(roots, filing, watch)
        held = filing.known.values()
        if new and not held and not any(os.path.lexists(root) for root in roots):
            home.remove()
    return Added(
        filing.new,
        filing.changed,
        filing.unchanged,
        tuple(gone),
        tuple(filing.left_out),
        len(held),
        sum(record.passages for record in held),
    )


def take_out(
    home: Home,
    paths: Sequence[str | os.PathLike[str]],
    *,
    wait: Callable[[], object] = lambda: None,
) -> list[str]:
    """Drops the passages of these files, and of all that were read below these folders; returns
    the files. Raises InputError for a path that nothing was read from, KnowledgeError."""
    roots = [Path(os.path.abspath(Path(path).expanduser())) for path in paths]
    with home.locked(wait):
        about = home.about()
        index = PassageIndex.open(home.index, home.name)
        known = index.records()
        dropped: list[str] = []
        for root in roots:
            below = [path for path in known if Path(path).is_relative_to(root)]
            if not below:
                raise InputError(f"the base {home.name!r} holds nothing of {root}")
            dropped += below
        filing = Filing(index.writer(), known, None)
        with _lasting(filing.writer, filing):
            for path in dropped:
                filing.drop(path)
        home.say(replace(about, paths=tuple(p for p in about.paths if Path(p) not in roots)))
    return sorted(set(dropped))


def _settle(home: Home, model: str, api_base: str, roots: Sequence[Path]) -> About:
    """What the base says of itself from now on. Raises SettingError for another model."""
    about = home.about()
    if model and model != about.embedding_model:
        if PassageIndex.exists(home.index):
            has = f"vectors by {about.embedding_model}" if about.embedding_model else "no vectors"
            raise SettingError(
                f"the base {home.name!r} has {has}, and all its vectors must be by one model: give"
                f" that, or build the base again (halubot knowledge remove {home.name})"
            )
        about = replace(about, embedding_model=model)
    # The same model may have moved to another server.
    about = replace(about, api_base=api_base or about.api_base)
    paths = dict.fromkeys([*about.paths, *(str(root) for root in roots if _is_utf8(root))])
    return replace(about, paths=tuple(paths))


@contextmanager
def _begin(home: Home) -> Iterator[None]:
    """Removes a new base again where this ends early and nothing was read: it would hold its maker
    to a model that may not exist."""
    try:
        yield
    except BaseException:
        with suppress(HalubotError):
            if not PassageIndex.open(home.index, home.name).records():
                home.remove()
        raise


class _lasting:  # noqa: N801 - read as a word: with _lasting(...)
    """Commits what was done, also where it ends early; a file that is half done is forgotten."""

    def __init__(self, writer: Writer, filing: Filing) -> None:
        self._writer = writer
        self._filing = filing

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._writer.commit()
            self._writer.close()
            return
        # What ended it is told, not what then fails besides.
        with suppress(HalubotError):
            if self._filing.half:
                self._writer.rollback()
            else:
                self._writer.commit()
        self._writer.close(wait=False)


def _read(roots: Sequence[Path], filing: Filing, watch: Callable[[Step], object]) -> list[str]:
    """Files all that is below the roots; returns what is gone."""
    files: dict[Path, None] = {}
    gone: list[str] = []
    for root in roots:
        if str(root) in filing.known and _is_gone(str(root)):
            gone.append(str(root))
        elif not is_folder(root):
            files[root] = None
        else:
            try:
                files.update(dict.fromkeys(files_below(root, filing.left_out)))
            except UnreadableError as error:
                filing.left_out.append(error)
                continue
            below = (path for path in filing.known if Path(path).is_relative_to(root))
            missing = (Path(path) for path in below if Path(path) not in files)
            gone += [str(one) for one in missing if _is_gone(str(one)) or _leads_out(one, root)]
    gone = list(dict.fromkeys(gone))
    for lost in gone:
        filing.drop(lost)
    for done, path in enumerate(files):
        watch(Step(str(path), done, len(files), filing.passages))
        try:
            if not _is_utf8(path):
                raise UnreadableError(ascii(str(path)), "its name is not UTF-8; rename it")
            filing.file(path, lambda: watch(Step(str(path), done, len(files), filing.passages)))  # noqa: B023
        except (InputError, MissingExtraError) as error:
            filing.left_out.append(error)
            filing.drop(str(path))
    return sorted(gone)


def _is_gone(path: str) -> bool:
    """Whether a file is surely gone, and not merely out of reach."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _leads_out(path: Path, root: Path) -> bool:
    """Return whether a file that was read below a folder is a link that leaves it."""
    return path.is_symlink() and leaves(path, root.resolve())


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
