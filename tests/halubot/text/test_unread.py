"""What a message says in places that are not read as prose is checked, or said not to be."""

from __future__ import annotations

import pytest

from halubot import check
from halubot.claims import ASKED, read_message
from halubot.cli.check_run import status
from halubot.text.markdown import ASIDE, CODE, COMMENT, FRONT, decode_letters

RIGHT = "Ada Lovelace was born in 1815 in London."
WRONG = "Ada Lovelace was born in 1816 in London."
REFERENCE = f"{RIGHT} She wrote about the Analytical Engine."


@pytest.mark.parametrize(
    "text",
    [
        WRONG.replace("1816", "&#49;816"),
        WRONG.replace("1816", "18&#49;6"),
        WRONG.replace("1816", "18&#x31;6"),
        f"{RIGHT}\n\n![{WRONG}](ada.png)",
        f'{RIGHT}\n\n<img src="ada.png" alt="{WRONG}">',
        f"{RIGHT} <img alt='{WRONG}' src=ada.png>",
        f"{RIGHT}\n\n<pre>{WRONG}</pre>\n",
        f"{RIGHT}\n\n```\n{WRONG}\n```\n",
        f"{RIGHT}\n\n> {WRONG}",
        f"{RIGHT} “{WRONG}”",
    ],
)
def test_what_a_reader_sees_or_hears_is_checked(text: str) -> None:
    report = check(text, references=[REFERENCE])
    assert "contradicted" in {sentence.verdict for sentence in report.sentences}
    assert status(report) == 1


@pytest.mark.parametrize(
    ("text", "said", "why"),
    [
        (f"{RIGHT}\n\n<!-- {WRONG} -->\n", WRONG, COMMENT),
        (f"---\ntitle: {WRONG}\n---\n\n{RIGHT}", f"title: {WRONG}", FRONT),
        (f'{RIGHT}\n\n![Ada](ada.png "{WRONG}")', WRONG, ASIDE),
        (f'{RIGHT}\n\n[ada]: http://a.b "{WRONG}"\n', f'ada]: http://a.b "{WRONG}"', ASIDE),
        (f"{RIGHT}\n\n[{WRONG}]: #ada\n", f"{WRONG}]: #ada", ASIDE),
        (f"{RIGHT}\n\n```python\nx = 1  # {WRONG}\n```\n", WRONG, CODE),
        (f"{RIGHT}\n\n```{WRONG}\nx\n```\n", WRONG, CODE),
        (f"{RIGHT}\n\n    x = f(1)\n    # {WRONG}\n", WRONG, CODE),
        (f"{RIGHT}\n\n<script>{WRONG}</script>\n", WRONG, CODE),
        (f"{RIGHT}\n\n$$\\text{{{WRONG}}}$$\n", WRONG, CODE),
        (f"{RIGHT}\n\n<![CDATA[{WRONG}]]>", WRONG, CODE),
        (f"{RIGHT}\n\n```csv\nname,born\nAda,1816\n```\n", "name,born\nAda,1816", CODE),
        (f"{RIGHT}\n\n> ~~~yaml\n> born: 1816\n> ~~~\n", "> born: 1816", CODE),
        (f'{RIGHT}\n\n```json\n{{"note": "{WRONG}"}}\n```', f'{{"note": "{WRONG}"}}', CODE),
        (f"{RIGHT} Was she born in 1816? Yes, she was.", "Was she born in 1816?", ASKED),
        (f"{RIGHT} Was she born in Paris? Yes.", "Was she born in Paris?", ASKED),
        (
            f"{RIGHT} Did you know she was born in 1816?",
            "Did you know she was born in 1816?",
            ASKED,
        ),
        (f"{RIGHT} She died in 1816, didn't she?", "She died in 1816, didn't she?", ASKED),
    ],
)
def test_what_is_not_read_is_a_sentence_that_was_not_checked(
    text: str, said: str, why: str
) -> None:
    report = check(text, references=[REFERENCE])
    found = [one for one in report.sentences if report.text[one.start : one.end] == said]
    assert [(one.verdict, one.reason, one.score) for one in found] == [("not_checked", why, None)]
    assert [one.verdict for one in report.sentences].count("supported") >= 1
    assert [one.start for one in report.sentences] == sorted(one.start for one in report.sentences)
    assert status(report) == 3


@pytest.mark.parametrize(
    "text",
    [
        RIGHT[:-1] + " <!-- not 1815 but 1816 -->.",
        RIGHT.replace("Ada Lovelace", '[Ada Lovelace](http://a.b "born in 1816")'),
        RIGHT.replace("Ada Lovelace", '<abbr title="born in 1816">Ada Lovelace</abbr>'),
    ],
)
def test_a_sentence_with_an_unread_part_is_not_supported(text: str) -> None:
    report = check(text, references=[REFERENCE])
    (sentence,) = report.sentences
    assert (sentence.verdict, sentence.reason in (COMMENT, ASIDE)) == ("not_checked", True)
    assert {fact.verdict for fact in report.facts} == {"supported"}
    assert status(report) == 3


@pytest.mark.parametrize(
    "text",
    [
        f"{RIGHT}\n\n```python\nfor x in range(10):\n    if x is not None: print(x)\n```\n",
        f"{RIGHT}\n\n```sql\nSELECT name, born FROM people WHERE born = 1815;\n```\n",
        f"{RIGHT}\n\n<!-- end -->\n",
        f"<b>{RIGHT}</b><br/>",
        RIGHT.replace("Ada Lovelace", '[Ada Lovelace](https://a.b/Ada "Wikipedia")'),
        RIGHT.replace("Ada Lovelace", "[Ada Lovelace](https://a.b/ada-was-born-in-1816)"),
        f"{RIGHT} https://en.wikipedia.org/wiki/Ada_Lovelace",
        f"{RIGHT} https://a.b/2024/05/12/ada-was-born-in-1816",
        f"{RIGHT} Who was she? Would you like to know more? Is there anything else?",
        f"What did Ada do? {RIGHT}",
    ],
)
def test_what_says_nothing_is_left_out(text: str) -> None:
    report = check(text, references=[REFERENCE])
    assert [one.verdict for one in report.sentences] == ["supported"]
    assert status(report) == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("&#49;816", "1816"),
        ("18&#x31;6", "1816"),
        ("Caf&eacute;", "Café"),
        ("1&frac12; km", "1½ km"),
        ("18&#8203;16", "18\u200b16"),
        ("Tom &amp; Ada &lt; 5&nbsp;km", "Tom &amp; Ada &lt; 5&nbsp;km"),
        ("`&#49;816` \\&#49;816", "`&#49;816` \\&#49;816"),
        ("```\n&#49;816\n```\n&#49;", "```\n&#49;816\n```\n1"),
        ("    &#49;816", "    &#49;816"),
        ("&#0; &#99999999; &nosuch; &#xd800;", "&#0; &#99999999; &nosuch; &#xd800;"),
    ],
)
def test_letters_that_are_entities(text: str, shown: str) -> None:
    assert decode_letters(text)[0] == shown


def test_spans_are_disjoint_and_in_order() -> None:
    document = read_message(f'{RIGHT} <!-- {WRONG} --> <i title="{WRONG}">x</i>\n\n---\n<!-- a b')
    ends = [0, *(end for _, end in document.sentences)]
    starts = [start for start, _ in document.sentences]
    assert all(end <= start for end, start in zip(ends, starts, strict=False))
