"""The triples of a clause: its subject, its verb, and what the verb says, with exact places.

What follows the verb is one tail, but for dates, places and other names behind a preposition, which
are claims of their own ("was born | in Warsaw | on 7 November 1867"). A clause that denies or is
bound to a condition is one triple: half of it would say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from halubot.claims.clauses import ALONE, Clause, Tree, follows_mark, joins_verbs, subjects_of
from halubot.claims.parser import word_set

_DENYING: Final = word_set(
    "not n't n’t never no none nobody nothing neither nor hardly scarcely barely cannot "
    "without seldom rarely few little"
)
_GUARDS: Final = _DENYING | word_set(
    "if unless except only until than too alleged allegedly whether either least"
)
"""Words that hold for a whole clause: it is not taken apart."""
_LINKING: Final = word_set(
    "however also additionally moreover furthermore therefore thus hence consequently "
    "meanwhile otherwise nevertheless nonetheless instead overall finally"
)
_PARTED: Final = word_set(
    "in on at by from to since during until between after before near into through under for "
    "as with of"
)
_PLACED: Final = word_set("in at from since until during by near before after")
_YEAR: Final = re.compile(r"\d{4}s?$")
_ARTICLES: Final = frozenset({"a", "an", "the"})
_TIMES: Final = word_set(
    "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday century"
)


class Triple(NamedTuple):
    """A triple as tokens of its sentence. ``head`` is empty if the clause has no subject;
    ``implied`` is a relation that no word says ("is" of an apposition)."""

    head: tuple[int, ...]
    relation: tuple[int, ...]
    tail: tuple[int, ...]
    negated: bool
    implied: str = ""


class Subject(NamedTuple):
    """The subject that a clause has or inherits."""

    tokens: tuple[int, ...]
    head: int


def read_clauses(
    tree: Tree, clauses: Sequence[Clause]
) -> list[tuple[Subject | None, list[Triple]]]:
    """Return the subject and the triples of each clause."""
    subjects: list[Subject | None] = []
    found: list[tuple[Subject | None, list[Triple]]] = []
    for clause in clauses:
        subject = _subject(tree, clauses, clause, subjects)
        subjects.append(subject)
        found.append((subject, _triples(tree, clause, subject)))
    return found


def _subject(
    tree: Tree, clauses: Sequence[Clause], clause: Clause, before: Sequence[Subject | None]
) -> Subject | None:
    own = [k for k in subjects_of(tree, clause.predicate) if not tree.tokens[k].tag.endswith("Rel")]
    if clause.kind in ("relative", "apposition", "aside") and not own:
        # "It is a drug that reduces fever" tells of "it".
        described = clause.of == clauses[clause.parent].predicate and tree.having(clause.of, "cop")
        return (described and before[clause.parent]) or _noun(tree, clauses, clause.of)
    if clause.kind == "participle" and not own:
        if tree.tokens[clause.predicate].low.endswith("ing") and follows_mark(
            tree, clause.predicate
        ):
            return before[clause.parent]
        noun = tree.tokens[clause.of].kind in ("NOUN", "PROPN", "PRON", "NUM")
        if noun and tree.base(clause.predicate) == "acl":
            return _noun(tree, clauses, clause.of)
        return before[clause.parent]
    if own:
        return Subject(_before_verb(tree, clause, own[0]), own[0])
    orders = tree.tokens[clause.predicate].tag.endswith(("|Imp", "|Inf"))
    return before[clause.parent] if clause.parent >= 0 and not orders else None


def _before_verb(tree: Tree, clause: Clause, k: int) -> tuple[int, ...]:
    """Return the words of a subject: none beyond the verb, and none apart from the others."""
    inside = set(clause.tokens)
    verbs = {clause.predicate, *tree.having(clause.predicate, "aux", "cop")}
    verb = min(verbs & inside, default=k)
    own = [c for c in tree.below(k) if c in inside and (c < verb) == (k < verb)]
    return _trimmed(tree, _run(tree, own, k))


def _run(tree: Tree, tokens: Sequence[int], k: int) -> list[int]:
    """Return those of the tokens that stand together with one of them."""
    own = set(tokens)
    first = last = k
    while first - 1 in own:
        first -= 1
    while last + 1 in own:
        last += 1
    return list(range(first, last + 1))


def _noun(tree: Tree, clauses: Sequence[Clause], k: int) -> Subject:
    """Return the noun that a clause is about, without the clauses that describe it."""
    while tree.base(k) == "flat":
        k = tree.tokens[k].head
    inside = next(set(clause.tokens) for clause in clauses if k in clause.tokens)
    cut = set(tree.having(k, "case", "cop", "nsubj", "aux", "conj", "mark", "punct", "cc"))
    tokens = [k]
    for one in tokens:
        tokens += [c for c in tree.children[one] if c not in cut and c in inside]
    return Subject(_trimmed(tree, _run(tree, tokens, k)), k)


def _triples(tree: Tree, clause: Clause, subject: Subject | None) -> list[Triple]:
    head = subject.tokens if subject else ()
    said = _without_links(tree, clause, [k for k in clause.tokens if k not in head])
    negated = any(tree.tokens[k].low in _DENYING for k in clause.tokens)
    if clause.kind in ("apposition", "aside"):
        implied = "is" if clause.kind == "apposition" else ""
        if clause.kind == "aside":
            said = [k for k in said if tree.tokens[k].text not in "()[]"]
        return _coordinated(tree, clause, Triple(head, (), _trimmed(tree, said), negated, implied))
    relation = _relation(tree, clause, set(said))
    if not relation or not tree.is_predicate(clause.predicate):
        return [Triple((), (), _trimmed(tree, sorted({*said, *head})), negated)]
    rest = [k for k in said if k not in relation]
    parts = [] if _is_guarded(tree, clause) else _parts(tree, clause, relation, rest)
    parted = {k for part in parts for k in part}
    tail = _trimmed(tree, [k for k in rest if k not in parted])
    # "was lit in | 1872": "was lit" alone says too little.
    if parts and tail == (clause.predicate,) and tree.tokens[clause.predicate].kind == "ADJ":
        relation, tail = (*relation, *tail), ()
    found = [Triple(head, relation, tail, negated)] if tail or not parts else []
    # "won the cup in | 1903": alone, "won in 1903" would say too little.
    needed = tree.having(clause.predicate, "cop") or any(tree.base(k) == "obj" for k in tail)
    named = sorted({*relation, *tail}) if needed else relation
    found += [Triple(head, tuple(named), _trimmed(tree, part), negated) for part in parts]
    if not _is_guarded(tree, clause):
        found = [part for one in found for part in _cut_tail(tree, one)]
    found = [_with_case(tree, one) for one in found]
    return [part for one in found for part in _coordinated(tree, clause, one)]


def _cut_tail(tree: Tree, triple: Triple) -> list[Triple]:
    """Cut what describes a noun of a tail off it: "a firm | founded by Ada Low", "a drug | that
    lowers fever"; and names and dates behind a preposition."""
    tokens, tail = tree.tokens, triple.tail
    if len(tail) < 3 or tail != tuple(range(tail[0], tail[-1] + 1)):
        return [triple]
    for k in tail[1:-1]:
        before, after = tokens[k - 1], tokens[k + 1]
        noun = before.kind in ("NOUN", "PROPN", "NUM")
        if tokens[k].tag == "VERB|Part" and noun and after.kind == "ADP":
            verb: tuple[int, ...] = (k,)
            rest = tail[tail.index(k) + 1 :]
        elif noun and tokens[k].tag.endswith("|Rel") and after.kind in ("VERB", "AUX"):
            last = k + 1
            while last + 1 <= tail[-1] and tokens[last + 1].kind in ("VERB", "AUX", "ADV", "PART"):
                last += 1
            verb, rest = tuple(range(k + 1, last + 1)), tail[tail.index(last) + 1 :]
        else:
            continue
        first = k - 1
        while first - 1 >= tail[0] and tokens[first - 1].kind in (
            "NOUN",
            "PROPN",
            "ADJ",
            "NUM",
            "DET",
        ):
            first -= 1
        head = _trimmed(tree, range(first, k))
        if triple.relation and tokens[triple.relation[-1]].kind == "AUX" and first == tail[0]:
            head = triple.head or head  # "is a drug that lowers fever" tells of the subject
        if tokens[first].kind == "DET" and tokens[first].low in (
            "the",
            "those",
            "all",
            "any",
            "every",
        ):
            continue  # tells which one is meant
        return [
            triple._replace(tail=_trimmed(tree, tail[: tail.index(k)])),
            *_cut_tail(tree, Triple(head, verb, _trimmed(tree, rest), triple.negated)),
        ]
    for k in tail[1:-1]:
        after = tokens[k + 1]
        if tokens[k].low in _PLACED and (
            _is_date(tree, [k + 1, k + 2] if k + 2 <= tail[-1] else [k + 1])
            or (after.kind == "PROPN" and after.text[:1].isupper())
        ):
            if tokens[k - 1].kind not in ("NOUN", "PROPN", "NUM", "ADV"):
                continue
            main = tail[: tail.index(k)]
            objects = tokens[main[0]].kind != "ADP"
            relation = (*triple.relation, *main) if objects else triple.relation
            part = Triple(
                triple.head, relation, _trimmed(tree, tail[tail.index(k) :]), triple.negated
            )
            return [triple._replace(tail=_trimmed(tree, main)), *_cut_tail(tree, part)]
    return [triple]


def _without_links(tree: Tree, clause: Clause, said: Sequence[int]) -> list[int]:
    """Leave out what only joins a clause to others: "and", "because", "however", "which"."""
    links = set()
    for k in said:
        token = tree.tokens[k]
        near = clause.predicate in (token.head, k)
        if near and (
            tree.base(k) in ("cc", "discourse")
            or (tree.base(k) == "mark" and clause.kind == "joined")
            or token.low in _LINKING
            or (k == clause.tokens[0] and token.low in ("so", *ALONE))
        ):
            links.add(k)
        if clause.kind == "relative" and token.low in ("who", "which", "that", "where", "whom"):
            links.update(c for c in tree.children[k] if tree.base(c) == "case")
            links.add(k)
    return [k for k in said if k not in links]


def _relation(tree: Tree, clause: Clause, said: set[int]) -> tuple[int, ...]:
    """Return the words of the verb: auxiliaries, denials and adverbs before it, particles, and the
    verbs that complete it ("attempted to defend")."""
    verb = clause.predicate
    group = {k for k in tree.having(verb, "aux", "cop") if k in said}
    if not tree.having(verb, "cop") or tree.tokens[verb].tag.endswith("|Fin"):
        group.add(verb)
    while verb in group and (further := _further_verb(tree, verb, said)):
        between = set(range(verb + 1, further)) & said
        if not between <= {*tree.below(further), *tree.having(verb, "cc", "advmod")}:
            break
        group.update(between, [further])
        verb = further
    group.update(k for k in tree.children[verb] if tree.tokens[k].relation == "compound:prt")
    group &= said
    near = {clause.predicate, *group}
    adverbs = {k for k in said if tree.base(k) == "advmod" and tree.tokens[k].head in near}
    while group and min(group) - 1 in adverbs:
        group.add(min(group) - 1)
    group.update(k for k in adverbs if group and min(group) < k < max(group))
    if tree.having(clause.predicate, "cop"):
        while max(group, default=-1) + 1 in adverbs:
            group.add(max(group) + 1)
    return tuple(sorted(group))


def _further_verb(tree: Tree, verb: int, said: set[int]) -> int | None:
    """Return the verb that completes a verb, or shares what follows with it."""
    for k in tree.children[verb]:
        shares = tree.base(k) == "conj" and joins_verbs(tree, verb, k)
        follows = k > verb and k in said and tree.tokens[k].kind == "VERB"
        if follows and (shares or tree.base(k) == "xcomp"):
            return k
    return None


def _is_guarded(tree: Tree, clause: Clause) -> bool:
    return any(tree.tokens[k].low in _GUARDS for k in clause.tokens)


def _parts(
    tree: Tree, clause: Clause, relation: Sequence[int], rest: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return what is a claim beside the others: dates, places and names behind a preposition, and
    what a comma parts from the rest."""
    inside = set(rest)
    found: list[tuple[int, ...]] = []
    cases: list[str] = []
    verbs = {clause.predicate, *relation}
    last = max((k for k in rest if tree.tokens[k].kind != "PUNCT"), default=-1)
    for k in rest:
        base = tree.base(k)
        if base not in ("obl", "nmod", "advcl", "xcomp", "acl") or any(k in part for part in found):
            continue
        part = tuple(_run(tree, [c for c in tree.below(k) if c in inside], k))
        objects = any(tree.base(one) == "obj" for one in rest if one < k)
        case = [tree.tokens[c].low for c in tree.having(k, "case", "mark")]
        dated = base in ("obl", "nmod") and _is_date(tree, part)
        of_verb = base == "obl" and tree.tokens[k].head in verbs
        named = (
            case
            and case[0] in _PARTED
            and (
                # A date at the end belongs to the verb, whatever stands before it.
                (dated and part[-1] >= last)
                or (of_verb and dated)
                # "wrote notes on the Engine": there the name may belong to the notes.
                or (
                    of_verb
                    and tree.tokens[k].kind == "PROPN"
                    and (case[0] in _PLACED or not objects)
                )
            )
        )
        if named or (follows_mark(tree, k) and len(part) > 1 and (k > clause.predicate or of_verb)):
            found = [tuple(c for c in other if c not in part) for other in found]
            found.append(part)
            cases.append(case[0] if case else "")
    if "from" in cases and "to" in cases:  # a range is one value
        found = [
            part for part, case in zip(found, cases, strict=True) if case not in ("from", "to")
        ]
    return sorted(part for part in found if part)


def _is_date(tree: Tree, part: Iterable[int]) -> bool:
    texts = [tree.tokens[k].text for k in part]
    return any(_YEAR.match(text) or text.lower() in _TIMES for text in texts)


def _coordinated(tree: Tree, clause: Clause, triple: Triple) -> list[Triple]:
    """Take the things of a list apart: "wrote | plays", "wrote | songs". Not what holds for them
    together: a denial, a choice, "between A and B"."""
    tail = triple.tail
    if not tail or _is_guarded(tree, clause) or tail != tuple(range(tail[0], tail[-1] + 1)):
        return [triple]
    tokens = tree.tokens
    joints = [k for k in tail if tokens[k].low in ("and", "or") and k < tail[-1]]
    said = {tokens[k].low for k in triple.relation}
    # "may contain nuts or milk" says both.
    choice = any(tokens[k].low == "or" for k in joints) and not said & {
        "may",
        "can",
        "could",
        "might",
    }
    commas = sum(tokens[k].text == "," for k in tail)
    if (not joints and commas < 3) or choice or said & {"between", "among"}:
        return [triple]
    pieces: list[list[int]] = [[]]
    for k in tail:
        if tokens[k].text == "," or k in joints:
            pieces.append([])
        else:
            pieces[-1].append(k)
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 2 or any(not _is_thing(tree, piece, len(pieces)) for piece in pieces):
        return [triple]
    if len(pieces) == 2 and not any(tree.base(k) == "conj" for k in pieces[1]):
        return [triple]
    return [triple._replace(tail=_trimmed(tree, piece)) for piece in pieces]


def _is_thing(tree: Tree, piece: Sequence[int], of: int) -> bool:
    """Return True for a short phrase of a noun without a verb."""
    tags = {tree.tokens[k].tag for k in piece}
    kinds = {tree.tokens[k].kind for k in piece}
    if of > 2 and len(piece) <= 3:  # of a long list, whatever the words were taken for
        return not tags & {"VERB|Fin", "AUX|Fin", "PRON", "SCONJ"}
    return (
        len(piece) <= 8
        and bool(kinds & {"NOUN", "PROPN"})
        and not kinds & {"VERB", "AUX", "SCONJ", "PRON"}
    )


def _with_case(tree: Tree, triple: Triple) -> Triple:
    """Move a preposition at the beginning of the tail to the relation: "lies on | the Tagus"."""
    relation, tail = list(triple.relation), list(triple.tail)
    # Not "except" in "Except for pensioners, all pay a fee".
    led = relation and tail and tail[0] < relation[0] <= tail[-1]
    while relation and len(tail) > 1 and tree.tokens[tail[0]].kind == "ADP" and not led:
        relation.append(tail.pop(0))
    return triple._replace(relation=tuple(relation), tail=_trimmed(tree, tail))


def _trimmed(tree: Tree, tokens: Sequence[int]) -> tuple[int, ...]:
    """Leave out marks at both ends, and articles before the first word."""
    found = list(tokens)
    while found and (
        (tree.tokens[found[0]].kind == "PUNCT" and tree.tokens[found[0]].text not in "\"“'‘([")
        or (len(found) > 1 and tree.tokens[found[0]].low in _ARTICLES)
    ):
        found.pop(0)
    while (
        found
        and tree.tokens[found[-1]].kind == "PUNCT"
        and tree.tokens[found[-1]].text not in "\"”'’)]%"
    ):
        found.pop()
    texts = [tree.tokens[k].text for k in found]
    if (
        len(found) > 2
        and texts[0] in '"“'
        and texts[-1] in '"”'
        and not {'"', "”"} & set(texts[1:-1])
    ):
        found = found[1:-1]
    return tuple(found)
