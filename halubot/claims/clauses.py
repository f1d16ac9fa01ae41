"""Clauses that can stand alone, cut out of the tree of an English sentence.

Every word belongs to exactly one clause, so nothing that a sentence says is lost. What limits or
reports a statement (conditions, times, "that" clauses, restrictive relative clauses) stays in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from halubot.claims.parser import TELLING, Token
from halubot.text import word_set

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
    """The tokens of a sentence and their children."""

    def __init__(self, tokens: Sequence[Token]) -> None:
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
            return None if joins_verbs(tree, parent, k) else "joined"
        case "parataxis" if tree.is_predicate(k) and after_mark:
            reports = token.low in _SAYING and not tree.having(k, "ccomp")
            return None if reports else "joined"
        case "advcl" if parent == predicate or _completes(tree, parent, predicate):
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


def _completes(tree: Tree, k: int, predicate: int) -> bool:
    return tree.base(k) == "xcomp" and tree.tokens[k].head == predicate


def _is_told(tree: Tree, k: int, verb: int) -> bool:
    """Return True for what a source tells as it is: "the report states that it was shut"."""
    told = tree.tokens[verb].low in TELLING and k > verb and bool(tree.having(k, *_SUBJECTS))
    plain = not any(tree.tokens[c].low in ("not", "never", "n't") for c in tree.children[verb])
    return told and plain and _mark(tree, k) in ("", "that")


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


def subjects_of(tree: Tree, predicate: int) -> Iterator[int]:
    """Yield the subjects of a predicate: "there" before what there is."""
    found = tree.having(predicate, *_SUBJECTS)
    expletive = [k for k in found if tree.base(k) == "expl"]
    yield from expletive or found
