"""Facts of an English text: line by line and clause by clause, with exact places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple

from halubot.claims import lines
from halubot.claims.clauses import (
    Clause,
    Subject,
    Tree,
    Triple,
    cut_clauses,
    find_joints,
    read_clauses,
    read_subjects,
    without_links,
)
from halubot.claims.mentions import OWNERS, PRONOUNS, Mentions, is_person, read_lifespan
from halubot.claims.parser import Token, parse
from halubot.concurrency import go_on
from halubot.report import Fact, Parts
from halubot.report import Triple as Said
from halubot.text import Document, Span, merge_spans

_BLANK: Final = re.compile(r"\n[ \t]*\n")
_SEMICOLON: Final = re.compile(r";\s")
_EMPTY: Final = frozenset(
    {"PUNCT", "CCONJ", "SCONJ", "DET", "ADP", "AUX", "PART", "INTJ", "PRON", "SYM", "X"}
)
_SINGULAR: Final = frozenset({"is", "was", "has", "does"})
_PLURAL: Final = frozenset({"are", "were", "have"})
_SEVERAL: Final = frozenset(
    {"many", "several", "few", "both", "these", "those", "people", "men", "women", "children"}
)
"""Words that make a subject plural without an s, before it or as its last."""
_SPEAKERS: Final = frozenset({"i", "we", "you"})
"""Subjects of which no triple tells: those who speak."""


class _LeadIn(NamedTuple):
    """A clause that a list completes: "The main ports are:"."""

    head: str
    relation: str
    negated: bool


class _Draft(NamedTuple):
    """A fact before it has a number: the words of its parts, where they are exactly these words
    their places, and all its places."""

    triple: Said
    spans: tuple[Span, ...]
    parts: Parts
    negated: bool = False


def read_facts(document: Document, subject: str | None) -> list[Fact]:
    """Return the facts of a text in its order. ``subject`` is what it is about, None if unknown."""
    rows = lines.read_lines(document)
    trees = _trees(document.plain, [row.words for row in rows])
    mentions = Mentions(subject)
    found: list[Fact] = []
    lead: _LeadIn | None = None
    header: list[Span] = []
    before = mentions.before_list()
    last = 0
    for row, own_trees in zip(rows, trees, strict=True):
        go_on()
        if row.listed:
            mentions.in_list(before)
        elif _BLANK.search(document.text, last, row.span[0]):
            mentions.new_paragraph()
        last = row.span[1]
        drafts: list[_Draft] = []
        if row.kind == "header":
            header = row.cells
            continue
        if row.kind == "row":
            drafts = list(_row(document.plain, row.cells, header, mentions))
        elif row.kind in ("title", "silent") or not own_trees:
            lead = None
            if row.kind == "title" and own_trees:
                _note_title(own_trees[0], mentions)
        else:
            if row.label is not None:
                mentions.label(_text(document.plain, row.label))
            own = lead if row.listed else None
            drafts = [draft for tree in own_trees for draft in _sentence(row, tree, mentions, own)]
            if row.leads:
                lead = _lead_in(drafts, own_trees[-1])
            elif not row.listed:
                lead = None
        if not row.listed:
            before = mentions.before_list()
        if row.sentence >= 0:
            found += _numbered(document.plain, drafts, row.sentence, len(found))
    return found


def read_statements(
    plain: str, sentences: Sequence[Span]
) -> Iterator[list[tuple[tuple[Span, ...], str]]]:
    """Yield the clauses of each sentence in order: the places of each, and its words with the
    subject that it shares with another clause. Those that say nothing without the others, such as
    conditions and what stands in brackets, stay within theirs."""
    for trees in _trees(plain, sentences):
        yield sorted(statement for tree in trees for statement in _statements(tree))


def _statements(tree: Tree) -> Iterator[tuple[tuple[Span, ...], str]]:
    clauses = cut_clauses(tree)
    for at, subject in enumerate(read_subjects(tree, clauses)):
        if clauses[at].kind == "aside":
            continue
        clause = _with_asides(clauses, at)
        tokens = _bare(tree, clause)
        if not tokens:
            continue
        words = [tree.words(tokens)]
        if subject and not set(clause.tokens) & set(subject.tokens):
            words = [tree.words(_with_article(tree, subject)), *words]
            words[1:1] = _link(tree, clause)
        yield tree.places(tokens), " ".join(words)


def _with_asides(clauses: Sequence[Clause], at: int) -> Clause:
    """Return a clause with what stands in brackets in it."""
    clause = clauses[at]
    inner = [k for one in clauses if one.kind == "aside" and one.parent == at for k in one.tokens]
    return clause._replace(tokens=tuple(sorted((*clause.tokens, *inner))))


def _bare(tree: Tree, clause: Clause) -> list[int]:
    """Return the tokens of a clause without the marks around its pieces, and without the words that
    join it to another clause."""
    own = without_links(tree, clause, clause.tokens)
    kept = set(own)
    return [
        k
        for k in own
        if tree.tokens[k].kind != "PUNCT" or {k - 1, k + 1} <= kept or tree.tokens[k].text in "%$€£"
    ]


def _link(tree: Tree, clause: Clause) -> list[str]:
    """Return the verb between a subject and what is said of it without one."""
    if clause.kind == "apposition":
        return ["is"]
    token = tree.tokens[clause.predicate]
    passive = clause.kind == "participle" and token.tag == "VERB|Part"
    return ["was"] if passive and not token.low.endswith("ing") else []


def _with_article(tree: Tree, subject: Subject) -> tuple[int, ...]:
    first = subject.tokens[0]
    articled = first > 0 and tree.tokens[first - 1].kind == "DET"
    return (first - 1, *subject.tokens) if articled else subject.tokens


def _trees(plain: str, sentences: Sequence[Span]) -> list[list[Tree]]:
    """Return the trees of each sentence: one for each part that a semicolon or a conjunction before
    another subject and verb sets off."""
    spans = [
        (owner, span)
        for owner, sentence in enumerate(sentences)
        for span in spans_between(_SEMICOLON, plain, sentence)
    ]
    read = parse(plain, [span for _, span in spans])
    pieces = [
        (owner, piece)
        for (owner, span), tokens in zip(spans, read, strict=True)
        for piece in _statements_within(span, tokens)
    ]
    found: list[list[Tree]] = [[] for _ in sentences]
    # What is in one piece is not parsed again.
    read = parse(plain, [piece for _, piece in pieces])
    for (owner, _), tokens in zip(pieces, read, strict=True):
        if tokens:
            found[owner].append(Tree(plain, tokens))
    return found


def spans_between(mark: re.Pattern[str], plain: str, span: Span) -> Iterator[Span]:
    """Yield the pieces of a place of a text, in order, that marks set off."""
    marks = (match.span() for match in mark.finditer(plain, *span))
    bounds = [span[0], *chain.from_iterable(marks), span[1]]
    yield from zip(bounds[::2], bounds[1::2], strict=True)


def _statements_within(span: Span, tokens: Sequence[Token]) -> list[Span]:
    joints = find_joints(tokens)
    if not joints:
        return [span]
    bounds = pairwise([0, *joints, len(tokens)])
    return [(tokens[first].start, tokens[last - 1].end) for first, last in bounds]


def _sentence(
    row: lines.Line, tree: Tree, mentions: Mentions, lead: _LeadIn | None
) -> Iterator[_Draft]:
    clauses = cut_clauses(tree)
    read = read_clauses(tree, clauses)
    held: set[int] = set()
    stated = any(triple.head or triple.relation for _, triples in read for triple in triples)
    if row.label is not None and not stated:
        yield _pair(tree.plain, row.label, row.words, mentions)
        return
    in_order = sorted(zip(clauses, read, strict=True), key=lambda one: one[0].tokens[:1])
    for clause, (subject, triples) in in_order:
        name = _named(tree, clause, subject, mentions)
        if (
            clause.kind == "aside"
            and subject
            and (events := list(_lifespan(tree, clause, subject)))
        ):
            held.update(clause.tokens)
            yield from events
            continue
        said = triples
        if subject and _tells_of_nothing(tree, clause, subject, triples, leads=row.leads):
            said = [_whole(tree, triples)]
        for triple in said:
            held.update(triple.head, triple.relation, triple.tail)
            draft = _draft(tree, triple, name)
            if not any(draft.triple):
                continue
            if lead and said is triples and not triple.head and not triple.relation:
                completed = Said(lead.head, lead.relation, draft.triple.tail)
                draft = draft._replace(triple=completed, negated=lead.negated)
            yield draft
        mentions.others(tree, clause.tokens)
    yield from _rest(tree, held)


def _tells_of_nothing(
    tree: Tree, clause: Clause, subject: Subject, triples: Sequence[Triple], *, leads: bool
) -> bool:
    """Return True for "here is", "I think", "it seems that", and a source whose words are claims
    of their own: "the report states"."""
    word = tree.tokens[subject.head].low if len(subject.tokens) == 1 else ""
    told = bool(tree.having(clause.predicate, "ccomp"))
    silent = told and all(not one.tail for one in triples)
    if tree.tokens[clause.tokens[0]].low == "here" and subject.head > clause.predicate:
        return True
    speaks = word in _SPEAKERS and not leads  # a list may follow: "you need:"
    return speaks or silent or (word == "it" and _is_impersonal(tree, clause))


def _is_impersonal(tree: Tree, clause: Clause) -> bool:
    """Return True if the subject, "it", stands for what follows: "it is known that", "it is hard
    to"."""
    return any(
        tree.base(k) in ("csubj", "ccomp", "xcomp", "advcl")
        and any(tree.tokens[c].low in ("to", "that", "whether") for c in tree.having(k, "mark"))
        and (tree.base(k) in ("csubj", "ccomp") or bool(tree.having(clause.predicate, "cop")))
        for k in tree.children[clause.predicate]
    )


def _whole(tree: Tree, triples: Sequence[Triple]) -> Triple:
    """Return triples as one that has no head."""
    tokens = {k for one in triples for k in (*one.head, *one.relation, *one.tail)}
    return Triple((), (), tuple(sorted(tokens)), any(one.negated for one in triples))


def _lifespan(tree: Tree, clause: Clause, subject: Subject) -> Iterator[_Draft]:
    """Yield when the person was born and died behind whose name the brackets of a clause stand."""
    inside = [tree.tokens[k] for k in clause.tokens if tree.tokens[k].text not in "()[]"]
    if not inside:
        return
    span = (inside[0].start, inside[-1].end)
    name = [tree.tokens[k] for k in subject.tokens]
    place = tree.place(subject.tokens)
    for relation, date in read_lifespan(tree.plain, span, [token.text for token in name]):
        triple = Said(tree.words(subject.tokens), relation, _text(tree.plain, date))
        spans = merge_spans(tree.plain, [*((one.start, one.end) for one in name), date])
        yield _Draft(triple, spans, Parts(head=place, tail=date))


def _named(tree: Tree, clause: Clause, subject: Subject | None, mentions: Mentions) -> str | None:
    """Return the name for which a clause's subject stands, if it is a pronoun that is certain. Note
    the subject."""
    if subject is None or not subject.tokens:
        return None
    head = tree.tokens[subject.head]
    if len(subject.tokens) == 1 and head.low in PRONOUNS:
        known = head.low != "it" or not _is_impersonal(tree, clause)
        return mentions.resolve(head.low) if known else None
    if head.kind not in ("NOUN", "PROPN", "NUM") or clause.kind not in ("main", "joined"):
        return None
    owner = tree.tokens[subject.tokens[0]].low
    if owner in OWNERS and len(subject.tokens) > 1:
        name = mentions.resolve(OWNERS[owner])
        return name and f"{name}'s {tree.words(subject.tokens[1:])}"
    text = tree.words(subject.tokens)
    full = mentions.full_name(text) if head.kind == "PROPN" and " " not in text else None
    if full:
        mentions.subject(full, name=True, plural=False)
        return full
    article = tree.having(subject.head, "det")
    definite = len(subject.tokens) == 1 and article and tree.tokens[article[0]].low == "the"
    if definite and (name := mentions.definite(head.low)) is not None:
        return name
    named = any(
        tree.tokens[k].kind == "PROPN" and tree.base(k) not in ("nmod", "obl")
        for k in subject.tokens
    )
    last = tree.tokens[max([subject.head, *tree.having(subject.head, "flat")])]
    common = last.kind == "NOUN" or last.text[:1].islower()
    verbs = {
        tree.tokens[k].low for k in (clause.predicate, *tree.having(clause.predicate, "aux", "cop"))
    }
    plural = (last.low.endswith("s") and common) or bool(tree.having(subject.head, "conj"))
    plural = (plural or bool(verbs & _PLURAL)) and not verbs & _SINGULAR
    plural = plural or (common and not _SEVERAL.isdisjoint((owner, last.low)))
    mentions.subject(text, name=named, plural=plural)
    for k in subject.tokens:
        if named and tree.tokens[k].kind == "NOUN":
            mentions.describe(text, tree.tokens[k].low)
    if tree.having(clause.predicate, "cop"):
        what = tree.tokens[clause.predicate]
        if what.kind == "NOUN":
            mentions.describe(text, what.low)
        elif what.kind == "PROPN" and not named:
            # "The inventor was Ada Holm": she is one of whom the text tells.
            own = [clause.predicate, *tree.having(clause.predicate, "flat", "compound")]
            words = [k for k in sorted(own) if tree.tokens[k].kind == "PROPN"]
            if is_person([tree.tokens[k].text for k in words]):
                mentions.subject(tree.words(words), name=True, plural=False)
    return None


def _draft(tree: Tree, triple: Triple, name: str | None) -> _Draft:
    head, tail = (tree.words(part) for part in (triple.head, triple.tail))
    verb = _without_passive(tree, triple)
    relation = " ".join(filter(None, (triple.implied, tree.words(verb))))
    for k in verb:
        token = tree.tokens[k]
        if triple.head and token.text[:1].isupper() and token.kind not in ("PROPN", "NOUN", "NUM"):
            relation = relation.replace(token.text, token.low, 1)
    places = [tree.place(part) for part in (triple.head, triple.relation, triple.tail)]
    tokens = sorted({*triple.head, *triple.relation, *triple.tail})
    spans = merge_spans(tree.plain, [(tree.tokens[k].start, tree.tokens[k].end) for k in tokens])
    return _Draft(
        Said(name or head, relation, tail),
        spans,
        Parts(head=None if name else places[0], relation=places[1], tail=places[2]),
        triple.negated,
    )


def _without_passive(tree: Tree, triple: Triple) -> tuple[int, ...]:
    """Return the words of a relation without the "was" of a passive: "born in"."""
    relation = triple.relation
    if len(relation) < 2 or not triple.head:
        return relation
    first = tree.tokens[relation[0]]
    passive = (
        first.relation.startswith("aux")
        and first.low in ("is", "are", "was", "were")
        and any(
            tree.tokens[k].tag == "VERB|Part" and not tree.tokens[k].low.endswith("ing")
            for k in relation[1:]
            if tree.tokens[k].kind != "ADV"
        )
    )
    return relation[1:] if passive and not triple.negated else relation


def _text(plain: str, span: Span) -> str:
    return " ".join(plain[slice(*span)].split())


def _rest(tree: Tree, held: set[int]) -> Iterator[_Draft]:
    """Yield a claim for each run of words that no triple holds, if it says anything."""
    run: list[int] = []
    for k, token in [*enumerate(tree.tokens), (len(tree.tokens), None)]:
        if token is None or k in held:
            if any(
                tree.tokens[one].kind not in _EMPTY
                and tree.base(one) not in ("discourse", "advmod", "case", "fixed")
                for one in run
            ):
                yield _draft(tree, Triple((), (), tuple(run), negated=False), None)
            run = []
        elif token.kind != "PUNCT":
            run.append(k)


def _pair(plain: str, label: Span, value: Span, mentions: Mentions) -> _Draft:
    """Return what a line such as "Born: 1828" tells of the topic, or of its label."""
    spans = merge_spans(plain, [label, value])
    key = _text(plain, label)
    topic = mentions.topic if plain[label[1]] == ":" else None
    if topic:
        return _Draft(
            Said(topic, key, _text(plain, value)), spans, Parts(relation=label, tail=value)
        )
    return _Draft(Said(key, "", _text(plain, value)), spans, Parts(head=label, tail=value))


def _row(
    plain: str, cells: Sequence[Span], header: Sequence[Span], mentions: Mentions
) -> Iterator[_Draft]:
    """Yield each cell of a table's row with the row's name and the column's header."""
    if not cells or cells[0][0] == cells[0][1]:
        return  # nothing says what the other cells are about
    head = cells[0]
    for k, cell in enumerate(cells[1:], 1):
        if cell[0] == cell[1]:
            continue
        name = _text(plain, header[k]) if k < len(header) and len(cells) > 2 else ""
        triple = Said(_text(plain, head), name, _text(plain, cell))
        parts = Parts(head=head, tail=cell)
        if len(cells) == 2 and mentions.topic:
            triple = Said(mentions.topic, triple.head, triple.tail)
            parts = Parts(relation=head, tail=cell)
        yield _Draft(triple, merge_spans(plain, [head, cell]), parts)


def _lead_in(drafts: list[_Draft], tree: Tree) -> _LeadIn | None:
    """Return what a list completes. If the clause says nothing without it, it is no claim."""
    if not drafts:
        return None
    shown = tree.having(tree.root, "nsubj")
    if tree.tokens[0].low == "here" and shown:  # "Here are the ports:"
        drafts.clear()
        words = [k for k in tree.below(shown[0]) if tree.tokens[k].text != ":"]
        articles = 1 if tree.tokens[words[0]].low in ("a", "an", "the", "some") else 0
        return _LeadIn(tree.words(words[articles:]), "", negated=False)
    head, relation, tail = drafts[-1].triple
    negated = drafts[-1].negated
    if not any(token.tag.endswith(("|Fin", "|Imp")) for token in tree.tokens):
        # "Foods of the region:" is what each item is.
        return _LeadIn(drafts[0].triple.head or drafts[0].triple.tail, "", negated)
    if not relation:
        return None
    if not tail:
        drafts.pop()
    return _LeadIn(head, f"{relation} {tail}".strip(), negated)


def _note_title(tree: Tree, mentions: Mentions) -> None:
    """Take a title that is a name for the topic."""
    named = all(t.kind in ("PROPN", "DET", "ADP", "NUM", "NOUN", "CCONJ") for t in tree.tokens)
    if (
        named
        and tree.tokens[0].kind == "PROPN"
        and mentions.topic is None
        and len(tree.tokens) <= 8
    ):
        mentions.new_topic(tree.words(range(len(tree.tokens))))


def _numbered(plain: str, drafts: Sequence[_Draft], sentence: int, first: int) -> Iterator[Fact]:
    """Yield the facts of a sentence. What it says twice is one fact with both places."""
    seen: dict[Said, _Draft] = {}
    for draft in drafts:
        before = seen.setdefault(draft.triple, draft)
        if before is not draft:
            spans = merge_spans(plain, [*before.spans, *draft.spans])
            seen[draft.triple] = before._replace(spans=spans)
    for index, draft in enumerate(seen.values(), first):
        yield Fact(
            index=index,
            triple=draft.triple,
            sentences=(sentence,),
            spans=draft.spans,
            parts=draft.parts,
            negated=draft.negated,
        )
