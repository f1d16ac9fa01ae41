"""Names in the place where a relation has them: "born on 3 May 1828 in Romsey, Hampshire"."""

from __future__ import annotations

import re

from halubot.compare.claim import Claim
from halubot.compare.names import canonical
from halubot.compare.relations import COPULAS
from halubot.compare.textindex import SentenceIndex
from halubot.compare.tokens import Token
from halubot.text import Span


def named_slot(claim: Claim, sentence: SentenceIndex) -> Span | None:
    """The name after the claim's preposition after its relation: "born on 3 May in Romsey"."""
    stems = claim.relation or claim.head
    places = [at for stem in stems for at in sentence.stems.get(stem, ())]
    if not places:
        return None
    first = max(places)
    for at in range(first + 1, min(first + 8, len(sentence.tokens) - 1)):
        word = sentence.tokens[at].text.lower()
        if word == claim.slot or {word, claim.slot} <= COPULAS:
            after = at + 1
            while after < len(sentence.tokens) and _leads(sentence.tokens[after], claim):
                after += 1
            if after < len(sentence.tokens) and sentence.tokens[after].kind == "number":
                continue
            return _run(claim, sentence, after)
    return None


def _leads(token: Token, claim: Claim) -> bool:
    """Whether a common word may stand before the name: "the town of", "the architect"."""
    return token.text in _BEFORE_PLACES or (token.text.islower() and token.norm in claim.tail)


_PLACE_WORDS = "the a small city town village suburb parish county district borough port of near"
_BEFORE_PLACES = frozenset(_PLACE_WORDS.split())


def _run(claim: Claim, sentence: SentenceIndex, at: int) -> Span | None:
    """A run of capitalised words from a token on, over commas: "Romsey, Hampshire"; the subject's
    own name is no part of it."""
    words: list[Token] = []
    for token in sentence.tokens[at : at + 8]:
        gap = sentence.plain[words[-1].end : token.start] if words else " "
        if (
            token.norm in claim.own
            or not token.text[0].isupper()
            or not re.fullmatch(r",?\s?|\.\s|-", gap)
        ):
            break
        words.append(token)
    return (words[0].start, words[-1].end) if words else None


_COUNTRIES = """
England|Scotland|Wales|Ireland|Britain|Great Britain|United Kingdom|UK|United States|USA|US
America|France|Germany|Italy|Spain|Portugal|Netherlands|Belgium|Switzerland|Austria|Poland|Russia
Soviet Union|Ukraine|Sweden|Norway|Denmark|Finland|Greece|Turkey|Hungary|Romania|Bulgaria|Serbia
Croatia|Czech Republic|China|Japan|India|Pakistan|Bangladesh|Sri Lanka|Iran|Iraq|Israel|Egypt
Nigeria|Kenya|Ghana|South Africa|Australia|New Zealand|Canada|Mexico|Brazil|Argentina|Chile
Colombia|Cuba|Jamaica|Indonesia|Philippines
Peru|Bolivia|Ecuador|Venezuela|Uruguay|Paraguay|Panama|Guatemala|Haiti|Iceland|Algeria|Morocco
Tunisia|Libya|Ethiopia|Tanzania|Uganda|Zimbabwe|Afghanistan|Saudi Arabia|Syria|Lebanon|Nepal
Myanmar|Taiwan|Slovakia|Slovenia|Estonia|Latvia|Lithuania|Belarus|Albania|Cyprus|Malta
Vietnam|Thailand|Korea|South Korea|Malaysia|Singapore|Europe|Asia|Africa
"""
_BROAD = frozenset(name.casefold() for name in re.split(r"[|\n]", _COUNTRIES.strip()))


_CONTINENTS = frozenset({"europe", "asia", "africa", "america"})
# Countries that were named as parts of another one.
_PARTS = {
    "united kingdom": frozenset({"england", "scotland", "wales", "ireland"}),
    "soviet union": frozenset({"russia", "ukraine"}),
}


def may_hold(name: str, other: str) -> bool:
    """Whether one of two places may lie in the other: a town in a country, a country in a
    continent; two towns and two countries do not."""
    names = [one.casefold().removeprefix("the ") for one in (name, other)]
    if (names[0] in _BROAD) != (names[1] in _BROAD) or not _CONTINENTS.isdisjoint(names):
        return True
    first, second = map(canonical, names)
    return first in _PARTS.get(second, ()) or second in _PARTS.get(first, ())
