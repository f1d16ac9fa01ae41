"""The app with a judge on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot import demo
from halubot_tui.app import HalubotApp
from halubot_tui.preferences import Preferences
from tests import tiny_encoders
from tests.halubot_tui.driving import driven, settled

tiny_encoders.require()

ARTICLE = Path(__file__).parents[2] / "halubot" / "demo" / "article.md"


@driven
async def test_the_demonstration_is_judged(tmp_path: Path) -> None:
    judge = tiny_encoders.judge_of_demo(tmp_path / "tiny")
    given = {"judge": judge, "reference": (ARTICLE,), "offline": True}
    preferences = Preferences.of(given)
    app = HalubotApp(folder=tmp_path / "state", text=demo.load().text, preferences=preferences)
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot, lambda: app._turns and not next(iter(app._turns.values())).running)
        (turn,) = app._turns.values()
        assert turn.failure is None
        report = turn.report
    assert report is not None
    assert (report.method, report.models.judge) == ("cascade", "nli:tiny")
    verdicts = {str(fact.triple): fact.verdict for fact in report.facts}
    assert verdicts["Construction completed in March 1889"] == "supported"
    assert report.usage.calls == 0


@pytest.mark.slow
def test_a_judge_is_a_preference(tmp_path: Path) -> None:
    none = Preferences()
    named = none.with_values(judge="nli:tiny")
    assert (none.judge, named.judge) == (None, "nli:tiny")
    assert named.options()["options"] == {"judge": "nli:tiny"}
    assert "options" not in named.options({"method": "consensus"})
    assert named.who == "nli:tiny: the text stays here"
    both = Preferences(model="openai/small", method_options={"judge": "nli:tiny"})
    assert both.who == "openai/small, nli:tiny: openai receives the text"
    assert named.with_values(judge=None).options() == none.options()
