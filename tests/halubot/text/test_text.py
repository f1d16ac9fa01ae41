"""Reading a text: cleaning, Markdown, sentences, languages."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from halubot.errors import InputError
from halubot.text import Document, language, read, unify

# Text with much of what could go wrong in it: marks, breaks, scripts, surrogates, controls.
_SNIPPETS = [
    "Ada was born in 1815. ", "She wrote notes.", "*", "**", "_", "__", "`", "```\n", "~~",
    "~~~\n", "[", "]", "(", ")", "[1]", "[^1]", "[a](http://b.c/d)", "![i](j)", "<", ">", "<b>",
    "</b>", "<br>", "<!--", "-->", "<script>", "\\", "\\(", "\\[", "$", "$$", "#", "# ", "> ",
    "- ", "1. ", "1828. ", "    ", "\t", "|", "| a | b |\n|---|---|\n", "---\n", "===\n", "\n",
    "\n\n", "\r\n", "\r", " ", "http://x.y/z", "www.x.y", "\x00", "\x0b", "\x0c", "\x85",
    "\u2028", "\u2029", "\ufeff", "\ud800", "e\u0301", "\u202e", "👩\u200d👩\u200d👧", "你好。",
    "これは「文。」です。", "هذا نص.", "Dr. ", "e.g. ", '"', "'", "“", "”", "...", "!", "?", "a",
    "Z", "9", "[ref]: http://x.y\n", "$x^2$", "【3†source】",
]  # fmt: skip
_texts = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=[]), max_size=80),
    st.lists(st.sampled_from(_SNIPPETS), max_size=25).map("".join),
)


def _words(text: str, *, markdown: bool = True) -> list[str]:
    document = read(text, markdown=markdown)
    return [document.text[start:end] for start, end in document.sentences]


def _plain(text: str) -> list[str]:
    document = read(text)
    return [document.plain[start:end] for start, end in document.sentences]


def _sound(document: Document) -> None:
    text, plain = document.text, document.plain
    assert len(plain) == len(text)
    unified = unify(text)
    assert all(kept in (" ", "\t", was) for kept, was in zip(plain, unified, strict=True))
    position = 0
    for start, end in document.sentences:
        assert position <= start < end <= len(text)
        assert text[start:end].strip() == text[start:end]
        assert plain[start:end].strip()
        position = end


@settings(deadline=None)
@given(_texts, st.booleans())
@example("1809.", True)
@example("\n1.\n", True)
@example("- > 1. a\n\tb", True)
@example(">\ta\n>\t\tb", True)
@example("|a\n|-\n|", True)
def test_any_text_is_read_soundly(text: str, markdown: bool) -> None:
    document = read(text, markdown=markdown)
    _sound(document)
    assert len(document.text) == len(text)
    assert read(document.text, markdown=markdown).sentences == document.sentences


@settings(deadline=None)
@given(_texts)
def test_sentences_that_were_cut_are_located_again(text: str) -> None:
    document = read(text)
    given_back = [document.text[start:end] for start, end in document.sentences]
    again = read(text, sentences=given_back)
    _sound(again)
    assert [again.text[start:end] for start, end in again.sentences] == given_back


class TestCleaning:
    def test_lone_surrogates_are_replaced_and_said(self) -> None:
        document = read("Ada\ud800 wrote.")
        assert document.text == "Ada\ufffd wrote."
        assert document.notes == ("1 lone surrogate replaced by U+FFFD",)

    def test_control_characters_are_blanked_and_said(self) -> None:
        document = read("Ada\x00wrote.\x07\x0cShe did.\tYes.\r\nAll.")
        assert document.text == "Ada wrote. \nShe did.\tYes.\r\nAll."
        assert document.notes == ("3 control characters blanked",)

    def test_line_breaks_of_every_kind_keep_their_places(self) -> None:
        document = read("One is here.\r\n\r\nTwo is\rhere.\u2029Three.")
        assert [document.text[a:b] for a, b in document.sentences] == [
            "One is here.",
            "Two is\rhere.",
            "Three.",
        ]


class TestProse:
    @pytest.mark.parametrize(
        "text",
        [
            "5 * 3 is 15 and 2 * 2 is 4.",
            "2**3 is 8 and 4**5 is 1024.",
            "The snake_case_name and other_name are names.",
            "If a < b and b > c then a <= c.",
            "A list[0] and [sic] and [1990] stay.",
            "It costs $5 or $10, not 3$.",
            "Note: this stays.\nAlso this: yes.",
            "Price* is fixed. *Tax is not.",
            "Press <Enter> or use List<String>.",
            "He lives at C:\\Users\\ada and pays ~5 %.",
            "#hashtag and C# stay.",
            "An e-mail to ada@example.org, please.",
            "1828. He was born then.",
            "3. Mai 1900 wurde er geboren.",
            "1809.",
            "Tom & Jerry | Itchy & Scratchy.",
            "  Indented a little.",
            "He said `hello and left.",
        ],
    )
    def test_stray_marks_stay(self, text: str) -> None:
        assert read(text).plain == text

    @pytest.mark.parametrize(
        ("text", "sentences"),
        [
            ("He was ill. Salt Road was shut.", ["He was ill.", "Salt Road was shut."]),
            ("She gave it to me. Then she left.", ["She gave it to me.", "Then she left."]),
            ("They like art. He said no. Why?", ["They like art.", "He said no.", "Why?"]),
            ("See fig. 5 and no. VII.", ["See fig. 5 and no. VII."]),
            (
                "In Springfield, Ill. Mayor Smith spoke.",
                ["In Springfield, Ill. Mayor Smith spoke."],
            ),
            ('"I was ill. Go away," he said.', ['"I was ill. Go away," he said.']),
            ("He asked (was she ill. Nobody knew).", ["He asked (was she ill. Nobody knew)."]),
        ],
    )
    def test_words_that_are_abbreviations_too_end_sentences(
        self, text: str, sentences: list[str]
    ) -> None:
        assert _words(text) == sentences

    @pytest.mark.parametrize(
        "text",
        [
            "Dr. J. K. Smith Jr. met Mrs. Jones, e.g. at St. Mary's, No. 5, on Jan. 3.",
            "It measured approx. 5.5 km (see Vol. 3, p. 7).",
            "The U.S. Army paid $3.5 million to J.R.R. Tolkien, i.e. a lot.",
            "Sie kam am 5. Tag im 19. Jahrhundert, z. B. nach Bonn.",
            "M. Dupont est né ici avec Mme. Curie.",
            "Am Mo., 5. März, kommt ca. die Hälfte, d. h. ein Teil.",
            "Il est né en 50 av. J.-C. à St. Denis, p. ex. avec J.-P. Melville.",
            "El Sr. Pérez de EE. UU. vive en la Avda. Central núm. 5, p. ej. hoy.",
            "قال د. أحمد إن السعر 3.5 دولار.",
            "Т. е. это было давно и в 1799 г. в Москве.",
            "彼は「猫である。」と書いた。",
        ],
    )
    def test_ends_that_are_no_ends(self, text: str) -> None:
        assert _words(text) == [text]

    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("Is it? Yes! It is… so. She said so.", 4),
            ("孔子生于公元前551年。他是中国人！", 2),
            ("真的吗？是的；他说：“你好。”然后走了。", 3),
            ("« Bonjour ! » dit-il. « Au revoir. » Elle partit.", 3),
            ("„Komm!“, sagte er. „Nein.“ Sie ging.", 3),
            ("¿Vienes? ¡Sí! Claro.", 3),
            ("गांधी का जन्म 1869 में हुआ। वे नेता थे।", 2),
            ("هل هذا صحيح؟ نعم، هذا صحيح.", 2),
            ("Café nan\u0303du. 👩\u200d👧 Party!", 2),
            ("She left for the U.S. He stayed.", 2),
        ],
    )
    def test_sentences_are_cut(self, text: str, count: int) -> None:
        assert len(_words(text)) == count

    def test_a_long_text_without_an_end_is_cut_somewhere(self) -> None:
        text = "word " * 10_000
        assert 1 < len(_words(text)) < 20
        _sound(read("x" * 50_000))


class TestMarkdown:
    def test_inline_marks_are_blanked(self) -> None:
        text = (
            '**Ada** *was* ~~not~~ `born` in [London](https://a.b/c_(d) "t") \\* see '
            "<https://x.y> and https://x.y/z. It is ***so***, __so__, _so_.[1][2, 3][^n]【4†s】"
        )
        assert [" ".join(part.split()) for part in _plain(text)] == [
            "Ada was not born in London * see and .",
            "It is so , so , so .",
        ]

    @pytest.mark.parametrize("fence", ["```", "~~~~", "```text", "> ```", "- ```"])
    def test_prose_in_a_fence_is_prose(self, fence: str) -> None:
        mark = fence.rstrip("tex")
        indent = {">": "> ", "-": "  "}.get(fence[0], "")
        text = f"One.\n\n{fence}\n{indent}Ada was born in 1816\n{indent}{mark[-4:].strip()}\n\nTwo."
        document = read(text)
        cut = [text[start:end] for start, end in document.sentences]
        assert cut == ["One.", "Ada was born in 1816", "Two."]

    @pytest.mark.parametrize(
        "code",
        ["```\nx = call(1816)\n```", "```python\nreturn the sum of it\n```", "```\n```", "```"],
    )
    def test_code_in_a_fence_is_none(self, code: str) -> None:
        assert len(read(f"One.\n\n{code}").sentences) == 1

    def test_entities_of_signs_are_read_as_the_signs(self) -> None:
        text = "A &lt; B&nbsp;&amp; C &ndash; &quot;D&quot; &#8212; &#x2014; &copy; &nosuch; &#49;"
        plain = read(text).plain
        assert len(plain) == len(text)
        assert plain.split() == [
            "A",
            "<",
            "B",
            "&",
            "C",
            "–",
            '"',
            'D"',
            "—",
            "—",
            "©",
            "&nosuch;",
            "&#49;",
        ]

    def test_blocks(self) -> None:
        text = (
            "# Ada *Lovelace*\n\nShe wrote\nnotes.\n\n- first thing\n- second\n  thing\n\n"
            "> quoted words.\n> more words.\n\n1. one\n2. two\n\nTitle\n=====\n\n[^1]: A note.\n"
        )
        assert _words(text) == [
            "Ada *Lovelace*",
            "She wrote\nnotes.",
            "first thing",
            "second\n  thing",
            "quoted words.",
            "more words.",
            "one",
            "two",
            "Title",
            "A note.",
        ]

    def test_code_is_no_prose(self) -> None:
        text = "Run this.\n\n```py\nx = 'It is wrong.'\n```\n\n    y = f(x)\n\nDone."
        assert _words(text) == ["Run this.", "Done."]
        assert "wrong" not in read(text).plain

    def test_rows_are_sentences_and_cells_stay_apart(self) -> None:
        text = "| Name | Born |\n| --- | ---: |\n| Ada. B. | 1815 |\n|Bob|1816|\n"
        assert _words(text) == ["Name | Born", "Ada. B. | 1815", "Bob|1816"]
        assert _plain(text)[2] == "Bob\t1816"

    @pytest.mark.parametrize(
        "text",
        ["**Life**\nShe was born.", "Born: 1815\nDied: 1852", "**Born:** 1815\n**Place of:** x"],
    )
    def test_bold_lines_and_labelled_lines_stand_alone(self, text: str) -> None:
        assert _words(text) == text.split("\n")

    def test_a_long_text_is_read_in_pieces_without_a_seam(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("halubot.text.markdown._CHUNK", 1_000)
        part = "## Head\n\nSome *words* here.\n\n- item one\n- item two\n\n```\ncode here.\n```\n\n"
        assert len(_words(part * 600)) == 4 * 600


class TestGivenSentences:
    def test_other_white_space_is_as_good(self) -> None:
        text = "Ada was\n  born.  She\twrote."
        assert read(text, sentences=["Ada was born. ", "She wrote."]).sentences == (
            (0, 15),
            (17, 27),
        )

    def test_an_absent_sentence_is_named_by_its_number(self) -> None:
        with pytest.raises(InputError, match=r"sentence 2 is not in the text .*'Ada\.'"):
            read("Ada. Bob.", sentences=["Bob.", "Ada."])


def test_language() -> None:
    said = (
        ("en", "Ada wrote the notes."),
        ("en", "He was born."),
        ("en", "Van Dyk was born in Campo de Criptana."),
        ("de", "Er starb 1832 in Weimar und wurde dort begraben."),
        ("fr", "Victor Hugo est un écrivain français."),
        ("es", "Fue un escritor que nació en 1547."),
        ("it", "Dante è nato a Firenze nel 1265."),
        ("pt", "Ele foi um poeta e nasceu em Lisboa."),
        ("nl", "Hij was een schilder en werd geboren in Leiden."),
        ("ru", "Он родился в Москве."),
        ("zh", "孔子生于公元前551年。"),
        ("ja", "東京で生まれた。"),
        ("ko", "그는 왕이었다."),
        ("ar", "ولد عام 980."),
        ("he", "הוא מת."),
        ("hi", "वे नेता थे।"),
        ("el", "Γεννήθηκε στην Αθήνα."),
        ("und", "Randy Hughes"),
        ("und", "42"),
        ("und", ""),
        ("und", "ሰላም ለዓለም"),
        ("en", "The Chinese name 孔子 is the name of Confucius."),
        ("de", "Der Kirchturm misst 89 Meter."),
        ("de", "Im Park dürfen Hunde frei laufen."),
        ("fr", "On a découvert l'épave au large d'Arcachon."),
        ("es", "Ningún alumno entregó el trabajo a tiempo."),
        ("und", "Sörenstam started playing golf."),
        ("en", '"El casting de la tele" is a television program.'),
    )
    assert [(language(text), text) for _, text in said] == [*said]
