"""The words around a change: does the sentence still read as one, and which article fits?"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from halubot.report import Span

_LEANING = re.compile(  # words that ask for another to follow
    r"(?<![\w'’-])(?:"
    r"a|an|the|this|that|these|those|his|her|its|their|my|our|"
    r"your|no|every|each|any|some|other|another|such|both|either|"
    r"neither|not|only|also|just|even|than|too|very|more|most|less|"
    r"as|well|and|or|but|nor|of|in|on|at|by|from|for|with|to|"
    r"into|onto|upon|about|over|under|between|among|during|after|"
    r"before|since|until|through|against|within|without|towards|toward|"
    r"near|like|including|is|was|are|were|be|been|being|am|has|"
    r"have|had|having|do|does|did|can|could|will|would|shall|should"
    r"|may|might|must|became|become|becomes|called|named|known|"
    r"considered|regarded|described|seen|viewed|referred|titled|entitled|"
    r"dubbed|nicknamed|renowned|noted|famed|credited|instrumental|"
    r"responsible|able|unable|capable|based|located|situated|consists|"
    r"consisted|composed|comprised|belongs|belonged|refers|best|better|who"
    r"|which|whose|whom|where|when|while|whereas|although|because|if|"
    r"earned|received|won|made|held|gave|took|led|included|includes|"
    r"involved|specialized|specializing|focused|focusing|appeared|appears|"
    r"serves|starring|spent|numbered|totalled|cost|costs|lasted|measures|"
    r"measured|weighs|weighed|later|then|eventually|subsequently"
    r")\s*$",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\b(?:born|lived|lives|resides|lies|stands|used)\s*$", re.IGNORECASE)
_PAIR = re.compile(r"\b(?:between|both|either|neither)\s[^,;]*$", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|it|they|we|I|you|this|these|those|there|that)\b")
_FROM = re.compile(r"\b(?:from|between)\s[^,;]*$", re.IGNORECASE)
_UNTIL = re.compile(r"\s+(?:until|till|to|and)\b")
_LONGEST_WORD = 40
_FIRST_OF_MANY = re.compile(
    r"\b(?:between|both|either|neither"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|several|\d{1,2})\s+(?:\w+\s+){0,2}\w+,?)\s*$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:^|[,;:—–(]\s*|\b(?:and|but|or|then)\s+)"
    r"(?:after|before|since|until|when|while|as|although|though|despite|during|following|upon|under"
    r"|in|on|at|by|from|for|with|without|because|if|once|throughout|having|born|along|besides)\b"
    r"[^,;—–]*$",
    re.IGNORECASE,
)
_END = re.compile(r"""\s*(?:[.!?…;:]|[)\]"'”’»]*\s*$)""")
_DETAIL = re.compile(
    r"\s+(?:in|on|at|by|from|for|with|near|during|after|before|since|until|as|between|under"
    r"|throughout|when|while|because)\s+\w"
)
_PARTICIPLE = re.compile(r",\s+(?!including\b)(?:\w+ly\s+)?\w{2,}ing\s+\w")
_LINK = re.compile(
    r"(?:\s*[,;]\s*|\s+)(?:(?:and|but|or|while|whereas|although)\s+)?"
    r"(?:(?:later|then|also|eventually|finally|subsequently|still|currently|now|\w{3,}ly)\s+)?",
    re.IGNORECASE,
)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))


def whole(text: str, start: int, end: int) -> bool:
    """Return True if ``text[start:end]`` can go without leaving half a word, a bracket or a
    quotation mark behind."""
    inside = text[start:end]
    if any(0 < at < len(text) and _join(text[at - 1], text[at]) for at in (start, end)):
        return False
    return inside.count('"') % 2 == 0 and all(
        inside.count(opening) == inside.count(closing) for opening, closing in _PAIRS
    )


def _join(a: str, b: str) -> bool:
    return (a.isalnum() and (b.isalnum() or b in "'’-‑")) or (a in "'’-‑" and b.isalnum())


def hangs(before: str) -> bool:
    """Return True if the text before a cut, from the beginning of its sentence, ends in a word that
    leans on what follows.

    >>> hangs("She was known")
    True
    >>> hangs("She was born in London")
    False
    """
    if before.rstrip().endswith((",", ";", ":", "(", "[", "“", "«", "—", "–", "-")):
        return True
    return _LEANING.search(before, max(0, len(before) - _LONGEST_WORD)) is not None


def empty(before: str, text: str, place: int, end: int) -> bool:
    """Return True if the sentence ends at ``place``, after a verb that says nothing alone: "He
    lived."."""
    ended = _END.match(text, place, end) is not None
    return ended and _EMPTY.search(before, max(0, len(before) - _LONGEST_WORD)) is not None


def opens(before: str) -> bool:
    """Return True if the text before a cut, from the beginning of its sentence, is an opening that
    waits for its clause.

    >>> opens("After her death")
    True
    >>> opens("She retired after the war")
    False
    """
    return bool(_OPENING.search(before))


def announces_pair(before: str) -> bool:
    """Return True if a word before the cut has announced that two things follow.

    >>> announces_pair("They were either caught")
    True
    """
    return bool(_PAIR.search(before))


def pronoun(lead: str) -> bool:
    """Return True if a pronoun stands in the words before a verb, as its subject."""
    return bool(_PRONOUN.search(lead))


def ranges(before: str, inside: str) -> bool:
    """Return True if a cut begins with the second half of "from 1912 until 1915"."""
    return bool(_UNTIL.match(inside) and _FROM.search(before))


def counts(before: str) -> bool:
    """Return True if a list that begins here was announced with its number, or in a pair.

    >>> counts("She wrote two books,")
    True
    """
    return bool(_FIRST_OF_MANY.search(before))


def goes_on(text: str, place: int, end: int, starts: Collection[int]) -> bool:
    """Return True if what follows at ``place`` stands without what was cut before it: the end of
    the sentence, a further detail, a participle, or a clause, which begins at one of ``starts``.
    ``end`` is the end of the sentence.

    >>> text = "She sang in Rome, which she loved."
    >>> goes_on(text, 16, len(text), ())
    False
    >>> goes_on(text, 33, len(text), ())
    True
    """
    if _END.match(text, place, end) or _DETAIL.match(text, place, end):
        return True
    if _PARTICIPLE.match(text, place, end):
        return True
    link = _LINK.match(text, place, end)
    return link is not None and link.end() in starts


def carries(text: str, place: int, starts: Collection[int]) -> bool:
    """Return True if a further verb follows at ``place`` that has its subject from before: "and
    sang"."""
    link = _LINK.match(text, place)
    return link is not None and link.end() in starts


_ARTICLE: Final = re.compile(r"(?<!\w)(a|an)\s$", re.IGNORECASE)


_LONGEST: Final = 4


_SILENT: Final = ("hour", "honest", "honor", "honour", "heir")


_AS_YOU: Final = re.compile(r"(?:uni(?![mn])|us[eau]|eu|one\b|once\b|ut[aei]|ub[ei]|ur[aio])")


_VOWELS: Final = frozenset("aeiou\u00e0\u00e1\u00e4\u00e9\u00e8\u00f6\u00f3\u00fc")


_SPELLED: Final = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: "an FBI agent"."""


def with_article(text: str, place: Span, after: str) -> tuple[Span, str]:
    """Return the place and what is put there, both with the "a" or "an" before it if ``after``
    takes the other one. The article is left if it does not fit the words that it stands before
    now: then it may not be one."""
    start, end = place
    found = _ARTICLE.search(text, max(0, start - _LONGEST), start)
    # Both take the same article, so it stays as it is.
    if found is None or takes_an(text[start:end]) == takes_an(after):
        return place, after
    # The article does not fit its own words: it may be a letter, as in "vitamin A".
    if (found[1].lower() == "an") != takes_an(text[start:end]):
        return place, after
    article = found[1][0] + ("n" if takes_an(after) else "")
    return (found.start(), end), f"{article}{text[found.end(1) : start]}{after}"


def takes_an(words: str) -> bool:
    """Return True if "an" stands before these words: "hour", "8 km", "FBI", and not "European".

    >>> [takes_an(word) for word in ("American", "Canadian", "hour", "8 km", "European")]
    [True, False, True, True, False]
    """
    first = re.match(r"\W*(\w+)", words)
    if first is None:
        return False
    word = first[1]
    if word[0].isdigit():
        # As it is said: "an 8", "an 11", "an 18,000", and "a 110".
        return word[0] == "8" or word in ("11", "18") or re.match(r"1[18]\d{3}$", word) is not None
    if len(word) > 1 and word.isupper():
        return word[0] in _SPELLED
    low = word.lower()
    if low.startswith(_SILENT):
        return True
    return low[0] in _VOWELS and not _AS_YOU.match(low)
