"""The passages of knowledge that a check compares with, as sources that it cites.

Each sentence of the message is looked up, with the name that its pronouns stand for, or what the
message is about, or the question, if it names nothing itself. Of what is found, passages that
name nothing the message speaks of are left out; the others are compared as references are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from halubot.claims import extract
from halubot.compare.relevance import NamedText, Topics, speaks_of
from halubot.compare.tokens import with_tokens
from halubot.concurrency import aside
from halubot.errors import KnowledgeError
from halubot.events import Emit, Labelled, Note, PassagesFound, Progress, Spent
from halubot.evidence.knowledge.named_bases import Joined, Knowledge
from halubot.evidence.retrieval import Passage
from halubot.evidence.web.queries import write_queries
from halubot.evidence.web.search import Query
from halubot.methods.driver import drive, missing, unjudged_events
from halubot.methods.registry import Case, Method, heeds_references
from halubot.report import Fact, Source, Usage
from halubot.text import Document, clean, read
from halubot.values.names import is_name

if TYPE_CHECKING:
    from halubot.evidence.web.lookup import Web
    from halubot.models.budget import Budget

NEAREST: Final = 3
"""Passages that are looked for with each query."""

IN_ALL: Final = 24
"""Passages that a message is compared with at most; one a query if there are more queries."""

QUERIES: Final = {False: 200, True: 20}
"""Queries of one message at most, on this machine and beyond it; a longer message is looked up in
as many pieces."""

_WORD: Final = re.compile(r"\w")


class Cited:
    """Passages as sources of one run: each once, numbered k1, k2, ... in the order they came."""

    def __init__(self, known: Iterable[Source] = ()) -> None:
        self._by_text = {source.text: source for source in known if source.kind == "knowledge"}

    def cite(self, found: Iterable[Passage], emit: Emit) -> tuple[Passage, ...]:
        """The passages with sources that have their ids. Those that are new are emitted."""
        cited, new = list[Passage](), list[Source]()
        for passage in found:
            text = clean(passage.text)[0]
            if text not in self._by_text:
                self._by_text[text] = _source(passage, text, len(self._by_text) + 1)
                new.append(self._by_text[text])
            cited.append(Passage(self._by_text[text], 0, len(text), text, passage.score))
        if new:
            emit(PassagesFound(sources=tuple(new)))
        return tuple(cited)


def _source(passage: Passage, text: str, number: int) -> Source:
    source = passage.source
    return Source(
        id=f"k{number}",
        kind="knowledge",
        title=clean(source.title)[0],
        location=clean(source.location)[0],
        place=clean(source.place)[0],
        date=source.date and clean(source.date)[0],
        text=text,
        hash=hashlib.sha256(text.encode()).hexdigest()[:16],
    )


def looks_up(method: Method) -> bool:
    """Return True if a method searches `Case.knowledge` itself, for what it asks: its attribute
    ``looks_up`` says so."""
    return bool(getattr(method, "looks_up", False))


async def drive_with_knowledge(
    method: Method,
    case: Case,
    given: Joined | None,
    emit: Emit,
    *,
    web: Web | None = None,
    budget: Budget | None = None,
    found: Sequence[Knowledge] = (),
    queries: int | None = None,
) -> None:
    """Drives the method, once what the text says was looked up in the knowledge given, and on the
    web, whose queries ``budget`` pays for. ``found`` is what the web had before, and ``queries``
    are the most that may still be made."""
    nothing = None
    if not heeds_references(method):
        why = f"{method.name} compares with samples only"
        emit(Note(what="the knowledge was left out", why=why))
    else:
        bases = list(given.bases) if given is not None else []
        bases += found
        if web is not None:
            fresh, nothing = await look_up_web(case, web, emit, budget, queries)
            bases += [fresh] if fresh is not None else []
        if bases:
            base = Joined(bases, emit=emit)
            case, nothing = replace(case, knowledge=base), None
            if not looks_up(method):
                # A method that looks things up itself asks for what it needs, query by query.
                case, nothing = await gather_passages(case, base, emit)
    if nothing is None:
        await drive(method, case, emit)
        return
    # Samples or references may be enough to judge by.
    without = replace(case, knowledge=None)
    if missing(method, without) is None:
        emit(Note(what="the knowledge says nothing", why=nothing))
        await drive(method, without, emit)
        return
    for event in unjudged_events(without, nothing):
        emit(event)


async def look_up_web(
    case: Case, web: Web, emit: Emit, budget: Budget | None, queries: int | None = None
) -> tuple[Knowledge | None, str | None]:
    """The passages that the web has for a message, as a base; and why there are none, if there are
    none. What was asked, and what was left out, is emitted."""
    facts = await aside(lambda: extract(case.message, subject=case.subject))
    asked = await write_web_queries(case, facts, queries or web.settings.queries)
    looked = await web.look_up(
        case.message.text,
        asked,
        budget=budget,
        progress=lambda done, of: emit(Progress(what="searching the web", done=done, of=of)),
    )
    emit(Labelled(details={"web": looked.details()}))
    if looked.cost_usd:
        emit(Spent(usage=Usage(cost_usd=looked.cost_usd)))
    # What was searched in part left something out; what was not is the reason of every fact.
    missed = "the web was not searched in full" if looked.base else "the web was not searched"
    for failure in looked.failures:
        emit(Note(what=missed, why=failure))
    if looked.left_out:
        counted = (f"{what} ({count})" for what, count in sorted(looked.left_out.items()))
        emit(Note(what="some of the web was left out", why="; ".join(counted)))
    if looked.base is not None:
        return looked.base, None
    if not asked:
        return None, "the text has no words to search the web for"
    return None, "; ".join(looked.failures) or "no page was found that says anything of its own"


async def write_web_queries(case: Case, facts: Sequence[Fact], most: int) -> tuple[Query, ...]:
    """The queries for a message: the model's, if there is one and it writes any, else its words."""
    if case.session is not None:
        from halubot.methods.calls.answer import write_with_model

        if written := await write_with_model(case.session, case.message.text, most):
            return written
    return await aside(
        lambda: write_queries(
            case.message,
            facts,
            most,
            question=case.question or "",
            subject=case.subject or "",
        )
    )


async def gather_passages(case: Case, base: Knowledge, emit: Emit) -> tuple[Case, str | None]:
    """The case with the passages of the base that are nearest to its message among its references,
    and why there are none, if there are none. A search that fails ends the gathering with what
    was found by then; what failed is noted."""
    facts = await aside(lambda: extract(case.message, subject=case.subject))
    wanted = queries(case, facts, QUERIES[base.online])
    rows: list[Sequence[Passage]] = []
    failure = None
    for done, query in enumerate(wanted, start=1):
        try:
            # One after the other: a base that fails is asked nothing more.
            rows.append(await base.search(query, NEAREST))
        except KnowledgeError as error:
            failure = str(error)
            break
        emit(Progress(what="searching knowledge", done=done, of=len(wanted)))
    if failure is not None and rows:
        why = f"{len(rows)} of {len(wanted)} queries were answered"
        emit(Note(what="not everything was looked up", why=why))
    # The nearest of each query come first, so that each has its turn before `IN_ALL` cuts the rest.
    ranked = (row[turn] for turn in range(NEAREST) for row in rows if turn < len(row))
    found = list({passage.text: passage for passage in ranked}.values())
    topics = await aside(lambda: Topics(case.message, facts, case.subject))
    nearest = await aside(lambda: _about(case, topics, found))
    cited = Cited(case.references).cite(nearest[: max(IN_ALL, len(wanted))], emit)
    if not cited:
        said = "names what the text is about" if found else "shares a word with the text"
        helps = found and not (topics.known or case.question or case.subject)
        help = ": a question or subject helps" if helps else ""
        return case, failure or f"no passage of {base.name} {said}{help}"
    new = [passage.source for passage in cited if passage.source not in case.references]
    return replace(case, references=(*case.references, *new)), None


def _about(case: Case, topics: Topics, found: Sequence[Passage]) -> list[Passage]:
    """The passages that name anything the message speaks of; if it names nothing, anything that
    its subject or the question does. All of them in scripts without capitals, which tell no
    names."""
    asked = case.subject or case.question or ""
    if case.message.plain.lower() == case.message.plain.upper():
        return list(found)
    if topics.known:
        texts = [NamedText(with_tokens(read(one.text)), one.source.title) for one in found]
        return [one for one, text in zip(found, texts, strict=True) if any(topics.find_named(text))]
    return [one for one in found if speaks_of(with_tokens(read(one.text)), one.source.title, asked)]


def queries(case: Case, facts: Sequence[Fact], most: int) -> list[str]:
    """Return the queries for a message, at most ``most`` and the question, which comes first."""
    message, question = case.message, " ".join((case.question or "").split())
    inside: dict[int, list[Fact]] = {}
    for fact in facts:
        for index in fact.sentences:
            inside.setdefault(index, []).append(fact)
    count = len(message.sentences)
    # Rounded up, so that there are no more queries than `most`.
    size = -(-count // most) or 1
    found = [question]
    for first in range(0, count, size):
        pieces = range(first, min(first + size, count))
        found.append(
            " ".join(_query(message, i, inside.get(i, ()), case, question) for i in pieces)
        )
    return [query for query in dict.fromkeys(found) if _WORD.search(query)]


def _query(message: Document, index: int, facts: Sequence[Fact], case: Case, question: str) -> str:
    own = " ".join(message.plain[slice(*message.sentences[index])].split())
    folded = own.casefold()
    about = [case.subject or "", *(fact.triple.head for fact in facts)]
    added = [one for one in dict.fromkeys(about) if one and one.casefold() not in folded]
    named = added or any(is_name(part) for fact in facts for part in fact.triple)
    return " ".join([own, *(added if named else [question])]).strip()
