"""Whatever comes from outside is read, checked and drawn, or refused with an error for people."""

from __future__ import annotations

import io
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from halubot import check, correct
from halubot.errors import HalubotError
from halubot.evidence.files import chats_of, contents_of, samples_of
from halubot.models.answer_text import read_json
from halubot.models.vendor_errors import translate_error, without_keys
from halubot.render.html import page
from halubot.render.inert import inert
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render
from halubot.report import Report
from halubot.testing import ScriptedModel
from tests.patterns import REPEATED

ANSWERS = ('{"0": {"stance": "-"}}', '{"facts": []}', '[{"a":', "<think>no", "\x00", '{"0": NaN}')

pieces = st.one_of(
    st.sampled_from([*REPEATED.values(), "Ada Lovelace was born in 1815. ", "\ud800", "\x1b[31m"]),
    st.text(max_size=20),
)
messages = st.lists(pieces, min_size=1, max_size=12).map("".join).filter(str.strip)
answers = st.lists(st.one_of(st.sampled_from(ANSWERS), pieces), max_size=6).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | pieces,
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(pieces, inside, max_size=3),
    max_leaves=8,
)


def require_sound(report: Report) -> None:
    """Assert what ``docs/report.md`` promises of every report, and that it can be drawn."""
    texts = {source.id: source.text or "" for source in report.sources}
    at = 0
    for sentence in report.sentences:
        assert at <= sentence.start < sentence.end <= len(report.text)
        assert sentence.reason or sentence.verdict != "not_checked"
        at = sentence.end
    for fact in report.facts:
        assert all(0 <= start < end <= len(report.text) for start, end in fact.spans)
        assert fact.reason or fact.verdict != "not_checked"
        for one in fact.evidence:
            if one.quote and one.start is not None:
                assert one.quote == texts[one.source][one.start : one.end]
    assert Report.model_validate_json(report.to_json()) == report
    out = io.StringIO()
    Console(file=out, width=40, color_system=None).print(render(report, verbose=True))
    assert out.getvalue() == inert(out.getvalue())
    to_markdown(report, verbose=True).encode()
    assert "<script" not in page(report, verbose=True)


@pytest.mark.slow
@settings(max_examples=20)
@given(messages, st.lists(messages, max_size=3), st.lists(messages, max_size=2))
def test_any_text_has_a_sound_report(text: str, samples: list[str], references: list[str]) -> None:
    require_sound(check(text, samples=samples, references=references))


@pytest.mark.slow
@settings(max_examples=10)
@given(messages, messages, st.sampled_from(["mark", "hedge", "remove"]))
def test_any_text_is_corrected(text: str, reference: str, on_doubt: str) -> None:
    report = correct(text, references=[reference], on_doubt=on_doubt)  # type: ignore[arg-type]
    assert report.correction is not None
    require_sound(report)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bcv", "cascade", "fsc-kg", "gca", "knowhalu", "triplet-check"])
@settings(max_examples=8)
@given(text=messages, said=st.lists(answers, min_size=1, max_size=4))
def test_a_model_may_answer_anything(method: str, text: str, said: list[str]) -> None:
    model = ScriptedModel(lambda request: said[len(request.messages[-1].content) % len(said)])
    sources = {"samples": [text[::-1] or "a"], "references": ["Ada was born in 1815."]}
    require_sound(check(text, method=method, model=model, max_calls=40, **sources))  # type: ignore[arg-type]


@settings(max_examples=10)
@pytest.mark.parametrize("name", ["a", "a.txt", "a.md", "a.html"])
@given(st.one_of(st.binary(max_size=200), messages.map(lambda t: t.encode("utf-16", "replace"))))
def test_a_file_of_any_bytes_is_read_or_refused(name: str, data: bytes) -> None:
    with suppress(HalubotError):
        contents_of(data, name)


@given(values)
def test_any_json_is_read_as_samples_and_as_an_answer_or_refused(value: object) -> None:
    text = json.dumps(value)
    with suppress(HalubotError):
        samples_of(text.encode(), "samples.jsonl")
    with suppress(ValueError):
        read_json(text)


@settings(max_examples=8)
@given(values)
def test_any_json_is_read_as_exported_chats_or_refused(value: object) -> None:
    with suppress(HalubotError):
        chats_of(json.dumps([value]).encode(), "chats.json")


@given(answers)
def test_any_error_of_a_vendor_becomes_one_line(text: str) -> None:
    assert without_keys(text) is not None
    error = translate_error(RuntimeError(text), model="openai/x", endpoint="openai")
    assert "\n" not in str(error)


@given(answers)
def test_an_answer_of_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        read_json(text)
