"""Which commands a plain client offers at the loopback Discord, to whom, and with which options."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from discord import app_commands

from tests.discord_peer import NotShown
from tests.discord_peer.bare import Bare, run, scene

Asked = discord.Interaction[Any]


def test_a_menu_carries_its_message_without_the_intent() -> None:
    async def go() -> None:
        read: list[str] = []

        def prepare(client: Bare) -> None:
            @client.tree.context_menu(name="Check facts")
            async def menu(asked: Asked, message: discord.Message) -> None:
                read.append(f"{message.content} {message.author.name}")
                await asked.response.send_message("ok", ephemeral=True)

        async with scene(prepare, discord.Intents.default()) as here:
            said = await here.peer.says(here.ada, here.channel, "1828")
            asked = await here.peer.uses_menu(here.ada, said, "Check facts")
            assert (asked.text, asked.ephemeral, read) == ("ok", True, ["1828 Ada"])
            with pytest.raises(NotShown):
                await here.peer.uses_menu(here.ada, said, "Check")

    run(go)


def test_options_groups_choices_and_attachments() -> None:
    async def go() -> None:
        def prepare(client: Bare) -> None:
            group = app_commands.Group(name="settings", description="x")

            @group.command(name="set", description="x")
            @app_commands.choices(style=[app_commands.Choice(name="Reply", value="reply")])
            async def change(
                asked: Asked,
                style: app_commands.Choice[str],
                n: app_commands.Range[int, 1, 5],
                who: discord.Member,
                file: discord.Attachment | None = None,
            ) -> None:
                content = await file.read() if file else b""
                said = f"{style.value} {n} {who.name} {content.decode()}"
                await asked.response.send_message(said)

            @client.tree.command(name="ask", description="x")
            async def ask(asked: Asked, model: str) -> None:
                await asked.response.send_message(model)

            @ask.autocomplete("model")
            async def models(asked: Asked, typed: str) -> list[app_commands.Choice[str]]:
                return [app_commands.Choice(name=f"{typed}-1", value=f"{typed}-1")]

            client.tree.add_command(group)

        async with scene(prepare) as here:
            peer = here.peer
            given: dict[str, Any] = {"style": "reply", "n": 3, "who": here.ada}
            asked = await peer.uses_command(
                here.ada, here.channel, "settings set", **given, file=("a.txt", b"abc")
            )
            assert asked.text == "reply 3 Ada abc"
            for wrong in ({"n": 6}, {"style": "x"}, {"unknown": 1}):
                with pytest.raises(NotShown):
                    await peer.uses_command(
                        here.ada, here.channel, "settings set", **(given | wrong)
                    )
            choices = await peer.types(here.ada, here.channel, "ask", "model", "ll")
            assert choices == [{"name": "ll-1", "value": "ll-1"}]

    run(go)


def test_commands_are_shown_to_those_who_may_use_them() -> None:
    async def go() -> None:
        def prepare(client: Bare) -> None:
            @client.tree.command(name="manage", description="x")
            @app_commands.default_permissions(manage_guild=True)
            @app_commands.guild_only()
            async def manage(asked: Asked) -> None:
                rights = asked.permissions.manage_guild, asked.app_permissions.manage_guild
                await asked.response.send_message(f"{rights}")

        async with scene(prepare) as here:
            with pytest.raises(NotShown):
                await here.peer.uses_command(here.ada, here.channel, "manage")
            here.peer.member(here.guild, here.ada, "manage_guild")
            asked = await here.peer.uses_command(here.ada, here.channel, "manage")
            assert asked.text == "(True, False)"
            with pytest.raises(NotShown):
                await here.peer.uses_command(here.ada, here.peer.dm(here.ada), "manage")

    run(go)


def test_a_user_takes_the_bot_where_it_is_not() -> None:
    async def go() -> None:
        context: list[object] = []

        def prepare(client: Bare) -> None:
            @client.tree.command(name="go", description="x")
            @app_commands.allowed_installs(guilds=True, users=True)
            @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
            async def command(asked: Asked) -> None:
                context.append((asked.is_guild_integration(), asked.is_user_integration()))

                async def answer() -> None:
                    await asked.response.send_message("here")
                    for number in range(6):
                        await asked.followup.send(str(number))

                await client.does(answer())

        async with scene(prepare) as here:
            peer = here.peer
            away = peer.guild("away", with_bot=False)
            eve, bob = peer.member(away, peer.user("Eve", installed=True)), peer.user("Bob")
            peer.member(away, here.ada)
            with pytest.raises(NotShown):
                await peer.uses_command(here.ada, away.channel("general"), "go")
            asked = await peer.uses_command(eve, away.channel("general"), "go")
            await peer.until(lambda: here.client.wrong)
            assert len(asked.followups) == 5
            assert [one.code for one in peer.refused] == [40094]
            assert not asked.ephemeral
            await peer.heard()
            assert here.client.read == []
            asked = await peer.uses_command(eve, peer.dm(eve, bob), "go")
            assert asked.text.startswith("here")
            away.everyone.permissions &= ~(1 << 50)  # use_external_apps
            asked = await peer.uses_command(eve, away.channel("general"), "go")
            assert asked.ephemeral
            assert context == [(False, True)] * 3

    run(go)


def test_commands_beyond_the_limits_are_refused() -> None:
    async def go() -> None:
        async with scene() as here:
            http, me = here.client.http, here.peer.bot.id

            async def refused(*commands: dict[str, Any]) -> int:
                with pytest.raises(discord.HTTPException) as refusal:
                    await http.bulk_upsert_global_commands(me, list(commands))
                return refusal.value.code

            menus = [{"name": f"menu {at}", "type": 3} for at in range(6)]
            assert await refused(*menus) == 30032
            assert await refused({"name": "Upper", "description": "x"}) == 50035
            assert await refused({"name": "x", "description": "x" * 101}) == 50035
            assert await refused(menus[0], menus[0]) == 50035
            options = [{"name": f"o{at}", "description": "x", "type": 3} for at in range(26)]
            assert await refused({"name": "x", "description": "x", "options": options}) == 50035
            assert here.peer.commands == []

    run(go)
