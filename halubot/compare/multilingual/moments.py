"""Dates and times of day in other languages than English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final

from halubot.compare.multilingual.han_numerals import Found, in_digits
from halubot.compare.multilingual.vocabulary import Vocabulary, fold
from halubot.values.amounts import Amount
from halubot.values.comparison import Reading, Value
from halubot.values.dates import Date, Period

_HAN: Final = "〇零一二两三四五六七八九十"
_HAN_DIGITS: Final = {one: at for at, one in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_YEAR: Final = r"(?:1\d{3}|2[01]\d\d)(?![\d.,/]\d|\d)"
_FULL: Final = 5
"""Letters of the shortest name of a month that is no abbreviation, if a longer name begins so."""
_BARE_YEAR: Final = re.compile(rf"(?<![\d.,/:-]){_YEAR}(?![^\W_]|\s?[%€$°])")
_NEVER: Final = r"(?!)"
"""Stands for a pattern that a language does not have: nothing matches it."""
_OF: Final = {"fr": "(?:de )?", "es": "(?:de |del )?", "ar": "(?:عام |سنة |من )?"}
_ROMAN: Final = {"I": 1, "V": 5, "X": 10}
_CENTURIES: Final = {
    "de": r"(?P<century>\d{1,2})\.\s?(?:Jahrhunderts?|Jh\.)",
    "fr": r"(?P<roman>[IVX]+)\s?e\s(?:siècle|s\.)",
    "es": r"siglo (?P<roman>[IVX]+)",
    "zh": r"(?P<century>\d{1,2})世纪",
    "ar": r"القرن (?P<century>\d{1,2})",
}
_DECADES: Final = {
    "de": r"(?P<decade>\d{3}0|\d0)er\b",
    "fr": r"années (?P<decade>\d{3}0|\d0)\b",
    "es": r"años (?P<decade>\d{2}[2-9]0|[2-9]0)\b(?! años)",
    "zh": r"(?P<decade>\d{3}0|\d0)年代",
}
_YEAR_CONTEXT: Final = {
    "de": r"(?:[Jj]ahre?s?|im|in|seit|bis|vor|ab|von|nach|um|und|oder|,|\()\s$",
    "fr": r"(?:en|an|années?|depuis|de|jusqu['’]en|vers|dès|avant|après|entre|et|à|,|\()\s$",
    "es": r"(?:en|años?|desde|de|del|hasta|hacia|antes de|y|e|entre|,|\()\s$",
    "ar": r"(?:عام|سنة|العام|السنة|في|منذ|حتى|عامي|و|\()\s?$",
}
_CLOCKS: Final = {
    "de": (
        r"(?P<q>[Vv]iertel nach|[Vv]iertel vor|[Hh]alb|[Dd]reiviertel)\s(?P<h>{n})"
        r"|(?P<h2>{n})(?:[:.](?P<m>[0-5]\d))?\sUhr(?:\s(?P<m2>[0-5]?\d)(?!\d))?"
        r"|(?P<h3>\d{{1,2}}):(?P<m3>[0-5]\d)(?!\d)"
    ),
    "fr": (
        r"(?P<h2>{n})\s?(?:heures?|h)(?![^\W\d_])(?:\s?(?P<m>[0-5]\d)(?!\d))?"
        r"(?P<q>\set demie|\set quart|\smoins le quart)?|(?P<h3>\d{{1,2}}):(?P<m3>[0-5]\d)(?!\d)"
    ),
    "es": (
        r"(?<=\blas\s)(?P<h>{n})(?P<q>\sy media|\sy cuarto|\smenos cuarto)(?!\s(?:millones|mil))"
        r"|(?<=\blas\s)(?P<h4>{n})"
        r"(?=\sde la (?:tarde|noche|mañana)|\s(?:en punto|horas|h)\b|\s?[.,;)]|$)"
        r"|(?P<h3>\d{{1,2}})[:.](?P<m3>[0-5]\d)(?!\d)(?:\s?h(?:oras)?\b)?"
    ),
    "zh": (
        r"(?P<h2>\d{{1,2}}|[{han}]{{1,3}})点(?:钟|整)?(?:(?P<q>半|一刻|三刻)|(?P<mh>[{han}]{{1,3}}|\d{{1,2}})分)?"
        r"|(?P<h3>\d{{1,2}})[:：](?P<m3>[0-5]\d)(?!\d)"
    ),
    "ar": (
        r"(?:الساعة\s)?(?P<h3>\d{{1,2}}):(?P<m3>[0-5]\d)(?!\d)"
        r"|الساعة\s(?P<h2>{n}|\d{{1,2}})(?P<q>\sوالنصف|\sوالربع|\sإلا الربع|\sو النصف)?"
    ),
}
_DIGITS: Final = r"(?P<h3>\d{{1,2}}):(?P<m3>[0-5]\d)(?!\d)"
"""The clock of all other languages."""
_PARTS: Final = {
    "de": 15, "viertel nach": 15, "viertel vor": -15, "halb": -30, "dreiviertel": -15,
    "et demie": 30, "et quart": 15, "moins le quart": -15,
    "y media": 30, "y cuarto": 15, "menos cuarto": -15,
    "半": 30, "一刻": 15, "三刻": 45,
    "والنصف": 30, "والربع": 15, "الا الربع": -15, "و النصف": 30,
}  # fmt: skip
_LATE: Final = {
    "de": r"\s(?:abends|nachmittags|am (?:Abend|Nachmittag))",
    "fr": r"\s(?:du soir|de l['’]après-midi)",
    "es": r"\sde la (?:tarde|noche)",
    "zh": r"(?:下午|晚上|傍晚|晚间)$",
    "ar": r"\s(?:مساء|ليلا|بعد الظهر|عصرا)",
}
_EARLY: Final = {
    "de": r"\s(?:morgens|vormittags|früh|am (?:Morgen|Vormittag))",
    "fr": r"\sdu matin",
    "es": r"\sde la mañana",
    "zh": r"(?:上午|早上|凌晨|清晨|早晨)$",
    "ar": r"\s(?:صباحا|فجرا)",
}
_AT: Final = re.compile(r"\b(?:à|vers|dès|avant|après|de|entre|et)\s$", re.IGNORECASE)
_MARKS: Final = re.compile("[\u064b-\u0652]")


def find_moments(plain: str, start: int, end: int, known: Vocabulary) -> list[Found]:
    """Return the dates and times of ``plain[start:end]`` in order, disjoint."""
    text = in_digits(plain)
    found: list[Found] = []
    for value, first, last in (
        *_times(text, start, end, known),
        *_dates(text, start, end, known),
        *_years(text, start, end, known),
    ):
        if all(last <= one.start or one.end <= first for one in found):
            found.append(Found(value, first, last))
    return sorted(found, key=lambda one: one.start)


@cache
def _date_pattern(known: Vocabulary) -> re.Pattern[str]:
    if known.code == "zh":
        number = rf"(?:\d{{1,2}}|[{_HAN}]{{1,3}})"
        year = rf"(?P<zy>\d{{4}}|[{_HAN}]{{4}})年"
        return re.compile(
            rf"{year}(?:(?P<zm>{number})月(?:(?P<zd>{number})[日号])?)?(?!代)"
            rf"|(?P<zm2>{number})月(?:(?P<zd2>{number})[日号])?"
            rf"|{_CENTURIES['zh']}|{_DECADES['zh']}"
            r"|(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"
        )
    names = sorted(known.months, key=len, reverse=True)
    full = [name for name in names if not _is_short(name, names)]
    month = "|".join(map(_pattern, full))
    short = "|".join(re.escape(name) + r"\.?" for name in names if name not in full) or "(?!)"
    of = _OF.get(known.code, "")
    return re.compile(
        rf"(?P<day>\d{{1,2}})(?:\.|er|º|ª)?\s?{of}(?P<month>{month}|{short})(?![^\W_])"
        rf"(?:,?\s{of}(?P<year>{_YEAR}))?"
        rf"|(?<![^\W_])(?P<month2>{month})(?![^\W_])(?:\s{of}(?P<year2>{_YEAR}))?"
        r"|(?<!\d)(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)"
        r"|(?<![\d.])(?P<nd>\d{1,2})\s?[./-]\s?(?P<nm>\d{1,2})\s?[./-]\s?(?P<ny>\d{4})(?!\d)"
        rf"|{_CENTURIES.get(known.code, _NEVER)}|{_DECADES.get(known.code, _NEVER)}",
        re.IGNORECASE if known.code != "de" else re.NOFLAG,
    )


def _pattern(name: str) -> str:
    """The pattern of a word; German writes it with a capital, Arabic with several forms of alif."""
    written = re.escape(name).replace(r"\ ", r"\s").replace("ا", "[اأإآ]").replace("ه", "[هة]")
    if name[0].isascii() and name[0].isalpha():
        return f"[{name[0]}{name[0].upper()}]{written[1:]}"
    return written


def _is_short(name: str, names: list[str]) -> bool:
    return len(name) < _FULL and any(one != name and one.startswith(name) for one in names)


def _dates(text: str, start: int, end: int, known: Vocabulary) -> Iterator[Found]:
    for match in _date_pattern(known).finditer(text, start, end):
        reading = _read(match, known)
        if reading is not None:
            yield Found(
                Value("date", (reading,), match.start(), match.end()), match.start(), match.end()
            )


def _read(match: re.Match[str], known: Vocabulary) -> Reading | None:
    group = match.groupdict()
    if group.get("century") or group.get("roman"):
        number = int(group["century"]) if group.get("century") else _roman(group["roman"])
        return Period(100 * number - 100, 100 * number - 1) if 0 < number <= 22 else None
    if group.get("decade"):
        first = int(group["decade"])
        first += 1900 if first < 100 else 0
        return Period(first, first + 9)
    if known.code == "zh":
        forms = (("zy", "y"), ("zm", "zm2", "m"), ("zd", "zd2", "d"))
        return _date(*[_han(next(filter(None, map(group.get, names)), None)) for names in forms])
    if group["y"]:
        return _date(int(group["y"]), int(group["m"]), int(group["d"]))
    if group["ny"]:
        first, second = int(group["nd"]), int(group["nm"])
        if second > 12 >= first:
            first, second = second, first
        return _date(int(group["ny"]), second, first)
    name = fold(group["month"] or group["month2"]).rstrip(".")
    written = group["year"] or group["year2"]
    day = group["day"]
    return _date(
        int(written) if written else None, known.months.get(name), int(day) if day else None
    )


def _date(year: int | None, month: int | None, day: int | None) -> Date | None:
    if (month is not None and not 0 < month <= 12) or (day is not None and not 0 < day <= 31):
        return None
    return Date(year, month, day)


def _years(text: str, start: int, end: int, known: Vocabulary) -> Iterator[Found]:
    """Bare years, which the word before them shows to be no count."""
    if known.code == "zh":
        return
    context = re.compile(_YEAR_CONTEXT.get(known.code, _NEVER), re.IGNORECASE)
    for match in _BARE_YEAR.finditer(text, start, end):
        at, stop = match.span()
        after = text[stop : stop + 2]
        counted = after[:1] == " " and after[1:].isalpha() and known.code in ("fr", "es", "ar")
        if known.code == "de":
            counted = after[:1] == " " and after[1:].isupper()
            sure = not counted
        else:
            sure = bool(context.search(text[max(start, at - 12) : at])) and not (
                counted and known.code == "ar" and context.search(text[at - 3 : at]) is None
            )
        if sure or (counted and context.search(text[max(start, at - 12) : at])):
            yield Found(Value("date", (Date(int(match.group())),), at, stop), at, stop)


@cache
def _clock_pattern(known: Vocabulary) -> re.Pattern[str]:
    words = [
        word for word, number in known.cardinals.items() if 0 < number <= 24 and word.isalpha()
    ]
    if known.code == "ar":
        words = list(known.hours)
    ordered = sorted(words, key=len, reverse=True)
    number = r"(?:(?<!\d)\d{1,2}|" + "|".join(map(_pattern, ordered)) + ")(?![^\\W\\d_])"
    return re.compile(_CLOCKS.get(known.code, _DIGITS).format(n=number, han=_HAN))


def _times(text: str, start: int, end: int, known: Vocabulary) -> Iterator[Found]:
    bare = _without_marks(text) if known.code == "ar" else text
    for match in _clock_pattern(known).finditer(bare, start, end):
        group = match.groupdict()
        begin, stop = match.span()
        written = next((group[one] for one in ("h", "h2", "h3", "h4") if group.get(one)), "")
        hour = _hour(written, known)
        if hour is None or hour > 24:
            continue
        if begin and text[begin - 1].isalnum() and known.code != "zh":
            continue
        spelt = group.get("m") or group.get("m2") or group.get("m3") or "0"
        minute = int(spelt) if spelt.isdigit() else 0
        minute = _han(group["mh"]) or 0 if group.get("mh") else minute
        part = fold(group["q"]) if group.get("q") else ""
        if (
            known.code == "fr"
            and group.get("h2")
            and not _AT.search(text[max(start, begin - 8) : begin])
        ):
            continue  # a duration
        minutes = 60 * hour + minute + _PARTS.get(part, 0)
        late, early = (re.compile(one.get(known.code, _NEVER)) for one in (_LATE, _EARLY))
        if known.code == "zh":
            before = text[max(start, begin - 2) : begin]
            is_late, is_early = late.search(before), early.search(before)
            first, last = begin - 2 if is_late or is_early else begin, stop
        else:
            is_late, is_early = late.match(bare, stop), early.match(bare, stop)
            marked = is_late or is_early
            first, last = begin, marked.end() if marked else stop
        noon = 12 * 60
        if is_late and minutes < noon:
            minutes += noon
        open_ended = not (is_late or is_early or group.get("h3")) and hour <= 12
        readings = [minutes]
        if open_ended and (part or not written.isdigit()):
            readings.append((minutes + noon) % (2 * noon))
        found = tuple(Amount(Decimal(one), "time of day") for one in readings)
        yield Found(Value("time", found, first, last), first, last)


@lru_cache(maxsize=4)
def _without_marks(text: str) -> str:
    """An Arabic text with a stroke for each point between its letters, at the same places."""
    return _MARKS.sub("\u0640", text)


def _hour(written: str, known: Vocabulary) -> int | None:
    if written.isdigit():
        return int(written)
    if known.code == "zh":
        return _han(written)
    low = fold(written)
    if low in known.hours:
        return known.hours[low]
    number = known.cardinals.get(low)
    return int(number) if number is not None else None


def _han(written: str | None) -> int | None:
    """A number up to 99, or a year digit by digit, in Chinese characters or digits."""
    if not written:
        return None
    if written.isdigit() and written.isascii():
        return int(written)
    if "十" not in written:
        return int("".join(str(_HAN_DIGITS[one]) for one in written))
    tens, _, ones = written.partition("十")
    return 10 * (_HAN_DIGITS[tens] if tens else 1) + (_HAN_DIGITS[ones] if ones else 0)


def _roman(written: str) -> int:
    worth = [_ROMAN[one] for one in written.upper()]
    return sum(
        -one if any(one < other for other in worth[at + 1 : at + 2]) else one
        for at, one in enumerate(worth)
    )
