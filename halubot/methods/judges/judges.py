"""`bcv`, `bcv-cot`, `sca`: the medical judges.

A judge reads the answer, beside a context, and says whether it contains
a hallucination.

    bcv       one verdict on the whole message
    bcv-cot   the same, after its reasons
    sca       sentence by sentence, with the passage of the context, and then one verdict

The context is the references; without any the judge goes by what it knows. It is asked k times at
T > 0, and the score is the share of repeats that found a hallucination. If ours differs from the
paper: a repeat without a usable answer is left out and noted, not counted 0.5; the verdict on a
sentence comes by its number, so that no sentence is copied, and on every sentence; and in `sca` a
repeat found a hallucination also if only its word on a sentence or on the question says so, for
judges contradict themselves in their last word. As published an answer that cannot be used is not
asked for again and counts 0.5, and in `sca` the last word alone counts. The context is shown whole,
unless the option ``windows`` cuts it or it does not fit the model, which a note says.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Final

from halubot.concurrency import aside, every
from halubot.events import Emit, Event, Labelled, Note, Ranked
from halubot.evidence.context import LONGEST, Contexts
from halubot.methods.calls.portions import SENTENCES, main_reason, stretches
from halubot.methods.driver import every_in_sight, stream_events
from halubot.methods.judges.judge_calls import TEMPERATURE, Hearing, Reading, Way, join_verdicts
from halubot.methods.judges.jury import Jury
from halubot.methods.registry import SET_BY_HAND, Case, Size, repeats_of, role_of, windows_of

REPEATS: Final = 5
"""How often the judge is asked, as published."""

SOURCE: Final = "Díaz de Rábago 2024 (ICAI Comillas)"

IN_PART: Final = "the references were read in part"
"""What is noted if the judge was not shown all of them."""

_OF_SCA: Final = (
    "sentences come by number and none is left out; in the thesis the judge copies them"
)


class ContextJudge:
    """A method object. Its options are ``role``, whose part the judge takes ("medical expert"),
    ``repeats``, how often it is asked (5; once is at T = 0), and ``windows``, how many `LONGEST`
    characters of the context it is shown ("all").

    There are no facts. The message's score is the share of repeats that found a hallucination, and
    makes the label; None if every repeat was lost. In `bcv` and `bcv-cot` each sentence has the
    message's score and verdict, and the reason says so. In `sca` a sentence has the share of the
    repeats that spoke of it which called it hallucinated; if the message is doubted and no sentence
    by itself, those that any repeat doubted share its score, or else all. ``rank`` is a sentence's
    own share.
    """

    needs: tuple[str, ...] = ("model",)
    needs_all = False
    source = SOURCE
    differs: tuple[str, ...] = (
        "prompts are in our words, and answers are bound to a schema",
        "prompts show an example or two; those of the thesis show none",
        "the temperature is 1, which the thesis does not name",
        "a call that failed leaves the mean",
        "the threshold is set by hand; that of the thesis is the best on its test data",
    )
    default_threshold = SET_BY_HAND

    def __init__(self, way: Way, summary: str) -> None:
        self.name = str(way)
        self.summary = summary
        self._way = way
        if way == "sca":
            self.differs = (*self.differs, _OF_SCA)

    def calls(self, size: Size) -> int:
        """One a repeat; in `sca` more if the sentences are more than a call takes."""
        return REPEATS * math.ceil(size.sentences / self._together(size.sentences))

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The verdicts, the ranks, the label and the details once all repeats are in.

        Raises SettingError for options that it does not know or cannot use.
        """
        case.refuse_options(self.name, "role", "repeats", "windows")
        windows_of(case)
        return stream_events(partial(self._work, case, role_of(case), repeats_of(case, REPEATS)))

    async def _work(self, case: Case, role: str, repeats: int, emit: Emit) -> None:
        session, windows = case.require_session(self.name), windows_of(case)
        for note in _notes(case, self.name):
            emit(note)
        count = len(case.message.sentences)
        unread, rows = stretches(case.message, self._together(count))
        contexts = Contexts(case.references)
        hearing = Hearing(
            session,
            self._way,
            case.message,
            contexts,
            question=case.question or "",
            role=role,
            temperature=TEMPERATURE if repeats > 1 else 0.0,
            longest=contexts.length if windows is None else windows * LONGEST,
            as_published=case.as_published,
        )

        async def ask(repeat: int) -> Reading:
            return join_verdicts(await every(hearing.reading(row, repeat) for row in rows))

        asking = [ask(repeat) for repeat in range(repeats if rows else 0)]
        readings = await every_in_sight(asking, "asking the judge", emit)
        by_sentence = self._way == "sca"
        jury = Jury(count, readings, unread, by_sentence, as_published=case.as_published)
        threshold = case.limit(self.default_threshold)
        details = await aside(jury.details)
        for event in jury.sentences(threshold):
            emit(event)
        emit(Ranked(score=jury.score, facts=(), sentences=jury.ranks()))
        if case.references:
            shown = min((one.shown for one in readings), default=0)
            details["context"] = {"shown": shown, "of": contexts.length}
            if readings and shown < contexts.length:
                why = f"of {contexts.length:,} characters the {shown:,} nearest to it were shown"
                emit(Note(what=IN_PART, why=why))
        emit(Labelled(label=jury.label(threshold), details=details))
        if jury.failures:
            what = f"{len(jury.failures)} of {repeats} repeats brought no verdict"
            emit(Note(what=what, why=main_reason(jury.failures)))

    def _together(self, sentences: int) -> int:
        """Return how many sentences are judged in one call at most."""
        return SENTENCES if self._way == "sca" else max(1, sentences)


def _notes(case: Case, method: str) -> Iterator[Note]:
    if case.samples:
        yield Note(what="samples were left out", why=f"{method} compares with references only")
    if not case.references:
        why = "no reference was given, so the judge goes by what it knows"
        yield Note(what="there is no context to judge by", why=why)


BCV: Final = ContextJudge("bcv", "a model's verdict on the whole message, by references if any")
BCV_COT: Final = ContextJudge("bcv-cot", "the same, with the model's reasons before each verdict")
SCA: Final = ContextJudge("sca", "a model's verdict on each sentence, with a passage of references")
