"""The licences of all that is installed with halubot, as the table in licences.md.

    python docs/list_licences.py

It reads what the packages say of themselves, in the environment that it runs in.
"""

from __future__ import annotations

import re
from collections import defaultdict
from importlib import metadata
from typing import Final

from packaging.markers import Marker

EXTRAS: Final = (
    *("", "docx", "zim", "web", "local", "dask"),
    *("service", "mcp"),
)
_SHORT: Final = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD",
    "3-Clause BSD License": "BSD-3-Clause",
    "Python Software Foundation License": "PSF-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}


def licence(name: str) -> str:
    """Return the licence that a package names: its expression, else its classifiers."""
    said = metadata.metadata(name)
    for expression in said.get_all("License-Expression") or ():
        return str(expression)
    kinds = [one.split(" :: ")[-1] for one in said.get_all("Classifier") or () if "License" in one]
    kinds = [_SHORT.get(kind, kind) for kind in kinds if kind != "OSI Approved"]
    # Older packages have one field for a name or for the whole text.
    named = [line for one in said.get_all("License") or () for line in one.splitlines()[:1]]
    named = [_SHORT.get(kind, kind) for kind in named]
    return " or ".join(kinds or named) or "not said"


def installed(name: str, extra: str = "") -> set[str]:
    """Return the names of all packages that a package brings, itself left out."""
    found: set[str] = set()
    waiting = [(name, extra)]
    while waiting:
        package, asked = waiting.pop()
        for requirement in metadata.requires(package) or ():
            needed, _, marker = requirement.partition(";")
            plain = re.match(r"[\w.-]+", needed)
            if plain is None or (marker and not Marker(marker).evaluate({"extra": asked})):
                continue
            one = re.sub(r"[-_.]+", "-", plain[0]).lower()
            try:
                metadata.version(one)
            except metadata.PackageNotFoundError:
                continue
            if one not in found:
                found.add(one)
                waiting.append((one, ""))
    return found


def table() -> str:
    """Return a line for each licence: of the base, and of what an extra adds to it."""
    lines = ["| installed by | licence | packages |", "| --- | --- | --- |"]
    base = installed("halubot")
    for extra in EXTRAS:
        by: dict[str, list[str]] = defaultdict(list)
        for name in sorted(installed("halubot", extra) - (base if extra else set())):
            by[licence(name)].append(name)
        shown = f"`halubot[{extra}]`" if extra else "`halubot`"
        lines += [f"| {shown} | {kind} | {', '.join(by[kind])} |" for kind in sorted(by)]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
