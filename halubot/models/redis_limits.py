"""One pace and one budget over commands that know nothing of each other, in Redis.

Each process is a member and says every second that it lives. A request begins when a script says
so, which counts all of them at one clock, that of Redis. Money and calls are leased, so that a
process spends only what it already has.

If Redis is gone, each member has its share of the rate, once a whole window has passed since the
last answer, and the rest of its lease. What a Redis that was started again may have forgotten is
told to it: the sums that were seen, and that requests began a moment ago.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from contextlib import suppress
from importlib import import_module
from typing import Any, Final
from urllib.parse import urldefrag

from halubot.errors import InputError, MissingExtraError
from halubot.models.pace import Window
from halubot.rate import Rate

BEAT_SECONDS: Final = 1.0
"""How often a member says that it lives, and looks whether Redis is back."""

MEMBER_SECONDS: Final = 30.0
"""How long a member counts that says nothing."""

ANSWER_SECONDS: Final = 2.0
"""How long Redis may take to answer."""

SHARES: Final = 2
"""A lease is one of so many parts for each member of what is left."""

_NOW: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
"""

_BEGIN: Final = f"""{_NOW}
if run ~= ARGV[1] then return -1 end
local begin = tonumber(redis.call('GET', KEYS[2]) or '0')
local most, window = tonumber(ARGV[2]), tonumber(ARGV[3])
if most > 0 then
  local length = redis.call('LLEN', KEYS[1])
  if length >= most then
    begin = math.max(begin, tonumber(redis.call('LINDEX', KEYS[1], length - most)) + window)
  end
end
if begin > now then return begin - now end
if most > 0 then
  redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
  redis.call('LTRIM', KEYS[1], -most, -1)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 500))
end
return 0
"""

_HOLD: Final = f"""{_NOW}
local held = tonumber(redis.call('GET', KEYS[1]) or '0')
local wanted = now + tonumber(ARGV[1])
if wanted > held then
  redis.call('SET', KEYS[1], string.format('%.0f', wanted), 'PX', math.ceil(ARGV[1] / 1000) + 1000)
end
return 0
"""

_BEAT: Final = f"""{_NOW}
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now))
local members, rows = {{}}, redis.call('HGETALL', KEYS[1])
for i = 1, #rows, 2 do
  if now - tonumber(rows[i + 1]) > tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], rows[i])
  else members[#members + 1] = rows[i] end
end
table.sort(members)
local place = 0
for i, name in ipairs(members) do if name == ARGV[1] then place = i - 1 end end
return {{#members, place, run}}
"""

_RAISE: Final = """
for i, name in ipairs({'calls', 'cost'}) do
  if tonumber(redis.call('HGET', KEYS[1], name) or '0') < tonumber(ARGV[i]) then
    redis.call('HSET', KEYS[1], name, ARGV[i])
  end
end
return 0
"""

_TAKE: Final = f"""{_NOW}
if run ~= ARGV[6] then return {{}} end
local taken = {{}}
for i, name in ipairs({{'calls', 'cost'}}) do
  local most, wanted = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  local gone, got = tonumber(redis.call('HGET', KEYS[1], name) or '0'), 0
  if most ~= '' and wanted > 0 then
    local left = tonumber(most) - gone
    got = math.max(wanted, left / tonumber(ARGV[5]))
    if name == 'calls' then got = math.floor(got) end
    if got > left then got = 0 end
    if got > 0 then
      gone = gone + got
      redis.call('HSET', KEYS[1], name, string.format('%.12f', gone))
    end
  end
  taken[2 * i - 1] = string.format('%.12f', got)
  taken[2 * i] = string.format('%.12f', gone)
end
return taken
"""

_GIVE: Final = """
for i, name in ipairs({'calls', 'cost'}) do
  local gone = tonumber(redis.call('HGET', KEYS[1], name) or '0') - tonumber(ARGV[i])
  redis.call('HSET', KEYS[1], name, string.format('%.12f', math.max(0, gone)))
end
return 0
"""


class RedisLimits:
    """The limits at ``redis://HOST:PORT/0#NAME``. Commands with the same name share one budget;
    all commands of one Redis share the pace of each provider.

    Raises MissingExtraError, and InputError if there is no Redis.
    """

    def __init__(
        self,
        address: str,
        *,
        max_calls: int | None = None,
        max_cost: float | None = None,
        beat: float = BEAT_SECONDS,
    ) -> None:
        url, name = urldefrag(address)
        self._redis = _imported()
        # No second attempt of the client's own: a script that did run would count its request
        # twice.
        retry = import_module("redis.retry").Retry(import_module("redis.backoff").NoBackoff(), 0)
        try:
            self._client: Any = self._redis.Redis.from_url(
                url,
                socket_timeout=ANSWER_SECONDS,
                socket_connect_timeout=ANSWER_SECONDS,
                retry=retry,
            )
        except ValueError as error:
            raise InputError("--limits takes redis://HOST:PORT/0 or rediss://...") from error
        self._scripts = {
            script: self._client.register_script(script)
            for script in (_BEGIN, _HOLD, _BEAT, _RAISE, _TAKE, _GIVE)
        }
        self.max_calls, self.max_cost = max_calls, max_cost
        self._name = name or "default"
        self._member = f"{os.getpid()}-{uuid.uuid4().hex}"
        self._lock = threading.Lock()
        self._pacers: list[RedisPacer] = []
        self._seen = (0.0, 0.0)
        self._ended = threading.Event()
        self.members, self.place, self.run = 1, 0, ""
        self.lost_at: float | None = None
        self._lease_at = 0.0
        self._beat = beat
        try:
            self._say_alive()
        except self._redis.RedisError as error:
            raise InputError(f"no Redis for --limits: {error}") from error
        # By then every other member knows of this one, and so how small its share is.
        self.ready_at = time.monotonic() + 2 * beat
        self._thread = threading.Thread(target=self._live, name="halubot limits", daemon=True)
        self._thread.start()

    def pacer(self, endpoint: str, rate: Rate | None) -> RedisPacer:
        """Return the pacer of a provider, which says when a request may begin."""
        pacer = RedisPacer(self, endpoint, rate)
        self._pacers.append(pacer)
        return pacer

    def take(self, calls: int, cost: float) -> tuple[int, float]:
        """Lease calls and dollars; nothing while Redis is gone."""
        # One that was started again first has to hear from all members what it may have forgotten.
        time.sleep(max(0.0, self._lease_at - time.monotonic()))
        if self.lost_at is not None:
            return 0, 0.0
        limits = ("" if most is None else repr(most) for most in (self.max_calls, self.max_cost))
        most_calls, most_cost = limits
        try:
            told = self.ask(
                *(_TAKE, [self._budget_key]),
                *(most_calls, calls, most_cost, repr(cost), SHARES * self.members, self.run),
            )
        except self._redis.RedisError:
            told = []
        if not told:  # gone, or another process in its place
            self.lose()
            return 0, 0.0
        got_calls, all_calls, got_cost, all_cost = map(float, told)
        with self._lock:
            self._seen = max(self._seen[0], all_calls), max(self._seen[1], all_cost)
        return int(got_calls), got_cost

    def give_back(self, calls: int, cost: float) -> None:
        """Give back calls and dollars that were leased and not spent; they count as spent while
        Redis is gone."""
        if self.lost_at is not None or not (calls or cost):
            return
        try:
            with self._lock:
                self._seen = max(0, self._seen[0] - calls), max(0, self._seen[1] - cost)
            self.ask(_GIVE, [self._budget_key], calls, repr(cost))
        except self._redis.RedisError:
            self.lose()

    @property
    def refusal(self) -> str:
        """Why nothing more is leased."""
        if self.lost_at is not None:
            return "Redis, which has the budget, does not answer, and the share from it is spent"
        return f"all commands together have spent the budget {self._name!r}"

    def ask(self, script: str, keys: list[str], *arguments: Any) -> Any:
        """Run a script. Raises RedisError."""
        return self._scripts[script](keys=keys, args=list(arguments))

    def begin(self, endpoint: str, rate: Rate | None) -> float | None:
        """Begin a request at Redis, as `halubot.models.pace.Pacer.begin`; None if it is gone."""
        count, seconds = (rate.count, rate.seconds) if rate is not None else (0, 0.0)
        keys = [f"halubot:begun:{endpoint}", f"halubot:held:{endpoint}"]
        try:
            wait = self.ask(_BEGIN, keys, self.run, count, round(seconds * 1e6))
        except self._redis.RedisError:
            wait = -1
        if wait < 0:  # gone, or another process in its place
            self.lose()
            return None
        return float(wait) / 1e6

    def hold(self, endpoint: str, seconds: float) -> None:
        """Hold every request of all members."""
        try:
            self.ask(_HOLD, [f"halubot:held:{endpoint}"], round(seconds * 1e6))
        except self._redis.RedisError:
            self.lose()

    def lose(self) -> None:
        """Go on without Redis until it answers again."""
        with self._lock:
            if self.lost_at is None:
                self.lost_at = time.monotonic()

    def close(self) -> None:
        """End membership."""
        self._ended.set()
        self._thread.join(2 * ANSWER_SECONDS + self._beat)
        with suppress(self._redis.RedisError):
            self._client.hdel(_MEMBERS, self._member)
        self._client.close()

    @property
    def _budget_key(self) -> str:
        return f"halubot:budget:{self._name}"

    def _live(self) -> None:
        while not self._ended.wait(self._beat):
            try:
                self._say_alive()
            except self._redis.RedisError:
                self.lose()

    def _say_alive(self) -> None:
        """Tell Redis of this member and of the sums that it saw. Raises RedisError."""
        members, place, run = self.ask(_BEAT, [_MEMBERS], self._member, round(MEMBER_SECONDS * 1e6))
        run = run.decode()
        again = bool(self.run) and run != self.run
        others = 2 * self._beat + ANSWER_SECONDS  # by then every other member has found it too
        if again:
            with self._lock:
                seen = [f"{one:.12f}" for one in self._seen]
            self.ask(_RAISE, [self._budget_key], *seen)
            self._lease_at = time.monotonic() + others
        if again or self.lost_at is not None:
            # What began meanwhile is not counted there.
            for pacer in self._pacers:
                if pacer.rate is not None:
                    period = round((pacer.rate.seconds + others) * 1e6)
                    self.ask(_HOLD, [f"halubot:held:{pacer.endpoint}"], period)
        with self._lock:
            self.members, self.place, self.run = members, place, run
            self.lost_at = None


class RedisPacer:
    """When requests to one provider may begin, for all members together."""

    def __init__(
        self,
        limits: RedisLimits,
        endpoint: str,
        rate: Rate | None,
    ) -> None:
        self._limits = limits
        self.endpoint = endpoint
        self.rate = rate
        self._lock = threading.Lock()
        self._alone: tuple[float, Window | None] | None = None

    def begin(self) -> float:
        """Begin a request and return 0, or return the seconds after which to ask again."""
        early = self._limits.ready_at - time.monotonic()
        if early > 0:
            return early
        if self._limits.lost_at is None:
            wait = self._limits.begin(self.endpoint, self.rate)
            if wait is not None:
                return wait
        return self._begin_alone()

    def hold(self, seconds: float) -> None:
        """Let no request of any member begin for that long."""
        self._limits.hold(self.endpoint, seconds)

    def _begin_alone(self) -> float:
        """Begin a request within this member's share, once what began before no longer counts."""
        lost_at = self._limits.lost_at
        if self.rate is None:
            return 0.0
        if lost_at is None:  # it came back at this moment
            return BEAT_SECONDS
        with self._lock:
            if self._alone is None or self._alone[0] != lost_at:
                share = _share(self.rate, self._limits.members, self._limits.place)
                window = None if share is None else Window(share)
                self._alone = lost_at, window
            window = self._alone[1]
        early = lost_at + self.rate.seconds - time.monotonic()
        if early > 0 or window is None:
            return min(BEAT_SECONDS, early) if early > 0 else BEAT_SECONDS
        return window.begin()


_MEMBERS: Final = "halubot:members"


def _share(rate: Rate, members: int, place: int) -> Rate | None:
    """The share of one of so many members; None if there are more of them than requests."""
    count = rate.count // members + (place < rate.count % members)
    return Rate(count, rate.seconds) if count else None


def _imported() -> Any:
    try:
        return import_module("redis")
    except ImportError as error:
        raise MissingExtraError("--limits", "redis") from error
