"""The slash commands, and the settings of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from halubot.knowledge.additions import add
from halubot.knowledge.bases import home
from halubot_bots.settings import Quota, ServerSettings
from tests.discord_peer import Interaction, NotShown, User
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run

TWO = f"{RIGHT}\n---\n{RIGHT} Indeed."
THREE = f"{TWO}\n---\n{RIGHT} So it was."


async def said(
    here: Scene, command: str, words: str, user: User | None = None, **options: Any
) -> Interaction:
    """A command, once its answer holds these words."""
    use = await here.peer.uses_command(user or here.ben, here.channel, command, **options)
    await here.peer.until(lambda: words in use.text, f"{words!r}; it says {use.text!r}")
    return use


def test_a_text_is_checked_against_other_answers(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await said(here, "check", "contradicted", text=WRONG, others=TWO)
        assert use.ephemeral
        assert "1815" in use.text

    run(tmp_path, work)


def test_a_text_is_corrected(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await said(here, "correct", "Correction", text=WRONG, others=THREE)
        assert "~~1816~~" in use.text

    run(tmp_path, work)


def test_methods_stand_side_by_side(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await said(
            here,
            "compare",
            "several methods",
            text=WRONG,
            others=TWO,
            methods="consensus, selfcheck-ngram, nosuch",
        )
        assert "consensus" in use.text
        assert "there is no method" in use.text.replace("\\", "")

    run(tmp_path, work)


def test_asking_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "ask", "no model is set up", question="Who was Ada?")

    run(tmp_path, work)


def test_help_privacy_and_usage(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "help", "Check against these")
        await said(here, "check", "contradicted", text=WRONG, others=TWO)
        own = await said(here, "usage", "1 checks")
        assert "left: 19 of 20 checks" in own.text
        assert "This server" not in own.text
        managers = await said(here, "usage", "This server", user=here.ada)
        assert "left: 100 of 100 checks" in managers.text or "99 of 100" in managers.text
        thread = await here.peer.opens_thread(here.ada, here.channel, "more")
        inside = await here.peer.uses_command(here.ada, thread, "usage")
        await here.peer.until(lambda: "This channel" in inside.text, "the use of the channel")
        assert "99 of 100 checks" in inside.text  # a thread counts for its channel
        privacy = await said(here, "privacy", "30 days")
        assert "nobody but the computer that halubot runs on" in privacy.text

    run(tmp_path, work)


def test_who_opts_out_is_left_out_and_may_come_back(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "privacy", "You are left out", leave_out=True)
        await said(here, "check", "leave you out", text=WRONG, others=TWO)
        await said(here, "privacy", "leaves you out", leave_out=False)
        await said(here, "check", "contradicted", text=WRONG, others=TWO)

    run(tmp_path, work)


def test_a_person_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))

    async def work(here: Scene) -> None:
        message = await here.peer.says(
            here.ben, here.channel, WRONG, files={"ada.txt": RIGHT.encode()}
        )
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        await said(here, "forget-me", "1 reports were deleted")
        assert here.desk.memory.report(message.id) is None

    run(tmp_path, work)


def test_only_managers_change_settings(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        with pytest.raises(NotShown):
            await here.peer.uses_command(here.ben, here.channel, "settings on", annotate=True)
        await said(here, "settings show", "Annotation", user=here.ada)

    run(tmp_path, work)


def test_a_server_is_set_step_by_step(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        on = await said(here, "settings on", "Not switched on", user=here.ada, annotate=True)
        assert "nothing to compare a reply with" in on.text
        await said(here, "settings channel", "Annotation", user=here.ada, channel=here.channel)
        one = await said(here, "settings author", "Annotation", user=here.ada, author=here.other)
        assert "it takes `/settings on`" in one.text
        await said(here, "settings on", "Not switched on", user=here.ada, annotate=True)
        second = here.peer.member(here.guild, here.peer.user("Second", bot=True))
        await said(here, "settings author", "Annotation", user=here.ada, author=second)
        done = await said(here, "settings on", "Annotation", user=here.ada, annotate=True)
        assert "**Annotation** on" in done.text
        await said(here, "settings style", "by thread", user=here.ada, style="thread")
        await said(here, "settings commands", "Commands** off", user=here.ada, on=False)
        await said(here, "settings answers", "on", user=here.ada, on=True)
        await said(
            here,
            "settings checking",
            "consensus",
            user=here.ada,
            method="consensus",
            samples=5,
            threshold=0.7,
        )
        await said(
            here, "settings quota", "user 3 checks", user=here.ada, whose="of_user", checks=3
        )
        now = here.desk.memory.server(here.guild.id)
        assert now == ServerSettings(
            on=True,
            commands=False,
            answers=True,
            channels=frozenset({here.channel.id}),
            authors=frozenset({here.other.id, second.id}),
            style="thread",
            method="consensus",
            samples=5,
            threshold=0.7,
            of_user=Quota(checks=3),
        )

    run(tmp_path, work)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "nosuch"}, "No such method"),
        ({"model": "dear/model"}, "not allowed"),
    ],
)
def test_what_cannot_be_set_is_refused(
    tmp_path: Path, options: dict[str, object], words: str
) -> None:
    async def work(here: Scene) -> None:
        await said(here, "settings checking", words, user=here.ada, **options)
        assert here.desk.memory.server(here.guild.id) == ServerSettings()

    run(tmp_path, work, models=["small/model"])


def test_commands_may_be_switched_off(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.set(commands=False)
        await said(here, "check", "switched off", text=WRONG, others=TWO)

    run(tmp_path, work)


def test_the_knowledge_of_a_server_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALUBOT_KNOWLEDGE_FOLDER", str(tmp_path / "bases"))
    (tmp_path / "ada.txt").write_text(RIGHT, encoding="utf-8")
    add(home("lives"), [tmp_path / "ada.txt"])

    async def work(here: Scene) -> None:
        await said(here, "settings knowledge", "not allowed", user=here.ada, base="/other.zim")
        await said(here, "settings knowledge", "lives", user=here.ada, base="lives")
        use = await said(here, "check", "contradicted", text=WRONG)
        assert "1815" in use.text
        await said(here, "settings knowledge", "none", user=here.ada, base="none")
        assert here.desk.memory.server(here.guild.id).knowledge == ""

    run(tmp_path, work, knowledge=["lives"])


def test_status_tells_how_busy_it_is(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "check", "contradicted", text=WRONG, others=TWO)
        use = await said(here, "status", "halubot is here")
        assert "0 under way, 0 waiting, 1 since the start" in use.text
        assert "the embedded engine" in use.text

    run(tmp_path, work)


def test_managers_see_who_changed_which_settings(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        empty = await said(here, "settings log", "Changes", user=here.ada)
        assert "Nothing was changed" in empty.text
        await said(here, "settings style", "thread", user=here.ada, style="thread")
        await said(here, "settings style", "thread", user=here.ada, style="thread")
        use = await said(here, "settings log", "style = thread", user=here.ada)
        assert use.text.count("style = thread") == 1
        assert f"<@{here.ada.id}>" in use.text
        await here.desk.forget(here.ada.id)
        after = await said(here, "settings log", "somebody", user=here.ada)
        assert f"<@{here.ada.id}>" not in after.text

    run(tmp_path, work)
