"""A judge on this machine from the command line: the demonstration judged offline, downloads,
lists, and what is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot import Report
from halubot.verifier.folder import VARIABLE
from tests import tiny_encoders
from tests.halubot.cli.calling import Halubot
from tests.halubot.test_imports import COMMAND, HEAVY, Loaded
from tests.hub import COMMIT, Hub, hub

tiny_encoders.require()

DEMO = Path(__file__).parents[3] / "halubot" / "demo"
ENCODERS = {"onnxruntime", "tokenizers", "huggingface_hub", "numpy"}


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of downloaded models."""
    folder = tmp_path / "models"
    monkeypatch.setenv(VARIABLE, str(folder))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    return folder


@pytest.fixture
def served(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    folder = tmp_path / "origin"
    tiny_encoders.judge_of_demo(folder)
    with hub("somebody/tiny", folder) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.address)
        yield one


def test_the_demonstration_is_judged_offline(halubot: Halubot, tmp_path: Path) -> None:
    judge = tiny_encoders.judge_of_demo(tmp_path / "tiny")
    ended = halubot(
        *("check", DEMO / "message.txt", "--reference", DEMO / "article.md"),
        *("--judge", judge, "--offline", "--format", "json"),
    )
    assert (ended.status, ended.err) == (1, "")
    report = Report.model_validate_json(ended.out)
    verdicts = {str(fact.triple): fact.verdict for fact in report.facts}
    assert verdicts["Construction completed in March 1889"] == "supported"
    assert verdicts["Construction began in January 1885"] == "contradicted"
    assert (report.method, report.models.judge) == ("cascade", "nli:tiny")


def test_words_without_ground_are_shown(halubot: Halubot, tmp_path: Path) -> None:
    judge = tiny_encoders.grounding_of_demo(tmp_path / "tiny")
    ended = halubot(
        *("check", DEMO / "message.txt", "--reference", DEMO / "article.md"),
        *("--judge", judge, "--offline"),
    )
    assert ended.status == 1
    assert "[Rothschild bank]?" in " ".join(ended.out.split())
    assert "cascade · grounding:tiny" in ended.out


def test_a_text_is_corrected_and_checked_again(halubot: Halubot, tmp_path: Path) -> None:
    judge = tiny_encoders.judge_of_demo(tmp_path / "tiny")
    ended = halubot(
        *("correct", DEMO / "message.txt", "--reference", DEMO / "article.md"),
        *("--judge", judge, "--offline", "--format", "json"),
    )
    report = Report.model_validate_json(ended.out)
    assert report.correction is not None
    assert "7,300 tonnes" in report.correction.text
    assert report.correction.report is not None
    assert report.correction.report.models.judge == "nli:tiny"


def test_a_setting_holds_for_methods_that_take_it(
    halubot: Halubot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALUBOT_JUDGE", tiny_encoders.judge_of_demo(tmp_path / "tiny"))
    given = ("check", DEMO / "message.txt", "--reference", DEMO / "article.md", "--format", "json")
    assert json.loads(halubot(*given).out)["method"] == "cascade"
    other = json.loads(halubot(*given, "--method", "consensus").out)
    assert (other["method"], other["models"]["judge"]) == ("consensus", None)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--judge", "openai/gpt"], "write nli:MODEL or grounding:MODEL"),
        (["--judge", "nli:nobody"], "halubot models pull nobody"),
        (["--judge", "nli:./none"], "there is no folder ./none"),
        (["--judge", "nli:x", "--method", "consensus"], "--judge is taken by cascade, ensemble"),
    ],
)
def test_wrong_judges_end_in_one_line(
    halubot: Halubot, models: Path, args: list[str], said: str
) -> None:
    ended = halubot("check", "-", "--reference", DEMO / "article.md", *args, stdin=b"Ada was born.")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert said in ended.err


@pytest.mark.slow
def test_a_model_is_pulled_listed_used_and_removed(
    halubot: Halubot, served: Hub, models: Path
) -> None:
    ended = halubot("models", "pull", "somebody/tiny", "--yes")
    assert (ended.status, ended.err) == (0, "")
    for said in (COMMIT, "apache-2.0", "model.onnx", "SHA-256", str(models), "kB"):
        assert said in ended.out
    served.asked.clear()
    assert "here already" in halubot("models", "pull", "somebody/tiny", "--yes").out
    (listed,) = json.loads(halubot("models", "--format", "json", "--offline").out)
    assert (listed["name"], listed["revision"]) == ("somebody/tiny", COMMIT)
    assert (listed["local"], listed["licence"]) == (True, "apache-2.0")
    assert listed["kind"] == "nli"
    assert "--judge nli:somebody/tiny" in halubot("models", "--offline").out
    checked = halubot(
        *("check", DEMO / "message.txt", "--reference", DEMO / "article.md", "--offline"),
        *("--judge", "nli:somebody/tiny", "--format", "json"),
    )
    assert json.loads(checked.out)["models"]["judge"] == "nli:somebody/tiny"
    assert not [path for _, path, _ in served.asked if "/resolve/" in path]
    assert halubot("models", "remove", "somebody/tiny").status == 0
    assert halubot("models", "remove", "somebody/tiny").status == 2
    assert json.loads(halubot("models", "--format", "json", "--offline").out) == []


def test_nothing_is_fetched_without_consent(halubot: Halubot, served: Hub, models: Path) -> None:
    ended = halubot("models", "pull", "somebody/tiny")
    assert ended.status == 2
    assert "pass --yes" in ended.err
    for offline in (("pull", "somebody/tiny", "--offline"), ("--offline", "pull", "somebody/tiny")):
        ended = halubot("models", *offline)
        assert (ended.status, ended.err.count("\n")) == (2, 1)
        assert "--offline" in ended.err
    assert not [path for _, path, _ in served.asked if "/resolve/" in path]


@pytest.mark.slow
def test_nothing_of_it_is_imported_before_its_flag(tmp_path: Path) -> None:
    """Not even with a model named: `cascade` loads judges of this machine for --judge alone."""
    given = ("check", str(DEMO / "message.txt"), "--reference", str(DEMO / "article.md"))
    plain = Loaded(COMMAND, *given, "--offline", folder=tmp_path)
    assert not plain.tops & (HEAVY | ENCODERS)
    assert not {name for name in plain.modules if name.startswith("halubot.models.local")}
    asked = ("--model", "openai/tiny", "--api-base", "http://127.0.0.1:9/v1", "--dry-run")
    with_model = Loaded(COMMAND, *given, *asked, folder=tmp_path)
    assert "halubot.methods.cascade" in with_model.modules
    assert not with_model.tops & ENCODERS
    assert not {name for name in with_model.modules if name.startswith("halubot.models.local")}
    judge = tiny_encoders.judge_of_demo(tmp_path / "tiny")
    judged = Loaded(f"{COMMAND}", *given, "--offline", "--judge", judge, folder=tmp_path)
    assert "onnxruntime" in judged.tops
    assert not judged.tops & {"litellm", "textual", "discord", "huggingface_hub", "torch"}
    assert judged.sockets == []


def test_the_doctor_tells_if_the_judge_can_be_used(
    halubot: Halubot, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> tuple[bool, str]:
        told = json.loads(halubot("doctor", "--format", "json").out)["findings"]
        (one,) = [one for one in told if one["what"] == "judge"]
        return one["ok"], one["found"]

    monkeypatch.setenv("HALUBOT_JUDGE", tiny_encoders.judge_of_demo(tmp_path / "tiny"))
    assert found() == (True, "nli:tiny, on this machine")
    monkeypatch.setenv("HALUBOT_JUDGE", "nli:nobody")
    ok, said = found()
    assert not ok
    assert "halubot models pull nobody" in said


def test_a_bot_without_its_judge_does_not_begin(
    halubot: Halubot, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[discord]\njudge = "nli:nobody"\n')
    monkeypatch.setenv("HALUBOT_CONFIG", str(settings))
    monkeypatch.setenv("HALUBOT_DISCORD_TOKEN", "x")
    ended = halubot("discord")
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "halubot models pull nobody" in ended.err
