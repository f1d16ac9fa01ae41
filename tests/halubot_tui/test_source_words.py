"""What sources have beside the entries of a report."""

from __future__ import annotations

import asyncio

from halubot.events import fold
from halubot.evidence import text_source
from halubot_tui.source_words import Beside, FindNear
from tests.halubot_tui.canned import events_of


def test_the_nearest_sentences_of_sources_are_found() -> None:
    text = "The moon is green. Xyzzy. The grey moon has 3 rings."
    told = ("# The moon\n\nThe moon is grey. The moon has 5 rings.", "Nothing of it.")
    sources = [text_source(one, "reference", n) for n, one in enumerate(told, start=1)]
    found = asyncio.run(FindNear(fold(events_of(text, sources)))(lambda event: None))
    assert found["f0"].near[0] == ("r1", "The moon is grey.")
    assert found["f1"] == Beside()
    assert found["f2"].values == ("5",)
    assert text[slice(*found["f2"].place or (0, 0))] == "3"
    assert not [one for beside in found.values() for one in beside.near if one[1] == "The moon"]
