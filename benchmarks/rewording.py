"""Paraphrases by rule, and changes of their numbers and dates: a maker of sentences whose truth
is known. It shares no code with the checker that it measures.

A rule takes a sentence and returns it in other words with the same meaning, or as it was where it
does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from halubot.evaluation.synthesis.text_changes import COUNTING, MONTHS, NAMED, NUMBERS, SPELT

Rule = Callable[[str, Random], str]

_MONTH = "|".join(MONTHS)
_AGED = re.compile(r"(?i:age|aged) $")


def _swap(pattern: str, make: Callable[[re.Match[str]], str]) -> Rule:
    """A rule that rewrites each match of a pattern."""
    compiled = re.compile(pattern)

    def rule(sentence: str, _: Random) -> str:
        return compiled.sub(make, sentence)

    return rule


def _digits_to_words(sentence: str, _: Random) -> str:
    found = r"(?<![\w.,/=<>±-])(?<![=<>±] )(\d{1,2})(?= [a-z]{4,})(?! percent)"

    def make(match: re.Match[str]) -> str:
        before = sentence[: match.start()]
        if NAMED.search(before) or _AGED.search(before):
            return match.group()
        word = SPELT[int(match.group())]
        return word.capitalize() if not before else word

    return re.sub(found, make, sentence)


def _words_to_digits(sentence: str, _: Random) -> str:
    return re.sub(
        rf"(?<![\w-])(?<!(?:ty|ed|nd) )({COUNTING})"
        r"(?= (?!hundred|thousand|million|and|or|to)[a-z]{3,})",
        lambda match: str(NUMBERS[match.group()]),
        sentence,
    )


def _of_month(match: re.Match[str]) -> str:
    return f"{match[1]} of {match[2]}"


def _day_first(match: re.Match[str]) -> str:
    return f"{int(match[2])} {match[1]} {match[3]}"


def _month_first(match: re.Match[str]) -> str:
    return f"{match[2]} {int(match[1])}, {match[3]}"


_UNITS = {
    "mg": "milligrams",
    "kg": "kilograms",
    "g": "grams",
    "ml": "millilitres",
    "mL": "millilitres",
    "cm": "centimetres",
    "mm": "millimetres",
    "km": "kilometres",
    "mcg": "micrograms",
    "h": "hours",
    "hr": "hours",
    "min": "minutes",
    "s": "seconds",
    "yrs": "years",
    "mg/dl": "milligrams per decilitre",
    "mg/dL": "milligrams per decilitre",
    "mmHg": "millimetres of mercury",
    "mm Hg": "millimetres of mercury",
    "mg/kg": "milligrams per kilogram",
}
_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))


def _unit_words(sentence: str, _: Random) -> str:
    return re.sub(
        rf"(?<=\d)[ -]?({_UNIT})(?![\w/-])", lambda found: f" {_UNITS[found[1]]}", sentence
    )


def _unit_signs(sentence: str, _: Random) -> str:
    short = {long: sign for sign, long in reversed(_UNITS.items()) if len(long) > 7}
    names = "|".join(sorted(short, key=len, reverse=True))
    return re.sub(
        rf"(?<=\d) ({names})\b(?! per| of)", lambda found: f" {short[found[1]]}", sentence
    )


def _other_unit(sentence: str, _: Random) -> str:
    """Weeks as days, whole years as months, whole days as hours."""

    def make(match: re.Match[str]) -> str:
        number = int(match[1]) if match[1].isdigit() else NUMBERS[match[1]]
        match match[2]:
            case "weeks" if number <= 4:
                return f"{number * 7} days"
            case "years" if number in (2, 3):
                return f"{number * 12} months"
            case "hours" if number in (48, 72):
                return f"{number // 24} days"
            case "months" if number in (24, 36):
                return f"{number // 12} years"
            case "minutes" if number in (120, 180):
                return f"{number // 60} hours"
        return match.group()

    units = "weeks|years|hours|months|minutes"
    numbers = rf"\d+|(?:{COUNTING})"
    lone = r"(?<!to )(?<!and )(?<!or )(?<![\w.,–-])"
    return re.sub(rf"{lone}({numbers}) ({units})\b(?! old| of age)", make, sentence)


def _fraction(sentence: str, _: Random) -> str:
    shares = {"50": "half", "25": "a quarter", "75": "three quarters", "20": "a fifth"}
    lone = r"(?<![\w.,–/(-])(?<!to )(?<!and )(?<!than )(?<!least )"
    return re.sub(
        rf"{lone}(50|25|75|20) ?(?:%|percent|per cent) of\b",
        lambda match: f"{shares[match[1]]} of",
        sentence,
    )


_SYNONYMS = (
    ("approximately", "about"),
    ("about(?= \\d)", "roughly"),
    ("more than", "over"),
    ("less than", "under"),
    ("at least", "no fewer than"),
    ("up to(?= \\d)", "at most"),
    ("people", "individuals"),
    ("individuals", "people"),
    ("usually", "typically"),
    ("often", "frequently"),
    ("occurs", "happens"),
    ("caused by", "due to"),
    ("affects", "is found in"),
    ("evaluated", "assessed"),
    ("assessed", "evaluated"),
    ("showed", "demonstrated"),
    ("identified", "found"),
    ("because", "since"),
    ("significantly", "markedly"),
    ("increased", "rose"),
    ("(?<!a )mean(?= [a-z])", "average"),
    ("underwent", "had"),
    ("received", "were given"),
    ("children", "youngsters"),
    ("physicians", "doctors"),
    ("doctors", "physicians"),
    ("diagnosed with", "found to have"),
    ("performed", "carried out"),
    ("conducted", "carried out"),
    ("enrolled", "recruited"),
    ("consecutive", "successive"),
    ("a total of ", ""),
    ("however, ", "still, "),
    ("in addition", "besides"),
    ("respectively", "in that order"),
    ("prior to", "before"),
    ("(?<!the )following(?= [a-z]+ ?[a-z]*[.,])", "after"),
    ("during", "in the course of"),
    ("should", "ought to"),
    ("may", "can"),
    ("begin", "start"),
    ("begins", "starts"),
    ("many", "numerous"),
    ("worldwide", "around the world"),
    ("in the United States", "in the US"),
    ("births", "newborns"),
    ("(?<!as )compared with", "as against"),
    ("obtained", "gathered"),
    ("collected", "gathered"),
    ("large", "big"),
    ("sometimes", "at times"),
    ("helps", "aids"),
    ("is known as", "is called"),
)


def _synonym(sentence: str, random: Random) -> str:
    """One word or phrase by another."""
    here = [pair for pair in _SYNONYMS if re.search(_whole(pair[0]), sentence)]
    if not here:
        return sentence
    old, new = random.choice(here)
    return re.sub(_whole(old), new, sentence, count=1)


def _whole(phrase: str) -> str:
    return rf"(?<![\w-]){phrase}" + ("" if phrase.endswith(" ") else r"(?![\w-])")


def _lowered(clause: str) -> str:
    """A clause that no longer opens its sentence."""
    first = clause.split(" ", 1)[0].rstrip(",")
    plain = first[1:] == first[1:].lower() and first not in MONTHS and first != "I"
    return clause[:1].lower() + clause[1:] if plain else clause


def _raised(clause: str) -> str:
    return clause[:1].upper() + clause[1:]


_OPENING = frozenset(
    (
        *("The", "A", "An", "This", "These", "There", "We", "All", "Our", "It", "They", "Most"),
        *("Some", "Many", "One", "Two", "Three", "Four", "Five", "People", "Children", "Patients"),
        *("Men", "Women", "Data", "Between", "In", "During", "From", "Among", "After", "Of"),
    )
)


def _fronted_back(sentence: str, _: Random) -> str:
    """ "In 2005, we studied X." as "We studied X in 2005."."""
    found = re.fullmatch(
        r"((?:In|During|Between|From|Since|At|After|Within|By) [^,;:()]{3,60}), "
        r"([^;:]{15,200}[\w)])\.",
        sentence,
    )
    if found is None or re.search(r", (?:and|but|which|who|while)\b|^(?:and|or)\b", found[2]):
        return sentence
    if re.match(r"\w+ing\b|\d", found[2]) or re.search(
        r" (?:however|whereas|compared)\b|(?:respectively|that order)$", found[2]
    ):
        return sentence
    if re.match(r"In (?:all|total|addition|general|contrast|fact|particular)$", found[1]):
        return sentence
    return f"{_raised(found[2])} {_lowered(found[1])}."


def _back_fronted(sentence: str, _: Random) -> str:
    """ "X happened between A and B." as "Between A and B, X happened."."""
    found = re.fullmatch(
        rf"([A-Z][^,;:()]{{15,160}}?) "
        rf"((?:between|from|during|in|since) (?:the )?(?:(?:{_MONTH}) (?:\d{{1,2}}, )?)?"
        rf"(?:19|20)\d\d(?:(?: and | to |-)(?:(?:{_MONTH}) )?(?:19|20)\d\d)?)\.",
        sentence,
    )
    if found is None or found[1].split(" ", 1)[0] not in _OPENING:
        return sentence
    return f"{_raised(found[2])}, {_lowered(found[1])}."


_DONE = (
    "evaluated studied included analyzed analysed reviewed examined compared enrolled recruited "
    "identified measured assessed selected tested interviewed investigated randomized assigned"
)
_VERBS = "|".join(_DONE.split())


def _passive(sentence: str, _: Random) -> str:
    """ "We studied 51 patients ..." as "51 patients ... were studied"."""
    found = re.fullmatch(
        rf"We (?:retrospectively |prospectively )?({_VERBS}) "
        r"((?:all |the )?(?:\d[\d,]*|[a-z-]+) (?:[a-z-]+ )?[a-z]+s)( [^;]*)?\.",
        sentence,
    )
    if found is None:
        return sentence
    return f"{_raised(found[2])} were {found[1]}{found[3] or ''}."


def _active(sentence: str, _: Random) -> str:
    """ "51 patients were studied ..." as "Researchers studied 51 patients ..."."""
    found = re.fullmatch(
        rf"((?:A total of )?(?:\d[\d,]*|[A-Z][a-z-]+) (?:[a-z-]+ ){{0,3}}[a-z]+s) were ({_VERBS})"
        r"( [^;]*)?\.",
        sentence,
    )
    if found is None or found[1].startswith(("There", "We ")):
        return sentence
    whom = _lowered(found[1])
    return f"The authors {found[2]} {whom}{found[3] or ''}."


def _list_turned(sentence: str, _: Random) -> str:
    """ "A, B, and C" as "C, A, and B"; single words only."""
    return re.sub(
        r"(?<![,] )\b([a-z]{4,}), ([a-z]{4,}),? and ([a-z]{4,})(?=[.,;)])",
        lambda match: f"{match[3]}, {match[1]} and {match[2]}",
        sentence,
        count=1,
    )


def _pair_turned(sentence: str, _: Random) -> str:
    """ "51 men and 30 women" as "30 women and 51 men"."""
    if "respectively" in sentence or "in that order" in sentence:
        return sentence
    number = rf"(?:\d[\d,]*|(?:{COUNTING}))"
    return re.sub(
        rf"(?<![\w–-])(?<!, )({number} [a-z]{{3,}}) and ({number} [a-z]{{3,}})(?=[ .,;)])",
        lambda match: (
            match.group()
            if match[1].split()[1] in {"to", "and", "of", "percent", "years", "hundred"}
            else f"{match[2]} and {match[1]}"
        ),
        sentence,
        count=1,
    )


def _framed(sentence: str, random: Random) -> str:
    """ "The source says that ...": what a summary puts before a statement."""
    first = sentence.split(" ", 1)[0]
    if first not in _OPENING or random.random() < 0.5:
        return sentence
    frame = random.choice(("According to the text, ", "It is said that ", "As reported, "))
    return frame + _lowered(sentence)


def _aside_left_out(sentence: str, random: Random) -> str:
    """Without what stands in its last brackets, where values are left beside them."""
    found = re.search(r" \([^()]*\)(?=[ ,.;])(?!.*\()", sentence)
    if found is None or random.random() < 0.5:
        return sentence
    left = sentence[: found.start()] + sentence[found.end() :]
    return left if re.search(r"\d", left) else sentence


RULES: dict[str, tuple[Rule, ...]] = {
    "number words": (_digits_to_words, _words_to_digits),
    "percent": (
        _swap(r"(?<=\d) ?%", lambda _: " percent"),
        _swap(r"(?<=\d) per ?cent\b", lambda _: "%"),
        _fraction,
    ),
    "thousands": (
        _swap(r"(?<![\d.,])(\d{1,3}),(\d{3})(?![\d,])", lambda m: m[1] + m[2]),
        _swap(r"(?<![\d.,\w])(\d{1,3}),000,000\b", lambda m: f"{m[1]} million"),
        _swap(r"(?<![\d.,\w])(\d{2}),000(?![\d,])", lambda m: f"{m[1]} thousand"),
    ),
    "dates": (
        _swap(rf"\b({_MONTH}) ((?:19|20)\d\d)\b", _of_month),
        _swap(rf"\b({_MONTH}) (\d{{1,2}}), ((?:19|20)\d\d)\b", _day_first),
        _swap(rf"\b(\d{{1,2}}) ({_MONTH}) ((?:19|20)\d\d)\b", _month_first),
        _swap(rf"\b({_MONTH})(?= (?:of )?(?:19|20)\d\d\b)", lambda m: m[1][:3]),
    ),
    "ranges": (
        _swap(
            r"(?<![\w.–/-])(\d+(?:\.\d+)?) ?[-–] ?(\d+(?:\.\d+)?)(?= [a-z%]|%|\))",
            lambda m: f"{m[1]} to {m[2]}",
        ),
        _swap(r"\bbetween (\d[\d.,]*) and (\d[\d.,]*\d|\d)\b", lambda m: f"from {m[1]} to {m[2]}"),
        _swap(r"\bfrom (\d[\d.,]*) to (\d[\d.,]*\d|\d)\b", lambda m: f"between {m[1]} and {m[2]}"),
        _swap(
            rf"\bbetween ((?:(?:{_MONTH}) )?(?:19|20)\d\d) and ((?:(?:{_MONTH}) )?(?:19|20)\d\d)",
            lambda m: f"from {m[1]} to {m[2]}",
        ),
        _swap(
            rf"\bfrom ((?:(?:{_MONTH}) )?(?:19|20)\d\d) to ((?:(?:{_MONTH}) )?(?:19|20)\d\d)",
            lambda m: f"between {m[1]} and {m[2]}",
        ),
    ),
    "units": (_unit_words, _unit_signs, _other_unit),
    "ratios": (
        _swap(
            r"(?<![\w.,])(?:1|one) in (?:every )?(\d[\d,]*)(?= [a-z])",
            lambda m: f"one out of {m[1]}",
        ),
        _swap(
            r"(?<![\w.,])(?:1|one) in (?:every )?(\d[\d,]*)(?= [a-z])",
            lambda m: f"1 of every {m[1]}",
        ),
        _swap(r"(?<![\w.,])(\d+) of (?:the )?(\d+)(?= [a-z])", lambda m: f"{m[1]} out of {m[2]}"),
    ),
    "comparisons": (
        _swap(r"(?<=[a-z(] )?[≥] ?(?=\d)", lambda _: "at least "),
        _swap(r"\b(\d+) years of age or older\b", lambda m: f"at least {m[1]} years old"),
        _swap(r"\b(\d+) years (?:of age|old)\b", lambda m: f"aged {m[1]}"),
        _swap(r"\baged (\d+)[-–](\d+) years\b", lambda m: f"{m[1]} to {m[2]} years old"),
        _swap(r"\bolder than (?:age )?(\d+)\b", lambda m: f"over {m[1]}"),
        _swap(r"\byounger than (?:age )?(\d+)\b", lambda m: f"under {m[1]}"),
    ),
    "order of clauses": (_fronted_back, _back_fronted),
    "voice": (_passive, _active),
    "order of lists": (_list_turned, _pair_turned),
    "asides": (_aside_left_out,),
    "framing": (_framed,),
    "synonym": (_synonym,),
    "second synonym": (_synonym,),
    "third synonym": (_synonym,),
}


class Paraphrase(NamedTuple):
    """A sentence in other words, and the kinds of rules that made it so."""

    text: str
    kinds: tuple[str, ...]


def paraphrase(sentence: str, random: Random) -> Paraphrase:
    """The sentence in other words: of each kind of rule one that applies, chosen by ``random``,
    each kind left out at one time in five."""
    text, kinds = sentence, list[str]()
    for kind, rules in RULES.items():
        if random.random() < 0.2:
            continue
        for rule in random.sample(rules, len(rules)):
            made = rule(text, random)
            if made != text:
                text, kinds = made, [*kinds, kind]
                break
    return Paraphrase(text, tuple(kinds))
