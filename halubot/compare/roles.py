"""The roles of words: which are a triple's head and tail, and which have exchanged theirs ("Edison
sued Tesla" beside "Tesla sued Edison")."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from halubot.compare.alignment import Alignment
from halubot.compare.analysis import Analysis, Term
from halubot.compare.grammar import is_participle
from halubot.compare.tokens import word_set
from halubot.report import Fact
from halubot.text import Span

_BE: Final = word_set(
    "is are was were be been being get gets got become becomes became feel feels felt"
)
"""Verbs before the participle of a passive."""
_HAVE: Final = word_set("have has had having")
_SYMMETRIC: Final = word_set(
    "marry meet join resemble share fight border adjoin combine equal differ touch mix connect link"
    " agree compare argue talk debate compete collaborate merge unite similar same different near"
    " together divorce separate include contain need take"
)
_AROUND: Final = word_set(
    "in on at during for with without under after before within near over since until till"
)
"""Prepositions that tell where, when or how, and never who."""
_OF_DOER: Final = word_set("by from of through")
_BESIDE: Final = word_set("at by with through upon")
_TO: Final = word_set("to against")
_THAN: Final = 4
"""Tokens after a comparison in which its "than" is looked for."""


COPULAS: Final = word_set(
    "is are was were be been being become becomes became stay stays stayed remain remains remained"
    " make makes made seem seems seemed"
)
LEADING: Final = word_set(
    "of in on at by for with from to into onto upon about above across after against along among"
    " around as before behind below beneath beside between beyond despite during near over past"
    " since than through toward towards under until via within without"
)


class Roles(NamedTuple):
    """The indexes of a triple's terms: those of its ``head``, of its ``tail``, and of its
    ``verb``. ``agent`` says that the tail did it ("built by NASA"), ``copula`` that the head is
    or becomes the tail, ``led`` that a preposition leads to the tail."""

    head: tuple[int, ...] = ()
    tail: tuple[int, ...] = ()
    verb: tuple[int, ...] = ()
    agent: bool = False
    copula: bool = False
    led: bool = False


NO_ROLES: Final = Roles()


class Swap(NamedTuple):
    """The claim's and the source's verb or comparison by index, and the spans of their roles."""

    claim: int
    source: int
    span: Span
    other: Span


class _Sides(NamedTuple):
    """The indexes of the aligned terms before and after a verb in its clause, the nearest first."""

    before: tuple[int, ...]
    after: tuple[int, ...]


def roles_of(fact: Fact, own: Collection[int], terms: Sequence[Term]) -> Roles:
    """Return the roles of the terms ``own`` of a fact; none if it is no triple."""
    if not fact.triple.head and not fact.triple.relation:
        return NO_ROLES
    head, tail = (
        tuple([i for i in sorted(own) if part and part[0] <= terms[i].start < part[1]])
        for part in (fact.parts.head, fact.parts.tail)
    )
    verb = tuple([i for i in sorted(own) if i not in head and i not in tail])
    words = fact.triple.relation.lower().split() or [""]
    last = words[-1]
    agent = last == "by" and any(map(is_participle, words))  # not "contain more by weight"
    return Roles(head, tail, verb, agent, last in COPULAS, last in LEADING)


def find_swaps(found: Alignment) -> Iterator[Swap]:
    """Yield each verb or comparison whose roles are exchanged in the source."""
    for i, j in enumerate(found.pairs):
        if j < 0 or not (
            is_converse(found, i, j) or (_may_relate(found, i) and not found.opposed[i])
        ):
            continue
        if is_noun(found.claim, i) or is_noun(found.source, j):
            continue
        if are_exchanged(found, i, j):
            yield Swap(i, j, _span(found.claim, i), _span(found.source, j))


def are_exchanged(found: Alignment, pivot: int, other: int) -> bool | None:
    """Return True if what stands around a verb has exchanged its roles in the source, False if it
    has kept them, None if one side has no counterpart."""
    mine = _sides(found.claim, pivot, found.pairs)
    if not all(mine):
        return None
    theirs = _sides(found.source, other, found.back)
    kept = _meet(found, mine.before, theirs.before), _meet(found, mine.after, theirs.after)
    crossed = _meet(found, mine.before, theirs.after), _meet(found, mine.after, theirs.before)
    if all(crossed) and not all(kept):
        order = True
    elif all(kept) and not all(crossed):
        order = False
    else:
        return None
    if _lacks_agent(found.claim, pivot) or _lacks_agent(found.source, other):
        return None
    # "The lid opens at the push of a button": what opens is the subject here, the object there.
    led = _is_led(found.claim, pivot), _is_led(found.source, other)
    if order and led[0] != led[1] and not is_converse(found, pivot, other):
        return None
    # A passive and a converse verb each exchange the sides; both together leave them as they are.
    turned = _is_passive(found.claim, pivot) != _is_passive(found.source, other)
    return order != (turned != is_converse(found, pivot, other))


def _is_led(found: Analysis, verb: int) -> bool:
    """Return True if what follows a verb tells what makes it happen: it opens at a push, with a
    key."""
    after = bisect_left(found.starts, found.terms[verb].end)
    low = next(iter(found.lows[after : after + 1]), "")
    return low in _BESIDE and not found.terms[verb].phrase.endswith(f" {low}")


def is_of_other_side(found: Alignment, pivot: int, other: int) -> bool:
    """Return True if the name before the claim's verb is in the source the one to whom something
    happens: "Ben won" beside "Anna lost to Ben"."""
    source, clause = found.source, found.claim.terms[pivot].clause
    return any(
        found.pairs[i] > other and source.slot(found.pairs[i]) in _TO
        for i in range(pivot)
        if found.claim.terms[i].kind == "name" and found.claim.terms[i].clause == clause
    )


def is_converse(found: Alignment, pivot: int, other: int) -> bool:
    """Return True for two words that tell one thing from its two sides: "buy" and "sell", "deeper
    than" and "shallower than". Without "than", "deep" and "shallow" are opposites."""
    mine, theirs = found.claim.terms[pivot], found.source.terms[other]
    if mine.lore.converses.isdisjoint(theirs.bases) or not mine.bases.isdisjoint(theirs.bases):
        return False
    if found.claim.says_less(pivot) != found.source.says_less(other):
        return False  # "less fast" is "slower"
    common = mine.lore.parts & theirs.lore.parts
    return "a" not in common or "v" in common or _than(found.claim, pivot) is not None


def _meet(found: Alignment, mine: tuple[int, ...], theirs: tuple[int, ...]) -> bool:
    return any(found.pairs[one] in theirs for one in mine)


def _may_relate(found: Alignment, pivot: int) -> bool:
    """A comparative, or a word that is a verb and no noun; any verb between two names."""
    term = found.claim.terms[pivot]
    if term.kind != "word" or not term.bases.isdisjoint(_SYMMETRIC):
        return False
    parts = term.lore.parts
    if not parts.isdisjoint("ar") and _than(found.claim, pivot) is not None:
        return True
    if "v" not in parts:
        return False
    # A word that may be a noun or a verb ("report") is taken for a verb only if its form or its
    # neighbours show it.
    if "n" not in parts or term.low not in term.bases or _is_passive(found.claim, pivot):
        return True
    if _is_participle(term) and pivot not in found.claim.hyphened:
        return True  # "blamed" is an adjective too, but no noun; "plant-based" is no verb
    sides = _sides(found.claim, pivot, found.pairs)
    return all(any(found.claim.terms[one].kind == "name" for one in side) for side in sides)


def is_noun(found: Analysis, pivot: int) -> bool:
    """Return True if what stands around a word that may be a verb shows that it is a noun: "the
    report", "every burn", "burns have to be seen"."""
    term = found.terms[pivot]
    if "n" not in term.lore.parts:
        return False
    at, after = bisect_left(found.starts, term.start), bisect_left(found.starts, term.end)
    # "An action film": as it stands in the dictionary, it may have words of its own before it.
    plain = term.bases == {term.low} and _than(found, pivot) is None
    reach = _MODIFIED if plain else 1
    determined = not _DETERMINERS.isdisjoint(found.lows[max(0, at - reach) : at])
    if determined or not term.low.endswith("s"):
        return determined
    led = at > 0 and found.lows[at - 1] in LEADING  # "sand in layers"
    return led or not _AUXILIARIES.isdisjoint(found.lows[after : after + 1])


_MODIFIED: Final = 3
"""Tokens before a noun in which its article stands."""
_DETERMINERS: Final = word_set(
    "the a an this that these those his her its their our my your of every each any some all no"
)


_AUXILIARIES: Final = word_set(
    "is are was were has have had can could may might must shall should will would"
)


def _sides(found: Analysis, pivot: int, pairs: tuple[int, ...]) -> _Sides:
    """The aligned terms on both sides; only names if there is one, else the nearest term. What
    tells where or when ("in restaurants") takes no part."""
    terms, clause = found.terms, found.terms[pivot].clause
    than = _than(found, pivot)
    sides = []
    for indexes in (range(pivot - 1, -1, -1), range(pivot + 1, len(terms))):
        near = [
            one
            for one in indexes
            if terms[one].clause == clause
            and pairs[one] >= 0
            and terms[one].value is None
            and (found.slot(one) not in _AROUND or _belongs(found, pivot, one))
        ]
        # What is compared with stands after "than", not after the adjective.
        if than is not None and indexes.step > 0:
            near = [one for one in near if terms[one].start > than]
        names = [one for one in near if terms[one].kind == "name"]
        if than is not None:
            pass  # "the old lift" and "the new one" differ in their first words
        elif not names and near and indexes.step > 0:
            near = near[: _length(terms, near)]  # "the environment agency"
        elif not names and near and _is_joined(found, terms[near[0]].end, terms[pivot].start):
            near = []  # "saves energy and reduces the load": energy reduces nothing
        else:
            near = near[:1]
        sides.append(tuple(names or near))
    return _Sides(*sides)


def _is_joined(found: Analysis, start: int, end: int) -> bool:
    """Return True if an "and" or "or" stands between two places."""
    between = found.lows[bisect_left(found.starts, start) : bisect_left(found.starts, end)]
    return "and" in between or "or" in between


def _length(terms: Sequence[Term], near: Sequence[int]) -> int:
    """The number of terms that stand side by side from the first on: "environment agency"."""
    for at, (one, other) in enumerate(pairwise(near)):
        first, second = sorted((one, other))
        if second - first > 1 or terms[second].start > terms[first].end + 1:
            return at + 1
    return len(near)


def _belongs(found: Analysis, verb: int, one: int) -> bool:
    """Return True if the preposition before a term belongs to the verb: "called on the board"."""
    return found.terms[verb].phrase.endswith(f" {found.slot(one)}")


def _than(found: Analysis, pivot: int) -> int | None:
    """Return the place of the "than" of a comparison; None if it has none."""
    if "than" not in found.lows:
        return None
    first = bisect_left(found.starts, found.terms[pivot].end)
    near = found.lows[first : first + _THAN]
    return found.starts[first + near.index("than")] if "than" in near else None


def _is_passive(found: Analysis, pivot: int) -> bool:
    """ "was V by", or "the house V by": a form of "be" or a noun before the verb, "by" after it."""
    term = found.terms[pivot]
    at = bisect_left(found.starts, term.start)
    last = bisect_left(found.starts, term.end + _BY)
    if "by" not in found.lows[at:last]:
        return False
    before = found.lows[max(0, at - 3) : at]
    if not _BE.isdisjoint(before):
        return True
    # "A film from 2014, directed by Siva"; but "prices increased by 5 %".
    after = bisect_left(found.starts, term.end)
    agent = found.terms[pivot + 1] if pivot + 1 < len(found.terms) else None
    told = agent is not None and agent.value is None and found.lows[after] == "by"
    if told and _is_participle(term) and _HAVE.isdisjoint(before):
        return True
    # "The software installed last year by her": a participle right after what it belongs to.
    noun = found.terms[pivot - 1] if pivot else None
    if noun is None or not _is_participle(term) or "n" not in noun.lore.parts:
        return False
    return term.start - noun.end <= len(", ")


def _lacks_agent(found: Analysis, pivot: int) -> bool:
    """ "Was generated online": a passive that does not tell who did it."""
    term = found.terms[pivot]
    at = bisect_left(found.starts, term.start)
    was = not _BE.isdisjoint(found.lows[max(0, at - 2) : at])
    return _is_participle(term) and was and not _is_passive(found, pivot)


def _is_participle(term: Term) -> bool:
    return term.low.endswith(("ed", "en")) and term.bases != {term.low}


_BY: Final = 24
"""Characters after a verb in which the "by" of a passive stands."""


def _span(found: Analysis, pivot: int) -> Span:
    """The verb with the terms next to it."""
    terms, clause = found.terms, found.terms[pivot].clause
    near = [
        one
        for one in range(max(0, pivot - 1), min(len(terms), pivot + 2))
        if terms[one].clause == clause
    ]
    return terms[near[0]].start, terms[near[-1]].end


def tells_of_others(roles: Roles, found: Alignment) -> bool:
    """Return True if a source that has the words of a claim tells them of another one, or of
    another deed."""
    return (
        (roles.agent and not _is_agent(roles, found))
        or _is_done_by_another(roles, found)
        or _is_told_of_another_verb(roles, found)
        or _is_turned_round(roles, found)
        or _modifies_another(roles, found)
        or _is_owner(roles, found)
        or _does_it_itself(roles, found)
    )


def _does_it_itself(roles: Roles, found: Alignment) -> bool:
    """Return True if the source does not name the head of a claim, and has the name that follows
    the verb there before it: "she hired Brandt" beside "Brandt hired Ott" and "Brandt's hiring"."""
    claim, source, pairs = found.claim, found.source, found.pairs
    if roles.copula or not roles.verb or any(pairs[i] >= 0 for i in roles.head):
        return False
    at = roles.verb[0] + 1
    pivot, doer = pairs[at - 1], pairs[at] if at < len(pairs) else -1
    if not 0 <= doer < pivot or claim.terms[at].kind != "name" or claim.slot(at) in LEADING:
        return False
    if source.slot(doer) in LEADING or is_converse(found, at - 1, pivot):
        return False
    if source.terms[doer].text.endswith(("'s", "’s")):
        return doer + 1 == pivot
    after = bisect_left(source.starts, source.terms[pivot].end)
    taken_up = not _OBJECTS.isdisjoint(source.lows[after : after + 1])
    follows = source.terms[pivot + 1 : pivot + 2]
    named = bool(follows) and found.back[pivot + 1] < 0 and follows[0].kind == "name"
    beside = named and source.slot(pivot + 1) not in LEADING
    alone = doer == 0 or source.terms[doer].clause == source.terms[pivot].clause
    return alone and (taken_up or beside) and not _is_passive(source, pivot)


_OBJECTS: Final = word_set("me him her us them it")


def _is_owner(roles: Roles, found: Alignment) -> bool:
    """Return True if the source has the head of a claim after its verb, as the owner of its tail:
    "Ada joined the institute" beside "Max joined the institute of Ada"."""
    if roles.copula or not (roles.verb and roles.head):
        return False
    mine = [found.pairs[i] for i in (roles.verb[0], *roles.head)]
    if min(mine) < 0:
        return False
    verb, owner, last = mine[0], mine[1], mine[-1]
    if not verb < owner:
        return False
    tails = {found.pairs[i] for i in (*roles.verb[1:], *roles.tail) if found.pairs[i] >= 0}
    source = found.source
    if source.terms[last].text.endswith(("'s", "’s")):
        return last + 1 in tails
    return source.slot(owner) == "of" and owner - 1 in tails


def _modifies_another(roles: Roles, found: Alignment) -> bool:
    """Return True if a name that qualifies a noun stands in the source right before another word of
    the claim: "a European orbiter" beside "NASA's orbiter and the European lander"."""
    terms, source = found.claim.terms, found.source.terms
    own = (*roles.head, *roles.tail)
    for i in own:
        j, noun = found.pairs[i], i + 1
        if j < 0 or noun not in own or found.pairs[noun] < 0 or j + 1 >= len(source):
            continue
        if (terms[i].kind, terms[noun].kind, source[j + 1].kind) != ("name", "word", "word"):
            continue
        near = found.back[j + 1]
        beside = source[j + 1].start == source[j].end + 1
        if beside and near in own and near != noun and terms[noun].start == terms[i].end + 1:
            return True
    return False


def _is_agent(roles: Roles, found: Alignment) -> bool:
    """Return True if who did it, by the claim, may have done it by the source: "by NASA" beside
    "NASA built", not beside "NASA's orbiter and the lander"."""
    doer = next((found.pairs[i] for i in roles.tail if found.pairs[i] >= 0), -1)
    if doer < 0:
        return True
    source = found.source
    if source.slot(doer) in _OF_DOER:
        return True
    done = [found.pairs[i] for i in (*roles.head, *roles.verb) if found.pairs[i] >= 0]
    if source.terms[doer].text.endswith(("'s", "’s")):
        run = source.terms[doer].run
        follows = range(doer + 1, len(source.terms))
        owned = next((j for j in follows if run < 0 or source.terms[j].run != run), -1)
        return owned >= 0 and (owned in done or owned + 1 in done)
    return not done or doer < min(done)


def _is_turned_round(roles: Roles, found: Alignment) -> bool:
    """Return True if the source has head and tail in the other order and not the verb, which alone
    could tell who does what: "the fund called on the board" beside "the board urged the fund"."""
    if roles.copula or not (roles.head and roles.tail and roles.verb):
        return False
    terms = found.claim.terms
    # A verb that both have is compared in `roles`, which knows its passive and its converse.
    if any(found.pairs[i] >= 0 or has_converse(terms[i], found.source) for i in roles.verb):
        return False
    first, last = roles.head[-1], roles.tail[-1]
    values = [terms[i].value for i in (first, last)]
    # A date or number may stand anywhere in a sentence, so its place tells nothing.
    return found.pairs[first] > found.pairs[last] >= 0 and values == [None, None]


def _is_done_by_another(roles: Roles, found: Alignment) -> bool:
    """Return True if the source names who did it right after the verb, and it is another one:
    "reviewed by Pratt" beside "Dine reviewed it"."""
    source = found.source
    doers = roles.tail if roles.agent else roles.head
    mine = {found.pairs[i] for i in doers if found.pairs[i] >= 0}
    for i in roles.verb:
        j = found.pairs[i]
        if not mine or j < 0 or j + 1 >= len(source.terms):
            continue
        agent = source.terms[j + 1]
        if agent.kind != "name" or source.slot(j + 1) != "by" or found.opposed[i]:
            continue
        if mine.isdisjoint(source.runs[agent.run]) and not has_converse(
            found.claim.terms[i], source
        ):
            return True
    return False


def _is_told_of_another_verb(roles: Roles, found: Alignment) -> bool:
    """Return True if the same preposition leads from the verb to another value or name before it
    leads to the claim's: "assembled in Aarhus from parts made in Turin"."""
    claim, source = found.claim, found.source
    verbs = [found.pairs[i] for i in roles.verb if found.pairs[i] >= 0]
    tails = [i for i in roles.tail if claim.terms[i].kind != "word" and found.pairs[i] >= 0]
    if not verbs or not tails:
        return False
    verb, first = verbs[0], found.pairs[tails[0]]
    slot = source.slot(first)
    if not slot or slot != claim.slot(tails[0]):
        return False
    kind = source.terms[first].kind
    return any(
        source.terms[j].kind == kind and found.back[j] < 0 and source.slot(j) == slot
        for j in range(verb + 1, first)
        if source.terms[j].run < 0 or source.terms[j].run != source.terms[first].run
    )


def has_converse(term: Term, source: Analysis) -> bool:
    """Return True if the source tells what a verb tells from its other side: "lost to" for
    "defeated"."""
    return not term.lore.converses.isdisjoint(source.places)
