"""Files of made data: rows, resuming at any byte, models, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from halubot.errors import BrokenLineError, InputError, SettingError, UnreadableError
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.rows import read_rows
from halubot.evaluation.synthesis.data_files import Made, Recipe, Tally, make_file, rehearse
from halubot.evaluation.synthesis.makers import records
from halubot.models.model import Request
from halubot.models.model_errors import RefusedKeyError
from halubot.models.panel import Panel, open_panel
from halubot.testing import Line, ScriptedModel

SOURCE = "The Kellan Bridge links Osby and Varn. It was opened in 1931 by Ada Holm."
QUESTION = "When was the Kellan Bridge opened?"
ANSWER = "The Kellan Bridge was opened in 1931. It links two towns."


def lines(path: Path, *values: Mapping[str, Any] | str) -> Path:
    written = (value if isinstance(value, str) else json.dumps(value) for value in values)
    path.write_text("".join(line + "\n" for line in written), encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def model(*script: Mapping[str, Any] | Exception) -> ScriptedModel:
    return ScriptedModel(
        line if isinstance(line, Exception) else json.dumps(line) for line in script
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return lines(
        tmp_path / "in.jsonl",
        {"id": "a", "text": ANSWER, "references": [SOURCE], "question": QUESTION},
        "",
        {"text": "Nobody knows"},
        {"text": "It has 12 doors.", "group": 7},
        {"text": "It has 14 doors."},
    )


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def test_changes_by_rule_are_rows_that_benchmarks_read(source: Path, target: Path) -> None:
    told: list[Made] = []
    tally = make_file(source, target, Recipe("changes", most=2), watch=told.append)
    assert tally == Tally(made=3, failed=1, rows=6)
    assert [made.why is None for made in told] == [True, False, True, True]
    first, second, third, *_ = rows(target)
    assert (first["id"], first["group"], first["label"]) == ("a-right", "a", "right")
    assert (first["text"], first["references"], first["question"]) == (ANSWER, [SOURCE], QUESTION)
    assert second["label"] == "hallucinated"
    for change in second["changes"]:
        start, end = change["span"]
        assert second["text"][start:end] == change["after"]
    assert (third["id"], third["group"]) == ("4-right", "7")
    assert third["references"] == [third["text"]]
    read = read_rows(DATASETS["own"], target)
    assert [row.gold for row in read] == [(0.0,), (1.0,)] * 3


def test_cut_off_at_any_byte_it_is_completed(source: Path, target: Path) -> None:
    make_file(source, target, Recipe("changes"))
    whole = target.read_bytes()
    for cut in range(0, len(whole), 41):
        target.write_bytes(whole[:cut])
        make_file(source, target, Recipe("changes"))
        assert target.read_bytes() == whole


@pytest.mark.parametrize("other", [Recipe("changes", seed=1), Recipe("changes", most=2)])
def test_what_was_made_otherwise_is_not_added_to(source: Path, target: Path, other: Recipe) -> None:
    make_file(source, target, Recipe("changes"))
    before = target.read_bytes()
    with pytest.raises(InputError, match="line 1, was not made from this input"):
        make_file(source, target, other)
    assert target.read_bytes() == before


@pytest.mark.parametrize("foreign", ["my notes", "my notes\n", '{"key": 3}\n', "[1]\n"])
def test_a_file_of_something_else_is_left_as_it_is(
    source: Path, target: Path, foreign: str
) -> None:
    target.write_text(foreign)
    with pytest.raises(InputError, match="name another output"):
        make_file(source, target, Recipe("changes"))
    assert target.read_text() == foreign


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("oops", "not JSON"),
        ("[1]", "not an object"),
        ('{"id": 1}', "neither"),
        ('{"text": 3}', '"text" is no text'),
        ('{"text": " "}', '"text" is no text'),
        ('{"references": ["a", 3]}', "list of texts"),
        ('{"text": "a", "id": [1]}', '"id" is neither'),
    ],
)
def test_a_broken_line_is_named_before_any_work(
    tmp_path: Path, target: Path, line: str, why: str
) -> None:
    path = lines(tmp_path / "in.jsonl", {"text": "It has 12 doors."}, line)
    with pytest.raises(BrokenLineError, match=rf"line 2.*{why}"):
        make_file(path, target, Recipe("changes"))
    assert not target.exists()


def test_no_file_no_model(tmp_path: Path, source: Path, target: Path) -> None:
    with pytest.raises(UnreadableError):
        make_file(tmp_path / "none.jsonl", target, Recipe("changes"))
    with pytest.raises(SettingError, match="negated needs a model"):
        make_file(source, target, Recipe("negated"))


def by_model(
    kind: str, source: Path, target: Path, *script: Mapping[str, Any] | Exception
) -> tuple[Tally, list[str]]:
    told: list[str] = []
    panel = Panel(answer=(one := model(*script)), judge=one)
    tally = make_file(
        source, target, Recipe(kind), panel=panel, watch=lambda made: told.append(made.why or "")
    )
    return tally, told


def test_an_answer_is_written_from_the_source(tmp_path: Path, target: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"references": [SOURCE]}, {"text": "No source."})
    tally, told = by_model("answers", path, target, {"answer": ANSWER})
    assert (tally.made, tally.failed) == (1, 1)
    assert 'neither "references" nor "record"' in told[1]
    (row,) = rows(target)
    assert (row["text"], row["references"], row["label"]) == (ANSWER, [SOURCE], "right")


def test_a_record_gives_a_question_with_two_answers(tmp_path: Path, target: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"record": {"opened": 1931}})
    right, wrong = "It was opened in 1931.", "It was opened in 1934."
    asked = {"question": QUESTION, "right": right, "wrong": wrong}
    by_model("questions", path, target, {"pairs": [asked]})
    assert [(row["question"], row["text"], row["label"]) for row in rows(target)] == [
        (QUESTION, right, "right"),
        (QUESTION, wrong, "hallucinated"),
    ]
    assert rows(target)[0]["references"] == ['{"opened": 1931}']


def test_a_record_gives_several_questions(tmp_path: Path, target: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"id": "b", "record": {"opened": 1931, "length": 90}})
    asked = [
        {"question": "When?", "right": "In 1931.", "wrong": "In 1934."},
        {"question": "when? ", "right": "In 1931.", "wrong": "In 1935."},
        {"question": "How long?", "right": "90 m.", "wrong": "90 m."},
        {"question": "How long is it?", "right": "90 m.", "wrong": "80 m."},
        {"question": "Is it?", "right": "Yes.", "wrong": "No."},
    ]
    one = model({"pairs": asked})
    recipe = Recipe("questions", questions=2)
    make_file(path, target, recipe, panel=Panel(answer=one, judge=one))
    assert [(row["id"], row["question"], row["text"]) for row in rows(target)] == [
        ("b-1-right", "When?", "In 1931."),
        ("b-1-hallucinated", "When?", "In 1934."),
        ("b-2-right", "How long is it?", "90 m."),
        ("b-2-hallucinated", "How long is it?", "80 m."),
    ]
    assert {row["group"] for row in rows(target)} == {"b"}
    assert "Questions to write, at most: 2" in one.messages[0][1].content
    with pytest.raises(InputError, match="was not made from this input in this way"):
        make_file(path, target, Recipe("questions"), panel=Panel(answer=one, judge=one))


def test_two_answers_that_are_the_same_are_no_pair(tmp_path: Path, target: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"record": "Opened 1931."})
    same = {"question": QUESTION, "right": "In 1931.", "wrong": "In  1931."}
    tally, told = by_model("questions", path, target, {"pairs": [same]})
    assert (tally.failed, told) == (1, ["the wrong answer of the model is the right one"])


def test_fabrications_are_planted_and_their_triplets_told(tmp_path: Path, target: Path) -> None:
    path = lines(tmp_path / "in.jsonl", {"references": [SOURCE], "question": QUESTION})
    planted = [
        {"kind": "detail modification", "quote": "1931", "instead": "1934"},
        {"kind": "absolute fabrication", "quote": "not in the answer", "instead": "x"},
        {
            "kind": "contextual fabrication",
            "quote": "links two towns",
            "instead": "links two towns",
        },
    ]
    facts = {
        "0": {"facts": [{"head": "The Kellan Bridge", "relation": "opened in", "tail": "1934"}]},
        "1": {"facts": [{"head": "It", "relation": "links", "tail": "two towns"}]},
    }
    by_model("hallucinated", path, target, {"answer": ANSWER}, {"changes": planted}, facts)
    right, copy = rows(target)
    assert (right["text"], right["group"]) == (ANSWER, copy["group"])
    assert copy["text"] == ANSWER.replace("1931", "1934")
    (change,) = copy["changes"]
    assert change == {
        "kind": "detail modification", "before": "1931", "after": "1934", "span": [32, 36]
    }  # fmt: skip
    assert [copy["triples"][at] for at in copy["changed_triples"]] == [
        ["The Kellan Bridge", "opened in", "1934"]
    ]
    assert copy["changed_kinds"] == ["detail modification"]
    assert len(copy["triples"]) == 2


def test_a_negated_copy_says_what_was_turned(source: Path, target: Path) -> None:
    def answer(request: Request) -> Line:
        shown = request.messages[-1].content
        quote = "was opened" if ANSWER in shown else "nothing of it"
        instead = "was never opened"
        return json.dumps({"changes": [{"kind": "negated", "quote": quote, "instead": instead}]})

    one = ScriptedModel(answer)
    told: list[Made] = []
    panel = Panel(answer=one, judge=one)
    tally = make_file(source, target, Recipe("negated"), panel=panel, watch=told.append)
    assert (tally.made, tally.failed) == (1, 3)
    assert told[1].why == "none of the model's changes fits the text"
    assert rows(target)[1]["text"] == ANSWER.replace("was opened", "was never opened")


def test_where_no_further_call_helps_it_stops_and_goes_on_there(
    tmp_path: Path, source: Path, target: Path
) -> None:
    turned = {"changes": [{"kind": "negated", "quote": "was opened", "instead": "was closed"}]}
    key = RefusedKeyError("the key is refused", "set another", model="m", endpoint="e")
    tally, _ = by_model("negated", source, target, turned, key)
    assert (tally.made, tally.left, tally.stopped) == (1, 3, key)
    assert len(rows(target)) == 2


def test_what_was_paid_for_is_in_the_store(tmp_path: Path, source: Path, target: Path) -> None:
    turned = {"changes": [{"kind": "negated", "quote": "was opened", "instead": "was closed"}]}
    path = lines(tmp_path / "one.jsonl", {"text": ANSWER})
    for script in ([turned], []):
        with open_panel(model(*script), store=tmp_path / "store") as panel:
            tally = make_file(path, target, Recipe("negated"), panel=panel)
        assert (tally.made, tally.rows) == (1, 2)


@pytest.mark.parametrize(
    ("kind", "calls"), [("answers", 1), ("questions", 4), ("hallucinated", 2), ("negated", 4)]
)
def test_a_rehearsal_counts_what_would_be_called(source: Path, kind: str, calls: int) -> None:
    plan = rehearse(kind, records(source), ScriptedModel([]))
    assert (plan.records, plan.calls) == (4, calls)
    assert plan.most_calls >= 3 * calls
    assert plan.prompt_tokens > 100 * calls
