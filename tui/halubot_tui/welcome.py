"""What stands where the text will be, while nothing is checked yet. The first frame shows it, so it
loads nothing of the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from halubot.render.captions import VERDICTS
from halubot_tui.theme import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot_tui.theme import Signs


def welcome(
    *, has_model: bool, compares: bool, asked: Sequence[str], signs: Signs, last: tuple[str, str]
) -> Iterator[Content]:
    """Yield what stands where the text will be: how to begin. ``asked`` says who receives what of a
    text that is looked up on the web, ``last`` is what there is to go on with and the
    title of its session, "" for none."""
    yield Content("halubot checks a text fact by fact.").stylize("bold")
    yield Content("")
    steps = ["Paste a text below." if not has_model else "Ask a question, or paste a text below."]
    if compares:
        steps.append("Enter checks it.")
    else:
        steps[0] += " Press Enter."
        steps.append("Paste another answer, or type the path of a source.")
        steps.append("Press Enter; Enter once more checks it.")
    for number, step in enumerate(steps, start=1):
        yield Content.assemble((f" {number} ", "bold $primary"), f" {step}")
    yield Content("")
    yield Content.assemble(
        "No text at hand? ", ("Open the example", "bold $primary underline @click=screen.example")
    )
    if not compares:
        yield Content.assemble(
            ("No source at hand? ", "$secondary"),
            ("Search the web", "$primary underline @click=screen.sources"),
            (" (+: Wikipedia, no key)", "$secondary"),
        )
    for line in asked:
        yield Content.assemble(("Web: ", "$accent"), (f"{line}.", "$secondary"))
    if last[1]:
        yield Content("")
        yield Content.assemble(
            f"{last[0]}: ", (last[1], "$primary underline @click=screen.sessions"), " (Ctrl+R)"
        )
    yield Content("")
    for verdict, meaning in MEANINGS.items():
        word, sign = VERDICTS[verdict], signs.verdict(verdict)
        look = f"${'unchecked' if verdict == 'not_checked' else verdict}"
        yield Content.assemble((f" {sign} {word:<13}", look), (f" {meaning}", "$secondary"))
