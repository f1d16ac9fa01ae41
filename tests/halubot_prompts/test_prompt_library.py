"""The loader: prompts by name, a person's own in their place, and one clear line for what is
wrong."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import halubot_prompts
from halubot_prompts import Field, Library, Plain, Prompt, PromptError

OWN = "---\nfields: sentence, source\n---\n\n# user\n\nDoes this say {source} so? {sentence}\n"

Write = Callable[..., Path]


@pytest.fixture
def own(tmp_path: Path) -> Write:
    """Writes a prompt into a folder of a person's own, and returns the folder."""

    def write(text: str | bytes, name: str = "verify-sentence.md") -> Path:
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(data)
        return tmp_path

    return write


def refused(work: Callable[[], object]) -> str:
    """The message of the PromptError that the work ends in, which is one line."""
    with pytest.raises(PromptError) as caught:
        work()
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_bundled_prompts_are_there_by_name() -> None:
    library = Library()
    assert library.names() == (
        "again",
        "answer",
        "bcv",
        "bcv-cot",
        "correct",
        "correct-published",
        "extract",
        "extract-entities",
        "extract-relations",
        "extract-sample",
        "extract-sentence",
        "fsc-kg",
        "fsc-text",
        "gca-choices",
        "gca-extract",
        "gca-heads",
        "gca-prepare",
        "gca-question",
        "gca-relations",
        "gca-revise",
        "gca-same",
        "gca-supports",
        "gca-tails",
        "issc",
        "issc-cot",
        "knowhalu-begin",
        "knowhalu-judge",
        "knowhalu-judge-summary",
        "knowhalu-knowledge",
        "knowhalu-query",
        "knowhalu-step",
        "knowhalu-target",
        "knowhalu-think",
        "question",
        "sca",
        "sca-published",
        "triplet-baseline",
        "triplet-detailed",
        "triplet-detailed-reasoning",
        "triplet-pairwise",
        "triplet-reasoning",
        "triplet-reference",
        "verify-fact",
        "verify-facts",
        "verify-facts-triples",
        "verify-sentence",
        "verify-sentences",
        "web-queries",
    )
    for name in library.names():
        assert library.get(name).name == name


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    assert "mean 'verify-facts-triples'?" in refused(lambda: Library().get("verify-fact-triple"))
    assert "none is like it" in refused(lambda: Library().get("\n"))


@pytest.mark.parametrize(
    "name", ["../halubot_prompts/answer", "/etc/passwd", "answer.md", "README"]
)
def test_a_name_is_never_a_path(name: str) -> None:
    assert "there is no prompt" in refused(lambda: Library().get(name))


def test_fields_have_to_be_those_of_the_prompt() -> None:
    prompt = Library().get("verify-sentence")
    assert prompt.fields == {"sentence", "source"}
    given = {"sentence": "Osby lies by the sea.", "source": "It does."}
    assert "needs the field 'source'" in refused(lambda: prompt.fill({"sentence": "Osby."}))
    unknown = refused(lambda: prompt.fill({**given, "sourse": "It does."}))
    assert "'verify-sentence' has no field 'sourse': did you mean 'source'?" in unknown


@pytest.mark.parametrize("value", [None, ("a",), 0.5, b"a", {"a": {1}}, [float("nan")], {"a": b""}])
def test_a_value_that_cannot_be_written_is_refused_by_its_field(value: object) -> None:
    prompt = Library().get("verify-sentence")
    fields = {"sentence": value, "source": "It does."}
    assert "'sentence'" in refused(lambda: prompt.fill(fields))  # type: ignore[arg-type]


def test_a_prompt_of_the_folder_replaces_the_bundled_one(own: Write) -> None:
    library = Library(own(OWN))
    assert library.names() == Library().names()
    fields = {"sentence": Plain("Osby is a port."), "source": Plain("Ships call at Osby.")}
    assert library.get("verify-sentence").fill(fields) == (
        ("user", "Does this say Ships call at Osby. so? Osby is a port."),
    )
    assert library.get("verify-sentences") == Library().get("verify-sentences")


def test_the_folder_need_not_exist(tmp_path: Path) -> None:
    assert Library(tmp_path / "none").names() == Library().names()


def test_a_prompt_is_read_when_it_is_asked_for_and_only_then(own: Write) -> None:
    folder = own("broken")
    library = Library(folder)
    assert library.get("answer").name == "answer"
    own(OWN)
    found = library.get("verify-sentence")
    own("broken")
    assert library.get("verify-sentence") is found


def test_a_file_that_replaces_nothing_is_refused(own: Write) -> None:
    folder = own(OWN, "verify-sentense.md")
    message = refused(lambda: Library(folder))
    assert str(folder / "verify-sentense.md") in message
    assert "did you mean 'verify-sentence'?" in message or "'verify-sentences'" in message


@pytest.mark.parametrize("name", ["README.md", "notes.txt", "answer.md~", ".answer.md", "._a.md"])
def test_files_that_are_not_named_like_prompts_are_let_be(own: Write, name: str) -> None:
    assert Library(own("anything", name)).get("answer") == Library().get("answer")


def test_a_folder_that_is_a_file_is_refused(own: Write) -> None:
    file = own(OWN) / "verify-sentence.md"
    assert str(file) in refused(lambda: Library(file))


BROKEN = {
    "": "does not begin with its fields",
    "# user\n\n{sentence} {source}": "does not begin with its fields",
    "---\nfields: sentence, source\n\n# user\n\n{sentence} {source}": "does not begin with",
    "---\nfield: sentence\n---\n# user\n\n{sentence}": "its front is not the one line",
    "---\nfields: sentence\nabout: x\n---\n# user\n\n{sentence}": "its front is not the one line",
    "---\nfields: sentence, Source\n---\n# user\n\n{sentence}": "'Source' is no name of a field",
    "---\nfields: source, source\n---\n# user\n\n{source}": "the field 'source' twice",
    "---\nfields: sentence, source\n---\n# user\n\n{sentence}": "'source', which it does not use",
    "---\nfields: sentence\n---\n# user\n\n{sentence} {source}": "{source}, which its front does",
    "---\nfields: sentence\n---\n# user\n\n{sentence} {sentence}": "{sentence} twice",
    "---\nfields: sentence\n---\n# system\n\n{sentence}\n\n# user\n\nGo.": "fields are the user's",
    "---\nfields: sentence\n---\n# system\n\nGo.": "its sections are not",
    "---\nfields: sentence\n---\n{sentence}": "text before its first section",
    "---\nfields: sentence\n---\n": "or '# user': none",
    "---\nfields: sentence\n---\n# user\n\n{sentence}\n\n# system\n\nGo.": "its sections are not",
    "---\nfields: sentence\n---\n# user\n\n{sentence}\n\n# user\n\nGo.": "its sections are not",
    "---\nfields: sentence\n---\n# sytem\n\nGo.\n\n# user\n\n{sentence}": "'# sytem'",
    "---\nfields: sentence\n---\n# system\n\n# user\n\n{sentence}": "'# system' is empty",
    "---\nfields: source?\n---\n# user\n\n{source}": "nothing beside optional fields",
    "---\nfields: sentence, source?\n---\n# user\n\nSo.\n\n{sentence}{source}": "share a paragraph",
    "---\nfields: sentence\n---\n# user\n\n{sentence}": "it lacks the field 'source'",
    "---\nfields: sentence, source, x\n---\n# user\n\n{sentence}{source}{x}": "a field 'x' that",
    b"---\nfields: sentence\n---\n# user\n\n\xff{sentence}": "it is not UTF-8 text",
}


@pytest.mark.parametrize(("text", "why"), BROKEN.items())
def test_a_broken_prompt_is_refused_with_its_file_and_a_remedy(
    own: Write, text: str | bytes, why: str
) -> None:
    folder = own(text)
    message = refused(lambda: Library(folder).get("verify-sentence"))
    assert str(folder / "verify-sentence.md") in message
    assert why in message
    assert message.endswith("; mend or remove the file")


def test_a_prompt_that_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answer.md").mkdir()
    (tmp_path / "again.md").symlink_to(tmp_path / "gone")
    library = Library(tmp_path)
    assert "answer.md cannot be used: it is not a regular" in refused(lambda: library.get("answer"))
    assert "again.md cannot be used: no such file" in refused(lambda: library.get("again"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "answer.md")
    assert "not a regular file" in refused(lambda: Library(tmp_path).get("answer"))


def test_an_unreadable_prompt_is_refused_by_its_name(
    own: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = own(OWN)
    read = Path.read_text

    def forbidden(path: Path, *args: Any, **kinds: Any) -> str:
        if path.parent == folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return read(path, *args, **kinds)

    monkeypatch.setattr(Path, "read_text", forbidden)
    library = Library(folder)
    message = refused(lambda: library.get("verify-sentence"))
    assert f"{folder / 'verify-sentence.md'} cannot be used: permission denied" in message
    assert library.get("answer").name == "answer"


def test_the_version_is_the_beginning_of_the_hash_of_the_text(own: Write) -> None:
    found = Library(own(OWN)).get("verify-sentence").version
    assert found == hashlib.sha256(OWN.encode()).hexdigest()[:12]


@pytest.mark.parametrize(
    "same", [OWN.replace("\n", "\r\n"), OWN.replace("\n", "\r"), "\ufeff" + OWN]
)
def test_line_endings_and_a_mark_of_the_encoding_change_nothing(own: Write, same: str) -> None:
    expected = Prompt.parse("verify-sentence", OWN)
    assert Library(own(same)).get("verify-sentence") == expected
    assert Prompt.parse("verify-sentence", same.removeprefix("\ufeff")) == expected


def test_the_version_changes_with_the_text(own: Write) -> None:
    before = Library(own(OWN)).get("verify-sentence").version
    after = Library(own(OWN.replace("Does", "Would"))).get("verify-sentence").version
    assert before != after


def test_an_optional_field_that_is_empty_takes_its_paragraph_with_it() -> None:
    text = (
        "---\nfields: note?, more?, source\n---\n# user\n\nNote:\n{note}\n \n{more}\n\n{source}\n"
    )
    prompt = Prompt.parse("x", text)
    assert prompt.optional == {"note", "more"}
    said = Plain("said")
    assert prompt.fill({"note": "", "more": [], "source": said}) == (("user", "said"),)
    assert prompt.fill({"note": said, "more": {}, "source": said}) == (
        ("user", "Note:\nsaid\n\nsaid"),
    )
    assert prompt.fill({"note": said, "more": 0, "source": Plain("")}) == (
        ("user", "Note:\nsaid\n\n0\n\n"),
    )


def test_braces_that_are_no_field_stay() -> None:
    text = '---\nfields: a\n---\n# user\n\n{"a": {}} {} { a } {{a}} {0, 1} {a b}\n'
    ((_, content),) = Prompt.parse("x", text).fill({"a": Plain("b")})
    assert content == '{"a": {}} {} { a } {b} {0, 1} {a b}'


def test_a_part_stands_where_a_line_names_it(own: Write) -> None:
    given: dict[str, Field] = {"examples": "", "facts": {}, "triples": {}}
    rules = Library().get("triplet-detailed").fill(given)[0][1]
    part = "A triple, or several together, support a fact only where all of this holds:"
    assert part in rules
    assert part not in Library().get("triplet-baseline").fill(given)[0][1]
    library = Library(
        own(f"{OWN}\n{{part triplet-rules}}\n\nNot in {{part triplet-rules}} a line.\n")
    )
    fields = {"sentence": Plain("A."), "source": Plain("B.")}
    ((_, content),) = library.get("verify-sentence").fill(fields)
    assert content.startswith("Does this say B. so? A.\n\nA triple, or several together, support")
    assert content.endswith("\n\nNot in {part triplet-rules} a line.")


def test_the_version_covers_the_parts(own: Write) -> None:
    text = f"{OWN}\n{{part triplet-form}}\n"
    version = Library(own(text)).get("verify-sentence").version
    assert version != hashlib.sha256(text.encode()).hexdigest()[:12]
    part = (Path(halubot_prompts.__file__).parent / "parts" / "triplet-form.md").read_text("utf-8")
    whole = text.replace("{part triplet-form}", part.strip())
    assert version == hashlib.sha256(whole.encode()).hexdigest()[:12]


def test_a_part_that_is_not_there_is_refused(own: Write) -> None:
    library = Library(own(f"{OWN}\n{{part triplet-rule}}\n"))
    message = refused(lambda: library.get("verify-sentence"))
    assert "there is no part 'triplet-rule': did you mean 'triplet-rules'?" in message


def test_every_part_is_used() -> None:
    folder = Path(halubot_prompts.__file__).parent
    used = {
        name
        for path in folder.glob("*.md")
        for name in re.findall(r"(?m)^\{part (.*)\}$", path.read_text("utf-8"))
    }
    examples = {f"triplet-example-{n}{kind}" for n in ("one", "two") for kind in KINDS}
    there = {path.stem for path in (folder / "parts").iterdir()}
    assert used | examples | {"triplet-both"} == there


KINDS = ("", "-reasons")


def test_a_part_can_be_had_by_its_name() -> None:
    assert Library().part("triplet-both").startswith("Where both lists of a fact have numbers")
    assert "there is no part 'triplet-bot': did you mean" in refused(
        lambda: Library().part("triplet-bot")
    )


def test_the_loader_loads_nothing_else_of_ours_and_no_pydantic() -> None:
    code = "import json, sys, halubot_prompts; halubot_prompts.Library().get('answer')\n"
    code += "print(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded: list[str] = json.loads(ended.stdout)
    ours = {name.partition(".")[0] for name in loaded if name.startswith("halubot")}
    assert ours == {"halubot_prompts"}
    assert "pydantic" not in loaded


def test_a_wheel_holds_the_prompts() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    data = tomllib.loads(project.read_text(encoding="utf-8"))
    assert data["tool"]["setuptools"]["package-data"]["halubot_prompts"] == ["*.md", "parts/*.md"]
