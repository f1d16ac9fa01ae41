"""Facts of a message and of its samples, by the judge.

Merged, one call takes the facts of all sentences (Sawczyn et al., "FactSelfCheck", name this in
appendix E as the way to save calls). As published (section 3.3), one call lists the entities, one
the relations, and one a sentence takes its facts in these words.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BaseModel, Field

from halubot.claims import extract, extractor_name
from halubot.concurrency import aside, every
from halubot.events import Note
from halubot.methods.calls.portions import (
    TOLD,
    main_reason,
    sentence_text,
    some,
    stretches,
    surroundings,
    windows,
)
from halubot.methods.calls.session import Fields, ModelSession
from halubot.methods.calls.wording_match import align_triple, is_stated, words_of
from halubot.methods.driver import BEFORE
from halubot.methods.registry import Case
from halubot.models.structured import ATTEMPTS, Answers
from halubot.report import Fact, Triple
from halubot.text import Document, clean, read

MOST_FACTS: Final = 12_000
"""Facts of a message that a check has memory for: with their verdicts they take 17 kB each."""

USUAL_FACT: Final = 20
"""Characters of a sentence for each of its facts, at the least that is usual."""

Name = Annotated[str, Field(max_length=300)]


class Said(BaseModel):
    """One fact, which makes a short sentence."""

    head: Name = Field(description="what the fact is about, by its name")
    relation: Name = Field(description="what is said of it")
    tail: str = Field(max_length=400, description="the value")

    @property
    def triple(self) -> Triple:
        """The triple, on one line, with nothing in it that no text may hold."""
        return Triple(
            *(" ".join(clean(p)[0].split()) for p in (self.head, self.relation, self.tail))
        )


class Facts(BaseModel):
    """The facts of one sentence."""

    facts: list[Said] = Field(max_length=20)

    @property
    def statements(self) -> list[Said]:
        """Return the triples of the sentence, by the judge's last word."""
        return self.facts


class SampleFacts(BaseModel):
    """The facts of one window of a sample."""

    facts: list[Said] = Field(max_length=200)


class Entities(BaseModel):
    """The entities of a text."""

    entities: list[Name] = Field(max_length=250)


class Relations(BaseModel):
    """The relations of a text."""

    relations: list[Name] = Field(max_length=250)


class Vocabulary(NamedTuple):
    """The words in which facts of other texts are taken, each once."""

    entities: tuple[str, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Extraction:
    """The facts of a message in its order; ``how`` names who found them.

    ``unread`` are the sentences that the judge gave no facts for, each with the reason: their
    facts are those that rules find, if rules may read them. ``entities`` and ``relations`` were
    listed if the steps are those published; else they are empty.
    """

    facts: tuple[Fact, ...]
    how: str
    unread: Mapping[int, str] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


class Told(NamedTuple):
    """The triples of a text, each with the sentence that states it, "" if that is not known; None
    if they could not be taken, and why."""

    triples: Mapping[Triple, str] | None
    reason: str | None = None


class Reading(NamedTuple):
    """The judge's reading of some sentences: the triples of each, and why others have none."""

    found: dict[int, list[Triple]]
    missing: dict[int, str]
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


Reader = Callable[[ModelSession, Document, Sequence[int], str | None], Coroutine[Any, Any, Reading]]
"""A way to read some sentences of a message, which are in a row; last comes its subject."""


async def extract_with_judge(
    session: ModelSession, case: Case, *, rules: bool = True, reader: Reader | None = None
) -> Extraction:
    """The facts of a case, in the judge's words, with the places at which the text states them. No
    call is made for facts that came with the case.

    One call; more, at once, if the message is too long for one. ``reader`` is another way to read a
    message. Sentences the judge gave no facts for, or facts that do not stand in them, are read by
    rules, and a note says why; without ``rules`` the first have no facts, and the second keep
    theirs. No sentences, no call. Raises SettingError for a prompt that is broken.
    """
    if case.facts is not None:
        return Extraction(case.facts, BEFORE)
    message, subject = case.message, case.subject
    too_long, rows = stretches(message)
    read_row = reader or at_once
    readings = await every(read_row(session, message, row, subject) for row in rows)
    triples: dict[int, list[Triple]] = {}
    unread = dict(too_long)
    for reading in readings:
        triples |= reading.found
        unread |= reading.missing
    usual = [max(1, (end - start) // USUAL_FACT) for start, end in message.sentences]
    if sum(map(len, triples.values())) > MOST_FACTS:
        # Those with more facts than a text of their length usually has are what takes the memory.
        why = f"the judge gave more than {MOST_FACTS:,} facts in all"
        many = {index for index, own in triples.items() if len(own) > usual[index]}
        unread |= dict.fromkeys(many, why)
        triples = {index: own for index, own in triples.items() if index not in many}
    # The papers take a judge's facts as they come, and a reader of a method's own revises them.
    if rules and reader is None:
        unread |= await aside(lambda: _strange(message, triples, subject))
    if unread:
        done = "read by rules" if rules else "not read into facts"
        what = f"{some(len(unread), len(message.sentences), 'sentences')} {done}"
        session.emit(Note(what=what, why=main_reason(unread.values())))
    ruled = unread if rules else {}
    return Extraction(
        facts=await aside(lambda: _facts(message, triples, ruled, subject)),
        how=_how(session, message, ruled),
        unread=dict(sorted(unread.items())),
        entities=_once(entity for reading in readings for entity in reading.entities),
        relations=_once(relation for reading in readings for relation in reading.relations),
    )


def vocabulary(
    facts: Sequence[Fact], entities: Sequence[str] = (), relations: Sequence[str] = ()
) -> Vocabulary:
    """The vocabulary for samples (equations 4 and 5): what was listed, and all heads, tails and
    relations of the facts."""
    triples = [fact.triple for fact in facts]
    ends = (end for triple in triples for end in (triple.head, triple.tail))
    return Vocabulary(
        _once((*entities, *ends)), _once((*relations, *(triple.relation for triple in triples)))
    )


async def triples_of(
    session: ModelSession,
    text: str,
    entities: Sequence[str],
    relations: Sequence[str],
    *,
    attempts: int = ATTEMPTS,
) -> Told:
    """The triples of a sample in a vocabulary, by one call (equation 6); by more, at once, if
    the text is long. None if any of them failed in so many ``attempts``."""

    async def take(window: str) -> Told:
        fields: Fields = {"entities": [*entities], "relations": [*relations], "sample": window}
        answer = await session.ask("extract-sample", SampleFacts, fields, attempts=attempts)
        if answer.value is None or answer.reason is not None:
            return Told(None, answer.reason)
        return Told(dict.fromkeys(stated_triples(answer.value.facts), ""))

    triples: dict[Triple, str] = {}
    for told in await every(take(window) for window in await windows(text, TOLD)):
        # Without one of its windows a sample would seem not to hold what it may hold.
        if told.triples is None:
            return told
        triples.update(told.triples)
    return Told(triples)


async def triples_alone(session: ModelSession, text: str) -> Told:
    """The triples of a sample, read as a message is, by one call; by more, at once, if the text is
    long. The call depends on the text alone. None if any of it could not be read."""
    told, missing = await read_whole(session, text, at_once)
    # Without one of its sentences a sample would seem not to hold what it may hold.
    return Told(None, main_reason(missing.values())) if missing else told


async def read_whole(
    session: ModelSession, text: str, reader: Reader
) -> tuple[Told, Mapping[int, str]]:
    """Read all sentences of a text in this way, each stretch in a call, all at once. Return what
    they state, None if none could be read, and why others could not be."""
    message = await aside(lambda: read(text))
    too_long, rows = stretches(message)
    readings = await every(reader(session, message, row, None) for row in rows)
    missing = dict(too_long)
    for reading in readings:
        missing |= reading.missing
    if missing and not any(reading.found for reading in readings):
        return Told(None), missing
    said: dict[Triple, str] = {}
    for reading in readings:
        for index, own in reading.found.items():
            for triple in own:
                said.setdefault(triple, text[slice(*message.sentences[index])])
    return Told(said), missing


async def at_once(
    session: ModelSession,
    message: Document,
    sentences: Sequence[int],
    subject: str | None,
    *,
    prompt: str = "extract",
    item: type[Facts] = Facts,
) -> Reading:
    """The facts of some sentences in a row, by one call; by more, if that is too long for the
    model. ``item`` is what the prompt asks of each sentence."""

    def fields(wanted: Sequence[int]) -> Fields:
        # Around those alone that are asked for: what did not fit is asked for in halves.
        return {
            "subject": subject or "",
            "text": surroundings(message, wanted),
            "sentences": {index: sentence_text(message, index) for index in wanted},
        }

    answers: Answers[Facts] = await session.ask_each(prompt, item, sentences, fields)
    found = {index: stated_triples(facts.statements) for index, facts in answers.found.items()}
    return Reading(found, dict(answers.missing))


async def step_by_step(
    session: ModelSession, message: Document, sentences: Sequence[int], subject: str | None
) -> Reading:
    """The facts of some sentences by the steps published: entities, relations, sentences. They
    know no subject, and nothing is asked for again (table 9 of the paper)."""
    text = surroundings(message, sentences)
    listed = await session.ask("extract-entities", Entities, {"text": text}, attempts=1)
    entities = _once(listed.value.entities) if listed.value is not None else ()
    fields: Fields = {"text": text, "entities": [*entities]}
    named = await session.ask("extract-relations", Relations, fields, attempts=1)
    relations = _once(named.value.relations) if named.value is not None else ()
    for kind, reason in (("entities", listed.reason), ("relations", named.reason)):
        if reason is not None:
            session.emit(Note(what=f"the {kind} of the text were not listed in full", why=reason))

    found: dict[int, list[Triple]] = {}
    missing: dict[int, str] = {}

    async def one(index: int) -> None:
        own: Fields = {"sentence": sentence_text(message, index), "relations": [*relations]}
        answer = await session.ask("extract-sentence", Facts, {**fields, **own}, attempts=1)
        if answer.value is not None and answer.reason is None:
            found[index] = stated_triples(answer.value.facts)
        else:
            missing[index] = answer.reason or "the judge gave no answer"

    await every(one(index) for index in sentences)
    return Reading(found, missing, entities, relations)


def state_triple(triple: Triple) -> str:
    """A triple as the prompts show it; of a clause the clause alone."""
    return " | ".join(part for part in triple if part)


def stated_triples(said: Sequence[Said]) -> list[Triple]:
    """The triples that say something, each once: two parts at least, one of them beside the
    head."""
    kept: dict[str, Triple] = {}
    for triple in (one.triple for one in said):
        parts = [part for part in triple if any(letter.isalnum() for letter in part)]
        if len(parts) > 1:
            kept.setdefault("\n".join(triple).casefold(), triple)
    return list(kept.values())


def _facts(
    message: Document,
    triples: Mapping[int, Sequence[Triple]],
    unread: Mapping[int, str],
    subject: str | None,
) -> tuple[Fact, ...]:
    """The facts in the order of the text: the judge's, and those of unread sentences by rules."""
    by_rules: dict[int, list[Fact]] = {}
    for fact in extract(message, subject=subject) if unread else ():
        by_rules.setdefault(fact.sentences[0], []).append(fact)
    found: list[Fact] = []
    for sentence in range(len(message.sentences)):
        if sentence in unread:
            for fact in by_rules.get(sentence, ()):
                found.append(fact.model_copy(update={"index": len(found)}))
            continue
        for triple in triples.get(sentence, ()):
            # A judge gives words and no places: these are looked for in the sentence.
            spans, parts, negated = align_triple(message, sentence, triple)
            found.append(
                Fact(
                    index=len(found),
                    triple=triple,
                    sentences=(sentence,),
                    spans=spans,
                    parts=parts,
                    negated=negated,
                )
            )
    return tuple(found)


def _strange(
    message: Document, triples: Mapping[int, Sequence[Triple]], subject: str | None
) -> dict[int, str]:
    """The sentences with a triple that does not stand in them, such as one of an example."""
    known = words_of(message, subject or "")
    return {
        # A small model answered with facts of the prompt's own example.
        sentence: f"the judge gave a fact that is not in the sentence: {found.head!r}"
        for sentence, own in triples.items()
        # From the last, so that of several the first is the one that is named.
        for found in own[::-1]
        if not is_stated(message, sentence, found, known)
    }


def _how(session: ModelSession, message: Document, unread: Mapping[int, str]) -> str:
    """Who found the facts, in words for people."""
    if not unread:
        return session.judge.name
    rules = extractor_name(message)
    if len(unread) == len(message.sentences):
        return rules
    return f"{session.judge.name}; {rules} for {len(unread)} of {len(message.sentences)} sentences"


def _once(words: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    """The words that are not blank, on one line each, each once."""
    return tuple(dict.fromkeys(filter(None, (" ".join(clean(word)[0].split()) for word in words))))
