"""What a public server may rely on, and the tests behind each of it.

A test that is renamed has to be put right here; a promise that is added needs a test, if possible
one over a process of its own with Discord's clock ("apart").
"""

from __future__ import annotations

from importlib import import_module

import pytest

PROMISES: dict[str, tuple[str, ...]] = {
    "foreign files are read in another process, with limits, and hold up nobody": (
        "test_attacks_apart:test_hostile_files_hold_up_nobody",
        "test_member_attacks_apart:test_hostile_files_links_and_edits_are_survived",
        "test_attacks:test_slow_files_hold_up_nobody_else",
    ),
    "what quotes somebody is deleted with their message, and when they ask": (
        "test_attacks_apart:test_what_others_quote_is_deleted_with_its_author",
        "test_member_attacks_apart:test_a_form_keeps_nothing_of_what_was_deleted_meanwhile",
        "test_attacks:test_who_is_quoted_in_the_checks_of_others_can_have_it_deleted",
        "test_privacy:test_a_check_that_runs_meanwhile_is_stopped_and_not_kept",
        "test_privacy:test_stored_answers_of_models_are_deleted_and_those_of_others_stay",
    ),
    "no member changes what stands behind a public annotation": (
        "test_attacks_apart:test_what_a_server_published_stays",
        "test_member_attacks_apart:test_what_a_member_forges_changes_nothing",
        "test_attacks:test_a_member_cannot_replace_what_a_server_published",
        "test_public:test_members_cannot_bring_in_answers_for_an_annotation",
    ),
    "only what was spent uses up a quota, also after a kill": (
        "test_attacks_apart:test_a_quota_is_locked_by_nobody",
        "test_attacks:test_checks_that_wait_hold_nothing_of_a_quota",
        "test_attacks:test_a_reply_for_which_the_quota_is_busy_is_annotated_later",
    ),
    "previews of links are nobody's words": (
        "test_public_apart:test_previews_that_come_later_are_nobodys_words",
        "test_public:test_a_preview_that_comes_later_is_not_checked",
        "test_public:test_the_previews_of_a_persons_links_are_not_their_words",
    ),
    "/privacy names everybody who receives texts in the channel": (
        "test_public_apart:test_privacy_names_who_receives_texts_in_this_channel",
    ),
    "a refused token or intent ends it; commands are sent when they changed; sessions are spared": (
        "test_public_apart:test_what_discord_refuses_ends_it_for_good",
        "test_public_apart:test_commands_are_sent_once_and_sessions_are_spared",
        "test_error_words:test_near_the_limit_of_sessions_it_waits_for_the_next_day",
    ),
    "answers are shown whole, replies are not lost, who waited is told, paths stay hidden": (
        "test_public_apart:test_a_long_answer_is_shown_to_its_end",
        "test_public_apart:test_of_many_replies_at_once_none_is_lost",
        "test_apart:test_who_waits_when_it_is_killed_is_told",
        "test_apart:test_killed_in_the_middle_it_annotates_each_reply_once",
        "test_public:test_what_takes_longer_than_discord_waits_is_given_up",
        "test_public:test_what_was_written_while_it_was_down_is_annotated_once",
        "test_public:test_paths_of_the_host_are_shown_to_nobody",
    ),
    "the steps of the page lead to an annotation; with nothing to compare with it is silent": (
        "test_first_steps:test_the_page_leads_from_nothing_to_a_useful_annotation",
        "test_public:test_nothing_to_compare_with_is_no_news_and_said_once_to_who_manages",
        "test_public:test_no_option_of_a_command_line_is_named",
        "test_panel:test_a_server_is_set_up_in_the_panel",
    ),
    "a card shows the doubted words in bold beside what speaks against them": (
        "test_first_steps:test_the_page_leads_from_nothing_to_a_useful_annotation",
        "test_menus:test_the_buttons_of_a_card_work",
        "halubot_bots.test_cards:test_every_card_fits_into_a_message",
        "halubot_bots.test_cards:test_the_pages_hold_every_fact_once",
        "halubot_bots.test_cards:test_the_first_card_says_what_to_doubt_and_what_can_be_done",
    ),
    "who waits sees their place; too many at once are refused; a burst is acknowledged": (
        "test_public_apart:test_who_waits_sees_their_place_and_too_many_are_refused",
        "test_public_apart:test_of_many_who_ask_at_once_each_has_a_sign_in_time",
        "halubot_bots.test_checks:test_who_waits_hears_how_many_are_before_them",
    ),
    "a panel sets a server and its channels; roles, pauses and policies hold": (
        "test_public_apart:test_what_a_panel_sets_holds_after_a_restart_and_is_written_down",
        "test_rules_apart:test_roles_pauses_and_the_owners_policy_hold",
        "test_panel:test_a_channel_is_set_apart",
        "test_panel:test_method_quotas_pause_and_webhooks",
        "test_panel:test_roles_may_use_what_they_were_given",
        "test_panel:test_who_asks_too_quickly_is_told_to_wait",
        "test_panel:test_the_owner_decides_on_direct_messages_and_installs",
        "halubot_bots.test_policy:test_a_day_costs_a_little_unless_the_owner_says_otherwise",
    ),
    "health, metrics, logs, changes of settings, /usage and /status": (
        "test_public_apart:test_its_health_page_and_its_log_tell_how_it_is",
        "test_public_apart:test_what_a_panel_sets_holds_after_a_restart_and_is_written_down",
        "test_commands:test_status_tells_how_busy_it_is",
        "test_error_words:test_installed_by_a_person_alone_it_works_by_their_own_quota",
        "halubot_bots.test_health:test_counts_are_as_prometheus_reads_them",
        "halubot_bots.test_health:test_json_is_one_object_a_line",
        "halubot_bots.test_health:test_the_supervisor_hears",
        "halubot_bots.test_policy:test_a_thread_counts_for_its_channel",
    ),
    "English and German": (
        "test_public_apart:test_it_speaks_the_language_of_who_asks",
        "test_kinds:test_commands_are_named_in_german_too",
        "test_kinds:test_annotations_are_in_the_language_of_the_server",
        "test_panel:test_a_panel_is_in_the_language_of_who_opens_it",
        "halubot_bots.test_catalogue:test_each_language_has_every_phrase_with_the_same_values",
    ),
    "channels of every kind, AutoMod, slow mode, shards; one process alone": (
        "test_public_apart:test_channels_of_every_kind_are_annotated",
        "test_rules_apart:test_automod_and_slow_mode_are_met",
        "test_rules_apart:test_two_shards_in_one_process",
        "test_apart:test_a_second_process_is_refused",
        "test_kinds:test_what_automod_blocks_is_said_without_quotes",
        "test_kinds:test_slow_mode_that_lasts_is_told_to_the_owner",
        "test_sharding:test_servers_of_both_shards_have_commands_and_annotations",
    ),
    "the examples of a service and a container fit the program": (
        "halubot_bots.test_deploy:test_systemd_understands_the_service",
        "halubot_bots.test_deploy:test_the_folders_of_the_service_are_its_own_and_not_hidden_from_it",
        "halubot_bots.test_deploy:test_the_container_owns_its_folders_and_finds_its_settings",
        "halubot_bots.test_deploy:test_a_refused_token_or_intent_ends_the_service_for_good",
    ),
    "the loopback Discord refuses what Discord refuses": (
        "discord_peer.test_interactions:test_after_three_seconds_an_interaction_is_unknown",
        "discord_peer.test_gateway:test_a_client_of_another_process_comes_and_is_killed",
        "discord_peer.test_places:test_what_automod_blocks_is_refused_with_its_code",
        "discord_peer.test_places:test_a_limit_that_others_used_up_is_waited_for",
        "discord_peer.test_places:test_who_begins_more_sessions_than_a_day_has_loses_the_token",
        "discord_peer.test_limits:test_what_fits_passes_and_one_more_does_not",
    ),
}

APART = ("apart", "first_steps", "test_a_client_of_another_process")
"""What tells tests that run the bot, or a client, in a process of its own."""

WITHOUT_PROCESS = {"the examples of a service and a container fit the program"}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_has_its_tests(promise: str) -> None:
    for test in PROMISES[promise]:
        module, name = test.split(":")
        package = "tests" if "." in module else "tests.halubot_bots.discord"
        assert callable(getattr(import_module(f"{package}.{module}"), name))
    if promise not in WITHOUT_PROCESS:
        assert any(mark in test for test in PROMISES[promise] for mark in APART)
