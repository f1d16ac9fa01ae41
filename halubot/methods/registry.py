"""The protocol of a method, its case and options, and the registry that finds methods by name."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from halubot.calibration.store import SHIPPED, Calibrations
from halubot.errors import SettingError, UnknownMethodError
from halubot.events import Event
from halubot.reliability import NOTHING, Tally
from halubot.report import Fact, Source, Threshold
from halubot.text import Document

if TYPE_CHECKING:
    from halubot.knowledge.knowledge_base import Knowledge
    from halubot.llm_calls.answer import Draws
    from halubot.llm_calls.talk import Talk

from typing import Final

Verdicts = tuple[tuple[int | None, ...], ...]

BUILT_IN: Mapping[str, str] = {
    "bcv": "halubot.methods.judges.judges:BCV",
    "bcv-cot": "halubot.methods.judges.judges:BCV_COT",
    "cascade": "halubot.methods.cascade:METHOD",
    "consensus": "halubot.methods.consensus.consensus:METHOD",
    "ensemble": "halubot.methods.ensemble.ensemble:METHOD",
    "fsc-frequency": "halubot.methods.factselfcheck:FREQUENCY",
    "fsc-kg": "halubot.methods.factselfcheck:KG",
    "fsc-text": "halubot.methods.factselfcheck:TEXT",
    "gca": "halubot.methods.gca.gca:METHOD",
    "issc": "halubot.methods.judges.issc:ISSC",
    "issc-cot": "halubot.methods.judges.issc:ISSC_COT",
    "knowhalu": "halubot.methods.knowhalu.knowhalu:METHOD",
    "sca": "halubot.methods.judges.judges:SCA",
    "selfcheck-ngram": "halubot.methods.selfcheckgpt.ngram:METHOD",
    "selfcheck-prompt": "halubot.methods.selfcheckgpt.prompt:METHOD",
    "triplet-check": "halubot.methods.triplet_check.triplet_check:METHOD",
}
_registered: dict[str, Method] = {}


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a check: sentences, facts, samples, reference windows."""

    sentences: int = 8
    facts: int = 26
    samples: int = 20
    references: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """One message to judge and what to judge it by.

    ``threshold`` is None if the method's own default holds. ``options`` are the
    method's own settings; a method refuses those it does not know. ``talk`` is the run's talk with
    its models, None without one; ``draws`` the samples that may be drawn, if none were given.
    ``as_published`` asks for the steps of the paper one by one. ``verdicts`` were recorded
    elsewhere: for each sentence and each sample, in their order, 0 for supported, 1 for not, None
    for neither; methods that ask a model for such verdicts take them instead. ``canaries`` are what
    their judge answered to canaries; without any it is trusted as far as it agrees with what the
    comparison knows. ``knowledge`` is a
    base that may be searched; what was found in it for the whole message is among
    ``references`` already. ``facts`` were extracted before: methods judge these and extract none.
    ``calibrations`` is the place at which those of other methods are looked up: a person's own too,
    in a check.
    """

    message: Document
    samples: tuple[Source, ...] = ()
    references: tuple[Source, ...] = ()
    question: str | None = None
    subject: str | None = None
    threshold: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    talk: Talk | None = None
    draws: Draws | None = None
    as_published: bool = False
    verdicts: Verdicts | None = None
    canaries: Tally = NOTHING
    knowledge: Knowledge | None = None
    facts: tuple[Fact, ...] | None = None
    calibrations: Calibrations = SHIPPED

    def refuse_options(self, method: str, *known: str) -> None:
        """Raises SettingError for an option that is not among ``method_names``."""
        unknown = sorted(self.options.keys() - set(known))
        if unknown:
            has = f": known are {', '.join(known)}" if known else ""
            raise SettingError(f"{method} has no option {unknown[0]!r}{has}")

    def limit(self, default: Threshold) -> float:
        """The threshold that holds: the one given, else the method's own."""
        return default.value if self.threshold is None else self.threshold


@runtime_checkable
class Method(Protocol):
    """Judges the facts of a message.

    ``judge`` yields events: first ``FactsExtracted`` if the method works on facts, then a
    ``FactJudged`` for each, a ``SentenceJudged`` for each sentence, and last ``Ranked``. A
    synchronous generator is driven in a worker thread, an asynchronous one on the loop; both
    may be closed between any two events. A method that searches `Case.knowledge` itself says so
    with an attribute ``looks_up`` of True: nothing is gathered for it beforehand. One that takes
    `Case.verdicts`, which answer SelfCheckGPT's question, has a ``takes_verdicts`` of True. What is
    not as in its paper though all is done as published, it names in ``differs``, a tuple of texts.
    """

    name: str
    summary: str
    needs: tuple[str, ...]
    """What must be given: any of "samples", "references", "model". Of the first two one is enough
    if ``needs_all`` is False."""
    needs_all: bool
    source: str
    default_threshold: Threshold

    def calls(self, size: Size) -> int:
        """Model calls for a message of this size at most, sampling left out, as merged."""
        ...

    def judge(self, case: Case) -> Iterator[Event] | AsyncIterator[Event]:
        """The events of judging this case."""
        ...


def register(method: Method) -> Method:
    """Makes a method known under its name, in place of any earlier one; returns it."""
    _registered[method.name] = method
    return method


def method_names() -> tuple[str, ...]:
    """The names of all methods: built in, announced by packages, registered; sorted."""
    return tuple(sorted({*BUILT_IN, *_announce(), *_registered}))


def get(name: str, options: Mapping[str, Any] | None = None) -> Method:
    """The method of that name, as its options make it: another one if it has an attribute
    ``suited`` that says so. Raises UnknownMethodError, which names the nearest one, and what
    ``suited`` raises for options that cannot be."""
    method = _find_name(name)
    suited = getattr(method, "suited", None)
    if not options or not callable(suited):
        return method
    made: Method = suited(options)
    return made


def _find_name(name: str) -> Method:
    if name in _registered:
        return _registered[name]
    target = BUILT_IN.get(name)
    if target is not None:
        module, _, attribute = target.partition(":")
        method: Method = getattr(import_module(module), attribute)
        return method
    announced = _announce().get(name)
    if announced is not None:
        loaded: Method = announced.load()
        return loaded
    raise UnknownMethodError(name, method_names())


def asks_model(method: Method) -> bool:
    """Return whether a method asks a model if there is one, though it may need none: its attribute
    ``asks`` says so, else its needs."""
    return bool(getattr(method, "asks", "model" in method.needs))


def takes_verdicts(method: Method) -> bool:
    """Return whether verdicts that were recorded elsewhere stand in for a model that this method
    asks."""
    return bool(getattr(method, "takes_verdicts", False))


@cache
def _announce() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group="halubot.methods")}


ALL: Final = "all"


def windows_of(case: Case) -> int | None:
    """Return how many windows of the references are read, None for all of them, as without the
    option.
    Raises SettingError for anything but "all" and a whole number from 1."""
    found = case.options.get("windows", ALL)
    if found == ALL:
        return None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise SettingError(f"the windows are {found!r}, not 'all' or a whole number from 1")
    return found
