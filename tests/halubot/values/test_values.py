"""Values are found where they stand, and compare exactly after normalising."""

from __future__ import annotations

import calendar
import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halubot.values.comparison import Value, are_one_day, compatible, differ
from halubot.values.reader import find
from halubot.values.units import CARDINALS


def only(text: str) -> Value:
    (value,) = find(text)
    return value


def equal(a: Value, b: Value) -> bool:
    return compatible(a, b) and compatible(b, a)


@pytest.mark.parametrize(
    "same",
    [
        ["May 22, 1828", "22 May 1828", "22nd of May, 1828", "1828-05-22", "22. Mai 1828"],
        ["1828/05/22", "1828.5.22", "1828-05-22", "22-05-1828", "05/22/1828"],
        [
            "the third day of May 1815",
            "the 3rd of May, 1815",
            "the third of May, 1815",
            "3 May 1815",
        ],
        ["the Thirty-First of May", "31 May"],
        ["half an inch", "half-inch", "1/2-inch"],
        ["a half-hour", "half an hour", "30 minutes"],
        ["a quarter-mile", "a quarter of a mile"],
        ["1828年5月22日", "May 22nd 1828", "the 22nd day of May 1828"],
        ["1.2 million", "1,200,000", "1.2m", "1.200.000", "1\u00a0200\u00a0000"],
        ["three", "3", "3.0", "3.00"],
        ["twelve hundred", "1,200", "one thousand two hundred", "1200"],
        ["5 km", "5 kilometres", "5,000 m", "5-kilometer"],
        ["$160 million", "160 million dollars", "US$160,000,000", "$ 160m"],
        ["50%", "50 per cent", "fifty percent", "50 Prozent"],
        ["1864 to 1884", "1864–1884", "1864-84", "1864 until 1884"],
        ["the 21st century", "twenty-first century"],
        ["the 1990s", "1990's", "’90s"],
        ["$5-10 million", "5 to 10 million dollars"],
        ["3:45 pm", "15:45", "3.45 p.m."],
        ["98.6 °F", "37 °C"],
        ["a dozen", "twelve", "12"],
        ["two-thirds", "2/3", "two thirds"],
        ["a quarter of sales", "25 % of sales", "one quarter of sales"],
        ["two thirds of sales", "66.7 % of sales", "two-thirds of sales"],
        ["a third of a cup", "1/3 of a cup", "one third of a cup"],
        ["44 BC", "44 BCE", "44 B.C."],
        ["twenty-first", "21st"],
        ["nineteen eighty-four", "1984"],
        ["2 weeks", "14 days", "fourteen days"],
        ["20 mg/dL", "20 milligrams per deciliter", "20 milligrams per decilitre", "0.2 g/l"],
        ["90 mmHg", "90 mm Hg", "90 millimetres of mercury"],
        ["0.3 mg/kg", "0.3 milligrams per kilogram"],
        ["2 dl", "200 ml", "two decilitres"],
        ["2.45 GHz", "2,450 megahertz", "2.45 gigahertz"],
        ["aged 17", "17 years", "at the age of seventeen"],
        ["150 pounds", "£150"],
        ["at most 10 minutes", "ten minutes at most", "10 minutes or less"],
    ],
)
def test_the_same_value_in_other_words(same: list[str]) -> None:
    for a in same:
        for b in same:
            assert equal(only(a), only(b)), (a, b)
            assert not differ(only(a), only(b)), (a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("1828", "1829"),
        ("22 May 1828", "23 May 1828"),
        ("1828/05/22", "23 May 1828"),
        ("1828.05.04", "1828.04.05"),
        ("the third of May", "the fourth of May"),
        ("22 May 1828", "1829"),
        ("May 1828", "1 June 1828"),
        ("1.2 million", "1.3 million"),
        ("1912", "1921"),
        ("3", "4"),
        ("5 km", "6 km"),
        ("50%", "51%"),
        ("$5", "$6"),
        ("1864 to 1884", "1864 to 1885"),
        ("the 1980s", "1994"),
        ("the 19th century", "the 20th century"),
        ("early 1990s", "late 1990s"),
        ("more than 50", "40"),
        ("about 500", "700"),
        ("about 1828", "1860"),
        ("aged 17", "27 years"),
        ("150 pounds", "£50"),
        ("2.45 megahertz", "2.5 GHz"),
        ("third", "fourth"),
        ("a third of the members", "a quarter of the members"),
        ("a quarter of the members", "26 % of the members"),
        ("about a third of the members", "40 % of the members"),
    ],
)
def test_another_value_is_a_rival(a: str, b: str) -> None:
    assert differ(only(a), only(b))
    assert not compatible(only(a), only(b))
    assert not compatible(only(b), only(a))


@pytest.mark.parametrize(
    ("a", "b", "one_day"),
    [
        ("1 March 1989", "1 March 1999", True),
        ("28 August 1914", "28 June 1914", True),
        ("1 March 1989", "1 March 1989", False),
        ("1 March 1989", "2 March 1989", False),
        ("1 March 1989", "1 May 1999", False),
        ("March 1989", "March 1999", False),
    ],
)
def test_two_dates_that_differ_in_year_or_month_alone(a: str, b: str, one_day: bool) -> None:
    assert are_one_day(only(a), only(b)) == are_one_day(only(b), only(a)) == one_day


@pytest.mark.parametrize(
    ("vague", "precise"),
    [
        ("May 1828", "22 May 1828"),
        ("1828", "22 May 1828"),
        ("1828", "May 1828"),
        ("22 May", "22 May 1828"),
        ("the 1990s", "1994"),
        ("the 19th century", "1828"),
        ("more than 50", "60"),
        ("at least 3", "3"),
        ("under 10", "9.5"),
        ("1864", "1864 to 1884"),
        ("12.1 million", "12.1 million euros"),
    ],
)
def test_a_vague_fact_is_supported_by_a_precise_text_and_not_the_reverse(
    vague: str, precise: str
) -> None:
    assert compatible(only(vague), only(precise))
    assert not compatible(only(precise), only(vague))
    assert not differ(only(precise), only(vague))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("5 km", "5 kg"),
        ("5 km", "5"),
        ("50%", "50"),
        ("$5", "£5"),
        ("3 years", "3 days"),
        ("21st", "21"),
        ("22 May", "1828"),
    ],
)
def test_another_measure_is_neither_equal_nor_a_rival(a: str, b: str) -> None:
    assert not equal(only(a), only(b))
    assert not differ(only(a), only(b))


def test_about_lets_rounding_pass_and_its_absence_does_not() -> None:
    assert equal(only("about 500"), only("512"))
    assert not equal(only("500"), only("512"))
    assert only("about 500").bound == "about"
    assert equal(only("about 5 miles"), only("8 km"))


def test_an_ambiguous_date_keeps_both_readings() -> None:
    value = only("03/04/2020")
    assert value.canonical == "2020-04-03 or 2020-03-04"
    assert compatible(only("3 April 2020"), value)
    assert compatible(only("4 March 2020"), value)
    assert differ(only("5 March 2020"), value)


@pytest.mark.parametrize(
    "text",
    [
        "COVID-19",
        "192.168.0.1",
        "2023.11.2.1",
        "a B-52 and an F16 in 3D",
        "one of the first-class no one",
        "he may go, and may come",
        "a second look",
        "x" + "9" * 500,
        "9" * 500,
    ],
)
def test_what_is_no_value(text: str) -> None:
    assert all(value.kind == "ordinal" for value in find(text))


def test_a_year_is_told_from_a_count() -> None:
    assert only("1500 soldiers").kind == "number"
    assert only("in 1828 patients were seen").kind == "date"
    assert only("He died in 1896.").kind == "date"


def test_places_are_exact() -> None:
    text = "Ada (10 December 1815 – 27 November 1852) earned about £1,200 in 3 years."
    assert [text[value.start : value.end] for value in find(text)] == [
        "10 December 1815 – 27 November 1852",
        "£1,200",
        "3 years",
    ]
    assert next(value.start for value in find(text, 20)) >= 20


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(2199, 12, 31)))
def test_a_rendered_date_comes_back(day: datetime.date) -> None:
    month = calendar.month_name[day.month]
    forms = [
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month[:3]}. {day.day}, {day.year}" if day.month != 5 else f"May {day.day} {day.year}",
        day.isoformat(),
        f"{day.year}/{day.month:02d}/{day.day:02d}",
        f"{day.year}.{day.month}.{day.day}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.day:02d}.{day.month:02d}.{day.year}",
    ]
    for form in forms:
        assert only(f"It was on {form}, they say.").canonical == day.isoformat()


@given(st.integers(0, 10**15), st.sampled_from(",'’ \u00a0\u2009\u202f"))
@example(620_000, " ")
def test_a_rendered_number_comes_back(number: int, between: str) -> None:
    written = f"{number:,}".replace(",", between)
    assert only(f"exactly {written} things").canonical == str(number)


@given(st.integers(1000, 2999), st.integers(100, 999))
def test_a_number_beside_a_year_is_no_part_of_it(year: int, count: int) -> None:
    found = find(f"in {year} {count} people")
    assert [one.canonical for one in found] == [str(year), str(count)]


SPELT = {number: word for word, number in CARDINALS.items()}


def spelt(number: int) -> str:
    if number < 20:
        return SPELT[number]
    if number < 100:
        return SPELT[number - number % 10] + (f"-{SPELT[number % 10]}" if number % 10 else "")
    for size, name in (
        (10**9, "billion"),
        (10**6, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    ):
        if number >= size:
            rest = number % size
            link = " and " if rest and rest < 100 else " "
            return f"{spelt(number // size)} {name}" + (link + spelt(rest) if rest else "")
    raise AssertionError


@given(st.integers(2, 10**11))
def test_a_number_in_words_is_the_number_in_digits(number: int) -> None:
    assert equal(only(f"{spelt(number)} things"), only(f"{number:,} things"))


PIECES = """
1828 22 May 5 , . - – / to $ € % km million one third hundred and about over the 1990s century
3:45 pm 万 年 月 日 BC ’ ( ) m -5 a between 88 dollars
"""
TEXT = st.text(max_size=60) | st.lists(
    st.sampled_from(PIECES.split()),
    max_size=14,
).map(" ".join)


@given(TEXT)
@example("1828–29–30")
@example("a a hundred a")
@example("one hundred " * 20)
@example("٣٤ ½ ² 1e5")
def test_values_of_any_text_are_in_order_and_disjoint(text: str) -> None:
    at = 0
    for value in find(text):
        assert at <= value.start < value.end <= len(text)
        assert text[value.start : value.end].strip() == text[value.start : value.end]
        at = value.end
        assert value.canonical


@given(TEXT, TEXT)
def test_equality_is_symmetric_and_excludes_rivalry(a: str, b: str) -> None:
    for mine in find(a):
        assert equal(mine, mine)
        assert not differ(mine, mine)
        for theirs in find(b):
            assert equal(mine, theirs) == equal(theirs, mine)
            assert differ(mine, theirs) == differ(theirs, mine)
            assert not (compatible(mine, theirs) and differ(mine, theirs))


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Departure: 14 May, 38 singers.", "14 May"),
        ("It ended on 31 July.", "31 July"),
        ("On 12 Jan., 2001, it closed.", "12 Jan., 2001"),
        ("It was in Sept. 1901.", "Sept. 1901"),
    ],
)
def test_a_date_ends_before_the_marks_of_its_sentence(text: str, date: str) -> None:
    found = find(text)[0]
    assert text[found.start : found.end] == date
