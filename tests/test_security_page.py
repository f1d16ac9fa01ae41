"""What docs/security.md lists is what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from halubot.formats.protocol import Limits

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


def test_every_dependency_has_its_licence_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"]]
    needed += [one for extra in ("docx", "zim", "web", "local", "bench") for one in extras[extra]]
    listed = set(re.findall(r"[\w-]+", PAGE.partition("## Licences")[2]))
    for requirement in needed:
        name = re.match(r"[\w.-]+", requirement)
        assert name is not None
        assert re.sub(r"[-_.]+", "-", name[0]).lower() in listed, requirement


def test_the_limits_are_those_of_the_code() -> None:
    limits = Limits()
    for said in (
        f"{limits.memory >> 20} MiB",
        f"{limits.seconds:g} s",
        f"at most {limits.most_seconds:g} s",
        f"{limits.pages:,}",
        f"{limits.characters >> 20} Mi characters",
    ):
        assert said in PAGE, said


def test_the_tests_that_it_names_are_there() -> None:
    titles = ("Texts that take long, and who waits for them", "Which test holds which promise")
    table = "".join(PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in titles)
    named = 0
    file = ""
    for path, name in re.findall(r"`([\w/]+\.py)`|`(test_\w+)`", table):
        if path.startswith("tools/"):
            continue
        if path:
            file = (ROOT / path if path.startswith("tests/") else ROOT / "tests" / path).read_text(
                encoding="utf-8"
            )
        else:
            assert f"def {name}(" in file, name
        named += 1
    assert named > 30
