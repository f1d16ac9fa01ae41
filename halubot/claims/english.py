"""Facts of an English text: sentence by sentence, with the running subject carried on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from halubot.claims import english_words as lex
from halubot.claims import lines
from halubot.claims import lines as aside_rules
from halubot.claims.clause_reader import Reading
from halubot.claims.english_words import Word
from halubot.claims.lines import Intro, fragment, pair_line, split_key_and_value
from halubot.claims.mentions import Mentions
from halubot.claims.nouns import Item
from halubot.claims.predicates import Draft
from halubot.claims.remainder import asks, is_heading, titles
from halubot.claims.subjects import introduce
from halubot.claims.tagger import tag
from halubot.report import Fact, Parts, Triple
from halubot.text import Document, merge_spans

Span = tuple[int, int]
_LONGEST: Final = 400  # words read at once; a longer sentence is read in pieces
_MARKER: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_BLANK: Final = re.compile(r"\n[ \t]*\n")
_BULLETS: Final = frozenset("•*–·●▪")
_VERBAL: Final = lex.words("BE HV DO MD VB VZ VD")


def facts(document: Document, subject: str | None) -> list[Fact]:
    """All facts of the text, in its order."""
    subject = _find_name(subject)
    mentions = Mentions(subject)
    plain = document.plain
    found: list[Fact] = []
    alone = len(document.sentences) == 1
    header: list[Span] = []  # of the table being read
    intro: Intro | None = None
    introduced = said = -2  # the lines that brought it, and the last fact
    apart = frozenset(document.apart) or titles(document)
    for number, (index, start, end, opens) in enumerate(_lines(document)):
        if opens:
            mentions.new_paragraph()
        words = tag(plain, start, end, subject)
        if not words or asks(words):
            continue
        title = (start, end) in apart
        if title and is_heading(document, start, end):
            _heading(words, mentions)
            intro = None
            continue
        line = _line_of(document.text, start, end)
        listed = bool(_MARKER.match(line))
        places = lines.cells(document, start, end) if "|" in line else []
        if len(places) >= lines.FEWEST and lines.is_header(document, end):
            header = places
            continue
        if not listed and intro and -1 < said < number - 1:
            intro = None
        bar = _only_bar(document, start, end)
        drafts: list[tuple[Reading, Draft]] = []
        if header and len(places) >= lines.FEWEST:
            drafts.extend(lines.row(document, places, header, mentions))
            words = []
        else:
            header = []
        for first in range(0, len(words), _LONGEST):
            piece = words[first : first + _LONGEST]
            context = intro if listed or introduced == number - 1 else None
            drafts.extend(
                _sentence(plain, piece, mentions, context, topical=alone or listed, bar=bar)
            )
        if words and words[-1].low == ":" and drafts and drafts[-1][1].tail is None:
            intro = _introduction(drafts)
            introduced = number
        seen: dict[Triple, Fact] = {}
        again: dict[Triple, list[Span]] = {}
        # A title is read all the same: it may bring the topic or the clause that a list completes.
        for reading, draft in [] if title else drafts:
            said = number
            fact = _fact(reading, draft, len(found) + len(seen), index)
            # Said twice in a sentence it is one claim, and both places are marked.
            if fact.triple in seen:
                again.setdefault(fact.triple, []).extend(fact.spans)
            else:
                seen[fact.triple] = fact
        found.extend(_repeat(plain, fact, again.get(triple)) for triple, fact in seen.items())
    return found


def _line_of(text: str, start: int, end: int) -> str:
    """A sentence with what stands before it on its line, a bullet say."""
    return text[text.rfind("\n", max(0, start - 200), start) + 1 : end]


def _repeat(plain: str, fact: Fact, again: list[Span] | None) -> Fact:
    """A fact with all the places at which its sentence says it."""
    if not again:
        return fact
    return fact.model_copy(update={"spans": merge_spans(plain, [*fact.spans, *again])})


def _lines(document: Document) -> Iterator[tuple[int, int, int, bool]]:
    """Sentences, with their indexes, and what was set apart, in the order of the text; each with
    whether it opens a paragraph or an item of a list."""
    places = [(start, end, index) for index, (start, end) in enumerate(document.sentences)]
    places += [(start, end, -1) for start, end in document.apart]
    last = 0
    for start, end, index in sorted(places):
        between = document.text[last:start]
        # Pronouns do not look back over a paragraph or an item of a list.
        item = "\n" in between and _MARKER.match(_line_of(document.text, start, end))
        yield index, start, end, bool(item or _BLANK.search(between))
        last = end


def _find_name(subject: str | None) -> str | None:
    """The name in a subject that is a whole sentence ("NoFX is an American band")."""
    if not subject or not subject.strip():
        return None
    # A name may hold a verb: "Pattern is Moving".
    if len(subject.split()) <= 6:
        return subject
    words = tag(subject, 0, len(subject))
    verbs = [k for k, word in enumerate(words[:12]) if word.tag in _VERBAL or word.low in lex.BE]
    if not verbs or not verbs[0]:
        return subject
    last = next(
        (k for k in reversed(verbs) if words[k].low in ("is", "are", "was", "were")), verbs[0]
    )
    return subject[: words[last - 1].end]


def _only_bar(document: Document, start: int, end: int) -> int:
    """Return the place of the rule between the two cells of a table's row; -1 if there is none."""
    bar = document.text.find("|", start, end)
    if bar < 0 or not document.plain[bar].isspace() or document.text.find("|", bar + 1, end) >= 0:
        return -1
    return bar


def _heading(words: Sequence[Word], mentions: Mentions) -> None:
    """A heading that is a name says what follows is about."""
    if all(word.tag in ("NP", "DT", "IN", "CD", "NN", "CC") for word in words) and len(words) <= 8:
        text = " ".join(word.text for word in words)
        if words[0].tag == "NP" and mentions.topic is None:
            mentions.new_topic(text)


def _introduction(drafts: list[tuple[Reading, Draft]]) -> Intro:
    """Take the clauses that lack their tail off ``drafts``: a list will complete them."""
    reading, last = drafts[-1]
    heads: list[str] = []
    # "Oslo and Bergen are:" has a draft for each subject, which the list completes alike.
    while drafts and drafts[-1][1].tail is None and drafts[-1][1].relation == last.relation:
        heads.append(drafts.pop()[1].head.text)
    return Intro(tuple(heads[::-1]), _relation_text(reading, last), last.negated)


def _sentence(
    plain: str,
    words: Sequence[Word],
    mentions: Mentions,
    intro: Intro | None,
    *,
    topical: bool,
    bar: int,
) -> Iterator[tuple[Reading, Draft]]:
    main, asides = aside_rules.part(words)
    while main and main[0].low in _BULLETS:
        main = main[1:]
        asides = [aside._replace(after=aside.after - 1) for aside in asides]
    if not main:
        return
    halves = split_key_and_value(main, bar)
    if halves:
        yield from pair_line(plain, main, halves, mentions)
        return
    reading = Reading(plain, main, mentions)
    introduce(reading.nouns, mentions)
    reading.read()
    drafts = [(reading, draft) for draft in reading.drafts]
    if not drafts:
        drafts = [(reading, draft) for draft in fragment(reading, mentions, intro, topical=topical)]
    added = [draft for aside in asides for draft in _aside(plain, reading, aside, mentions)]
    if added and all(not draft.head.text for _, draft in drafts):
        drafts = []  # "Hamlet (1603)" alone: the year says it
    yield from drafts
    yield from added


def _aside(
    plain: str, reading: Reading, aside: aside_rules.Aside, mentions: Mentions
) -> Iterator[tuple[Reading, Draft]]:
    anchor = reading.noun_before(aside.after)
    if anchor is None:
        return
    words = reading.nouns.words[anchor.first : anchor.last]
    # Only the first words of a sentence, and no firm, work or place: of those two dates are not
    # birth and death.
    person = (
        anchor.name
        and anchor.first == 0
        and not any(
            word.low in lex.THINGS or word.low in lex.ORGANISATION_NOUNS or word.tag == "IN"
            for word in words
        )
    )
    found = aside_rules.dates(plain, aside, person=person)
    first = aside.words[0]
    if found:
        for relation, (start, end) in found:
            own = Reading(plain, [Word(plain[start:end], "", start, end, "DA")], mentions)
            own_tail = Item(own.nouns.text(0, 1), 0, 1, "", False)
            yield _join(reading, own, anchor, relation, own_tail)
    elif first.tag == "VN" or first.low in ("a", "an", "the"):
        words = [*reading.nouns.words[anchor.first : anchor.last], *aside.words]
        own = Reading(plain, words, mentions)
        subject = anchor._replace(first=0, last=anchor.last - anchor.first)
        own.about(subject, len(words) - len(aside.words))
        yield from ((own, draft) for draft in own.drafts)


def _join(
    reading: Reading, own: Reading, anchor: Item, relation: str, tail: Item
) -> tuple[Reading, Draft]:
    """A draft over the anchor's words and those of ``own``."""
    words = [*reading.nouns.words[anchor.first : anchor.last], *own.nouns.words]
    size = anchor.last - anchor.first
    both = Reading(reading.nouns.plain, words, reading.mentions)
    head = anchor._replace(first=0, last=size)
    return both, Draft(head, (), tail._replace(first=size, last=size + 1), False, relation)


def _relation_text(reading: Reading, draft: Draft) -> str:
    """The relation's words; what only opens a sentence goes without its capital. "Ulm, where she
    met him" tells that she met him "in" it."""
    words = reading.nouns.words
    text = draft.implied
    for position, k in enumerate(draft.relation):
        word = words[k]
        before = draft.relation[position - 1] if position else -1
        # "Wasn't" is two words without a blank between them.
        glued = before == k - 1 >= 0 and words[before].end == word.start
        opens = word.tag != "NP" and word.text[1:].islower()
        said = "in" if word.low == "where" else word.text.lower() if opens else word.text
        text += ("" if glued else " ") + said
    return " ".join(text.split())


def _fact(reading: Reading, draft: Draft, number: int, sentence: int) -> Fact:
    words = reading.nouns.words
    head, tail = draft.head, draft.tail
    places: list[Span] = []
    head_span = tail_span = None
    if head.last > head.first:
        place = reading.nouns.place(head.first, head.last)
        places.append(place)
        # The place of a pronoun is not that of the name which it means.
        head_span = None if head.resolved else place
    if tail and tail.last > tail.first:
        place = reading.nouns.place(tail.first, tail.last)
        # What a pronoun stands for is not written there.
        tail_span = None if tail.resolved else place
        places.append(place)
    relation = [(words[k].start, words[k].end) for k in draft.relation]
    verb = relation[0][0] if relation else 0
    said = merge_spans(reading.nouns.plain, relation)
    # "In December Reed sold the mill": "sold mill in" is in pieces, and the one with its verb is
    # its place.
    relation_span = next((place for place in said if place[0] <= verb < place[1]), None)
    places += relation
    triple = Triple(head.text, _relation_text(reading, draft), tail.text if tail else "")
    return Fact(
        index=number,
        triple=triple,
        sentences=(sentence,),
        spans=merge_spans(reading.nouns.plain, places),
        parts=Parts(head=head_span, relation=relation_span, tail=tail_span),
        negated=draft.negated,
    )
