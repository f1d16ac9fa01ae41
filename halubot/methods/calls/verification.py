"""The stances of one text on facts or sentences, by the judge.

Merged, one call judges all facts, or sentences, against one text: they come first in the prompt,
so that a server can reuse that part for the next text. As published (Manakul et al.,
"SelfCheckGPT", the prompt variant), one call judges one of them. An answer that cannot be used is
asked for again and then missing, with its reason: no verdict is ever made up. As published it is
not asked for again; the step that asks says what it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

from halubot.concurrency import aside, every
from halubot.events import Note
from halubot.methods.calls.canaries import EACH, Canary, plant
from halubot.methods.calls.citation import Citation, Cited, draw_form, number_sentences
from halubot.methods.calls.extraction import Said, Vocabulary, state_triple, triples_of, vocabulary
from halubot.methods.calls.portions import (
    TOLD,
    WINDOW,
    batches,
    halves,
    main_reason,
    some,
    split_in_half,
    too_long,
    windows,
)
from halubot.methods.calls.session import Fields, ModelSession, value_or_reason
from halubot.models.model_errors import ContextTooLongError
from halubot.models.structured import Answers
from halubot.report import Fact, Source, Stance
from halubot_prompts import Plain

V = TypeVar("V")
T = TypeVar("T", bound=BaseModel)

ANSWER: Final = "another answer"
"""What a sample is, in the words of the prompts."""


class Judged(BaseModel):
    """Where the source stands towards the fact."""

    stance: Stance = Field(
        description="supports: it states the fact; contradicts: it states what cannot be true"
        " together with it; silent: neither"
    )


class YesOrNo(BaseModel):
    """Whether the text supports the fact (FactSelfCheck, equation 9)."""

    supported: Literal["yes", "no"]


class Triples(BaseModel):
    """What a text states, written down before facts are judged by it."""

    triples: list[Said] = Field(max_length=200)


@dataclass(frozen=True)
class Judgement(Generic[V]):
    """The judgement on one text, by index: every index asked about is in ``found`` or, with its
    reason, in ``missing``. ``quotes`` are the sentences of the text that the judge named; comparing
    two judgements leaves them out."""

    found: Mapping[int, V] = field(default_factory=dict)
    missing: Mapping[int, str] = field(default_factory=dict)
    quotes: Mapping[int, str] = field(default_factory=dict, compare=False)


Stances = Judgement[Stance]

BY_TEXT: Final = "verify-facts"
BY_TRIPLES: Final = "verify-facts-triples"
"""The prompts that have canaries among what they ask about."""

FACT: Final = Citation(Judged, ("supports", "contradicts"), ("silent",), dashed="silent")
"""What is said of a fact with the sign of a sentence of the source."""

STANCES: Final[tuple[Stance, ...]] = ("supports", "contradicts", "silent")


async def fact_stances(
    session: ModelSession,
    text: str,
    facts: Sequence[Fact],
    *,
    kind: str = ANSWER,
    way: Literal["text", "triples"] = "text",
    words: Vocabulary | None = None,
) -> Stances:
    """The stance of a text on each fact, by the fact's own index. A judge of the text names the
    sentence that supports or contradicts a fact; a vote whose sentence has nothing to do with the
    fact is not heard.

    ``kind`` says in a few words of ours what the text is. With ``way`` "triples" the text is read
    into triples first, in the vocabulary ``words`` (by default that of the facts), and the facts
    are judged by these alone. One call; more, at once, for a long text or many facts: a text
    supports a fact if any part of it does, else contradicts it if any does. There are canaries
    among the facts (`halubot.methods.calls.canaries`). No facts, no call. Raises SettingError for a
    prompt that is broken.
    """
    if not facts:
        return Judgement()
    items = {fact.index: state_triple(fact.triple) for fact in facts}
    if way == "text":
        judging = Judging(
            *(session, BY_TEXT, "facts", Judged, items, stance_of, STANCES.index),
            about=lambda _: {"kind": Plain(kind)},
            canaries=EACH,
            citation=FACT,
        )
        return await judging.by(text)
    form = Plain(draw_form(STANCES, items.values()))
    judging = Judging(
        *(session, BY_TRIPLES, "facts", Judged, items, stance_of, STANCES.index),
        about=partial(_lists, words or vocabulary(facts), form),
        canaries=EACH,
        preface=Triples,
        # Triples take more room than the text they are taken from, and come in the same answer.
        window=TOLD,
    )
    return await judging.by(text)


async def published_stances(
    session: ModelSession,
    text: str,
    facts: Sequence[Fact],
    *,
    way: Literal["text", "triples"],
    words: Vocabulary,
) -> Stances:
    """Return the stance of a text on each fact, asked for as yes or no, by the fact's own index, in
    a call each: what is no support is "silent". Facts with the same triple, in lower case, are one
    fact, as in the union KG_p of the paper, and one call. With ``way`` "triples" one call more
    reads the text into triples, in the vocabulary ``words``, and the facts are judged by these
    alone. An answer that cannot be used is not asked for again. Raises SettingError for a prompt
    that is broken.

    Source: Sawczyn et al., "FactSelfCheck", sections 3.1, 3.4.1 and 3.4.2, table 9.
    """
    alike: dict[str, list[Fact]] = {}
    for fact in facts:
        alike.setdefault(state_triple(fact.triple).lower(), []).append(fact)
    items = {same[0].index: state_triple(same[0].triple) for same in alike.values()}
    if not facts:
        return Judgement()
    about: Fields = {}
    if way == "triples":
        told = await triples_of(session, text, words)
        if told.triples is None:
            return Judgement(
                missing=dict.fromkeys((fact.index for fact in facts), main_reason(told.missing))
            )
        about = {"triples": [state_triple(triple) for triple in told.triples]}
    judging = Judging(
        *(session, f"fsc-{'text' if way == 'text' else 'kg'}", "fact", YesOrNo, items),
        *(_affirm, STANCES.index),
        about=lambda _: about,
        calls="single",
        once=True,
    )
    said = await judging.by(text if way == "text" else "")
    # Equal facts share the answer of the one that was asked about.
    first = {fact.index: same[0].index for same in alike.values() for fact in same}
    return Judgement(
        {index: said.found[one] for index, one in first.items() if one in said.found},
        {index: said.missing[one] for index, one in first.items() if one in said.missing},
    )


def unheard(
    judged: Iterable[tuple[Source, Judgement[Any]]], things: Literal["facts", "sentences"]
) -> Iterator[Note]:
    """A note on each source that was not judged, or not on everything."""
    for source, judgement in judged:
        if judgement.missing:
            lost, of = len(judgement.missing), len(judgement.missing) + len(judgement.found)
            what = f"{source.title or source.id}: {some(lost, of, things)} not judged"
            yield Note(what=what, why=main_reason(judgement.missing.values()))


def _lists(words: Vocabulary, form: Plain, canaries: Sequence[Canary]) -> Fields:
    """The words in which a source is read into triples, those of canaries among them: a judge that
    may not name what a canary says could not find it."""
    more = [one.triple for one in canaries]
    entities = (*words.entities, *(end for one in more for end in (one.head, one.tail)))
    relations = (*words.relations, *(one.relation for one in more))
    return {
        "form": form,
        "entities": [*dict.fromkeys(filter(None, entities))],
        "relations": [*dict.fromkeys(filter(None, relations))],
    }


def _affirm(judged: YesOrNo) -> Stance:
    return "supports" if judged.supported == "yes" else "silent"


def stance_of(judged: Judged) -> Stance:
    return judged.stance


@dataclass(frozen=True)
class Judging(Generic[T, V]):
    """Judging ``items`` by a text. The ``prompt`` shows them in its field ``name``, with ``about``
    and the text, and asks for an answer of that ``shape`` to each, ``once`` or until it is of use.
    ``read`` reads an answer. Of what several windows of the text say that of the lowest ``rank``
    counts: 0, which is support, and which no other can outweigh.

    All items of a window are asked about "together", among so many ``canaries`` at most; or each in
    a call of its own, "apart" by the same prompt, or by a prompt for a "single" one. With a
    ``citation`` the text is shown as sentences with signs, of which an answer names one; a
    ``preface`` is written down before the answers. ``useless`` makes what an answer says that came
    and cannot be used; with None it is missing.
    """

    session: ModelSession
    prompt: str
    name: str
    shape: type[T]
    items: Mapping[int, str]
    read: Callable[[T], V]
    rank: Callable[[V], int]
    about: Callable[[Sequence[Canary]], Fields] = lambda _: {}
    calls: Literal["together", "apart", "single"] = "together"
    canaries: int = 0
    citation: Citation[T] | None = None
    preface: type[BaseModel] | None = None
    once: bool = False
    useless: Callable[[], V] | None = None
    window: int = WINDOW

    async def by(self, text: str) -> Judgement[V]:
        """Return the judgement on all items by the text."""
        unasked = {index: why for index, item in self.items.items() if (why := too_long(item))}
        rows = [*batches(self.items)]
        if self.calls != "together":
            rows = [(index,) for row in rows for index in row]
        shown = await windows(text, self.window)
        judged = await every(self._judge_window(window, row) for window in shown for row in rows)
        return self._join(self.items, [*judged, Judgement(missing=unasked)])

    async def _judge_window(self, text: str, indexes: Sequence[int]) -> Judgement[V]:
        """Return what a window says, which is cut smaller, and then the list, if they do not
        fit."""
        ask = self._ask_single if self.calls == "single" else self._ask_together
        answers = await ask(text, indexes)
        found = {index: self.read(answer) for index, answer in answers.found.items()}
        quotes = answers.quotes if isinstance(answers, Cited) else {}
        missing = dict(answers.missing)
        if self.useless is not None:
            # A call that failed said nothing: only an answer that came can be one of no use.
            for index in missing.keys() - answers.failed:
                found[index] = self.useless()
                del missing[index]
        left = [index for index in indexes if index in missing]
        if not left or not isinstance(answers.error, ContextTooLongError):
            return Judgement(found, missing, quotes)
        pieces = halves(text)
        if len(pieces) == 1 and len(left) == 1:
            return Judgement(found, missing, quotes)
        # The text first: a window may have twice the characters of a list (`WINDOW`, `LONGEST`).
        if len(pieces) > 1:
            smaller = await every(self._judge_window(piece, left) for piece in pieces)
        else:
            smaller = await every(self._judge_window(text, half) for half in split_in_half(left))
        rest = self._join(left, smaller)
        return Judgement({**found, **rest.found}, rest.missing, {**quotes, **rest.quotes})

    def _join(self, indexes: Iterable[int], judged: Sequence[Judgement[V]]) -> Judgement[V]:
        """Return what several windows say together. One that was not judged might have said what
        counts most: if no other says it, the index is missing."""
        found: dict[int, V] = {}
        missing: dict[int, str] = {}
        quotes: dict[int, str] = {}
        for index in indexes:
            said = [one for one in judged if index in one.found]
            lost = [one.missing[index] for one in judged if index in one.missing]
            best = min(said, key=lambda one: self.rank(one.found[index]), default=None)
            if best is None or (lost and self.rank(best.found[index])):
                missing[index] = lost[0]
                continue
            found[index] = best.found[index]
            if index in best.quotes:
                quotes[index] = best.quotes[index]
        return Judgement(found, missing, quotes)

    async def _ask_single(self, window: str, indexes: Sequence[int]) -> Answers[T]:
        (index,) = indexes
        about = self.about(())
        # What is judged by the triples of a text is not shown the text.
        source: Fields = {} if "triples" in about else {"source": window}
        fields = {**about, **source, self.name: self.items[index]}
        answer = await self.session.ask(self.prompt, self.shape, fields, once=self.once)
        told = value_or_reason(answer)
        if not isinstance(told, str):
            return Answers({index: told})
        failed = frozenset({index} if answer.error is not None else ())
        return Answers(missing={index: told}, error=answer.error, failed=failed)

    async def _ask_together(self, window: str, indexes: Sequence[int]) -> Answers[T]:
        """Ask about these items in one call. What the judge says of canaries is noted, and nothing
        is asked again for their sake."""
        placed = await self._plant(window, indexes)
        planted = {at: one for at, one in enumerate(placed) if isinstance(one, Canary)}
        own = {at: one for at, one in enumerate(placed) if not isinstance(one, Canary)}
        shown = {
            at: one.text if isinstance(one, Canary) else self.items[one]
            for at, one in enumerate(placed)
        }
        answers = await self._ask_shown(window, shown, planted)
        # Before votes without ground are dropped: canaries measure what a judge says, not how it
        # cites.
        for at, canary in planted.items():
            if at in answers.found:
                supported = self.rank(self.read(answers.found[at])) == 0
                self.session.note_canary(self.prompt, right=canary.right, supported=supported)
        if isinstance(answers, Cited) and not self.session.panel.rehearsing:
            answers = await aside(partial(answers.drop_unfounded, shown))
        return answers.renumber(own)

    async def _plant(self, window: str, indexes: Sequence[int]) -> list[int | Canary]:
        """Return the indexes, in their order, with canaries among them."""
        if not self.canaries:
            return [*indexes]
        texts = [self.items[index] for index in indexes]
        sentences = self.name == "sentences"
        # Off the loop: canaries are made by reading the whole window.
        planting = partial(plant, window, texts, sentences=sentences, most=self.canaries)
        placed = [one if isinstance(one, Canary) else indexes[one] for one in await aside(planting)]
        if self.session.panel.rehearsing:
            # A rehearsal's model decides by number: facts keep theirs whatever is planted.
            placed.sort(key=lambda one: isinstance(one, Canary))
        return placed

    async def _ask_shown(
        self, window: str, shown: Mapping[int, str], planted: Mapping[int, Canary]
    ) -> Answers[T]:
        about = self.about(list(planted.values()))
        source: Fields = {"source": window}
        shape: type[BaseModel] = self.shape
        if (citation := self.citation) is not None:
            sentences = await aside(partial(number_sentences, window))
            source = {"form": Plain(citation.form(shown.values())), "source": {**sentences}}
            shape = citation.shape(len(sentences))

        def fields(wanted: Sequence[int]) -> Fields:
            return {**about, self.name: {at: shown[at] for at in wanted}, **source}

        answers: Answers[Any] = await self.session.ask_each(
            *(self.prompt, shape, tuple(shown), fields),
            preface=self.preface,
            # What does not fit is cut by `_judge_window`, which can cut the text as well as the
            # list.
            halve=False,
            once=self.once,
            spare=frozenset(planted),
        )
        return answers if citation is None else citation.read(answers, sentences)
