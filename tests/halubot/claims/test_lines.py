"""Lines that claim nothing, which are no sentences of a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import halubot
from halubot.claims import extract, read_source, set_titles_apart
from halubot.text import read

BELOW = "She lived in London."


def apart(text: str) -> list[str]:
    document = set_titles_apart(read(text))
    return [document.text[start:end] for start, end in document.apart]


def kept(text: str) -> list[str]:
    document = set_titles_apart(read(text))
    return [document.text[start:end] for start, end in document.sentences]


@pytest.mark.parametrize(
    "title",
    [
        "Ada",
        "Early life",
        "Work and legacy",
        "How it works",
        "Why Ada matters",
        "Getting started",
        "Who was Ada?",
        "Books published",
        "Signs and symptoms",
        "1. Early life",
    ],
)
def test_a_title_is_no_sentence(title: str) -> None:
    for line in ("# {}", "### {} ###", "**{}**", "***{}***", "**{}**:"):
        assert kept(f"{line.format(title)}\n\n{BELOW}") == [BELOW]


@pytest.mark.parametrize(
    "claim",
    [
        "Ada was born in 1816",
        "Paris is the capital of France",
        "Ada won no prize",
        "Cats love milk",
        "World War II begins",
        "Born in 1816",
    ],
)
def test_a_title_that_states_something_is_a_sentence_and_a_fact(claim: str) -> None:
    for line in ("# {}", "**{}**", "{}\n==="):
        document = set_titles_apart(read(f"{line.format(claim)}\n\n{BELOW}"))
        assert not document.apart
        assert any(fact.sentences == (0,) for fact in extract(document))


def test_the_number_of_a_title_that_states_something_is_no_sentence() -> None:
    text = f"## 1. Founded in 1889\n\n{BELOW}\n\n## Early life (1815–1835)\n\n{BELOW}"
    assert kept(text) == ["Founded in 1889", BELOW, BELOW]


@pytest.mark.parametrize(
    "label",
    [
        "Sources:",
        "**Sources:**",
        "Sources: see below",
        "**Sources:** see below",
        "Key facts:",
        "Here are some facts about Ada Lovelace:",
        "According to the text:",
        "The main ports are:",
        "She wrote the following books:",
    ],
)
def test_a_label_is_no_sentence(label: str) -> None:
    for line in ("{}", "- {}", "Ada was a countess. {}"):
        assert apart(f"{line.format(label)}\n\n- {BELOW}") == [label]


@pytest.mark.parametrize(
    "line", ["Ada had three children:", "Ada said:", "Energy source: the Sun", "Born: 1815"]
)
def test_a_line_with_a_colon_that_states_something_is_a_sentence(line: str) -> None:
    assert apart(f"{line}\n\n- {BELOW}") == []


def test_the_head_of_a_table_is_no_sentence() -> None:
    wide = "| Name | Born | Died |\n| --- | --- | --- |\n| Ada | 1815 | 1852 |\n"
    assert apart(wide) == ["Name | Born | Died"]
    narrow = "| Field | Value |\n|:--|--:|\n| Born | 1828 |\n"
    assert apart(narrow) == ["Field | Value"]
    assert [tuple(fact.triple) for fact in extract(set_titles_apart(read(narrow)))] == [
        ("Born", "", "1828")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "**1815**\n\nAda was born in that year.",  # a value
        "Ada was born there.\n\n**London**",  # nothing below
        "**Paris**\n**London**\n\nThese are two.",  # an answer of several lines
        "- **Paris**\n- **London** is larger.",  # the item of a list
        "**Paris.**\n\nIt lies on the Seine.",  # a sentence
        "**Yes**\n\nIt lies on the Seine.",
        "**No, it is Paris**\n\nIt lies on the Seine.",
        "# Ada Lovelace (1815-1852)\n\nShe lived in London.",  # dates
    ],
)
def test_what_may_be_an_answer_is_a_sentence(text: str) -> None:
    assert apart(text) == []


@pytest.mark.parametrize("text", ["# Ada", "**Ada**", "# Ada\n\n## Early life", "Sources:"])
def test_where_all_are_titles_none_is(text: str) -> None:
    assert apart(text) == []
    assert kept(text)


def test_a_bold_item_above_its_own_text_is_a_title() -> None:
    text = "1. **Early life**\n   She lived in London.\n2. **Death**\n\n   - She died there.\n"
    assert apart(text) == ["**Early life**", "**Death**"]


def test_run_in_titles_yield_no_claim() -> None:
    text = "**History.** The bridge was built in 1928.\n\n**Step 2.** Paint it.\n\nIt is red."
    assert apart(text) == ["**History.**", "**Step 2.**"]
    assert kept(text) == ["The bridge was built in 1928.", "Paint it.", "It is red."]
    found = extract(set_titles_apart(read(text)))
    assert not any("History" in str(fact.triple) for fact in found)


def test_run_in_titles_that_state_something_are_sentences() -> None:
    text = "**Rome fell in 476.** It was old.\n\n**Ada wrote programs.** She was first."
    assert apart(text) == []


def test_short_titles_of_other_languages() -> None:
    german = "Ada wurde in London geboren. Sie war die Tochter von Byron und lebte dort."
    assert apart(f"# Frühes Leben\n\n{german}\n\n**Quellen:**\n\n- {german}") == [
        "Frühes Leben",
        "**Quellen:**",
    ]
    assert apart(f"# Ada wurde in London geboren\n\n{german}") == []
    assert apart(f"# Geboren 1815\n\n{german}") == []
    assert apart("## 早年生活\n\n爱达出生于伦敦。她是拜伦的女儿。") == ["早年生活"]
    assert apart("## 爱达出生于英国伦敦\n\n爱达出生于伦敦。她是拜伦的女儿。") == []


@given(
    st.lists(
        st.sampled_from(
            [
                "# Ada",
                "**Early life**",
                "Sources:",
                "| a | b |",
                "|---|---|",
                "---",
                "===",
                "",
                "- x:",
                "She lived in London.",
                "> Ada. Rome fell:",
                "```",
                "1. **Death**",
                "**1. Paris**",
                "#",
            ]
        ),
        max_size=8,
    ).map("\n".join)
)
def test_sentences_and_titles_are_all_there_was(text: str) -> None:
    document = read(text)
    parted = set_titles_apart(document)
    # Front matter is not read, and a sentence all the same.
    unread = {(start, end) for start, end, _ in parted.unread} - set(document.sentences)
    parts = {*parted.sentences, *parted.apart}
    assert sorted(parts - unread) == list(document.sentences)
    assert bool(parted.sentences) == bool(document.sentences or unread)
    assert (parted.text, parted.plain) == (document.text, document.plain)
    places = [place for fact in extract(parted) for place in fact.spans]
    held = [parted.sentences[fact.sentences[0]] for fact in extract(parted) for _ in fact.spans]
    assert all(
        low <= start < end <= high for (start, end), (low, high) in zip(places, held, strict=True)
    )


def test_titles_are_not_doubted() -> None:
    text = (
        "# Ada\n\n**Early life**\n\nAda was born in London.\n\nSources:\n\n- Ada lived in London.\n"
    )
    report = halubot.check(text, samples=["Ada was born in London. Ada lived in London."] * 5)
    assert {sentence.verdict for sentence in report.sentences} == {"supported"}
    assert [report.text[one.start : one.end] for one in report.sentences] == [
        "Ada was born in London.",
        "Ada lived in London.",
    ]


def test_sentences_that_were_given_are_all_judged() -> None:
    report = halubot.check(
        "# Ada\n\nAda lived in London.",
        sentences=["Ada", "Ada lived in London."],
        samples=["Ada lived in London."] * 5,
    )
    assert len(report.sentences) == 2
    assert report.sentences[1].verdict == "supported"


CLAIM = "Ada was born in London."


@pytest.mark.parametrize(
    "courtesy",
    [
        "Sure!",
        "Of course!",
        "Great question!",
        "That's a good question.",
        "Hello there!",
        "What a great plan!",
        "Thank you for asking!",
        "You’re welcome!",
        "I'd be happy to help you with that!",
        "I hope this helps!",
        "Let me know if you need anything else.",
        "Please feel free to ask.",
        "If you have any further questions, just ask.",
        "If you’d like to know more, say so.",
        "As an AI language model, I cannot verify this.",
        "I'm just an AI and may be wrong.",
        "I don't have access to the internet.",
        "Here's what I found.",
        "Who was Ada?",
        "Would you like to know more about Ada Lovelace?",
    ],
)
def test_it_is_no_sentence_of_the_message(courtesy: str) -> None:
    for text in ("{} {claim}", "{claim} {}", "{claim}\n\n*{}*\n\n{claim}"):
        said = [one.strip("*") for one in apart(text.format(courtesy, claim=CLAIM))]
        assert said == [courtesy]


@pytest.mark.parametrize(
    "claim",
    [
        "Sure enough, Ada was born in London.",
        "Certainly Ada was the first programmer.",
        "I hope Ada was born in London.",
        "I believe that Ada was born in 1816.",
        "As an AI researcher, Ada worked in London.",
        "As an AI language model, I can say that Paris is the capital of France.",
        "As an AI language model, I cannot say more than that Ada was born in 1816.",
        "If you have diabetes, insulin helps.",
        "If you want gold, dig in Alaska.",
        "Here is the tomb of Napoleon.",
        "Thank you was the last word that Ada wrote.",
        "Ada starred in Who Framed Roger Rabbit?",
        "I don't have measles.",
        "Probably not, sorry!",
        "A full ten metres!",
    ],
)
def test_what_claims_something_is_a_sentence(claim: str) -> None:
    assert apart(f"{claim} {CLAIM}") == []


@pytest.mark.parametrize(
    "text", ["Sure!", "Who was Ada?", "# Ada\n\nWho was she? I hope this helps!"]
)
def test_where_nothing_is_claimed_all_are_sentences(text: str) -> None:
    assert apart(text) == []


def test_other_languages_are_left_alone() -> None:
    assert apart("Wo wurde Ada geboren? Ada wurde in London geboren und starb dort.") == []


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (
            "Ingredients\n\n- 250 g flour\n- 2 eggs\n\nWhisk the eggs.",
            ["Ingredients", "250 g flour", "2 eggs"],
        ),
        ("Ada Lovelace\n\nShe lived in London.", ["Ada Lovelace"]),
        ("You need:\n\n- 250 g flour\n\nWhisk it.", []),  # the lead-in makes it a claim
        ("- Opened in 1932\n- Height: 80 m\n\nIt is red.", []),
    ],
)
def test_bare_names_and_ingredients_are_no_sentences(text: str, bare: list[str]) -> None:
    assert [one for one in apart(text) if not one.endswith(":")] == bare


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Notes on canned food\n\nPeter was born in Kent.", ["Peter was born in Kent."]),
        ("# The ship\nIt sank. Why?\n", ["It sank.", "Why?"]),
        (
            "The bridge has four towers\n\nIt is long.",
            ["The bridge has four towers", "It is long."],
        ),
        ("Towers of granite\n- 21 elephants\n", ["Towers of granite", "21 elephants"]),
        ("Diary of the journey", ["Diary of the journey"]),
        (
            "## Notes\n- Granite towers\n- Emily first across\n",
            ["Granite towers", "Emily first across"],
        ),
        ("", []),
    ],
)
def test_a_source_is_read_without_its_titles(text: str, sentences: list[str]) -> None:
    source = read_source(text)
    assert [source.plain[start:end] for start, end in source.sentences] == sentences
