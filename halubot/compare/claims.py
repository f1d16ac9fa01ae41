"""Facts made ready to be looked for in other texts, once a message."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from halubot.facts import Fact
from halubot.compare.claim import Around, Claim, Part, Weights, part
from halubot.compare.forms import name_runs
from halubot.compare.mentions import NOBODY, Name, mentions, name_of
from halubot.compare.names import is_name, same_name
from halubot.compare.negation import Denial, denials, denied, is_negative
from halubot.compare.predicates import is_role, predicate
from halubot.compare.relations import ARTICLES, COPULAS, ONCE, PASSIVE, PREPOSITIONS
from halubot.compare.values import Value
from halubot.compare.tokens import Token, normal, tokens
from halubot.text import Document, Span

_PRONOUN = "he she it they i we you who which that this these those"
_PRONOUNS = frozenset(_PRONOUN.split())


class _About(NamedTuple):
    """What the message is about: its text, name and stems, all empty where that is not known."""

    text: str
    name: Name
    weights: Weights


def claims(message: Document, facts: Sequence[Fact], subject: str | None) -> tuple[Claim, ...]:
    """The claims of the facts, in their order."""
    text = subject or _main_head(message, facts)
    about = _About(text, name_of(text), part(text).weights())
    known = {text: part(text) for text in {text for fact in facts for text in fact.triple}}
    parts = [(known[f.triple.head], known[f.triple.relation], known[f.triple.tail]) for f in facts]
    places = [_place(*three) for three in parts]
    seen = Counter(places)
    around: dict[tuple[Span, ...], Around] = {}
    for fact in facts:
        spans = _context(message, fact)
        if spans not in around:
            around[spans] = _around(message, spans)
    # German writes every noun with a capital, so capitals tell no names there.
    names = message.language != "de"
    return tuple(
        _claim(
            fact,
            three,
            about,
            around[_context(message, fact)],
            names=names,
            listed=seen[where] > 1,
        )
        for fact, three, where in zip(facts, parts, places, strict=True)
    )


def _place(head: Part, relation: Part, tail: Part) -> tuple[str, str, str]:
    """What a value would have to share to stand in the same place: head, relation and kind."""
    kind = tail.values[0].kind if tail.values else "name" if is_name(tail.text) else ""
    return head.text.lower(), relation.text.lower(), kind


def _name(tail: str) -> str:
    """The name that a tail is, at most two common words before it left out; empty where it is
    none."""
    for words in range(3):
        rest = tail.split(" ", words)[-1] if tail.count(" ") >= words else ""
        if rest[:1].isupper() and is_name(rest):
            return rest
    return ""


def _context(message: Document, fact: Fact) -> tuple[Span, ...]:
    """The spans that say what a fact is part of: its sentences; of a clause itself alone, for a
    sentence may join what other texts tell apart."""
    if not fact.triple.head and not fact.triple.relation:
        return fact.spans
    known = len(message.sentences)
    return tuple(message.sentences[number] for number in fact.sentences if number < known)


def _around(message: Document, spans: tuple[Span, ...]) -> Around:
    words: Weights = {}
    found: list[Token] = []
    values: list[Value] = []
    denied_parts: list[Denial] = []
    for span in spans:
        inside = part(message.plain, *span)
        words |= inside.weights()
        values.extend(inside.values)
        found.extend(inside.tokens)
        denied_parts.extend(denials(message.plain, *span))
    stems = frozenset(token.norm for token in found)
    return Around(words, stems, tuple(values), tuple(found), tuple(denied_parts))


def _claim(
    fact: Fact,
    parts: tuple[Part, Part, Part],
    about: _About,
    around: Around,
    *,
    names: bool,
    listed: bool,
) -> Claim:
    own = about.weights
    head, relation, tail = parts
    tail_stems, relation_stems, head_stems = tail.weights(), relation.weights(), head.weights()
    clause = not head.text and not relation.text
    is_subject = _is_subject(head.text, head_stems, about.text, own)
    role = not is_subject and is_role(fact, head, tail, around)
    if not relation_stems and not is_subject and (role or not ONCE.isdisjoint(head_stems)):
        relation_stems = dict(head_stems)  # "the capital of Norway is": the head says what
    if not clause:
        for stem in own:
            if len(tail_stems) > 1:
                tail_stems.pop(stem, None)
            relation_stems.pop(stem, None)
    if is_subject:
        head_stems = {}
    elif not head_stems:
        head_stems = {normal(head.text): 1.0}
    inside = _inside(fact, around)
    for stem in around.denying:
        tail_stems.pop(stem, None)
        relation_stems.pop(stem, None)
    return Claim(
        fact=fact,
        head=head_stems,
        relation=relation_stems,
        tail=tail_stems,
        required=tail.named(tail_stems, names=names, clause=clause)
        | relation.named(relation_stems, names=names),
        titled=head.named(head_stems, names=names) - own.keys(),
        own=own,
        values=_as_in_text(tail.values, fact.parts.tail, around),
        numerals=frozenset(token.norm for token in tail.tokens if token.kind == "number"),
        settings=_settings(fact, head, relation, around, is_subject=is_subject),
        slot=_slot(relation, tail),
        counted=_counted(tail),
        denied=_denied(fact, inside, around),
        denials=_count_denials(inside, around),
        name="" if tail.values else _name(tail.text),
        names=(*head.names, *relation.names, *tail.names),
        clause=clause,
        subject=_subject(fact, head, about, is_subject=is_subject),
        passive=_is_passive(fact, around),
        listed=listed,
        predicate=predicate(fact, inside, around),
        role=role,
        around=around,
    )


def _subject(fact: Fact, head: Part, about: _About, *, is_subject: bool) -> Name:
    """What a fact is about: the name of its head, or the subject of the message where it stands
    for that one ("she", "the bridge" of "Kellan Bridge"); of a clause, the name that opens it."""
    if not head.text and not fact.triple.relation:
        return _of_clause(fact.triple.tail, about.name)
    name = name_of(head.text)
    if is_subject or (not name.stems and head.weights().keys() <= about.weights.keys()):
        return about.name
    return name


def _of_clause(clause: str, named: Name) -> Name:
    """The name of what a clause is about: one of several words that it opens with, else the
    subject of the message, else its first name of several words, else any that it opens with."""
    inside = part(clause)
    found = inside.tokens
    names = mentions(clause, found, name_runs(clause, found), inside.values)
    led = [[token.text.lower() for token in found[: one.first]] for one in names]
    opening = [
        one.name
        for one, words in zip(names[:1], led, strict=False)
        if one.sure and len(words) < 2 and ARTICLES.issuperset(words)
    ]
    several = [
        one.name
        for one, words in zip(names, led, strict=True)
        if len(one.name.stems) > 1 and PREPOSITIONS.isdisjoint(words[-2:])
    ]
    if named.stems and not (opening and opening == several[:1]):
        return named
    return next(iter((*several, *opening)), NOBODY)


def _is_passive(fact: Fact, around: Around) -> bool:
    """Whether "was" or its like stands before the relation in the sentence: "was released"."""
    if fact.parts.relation is None:
        return False
    at = bisect_left(around.tokens, fact.parts.relation[0], key=_start)
    near = around.tokens[max(0, at - 1) : at + 1]
    return any(token.text.lower() in PASSIVE for token in near)


def _slot(relation: Part, tail: Part) -> str:
    """The preposition or copula that leads to the tail: its own first word, or the relation's
    last; empty where there is none."""
    for token in (*tail.tokens[:1], *relation.tokens[-1:]):
        word = token.text.lower()
        if word in PREPOSITIONS or (word in COPULAS and token in relation.tokens):
            return word
    return ""


def _settings(
    fact: Fact, head: Part, relation: Part, around: Around, *, is_subject: bool
) -> tuple[Value, ...]:
    """The values of the relation, and of a head that is not the subject of the message."""
    own = _as_in_text(relation.values, fact.parts.relation, around)
    return own if is_subject else _as_in_text(head.values, fact.parts.head, around) + own


def _as_in_text(values: tuple[Value, ...], span: Span | None, around: Around) -> tuple[Value, ...]:
    """The values of a part as they read in its sentence, where an "about" or "no fewer than" may
    stand before, and the other end of a range with its unit behind."""
    if span is None:
        return values
    found: list[Value] = []
    for value in around.values:
        if value.end <= span[0] or span[1] <= value.start:
            continue
        inside = [
            one
            for one in ((value,) if _is_in(value, span) else value.ends or ())
            if _is_in(one, span)
        ]
        if not inside:
            return values
        found += inside
    return tuple(found) or values


def _is_in(value: Value, span: Span) -> bool:
    return span[0] <= value.start and value.end <= span[1]


def _denied(fact: Fact, inside: list[Token], around: Around) -> frozenset[str]:
    """The fact's stems that its sentence denies, by their places in it; all of them where the
    fact denies and its places are not known."""
    if not inside:
        text = f"{fact.triple.relation} {fact.triple.tail}"
        return frozenset(part(text).weights() if fact.negated or is_negative(text) else ())
    return frozenset(token.norm for token in inside if denied(around.denials, token.start))


def _count_denials(inside: list[Token], around: Around) -> int:
    content = [token for token in inside if token.kind != "stop"]
    return sum(
        any(denial.start <= token.start < denial.end for token in content)
        for denial in around.denials
    )


def _inside(fact: Fact, around: Around) -> list[Token]:
    """The tokens of the fact's own words in its sentence."""
    found: list[Token] = []
    for start, end in fact.spans:
        low = bisect_left(around.tokens, start, key=_start)
        found.extend(around.tokens[low : bisect_left(around.tokens, end, key=_start)])
    return found


def _start(token: Token) -> int:
    return token.start


def _counted(tail: Part) -> str:
    """The stem of the thing counted: "wicket" of "32 wickets in all"."""
    if not tail.values or tail.values[0].kind not in {"number", "ordinal"}:
        return ""
    after = [token for token in tail.tokens if token.start >= tail.values[0].end][:2]
    return next((token.norm for token in after if token.kind != "stop"), "")


def _is_subject(head: str, stems: Weights, about: str, own: Weights) -> bool:
    """Whether a head is what the message is about: nothing, a pronoun, its name or part of it."""
    if not head or head.lower() in _PRONOUNS:
        return True
    if not about:
        return False
    return same_name(head, about) or (
        bool(stems) and is_name(head) and all(stem in own for stem in stems)
    )


def _main_head(message: Document, facts: Sequence[Fact]) -> str:
    """Whom the message is about where nobody says so: the first head that is a name, and not
    a word that has its capital from opening a sentence."""
    heads = (fact.triple.head for fact in facts if is_name(fact.triple.head))
    head = next(heads, "")
    if not head or " " in head:
        return head
    known = {
        token.norm
        for span in message.sentences
        for token in tokens(message.plain, *span)
        if token.kind == "name"
    }
    return head if normal(head) in known else ""
