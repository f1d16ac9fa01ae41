"""The menus of a message."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.halubot_bots.discord.scene import RIGHT, WRONG, scene


def test_a_message_is_checked_against_other_answers_to_the_same(tmp_path: Path) -> None:
    async def work() -> None:
        async with scene(tmp_path) as here:
            asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
            for text in (RIGHT, f"{RIGHT} Indeed."):
                bot = here.peer.member(here.guild, here.peer.user("bot", bot=True))
                await here.peer.says(bot, here.channel, text, reply_to=asked)
            wrong = await here.peer.says(here.other, here.channel, WRONG, reply_to=asked)
            use = await here.peer.uses_menu(here.ben, wrong, "Check against these")
            await here.peer.until(lambda: "doubted" in use.text, "the card")
            assert use.ephemeral
            assert "1815" in use.text

    asyncio.run(work())
