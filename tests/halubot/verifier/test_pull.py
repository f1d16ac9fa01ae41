"""Downloads of models from a hub on this machine: what is shown, checked, kept and refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot import offline
from halubot.errors import LocalModelError, MissingExtraError
from halubot.verifier.encoder import FOLDER, choose_verifier, folder_of, open_verifier
from halubot.verifier.pull import KNOWN, plan_pull, pull, pulled, remove
from tests import tiny_encoders
from tests.hub import COMMIT, Hub, hub

tiny_encoders.require()

NAME = "somebody/tiny-nli"
WEIGHTS = "onnx/model.onnx"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a tiny classifier, and beside it what is never fetched."""
    folder = tiny_encoders.build(
        tmp_path / "origin", {"born": {"entailment": 6.0}}, weights=WEIGHTS
    )
    (folder / "pytorch_model.bin").write_bytes(b"a pickle" * 1000)
    (folder / "README.md").write_text("about")
    monkeypatch.setenv(FOLDER, str(tmp_path / "models"))
    for name in ("HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with hub(NAME, folder) as one:
        monkeypatch.setenv("HF_ENDPOINT", one.address)
        yield one


def got(served: Hub) -> list[str]:
    return [path.rpartition("/resolve/")[2] for _, path, _ in served.asked if "/resolve/" in path]


def test_what_is_fetched_is_told_before(served: Hub) -> None:
    plan = plan_pull(NAME)
    assert (plan.revision, plan.licence, plan.present) == (COMMIT, "apache-2.0", False)
    assert [file.name for file in plan.files] == ["config.json", "tokenizer.json", WEIGHTS]
    assert plan.size == sum(len(served.files[file.name]) for file in plan.files)
    assert len(plan.files[-1].sha256) == 64
    assert got(served) == []


def test_a_pulled_model_judges_without_a_network(served: Hub) -> None:
    record = pull(plan_pull(NAME))
    assert got(served) == [
        f"{COMMIT}/{name}" for name in ("config.json", "tokenizer.json", WEIGHTS)
    ]
    assert [*record.files] == ["config.json", "tokenizer.json", WEIGHTS]
    served.asked.clear()
    assert open_verifier(NAME).judge([("Ada was born.", "Ada was born.")])
    assert pulled() == ({NAME: record}, ())
    assert record.licence == "apache-2.0"
    assert served.asked == []


def test_a_model_that_is_here_is_not_fetched_again(served: Hub) -> None:
    pull(plan_pull(NAME))
    served.revisions["main"] = "b" * 40
    served.asked.clear()
    plan = plan_pull(NAME)
    assert plan.present
    assert plan.revision == COMMIT, "the revision that was pulled first is pinned"
    assert got(served) == []


def test_another_revision_takes_its_place_when_it_is_named(served: Hub) -> None:
    pull(plan_pull(NAME))
    served.revisions |= {"v2": "c" * 40, "c" * 40: "c" * 40}
    served.files["config.json"] += b"\n"
    plan = plan_pull(f"{NAME}@v2")
    assert (plan.revision, plan.present) == ("c" * 40, False)
    pull(plan)
    assert pulled()[0][NAME].revision == "c" * 40
    assert (folder_of(NAME) / "config.json").read_bytes().endswith(b"\n")


def test_the_verifier_that_was_pulled_is_used(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER", raising=False)
    monkeypatch.setitem(KNOWN, "verifier", NAME)
    pull(plan_pull("verifier"))
    chosen = choose_verifier(None)
    assert chosen is not None
    assert chosen.weights == folder_of("verifier") / WEIGHTS


def test_a_download_goes_on_where_it_stopped(served: Hub) -> None:
    plan = plan_pull(NAME)
    whole = served.files[WEIGHTS]
    served.files[WEIGHTS] = whole[:3000]  # and there the connection ends
    with pytest.raises(LocalModelError, match="goes on where it stopped"):
        pull(plan)
    assert pulled() == ({}, ())
    served.files[WEIGHTS] = whole
    served.asked.clear()
    pull(plan)
    assert [ask[2] for ask in served.asked] == ["bytes=3000-"]
    assert (folder_of(NAME) / WEIGHTS).read_bytes() == whole


@pytest.mark.parametrize("name", [WEIGHTS, "config.json"])
def test_a_file_that_is_not_what_was_announced_is_refused(served: Hub, name: str) -> None:
    served.announced[name] = "0" * (64 if name == WEIGHTS else 40)
    with pytest.raises(LocalModelError, match=f"{name} of {NAME} is not what the hub announced"):
        pull(plan_pull(NAME))
    assert pulled() == ({}, ())
    del served.announced[name]
    pull(plan_pull(NAME))
    assert open_verifier(NAME)


def test_a_file_that_was_changed_later_is_fetched_again(served: Hub) -> None:
    pull(plan_pull(NAME))
    file = folder_of(NAME) / WEIGHTS
    whole = file.read_bytes()
    file.write_bytes(whole + b" ")
    assert not plan_pull(NAME).present
    pull(plan_pull(NAME))
    assert file.read_bytes() == whole


def test_a_disk_that_is_too_small(served: Hub) -> None:
    served.sizes[WEIGHTS] = shutil.disk_usage(folder_of(NAME).anchor).total * 1000
    with pytest.raises(LocalModelError, match=r"needs [\d,]+ MB, and .* left: make room"):
        pull(plan_pull(NAME))
    assert got(served) == []


def test_weights_in_another_form_are_to_be_exported(served: Hub) -> None:
    del served.files[WEIGHTS]
    with pytest.raises(LocalModelError, match="optimum-cli export onnx --model somebody/tiny-nli"):
        plan_pull(NAME)
    del served.files["tokenizer.json"]
    with pytest.raises(LocalModelError, match=r"has no tokenizer[.]json"):
        plan_pull(NAME)


def test_names_that_are_not_there(served: Hub) -> None:
    with pytest.raises(LocalModelError, match="known are verifier"):
        plan_pull("nobody")
    with pytest.raises(LocalModelError, match="there is no model nobody/nothing on http://127"):
        plan_pull("nobody/nothing")
    with pytest.raises(LocalModelError, match="no revision 'v9'"):
        plan_pull(f"{NAME}@v9")


def test_nothing_is_fetched_offline(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_pull(NAME)
    served.asked.clear()
    with offline.network_refused():
        with pytest.raises(LocalModelError, match="--offline"):
            plan_pull(NAME)
        with pytest.raises(LocalModelError, match="--offline"):
            pull(plan)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(LocalModelError, match="HF_HUB_OFFLINE is set"):
        plan_pull(NAME)
    assert served.asked == []


def test_the_command_that_installs_the_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halubot.verifier.pull.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'halubot\[local\]'"):
        plan_pull("verifier")


def test_a_hub_that_nobody_reaches(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(LocalModelError, match=r"cannot download .* look at the network"):
        plan_pull(NAME)


def test_a_model_is_deleted(served: Hub) -> None:
    pull(plan_pull(NAME))
    assert remove(NAME)
    assert not remove(NAME)
    assert pulled() == ({}, ())


def test_a_record_that_is_damaged_is_told(served: Hub) -> None:
    pull(plan_pull(NAME))
    (folder_of(NAME) / "halubot.json").write_text("{")
    found, (damaged,) = pulled()
    assert found == {}
    assert "halubot.json is damaged: delete the folder" in str(damaged)


@pytest.mark.parametrize(
    ("machine", "wanted"),
    [("arm64", "model_qint8_arm64"), ("x86_64", "model_quint8_avx2")],
)
def test_weights_suit_the_processor(
    served: Hub, monkeypatch: pytest.MonkeyPatch, machine: str, wanted: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    for name in ("model_qint8_arm64", "model_quint8_avx2"):
        served.files[f"onnx/{name}.onnx"] = b"weights"
    assert plan_pull(NAME).files[-1].name == f"onnx/{wanted}.onnx"
