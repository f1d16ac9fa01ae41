"""The tests behind the tables "step by step" of docs/methods.md: one at least for each row.

A row that is added or renamed there, and a test that is renamed here, has to be put right below.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs" / "methods.md"

_SECTION = "## Step by step"
_ROW = re.compile(r"^\| (?P<step>[^|]+?) \|")

PUBLISHED = "methods.test_as_published"
FORMULAS = "methods.test_formulas"
GCA = "methods.gca.test_gca"
KNOWHALU = "methods.knowhalu.test_knowhalu"
OURS = f"{KNOWHALU}:TestAsPublished"

ROWS: dict[str, dict[str, str]] = {
    "FactSelfCheck": {
        "entities and relations": f"{PUBLISHED}:test_the_calls"
        f" {PUBLISHED}:test_what_a_prompt_shows",
        "facts of a sentence": f"{PUBLISHED}:test_the_calls {PUBLISHED}:test_what_a_prompt_shows",
        "sentences that the model left out": f"{PUBLISHED}:"
        "test_fsc_a_sentence_that_is_left_out_is_not_asked_for_again_and_has_no_facts",
        "vocabulary for samples": f"{FORMULAS}:TestFactSelfCheck.test_the_vocabulary {PUBLISHED}:"
        "test_fsc_samples_are_read_with_what_was_listed_and_the_parts_of_the_facts",
        "facts of a sample": f"{PUBLISHED}:test_the_calls"
        f" {PUBLISHED}:test_fsc_a_sample_without_usable_triples_leaves_the_mean"
        " llm_calls.test_extraction:"
        "test_a_long_sample_is_read_in_windows_and_lost_with_any_of_them",
        "frequency": f"{FORMULAS}:TestFactSelfCheck.test_frequency"
        f" {PUBLISHED}:test_fsc_frequency_knows_equal_letters_only_unless_fuzzy_is_asked_for",
        "the judge's question": f"{PUBLISHED}:test_what_is_answered"
        f" {PUBLISHED}:test_fsc_the_question_allows_conclusions_and_shows_an_example",
        "calls of the judge": f"{PUBLISHED}:test_the_calls"
        f" {PUBLISHED}:test_fsc_the_calls_are_those_of_table_9_whatever_is_answered",
        "score of a fact": f"{FORMULAS}:TestFactSelfCheck.test_by_a_judge",
        "an answer that is neither yes nor no": f"{PUBLISHED}:"
        "test_fsc_an_answer_that_is_neither_leaves_the_mean",
        "score of a sentence": f"{FORMULAS}:TestFactSelfCheck.test_frequency"
        f" {FORMULAS}:TestFactSelfCheck.test_by_a_judge",
        "a sentence with a fact that has no score": f"{PUBLISHED}:"
        "test_fsc_a_sentence_is_aggregated_over_the_facts_that_were_answered",
        "a sentence without facts": f"{PUBLISHED}:test_fsc_a_sentence_without_facts_has_no_score"
        " evaluation.test_measures:test_a_sentence_without_score_counts_half",
        "temperature": f"{PUBLISHED}:test_it_is_asked_without_chance",
        "correction: the hints": "correction.test_rewrite:"
        "test_as_published_one_list_is_told_and_every_sentence_may_change",
        "correction: temperature, answer": "correction.test_rewrite:"
        "test_as_published_one_list_is_told_and_every_sentence_may_change"
        " correction.test_rewrite:test_each_sentence_is_changed_refused_or_left",
        "correction: the judge (table 3)": "evaluation.test_rewrites:"
        "test_each_kind_of_hints_is_judged_by_the_reference"
        " evaluation.test_rewrites:test_what_is_not_judged_is_no_success"
        f" {FORMULAS}:test_shares_of_corrected_sentences",
        "threshold": f"{PUBLISHED}:test_no_threshold_is_fitted_on_what_is_measured",
    },
    "SelfCheckGPT": {
        "the question": f"{PUBLISHED}:test_what_a_prompt_shows {PUBLISHED}:test_what_is_answered",
        "calls": f"{PUBLISHED}:test_the_calls",
        "score": f"{FORMULAS}:test_sentences_by_samples",
        "an answer that cannot be used": f"{PUBLISHED}:"
        "test_sentences_an_answer_that_cannot_be_used_counts_half"
        f" {PUBLISHED}:test_sentences_a_call_that_failed_counts_nothing",
        "passage": f"{FORMULAS}:test_sentences_by_samples",
        "temperature": f"{PUBLISHED}:test_it_is_asked_without_chance",
        "recorded verdicts": "methods.test_selfcheck_prompt:"
        "test_recorded_verdicts_are_taken_without_a_model"
        " methods.test_selfcheck_prompt:"
        "test_recorded_verdicts_as_published_are_a_call_each_and_neither_counts_half"
        " methods.judges.test_issc:test_verdicts_recorded_for_another_question_are_not_taken",
        "n-gram": f"{FORMULAS}:test_unigrams {PUBLISHED}:test_ngram_makes_no_calls",
        "threshold": f"{PUBLISHED}:test_no_threshold_is_fitted_on_what_is_measured"
        f" {PUBLISHED}:test_the_threshold_of_ngram_says_what_it_was_fitted_on",
    },
    "RAGFactChecker": {
        "triples of the answer": f"{PUBLISHED}:test_the_calls",
        "triples of the references": f"{PUBLISHED}:test_the_calls"
        f" {PUBLISHED}:test_references_are_read_whole_unless_windows_are_asked_for",
        "long references": f"{PUBLISHED}:"
        "test_references_are_read_whole_unless_windows_are_asked_for",
        "comparison": f"{PUBLISHED}:test_triplets_all_of_both_sides_stand_in_one_call",
        "several windows": f"{FORMULAS}:test_a_triplet_is_supported_or_hallucinated",
        "prompts": f"{PUBLISHED}:test_triplets_each_variant_has_its_prompt_and_examples",
        "examples": f"{PUBLISHED}:test_triplets_each_variant_has_its_prompt_and_examples",
        "reasons": f"{PUBLISHED}:test_triplets_each_variant_has_its_prompt_and_examples",
        "a triple that is both supported and contradicted": "methods.triplet_check."
        "test_triplet_check:test_as_published_there_is_no_rule_for_both",
        "verdict": f"{PUBLISHED}:test_triplets_each_variant_has_its_prompt_and_examples",
        "score": f"{FORMULAS}:test_a_triplet_is_supported_or_hallucinated"
        " methods.triplet_check.test_triplet_check:"
        "test_as_published_what_is_not_supported_is_hallucinated",
        "numbers and dates": f"{PUBLISHED}:test_triplets_the_judge_alone_decides",
        "malformed output": f"{PUBLISHED}:"
        "test_triplets_malformed_answers_are_asked_again_and_then_not_judged"
        f" {PUBLISHED}:test_triplets_a_malformed_sentence_is_asked_again_and_then_has_none",
        "temperature": f"{PUBLISHED}:test_it_is_asked_without_chance",
        "sensitivity, specificity, balanced accuracy": f"{FORMULAS}:"
        "test_sensitivity_specificity_and_j"
        f" {FORMULAS}:test_triplets_by_kind_of_change",
        "pairwise": f"{PUBLISHED}:test_triplets_pairwise_one_triple_and_the_reference_in_a_call",
    },
    "medical judges": {
        "context": f"{PUBLISHED}:test_references_are_read_whole_unless_windows_are_asked_for",
        "role": f"{PUBLISHED}:test_the_judge_takes_a_role_if_one_is_given",
        "bcv, bcv-cot": f"{PUBLISHED}:test_the_calls {PUBLISHED}:test_what_is_answered",
        "sca: its sentences": f"{PUBLISHED}:test_sca_what_was_copied_is_found_by_its_words"
        " methods.judges.test_judge_calls:test_where_a_copy_belongs",
        "sca: where it ends": f"{PUBLISHED}:"
        "test_sca_the_judge_splits_the_answer_and_stops_at_the_first_hallucination",
        "sca: its verdict": f"{PUBLISHED}:test_sca_the_last_word_alone_counts",
        "repeats": f"{PUBLISHED}:test_the_calls {FORMULAS}:test_repeats_of_a_judge",
        "temperature": f"{PUBLISHED}:test_judges_are_asked_at_a_temperature_of_one",
        "an answer that cannot be parsed": f"{FORMULAS}:test_repeats_of_a_judge",
        "all repeats lost": f"{PUBLISHED}:test_judges_all_repeats_lost_is_half",
        "issc, issc-cot": f"{PUBLISHED}:test_the_calls {PUBLISHED}:test_what_a_prompt_shows"
        f" {FORMULAS}:test_sentences_by_samples",
        "issc: an answer that cannot be used": f"{PUBLISHED}:"
        "test_sentences_an_answer_that_cannot_be_used_counts_half",
        "threshold": f"{PUBLISHED}:test_no_threshold_is_fitted_on_what_is_measured"
        f" {FORMULAS}:test_the_optimal_threshold",
        "time limit": f"{PUBLISHED}:test_a_call_has_a_minute_unless_more_is_given",
    },
    "KnowHalu": {
        "off-target: take out what is asked for, or NONE": f"{OURS}"
        ".test_what_is_asked_for_is_taken_out_in_a_call_of_its_own"
        f" {OURS}.test_a_summary_is_not_asked_what_it_answers",
        "refusals": f"{KNOWHALU}:TestOffTarget.test_a_refusal_is_no_hallucination",
        "thought before each query": f"{OURS}.test_a_thought_is_the_first_key_of_a_query"
        f" {KNOWHALU}:TestJudging.test_as_published_each_query_comes_with_a_thought",
        "one-hop queries, specific and general": f"{KNOWHALU}:TestJudging"
        ".test_as_published_queries_are_general_where_table_21_has_them_so",
        "at most 9 queries": f"{KNOWHALU}:TestLookingUp.test_a_loop_that_never_ends_is_bounded",
        "a query that comes again": f"{KNOWHALU}:TestLookingUp"
        ".test_as_published_only_an_equal_thought_and_query_end_it",
        "knowledge given with a question": f"{KNOWHALU}:TestJudging"
        ".test_as_published_references_are_shown_whole",
        "knowledge from Wikipedia": "methods.test_knowhalu_knowledge:"
        "test_as_published_two_passages_are_looked_up_for_each_form_of_each_query",
        "a document of a summary": f"{OURS}"
        ".test_of_a_document_three_short_passages_are_found_for_each_form_of_a_query",
        "knowledge in two forms": f"{KNOWHALU}:TestJudging"
        ".test_as_published_all_is_asked_for_one_by_one",
        '"No specific information is available"': f"{OURS}"
        ".test_knowledge_of_nothing_is_shown_to_the_judge",
        "a judgement on each form, without the thoughts": f"{KNOWHALU}:TestJudging"
        ".test_as_published_each_query_comes_with_a_thought",
        "verdicts": f"{OURS}.test_of_answers_there_are_three_verdicts_and_of_summaries_two",
        "confidence": f"{OURS}"
        ".test_both_judgements_become_one_by_algorithm_1_and_table_21"
        " methods.knowhalu.test_judgement:"
        "test_the_probability_of_a_verdict_is_the_product_over_its_tokens"
        f" {KNOWHALU}:TestJudging.test_without_log_probabilities_judgements_are_repeated",
        "aggregation": "methods.knowhalu.test_aggregation:test_it_is_algorithm_1"
        f" {OURS}.test_both_judgements_become_one_by_algorithm_1_and_table_21",
        "base, d1, d2": f"{KNOWHALU}:TestTable21.test_the_rows"
        f" {KNOWHALU}:TestTable21.test_the_row_of_a_judge",
        "fit of base and quantiles": "methods.knowhalu.test_aggregation:"
        "test_the_fit_is_that_of_appendix_e3",
        "segments of a summary": "methods.knowhalu.test_queries:"
        "test_as_published_whole_sentences_are_packed"
        " methods.knowhalu.test_queries:test_as_published_a_sentence_that_is_too_long_is_cut",
        "pronouns of a segment": f"{KNOWHALU}:TestSummaries.test_as_published_segment_by_segment",
        "one bad segment condemns the summary": f"{OURS}"
        ".test_one_bad_segment_condemns_a_summary"
        " methods.knowhalu.test_aggregation:test_a_summary_is_wrong_if_any_segment_is",
        "TPR, TNR, Avg Acc, ARP, ARN": f"{FORMULAS}:test_rates_with_abstentions"
        " evaluation.test_measures:"
        "test_an_abstention_on_halueval_is_right_for_neither_class"
        " evaluation.test_measures:test_the_threshold_is_fitted_by_the_reading_that_is_reported",
        "an answer that cannot be used": f"{OURS}"
        ".test_an_answer_that_cannot_be_used_is_asked_for_again_and_then_not_judged",
    },
    "GCA": {
        "10 samples at T = 1": f"{GCA}:"
        "test_as_published_ten_samples_are_drawn_at_a_temperature_of_one",
        "temperature of the judge": f"{GCA}:"
        "test_as_published_ten_samples_are_drawn_at_a_temperature_of_one",
        "extraction of triples": f"{GCA}:test_as_published_it_goes_step_by_step"
        f" {GCA}:test_as_published_a_sentence_without_usable_triples_has_none",
        "verification of triples": f"{GCA}:test_as_published_it_goes_step_by_step"
        f" {GCA}:test_what_the_judge_corrects_counts",
        "one graph a response; nodes are entities, edges relations": "methods.gca.test_graphs:"
        "test_edges_have_a_type_and_a_direction"
        " methods.gca.test_consistency:test_as_published_heads_are_the_same_letter_by_letter",
        "vectors": f"{GCA}:test_as_published_the_settings_are_those_of_the_repository"
        f" {GCA}:test_a_model_without_vectors_is_given_lexical_ones_and_the_report_says_so",
        "message passing, equation 1": "methods.gca.test_graphs:test_it_is_equation_1"
        f" {GCA}:test_as_published_the_settings_are_those_of_the_repository",
        "alignment: same head, relations above theta_r": "methods.gca.test_consistency:"
        "test_as_published_heads_are_the_same_letter_by_letter"
        f" {GCA}:test_as_published_the_settings_are_those_of_the_repository",
        "c_ij, equation 2": "methods.gca.test_consistency:test_exactly_it_is_equation_2"
        f" {GCA}:test_as_published_the_same_tail_in_another_relation_counts_against_a_fact",
        "theta_t": f"{GCA}:test_as_published_the_settings_are_those_of_the_repository"
        " methods.gca.test_consistency:test_theta_t_is_fitted_to_the_vectors_of_a_real_model",
        "C_i": f"{GCA}:test_by_hand_as_published",
        "well supported facts f_t": f"{GCA}:test_as_published_it_goes_step_by_step"
        f" {GCA}:test_as_published_a_fact_that_was_not_compared_is_not_known",
        "head: question with f_t, answered k times": f"{GCA}:"
        "test_as_published_it_goes_step_by_step"
        f" {GCA}:test_as_published_a_question_that_names_the_head_is_asked_too",
        "relation masked and predicted k times": f"{GCA}:test_as_published_it_goes_step_by_step"
        f" {GCA}:test_as_published_the_known_facts_stand_beside_each_question",
        "tail chosen among six options k times": f"{GCA}:"
        "test_as_published_the_known_facts_stand_beside_each_question",
        "shares S_h, S_r, S_t": f"{GCA}:test_as_published_an_unusable_answer_is_no_match"
        f" {GCA}:test_as_published_a_call_that_fails_is_no_answer"
        f" {GCA}:test_as_published_it_is_the_formulas_of_the_paper",
        "k": f"{GCA}:test_as_published_the_settings_are_those_of_the_repository",
        "F, equation 3": "methods.gca.test_examined_fact:test_as_published_it_is_equation_3"
        f" {GCA}:test_by_hand_as_published",
        "weights": f"{GCA}:test_as_published_the_settings_are_those_of_the_repository",
        "score": "methods.gca.test_examined_fact:test_as_published_a_larger_f_is_never_doubted_more"
        f" {GCA}:test_by_hand_as_published",
        "score of a passage": f"{GCA}:test_as_published_it_is_the_formulas_of_the_paper",
        "F1 and accuracy of passages": f"{FORMULAS}:test_f1_and_accuracy_of_passages",
        "threshold": f"{GCA}:test_as_published_the_settings_are_those_of_the_repository"
        f" {PUBLISHED}:test_no_threshold_is_fitted_on_what_is_measured",
    },
}
"""Of each table, by a part of its heading, the steps; of each the tests, as module and name."""


def steps_of(table: str) -> list[str]:
    """The first column of the table below the heading that holds these words."""
    text = DOCS.read_text("utf-8")
    text = text[text.index(_SECTION) :]
    (section,) = (
        part
        for part in re.split(r"^#+ ", text, flags=re.MULTILINE)
        if table in part.partition("\n")[0] and "\n| step |" in part
    )
    lines = section[section.index("\n| step |") + 1 :].splitlines()
    rows = [found for line in lines[2:] if (found := _ROW.match(line))]
    return [row["step"] for row in rows]


@pytest.mark.parametrize("table", ROWS)
def test_each_row_names_its_tests(table: str) -> None:
    assert steps_of(table) == list(ROWS[table])


@pytest.mark.parametrize("table", ROWS)
def test_each_test_is_there(table: str) -> None:
    for step, names in ROWS[table].items():
        assert names, step
        for name in names.split():
            module, _, path = name.partition(":")
            found = import_module(f"tests.halubot.{module}")
            for part in path.split("."):
                assert part.lower().startswith("test"), name
                found = getattr(found, part)
            assert callable(found), name
