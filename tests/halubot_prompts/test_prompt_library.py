"""The loader: prompts by name, a person's own in their place, and one clear line for what is
wrong."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

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
    for fields in ({"sentence": "Osby."}, {**given, "sourse": "It does."}):
        message = refused(partial(prompt.fill, fields))
        assert "the prompt 'verify-sentence' has the fields sentence, source, and" in message
        assert message.endswith(", ".join(sorted(fields)))


def test_a_prompt_of_the_folder_replaces_the_bundled_one(own: Write) -> None:
    library = Library(own(OWN))
    assert library.names() == Library().names()
    fields = {"sentence": Plain("Osby is a port."), "source": Plain("Ships call at Osby.")}
    assert library.get("verify-sentence").fill(fields) == (
        ("user", "Does this say Ships call at Osby. so? Osby is a port."),
    )
    assert library.get("verify-sentences") == Library().get("verify-sentences")


def test_a_file_that_replaces_nothing_is_refused(own: Write) -> None:
    folder = own(OWN, "verify-sentense.md")
    message = refused(lambda: Library(folder))
    assert str(folder / "verify-sentense.md") in message
    assert "did you mean 'verify-sentence'?" in message or "'verify-sentences'" in message


BROKEN = {
    "": "does not begin with",
    "---\nfields: sentence, source\n\n# user\n\n{sentence} {source}": "does not begin with",
    "---\nfields: sentence, Source\n---\n# user\n\n{sentence}": "'Source' is no name of a field",
    "---\nfields: source, source\n---\n# user\n\n{source}": "twice in its front",
    "---\nfields: sentence, source\n---\n# user\n\n{sentence}": "'source' is not both",
    "---\nfields: sentence\n---\n# user\n\n{sentence} {source}": "'source' is not both",
    "---\nfields: sentence\n---\n# user\n\n{sentence} {sentence}": "{sentence} twice",
    "---\nfields: sentence\n---\n# system\n\n{sentence}\n\n# user\n\nGo.": "fields are the user's",
    "---\nfields: sentence\n---\n{sentence}": "text before its first section",
    "---\nfields: sentence\n---\n# user\n\n{sentence}\n\n# system\n\nGo.": "its sections are not",
    "---\nfields: source?\n---\n# user\n\n{source}": "nothing beside optional fields",
    "---\nfields: sentence, source?\n---\n# user\n\nSo.\n\n{sentence}{source}": "shares its",
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


def test_a_wheel_holds_the_prompts() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    data = tomllib.loads(project.read_text(encoding="utf-8"))
    assert data["tool"]["setuptools"]["package-data"]["halubot_prompts"] == ["*.md", "parts/*.md"]
