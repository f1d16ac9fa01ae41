"""Very long sources are read where they speak of the message, and nowhere else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halubot import check
from halubot.compare import nearby
from halubot.compare.nearby import Nearby
from halubot.compare.tokens import with_tokens
from halubot.text import read

MESSAGE = "The Kellan Bridge was opened in 1931. Orla Venn designed it."
FILLER = "Rain fell on the hills, and nobody in the valley knew why it had come. "


def long(*places: tuple[float, str], size: int = 2 * nearby.MOST) -> str:
    """A text in which some sentences stand at these shares of its length."""
    pieces = [FILLER] * (size // len(FILLER))
    for place, sentence in places:
        pieces[int(place * (len(pieces) - 1))] = sentence + " "
    return "".join(pieces)


def test_short_texts_are_read_whole() -> None:
    texts = ["One. Two.", FILLER * 3]
    assert Nearby(read(MESSAGE)).read(texts) == [with_tokens(read(one)) for one in texts]


def test_of_a_long_text_what_speaks_of_the_message_is_read_at_its_place() -> None:
    says = "The Kellan Bridge was opened in 1928."
    text = long((0.7, says))
    (found,) = Nearby(read(MESSAGE)).read([text])
    document = found.document
    assert document.text == text
    assert len(document.plain) == len(text)
    assert says in {text[start:end] for start, end in document.sentences}
    assert sum(not sign.isspace() for sign in document.plain) < nearby.MOST
    for tokens, (start, end) in zip(found.tokens, document.sentences, strict=True):
        assert all(text[t.start : t.end] == t.text and start <= t.start < end for t in tokens)


def test_verdicts_do_not_depend_on_what_stands_around() -> None:
    says = "Orla Venn designed it." + " The Kellan Bridge was opened in 1928."
    report = check(MESSAGE, references=[long((0.4, says))])
    verdicts = [sentence.verdict for sentence in report.sentences]
    assert verdicts[0] == "contradicted"
    (one,) = (e for fact in report.facts for e in fact.evidence if e.stance == "contradicts")
    assert one.quote == "The Kellan Bridge was opened in 1928."
    assert [problem.what for problem in report.problems] == ["not all was compared"]


def test_a_value_that_stands_anywhere_is_not_missing() -> None:
    # The year stands far from all else: what another sentence says is then no contradiction.
    text = long((0.1, "The Kellan Bridge was opened in 1928."), (0.9, "In 1931 it rained."))
    (found,) = Nearby(read(MESSAGE)).read([text])
    assert "1931" in found.document.plain
    assert "1928" in found.document.plain


def test_of_many_texts_the_nearest_are_read() -> None:
    texts = [long(size=nearby.MOST // 10) for _ in range(20)]
    texts[13] = long((0.5, "The Kellan Bridge was opened in 1931."), size=nearby.MOST // 10)
    found = Nearby(read(MESSAGE)).read(texts)
    assert "Kellan" in found[13].document.plain
    assert [one.document.text for one in found] == texts


def test_scripts_without_spaces_are_found() -> None:
    text = "雨が降った。" * 100_000 + "東京は日本の首都です。" + "雨が降った。" * 10_000
    (found,) = Nearby(read("東京は日本の首都である。")).read([text])
    assert "東京は日本の首都です" in found.document.plain


@given(st.lists(st.text(max_size=300), max_size=5), st.text(max_size=80), st.integers(0, 500))
def test_whatever_is_read(texts: list[str], message: str, most: int) -> None:
    texts = [read(text).text for text in texts]
    found = Nearby(read(message)).read(texts, most)
    assert [one.document.text for one in found] == texts
    for one, text in zip(found, texts, strict=True):
        assert len(one.document.plain) == len(text)
        spans = one.document.sentences
        assert all(0 <= start < end <= len(text) for start, end in spans)
        assert list(spans) == sorted(spans)
    if sum(map(len, texts)) > most:
        assert sum(not sign.isspace() for one in found for sign in one.document.plain) <= most
