"""The protocol of a method, its case and options, and the registry that finds methods by name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from halubot.defaults import SAMPLES
from halubot.errors import SettingError, UnknownMethodError
from halubot.events import Event
from halubot.report import Fact, Source, Threshold
from halubot.text import Document

if TYPE_CHECKING:
    from halubot.evidence.knowledge.named_bases import Knowledge
    from halubot.methods.calls.answer import Draws
    from halubot.methods.calls.session import ModelSession

Verdicts = tuple[tuple[int | None, ...], ...]

BUILT_IN: Mapping[str, str] = {
    "bcv": "halubot.methods.judges:BCV",
    "bcv-cot": "halubot.methods.judges:BCV_COT",
    "cascade": "halubot.methods.cascade:CASCADE",
    "consensus": "halubot.methods.consensus.consensus:METHOD",
    "ensemble": "halubot.methods.cascade:ENSEMBLE",
    "fsc-frequency": "halubot.methods.factselfcheck:FREQUENCY",
    "fsc-kg": "halubot.methods.factselfcheck:KG",
    "fsc-text": "halubot.methods.factselfcheck:TEXT",
    "gca": "halubot.methods.gca.gca:METHOD",
    "issc": "halubot.methods.sentences_by_samples:ISSC",
    "issc-cot": "halubot.methods.sentences_by_samples:ISSC_COT",
    "knowhalu": "halubot.methods.knowhalu.knowhalu:METHOD",
    "sca": "halubot.methods.judges:SCA",
    "selfcheck-ngram": "halubot.methods.selfcheck_ngram:METHOD",
    "selfcheck-nli": "halubot.methods.selfcheck_nli:METHOD",
    "selfcheck-prompt": "halubot.methods.sentences_by_samples:METHOD",
    "semantic-entropy": "halubot.methods.semantic_entropy:METHOD",
    "token-probability": "halubot.methods.token_probability:METHOD",
    "triplet-check": "halubot.methods.triplet_check.triplet_check:METHOD",
}
_registered: dict[str, Method] = {}

SET_BY_HAND: Final = Threshold(value=0.5, fitted_on="no data (set by hand)")
"""The threshold of the methods for which none was fitted."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a check, to estimate its calls; ``references`` counts windows of references."""

    sentences: int = 8
    facts: int = 26
    samples: int = SAMPLES
    references: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """One message to judge, with its sources and settings.

    ``threshold`` is the score from which a fact is doubted. ``options`` are the method's own
    settings; those of our methods are declared and checked in `halubot.options`. ``session`` asks
    the models of the run, None without a model. ``draws`` draws samples, None if samples were given
    or none may be drawn. ``as_published`` asks for the steps of the paper one by one.

    ``verdicts`` were recorded elsewhere: for each sentence and each sample, in their order, 0 for
    supported, 1 for not supported, None for neither. Methods that ask a model for such verdicts
    use them instead.

    ``knowledge`` is a base that may be searched; passages found for the whole message are among
    ``references`` already. ``facts`` were extracted before: a method judges these and extracts
    none.
    """

    message: Document
    samples: tuple[Source, ...] = ()
    references: tuple[Source, ...] = ()
    question: str | None = None
    subject: str | None = None
    threshold: float = SET_BY_HAND.value
    options: Mapping[str, Any] = field(default_factory=dict)
    session: ModelSession | None = None
    draws: Draws | None = None
    as_published: bool = False
    verdicts: Verdicts | None = None
    knowledge: Knowledge | None = None
    facts: tuple[Fact, ...] | None = None

    def require_session(self) -> ModelSession:
        """Return the way to the models. Raises SettingError if there is none."""
        if self.session is None:
            raise SettingError("a model is needed: name one with --model")
        return self.session


@runtime_checkable
class Method(Protocol):
    """The protocol of a method, which judges the facts of a message.

    `judge` yields events: first ``FactsExtracted`` if the method works on facts, then a
    ``FactJudged`` for each fact, a ``SentenceJudged`` for each sentence, and last ``Ranked``. A
    synchronous generator runs on a worker thread, an asynchronous one on the loop. Both may be
    closed between any two events, when the check is stopped.

    These attributes may be missing:

    - ``looks_up`` is True if the method searches `Case.knowledge` itself; then no passages are
      gathered for it beforehand.
    - ``takes_verdicts`` is True if it uses `Case.verdicts`.
    - ``reads_logprobs`` is True if it reads the log-probabilities of the answer it judges.
    - ``differs`` is a tuple of texts: what differs from its paper even with ``as_published``.
    """

    name: str
    """The name for ``--method``."""
    summary: str
    """One line for `halubot methods`."""
    needs: tuple[str, ...]
    """Any of "samples", "references", "model". If ``needs_all`` is False, either samples or
    references are enough."""
    needs_all: bool
    source: str
    """The paper or the project that the method comes from."""
    default_threshold: Threshold

    def calls(self, size: Size) -> int:
        """Return the most model calls for a message of this size, without the drawing of samples;
        0 if it calls no model."""
        ...

    def judge(self, case: Case) -> Iterator[Event] | AsyncIterator[Event]:
        """Yield the events of judging this case. Raises HalubotError if it cannot be judged."""
        ...


def register(method: Method) -> Method:
    """Make a method known by its name, in place of any earlier one, and return it."""
    _registered[method.name] = method
    return method


def method_names() -> tuple[str, ...]:
    """Return the names of all methods, sorted: built in, announced by packages, registered."""
    return tuple(sorted({*BUILT_IN, *_announce(), *_registered}))


def get(name: str) -> Method:
    """Return the method with that name. Raises UnknownMethodError, which names the nearest one."""
    # First, so that a registered method takes the place of one that is built in.
    if name in _registered:
        return _registered[name]
    target = BUILT_IN.get(name)
    if target is not None:
        # Loaded when it is asked for: a check loads its own method and no other.
        module, _, attribute = target.partition(":")
        method: Method = getattr(import_module(module), attribute)
        return method
    announced = _announce().get(name)
    if announced is not None:
        loaded: Method = announced.load()
        return loaded
    raise UnknownMethodError(name, method_names())


def recorded_verdicts(case: Case) -> Verdicts | None:
    """Return the recorded verdicts of a case, None if it has none. Raises SettingError if they do
    not fit the message."""
    sentences = len(case.message.sentences)
    if case.verdicts is not None and len(case.verdicts) != sentences:
        given = len(case.verdicts)
        raise SettingError(f"there are verdicts on {given} sentences, and the text has {sentences}")
    for mark in (mark for row in case.verdicts or () for mark in row):
        if mark not in (0, 1, None):
            raise SettingError(f"a verdict is {mark!r}, not 0, 1 or null")
    return case.verdicts


def takes_verdicts(method: Method) -> bool:
    return bool(getattr(method, "takes_verdicts", False))


def heeds_references(method: Method) -> bool:
    """Return True if a method compares with references: all do but those that need samples
    alone."""
    return "references" in method.needs or "samples" not in method.needs


@cache
def _announce() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group="halubot.methods")}
