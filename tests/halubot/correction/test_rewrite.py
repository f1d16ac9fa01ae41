"""A model rewrites what it may touch, is told what the hints tell, and cannot do harm."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import halubot
from halubot.correction.corrector import Hints
from halubot.correction_api import apropose
from halubot.models.model import Request
from halubot.models.model_errors import ContextTooLongError
from halubot.models.panel import Panel
from halubot.render.html import page
from halubot.render.markdown_report import to_markdown
from halubot.report import DOUBTED, Correction, Edit, Report, Sentence, Source, Threshold
from halubot.testing import ScriptedModel

TEXT = (
    "Ada Lovelace was born in London in 1816.  She knew Charles Babbage.\n\n"
    "- **She married Henry Moore in 1835.**\n- She died in 1890."
)
RIGHT = (
    "Ada Lovelace was born in London in 1815. She knew Charles Babbage."
    " She married William King in 1835. She died in 1852."
)
Entry = tuple[str, str]


def answering(entries: Mapping[int, Entry]) -> ScriptedModel:
    """A model that gives these entries, and keeps every other sentence it may touch."""

    def answer(request: Request) -> str:
        return json.dumps(
            {
                index: dict(zip(("action", "text"), entries.get(index, ("kept", "")), strict=True))
                for index in touched(request)
            }
        )

    return ScriptedModel(answer)


def touched(request: Request) -> list[int]:
    """The sentences that a request asks for, as its schema fixes them."""
    assert request.schema is not None
    return [int(key) for key in request.schema.value["required"]]


def unstored(model: ScriptedModel) -> Panel:
    """The model in both roles, with nothing kept."""
    return Panel(answer=model, judge=model)


def asked(model: ScriptedModel) -> str:
    """The prompt of the only call."""
    (messages,) = model.messages
    return messages[-1].content


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def corrected(
    model: ScriptedModel, store: Path, text: str = TEXT, hints: Hints = "facts", right: str = RIGHT
) -> Report:
    return halubot.correct(
        text, model=model, samples=[right] * 5, method="consensus", store=store, hints=hints
    )


def correction(report: Report) -> Correction:
    assert report.correction is not None
    return report.correction


def by_sentence(report: Report) -> dict[int, Edit]:
    return {edit.sentence: edit for edit in correction(report).edits}


CHANGES = {
    0: ("changed", "Ada Lovelace was born in London in 1815."),
    2: ("changed", "She married William King in 1835."),
    3: ("refused", "It is not known to me."),
}


def test_each_sentence_is_changed_refused_or_left(store: Path) -> None:
    model = answering(CHANGES)
    report = corrected(model, store)
    assert correction(report).text == (
        "Ada Lovelace was born in London in 1815.  She knew Charles Babbage.\n\n"
        "- **She married William King in 1835.**\n- She died in 1890."
    )
    edits = by_sentence(report)
    assert {index: edit.action for index, edit in edits.items()} == {
        0: "changed",
        2: "changed",
        3: "refused",
    }
    refused = edits[3]
    assert refused.before == refused.after == "She died in 1890."
    assert refused.reason == "the model says: It is not known to me."
    for edit in edits.values():
        sentence = report.sentences[edit.sentence]
        assert edit.facts == tuple(
            index for index in sentence.facts if report.facts[index].verdict in DOUBTED
        )
        assert report.text[edit.start : edit.end] == edit.before
    assert not report.problems


def test_what_is_in_doubt_and_kept_is_told(store: Path) -> None:
    report = corrected(answering({}), store)
    assert correction(report).text == TEXT
    assert correction(report).report is None
    assert {edit.action for edit in correction(report).edits} == {"kept"}
    assert all(edit.before == edit.after for edit in correction(report).edits)


def test_a_wording_that_changes_nothing_is_kept(store: Path) -> None:
    report = corrected(answering({3: ("changed", " She died\nin 1890. ")}), store)
    assert by_sentence(report)[3].action == "kept"


def test_the_corrected_text_is_checked_again_with_the_same_samples(store: Path) -> None:
    model = answering(CHANGES)
    report = corrected(model, store)
    assert model.calls == 1
    again = correction(report).report
    assert again is not None
    assert again.sources == report.sources
    assert len(again.doubted()) < len(report.doubted())
    assert again.usage.calls == 0


def test_samples_that_were_drawn_are_not_drawn_again(store: Path) -> None:
    def answer(request: Request) -> str:
        if request.schema is None:
            return RIGHT
        return json.dumps(
            {index: {"action": "changed", "text": RIGHT[:40]} for index in touched(request)}
        )

    model = ScriptedModel(answer)
    report = halubot.correct(
        TEXT,
        question="Who was Ada Lovelace?",
        model=model,
        n_samples=4,
        method="consensus",
        store=store,
    )
    assert [request.n for request in model.requests if request.schema is None] == [4]
    again = correction(report).report
    assert again is not None
    assert [source.text for source in again.sources] == [RIGHT] * 4


def test_what_it_took_is_counted_and_the_second_time_is_free(store: Path) -> None:
    first = corrected(answering(CHANGES), store)
    assert (first.usage.calls, first.usage.cached_calls) == (1, 0)
    assert first.usage.prompt_tokens > 100
    assert first.usage.completion_tokens > 0
    assert re.fullmatch(r"[0-9a-f]{12}", first.prompts["correct"])
    model = answering({})
    second = corrected(model, store)
    assert (second.usage.calls, second.usage.cached_calls, model.calls) == (0, 1, 0)
    assert correction(second).edits == correction(first).edits


def test_it_is_asked_at_the_temperature_of_the_paper(store: Path) -> None:
    model = answering({})
    corrected(model, store)
    assert [request.temperature for request in model.requests] == [0.5]


@pytest.mark.parametrize("hints", ["facts", "sentences"])
def test_nothing_in_doubt_takes_no_call(store: Path, hints: Hints) -> None:
    model = answering({})
    report = corrected(model, store, text=RIGHT, hints=hints)
    assert model.calls == 0
    assert correction(report) == Correction(text=RIGHT, edits=())
    assert "correct" not in report.prompts


def test_hints_of_facts_tell_them_and_what_others_say(store: Path) -> None:
    model = answering({})
    corrected(model, store)
    assert touched(model.requests[0]) == [0, 2, 3]
    prompt = asked(model)
    assert "Ada Lovelace | born in | 1816; other answers say 1815 (5 of 5)" in prompt
    assert "Ada Lovelace | died in | 1890; other answers say 1852 (5 of 5)" in prompt
    assert '"1": "She knew Charles Babbage."' in prompt


def test_hints_of_facts_quote_a_reference(store: Path) -> None:
    model = answering({})
    halubot.correct(
        "Ada was born in 1816.",
        question="When was Ada born?",
        model=model,
        samples=["Ada was born in 1814."] * 5,
        references=["Ada was born\nin 1815, they say."],
        method="consensus",
        store=store,
    )
    prompt = asked(model)
    assert "the reference says: Ada was born in 1815, they say." in prompt
    assert "other answers" not in prompt
    assert "When was Ada born?" in prompt


def test_hints_of_sentences_tell_no_facts(store: Path) -> None:
    model = answering({})
    corrected(model, store, hints="sentences")
    assert touched(model.requests[0]) == [0, 2, 3]
    assert "as a whole is doubted" in asked(model)
    assert " | " not in asked(model)
    assert "1815" not in asked(model)


def test_without_hints_all_may_be_touched_and_nothing_is_told(store: Path) -> None:
    model = answering({1: ("changed", "She met Charles Babbage.")})
    report = corrected(model, store, hints="none")
    assert touched(model.requests[0]) == [0, 1, 2, 3]
    assert "doubted" not in asked(model)
    assert "<hints" not in asked(model)
    edits = by_sentence(report)
    assert (edits[1].action, edits[1].facts) == ("changed", ())
    assert edits[0].action == "kept"
    assert "She met Charles Babbage." in correction(report).text


def test_other_hints_are_refused_before_any_call(store: Path) -> None:
    model = answering({})
    with pytest.raises(halubot.SettingError, match=r"there are no hints 'all'.*none, sentences"):
        corrected(model, store, hints="all")  # type: ignore[arg-type]
    assert model.calls == 0


def test_a_sentence_in_doubt_can_be_taken_out(store: Path) -> None:
    report = corrected(answering({0: ("changed", ""), 3: ("changed", " \n")}), store)
    edits = by_sentence(report)
    assert edits[3].action == "removed"
    assert "1890" not in correction(report).text
    assert correction(report).text.endswith("- **She married Henry Moore in 1835.**")
    # the first sentence says that she was born in London, too, which is supported
    assert edits[0].action == "refused"
    assert "more than is doubted" in (edits[0].reason or "")


def test_emphasis_that_goes_on_is_left_where_a_sentence_is_taken_out(store: Path) -> None:
    text = "**She died in 1890. She knew Charles Babbage.**"
    report = corrected(answering({0: ("changed", "")}), store, text=text)
    assert correction(report).text == "**She knew Charles Babbage.**"


@pytest.mark.parametrize(
    "said",
    [
        "I cannot verify this.",
        "I'm sorry, but I do not know.",
        "I can’t correct that.",
        "As an AI, I have no access to it.",
        "Ich kann das leider nicht beurteilen.",
        "Lo siento, no puedo decirlo.",
        "N/A",
    ],
)
def test_a_refusal_is_not_passed_off_as_text(store: Path, said: str) -> None:
    report = corrected(answering({3: ("changed", said)}), store)
    edit = by_sentence(report)[3]
    assert (edit.action, edit.after) == ("refused", "She died in 1890.")
    assert edit.reason == f"the model says: {said}"


@pytest.mark.parametrize("new", ["...", "\u200b", "She died. " * 60])
def test_what_is_no_sentence_is_refused(store: Path, new: str) -> None:
    report = corrected(answering({3: ("changed", new)}), store)
    assert by_sentence(report)[3].action == "refused"
    assert "- She died in 1890." in correction(report).text


def test_what_is_missing_is_asked_for_again_and_then_told(store: Path) -> None:
    def answer(request: Request) -> str:
        entry = {"action": "changed", "text": "She died in 1852."}
        return json.dumps({"3": entry} if 3 in touched(request) else {"7": entry})

    model = ScriptedModel(answer)
    report = corrected(model, store)
    assert [touched(request) for request in model.requests] == [[0, 2, 3], [0, 2], [0, 2]]
    edits = by_sentence(report)
    assert [edits[index].action for index in (0, 2, 3)] == ["refused", "refused", "changed"]
    assert "could not be used" in (edits[0].reason or "")
    (problem,) = report.problems
    assert problem.what == "2 sentences were not corrected"
    assert "could not be used" in problem.why
    assert correction(report).text == TEXT.replace("1890", "1852")


def test_one_sentence_of_the_wrong_shape_costs_no_other(store: Path) -> None:
    def answer(request: Request) -> str:
        entries = {
            0: {"action": "changed", "text": "Ada Lovelace was born in London in 1815."},
            2: {"action": "improved", "text": "She ran."},
            3: {"action": "changed", "text": "She died in 1852." * 3_000},
        }
        return json.dumps({index: entries[index] for index in touched(request)})

    report = corrected(ScriptedModel(answer), store)
    edits = by_sentence(report)
    assert [edits[index].action for index in (0, 2, 3)] == ["changed", "refused", "refused"]
    assert len(correction(report).text) < 200


def test_where_every_call_fails_that_is_said_and_the_text_stays(store: Path) -> None:
    model = ScriptedModel([])
    model.fail(times=9)
    report = corrected(model, store)
    assert correction(report).text == TEXT
    assert {edit.action for edit in correction(report).edits} == {"refused"}
    failed, problem = report.problems
    assert failed.why == "scripted at a script: refused; ask again"
    assert problem.what == "3 sentences were not corrected"
    assert problem.why == "refused"


def test_a_budget_that_is_spent_leaves_the_text(store: Path) -> None:
    model = answering(CHANGES)
    with halubot.open_panel(model, max_calls=1, store=store) as panel:
        options = {"samples": [RIGHT] * 5, "method": "consensus", "panel": panel}
        halubot.correct(TEXT, **options)  # type: ignore[arg-type]
        report = halubot.correct(TEXT.replace("1890", "1891"), **options)  # type: ignore[arg-type]
    assert model.calls == 1
    assert correction(report).text == report.text
    assert report.problems


@pytest.mark.slow
def test_long_lists_are_cut_and_asked_for_in_parts(store: Path) -> None:
    names = [a + b for a in "BDGHKLMNRT" for b in ("ana", "elo", "ira", "ora")]
    text = " ".join(f"{name} Hill was born in 1816." for name in names)
    right = text.replace("1816", "1815")
    model = ScriptedModel(
        lambda request: json.dumps(
            {
                index: {"action": "changed", "text": f"{names[index]} Hill was born in 1815."}
                for index in touched(request)
            }
        )
    )
    report = corrected(model, store, text=text, right=right)
    assert sorted(len(touched(request)) for request in model.requests) == [10, 30]
    assert correction(report).text == right
    # what all calls have in common comes first, so that a server can reuse it
    first, second = (messages[-1].content for messages in model.messages)
    assert first[: first.index("</sentences")] == second[: second.index("</sentences")]


def made_by_hand(text: str, sentences: list[str], *doubted: int) -> Report:
    """A report of a text in which some sentences are in doubt as a whole."""
    places = [(start := text.index(one), start + len(one)) for one in sentences]
    return Report(
        text=text,
        method="consensus",
        engine="0",
        threshold=Threshold(value=0.5),
        sources=(Source(id="s1", kind="sample", text="Nobody knows."),),
        sentences=tuple(
            Sentence(
                index=index,
                start=start,
                end=end,
                verdict="doubtful" if index in doubted else "supported",
            )
            for index, (start, end) in enumerate(places)
        ),
    )


@pytest.mark.slow
def test_of_a_long_text_the_sentences_near_by_are_shown() -> None:
    lines = [f"Line {number:03} holds many words, {'and more ' * 5}." for number in range(400)]
    report = made_by_hand("\n".join(lines), lines, 300)
    model = answering({300: ("changed", "Line 300 holds few.")})
    made = correction(halubot.correct(report, panel=unstored(model)))
    prompt = asked(model)
    assert "Line 290 " in prompt
    assert "Line 310 " in prompt
    assert "Line 289 " not in prompt
    assert "Line 311 " not in prompt
    assert made.text == report.text.replace(lines[300], "Line 300 holds few.")


def test_what_does_not_fit_the_model_is_asked_for_in_halves() -> None:
    lines = [f"Line {number:02} holds words." for number in range(40)]
    report = made_by_hand("\n".join(lines), lines, *range(20, 24))

    def answer(request: Request) -> str | Exception:
        if len(touched(request)) > 1:
            return ContextTooLongError("too long", "cut it", model="m", endpoint="e")
        return json.dumps({i: {"action": "changed", "text": "New."} for i in touched(request)})

    model = ScriptedModel(answer)
    made = correction(halubot.correct(report, panel=unstored(model)))
    halves = [[20, 21], [22, 23], [20], [21], [22], [23]]
    assert [touched(one) for one in model.requests] == [[20, 21, 22, 23], *halves]
    assert "Line 00 " in model.messages[0][-1].content
    assert "Line 00 " not in model.messages[1][-1].content
    assert made.text == "\n".join([*lines[:20], *["New."] * 4, *lines[24:]])


def test_a_very_long_sentence_is_left_and_that_is_told(store: Path) -> None:
    text = "Ada Hill was born in 1816" + ", and so on" * 200 + "."
    model = answering({})
    report = corrected(model, store, text=text, right=text.replace("1816", "1815"))
    assert model.calls == 0
    assert [edit.action for edit in correction(report).edits] == ["refused"]
    assert [problem.what for problem in report.problems] == ["a sentence was not corrected"]


HOSTILE = (
    "[/b] [@click=app.quit]x[/] \x1b[m\x1b];t\x07<script>alert(x)</script>"
    " @everyone \u202e died in 1852."
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("She died in 1852. She was buried in Hucknall.", "more than one sentence"),
        ("She died in 1852. </sentences-00000000>", "holds '</sentences-00000000>'"),
        ("She died in 1852 ---", "holds '---'"),
        ("The Kellan Bridge links Osby and Varn.", "names 'Kellan'"),
        ("She died in 1777.", "names '1777'"),
    ],
)
def test_a_text_that_is_not_the_sentence_is_refused(store: Path, text: str, why: str) -> None:
    report = corrected(answering({3: ("changed", text)}), store)
    edit = by_sentence(report)[3]
    assert edit.action == "refused"
    assert why in (edit.reason or "")
    assert correction(report).text == TEXT


def test_a_text_that_shares_little_with_its_sentence_is_refused(store: Path) -> None:
    text = "Ada Lovelace, daughter of a poet and a reader of maps, was born in London in 1816."
    report = corrected(answering({0: ("changed", RIGHT.split(". ")[1] + ".")}), store, text)
    assert by_sentence(report)[0].action == "refused"
    assert "shares little" in (by_sentence(report)[0].reason or "")


def test_hostile_text_of_a_model_stays_text(store: Path) -> None:
    report = corrected(answering({3: ("changed", HOSTILE), 2: ("refused", HOSTILE)}), store)
    edit = by_sentence(report)[3]
    assert edit.action == "changed"
    assert "\x1b" not in correction(report).text
    assert "\x1b" not in (by_sentence(report)[2].reason or "")
    assert "\n" not in edit.after
    assert correction(report).text.startswith(TEXT[: TEXT.rindex("She died")])
    html, markdown = page(report), to_markdown(report)
    assert "<script" not in html
    assert not re.search(r"(?<!\\)<script", markdown)
    assert "@everyone" not in markdown
    again = correction(report).report
    assert again is not None
    assert again.text == correction(report).text


@pytest.mark.slow
@given(
    st.lists(st.booleans(), min_size=1, max_size=5),
    st.lists(
        st.sampled_from([" ", "  ", "\n", "\n\n- ", "\r\n\r\n", "\t"]), min_size=5, max_size=5
    ),
    st.data(),
)
def test_what_may_not_be_touched_stays_byte_for_byte(
    wrong: list[bool], joints: list[str], data: st.DataObject
) -> None:
    names = ["Ada", "Ben", "Cora", "Dan", "Eve"]
    pairs = list(zip(names, wrong, joints, strict=False))
    text = "".join(f"{joint}{name} Hill was born in {1815 + no}." for name, no, joint in pairs)
    right = "".join(f"{joint}{name} Hill was born in 1815." for name, _, joint in pairs)
    actions = st.tuples(
        st.sampled_from(["changed", "kept", "refused"]),
        st.one_of(st.text(max_size=40), st.sampled_from(["", "New words.", "- a\n\nb", "**x"])),
    )
    entries = {index: data.draw(actions) for index in range(len(wrong))}
    report = halubot.check(text, samples=[right] * 4)
    made = correction(halubot.correct(report, panel=unstored(answering(entries))))
    assert {edit.sentence for edit in made.edits} == {i for i, no in enumerate(wrong) if no}
    assert made.text == halubot.accept(report.model_copy(update={"correction": made}))
    for sentence in report.sentences:
        if not wrong[sentence.index]:
            assert text[sentence.start : sentence.end] in made.text
    if not any(edit.action == "removed" for edit in made.edits):
        at = 0
        for edit in made.edits:
            sentence = report.sentences[edit.sentence]
            assert (edit.start, edit.end) == (sentence.start, sentence.end)
            assert made.text.startswith(text[at : edit.start], at + grown(made, edit))
            at = edit.end
        assert made.text.endswith(text[at:])


def grown(made: Correction, before: Edit) -> int:
    """How much longer the edits before this one made the text."""
    done = made.edits[: made.edits.index(before)]
    return sum(len(edit.after) - len(edit.before) for edit in done)


def test_a_sentence_in_doubt_as_a_whole_can_be_taken_out() -> None:
    report = made_by_hand("Well done! Ada sang.", ["Well done!", "Ada sang."], 0)
    model = answering({0: ("changed", "")})
    made = correction(halubot.correct(report, panel=unstored(model)))
    assert made.text == "Ada sang."
    assert "as a whole is doubted" in asked(model)
    assert [(edit.action, edit.facts) for edit in made.edits] == [("removed", ())]


@pytest.mark.parametrize("hints", ["facts", "sentences", "none"])
def test_as_published_a_list_for_each_sentence_is_told_and_all_may_change(hints: Hints) -> None:
    checked = halubot.check(TEXT, samples=[RIGHT] * 5, method="consensus")
    model = answering({1: ("changed", "She knew Mary Somerville.")})
    report = asyncio.run(apropose(checked, panel=unstored(model), hints=hints, as_published=True))
    request = model.requests[0]
    assert touched(request) == [0, 1, 2, 3]
    assert request.temperature == 0.5
    words = request.messages[-1].content
    facts: dict[str, list[str]] = {}
    for fact in checked.doubted():
        own = facts.setdefault(str(fact.sentences[0]), [])
        own.append(" | ".join(filter(None, fact.triple)))
    doubted = [one for one in checked.sentences if one.verdict in DOUBTED]
    sentences = {str(one.index): [TEXT[one.start : one.end]] for one in doubted}
    assert len(facts) == len(sentences) == 3
    _, there, rest = words.rpartition("hallucinated:")
    told = json.loads(rest.partition(">")[2].rpartition("<")[0]) if there else None
    assert told == {"facts": facts, "sentences": sentences, "none": None}[hints]
    assert "1815" not in words  # what the sources say in their place is ours
    changed = by_sentence(report)[1]
    assert (changed.action, changed.after) == ("changed", "She knew Mary Somerville.")
