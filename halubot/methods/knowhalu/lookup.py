"""The details of texts looked up in references and in knowledge, query by query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from halubot.concurrency import aside
from halubot.errors import KnowledgeError
from halubot.events import Emit, Progress
from halubot.evidence.retrieval import Index, Passage
from halubot.knowledge.named_bases import Knowledge
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.text_vectors import CANDIDATES, VectorRanking
from halubot.methods.knowhalu.aggregation import FORMS, Form
from halubot.methods.knowhalu.queries import (
    NAMES,
    Asked,
    Chain,
    Ending,
    Learnt,
    LearntAndAsked,
    LearntSentence,
    LearntTriplets,
    Query,
    QueryForm,
    Step,
    Thought,
    one_line,
)
from halubot.methods.knowledge_passages import Cited
from halubot.methods.registry import Case
from halubot.models.structured import Answers
from halubot.report import Source
from halubot.text import language
from halubot_prompts import Plain

MOST_STEPS: Final = 9
"""Queries to a text at most."""

OPENING: Final = 300
"""Characters of a text that stand for its first query if the judge asks none."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The passages that queries are looked up in: of references the ``most`` nearest for each
    form of a query, and as many of ``knowledge``, which ``cite`` gives their ids. Passages that are
    given ``whole`` come to every query in place of those of references. With a ``ranking`` those of
    references are chosen by words and vectors."""

    index: Index
    most: int
    knowledge: Knowledge | None = None
    cite: Callable[[Sequence[Passage]], Sequence[Passage]] = tuple
    whole: tuple[Passage, ...] = ()
    ranking: VectorRanking | None = None

    @property
    def holds_nothing(self) -> bool:
        """Return True if nothing can be looked up."""
        return not len(self.index) and self.knowledge is None and not self.whole

    async def passages(self, query: Query) -> tuple[Passage, ...]:
        """The passages nearest to either form, each once, in turn from the nearest on: those of
        references, then those of knowledge. Raises KnowledgeError if there are no references
        and the knowledge cannot be searched."""
        forms = list(dict.fromkeys((query.specific, query.general)))
        rows: Sequence[Sequence[Passage]] = [self.whole]
        if not self.whole:
            # Vectors choose among more passages than are shown.
            many = self.most if self.ranking is None else max(self.most, CANDIDATES)
            rows = await aside(lambda: [self.index.search(form, many) for form in forms])
        if self.ranking is not None and not self.whole:
            pairs = zip(forms, rows, strict=True)
            rows = [(await self.ranking.rank(*pair))[: self.most] for pair in pairs]
        return tuple({**_in_turn(rows), **_in_turn(await self._search_knowledge(forms))}.values())

    async def _search_knowledge(self, forms: Sequence[str]) -> Sequence[Sequence[Passage]]:
        """Return what the knowledge has for each form of a query."""
        if self.knowledge is None:
            return ()
        rows = []
        try:
            for form in forms:
                rows.append(self.cite(await self.knowledge.search(form, self.most)))
        except KnowledgeError:
            # With references at hand the others go on, and the failure was noted by the base.
            if not (len(self.index) or self.whole):
                raise
        return rows


def _in_turn(rows: Sequence[Sequence[Passage]]) -> dict[tuple[str, int], Passage]:
    """The passages of some rankings, each once, by their places."""
    ranked = (one for turn in zip_longest(*rows) for one in turn if one is not None)
    found: dict[tuple[str, int], Passage] = {}
    for one in ranked:
        found.setdefault((one.source.id, one.start), one)
    return found


@dataclass(frozen=True, slots=True)
class Lookup:
    """Looks texts up, by their indexes. ``question`` is "" if none is known; ``around`` are the
    fields "languages" and "whole" of the prompts; ``heard`` is told of each step of a text, and of
    which form of knowledge it is, None for both; ``query_form`` is the form that queries are asked
    in."""

    talk: Talk
    shelf: Shelf
    question: str
    around: Fields
    heard: Callable[[int, Step, Form | None], None]
    query_form: QueryForm = "both"

    async def first(self, texts: Mapping[int, str]) -> tuple[dict[int, Query], dict[int, str]]:
        """The first query of each text, by one call, and why those have none that have none."""
        answers = await self.talk.ask_each(
            "knowhalu-query",
            Asked,
            [*texts],
            lambda wanted: self._fields(texts, wanted, {}) | {"form": ""},
        )
        found = {index: self.opening(asked, texts[index]) for index, asked in answers.found.items()}
        return found, dict(answers.missing)

    def opening(self, asked: Asked, text: str) -> Query:
        """The first query as it was asked; if the judge asked nothing, it is the text itself,
        for nothing would be checked."""
        own = one_line(text)[:OPENING]
        query = asked.query or Query("", own, one_line(self.question)[:OPENING] or own)
        return query.only(self.query_form)

    async def merge(self, texts: Mapping[int, str], first: Mapping[int, Query]) -> dict[int, Chain]:
        """The chain of each text that has a first query, one call a step for all of them."""
        steps: dict[int, list[Step]] = {index: [] for index in first}
        chains: dict[int, Chain] = {}
        queries = dict(first)
        while queries:
            try:
                passages = {i: await self.shelf.passages(one) for i, one in queries.items()}
            except KnowledgeError as error:
                # What was learnt by then is judged.
                chains |= {i: Chain(tuple(steps[i]), "broken", str(error)) for i in queries}
                break
            answers = await self._learnt_and_asked(texts, steps, queries, passages)
            for index, reason in answers.missing.items():
                # One text that brought no usable answer leaves the others in the same calls.
                chains[index] = Chain(tuple(steps[index]), "broken", reason)
                del queries[index]
            for index, learnt in answers.found.items():
                step = Step.of(queries.pop(index), passages[index], learnt)
                steps[index].append(step)
                self.heard(index, step, None)
                query = learnt.query and learnt.query.only(self.query_form)
                ended = _why_ended(steps[index], query)
                if ended is None and query is not None:
                    queries[index] = query
                else:
                    chains[index] = Chain(tuple(steps[index]), ended or "covered")
            turn = max(map(len, steps.values()))
            self.talk.emit(Progress(what="looking up details", done=turn, of=MOST_STEPS))
        return chains

    async def step_by_step(self, index: int, text: str, form: Form) -> Chain:
        """The chain of one text and one form of knowledge by the steps published."""
        steps: list[Step] = []
        while True:
            told = [{"thought": one.thought, **one.as_shown(form)} for one in steps]
            fields = self._fields({index: text}, [index], {index: told} if told else {})
            fields |= {"form": Plain(NAMES[form])}
            asked = await self.talk.ask_each("knowhalu-think", Thought, [index], _always(fields))
            if index in asked.missing:
                return Chain(tuple(steps), "broken", asked.missing[index])
            said = asked.found[index]
            query = said.query and said.query.only(self.query_form)
            if not steps:
                query = self.opening(said, text)
            if query is None:
                denied = steps[-1].finding == "contradicts"
                return Chain(tuple(steps), "contradicted" if denied else "covered")
            thought = one_line(said.thought)
            # As in the paper's repository: an equal thought and query in a row end the chain.
            if steps and (steps[-1].thought, steps[-1].query.words) == (thought, query.words):
                return Chain(tuple(steps), "repeated")
            try:
                passages = await self.shelf.passages(query)
            except KnowledgeError as error:
                return Chain(tuple(steps), "broken", str(error))
            learnt, reason = await self._learnt(query, passages, form)
            if learnt is None:
                return Chain(tuple(steps), "broken", reason)
            steps.append(Step.of(query, passages, learnt, thought))
            self.heard(index, steps[-1], form)
            if len(steps) == MOST_STEPS:
                return Chain(tuple(steps), "bounded")

    async def _learnt_and_asked(
        self,
        texts: Mapping[int, str],
        steps: Mapping[int, Sequence[Step]],
        queries: Mapping[int, Query],
        passages: Mapping[int, Sequence[Passage]],
    ) -> Answers[LearntAndAsked]:
        """Return what the passages say of the queries, and the next queries, by one call."""

        def fields(wanted: Sequence[int]) -> Fields:
            told = {i: [one.as_shown(*FORMS) for one in steps[i]] for i in wanted if steps[i]}
            material = {index: _material(queries[index], passages[index]) for index in wanted}
            return {**self._fields(texts, wanted, told), "passages": material}

        return await self.talk.ask_each("knowhalu-step", LearntAndAsked, [*queries], fields)

    async def _learnt(
        self, query: Query, passages: Sequence[Passage], form: Form
    ) -> tuple[Learnt | None, str | None]:
        """Return what passages say of a query in one form, by one call; or why that is not
        known."""
        fields: Fields = {"form": Plain(NAMES[form]), **_material(query, passages)}
        if form == "text":
            told = await self.talk.ask("knowhalu-knowledge", LearntSentence, fields)
            if told.value is None or told.reason is not None:
                return None, told.reason
            sentence, finding = told.value.sentence, told.value.finding
            return Learnt(sentence=sentence, triplets=[], finding=finding), None
        listed = await self.talk.ask("knowhalu-knowledge", LearntTriplets, fields)
        if listed.value is None or listed.reason is not None:
            return None, listed.reason
        triplets, finding = listed.value.triplets, listed.value.finding
        return Learnt(sentence="", triplets=triplets, finding=finding), None

    def _fields(
        self, texts: Mapping[int, str], wanted: Sequence[int], told: Mapping[int, Any]
    ) -> dict[str, Any]:
        """The fields of the prompts that ask for a query."""
        shown = {index: texts[index] for index in wanted}
        return {**self.around, "question": self.question, "texts": shown, "steps": dict(told)}


def _why_ended(steps: Sequence[Step], query: Query | None) -> Ending | None:
    """Why a chain ends with these steps, the next query being this; None where it goes on."""
    if steps[-1].finding == "contradicts":
        return "contradicted"
    if query is None:
        return "covered"
    # The same query would find the same passages, and never end.
    if query.words in _words_of_queries(steps):
        return "repeated"
    return "bounded" if len(steps) == MOST_STEPS else None


def _words_of_queries(steps: Sequence[Step]) -> set[tuple[str, ...]]:
    return {step.query.words for step in steps}


def _always(fields: Fields) -> Callable[[Sequence[int]], Fields]:
    """The fields whatever is wanted, for prompts that are asked of one text."""
    return lambda _: fields


def _material(query: Query, passages: Sequence[Passage]) -> dict[str, Any]:
    shown = [{"title": one.source.title, "text": one_line(one.text)} for one in passages]
    return {"general": "", **query.prompt_fields, "passages": shown}


WORDS: Final = {True: 39, False: 100}
"""Words of a passage: of one document, in passages of fewer than 40 words; of several references,
and beside knowledge."""


NEAREST: Final = {True: 3, False: 2}
"""How many passages are retrieved for each form of a query, likewise."""


READ: Final = 5_000
"""Characters of a reference by which its language is told."""


def is_document(case: Case) -> bool:
    """Return True if one document is all that is looked up in."""
    return len(_references(case)) == 1 and case.knowledge is None


def shelf_of(case: Case, nearest: int | None, emit: Emit) -> Shelf:
    """Return the shelf of a case's references and knowledge: so many passages of references to each
    form of a query, None for each reference whole. Passages of knowledge are emitted as they are
    retrieved. With the option ``embeddings`` passages of references are chosen by words and the
    vectors of that model. Reads all references: do it off the loop. Raises LocalModelError for a
    model on this machine that cannot be used."""
    references = _references(case)
    cite = partial(Cited(case.references).cite, emit=emit)
    if nearest is None:
        given = ((source, source.text or "") for source in references)
        whole = tuple(Passage(one, 0, len(text), text, 1.0) for one, text in given if text.strip())
        return Shelf(Index(()), NEAREST[False], case.knowledge, cite, whole)
    embeddings = case.options.get("embeddings")
    ranking = None
    if embeddings is not None and case.talk is not None:
        ranking = VectorRanking(case.talk, case.talk.embedder(embeddings))
    index = Index(references, WORDS[is_document(case)])
    return Shelf(index, nearest, case.knowledge, cite, ranking=ranking)


def languages_of(case: Case) -> str:
    """The languages of the references, as ISO 639-1 codes, if they are not the message's."""
    # A query in the message's language finds nothing in references of another one.
    found = {language((source.text or "")[:READ]) for source in _references(case)}
    return ", ".join(sorted(found)) if found - {case.message.language, "und"} else ""


def _references(case: Case) -> tuple[Source, ...]:
    """The references; if knowledge is searched, those that were not found there before."""
    if case.knowledge is None:
        return case.references
    return tuple(source for source in case.references if source.kind != "knowledge")
