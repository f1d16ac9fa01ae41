"""Which words of a source take the place of others, and which stay."""

from __future__ import annotations

import pytest

from halubot import correct


def corrected(claim: str, source: str) -> str:
    """The claim after its correction by one reference."""
    made = correct(claim, references=[source]).correction
    assert made is not None
    return made.text


@pytest.mark.parametrize(
    ("claim", "source", "wanted"),
    [
        (
            "The lighthouse stands at the north end of the island.",
            "At the south end of the island there is a lighthouse.",
            "The lighthouse stands at the south end of the island.",
        ),
        (
            "Ada Holm was the eldest child of an innkeeper and baker.",
            "Ada Holm was the eldest daughter of an innkeeper and butcher.",
            "Ada Holm was the eldest child of an innkeeper and butcher.",
        ),
        (
            "Volumes can be shared by containers and are harder to back up.",
            "Volumes can be shared among containers and are easier to back up.",
            "Volumes can be shared by containers and are easier to back up.",
        ),
        (
            "Dry tea leaves contain less caffeine by weight than coffee beans.",
            "By weight, dry tea leaves contain more caffeine than coffee beans.",
            "Dry tea leaves contain more caffeine by weight than coffee beans.",
        ),
        (
            "The command doesn't execute the statement.",
            "The command actually executes the statement.",
            "The command executes the statement.",
        ),
        (
            "The Garden section recorded growth of 14 percent in Osby.",
            "The Office section recorded growth of 14 percent in Osby.",
            "The Office section recorded growth of 14 percent in Osby.",
        ),
        (
            "On Monday Varn raised its bid for Osby from €44 to €46 per share.",
            "On Monday Varn raised its bid for Osby to €49 per share from €44.",
            "On Monday Varn raised its bid for Osby from €44 to €49 per share.",
        ),
        (
            "She stands in the left court when the score is even and in the right when it is odd.",
            "She stands in the right court when the score is even and in the left when it is odd.",
            "She stands in the right court when the score is even and in the left when it is odd.",
        ),
        (
            "The contract was awarded to Varn Construction of Ashdown Hill.",
            "The contract was awarded to Varn Construction of Bridgeford.",
            "The contract was awarded to Varn Construction of Bridgeford.",
        ),
        (
            "Income from fees rose from £4 million to £3 million.",
            "Income from fees fell from £4 million to £3 million.",
            "Income from fees fell from £4 million to £3 million.",
        ),
        (
            "The review will be presented after the vote on 9 December.",
            "The review will be presented before the vote on 9 December.",
            "The review will be presented before the vote on 9 December.",
        ),
        (
            "Ada Holm (1690–1720) was an engineer.",
            "Ada Holm (ca. 1650 – 1734) was an engineer.",
            "Ada Holm (ca. 1650 – 1734) was an engineer.",
        ),
    ],
)
def test_what_takes_the_place(claim: str, source: str, wanted: str) -> None:
    assert corrected(claim, source) == wanted


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (
            "The bubbles in the kettle are hydrogen.",
            "The bubbles in the kettle are carbon dioxide.",
        ),
        (
            "Lay the patient down with the legs lower than the chest.",
            "Lay the patient down with the legs elevated.",
        ),
        (
            "Grip the tick as far from the skin as possible.",
            "Grip the tick close to the skin.",
        ),
        (
            "The senator has opened his account on the service.",
            "The senator has shut down his account on the service.",
        ),
        (
            "The system is designed to hinder firms from managing projects.",
            "The system is designed to help firms manage projects.",
        ),
        (
            "They received the Nobel Prize in Chemistry in 2023.",
            "They received the Nobel Prize in Physiology or Medicine in 2023.",
        ),
        (
            "Ada designed sets for works by Jean Holm, Maurice Varn and Paul Orre.",
            "Ada belonged to circles with Jean Holm, Raymond Dahl and Pablo Quist.",
        ),
        (
            "The plan costs $630 a month after the 10% discount.",
            "The plan costs $700 a month.",
        ),
        (
            "Varn offers an 8% reduction of the fee.",
            "Varn offers a 10% share of the fee.",
        ),
        (
            "Drivers must be at least 21 and have held a licence for five years.",
            "Drivers must be at least 21 years old and have a licence.",
        ),
        (
            "Korvo guarantees the mill for two years and its pump for five.",
            "Korvo guarantees the mill for 24 months and its pump for 60.",
        ),
        (
            "He appeared in all 234 episodes of the series.",
            "He appeared in 68 episodes of the series.",
        ),
        (
            "Holm was promoted to General Manager of Varn in 1989.",
            "Holm was replaced as General Manager of Varn in 1997.",
        ),
    ],
)
def test_what_stays(claim: str, source: str) -> None:
    assert corrected(claim, source) == claim
