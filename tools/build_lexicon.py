"""Build the lexical data of `halubot.compare` from the files of WordNet 3.0.

    python tools/build_lexicon.py /usr/share/wordnet

The folder holds `index.*`, `data.*`, `*.exc` and `cntlist.rev` (Debian: package `wordnet-base`).
The output goes to `halubot/compare/data/`: `words.tsv.gz`, `kinds.tsv.gz`, `forms.tsv.gz` and
`WORDNET-LICENSE.txt`. The same input gives the same bytes.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

TARGET: Final = Path(__file__).parents[1] / "halubot" / "compare" / "data"
PARTS: Final = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
SENSE_TYPES: Final = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}

# Only single words: texts are compared word by word.
WORD: Final = re.compile(r"[a-z][a-z'./-]*")

# How many senses of a word count, by part of speech, and the least share of the word's uses that
# a sense must have. Words in a rarer sense are no safe synonyms ("machine" for a car). Judged by
# eye on samples: below these shares, a third and more of the pairs were wrong.
SYNONYM_SENSES: Final = {"n": 2, "v": 4, "a": 4, "r": 4}
SYNONYM_SHARE: Final = {"n": 0.3, "v": 0.2, "a": 0.25, "r": 0.2}
ANTONYM_SHARE: Final = 0.05
KIND_SENSES: Final = 3
KIND_SHARE: Final = 0.1
# "Same" is also a language, and "here" a goddess: least share among all parts of speech.
KIND_SHARE_OF_ALL: Final = 0.04

# Of words with one or two letters only these are safe synonyms; "in" is also Indiana.
SHORT: Final = re.compile("cm|ft|hr|kg|km|lb|mg|mi|ml|mm|oz|tv|uk")

# Spellings of one word are synonyms in every sense.
SPELLINGS: Final = (
    (re.compile("is(?=(e|ed|er|es|ing|able|ation|ational)$)"), "iz"),
    (re.compile("ys(?=(e|ed|er|es|ing)$)"), "yz"),
    (re.compile("our"), "or"),
    (re.compile("[ao]e"), "e"),
    (re.compile("tre$"), "ter"),
    (re.compile("ogue$"), "og"),
    (re.compile("ll"), "l"),
    (re.compile("ence$"), "ense"),
    (re.compile("[-.']"), ""),
)

# Prefixes that make another meaning of the word they stand before: an adjective with one is no
# form of the noun ("premarital", "marriage").
PREFIXES: Final = re.compile(
    r"(afro|anti|bi|counter|di|eur|ex|extra|il|im|in|inter|intra|ir|iso|macro|medico|micro|mono"
    r"|multi|neuro|non|omni|out|over|photo|poly|post|pre|pro|psycho|self|semi|socio|sub|super|trans"
    r"|tri|uni|un)(?=\w{3})"
)

# The lexicon leaves out words that only name a group of living things by its scientific name, or
# a person: the first are rare in texts, the second are not for a lexicon to compare.
TAXON: Final = "taxonomic_group"
PERSON: Final = "person"

# Things of one line exclude one another: what is a violin is no trumpet. Each entry is the first
# word of a noun synset in WordNet; of several, the one with most words below is meant. A number
# limits how many steps below it a thing may lie, `!` takes only things with few kinds of their
# own ("aspirin", not "analgesic"), and `=` takes the kind itself too. Kinds whose members overlap
# (performers, containers) are left out.
ALTERNATIVES: Final = """
bird= fish= insect= reptile= amphibian= carnivore ungulate primate rodent= aquatic_mammal
  marsupial= crustacean mollusk= arachnid dinosaur lagomorph bat= worm=
bacteria= virus= protozoan= fungus
tree! shrub! herb! vine! bulbous_plant! grass! fern! palm! cactus! moss! orchid!
musical_instrument
disease infection!
medicine! antibiotic! antibacterial! sedative! salicylate
  nonsteroidal_anti-inflammatory! steroid_hormone! vasoconstrictor!
hormone! vitamin! enzyme! amino_acid! neurotransmitter!
chemical_element
alloy=
gem
mineral!
wood!
fabric!
chromatic_color=2 achromatic_color=2
beverage! meat! edible_fruit! vegetable! seafood! cheese pasta! bread! cake! condiment! flavorer!
  grain! cereal! dairy_product! liquor! nut! dish! dessert! candy!
garment! footwear! headdress! handwear!
furniture
room
place_of_worship
wheeled_vehicle! aircraft!
firearm= edge_tool! explosive!
hand_tool! power_tool!
kitchen_utensil! tableware!
home_appliance!
organ! bone! muscle! joint!
blood_cell=
national_capital1 city1 port1 town1 state_capital1 provincial_capital1
country2
american_state1
continent1
river1
ocean1
sea1
mountain_peak1
volcano1
desert1
star1
planet2
constellation1
natural_language
european2 asian2 african2 north_american2 south_american2
craftsman2 health_professional2 clergyman1 workman1
commissioned_military_officer1 enlisted_person1
sport! athletic_game! card_game! board_game! table_game!
social_dancing
linear_unit1
mass_unit2
monetary_unit2
gregorian_calendar_month1
jewish_calendar_month1
islamic_calendar_month1
polygon
greek_deity1 roman_deity1 norse_deity1 hindu_deity1 egyptian_deity1
christian_holy_day religious_holiday
"""
FEW_BELOW: Final = 8

Key = tuple[str, int]
"""A synset: its part of speech and its offset."""


@dataclass(slots=True)
class Synset:
    """One sense of one or more words, with its pointers to other synsets."""

    words: list[str]
    pointers: list[tuple[str, Key, int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Database:
    """The files of WordNet, parsed."""

    senses: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    synsets: dict[Key, Synset] = field(default_factory=dict)
    counts: dict[tuple[str, str, int], int] = field(default_factory=dict)
    exceptions: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)
    licence: str = ""


def main() -> None:
    """Read the folder that the command line names and write the data files."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    database = read_database(Path(sys.argv[1]))
    words = select_words(database)
    shares = measure_shares(database)
    kinds, kind_lines = number_kinds(database, words)
    tables = [
        find_synonyms(database, shares),
        find_derivations(database),
        find_antonyms(database, shares),
    ]
    # A word refers to another by how many lines it stands below: such numbers pack better.
    places = {word: at for at, word in enumerate(words)}
    lines = []
    for at, word in enumerate(words):
        letters = "".join(part for part in "nvar" if word in database.senses[part])
        rows = [
            sorted(places[other] - at for other in table.get(word, ()) if other in places)
            for table in tables
        ]
        cells = [" ".join(map(str, row)) for row in (*rows, kinds[word])]
        lines.append("\t".join([word, letters, *cells]).rstrip("\t"))
    write_lines("words.tsv.gz", lines)
    write_lines("kinds.tsv.gz", kind_lines)
    write_lines("forms.tsv.gz", irregular_forms(database))
    (TARGET / "WORDNET-LICENSE.txt").write_text(database.licence, encoding="utf-8")


def write_lines(name: str, lines: Iterable[str]) -> None:
    """Write a compressed file whose bytes depend on the lines alone."""
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        file.write("\n".join(lines).encode())
    (TARGET / name).write_bytes(packed.getvalue())


def read_database(folder: Path) -> Database:
    """Parse the files of WordNet, all words in lower case."""
    database = Database()
    for name, part in PARTS.items():
        index = database.senses.setdefault(part, {})
        for line in _lines(folder / f"index.{name}"):
            cells = line.split()
            index[cells[0]] = [int(offset) for offset in cells[len(cells) - int(cells[2]) :]]
        for line in _lines(folder / f"data.{name}"):
            key, synset = _parse_synset(line, part)
            database.synsets[key] = synset
        database.exceptions[part] = [
            (form, bases) for form, *bases in map(str.split, _lines(folder / f"{name}.exc"))
        ]
    for line in _lines(folder / "cntlist.rev"):
        sense, number, count = line.split()
        word, _, rest = sense.partition("%")
        database.counts[word, SENSE_TYPES[rest[0]], int(number)] = int(count)
    head = (folder / "data.noun").read_text(encoding="latin-1").splitlines()[:29]
    database.licence = "\n".join(line[5:].rstrip() for line in head) + "\n"
    return database


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without the licence, whose lines begin with a space."""
    with path.open(encoding="latin-1") as file:
        yield from (line for line in file if not line.startswith(" ") and line.strip())


def _parse_synset(line: str, part: str) -> tuple[Key, Synset]:
    cells = line.partition("|")[0].split()
    count = int(cells[3], 16)
    words = [re.sub(r"\(\w+\)$", "", cells[4 + 2 * at]).lower() for at in range(count)]
    synset = Synset(words)
    at = 4 + 2 * count
    for start in range(at + 1, at + 1 + 4 * int(cells[at]), 4):
        symbol, offset, letter, ends = cells[start : start + 4]
        target = ("a" if letter == "s" else letter, int(offset))
        synset.pointers.append((symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
    return (part, int(cells[0])), synset


def select_words(database: Database) -> list[str]:
    """Return the single words that the lexicon holds, sorted.

    A compound with a hyphen is left out if it is rare and its parts are words.
    """
    names = find_names(database)
    uses = count_uses(database)
    words = {word for index in database.senses.values() for word in index if WORD.fullmatch(word)}
    return sorted(
        word
        for word in words - names
        if "-" not in word or uses[word] or not words.issuperset(word.split("-"))
    )


@dataclass(frozen=True, slots=True)
class Share:
    """A sense of a word: its rank in its part of speech, and its share of all uses."""

    rank: int
    share: float


Shares = Mapping[tuple[str, Key], Share]


def measure_shares(database: Database, parts: str = "nvar") -> dict[tuple[str, Key], Share]:
    """Estimate how often a word of these parts of speech has each of its senses.

    The counts come from tagged texts. A sense that was never tagged counts a little, less the
    later it stands.
    """
    found: dict[str, list[tuple[Key, int, float]]] = defaultdict(list)
    for part in parts:
        for word, offsets in database.senses[part].items():
            for rank, offset in enumerate(offsets, 1):
                count = database.counts.get((word, part, rank), 0) + 0.5 / rank
                found[word].append(((part, offset), rank, count))
    shares = {}
    for word, senses in found.items():
        total = sum(count for _, _, count in senses)
        for key, rank, count in senses:
            shares[word, key] = Share(rank, count / total)
    return shares


def count_uses(database: Database) -> dict[str, int]:
    """Count how often each word occurs in the tagged texts."""
    uses: dict[str, int] = defaultdict(int)
    for (word, _, _), count in database.counts.items():
        uses[word] += count
    return uses


def find_names(database: Database) -> set[str]:
    """Return the words that name persons or groups of living things and nothing else."""
    parents = _parents(database)
    hidden: set[Key] = set()
    for key, synset in database.synsets.items():
        if key[0] == "n":
            above = {database.synsets[one].words[0] for one in _steps_up(key, parents)}
            instance = any(symbol == "@i" for symbol, *_ in synset.pointers)
            if TAXON in above or (instance and PERSON in above):
                hidden.add(key)
    return {
        word
        for word, offsets in database.senses["n"].items()
        if not any(word in database.senses[part] for part in "var")
        and all(("n", offset) in hidden for offset in offsets)
    }


def _add(table: dict[str, set[str]], one: str, other: str) -> None:
    """Add a pair of words to a symmetric table."""
    if one != other:
        table[one].add(other)
        table[other].add(one)


def find_synonyms(database: Database, shares: Shares) -> dict[str, set[str]]:
    """Return the words that share a frequent sense, and other spellings of a word."""
    table: dict[str, set[str]] = defaultdict(set)
    for key, synset in database.synsets.items():
        part = key[0]
        frequent = [
            word
            for word in synset.words
            for share in [shares[word, key]]
            if share.rank <= SYNONYM_SENSES[part]
            and share.share >= SYNONYM_SHARE[part]
            and (len(word) > 2 or SHORT.fullmatch(word))
        ]
        spellings: dict[str, list[str]] = defaultdict(list)
        for word in synset.words:
            spellings[normalize_spelling(word)].append(word)
        for group in (frequent, *spellings.values()):
            for word in group:
                for other in group:
                    _add(table, word, other)
    return table


def normalize_spelling(word: str) -> str:
    """Return one form for the British and American spellings of a word."""
    for pattern, new in SPELLINGS:
        word = pattern.sub(new, word)
    return word


def find_derivations(database: Database) -> dict[str, set[str]]:
    """Return the words derived from one another, one step apart."""
    table: dict[str, set[str]] = defaultdict(set)
    for (part, _), synset in database.synsets.items():
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol in "+\\" and source_word:
                word = synset.words[source_word - 1]
                other = database.synsets[target].words[target_word - 1]
                if part == "a" and symbol == "\\":
                    derived = not _has_prefix(word, other)
                else:
                    derived = _share_stem(word, other)
                if derived:
                    _add(table, word, other)
    return table


def _has_prefix(adjective: str, noun: str) -> bool:
    """Return true if the adjective begins with a prefix that changes what the noun means."""
    match = PREFIXES.match(adjective)
    return match is not None and not noun.startswith(match[1])


def _share_stem(word: str, other: str) -> bool:
    """Return true unless two words have nothing in common ("large", "extensiveness")."""
    if word.endswith(other) or other.endswith(word):
        return False
    return word[0] == other[0] or word[:3] in other or other[:3] in word


def find_antonyms(database: Database, shares: Shares) -> dict[str, set[str]]:
    """Return the words of opposite meaning."""
    table: dict[str, set[str]] = defaultdict(set)
    for key, synset in database.synsets.items():
        for word, other, target in _opposites(database, synset):
            if min(shares[word, key].share, shares[other, target].share) >= ANTONYM_SHARE:
                _add(table, word, other)
    return table


def _opposites(database: Database, synset: Synset) -> Iterator[tuple[str, str, Key]]:
    """Yield the words of a synset with their opposites, and the synsets of these."""
    for symbol, target, source_word, target_word in synset.pointers:
        if symbol == "!":
            other = database.synsets[target].words[target_word - 1]
            yield synset.words[source_word - 1], other, target


def number_kinds(
    database: Database, chosen: Iterable[str]
) -> tuple[dict[str, list[int]], list[str]]:
    """Number the noun synsets that matter; return the numbers by word, and a line a synset.

    A line holds the numbers of the kinds above, the alternatives that it belongs to, and the
    numbers of the things that it is part of.
    """
    shares, shares_of_all = measure_shares(database, "n"), measure_shares(database)
    parents = _parents(database)
    words: dict[str, list[Key]] = {}
    for word in chosen:
        keys: list[Key] = [("n", at) for at in database.senses["n"].get(word, ())[:KIND_SENSES]]
        words[word] = [
            key
            for key in keys
            if shares[word, key].share >= KIND_SHARE
            and shares_of_all[word, key].share >= KIND_SHARE_OF_ALL
        ]
    named = {key for keys in words.values() for key in keys}
    wanted = named.union(*(_steps_up(key, parents) for key in named))
    groups = group_alternatives(database, parents, named)
    children: dict[Key, list[Key]] = defaultdict(list)
    for key in sorted(wanted):
        for parent in parents[key][:1]:
            children[parent].append(key)
    # Numbered depth first, so that near synsets have near numbers and compress well.
    numbers: dict[Key, int] = {}
    stack = [key for key in sorted(wanted, reverse=True) if not parents[key]]
    while stack:
        key = stack.pop()
        numbers[key] = len(numbers)
        stack.extend(reversed(children[key]))
    lines = []
    for key in numbers:
        wholes = sorted(
            numbers[target]
            for symbol, target, _, _ in database.synsets[key].pointers
            if symbol == "#p" and target in numbers
        )
        cells = [[numbers[parent] for parent in parents[key]], sorted(groups[key]), wholes]
        lines.append("\t".join(" ".join(map(str, cell)) for cell in cells).rstrip("\t"))
    return {word: [numbers[key] for key in keys] for word, keys in words.items()}, lines


def group_alternatives(
    database: Database, parents: Mapping[Key, list[Key]], named: Iterable[Key]
) -> dict[Key, set[int]]:
    """Return for each synset the numbers of the lines of `ALTERNATIVES` that it belongs to."""
    below: dict[Key, int] = defaultdict(int)
    for key in named:
        for above in _steps_up(key, parents):
            below[above] += 1
    roots: dict[Key, tuple[int, str, int]] = {}
    by_name: dict[str, list[Key]] = defaultdict(list)
    for key in sorted(parents, key=lambda key: (-below[key], key)):
        by_name[database.synsets[key].words[0]].append(key)
    entries = re.sub(r"\n\s+", " ", ALTERNATIVES.strip()).splitlines()
    for number, line in enumerate(entries):
        for entry in line.split():
            match = re.fullmatch(r"([\w-]+?)([!=]?)(\d*)", entry)
            if not match or match[1] not in by_name:
                sys.exit(f"no noun synset begins with {entry}")
            roots[by_name[match[1]][0]] = (number, match[2], int(match[3] or 99))
    groups: dict[Key, set[int]] = defaultdict(set)
    for key in parents:
        for above, steps in {key: 0, **_steps_up(key, parents)}.items():
            if above in roots:
                number, mark, depth = roots[above]
                low = steps > 0 or mark == "="
                if low and steps <= depth and (mark != "!" or below[key] <= FEW_BELOW):
                    groups[key].add(number)
    return groups


def _steps_up(key: Key, parents: Mapping[Key, list[Key]]) -> dict[Key, int]:
    """Return the kinds above a synset with the least number of steps to each."""
    found: dict[Key, int] = {}
    level = {key}
    steps = 0
    while level:
        steps += 1
        level = {parent for one in level for parent in parents[one]} - found.keys()
        found.update(dict.fromkeys(level, steps))
    return found


def _parents(database: Database) -> dict[Key, list[Key]]:
    """Return the kinds directly above each noun synset."""
    return {
        key: [target for symbol, target, _, _ in synset.pointers if symbol in ("@", "@i")]
        for key, synset in database.synsets.items()
        if key[0] == "n"
    }


def irregular_forms(database: Database) -> list[str]:
    """Return a line for each irregular form: the form, and its bases behind their letter."""
    table: dict[str, set[str]] = defaultdict(set)
    for part, exceptions in database.exceptions.items():
        for form, bases in exceptions:
            for base in bases:
                if base in database.senses[part] and WORD.fullmatch(form) and WORD.fullmatch(base):
                    table[form].add(f"{part}:{base}")
    return [f"{form}\t{' '.join(sorted(bases))}" for form, bases in sorted(table.items())]


if __name__ == "__main__":
    main()
