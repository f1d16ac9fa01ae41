"""Plain cases by words alone: a message, what it is compared with, and what a reader would expect.

``against`` holds texts; a text that begins with "# Title" is an article of that title. ``told`` has
an entry for each fact that matters, by words that its triple holds, "" for the sentences: "+"
supported, "-" doubted, "=" not contradicted, "?" not checked, "!" contradicted by words that cannot
stand in the place of the claim's, anything else the rival values that contradict it, in
order.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple


class Case(NamedTuple):
    """One case. ``kind`` is what the texts are: references, samples, or passages of a base."""

    kind: Literal["reference", "sample", "knowledge"]
    message: str
    against: tuple[str, ...]
    told: dict[str, str]


BABBAGE: Final = (
    "Charles Babbage was born on 26 December 1791 in London. He designed the Difference Engine and"
    " the Analytical Engine. He died in 1871."
)
ADA: Final = (
    "# Ada Lovelace\n\nAugusta Ada King, Countess of Lovelace (10 December 1815 – 27 November 1852)"
    " was an English mathematician. She was born in London, the only legitimate child of Lord"
    " Byron."
)
ADA_PLAIN: Final = (
    "# Ada Lovelace\n\nAda Lovelace was born on 10 December 1815 in London. She was the only"
    " legitimate daughter of Lord Byron, and she married William King in 1835."
)
BRIDGE: Final = (
    "# Kellan Bridge\n\nThe Kellan Bridge is a steel bridge over the Osk in Norway. It was opened"
    " on 4 May 1931 and is 412 metres long. It has three arches, and about 12,000 cars cross it"
    " every day. It was designed by Ada Weir. It is not open to lorries."
)
OSTBY: Final = (
    "# Ostby Bridge\n\nThe Ostby Bridge was opened in 1900. It is 95 metres long. It was designed"
    " by Bo Lind."
)
TRIAL: Final = (
    "The trial enrolled 240 patients between 2004 and 2008. Of these, 88 patients (37%) reported"
    " headaches. The drug reduced pain by 12 to 15 percent. The dose was 20 mg a day. No deaths"
    " occurred during the trial."
)
CURIE: Final = (
    "# Marie Curie\n\nMarie Curie was born Maria Skłodowska in Warsaw. She was the youngest of"
    " five children.",
    "# Marie Curie\n\nIn Paris she studied physics and chemistry at the Sorbonne.",
)
LUND: Final = (
    "# Lund\n\nLund is a city in Sweden. It has 94,000 inhabitants. Its university was founded in"
    " 1666. The cathedral was consecrated in 1145."
)

MESSAGE: Final = (
    "Ada Lovelace was born in 1816 in London. She was the daughter of Lord Byron. Charles Babbage"
    " designed the Analytical Engine and died in 1873."
)
TOLD: Final = {
    "born in 1816": "10 December 1815",
    "born in London": "+",
    "daughter": "=",
    "Analytical Engine": "=",
    "died in 1873": "1871",
}

SAMPLES: Final = (
    "The Kellan Bridge was opened in 1931. It is 412 metres long.",
    "The Kellan Bridge, opened in 1931, is 412 m long. It crosses the Osk.",
    "Opened in 1931, the Kellan Bridge spans the Osk.",
)

CASES: Final = (
    # dates
    Case("reference", "Charles Babbage died in 1873.", (BABBAGE,), {"died": "1871"}),
    Case(
        "reference", "Charles Babbage was born in 1790.", (BABBAGE,), {"born": "26 December 1791"}
    ),
    Case("reference", "Charles Babbage was born in 1791.", (BABBAGE,), {"born": "+"}),
    Case(
        "reference",
        "Charles Babbage was born on 26 December 1792.",
        (BABBAGE,),
        {"born": "26 December 1791"},
    ),
    Case("reference", "The Kellan Bridge was opened in 1931.", (BRIDGE,), {"opened": "+"}),
    Case("reference", "The Kellan Bridge was opened in May 1931.", (BRIDGE,), {"opened": "+"}),
    Case("reference", "The Kellan Bridge was opened in 1932.", (BRIDGE,), {"opened": "4 May 1931"}),
    Case(
        "reference",
        "The Kellan Bridge was opened on 5 May 1931.",
        (BRIDGE,),
        {"opened": "4 May 1931"},
    ),
    Case(
        "reference",
        "Ada Lovelace (1815–1853) was an English mathematician.",
        (ADA,),
        {"mathematician": "=", "died": "10 December 1815 – 27 November 1852"},
    ),
    # numbers, units, percents, ranges
    Case("reference", "The Kellan Bridge is 412 metres long.", (BRIDGE,), {"412": "+"}),
    Case("reference", "The Kellan Bridge is 0.412 km long.", (BRIDGE,), {"0.412": "="}),
    Case("reference", "The Kellan Bridge is 421 metres long.", (BRIDGE,), {"421": "412 metres"}),
    Case("reference", "The Kellan Bridge has three arches.", (BRIDGE,), {"arches": "+"}),
    Case("reference", "The Kellan Bridge has 3 arches.", (BRIDGE,), {"arches": "+"}),
    Case("reference", "88 patients (37 percent) reported headaches.", (TRIAL,), {"headaches": "+"}),
    Case("reference", "88 patients (47%) reported headaches.", (TRIAL,), {"": "-"}),
    Case("reference", "The trial enrolled 250 patients.", (TRIAL,), {"enrolled": "240"}),
    Case("reference", "The trial enrolled 240 patients.", (TRIAL,), {"enrolled": "+"}),
    Case("reference", "The dose was 20 milligrams a day.", (TRIAL,), {"dose": "+"}),
    Case("reference", "The dose was 30 mg a day.", (TRIAL,), {"30": "20 mg"}),
    Case("reference", "The drug reduced pain by 12 to 15 percent.", (TRIAL,), {"reduced": "+"}),
    Case(
        "reference",
        "The drug reduced pain by 12 to 18 percent.",
        (TRIAL,),
        {"18": "12 to 15 percent"},
    ),
    Case("reference", "Lund has 94,000 inhabitants.", (LUND,), {"inhabitants": "="}),
    Case("reference", "Lund has 49,000 inhabitants.", (LUND,), {"inhabitants": "94,000"}),
    # negation
    Case("reference", "The Kellan Bridge is not open to lorries.", (BRIDGE,), {"lorries": "+"}),
    # names and places
    Case("reference", "The Kellan Bridge was designed by Ada Weir.", (BRIDGE,), {"designed": "+"}),
    Case(
        "reference",
        "The Kellan Bridge was designed by Bo Lind.",
        (BRIDGE, OSTBY),
        {"designed": "Ada Weir"},
    ),
    Case("reference", "Charles Babbage was born in Paris.", (BABBAGE,), {"born": "London"}),
    Case("reference", "Lund is a city in Sweden.", (LUND,), {"Lund": "+"}),
    Case("reference", "Lund is a city in Norway.", (LUND,), {"Norway": "-"}),
    # pronouns, lists, two subjects
    Case("reference", MESSAGE, (ADA_PLAIN, BABBAGE), TOLD),
    Case("knowledge", MESSAGE, (ADA_PLAIN, f"# Charles Babbage\n\n{BABBAGE}"), TOLD),
    Case(
        "reference",
        "Charles Babbage designed the Difference Engine and the Analytical Engine.",
        (BABBAGE,),
        {"Difference": "+"},
    ),
    Case(
        "reference",
        "The Kellan Bridge was opened in 1931. The Ostby Bridge was opened in 1910.",
        (BRIDGE, OSTBY),
        {"Kellan": "+", "Ostby": "1900"},
    ),
    Case(
        "reference",
        "Charles Babbage was an inventor. He died in 1872.",
        (BABBAGE,),
        {"died": "1871"},
    ),
    # what is said of another, and of nothing
    Case("reference", "The Kellan Bridge was opened in 1931.", (OSTBY,), {"opened": "="}),
    Case("reference", "The Kellan Bridge is 412 metres long.", (OSTBY,), {"412": "="}),
    Case("reference", "The Kellan Bridge was opened in 1931.", (LUND,), {"opened": "?"}),
    Case("reference", "Henry Babbage died in 1918.", (BABBAGE,), {"died": "="}),
    Case("reference", "Charles Babbage wrote 86 papers.", (BABBAGE,), {"papers": "?"}),
    Case("reference", "Charles Babbage moved to London in 1810.", (BABBAGE,), {"1810": "="}),
    # in other words
    Case(
        "reference",
        "The Analytical Engine was designed by Charles Babbage.",
        (BABBAGE,),
        {"designed": "="},
    ),
    Case("reference", "Ada Weir designed the Kellan Bridge.", (BRIDGE,), {"designed": "="}),
    # words alone bear nothing out
    Case("knowledge", "Marie Curie was born in Paris.", CURIE, {"born": "Warsaw"}),
    Case("knowledge", "Marie Curie was born in Warsaw.", CURIE, {"born": "+"}),
    Case("knowledge", "The Kellan Bridge was opened in 1932.", (BRIDGE,), {"opened": "4 May 1931"}),
    Case("knowledge", "The Kellan Bridge was opened in 1931.", (OSTBY, LUND), {"opened": "="}),
    # samples
    Case("sample", "The Kellan Bridge was opened in 1931.", SAMPLES, {"opened": "+"}),
    Case("sample", "The Kellan Bridge was opened in 1941.", SAMPLES, {"opened": "1931"}),
    Case("sample", "The Kellan Bridge is 412 metres long.", SAMPLES, {"412": "+"}),
    Case("sample", "The Kellan Bridge is 500 metres long.", SAMPLES, {"500": "412 m, 412 metres"}),
)
