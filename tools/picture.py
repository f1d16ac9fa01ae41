"""Draw the packages and the direction of their imports, as they are in the code.

    python -m tools.picture            write the picture into docs/architecture.md
    python -m tools.picture --check    fail if the picture there is not that of the code

An arrow that other arrows imply is left out: A -> C is not drawn if there are A -> B and B -> C.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

import grimp

PAGE: Final = Path(__file__).parents[1] / "docs" / "architecture.md"
ROOTS: Final = ("halubot", "halubot_tui", "halubot_bots", "halubot_cache", "halubot_prompts")
BEGIN: Final = "<!-- picture: written by python -m tools.picture -->\n"
END: Final = "<!-- end of the picture -->\n"

LOWEST: Final = frozenset(
    {"concurrency", "errors", "interrupt", "listener", "money", "network", "offline", "rate"}
    | {"reliability", "settings", "verdicts", "version", "work_file"}
)
"""Modules that almost everything may import; drawn as one box."""


def arrows() -> dict[str, set[str]]:
    """Return for each box the boxes that it imports, late imports counted."""
    # No cache: it would be left in the checkout.
    graph = grimp.build_graph(*ROOTS, cache_dir=None)
    found: dict[str, set[str]] = {}
    for module in graph.modules:
        here = _box(module)
        there = {_box(other) for other in graph.find_modules_directly_imported_by(module)}
        if here:
            found.setdefault(here, set()).update(filter(None, there - {here}))
    return found


def _box(module: str) -> str:
    """Return the box of a module: its package in the core, or its front end or store; "" for the
    public names and the start of the program."""
    root, _, rest = module.partition(".")
    if root != "halubot":
        return root
    name = rest.partition(".")[0]
    if name in ("", "__main__"):
        return ""
    return "basics" if name in LOWEST else name


def drawn(found: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the arrows that no others imply, sorted. Raises ValueError for a loop."""
    below: dict[str, set[str]] = {}

    def reach(box: str, above: tuple[str, ...]) -> set[str]:
        if box in above:
            raise ValueError(f"a loop: {' -> '.join((*above, box))}")
        if box not in below:
            below[box] = set(found.get(box, ()))
            for other in found.get(box, ()):
                below[box] |= reach(other, (*above, box))
        return below[box]

    return sorted(
        (box, other)
        for box, direct in found.items()
        for other in direct
        if not any(other in reach(third, (box,)) for third in direct - {other})
    )


def picture() -> str:
    """Return the picture as a block of Mermaid."""
    lines = [f"    {above} --> {below}" for above, below in drawn(arrows())]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```", ""])


def main() -> int:
    """Write or check the picture; return 1 if it is not up to date, else 0."""
    text = PAGE.read_text(encoding="utf-8")
    block = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    # A function, since a text would have its backslashes read as groups.
    fresh = block.sub(lambda _: f"{BEGIN}{picture()}{END}", text)
    if fresh == text:
        return 0
    if "--check" in sys.argv:
        print("docs/architecture.md: run python -m tools.picture")
        return 1
    PAGE.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
