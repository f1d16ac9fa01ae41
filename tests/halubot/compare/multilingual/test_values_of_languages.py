"""Numbers, measures, dates and times in five languages."""

from __future__ import annotations

import pytest

from halubot.compare.multilingual import read_sentence, vocabulary_of
from halubot.text import read


def values(code: str, text: str) -> list[str]:
    known = vocabulary_of(code)
    assert known is not None
    found = read_sentence(read(text), (0, len(text)), known)
    return [term.value.canonical for term in found.terms if term.value is not None]


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        ("de", "dreihundertfünfundzwanzig Gäste und zweieinhalbtausend Stühle", ["325", "2500"]),
        ("de", "1.250,50 Euro, eine Million Euro und 3 %", ["1250.5 EUR", "1000000 EUR", "3 %"]),
        ("de", "ein Drittel der Leute", ["33.3 %"]),
        ("fr", "quatre-vingt-dix-sept, puis mille neuf cent quatre-vingts", ["97", "1980"]),
        ("fr", "14 500 billets à 1 250,50 euros", ["14500", "1250.5 EUR"]),
        ("fr", "deux millions et demi d'euros", ["2500000 EUR"]),
        ("es", "treinta y dos, mil novecientos ochenta y cuatro", ["32", "1984"]),
        ("es", "dos mil millones de euros y un tercio", ["2000000000 EUR", "33.3 %"]),
        ("es", "un millón y medio", ["1500000"]),
        ("zh", "三百二十五位客人，一千零五人，两千五百万元", ["325", "1005", "25000000 CNY"]),
        ("zh", "百分之三，四分之三，一半", ["3 %", "75 %", "50 %"]),
        ("zh", "三个小时，两个月", ["10800 s", "2 month"]),
        ("ar", "ثلاثمئة وخمسة وعشرون ضيفا", ["325"]),
        ("ar", "ثلاثة عشر كتابا وألفان وخمسمئة قلم", ["13", "2500"]),
        ("ar", "١٬٢٥٠٫٥ دولار و3٪", ["1250.5 USD", "3 %"]),
        ("ar", "انتظر ساعتين", ["7200 s"]),
    ],
)
def test_numbers_and_measures(code: str, text: str, wanted: list[str]) -> None:
    assert values(code, text) == wanted


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Tausende kamen, und ein Mann blieb."),
        ("fr", "Des milliers sont venus, et un homme est resté."),
        ("es", "Miles vinieron, y un hombre se quedó un día."),
        ("zh", "这十分重要，我们一起去。"),
        ("ar", "جاء آلاف الناس."),
    ],
)
def test_words_that_look_like_numbers(code: str, text: str) -> None:
    assert values(code, text) == []


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        ("de", "Mindestens 5 Tage, höchstens 9 Meter", ["at least 432000 s", "at most 9 m"]),
        ("fr", "Au moins 5 jours, deux mètres au plus", ["at least 432000 s", "at most 2 m"]),
        ("es", "Más de 30 kilómetros", ["over 30000 m"]),
        ("zh", "不超过两周，约30公里", ["at most 1209600 s", "about 30000 m"]),
        ("ar", "أكثر من 30 كيلومترا", ["over 30000 m"]),
    ],
)
def test_bounds(code: str, text: str, wanted: list[str]) -> None:
    assert values(code, text) == wanted


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        ("de", "am 3.5.2001, im Mai 1990", ["2001-05-03", "1990-05"]),
        ("de", "seit dem 19. Jahrhundert", ["1800/1899"]),
        ("de", "in den 1980er Jahren und 1876", ["1980/1989", "1876"]),
        ("fr", "le 3/5/2001, le 1er juin, au XIXe siècle", ["2001-05-03", "--06-01", "1800/1899"]),
        ("es", "el 25 de noviembre de 2003, en 1987", ["2003-11-25", "1987"]),
        ("es", "en el siglo XIX", ["1800/1899"]),
        ("zh", "2001年5月3日，一九九〇年五月，80年代", ["2001-05-03", "1990-05", "1980/1989"]),
        ("ar", "٣ مايو ٢٠٠١ وعام 1952", ["2001-05-03", "1952"]),
    ],
)
def test_dates(code: str, text: str, wanted: list[str]) -> None:
    assert values(code, text) == wanted


HALF_PAST_EIGHT = 20 * 60 + 30


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "Um 20:30 Uhr"),
        ("de", "Um halb neun"),
        ("fr", "À 20 h 30"),
        ("fr", "À huit heures et demie du soir"),
        ("es", "A las ocho y media de la tarde"),
        ("zh", "晚上八点半"),
        ("ar", "في الساعة الثامنة والنصف مساءً"),
    ],
)
def test_times_of_day(code: str, text: str) -> None:
    (found,) = values(code, text)
    assert f"{HALF_PAST_EIGHT} time of day" in found


def test_a_french_duration_is_no_time_of_day() -> None:
    assert values("fr", "Le train met trois heures et demie") == ["12600 s"]
