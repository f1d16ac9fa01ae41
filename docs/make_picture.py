"""Draws the picture in the README: what `halubot demo` prints, as an SVG without a font or
anything else from the network.

    python docs/make_picture.py [FILE.svg]
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.segment import Segment, Segments
from rich.terminal_theme import TerminalTheme

from halubot import correct, demo
from halubot.render.terminal import render, render_correction

COLUMNS = 92
PICTURE = Path(__file__).parent / "images" / "demo.svg"
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
THEME = TerminalTheme(
    (24, 25, 29),
    (226, 224, 219),
    [
        (24, 25, 29),
        (255, 128, 117),
        (126, 211, 156),
        (240, 190, 100),
        (130, 170, 255),
        (232, 140, 235),
        (110, 205, 215),
        (226, 224, 219),
    ],
)


def template() -> str:
    """rich's template for SVG with the reader's own fonts in place of those it would fetch."""
    local = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return local.replace("Fira Code, monospace", FONTS)


def draw(file: Path) -> None:
    """Checks and corrects the demonstration and writes the picture of it."""
    given = demo.load()
    report = correct(
        given.text,
        question=given.question,
        samples=given.samples,
        references=given.references,
        on_doubt="remove",  # as the command does
    )
    console = Console(
        file=io.StringIO(),
        record=True,
        width=COLUMNS,
        force_terminal=True,
        color_system="standard",
        legacy_windows=False,
    )
    console.print("[bold]$[/] halubot demo\n")
    console.print(render(report))
    console.print()
    blanks = 0
    for line in console.render_lines(render_correction(report), pad=False):
        blanks += not any(segment.text.strip() for segment in line)
        # the edits one by one and the bare text would make the picture too long
        if blanks > 1 + report.text.count("\n\n"):
            break
        console.print(Segments([*line, Segment.line()]), end="")
    svg = console.export_svg(
        title="halubot demo", theme=THEME, code_format=template(), unique_id="halubot"
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE), encoding="utf-8")


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
