"""Several processes over one ledger in PostgreSQL; each is a memory of its own here."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from halubot import check
from halubot.errors import SettingError, StateError
from halubot_bots.entries import Kept, Key, Quoted, Waiting, Work
from halubot_bots.quotas import Amount, QuotaError, Quotas, Use
from halubot_bots.settings import Quota, ServerSettings
from halubot_bots.shards import LostShardsError, Shards, SharedMemory
from halubot_bots.store import Memory

pytestmark = [pytest.mark.slow, pytest.mark.faults]

REPORT = check("Ada was born in 1816.", samples=["Ada was born in 1815."])
ANN, BEN = 71, 72
SERVER_0, SERVER_1 = 10 << 22, 11 << 22
"""Servers of shard 0 and of shard 1 of two."""


class Processes:
    """Memories over one ledger, as processes have them."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self.all: list[SharedMemory] = []

    def start(self, shards: str, folder: str = "") -> SharedMemory:
        """A process that has its shards."""
        made = self.open(shards, folder)
        assert made.claim()
        return made

    def open(self, shards: str, folder: str = "") -> SharedMemory:
        """One that has none yet."""
        place = self._folder / (folder or shards.replace("/", "of"))
        made = SharedMemory(self._url, Shards.read(shards), place)
        self.all.append(made)
        return made

    def kill(self, memory: SharedMemory) -> None:
        """End a process without a word, half a minute ago."""
        memory.base.close()
        with self.all[-1].base.change() as changing:
            back = "UPDATE process SET beat = beat - interval '31 seconds' WHERE owner = ?"
            assert changing.execute(back, (memory.owner,)).rowcount


@pytest.fixture
def processes(ledger: str, tmp_path: Path) -> Iterator[Processes]:
    made = Processes(ledger, tmp_path)
    yield made
    for one in made.all:
        one.base.close()


def keep(memory: SharedMemory, message: int, *, quotes: int, begun: int) -> None:
    key = Key(message)
    quoted = {Quoted(message, ANN), Quoted(message + 1, quotes)}
    if memory.quote(key, quoted, asked_by=ANN, channel=2, server=SERVER_0, begun=begun):
        memory.keep(Kept(message, 2, SERVER_0, ANN, ANN, None, REPORT), "", begun=begun)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("0-4/10", Shards(0, 4, 10)), ("3/10", Shards(3, 3, 10)), (" 0-0/1 ", Shards(0, 0, 1))],
)
def test_shards_are_read(text: str, meant: Shards) -> None:
    assert Shards.read(text) == meant
    assert Shards.read(str(meant)) == meant


@pytest.mark.parametrize("text", ["", "4", "4-0/10", "0-10/10", "a-b/c", "0/0", "-1/3", "1-2"])
def test_shards_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match="0-4/10"):
        Shards.read(text)


def test_a_server_is_of_one_shard_and_direct_messages_of_the_first() -> None:
    low, high = Shards.read("0/2"), Shards.read("1/2")
    assert [one.holds(SERVER_0) for one in (low, high)] == [True, False]
    assert [one.holds(SERVER_1) for one in (low, high)] == [False, True]
    assert [one.holds(None) for one in (low, high)] == [True, False]


@pytest.mark.parametrize("shards", ["0/2", "1/2", "0-1/2", "0/3", "2/3"])
def test_shards_that_run_cannot_be_taken(processes: Processes, shards: str) -> None:
    processes.start("0-1/2")
    running, late = processes.all[0], processes.open(shards)
    assert not late.claim()
    running.beat()
    with pytest.raises(StateError, match="another process runs the shards 0-1/2"):
        late.claim()


def test_shards_that_were_given_back_are_free_at_once(processes: Processes) -> None:
    processes.start("0/2").close()
    processes.start("0/2", "another")


def test_shards_of_one_that_died_are_free_after_a_while_and_it_must_stop(
    processes: Processes,
) -> None:
    first = processes.start("0/2")
    processes.start("1/2")
    processes.kill(first)
    processes.start("0/2", "another")
    with pytest.raises(LostShardsError):
        first.beat()


def test_work_of_one_that_died_is_taken_over_by_whoever_has_its_shard(
    processes: Processes,
) -> None:
    first, second = processes.start("0/2"), processes.start("1/2")
    mine, other = Work(1, 2, SERVER_0, 3, None), Work(4, 2, SERVER_1, 3, None)
    direct = Work(5, 2, None, 3, None)
    assert first.begin(mine)
    assert first.begin(direct)
    assert second.begin(other)
    assert not second.begin(mine)
    assert second.in_work() == ()
    processes.kill(first)
    assert second.in_work() == ()
    third = processes.start("0/2", "another")
    assert third.in_work() == (mine, direct)
    assert third.in_work() == ()  # it is this one's now
    third.end(1)


def test_only_reservations_of_the_dead_are_released(processes: Processes) -> None:
    first, second = processes.start("0/2"), processes.start("1/2")
    dead, alive = Quotas(first.base), Quotas(second.base)
    held = dead.reserve({"all": Quota(calls=10)}, Amount(calls=6))
    dead.note(held, Amount(calls=2))
    kept = alive.reserve({"all": Quota(calls=10)}, Amount(calls=4))
    with pytest.raises(QuotaError, match="held by checks"):
        alive.reserve({"all": Quota(calls=10)}, Amount(calls=1))
    assert alive.release(second.abandoned) == 0
    processes.kill(first)
    assert alive.release(second.abandoned) == 1
    assert alive.use_of("all") == Use(2, 6)
    alive.settle(kept, Amount(calls=4))
    assert alive.use_of("all") == Use(2, 6)


def test_processes_side_by_side_never_spend_what_is_left_twice(processes: Processes) -> None:
    quotas = [Quotas(processes.start(f"{number}/4").base) for number in range(4)]

    def reserve(number: int) -> bool:
        try:
            quotas[number % 4].reserve({"all": Quota(calls=30)}, Amount(calls=4))
        except QuotaError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        done = sum(pool.map(reserve, range(40)))
    assert done == 7
    assert all(one.use_of("all").calls == 28 for one in quotas)


def test_who_waits_for_one_that_died_is_told_once(processes: Processes) -> None:
    first, second = processes.start("0/2"), processes.start("1/2")
    waiting = Waiting(1, 2, "token", "de")
    first.wait(waiting)
    assert second.waiting() == ()
    processes.kill(first)
    assert second.waiting() == (waiting,)
    second.note_answer(waiting.interaction)
    assert second.waiting() == ()


def test_a_check_keeps_nothing_of_whom_another_process_forgot(processes: Processes) -> None:
    first, second = processes.start("0/2"), processes.start("1/2")
    begun = second.forgettings
    first.forget(BEN)
    keep(second, 40, quotes=BEN, begun=begun)
    assert second.report(40) is None
    keep(second, 50, quotes=ANN, begun=begun)
    assert second.report(50) is not None
    second.beat()
    keep(second, 60, quotes=BEN, begun=second.forgettings)  # written since
    assert second.report(60) is not None


def test_what_was_forgotten_is_deleted_in_every_folder_once(processes: Processes) -> None:
    first, second = processes.start("0/2"), processes.start("1/2")
    keep(first, 40, quotes=BEN, begun=first.forgettings)
    assert first.note_word(1, ANN, Key(40), quoted=(), begun=first.forgettings)
    assert second.note_word(1, ANN, Key(40), quoted=(), begun=0)
    found = first.forget(BEN)
    assert found.reports == 1
    assert found.words == ((1, ANN),)
    assert first.hear() == ()
    (gone,) = second.hear()
    assert gone.person == BEN
    assert gone.ids == {BEN}
    assert gone.found.asked_by == {ANN}
    assert gone.found.words == ((1, ANN),)
    assert second.hear() == (gone,)  # until it is done
    second.note_heard()
    assert second.hear() == ()
    processes.kill(second)
    again = processes.start("1/2")
    assert again.hear() == ()


def test_a_process_that_was_down_hears_of_it_when_it_starts(processes: Processes) -> None:
    second = processes.start("1/2")
    second.close()
    first = processes.start("0/2")
    first.forget(BEN)
    assert [one.person for one in processes.start("1/2").hear()] == [BEN]


def test_what_a_bot_kept_before_moves_to_its_ledger(processes: Processes, tmp_path: Path) -> None:
    alone = Memory.open(tmp_path / "0-0of1")
    alone.opt_out(BEN)
    alone.set_server(SERVER_0, ServerSettings(on=True), {"on": True}, ANN)
    alone.keep(Kept(40, 2, SERVER_0, ANN, ANN, 41, REPORT), "digest")
    assert alone.note_word(1, ANN, Key(40), quoted=(), begun=0)
    alone.begin(Work(50, 2, SERVER_0, ANN, None))
    spent = Quotas(alone.base)
    spent.settle(spent.reserve({"all": Quota()}, Amount(calls=1)), Amount(calls=1))
    alone.close()
    memory = processes.start("0/1", "0-0of1")
    assert memory.take_over(tmp_path / "0-0of1") == 9
    assert memory.take_over(tmp_path / "0-0of1") == 0
    assert not [*(tmp_path / "0-0of1").glob("bots.db*")]
    assert memory.in_work() == (Work(50, 2, SERVER_0, ANN, None),)
    assert memory.opted_out(BEN)
    assert memory.server(SERVER_0).on
    assert memory.changes(SERVER_0, 5)[0].what == {"on": True}
    assert memory.report(41) == Kept(40, 2, SERVER_0, ANN, ANN, 41, REPORT)
    assert Quotas(memory.base).use_of("all") == Use(1, 1)
    assert memory.forget(ANN).words == ((1, ANN),)


def test_a_connection_that_was_lost_is_made_again(processes: Processes) -> None:
    first, second = processes.start("0/2"), processes.start("1/2")
    with second.base.read() as reading:
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?"
        assert reading.execute(query, (first.owner[:63],)).fetchone() == (True,)
    first.beat()
    assert first.begin(Work(1, 2, SERVER_0, 3, None))


def test_a_change_is_made_in_whole_or_not_at_all(processes: Processes) -> None:
    memory = processes.start("0/1")

    def fail() -> None:
        with memory.base.change():
            memory.note("one", "two")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert memory.read_note("one") == ""
    memory.note("one", "two")
    assert memory.read_note("one") == "two"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgresql://db.example/x?sslmode=disable", "TLS"),
        ("postgresql:///x", "name the machine"),
        ("postgresql://127.0.0.1:1/x", "cannot be used"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(url: str, why: str, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StateError, match=why):
        SharedMemory(url, Shards(0, 0, 1), tmp_path)


def test_a_newer_ledger_is_left_alone(processes: Processes, ledger: str) -> None:
    psycopg: Any = pytest.importorskip("psycopg")
    memory = processes.start("0/1")
    with psycopg.connect(ledger) as connection:
        connection.execute("UPDATE halubot_bots.version SET own = own + 1")
    for use in (memory.beat, lambda: processes.open("0/1", "another")):
        with pytest.raises(StateError, match="newer halubot"):
            use()
