"""Which relations can hold one value only, and the function words that lead to a value.

These short lists are habits of encyclopaedic English (with a few German words); a relation
that is in none of them is taken to hold several values.
"""

from __future__ import annotations

from halubot.compare.tokens import normal

COPULAS = frozenset({"is", "was", "are", "were"})
PASSIVE = COPULAS | {"been", "being", "be"}
HAVING = COPULAS | {"has", "have", "had", "became"}
_PREPOSITION = """
in on at to from until till by of for with as into near against under during since after before
between through
"""
PREPOSITIONS = frozenset(_PREPOSITION.split())

# Before a noun, in English, German, Spanish, French.
_BEFORE_NOUNS = "the a an der die das den dem des ein eine el la los las un una le les"
ARTICLES = frozenset(_BEFORE_NOUNS.split())

# Verbs of events that happen once, so that another value denies.
_ONCE = """
born died buried baptised baptized founded established formed incorporated located situated
directed invented discovered premiered abolished dissolved demolished capital population
elevation height length width depth area altitude distance diameter weighs measures costs age
aged knighted ordained beatified canonised canonized assassinated executed headquartered
geboren gestorben gegründet erbaut eröffnet hauptstadt
"""
ONCE = frozenset(normal(word) for word in _ONCE.split())
# What is done once to one thing: functional only where the relation says nothing more, and is
# said of that thing, not of the person who did it.
_DONE = "released published launched opened completed built unveiled introduced"
DONE = frozenset(normal(word) for word in _DONE.split())
# What stands after a measure, of which a thing has one.
_MEASURED = "long tall high wide deep thick broad"
MEASURED = frozenset(normal(word) for word in _MEASURED.split())
# Words of one event that happens once.
_EVENT = """
born geboren
died dies death gestorben starb
founded established formed incorporated created gegründet
built constructed erected completed erbaut
began begin started start commenced launched opened introduced eröffnet
ended end finished finish completed closed ceased dissolved abolished
released published launched premiered issued
located situated
buried
discovered
invented
directed
demolished
signed ratified adopted passed
"""
EVENTS = [frozenset(map(normal, line.split())) for line in _EVENT.strip().splitlines()]
# What is done to a paper once, and by people often.
_AGREED = "signed ratified adopted passed"
AGREED = frozenset(normal(word) for word in _AGREED.split())
# Where things are: there only, unless it is a place within the other.
_PLACED = "flows flow stands stand lies lie"
INSIDE = frozenset({"in", "into", "at"})
PLACED = frozenset(normal(word) for word in _PLACED.split())
# Beginnings and ends: functional of the thing that begins, as the things done.
_MARKS = "began begin started start commenced ended end finished finish completed closed ceased"
MARKS = frozenset(normal(word) for word in _MARKS.split())
# Verbs of what happens again and again, so that another value denies nothing by itself.
_OFTEN = """
won win wins awarded received earned wrote written published played plays appeared worked served
named selected recorded scored visited toured performed competed participated nominated elected
represented starred signed hosted released made began held taught
"""
OFTEN = frozenset(normal(word) for word in _OFTEN.split())
# Who made a thing made it alone, or is named with the others; what is taken is taken once.
_MADE = """
founded established directed invented discovered composed painted wrote written write authored
designed sculpted built killed murdered assassinated stole stolen
"""
MADE = frozenset(normal(word) for word in _MADE.split())
# What one does to another is not done back in the same event.
_ORDERED = """
beat beaten defeated won succeeded preceded replaced followed conquered invaded captured killed
overtook acquired bought sold colonised colonized outnumbered outranked borrowed lent
"""
ORDERED = frozenset(normal(word) for word in _ORDERED.split())
_LIGHT = """
made make became become was were is are had has have began begin took take went go came come did
got get year also later first
"""
LIGHT = frozenset(normal(word) for word in _LIGHT.split())
BIRTH = normal("born")
DEATH = normal("died")
