"""The words of languages other than English: their tables, base forms and synonyms."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from halubot.compare.operators import Family, Sense
from halubot.compare.word_tables import parse_opposites, rows
from halubot.values.comparison import Bound
from halubot.values.units import UNITS, Unit

FILES: Final = {"de": "german", "fr": "french", "es": "spanish", "zh": "chinese", "ar": "arabic"}
"""The languages by their code, with the names of their files."""

_ENGLISH: Final = frozenset({"en", "und"})
_DATA: Final = Path(__file__).parents[1] / "data"
_MARKS: Final = re.compile("[\u0610-\u061a\u064b-\u065f\u0670\u0640\u06d6-\u06ed]")
_LETTERS: Final = str.maketrans("أإآٱىةؤئ", "اااايهوي")


def fold(word: str) -> str:
    """Return a word as all tables hold it: in lower case, hyphens and apostrophes as spaces,
    Arabic without its points and with one form of alif."""
    low = word.lower().replace("’", "'").replace("'", " ").replace("-", " ")
    return _MARKS.sub("", low).translate(_LETTERS).strip()


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tables of one language; ``idle`` words carry no meaning,
    ``openers`` begin an operator or a denial, ``counts`` a number in words,
    ``known`` are those of all tables, ``longest`` is the number of words of the longest phrase."""

    code: str
    stop: frozenset[str]
    particles: frozenset[str]
    negative: frozenset[str]
    conditions: frozenset[str]
    slots: frozenset[str]
    clauses: frozenset[str]
    operators: Mapping[str, Sense]
    denied_modals: Mapping[str, str]
    denied_forms: Mapping[str, str]
    negations: Mapping[str, str]
    only: frozenset[str]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    hours: Mapping[str, int]
    cardinals: Mapping[str, Decimal]
    scales: Mapping[str, Decimal]
    halves: Mapping[str, Decimal]
    shares: Mapping[str, Decimal]
    units: Mapping[str, Unit]
    duals: Mapping[str, Unit]
    bounds: Mapping[str, Bound]
    years: frozenset[str]
    opposites: Mapping[str, frozenset[str]]
    synonyms: Mapping[str, frozenset[str]]
    forms: Mapping[str, str]
    titles: frozenset[str]
    places: frozenset[str]
    not_names: frozenset[str]
    surnames: frozenset[str]
    prefixes: frozenset[str]
    measures: frozenset[str]
    pronouns: frozenset[str]
    agents: frozenset[str]
    articles: frozenset[str]
    adverbs: frozenset[str]
    idle: frozenset[str]
    openers: frozenset[str]
    counts: frozenset[str]
    known: frozenset[str]
    longest: int


def compares_words(language: str) -> bool:
    """Return True if words of a language are compared: English, what may be English, and those
    with tables; of all others only values, names and sentences that are the same."""
    return language in _ENGLISH or language in FILES


@cache
def vocabulary_of(code: str) -> Vocabulary | None:
    """Return the vocabulary of a language by its ISO 639-1 code; None if it has none here."""
    name = FILES.get(code)
    if name is None:
        return None
    tables: dict[str, str] = tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))
    operators: dict[str, Sense] = {}
    families: tuple[tuple[str, Family], ...] = (
        ("limits", "limit"),
        ("links", "link"),
        ("quantifiers", "quantity"),
        ("modals", "modal"),
    )
    for table, family in families:
        for sense, words in _key(tables, table):
            shown = str(float(sense)) if family == "quantity" else sense
            operators |= dict.fromkeys(words, Sense(family, shown))
    units = {word: UNITS[name] for name, words in _key(tables, "units") for word in words}
    bounds: dict[str, Bound] = {}
    known_bounds: tuple[Bound, ...] = ("at least", "at most", "over", "under", "about")
    rows = dict(_key(tables, "bounds"))
    for bound in known_bounds:
        bounds |= dict.fromkeys(rows[bound], bound)
    flat = {
        table: frozenset(fold(word) for word in tables.get(table, "").replace(",", " ").split())
        for table in (
            "stop", "particles", "negative", "conditions", "slots", "clauses", "years", "titles",
            "places", "not_names", "surnames", "prefixes", "measures",
            "pronouns",
            "agents",
            "articles",
            "adverbs",
        )
    }  # fmt: skip
    negations = {word: kind for kind, words in _key(tables, "negations") for word in words}
    keyed = {
        table: {word: key for key, words in _key(tables, table) for word in words}
        for table in ("denied_forms", "forms", "months", "weekdays", "hours")
    }
    numbers = {
        table: {word: Decimal(key) for key, words in _key(tables, table) for word in words}
        for table in ("cardinals", "scales", "shares", "halves")
    }
    duals = {word: UNITS[name] for name, words in _key(tables, "duals") for word in words}
    phrases = {*operators, *negations, *bounds, *units, *numbers["shares"]}
    known = phrases.union(
        *flat.values(),
        *keyed.values(),
        *numbers.values(),
        duals,
        _split_words(tables.get("only", "")),
    )
    return Vocabulary(
        code=code,
        operators=operators,
        denied_modals={
            sense: words[0] for sense, words in _key(tables, "denied_modals", folded=False)
        },
        negations=negations,
        only=frozenset(_split_words(tables.get("only", ""))),
        units=units,
        duals=duals,
        bounds=bounds,
        opposites=parse_opposites(tables["opposites"], _split_words),
        synonyms=_groups(tables["synonyms"]),
        denied_forms=keyed["denied_forms"],
        forms=keyed["forms"],
        stop=flat["stop"],
        particles=flat["particles"],
        negative=flat["negative"],
        conditions=flat["conditions"],
        slots=flat["slots"],
        clauses=flat["clauses"],
        years=flat["years"],
        titles=flat["titles"],
        places=flat["places"],
        not_names=flat["not_names"],
        surnames=flat["surnames"],
        prefixes=flat["prefixes"],
        measures=flat["measures"],
        pronouns=flat["pronouns"],
        agents=flat["agents"],
        articles=flat["articles"],
        adverbs=flat["adverbs"],
        cardinals=numbers["cardinals"],
        scales=numbers["scales"],
        shares=numbers["shares"],
        halves=numbers["halves"],
        months={word: int(key) for word, key in keyed["months"].items()},
        weekdays={word: int(key) for word, key in keyed["weekdays"].items()},
        hours={word: int(key) for word, key in keyed["hours"].items()},
        openers=_openers((*operators, *negations), code),
        counts=_openers(
            (
                *numbers["cardinals"],
                *numbers["scales"],
                *numbers["shares"],
                *duals,
                *keyed["weekdays"],
            ),
            code,
        ),
        idle=flat["stop"] | flat["clauses"],
        known=frozenset(known),
        longest=max(len(phrase.split()) for phrase in phrases),
    )


def _openers(phrases: Iterable[str], code: str) -> frozenset[str]:
    """The first words of some phrases; of Chinese ones all beginnings, which may be words."""
    if code == "zh":
        return frozenset(phrase[:end] for phrase in phrases for end in range(1, len(phrase) + 1))
    return frozenset(phrase.split()[0] for phrase in phrases)


def _split_words(words: str, *, folded: bool = True) -> list[str]:
    found = (word.strip() for word in words.replace("\n", " ").split(","))
    return [fold(word) if folded else word for word in found if word]


def _key(
    tables: Mapping[str, str], name: str, *, folded: bool = True
) -> Iterator[tuple[str, list[str]]]:
    for row in rows(tables.get(name, "")):
        key, _, words = row.partition(":")
        yield key.strip(), _split_words(words, folded=folded)


def _groups(table: str) -> Mapping[str, frozenset[str]]:
    """Return for each word the words of its groups."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows(table):
        group = _split_words(row)
        for word in group:
            found[word].update(group)
    return {word: frozenset(others) for word, others in found.items()}


_ACCENTS: Final = re.compile("[\u0300-\u036f]")


_PREFIX: Final = (
    "ab|an|auf|aus|bei|ein|fest|fort|frei|heim|her|hin|los|mit|nach|nieder|statt|teil|um|vor|weg"
    "|wieder|zu|zurück|zusammen"
)


_PARTICIPLE: Final = re.compile(rf"(?P<prefix>{_PREFIX})?(?:ge|zu)(?P<rest>\w{{3,}}?)(?:e?t|en?)")


# The Arabic article with what is written together with it; the stemmer cuts other endings after it.
_ARTICLE: Final = re.compile("^[وف]?(?:[بك]?ال|لل)")


_SHORTEST: Final = 4
"""Letters of a stem that may lose its first or last one."""


class Related(NamedTuple):
    """The base forms of a word with those of its synonyms, and those of its opposites."""

    wide: frozenset[str]
    opposites: frozenset[str]


@lru_cache(maxsize=1 << 16)
def bases_of(low: str, known: Vocabulary) -> frozenset[str]:
    """Return the possible base forms of a folded word."""
    if known.code == "zh":
        return frozenset({low})
    stem = _stem(low, known.code)
    found = {stem}
    base = known.forms.get(low)
    if base is not None:
        found.add(_stem(base, known.code))
    if known.code == "de":
        found |= _german(low, stem, known)
    elif known.code == "ar" and len(stem) >= _SHORTEST and stem[0] in "يتن":
        found.add(stem[1:])
    return frozenset(found)


def _german(low: str, stem: str, known: Vocabulary) -> set[str]:
    found = set()
    if len(stem) > _SHORTEST and stem.endswith("t"):
        found.add(stem[:-1])
    participle = _PARTICIPLE.fullmatch(low)
    if participle:
        prefix, rest = participle["prefix"] or "", participle["rest"]
        strong = known.forms.get("ge" + rest + "en")
        for verb in {rest, strong} - {None}:
            found |= {prefix + _stem(str(verb), "de"), _stem(str(verb), "de")}
    return found


@lru_cache(maxsize=1 << 16)
def _stem(low: str, code: str) -> str:
    if code == "ar":
        bare = _ARTICLE.sub("", low)
        return _stemmer(code)(bare if len(bare) >= _SHORTEST - 1 else low)
    word = _stemmer(code)(low)
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", word))


@cache
def _stemmer(code: str) -> Callable[[str], str]:
    import snowballstemmer  # late: English needs none

    # Snowball calls its stemmers by the same names; Chinese words have none and do not come here.
    find: Callable[[str], str] = snowballstemmer.stemmer(FILES[code]).stemWord
    return find


@lru_cache(maxsize=1 << 16)
def related_to(bases: frozenset[str], known: Vocabulary) -> Related:
    """Return the synonyms and the opposites of a word with these base forms."""
    synonyms, opposites = _tables(known)
    against = frozenset[str]().union(*[opposites.get(one, ()) for one in bases])
    same = bases.union(*[synonyms.get(one, ()) for one in bases])
    return Related(same - against | bases, against - bases)


@cache
def _tables(
    known: Vocabulary,
) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    return _by_base(known.synonyms, known), _by_base(known.opposites, known)


def _by_base(table: Mapping[str, Iterable[str]], known: Vocabulary) -> Mapping[str, frozenset[str]]:
    """A table of words as a table of base forms."""
    found: dict[str, frozenset[str]] = {}
    for word, others in table.items():
        own = frozenset[str]().union(*[_main(one, known) for one in others])
        for base in _main(word, known):
            found[base] = found.get(base, frozenset()) | own
    return found


def _main(word: str, known: Vocabulary) -> frozenset[str]:
    """The base forms of a word of the tables; a guess of a second one would join too much."""
    return frozenset({word if known.code == "zh" else _stem(word, known.code)})
