"""Clauses of an English sentence that can stand alone, cut out of its tree, and their triples.

Every word belongs to exactly one clause, so nothing that a sentence says is lost. What limits or
reports a statement (conditions, times, "that" clauses, restrictive relative clauses) stays in it.

A triple is a subject, a verb, and what the verb says, with exact places. What follows the verb is
one tail, but for dates, places and other names behind a preposition, which are claims of their own
("was born | in Warsaw | on 7 November 1867"). A clause that denies or is bound to a condition is
one triple: half of it would say something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from halubot.claims.parser import TELLING, Token
from halubot.text import Span, word_set
from halubot.values.units import WEEKDAYS

Kind = Literal["main", "joined", "relative", "apposition", "participle", "aside"]

ALONE: Final = frozenset(
    {"because", "although", "though", "whereas", "while", "whilst", "so", "as"}
)
"""Words before a clause that states something of its own."""
_BINDING: Final = word_set(
    "if unless until when whenever before after once since than whether that"
)
"""Words before a clause that limits or completes another one."""
_SAYING: Final = frozenset({"say", "says", "said", "according", "reported", "announced", "told"})
_SUBJECTS: Final = frozenset({"nsubj", "csubj", "expl"})


class Clause(NamedTuple):
    """A clause of a sentence: its predicate and its tokens in order, both as indexes. ``of`` is the
    token that an apposition, a participle or a relative clause is about, and the index of the
    clause that it was cut from, -1 for the first."""

    kind: Kind
    predicate: int
    tokens: tuple[int, ...]
    of: int
    parent: int


class Tree:
    """The tokens of a sentence of a text, and their children."""

    def __init__(self, plain: str, tokens: Sequence[Token]) -> None:
        self.plain = plain
        self.tokens = tokens
        self.children: list[list[int]] = [[] for _ in tokens]
        self.root = 0
        for k, token in enumerate(tokens):
            if token.head >= 0:
                self.children[token.head].append(k)
            else:
                self.root = k

    def base(self, k: int) -> str:
        """Return the relation of a token without its subtype."""
        return self.tokens[k].relation.partition(":")[0]

    def below(self, k: int) -> list[int]:
        """Return a token and all that depends on it, in order."""
        found = [k]
        for one in found:
            found += self.children[one]
        return sorted(found)

    def having(self, k: int, *relations: str) -> list[int]:
        """Return the children of a token with these relations."""
        return [c for c in self.children[k] if self.base(c) in relations]

    def is_predicate(self, k: int) -> bool:
        """Return True for a verb, and for what a copula or a subject makes one."""
        token = self.tokens[k]
        return (token.kind in ("VERB", "AUX") and not token.tag.endswith("|Ger")) or any(
            self.base(c) in ("cop", *_SUBJECTS) for c in self.children[k]
        )

    def places(self, tokens: Sequence[int]) -> tuple[Span, ...]:
        """Return the places of tokens in the order given; those that stand together have one."""
        found: list[Span] = []
        for before, k in zip([None, *tokens], tokens, strict=False):
            start, end = self.tokens[k].start, self.tokens[k].end
            if before == k - 1:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return tuple(found)

    def place(self, tokens: Sequence[int]) -> Span | None:
        """Return the place of a part, None if it lies in pieces or has no token."""
        places = self.places(tokens)
        return places[0] if len(places) == 1 else None

    def words(self, tokens: Sequence[int]) -> str:
        """Return words in the order given, as the text writes those that stand together."""
        texts = [" ".join(self.plain[slice(*span)].split()) for span in self.places(tokens)]
        # Marks alone would be left of words that stand apart.
        return " ".join([one for one in texts if any(letter.isalnum() for letter in one)] or texts)


def cut_clauses(tree: Tree) -> list[Clause]:
    """Return the clauses of a sentence, each after the one that it was cut from."""
    heads: list[tuple[Kind, int, int, int]] = [("main", tree.root, -1, -1)]
    owner = {tree.root: 0}
    waiting = [tree.root]
    while waiting:
        k = waiting.pop()
        clause = owner[k]
        for child in tree.children[k]:
            inside = heads[clause][0] == "aside"
            kind = None if inside else _own_kind(tree, child, heads[clause][1])
            if kind is None:
                owner[child] = clause
            else:
                owner[child] = len(heads)
                heads.append((kind, child, k, clause))
            waiting.append(child)
    tokens: list[list[int]] = [[] for _ in heads]
    for k in range(len(tree.tokens)):
        tokens[owner[k]].append(k)
    return [
        Clause(kind, predicate, tuple(own), of, parent)
        for (kind, predicate, of, parent), own in zip(heads, tokens, strict=True)
    ]


_JOINING: Final = frozenset({"and", "but", "or", "so", "yet"})


def find_joints(tokens: Sequence[Token]) -> list[int]:
    """Return the tokens with which another statement begins in a long sentence: a conjunction after
    a comma, between two finite verbs of which the second has a subject of its own. What is read in
    one piece is read less well."""
    found: list[int] = []
    first = 0
    reported = False
    for k, token in enumerate(tokens):
        reported |= token.low in ("that", "if", "unless", "whether") and token.kind == "SCONJ"
        joins = token.low in _JOINING and not reported
        if not (joins or token.low in ALONE) or tokens[k - 1].text not in (",", "—", "–") or k == 0:
            continue
        if any(_is_finite(one) for one in tokens[first:k]) and _has_subject(tokens, k + 1):
            found.append(k)
            first = k
    return found


def _is_finite(token: Token) -> bool:
    return token.tag.endswith(("|Fin", "|Imp"))


def _has_subject(tokens: Sequence[Token], first: int) -> bool:
    """Return True if a noun stands before the first finite verb of what begins at ``first``."""
    for k in range(first, len(tokens)):
        if _is_finite(tokens[k]):
            return any(one.kind in ("NOUN", "PROPN", "PRON") for one in tokens[first:k])
        if tokens[k].text in ",;:" or tokens[k].tag.endswith("|Rel"):
            return False
    return False


def _own_kind(tree: Tree, k: int, predicate: int) -> Kind | None:
    """Return what kind of clause of its own a token heads beside that of ``predicate``; None if it
    stays in that one."""
    token, parent = tree.tokens[k], tree.tokens[k].head
    after_mark = follows_mark(tree, k)
    if _mark(tree, k) in _BINDING and tree.base(k) != "ccomp":
        return None
    match tree.base(k):
        case "ccomp" if _is_told(tree, k, parent):
            return "joined"
        case "conj" if parent == predicate and tree.is_predicate(k):
            shares = joins_verbs(tree, parent, k) or _is_denied_with(tree, parent, k)
            return None if shares else "joined"
        case "parataxis" if tree.is_predicate(k) and after_mark:
            reports = token.low in _SAYING and not tree.having(k, "ccomp")
            return None if reports else "joined"
        # Also what limits a verb that completes the predicate.
        case "advcl" if parent == predicate or (
            tree.base(parent) == "xcomp" and tree.tokens[parent].head == predicate
        ):
            mark = _mark(tree, k)
            if mark in ALONE and (after_mark or mark in ("because", "as")):
                told = mark != "as" or (tree.having(k, *_SUBJECTS) and k > parent)
                return "joined" if told else None
            bare = not _mark(tree, k) and not tree.having(k, *_SUBJECTS)
            formed = token.tag.endswith(("|Ger", "|Part"))
            # "Founded in 1887, it", "it closed, says a report", "it closed leaving many"
            loose = (k > parent) + formed + after_mark >= 2
            if bare and token.kind == "VERB" and loose:
                return "participle"
        case "acl" if token.kind in ("VERB", "AUX") or tree.is_predicate(k):
            described = parent == predicate and bool(tree.having(parent, "cop"))
            # "the rules that apply", "all who came": tells which ones are meant.
            picked = any(tree.tokens[c].low not in ("a", "an") for c in tree.having(parent, "det"))
            if token.relation == "acl:relcl":
                open_ = not picked and not _is_subject(tree, parent)
                return "relative" if after_mark or described or open_ else None
            short = len(tree.below(k)) < 2
            formed = token.tag.endswith(("|Ger", "|Part")) and not _mark(tree, k)
            named = token.tag == "VERB|Part" and not token.low.endswith("ing")
            open_ = named and not picked and not _is_subject(tree, parent) and k > parent
            return (
                "participle"
                if after_mark or (formed and not short and (described or open_))
                else None
            )
        case "appos" if after_mark:
            # "Bergen, Norway" is one name.
            named = all(tree.tokens[one].kind == "PROPN" for one in (k, parent))
            return None if named and not tree.having(k, "det", "nmod") else "apposition"
        case "aside" if tree.having(k, *_SUBJECTS):
            return "joined"
        case "aside" if tree.tokens[parent].kind in ("NOUN", "PROPN"):
            said = [one for one in tree.below(k) if tree.tokens[one].kind != "PUNCT"]
            # "(WHO)" is a part of the name before it.
            return "aside" if len(said) > 1 or tree.tokens[k].kind == "NUM" else None
        case _:
            pass
    return None


def _is_told(tree: Tree, k: int, verb: int) -> bool:
    """Return True for what a source tells as it is: "the report states that it was shut"."""
    told = tree.tokens[verb].low in TELLING and k > verb and bool(tree.having(k, *_SUBJECTS))
    plain = not any(tree.tokens[c].low in ("not", "never", "n't") for c in tree.children[verb])
    return told and plain and _mark(tree, k) in ("", "that")


def _is_denied_with(tree: Tree, first: int, second: int) -> bool:
    """Return True for a verb that the word denies which denies the one before "or" or "nor": "do
    not open the lid or shake the jar" does not say "shake the jar"."""
    joined = any(tree.tokens[k].low in ("or", "nor") for k in tree.having(second, "cc"))
    denied = any(k < first and tree.tokens[k].low in _DENYING for k in tree.children[first])
    return joined and denied and not tree.having(second, *_SUBJECTS, "aux")


def joins_verbs(tree: Tree, first: int, second: int) -> bool:
    """Return True for two verbs that share what follows: "designed and built the bridge"."""
    between = [k for k in tree.children[first] if first < k < second]
    return (
        second - first <= 3
        and not tree.having(second, *_SUBJECTS, "aux", "cop")
        and not any(tree.base(k) not in ("advmod", "punct") for k in between)
        and tree.tokens[first].kind == tree.tokens[second].kind == "VERB"
    )


def _mark(tree: Tree, k: int) -> str:
    """Return the word that joins a clause to another, "" if none does."""
    marks = tree.having(k, "mark")
    marks += [c for c in tree.having(k, "advmod") if tree.tokens[c].low in ("when", "whenever")]
    return tree.tokens[min(marks)].low if marks else ""


def follows_mark(tree: Tree, k: int) -> bool:
    """Return True if what depends on a token is parted from its head by a comma or the like."""
    own = tree.below(k)
    if own[0] < tree.tokens[k].head < own[-1]:
        return False  # around its head: read wrongly
    if own[0] > tree.tokens[k].head:
        first = own[0]
        before = tree.tokens[first - 1] if first else None
        return tree.tokens[first].kind == "PUNCT" or (before is not None and before.kind == "PUNCT")
    last = own[-1]
    after = tree.tokens[last + 1] if last + 1 < len(tree.tokens) else None
    return tree.tokens[last].kind == "PUNCT" or (after is not None and after.kind == "PUNCT")


def _is_subject(tree: Tree, k: int) -> bool:
    while k >= 0:
        if tree.base(k) in _SUBJECTS:
            return True
        k = tree.tokens[k].head
    return False


_DENYING: Final = word_set(
    "not n't n’t never no none nobody nothing neither nor hardly scarcely barely cannot "
    "seldom rarely few little"
)
_GUARDS: Final = _DENYING | word_set(
    "if unless except without only than too alleged allegedly whether either least"
)
"""Words that hold for a whole clause: it is not taken apart."""
_LINKING: Final = word_set(
    "however also additionally moreover furthermore therefore thus hence consequently "
    "meanwhile otherwise nevertheless nonetheless instead overall finally"
)
_PLACED: Final = word_set("in at from since until during by near before after")
_SHORT: Final = 4
"""Words of what tells which thing is meant: "director | of elections"."""
_TIMED: Final = frozenset({"during", "since", "until"})
_LISTING: Final = frozenset({"including", "such", "like"})
_YEAR: Final = re.compile(r"\d{4}s?$")
_RELATIVE: Final = frozenset({"who", "which", "that", "where", "whom"})
_CLAUSAL: Final = frozenset({"advcl", "ccomp", "csubj", "acl", "xcomp", "parataxis"})
_ALLOWING: Final = frozenset({"may", "can", "could", "might"})
_QUOTES: Final = '"“”'
_ARTICLES: Final = frozenset({"a", "an", "the"})
_TIMES: Final = WEEKDAYS | word_set(
    "january february march april may june july august september october november december century"
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
    subjects = read_subjects(tree, clauses)
    return [
        (subject, _triples(tree, clause, subject))
        for clause, subject in zip(clauses, subjects, strict=True)
    ]


def read_subjects(tree: Tree, clauses: Sequence[Clause]) -> list[Subject | None]:
    """Return the subject of each clause, None if it has none or marks alone."""
    found: list[Subject | None] = []
    for clause in clauses:
        subject = _subject(tree, clauses, clause, found)
        found.append(subject if subject is not None and subject.tokens else None)
    return found


def _subject(
    tree: Tree, clauses: Sequence[Clause], clause: Clause, before: Sequence[Subject | None]
) -> Subject | None:
    # "There" before what there is.
    subjects = tree.having(clause.predicate, "expl") or tree.having(clause.predicate, *_SUBJECTS)
    own = [k for k in subjects if not _is_relative(tree, clause, k)]
    if clause.kind in ("relative", "apposition", "aside") and not own:
        above = clauses[clause.parent]
        if above.kind == "apposition" and clause.of == above.predicate:
            return before[clause.parent]  # "Schimmel, the owner, who added": of Schimmel
        # "It is a drug that reduces fever" tells of "it".
        described = clause.of == above.predicate and tree.tokens[clause.of].kind != "PROPN"
        if described and tree.having(clause.of, "cop") and before[clause.parent]:
            return before[clause.parent]
        return _noun(tree, clauses, clause.of)
    if clause.kind == "participle" and not own:
        if tree.tokens[clause.predicate].low.endswith("ing") and follows_mark(
            tree, clause.predicate
        ):
            return before[clause.parent]
        noun = tree.tokens[clause.of].kind in ("NOUN", "PROPN", "PRON", "NUM")
        described = clause.of == clauses[clause.parent].predicate
        if noun and tree.base(clause.predicate) == "acl" and not described:
            return _noun(tree, clauses, clause.of)
        return before[clause.parent]
    if own:
        return Subject(_before_verb(tree, clause, own[0]), own[0])
    if _is_turned(tree, clause):
        return _noun(tree, clauses, clause.predicate)
    bare = not tree.having(clause.predicate, "aux")  # "would not apply" is no order
    orders = tree.tokens[clause.predicate].tag.endswith(("|Imp", "|Inf")) and bare
    if clause.parent >= 0:
        return before[clause.parent] if not orders else None
    return _first_noun(tree, clause)


def _is_turned(tree: Tree, clause: Clause) -> bool:
    """Return True for "among its members was Newton": the subject stands last."""
    copulas = tree.having(clause.predicate, "cop")
    led = [k for k in tree.having(clause.predicate, "obl") if tree.having(k, "case")]
    named = tree.tokens[clause.predicate].kind in ("NOUN", "PROPN")
    return named and bool(copulas) and any(k < copulas[0] < clause.predicate for k in led)


def _first_noun(tree: Tree, clause: Clause) -> Subject | None:
    """Return what stands before the finite verb of a sentence that seems to have no subject."""
    verbs = [clause.predicate, *tree.having(clause.predicate, "aux", "cop")]
    # "last erupted in 2002": without an auxiliary a participle is a past tense.
    past = (
        [clause.predicate] if len(verbs) == 1 and tree.tokens[verbs[0]].tag == "VERB|Part" else []
    )
    finite = [k for k in verbs if tree.tokens[k].tag.endswith("|Fin")] or past
    inside = set(clause.tokens)
    k = min(finite, default=0) - 1
    while k in inside and tree.tokens[k].kind in ("ADV", "PART", "ADJ"):
        k -= 1
    if k not in inside or tree.tokens[k].kind not in ("NOUN", "PROPN", "PRON", "NUM"):
        return None
    tokens = _trimmed(tree, [c for c in _run(tree, clause.tokens, k) if c <= k])
    parted = any(tree.tokens[c].text == "," for c in tokens)
    if parted or tree.tokens[tokens[0]].kind in ("ADP", "SCONJ", "VERB", "AUX", "ADV"):
        return None
    return Subject(tokens, k)


def _is_relative(tree: Tree, clause: Clause, k: int) -> bool:
    token = tree.tokens[k]
    return token.tag.endswith("|Rel") or (clause.kind == "relative" and token.low in _RELATIVE)


def _before_verb(tree: Tree, clause: Clause, k: int) -> tuple[int, ...]:
    """Return the words of a subject: none beyond the verb, and none apart from the others."""
    inside = set(clause.tokens)
    verbs = {clause.predicate, *tree.having(clause.predicate, "aux", "cop")}
    verb = min(verbs & inside, default=k)
    # "The port, in this context, is": no part of its name.
    apart = {
        d for c in tree.having(k, "nmod", "obl") if follows_mark(tree, c) for d in tree.below(c)
    }
    own = [c for c in tree.below(k) if c in inside and (c < verb) == (k < verb) and c not in apart]
    own = _run(tree, own, k)
    # A noun between the subject and its verb is part of it: "bull | sharks | are".
    while own[-1] + 1 < verb and own[-1] + 1 in inside and _is_noun(tree, own[-1] + 1):
        own.append(own[-1] + 1)
    return _trimmed(tree, own)


def _is_noun(tree: Tree, k: int) -> bool:
    return tree.tokens[k].kind in ("NOUN", "PROPN", "NUM") and tree.base(k) != "obl"


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
    while tree.base(k) in ("flat", "compound") and tree.tokens[k].kind == "PROPN":
        k = tree.tokens[k].head
    inside = next(set(clause.tokens) for clause in clauses if k in clause.tokens)
    cut = set(tree.having(k, "case", "cop", "nsubj", "aux", "conj", "mark", "cc"))
    cut.update(c for c in tree.having(k, "punct") if tree.tokens[c].text not in _QUOTES)
    tokens = [k]
    for one in tokens:
        tokens += [c for c in tree.children[one] if c not in cut and c in inside]
    return Subject(_trimmed(tree, _run(tree, tokens, k)), k)


def _triples(tree: Tree, clause: Clause, subject: Subject | None) -> list[Triple]:
    head = subject.tokens if subject else ()
    articles = {c for k in head for c in tree.having(k, "det") if tree.tokens[c].low in _ARTICLES}
    about = {*head, *articles, *(c for k in head for c in tree.having(k, "punct"))}
    said = without_links(tree, clause, [k for k in clause.tokens if k not in about])
    negated = _says(tree, clause, _DENYING)
    if clause.kind in ("apposition", "aside"):
        implied = "is" if clause.kind == "apposition" else ""
        if clause.kind == "aside":
            said = [k for k in said if tree.tokens[k].text not in "()[]"]
            if len(said) == 1 and _YEAR.fullmatch(tree.tokens[said[0]].text):
                return [Triple(head, (), tuple(said), negated, "year")]
            # What stands in brackets without a verb has no relation that a triple could name.
            return [Triple((), (), tuple(sorted({*head, *_trimmed(tree, said)})), negated)]
        return _coordinated(tree, clause, Triple(head, (), _trimmed(tree, said), negated, implied))
    relation = _relation(tree, clause, set(said))
    if not relation or not tree.is_predicate(clause.predicate):
        return [Triple((), (), _trimmed(tree, sorted({*said, *head})), negated)]
    rest = [k for k in said if k not in relation]
    details = [] if _says(tree, clause, _GUARDS) else _details(tree, clause, relation, rest)
    apart = {k for part in details for k in part}
    core = _trimmed(tree, _in_order(tree, relation, [k for k in rest if k not in apart]))
    if details and all(
        tree.tokens[k].kind in ("ADV", "ADJ", "PUNCT", "VERB", "PRON") for k in core
    ):
        # "was lit in | 1872": "was lit" alone says too little.
        relation, core = tuple(sorted({*relation, *core})), ()
    found = [Triple(head, relation, core, negated)] if core or not details else []
    named = (*relation, *_short(tree, core))
    said_only = Triple(head, relation, (), negated)
    # A detail of marks and articles alone says nothing.
    details = [part for one in details if (part := _trimmed(tree, one))]
    found += [_detail(tree, said_only, named, part) for part in details]
    found = [_with_case(tree, one) for one in found]
    return [part for one in found for part in _coordinated(tree, clause, one)]


def _detail(tree: Tree, said: Triple, named: tuple[int, ...], part: tuple[int, ...]) -> Triple:
    """Return a claim beside the others. What "such as" names is said in place of the noun before
    it: "is due to | diabetes"."""
    top = next((k for k in part if tree.tokens[k].head not in part), part[0])
    cases = [k for k in part[:2] if tree.tokens[k].low in ("such", "as", "including")]
    if cases and cases[0] == part[0] and tree.tokens[part[0]].low != "as":
        above = tree.tokens[top].head
        before = part[0] - (2 if tree.tokens[part[0] - 1].text == "," else 1)
        noun = before if above in said.relation and before > max(said.relation) else above
        own = [] if noun in said.relation else tree.having(noun, "case")
        named = (*said.relation, *(c for k in own for c in (k, *tree.having(k, "fixed"))))
        part = tuple(k for k in part if k not in cases)
    return said._replace(relation=named, tail=part)


def _in_order(tree: Tree, relation: Sequence[int], rest: Sequence[int]) -> list[int]:
    """Return what stands behind the verb first: "is valid for | ten years | If you are 16"."""
    before = _trimmed(tree, [k for k in rest if k < relation[0]])
    after = [k for k in rest if k > relation[0]]
    return [*_trimmed(tree, after), *before] if before else after


def _short(tree: Tree, core: Sequence[int]) -> tuple[int, ...]:
    """Return the first noun of what a verb says, with what stands before it: "won the cup in |
    1903" says of "won | the cup of the league" enough to be told from other facts."""
    inside = set(core)
    head = next((k for k in core if tree.tokens[k].head not in inside), -1)
    if (
        head < 0
        or tree.base(head) in _CLAUSAL
        or tree.tokens[head].kind not in ("NOUN", "PROPN", "NUM", "PRON", "ADJ")
    ):
        return ()
    last = head
    while last + 1 in inside and tree.base(last + 1) in ("flat", "fixed", "nummod"):
        last += 1
    own = [c for c in tree.having(head, "nmod") if c > last and c in inside]
    for c in own[:1]:
        part = [one for one in tree.below(c) if one in inside]
        if tree.tokens[part[0]].low == "of" and len(part) <= _SHORT:
            last = part[-1]
    return tuple(k for k in core if k <= last)


def _details(
    tree: Tree, clause: Clause, relation: Sequence[int], rest: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return what is a claim beside the others: what a preposition adds to the verb, dates, places
    and names that it adds to the noun, and what a comma parts from the rest."""
    inside = set(rest)
    verbs = {clause.predicate, *relation}
    found: list[tuple[int, ...]] = []
    cases: list[str] = []
    for k in rest:
        base, above = tree.base(k), tree.tokens[k].head
        case = [tree.tokens[c].low for c in tree.having(k, "case", "mark")][:1]
        part = tuple(_run(tree, [c for c in tree.below(k) if c in inside], k))
        nested = any(k in other for other in found)
        match base:
            case _ if nested:
                # "in Oslo on 4 May": no place has a date.
                dated = bool(case) and _is_date(tree, part) and case[0] in _PLACED
                dated = dated and _leads_to(tree, above, verbs)
                year = tree.tokens[above].kind == "NUM" and _YEAR.match(tree.tokens[above].text)
                own = base in ("nmod", "obl") and (dated or (bool(case) and bool(year)))
                own |= base in ("acl", "advcl") and case == ["to"] and _leads_to(tree, above, verbs)
                own |= base == "nmod" and bool(case) and case[0] in (*_LISTING, *_TIMED)
                own |= base == "obl" and bool(case) and _leads_to(tree, above, verbs)
            case "obl":
                own = above in verbs and bool(case)
            case "nmod" if case and _leads_to(tree, above, verbs):
                named = tree.tokens[k].kind == "PROPN" or _is_date(tree, part)
                placed = case[0] in _PLACED and named
                own = placed or case[0] in (*_LISTING, *_TIMED) or follows_mark(tree, k)
            case "advcl":
                own = above in verbs and (
                    case in (["to"], ["by"]) or follows_mark(tree, k) or _is_timed(tree, k)
                )
            case "acl" if case == ["to"] and _leads_to(tree, above, verbs):
                own = True
            case _:
                own = base in ("xcomp", "acl") and follows_mark(tree, k) and k > clause.predicate
        if own and len(part) > bool(case):
            found = [tuple(c for c in other if c not in part) for other in found]
            found.append(part)
            cases.append(case[0] if case else "")
    return _ranges(found, cases)


def _is_timed(tree: Tree, k: int) -> bool:
    """Return True for "before retiring" and "when he retired"."""
    marks = {tree.tokens[c].low for c in tree.having(k, "mark", "advmod")}
    return bool(marks & {"before", "after", "while", "when", "once"})


def _ranges(parts: list[tuple[int, ...]], cases: Sequence[str]) -> list[tuple[int, ...]]:
    """Put "from 1990" and "to 1993" together: a range is one value."""
    found: list[tuple[int, ...]] = []
    before = ""
    for part, case in zip(parts, cases, strict=True):
        if before == "from" and case in ("to", "until", "through", "till"):
            found[-1] = (*found[-1], *part)
        else:
            found.append(part)
        before = case
    return found


def _leads_to(tree: Tree, k: int, verbs: set[int]) -> bool:
    """Return True if a noun belongs to what one of the verbs says itself, in no further clause."""
    while k not in verbs:
        if k < 0 or tree.base(k) in _CLAUSAL:
            return False
        k = tree.tokens[k].head
    return True


def without_links(tree: Tree, clause: Clause, said: Sequence[int]) -> list[int]:
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
        related = clause.kind == "relative" or token.tag.endswith("|Rel")
        if clause.kind != "main" and related and token.low in _RELATIVE:
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
    for k in tree.having(verb, "xcomp"):
        if k > verb and tree.having(k, "cop"):  # "is considered to be | safe"
            group.update(range(verb + 1, max(tree.having(k, "cop")) + 1))
    group &= said
    near = {clause.predicate, *group}
    adverbs = {k for k in said if tree.base(k) == "advmod" and tree.tokens[k].head in near}
    while group and (
        min(group) - 1 in adverbs
        or (min(group) - 1 in said and tree.tokens[min(group) - 1].kind == "AUX")
    ):
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


def _says(tree: Tree, clause: Clause, words: frozenset[str]) -> bool:
    """Return True if a clause has one of these words, outside of its names."""
    # "more than three" and "at least three" are quantities.
    found = (tree.tokens[k] for k in clause.tokens if tree.base(k) != "fixed")
    return any(one.low in words and one.kind != "PROPN" for one in found)


def _is_date(tree: Tree, part: Iterable[int]) -> bool:
    texts = [tree.tokens[k].text for k in part]
    return any(_YEAR.match(text) or text.lower() in _TIMES for text in texts)


def _coordinated(tree: Tree, clause: Clause, triple: Triple) -> list[Triple]:
    """Take the things of a list apart: "wrote | plays", "wrote | songs". Not what holds for them
    together: a denial, a choice, "between A and B"."""
    tail = triple.tail
    if not tail or _says(tree, clause, _GUARDS) or tail != tuple(range(tail[0], tail[-1] + 1)):
        return [triple]
    tokens = tree.tokens
    joints = [k for k in tail if tokens[k].low in ("and", "or") and k < tail[-1]]
    said = {tokens[k].low for k in triple.relation}
    # "may contain nuts or milk" says both.
    choice = any(tokens[k].low == "or" for k in joints) and said.isdisjoint(_ALLOWING)
    commas = sum(tokens[k].text == "," for k in tail)
    if (not joints and commas < 3) or choice or said & {"between", "among"}:
        return [triple]
    pieces: list[list[int]] = [[]]
    for k in tail:
        if tokens[k].text == "," or k in joints:
            pieces.append([])
        elif tokens[k].relation != "cc:preconj":
            pieces[-1].append(k)
    pieces = [piece for piece in pieces if piece]
    if len(pieces) < 2 or any(not _is_thing(tree, piece, len(pieces)) for piece in pieces):
        return [triple]
    if len(pieces) == 2 and not any(tree.base(k) == "conj" for k in pieces[1]):
        return [triple]
    shared = _shared(tree, pieces)
    relation = (*triple.relation, *pieces[0][:shared])
    pieces[0] = pieces[0][shared:]
    return [triple._replace(relation=relation, tail=_trimmed(tree, piece)) for piece in pieces]


def _shared(tree: Tree, pieces: Sequence[Sequence[int]]) -> int:
    """Return how many words of the first thing of a list hold for all: "in exchange for | Mikal
    Bridges", "Cameron Johnson"."""
    first = pieces[0]
    joined = [tree.tokens[k].head for piece in pieces[1:] for k in piece if tree.base(k) == "conj"]
    cases = [c for k in joined if k in first for c in tree.having(k, "case") if c in first]
    if not cases:
        return 0
    last = max(cases)
    return first.index(max([last, *(c for c in tree.having(last, "fixed") if c in first)])) + 1


def _is_thing(tree: Tree, piece: Sequence[int], of: int) -> bool:
    """Return True for a short phrase of a noun without a verb."""
    tags = {tree.tokens[k].tag for k in piece if tree.base(k) != "amod"}
    kinds = {tag.partition("|")[0] for tag in tags}
    if of > 2 and len(piece) <= 3:  # of a long list, whatever the words were taken for
        return of > 4 or not tags & {"VERB|Fin", "AUX|Fin", "PRON", "SCONJ"}
    return (
        len(piece) <= 12
        and bool(kinds & {"NOUN", "PROPN"})
        and not kinds & {"VERB", "AUX", "SCONJ", "PRON"}
    )


def _with_case(tree: Tree, triple: Triple) -> Triple:
    """Move a preposition at the beginning of the tail to the relation: "lies on | the Tagus"."""
    relation, tail = list(triple.relation), list(triple.tail)
    # Not "except" in "Except for pensioners, all pay a fee".
    led = relation and tail and tail[0] < relation[0] <= tail[-1]
    while (
        relation
        and len(tail) > 1
        and not led
        and (tree.tokens[tail[0]].kind == "ADP" or tree.tokens[tail[0]].low in _LISTING)
    ):
        relation.append(tail.pop(0))
    return triple._replace(relation=tuple(relation), tail=_trimmed(tree, tail))


def _trimmed(tree: Tree, tokens: Sequence[int]) -> tuple[int, ...]:
    """Leave out marks at both ends, and articles before the first word."""
    found = list(tokens)
    while found and (
        (tree.tokens[found[0]].kind == "PUNCT" and tree.tokens[found[0]].text not in "\"“'‘([")
        or (len(found) > 1 and tree.tokens[found[0]].low in _ARTICLES)
        or (len(found) > 1 and tree.tokens[found[0]].relation == "cc")
    ):
        found.pop(0)
    quotes = sum(tree.tokens[k].text in _QUOTES for k in found)
    while found and tree.tokens[found[-1]].kind == "PUNCT":
        text = tree.tokens[found[-1]].text
        if text in "’)]%" or (text in _QUOTES and not quotes % 2):
            break
        quotes -= text in _QUOTES
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
