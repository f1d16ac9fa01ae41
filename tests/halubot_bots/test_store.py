"""What a bot remembers, and what it forgets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot import check
from halubot_bots.entries import Kept, Key, Quoted, Use, Work
from halubot_bots.settings import ServerSettings
from halubot_bots.store import Memory

REPORT = check("Ada was born in 1816.", samples=["Ada was born in 1815."])


class Clock:
    now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    made = Memory.open(tmp_path, clock)
    yield made
    made.close()


def kept(message: int = 1, *, annotation: int | None = None, author: int = 5, by: int = 6) -> Kept:
    return Kept(message, 2, 3, author, by, annotation, REPORT)


def test_a_server_is_off_until_it_is_set(memory: Memory) -> None:
    assert memory.server(3) == ServerSettings()
    assert not memory.server(3).on
    memory.set_server(3, ServerSettings(on=True, channels=frozenset({2})))
    assert memory.server(3).channels == {2}
    memory.leave(3)
    assert not memory.server(3).on


def test_settings_that_cannot_be_read_any_more_switch_everything_off(memory: Memory) -> None:
    with memory.base.change() as changing:
        changing.execute('INSERT INTO server VALUES (3, \'{"on": "perhaps"}\')')
    assert memory.server(3) == ServerSettings()


def test_a_report_is_found_by_its_message_and_by_its_annotation(memory: Memory) -> None:
    memory.keep(kept(annotation=9), "digest")
    assert memory.report(1) == memory.report(9) == kept(annotation=9)
    assert memory.report(2) is None
    assert memory.digest(1) == "digest"
    memory.keep(kept(annotation=10), "another")
    assert memory.report(9) is None
    assert memory.digest(1) == "another"
    memory.drop(1)
    assert memory.report(1) is None


@pytest.mark.parametrize("memory", ["sqlite"], indirect=True)
def test_a_message_is_worked_on_once_and_after_a_crash_it_is_known(
    memory: Memory, tmp_path: Path
) -> None:
    work = Work(1, 2, 3, 5, None)
    assert memory.begin(work)
    assert not memory.begin(work)
    memory.note_reply(1, 77)
    other = Memory.open(tmp_path)
    assert other.in_work() == (Work(1, 2, 3, 5, 77),)
    other.close()
    memory.keep(kept(annotation=77), "digest")
    memory.end(1)
    assert memory.in_work() == ()
    assert not memory.begin(work)


def test_work_in_a_server_is_found(memory: Memory) -> None:
    memory.begin(Work(1, 2, 3, 5, None))
    memory.begin(Work(4, 2, 9, 5, None))
    assert memory.work_in(3) == (1,)
    assert memory.work_in(8) == ()


def test_where_somebody_was_quoted_is_known_with_its_server(memory: Memory) -> None:
    for message, server in ((1, 3), (7, None)):
        memory.quote(Key(message), [Quoted(6, 5)], asked_by=8, channel=2, server=server, begun=0)
    assert set(memory.quotings(5)) == {Use(2, 1, 6, 3), Use(2, 7, 6, None)}


def test_what_was_checked_in_private_may_still_be_annotated(memory: Memory) -> None:
    memory.keep(kept(), "digest")
    assert memory.begin(Work(1, 2, 3, 5, None))


def test_texts_expire(memory: Memory, clock: Clock) -> None:
    memory.keep(kept(1), "a")
    clock.now += 20 * 86_400
    memory.keep(kept(2), "b")
    clock.now += 11 * 86_400
    assert memory.expire(30) == 1
    assert memory.report(1) is None
    assert memory.report(2) is not None


def test_a_person_is_forgotten_for_good(memory: Memory, tmp_path: Path) -> None:
    memory.keep(kept(1, author=5, by=8), "a")
    memory.keep(kept(2, author=8, by=5), "b")
    memory.keep(kept(3, author=8, by=9), "c")
    memory.begin(Work(4, 2, 3, 5, None))
    assert memory.forget(5).reports == 2
    assert memory.report(3) is not None
    assert memory.in_work() == ()
    memory.forget(8)
    memory.close()
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Ada" not in files


def test_a_person_may_stay_out_and_come_back(memory: Memory) -> None:
    assert not memory.opted_out(5)
    memory.opt_out(5)
    memory.opt_out(5)
    assert memory.opted_out(5)
    memory.opt_out(5, out=False)
    assert not memory.opted_out(5)


def test_something_is_told_once_until_it_was_mended(memory: Memory) -> None:
    assert memory.tell_once("permission", 2)
    assert not memory.tell_once("permission", 2)
    assert memory.tell_once("permission", 3)
    memory.tell_again("permission", 2)
    assert memory.tell_once("permission", 2)
