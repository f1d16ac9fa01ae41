"""Facts of a message and of its samples, by the judge.

Merged, one call takes the facts of all sentences (Sawczyn et al., "FactSelfCheck", name this in
appendix E as the way to save calls). As published (section 3.3), one call lists the entities, one
the relations, and one a sentence takes its facts in these words.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
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
from halubot.methods.calls.session import Fields, ModelSession, one_line, value_or_reason
from halubot.methods.calls.wording_match import align_triple, is_stated, words_of
from halubot.methods.driver import BEFORE
from halubot.methods.registry import Case
from halubot.models.structured import Answers
from halubot.report import Fact, Triple
from halubot.text import Document, read

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
        return Triple(*map(one_line, (self.head, self.relation, self.tail)))


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


class Extraction(NamedTuple):
    """The facts of a message in its order; ``how`` names who found them.

    ``unread`` are the sentences that the judge gave no facts for, each with the reason: their
    facts are those that rules find, if rules may read them. ``words`` are those in which samples
    are read: what was listed, if the steps are those published, and all words of the facts.
    """

    facts: tuple[Fact, ...]
    how: str
    unread: Mapping[int, str]
    words: Vocabulary


class Told(NamedTuple):
    """The triples of a text, each with the sentence that states it, "" if that is not known; None
    if they could not be taken. ``missing`` says why sentences, or all of it, could not be read."""

    triples: Mapping[Triple, str] | None
    missing: Sequence[str] = ()


class Reading(NamedTuple):
    """The judge's reading of some sentences: the triples of each, and why others have none."""

    found: dict[int, list[Triple]]
    missing: dict[int, str]
    entities: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()


Reader = Callable[[ModelSession, Document, Sequence[int], str | None], Coroutine[Any, Any, Reading]]
"""A way to read some sentences of a message, which are in a row; last comes its subject."""


async def extract_with_judge(
    session: ModelSession, case: Case, reader: Reader | None = None
) -> Extraction:
    """The facts of a case, in the judge's words, with the places at which the text states them. No
    call is made for facts that came with the case.

    One call; more, at once, if the message is too long for one. ``reader`` is another way to read a
    message. Sentences the judge gave no facts for, or facts that do not stand in them, are read by
    rules, and a note says why; as published the first have no facts, and the second keep theirs.
    No sentences, no call. Raises SettingError for a prompt that is broken.
    """
    if case.facts is not None:
        return Extraction(case.facts, BEFORE, {}, vocabulary(case.facts))
    message, subject = case.message, case.subject
    triples, unread, entities, relations = await _read(session, message, subject, reader or at_once)
    usual = [max(1, (end - start) // USUAL_FACT) for start, end in message.sentences]
    if sum(map(len, triples.values())) > MOST_FACTS:
        # Those with more facts than a text of their length usually has are what takes the memory.
        why = f"the judge gave more than {MOST_FACTS:,} facts in all"
        many = {index for index, own in triples.items() if len(own) > usual[index]}
        unread |= dict.fromkeys(many, why)
        triples = {index: own for index, own in triples.items() if index not in many}
    # The papers take a judge's facts as they come, and a reader of a method's own revises them.
    rules = not case.as_published
    if rules and reader is None:
        unread |= await aside(lambda: _strange(message, triples, subject))
    if unread:
        done = "read by rules" if rules else "not read into facts"
        what = f"{some(len(unread), len(message.sentences), 'sentences')} {done}"
        session.emit(Note(what=what, why=main_reason(unread.values())))
    ruled = unread if rules else {}
    facts = await aside(lambda: _facts(message, triples, ruled, subject))
    return Extraction(
        facts=facts,
        how=_how(session, message, ruled),
        unread=dict(sorted(unread.items())),
        words=vocabulary(facts, entities, relations),
    )


async def read_triples(session: ModelSession, text: str, reader: Reader | None = None) -> Told:
    """The triples of a sample, read as a message is, by one call; by more, at once, if the text is
    long. The call depends on the text alone. None if nothing could be read."""
    message = await aside(lambda: read(text))
    found, missing, *_ = await _read(session, message, None, reader or at_once)
    if missing and not found:
        return Told(None, [*missing.values()])
    said: dict[Triple, str] = {}
    for index, own in found.items():
        for triple in own:
            said.setdefault(triple, text[slice(*message.sentences[index])])
    return Told(said, [*missing.values()])


async def _read(
    session: ModelSession, message: Document, subject: str | None, reader: Reader
) -> Reading:
    """Read all sentences of a text, each stretch in a call, all at once."""
    too_long, rows = stretches(message)
    whole = Reading({}, dict(too_long))
    for one in await every(reader(session, message, row, subject) for row in rows):
        whole.found.update(one.found)
        whole.missing.update(one.missing)
        whole = whole._replace(
            entities=whole.entities + one.entities, relations=whole.relations + one.relations
        )
    return whole


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


async def triples_of(session: ModelSession, text: str, words: Vocabulary) -> Told:
    """The triples of a sample in a vocabulary, by one call (equation 6); by more, at once, if
    the text is long. None if any of them failed; they are not asked for again (table 9)."""

    async def take(window: str) -> Told:
        fields: Fields = {
            "entities": [*words.entities],
            "relations": [*words.relations],
            "sample": window,
        }
        answer = await session.ask("extract-sample", SampleFacts, fields, once=True)
        told = value_or_reason(answer)
        if isinstance(told, str):
            return Told(None, [told])
        return Told(dict.fromkeys(stated_triples(told.facts), ""))

    triples: dict[Triple, str] = {}
    for told in await every(take(window) for window in await windows(text, TOLD)):
        # Without one of its windows a sample would seem not to hold what it may hold.
        if told.triples is None:
            return told
        triples.update(told.triples)
    return Told(triples)


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
    listed = await session.ask("extract-entities", Entities, {"text": text}, once=True)
    entities = _once(listed.value.entities) if listed.value is not None else ()
    fields: Fields = {"text": text, "entities": [*entities]}
    named = await session.ask("extract-relations", Relations, fields, once=True)
    relations = _once(named.value.relations) if named.value is not None else ()
    for kind, reason in (("entities", listed.reason), ("relations", named.reason)):
        if reason is not None:
            session.emit(Note(what=f"the {kind} of the text were not listed in full", why=reason))

    found: dict[int, list[Triple]] = {}
    missing: dict[int, str] = {}

    async def one(index: int) -> None:
        own: Fields = {"sentence": sentence_text(message, index), "relations": [*relations]}
        answer = await session.ask("extract-sentence", Facts, {**fields, **own}, once=True)
        told = value_or_reason(answer)
        if isinstance(told, str):
            missing[index] = told
        else:
            found[index] = stated_triples(told.facts)

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


def _once(words: Iterable[str]) -> tuple[str, ...]:
    """The words that are not blank, on one line each, each once."""
    return tuple(dict.fromkeys(filter(None, map(one_line, words))))
