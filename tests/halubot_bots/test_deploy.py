"""The examples in deploy/: they fit each other, the program, and the limits of Discord."""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from halubot.errors import SettingError
from halubot_bots.discord.runner import RefusedError
from halubot_bots.settings import owner_limits

FOLDER = Path(__file__).parents[2] / "deploy"
DOCKERFILE = (FOLDER / "Dockerfile").read_text()


class Unit(configparser.ConfigParser):
    """A unit of systemd; a key that comes more than once has all its values."""

    def __init__(self) -> None:
        super().__init__(interpolation=None, strict=False)
        self.read(FOLDER / "halubot.service")

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def environment() -> dict[str, str]:
    """What the service is started with."""
    found = re.findall(r"(?m)^Environment=(.+)$", (FOLDER / "halubot.service").read_text())
    return dict(pair.split("=", 1) for line in found for pair in line.split())


def test_a_refused_token_or_intent_ends_the_service_for_good() -> None:
    service = Unit()["Service"]
    never = {int(one) for one in service["RestartPreventExitStatus"].split()}
    assert RefusedError.exit_status in never
    assert service["Restart"] == "always"


def test_the_service_begins_far_fewer_sessions_a_day_than_discord_allows() -> None:
    unit = Unit()["Unit"]
    assert unit["StartLimitIntervalSec"] == "1h"
    assert 24 * int(unit["StartLimitBurst"]) < 1000


def test_the_folders_of_the_service_are_its_own_and_not_hidden_from_it() -> None:
    service, named = Unit()["Service"], environment()
    own = Path("/var/lib") / service["StateDirectory"]
    for variable in ("HALUBOT_STATE", "HALUBOT_STORE", "HALUBOT_KNOWLEDGE_FOLDER"):
        assert own == Path(named[variable]) or own in Path(named[variable]).parents
    assert service["StateDirectoryMode"] == "0700"
    assert not str(own).startswith(("/home", "/root", "/run/user"))  # ProtectHome hides these
    assert Path(service["WorkingDirectory"]) == own
    assert service["ExecStart"].split()[0].startswith("/opt/halubot/")  # no shell, no search


VERIFY = shutil.which("systemd-analyze")


@pytest.mark.slow
@pytest.mark.skipif(VERIFY is None, reason="there is no systemd here")
def test_systemd_understands_the_service(tmp_path: Path) -> None:
    text = (FOLDER / "halubot.service").read_text()
    text = re.sub(r"(?m)^ExecStart=.*$", "ExecStart=/bin/true", text)
    copy = tmp_path / "halubot.service"
    copy.write_text(text)
    done = subprocess.run(
        [str(VERIFY), "verify", "--man=no", str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [line for line in done.stderr.splitlines() if "halubot.service" in line]
    # An older systemd does not know the growing pause; it passes over it.
    known = [line for line in wrong if "RestartSteps" not in line and "RestartMax" not in line]
    assert known == []


def test_the_container_owns_its_folders_and_finds_its_settings() -> None:
    lines = DOCKERFILE.splitlines()
    order = [line.split()[0] for line in lines if re.match(r"[A-Z]+ ", line)]
    assert order.index("USER") < order.index("VOLUME") < order.index("CMD")
    made = DOCKERFILE.index("--owner halubot")
    assert made < DOCKERFILE.index("USER halubot")
    named = dict(re.findall(r"(HALUBOT_\w+)=(\S+)", DOCKERFILE))
    compose = (FOLDER / "compose.yaml").read_text()
    volumes = {to: what for what, to in re.findall(r"(?m)^ +- ([^\s:]+):(/[^\s:]+)", compose)}
    assert named["HALUBOT_CONFIG"] in volumes
    assert (FOLDER / volumes[named["HALUBOT_CONFIG"]]).is_file()
    for variable in ("HALUBOT_STATE", "HALUBOT_STORE", "HALUBOT_KNOWLEDGE_FOLDER"):
        assert named[variable].startswith("/data")
    assert "/data" in volumes
    assert re.search(r"(?m)^    restart: on-failure:\d$", compose)


def test_both_set_the_same_variables_and_the_program_knows_them() -> None:
    named = set(re.findall(r"HALUBOT_\w+(?==)", DOCKERFILE))
    assert named == set(environment())
    root = FOLDER.parent
    code = "".join(one.read_text() for one in (root / "halubot").rglob("*.py"))
    for variable in named - {"HALUBOT_STORE"}:  # an option: its variable is made of its name
        assert variable in code
    assert '"store"' in code


def test_the_settings_are_read_with_their_suggestions_and_without() -> None:
    text = (FOLDER / "config.toml").read_text()
    assert owner_limits(tomllib.loads(text)["discord"]).day.dollars == 2.50
    whole = re.sub(r"(?m)^# (\w+ = )", r"\1", text)
    found = owner_limits(tomllib.loads(whole)["discord"])
    assert found.models
    assert found.knowledge == ("wikipedia",)


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(SettingError, match="password") as told:
        owner_limits({"api_base": "http://me:geheim77@10.1.2.3/v1"})
    assert "geheim77" not in str(told.value)
