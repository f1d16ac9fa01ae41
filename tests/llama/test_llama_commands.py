"""Every method as published, with a model of random weights on a real server: it reads each prompt,
and its grammar takes each schema. What the merged methods and the commands do there is shown with
real weights (`test_smollm`), and what happens to nonsense over the scripted server of other tests.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import halubot
from halubot.methods import get
from halubot.methods.registry import method_names
from halubot.models import open_model

MESSAGE = "Ada Lovelace was born in 1815 in London. She wrote about the Analytical Engine."
OTHERS = ("Ada Lovelace was born in London in 1815.", "She wrote about an engine in 1843.")
ASKING = [name for name in method_names() if "model" in get(name).needs]
"""The methods that ask a model of their own accord."""


@pytest.mark.parametrize("method", ASKING)
def test_a_message_is_checked_as_published(
    server: str, nobody: Path, tmp_path: Path, method: str
) -> None:
    needed = get(method).needs
    report = halubot.check(
        MESSAGE,
        method=method,
        as_published=True,
        samples=OTHERS if "samples" in needed else (),
        references=OTHERS[:1] if "samples" not in needed else (),
        question="Who was Ada Lovelace?",
        model="openai/tiny",
        api_base=server,
        store=tmp_path / "store",
        deadline=240.0,
    )
    assert report.text == MESSAGE
    assert report.method == method
    assert report.usage.calls > 0
    assert open_model("openai/tiny", server).capabilities.schema is True
