"""`bcv`, `bcv-cot`, `sca`, `issc`, `issc-cot`: the medical judges.

In the first three a judge reads the answer, beside a context, and says whether it contains
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
asked for again and counts 0.5; in `sca` the judge splits the answer itself, copies its sentences
and may stop at the first hallucination, and its last word alone counts. The context is shown whole,
unless the option ``windows`` cuts it or it does not fit the model, which a note says.

`issc` and `issc-cot` have no context: each other answer is read beside each sentence, and the judge
says if it supports the sentence, as in `halubot.methods.selfcheck_prompt`; in `issc-cot` after its
reasons.

Source: Díaz de Rábago, "Detección de alucinaciones en modelos del lenguaje grandes en el ámbito
médico" (2024), section 7.2 and appendix B.2.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.errors import SettingError
from halubot.events import Emit, Event, Labelled, Note, Progress, Ranked
from halubot.evidence.context import LONGEST, Contexts
from halubot.llm_calls.canaries import EACH, plant
from halubot.llm_calls.citation import draw_form
from halubot.llm_calls.portions import SENTENCES, main_reason, stretches
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import Ask, Asking, Judgement, Judging, apart
from halubot.methods.driver import stream_events, unjudged_events
from halubot.methods.judges import jury as bias
from halubot.methods.judges.judge_calls import TEMPERATURE, Hearing, Reading, Way
from halubot.methods.judges.jury import Jury
from halubot.methods.registry import Case, Size, repeats_of, windows_of
from halubot.methods.sample_verdicts import mean
from halubot.methods.selfcheck_prompt import SentencesBySamples
from halubot.models.structured import ATTEMPTS
from halubot.report import Source, Threshold
from halubot_prompts import Plain

REPEATS: Final = 5
"""How often the judge is asked, as published."""

SOURCE: Final = "Díaz de Rábago 2024 (ICAI Comillas)"

IN_PART: Final = "the references were read in part"
"""What is noted if the judge was not shown all of them."""

_OF_SCA: Final = "what the judge copied is found in the text again by its words"

LONGEST_ROLE: Final = 100
"""Characters of a role."""


class ContextJudge:
    """A method object. Its options are ``role``, whose part the judge takes ("medical expert"),
    ``repeats``, how often it is asked (5), ``temperature`` (1; asked once 0), and ``windows``, how
    many `LONGEST` characters of the context it is shown ("all").

    There are no facts. The message's score is the share of repeats that found a hallucination, and
    makes the label; None if every repeat was lost. `bcv` and `bcv-cot` judge the message as a
    whole: each of its sentences has the message's score and verdict, and the reason says so; a
    message too long for one call is judged stretch by stretch. In `sca` a sentence has the share of
    the repeats that spoke of it which called it hallucinated; if the message is doubted and no
    sentence by itself, those that any repeat doubted share its score, or else all. ``rank`` is a
    sentence's own share.
    """

    needs: tuple[str, ...] = ("model",)
    needs_all = False
    source = SOURCE
    differs: tuple[str, ...] = (
        "prompts are in our words, and answers are bound to a schema",
        "the temperature is 1, which the thesis does not name",
        "a call that failed leaves the mean",
        "the threshold is set by hand; that of the thesis is the best on its test data",
    )
    default_threshold = Threshold(value=0.5, fitted_on="no data (set by hand)")

    def __init__(self, way: Way, summary: str) -> None:
        self.name = str(way)
        self.summary = summary
        self._way = way
        if way == "sca":
            self.differs = (*self.differs, _OF_SCA)

    def calls(self, size: Size) -> int:
        """One a repeat; in `sca` more if the sentences are more than a call takes."""
        return REPEATS * math.ceil(size.sentences / self._together(size.sentences, False))

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """After each repeat the verdicts by then, the label and the ranks; last the details.

        Raises SettingError for options that it does not know or cannot use.
        """
        case.refuse_options(self.name, "role", "repeats", "temperature", "windows")
        windows_of(case)
        temperature_of(case, 0.0)
        return stream_events(partial(self._work, case, role_of(case), repeats_of(case, REPEATS)))

    async def _work(self, case: Case, role: str, repeats: int, emit: Emit) -> None:
        if case.talk is None:
            for event in unjudged_events(case, f"{self.name} needs a model: name one with --model"):
                emit(event)
            return
        for note in _notes(case, self.name):
            emit(note)
        together = self._together(len(case.message.sentences), case.as_published)
        unread, rows = stretches(case.message, together)
        contexts = Contexts(case.references)
        hearing = self._hearing(case, case.talk, contexts, role, repeats)
        heard: dict[int, list[Reading]] = {}

        def jury() -> Jury:
            return Jury(
                len(case.message.sentences),
                rows,
                [heard[repeat] for repeat in sorted(heard)],
                unread,
                by_sentence=self._way == "sca",
                as_published=case.as_published,
            )

        async def ask(repeat: int) -> None:
            heard[repeat] = await every(hearing.reading(row, repeat) for row in rows)
            emit(Progress(what="asking the judge", done=len(heard), of=repeats))
            # The verdicts after the last repeat come with the details, in `_conclude`.
            if len(heard) < repeats:
                for event in _rule(jury(), case.limit(self.default_threshold)):
                    emit(event)

        await every(ask(repeat) for repeat in range(repeats if rows else 0))
        for event in await self._conclude(case, jury(), repeats, contexts):
            emit(event)

    async def _conclude(
        self, case: Case, jury: Jury, repeats: int, contexts: Contexts
    ) -> list[Event]:
        """The last word, its details, and what went less well."""
        threshold = case.limit(self.default_threshold)
        told = bias.leaning(jury.units())
        # Rules read all references, so they are asked only about a judge that always says the same.
        rules = await aside(partial(bias.by_rules, case, case.references)) if told.side else []
        doubt = bias.doubt_of_message(told, jury.ranks(), rules)
        details = await aside(jury.details)
        details["bias"] = told.details(doubt is not None)
        if case.references:
            shown = min((_count_shown(one) for of in jury.readings for one in of), default=0)
            details["context"] = {"shown": shown, "of": contexts.length}
        events = list(_rule(jury, threshold))
        events.append(Labelled(label=jury.label(threshold), details=details))
        if case.references and jury.readings and shown < contexts.length:
            why = f"of {contexts.length:,} characters the {shown:,} nearest to it were shown"
            events.append(Note(what=IN_PART, why=why))
        if jury.failures:
            what = f"{len(jury.failures)} of {repeats} repeats brought no verdict"
            events.append(Note(what=what, why=main_reason(jury.failures)))
        if doubt is not None:
            events.append(Note(what=bias.SUSPECT, why=doubt))
        return events

    def _hearing(
        self, case: Case, talk: Talk, contexts: Contexts, role: str, repeats: int
    ) -> Hearing:
        windows = windows_of(case)
        return Hearing(
            talk,
            self._way,
            case.message,
            contexts,
            question=case.question or "",
            role=role,
            temperature=temperature_of(case, TEMPERATURE if repeats > 1 else 0.0),
            longest=None if windows is None else windows * LONGEST,
            as_published=case.as_published,
        )

    def _together(self, sentences: int, as_published: bool) -> int:
        """Return how many sentences are judged in one call at most."""
        # As published the judge splits the answer itself, and has to see all of it.
        by_number = self._way == "sca" and not as_published
        return SENTENCES if by_number else max(1, sentences)


def role_of(case: Case) -> str:
    """The role that the judge takes, "" for none. Raises SettingError for one that is not a short
    single line."""
    role = case.options.get("role", "")
    if not isinstance(role, str):
        raise SettingError(f"the role is {role!r}, not a text")
    role = role.strip()
    if "role" in case.options and not role:
        raise SettingError("the role is empty: write whose part the judge takes")
    # The role stands in the prompt without a fence, so it may not bring lines of its own.
    if len(role) > LONGEST_ROLE or not role.isprintable():
        wanted = f"write a single line of {LONGEST_ROLE} characters at most"
        raise SettingError(f"the role is {role[:30]!r}{'...' * (len(role) > 30)}: {wanted}")
    return role


def temperature_of(case: Case, usual: float) -> float:
    """The temperature at which the judge is asked, ``usual`` without the option. Raises
    SettingError for anything but a number from 0 to 2."""
    # At 0 all repeats would be one answer; a single one is asked for without chance.
    found = case.options.get("temperature", usual)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 2:
        raise SettingError(f"the temperature is {found!r}, not a number from 0 to 2")
    return float(found)


def _count_shown(reading: Reading) -> int:
    """Return how many characters of the references the judge was shown."""
    return sum(end - start for _, start, end in dict.fromkeys(reading.context.parts))


def _rule(jury: Jury, threshold: float) -> Iterator[Event]:
    """The verdicts, the label and the ranks by now."""
    yield from jury.sentences(threshold)
    yield Labelled(label=jury.label(threshold))
    yield Ranked(score=jury.score, facts=(), sentences=jury.ranks())


def _notes(case: Case, method: str) -> Iterator[Note]:
    if case.samples:
        yield Note(what="samples were left out", why=f"{method} compares with references only")
    if not case.references:
        why = "no reference was given, so the judge goes by what it knows"
        yield Note(what="there is no context to judge by", why=why)


BCV: Final = ContextJudge("bcv", "a model's verdict on the whole message, by references if any")
BCV_COT: Final = ContextJudge("bcv-cot", "the same, with the model's reasons before each verdict")
SCA: Final = ContextJudge("sca", "a model's verdict on each sentence, with a passage of references")


T = TypeVar("T", bound=BaseModel)


BARE: Final = "issc"


WITH_REASONS: Final = "issc-cot"


class Contrast(NamedTuple):
    """The stance of an answer on a sentence: ``mark`` is 0 if it supports it, else 1; None if
    the judge's words cannot be used."""

    mark: int | None
    reasons: str = ""


class Held(BaseModel):
    """Whether the other answer supports the sentence."""

    supported: Literal["yes", "no"]


class HeldWithReasons(BaseModel):
    """Reasons, and then whether the other answer supports the sentence."""

    reasons: str = Field(max_length=600)
    supported: Literal["yes", "no"]


async def contrasts(
    talk: Talk,
    text: str,
    sentences: Mapping[int, str],
    *,
    reasons: bool = False,
    role: str = "",
    as_published: bool = False,
) -> Judgement[Contrast]:
    """Return the stance of one answer on each of some sentences, by their indexes. One call; more,
    at once, for a long answer or many sentences: one part that supports is enough. No sentences, no
    call. As published an answer that cannot be used is not asked for again, and its mark is None.
    Raises SettingError for a prompt that is broken."""
    about: Fields = {"role": Plain(role)}
    if reasons:
        reasoned = Asking(talk, HeldWithReasons, sentences, 1 if as_published else ATTEMPTS, _holds)
        # Reasons are long: one canary a call, where sentences without reasons have three.
        ask = _ask(reasoned, WITH_REASONS, about, most=1, as_published=as_published)
        return await _judging(ask, _reason, as_published).of(text, sentences)
    bare = Asking(talk, Held, sentences, 1 if as_published else ATTEMPTS, _holds)
    about = {**about, "form": Plain(draw_form(("yes", "no"), sentences.values()))}
    each = _ask(bare, BARE, about, most=EACH, as_published=as_published)
    return await _judging(each, _bare, as_published).of(text, sentences)


def _ask(asking: Asking[T], prompt: str, about: Fields, *, most: int, as_published: bool) -> Ask[T]:
    """Merged, all sentences in a call among canaries; as published one by one, without any."""
    if as_published:
        return apart(asking.together(prompt, "sentences", about))
    planting = partial(plant, sentences=True, most=most)
    return asking.among_canaries(prompt, "sentences", lambda _: about, plant=planting)


def _judging(
    ask: Ask[T], read: Callable[[T], Contrast], as_published: bool
) -> Judging[T, Contrast]:
    return Judging(ask, read, _rank, useless=_useless if as_published else None)


def _holds(said: Held | HeldWithReasons) -> bool:
    return said.supported == "yes"


def _useless() -> Contrast:
    return Contrast(None)


def _bare(said: Held) -> Contrast:
    return Contrast(int(said.supported == "no"))


def _reason(said: HeldWithReasons) -> Contrast:
    return Contrast(int(said.supported == "no"), said.reasons)


def _rank(contrast: Contrast) -> int:
    return 2 if contrast.mark is None else contrast.mark


class SentencesAgainstSamples(SentencesBySamples[Contrast]):
    """A method object. Its option is ``role``, whose part the judge takes ("medical expert")."""

    source = SOURCE
    differs = (
        "prompts are in our words, and answers are bound to a schema",
        "a call that failed leaves the mean",
    )

    def __init__(self, name: str, summary: str, *, reasons: bool) -> None:
        self.name = name
        self.summary = summary
        self.canary_prompt = WITH_REASONS if reasons else BARE
        self._reasons = reasons

    def read_options(self, case: Case) -> None:
        """Refuses options that do not exist, and a role that is not a short single line."""
        case.refuse_options(self.name, "role")
        role_of(case)

    async def hear_sample(
        self, case: Case, talk: Talk, text: str, sentences: Mapping[int, str]
    ) -> Judgement[Contrast]:
        """Yes or no, with reasons."""
        return await contrasts(
            talk,
            text,
            sentences,
            reasons=self._reasons,
            role=role_of(case),
            as_published=case.as_published,
        )

    def mark(self, said: Contrast) -> int | None:
        """0 or 1; None for words that cannot be used, which count 0.5 as published."""
        return said.mark

    async def conclude(
        self,
        case: Case,
        rows: Sequence[Sequence[int | None]],
        samples: Sequence[Source],
        heard: Sequence[Judgement[Contrast]],
        emit: Emit,
    ) -> None:
        """Tell the word of each sample, and whether the judge may be biased."""
        said = [[bool(mark) for mark in row if mark is not None] for row in rows]
        told = bias.leaning(said)
        # As above: only a judge of one side is worth a comparison with all samples.
        rules = await aside(partial(bias.by_rules, case, samples)) if told.side else []
        doubt = bias.doubt_of_message(told, [mean(row) for row in said], rules)
        details = {**_votes(samples, heard, len(rows)), "bias": told.details(doubt is not None)}
        emit(Labelled(details=details))
        if doubt is not None:
            emit(Note(what=bias.SUSPECT, why=doubt))


def _votes(
    samples: Sequence[Source], heard: Sequence[Judgement[Contrast]], sentences: int
) -> dict[str, Any]:
    """Return what each sample that was judged says of each sentence, "yes", "no" or None, by its
    id; and the reasons, if there are any."""
    rows = {
        sample.id: [said.found.get(index) for index in range(sentences)]
        for sample, said in zip(samples, heard, strict=bool(heard))
    }
    words = {
        id: [None if one is None or one.mark is None else _WORDS[one.mark] for one in row]
        for id, row in rows.items()
    }
    reasons = {id: [one.reasons if one else "" for one in row] for id, row in rows.items()}
    told = any(any(row) for row in reasons.values())
    return {"votes": words, "reasons": reasons} if told else {"votes": words}


_WORDS: Final = ("yes", "no")
"""The words of the marks 0 and 1."""

ISSC: Final = SentencesAgainstSamples(
    "issc", "whether other answers support each sentence, yes or no, by a model", reasons=False
)
ISSC_COT: Final = SentencesAgainstSamples(
    "issc-cot", "the same, with the model's reasons before each verdict", reasons=True
)
