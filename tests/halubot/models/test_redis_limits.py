"""One pace and one budget in a real Redis: several members, and a Redis that goes and comes."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from functools import partialmethod
from pathlib import Path

import pytest

from halubot.batch import check_file
from halubot.errors import InputError
from halubot.inputs import Options
from halubot.models.budget import Budget
from halubot.models.model_errors import BudgetSpentError
from halubot.models.redis_limits import RedisLimits, _share
from halubot.rate import Rate
from tests.judge import ANSWER, Judge
from tests.loopback import loopback

redis = pytest.importorskip("redis")
SERVER = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(SERVER is None, reason="redis-server is not installed")

PATIENCE = 60.0
BEAT = 0.05


class Redis:
    """A server of this machine, which keeps all that it was told."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._folder = folder
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start it, also after it was killed."""
        assert SERVER is not None
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        self.process = subprocess.Popen(
            [SERVER, *words, "--appendonly", "no", "--save", ""], stdout=subprocess.DEVNULL
        )
        client = redis.Redis(port=self.port)
        until(lambda: _answers(client))
        client.close()
        return self.process

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0#test"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


def _answers(client: object) -> bool:
    try:
        return bool(client.ping())  # type: ignore[attr-defined]
    except redis.RedisError:
        return False


def until(done: Callable[[], bool]) -> None:
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.005)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    started = Redis(tmp_path)
    yield started
    started.process.send_signal(signal.SIGCONT)
    started.kill()


@pytest.fixture
def opened(server: Redis) -> Iterator[Callable[..., RedisLimits]]:
    """Members, which end with the test."""
    members: list[RedisLimits] = []

    def make(**limits: object) -> RedisLimits:
        member = RedisLimits(server.url, beat=BEAT, **limits)  # type: ignore[arg-type]
        members.append(member)
        return member

    yield make
    for member in members:
        member.close()


def together(*members: RedisLimits) -> None:
    """Wait until each knows of all and may begin."""
    until(lambda: all(one.members == len(members) for one in members))
    until(lambda: all(time.monotonic() > one.ready_at for one in members))


def call(budget: Budget, most: float | None = None) -> None:
    """Make one call."""

    async def made() -> None:
        async with budget.call(most, model="m", endpoint="e"):
            pass

    asyncio.run(made())


def call_until_spent(
    budget: Budget, *, most: float | None = None, limit: int = 100, raising: bool = False
) -> int:
    """Make calls until no more may be made; how many."""
    made = 0
    try:
        while made < limit:
            call(budget, most)
            made += 1
    except BudgetSpentError:
        if raising:
            raise
    return made


@pytest.mark.slow
def test_all_members_together_keep_the_rate(opened: Callable[..., RedisLimits]) -> None:
    members = [opened() for _ in range(3)]
    together(*members)
    rate = Rate(4, 0.5)
    began: list[float] = []
    guard = threading.Lock()

    def work(member: RedisLimits) -> None:
        pacer = member.pacer("there", rate)
        for _ in range(4):
            while (wait := pacer.begin()) > 0:
                time.sleep(wait)
            with guard:
                began.append(time.monotonic())

    threads = [threading.Thread(target=work, args=(one,)) for one in members]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(began) == 12
    # Twelve requests, four in any half second: the last began two windows after the first.
    assert time.monotonic() - started >= 1.0


def test_a_wait_that_one_was_asked_for_holds_for_all(opened: Callable[..., RedisLimits]) -> None:
    one, other = opened(), opened()
    together(one, other)
    one.pacer("there", None).hold(30.0)
    assert other.pacer("there", None).begin() > 25
    assert other.pacer("elsewhere", None).begin() == 0


def test_the_calls_of_all_stay_within_one_budget(opened: Callable[..., RedisLimits]) -> None:
    members = [opened(max_calls=30) for _ in range(3)]
    together(*members)
    budgets = [Budget(max_calls=0, purse=one) for one in members]
    made = sum(call_until_spent(budget, limit=4) for budget in budgets)
    made += sum(call_until_spent(budget) for budget in budgets)
    assert made <= 30
    for budget in budgets:
        budget.return_rest()
    last = Budget(max_calls=0, purse=members[0])
    assert made + call_until_spent(last) == 30
    with pytest.raises(BudgetSpentError, match="all commands together"):
        call_until_spent(last, raising=True)


def test_dollars_are_leased_to_the_last_cent(opened: Callable[..., RedisLimits]) -> None:
    one, other = opened(max_cost=1.0), opened(max_cost=1.0)
    together(one, other)
    made = 0
    for purse in (one, other):
        budget = Budget(max_cost=0.0, purse=purse)
        made += call_until_spent(budget, most=0.1)
        budget.return_rest()
    assert made == 10


@pytest.mark.slow
def test_without_redis_each_has_its_share_and_never_more(
    server: Redis, opened: Callable[..., RedisLimits]
) -> None:
    rate = Rate(4, 0.4)
    members = [opened(max_calls=40) for _ in range(2)]
    together(*members)
    pacers = [one.pacer("there", rate) for one in members]
    budgets = [Budget(max_calls=0, purse=one) for one in members]
    for budget in budgets:
        call(budget)
    assert [pacers[0].begin() for _ in range(4)] == [0, 0, 0, 0]
    gone = time.monotonic()  # read first: the heartbeat may miss Redis while it is being killed
    server.kill()
    began: dict[int, list[tuple[float, float]]] = {0: [], 1: []}
    while time.monotonic() < gone + 2.0:
        for place, pacer in enumerate(pacers):
            before = time.monotonic()
            if pacer.begin() == 0:
                began[place].append((before, time.monotonic()))
        time.sleep(0.01)
    for times in began.values():
        assert times, "the share is not nothing"
        assert times[0][1] >= gone + rate.seconds, "what began before still counted"
        pairs = zip(times, times[2:], strict=False)
        # Two of four are the share of one of two.
        assert all(later[1] - earlier[0] >= rate.seconds for earlier, later in pairs)
    made = 2 + sum(call_until_spent(budget) for budget in budgets)
    assert 2 < made <= 40
    with pytest.raises(BudgetSpentError, match="does not answer"):
        call_until_spent(budgets[0], raising=True)


@pytest.mark.slow
def test_a_redis_that_forgot_is_told_what_was_spent(
    server: Redis, opened: Callable[..., RedisLimits]
) -> None:
    member = opened(max_calls=8)
    together(member)
    pacer = member.pacer("there", Rate(1, 0.5))
    taken = member.take(8, 0.0)[0]
    assert taken == 8
    assert pacer.begin() == 0
    server.kill()
    until(lambda: member.lost_at is not None)
    server.start()
    until(lambda: member.lost_at is None)
    assert pacer.begin() > 0.4, "what began before still counts"
    assert member.take(1, 0.0) == (0, 0.0)


def test_a_share_is_of_whole_requests() -> None:
    shares = [_share(Rate(5, 1.0), 3, place) for place in range(3)]
    assert shares == [Rate(2, 1.0), Rate(2, 1.0), Rate(1, 1.0)]
    assert [_share(Rate(1, 1.0), 2, place) for place in range(2)] == [Rate(1, 1.0), None]


def test_no_redis_is_said_before_any_work() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match="--limits"):
            RedisLimits(f"redis://127.0.0.1:{free.getsockname()[1]}/0")
    with pytest.raises(InputError, match="--limits takes"):
        RedisLimits("http://127.0.0.1/0")


@pytest.mark.slow
def test_two_batches_share_what_they_may_spend(
    server: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RedisLimits, "__init__", partialmethod(RedisLimits.__init__, beat=BEAT))
    source = tmp_path / "in.jsonl"
    lines = [{"text": f"{ANSWER} She was {n}.", "question": f"Who was {n}?"} for n in range(6)]
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with loopback() as model:
        model.answer(Judge().reply)
        stopped = []
        for name in ("one", "two"):
            options = Options(
                model="openai/tiny",
                api_base=model.url,
                store=tmp_path / f"store-{name}",
                n_samples=2,
                max_calls=9,
            )
            target = tmp_path / f"{name}.jsonl"
            tally = check_file(source, target, options=options, limits=server.url)
            stopped.append(tally.stopped)
        assert len(model.received) == 9
    assert all("all commands together" in str(one) for one in stopped)
