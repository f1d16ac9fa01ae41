"""A fact made ready to be looked for: what must be there, and what could rival it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from halubot.facts import Fact
from halubot.match.names import is_name, same_name
from halubot.match.negation import Denial, denials, denied, is_negative
from halubot.match.values import Value, find
from halubot.match.words import Token, normal, tokens
from halubot.text import Document, Span

# How much a word weighs when it is looked for: names tell more than common words.
NAME_WEIGHT = 2.0
VALUE_WEIGHT = 3.0

Weights = dict[str, float]

_PRONOUN = "he she it they i we you who which that this these those"
_PRONOUNS = frozenset(_PRONOUN.split())
_PREPOSITION = """
in on at to from until till by of for with as into near against under during since after before
between through
"""
PREPOSITIONS = frozenset(_PREPOSITION.split())
_PLACE = frozenset({"in", "at", "near", "on"})

COPULAS = frozenset({"is", "was", "are", "were"})

# Verbs of events that happen once, so that another value denies.
_ONCE = """
born died buried baptised baptized founded established formed incorporated located situated
directed invented discovered premiered abolished dissolved demolished capital population
elevation height length width depth area altitude distance diameter weighs measures costs age
aged knighted ordained beatified canonised canonized assassinated executed headquartered
geboren gestorben gegründet erbaut eröffnet hauptstadt
"""
ONCE = frozenset(normal(word) for word in _ONCE.split())
# What is done once to one thing: functional only where the relation says nothing more.
_DONE = "released published launched opened completed built unveiled introduced"
DONE = frozenset(normal(word) for word in _DONE.split())
# Beginnings and ends: functional where the head is no person but the thing that begins.
_MARKS = "began begin started start commenced ended end finished finish completed closed ceased"
MARKS = frozenset(normal(word) for word in _MARKS.split())
# Verbs of what happens again and again, so that another value denies nothing by itself.
_OFTEN = """
won win wins awarded received earned wrote written published played plays appeared worked served
named selected recorded scored visited toured performed competed participated nominated elected
represented starred joined signed released made began held taught
"""
OFTEN = frozenset(normal(word) for word in _OFTEN.split())
_LIGHT = """
made make became become was were is are had has have began begin took take went go came come did
got get year also later first
"""
LIGHT = frozenset(normal(word) for word in _LIGHT.split())
BIRTH = normal("born")
DEATH = normal("died")


@dataclass(frozen=True)
class Around:
    """The sentences a fact stands in: their content words, all their stems, their values, and
    where they deny."""

    words: Weights
    stems: frozenset[str]
    values: tuple[Value, ...]
    tokens: tuple[Token, ...]
    denials: tuple[Denial, ...]


@dataclass(frozen=True)
class Claim:
    """A fact in the form in which texts are asked for it.

    ``head`` is empty where the fact is about the subject of the message, which other texts may
    not name. ``relation`` and ``tail`` are stems with weights, without values. ``required`` are the
    stems of its names and codes, none of which may be missing, ``titled`` those of the head;
    ``context`` holds the content words ``around`` the fact beside its tail. ``numerals`` are the
    digits of its ``values`` as stems; ``settings`` are the values in its head and relation, which
    must be there too ("pitched over 200 innings in"). ``slot`` is the preposition before the
    value, ``counted`` the thing that it counts. ``name`` is the name that a tail is or ends
    in ("architect Ada Weir"). ``denied`` are the fact's own stems that its
    sentence denies, ``denials`` counts the negations over them. ``listed`` says that the message
    gives several values to the same head and relation."""

    fact: Fact
    head: Weights
    relation: Weights
    tail: Weights
    required: frozenset[str]
    titled: frozenset[str]
    context: Weights
    values: tuple[Value, ...]
    numerals: frozenset[str]
    settings: tuple[Value, ...]
    slot: str
    counted: str
    denied: frozenset[str]
    denials: int
    name: str
    clause: bool
    listed: bool
    around: Around

    @cached_property
    def tail_words(self) -> float:
        """The weight of the tail's words."""
        return sum(self.tail.values())

    @cached_property
    def tail_weight(self) -> float:
        """The weight of the tail, its values included."""
        return self.tail_words + VALUE_WEIGHT * len(self.values)

    @cached_property
    def relation_weight(self) -> float:
        """The weight of the relation's words."""
        return sum(self.relation.values())

    @cached_property
    def life(self) -> str:
        """ "birth" or "death" where the claim is a date of the subject's life, else empty."""
        if self.head or self.tail or self.denied or not self.values:
            return ""
        if self.values[0].kind != "date" or len(self.values) > 1:
            return ""
        stems = set(self.relation)
        if stems == {BIRTH}:
            return "birth"
        return "death" if stems == {DEATH} else ""

    @cached_property
    def vital(self) -> bool:
        """Whether the relation is a birth or a death."""
        return BIRTH in self.relation or DEATH in self.relation

    @cached_property
    def once(self) -> bool:
        """Whether the relation can have one value only."""
        words = self.tail if self.clause else self.relation
        return any(stem in ONCE for stem in words) or (
            bool(self.relation) and self.relation.keys() <= (DONE | MARKS if self.head else DONE)
        )

    @cached_property
    def often(self) -> bool:
        """Whether the relation can hold again with another value."""
        return any(stem in OFTEN for stem in self.relation)

    @cached_property
    def specific(self) -> int:
        """How many words of the relation say which event it is."""
        return sum(stem not in LIGHT for stem in self.relation)


def claims(message: Document, facts: Sequence[Fact], subject: str | None) -> tuple[Claim, ...]:
    """The claims of the facts, in their order."""
    about = subject or _main_head(facts)
    own = weights(about) if about else {}
    seen = Counter(_place(fact) for fact in facts)
    around = {fact.sentences: _around(message, fact.sentences) for fact in facts}
    # German writes every noun with a capital, so capitals tell no names there.
    names = message.language != "de"
    return tuple(
        _claim(fact, about, own, around[fact.sentences], seen, names=names) for fact in facts
    )


Place = tuple[str, str, str]


def _name(tail: str) -> str:
    """The name that a tail is, at most two common words before it left out; empty where it is
    none."""
    for words in range(3):
        rest = tail.split(" ", words)[-1] if tail.count(" ") >= words else ""
        if rest[:1].isupper() and is_name(rest):
            return rest
    return ""


def _place(fact: Fact) -> Place:
    """What a value would have to share to stand in the same place: head, relation and kind."""
    values = find(fact.triple.tail)
    kind = values[0].kind if values else "name" if is_name(fact.triple.tail) else ""
    return fact.triple.head.lower(), fact.triple.relation.lower(), kind


def _around(message: Document, sentences: tuple[int, ...]) -> Around:
    words: Weights = {}
    found: list[Token] = []
    values: list[Value] = []
    denied_parts: list[Denial] = []
    for number in sentences:
        if number < len(message.sentences):
            span = message.sentences[number]
            inside = find(message.plain, *span)
            words |= weights(message.plain, *span, values=inside)
            values.extend(inside)
            found.extend(tokens(message.plain, *span))
            denied_parts.extend(denials(message.plain, *span))
    stems = frozenset(token.norm for token in found)
    return Around(words, stems, tuple(values), tuple(found), tuple(denied_parts))


def _claim(
    fact: Fact,
    about: str,
    own: Weights,
    around: Around,
    seen: Counter[Place],
    *,
    names: bool,
) -> Claim:
    head, relation, tail = fact.triple
    tail_values = _as_in_text(find(tail), fact.parts.tail, around)
    relation_values = find(relation)
    tail_stems = weights(tail)
    relation_stems = weights(relation, values=relation_values)
    is_subject = not head or head.lower() in _PRONOUNS or _is_about(head, about, own)
    words = [token.text.lower() for token in tokens(relation, 0, len(relation))]
    if not relation_stems and not is_subject and any(stem in ONCE for stem in weights(head)):
        relation_stems = weights(head)  # "the capital of Australia is": the head says what
    head_stems = {} if is_subject else weights(head) or {normal(head): 1.0}
    clause = not head and not relation
    opening = tail.split(" ", 1)[0].lower()
    if opening in PREPOSITIONS:
        words.append(opening)
    if not clause:
        for stem in own:
            if len(tail_stems) > 1:
                tail_stems.pop(stem, None)
            relation_stems.pop(stem, None)
    return Claim(
        fact=fact,
        head=head_stems,
        relation=relation_stems,
        tail=tail_stems,
        required=_required(tail, tail_stems, names=names, clause=clause)
        | _required(relation, relation_stems, names=names, clause=False),
        titled=_required(head, head_stems, names=names, clause=False) - own.keys(),
        context={
            stem: weight
            for stem, weight in around.words.items()
            if stem not in tail_stems and stem not in own
        },
        values=tail_values,
        numerals=frozenset(
            token.norm for token in tokens(tail, 0, len(tail)) if token.kind == "number"
        ),
        settings=relation_values if is_subject else find(head) + relation_values,
        slot=words[-1] if words and words[-1] in PREPOSITIONS | COPULAS else "",
        counted=_counted(tail),
        denied=_denied(fact, around),
        denials=_count_denials(fact, around),
        name="" if tail_values else _name(tail),
        clause=clause,
        listed=seen[_place(fact)] > 1,
        around=around,
    )


def _as_in_text(values: tuple[Value, ...], span: Span | None, around: Around) -> tuple[Value, ...]:
    """The values of a tail as they read in its sentence, where an "about" may stand before."""
    if span is None:
        return values
    known = {(value.start, value.end): value for value in around.values}
    return tuple(known.get((value.start + span[0], value.end + span[0]), value) for value in values)


def _required(tail: str, stems: Weights, *, names: bool, clause: bool) -> frozenset[str]:
    """The stems of a tail's names and codes ("18p"). A clause begins with a capital anyway."""
    found = tokens(tail, 0, len(tail))
    return frozenset(
        token.norm
        for at, token in enumerate(found)
        if token.norm in stems
        and (
            token.kind == "number"
            or (names and token.text[0].isupper() and not (clause and not at))
        )
    )


def _denied(fact: Fact, around: Around) -> frozenset[str]:
    """The fact's stems that its sentence denies, by their places in it; all of them where the
    fact denies and its places are not known."""
    inside = _inside(fact, around)
    if not inside:
        text = f"{fact.triple.relation} {fact.triple.tail}"
        return frozenset(weights(text)) if fact.negated or is_negative(text) else frozenset()
    return frozenset(token.norm for token in inside if denied(around.denials, token.start))


def _count_denials(fact: Fact, around: Around) -> int:
    content = [token for token in _inside(fact, around) if token.kind != "stop"]
    return sum(
        any(denial.start <= token.start < denial.end for token in content)
        for denial in around.denials
    )


def _inside(fact: Fact, around: Around) -> list[Token]:
    """The tokens of the fact's own words in its sentence."""
    return [
        token
        for token in around.tokens
        if any(start <= token.start < end for start, end in fact.spans)
    ]


def weights(
    text: str, start: int = 0, end: int | None = None, values: Iterable[Value] | None = None
) -> Weights:
    """The content stems of a text with their weights, those inside its values left out."""
    end = len(text) if end is None else end
    spans = [(v.start, v.end) for v in (find(text, start, end) if values is None else values)]
    found: Weights = {}
    for token in tokens(text, start, end):
        if token.kind == "stop" or any(low <= token.start < high for low, high in spans):
            continue
        weight = NAME_WEIGHT if token.text[0].isupper() else 1.0
        found[token.norm] = max(weight, found.get(token.norm, 0.0))
    return found


def _counted(tail: str) -> str:
    """The stem of the thing counted: "wicket" of "32 wickets in all"."""
    values = find(tail)
    if not values or values[0].kind not in {"number", "ordinal"}:
        return ""
    after = tokens(tail, values[0].end, len(tail))
    return next((token.norm for token in after[:2] if token.kind != "stop"), "")


def _is_about(head: str, about: str, own: Weights) -> bool:
    if not about:
        return False
    if same_name(head, about):
        return True
    stems = weights(head)
    return bool(stems) and is_name(head) and all(stem in own for stem in stems)


def _main_head(facts: Sequence[Fact]) -> str:
    """Whom the message is about where nobody says so: the first head that is a name."""
    return next((fact.triple.head for fact in facts if is_name(fact.triple.head)), "")
