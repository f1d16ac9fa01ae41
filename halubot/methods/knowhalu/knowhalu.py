"""`knowhalu`: the details of an answer looked up one by one, then judged twice.

First it is asked whether the answer says what the question asks for: one that does not is
OFF-TARGET, one that declines to answer is no hallucination. Then its details are looked up query by
query (`lookup`), what is found is written down as a sentence and as triplets, by each of these
forms the answer is judged CORRECT, INCORRECT or INCONCLUSIVE, and of both one verdict is made
(`judgement`), and of that those on facts and sentences (`verdicts`).

A summary is judged in segments, against its document as all there is to know: one bad segment
condemns it, and what the document leaves open is INCORRECT.

Merged, a check takes 3 calls and one a query: the extraction comes in one call with the first
query, each query's knowledge with the next query, in both forms and for several segments, and both
judgements are asked for at once. As published, all is asked for one by one, and a thought comes
before each query. ``docs/methods.md`` compares every
step with the paper.

Source: KnowHalu (anonymous, under review), sections 3 and 4, algorithm 1 and table 21.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Literal

from halubot.concurrency import aside, every
from halubot.events import Emit, Event, FactJudged, Labelled, Note, Ranked, SentenceJudged
from halubot.evidence.retrieval import word_starts
from halubot.methods.calls.portions import main_reason, too_long
from halubot.methods.calls.session import Fields, ModelSession, one_line, value_or_reason
from halubot.methods.calls.verification import Judgement
from halubot.methods.driver import by_rules, stream_events
from halubot.methods.knowhalu.judgement import REPEATS, Decision, Rule, decide_whole, decisions
from halubot.methods.knowhalu.lookup import (
    FORMS,
    MOST_STEPS,
    Asked,
    Begun,
    Chain,
    Form,
    Lookup,
    Shelf,
    Target,
    is_document,
    languages_of,
    segments,
)
from halubot.methods.knowhalu.verdicts import Outcome, Standing, judge_parts
from halubot.methods.registry import SET_BY_HAND, Case, Size
from halubot.report import Fact, Span
from halubot_prompts import Plain

Label = Literal["CORRECT", "INCORRECT", "INCONCLUSIVE", "OFF-TARGET"]

TOGETHER: Final = 10
"""Segments that are looked up in the same calls."""
BEFORE: Final = 1_500
"""Characters before the first of some segments that are shown with them, for their pronouns."""
REFUSAL: Final = 60
"""Words of an answer that can be nothing but a refusal: a longer one is looked up all the same."""

NOT_LOOKED_UP: Final = "the answer is OFF-TARGET: what it states was not looked up"
DECLINED: Final = "it declines to answer, which is no hallucination"
YOURS: Final = "no data (given by hand)"
"""What a rule was fitted on whose numbers were given as options."""


_PAPER: Final = "with Starling-7B, by its paper"

TABLE_21: Final = {
    "answer": Rule("text", 0.986236, 0.995475, f"HaluEval QA {_PAPER}"),
    "searched": Rule("text", 0.999455, 0.999241, f"HaluEval QA with Wikipedia {_PAPER}"),
    "summary": Rule("text", 0.999103, 0.999436, f"HaluEval summaries {_PAPER}"),
}
"""How two judgements become one if nothing else is said: the rows of Starling-7B, the best model of
the paper. Other models are otherwise sure, and want a rule of their own."""


class KnowHalu:
    """The method object. Its options:

    ``task``        "answer" or "summary"; by default a summary if no question is known and one
                    reference is given, and an answer else
    ``repeats``     how often a judgement is asked for if no log-probabilities come (5)
    ``base``, ``d1``, ``d2``  the rule that makes one verdict of two: "text" or "triplets", and 0
                    to 1 each (those of table 21)

    A message's score is above 0.5 by half the confidence if it is INCORRECT, below by as much
    if it is CORRECT, 1 for OFF-TARGET, 0 for a refusal, and None if it is INCONCLUSIVE; a
    summary's is that of its worst segment. ``rank`` is ``score``.
    """

    name = "knowhalu"
    summary = "details looked up in references one by one by a model, then judged in two forms"
    looks_up = True
    needs: tuple[str, ...] = ("references", "model")
    needs_all = True
    source = "KnowHalu"
    default_threshold = SET_BY_HAND
    differs = (
        "passages are found by BM25; ColBERT and BGE in the paper",
        "prompts are in our words, with fewer examples, and answers are bound to a schema",
        "one chain of queries serves both forms of knowledge; in the paper each has its own",
        "references are cut into passages, of which the nearest are shown",
        "a contradiction ends the queries; in the paper the judge's thought does",
        "a form without knowledge is not judged",
        "each sentence of a summary is a segment; in the paper some are packed together",
        "a judge that asks nothing at first has the text itself looked up",
        "a refusal of at most 60 words is CORRECT; the paper leaves refusals out",
        "where no log-probabilities come, the confidence is a share of repeated judgements",
        "d1 and d2 are those of the paper's models, unless they are given",
    )

    def calls(self, size: Size) -> int:
        """Three, and one a query, of which there are 9 at most; more for a summary of more than 10
        segments, and if no log-probabilities come."""
        return 3 + MOST_STEPS

    def judge(self, case: Case) -> AsyncIterator[Event]:
        """The facts by rules; what is looked up, under details; the verdicts, the ranks, the
        label."""
        return stream_events(partial(self._work, case))

    async def _work(self, case: Case, emit: Emit) -> None:
        # The paper judges texts and has no facts: rules take them, so that a verdict can be told of
        # each.
        taken = await aside(lambda: by_rules(case))
        emit(taken)
        alone = not case.question and is_document(case)
        summary = case.options.get("task", "summary" if alone else "answer") == "summary"
        if summary and case.knowledge is not None:
            why = "a summary is judged by its document alone"
            emit(Note(what="the knowledge was left out", why=why))
            # Elsewhere much is true that a summary may not say.
            case = replace(case, knowledge=None)
        searched = case.knowledge is not None
        rule = TABLE_21["summary" if summary else "searched" if searched else "answer"]
        given = {name: case.options[name] for name in ("base", "d1", "d2") if name in case.options}
        # Part of a rule by hand makes all of it unmeasured.
        rule = replace(rule, **given, fitted_on=YOURS) if given else rule
        shelf = await aside(lambda: Shelf.of(case, emit))
        inquiry = _Inquiry(case, case.require_session(), summary, rule, emit, shelf, taken.facts)
        if shelf.holds_nothing:
            await inquiry.give_up("the references hold no text to look anything up in")
        elif summary:
            await inquiry.judge_summary()
        else:
            await inquiry.judge_answer()


@dataclass(slots=True)
class _Inquiry:
    """One message that is looked up and judged. ``closed`` tells that the references are all there
    is to know, as of a summary. ``details`` are those of the report."""

    case: Case
    session: ModelSession
    closed: bool
    rule: Rule
    emit: Emit
    shelf: Shelf
    facts: Sequence[Fact]
    details: dict[str, Any] = field(default_factory=dict)

    async def judge_answer(self) -> None:
        """Judge whether the answer says what is asked for; then, if it does, whether it is
        right."""
        text = self.case.message.text
        self.details |= {"task": "answer", "segments": [[0, len(text)]]}
        if why := too_long(text):
            await self.give_up(why)
            return
        begun: Mapping[int, Asked] | None = None
        if not self.case.question:
            why = "no question is known"
            self.emit(Note(what="whether the text answers its question was not checked", why=why))
            self.details["off_target"] = {"skipped": why}
        else:
            target = await self._extract(self.case.question, text)
            if isinstance(target, str):
                await self.give_up(target)
                return
            said = target.model_dump(include={"asked", "extracted", "outcome"})
            self.details["off_target"] = said
            refused = target.outcome == "refused"
            # A long answer that a judge calls a refusal is looked up all the same.
            if refused and len(word_starts(text, (0, len(text)))) <= REFUSAL:
                declined = Standing("supported", 0.0, DECLINED)
                self._close("CORRECT", 0.0, self._all_alike(declined, declined))
                return
            if target.outcome == "none":
                what = f"OFF-TARGET: it does not say what is asked for: {one_line(target.asked)}"
                open_facts = Standing("not_checked", None, NOT_LOOKED_UP)
                alike = self._all_alike(open_facts, Standing("doubtful", 1.0, what))
                self._close("OFF-TARGET", 1.0, alike)
                return
            begun = {0: target} if isinstance(target, Begun) else None
        outcomes = await self._judge({0: text}, begun)
        await self._conclude([(0, len(text))], outcomes)

    async def judge_summary(self) -> None:
        """Judge whether each segment is right, several at once, or as published one after the
        other."""
        message, published = self.case.message, self.case.as_published
        spans = await aside(lambda: [*segments(message)])
        self.details |= {"task": "summary", "segments": [list(span) for span in spans]}
        self.details["off_target"] = {"skipped": "a summary answers no question"}
        texts = {index: one_line(message.plain[slice(*span)]) for index, span in enumerate(spans)}

        async def judge(indexes: Sequence[int]) -> dict[int, Outcome]:
            before = max(0, spans[indexes[0]][0] - BEFORE)
            whole = message.plain[before : spans[indexes[-1]][1]].strip()
            # As published a segment stands by itself, whomever its pronouns mean.
            alone = len(spans) == 1 or published
            wanted = {index: texts[index] for index in indexes}
            return await self._judge(wanted, None, "" if alone else whole)

        size = 1 if published else TOGETHER
        judging = [judge(range(len(texts))[at : at + size]) for at in range(0, len(texts), size)]
        rows = [await one for one in judging] if published else await every(judging)
        await self._conclude(spans, {index: one for row in rows for index, one in row.items()})

    async def give_up(self, why: str) -> None:
        self.emit(Note(what="the text was not judged", why=why))
        unchecked = Standing("not_checked", None, why)
        self._close("INCONCLUSIVE", None, self._all_alike(unchecked, unchecked))

    async def _extract(self, question: str, text: str) -> Target | str:
        """Return what was extracted from the answer, merged with its first query; or why nothing
        was."""
        fields: dict[str, Any] = {"question": question, "text": text}
        if self.case.as_published:
            return value_or_reason(await self.session.ask("knowhalu-target", Target, fields))
        fields["languages"] = Plain(languages_of(self.case))
        return value_or_reason(await self.session.ask("knowhalu-begin", Begun, fields))

    async def _judge(
        self, texts: Mapping[int, str], begun: Mapping[int, Asked] | None, whole: str = ""
    ) -> dict[int, Outcome]:
        published = self.case.as_published
        question = "" if self.closed else self.case.question or ""
        around: Fields = {"languages": Plain(languages_of(self.case)), "whole": whole}
        lookup = Lookup(self.session, self.shelf, question, around, published)
        chains = await lookup.chains(texts, begun)
        told: Fields = {"question": question, "whole": whole}
        asked = {index: text for index, text in texts.items() if chains[index].steps}
        repeats = self.case.options.get("repeats", REPEATS)
        asking = [
            decisions(self.session, form, asked, chains, told, repeats=repeats) for form in FORMS
        ]
        rows = [await one for one in asking] if published else await every(asking)
        judged = dict(zip(FORMS, rows, strict=True))
        return {index: self._decide(index, chains[index], judged) for index in texts}

    def _decide(
        self, index: int, chain: Chain, judged: Mapping[Form, Judgement[Decision]]
    ) -> Outcome:
        """Make one verdict on a segment of those by the two forms."""
        found = {form: one.found[index] for form, one in judged.items() if index in one.found}
        # A form without knowledge abstains beside one that has some.
        silent = all(one.abstains for one in found.values())
        for form, one in found.items():
            # Silence counts as wrong only if the document was asked to the end.
            if self.closed and chain.ended != "broken" and (silent or not one.abstains):
                found[form] = one.as_closed
        lost = [one.missing[index] for one in judged.values() if index in one.missing]
        reasons = [chain.reason, *lost] if chain.reason else lost
        self._add("steps", *({"segment": index, **step.details()} for step in chain.steps))
        ended = {"segment": index, "ended": chain.ended, "reason": chain.reason}
        self._add("endings", ended)
        self._add("judgements", *(one.details(index, form) for form, one in found.items()))
        self.details.setdefault("aggregation", {**self.rule.details(), "taken": []})[
            "taken"
        ].append({"segment": index, "taken": self.rule.choose_part(found)})
        why = main_reason(reasons) if reasons else None
        return Outcome(self.rule.decide(found), chain.steps, why)

    def _add(self, name: str, *rows: dict[str, Any]) -> None:
        self.details.setdefault(name, []).extend(rows)

    async def _conclude(self, spans: Sequence[Span], outcomes: Mapping[int, Outcome]) -> None:
        found = [outcomes[index] for index in range(len(spans))]
        if broken := [outcome.why for outcome in found if outcome.why]:
            several = f"{len(broken)} of {len(found)} segments were"
            what = f"{several if len(found) > 1 else 'the text was'} not looked into in full"
            self.emit(Note(what=what, why=main_reason(broken)))
        if any(one["ended"] == "bounded" for one in self.details["endings"]):
            why = f"there are {MOST_STEPS} queries to a text at most"
            self.emit(Note(what="not every detail may have been looked up", why=why))
        message, threshold = self.case.message, self.case.threshold
        verdicts = await aside(lambda: [*judge_parts(message, self.facts, spans, found, threshold)])
        decision = decide_whole([outcome.decision for outcome in found])
        if decision is None:
            self._close("INCONCLUSIVE", None, verdicts)
        else:
            self._close(decision.verdict, decision.score, verdicts)

    def _all_alike(
        self, facts: Standing, sentences: Standing
    ) -> Iterator[FactJudged | SentenceJudged]:
        """Yield the verdicts if every fact stands like this, and every sentence like that."""
        for fact in self.facts:
            yield facts.of_fact(fact.index)
        for sentence in range(len(self.case.message.sentences)):
            yield sentences.of_sentence(sentence)

    def _close(
        self, label: Label, score: float | None, judged: Iterable[FactJudged | SentenceJudged]
    ) -> None:
        told = [*judged]
        for one in told:
            self.emit(one)
        facts = tuple(one.score for one in told if isinstance(one, FactJudged))
        sentences = tuple(one.score for one in told if isinstance(one, SentenceJudged))
        self.emit(Ranked(score=score, facts=facts, sentences=sentences))
        self.emit(Labelled(label=label, details={"steps": [], **self.details}))


METHOD: Final = KnowHalu()
