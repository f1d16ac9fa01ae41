"""What docs/security.md and docs/licences.md say is what there is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from docs.list_licences import EXTRAS
from halubot.text.files import Limits

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
LICENCES = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
HEAD = "| promise | limit | tests |"


def promises() -> list[tuple[str, str]]:
    """Return each promise of the page with what its row says of tests."""
    found = []
    for table in PAGE.split(HEAD)[1:]:
        _, *rows = table.partition("\n\n")[0].strip().splitlines()
        for row in rows:
            _, promise, _, tests, _ = (cell.strip() for cell in row.split("|"))
            found.append((promise, tests))
    return found


def test_each_area_has_a_table_of_promises() -> None:
    _, *areas = PAGE.partition("## Not promised")[0].split("\n## ")
    assert [area.partition("\n")[0] for area in areas if area.count(HEAD) != 1] == []
    assert len(promises()) == sum(line.startswith("| ") for line in PAGE.splitlines()) - 2 * len(
        areas
    )


def test_each_promise_names_tests_that_are_there() -> None:
    assert [promise for promise, tests in promises() if not (promise.endswith(".") and tests)] == []
    for group in (group for _, tests in promises() for group in tests.split("; ")):
        path, _, names = group.partition(": ")
        source = (ROOT / "tests" / path.strip("`")).read_text(encoding="utf-8")
        assert names, group
        for name in names.split(", "):
            assert re.fullmatch("`test_\\w+`", name), name
            assert f"def {name.strip('`')}(" in source, f"{path}: {name}"


def test_the_limits_are_those_of_the_code() -> None:
    limits = Limits()
    for said in (
        f"{limits.memory >> 20} MiB",
        f"{limits.seconds:g} s",
        f"at most {limits.most_seconds:g} s",
        f"{limits.pages:,} pages",
        f"{limits.characters >> 20} Mi characters",
    ):
        assert said in PAGE, said


def test_every_dependency_has_its_licence_on_the_page() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [*project["dependencies"]]
    for extra in filter(None, EXTRAS):
        needed += project["optional-dependencies"][extra]
    rows = [line for line in LICENCES.splitlines() if line.startswith("| `halubot")]
    listed = set(re.findall(r"[\w-]+", " ".join(row.split("|")[3] for row in rows)))
    for requirement in needed:
        name = re.match(r"[\w.-]+", requirement)
        assert name is not None
        assert re.sub(r"[-_.]+", "-", name[0]).lower() in listed, requirement
