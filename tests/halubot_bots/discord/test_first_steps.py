"""From nothing to an annotated reply, by what docs/discord.md says and nothing else.

The bot runs in a process of its own with its own pauses; no model is set up.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from halubot_bots.discord.runner import check_up
from tests.discord_peer import Channel, Peer, User
from tests.halubot_bots.discord.apart import apart
from tests.halubot_bots.discord.scene import RIGHT, WRONG

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[3] / "docs" / "discord.md").read_text(encoding="utf-8")
STEPS = PAGE.partition("## Steps")[2].partition("\n## ")[0]


def test_the_page_leads_from_nothing_to_a_useful_annotation(tmp_path: Path) -> None:
    async def work() -> None:
        async with Peer.open(running_clock=True) as peer:
            guild = peer.guild("server", channels=("answers",))
            place, ada = guild.channel("answers"), guild.owner
            first, second = (
                peer.member(guild, peer.user(name, bot=True)) for name in ("First", "Second")
            )
            # 5. Invite
            assert "halubot discord --check" in STEPS
            found = await check_up(peer.token, reads_content=True, connector=peer.connector())
            assert found.invite.startswith("https://discord.com/oauth2/authorize")
            # 6. Switch it on
            async with apart(peer, tmp_path):
                (command,) = re.findall(r"type `/(\w+)`", STEPS)
                use = await peer.uses_command(ada, place, command)
                panel = use.response
                assert panel is not None
                menus = {
                    part["custom_id"]: part.get("placeholder", "")
                    for part in panel.parts
                    if part["type"] in {5, 8}
                }
                chosen: dict[str, list[Channel | User]] = {
                    "Watched channels": [place],
                    "Watched authors": [first, second],
                }
                for name, values in chosen.items():
                    assert f"*{name}*" in STEPS
                    (id,) = [id for id, words in menus.items() if words.startswith(name)]
                    await peer.selects(ada, panel, id, *values)
                assert "*Annotate: off*" in STEPS
                await peer.clicks(ada, panel, "Annotate: off")
                assert "Annotate: on" in panel.buttons
                asked = await peer.says(ada, place, "Who was Ada Lovelace?")
                wrong = await peer.says(first, place, WRONG, reply_to=asked)
                await peer.says(second, place, RIGHT, reply_to=asked)
                await peer.until(lambda: len(peer.said(place)) == 2, "both annotations")
            cards = {one.reply_to: one for one in peer.said(place)}
            assert "**1816**" in cards[wrong].text
            assert "1815" in cards[wrong].text
            assert "doubtful" in cards[wrong].text
            assert not peer.refused

    asyncio.run(work())
