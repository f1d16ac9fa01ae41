"""A judge for tests: it reads halubot's own prompts, and answers each kind as its schema wants.

    judge = Judge(stance=lambda fact, source: "supports" if "1815" in source else "silent")
    model = ScriptedModel(judge)        # in the process
    server.answer(judge.reply)          # a loopback server, through litellm

It takes texts apart by halubot's rules and, where a test says nothing else, compares word by word.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import count, product
from typing import Any

from halubot.claims import extract
from halubot.compare.tokens import tokens
from halubot.dry_run.free_model import triples_by_rules
from halubot.methods.calls.canaries import INVENTED, Canary, plant
from halubot.methods.calls.citation import DASH
from halubot.methods.calls.verification import FACT
from halubot.models.model import Request
from halubot.report import Stance, Triple
from halubot.text import read
from halubot_prompts import Library
from tests.examinee import Examinee
from tests.knowing import Knowing
from tests.loopback import Body, Reply

ANSWER = "Ada Lovelace was born in 1815 in London. She wrote notes on the Analytical Engine."

Planting = Callable[[str, Sequence[str]], list[int | Canary]]
_OF_SENTENCES = partial(plant, sentences=True)

PLANTED: dict[str, tuple[str, Planting]] = {
    "verify-facts": ("facts", plant),
    "verify-facts-triples": ("facts", plant),
    "verify-sentences": ("sentences", _OF_SENTENCES),
    "issc": ("sentences", _OF_SENTENCES),
    "issc-cot": ("sentences", partial(plant, sentences=True, most=1)),
}
"""The prompts that may have canaries among what they ask about: the field, and what planted it."""

CITED = {"verify-facts": ("supports", "contradicts"), "verify-sentences": ("yes",)}
"""The prompts that show a source by numbered sentences, and the words before which one is named."""

REASONED = ("triplet-reasoning", "triplet-detailed-reasoning")
"""The prompts that compare triples and ask for reasons."""

_FENCED = re.compile(r"<([a-z_]+)-([0-9a-f]{8})>\n(.*?)\n</\1-\2>", re.DOTALL)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Asked:
    """One request as the judge reads it: the prompt's name, its fields without their fences, the
    keys that the schema demands, the user's own words, and whether a sample is drawn. ``canaries``
    are taken out of the facts: by their numbers, whether the source says them. ``flat`` tells that
    a value is wanted under each number, and no object. ``sentences`` are those of a source that is
    shown by number; ``fields`` has their text."""

    prompt: str
    fields: Mapping[str, Any]
    keys: tuple[str, ...]
    words: str
    drawn: bool
    canaries: Mapping[str, bool] = field(default_factory=dict)
    flat: bool = False
    sentences: Mapping[str, str] = field(default_factory=dict)

    @property
    def numbers(self) -> list[str]:
        """The keys that are numbers: what is wanted one by one."""
        return [key for key in self.keys if key.isdigit()]

    @property
    def own(self) -> list[str]:
        """The same without canaries."""
        return [key for key in self.numbers if key not in self.canaries]

    def cite(self, words: Sequence[str], wanted: str, thing: str) -> str:
        """A word as the prompt wants it: one of ``words`` after the number of the sentence of the
        source that shares most words with the thing."""
        if wanted == FACT.dashed and self.prompt == "verify-facts":
            return DASH
        if not self.sentences or wanted not in words:
            return wanted
        held = {one.norm for one in tokens(thing, 0, len(thing)) if one.kind != "stop"}

        def shared(number: str) -> int:
            sentence = self.sentences[number]
            return len(held & {one.norm for one in tokens(sentence, 0, len(sentence))})

        return f"{max(self.sentences, key=shared)} {wanted}"

    @property
    def facts(self) -> list[str]:
        """The facts in their order, without canaries."""
        return list(self.fields["facts"].values())


def in_words(fact: str, source: str) -> Stance:
    """A source supports a fact if it holds the words of its tail, and is silent on any other."""
    return "supports" if _holds(source, fact.rpartition(" | ")[2]) else "silent"


def all_in_words(sentence: str, source: str) -> str:
    """Whether a source holds the words of the tails of all facts of a sentence."""
    tails = [fact.triple.tail for fact in extract(read(sentence))]
    if not tails:
        return "unclear"
    return "yes" if all(_holds(source, tail) for tail in tails) else "no"


def refused(sentence: str, hints: Sequence[str]) -> tuple[str, str]:
    """What has hints is refused, everything else kept."""
    return ("refused", "nothing else is known") if hints else ("kept", "")


def made_up(text: str, context: str) -> str:
    """A text is made up if the context does not hold the words of all its facts' tails."""
    return "yes" if all_in_words(text, context) == "no" else "no"


@dataclass
class Judge:
    """Answers as a sensible model would; the same request always gets the same answer.

    ``answer`` is the answer to every question; sample number i is the i-th of ``samples``, from
    the first again where they are used up. ``stance`` is asked with a fact as "head | relation |
    tail" (or a list of triples as JSON, where the prompt has triples) and a source, ``supported``
    with a sentence and a source, ``hallucination`` with an answer or a sentence and the context
    ("" where there is none), ``rewrite`` with a sentence and the hints on it. Canaries are answered
    rightly, unless ``canary`` answers them: it is told whether the source says one. ``knowing``
    looks details up, ``examinee`` finds parts of facts again. ``honours_n`` False sends one choice
    whatever is asked. ``asked`` keeps every request that came.
    """

    answer: str = ANSWER
    samples: Sequence[str] = (ANSWER,)
    question: str = "Who was Ada Lovelace?"
    stance: Callable[[str, str], Stance] = in_words
    supported: Callable[[str, str], str] = all_in_words
    hallucination: Callable[[str, str], str] = made_up
    rewrite: Callable[[str, Sequence[str]], tuple[str, str]] = refused
    canary: Callable[[bool], Stance] = lambda right: "supports" if right else "contradicts"
    knowing: Knowing = field(default_factory=Knowing)
    examinee: Examinee = field(default_factory=Examinee)
    honours_n: bool = True
    asked: list[Asked] = field(default_factory=list)
    _handed_out: count[int] = field(default_factory=count)

    def __call__(self, request: Request) -> str:
        """The answer to a request, for `halubot.testing.ScriptedModel`."""
        messages = [(message.role, message.content) for message in request.messages]
        schema = request.schema.value if request.schema else {}
        asked = understood(messages, schema, drawn=request.temperature is not None)
        self.asked.append(asked)
        return self.said(asked, request.first)

    def reply(self, body: Body) -> Reply:
        """The reply to a request, for `tests.loopback.Loopback.answer`; tokens are words."""
        asked = received(body)
        self.asked.append(asked)
        wanted = int(body.get("n") or 1) if self.honours_n else 1
        sample = asked.prompt == "answer" and asked.drawn
        indexes = [next(self._handed_out) if sample else 0 for _ in range(wanted)]
        texts = tuple(self.said(asked, index) for index in indexes)
        taken = sum(len(message["content"].split()) for message in body["messages"])
        written = sum(len(text.split()) for text in texts)
        return Reply(texts=texts, ignore_n=not self.honours_n, usage=(taken, written))

    def held(self, gate: threading.Event) -> Callable[[Body], Reply]:
        """Return what answers as this one does, but not before the gate is open."""
        return lambda body: replace(self.reply(body), gate=gate)

    def said(self, asked: Asked, index: int = 0) -> str:
        """The answer to what was asked; ``index`` is that of the sample."""
        if asked.prompt == "answer":
            return self.samples[index % len(self.samples)] if asked.drawn else self.answer
        value = self._value(asked)
        if asked.prompt in CITED:
            for key in asked.numbers:
                ((name, word),) = value[key].items()
                things = asked.fields["facts" if "facts" in asked.fields else "sentences"]
                thing = things.get(key, "")
                value[key] = {name: asked.cite(CITED[asked.prompt], word, thing)}
        if asked.flat:
            for key in asked.numbers:
                (value[key],) = value[key].values()
        return json.dumps(value, ensure_ascii=False)

    def _value(self, asked: Asked) -> dict[str, Any]:
        fields = asked.fields
        match asked.prompt:
            case "question":
                return {"question": self.question}
            case "extract":
                facts = _by_sentence(fields["text"], fields["sentences"], fields.get("subject"))
                return {key: {"facts": _records(facts[key])} for key in asked.numbers}
            case "gca-extract":
                listed = _by_sentence(fields["text"], fields["sentences"], fields.get("subject"))
                return {
                    key: {"facts": _records(listed[key]), "right": "yes", "revised": []}
                    for key in asked.numbers
                }
            case "gca-revise":
                lists = {key: fields["sentences"][key]["facts"] for key in asked.numbers}
                return {key: {"facts": _read_back(facts)} for key, facts in lists.items()}
            case name if name.startswith("gca-"):
                return self.examinee.value(name, fields, asked.numbers)
            case "web-queries":
                return {"queries": [" ".join(one).strip() for one in triples_of(fields["text"])]}
            case "extract-entities":
                triples = triples_of(fields["text"])
                return {"entities": _unique([*(one.head for one in triples), *_tails(triples)])}
            case "extract-relations":
                return {"relations": _unique([one.relation for one in triples_of(fields["text"])])}
            case "extract-sentence":
                of_all = _by_sentence(fields["text"], {"0": fields["sentence"]}, None)
                return {"facts": _records(of_all["0"])}
            case "extract-sample":
                return {"facts": _records(triples_of(fields["sample"]))}
            case "fsc-text" | "fsc-kg":
                source = fields["source"] if "source" in fields else json.dumps(fields["triples"])
                supported = self.stance(fields["fact"], source) == "supports"
                return {"supported": "yes" if supported else "no"}
            case "verify-facts" | "verify-facts-triples":
                source = fields["source"]
                stances = {
                    key: self.canary(asked.canaries[key])
                    if key in asked.canaries
                    else self.stance(fields["facts"][key], source)
                    for key in asked.numbers
                }
                preface = {"triples": _records(triples_of(source))}
                return {
                    **(preface if "triples" in asked.keys else {}),
                    **{key: {"stance": stance} for key, stance in stances.items()},
                }
            case "verify-sentence":
                return {"supported": self.supported(fields["sentence"], fields["source"])}
            case "verify-sentences":
                return {key: {"supported": self._supported(asked, key)} for key in asked.numbers}
            case "bcv" | "bcv-cot":
                verdict = self.hallucination(fields["answer"], fields.get("context", ""))
                reasons = {"reasons": f"so it is: {verdict}"} if "reasons" in asked.keys else {}
                return {**reasons, "hallucination": verdict}
            case "sca":
                return self._by_sentence(asked)
            case "issc" | "issc-cot":
                said = {key: self._supported(asked, key) for key in asked.numbers}
                reasons = {"reasons": "it says so"} if asked.prompt == "issc-cot" else {}
                return {
                    key: {**reasons, "supported": "yes" if word == "yes" else "no"}
                    for key, word in said.items()
                }
            case "triplet-reference":
                passages = fields["passages"]
                return {key: {"facts": _in_parts(passages[key]["text"])} for key in asked.numbers}
            case "triplet-pairwise":
                return {"stance": self.stance(fields["fact"], fields["source"])}
            case name if name.startswith("triplet-"):
                return {key: self._entailed(asked, key) for key in asked.numbers}
            case "correct-published":
                doubted = fields.get("doubted") or {}
                sentences = fields["sentences"]
                held = {
                    key: [one for one in doubted.get(key, ()) if one in sentences[key]]
                    for key in sentences
                }
                changed = {key: self.rewrite(sentences[key], held[key]) for key in asked.numbers}
                return {key: {"action": do, "text": text} for key, (do, text) in changed.items()}
            case "correct":
                hints = fields.get("hints") or {}
                told = {
                    key: self.rewrite(fields["sentences"][key], hints.get(key) or ())
                    for key in asked.numbers
                }
                return {key: {"action": do, "text": text} for key, (do, text) in told.items()}
        return self.knowing.value(asked.prompt, fields, asked.numbers or asked.keys)

    def _supported(self, asked: Asked, key: str) -> str:
        """Its word on a sentence; on a canary what it says of these."""
        if key in asked.canaries:
            return "yes" if self.canary(asked.canaries[key]) == "supports" else "no"
        return self.supported(asked.fields["sentences"][key], asked.fields["source"])

    def _entailed(self, asked: Asked, key: str) -> dict[str, Any]:
        """The stance of all triples together; before it, where reasons are asked for, those that
        take one by themselves."""
        fact, triples = asked.fields["facts"][key], asked.fields["triples"]
        stance = self.stance(fact, "\n".join(triples.values()))
        if asked.prompt not in REASONED:
            return {"stance": stance}
        alone = {int(number): self.stance(fact, triple) for number, triple in triples.items()}
        return {
            "supporting": [number for number, one in alone.items() if one == "supports"][:5],
            "contradicting": [number for number, one in alone.items() if one == "contradicts"][:5],
            "reasons": f"so it is: {stance}",
            "stance": stance,
        }

    def _by_sentence(self, asked: Asked) -> dict[str, Any]:
        context = asked.fields.get("context", "")
        sentences = asked.fields["sentences"]
        said = {key: self.hallucination(sentences[key], context) for key in asked.numbers}
        judged: dict[str, Any] = {
            key: {
                "passage": "" if word == "yes" else context[:600],
                "hallucinated": word,
                "why": f"so it is: {word}",
            }
            for key, word in said.items()
        }
        whole = "yes" if "yes" in said.values() else "no"
        return {**judged, "answers_question": "yes", "hallucination": whole}


def received(body: Body) -> Asked:
    """A request as a server receives it."""
    form = body.get("response_format") or {}
    schema = form.get("json_schema", {}).get("schema", {})
    messages = [(message["role"], message["content"]) for message in body["messages"]]
    return understood(messages, schema, drawn="temperature" in body)


def understood(
    messages: Sequence[tuple[str, str]], schema: Mapping[str, Any], *, drawn: bool
) -> Asked:
    """A request taken apart. Raises AssertionError for a prompt that is none of halubot's own."""
    (_, system), (_, user) = messages
    assert system in _prompts(), f"no prompt begins like this: {system[:200]!r}"
    fields = {name: _field(text) for name, _, text in _FENCED.findall(user)}
    numbered = next((field for field in fields.values() if isinstance(field, dict)), ())
    keys = tuple(schema.get("properties", numbered))  # a schema may have been turned down
    words = user.rpartition("\n\n")[2]
    prompt = _prompts()[system]
    canaries = {}
    sentences = fields.get("source") if prompt in CITED else None
    if isinstance(sentences, dict):
        fields["source"] = "".join(sentences.values())
    if prompt in PLANTED:
        name, planting = PLANTED[prompt]
        canaries = canaries_among(fields[name], fields["source"], planting)
        fields[name] = {key: one for key, one in fields[name].items() if key not in canaries}
    flat = _is_flat(schema)
    return Asked(prompt, fields, keys, words, drawn, canaries, flat, sentences or {})


def _is_flat(schema: Mapping[str, Any]) -> bool:
    """Whether the items of a schema by number are plain values or lists."""
    for key, item in schema.get("properties", {}).items():
        if key.isdigit():
            kind = schema["$defs"][item["$ref"].rpartition("/")[2]] if "$ref" in item else item
            return bool(kind) and "properties" not in kind
    return False


def canaries_among(
    items: Mapping[str, str], source: str, planting: Planting = plant
) -> dict[str, bool]:
    """Return the numbers of the canaries among facts or sentences, and whether the source says
    them: found by planting canaries among the others until the same come out."""
    held = _words(source)
    new = [key for key, one in items.items() if not _words(one) <= held]
    old = [key for key in items if key not in new]
    absent = [key for key in new if any(name in items[key] for name in INVENTED)]
    some_wrong = (*product(absent, new), *((key,) for key in absent))
    some_right = (*((key,) for key in old), ())
    tried = [{*right, *wrong} for right in some_right for wrong in some_wrong]
    for taken in (*tried, *({key} for key in items if len(items) > 1)):
        rest = [one for key, one in items.items() if key not in taken]
        placed = planting(source, rest)
        shown = [one.text if isinstance(one, Canary) else rest[one] for one in placed]
        if shown == list(items.values()):
            both = zip(items, placed, strict=True)
            return {key: one.right for key, one in both if isinstance(one, Canary)}
    return {}


def triples_of(text: str) -> list[Triple]:
    """The facts of a text, by halubot's rules."""
    return [fact.triple for fact in extract(read(text))]


@cache
def _prompts() -> dict[str, str]:
    """The name of each prompt by what it says to the model before anything else."""
    library = Library()
    found = {}
    for name in library.names():
        (role, paragraphs), *_ = library.get(name).sections
        if role == "system":
            found["\n\n".join(paragraphs)] = name
    return found


def _field(text: str) -> Any:
    """What a field held: lists and objects stand as JSON, anything else as it is."""
    if text[:1] not in "{[":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _by_sentence(
    text: str, sentences: Mapping[str, str], subject: str | None
) -> dict[str, list[Triple]]:
    """The facts of each of these sentences of a text, which are in order."""
    facts = extract(read(text), subject=subject)
    found: dict[str, list[Triple]] = {}
    end = 0
    for key, sentence in sentences.items():
        start = text.find(sentence, end)
        if start < 0:
            found[key] = triples_of(sentence)
            continue
        end = start + len(sentence)
        found[key] = [fact.triple for fact in facts if start <= fact.spans[0][0] < end]
    return found


def _in_parts(text: str) -> list[dict[str, str]]:
    """The facts of a text by rules; a clause is cut into three parts."""
    return _records([Triple(*parts) for parts in triples_by_rules(text)])


def _records(triples: Sequence[Triple]) -> list[dict[str, str]]:
    return [triple._asdict() for triple in triples]


def _read_back(facts: Sequence[str]) -> list[dict[str, str]]:
    """Triples as prompts show them, as a model writes them; a clause is a tail."""
    parts = [fact.split(" | ") for fact in facts]
    return _records([Triple(*["", ""][: 3 - len(one)], *one) for one in parts])


def _tails(triples: Sequence[Triple]) -> list[str]:
    return [triple.tail for triple in triples]


def _unique(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, texts)))


def _holds(text: str, words: str) -> bool:
    """Whether all the words stand in a text, in any order."""
    return _words(words) <= _words(text)


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
