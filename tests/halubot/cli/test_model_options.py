"""The options of models: what they do, what does not go together, who receives the text."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from halubot import Report
from tests.halubot.cli.calling import RIGHT, WRONG, Halubot
from tests.judge import Judge

LOCAL = ("--model", "openai/tiny", "--api-base", "http://127.0.0.1:9/v1")
HOSTED = ("--model", "openai/gpt-4o")
QUESTION = ("--question", "Who was Ada Lovelace?")


def reported(halubot: Halubot, *args: str, status: int = 1) -> Report:
    ended = halubot(*args, "--format", "json")
    assert ended.status == status, ended.err
    return Report.model_validate_json(ended.out)


def asked(judge: Judge) -> Counter[str]:
    return Counter(one.prompt for one in judge.asked)


class TestACheckWithAModel:
    def test_cascade_is_the_default_and_draws_by_itself(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        report = reported(halubot, "check", "wrong.txt", *LOCAL, *QUESTION)
        assert report.method == "cascade"
        assert report.models.sample == report.models.judge == "openai/tiny"
        assert [fact.verdict for fact in report.facts if fact.triple.tail == "1816"] == [
            "contradicted"
        ] or report.doubted()
        assert 0 < len(report.sources) <= 20
        assert report.usage.calls == len(judge.asked) - len(report.sources) + 1

    def test_without_a_question_one_is_written(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        report = reported(halubot, "check", "wrong.txt", *LOCAL)
        assert report.question is not None
        assert (report.question.text, report.question.origin) == (judge.question, "written")

    def test_another_model_may_judge(self, halubot: Halubot, files: Path, judge: Judge) -> None:
        report = reported(
            halubot, "check", "wrong.txt", *LOCAL, *QUESTION, "--judge-model", "openai/wise"
        )
        assert (report.models.sample, report.models.judge) == ("openai/tiny", "openai/wise")

    def test_a_second_time_all_answers_come_from_the_store(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        args = ("check", "wrong.txt", *LOCAL, "--store", "kept")
        first = reported(halubot, *args)
        judge.asked.clear()
        second = reported(halubot, *args)
        assert not judge.asked
        assert (second.usage.calls, second.usage.cached_calls) == (0, first_answers(first))
        assert second.facts == first.facts
        assert (files / "kept").is_dir()

    def test_calls_are_limited_and_the_rest_is_not_checked(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        ended = halubot(
            *("check", "right.txt", *LOCAL, *QUESTION, "--samples", "samples.jsonl"),
            *("--method", "selfcheck-prompt", "--max-calls", "0", "--format", "json"),
        )
        assert ended.status == 3
        assert "no call is allowed" in ended.out
        assert not judge.asked

    def test_the_published_steps(self, halubot: Halubot, files: Path, judge: Judge) -> None:
        published = ("--method", "fsc-text", "--as-published", "--samples", "samples.jsonl")
        reported(halubot, "check", "wrong.txt", *LOCAL, *published, "--n-samples", "1")
        assert asked(judge)["fsc-text"] > 1
        assert not asked(judge)["verify-facts"]

    @pytest.mark.parametrize(
        ("given", "at", "value"),
        [
            ("triplet-check variant=baseline", "variant", "baseline"),
            ("knowhalu base=text d1=0.5 d2=0.9", "aggregation d1", 0.5),
            ("knowhalu task=answer", "task", "answer"),
            ("gca weights=.4,.3,.2,.1", "weights head", 0.4),
            ("bcv-cot repeats=3 role=nurse", "votes lost", 0),
        ],
    )
    @pytest.mark.usefixtures("files", "judge")
    def test_a_setting_of_a_method_reaches_it(
        self, halubot: Halubot, given: str, at: str, value: object
    ) -> None:
        method, *settings = given.split()
        args = ("check", "wrong.txt", *LOCAL, *QUESTION, "--reference", "reference.md")
        own = [word for one in settings for word in ("--set", one)]
        ended = halubot(*args, "--method", method, *own, "--format", "json")
        found: Any = json.loads(ended.out)["details"]
        for key in at.split():
            found = found[key]
        assert found == value

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ("cascade match=exact", "match is a setting of fsc-frequency; cascade knows no"),
            ("bcv repeats=0", "0 is not 1 or more"),
            ("bcv windows=some", "'some' is not a valid whole number"),
            ("fsc-text aggregate=median", "'median' is not one of max, mean"),
            ("triplet-check variant=best", "detailed-reasoning"),
            ("gca weights=.5,.5", "four numbers"),
            ("gca weights=.9,.9,.9,.9", "weights"),
            ("gca weights=nan,1,0,0", "four numbers"),
            ("gca rows=3", "no method has a setting 'rows'"),
            ("gca weights", "'weights' is not NAME=VALUE"),
        ],
    )
    def test_a_setting_that_cannot_be_is_refused_before_any_call(
        self, halubot: Halubot, files: Path, judge: Judge, wrong: str, said: str
    ) -> None:
        method, setting = wrong.split()
        args = ("check", "wrong.txt", *LOCAL, *QUESTION, "--samples", "samples.jsonl")
        ended = halubot(*args, "--method", method, "--set", setting)
        assert (ended.status, said in ended.err, judge.asked) == (2, True, []), ended.err


def first_answers(report: Report) -> int:
    """How many answers a first run used: its calls, and the samples beyond one a call."""
    samples = sum(source.kind == "sample" for source in report.sources)
    return report.usage.calls + samples - samples // 5


class TestACorrectionWithAModel:
    def rewriting(self, sentence: str, hints: Any) -> tuple[str, str]:
        return ("changed", sentence.replace("1816", "1815"))

    @pytest.mark.parametrize("hints", ["none", "sentences", "facts"])
    def test_the_model_rewrites_what_is_doubted(
        self, halubot: Halubot, files: Path, judge: Judge, hints: str
    ) -> None:
        judge.rewrite = self.rewriting
        report = reported(halubot, "correct", "wrong.txt", *LOCAL, *QUESTION, "--hints", hints)
        assert report.correction is not None
        assert report.correction.text == RIGHT
        assert report.correction.report is not None
        (rewriting,) = [one for one in judge.asked if one.prompt == "correct"]
        assert ("1816" in json.dumps(rewriting.fields.get("hints", ""))) == (hints == "facts")


class TestRecordAndReplay:
    @pytest.mark.slow
    def test_a_replay_asks_nobody_and_says_the_same(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        first = reported(halubot, "check", "wrong.txt", *LOCAL, "--record", "all.jsonl")
        judge.asked.clear()
        again = reported(halubot, "check", "wrong.txt", "--replay", "all.jsonl")
        assert not judge.asked
        assert again.facts == first.facts
        assert again.usage.calls == 0

    def test_the_two_together_are_refused(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        (files / "all.jsonl").write_text("{}\n")
        ended = halubot(
            "check", "wrong.txt", *LOCAL, "--record", "new.jsonl", "--replay", "all.jsonl"
        )
        assert (ended.status, "give one of them" in ended.err) == (2, True)

    @pytest.mark.parametrize("target", ["wrong.txt", "no/such/folder.jsonl"])
    def test_a_record_that_cannot_be_written_is_refused_before_any_call(
        self, halubot: Halubot, files: Path, judge: Judge, target: str
    ) -> None:
        ended = halubot("check", "wrong.txt", *LOCAL, "--record", target)
        assert (ended.status, ended.err.count("\n"), judge.asked) == (2, 1, [])
        assert (files / "wrong.txt").read_text() == WRONG

    @pytest.mark.parametrize("content", [None, "", "oops\n"])
    def test_a_replay_of_nothing_is_refused(
        self, halubot: Halubot, files: Path, content: str | None
    ) -> None:
        if content is not None:
            (files / "all.jsonl").write_text(content)
        ended = halubot("check", "wrong.txt", "--replay", "all.jsonl")
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert "all.jsonl" in ended.err


class TestWhoReceivesTheText:
    @pytest.fixture(autouse=True)
    def _keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-a-test")

    @pytest.mark.slow
    def test_a_hosted_provider_is_named_once(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        ended = halubot("check", "wrong.txt", *HOSTED, *QUESTION)
        assert ended.err == (
            "halubot: openai receives the text: openai/gpt-4o is a hosted model (said once)\n"
        )
        assert halubot("check", "wrong.txt", *HOSTED, *QUESTION).err == ""
        other = ("--judge-model", "anthropic/claude-sonnet-4-5")
        ended = halubot("check", "wrong.txt", *HOSTED, *QUESTION, *other)
        assert ended.err.startswith("halubot: anthropic receives the text")

    @pytest.mark.slow
    def test_a_dry_run_and_a_replay_send_nothing(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        assert halubot("check", "wrong.txt", *HOSTED, "--dry-run").err == ""
        halubot("check", "wrong.txt", *LOCAL, "--record", "all.jsonl")
        assert halubot("check", "wrong.txt", *HOSTED, "--replay", "all.jsonl").err == ""


REFUSED = {
    "hosted offline": ([*HOSTED, "--offline"], "openai/gpt-4o is a hosted model, and --offline"),
    "judge offline": (
        [
            *LOCAL,
            "--judge-model",
            "anthropic/claude",
            "--api-base",
            "https://example.org",
            "--offline",
        ],
        "hosted",
    ),
    "no provider": (["--model", "nonsense"], "the model 'nonsense' has no provider"),
    "no address": (["--model", "openai/tiny", "--api-base", "localhost:8000"], "no address"),
    "an address alone": (["--api-base", "http://127.0.0.1:9"], "--api-base is of no use"),
    "a record alone": (["--record", "new.jsonl"], "--record is of no use"),
    "steps alone": (["--as-published", "--method", "cascade"], "name one with --model"),
    "no steps": (["--as-published"], "consensus makes none"),
    "no steps with a model": (
        [*LOCAL, "--method", "selfcheck-ngram", "--as-published"],
        "selfcheck-ngram makes none",
    ),
    "unknown price": (["--model", "openai/unheard-of", "--max-cost", "1"], "--max-calls"),
    "no money": ([*HOSTED, "--max-cost", "nan"], "not a valid number"),
    "negative calls": ([*HOSTED, "--max-calls", "-1"], "--max-calls"),
    "no time": ([*HOSTED, "--timeout", "0"], "--timeout"),
}


@pytest.mark.parametrize(("args", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_does_not_go_together_ends_with_2_before_any_call(
    halubot: Halubot, files: Path, judge: Judge, args: list[str], said: str
) -> None:
    for command in ("check", "correct"):
        ended = halubot(command, "wrong.txt", *args)
        assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert said in ended.err
    assert not judge.asked


def test_offline_lets_a_server_on_this_machine_be_asked(
    halubot: Halubot, files: Path, judge: Judge
) -> None:
    assert reported(halubot, "check", "wrong.txt", *LOCAL, *QUESTION, "--offline").usage.calls


class TestModelsInSettings:
    @pytest.mark.parametrize("name", ["record", "replay", "dry_run"])
    def test_what_means_one_run_is_no_setting(
        self, halubot: Halubot, files: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        (files / "settings.toml").write_text(f"{name} = 'x'\n")
        monkeypatch.setenv("HALUBOT_CONFIG", str(files / "settings.toml"))
        ended = halubot("check", "right.txt")
        assert ended.status == 2
        assert f"there is no setting '{name}'" in ended.err
        assert halubot("config", "set", name, "x").status == 2


class TestDryRun:
    def test_it_calls_nothing_and_says_what_it_would_take(
        self, halubot: Halubot, files: Path, judge: Judge
    ) -> None:
        ended = halubot("check", "wrong.txt", *HOSTED, "--dry-run", "--format", "json")
        plan = json.loads(ended.out)
        assert (ended.status, ended.err, judge.asked) == (0, "", [])
        assert set(plan) >= {
            *("method", "calls", "most_calls", "prompt_tokens", "most_prompt_tokens"),
            *("cost_usd", "samples"),
        }
        assert plan["method"] == "cascade"
        assert 0 < plan["calls"] <= plan["most_calls"]
        assert plan["cost_usd"] > 0

    def test_offline_does_not_forbid_it(self, halubot: Halubot, files: Path) -> None:
        assert halubot("check", "wrong.txt", *HOSTED, "--dry-run", "--offline").status == 0

    def test_without_a_model_it_takes_nothing(self, halubot: Halubot, files: Path) -> None:
        ended = halubot(
            *("check", "wrong.txt", "--samples", "samples.jsonl", "--dry-run"),
            *("--format", "json"),
        )
        plan = json.loads(ended.out)
        assert (plan["calls"], plan["most_calls"], plan["cost_usd"]) == (0, 0, 0.0)


def test_parameters_in_the_settings_file_are_read_again_and_keys_not_shown(
    halubot: Halubot,
) -> None:
    said = halubot("config", "set", "parameters", "top_k=40", "api_key=hidden77")
    shown = halubot("config", "show")
    assert (said.status, shown.status) == (0, 0)
    assert '"top_k": 40' in shown.out
    assert "hidden77" not in said.err + shown.out + shown.err
    assert halubot("config", "path").status == 0
