"""Running a benchmark: every row checked, then measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from halubot.api import check as real_check
from halubot.calibration.store import Calibrations
from halubot.correction_api import correct
from halubot.errors import SettingError
from halubot.evaluation import measures
from halubot.evaluation.baselines import DECIDED, HALF, baselines
from halubot.evaluation.checked import (
    Check,
    Scored,
    check_row,
    pair_triples,
    scored_row,
    units,
)
from halubot.evaluation.datasets import DATASETS
from halubot.evaluation.finished_rows import Outcome, Work, key_of
from halubot.evaluation.loader import (
    Loaded,
    calibrated_on,
    load,
    remarks,
    require_other_rows,
    require_readable,
)
from halubot.evaluation.plan import Plan, draws, judges, require_options, require_sense
from halubot.evaluation.result import Figures, Result
from halubot.evaluation.rows import Row
from halubot.evaluation.statistics import intervals
from halubot.evaluation.thresholds import fits_a_rule, rule_of, threshold
from halubot.extract import extract
from halubot.inputs import Options, open_bases
from halubot.methods import registry
from halubot.reliability import NOTHING
from halubot.report import DOUBTED, Question, Report, Triple, Usage
from halubot.text import read
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.evaluation.rewrites import Rewritten
    from halubot.knowledge.named_bases import Joined
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Panel

Advance = Callable[[int, int], None]
"""Told after each row how many are done, of how many."""

Triples = Callable[[str], tuple[Triple, ...]]

DETAILS: Final = ("bias", "segments", "judgements")
"""What of a report's details a benchmark needs."""

BESIDE: Final = "consensus"
"""The method without a judge that the shares stand beside."""


def run(
    plan: Plan,
    *,
    panel: Panel | None = None,
    check: Check | None = None,
    triples: Triples | None = None,
    advance: Advance = lambda done, of: None,
) -> Result:
    """Measures a method on a data set; ``panel`` holds the models that it asks. ``check`` and
    ``triples`` stand in for halubot's own.

    Raises UnreadableError and BrokenLineError for files that cannot be used, UnknownMethodError,
    SettingError for options that mean nothing here or a method that needs what the data set does
    not give, InputError, naming the row, if a row cannot be checked, and ModelError if no
    further call can succeed: figures of some rows would look like those of all.
    """
    return run_all([plan], panel=panel, check=check, triples=triples, advance=advance)[0]


def run_all(
    plans: Sequence[Plan],
    *,
    panel: Panel | None = None,
    check: Check | None = None,
    triples: Triples | None = None,
    advance: Advance = lambda done, of: None,
) -> tuple[Result, ...]:
    """Measures several methods on the same rows; the plans differ in ``method`` and ``options``
    alone. Models and recorded verdicts are for those that ask a model, one at least. Raises as
    `run`, before any row is checked if a plan makes no sense.
    """
    for plan in plans:
        registry.get(plan.method, plan.options)
        require_options(plan, DATASETS[plan.dataset])
    require_readable(plans[0])
    resume = plans[0].resume
    if resume is not None and resume.exists():
        with Work(resume):
            pass  # a file of something else is refused before the data is read
    with _opened_bases(plans[0]) as bases:
        loaded = load(plans[0])
        require_other_rows(loaded)
        checks = partial(_check, loaded=loaded, bases=bases) if check is None else lambda **_: check
        return _results(plans, loaded, panel, checks, triples=triples or _triples, advance=advance)


def _results(
    plans: Sequence[Plan],
    loaded: Loaded,
    panel: Panel | None,
    checks: Callable[..., Check],
    *,
    triples: Triples,
    advance: Advance,
) -> tuple[Result, ...]:
    asking = [_asks(plan, loaded) for plan in plans]
    suited = [
        # With no method that asks, the panel stays, so that `require_sense` refuses a model that is
        # of no use.
        (plan, panel) if asks or not any(asking) else (_without(plan), None)
        for plan, asks in zip(plans, asking, strict=True)
    ]
    for plan, models in suited:
        require_sense(plan, loaded.dataset, loaded.given, asking=models is not None)
    results: list[Result] = []
    with Work(plans[0].resume) as work:
        for number, (plan, models) in enumerate(suited):
            before = number * loaded.count

            def on(done: int, before: int = before) -> None:
                advance(before + done, len(plans) * loaded.count)

            checking = checks(plan=plan, panel=models)
            results.append(_Bench(plan, loaded, work, models, checking, triples).measure(on))
    return tuple(results)


@contextmanager
def _opened_bases(plan: Plan) -> Iterator[Joined | None]:
    """Open the knowledge that all rows of all methods are looked up in."""
    bases = open_bases(Options(knowledge=plan.knowledge, knowledge_folder=plan.knowledge_folder))
    try:
        yield bases
    finally:
        if bases is not None:
            bases.close()


def _check(*, plan: Plan, loaded: Loaded, panel: Panel | None, bases: Joined | None) -> Check:
    """Return the check that rows are given to; it knows what their judge said of canaries."""
    # By the text, since `check` is called with the words of a row and not with the row.
    canaries = {row.text: row.canaries for row in loaded.rows}

    def check(text: str, **options: Any) -> Report:
        return real_check(text, canaries=canaries.get(text, NOTHING), **options)

    return partial(
        check,
        panel=panel,
        as_published=plan.as_published,
        knowledge=() if bases is None else [bases],
        n_samples=plan.n_samples if draws(plan, loaded.dataset, loaded.given) else None,
        calibrations=Calibrations(without=loaded.files),
    )


@dataclass(frozen=True, slots=True)
class _Bench:
    """One method on rows that were read."""

    plan: Plan
    loaded: Loaded
    work: Work
    panel: Panel | None
    check: Check
    triples: Triples

    def measure(self, advance: Callable[[int], None]) -> Result:
        """The figures; ``advance`` is told after each row how many are done. Raises as `run`."""
        plan, loaded = self.plan, self.loaded
        # Counted over all methods: the difference is that of this one.
        kept = self.work.kept
        began = time.perf_counter()
        rows, held = loaded.rows, loaded.validation
        validation = self._outcomes(held, plan.options, advance)
        options, notes = dict(plan.options), tuple[str, ...]()
        if fits_a_rule(plan):
            rule, note = rule_of(plan, validation)
            options, notes = options | rule, (note,)
        outcomes = self._outcomes(rows, options, lambda done: advance(len(held) + done))
        seconds = time.perf_counter() - began
        if not loaded.dataset.extraction:
            _require_judged(plan, outcomes)
        found = threshold(plan, loaded.dataset, validation)
        scored = tuple(outcome.scored for outcome in outcomes)
        figures = measures.of_dataset(plan.dataset, scored, found.value)
        groups = [row.group for row in rows]
        judge = self._models().get("judge")
        kept = self.work.kept - kept
        told = [*remarks(plan, loaded, outcomes, validation, kept=kept, judge=judge)]
        done = self._harm(scored)
        told += [tell_harm(done)] if done else []
        return Result(
            dataset=plan.dataset,
            method=plan.method,
            rows=len(rows),
            data_sha256=loaded.data_sha256,
            engine=__version__,
            figures=figures,
            intervals=intervals(figures, groups),
            usage=_sum([outcome.usage for outcome in (*outcomes, *validation)]),
            seconds=seconds,
            notes=(*notes, *found.notes, *told),
            scored=scored,
            compared_with=(*loaded.given, *(f"knowledge {name}" for name in plan.knowledge)),
            options=options,
            models=self._models(),
            calibrated_on=calibrated_on(outcomes),
            baselines=self._baselines(scored, groups) if loaded.dataset.baselines else {},
            harm=done,
        )

    def _harm(self, rows: Sequence[Scored]) -> dict[str, Any]:
        """Compare the judge with the comparison alone; empty if there is no judge, or
        nothing that words are compared with."""
        plan = self.plan
        judges = self.panel is not None or plan.verdicts is not None
        if not judges or self.loaded.dataset.extraction or not self.loaded.given:
            return {}
        # The comparison alone on the same rows: what a judge doubts besides is only visible beside
        # it.
        words = partial(real_check, calibrations=Calibrations(without=self.loaded.files))
        bare = [replace(one.row, verdicts=None, canaries=NOTHING) for one in rows]
        alone = [
            scored_row(row, check_row(row, words, dataset=plan.dataset, method=BESIDE))
            for row in bare
        ]
        return harm(rows, alone, plan.method)

    def _baselines(self, rows: Sequence[Scored], groups: Sequence[str]) -> dict[str, Figures]:
        """The figures of plain baselines on the same rows, those that are defined of them."""
        found: dict[str, Figures] = {}
        for name, scored in baselines(rows).items():
            limit = HALF if name in DECIDED else None
            figures = {
                metric: one
                for metric, one in measures.of_dataset(self.plan.dataset, scored, limit).items()
                # A baseline never abstains.
                if one.value is not None and not metric.startswith("abstained")
            }
            found[name] = Figures(figures, intervals(figures, groups))
        return found

    def _outcomes(
        self, rows: Sequence[Row], options: Mapping[str, Any], advance: Callable[[int], None]
    ) -> list[Outcome]:
        """Return the outcome of each row; those that were done before are not done again."""
        decisive = self._decisive(options)
        outcomes: list[Outcome] = []
        for row in rows:
            key = key_of(row, decisive)
            outcome = self.work.find_outcome(key, row)
            if outcome is None:
                outcome = self._outcome(row, options)
                self.work.keep(key, outcome)
            outcomes.append(outcome)
            advance(len(outcomes))
        return outcomes

    def _outcome(self, row: Row, options: Mapping[str, Any]) -> Outcome:
        if self.loaded.dataset.extraction:
            found = self.triples(row.text)
            return Outcome(Scored(row, triples=found, paired=pair_triples(found, row.triples)))
        plan = self.plan
        before = None if self.panel is None else self.panel.budget.failure
        voting = {} if plan.verdict_samples is None else {"verdict_samples": plan.verdict_samples}
        report = check_row(
            row,
            self.check,
            dataset=plan.dataset,
            method=plan.method,
            threshold=plan.threshold,
            options={**options, **voting},
        )
        self._require_models(before)
        if plan.with_correction and self.loaded.dataset.correction == "judged":
            made = self._rewritten(row, report)
            self._require_models(before)
            outcome = _outcome(row, report)
            scored = replace(outcome.scored, fates=made.fates)
            return replace(outcome, scored=scored, usage=_sum([report.usage, *made.usage]))
        if plan.with_correction:
            # Not `apropose`: edits that the second check does not support are withdrawn.
            report = correct(
                report,
                panel=self.panel,
                subject=row.subject,
                as_published=plan.as_published,
                options={**options, **voting},
                calibrations=Calibrations(without=self.loaded.files),
            )
            self._require_models(before)
        return _outcome(row, report)

    def _rewritten(self, row: Row, report: Report) -> Rewritten:
        """Correct a row and judge what became of its sentences. Raises
        SettingError."""
        from halubot.evaluation.rewrites import rewrites  # it loads what models need

        if self.panel is None:
            raise SettingError("a model corrects and judges: name a --model")
        if report.question is None and row.subject is not None:
            made_by = f"This is a Wikipedia passage about {row.subject}:"  # SelfCheckGPT's prompt
            asked = Question(text=made_by, origin="given")
            report = report.model_copy(update={"question": asked})
        published = self.plan.as_published
        return rewrites(report, row.truth or "", self.panel, as_published=published)

    def _require_models(self, before: ModelError | None) -> None:
        """Raise the failure after which no further call can succeed, unless it is that of
        ``before``."""
        # One failed call is noted in its row; only a failure that all calls share ends a benchmark.
        failure = None if self.panel is None else self.panel.budget.failure
        if failure is not None and failure is not before:
            raise failure

    def _decisive(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """All that decides what is said of a row, the row itself left out."""
        plan, loaded = self.plan, self.loaded
        return {
            # Another version may judge the same row otherwise.
            "engine": __version__,
            "dataset": plan.dataset,
            "data": loaded.data_sha256,
            "validation": loaded.validation_sha256,
            "method": plan.method,
            "options": dict(options),
            "threshold": plan.threshold,
            "with_correction": plan.with_correction,
            "as_published": plan.as_published,
            "n_samples": plan.n_samples,
            "verdict_samples": plan.verdict_samples,
            "judge_noise": plan.judge_noise,
            "knowledge": plan.knowledge,
            "knowledge_folder": str(plan.knowledge_folder or ""),
            "models": self._models(),
        }

    def _models(self) -> dict[str, str]:
        """Who takes part, by role."""
        here: dict[str, str] = {}
        if (judge := self.plan.options.get("judge")) is not None:
            from halubot.models.local.encoder_judge import judge_name

            here = {"judge": judge_name(judge)}
        if self.panel is None:
            verdicts = self.plan.verdict_model
            return here if verdicts is None else {"verdicts": verdicts}
        return {"sample": self.panel.answer.name, "judge": self.panel.judge.name} | here


def _outcome(row: Row, report: Report) -> Outcome:
    return Outcome(
        scored_row(row, report),
        usage=report.usage,
        problems=tuple(dict.fromkeys(problem.what for problem in report.problems)),
        details={name: report.details[name] for name in DETAILS if name in report.details},
        fitted_on=None if report.calibration is None else report.calibration.fitted_on,
    )


def _require_judged(plan: Plan, outcomes: Sequence[Outcome]) -> None:
    """Raise SettingError if no row has any score: figures would be those of 0.5 everywhere."""
    if not outcomes or any(map(_is_judged, outcomes)):
        return
    problems = Counter(problem for outcome in outcomes for problem in outcome.problems)
    why = "".join(f" ({what})" for what, _ in problems.most_common(1))
    raise SettingError(f"{plan.method} judged nothing in {plan.dataset}{why}: there are no figures")


def _is_judged(outcome: Outcome) -> bool:
    one = outcome.scored
    scores = [one.score, *(s.score for s in one.sentences), *(f.score for f in one.facts)]
    return any(score is not None for score in scores)


def _asks(plan: Plan, loaded: Loaded) -> bool:
    """Return True if a model is of use to the method here."""
    asks = registry.asks_model(registry.get(plan.method, plan.options)) or judges(
        plan, loaded.dataset
    )
    return (asks and not loaded.dataset.extraction) or draws(plan, loaded.dataset, loaded.given)


def _without(plan: Plan) -> Plan:
    """The plan of a method that asks no model, beside others that do."""
    return replace(
        plan,
        as_published=False,
        verdicts=None,
        verdict_model=None,
        verdict_samples=None,
        judge_noise=None,
    )


def _triples(text: str) -> tuple[Triple, ...]:
    """The triples of a text; a claim that is kept as a clause, without a head, is none."""
    # Else every sentence that no rule understands would count as a wrong triple.
    return tuple(fact.triple for fact in extract(read(text)) if fact.triple.head)


def _sum(usages: Sequence[Usage]) -> Usage:
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return Usage(
        calls=sum(usage.calls for usage in usages),
        cached_calls=sum(usage.cached_calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cost_usd=sum(costs) if costs else None,
        seconds=round(sum(usage.seconds for usage in usages), 3),
    )


def count_doubts(rows: Sequence[Scored]) -> dict[str, float | None]:
    """Return the shares of wrong and of right units that are doubted, by their verdicts: those of
    sentences, of messages by any mark, of labelled facts by a score of 0.5. None of none."""
    counts = {True: [0, 0], False: [0, 0]}
    for one in rows:
        for wrong, doubts in _doubted_units(one):
            counts[wrong][0] += doubts
            counts[wrong][1] += 1
    return {
        name: round(hits / of, 4) if of else None
        for name, (hits, of) in (("wrong", counts[True]), ("right", counts[False]))
    }


def harm(rows: Sequence[Scored], alone: Sequence[Scored], method: str) -> dict[str, Any]:
    """Return the shares of a method, and those of the comparison alone on the same rows."""
    return {method: count_doubts(rows), BESIDE: count_doubts(alone)}


def tell_harm(found: dict[str, Any]) -> str:
    """Return the same in a line."""
    said = (
        f"{name} {_format_share(share['wrong'])} / {_format_share(share['right'])}"
        for name, share in found.items()
    )
    return f"wrong / right units doubted: {', '.join(said)}"


def _format_share(share: float | None) -> str:
    return "-" if share is None else f"{share:.2f}"


def _doubted_units(one: Scored) -> list[tuple[bool, bool]]:
    judged = one.judged
    if one.row.sentences is not None and judged is not None and not one.row.labelled:
        golds = zip(one.row.gold, judged.sentences, strict=True)
        return [(gold > 0, said.verdict in DOUBTED) for gold, said in golds]
    if one.row.labelled or judged is None:
        return [(unit.wrong, (unit.score or 0.0) >= 0.5) for unit in units(one)]
    return [(unit.wrong, bool(judged.marks())) for unit in units(one)]
