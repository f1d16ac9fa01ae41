"""Correction by a model: hints on what is doubted go in, rewritten sentences come out
(FactSelfCheck, section 3.4).
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from pydantic import BaseModel, Field

from halubot.correction.corrector import Hints
from halubot.correction.proposal import agreed_value
from halubot.correction.sameness import Grounds, fit, loose
from halubot.edits import apply_edits, widen_edits
from halubot.errors import SettingError
from halubot.events import Note
from halubot.methods.calls.extraction import state_triple
from halubot.methods.calls.session import Fields, ModelSession
from halubot.models.structured import Answers
from halubot.report import DOUBTED, Action, Correction, Edit, Fact, Report, Sentence, SourceKind
from halubot.text import clean

WHOLE_TEXT = 20_000
"""Characters of all sentences up to which all are shown; of longer texts those near by are."""

NEAR = 10
"""Sentences on either side of one that may be touched."""

_QUOTES = 3
_LONGEST_QUOTE = 300
_WHOLE = "the sentence as a whole is doubted"


def _touchable(report: Report, hints: Hints, *, as_published: bool = False) -> dict[int, list[str]]:
    """The sentences that may be touched, by index, each with what the model is told of it.

    With "none" that is every sentence, and nothing is told. With "sentences" and "facts" it is
    those in doubt; "facts" tells their doubted facts, and what the sources say in their place. As
    published (FactSelfCheck, section 4.5, and its repository) it is every sentence, and what is
    told is the list of its doubted facts, or itself if it is doubted. Raises SettingError for
    another kind of hint.
    """
    if hints not in get_args(Hints):
        known = ", ".join(get_args(Hints))
        raise SettingError(f"there are no hints {hints!r}: known are {known}")
    kinds = {source.id: source.kind for source in report.sources}
    found: dict[int, list[str]] = {}
    for one in report.sentences:
        facts = doubted_in(report, one) if hints == "facts" else ()
        if as_published or hints == "none":
            words = " ".join(report.text[one.start : one.end].split())
            told = [words] if hints == "sentences" and _in_doubt(report, one) else []
            found[one.index] = told or list(dict.fromkeys(state_triple(f.triple) for f in facts))
        elif _in_doubt(report, one):
            found[one.index] = [describe_fact(fact, kinds) for fact in facts] or [_WHOLE]
    return found


def doubted_in(report: Report, sentence: Sentence) -> tuple[Fact, ...]:
    facts = (report.facts[index] for index in sentence.facts)
    return tuple(fact for fact in facts if fact.verdict in DOUBTED)


def _in_doubt(report: Report, sentence: Sentence) -> bool:
    """Return True if a sentence, or a fact of it, is doubted."""
    return sentence.verdict in DOUBTED or bool(doubted_in(report, sentence))


def describe_fact(fact: Fact, kinds: Mapping[str, SourceKind]) -> str:
    """A doubted fact on one line, with the words of references that contradict it and the value
    that most samples have in its place.

    ``kinds`` tells the kind of each source by its id.
    """
    said = [state_triple(fact.triple)]
    against = [
        item
        for item in fact.evidence
        if item.stance == "contradicts" and kinds[item.source] != "sample"
    ]
    for item in against[:_QUOTES]:
        if words := " ".join((item.quote or item.value or "").split()):
            said.append(f"the reference says: {_short(words)}")
    # Only what most samples agree on: single values would be offered as if they were known.
    found = agreed_value(fact, kinds)
    if found is not None and found.by == "samples":
        said.append(f"other answers say {_short(found.value)} ({found.given} of {found.of})")
    return "; ".join(said)


def _visible(texts: dict[int, str], touched: Sequence[int], *, whole: bool) -> dict[int, str]:
    """The sentences that a model sees, by index: all of them, or, if ``whole`` is False or they are
    too long together, those touched and the ``NEAR`` ones."""
    if whole and sum(map(len, texts.values())) <= WHOLE_TEXT:
        return texts
    near = {place for at in touched for place in range(at - NEAR, at + NEAR + 1)}
    return {index: text for index, text in texts.items() if index in near}


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


TEMPERATURE = 0.5
"""As in the paper, section 4.4."""
TOUCHED = 30
"""Sentences that one call may touch; longer lists are cut, and asked for at the same time."""
LONGEST = 1_500
"""Characters of a sentence that can be corrected."""
LONGEST_NEW = 2_000
LONGEST_QUESTION = 4_000
"""Characters of the question that are shown: its end, for it may be a conversation."""
LONGEST_REASON = 300
DECLINED = "the model says: "
"""Begins the reason of a refusal that is the model's own and no answer that could not be used."""

_WORD = re.compile(r"\w")
_DECLINES = re.compile(
    r"\W*(?:(?:(?:i\s+)?(?:cannot|can['’]?t|can\s+not)|(?:i\s+am\s+|i['’]m\s+)?(?:unable|not\s+able)\s+to)"
    r"\s+(?:correct|verify|confirm|determine|judge|rewrite|provide|answer|assist|help|say|be\s+\w+ed)\b"
    r"|i\s+(?:do\s+not|don['’]t)\s+(?:know|have)\b|(?:i['’]m|i\s+am)\s+sorry\b|sorry,|as\s+an\s+ai\b"
    r"|(?:ich|leider)\s+kann\s+.{0,60}\b(?:nicht|keine)\b|es\s+tut\s+mir\s+leid"
    r"|(?:lo\s+siento|no)\W+(?:pero\s+)?(?:no\s+)?(?:puedo|sé)\b|je\s+ne\s+(?:peux|sais)\s+pas\b|désolée?\b"
    r"|(?:n/a|refused|unknown)\W*$)",
    re.IGNORECASE,
)
"""How models begin a refusal that they pass off as a sentence."""


class Rewriting(BaseModel):
    """What a model makes of one sentence. ``text`` is the new sentence of one that is "changed",
    "" where it is to be taken out; of one that is "refused" it is the reason."""

    action: Literal["kept", "changed", "refused"]
    text: str = Field(max_length=LONGEST_NEW)


async def rewritten(
    session: ModelSession, report: Report, *, hints: Hints = "facts", as_published: bool = False
) -> Correction:
    """The correction of a report's text by the judging model, not yet checked again.

    With the hints "facts" it may touch the sentences in doubt, and is told their doubted facts and
    what the sources say in their place; with "sentences" it is told only which they are; with
    "none" it may touch every sentence, and is told nothing. All else stays byte for byte. There is
    one edit for each sentence that was changed, taken out, refused, or kept though it is in doubt.
    A sentence for which no usable answer came is refused, and a note says why. If no sentence
    may be touched no call is made. As published every sentence may be touched, and all that the
    model is told is a list for each sentence, of its doubted facts, or of itself.

    Raises SettingError for other hints, and for a prompt that cannot be used.
    """
    texts = {one.index: report.text[one.start : one.end] for one in report.sentences}
    told = _touchable(report, hints, as_published=as_published)
    hinted = {index: own for index, own in told.items() if own}
    long = dict.fromkeys(
        (index for index in told if len(texts[index]) > LONGEST),
        f"a sentence of more than {LONGEST:,} characters is not corrected",
    )
    short = [index for index in told if index not in long]
    groups = [short[at : at + TOUCHED] for at in range(0, len(short), TOUCHED)]
    question = report.question.text[-LONGEST_QUESTION:] if report.question else ""

    async def ask_group(group: Sequence[int]) -> Answers[Rewriting]:
        def fields(wanted: tuple[int, ...]) -> Fields:
            if as_published:
                sentences = {index: texts[index] for index in wanted}
                return {"question": question, "sentences": sentences, "doubted": hinted}
            return {
                "question": question,
                # What is asked for again, since it did not fit or was missing, is shown with less
                # around it.
                "sentences": _visible(texts, wanted, whole=len(wanted) == len(group)),
                "hints": {index: own for index, own in hinted.items() if index in wanted},
                "touch": list(wanted),
            }

        prompt = "correct-published" if as_published else "correct"
        return await session.ask_each(prompt, Rewriting, group, fields, temperature=TEMPERATURE)

    # All at once: no sentence is rewritten by what became of another.
    answers = await asyncio.gather(*map(ask_group, groups))
    found = {index: value for one in answers for index, value in one.found.items()}
    failures = [long, *map(_reasons, answers)]
    missing = {index: why for reasons in failures for index, why in reasons.items()}
    _note(session, failures)
    # The paper has the model correct by what it knows, which no source need name.
    grounds = None if as_published else Grounds(report)
    edits = [
        edit
        for index in told
        if (edit := _edit(report, index, found.get(index), missing.get(index), grounds))
    ]
    # With its line, its list mark and the space beside it; the other edits keep to their words.
    gone = {(edit.start, edit.end) for edit in edits if edit.action == "removed"}
    edits = widen_edits(report.text, edits, gone)
    return Correction(text=apply_edits(report.text, edits), edits=tuple(edits))


def _reasons(answers: Answers[Rewriting]) -> dict[int, str]:
    lead = "" if answers.error is not None else "the model's answer could not be used: "
    return {index: f"{lead}{why}" for index, why in answers.missing.items()}


def _note(session: ModelSession, failures: Iterable[dict[int, str]]) -> None:
    """Say how many sentences were not corrected, and why: once for a call and a reason."""
    times: Counter[str] = Counter()
    # A call that failed takes all its sentences: one note of it is enough.
    for reasons in filter(None, failures):
        times[next(iter(reasons.values()))] += len(reasons)
    for why, count in times.items():
        one, many = "a sentence was", f"{count} sentences were"
        session.emit(Note(what=f"{one if count == 1 else many} not corrected", why=why))


def _edit(
    report: Report,
    index: int,
    answer: Rewriting | None,
    missing: str | None,
    grounds: Grounds | None,
) -> Edit | None:
    """Return what becomes of a sentence; None for one that is kept and not in doubt."""
    sentence = report.sentences[index]
    before = report.text[sentence.start : sentence.end]
    action: Action = "refused"
    after, reason = before, missing
    if answer is not None:
        action, after, reason = _decide(report, sentence, answer, grounds)
    if action == "kept" and not _in_doubt(report, sentence):
        return None
    start, end = sentence.start, sentence.end
    if action == "removed":
        lead, trail = loose(before)
        start, end = start + lead, end - trail
    return Edit(
        sentence=index,
        start=start,
        end=end,
        before=report.text[start:end],
        after=after,
        facts=tuple(fact.index for fact in doubted_in(report, sentence)),
        action=action,
        reason=reason,
    )


def _decide(
    report: Report, sentence: Sentence, answer: Rewriting, grounds: Grounds | None
) -> tuple[Action, str, str | None]:
    """The action, the new text, and the reason of a refusal."""
    before = report.text[sentence.start : sentence.end]
    said = " ".join(clean(answer.text)[0].split())
    if answer.action == "kept":
        return "kept", before, None
    # Models write "I cannot verify this" as the new sentence: it would stand in a person's text.
    if answer.action == "refused" or (_DECLINES.match(said) and not _DECLINES.match(before)):
        return "refused", before, f"{DECLINED}{said[:LONGEST_REASON]}" if said else None
    if not said:
        verdicts = {report.facts[index].verdict for index in sentence.facts}
        if _in_doubt(report, sentence) and "supported" not in verdicts:
            return "removed", "", None
        return "refused", before, "the model would take it out, with more than is doubted"
    # A sentence may open emphasis or a list item: its edges stay, whatever the model makes of them.
    new = fit(report.text, (sentence.start, sentence.end), answer.text)
    if not _WORD.search(new):
        return "refused", before, "the model's new text holds no word"
    if len(new) > 3 * len(before) + 200:
        return "refused", before, "the model's new text is far longer than the sentence"
    if new == before:
        return "kept", before, None
    objection = None if grounds is None else grounds.objection(before, new)
    return ("changed", new, None) if objection is None else ("refused", before, objection)
