"""A quote supports a claim only if it tells its words of the same thing."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.claims import extract
from halubot.compare.matcher import Matcher
from halubot.compare.stances import Compared, Finding
from halubot.report import Verdict
from halubot.text import read

AROUND = (
    " The archive holds more on this. It was last read in spring. Nobody has added to it since."
)


def compared(message: str, other: str) -> Compared:
    document = read(message)
    return Matcher(document, extract(document), None).compare(read(other + AROUND))


def of(message: str, other: str, tail: str) -> Finding:
    document = read(message)
    facts = extract(document)
    found = Matcher(document, facts, None).compare(read(other + AROUND)).facts
    (index,) = (fact.index for fact in facts if tail in fact.triple.tail)
    return found[index]


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("The lander was built by NASA.", "It was NASA's orbiter and ESA's lander."),
        ("The shed was painted by Olsen.", "Olsen's boat lay behind the shed."),
        ("The workers were expelled by the drones.", "The workers expel the drones."),
    ],
)
def test_who_did_something_must_have_done_it(message: str, other: str) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).facts}


@pytest.mark.parametrize(
    "other",
    ["The lander was built by NASA in 1999.", "NASA built the lander.", "NASA's lander was built."],
)
def test_who_did_something_may_be_said_otherwise(other: str) -> None:
    assert of("The lander was built by NASA.", other, "NASA").stance == "supports"


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "Online sales rose by 14 percent.",
            "Workshop sales rose by 14 percent; online orders fell.",
        ),
        (
            "The search only tries the beginning.",
            "The match tries only the beginning, while the search looks anywhere.",
        ),
    ],
)
def test_parts_of_a_sentence_that_tell_of_two_things_support_no_mixture(
    message: str, other: str
) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_a_part_that_takes_up_the_one_before_it_may_support_together_with_it() -> None:
    other = "The olives lie in brine; they must be rinsed before use."
    assert of("The olives must be rinsed.", other, "").stance == "supports"


def test_a_value_belongs_to_the_thing_it_stands_with() -> None:
    message = "Eight stations lie on the south bank."
    other = "Of the stations, eight lie on the north side and seven on the south bank."
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_a_value_belongs_to_the_thing_before_it_if_each_has_one() -> None:
    other = "Of the rent of 900 euros the bank bears 60 percent and the club 40 percent."
    assert of("The club pays 60 percent.", other, "60").stance != "supports"
    assert of("The bank pays 60 percent.", other, "60").stance == "supports"


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("The fee will be dropped.", "The fee remains in force."),
        ("Observation in hospital is unnecessary.", "They go to hospital for observation."),
        ("The drought made maize cheaper.", "The drought drove up the prices of maize."),
    ],
)
def test_what_is_said_of_a_subject_must_be_in_the_quote(message: str, other: str) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_a_measure_needs_no_adjective() -> None:
    other = "The run along the canal covers 5 km."
    assert of("The run along the canal is 5,000 m long.", other, "5,000 m").stance == "supports"


def test_who_did_what_to_whom_is_not_known_without_the_verb() -> None:
    message = "The board urged the fund."
    other = "The fund had called on the board."
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_a_verb_that_only_the_source_denies_is_no_support() -> None:
    message = "Scrub the inside with steel wool."
    other = "Pads such as steel wool should not be used on the inside."
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_a_word_close_to_the_opposite_is_no_support() -> None:
    message = "Most economists predicted an increase."
    other = "Most economists had forecast a reduction."
    assert "supports" not in {one.stance for one in compared(message, other).facts}


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("Stop in week 12.", "It should stop in the 12th week."),
        ("The tram takes line 2.", "The tram takes the second line."),
        ("You may stay 90 days in any period of 180.", "A stay of 90 days in any 180-day period."),
        ("Wait a minute.", "Wait for one minute."),
        (
            "It is covered for two years and the pump for five.",
            "It is covered for 24 months and the pump for 60.",
        ),
        ("Take one litre of water.", "Take a litre of water."),
        ("Compression came with version 0.14.", "Compression came with version 0.14.0."),
        ("Apply 15 days before the trip.", "Apply 15 calendar days before the trip."),
        (
            "Profit fell from 12.1 to 10.4 million.",
            "Profit fell to 10.4 million from 12.1 million.",
        ),
    ],
)
def test_values_that_are_written_otherwise(message: str, other: str) -> None:
    assert {one.stance for one in compared(message, other).facts} == {"supports"}


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("Stop in week 12.", "It should stop in the 13th week."),
        ("Compression came with version 0.14.", "Compression came with version 0.15.0."),
        ("Compression came with version 0.14.", "Compression came with version 0.14.5."),
        ("Apply 15 days before the trip.", "Apply 15 working days before the trip."),
    ],
)
def test_values_that_differ(message: str, other: str) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).sentences}


def test_two_sentences_do_not_tell_together_who_did_something() -> None:
    message = "The lander was carried by the European orbiter."
    other = "It was a mission of the European agency. It had an orbiter and a lander."
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_the_name_that_opens_a_source_need_not_be_said_again() -> None:
    message = "Norrby has 1,940 employees."
    other = "Norrby published its figures. At the end of the year the group had 1,940 employees."
    assert of(message, other, "1,940").stance == "supports"
    other = "The figures are out. At the end of the year the group had 1,940 employees."
    assert of(message, other, "1,940").stance == "silent"


SAMPLES = ["The canteen of the school is on the third floor."] * 2


@pytest.mark.parametrize(
    ("reference", "verdict"),
    [
        ("The canteen of the school is on a floor of its own." + AROUND, "not_checked"),
        ("The garden is open all day." + AROUND, "supported"),
    ],
)
def test_samples_do_not_support_what_a_reference_that_speaks_of_it_leaves_open(
    reference: str, verdict: Verdict
) -> None:
    report = check(
        "The canteen of the school is on the third floor.", samples=SAMPLES, references=[reference]
    )
    assert {fact.verdict for fact in report.facts} == {verdict}


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("The code returns after a minute.", "Fault codes are listed below."),
        ("Its eyes grow much larger.", "Females grow much larger than males."),
        ("The plan must cover at least 3,000 euros.", "The plan covers 30,000 euros."),
    ],
)
def test_a_part_in_common_is_no_support(message: str, other: str) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_a_limit_is_met_by_a_value_close_to_it() -> None:
    said = of("The village lies at least 430 metres up.", "The village lies 440 metres up.", "430")
    assert said.stance == "supports"


def test_a_minimum_is_a_limit() -> None:
    other = "The insurance must have a minimum coverage of 30,000 euros."
    said = of("The insurance must cover at least 3,000 euros.", other, "3,000")
    assert said.stance == "contradicts"


def test_other_words_in_a_sentence_that_a_source_says_are_supported() -> None:
    message = "The opera had its premiere in Lund on 16 December 1893."
    other = "The opera was first performed in Lund on 16 December 1893."
    assert {one.stance for one in compared(message, other).facts} == {"supports"}


def test_what_is_new_in_such_a_sentence_is_not() -> None:
    message = "Sole would like to read the audiobook herself; he can get her an audition."
    said = of(message, "Sole would like to read the audiobook herself.", "audition")
    assert said.stance == "silent"


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("Deputy Ferrant supported it.", "Deputy Ferrant voted against the plan."),
        ("Deputy Ferrant was among those.", "Deputy Ferrant voted against the plan."),
        ("The refund is on its way.", "The shop may withhold the refund until the parcel is back."),
    ],
)
def test_a_source_that_only_names_the_subject_supports_nothing(message: str, other: str) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).facts}


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("Once the key is gone, so is the data.", "In Go it keeps the key and the data."),
        ("The reserves were eased.", "The Reserve Bank eased nothing."),
    ],
)
def test_a_name_is_no_form_of_a_word(message: str, other: str) -> None:
    found = compared(message, f"The archive is in the town hall of Wick. {other}")
    assert "supports" not in {one.stance for one in found.facts[:1]}


def test_a_word_with_a_capital_only_because_it_opens_a_sentence_is_still_a_word() -> None:
    found = of("Coffee contains caffeine.", "All coffees contain caffeine.", "caffeine")
    assert found.stance == "supports"


def test_has_yet_to_is_a_negation() -> None:
    found = of(
        "It has yet to complete a full orbit since then.",
        "In 2011 it completed its first full orbit.",
        "orbit",
    )
    assert found.stance != "supports"


def test_in_excess_of_is_the_opposite_of_below() -> None:
    found = of(
        "Inflation was below the target of 4 percent.",
        "Inflation was well in excess of the target of 4 percent.",
        "target",
    )
    assert found.stance == "contradicts"


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "All electrical burns have to be seen at a hospital.",
            "A hospital is advised for every burn caused by electricity.",
        ),
        (
            "They do not depend on the layout, can be shared by several hosts and are small.",
            "They are small, can be shared among several hosts and do not depend on the layout.",
        ),
        ("The polka-dot jersey is for climbers.", "There was no polka-dot jersey until 1975."),
        ("The habit isn't only of broad-leaved trees.", "It is a habit of broad-leaved trees."),
        ("Roasting takes 1 h 20 min.", "Roasting takes 80 minutes."),
        ("Roasting takes 1 h 20 min.", "Roasting takes 1 h 20 for 2 kg."),
        ("A third of sales was made online.", "The second quarter brought more sales."),
        ("Actors nominate actors.", "Actors nominate actors and writers nominate writers."),
    ],
)
def test_right_words_in_another_order_are_no_contradiction(message: str, other: str) -> None:
    assert "contradicts" not in {one.stance for one in compared(message, other).facts}


@pytest.mark.parametrize(
    ("other", "stance"),
    [
        ("The lake has been a World Heritage Site since 1996.", "silent"),
        ("Lake Orsa is a deep lake of the world.", "silent"),
        ("Lake Orsa is the world's deepest lake.", "supports"),
        ("Among the lakes of the world, Orsa is the most deep one.", "supports"),
    ],
)
def test_a_superlative_is_no_other_word(other: str, stance: str) -> None:
    document = read("Lake Orsa is the deepest lake in the world.")
    matcher = Matcher(document, extract(document), "Lake Orsa")
    (fact,) = matcher.compare(read(other), sample=True).facts
    assert fact.stance == stance


def test_a_good_first_choice_is_not_what_works_best_in_the_first_hours() -> None:
    message = read("Paracetamol is a good first choice.")
    matcher = Matcher(message, extract(message), "paracetamol")
    other = "The antidote, acetylcysteine, works best in the first 8 hours."
    (fact,) = matcher.compare(read(other), sample=True).facts
    assert fact.stance == "silent"


def test_a_cause_is_not_told_by_what_tells_all_else() -> None:
    other = "The mill closed in 1931 after a flood had ruined the machines."
    assert of("It closed in 1931 because of a fire.", other, "fire").stance == "silent"
    assert of("It closed in 1931 because of a flood.", other, "1931").stance == "supports"


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "The bakers feared for their rent, so the guild promised them a new oven.",
            "The guild held a vote on Friday in favour of the new road to the coast.",
        ),
        (
            "Jansen, Blau and Kern feed the swans and their fledglings for toys and coins.",
            "Its oldest fledgling was bought by Blau.",
        ),
        (
            "Remember to bring back your garden badge soon, since the club keeps the pledge.",
            "Fees are paid in the garden, and the badge comes with a hat.",
        ),
        (
            "Cranes lift each vessel to the upper yard, wash it with soap and hot water, paint its"
            " name and lower it on the far side of the harbour.",
            "The museum shows a ship with small cranes at both ends.",
        ),
    ],
)
def test_words_met_by_chance_in_a_long_sentence_are_no_support(message: str, other: str) -> None:
    assert "supports" not in {one.stance for one in compared(message, other).facts}


@pytest.mark.parametrize(
    ("message", "other"),
    [
        (
            "The chairman argued that diesel ferries would be quieter.",
            "The chairman favours diesel ferries because they would cost less.",
        ),
        ("A fax is not accepted; send the form by post.", "Send the form by fax or by post."),
        (
            "The festival attracted 4,000 visitors with free concerts.",
            "The festival attracted 4,000 visitors.",
        ),
        (
            "The heron breeds in forests.",
            "Instead of forests, the heron breeds on islands, far from any house.",
        ),
        (
            "The turtle hatches in rivers and grows up at sea.",
            "Rather than being born in rivers, the turtle hatches on land.",
        ),
        (
            "The probe was carried by a Japanese rocket.",
            "The French rocket took the Japanese probe along.",
        ),
    ],
)
def test_what_a_claim_adds_must_be_in_the_quote(message: str, other: str) -> None:
    facts = compared(message, other).facts
    assert facts[0].stance != "supports"


def test_a_verb_that_is_all_that_is_said_must_be_in_the_quote() -> None:
    message = "Grass snakes hibernate; they lie still for most of the winter."
    other = "A grass snake is a good swimmer, while the adder keeps to dry heath."
    assert "supports" not in {one.stance for one in compared(message, other).facts}


def test_of_several_quotes_the_one_that_says_most_is_shown() -> None:
    message = "The ferry carries cars and bicycles to the island every hour."
    less = "The ferry to the island takes cars every hour, the captain of the old boat said."
    more = "Every hour the ferry carries bicycles to the island, and cars."
    found = compared(message, f"{less} {more}").facts
    assert all(
        f"{less} {more}"[one.start : one.end] == more for one in found if one.stance == "supports"
    )
