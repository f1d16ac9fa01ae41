"""Who may check, with what, and that no two bots answer each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.errors import SettingError
from halubot_bots.policy import Allowed, Ask, Pace, Refused, Written, annotates, answers, decide
from halubot_bots.settings import (
    DAY_DOLLARS,
    ChannelSettings,
    OwnerLimits,
    Quota,
    ServerSettings,
    owner_limits,
)

MENU = Ask("menu", user=1, channel=2, server=3)
WATCHED = ServerSettings(on=True, channels=frozenset({2}), authors=frozenset({7}))


def allowed(ask: Ask, server: ServerSettings, owner: OwnerLimits) -> Allowed:
    found = decide(ask, server, owner)
    assert isinstance(found, Allowed), found
    return found


def test_without_a_model_the_embedded_engine_checks() -> None:
    found = allowed(MENU, ServerSettings(), OwnerLimits())
    assert "model" not in found.options


def test_a_server_gets_the_model_it_wants_only_where_the_owner_allows_it() -> None:
    owner = OwnerLimits(models=("a/small", "b/large"), judge_model="b/large", api_base="http://x")
    wanted = allowed(MENU, ServerSettings(model="b/large", samples=5), owner)
    assert wanted.options["model"] == "b/large"
    assert wanted.options["n_samples"] == 5
    assert wanted.options["judge_model"] == "b/large"
    dear = allowed(MENU, ServerSettings(model="c/dear"), owner)
    assert dear.options["model"] == "a/small"


def test_what_the_owner_asks_of_the_models_server_goes_with_each_check() -> None:
    table = {
        "models": ["ollama_chat/small"],
        "reasoning_effort": "low",
        "think": False,
        "num_ctx": 8192,
        "parameters": {"top_k": 40},
    }
    options = allowed(MENU, ServerSettings(), owner_limits(table)).options
    assert {name: options[name] for name in table if name != "models"} == {
        name: value for name, value in table.items() if name != "models"
    }
    plain = allowed(MENU, ServerSettings(), OwnerLimits(models=("a/small",))).options
    assert not {*plain} & {"reasoning_effort", "think", "num_ctx", "parameters"}


def test_a_parameter_that_halubot_sets_itself_is_refused_at_the_start() -> None:
    with pytest.raises(SettingError, match="halubot sets 'messages' itself"):
        owner_limits({"parameters": {"messages": []}})
    with pytest.raises(SettingError, match=r"discord\.num_ctx"):
        owner_limits({"num_ctx": 0})


def test_what_a_server_set_is_used() -> None:
    server = ServerSettings(method="ensemble", threshold=0.7, knowledge="wiki")
    options = allowed(MENU, server, OwnerLimits(knowledge=("wiki",))).options
    assert "knowledge" not in allowed(MENU, server, OwnerLimits()).options
    assert (options["method"], options["threshold"], options["knowledge"]) == (
        "ensemble",
        0.7,
        "wiki",
    )


def test_a_server_that_is_not_served_and_commands_that_are_off_are_refused() -> None:
    elsewhere = decide(MENU, ServerSettings(), OwnerLimits(servers=frozenset({4})))
    assert elsewhere == Refused("halubot does not work in this server", "owner")
    off = decide(MENU, ServerSettings(commands=False), OwnerLimits())
    assert isinstance(off, Refused)
    assert off.who == "manager"


def test_answering_needs_a_model() -> None:
    refused = decide(Ask("answer", 1, 2, 3), ServerSettings(), OwnerLimits())
    assert isinstance(refused, Refused)
    assert "model" in refused.why


def test_all_quotas_above_a_check_count_and_the_owners_always() -> None:
    owner = OwnerLimits(in_all=Quota(calls=9), of_server=Quota(checks=8))
    limits = allowed(MENU, ServerSettings(of_user=Quota(checks=2)), owner).limits
    assert limits == {
        "user:3:1": Quota(checks=2),
        "channel:3:2": ServerSettings().of_channel,
        "server:3": ServerSettings().of_server,
        "owner:3": Quota(checks=8),
        "all": Quota(calls=9),
    }


@pytest.mark.parametrize(
    "ask", [Ask("menu", 1, 2), Ask("menu", 1, 2, server=3, installed=True)], ids=["dm", "server"]
)
def test_who_installed_it_alone_has_a_small_quota_of_their_own(ask: Ask) -> None:
    owner = OwnerLimits(of_installed=Quota(checks=3))
    limits = allowed(ask, ServerSettings(commands=True), owner).limits
    assert Quota(checks=3) in limits.values()
    assert "all" in limits
    assert not any(key.startswith(("server:", "owner:")) for key in limits)


def test_a_thread_counts_for_its_channel() -> None:
    inside = Ask("menu", user=1, channel=20, server=3, parent=2)
    assert "channel:3:2" in allowed(inside, ServerSettings(), OwnerLimits()).limits


def test_only_watched_authors_in_watched_channels_are_annotated() -> None:
    bot = Written(author=7, bot=True)
    assert annotates(bot, 2, None, WATCHED)
    assert annotates(bot, 20, 2, WATCHED)
    assert not annotates(bot, 5, None, WATCHED)
    assert not annotates(Written(author=8, bot=True), 2, None, WATCHED)
    assert not annotates(bot, 2, None, ServerSettings())


@given(st.booleans(), st.booleans())
def test_no_two_bots_answer_each_other(bot: bool, webhook: bool) -> None:
    here = WATCHED.model_copy(update={"answers": True})
    for written in (
        Written(7, bot, webhook, ours=True),
        Written(7, bot, webhook, marked=True),
        Written(7, bot, webhook, to_us=bot or webhook),
    ):
        to_machine = bot or webhook or written.ours or written.marked
        assert annotates(written, 2, None, here) is not to_machine
        assert not (answers(written, here) and (bot or webhook or written.ours))


def test_the_pace_of_a_channel_is_bounded_and_what_is_too_much_waits() -> None:
    pace = Pace(2, longest=90)
    assert [pace.slot(1, t) for t in (0.0, 1.0, 2.0, 59.0)] == [0, 0, 58, 2]
    assert pace.slot(2, 2.0) == 0
    assert pace.slot(1, 60.0) == 60
    assert pace.slot(1, 60.0) == 61
    assert pace.slot(1, 60.0) is None  # it would wait for two minutes
    assert pace.slot(1, 400.0) == 0


@given(st.lists(st.floats(0, 500), max_size=60), st.integers(1, 5))
def test_the_pace_never_lets_more_through_in_a_minute(times: list[float], most: int) -> None:
    pace = Pace(most, longest=1e9)
    done = sorted(now + (pace.slot(1, now) or 0.0) for now in sorted(times))
    assert len(done) == len(times)
    for first, last in zip(done, done[most:], strict=False):
        assert last - first >= 60 - 1e-6


def test_a_day_costs_a_little_unless_the_owner_says_otherwise() -> None:
    assert OwnerLimits().in_all.dollars == DAY_DOLLARS
    named = owner_limits({"in_all": {"calls": 10}}).in_all
    assert (named.calls, named.dollars) == (10, DAY_DOLLARS)
    assert owner_limits({"in_all": {"dollars": math.inf}}).in_all.dollars == math.inf
    assert owner_limits({"in_all": {"dollars": 0.5}}).in_all.dollars == 0.5


def test_a_channel_that_is_set_apart_has_its_own_model_and_its_threads_too() -> None:
    server = ServerSettings(model="a/b", apart={7: ChannelSettings(model="c/d", threshold=0.9)})
    owner = OwnerLimits(models=("a/b", "c/d"))
    for ask in (Ask("command", 1, 7, server=5), Ask("command", 1, 70, server=5, parent=7)):
        found = decide(ask, server, owner)
        assert isinstance(found, Allowed)
        assert (found.options["model"], found.options["threshold"]) == ("c/d", 0.9)
    elsewhere = decide(Ask("command", 1, 8, server=5), server, owner)
    assert isinstance(elsewhere, Allowed)
    assert elsewhere.options["model"] == "a/b"
