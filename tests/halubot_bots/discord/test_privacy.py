"""Who wants to be forgotten is: what models answered for them too, and what is being checked."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from halubot_bots.checks import namespace_of
from halubot_bots.entries import Kept
from halubot_cache import Store
from tests.discord_peer import Interaction, User
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card
from tests.halubot_bots.discord.test_answers import ANSWER, answering
from tests.judge import Judge


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))


def completions(folder: Path, person: User) -> int:
    """How many completions are stored for a person."""
    with Store.open(folder / "store") as store:
        return store.stats().namespaces.get(namespace_of(person.id), 0)


async def forget(here: Scene, person: User) -> None:
    use = await here.peer.uses_command(person, here.channel, "forget-me")
    await here.peer.until(lambda: "Forgotten" in use.text, "that they are forgotten")


def answered(use: Interaction) -> bool:
    """Whether what was asked for is there, not its progress alone."""
    return has_card(use) or "checked" in use.text


def test_stored_answers_of_models_are_deleted_and_those_of_others_stay(tmp_path: Path) -> None:
    async def work() -> None:
        async with answering(tmp_path) as (here, _):
            for person in (here.ben, here.ada):
                question = f"Who was Ada Lovelace? asks {person.name}"
                use = await here.peer.uses_command(person, here.channel, "ask", question=question)
                await here.peer.until(partial(answered, use), "the answer")
            assert completions(tmp_path, here.ben)
            await forget(here, here.ben)
            assert not completions(tmp_path, here.ben)
            assert completions(tmp_path, here.ada)

    asyncio.run(work())


def test_a_check_that_runs_meanwhile_is_stopped_and_not_kept(tmp_path: Path) -> None:
    async def work() -> None:
        gate = threading.Event()
        async with answering(tmp_path) as (here, model):
            model.answer(Judge(answer=ANSWER, samples=(ANSWER,)).held(gate))
            message = await here.peer.says(here.other, here.channel, WRONG)
            try:
                use = await here.peer.uses_menu(here.ben, message, "Check facts")
                await here.peer.until(lambda: model.received, "that the model is asked")
                await forget(here, here.ben)
                await here.peer.until(
                    lambda: "that it needs was forgotten" in use.text, "that it ended"
                )
            finally:
                gate.set()
            assert here.desk.memory.report(message.id, "facts") is None
            assert not completions(tmp_path, here.ben)

    asyncio.run(work())


def test_a_report_of_a_text_whose_author_was_forgotten_meanwhile_is_not_kept(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        async with answering(tmp_path) as (here, _):
            memory = here.desk.memory
            message = await here.peer.says(
                here.other, here.channel, WRONG, files={"ada.txt": RIGHT.encode()}
            )
            begun = memory.forgettings
            await here.peer.uses_menu(here.ben, message, "Check facts")
            await here.peer.until(
                lambda: memory.report(message.id, "facts") is not None, "the report"
            )
            kept = memory.report(message.id, "facts")
            assert isinstance(kept, Kept)
            memory.forget(here.other.id)
            memory.keep(kept, "digest", begun=begun)
            assert memory.report(message.id, "facts") is None
            memory.keep(kept, "digest", begun=memory.forgettings)
            assert memory.report(message.id, "facts") == kept

    asyncio.run(work())
