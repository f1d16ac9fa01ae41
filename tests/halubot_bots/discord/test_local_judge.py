"""The bot with a judge on its own computer, which no text leaves."""

from __future__ import annotations

from pathlib import Path

from halubot import demo
from halubot.report import Report
from tests import tiny_encoders
from tests.halubot_bots.discord.scene import Scene, has_card, run

tiny_encoders.require()


def test_the_demonstration_is_judged(tmp_path: Path) -> None:
    given = demo.load()
    article = (given.references[0].text or "").encode()
    reports: list[Report] = []

    async def work(here: Scene) -> None:
        message = await here.peer.says(
            here.ben, here.channel, given.text, files={"article.md": article}
        )
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), f"the card; it says {use.text!r}")
        kept = here.desk.memory.report(message.id, "facts")
        assert kept is not None
        reports.append(kept.report)
        privacy = await here.peer.uses_command(here.ben, here.channel, "privacy")
        await here.peer.until(lambda: "which judges" in privacy.text, privacy.text)

    run(tmp_path, work, judge=tiny_encoders.judge_of_demo(tmp_path / "tiny"))
    (report,) = reports
    assert (report.method, report.models.judge) == ("cascade", "nli:tiny")
    verdicts = {str(fact.triple): fact.verdict for fact in report.facts}
    assert verdicts["Construction completed in March 1889"] == "supported"
    assert report.usage.calls == 0
