"""The settings file: a flat TOML table of option names and values.

An option of the command line beats its variable (``HALUBOT_METHOD``), the variable beats
the file, the file beats the default. Names are those of the options with ``_`` for ``-``:

    method = "consensus"
    on_doubt = "hedge"
    reference = ["/home/me/notes"]
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from halubot.errors import SettingError, explain
from halubot.work_file import write_whole

PREFIX = "HALUBOT_"
PATH_VARIABLE = "HALUBOT_CONFIG"
TABLES = ("discord",)
"""Tables of the settings file that hold more than settings of options."""


def variable(name: str) -> str:
    """The environment variable of a setting: ``on_doubt`` is ``HALUBOT_ON_DOUBT``."""
    return PREFIX + name.upper()


def path() -> Path:
    """The settings file: the one that HALUBOT_CONFIG names, else ``config.toml`` in the
    platform's folder for configuration. It need not exist."""
    named = os.environ.get(PATH_VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("halubot", appauthor=False) / "config.toml"


def store_folder() -> Path:
    """Return the usual folder of completions: ``store`` in the platform's
    folder for data. It need not exist."""
    from platformdirs import user_data_path

    return user_data_path("halubot", appauthor=False) / "store"


def read(known: Collection[str]) -> dict[str, Any]:
    """The settings of the file; none if there is no file.

    Raises SettingError for a file that cannot be read, that is not TOML, or that holds a
    name outside ``known``.
    """
    file = path()
    found = {name: value for name, value in _parse(file).items() if name not in TABLES}
    for name in found:
        require(name, known, f"in {file}")
    return found


def table(name: str) -> dict[str, Any]:
    """The table of that name, one of `TABLES`, in the settings file; empty if there is none.

    Raises SettingError for a file that cannot be read, or if the name is no table.
    """
    found = _parse(path()).get(name, {})
    if not isinstance(found, dict):
        raise SettingError(f"{name} in {path()} is no table: write [{name}] on a line of its own")
    return found


def _parse(file: Path) -> dict[str, Any]:
    """Return what a settings file holds; nothing if there is none. Raises SettingError."""
    try:
        return tomllib.loads(_text(file))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeError) as error:
        raise SettingError(f"cannot read the settings file {file}: {_why(error)}") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"{file} is not TOML: {error}") from error
    # Some thousand brackets are enough.
    except RecursionError as error:
        raise SettingError(f"{file} is not TOML: it is nested too deeply") from error


def require(name: str, known: Collection[str], where: str) -> None:
    """Raises SettingError, with the nearest known name, for a setting that does not exist."""
    if name in known:
        return
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
    raise SettingError(f"there is no setting {name!r} ({where}): {hint}")


def change(values: Mapping[str, Any]) -> Path:
    """Writes settings into the file and removes those that are None; the rest of the file,
    its comments too, stays as it is. Only its owner can read it then. Returns the file.

    Raises SettingError for a file that cannot be read or written.
    """
    import tomlkit
    from tomlkit.exceptions import ParseError

    file = path()
    try:
        _parse(file)  # what is wrong with it is told as where it is read
        table = tomlkit.parse(_text(file)) if file.exists() else tomlkit.document()
        for name, value in values.items():
            if value is not None:
                table[name] = value
            elif name in table:
                del table[name]
        file.parent.mkdir(parents=True, exist_ok=True)
        # For its owner's eyes only: an address may hold a password.
        write_whole(file, tomlkit.dumps(table), private=True)
    except ParseError as error:
        raise SettingError(f"{file} is not TOML: {error}") from error
    except (OSError, UnicodeError) as error:
        raise SettingError(f"cannot write the settings file {file}: {_why(error)}") from error
    return file


def _text(file: Path) -> str:
    """The content of a settings file; "" of the null device, which stands for no settings."""
    if file.exists() and not file.is_file():
        if file == Path(os.devnull):
            return ""
        raise OSError(None, "it is not a regular file")
    return file.read_text(encoding="utf-8")


def _why(error: OSError | UnicodeError) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeError) else explain(error)
