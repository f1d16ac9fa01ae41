"""One message looked into as KnowHalu does: whether it answers its question, then its details.

An answer is looked up as a whole; a summary segment by segment.

Facts and sentences are told once all segments that hold them are judged (`Telling`); the steps so
far stand under the report's details after each call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from halubot.concurrency import aside, every
from halubot.events import Emit, Event, FactJudged, Labelled, Note, Ranked, SentenceJudged
from halubot.evidence.retrieval import word_starts
from halubot.llm_calls.portions import main_reason, too_long
from halubot.llm_calls.talk import Fields, Talk
from halubot.llm_calls.verification import Judgement
from halubot.methods.driver import by_rules
from halubot.methods.knowhalu.aggregation import FORMS, Decision, Form, Rule, decide_whole
from halubot.methods.knowhalu.attribution import Attribution, Layout, Outcome, Standing
from halubot.methods.knowhalu.judgement import decisions
from halubot.methods.knowhalu.lookup import MOST_STEPS, Lookup, Shelf, languages_of, shelf_of
from halubot.methods.knowhalu.queries import (
    Begun,
    Chain,
    Query,
    QueryForm,
    Step,
    Target,
    one_line,
    segments,
)
from halubot.methods.registry import Case
from halubot.report import Basis, Span
from halubot_prompts import Plain

Label = Literal["CORRECT", "INCORRECT", "INCONCLUSIVE", "OFF-TARGET"]

FEW: Final = 200
"""Steps up to which each is told at once; beyond, after a tenth as many more."""


class Telling:
    """Emits what is known of one message, segment by segment."""

    def __init__(self, attribution: Attribution, layout: Layout, emit: Emit) -> None:
        self.layout = layout
        self._attribution = attribution
        self._emit = emit
        self._outcomes: dict[int, Outcome] = {}
        self._facts: dict[int, float | None] = {}
        self._sentences: dict[int, float | None] = {}
        self._details: dict[str, Any] = {}
        self._steps: list[dict[str, Any]] = []
        self._told = 0
        self.bounded = False
        """Whether the steps of some segment ended because there were too many."""

    def detail(self, **known: Any) -> None:
        """More of the method's own, told at once."""
        self._details |= known
        self._emit(Labelled(details=known))

    def step(self, segment: int, step: Step, form: Form | None) -> None:
        """One more step; of one form of knowledge, or of both."""
        self._steps.append({"segment": segment, "form": form, **_write(step)})
        count = len(self._steps)
        # Each event holds all steps so far: one for each step would take memory with their square.
        if count <= FEW or count >= 1.1 * self._told:
            self._told = count
            self._emit(Labelled(details={"steps": list(self._steps)}))

    def tell_end(self, segment: int, chain: Chain, form: Form | None) -> None:
        """Tell how the steps of a segment ended."""
        self.bounded = self.bounded or chain.ended == "bounded"
        ended = {"segment": segment, "form": form, "ended": chain.ended, "reason": chain.reason}
        self._details.setdefault("endings", []).append(ended)

    def tell_decision(self, segment: int, rule: Rule, decisions: Mapping[Form, Decision]) -> None:
        """The judgements on a segment, and which of them holds."""
        for form, one in decisions.items():
            judged = {"verdict": one.verdict, "confidence": round(one.confidence, 9), "by": one.by}
            self._details.setdefault("judgements", []).append(
                {"segment": segment, "form": form, **judged, "reason": one.reason}
            )
        known = {"base": rule.base, "supplement": rule.supplement, "d1": rule.d1, "d2": rule.d2}
        aggregation = self._details.setdefault(
            "aggregation", {**known, "fitted_on": rule.fitted_on, "taken": []}
        )
        aggregation["taken"].append({"segment": segment, "taken": rule.choose_part(decisions)})

    async def outcomes(self, found: Mapping[int, Outcome]) -> None:
        """The outcomes of some segments: what hangs on no other segment is told."""
        self._outcomes |= found
        for event in await aside(self._ready):
            self._emit(event)

    def all_alike(self, facts: Standing, sentences: Standing) -> None:
        """Every fact stands like this, and every sentence like that."""
        for fact in self._attribution.facts:
            self._emit(self._of_fact(fact.index, facts, ("model",)))
        for sentence in range(len(self.layout.of_sentences)):
            self._emit(self._of_sentence(sentence, sentences))

    def close(self, label: Label, score: float | None) -> None:
        """The ranks, the label, and all details."""
        facts = tuple(self._facts.get(index) for index in range(len(self._attribution.facts)))
        sentences = tuple(self._sentences.get(i) for i in range(len(self.layout.of_sentences)))
        self._emit(Ranked(score=score, facts=facts, sentences=sentences))
        self._emit(Labelled(label=label, details={**self._details, "steps": self._steps}))

    def _ready(self) -> list[Event]:
        """The facts and sentences that can be told by now and were not yet."""
        made: list[Event] = []
        for fact, told in enumerate(self.layout.of_facts):
            if fact not in self._facts and (held := self._known_outcomes(told)):
                standing = self._attribution.of_fact(fact, held)
                judged = self._of_fact(fact, standing, ("references", "model"))
                evidence = self._attribution.evidence(fact, held)
                made.append(judged.model_copy(update={"evidence": evidence}))
        for sentence, told in enumerate(self.layout.of_sentences):
            if sentence not in self._sentences and (held := self._known_outcomes(told)):
                standing = self._attribution.of_sentence(sentence, held)
                made.append(self._of_sentence(sentence, standing))
        return made

    def _known_outcomes(self, segments: Sequence[int]) -> list[Outcome]:
        """The outcomes of these segments; none if one is not known yet."""
        known = [self._outcomes[one] for one in segments if one in self._outcomes]
        return known if len(known) == len(segments) else []

    def _of_fact(self, index: int, standing: Standing, basis: tuple[Basis, ...]) -> FactJudged:
        self._facts[index] = standing.score
        return FactJudged(
            index=index,
            score=standing.score,
            verdict=standing.verdict,
            basis=() if standing.verdict == "not_checked" else basis,
            reason=standing.reason,
        )

    def _of_sentence(self, index: int, standing: Standing) -> SentenceJudged:
        self._sentences[index] = standing.score
        return SentenceJudged(
            index=index, score=standing.score, verdict=standing.verdict, reason=standing.reason
        )


def _write(step: Step) -> dict[str, Any]:
    """A step as a report holds it."""
    passages = [
        {
            "source": one.source.id,
            "title": one.source.title,
            "start": one.start,
            "end": one.end,
            "quote": one.text,
        }
        for one in step.passages
    ]
    thought = {"thought": step.thought} if step.thought else {}
    return {
        **thought,
        **step.query._asdict(),
        "passages": passages,
        "sentence": step.knowledge("text"),
        "triplets": [list(triplet) for triplet in step.triplets],
        "finding": step.finding,
    }


Task = Literal["answer", "summary"]

TOGETHER: Final = 10
"""Segments that are looked up in the same calls."""

BEFORE: Final = 1_500
"""Characters before the first of some segments that are shown with them, for their pronouns."""

REFUSAL: Final = 60
"""Words of an answer that can be nothing but a refusal: a longer one is looked up all the same."""

DIFFERS: Final = (
    "passages are found by BM25; ColBERT and BGE in the paper",
    "prompts are in our words, without the paper's examples, and answers are bound to a schema",
    "a judge that asks nothing at first has the text itself looked up",
    "a refusal of at most 60 words is CORRECT; the paper leaves refusals out",
    "where no log-probabilities come, the confidence is a share of repeated judgements",
    "d1 and d2 are those of the paper's models until they are fitted to this judge",
)
"""What is not as in the paper, though all is done as published."""

NOT_LOOKED_UP: Final = "the answer is OFF-TARGET: what it states was not looked up"
DECLINED: Final = "it declines to answer, which is no hallucination"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings: whether the message is an answer or a summary, how often a judgement is asked
    for if no log-probabilities come, how two judgements become one, and from which score on a fact
    is doubted; the forms of knowledge that are judged by and the form of queries; how many passages
    are retrieved for each form of a query, None for all of each reference; and whether it is asked
    first if the answer says what the question asks for."""

    task: Task
    repeats: int
    rule: Rule
    threshold: float
    forms: tuple[Form, ...] = FORMS
    query_form: QueryForm = "both"
    passages: int | None = 3
    off_target: bool = True


async def look_into(case: Case, talk: Talk, settings: Settings, emit: Emit) -> None:
    """Looks into the message of a case, and emits what becomes known, up to the label."""
    message = case.message
    if case.samples:
        why = "knowhalu compares with references only"
        emit(Note(what="samples were left out", why=why))
    # The paper judges texts and has no facts: rules take them, so that a verdict can be told of
    # each.
    taken = await aside(lambda: by_rules(case))
    facts = taken.facts
    emit(taken)
    spans: Sequence[Span] = ((0, len(message.text)),)
    if settings.task == "summary":
        spans = await aside(lambda: segments(message, packed=case.as_published))
    attribution = await aside(lambda: Attribution(message, facts, case.subject, settings.threshold))
    telling = Telling(attribution, Layout(message, facts, spans), emit)
    telling.detail(task=settings.task, segments=[list(span) for span in spans])
    if settings.task == "summary" and case.knowledge is not None:
        emit(
            Note(what="the knowledge was left out", why="a summary is judged by its document alone")
        )
        # Its document is all there is to know: elsewhere much is true that a summary may not say.
        case = replace(case, knowledge=None)
    if case.as_published:
        telling.detail(differs_from_paper=list(DIFFERS))
    shelf = await aside(lambda: shelf_of(case, settings.passages, emit))
    around: Fields = {"languages": Plain(languages_of(case)), "whole": ""}
    inquiry = _Inquiry(case, talk, settings, emit, telling, shelf, around, spans)
    if shelf.holds_nothing:
        inquiry.give_up("the references hold no text to look anything up in")
    elif settings.task == "summary":
        await inquiry.summary()
    else:
        await inquiry.answer()


@dataclass(frozen=True, slots=True)
class _Inquiry:
    """One message under way."""

    case: Case
    talk: Talk
    settings: Settings
    emit: Emit
    telling: Telling
    shelf: Shelf
    around: Fields
    spans: Sequence[Span]

    async def answer(self) -> None:
        """Judge whether the answer says what is asked for; then, if it does, whether it is
        right."""
        text = self.case.message.text
        if why := too_long(text):
            self.give_up(why)
            return
        first: Mapping[int, Query] | None = None
        if not self.settings.off_target:
            self.telling.detail(off_target={"skipped": "it was not asked for"})
        elif not self.case.question:
            why = "no question is known"
            self.emit(Note(what="whether the text answers its question was not checked", why=why))
            self.telling.detail(off_target={"skipped": why})
        else:
            begun = await self._begin(self.case.question, text)
            if isinstance(begun, str):
                self.give_up(begun)
                return
            said = begun.model_dump(include={"asked", "extracted", "outcome"})
            self.telling.detail(off_target=said)
            # A long answer that a judge calls a refusal is looked up all the same.
            if begun.outcome == "none" or _is_refusal(begun, text):
                self._not_answered(begun)
                return
            if isinstance(begun, Begun):
                first = {0: self._lookup(self.around).opening(begun, text)}
        outcomes = await self._looked_into({0: text}, first, self.around)
        await self.telling.outcomes(outcomes)
        self._close(outcomes.values())

    async def summary(self) -> None:
        """Judge whether each segment is right, several at once, or as published one after the
        other."""
        self.telling.detail(off_target={"skipped": "a summary answers no question"})
        plain = self.case.message.plain
        texts = {index: one_line(plain[slice(*span)]) for index, span in enumerate(self.spans)}
        outcomes: dict[int, Outcome] = {}

        async def judge(indexes: Sequence[int]) -> None:
            before = max(0, self.spans[indexes[0]][0] - BEFORE)
            whole = plain[before : self.spans[indexes[-1]][1]].strip()
            # As published a segment stands by itself.
            alone = len(self.spans) == 1 or self.case.as_published
            # A segment by itself does not say whom its pronouns mean.
            around = dict(self.around) | {"whole": "" if alone else whole}
            found = await self._looked_into({i: texts[i] for i in indexes}, None, around)
            await self.telling.outcomes(found)
            outcomes.update(found)

        rows = [range(len(texts))[at : at + TOGETHER] for at in range(0, len(texts), TOGETHER)]
        if self.case.as_published:
            for row in rows:
                await judge(row)
        else:
            await every(judge(row) for row in rows)
        self._close(outcomes.values())

    def give_up(self, why: str) -> None:
        """Nothing is judged."""
        self.emit(Note(what="the text was not judged", why=why))
        unchecked = Standing("not_checked", None, why)
        self.telling.all_alike(unchecked, unchecked)
        self.telling.close("INCONCLUSIVE", None)

    async def _begin(self, question: str, text: str) -> Target | str:
        """Return what was extracted from the answer, merged with its first query; or why nothing
        was."""
        fields: dict[str, Any] = {"question": question, "text": text}
        if self.case.as_published:
            answer = await self.talk.ask("knowhalu-target", Target, fields)
        else:
            fields["languages"] = self.around["languages"]
            answer = await self.talk.ask("knowhalu-begin", Begun, fields)
        if answer.value is None or answer.reason is not None:
            return answer.reason or "the judge gave no answer"
        return answer.value

    def _not_answered(self, target: Target) -> None:
        """The answer does not say what is asked for, or declines to."""
        if target.outcome == "refused":
            declined = Standing("supported", 0.0, DECLINED)
            self.telling.all_alike(declined, declined)
            self.telling.close("CORRECT", 0.0)
            return
        reason = f"OFF-TARGET: it does not say what is asked for: {one_line(target.asked)}"
        self.telling.all_alike(
            Standing("not_checked", None, NOT_LOOKED_UP), Standing("doubtful", 1.0, reason)
        )
        self.telling.close("OFF-TARGET", 1.0)

    def _lookup(self, around: Fields) -> Lookup:
        question = self.case.question if self.settings.task == "answer" else None
        form = self.settings.query_form
        return Lookup(self.talk, self.shelf, question or "", around, self.telling.step, form)

    async def _looked_into(
        self, texts: Mapping[int, str], first: Mapping[int, Query] | None, around: Fields
    ) -> dict[int, Outcome]:
        """The outcome of each of these segments."""
        lookup = self._lookup(around)
        if self.case.as_published:
            return {i: await self._step_by_step(lookup, i, text) for i, text in texts.items()}
        broken: Mapping[int, str] = {}
        if first is None:
            first, broken = await lookup.first(texts)
        chains = {index: Chain((), "broken", why) for index, why in broken.items()}
        chains |= await lookup.merge(texts, first)
        for index, chain in chains.items():
            self.telling.tell_end(index, chain, None)
        forms = self.settings.forms
        rows = await every(self._decisions(form, texts, chains, lookup) for form in forms)
        judged = dict(zip(forms, rows, strict=True))
        return {
            index: self._outcome(index, dict.fromkeys(forms, chains[index]), judged)
            for index in texts
        }

    async def _step_by_step(self, lookup: Lookup, index: int, text: str) -> Outcome:
        """The outcome of one segment by the steps published."""
        chains: dict[Form, Chain] = {}
        judged: dict[Form, Judgement[Decision]] = {}
        for form in self.settings.forms:
            chains[form] = await lookup.step_by_step(index, text, form)
            self.telling.tell_end(index, chains[form], form)
        for form in self.settings.forms:
            own = {index: chains[form]}
            judged[form] = await self._decisions(form, {index: text}, own, lookup)
        return self._outcome(index, chains, judged)

    async def _decisions(
        self, form: Form, texts: Mapping[int, str], chains: Mapping[int, Chain], lookup: Lookup
    ) -> Judgement[Decision]:
        """The decisions by one form on the texts of which anything was looked up."""
        of_two = self.case.as_published and self.settings.task == "summary"
        return await decisions(
            self.talk,
            form,
            {index: text for index, text in texts.items() if chains[index].steps},
            chains,
            {} if of_two else {"question": lookup.question, "whole": lookup.around["whole"]},
            repeats=self.settings.repeats,
            ask_in_vain=self.case.as_published,
            of_two=of_two,
        )

    def _outcome(
        self,
        index: int,
        chains: Mapping[Form, Chain],
        judged: Mapping[Form, Judgement[Decision]],
    ) -> Outcome:
        """Return what was found of one segment. If its steps broke off, a summary's document may
        hold what is left open."""
        closed = self.settings.task == "summary"
        found = {
            form: one
            for form in self.settings.forms
            if (one := judged[form].found.get(index)) is not None
        }
        # A form without knowledge abstains beside one that has some: the document is not silent.
        silent = all(one.abstains for one in found.values())
        for form, one in found.items():
            # Silence counts as wrong only if the document was asked to the end.
            if closed and chains[form].ended != "broken" and (silent or not one.abstains):
                found[form] = one.as_closed
        self.telling.tell_decision(index, self.settings.rule, found)
        reasons = [chain.reason for chain in chains.values() if chain.reason]
        reasons += [one.missing[index] for one in judged.values() if index in one.missing]
        return Outcome(
            decision=self.settings.rule.decide(found),
            steps=tuple(dict.fromkeys(step for chain in chains.values() for step in chain.steps)),
            facts=self.telling.layout.facts[index],
            why=main_reason(reasons) if reasons else None,
            closed=closed,
        )

    def _close(self, outcomes: Iterable[Outcome]) -> None:
        """Tell what was left out, and the label of the whole."""
        found = list(outcomes)
        broken = [outcome.why for outcome in found if outcome.why]
        if broken:
            some = (
                f"{len(broken)} of {len(found)} segments were" if len(found) > 1 else "the text was"
            )
            self.emit(Note(what=f"{some} not looked into in full", why=main_reason(broken)))
        if self.telling.bounded:
            why = f"there are {MOST_STEPS} queries to a text at most"
            self.emit(Note(what="not every detail may have been looked up", why=why))
        decision = decide_whole([outcome.decision for outcome in found])
        if decision is None:
            self.telling.close("INCONCLUSIVE", None)
        else:
            self.telling.close(decision.verdict, decision.score)


def _is_refusal(target: Target, text: str) -> bool:
    words = word_starts(text, (0, len(text)))
    return target.outcome == "refused" and len(words) <= REFUSAL
