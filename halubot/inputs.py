"""The input of a check: its options, read, checked and put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from halubot import defaults
from halubot.concurrency import Deadline
from halubot.errors import HalubotError, InputError, SettingError
from halubot.events import Event, Note, Started
from halubot.evidence import MOST_CHARACTERS, text_source
from halubot.evidence.context import MOST
from halubot.methods import registry
from halubot.methods.registry import Case, Method
from halubot.report import Models, Question, Source, Threshold
from halubot.text import Document, clean, read
from halubot.verifier.encoder import VERIFIER
from halubot.version import __version__

if TYPE_CHECKING:
    from halubot.evidence.knowledge.named_bases import Joined, Named
    from halubot.evidence.web.lookup import Web
    from halubot.evidence.web.providers import WebSettings
    from halubot.models.model import LanguageModel
    from halubot.models.panel import Panel

Material = str | Path | Source


MOST_LEFT_OUT = 5
"""Unreadable files of a folder that are named one by one; the others are counted."""

MOST_REFERENCES = 20_000
MOST_SAMPLES = 2_000
MOST_OF_SAMPLES = 4_000_000
"""The most texts to compare with, and the most characters of all samples together."""

_Kind = Literal["sample", "reference"]


def sources(
    given: Iterable[Material], kind: _Kind, left_out: list[HalubotError] | None = None
) -> tuple[Source, ...]:
    """Return the given material as sources with ids of their own, in order.

    The errors of files of a folder that could not be read are added to ``left_out``. Raises
    InputError for more material than a check has memory for, and for an empty text.
    """
    # A single text is iterable too: letter by letter.
    items = [given] if isinstance(given, (str, Path, Source)) else given
    found: list[Source] = []
    characters = 0
    for item in items:
        added = _as_sources(item, kind, len(found) + 1, left_out)
        found += added
        characters += sum(len(one.text or "") for one in added)
        # After each item, so that no more of a folder is read than a check has memory for.
        _refuse_too_much(len(found), characters, kind)
    return _numbered(found, kind)


def _as_sources(
    item: object, kind: _Kind, place: int, left_out: list[HalubotError] | None
) -> Sequence[Source]:
    """One item as sources: several for a folder. ``place`` is that of the first."""
    match item:
        case Source():
            cleaned = None if item.text is None else clean(item.text)[0]
            return [item.model_copy(update={"text": cleaned})]
        case Path():
            # Late: a check of texts loads nothing that reads files.
            from halubot.evidence.files import load_all

            return load_all(item, kind=kind, left_out=left_out)
        case str() if item.strip():
            return [text_source(item, kind, place)]
        case str():
            raise InputError(f"{kind} {place} is empty")
    raise InputError(f"{kind} {place} is {type(item).__name__}, not a text")


def _refuse_too_much(texts: int, characters: int, kind: _Kind) -> None:
    if kind == "sample":
        most, most_characters, remedy = MOST_SAMPLES, MOST_OF_SAMPLES, "give fewer"
    else:
        most, most_characters = MOST_REFERENCES, MOST_CHARACTERS
        remedy = "`halubot knowledge add` makes a base of them, which --knowledge names"
    if texts > most or characters > most_characters:
        raise InputError(
            f"there are more than {most_characters:,} characters or {most:,} texts among the"
            f" {kind}s: {remedy}"
        )


def _numbered(found: Iterable[Source], kind: _Kind) -> tuple[Source, ...]:
    """The sources with ids that count those of a kind: s1, s2 or r1, r2, and k1 for passages."""
    counts: Counter[str] = Counter()
    numbered = []
    for source in found:
        # What was found in knowledge before, and is given again, keeps its kind.
        letter = "k" if source.kind == "knowledge" else kind[0]
        counts[letter] += 1
        numbered.append(source.model_copy(update={"id": f"{letter}{counts[letter]}"}))
    return tuple(numbered)


def left_out_notes(left_out: Sequence[HalubotError]) -> tuple[Note, ...]:
    """Return notes of why files were left out, the first of them one by one."""
    notes = [Note(what="a file was left out", why=str(e)) for e in left_out[:MOST_LEFT_OUT]]
    if len(left_out) > MOST_LEFT_OUT:
        more = len(left_out) - MOST_LEFT_OUT
        notes.append(Note(what="files were left out", why=f"{more} more could not be read"))
    return tuple(notes)


class Options(TypedDict, total=False):
    """The options that every entrance takes beside the text; all may be left out.

    ``question``, ``context``
        The question that the text answers, and the messages before it.
    ``samples``
        Other answers to the same question.
    ``references``
        Texts that count as true; a folder stands for its files.
    ``knowledge``
        Knowledge bases to search for each sentence: names, as `halubot knowledge list` shows them,
        or objects that are a `Knowledge`. Passages that are found count as true.
    ``knowledge_folder``
        The folder of the bases that are named (default: in the platform's folder for data).
    ``web``
        Search providers to look the text up on the web, by name (see
        `halubot.evidence.web.providers`). Names and words of the text go to them.
    ``web_queries``
        The most queries of one message (default 6).
    ``web_allow``, ``web_deny``
        Sites whose pages alone are used, and sites whose pages are not.
    ``sentences``
        The sentences of the text, in order, if they are not to be found by rules.
    ``subject``
        The subject of the text, for pronouns that name nothing.
    ``method``
        The name of a method (default: "cascade" with a model, else "consensus").
    ``threshold``
        The score from which a fact is doubted, 0 to 1 (default: the method's).
    ``deadline``
        Seconds after which all stops, a correction too; the report has what is known by then. Or a
        `halubot.concurrency.Deadline` that has begun.
    ``options``
        The method's own settings, by name.
    ``verifier``
        The encoder with which `consensus` compares: a file, a folder, or a model that was pulled;
        "none" for words, values and names alone (default: the one that ships).
    ``watch``
        A function that is called with each event as it happens.

    With a model (see `halubot.open_panel`):

    ``model``, ``judge_model``
        The model that answers and draws samples, and the one that judges (default: the same), by
        their names in litellm or as a `LanguageModel`.
    ``api_base``
        The address of the server.
    ``n_samples``
        The most samples to draw (default 20) if none are given. With references none are drawn
        unless this is set. Of samples that are given, only the first ``n_samples`` are used.
    ``max_calls``, ``max_cost``
        The budget, in calls and in US dollars.
    ``concurrency``
        How many calls may be under way at once to one provider (default 64).
    ``timeout``
        Seconds that one call may take (default 60).
    ``system``
        A system prompt for the answer and the samples.
    ``reasoning_effort``, ``think``, ``num_ctx``, ``parameters``
        Parameters of the model's server: how long the model thinks, False to turn thoughts off, the
        tokens of context that Ollama opens, and any others by name.
    ``as_published``
        True to follow the method's paper step by step, with a call for each step.
    ``verdicts``
        Verdicts on the sentences that were recorded elsewhere (`Case`).
    ``store``
        The folder in which answers of models are kept (default: in the platform's folder for data).
    ``record``, ``replay``
        A file of all answers that are used: to write, or to answer from without a model.
    ``panel``
        Models that were opened before, in place of all these.
    """

    question: str | None
    context: str | None
    samples: Iterable[Material]
    references: Iterable[Material]
    knowledge: Iterable[Named]
    knowledge_folder: Path | None
    web: str | Iterable[str] | Web
    web_queries: int | None
    web_allow: Iterable[str]
    web_deny: Iterable[str]
    sentences: Sequence[str] | None
    subject: str | None
    verifier: str | None
    method: str | None
    threshold: float | None
    deadline: float | Deadline | None
    options: Mapping[str, Any] | None
    watch: Callable[[Event], None] | None
    model: str | LanguageModel | None
    judge_model: str | LanguageModel | None
    api_base: str | None
    n_samples: int | None
    max_calls: int | None
    max_cost: float | None
    concurrency: int | None
    timeout: float | None
    system: str | None
    reasoning_effort: str | None
    think: bool | None
    num_ctx: int | None
    parameters: Mapping[str, Any] | None
    as_published: bool
    verdicts: Sequence[Sequence[int | None]] | None
    store: Path | None
    record: Path | None
    replay: Path | None
    panel: Panel | None


def join_options(
    common: Options, own: Mapping[str, Any], samples: Iterable[Source], references: Iterable[Source]
) -> Options:
    """Return the options of all checks with those of one: its own values that are not None replace
    others, its texts join them."""
    options: dict[str, Any] = {**common, **{k: v for k, v in own.items() if v is not None}}
    options["samples"] = [*common.get("samples", ()), *samples]
    options["references"] = [*common.get("references", ()), *references]
    return cast("Options", options)


@dataclass(frozen=True)
class Given:
    """The options of a check, read and validated. ``base`` is the case for the method, without the
    message and the parts that only a model brings. ``draw`` is the most samples to draw.
    ``closing`` closes what was opened for this run alone."""

    method: Method
    panel: Panel | None
    question: str
    context: str
    base: Case
    knowledge: Joined | None
    web: Web | None
    threshold: Threshold
    draw: int
    notes: tuple[Note, ...]
    closing: ExitStack

    def case(self, message: Document) -> Case:
        """Return the case for the method, without the parts that only a model brings."""
        return replace(self.base, message=message)

    def make_started(self, message: Document, *, asking: bool = False) -> Started:
        """Return the first event. With ``asking`` the message is still to be written."""
        question = self.base.question
        models = Models()
        if self.panel is not None:
            answers, judge = self.panel.answer.name, self.panel.judge.name
            models = Models(
                answer=answers if asking else None,
                sample=answers if self.draw else None,
                judge=judge,
            )
        return Started(
            text=message.text,
            sentences=message.sentences,
            question=Question(text=question, origin="given") if question else None,
            method=self.method.name,
            models=models,
            engine=__version__,
            threshold=self.threshold,
            sources=self.base.samples + self.base.references,
        )


def read_options(options: Options) -> Given:
    """Read and validate the options. Open the models, if some are named and no panel is given.

    Raises SettingError, UnknownMethodError and InputError for options that are wrong.
    """
    # A TypedDict refuses nothing when a program runs.
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
    left_out: list[HalubotError] = []
    # Samples that are given are not drawn, so `n_samples` says how many of them count.
    samples = sources(options.get("samples") or (), "sample", left_out)[: _most(options)]
    references = sources(options.get("references") or (), "reference", left_out)
    notes = left_out_notes(left_out)
    # Only what is near the text is read of more than `MOST` characters; a sentence that says the
    # same in other words may be missed.
    if sum(len(source.text or "") for source in references) > MOST:
        why = "only the parts of the references that are nearest to the text are compared"
        notes += (Note(what="not all was compared", why=why),)
    verdicts = options.get("verdicts")
    with_model = options.get("panel") is not None or names_models(options)
    named = options.get("method") or default_method(options)
    method = registry.get(named)
    if not with_model and verdicts is None and options.get("as_published"):
        raise SettingError("--as-published makes a model's calls: name one with --model")
    if options.get("as_published") and "model" not in method.needs:
        raise SettingError(
            f"--as-published makes a model's calls one by one, and {method.name} makes none"
        )
    own = own_options(options)
    if own:
        # With click, which a check without settings does not need.
        from halubot.options import read_settings

        own = read_settings(method.name, own)
    draw = _to_draw(options, method, samples, references)
    with ExitStack() as stack:
        opened = open_options(options, stack)
        closing = stack.pop_all()
    bases = open_bases(opened)
    default = method.default_threshold
    limit = default if threshold is None else Threshold(value=threshold, fitted_on=None)
    base = Case(
        message=read(""),
        samples=samples,
        references=references,
        question=texts["question"] or texts["context"] or None,
        subject=texts["subject"] or None,
        threshold=limit.value,
        options=own,
        as_published=bool(options.get("as_published")),
        verdicts=None if verdicts is None else tuple(tuple(row) for row in verdicts),
        knowledge=bases,
    )
    return Given(
        method=method,
        panel=opened.get("panel"),
        question=texts["question"],
        context=texts["context"],
        base=base,
        knowledge=bases,
        web=cast("Web | None", opened.get("web") or None),
        threshold=limit,
        draw=draw,
        notes=notes,
        closing=closing,
    )


def open_options(options: Options, stack: ExitStack, *, models: bool = True) -> Options:
    """Return the options with the web, the knowledge and, with ``models``, the models that they
    name opened, for any number of runs. What was opened here is closed with ``stack``. Raises
    SettingError for options that are wrong, and for the web if the network is refused."""
    opened = options.copy()
    settings = web_settings(options)
    if settings is not None:
        from halubot.evidence.web.lookup import Web
        from halubot.offline import is_refused

        if not isinstance(options.get("web"), Web):
            if is_refused():
                raise SettingError(
                    "--web searches the web, and --offline lets nothing out: leave one out"
                )
            opened["web"] = web = Web(settings)
            stack.callback(web.close)
    bases = open_bases(options)
    if bases is not None:
        stack.callback(bases.close)
        opened["knowledge"] = bases.bases
    if models and options.get("panel") is None and names_models(options):
        # Late: a check without a model loads none of its libraries.
        from halubot.models.panel import open_panel

        taken = signature(open_panel).parameters
        given: dict[str, Any] = {name: value for name, value in options.items() if name in taken}
        opened["panel"] = panel = open_panel(**given)
        stack.callback(panel.close)
    return opened


def own_options(options: Options) -> dict[str, Any]:
    """Return the method's own settings, by name."""
    own = dict(options.get("options") or {})
    if verifier := options.get("verifier"):
        own[VERIFIER] = verifier
    return own


def default_method(options: Options) -> str:
    """Return the name of the method that judges if none is named: `cascade` with a model, else
    `consensus`."""
    asking = options.get("panel") is not None or names_models(options)
    return defaults.MODEL_METHOD if asking else defaults.METHOD


def names_models(options: Options) -> bool:
    """Return True if the options name a model, or a record of one."""
    return any(options.get(name) for name in ("model", "judge_model", "replay"))


def open_bases(options: Options) -> Joined | None:
    """Open the knowledge bases that are named and join them with those given; None if there are
    none."""
    named = options.get("knowledge")
    if not named:
        return None
    from halubot.evidence.knowledge.named_bases import join
    from halubot.offline import is_refused

    folder = options.get("knowledge_folder")
    return join(named, offline=is_refused(), folder=folder and Path(folder))


def web_settings(options: Options) -> WebSettings | None:
    """Return what the options say of the web; None if no provider is named. Raises SettingError."""
    named = options.get("web")
    if not named:
        return None
    from halubot.evidence.web.lookup import Web
    from halubot.evidence.web.providers import read_web

    if isinstance(named, Web):
        return named.settings
    return read_web(
        named,
        queries=options.get("web_queries"),
        allow=options.get("web_allow") or (),
        deny=options.get("web_deny") or (),
        max_cost=options.get("max_cost"),
    )


def _to_draw(
    options: Options, method: Method, samples: Sequence[Source], references: Sequence[Source]
) -> int:
    """Return the most samples to draw: 0 if samples are given, and 0 beside references or knowledge
    that are enough for the method unless ``n_samples`` is set."""
    count = _most(options)
    known = bool(references or options.get("knowledge") or options.get("web"))
    # A reference outweighs samples, and samples that nobody asked for would cost a person money.
    enough = known and "references" in method.needs and not method.needs_all
    if samples or "samples" not in method.needs or (enough and count is None):
        return 0
    return defaults.SAMPLES if count is None else count


def _most(options: Options) -> int | None:
    """Return the option ``n_samples``, None without it. Raises SettingError below 1."""
    count = options.get("n_samples")
    if count is not None and count < 1:
        raise SettingError(f"the number of samples is {count}, not 1 or more")
    return count
