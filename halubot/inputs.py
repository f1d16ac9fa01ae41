"""The input of a check: its options, read, checked and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from halubot import offline
from halubot.calibration import store as kept
from halubot.calibration.store import Calibrated, Calibrations, is_measured_on
from halubot.compare.relevance import MOST
from halubot.errors import HalubotError, InputError, SettingError, StateError
from halubot.events import Event, Note, Started
from halubot.methods import registry
from halubot.methods.registry import Case, Method, Verdicts
from halubot.reliability import NOTHING, Tally
from halubot.report import Calibration, Models, Question, Source, Threshold
from halubot.text import Document, clean
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.knowledge.named_bases import Joined, Named
    from halubot.models.model import LanguageModel
    from halubot.models.panel import Panel

from collections import Counter
from typing import Literal

from halubot import evidence
from halubot.evidence.sources import MOST_CHARACTERS

Material = str | Path | Source


MOST_LEFT_OUT = 5
"""Unreadable files of a folder that are named one by one; the others are counted."""


MOST_REFERENCES = 20_000


MOST_SAMPLES = 2_000


MOST_OF_SAMPLES = 4_000_000
"""Texts that are compared with at most, and the characters of all samples together."""


def sources(
    given: Iterable[Material],
    kind: Literal["sample", "reference"],
    left_out: list[HalubotError] | None = None,
) -> tuple[Source, ...]:
    """The given material as sources with ids of their own, in order. Why a file of a given folder
    could not be read is added to ``left_out``. Raises InputError for more of them than a check has
    memory for."""
    if isinstance(given, (str, Path, Source)):
        given = [given]
    found: list[Source] = []
    size = counted = 0
    most, most_characters, remedy = MOST_SAMPLES, MOST_OF_SAMPLES, "give fewer"
    if kind == "reference":
        most, most_characters = MOST_REFERENCES, MOST_CHARACTERS
        remedy = "`halubot knowledge add` makes a base of them, which --knowledge names"
    for item in given:
        if isinstance(item, Source):
            cleaned = None if item.text is None else clean(item.text)[0]
            found.append(item.model_copy(update={"text": cleaned}))
        elif isinstance(item, Path):
            found.extend(evidence.load_all(item, kind=kind, left_out=left_out))
        elif isinstance(item, str):
            if not item.strip():
                raise InputError(f"{kind} {len(found) + 1} is empty")
            found.append(evidence.text_source(item, kind, len(found) + 1))
        else:
            raise InputError(f"{kind} {len(found) + 1} is {type(item).__name__}, not a text")
        size += sum(len(one.text or "") for one in found[counted:])
        counted = len(found)
        if size > most_characters or counted > most:
            raise InputError(
                f"there are more than {most_characters:,} characters or {most:,} texts among the"
                f" {kind}s: {remedy}"
            )
    counts: Counter[str] = Counter()
    for place, source in enumerate(found):
        # What was found in knowledge before, and is given again, keeps its kind.
        letter = "k" if source.kind == "knowledge" else kind[0]
        counts[letter] += 1
        found[place] = source.model_copy(update={"id": f"{letter}{counts[letter]}"})
    return tuple(found)


def left_out_notes(left_out: Sequence[HalubotError]) -> tuple[Note, ...]:
    """Why files were left out, the first of them one by one."""
    notes = [Note(what="a file was left out", why=str(e)) for e in left_out[:MOST_LEFT_OUT]]
    if len(left_out) > MOST_LEFT_OUT:
        more = len(left_out) - MOST_LEFT_OUT
        notes.append(Note(what="files were left out", why=f"{more} more could not be read"))
    return tuple(notes)


N = TypeVar("N", int, float)

DEFAULT_METHOD = "consensus"
MODEL_METHOD = "cascade"
"""The default if a model is named."""
N_SAMPLES = 20
"""How many samples are drawn at most, if nothing else is said."""


class Options(TypedDict, total=False):
    """The options that every entrance takes beside the text.

    question, context  what the text answers, and the messages before it
    samples            other answers to the same question
    references         texts to be taken at their word; a folder stands for its files
    knowledge          bases in which what the text says is looked up: names, as `halubot knowledge
                       list` shows them, or objects that are a `Knowledge`; what is found is taken
                       at its word
    knowledge_folder   where the bases lie that are named (default: in the platform's data)
    sentences          the caller's own sentences of the text, in order
    subject            what the text is about, for pronouns that name nothing
    method             a name known to the registry (default "cascade" with a model, else
                       "consensus")
    threshold          from which score on a fact is doubted, 0 to 1 (default: that of your own
                       calibration of the method, else of the one shipped, else the method's)
    calibrations       the folder of your own calibrations (default: in the platform's data), or a
                       `Calibrations`, such as `halubot.calibration.store.SHIPPED` for none of yours
    deadline           seconds after which the check stops with what it knows
    options            the method's own settings
    watch              called with each event as it happens

    and with a model (see `halubot.models.panel.open_panel`):

    model, judge_model   who answers and draws samples, and who judges (default: the same): names
                       as litellm knows them, or objects that are a `LanguageModel`
    api_base           the address of a server
    n_samples          how many samples are drawn at most (default 20), if none are given; with
                       references none are drawn unless this says so. Of those given, the first
                       so many are used
    max_calls, max_cost  what may be spent, in calls and in dollars
    timeout            seconds a call may take
    system             a system prompt of the user's own, for the answer and the samples
    reasoning_effort   how long the model thinks, in its provider's words
    think              False turns the model's thoughts off
    num_ctx            tokens of context that Ollama opens
    parameters         more parameters of the model's server, by name
    as_published       the steps of a method's paper one by one, in place of merged calls
    verdicts           verdicts on the sentences that were recorded elsewhere (`Case.verdicts`)
    canaries           what their judge answered to canaries (`Case.canaries`)
    store              the folder in which completions are kept (default: in the platform's data)
    record, replay     a file of all completions that were used, to write or to answer from
    panel              models opened before, in place of all these
    """

    question: str | None
    context: str | None
    samples: Iterable[Material]
    references: Iterable[Material]
    knowledge: Iterable[Named]
    knowledge_folder: Path | None
    sentences: Sequence[str] | None
    subject: str | None
    method: str | None
    threshold: float | None
    calibrations: Path | Calibrations | None
    deadline: float | None
    options: Mapping[str, Any] | None
    watch: Callable[[Event], None] | None
    model: str | LanguageModel | None
    judge_model: str | LanguageModel | None
    api_base: str | None
    n_samples: int | None
    max_calls: int | None
    max_cost: float | None
    timeout: float | None
    system: str | None
    reasoning_effort: str | None
    think: bool | None
    num_ctx: int | None
    parameters: Mapping[str, Any] | None
    as_published: bool
    verdicts: Sequence[Sequence[int | None]] | None
    canaries: Tally
    store: Path | None
    record: Path | None
    replay: Path | None
    panel: Panel | None


@dataclass(frozen=True)
class Given:
    """The options of a check, read and checked; ``own`` tells that the panel ends with the run.
    The bases of ``knowledge`` that were opened here end with it as well."""

    method: Method
    panel: Panel | None
    own: bool
    question: str
    context: str
    subject: str
    samples: tuple[Source, ...]
    references: tuple[Source, ...]
    knowledge: Joined | None
    threshold: float | None
    options: Mapping[str, Any]
    as_published: bool
    verdicts: Verdicts | None
    canaries: Tally
    draw: int
    notes: tuple[Note, ...]
    calibrations: Calibrations = kept.NONE
    calibrated: Calibrated | None = None

    def case(self, message: Document) -> Case:
        """Return what the method judges, before the model's part in it is known."""
        return Case(
            message=message,
            samples=self.samples,
            references=self.references,
            question=self.question or self.context or None,
            subject=self.subject or None,
            threshold=self.threshold_used.value,
            calibrations=self.calibrations,
            options=self.options,
            as_published=self.as_published,
            verdicts=self.verdicts,
            canaries=self.canaries,
            knowledge=self.knowledge,
        )

    def make_started(self, message: Document, *, asking: bool = False) -> Started:
        """The first event; the message is still to be written if ``asking``."""
        question = self.question or self.context
        return Started(
            text=message.text,
            sentences=message.sentences,
            question=Question(text=question, origin="given") if question else None,
            method=self.method.name,
            models=self._models(asking),
            engine=__version__,
            threshold=self.threshold_used,
            calibration=self._calibration(message),
            sources=self.samples + self.references,
        )

    def _calibration(self, message: Document) -> Calibration | None:
        """Return how scores become probabilities; None if that was measured on other texts only."""
        found = self.calibrated.calibration if self.calibrated else None
        samples = max(len(self.samples), self.draw)
        return found if found and is_measured_on(found, message, samples) else None

    @property
    def _judge_here(self) -> str | None:
        """The name of the judge on this machine, if one is named."""
        if (judge := self.options.get("judge")) is None:
            return None
        from halubot.models.local.encoder_judge import judge_name

        return judge_name(judge)

    @property
    def threshold_used(self) -> Threshold:
        """The threshold given, else the calibrated one, else the method's own."""
        if self.threshold is not None:
            return Threshold(value=self.threshold, fitted_on=None)
        fitted = self.calibrated.threshold if self.calibrated else None
        return fitted or self.method.default_threshold

    def _models(self, asking: bool) -> Models:
        """Who may take part, by role."""
        judge = self._judge_here
        if self.panel is None:
            return Models(judge=judge)
        answers, judge = self.panel.answer.name, judge or self.panel.judge.name
        return Models(
            answer=answers if asking else None, sample=answers if self.draw else None, judge=judge
        )


def read_options(options: Options) -> Given:
    """Reads the options. Opens the models, if some are named and no panel is given."""
    unknown = options.keys() - Options.__annotations__.keys()
    if unknown:
        raise SettingError(
            f"there is no option {min(unknown)!r}: known are {', '.join(Options.__annotations__)}"
        )
    texts = {}
    for name in ("question", "context", "subject"):
        text: object = options.get(name) or ""
        if not isinstance(text, str):
            raise InputError(f"the {name} is {type(text).__name__}, not a string")
        texts[name] = clean(text)[0] if text.strip() else ""
    threshold = options.get("threshold")
    if threshold is not None and not 0 <= threshold <= 1:
        raise SettingError(f"the threshold is {threshold:g}, not between 0 and 1")
    positive("deadline", options.get("deadline"))
    left_out: list[HalubotError] = []
    samples = sources(options.get("samples") or (), "sample", left_out)[: _most(options)]
    references = sources(options.get("references") or (), "reference", left_out)
    notes = left_out_notes(left_out)
    if sum(len(source.text or "") for source in references) > MOST:
        why = "only the parts of the references that are nearest to the text are compared"
        notes += (Note(what="not all was compared", why=why),)
    verdicts = options.get("verdicts")
    own = options.get("panel") is None
    with_model = not own or names_models(options)
    named = options.get("method") or default_method(options)
    method = registry.get(named, options.get("options"))
    if not with_model and verdicts is None and options.get("as_published"):
        raise SettingError("--as-published makes a model's calls: name one with --model")
    if options.get("as_published") and not registry.asks_model(method):
        raise SettingError(
            f"--as-published makes a model's calls one by one, and {method.name} makes none"
        )
    if (judge := (options.get("options") or {}).get("judge")) is not None:
        from halubot.models.local.encoder_judge import require_present

        require_present(judge)
    draw = _to_draw(options, method, samples, references)
    knowledge = open_bases(options)
    try:
        panel = open_models(options)
    except BaseException:
        if knowledge is not None:
            knowledge.close()
        raise
    given = Given(
        method=method,
        knowledge=knowledge,
        panel=panel,
        own=own,
        question=texts["question"],
        context=texts["context"],
        subject=texts["subject"],
        samples=samples,
        references=references,
        threshold=threshold,
        options=dict(options.get("options") or {}),
        as_published=bool(options.get("as_published")),
        verdicts=None if verdicts is None else tuple(tuple(row) for row in verdicts),
        canaries=options.get("canaries") or NOTHING,
        draw=draw,
        notes=notes,
    )
    return _calibrate(given, options)


def _calibrate(given: Given, options: Options) -> Given:
    """The same with the calibration of its method; a damaged one is left out, with a note."""
    named = options.get("calibrations")
    where = named if isinstance(named, Calibrations) else Calibrations(Path(named or kept.folder()))
    asks = given.panel is not None and registry.asks_model(given.method)
    judge = given.panel.judge.name if given.panel is not None and asks else None
    material = kept.material_of(
        bool(given.samples) or given.draw > 0,
        bool(given.references or options.get("knowledge")),
    )
    settings = kept.settings(given.options, as_published=given.as_published)
    notes = given.notes
    try:
        found = where.lookup(given.method.name, judge, material, settings)
    except StateError as error:
        notes += (Note(what="a calibration was left out", why=str(error)),)
        where = replace(where, folder=None)
        found = where.lookup(given.method.name, judge, material, settings)
    if found is not None and found.doubts_most:
        why = f"it doubts most right statements of {found.fitted_on}; calibrate again"
        notes += (Note(what="the threshold of your calibration was left out", why=why),)
        found = found.model_copy(update={"threshold": None})
    return replace(given, calibrations=where, calibrated=found, notes=notes)


def default_method(options: Options) -> str:
    """Return the name of the method that judges if none is named: `cascade` with a model or a judge
    on this machine, else `consensus`."""
    judged = (options.get("options") or {}).get("judge")
    asking = options.get("panel") is not None or names_models(options) or judged
    return MODEL_METHOD if asking else DEFAULT_METHOD


def names_models(options: Options) -> bool:
    """Return whether the options name a model, or a record of one."""
    return any(options.get(name) for name in ("model", "judge_model", "replay"))


def open_models(options: Options) -> Panel | None:
    """The panel given, else the models that are named, opened; None if there are none."""
    opened = options.get("panel")
    if opened is not None or not names_models(options):
        return opened
    from halubot.models.panel import open_panel

    return open_panel(
        options.get("model"),
        options.get("judge_model"),
        api_base=options.get("api_base"),
        max_calls=not_negative("calls", options.get("max_calls")),
        max_cost=not_negative("dollars", options.get("max_cost")),
        timeout=positive("timeout", options.get("timeout")),
        system=options.get("system"),
        reasoning_effort=options.get("reasoning_effort"),
        think=options.get("think"),
        num_ctx=options.get("num_ctx"),
        parameters=options.get("parameters"),
        store=options.get("store"),
        record=options.get("record"),
        replay=options.get("replay"),
    )


def open_bases(options: Options) -> Joined | None:
    """The bases that are named, opened, and those given; None if there are none."""
    named = options.get("knowledge")
    if not named:
        return None
    from halubot.knowledge.named_bases import join

    folder = options.get("knowledge_folder")
    return join(named, offline=offline.is_refused(), folder=folder and Path(folder))


def _to_draw(
    options: Options, method: Method, samples: Sequence[Source], references: Sequence[Source]
) -> int:
    """Return how many samples may be drawn: none if samples are given, and, unless a number is,
    none
    beside references or knowledge that are enough for the method."""
    count = _most(options)
    known = bool(references or options.get("knowledge"))
    enough = known and "references" in method.needs and not method.needs_all
    if samples or "samples" not in method.needs or (enough and count is None):
        return 0
    return N_SAMPLES if count is None else count


def _most(options: Options) -> int | None:
    """Return how many samples are used, if that is said."""
    count = options.get("n_samples")
    if count is not None and count < 1:
        raise SettingError(f"the number of samples is {count}, not 1 or more")
    return count


def not_negative(what: str, value: N | None) -> N | None:
    """Return what may be spent. Raises SettingError for less than nothing, and for no number."""
    if value is not None and not value >= 0:
        raise SettingError(f"{value:g} {what} may be spent: write 0 or more")
    return value


def positive(name: str, value: float | None) -> float | None:
    """The seconds given. Raises SettingError for none or fewer."""
    if value is not None and not value > 0:
        raise SettingError(f"the {name} is {value:g} s, not more than 0")
    return value
