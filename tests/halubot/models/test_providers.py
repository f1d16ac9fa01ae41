"""Which providers there are is known without loading litellm."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace

import pytest

from halubot.models import published
from halubot.models.litellm_door import load_litellm
from halubot.models.published import is_unknown, similar


def test_they_are_those_of_litellm() -> None:
    load_litellm()
    from litellm.llms.openai_like.json_loader import JSONProviderRegistry
    from litellm.types.utils import LlmProviders

    for known in (*(one.value for one in LlmProviders), *JSONProviderRegistry.list_providers()):
        assert not is_unknown(known), known
    assert is_unknown("nosuch")


def test_the_nearest_is_suggested() -> None:
    assert (similar("opnai"), similar("nothing-like-it")) == ("openai", None)


def test_one_that_a_program_registered_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    registered = SimpleNamespace(custom_provider_map=[{"provider": "mine"}])
    monkeypatch.setitem(sys.modules, "litellm", registered)
    assert not is_unknown("mine")


@pytest.mark.parametrize("there", [False, True])
def test_files_that_cannot_be_read_refuse_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: bool
) -> None:
    if there:
        (tmp_path / "types").mkdir()
        (tmp_path / "types" / "utils.py").write_text("moved = True\n")
        (tmp_path / "llms" / "openai_like").mkdir(parents=True)
        (tmp_path / "llms" / "openai_like" / "providers.json").write_text("{}")
    spec = ModuleSpec("litellm", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(published, "find_spec", lambda name: spec)
    published._read_names.cache_clear()
    try:
        assert not is_unknown("nosuch")
    finally:
        published._read_names.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "message.txt", "--reference", "message.txt"),
        ("correct", "message.txt", "--reference", "message.txt"),
        ("ask", "Who?"),
        ("batch", "in.jsonl", "out.jsonl"),
    ],
)
def test_an_unknown_one_ends_a_command_before_litellm_is_loaded(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "message.txt").write_text("Ada was born in 1815.")
    (tmp_path / "in.jsonl").write_text('{"text": "Ada was born in 1815."}\n')
    script = (
        "import sys; from halubot.cli import main; status = main(sys.argv[1:]);"
        " sys.exit(99 if 'litellm' in sys.modules else status)"
    )
    command = [sys.executable, "-c", script, *arguments, "--model", "opnai/gpt-4o"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "there is no provider 'opnai'; did you mean 'openai'?" in ended.stderr
    assert not (tmp_path / "out.jsonl").exists()
