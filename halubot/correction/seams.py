"""Does a sentence still read as one where something was cut out of it?

Asked of the two edges that a cut brings together: of the word before it, which must not hang in
the air, and of what goes on behind it, which must not have leant on what is gone. Where in
doubt the answer is no, for a hedge is always possible.
"""

from __future__ import annotations

import re
from collections.abc import Collection

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
    """Whether ``text[start:end]`` can go without leaving half a word, a bracket or a quotation
    mark behind."""
    inside = text[start:end]
    if any(0 < at < len(text) and _join(text[at - 1], text[at]) for at in (start, end)):
        return False
    return inside.count('"') % 2 == 0 and all(
        inside.count(opening) == inside.count(closing) for opening, closing in _PAIRS
    )


def _join(a: str, b: str) -> bool:
    return (a.isalnum() and (b.isalnum() or b in "'’-‑")) or (a in "'’-‑" and b.isalnum())


def hangs(before: str) -> bool:
    """Whether the text before a cut, from the beginning of its sentence, ends in a word that
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
    """Whether the sentence ends at ``place``, after a verb that says nothing alone: "He lived."."""
    ended = _END.match(text, place, end) is not None
    return ended and _EMPTY.search(before, max(0, len(before) - _LONGEST_WORD)) is not None


def opens(before: str) -> bool:
    """Whether the text before a cut, from the beginning of its sentence, is an opening that
    waits for its clause.

    >>> opens("After her death")
    True
    >>> opens("She retired after the war")
    False
    """
    return bool(_OPENING.search(before))


def announces_pair(before: str) -> bool:
    """Whether a word before the cut has announced that two things follow.

    >>> paired("They were either caught")
    True
    """
    return bool(_PAIR.search(before))


def pronoun(lead: str) -> bool:
    """Whether a pronoun stands in the words before a verb, as its subject."""
    return bool(_PRONOUN.search(lead))


def ranges(before: str, inside: str) -> bool:
    """Whether a cut begins with the second half of "from 1912 until 1915"."""
    return bool(_UNTIL.match(inside) and _FROM.search(before))


def counts(before: str) -> bool:
    """Whether a list that begins here was announced with its number, or in a pair.

    >>> counts("She wrote two books,")
    True
    """
    return bool(_FIRST_OF_MANY.search(before))


def goes_on(text: str, place: int, end: int, starts: Collection[int]) -> bool:
    """Whether what follows at ``place`` stands without what was cut before it: the end of the
    sentence, a further detail, a participle, or a clause, which begins at one of ``starts``.
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
    """Whether a further verb follows at ``place`` that has its subject from before: "and sang"."""
    link = _LINK.match(text, place)
    return link is not None and link.end() in starts
